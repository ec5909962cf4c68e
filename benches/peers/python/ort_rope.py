"""ONNX Runtime: Microsoft's `RotaryEmbedding` and the one of ONNX opset 23, each in both memory orders.

Buffers are bound once, so nothing is allocated in a run. A run of a session has a price of its own; the lines marked
`x16` run 16 nodes in a row and divide by 16.
"""
import timing
from timing import DIM, FIRST, HEADS, TOKENS, Case

KINDS = {"contrib": ("com.microsoft", ("pos", "cos", "sin")), "opset23": ("", ("cos", "sin", "pos"))}


def session(kind, element, case, chain):
    """A graph of `chain` nodes from t0 to t<chain>."""
    from onnx import TensorProto, helper
    import onnxruntime
    domain, tables = KINDS[kind]
    token_major = case.order == "token-major"
    shape = [1, case.tokens, HEADS * DIM] if token_major else [1, HEADS, case.tokens, DIM]
    attributes = {"interleaved": int(case.pairing == "interleaved"), "num_heads": HEADS}
    nodes = [helper.make_node("RotaryEmbedding", [f"t{i}", *tables], [f"t{i + 1}"], domain=domain, **attributes)
             for i in range(chain)]
    table = [FIRST + case.tokens, DIM // 2]
    inputs = [helper.make_tensor_value_info("t0", element, shape),
              helper.make_tensor_value_info("cos", element, table),
              helper.make_tensor_value_info("sin", element, table),
              helper.make_tensor_value_info("pos", TensorProto.INT64, [1, case.tokens])]
    graph = helper.make_graph(nodes, "rotations", inputs, [helper.make_tensor_value_info(f"t{chain}", element, shape)])
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=11)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = case.threads, 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]), shape


def driver(threads):
    import numpy as np
    import onnxruntime
    from onnx import TensorProto
    import ours
    lib = ours.library()
    elements = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16}

    def cell(kind, case, chain):
        def prepare(x):
            graph, shape = session(kind, elements[case.dtype], case, chain)
            cos, sin = timing.angles(0, FIRST + case.tokens)
            feeds = {"t0": x.reshape(shape), "cos": cos.astype(x.dtype), "sin": sin.astype(x.dtype),
                     "pos": np.arange(FIRST, FIRST + case.tokens, dtype=np.int64)[None]}
            binding = graph.io_binding()
            values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in feeds.items()}
            for name, value in values.items():
                binding.bind_ortvalue_input(name, value)
            output = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros_like(feeds["t0"]))
            binding.bind_ortvalue_output(f"t{chain}", output)

            def call(keep=values):
                graph.run_with_iobinding(binding)
            return call, output.numpy
        timing.attempt(lib, case, prepare, chain)

    for kind in KINDS:
        for chain in (1, 16):
            for order in ours.ORDERS:
                peer = f"ort-{kind}-{order}" + (f"-x{chain}" if chain > 1 else "")
                for pairing in ours.PAIRINGS:
                    for dtype in elements:
                        for tokens in TOKENS:
                            cell(kind, Case(peer, pairing, dtype, threads, tokens, order), chain)


timing.run(driver)
