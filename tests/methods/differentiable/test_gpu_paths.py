"""The blocked closure on a CUDA device against the plain one, to the last bit; on others, how numbers become floats and return."""

import pytest

torch = pytest.importorskip("torch")

from beatpath.methods.differentiable import gpu as kernels
from beatpath.methods.differentiable import tensors

gpu = pytest.mark.skipif(
    not kernels.on_gpu(torch.empty(0, device="cuda") if torch.cuda.is_available() else torch.empty(0)),
    reason="needs a CUDA device and Triton",
)
DTYPES = [torch.float32, torch.float64, torch.float16, torch.int16, torch.int64]


def step_by_step(strength):
    path = strength.clone()
    for via in range(path.shape[-1]):
        path = torch.maximum(path, torch.minimum(path[..., :, via, None], path[..., None, via, :]))
    return path


def graph(kind, shape, dtype, device):
    """Strengths without a diagonal: any, tied, in components, sparse, one long chain, all zero."""
    draw = torch.Generator().manual_seed(shape[-1])
    S = torch.rand(shape, generator=draw, dtype=torch.float64)
    n = shape[-1]
    if kind == "tied":
        S = (S * 3).floor() / 3
    elif kind == "in components":
        part = torch.arange(n) * 3 // n
        S = S * (part[:, None] == part[None, :])
    elif kind == "sparse":
        S = S * (torch.rand(shape, generator=draw) < 2 / n)
    elif kind == "a chain":  # the path from the first to the last goes through all, in a shuffled order
        order = torch.randperm(n, generator=draw)
        S = torch.zeros(shape, dtype=torch.float64)
        S[..., order[:-1], order[1:]] = torch.linspace(0.9, 0.1, n - 1, dtype=torch.float64)
    elif kind == "nothing":
        S = torch.zeros(shape, dtype=torch.float64)
    S = (1000 * S).to(dtype) if not dtype.is_floating_point else S.to(dtype)
    return S.masked_fill(torch.eye(n, dtype=torch.bool), 0).to(device)


KINDS = ["any", "tied", "in components", "sparse", "a chain", "nothing"]


@gpu
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 2), (63, 63), (64, 64), (65, 65), (300, 300), (5, 100, 100), (2, 3, 129, 129)]
)
def test_blocks_give_the_same_bits_as_step_by_step(shape, kind, dtype):
    S = graph(kind, shape, dtype, "cuda")
    widths = tensors.widest_paths(S)
    assert widths.dtype == S.dtype
    assert torch.equal(widths, step_by_step(S))


@gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [5, 64, 130])
def test_walks_of_few_edges_are_those_of_the_processor(n, kind, dtype):
    S = graph(kind, (2, n, n), dtype, "cpu")
    for most in (1, 2, 3, 6):
        assert torch.equal(tensors.strongest_path(S.cuda(), most).cpu(), tensors.strongest_path(S, most))


@gpu
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_the_processor(kind):
    there, here = (graph(kind, (90, 90), torch.float64, device).requires_grad_() for device in ("cuda", "cpu"))
    weight = torch.rand(90, 90, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    for S in (there, here):
        (tensors.strongest_path(S, 89) * weight.to(S.device)).sum().backward()
    torch.testing.assert_close(there.grad.cpu(), here.grad)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_become_floats_of_the_same_order_and_return_as_they_were(kind, dtype):
    S = graph(kind, (40, 40), dtype, "cpu")
    floats, values = kernels.as_floats(S)
    assert floats.dtype == torch.float32
    assert torch.equal(floats == 0, S == 0)
    one, other = S.flatten()[:, None] < S.flatten()[None, :], floats.flatten()[:, None] < floats.flatten()[None, :]
    assert torch.equal(one, other)
    assert torch.equal(kernels.as_given(floats, values, S), S)


def test_without_a_device_the_plain_implementation_is_used():
    assert not kernels.on_gpu(torch.zeros(3, 3))
