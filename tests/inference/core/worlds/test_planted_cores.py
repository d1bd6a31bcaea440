"""The planted model against its definition summed in full: all sets, all orders outside, all tournaments within."""

import itertools
from math import factorial

import numpy as np
import pytest

from beatpath.inference.core.worlds import planted_cores as module
from beatpath.inference.core.worlds.ladders import PairWins
from beatpath.inference.core.worlds.planted_cores import (
    CLOSE_SHARE,
    EDGE,
    UPSETS,
    SubsetTable,
    log_strong,
    planted_cores,
    strong_fractions,
)
from beatpath.inference.core.worlds.planted_edges import Coins, PlantedEdges, planted_edges
from helpers.cores import planted_rates, simulated_wins


def compared_pairs(wins):
    a, b = np.triu_indices(len(wins), 1)
    played = wins[a, b] + wins[b, a] > 0
    a, b = a[played], b[played]
    return PairWins(len(wins), a, b, wins[a, b].astype(float), wins[b, a].astype(float))


def every_tournament(n):
    edges = list(itertools.combinations(range(n), 2))
    for ends in itertools.product((False, True), repeat=len(edges)):
        beats = np.zeros((n, n), dtype=bool)
        for (a, b), first in zip(edges, ends, strict=True):
            beats[(a, b) if first else (b, a)] = True
        yield beats


def is_strong(beats):
    reach = beats.copy()
    for via in range(len(beats)):
        reach |= reach[:, [via]] & reach[[via], :]
    return bool((reach | np.eye(len(beats), dtype=bool)).all())


def probability_of(beats, better):
    return float(np.prod(better[beats]))


def definition(edges):
    """The weight of every set, by all sets, all orders of the others and all tournaments within, usual or close."""
    n, q = len(edges.better), edges.better
    sizes = [k for k in range(1, n + 1) if k != 2]
    total = sum(1 / k for k in sizes)
    weight = {}
    for k in sizes:
        strong = [t for t in every_tournament(k) if is_strong(t)]
        pairs = 2 ** (k * (k - 1) // 2)
        for core in itertools.combinations(range(n), k):
            rest, within = [x for x in range(n) if x not in core], np.ix_(core, core)
            usual = pairs * np.mean([probability_of(t, q[within]) for t in strong])
            close = pairs * np.mean([probability_of(t, edges.close[within]) for t in strong])
            close *= np.exp(np.triu(edges.close_gain[within], 1).sum())
            value = 1 / k / total * factorial(k) * factorial(n - k) / factorial(n)
            value *= np.prod([2 * q[a, b] for a in core for b in rest])
            value *= (1 - CLOSE_SHARE) * usual + CLOSE_SHARE * close
            orders = [
                np.prod([2 * ((1 - e) * q[a, b] + e * q[b, a]) for a, b in itertools.combinations(order, 2)])
                for e in UPSETS
                for order in itertools.permutations(rest)
            ]
            weight[core] = value * np.mean(orders)
    return weight


@pytest.mark.parametrize(("n", "seed"), [(2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1)])
def test_every_set_has_the_weight_its_definition_gives(n, seed):
    rng = np.random.default_rng(seed)
    edges = planted_edges(compared_pairs(rng.integers(0, 5, (n, n)) * ~np.eye(n, dtype=bool)))
    weight = definition(edges)
    whole = sum(weight.values())
    truth = {core: value / whole for core, value in weight.items()}
    cores = planted_cores(edges)
    member = [sum(p for core, p in truth.items() if agent in core) for agent in range(n)]
    np.testing.assert_allclose(cores.probability, member, atol=1e-9)
    sizes = [sum(p for core, p in truth.items() if len(core) == k) for k in range(n + 1)]
    np.testing.assert_allclose(cores.size, sizes, atol=1e-9)
    np.testing.assert_allclose(cores.single_probabilities(), [truth[agent,] for agent in range(n)], atol=1e-9)
    for core, p in truth.items():
        assert cores.set_probability(np.isin(np.arange(n), core)) == pytest.approx(p, abs=1e-9)
    best = cores.best_sets(1)[0]
    assert truth[tuple(np.flatnonzero(best).tolist())] == pytest.approx(max(truth.values()), abs=1e-9)
    assert cores.evidence == pytest.approx(edges.coins.evidence + np.log(whole), abs=1e-9)


def test_the_share_of_strong_tournaments_is_that_of_all_of_them():
    counted = [np.mean([is_strong(t) for t in every_tournament(n)]) for n in range(1, 6)]
    np.testing.assert_allclose(strong_fractions(5)[1:], counted, atol=1e-12)
    assert strong_fractions(300)[300] == 1.0


@pytest.mark.parametrize("n", [3, 4, 5])
def test_the_probability_of_being_strong_is_exact_up_to_five_agents(n):
    rng = np.random.default_rng(n)
    q = np.triu(rng.uniform(0.05, 0.95, (n, n)), 1)
    q += np.tril(1 - q.T, -1)
    summed = sum(probability_of(t, q) for t in every_tournament(n) if is_strong(t))
    for sure in (0, 1, n):
        assert np.exp(log_strong(q, sure)[-1]) == pytest.approx(summed, abs=1e-9)


def test_what_is_left_out_beyond_five_agents_is_small():
    exact = strong_fractions(6)[6]
    assert np.exp(log_strong(np.full((6, 6), 0.5), 0)[-1]) == pytest.approx(exact, abs=20 / 2**9 / 16 + 1e-12)


def test_a_wider_window_changes_little_when_the_first_suffices(monkeypatch):
    rng = np.random.default_rng(2)
    edges = planted_edges(
        compared_pairs(simulated_wins(planted_rates(40, 5, rng, 0.68, 0.77, 0.81)[0], 10, rng, missing=0.3))
    )
    narrow = planted_cores(edges)
    assert narrow.edge < EDGE
    monkeypatch.setattr(module, "NARROW", narrow.windows[0].stop + 2)
    wide = planted_cores(edges)
    assert wide.windows[0].stop == narrow.windows[0].stop + 2
    np.testing.assert_allclose(narrow.probability, wide.probability, atol=0.01)


def test_a_window_far_down_the_order_weighs_what_the_definition_gives():
    """Both computations of sets of six agents: one window over everything, and one that starts after two."""
    rng = np.random.default_rng(3)
    q = np.triu(rng.uniform(0.3, 0.7, (6, 6)), 1)
    q += np.tril(1 - q.T, -1) + np.eye(6) / 2
    gain = np.triu(rng.normal(size=(6, 6)), 1)
    table = SubsetTable(PlantedEdges(q, (q + 0.5) / 2, gain + gain.T, np.arange(6), Coins(0.0, q), 0.5))
    whole, part = table.log_window(0, 6), table.log_window(2, 6)
    np.testing.assert_allclose(part, whole.reshape(16, 4)[:, 3], atol=1e-9)
