"""Bradley-Terry as a projection: statsmodels for the sandwich, brute force for every sum, simulation for the test of lack of fit."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

import beatpath as bp
from beatpath._errors import DataError, UsageError
from beatpath.inference.scale.projection import bradley_terry_projection
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.tastes import battles, every_pair, logistic, named, tasted


def test_strengths_are_those_of_the_rating_method():
    battles = replace(bp.example(), position=None)
    ranked = bp.rank(battles, "bradley_terry")
    board = bradley_terry_projection(win_rate_inference(battles)).board
    assert dict(zip(board.agents, board.score.tolist(), strict=True)) == pytest.approx(dict(ranked.scores), abs=1e-7)


def test_intervals_of_strengths_cover_as_often_as_they_say():
    """Twenty judges, each with a taste of its own for every agent."""
    from scipy.special import ndtr
    from scipy.stats import t as student

    rng, n, rounds, held = np.random.default_rng(12), 6, 80, []
    strength = np.linspace(0.8, -0.8, n)
    chance = logistic(strength)
    a, b = every_pair(n, 40)
    for _ in range(rounds):
        judge = rng.integers(20, size=len(a))
        taste = rng.normal(size=(20, n))
        noise = (taste[judge, a] - taste[judge, b]) / 2 + rng.normal(size=len(a)) / np.sqrt(2)
        board = bradley_terry_projection(
            win_rate_inference(battles(n, a, b, ndtr(noise) > 1 - chance[a, b], judge))
        ).board
        gap = board.differences[0, 1:] - (strength[0] - strength[1:])
        needed = student.ppf(0.975, board.df[0, 1:]) * np.sqrt(board.variance_of_differences[0, 1:])
        held += (np.abs(gap) < needed).tolist()
    assert 0.925 < np.mean(held) < 0.985


def test_exact_bradley_terry_rates_leave_no_residual():
    """Odds of 3, 3 and 9, a hundred thousand battles a pair."""
    rows = [[75_000, 25_000, 0, 0], [90_000, 10_000, 0, 0], [75_000, 25_000, 0, 0]]
    projection = bradley_terry_projection(win_rate_inference(bp.Pairs(named(3), [0, 0, 1], [1, 2, 2], rows)))
    assert projection.predicted == pytest.approx([0.75, 0.9, 0.75])
    assert (projection.lack_of_fit.rms, projection.defensible) == (0.0, True)
    assert projection.sentences[0].startswith(
        "A Bradley-Terry model is defensible: net of noise its predictions are off by 0.0 percentage points"
    )


@pytest.mark.parametrize(("spread", "low", "high"), [(0.0, 0.9, 1.1), (1.5, 0.5, 1.05)])
def test_standardized_residuals_vary_by_one_and_less_where_pairs_are_lopsided(spread, low, high):
    rng, z = np.random.default_rng(14), []
    for _ in range(60):
        battles = tasted(rng, 8, 30, 60, logistic(spread * rng.normal(size=8)))
        z.append(bradley_terry_projection(win_rate_inference(battles)).z)
    assert low < np.nanvar(np.concatenate(z)) < high


def test_a_pair_without_an_upset_does_not_lack_fit_for_want_of_a_variance():
    """Odds of 9 and 9 make odds of 81; nobody expects an upset in 20 battles."""
    rows = [[180, 20, 0, 0], [20, 0, 0, 0], [180, 20, 0, 0]]
    projection = bradley_terry_projection(win_rate_inference(bp.Pairs(named(3), [0, 0, 1], [1, 2, 2], rows)))
    assert np.abs(projection.z).max() < 1


def test_agents_that_always_won_or_lost_have_no_strength_and_spoil_nothing():
    rng = np.random.default_rng(3)
    a, b = every_pair(5, 30)
    outcome = (rng.random(len(a)) < 0.5).astype(float)
    core = battles(5, a, b, outcome)
    more_a, more_b = np.concatenate([a, np.full(60, 5)]), np.concatenate([b, np.repeat(np.arange(3), 20)])
    more = battles(6, more_a, more_b, np.concatenate([outcome, np.ones(60)]))
    one, two = (bradley_terry_projection(win_rate_inference(evidence)) for evidence in (core, more))
    assert np.isnan(two.board.score).tolist() == [False] * 5 + [True]
    assert two.board.score[:5] == pytest.approx(one.board.score)
    assert two.board.covariance[:5, :5] == pytest.approx(one.board.covariance)
    assert two.lack_of_fit == one.lack_of_fit
    assert np.isnan(two.predicted).sum() == 3
    assert any("'agent005' has no finite strength" in note for note in two.board.notes)


def test_without_any_path_of_wins_both_ways_there_is_no_projection():
    with pytest.raises(DataError, match="no strength is finite"):
        bradley_terry_projection(win_rate_inference(bp.Pairs(named(2), [0], [1], [[5, 0, 0, 0]])))


def test_equal_ballots_are_as_many_clusters():
    votes = [[["a"], ["b"], ["c"]], [["b"], ["c"], ["a"]], [["c"], ["b"], ["a"]], [["a"], ["c"], ["b"]]]
    count = [9, 5, 7, 6]
    once = bp.Ballots.of(votes, agents=("a", "b", "c"), count=count)
    written = bp.Ballots.of([v for v, n in zip(votes, count, strict=True) for _ in range(n)], agents=("a", "b", "c"))
    one, two = (bradley_terry_projection(win_rate_inference(evidence)) for evidence in (once, written))
    assert one.board.covariance == pytest.approx(two.board.covariance)
    assert asdict(one.lack_of_fit) == pytest.approx(asdict(two.lack_of_fit))
    assert one.z == pytest.approx(two.z)


def test_the_unit_of_weights_changes_nothing():
    rng = np.random.default_rng(5)
    battles = tasted(rng, 5, 20, 30, np.full((5, 5), 0.5))
    heavy = bp.Battles(
        battles.agents,
        battles.a,
        battles.b,
        battles.outcome,
        weight=np.full(len(battles.a), 7.0),
        factors=battles.factors,
    )
    one, two = (bradley_terry_projection(win_rate_inference(each)) for each in (battles, heavy))
    assert one.board.covariance == pytest.approx(two.board.covariance)
    assert one.lack_of_fit.p_value == pytest.approx(two.lack_of_fit.p_value)
    assert one.lack_of_fit.rms_high == pytest.approx(two.lack_of_fit.rms_high)
    assert one.z == pytest.approx(two.z)


def test_the_worst_pairs_are_named_from_the_side_that_wins_too_often():
    projection = bradley_terry_projection(win_rate_inference(bp.example()))
    worst = projection.worst(3)
    assert [one.z for one in worst] == sorted((one.z for one in worst), reverse=True)
    assert {frozenset((one.agent, one.rival)) for one in worst} == {
        frozenset(pair) for pair in (("aurora", "basalt"), ("basalt", "cinder"), ("aurora", "cinder"))
    }
    assert all(one.observed > one.predicted for one in worst)
    assert len(projection.worst(10_000)) == len(projection.pairwise.a)
    json.dumps(projection.to_dict(), allow_nan=False)


def test_a_level_outside_zero_and_one_is_refused():
    with pytest.raises(UsageError, match="level"):
        bradley_terry_projection(win_rate_inference(bp.example()), level=1)


def test_weights_too_far_apart_for_a_fit_are_a_sentence_and_other_answers_stay():
    """Nine quintillion times: Newton's steps end in rounding, and strengths of it would be anything."""
    rows = [("a", "b", 1), ("a", "c", 1), ("a", "c", 0), ("b", "c", 0.5)]
    battles = bp.Battles.of(rows, weight=[1, 1, 2.0**63, 1])
    with pytest.raises(bp.DataError, match=r"weights of comparable size.*from 1 to 9\.22e\+18.*does not converge"):
        bradley_terry_projection(battles)
    resolution = bp.resolve(battles)
    assert resolution.projection is None
    assert "comparable size" in resolution.one_scale.sentence
