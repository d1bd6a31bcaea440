"""Weighted SCO: position weights, weighted counts and Theorem 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Scores
from beatpath._errors import DataError, UsageError
from beatpath.methods.rating.sco.losses import cells_of_votes, disagreement, votes_of
from beatpath.methods.rating.sco.sco import position_weights
from helpers.strategies import ballots

EXAMPLE_3 = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["B"], ["A"]]], count=[2, 1])
SCHEMES = ["logarithmic", "hyperbolic", "quadratic", "uniform"]
few = settings(max_examples=30, deadline=None)


def weighted_cells(b, scheme):
    votes = votes_of(b)
    w = position_weights(scheme, len(b.agents))
    return cells_of_votes(votes, w[votes.above_winner] + w[votes.above_loser])


def test_example_3_has_the_printed_losses():
    """WSCO Example 3: ratings 5, 15, 10 contradict 5 preferences, 43/6 weighted."""
    theta = np.array([5.0, 15.0, 10.0])
    assert disagreement(theta, weighted_cells(EXAMPLE_3, "uniform")) == 5
    assert disagreement(theta, weighted_cells(EXAMPLE_3, "hyperbolic")) == pytest.approx(43 / 6)


def test_the_weights_are_those_of_the_formulas():
    """WSCO section 4."""
    r = np.arange(6)
    np.testing.assert_allclose(position_weights("logarithmic", 6), 1 / np.log(r + np.e))
    np.testing.assert_allclose(position_weights("hyperbolic", 6), 1 / (r + 1))
    np.testing.assert_allclose(position_weights("quadratic", 6), 1 / (r + 1) ** 2)


@pytest.mark.parametrize(("scheme", "printed"), [("logarithmic", 1.25), ("hyperbolic", 1.8), ("quadratic", 3.46)])
def test_the_weight_ratios_of_three_agents_are_the_printed_ones(scheme, printed):
    """WSCO section 4.1: about 5/4, exactly 9/5, about 3.46."""
    condorcet = bp.rank(EXAMPLE_3, "wsco", position_weight=scheme).details["condorcet"]
    assert condorcet["ratio"] == pytest.approx(printed, abs=0.02)
    assert condorcet["threshold"] == pytest.approx((condorcet["ratio"] - 1) / (condorcet["ratio"] + 1))


@few
@given(b=ballots())
def test_uniform_weights_give_sco(b):
    one, other = bp.rank(b, "sco", ties="drop"), bp.rank(b, "wsco", position_weight="uniform")
    assert one.levels == other.levels
    for name in b.agents:
        np.testing.assert_allclose(one.scores[name], other.scores[name], atol=1e-6)


@few
@given(b=ballots(), scheme=st.sampled_from(SCHEMES))
def test_weighted_counts_are_the_sum_over_votes(b, scheme):
    """The definition in the proof of Theorem 1, pair by pair; a position is the number of agents above."""
    w = position_weights(scheme, len(b.agents))
    expected = np.zeros((len(b.agents), len(b.agents)))
    code = {name: i for i, name in enumerate(b.agents)}
    for vote, count in zip(b, b.count, strict=True):
        above = np.cumsum([0, *map(len, vote)])
        for i, group in enumerate(vote):
            for j in range(i + 1, len(vote)):
                for x in group:
                    for y in vote[j]:
                        expected[code[x], code[y]] += count * (w[above[i]] + w[above[j]])
    cells = weighted_cells(b, scheme)
    counts = np.zeros_like(expected)
    counts[cells.a, cells.b], counts[cells.b, cells.a] = cells.n_ab, cells.n_ba
    np.testing.assert_allclose(counts, expected)


@few
@given(b=ballots(), scheme=st.sampled_from(SCHEMES))
def test_a_winner_that_theorem_1_guarantees_is_on_top(b, scheme):
    ranking = bp.rank(b, "wsco", position_weight=scheme, ties="drop")
    condorcet = ranking.details["condorcet"]
    assert condorcet["winner"] == ranking.condorcet.strong
    if condorcet["holds"]:
        assert condorcet["weighted"]
    if condorcet["weighted"]:
        assert ranking.winners == (condorcet["winner"],)


def tight_profile(n, k):
    """The profile of Theorem 1 (ii) with one filler: c beats b by k, yet b has the larger weighted count."""
    x = k // 2 + 1
    votes = [[["b"], ["c"], ["d"]], [["d"], ["c"], ["b"]], [["c"], ["d"], ["b"]]]
    return Ballots.of(votes, count=[(n - k) // 2, (n + k) // 2 - x, x])


def test_below_the_threshold_the_papers_construction_dethrones_the_winner():
    """Part (ii), hyperbolic weights: k/n = 3/101 is far below 2/7."""
    ranking = bp.rank(tight_profile(101, 3), "wsco", position_weight="hyperbolic")
    condorcet = ranking.details["condorcet"]
    assert ranking.condorcet.strong == "c"
    assert condorcet["share"] == pytest.approx(1 / 101)
    assert not condorcet["holds"]
    assert not condorcet["weighted"]
    assert ranking.winners != ("c",)


def test_weights_may_be_given_and_must_be_positive_and_enough():
    given_weights = bp.rank(EXAMPLE_3, "wsco", position_weight=[1.0, 0.5, 1 / 3])
    named = bp.rank(EXAMPLE_3, "wsco", position_weight="hyperbolic")
    assert given_weights.details["disagreement"] == pytest.approx(named.details["disagreement"])
    with pytest.raises(UsageError, match="must be positive numbers; got 0"):
        bp.rank(EXAMPLE_3, "wsco", position_weight=[1.0, 0.0, 1.0])
    with pytest.raises(UsageError, match="each of the 3 positions"):
        bp.rank(EXAMPLE_3, "wsco", position_weight=[1.0])
    with pytest.raises(UsageError, match="Did you mean 'hyperbolic'"):
        bp.rank(EXAMPLE_3, "wsco", position_weight="hyperbolik")


def test_it_takes_scores_and_refuses_pairs():
    """x > z > y and y > x > z: x and y are even, but y is above x at the top, x above y first and last."""
    table = Scores.from_table(np.array([[3.0, 2.0], [1.0, 3.0], [2.0, 1.0]]), ("x", "y", "z"), ("t1", "t2"))
    assert bp.rank(table, "wsco").winners == ("y",)
    with pytest.raises(DataError, match="wsco needs"):
        bp.rank(EXAMPLE_3.pairs(), "wsco")


def test_stochastic_descent_by_pairs_finds_the_winner_and_repeats():
    one = bp.rank(EXAMPLE_3, "wsco", solver="sgd", seed=1)
    assert one.winners == ("A",)
    assert one.to_dict() == bp.rank(EXAMPLE_3, "wsco", solver="sgd", seed=1).to_dict()
    assert bp.rank(EXAMPLE_3, "wsco", solver="exact").status == "exact"
