"""The fewest battles that settle the top: beside another solver, and by drawing them."""

import json
from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal, norm

from beatpath._errors import UsageError
from beatpath.evidence import Pairs
from beatpath.inference.design.power import Aim, chance_of_missing
from beatpath.inference.design.sample_size import sample_size, with_more_battles
from beatpath.inference.design.sample_size_for_top import FewestForAll, sample_size_for_top
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.scores.scored import Scored
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.planned import close_field, clustered, rates_of, raw_scores

Z = NormalDist().inv_cdf


def two_agents(won, lost):
    return win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[won, lost, 0, 0]]))


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
    optimum = minimize(
        lambda x: np.exp(x).sum() / plan.battles,
        start,
        jac=lambda x: np.exp(x) / plan.battles,
        bounds=[(np.log(n), None) for n in played],
        constraints={"type": "ineq", "fun": left},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert left(optimum.x) > -1e-6
    # pairs may lie on the scale or off it, and then vary a little less: noise is planned for as if they lay on it
    assert plan.battles == pytest.approx(float((np.exp(optimum.x) - played).sum()), rel=0.08)
    assert plan.battles <= plan.spread


def test_the_plan_for_the_top_certifies_it_with_the_stated_power():
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
    assert plan.sentences[0].startswith("Settling first place takes about ")
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
    assert chance_of_missing(Z(0.975), planned.df[first, others], size).sum() <= 0.3  # lack of fit anew


def test_two_agents_need_the_same_to_be_separated_and_to_settle_first_place():
    rates = two_agents(56, 44)
    board = scores_from(rates)
    plan = sample_size_for_top(Scored(rates, board))
    assert plan.battles == pytest.approx(sample_size(Scored(rates, board), "ada", "bob").direct.number, abs=2)
    assert plan.sentences[0] == "Settling first place takes about 450 more battles between 'ada' and 'bob'."


def test_a_settled_top_needs_nothing_and_a_tied_one_cannot_be_planned():
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


@pytest.mark.parametrize(("each", "enough"), [(0.085, True), (0.105, True), (0.13, False), (0.15, False)])
def test_two_rivals_are_detected_together_as_often_as_a_normal_integral_says(each, enough):
    """Scores of equal variance: the two differences have a correlation of one half."""
    variance, aim = np.full(2, 2e-4), Aim(power=0.8)

    class Known(FewestForAll):
        def __init__(self):
            self.aim, self.at = aim, (np.array([0, 0]), np.array([1, 2]))
            self.gap = np.sqrt(variance) * (aim.critical - norm.ppf(each))
            self.draws = np.random.default_rng(0).standard_normal((20_000, 3))

        def _after(self, extra):
            return 1e-4 * np.eye(3), variance, np.full(2, np.inf)

    search = Known()
    assert search._missed(variance, np.full(2, np.inf)) == pytest.approx([each, each], abs=1e-4)
    both = multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([-norm.ppf(each)] * 2)
    assert (both >= aim.power) == enough
    assert search._enough(np.zeros(0)) is enough
