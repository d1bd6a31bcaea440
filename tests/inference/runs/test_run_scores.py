"""Measures side by side."""

import numpy as np
import pytest

import beatpath as bp
from helpers.run_tables import scores_of

X = np.random.default_rng(4).random((3, 6, 4)) + np.array([0.0, 0.1, 0.2])[:, None, None]


def test_every_measure_has_two_intervals_that_hold_its_score():
    run_scores = bp.metrics.run_scores(bp.metrics.normalized(scores_of(X), zero=0.0, one=1.5))
    assert set(run_scores.measures) == {"iqm", "mean_score", "median", "optimality_gap", "probability_of_improvement"}
    for low, high in ((run_scores.low, run_scores.high), (run_scores.like_low, run_scores.like_high)):
        assert (low <= run_scores.score).all()
        assert (run_scores.score <= high).all()
    gap = run_scores.score[run_scores.measures.index("optimality_gap")]
    assert gap == pytest.approx(1 - np.minimum(X / 1.5, 1).mean(axis=(1, 2)))


def test_scores_without_a_target_have_no_optimality_gap_and_get_a_note():
    run_scores = bp.metrics.run_scores(scores_of(10 * X))
    assert "optimality_gap" not in run_scores.measures
    assert any("no optimality gap" in sentence for sentence in run_scores.sentences)


def test_one_run_leaves_out_these_tasks_and_one_task_tasks_like_it():
    single, alone = bp.metrics.run_scores(scores_of(X[:, :, :1])), bp.metrics.run_scores(scores_of(X[:, :1]))
    assert np.isnan(single.low).all()
    assert "takes two runs of every agent on every task" in str(single)
    assert np.isnan(alone.like_low).all()
    assert "there is one" in str(alone)


def test_an_improvement_the_other_way_round_is_one_less_it():
    run_scores = bp.metrics.run_scores(scores_of(X))
    one, other = run_scores.improvement("a", "b"), run_scores.improvement("b", "a")
    assert one.probability + other.probability == pytest.approx(1)
    assert (one.low, one.like_high) == pytest.approx((1 - other.high, 1 - other.like_low))
    with pytest.raises(bp.UsageError, match="one of the agents"):
        run_scores.improvement("a", "zed")


def test_the_same_seed_gives_the_same_and_another_another():
    one, same, other = (bp.metrics.run_scores(scores_of(X), draws=200, seed=s) for s in (1, 1, 2))
    assert one.to_dict() == same.to_dict()
    assert (one.low != other.low).any()


def test_levels_and_draws_are_held_to_their_limits():
    for options in ({"level": 1.0}, {"draws": 0}):
        with pytest.raises(bp.UsageError, match="must"):
            bp.metrics.run_scores(scores_of(X), **options)


def test_of_too_many_agents_no_pairs_are_listed():
    names = [f"agent-{i:02d}" for i in range(31)]
    run_scores = bp.metrics.run_scores(scores_of(np.random.default_rng(0).random((31, 3, 2)), names), draws=50)
    assert run_scores.improvements == ()
    assert np.isfinite(run_scores.like_high).all()
    with pytest.raises(bp.UsageError, match="30 at most"):
        run_scores.improvement(names[0], names[1])


def test_an_agent_that_leads_by_several_measures_is_named_once():
    sentences = bp.metrics.run_scores(scores_of(X)).sentences
    leaders = [
        sentence.split(" lead")[0] for sentence in sentences if " leads by " in sentence or " lead by " in sentence
    ]
    assert leaders
    assert len(leaders) == len(set(leaders))


def test_a_single_agent_leads_nobody():
    result = bp.metrics.run_scores(bp.Scores.from_table([[0.2, 0.4, 0.6, 1.0]], ["ada"], "wxyz"))
    assert (
        result.sentences[0]
        == "'ada' is the only agent: interquartile mean (0.5), mean (0.55), median (0.5) and optimality gap (0.45)."
    )
    assert "probability_of_improvement" not in result.measures
