"""Weights of sets by their definition, over all tournaments."""

import itertools
from math import factorial

import numpy as np
import pytest

from beatpath import Pairs
from beatpath.inference.core import core_sets
from beatpath.inference.core.core_edges import CoreEdges, core_edges
from beatpath.inference.core.core_sets import log_strong, strong_fractions


def pairs_of(wins):
    n = len(wins)
    a, b = np.triu_indices(n, 1)
    won, lost = wins[a, b], wins[b, a]
    met = won + lost > 0
    counts = np.column_stack([won, lost, 0 * won, 0 * won])[met]
    return Pairs(tuple(f"agent {k}" for k in range(n)), a[met], b[met], counts)


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
    """The posterior of every set, by all sets, all orders of the others and all tournaments within."""
    n, q = len(edges.better), edges.better
    sizes = [k for k in range(1, n + 1) if k != 2]
    total = sum(1 / k for k in sizes)
    weight = {}
    for k in sizes:
        strong = [t for t in every_tournament(k) if is_strong(t)]
        for core in itertools.combinations(range(n), k):
            rest = [x for x in range(n) if x not in core]
            value = 1 / k / total * factorial(k) * factorial(n - k) / factorial(n)
            value *= np.prod([2 * q[a, b] for a in core for b in rest])
            inner = q[np.ix_(core, core)]
            value *= 2 ** (k * (k - 1) // 2) * np.mean([probability_of(t, inner) for t in strong])
            orders = [
                np.prod([2 * ((1 - e) * q[a, b] + e * q[b, a]) for a, b in itertools.combinations(order, 2)])
                for e in core_sets.UPSETS
                for order in itertools.permutations(rest)
            ]
            weight[core] = value * np.mean(orders)
    whole = sum(weight.values())
    return {core: value / whole for core, value in weight.items()}


@pytest.mark.parametrize(("n", "seed"), [(1, 0), (2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1)])
def test_every_set_has_the_weight_its_definition_gives(n, seed):
    rng = np.random.default_rng(seed)
    pairs = pairs_of(rng.integers(0, 5, (n, n)).astype(float) * ~np.eye(n, dtype=bool))
    edges = core_edges(pairs)
    truth = definition(edges)
    found = core_sets.core_sets(edges)
    member = [sum(p for core, p in truth.items() if agent in core) for agent in range(n)]
    np.testing.assert_allclose(found.probability, member, atol=1e-9)
    np.testing.assert_allclose(
        found.size, [sum(p for core, p in truth.items() if len(core) == k) for k in range(n + 1)], atol=1e-9
    )
    assert found.best_probability == pytest.approx(max(truth.values()), abs=1e-9)
    assert truth[tuple(np.flatnonzero(found.best).tolist())] == pytest.approx(max(truth.values()), abs=1e-9)


def test_the_share_of_strong_tournaments_is_that_of_all_of_them():
    counted = [np.mean([is_strong(t) for t in every_tournament(n)]) for n in range(1, 6)]
    np.testing.assert_allclose(strong_fractions(5)[1:], counted, atol=1e-12)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_the_probability_of_being_strong_is_exact_up_to_five_agents(n):
    rng = np.random.default_rng(n)
    q = np.triu(rng.uniform(0.05, 0.95, (n, n)), 1)
    q += np.tril(1 - q.T, -1)
    summed = sum(probability_of(t, q) for t in every_tournament(n) if is_strong(t))
    for sure in (0, 1, n):
        assert np.exp(log_strong(q, sure)[-1]) == pytest.approx(summed, abs=1e-9)


def test_what_is_left_out_beyond_five_agents_is_small():
    q = np.full((6, 6), 0.5)
    exact = strong_fractions(6)[6]
    assert np.exp(log_strong(q, 0)[-1]) == pytest.approx(exact, abs=20 / 2**9 / 16 + 1e-12)


def test_a_window_far_down_the_order_weighs_what_the_definition_gives():
    """Both roads to a set of all six agents: one window over everything, and one that starts after two."""
    rng = np.random.default_rng(3)
    q = np.triu(rng.uniform(0.3, 0.7, (6, 6)), 1)
    q += np.tril(1 - q.T, -1) + np.eye(6) / 2
    table = core_sets.SubsetTable(CoreEdges(q, np.arange(6), 0.5))
    whole, part = table.log_window(0, 6), table.log_window(2, 6)
    np.testing.assert_allclose(part, whole.reshape(16, 4)[:, 3], atol=1e-9)
