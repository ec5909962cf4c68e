"""Our rotation, called through the shared library of `capi`.

Arrays are NumPy's; bf16, which NumPy lacks, is held as its bits in uint16.
"""
import ctypes
import functools
import os

import numpy as np

DTYPES = {"f32": np.float32, "bf16": np.uint16, "f16": np.float16}
PAIRINGS = ("halves", "interleaved")
ORDERS = ("token-major", "head-major")


class Layout(ctypes.Structure):
    """As in capi/src/rotation.rs."""
    _fields_ = [("tokens", ctypes.c_size_t), ("heads", ctypes.c_size_t), ("first", ctypes.c_size_t),
                ("order", ctypes.c_uint32), ("threads", ctypes.c_uint32)]


def library():
    """The library that POSENC_PEERS_LIB names, with the types of its functions declared."""
    lib = ctypes.CDLL(os.environ["POSENC_PEERS_LIB"])
    lib.posenc_new.restype = ctypes.c_void_p
    lib.posenc_new.argtypes = [ctypes.c_size_t, ctypes.c_double, ctypes.c_uint32, ctypes.c_size_t]
    lib.posenc_free.restype = None
    lib.posenc_free.argtypes = [ctypes.c_void_p]
    return lib


def widen(values, dtype):
    """Elements as float32."""
    if dtype == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float32)


def narrow(values, dtype):
    """float32 numbers as elements, rounded to nearest even; there is no NaN among them."""
    if dtype == "bf16":
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return values.astype(DTYPES[dtype])


def aligned(values):
    """A flat copy that begins at a cache line, as the tensors of the peers do."""
    room = np.empty(values.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy = room[start:start + values.nbytes].view(values.dtype)
    copy[...] = values.reshape(-1)
    return copy


class Rotary:
    """One shape, element type and pairing; holds the handle and the prepared arguments of every call."""

    def __init__(self, lib, case, dim, heads, first, base):
        rows = first + case.tokens
        self.lib, self.handle = lib, lib.posenc_new(dim, base, PAIRINGS.index(case.pairing), rows)
        if not self.handle:
            raise ValueError(f"no encoding for {case}")
        self.dtype = case.dtype
        self.layout = Layout(case.tokens, heads, first, ORDERS.index(case.order), case.threads)

    def close(self):
        """Gives the handle back."""
        self.lib.posenc_free(self.handle)
        self.handle = None

    def _prepare(self, name, *arrays):
        function = getattr(self.lib, f"posenc_{name}_{self.dtype}")
        function.restype = ctypes.c_int32
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        fixed = [ctypes.c_void_p(self.handle), *pointers, ctypes.c_size_t(arrays[-1].size), ctypes.byref(self.layout)]
        status = function(*fixed, ctypes.c_size_t(0))
        if status != 0:
            raise ValueError(f"{name}: status {status}")
        # Arguments that are C objects already cost the least to pass.
        return functools.partial(function, *fixed)

    def in_place(self, data):
        """A function of the number of calls, as a C size, that rotates `data`."""
        return self._prepare("rotate", data)

    def into(self, source, target):
        """A function of the number of calls that rotates `source` into `target`."""
        return self._prepare("rotate_into", source, target)
