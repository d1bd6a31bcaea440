"""How many more battles separate two agents: by hand, by solving, and by drawing them."""

import json
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath._errors import UsageError
from beatpath.evidence import Battles, Factor, Pairs
from beatpath.inference.design.power import Aim, standard_errors_needed
from beatpath.inference.design.sample_size import battles_until_resolved, sample_size, with_more_battles
from beatpath.inference.resolve.resolve import resolve
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.scores.scored import Scored, scored_of
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.planned import power_of_two_agents, rates_of

Z = NormalDist().inv_cdf


NEEDED = Z(0.975) + Z(0.8)  # 2.80 standard errors


def two_agents(won, lost):
    return win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[won, lost, 0, 0]]))


def boarded(evidence, cluster):
    rates = win_rate_inference(evidence, cluster=cluster)
    return rates, scores_from(rates)


def test_so_many_more_battles_have_the_stated_power():
    rates = two_agents(86, 70)
    needed = sample_size(Scored(rates, scores_from(rates)), "ada", "bob")
    n = 156 + int(needed.direct.number)
    assert power_of_two_agents(n, 86 / 156, np.random.default_rng(4)) == pytest.approx(0.8, abs=0.015)


def test_the_battles_that_two_agents_need_are_known_by_hand():
    rates = two_agents(570, 430)
    plan = sample_size(Scored(rates, scores_from(rates)), "bob", "ada", critical=4.5)
    smooth = 570.5 / 1001
    variance = 4 * 1001 * smooth * (1 - smooth) / 1000**2  # of the gap 0.14, now on 1,000 battles
    by_hand = 1000 * variance * ((4.5 + Z(0.8)) / 0.14) ** 2
    assert plan.agents == ("ada", "bob")
    assert 1000 + plan.direct.number == pytest.approx(by_hand, rel=0.01)  # Student's t asks for a little more
    assert plan.direct == plan.spread
    assert plan.direct.fewest < plan.direct.number < plan.direct.most
    json.dumps(plan.to_dict(), allow_nan=False)


def test_battles_between_two_of_six_lessen_one_term_and_leave_a_floor():
    rng = np.random.default_rng(8)
    played = np.full((6, 6), 200)
    rates = rates_of(rng.binomial(200, 0.5, (6, 6)), played)
    board = scores_from(rates)
    plan = sample_size(Scored(rates, board), "x0", "x1", critical=Z(0.975))
    own = (rates.a == 0) & (rates.b == 1)
    countless = scores_from(with_more_battles(rates, 10_000_000 * own))
    assert plan.floor == pytest.approx(sqrt(countless.variance_of_differences[0, 1]), rel=0.02)
    others = np.isin(rates.a, (0, 1)) ^ np.isin(rates.b, (0, 1))
    assert plan.floor > 0.9 * sqrt(rates.own[others].sum()) / 5
    gap = abs(board.score[0] - board.score[1])
    assert np.isinf(plan.direct.number) == (gap < NEEDED * plan.floor)
    assert np.isfinite(plan.spread.number)
    times = board.variance_of_differences[0, 1] * (NEEDED / gap) ** 2
    # battles of others, which grow not, help the scale; and what fitting uses up of the battles, 1/600, does not grow with them
    assert plan.spread.number > (times * (1 - 1 / 600) - 1) * 9 * 200


def test_when_direct_battles_suffice_the_number_solves_the_equation():
    wins = np.full((3, 3), 5000)
    wins[0, 1], wins[0, 2], wins[1, 2] = 66, 5100, 5000
    played = np.full((3, 3), 10_000)
    played[0, 1] = 120
    rates = rates_of(wins, played)
    board = scores_from(rates)
    plan = sample_size(Scored(rates, board), "x0", "x1", critical=Z(0.975))
    gap = board.score[0] - board.score[1]
    rest = rates.own[1:].sum() / 4
    share = ((gap / NEEDED) ** 2 - rest) / rates.own[0]  # 4 / 4 of the direct term
    assert plan.direct.number == pytest.approx(120 / share - 120, rel=0.03)
    assert f"{plan.direct.number:.0f}"[0] in plan.sentences[0]
    assert "more battles between them." in plan.sentences[0]


def test_so_many_battles_separate_two_of_six_with_the_stated_power_where_resolve_compares_all():
    """One difference by itself would ask for 0.6 times the battles and have a power of 0.45."""
    strength, (i, j) = np.linspace(0.6, -0.6, 6), np.triu_indices(6, 1)
    chance, names = 1 / (1 + np.exp(strength[j] - strength[i])), tuple(f"x{k}" for k in range(6))

    def counted(battles, won):
        return Pairs(names, i, j, np.column_stack([won, battles - won, 0 * won, 0 * won]))

    battles, rng = np.full(15, 60), np.random.default_rng(3)
    plan = sample_size(counted(battles, np.round(chance * battles)), "x0", "x1")
    theirs = (i < 2) | (j < 2)
    later = battles + np.where(theirs, round(plan.spread.number / theirs.sum()), 0)
    above = [resolve(counted(later, rng.binomial(later, chance))).ranks.above[0, 1] for _ in range(60)]
    assert 0.65 < np.mean(above) < 0.95  # 0.8, three standard errors either way


def test_clusters_that_agree_ask_for_as_many_times_more_battles_as_they_hold():
    rng = np.random.default_rng(9)
    heads = rng.random(200) < 0.52
    rows = [("ada", "bob", float(head)) for head in heads for _ in range(10)]
    battles = Battles.of(rows, factors={"cluster": Factor.of([i // 10 for i in range(2000)])})
    alone = sample_size(Scored(*boarded(battles, None)), "ada", "bob", critical=4.0)
    together = sample_size(Scored(*boarded(battles, "cluster")), "ada", "bob", critical=4.0)
    assert (2000 + together.direct.number) / (2000 + alone.direct.number) == pytest.approx(10, rel=0.1)


@settings(max_examples=20)
@given(st.integers(30, 49), st.floats(0.55, 0.9), st.floats(0.01, 0.09))
def test_more_power_never_needs_fewer_battles(won, power, more):
    rates = two_agents(won, 100 - won)
    board = scores_from(rates)
    low, high = (sample_size(Scored(rates, board), "ada", "bob", power=p, critical=4.5) for p in (power, power + more))
    assert low.direct.number <= high.direct.number
    assert low.spread.number <= high.spread.number


def test_equal_agents_are_never_separated():
    rates = two_agents(30, 30)
    plan = sample_size(Scored(rates, scores_from(rates)), "ada", "bob")
    assert np.isinf([plan.direct.number, plan.spread.number]).all()
    assert plan.sentences[0] == (
        "'ada' and 'bob' have the same score: if that is true, no number of battles separates them."
    )
    json.dumps(plan.to_dict(), allow_nan=False)


def test_a_gap_that_may_be_zero_has_no_upper_limit():
    rates = two_agents(51, 49)
    plan = sample_size(Scored(rates, scores_from(rates)), "ada", "bob")
    assert np.isfinite(plan.direct.number)
    assert np.isinf(plan.direct.most)
    assert "no upper limit: the 50 % interval of the gap contains zero" in plan.sentences[0]


def test_an_agent_without_battles_gives_a_sentence():
    pairs = Pairs(("ada", "bob", "cyd"), [0], [1], [[6, 4, 0, 0]])
    rates = win_rate_inference(pairs)
    plan = sample_size(Scored(rates, scores_from(rates)), "cyd", "ada")
    assert plan.sentences[0].endswith("cannot be determined: 'cyd' has no battle and no score.")
    json.dumps(plan.to_dict(), allow_nan=False)


def test_two_agents_never_compared_can_only_be_planned_against_others():
    pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [2, 2], [[55, 45, 0, 0], [50, 50, 0, 0]])
    rates = win_rate_inference(pairs)
    plan = sample_size(Scored(rates, scores_from(rates)), "ada", "bob")
    assert plan.direct is None
    assert plan.note == "they were not compared directly"
    assert np.isinf(plan.spread.number)  # how they would do against each other is never seen
    assert "battles between them alone cannot be planned: they were not compared directly." in plan.sentences[0]


def test_shares_of_battles_won_are_planned_by_spreading_alone():
    rates = rates_of([[0, 52, 50], [0, 0, 50], [0, 0, 0]], np.full((3, 3), 100))
    plan = sample_size(Scored(rates, scores_from(rates, "as_sampled")), "x0", "x1")
    assert plan.direct is None
    assert np.isfinite(plan.spread.number)
    assert "'as_sampled'" in plan.note


def test_what_is_certain_needs_nothing():
    rates = two_agents(80, 20)
    plan = sample_size(Scored(rates, scores_from(rates)), "bob", "ada")
    assert plan.certain
    assert plan.direct.number == 0
    assert plan.sentences[0] == "'ada' is certainly above 'bob' already: no more battles are needed."


def test_agents_must_be_two_that_exist():
    rates = two_agents(5, 5)
    with pytest.raises(UsageError, match="Did you mean 'ada'"):
        sample_size(Scored(rates, scores_from(rates)), "adda", "bob")
    with pytest.raises(UsageError, match="two different agents"):
        sample_size(Scored(rates, scores_from(rates)), "ada", "ada")


@pytest.mark.parametrize("floor", [0.0, 1e-4])
@pytest.mark.parametrize("scale", [3.0, 1e3, 1e6])
def test_the_search_takes_few_evaluations_and_ends_where_bisection_does(floor, scale):
    looks = []

    def errors(more):
        looks.append(more)
        return floor + (0.04 - floor) / (1 + more / scale) ** 1.1, 5 + more / scale

    number = battles_until_resolved(errors, 0.1, Aim())
    assert len(looks) <= 20  # bisection takes up to 40
    enough = [
        variance * standard_errors_needed(Aim().critical, df, Aim().power) ** 2 <= 0.01
        for variance, df in map(errors, (number - 1, number))
    ]
    assert enough == [False, True]


def test_battles_between_two_agents_never_leave_a_larger_error_than_there_is():
    """A pair ten million times as often as any other pulled the refitted win rates, and the floor with them, to 16 points."""
    rates, board = scored_of(bp.example())
    i, j = board.agents.index("basalt"), board.agents.index("aurora")
    plan = sample_size(Scored(rates, board), "basalt", "aurora")
    assert 0 < plan.floor < np.sqrt(board.variance_of_differences[i, j])


def test_spread_battles_add_clusters_as_they_add_battles():
    """The variance falls as one over the battles, and the number of clusters, one more than the degrees of freedom, grows with them."""
    rng = np.random.default_rng(5)
    rows = [("ada", "bob", float(rng.random() < 0.62)) for _ in range(60)]
    rows += [("ada", "cyd", float(rng.random() < 0.6)) for _ in range(60)]
    battles = Battles.of(rows, factors={"cluster": Factor.of([i % 12 for i in range(120)])})
    rates = win_rate_inference(battles, cluster="cluster")
    board = scores_from(rates, "as_sampled")
    plan = sample_size(Scored(rates, board), "ada", "bob", critical=4.0)
    i, j = board.agents.index("ada"), board.agents.index("bob")
    gap, variance, df = board.score[i] - board.score[j], board.variance_of_differences[i, j], board.df[i, j]
    assert df < 30

    def enough(more):
        times = 1 + more / 120
        return variance / times * standard_errors_needed(4.0, times * (df + 1) - 1, 0.8) ** 2 <= gap**2

    assert [enough(plan.spread.number - 1), enough(plan.spread.number)] == [False, True]
