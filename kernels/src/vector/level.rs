//! Which instruction sets there are, which of them this machine has, and the one door into each.
//!
//! A [`Level`] cannot be made by hand: it comes from a look at the machine, so holding one is the proof that
//! its instructions may run. The features of an instruction set are written here, once.

use core::fmt;
use core::str::FromStr;

use super::portable::Portable;
use super::{Kernel, Scalar};

/// Declares the token of an instruction set: its features, the look at the machine, and the door.
#[cfg(target_arch = "x86_64")]
macro_rules! instruction_set {
    ($(#[$doc:meta])* $token:ident($within:ty): $($feature:tt),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) struct $token($within);

        impl $token {
            /// The token, if this machine has every feature of the list.
            #[inline]
            fn detect() -> Option<Self> {
                let within = <$within>::detect()?;
                #[cfg(feature = "std")]
                let present = $(std::arch::is_x86_feature_detected!($feature))&&+;
                #[cfg(not(feature = "std"))]
                let present = $(cfg!(target_feature = $feature))&&+;
                present.then_some(Self(within))
            }

            /// Runs `kernel` with these features switched on.
            #[inline]
            fn enter<K: Kernel>(self, kernel: K) -> K::Output {
                #[target_feature($(enable = $feature),+)]
                fn door<K: Kernel>(token: $token, kernel: K) -> K::Output {
                    kernel.run(token)
                }
                // SAFETY: the features that `door` switches on are those that `detect` looked for before it
                // made `self`; both lists are this macro's one list.
                unsafe { door(self, kernel) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
instruction_set! {
    /// Proof that this machine has AVX2, with the half-precision conversions.
    Avx2(Portable): "avx2", "f16c"
}

#[cfg(target_arch = "x86_64")]
instruction_set! {
    /// Proof that this machine has AVX-512 in the form that every server part since Skylake has.
    Avx512(Avx2): "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"
}

#[cfg(target_arch = "x86_64")]
impl Portable {
    /// The build itself is the proof.
    #[inline]
    fn detect() -> Option<Self> {
        Some(Self)
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// The AVX2 that was found along with it.
    #[inline(always)]
    pub(super) fn avx2(self) -> Avx2 {
        self.0
    }
}

/// An instruction set that this machine has.
///
/// All levels give the same bits; they differ in speed alone.
///
/// ```
/// use posenc_kernels::Level;
///
/// let best = Level::detect();
/// assert!(Level::available().any(|level| level == best));
/// assert_eq!(Level::named("scalar").unwrap().to_string(), "scalar");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Set {
    Scalar,
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// Every name that [`Level::named`] knows, on whatever machine, from the plainest to the widest.
const NAMES: [&str; 4] = ["scalar", "portable", "avx2", "avx512"];

impl Level {
    /// The widest level of this machine.
    #[inline]
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(token) = Avx512::detect() {
                return Self(Set::Avx512(token));
            }
            if let Some(token) = Avx2::detect() {
                return Self(Set::Avx2(token));
            }
        }
        Self(Set::Portable)
    }

    /// All levels of this machine, from the plainest to the widest.
    pub fn available() -> impl Iterator<Item = Self> {
        NAMES.into_iter().filter_map(|name| Self::named(name).ok())
    }

    /// The level of that name: `scalar`, `portable`, `avx2` or `avx512`.
    ///
    /// # Errors
    ///
    /// [`UnknownLevel`] if there is no such level, or this machine does not have it.
    pub fn named(name: &str) -> Result<Self, UnknownLevel> {
        match name {
            "scalar" => Some(Set::Scalar),
            "portable" => Some(Set::Portable),
            #[cfg(target_arch = "x86_64")]
            "avx2" => Avx2::detect().map(Set::Avx2),
            #[cfg(target_arch = "x86_64")]
            "avx512" => Avx512::detect().map(Set::Avx512),
            _ => None,
        }
        .map(Self)
        .ok_or(UnknownLevel(()))
    }

    /// The name, as [`named`](Self::named) takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar => "scalar",
            Set::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512(_) => "avx512",
        }
    }

    /// Runs a kernel on this level's vectors.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Set::Scalar => kernel.run(Scalar),
            Set::Portable => kernel.run(Portable),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512(token) => token.enter(kernel),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        Self::named(name)
    }
}

/// There is no level of the wanted name on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLevel(());

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such level on this machine; here are:")?;
        Level::available().try_for_each(|level| write!(f, " {level}"))
    }
}

impl core::error::Error for UnknownLevel {}
