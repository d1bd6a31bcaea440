"""Sums over agents in between on a CUDA device, against the plain ones in doubles."""

import pytest

torch = pytest.importorskip("torch")

from beatpath.methods.differentiable import gpu as kernels
from beatpath.methods.differentiable import tensors
from beatpath.methods.soft_core import operators

gpu = pytest.mark.skipif(
    not kernels.on_gpu(torch.empty(0, device="cuda") if torch.cuda.is_available() else torch.empty(0)),
    reason="needs a CUDA device and Triton",
)


def edges(shape, kind="any"):
    """Strengths in single precision: any; all zero or one, as for agents far apart; all a half."""
    draw = torch.Generator().manual_seed(shape[-1])
    D = torch.rand(shape, generator=draw)
    if kind == "hard":
        D = (D > 0.5).float()
    elif kind == "equal":
        D = torch.full(shape, 0.5)
    return tensors.hollow(D)


@gpu
@pytest.mark.parametrize("kind", ["any", "hard", "equal"])
@pytest.mark.parametrize("gamma", [0.015, 0.05, 0.5])
@pytest.mark.parametrize("shape", [(101, 101), (300, 300), (3, 128, 128)])
def test_logarithms_of_sums_of_exponentials_and_their_gradients(shape, gamma, kind):
    D = edges(shape, kind)
    weight = torch.rand(shape, generator=torch.Generator().manual_seed(2))
    there, here = D.cuda().requires_grad_(), D.double().requires_grad_()
    computed = operators.log_sum_exp_products(there, tensors.hollow(1 - there), gamma, error=1e-9)
    plain = operators.by_exponentials(here, tensors.hollow(1 - here), gamma)
    torch.testing.assert_close(computed.double().cpu(), plain, rtol=1e-5, atol=1e-5)
    (computed * weight.cuda()).sum().backward()
    (plain * weight).sum().backward()
    torch.testing.assert_close(
        there.grad.double().cpu(), here.grad, rtol=1e-4, atol=1e-4 * float(here.grad.abs().max())
    )


@gpu
@pytest.mark.parametrize("kind", ["any", "hard", "equal"])
def test_covers_are_those_of_doubles(kind):
    D = edges((200, 200), kind)
    torch.testing.assert_close(
        operators.soft_uncovered_set(D.cuda(), 0.05).double().cpu(),
        operators.soft_uncovered_set(D.double(), 0.05),
        rtol=0,
        atol=1e-5,
    )


@gpu
@pytest.mark.parametrize("kind", ["any", "hard", "equal"])
@pytest.mark.parametrize("form", ["smooth", "noisy-or"])
def test_products_and_their_gradients_are_those_of_doubles(form, kind):
    product = operators.noisy_or_product if form == "noisy-or" else lambda X, Y: operators.smooth_product(X, Y, 0.05)
    D = edges((2, 70, 70), kind) * (0.1 if form == "noisy-or" and kind == "any" else 1.0)
    there, here = D.cuda().requires_grad_(), D.double().requires_grad_()
    computed, plain = product(there, there), product(here, here)
    torch.testing.assert_close(computed.double().cpu(), plain, rtol=0, atol=1e-5)
    computed.sum().backward()
    plain.sum().backward()
    torch.testing.assert_close(there.grad.double().cpu(), here.grad, rtol=1e-3, atol=1e-4)


@gpu
@pytest.mark.parametrize("kind", ["any", "hard", "equal"])
@pytest.mark.parametrize("gamma", [0.0015, 0.05])
def test_products_in_doubles_are_those_without_a_gpu(gamma, kind):
    D = edges((2, 101, 101), kind).double()
    for product in (operators.noisy_or_product, lambda X, Y: operators.smooth_product(X, Y, gamma)):
        there, here = (D * 0.1).cuda().requires_grad_(), (D * 0.1).requires_grad_()
        computed, plain = product(there, there), product(here, here)
        torch.testing.assert_close(computed.cpu(), plain, rtol=0, atol=1e-13)
        computed.sum().backward()
        plain.sum().backward()
        torch.testing.assert_close(there.grad.cpu(), here.grad, rtol=1e-9, atol=1e-12)


def test_single_precision_is_left_to_others_where_it_would_overflow():
    assert not kernels.sums_on_gpu(torch.zeros(2, 2), 0.05)
    assert 2.0 * 10_000 * torch.exp(torch.tensor(1 / kernels.COLDEST)) < torch.finfo(torch.float32).max


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("gamma", [1e-4, 0.0014, 0.0015, 0.012, 0.015, 0.05])
def test_smooth_products_are_finite_and_right_at_any_temperature(gamma, dtype):
    D = edges((30, 30)).to(dtype)
    hard = tensors.max_min_product(D, D)
    computed = operators.smooth_product(D, D, gamma)
    assert (computed <= hard + gamma + 1e-5).all()
    assert (computed >= hard - gamma * torch.log(torch.tensor(30.0)) - 1e-5).all()
