"""Operators on tensors: the same answers as on arrays, batched, with gradients that finite differences confirm."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from beatpath import UsageError
from beatpath.methods.differentiable import tensors
from beatpath.methods.differentiable.tensors import strongest_path
from beatpath.methods.soft_core import operators as parts
from beatpath.methods.soft_core.operators import (
    REACH,
    by_expansion,
    by_exponentials,
    expansion,
    reachability,
    soft_cover,
    soft_majority_edge,
    soft_top_cycle,
    soft_uncovered_set,
    soft_violation,
    softmax,
    softmin,
)
from helpers.tournaments import H1, random_tournament

TAU = 0.1


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def batch(n, *leading):
    """Win probabilities with leading dimensions."""
    count = int(np.prod(leading))
    return np.stack([random_tournament(n, seed) for seed in range(count)]).reshape(*leading, n, n)


def each(function, matrices):
    """An operator on arrays, for every matrix of a batch."""
    lead = matrices.shape[:-2]
    results = [function(matrix) for matrix in matrices.reshape(-1, *matrices.shape[-2:])]
    return np.stack(results).reshape(*lead, *results[0].shape)


def edges(n, *leading):
    D = each(lambda P: soft_majority_edge(P, TAU), batch(n, *leading))
    return D, torch.from_numpy(D)


def small_edges(requires_grad=True):
    """A batch of two with all edges distinct and none near its end."""
    D = each(lambda P: soft_majority_edge(P, 0.4), batch(4, 2))
    return torch.tensor(D, requires_grad=requires_grad)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_edges_are_those_of_arrays_with_weights_and_missing_pairs(n):
    P, rng = batch(n, 2, 3), np.random.default_rng(n)
    W, present = rng.random((n, n)) + 0.5, rng.random((n, n)) < 0.7
    ours = soft_majority_edge(torch.from_numpy(P), TAU, weight=torch.from_numpy(W), present=torch.from_numpy(present))
    theirs = each(lambda p: soft_majority_edge(p, TAU, weight=W, present=present), P)
    assert np.allclose(ours, theirs, rtol=1e-12, atol=0)


def test_soft_extrema_are_those_of_arrays_along_any_dimension():
    values = np.random.default_rng(0).random((3, 4, 5))
    for dim in (0, 1, -1):
        assert np.allclose(softmin(torch.from_numpy(values), TAU, axis=dim), parts.softmin(values, TAU, axis=dim))
        assert np.allclose(softmax(torch.from_numpy(values), TAU, axis=dim), parts.softmax(values, TAU, axis=dim))


@pytest.mark.parametrize("reach", REACH)
@pytest.mark.parametrize("max_length", [None, 1, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_reachability_is_that_of_arrays_in_every_form_and_length(reach, max_length, n):
    D, tensor = edges(n, 2, 2)
    ours = reachability(tensor, reach=reach, gamma=TAU, max_length=max_length)
    theirs = each(lambda d: reachability(d, reach=reach, gamma=TAU, max_length=max_length), D)
    assert np.allclose(ours, theirs, rtol=0, atol=0 if reach == "max-min" else 1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_scores_and_covers_are_those_of_arrays(n):
    D, tensor = edges(n, 2, 2)
    assert np.allclose(soft_top_cycle(tensor, TAU), each(lambda d: soft_top_cycle(d, TAU), D), atol=1e-12)
    for ours, theirs in (
        (soft_violation, parts.soft_violation),
        (soft_cover, parts.soft_cover),
        (soft_uncovered_set, parts.soft_uncovered_set),
    ):
        assert np.allclose(ours(tensor, TAU), each(lambda d, f=theirs: f(d, TAU), D), atol=1e-10)


def test_the_walkthrough_of_the_paper_comes_out_to_three_digits():
    temperature = H1["temperature"]
    D = soft_majority_edge(torch.tensor(H1["P"], dtype=torch.float64), temperature)
    t = soft_top_cycle(reachability(D, reach="noisy-or", max_length=3), temperature)
    assert t.numpy().round(3).tolist() == [0.994, 0.204, 0.159, 0.044]
    assert soft_uncovered_set(D, temperature).numpy().round(3).tolist() == H1["u"]


@pytest.mark.parametrize("reach", REACH)
@pytest.mark.parametrize("max_length", [None, 2])
def test_gradients_of_reachability_match_finite_differences(reach, max_length):
    assert torch.autograd.gradcheck(
        lambda D: reachability(D, reach=reach, gamma=TAU, max_length=max_length), small_edges()
    )


@pytest.mark.parametrize(
    "operator",
    [
        lambda D: soft_majority_edge(D, TAU, weight=torch.full((4, 4), 1.5, dtype=D.dtype)),
        lambda D: softmin(D, TAU),
        lambda D: softmax(D, TAU, axis=-2),
        lambda D: soft_top_cycle(D, TAU),
        lambda D: soft_violation(D, TAU),
        lambda D: soft_cover(D, TAU),
        lambda D: soft_uncovered_set(D, TAU),
    ],
    ids=["edge", "softmin", "softmax", "top cycle", "violation", "cover", "uncovered set"],
)
def test_gradients_of_the_other_operators_match_finite_differences(operator):
    assert torch.autograd.gradcheck(operator, small_edges())


@pytest.mark.parametrize("reach", REACH)
def test_gradients_of_both_scores_from_probabilities_match_finite_differences(reach):
    def scores(P):
        D = soft_majority_edge(P, 0.3)
        return soft_top_cycle(reachability(D, reach=reach, gamma=0.3), 0.3), soft_uncovered_set(D, 0.3)

    assert torch.autograd.gradcheck(scores, torch.tensor(batch(4, 2), requires_grad=True))


def test_the_gradient_of_the_strongest_path_is_that_of_products_of_every_length():
    D = small_edges()
    longest = Q = D
    for _ in range(2):
        Q = torch.minimum(Q.unsqueeze(-1), D.unsqueeze(-3)).amax(-2)
        longest = torch.maximum(longest, Q)
    weight = torch.linspace(1, 2, D.numel(), dtype=D.dtype).view_as(D)
    weight.diagonal(dim1=-2, dim2=-1).zero_()
    naive = torch.autograd.grad((longest * weight).sum(), D)[0]
    ours = torch.autograd.grad((strongest_path(D, 3) * weight).sum(), D)[0]
    assert torch.allclose(ours, naive)


def test_tied_edges_share_the_gradient_of_the_strongest_path_evenly():
    D = torch.tensor([[0.0, 0.7, 0.1], [0.2, 0.0, 0.7], [0.3, 0.4, 0.0]], dtype=torch.float64, requires_grad=True)
    gradient = torch.autograd.grad(strongest_path(D, 2)[0, 2], D)[0]
    assert gradient.tolist() == [[0, 0.5, 0], [0, 0, 0.5], [0, 0, 0]]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 6))
@settings(max_examples=25, deadline=None)
def test_relabelling_agents_relabels_the_gradient_even_among_ties(seed, n):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    P = np.round(random_tournament(n, seed), 1)

    def gradient(P):
        P = torch.tensor(P, requires_grad=True)
        D = soft_majority_edge(P, TAU)
        t = soft_top_cycle(reachability(D), TAU) + soft_uncovered_set(D, TAU)
        return torch.autograd.grad((t**2).sum(), P)[0].numpy()

    assert np.allclose(gradient(P[np.ix_(order, order)]), gradient(P)[np.ix_(order, order)], atol=1e-9)


@pytest.mark.parametrize("reach", REACH)
def test_a_tournament_in_a_batch_has_the_gradient_it_has_alone(reach):
    alone = torch.tensor(batch(4, 1)[0], requires_grad=True)
    twice = alone.detach().repeat(2, 1, 1).requires_grad_()
    for P in (alone, twice):
        D = soft_majority_edge(P, TAU)
        (soft_top_cycle(reachability(D, reach=reach, gamma=TAU), TAU) ** 2).sum().backward()
    assert torch.allclose(twice.grad, alone.grad.expand(2, -1, -1))


@pytest.mark.parametrize("gamma", [0.2, 0.05, 0.03])
def test_the_expansion_gives_the_sums_and_gradients_of_all_exponentials(gamma):
    X, Y = (torch.rand(5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(k)) for k in (0, 1))
    coefficients = expansion(gamma, 1e-7)
    assert coefficients is not None
    sums = []
    for way in (lambda x: by_expansion(x, Y, gamma, coefficients), lambda x: by_exponentials(x, Y, gamma)):
        x = X.clone().requires_grad_()
        value = way(x)
        value.sum().backward()
        sums.append((value, x.grad))
    assert torch.allclose(sums[0][0], sums[1][0], atol=1e-7)
    assert torch.allclose(sums[0][1], sums[1][1], atol=1e-4)


@pytest.mark.parametrize("gamma", [0.05, 0.002])
def test_many_agents_and_low_temperatures_have_the_cover_of_arrays(gamma):
    D = soft_majority_edge(random_tournament(110, 0), 0.05)
    assert np.allclose(soft_violation(torch.from_numpy(D), gamma), parts.soft_violation(D, gamma), atol=1e-7)


@pytest.mark.parametrize("gamma", [0.05, 0.002])
def test_single_precision_stays_near_double_and_finite_at_low_temperature(gamma):
    tensor = edges(6, 2)[1]
    for reach in REACH:
        single = reachability(tensor.float(), reach=reach, gamma=gamma)
        assert single.dtype == torch.float32
        assert np.allclose(single, reachability(tensor, reach=reach, gamma=gamma), atol=1e-5)
    for D in (tensor, edges(110)[1]):
        single = soft_uncovered_set(D.float(), gamma)
        assert single.dtype == torch.float32
        assert np.allclose(single, soft_uncovered_set(D, gamma), atol=1e-5)


@pytest.mark.parametrize("reach", ["smooth", "noisy-or"])
def test_work_in_chunks_is_the_work_as_a_whole(reach, monkeypatch):
    def run():
        D = small_edges()
        value = reachability(D, reach=reach, gamma=TAU) + soft_cover(D, TAU)
        return value.detach(), torch.autograd.grad((value**2).sum(), D)[0]

    whole = run()
    monkeypatch.setattr(tensors, "TOGETHER", 1)
    for ours, theirs in zip(run(), whole, strict=True):
        assert torch.allclose(ours, theirs, rtol=1e-12)


def test_bad_settings_are_refused_in_sentences():
    D = small_edges(requires_grad=False)
    with pytest.raises(UsageError, match="`tau` must be a temperature above 0"):
        soft_majority_edge(D, 0.0)
    with pytest.raises(UsageError, match="`gamma` must be a temperature above 0"):
        soft_uncovered_set(D, float("nan"))
    with pytest.raises(UsageError, match="`reach` must be one of"):
        reachability(D, reach="maxmin")
    with pytest.raises(UsageError, match="`max_length` must be a whole number"):
        reachability(D, max_length=0)
    with pytest.raises(UsageError, match="`gamma` must be given"):
        reachability(D, reach="smooth")


def test_without_torch_the_package_works_and_the_room_names_the_extra():
    code = """
import sys
sys.modules["torch"] = None
import beatpath, beatpath.inference.core.core, beatpath.inference.sensitivity.calibration
try:
    import beatpath.inference.learned.learner
except beatpath.MissingExtra as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "learning a tournament needs torch, which is not installed: pip install 'beatpath[torch]'."
    )


def test_operators_load_nothing_but_numpy_and_torch():
    code = """
import sys
for name in ("scipy", "duckdb", "narwhals", "numba", "highspy", "typer", "rich"):
    sys.modules[name] = None
import beatpath.methods.soft_core.operators, beatpath.methods.differentiable.tensors
"""
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
