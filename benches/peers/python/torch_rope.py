"""PyTorch on the CPU: the forms in which model code writes the rotation, eager and compiled.

All but one return a new tensor. Tables are in the element type, as models cast them, except for the complex form, which
computes in f32.
"""
import timing
from timing import DIM, FIRST, TOKENS, Case


def rotate_half(q, cos, sin):
    """Tables of full width; the second term is the input with its halves swapped and one negated."""
    x, y = q.split(DIM // 2, -1)
    return q * cos + torch.cat((-y, x), -1) * sin


def halves(q, cos, sin):
    """Tables of half width."""
    x, y = q.split(DIM // 2, -1)
    return torch.cat((x * cos - y * sin, y * cos + x * sin), -1)


def halves_in_place(q, cos, sin):
    """As `halves`, written back."""
    q.copy_(halves(q, cos, sin))
    return q


def interleaved(q, cos, sin):
    """Neighbours paired; tables of half width."""
    x, y = q.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((x * cos - y * sin, y * cos + x * sin), -1).flatten(-2)


def complex_product(q, turns):
    """Neighbours as the two parts of a complex number; computed in f32 whatever the elements are."""
    z = torch.view_as_complex(q.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(z * turns).flatten(-2).to(q.dtype)


def forms():
    """Name, pairing, function, and which tables it takes."""
    def built(function):
        return torch.compile(function, dynamic=False, fullgraph=True)
    return [
        ("torch-eager-rotate-half", "halves", rotate_half, "full"),
        ("torch-eager-split", "halves", halves, "half"),
        ("torch-eager-stack", "interleaved", interleaved, "half"),
        ("torch-eager-complex", "interleaved", complex_product, "complex"),
        ("torch-compiled-rotate-half", "halves", built(rotate_half), "full"),
        ("torch-compiled-split", "halves", built(halves), "half"),
        ("torch-compiled-split-in-place", "halves", built(halves_in_place), "half"),
        ("torch-compiled-stack", "interleaved", built(interleaved), "half"),
    ]


def tables(kind, tokens, dtype):
    """Cosines and sines in the form a function wants."""
    cos, sin = (torch.from_numpy(values) for values in timing.angles(FIRST, tokens))
    if kind == "complex":
        return (torch.complex(cos.float(), sin.float()),)
    if kind == "full":
        cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)
    return cos.to(dtype), sin.to(dtype)


def tensor(x, dtype):
    """The same bits as a tensor [1, heads, tokens, dim] of its own memory."""
    bits = torch.from_numpy(x.view("i2") if dtype == torch.bfloat16 else x)
    return bits.view(dtype).unsqueeze(0).clone()


def driver(threads):
    global torch
    import torch
    import ours
    lib = ours.library()
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    torch._dynamo.config.recompile_limit = 64
    dtypes = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
    for name, pairing, function, kind in forms():
        for dtype, torch_dtype in dtypes.items():
            for tokens in TOKENS:
                def prepare(x):
                    arguments = (tensor(x, torch_dtype), *tables(kind, tokens, torch_dtype))
                    outputs = []

                    def result():
                        return outputs[0].float().numpy()
                    outputs.append(function(arguments[0].clone(), *arguments[1:]))
                    return (lambda: function(*arguments)), result
                timing.attempt(lib, Case(name, pairing, dtype, threads, tokens, "head-major"), prepare)


timing.run(driver)
