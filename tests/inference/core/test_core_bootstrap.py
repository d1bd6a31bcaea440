"""Bootstraps of soft cores on tensors: the array operators on the same resamples, and probabilities that can be worked out."""

import numpy as np
import pytest
from scipy.stats import binom

torch = pytest.importorskip("torch")

from beatpath import Pairs, UsageError
from beatpath.inference.core import core_bootstrap as module
from beatpath.inference.core.core_bootstrap import (
    SHOWN,
    CoreBootstrap,
    core_bootstrap,
    pair_outcomes,
    random_words,
    resampled_ranks,
    uniform,
)
from beatpath.methods.soft_core.edges import EDGES, edges_from_pairs
from beatpath.methods.soft_core.operators import reachability, soft_top_cycle, soft_uncovered_set

CPU = torch.device("cpu")


def some_pairs(n, seed, ties=True, played=0.7):
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    there = rng.random(len(a)) < played
    counts = np.zeros((there.sum(), 4))
    counts[:, : 3 if ties else 2] = rng.integers(0, 5, (there.sum(), 3 if ties else 2))
    return Pairs(tuple(f"agent {i}" for i in range(n)), a[there], b[there], counts)


def resampled_matrices(pairs, draws, **options):
    table = pair_outcomes(pairs, **options)
    return table.values[torch.cat(list(resampled_ranks(table, draws, 0, CPU))).numpy()]


@pytest.mark.parametrize("missing", ["neutral", "absent"])
@pytest.mark.parametrize("kind", EDGES)
def test_a_battle_that_always_ends_alike_gives_the_edges_of_the_counts(kind, missing):
    pairs = Pairs(("ada", "bob", "cyd", "dan"), [0, 1, 0], [1, 2, 3], [[4, 0, 0, 0], [0, 3, 0, 0], [0, 0, 2, 0]])
    whole = edges_from_pairs(pairs.settle(), edges=kind, missing=missing).strength(0.05)
    for D in resampled_matrices(pairs, 3, edges=kind, missing=missing):
        assert np.allclose(D, whole, rtol=0, atol=1e-15)


@pytest.mark.parametrize("kind", EDGES)
def test_scores_are_those_of_the_array_operators_on_the_same_resamples(kind):
    pairs = some_pairs(12, 0)
    resampled = core_bootstrap(pairs, draws=25, edges=kind, gamma=0.03, device="cpu")
    for D, t, u in zip(
        resampled_matrices(pairs, 25, edges=kind), resampled.top_cycle, resampled.uncovered_set, strict=True
    ):
        assert np.allclose(t, soft_top_cycle(reachability(D), 0.03), rtol=0, atol=1e-12)
        assert np.allclose(u, soft_uncovered_set(D, 0.03), rtol=0, atol=3e-8)


def test_scores_of_many_agents_are_those_of_the_array_operators_too():
    pairs = some_pairs(120, 1, played=0.3)  # more than are worked out by exponentials
    resampled = core_bootstrap(pairs, draws=2, device="cpu")
    for D, t, u in zip(resampled_matrices(pairs, 2), resampled.top_cycle, resampled.uncovered_set, strict=True):
        assert np.allclose(t, soft_top_cycle(reachability(D), 0.05), rtol=0, atol=1e-12)
        assert np.allclose(u, soft_uncovered_set(D, 0.05), rtol=0, atol=3e-8)


def test_resamples_do_not_depend_on_the_batch_size(monkeypatch):
    pairs = some_pairs(9, 2)
    before = core_bootstrap(pairs, draws=7, device="cpu")
    monkeypatch.setattr(module, "CACHED", 200)
    after = core_bootstrap(pairs, draws=7, device="cpu")
    assert np.allclose(before.top_cycle, after.top_cycle, rtol=0, atol=1e-14)
    assert np.allclose(before.uncovered_set, after.uncovered_set, rtol=0, atol=1e-12)
    longer = core_bootstrap(pairs, draws=9, device="cpu")
    assert np.allclose(before.top_cycle, longer.top_cycle[:7], rtol=0, atol=1e-14)


def test_single_precision_errs_by_a_millionth():
    pairs = some_pairs(15, 3)
    whole, single = (core_bootstrap(pairs, draws=20, device="cpu", dtype=d) for d in (torch.float64, torch.float32))
    assert np.abs(whole.top_cycle - single.top_cycle).max() < 5e-6
    assert np.abs(whole.uncovered_set - single.uncovered_set).max() < 5e-6


def test_frequencies_approach_what_binomial_counts_give():
    resampled = core_bootstrap(Pairs(("ada", "bob"), [0], [1], [[6, 4, 0, 0]]), draws=20_000, seed=5, device="cpu")
    often = resampled.membership()
    expected = np.array([binom.sf(6, 10, 0.6), binom.cdf(3, 10, 0.6)])  # an edge is above one half from 7 of 10 on
    error = 4 * np.sqrt(expected * (1 - expected) / 20_000)
    assert (np.abs(often["top_cycle"] - expected) < error).all()
    assert (np.abs(often["uncovered_set"] - (1 - expected[::-1])) < error[::-1]).all()


def test_another_seed_draws_other_resamples_and_the_same_seed_the_same():
    pairs = some_pairs(6, 4)
    one, again, other = (core_bootstrap(pairs, draws=5, seed=seed, device="cpu").top_cycle for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_the_stream_is_split_mix():
    words = [
        word % 2**64 for word in random_words(1234567, torch.arange(5)).tolist()
    ]  # as published with its reference code
    assert words == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_numbers_are_even_whatever_the_seed():
    for seed in (0, 1, 2**62 + 1):
        u = uniform(seed, torch.arange(50_000)).numpy()
        assert 0 <= u.min() < u.max() < 1
        assert np.abs(np.histogram(u, 20)[0] - 2500).max() < 5 * np.sqrt(2500)


def test_the_report_is_plain_data():
    resampled = core_bootstrap(some_pairs(4, 5), draws=10, device="cpu")
    data = resampled.to_dict()
    assert data["type"] == "core_bootstrap"
    assert set(data["membership_scores"]["top_cycle"]) == set(resampled.agents)
    one = data["membership_scores"]["uncovered_set"]["agent 0"]
    assert one["low"] <= one["mean"] <= one["high"]
    assert [made["name"] for made in data["conventions"]] == ["edges", "missing_pairs", "resampling"]


def test_nothing_compared_leaves_every_resample_alike():
    resampled = core_bootstrap(Pairs(("ada", "bob", "cyd"), [], [], np.zeros((0, 4))), draws=3, device="cpu")
    assert (resampled.top_cycle == 0).all()
    assert (resampled.uncovered_set == 1).all()


@pytest.mark.parametrize(
    "options", [{"draws": 0}, {"seed": -1}, {"gamma": 0.0}, {"missing_pairs": "imputed"}, {"edges": "soft"}]
)
def test_settings_that_mean_nothing_are_refused(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        core_bootstrap(some_pairs(3, 0), device="cpu", **options)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_same_scores_up_to_rounding():
    pairs = some_pairs(30, 6)
    here, there = (core_bootstrap(pairs, draws=20, device=device) for device in ("cpu", "cuda"))
    assert np.array_equal(here.top_cycle > 0, there.top_cycle > 0)
    assert np.allclose(here.top_cycle, there.top_cycle, rtol=0, atol=1e-12)
    assert np.allclose(here.uncovered_set, there.uncovered_set, rtol=0, atol=3e-8)


@pytest.mark.parametrize(
    ("agents", "more"), [(SHOWN, "."), (SHOWN + 1, ", and 1 more agent."), (SHOWN + 3, ", and 3 more agents.")]
)
def test_a_sentence_names_a_few_agents_and_counts_the_rest(agents, more):
    names = tuple(f"agent {i}" for i in range(agents))
    (sentence,) = CoreBootstrap(names, np.ones((10, agents)), np.ones((10, agents)), "cpu", {}, ()).sentences
    assert sentence.count("in 100") == SHOWN
    assert sentence.endswith(f"%{more}")
