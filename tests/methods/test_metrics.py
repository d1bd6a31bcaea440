"""Metrics: against definitions written out, against SciPy where definitions coincide, and on the papers' examples."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath.methods.metrics import kendall_distance
from helpers.strategies import ballots, battles

PENTATHLON = Ballots.of([[[n] for n in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])
NAMES = "abcdef"


@st.composite
def orders(draw, n=None):
    """Levels of all of the first few agents, with ties."""
    n = draw(st.integers(2, 5)) if n is None else n
    level = draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    return [[NAMES[i] for i in range(n) if level[i] == k] for k in sorted(set(level))]


two_orders = st.integers(2, 5).flatmap(lambda n: st.tuples(orders(n), orders(n)))


def place(order):
    return {name: k for k, group in enumerate(order) for name in group}


def strict_orders(order):
    """All ways of breaking the ties of an order."""
    for parts in product(*(permutations(group) for group in order)):
        yield [name for part in parts for name in part]


def test_distances_to_the_votes_of_the_pentathlon_are_those_of_figure_1():
    """SCO, Figure 1: the distances of the five votes to C > A > B sum to 5, and to any other ranking to more."""
    best = "CAB"
    for order in map("".join, permutations("ABC")):
        total = sum(
            int(count) * bp.metrics.kendall_tau_distance([n for (n,) in vote], list(order), normalized=False)
            for vote, count in zip(PENTATHLON, PENTATHLON.count, strict=True)
        )
        assert total == 5 if order == best else total > 5
        assert bp.robustness.held_out_distance(list(order), PENTATHLON) == pytest.approx(total / 5)


@given(two_orders)
def test_kendall_distance_is_a_metric_from_zero_to_one(both):
    one, other = both
    distance = bp.metrics.kendall_tau_distance(one, other)
    assert 0 <= distance <= 1
    assert distance == bp.metrics.kendall_tau_distance(other, one)
    assert (distance == 0) == (one == other)
    assert bp.metrics.kendall_tau_distance(one[::-1], other[::-1]) == distance


@given(st.permutations(list(NAMES)))
def test_without_ties_distance_and_kendalls_tau_say_the_same(order):
    tau = kendalltau([order.index(n) for n in NAMES], range(len(NAMES))).statistic
    assert bp.metrics.kendall_tau_distance(order, list(NAMES)) == pytest.approx((1 - tau) / 2)


@given(two_orders, st.data())
def test_a_distance_among_some_agents_counts_their_pairs(both, data):
    one, other = both
    some = sorted(data.draw(st.sets(st.sampled_from(sorted(place(one))), min_size=2)))
    p, q = place(one), place(other)
    total = 0.0
    for i, j in combinations(some, 2):
        x, y = np.sign(p[i] - p[j]), np.sign(q[i] - q[j])
        total += 1 if x * y < 0 else 0.5 if (x == 0) != (y == 0) else 0
    assert bp.metrics.kendall_tau_distance(one, other, among=some, normalized=False) == pytest.approx(total)
    part = [group for group in ([n for n in level if n in some] for level in one) if group]
    assert bp.metrics.kendall_tau_distance(part, other, normalized=False) == pytest.approx(total)


WEIGHERS = {
    "logarithmic": lambda r: 1 / np.log(r + np.e),
    "hyperbolic": lambda r: 1 / (r + 1),
    "quadratic": lambda r: 1 / (r + 1) ** 2,
}


def vigna(p, q, weigh):
    """Vigna's index: ranks by one order, ties by the other and then by name, and the other way round; the mean."""
    names, indices = sorted(p), []
    for first, second in ((p, q), (q, p)):
        ranked = sorted(names, key=lambda n: (first[n], second[n], n))
        w = {n: weigh(r) for r, n in enumerate(ranked)}

        def product_of(x, y, w=w):
            return sum(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) * (w[i] + w[j]) for i, j in combinations(names, 2))

        indices.append(product_of(p, q) / np.sqrt(product_of(p, p) * product_of(q, q)))
    return np.mean(indices)


@settings(max_examples=200)
@given(two_orders, st.sampled_from(sorted(WEIGHERS)))
def test_weighted_tau_is_vignas_index(both, weigher):
    one, other = both
    tau = bp.metrics.weighted_tau(one, other, weigher=weigher)
    if min(len(one), len(other)) < 2:
        assert np.isnan(tau)
        return
    assert tau == pytest.approx(vigna(place(one), place(other), WEIGHERS[weigher]))
    assert tau == pytest.approx(bp.metrics.weighted_tau(other, one, weigher=weigher))
    assert -1 - 1e-9 <= tau <= 1 + 1e-9
    assert bp.metrics.weighted_tau(one, one, weigher=weigher) == pytest.approx(1)
    assert bp.metrics.weighted_tau(one, one[::-1], weigher=weigher) == pytest.approx(-1)


@given(orders(), st.data())
def test_mean_true_rating_distance_averages_over_ways_to_break_ties(order, data):
    """Numerator and denominator are their means over all ways of breaking the order's ties."""
    names = sorted(place(order))
    truth = dict(
        zip(names, data.draw(st.lists(st.integers(0, 9), min_size=len(names), max_size=len(names))), strict=True)
    )
    gaps, pairs = 0.0, 0
    for strict in strict_orders(order):
        for i, j in combinations(strict, 2):  # i is ranked above j
            if truth[i] < truth[j]:
                gaps, pairs = gaps + truth[j] - truth[i], pairs + 1
    wanted = gaps / pairs if pairs else 0.0
    assert bp.metrics.mean_true_rating_distance(order, truth) == pytest.approx(wanted)


@given(orders(), st.data())
def test_top_k_overlap_against_a_strict_order_is_the_mean_over_broken_ties(order, data):
    names = sorted(place(order))
    truth, k = data.draw(st.permutations(names)), data.draw(st.integers(1, len(names)))
    ways = [len(set(way[:k]) & set(truth[:k])) / k for way in strict_orders(order)]
    assert bp.metrics.top_k_overlap(order, truth, k) == pytest.approx(np.mean(ways))
    assert bp.metrics.top_k_overlap(truth, order, k) == pytest.approx(np.mean(ways))


@given(two_orders, st.data())
def test_top_k_overlap_is_one_with_itself_and_for_all_agents(both, data):
    one, other = both
    n = len(place(one))
    k = data.draw(st.integers(1, n))
    assert bp.metrics.top_k_overlap(one, one, k) == pytest.approx(1)
    assert bp.metrics.top_k_overlap(one, other, n) == pytest.approx(1)
    assert 0 <= bp.metrics.top_k_overlap(one, other, k) <= 1 + 1e-12


def test_a_ranking_its_levels_and_its_ratings_are_the_same_order():
    ranking = bp.rank(PENTATHLON, "borda")  # A = C > B
    assert ranking.levels == (("A", "C"), ("B",))
    for same in (ranking.levels, [["C", "A"], "B"], ranking.scores):
        assert bp.metrics.kendall_tau_distance(ranking, same) == 0
        assert bp.metrics.weighted_tau(ranking, same) == pytest.approx(1)


def test_condorcet_match_counts_those_that_have_a_winner():
    """VasE: Copeland, Schulze and Kemeny put C first; Borda ties it with A; a cycle has no winner to match."""
    rankings = [bp.rank(PENTATHLON, key) for key in ("copeland", "schulze", "kemeny", "borda", "plurality")]
    assert [one.condorcet_match for one in rankings[:3]] == [1, 1, 1]
    assert rankings[3].condorcet_match == 0.5
    ring = bp.rank(Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1)]), "copeland")
    assert np.isnan(ring.condorcet_match)


@settings(max_examples=60)
@given(b=ballots(), data=st.data())
def test_held_out_distance_is_the_mean_distance_of_the_votes(b, data):
    order = data.draw(st.permutations(b.agents))
    groups = [order[:1], order[1:]] if data.draw(st.booleans()) else [[name] for name in order]
    total = sum(
        int(n) * bp.metrics.kendall_tau_distance(vote, groups, normalized=False)
        for vote, n in zip(b, b.count, strict=True)
    )
    assert bp.robustness.held_out_distance(groups, b) == pytest.approx(total / b.count.sum())


@settings(max_examples=60)
@given(b=battles(weighted=True), data=st.data())
def test_held_out_distance_of_battles_is_their_share_of_errors(b, data):
    assume(b.weight.sum() > 0)
    order = data.draw(st.permutations(b.agents))
    wrong = 0.0
    for i, j, s, w in zip(b.a, b.b, b.outcome, b.weight, strict=True):
        above = order.index(b.agents[i]) < order.index(b.agents[j])
        wrong += w * (1 - s if above else s)
    assert bp.robustness.held_out_distance(order, b) == pytest.approx(wrong / b.weight.sum())
    assert bp.robustness.held_out_distance(order, b, normalized=True) == pytest.approx(wrong / b.weight.sum())


def names_in(evidence):
    if isinstance(evidence, Battles):
        return {evidence.agents[i] for i in np.concatenate([evidence.a, evidence.b])}
    return {evidence.agents[i] for i in evidence.agent}


@settings(max_examples=80)
@given(st.one_of(ballots(), battles(weighted=True)), st.integers(0, 2**32 - 1), st.data())
def test_what_is_held_out_names_nobody_unknown_and_nothing_is_lost(evidence, seed, data):
    votes = int(evidence.count.sum()) if isinstance(evidence, Ballots) else len(evidence)
    assume(votes > 1)
    n = data.draw(st.integers(1, max(1, votes // 3)))
    try:
        train, test = bp.robustness.hold_out(evidence, n, seed=seed)
    except bp.DataError:
        reject()
    assert names_in(test) <= names_in(train)
    assert train.agents == test.agents == evidence.agents
    sizes = [int(part.count.sum()) if isinstance(part, Ballots) else len(part) for part in (train, test)]
    assert sizes == [votes - n, n]
    whole, parts = evidence.pairs(), [train.pairs(), test.pairs()]
    total = {}
    for part in parts:
        for i, j, cell in zip(part.a, part.b, part.counts, strict=True):
            total[i, j] = total.get((i, j), 0) + cell
    for i, j, cell in zip(whole.a, whole.b, whole.counts, strict=True):
        np.testing.assert_allclose(total[i, j], cell, atol=1e-12)


def test_a_seed_decides_the_split_and_another_gives_another():
    games = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1)] * 20)
    one, again, other = (bp.robustness.hold_out(games, 20, seed=seed)[1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.a, again.a)
    assert not np.array_equal(one.a, other.a)


def test_a_split_that_is_not_possible_says_how_many_are():
    lonely = Battles.of([("a", "b", 1), ("c", "d", 1), ("e", "f", 1)])
    with pytest.raises(bp.DataError, match="only 0 of 1 votes could be held out"):
        bp.robustness.hold_out(lonely, 1, seed=0)
    with pytest.raises(bp.UsageError, match="`n` must be from 1 to 2"):
        bp.robustness.hold_out(lonely, 3, seed=0)
    with pytest.raises(bp.UsageError, match="must be ballots or battles"):
        bp.robustness.hold_out(lonely.pairs(), 1, seed=0)


def test_a_split_keeps_weights_factors_and_times_with_their_rows():
    games = Battles.of([("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5)], weight=[1, 2, 3], time=[10, 20, 30])
    for part in bp.robustness.hold_out(games, 1, seed=4):
        np.testing.assert_array_equal(part.time, 10 * part.weight)
    votes = Ballots.of([[["x"], ["y"]]] * 4, weight=[1, 2, 3, 4], factors={"task": bp.Factor.of("1234")})
    for part in bp.robustness.hold_out(votes, 2, seed=4):
        assert [str(int(w)) for w in part.weight] == part.factors["task"].names()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bp.metrics.kendall_tau_distance("AB", ["A", "B"]), "got the text 'AB'"),
        (lambda: bp.metrics.kendall_tau_distance(["A", "A"], ["A", "B"]), "it names 'A' twice"),
        (lambda: bp.metrics.kendall_tau_distance(["A", "C"], ["A", "B"]), "stand in the second order; 'C' does not"),
        (
            lambda: bp.metrics.kendall_tau_distance(["A"], ["A", "B"], among=["B"]),
            "stand in the first order; 'B' does not",
        ),
        (lambda: bp.metrics.weighted_tau(["A", "B"], ["A", "B", "C"]), "stand in the first order; 'C' does not"),
        (lambda: bp.metrics.weighted_tau(["A", "B"], ["A", "B"], weigher="log"), "must be one of logarithmic"),
        (lambda: bp.metrics.top_k_overlap(["A", "B"], ["A", "B"], 3), "from 1 to 2"),
        (lambda: bp.metrics.mean_true_rating_distance(["A", "B"], {"A": 1.0}), "stand in `truth`; 'B' does not"),
        (lambda: bp.metrics.mean_true_rating_distance(["A"], {"A": float("nan")}), "that of 'A' is nan"),
        (lambda: bp.robustness.held_out_distance(["x"], Battles.of([("x", "y", 1)])), "'y' is not in it"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(call, message):
    with pytest.raises(bp.BeatpathError, match=message):
        call()


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6), st.data())
def test_kendall_distance_counts_pairs_by_definition(one, data):
    other = data.draw(st.lists(st.integers(0, 3), min_size=len(one), max_size=len(one)))
    total, n = 0.0, len(one)
    for i in range(n):
        for j in range(i + 1, n):
            a, b = np.sign(one[i] - one[j]), np.sign(other[i] - other[j])
            total += 1.0 if a * b < 0 else 0.5 if (a == 0) != (b == 0) else 0.0
    assert kendall_distance(np.array(one), np.array(other)) == pytest.approx(total / (n * (n - 1) / 2))
