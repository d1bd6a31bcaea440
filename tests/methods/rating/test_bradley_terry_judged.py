"""Bradley-Terry strengths that know the judges."""

import numpy as np
import pytest
from scipy.optimize import minimize

import beatpath as bp
from helpers.judged import judged_battles, votes_of

KEY = "bradley_terry_judged"


def rows(votes, judges, **more):
    return bp.Battles.of(votes, factors={"judge": bp.Factor.of(judges)}, **more)


def test_two_agents_and_free_reliabilities_are_the_judges_own_log_odds():
    """One pair and judges far apart: the spread is at its bound and the product of reliability and lead is a judge's log odds."""
    votes = [("x", "y", 1)] * 900 + [("x", "y", 0)] * 100 + [("x", "y", 1)] * 500 + [("x", "y", 0)] * 500
    ranking = bp.rank(rows(votes, ["j"] * 1000 + ["k"] * 1000), KEY)
    lead = ranking.scores["x"] - ranking.scores["y"]
    r = {name: one["reliability"] for name, one in ranking.details["judges"].items()}
    assert r["j"] * lead == pytest.approx(np.log(9), abs=0.02)
    assert r["k"] * lead == pytest.approx(0.0, abs=0.02)
    assert r["j"] + r["k"] == pytest.approx(2)


def test_strengths_are_those_of_the_largest_likelihood_where_votes_are_many():
    """Against a general optimizer of the likelihood of single votes, without any prior, mean reliability one."""
    rng, truth = np.random.default_rng(0), [1.5, 1.0, 0.2, 1.3]
    who, a, b, outcome, _ = votes_of(rng, agents=4, judges=4, each=20_000, reliability=truth)
    battles = bp.Battles(tuple("wxyz"), a, b, outcome, factors={"judge": bp.Factor.of([f"j{j}" for j in who])})
    ranking = bp.rank(battles, KEY)

    def minus(q):
        strength, r = q[:4] - q[:4].mean(), np.append(q[4:], 4 - q[4:].sum())
        lead = r[who] * (strength[a] - strength[b])
        return np.logaddexp(0, np.where(outcome == 1, -lead, lead)).mean()

    best = minimize(minus, np.array([0.5, 0.1, -0.1, -0.5, 1, 1, 1]), method="BFGS")
    strength = best.x[:4] - best.x[:4].mean()
    np.testing.assert_allclose([ranking.scores[name] for name in "wxyz"], strength, atol=0.02)
    r = [ranking.details["judges"][f"j{j}"]["reliability"] for j in range(3)]
    np.testing.assert_allclose(r, best.x[4:], atol=0.02)
    assert ranking.details["log_likelihood"] == pytest.approx(-best.fun * len(who), abs=1.0)


def test_intervals_hold_the_truth_where_half_of_the_judges_toss_coins_and_plain_ones_do_not():
    rng, held, order, plain = np.random.default_rng(1), [], [], []
    r = np.repeat([0.0, 1.5], 10)
    for _ in range(12):
        state = rng.bit_generator.state
        truth = rng.normal(0, 1, 10) * r.mean()
        rng.bit_generator.state = state
        ranking = bp.rank(judged_battles(rng, reliability=r), KEY)
        ends = np.array([[one["low"], one["high"]] for one in ranking.details["intervals"].values()])
        truth -= truth.mean()
        held.append(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())
        near = [
            np.corrcoef(truth, list(scores.values()))[0, 1] for scores in (ranking.scores, ranking.details["plain"])
        ]
        order.append(near[0])
        plain.append(near[1])
    assert 0.9 <= np.mean(held) <= 0.98
    assert np.mean(order) > np.mean(plain)


def test_a_judge_turned_round_has_the_opposite_reliability_and_strengths_stay():
    battles = judged_battles(np.random.default_rng(2), judges=8, each=200)
    turned = battles.factors["judge"].codes == 0
    other = bp.Battles(
        battles.agents,
        battles.a,
        battles.b,
        np.where(turned, 1 - battles.outcome, battles.outcome),
        factors=battles.factors,
    )
    one, two = (bp.rank(evidence, KEY) for evidence in (bp.Battles(*_core(battles), factors=battles.factors), other))
    first = next(iter(two.details["judges"]))
    assert two.details["judges"][first]["high"] < 0 < one.details["judges"][first]["low"]
    assert np.corrcoef(list(one.scores.values()), list(two.scores.values()))[0, 1] > 0.99


def _core(battles):
    return battles.agents, battles.a, battles.b, battles.outcome


def test_a_judge_who_always_prefers_the_first_side_moves_no_strength():
    rng = np.random.default_rng(3)
    battles = judged_battles(rng, judges=6, each=300, position=[20.0, 0, 0, 0, 0, 0])
    others = np.flatnonzero(battles.factors["judge"].codes != 0)
    all_, rest = bp.rank(battles, KEY), bp.rank(battles.take(others), KEY)
    # the unit of strengths is that of the mean reliability, which the judge's own, unknown, is part of
    one, other = (np.array(list(ranking.scores.values())) for ranking in (all_, rest))
    assert np.corrcoef(one, other)[0, 1] > 0.999


def test_a_judge_with_one_vote_says_next_to_nothing_and_is_taken_as_the_others():
    votes = [("x", "y", 1)] * 70 + [("x", "y", 0)] * 30
    ranking = bp.rank(rows([*votes, *votes, ("x", "y", 0)], ["j"] * 100 + ["k"] * 100 + ["l"]), KEY)
    judge = ranking.details["judges"]["l"]
    assert judge["votes"] == 1
    assert judge["reliability"] == pytest.approx(1, abs=0.1)
    assert ranking.winners == ("x",)


def test_one_judge_alone_and_no_judge_are_refused():
    with pytest.raises(bp.DataError, match="all votes are those of 'j'"):
        bp.rank(rows([("x", "y", 1)] * 3, ["j"] * 3), KEY)
    with pytest.raises(bp.DataError, match="need a column that names them"):
        bp.rank(bp.Battles.of([("x", "y", 1)]), KEY)
    with pytest.raises(bp.DataError, match="every battle of these is a tie"):
        bp.rank(rows([("x", "y", 0.5)] * 2, ["j", "k"]), KEY)


def test_judges_of_agents_that_nothing_connects_are_refused_by_name():
    votes = [("a", "b", 1)] * 3 + [("c", "d", 1)] * 3
    with pytest.raises(
        bp.DataError,
        match=r"bradley_terry_judged needs agents that battles connect; .* 2 components .*: \{'a', 'b'\}, \{'c', 'd'\}",
    ):
        bp.rank(rows(votes, ["j"] * 3 + ["k"] * 3), KEY)


def test_judges_that_share_one_agent_alone_are_finite_and_open():
    votes = [("a", "b", 1)] * 30 + [("a", "b", 0)] * 10 + [("b", "c", 1)] * 30 + [("b", "c", 0)] * 10
    ranking = bp.rank(rows(votes, ["j"] * 40 + ["k"] * 40), KEY)
    assert ranking.levels == (("a",), ("b",), ("c",))
    assert ranking.scores["a"] - ranking.scores["b"] == pytest.approx(ranking.scores["b"] - ranking.scores["c"])
    assert all(one["low"] < 1 < one["high"] for one in ranking.details["judges"].values())


def test_equal_records_tie():
    votes = [("x", "y", 1), ("y", "x", 1), ("x", "z", 1), ("y", "z", 1)] * 10
    ranking = bp.rank(rows(votes, ["j"] * 20 + ["k"] * 20), KEY)
    assert ranking.levels == (("x", "y"), ("z",))
    assert ranking.details["lead"] is None


def test_scores_of_judges_are_the_comparisons_they_make():
    agent, task, judge = np.indices((3, 20, 3)).reshape(3, -1)
    value = np.random.default_rng(4).normal(-agent, 1.0)
    factors = {"task": bp.Factor.of([f"t{t}" for t in task]), "judge": bp.Factor.of([f"j{j}" for j in judge])}
    ranking = bp.rank(bp.Scores(("x", "y", "z"), agent, value, factors), KEY)
    assert ranking.levels == (("x",), ("y",), ("z",))
    assert ranking.details["clusters"] == 20


def test_weights_are_not_heeded_and_it_says_so():
    votes, judges = [("x", "y", 1)] * 20 + [("x", "y", 0)] * 10, ["j", "k"] * 15
    ranking = bp.rank(rows(votes, judges, weight=np.arange(1.0, 31)), KEY)
    assert "not used" in ranking.caveat
    assert ranking.scores == bp.rank(rows(votes, judges), KEY).scores


def test_levels_of_confidence_are_held_to_their_limits():
    with pytest.raises(bp.UsageError, match="`level` must lie from"):
        bp.rank(judged_battles(np.random.default_rng(5)), KEY, level=95)


def test_intervals_of_judges_are_symmetric_and_half_as_wide_with_four_times_the_votes():
    width = []
    for each in (500, 2000):
        judges = bp.rank(judged_battles(np.random.default_rng(7), agents=4, judges=3, each=each), KEY).details["judges"]
        r, low, high = (np.array([one[key] for one in judges.values()]) for key in ("reliability", "low", "high"))
        np.testing.assert_allclose(r - low, high - r)
        assert [one["votes"] for one in judges.values()] == [each] * 3
        width.append(high - low)
    np.testing.assert_allclose(width[0] / width[1], 2, rtol=0.2)
