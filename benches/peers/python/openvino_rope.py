"""OpenVINO on the CPU: the rotate-half subgraph of a model, which the compiler turns into its own node `RoPE`.

A name ends in `unfused` where it did not. The output tensor is made once; an inference has a price of its own, and the
lines marked `x16` run 16 rotations in a row and divide by 16.
"""
import timing
from timing import DIM, FIRST, HEADS, TOKENS, Case


def model(element, tokens, chain):
    """x · cos + (−y, x) · sin, `chain` times over."""
    import numpy as np
    import openvino
    from openvino import opset13 as op
    x = op.parameter([1, HEADS, tokens, DIM], element)
    cos, sin = (op.parameter([1, 1, tokens, DIM], element) for _ in range(2))
    minus = op.constant(np.float32(-1.0))
    if element != openvino.Type.f32:
        minus = op.convert(minus, element)
    # Written as -1, the last axis is not recognised, and nothing is fused.
    lengths, axis = op.constant(np.array([DIM // 2] * 2)), op.constant(np.int64(3))
    y = x
    for _ in range(chain):
        parts = op.variadic_split(y, axis, lengths)
        turned = op.concat([op.multiply(parts.output(1), minus), parts.output(0)], -1)
        y = op.add(op.multiply(y, cos), op.multiply(turned, sin))
    return openvino.Model([y], [x, cos, sin], "rotations")


def request(element, dtype, threads, tokens, chain):
    """A request for the compiled model, and whether it holds the fused node."""
    import openvino
    settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
                "INFERENCE_PRECISION_HINT": dtype}
    compiled = openvino.Core().compile_model(model(element, tokens, chain), "CPU", settings)
    nodes = compiled.get_runtime_model().get_ops()
    fused = any(node.get_rt_info()["layerType"].astype(str) == "RoPE" for node in nodes)
    return compiled.create_infer_request(), fused


def driver(threads):
    import numpy as np
    import openvino
    import ours
    lib = ours.library()
    elements = {"f32": openvino.Type.f32, "bf16": openvino.Type.bf16, "f16": openvino.Type.f16}

    def cell(dtype, tokens, chain):
        infer, fused = request(elements[dtype], dtype, threads, tokens, chain)

        def prepare(x):
            tables = (ours.narrow(np.tile(t, 2).astype(np.float32), dtype) for t in timing.angles(FIRST, tokens))
            for index, (array, outer) in enumerate(zip((x, *tables), (HEADS, 1, 1))):
                tensor = openvino.Tensor(elements[dtype], [1, outer, tokens, DIM])
                tensor.data.view(array.dtype)[...] = array.reshape(1, outer, tokens, DIM)
                infer.set_input_tensor(index, tensor)

            def call():
                # `infer.infer()` would make a dictionary of results on every call.
                infer.start_async()
                infer.wait()

            def result():
                data = infer.get_output_tensor(0).data
                return ours.widen(data.view(np.uint16), dtype) if dtype == "bf16" else data
            return call, result
        name = ("openvino" if fused else "openvino-unfused") + (f"-x{chain}" if chain > 1 else "")
        timing.attempt(lib, Case(name, "halves", dtype, threads, tokens, "head-major"), prepare, chain)

    for chain in (1, 16):
        for dtype in elements:
            for tokens in TOKENS:
                cell(dtype, tokens, chain)


timing.run(driver)
