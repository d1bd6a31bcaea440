"""Planning: gaps that can be found, battles that are needed; closed forms, laws, and power by simulation."""

import json
from dataclasses import replace
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import chi, norm, t

from beatpath._errors import UsageError
from beatpath.evidence import Battles, Factor, Pairs
from beatpath.inference.design.more_battles import Outlook, with_more_battles
from beatpath.inference.design.power import chance_of_missing, minimum_detectable_effect, standard_errors_needed
from beatpath.inference.design.sample_size import sample_size
from beatpath.inference.design.sample_size_for_top import sample_size_for_top
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.scores.scored import Scored
from beatpath.inference.win_rates.win_rates import win_rate_inference

Z = NormalDist().inv_cdf
NEEDED = Z(0.975) + Z(0.8)  # 2.80 standard errors


def rates_of(wins, played):
    """Independent battles of all pairs that played; `wins[i, j]` of i over j."""
    played, wins = np.asarray(played), np.asarray(wins)
    a, b = np.nonzero(np.triu(played, 1))
    won = wins[a, b]
    counts = np.column_stack([won, played[a, b] - won, 0 * won, 0 * won])
    return win_rate_inference(Pairs(tuple(f"x{i}" for i in range(len(played))), a, b, counts))


def raw_scores(rates):
    """The map from win rates of all pairs to their means over opponents."""
    n, p = len(rates.agents), len(rates.rate)
    L = np.zeros((n, p))
    L[rates.a, np.arange(p)], L[rates.b, np.arange(p)] = 1 / (n - 1), -1 / (n - 1)
    return L


def two_agents(won, lost):
    return win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[won, lost, 0, 0]]))


def clustered(rng, n_agents=4, clusters=30, size=8, spread=2.0):
    """Battles whose outcomes lean one way or the other by cluster, several pairs in each."""
    cluster = np.repeat(np.arange(clusters), size)
    a = rng.integers(0, n_agents, len(cluster))
    b = (a + rng.integers(1, n_agents, len(cluster))) % n_agents
    lean = rng.normal(0, spread, (clusters, n_agents))
    won = rng.random(len(cluster)) < 1 / (1 + np.exp(lean[cluster, b] - lean[cluster, a]))
    names = tuple(f"x{i}" for i in range(n_agents))
    return Battles(names, a, b, won.astype(float), factors={"cluster": Factor.of(cluster.tolist())})


# What is needed to find a difference


@pytest.mark.parametrize("df", [2.0, 7.5, 40.0])
def test_what_is_needed_is_noncentral_t_by_its_definition(df):
    needed = float(standard_errors_needed(Z(0.975), df, 0.8))
    critical = t.ppf(0.975, df)
    power, _ = quad(lambda s: chi.pdf(s, df) * norm.sf(critical * s / sqrt(df) - needed), 0, 40, limit=200)
    assert power == pytest.approx(0.8, abs=1e-6)
    assert float(chance_of_missing(Z(0.975), df, needed)) == pytest.approx(0.2, abs=1e-6)


def test_with_many_degrees_of_freedom_what_is_needed_is_the_sum_of_two_quantiles():
    assert float(standard_errors_needed(Z(0.975), np.inf, 0.8)) == pytest.approx(NEEDED, abs=1e-6)
    assert float(standard_errors_needed(3.0, np.inf, 0.9)) == pytest.approx(3.0 + Z(0.9), abs=1e-6)


@given(
    st.floats(0.5, 5.0),
    st.floats(1.0, 1e4),
    st.tuples(st.floats(0.1, 0.99), st.floats(0.1, 0.99)).map(sorted),
    st.floats(0.01, 2.0),
)
def test_more_power_a_higher_critical_value_or_fewer_degrees_of_freedom_need_more(critical, df, powers, more):
    low, high = (float(standard_errors_needed(critical, df, power)) for power in powers)
    assert low <= high + 1e-7
    assert float(standard_errors_needed(critical + more, df, powers[0])) >= low - 1e-7
    assert float(standard_errors_needed(critical, df * (1 + more), powers[1])) <= high * (1 + 1e-6) + 1e-6


# The smallest gap


def test_the_gap_of_two_agents_is_known_by_hand():
    rates = two_agents(50, 50)
    error = 2 * sqrt(0.25 / 100)  # the difference is 2 psi - 1, psi having variance 1 / 4 / N
    board = replace(scores_from(rates), df=np.full((2, 2), np.inf))
    assert minimum_detectable_effect(board).gap[0, 1] == pytest.approx(NEEDED * error, rel=0.02)
    assert np.isinf(scores_from(rates).df[0, 1])  # independent battles
    few = replace(board, df=np.full((2, 2), 9.0))
    assert minimum_detectable_effect(few).median > minimum_detectable_effect(board).median


def test_a_simultaneous_critical_value_asks_for_a_larger_gap():
    board = scores_from(rates_of(np.full((5, 5), 20), np.full((5, 5), 40)))
    marginal, joint = minimum_detectable_effect(board), minimum_detectable_effect(board, critical=3.0)
    infinite = replace(board, df=np.full((5, 5), np.inf))
    ratio = minimum_detectable_effect(infinite, critical=3.0).median / minimum_detectable_effect(infinite).median
    assert ratio == pytest.approx((3.0 + Z(0.8)) / NEEDED, rel=1e-6)
    assert joint.median > marginal.median
    assert joint.settings["critical"] == 3.0


def test_the_sentence_of_a_gap_names_the_leaders_and_counts_as_people_do():
    board = Leaderboard(
        ("ada", "bob", "cyd"),
        np.array([0.7, 0.6, 0.2]),
        np.diag([0.0001, 0.0001, 0.0004]),
        np.full((3, 3), np.inf),
        "mean",
        {"estimand": "mean_win_rate"},
    )
    found = minimum_detectable_effect(board)
    assert found.sentences[0] == (
        "With these data a gap of 6.3 percentage points between two agents would be found 8 times in 10; between the "
        "leaders, 'ada', 'bob', one of 4 percentage points."
    )
    json.dumps(found.to_dict(), allow_nan=False)


def test_agents_tied_for_the_second_place_all_lead():
    V, df = np.diag([1.0, 1.0, 9.0, 1.0]) / 100, np.full((4, 4), np.inf)
    board = Leaderboard(("a", "b", "c", "d"), np.array([0.5, 0.9, 0.5, 0.1]), V, df, "mean")
    found = minimum_detectable_effect(board)
    assert found.leaders == ("b", "a", "c")
    assert found.between_leaders == pytest.approx(NEEDED * sqrt(0.10), rel=1e-6)


def test_differences_without_a_usable_variance_have_no_gap():
    board = Leaderboard(("a", "b"), np.array([0.5, np.nan]), np.full((2, 2), np.nan), np.full((2, 2), np.inf), "mean")
    found = minimum_detectable_effect(board)
    assert np.isnan(found.gap).all()
    assert "cannot be told" in found.sentences[0]
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"level": 0}, {"power": 1.2}, {"power": True}, {"critical": -1.0}])
def test_levels_and_powers_must_be_shares(wrong):
    with pytest.raises(UsageError, match=f"`{next(iter(wrong))}` must"):
        minimum_detectable_effect(scores_from(two_agents(5, 5)), **wrong)


# Power by simulation


def share_found(difference, variance, df, level=0.95):
    return float((difference > t.ppf((1 + level) / 2, df) * np.sqrt(variance)).mean())


def found_of_two(n, chance, rng, draws=2000):
    """How often the gap of two agents is found, over some numbers of battles near `n`, so that whole wins do not matter."""
    found = []
    for battles in range(n - 20, n + 21):
        won = rng.binomial(battles, chance, draws)
        smooth = (won + 0.5) / (battles + 1)
        variance = 4 * (battles + 1) * smooth * (1 - smooth) / battles**2
        found.append(share_found(2 * won / battles - 1, variance, battles - 1))
    return float(np.mean(found))


def test_the_gap_of_two_agents_is_found_as_often_as_is_said():
    gap = minimum_detectable_effect(scores_from(two_agents(300, 300))).median
    assert found_of_two(600, 0.5 + gap / 2, np.random.default_rng(1)) == pytest.approx(0.8, abs=0.015)


def test_the_gap_on_a_board_of_six_is_found_as_often_as_is_said():
    n, each, draws, rng = 6, 60, 20_000, np.random.default_rng(2)
    played = np.full((n, n), each)
    board = scores_from(rates_of(played // 2, played))
    gap = minimum_detectable_effect(board).gap[0, 1]
    ahead = gap / 1.2  # of the first agent over everyone: its score rises by this, the second's falls by a fifth of it
    won = {
        (i, j): rng.binomial(each, 0.5 + ahead * (i == 0), draws) / each
        for i, j in zip(*np.triu_indices(n, 1), strict=True)
    }
    first = sum(won[0, j] for j in range(1, n)) / 5
    second = (1 - won[0, 1] + sum(won[1, j] for j in range(2, n))) / 5
    smooth = {pair: (each * rate + 0.5) / (each + 1) for pair, rate in won.items()}
    own = {pair: (each + 1) * s * (1 - s) / each**2 for pair, s in smooth.items()}
    variance = (4 * own[0, 1] + sum(own[i, j] for i in (0, 1) for j in range(2, n))) / 25
    assert share_found(first - second, variance, board.df[0, 1]) == pytest.approx(0.8, abs=0.015)


def test_the_gap_under_strong_clusters_is_found_as_often_as_is_said():
    clusters, size, draws, rng = 60, 20, 10_000, np.random.default_rng(3)

    def simulated(chance, draws):
        lean = rng.beta(0.5 * chance, 0.5 * (1 - chance), (draws, clusters))  # correlation 2/3 within a cluster
        return rng.binomial(size, lean)

    def errors(won):
        total = clusters * size
        smooth = (won.sum(axis=1) + 0.5) / (total + 1)
        u = (won - smooth[:, None] * size) / (total + 1 - size)
        return 4 * ((u**2).sum(axis=1) + ((1 - smooth) ** 2 + smooth**2) / (2 * total**2))

    gap = 0.0
    for _ in range(4):  # the gap that is found where errors are those of data with this gap
        typical = float(errors(simulated(0.5 + gap / 2, 2000)).mean())
        covariance = np.array([[typical, -typical], [-typical, typical]]) / 4
        board = Leaderboard(("a", "b"), np.array([0.5, 0.5]), covariance, np.full((2, 2), clusters - 1.0), "mean")
        gap = minimum_detectable_effect(board).median
    won = simulated(0.5 + gap / 2, draws)
    found = share_found(2 * won.sum(axis=1) / (clusters * size) - 1, errors(won), clusters - 1)
    assert found == pytest.approx(0.8, abs=0.02)
    naive = minimum_detectable_effect(scores_from(two_agents(clusters * size // 2, clusters * size // 2))).median
    assert gap > 3 * naive  # twenty battles that mostly agree are worth little more than one


def test_so_many_more_battles_find_the_gap_as_often_as_is_said():
    rates = two_agents(86, 70)
    needed = sample_size(Scored(rates, scores_from(rates)), "ada", "bob")
    n = 156 + int(needed.direct.number)
    assert found_of_two(n, 86 / 156, np.random.default_rng(4)) == pytest.approx(0.8, abs=0.015)


# More battles


@pytest.mark.parametrize("cluster", [None, "cluster"])
def test_more_battles_are_as_copies_of_those_there_are(cluster):
    battles = clustered(np.random.default_rng(5))
    rates = win_rate_inference(battles, cluster=cluster)
    pair = 2
    theirs = np.flatnonzero(
        (np.minimum(battles.a, battles.b) == rates.a[pair]) & (np.maximum(battles.a, battles.b) == rates.b[pair])
    )
    rows = np.concatenate([np.arange(len(battles)), theirs, theirs])
    copy = np.concatenate([np.zeros(len(battles)), np.ones(len(theirs)), np.full(len(theirs), 2)]).astype(int)
    names = [f"{battles.factors['cluster'].codes[row]} {k}" for row, k in zip(rows, copy, strict=True)]
    more = win_rate_inference(replace(battles.take(rows), factors={"cluster": Factor.of(names)}), cluster=cluster)
    planned = with_more_battles(rates, np.where(np.arange(len(rates.rate)) == pair, 2.0 * len(theirs), 0.0))
    L = raw_scores(rates)
    np.testing.assert_array_equal(planned.battles, more.battles)
    np.testing.assert_allclose(planned.degrees(L), more.degrees(L), rtol=1e-3)  # copies of single battles count alone
    # a pair of 20 battles or so is smoothed by one more, and a cluster is left out of fewer
    np.testing.assert_allclose(planned.variance, more.variance, rtol=0.15)
    np.testing.assert_allclose(np.delete(planned.variance, pair), np.delete(more.variance, pair), rtol=1e-9)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, "cluster", ("cluster", "judge")]))
def test_without_more_battles_errors_are_those_of_the_board(seed, cluster):
    rng = np.random.default_rng(seed)
    battles = clustered(rng, clusters=8, size=6)
    judge = Factor.of(rng.integers(0, 5, len(battles)).tolist())
    rates = win_rate_inference(replace(battles, factors={**battles.factors, "judge": judge}), cluster=cluster)
    board = scores_from(rates)
    now = np.ones(len(rates.rate))
    np.testing.assert_allclose(Outlook(rates, board).covariance(now), board.covariance, rtol=1e-3, atol=1e-7)
    np.testing.assert_allclose(Outlook(rates, board).degrees(now), board.df, rtol=1e-9)


def test_with_battles_without_end_errors_are_those_of_the_observed_rates():
    rates = close_field(3)
    outlook, f = Outlook(rates, scores_from(rates)), np.full(len(rates.rate), 1e-6)
    made = outlook.made
    L = raw_scores(rates)
    by_hand = L @ np.diag(made.phi * made.v * f) @ L.T
    np.testing.assert_allclose(outlook.covariance(f), by_hand, rtol=0.01, atol=1e-3 * by_hand.max())


def test_battles_never_make_a_score_less_sure():
    rates = close_field(4)
    outlook = Outlook(rates, scores_from(rates))
    errors = [np.diag(outlook.covariance(np.full(len(rates.rate), f))) for f in (1.0, 0.5, 0.1, 0.01)]
    assert (np.diff(errors, axis=0) < 0).all()


@pytest.mark.parametrize("cluster", [None, "cluster"])
def test_slopes_of_variances_are_about_those_of_small_steps(cluster):
    rng = np.random.default_rng(6)
    rates = win_rate_inference(clustered(rng), cluster=cluster)
    outlook = Outlook(rates, scores_from(rates))
    weight = rng.random((4, 4))
    weight = np.triu(weight, 1) + np.triu(weight, 1).T
    f, step = rng.uniform(0.2, 1.0, len(rates.rate)), 1e-5

    def total(shares):
        V = outlook.covariance(shares)
        own = np.diag(V)
        return float((weight * (own[:, None] + own - 2 * V)).sum()) / 2

    slopes = np.array([(total(f + e) - total(f - e)) / (2 * step) for e in step * np.eye(len(f))])
    np.testing.assert_allclose(outlook.slopes(f, weight), slopes, atol=0.3 * np.abs(slopes).max())


# Battles needed


def test_the_battles_that_two_agents_need_are_known_by_hand():
    rates = two_agents(570, 430)
    found = sample_size(Scored(rates, scores_from(rates)), "bob", "ada", critical=4.5)
    smooth = 570.5 / 1001
    variance = 4 * 1001 * smooth * (1 - smooth) / 1000**2  # of the gap 0.14, now on 1,000 battles
    by_hand = 1000 * variance * ((4.5 + Z(0.8)) / 0.14) ** 2
    assert found.agents == ("ada", "bob")
    assert 1000 + found.direct.number == pytest.approx(by_hand, rel=0.01)  # Student's t asks for a little more
    assert found.direct == found.spread
    assert found.direct.fewest < found.direct.number < found.direct.most
    json.dumps(found.to_dict(), allow_nan=False)


def test_battles_between_two_of_six_lessen_one_term_and_leave_a_floor():
    rng = np.random.default_rng(8)
    played = np.full((6, 6), 200)
    rates = rates_of(rng.binomial(200, 0.5, (6, 6)), played)
    board = scores_from(rates)
    found = sample_size(Scored(rates, board), "x0", "x1")
    others = np.isin(rates.a, (0, 1)) ^ np.isin(rates.b, (0, 1))
    assert found.floor == pytest.approx(sqrt(rates.own[others].sum()) / 5, rel=0.1)
    gap = abs(board.score[0] - board.score[1])
    assert np.isinf(found.direct.number) == (gap < NEEDED * found.floor)
    assert np.isfinite(found.spread.number)
    times = board.variance_of_differences[0, 1] * (NEEDED / gap) ** 2
    assert found.spread.number > (times - 1) * 9 * 200  # battles of others, which grow not, help the scale


def test_when_direct_battles_suffice_the_number_solves_the_equation():
    wins = np.full((3, 3), 5000)
    wins[0, 1], wins[0, 2], wins[1, 2] = 66, 5100, 5000
    played = np.full((3, 3), 10_000)
    played[0, 1] = 120
    rates = rates_of(wins, played)
    board = scores_from(rates)
    found = sample_size(Scored(rates, board), "x0", "x1")
    gap = board.score[0] - board.score[1]
    rest = rates.own[1:].sum() / 4
    share = ((gap / NEEDED) ** 2 - rest) / rates.own[0]  # 4 / 4 of the direct term
    assert found.direct.number == pytest.approx(120 / share - 120, rel=0.03)
    assert f"{found.direct.number:.0f}"[0] in found.sentences[0]
    assert "between them would do" in found.sentences[0]


def test_clusters_that_agree_ask_for_as_many_times_more_battles_as_they_hold():
    rng = np.random.default_rng(9)
    heads = rng.random(200) < 0.52
    rows = [("ada", "bob", float(head)) for head in heads for _ in range(10)]
    battles = Battles.of(rows, factors={"cluster": Factor.of([i // 10 for i in range(2000)])})
    alone = sample_size(Scored(*boarded(battles, None)), "ada", "bob", critical=4.0)
    together = sample_size(Scored(*boarded(battles, "cluster")), "ada", "bob", critical=4.0)
    assert (2000 + together.direct.number) / (2000 + alone.direct.number) == pytest.approx(10, rel=0.1)


def boarded(evidence, cluster):
    rates = win_rate_inference(evidence, cluster=cluster)
    return rates, scores_from(rates)


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
    found = sample_size(Scored(rates, scores_from(rates)), "ada", "bob")
    assert np.isinf([found.direct.number, found.spread.number]).all()
    assert found.sentences[0] == (
        "'ada' and 'bob' have the same score: no number of battles would separate them if that is the truth."
    )
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_gap_that_may_be_zero_has_no_upper_limit():
    rates = two_agents(51, 49)
    found = sample_size(Scored(rates, scores_from(rates)), "ada", "bob")
    assert np.isfinite(found.direct.number)
    assert np.isinf(found.direct.most)
    assert "no upper limit: the gap may be zero" in found.sentences[0]


def test_an_agent_that_met_nobody_gives_a_sentence():
    pairs = Pairs(("ada", "bob", "cyd"), [0], [1], [[6, 4, 0, 0]])
    rates = win_rate_inference(pairs)
    found = sample_size(Scored(rates, scores_from(rates)), "cyd", "ada")
    assert found.sentences[0].endswith("cannot be told: 'cyd' met nobody, so no score is known.")
    json.dumps(found.to_dict(), allow_nan=False)


def test_two_that_never_met_can_only_meet_others():
    pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [2, 2], [[55, 45, 0, 0], [50, 50, 0, 0]])
    rates = win_rate_inference(pairs)
    found = sample_size(Scored(rates, scores_from(rates)), "ada", "bob")
    assert found.direct is None
    assert found.note == "they never met"
    assert np.isinf(found.spread.number)  # how they would do against each other is never seen
    assert "battles between them alone cannot be planned: they never met." in found.sentences[0]


def test_shares_of_battles_won_are_planned_by_spreading_alone():
    rates = rates_of([[0, 52, 50], [0, 0, 50], [0, 0, 0]], np.full((3, 3), 100))
    found = sample_size(Scored(rates, scores_from(rates, "as_sampled")), "x0", "x1")
    assert found.direct is None
    assert np.isfinite(found.spread.number)
    assert "'as_sampled'" in found.note


def test_what_is_certain_needs_nothing():
    rates = two_agents(80, 20)
    found = sample_size(Scored(rates, scores_from(rates)), "bob", "ada")
    assert found.certain
    assert found.direct.number == 0
    assert found.sentences[0] == "'ada' is certainly above 'bob' already: no more battles are needed."


def test_agents_must_be_two_that_exist():
    rates = two_agents(5, 5)
    with pytest.raises(UsageError, match="Did you mean 'ada'"):
        sample_size(Scored(rates, scores_from(rates)), "adda", "bob")
    with pytest.raises(UsageError, match="two different agents"):
        sample_size(Scored(rates, scores_from(rates)), "ada", "ada")


# The top


def close_field(seed, n=5, each=60):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.6, n)
    chance = 1 / (1 + np.exp(strength - strength[:, None]))
    played = np.full((n, n), each)
    return rates_of(rng.binomial(each, chance), played)


@pytest.mark.parametrize(("seed", "best"), [(1, 1), (5, 1), (5, 2)])
def test_the_plan_for_the_top_is_the_least_that_another_solver_finds(seed, best):
    rates = close_field(seed)
    board = scores_from(rates)
    plan = sample_size_for_top(Scored(rates, board), best=best, critical=3.0)
    assert plan.battles > 0
    order = np.argsort(-board.score)
    i, j = (side.ravel() for side in np.meshgrid(order[:best], order[best:], indexing="ij"))
    difference = raw_scores(rates)
    difference = difference[i] - difference[j]
    gap, played = board.score[i] - board.score[j], rates.battles.astype(float)

    def left(log_n):
        variance = (difference**2) @ (rates.own * played / np.exp(log_n))
        return 0.2 - norm.cdf(3.0 - gap / np.sqrt(variance)).sum()

    start = np.log(played * (1 + plan.spread / played.sum()) * 1.02)
    found = minimize(
        lambda x: np.exp(x).sum() / plan.battles,
        start,
        jac=lambda x: np.exp(x) / plan.battles,
        bounds=[(np.log(n), None) for n in played],
        constraints={"type": "ineq", "fun": left},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert left(found.x) > -1e-6
    assert plan.battles == pytest.approx(float((np.exp(found.x) - played).sum()), rel=0.05)
    assert plan.battles <= plan.spread


def test_the_plan_for_the_top_certifies_it_as_often_as_is_said():
    rates = close_field(5)
    board = scores_from(rates)
    plan = sample_size_for_top(Scored(rates, board), critical=2.5)
    number = {(a, b): k for a, b, k in plan.pairs}
    names = board.agents
    extra = np.array([number.get((names[a], names[b]), 0) for a, b in zip(rates.a, rates.b, strict=True)])
    n, rng = rates.battles + extra, np.random.default_rng(10)
    won = rng.binomial(n, rates.rate, (4000, len(n)))  # were the rates as they seem
    L = raw_scores(rates)
    smooth = (won + 0.5) / (n + 1)
    own = (n + 1) * smooth * (1 - smooth) / n**2
    first = int(np.argmax(board.score))
    certain = np.ones(len(won), dtype=bool)
    for other in range(len(names)):
        if other != first:
            row = L[first] - L[other]
            shift = board.score[first] - board.score[other] - rates.rate @ row
            certain &= (won / n) @ row + shift > 2.5 * np.sqrt(own @ row**2)
    assert 0.79 < certain.mean() < 0.9  # at least 0.8 by a union over rivals
    assert plan.best == (names[first],)
    assert plan.sentences[0].startswith("To settle first place, about ")
    json.dumps(plan.to_dict(), allow_nan=False)


def test_a_plan_for_clustered_battles_holds_with_what_clusters_share():
    rates = win_rate_inference(clustered(np.random.default_rng(11), clusters=60), cluster="cluster")
    board = scores_from(rates)
    plan = sample_size_for_top(Scored(rates, board))
    number = {(a, b): k for a, b, k in plan.pairs}
    names = board.agents
    extra = np.array([number.get((names[a], names[b]), 0) for a, b in zip(rates.a, rates.b, strict=True)], dtype=float)
    planned = scores_from(with_more_battles(rates, extra))
    first = names.index(plan.best[0])
    others = np.arange(len(names)) != first
    size = board.differences[first, others] / np.sqrt(planned.variance_of_differences[first, others])
    assert chance_of_missing(Z(0.975), planned.df[first, others], size).sum() <= 0.3  # the lack of fit is found anew


def test_two_agents_need_the_same_to_be_separated_and_to_settle_first_place():
    rates = two_agents(56, 44)
    board = scores_from(rates)
    plan = sample_size_for_top(Scored(rates, board))
    assert plan.battles == pytest.approx(sample_size(Scored(rates, board), "ada", "bob").direct.number, abs=2)
    assert plan.sentences[0] == "To settle first place, about 450 more battles between 'ada' and 'bob' would do."


def test_a_settled_top_needs_nothing_and_a_tied_one_cannot_be_told():
    clear = rates_of([[0, 90, 90], [0, 0, 50], [0, 0, 0]], np.full((3, 3), 100))
    assert (
        sample_size_for_top(Scored(clear, scores_from(clear))).sentences[0] == "First place is settled already: 'x0'."
    )
    tied = sample_size_for_top(Scored(clear, scores_from(clear)), best=2)
    assert np.isinf(tied.battles)
    assert "'x1' and 'x2' have the same score" in tied.sentences[0]
    json.dumps(tied.to_dict(), allow_nan=False)
    with pytest.raises(UsageError, match="`best` must be from 1 to 2"):
        sample_size_for_top(Scored(clear, scores_from(clear)), best=3)
    with pytest.raises(UsageError, match="as_sampled"):
        sample_size_for_top(Scored(clear, scores_from(clear, "as_sampled")))
