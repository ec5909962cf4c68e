//! Our rotation behind a C interface, so that scripts can time it in the process of a peer.
//!
//! This is a measuring device and no binding: it serves what the scripts compare, and every call says with a status
//! whether it was understood.

mod rotation;

use std::ptr;
use std::slice;

use half::{bf16, f16};
use posenc::{Element, Target};
use rotation::{Handle, Layout};

/// The call was carried out.
pub const DONE: i32 = 0;
/// A pointer is null or not aligned, or a number names nothing.
pub const BAD_ARGUMENT: i32 = 1;
/// The shape does not fit the lengths, or the positions do not fit the table.
pub const REFUSED: i32 = 2;

/// An encoding with a table of `rows` positions; null if it cannot be made. `pairing`: 0 halves, 1 interleaved.
#[unsafe(no_mangle)]
pub extern "C" fn posenc_new(dim: usize, base: f64, pairing: u32, rows: usize) -> *mut Handle {
    Handle::new(dim, base, pairing, rows).map_or(ptr::null_mut(), |handle| Box::into_raw(Box::new(handle)))
}

/// Gives a handle back; null is allowed.
///
/// # Safety
///
/// `handle` is null, or comes from [`posenc_new`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posenc_free(handle: *mut Handle) {
    if !handle.is_null() {
        // SAFETY: The caller says that it comes from `posenc_new`, so from a `Box`, and that this is its last use.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// A slice of the caller's memory, if it can be one.
///
/// # Safety
///
/// `data` is null or misaligned, or `len` elements can be read there for the lifetime, and nobody writes them.
unsafe fn shared<'a, T>(data: *const T, len: usize) -> Option<&'a [T]> {
    let fits = !data.is_null() && data.is_aligned() && len <= isize::MAX as usize / size_of::<T>();
    // SAFETY: The pointer is neither null nor misaligned and the size fits, as just checked; the rest the caller promises.
    fits.then(|| unsafe { slice::from_raw_parts(data, len) })
}

/// A slice of the caller's memory, if it can be one.
///
/// # Safety
///
/// As for [`shared`], and the elements can be written, and nobody else reads them meanwhile.
unsafe fn exclusive<'a, T>(data: *mut T, len: usize) -> Option<&'a mut [T]> {
    let fits = !data.is_null() && data.is_aligned() && len <= isize::MAX as usize / size_of::<T>();
    // SAFETY: The pointer is neither null nor misaligned and the size fits, as just checked; the rest the caller promises.
    fits.then(|| unsafe { slice::from_raw_parts_mut(data, len) })
}

/// Both forms for an element type. See [`posenc_rotate_f32`] and [`posenc_rotate_into_f32`].
///
/// # Safety
///
/// As for those; a null `from` means in place.
unsafe fn rotate<T: Element + Target<T>>(
    handle: *const Handle,
    from: Option<*const T>,
    to: *mut T,
    len: usize,
    layout: *const Layout,
    calls: usize,
) -> i32 {
    // SAFETY: The caller says that the two are null, or valid for reads during this call.
    let (Some(handle), Some(layout)) = (unsafe { handle.as_ref() }, unsafe { layout.as_ref() }) else {
        return BAD_ARGUMENT;
    };
    // SAFETY: The caller says that `len` elements at `to`, if it is not null, are valid and this call's alone.
    let Some(to) = (unsafe { exclusive(to, len) }) else { return BAD_ARGUMENT };
    let done = match from {
        None => handle.in_place(to, layout, calls),
        // SAFETY: The caller says that `len` elements at `from`, if it is not null, are valid and apart from `to`.
        Some(from) => match unsafe { shared(from, len) } {
            Some(from) => handle.into(from, to, layout, calls),
            None => return BAD_ARGUMENT,
        },
    };
    if done.is_some() { DONE } else { REFUSED }
}

macro_rules! doors {
    ($type:ty, $in_place:ident, $into:ident) => {
        /// Rotates `len` elements in place, `calls` times.
        ///
        /// # Safety
        ///
        /// `handle` is null or a live handle; `layout` is null or a layout; `data` is null, or `len` elements there can be
        /// read and written, and nobody else touches them during the call.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $in_place(
            handle: *const Handle,
            data: *mut $type,
            len: usize,
            layout: *const Layout,
            calls: usize,
        ) -> i32 {
            // SAFETY: What the callee asks for is what the caller of this function promises.
            unsafe { rotate(handle, None, data, len, layout, calls) }
        }

        /// Rotates `len` elements from one place into another, `calls` times.
        ///
        /// # Safety
        ///
        /// As for the form in place; `from` and `to` do not overlap.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $into(
            handle: *const Handle,
            from: *const $type,
            to: *mut $type,
            len: usize,
            layout: *const Layout,
            calls: usize,
        ) -> i32 {
            // SAFETY: What the callee asks for is what the caller of this function promises.
            unsafe { rotate(handle, Some(from), to, len, layout, calls) }
        }
    };
}

doors!(f32, posenc_rotate_f32, posenc_rotate_into_f32);
doors!(bf16, posenc_rotate_bf16, posenc_rotate_into_bf16);
doors!(f16, posenc_rotate_f16, posenc_rotate_into_f16);
