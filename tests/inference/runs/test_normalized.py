"""Scores on the scale of two references."""

import numpy as np
import pytest

import beatpath as bp

TABLE = bp.Scores.from_table(
    [[1.7, 0.1], [30.5, 16.9], [400.0, 8.5]], ["random", "human", "dqn"], ["breakout", "boxing"]
)


def test_a_human_is_one_and_a_random_player_zero():
    rescaled = bp.metrics.normalized(TABLE, zero="random", one="human")
    assert rescaled.agents == ("dqn",)
    assert rescaled.value == pytest.approx([(400 - 1.7) / (30.5 - 1.7), 0.5])


def test_references_may_be_numbers_and_numbers_by_task():
    plain = bp.metrics.normalized(TABLE, zero=0.0, one={"breakout": 100.0, "boxing": 10.0})
    assert len(plain.agents) == 3
    assert plain.value[plain.agent == 2] == pytest.approx([4.0, 0.85])


def test_where_lower_is_better_the_better_reference_is_still_one():
    scores = bp.Scores.from_table([[9.0], [5.0], [3.0]], ["slow", "fast", "ada"], ["s"], higher_is_better={"s": False})
    rescaled = bp.metrics.normalized(scores, zero="slow", one="fast")
    assert rescaled.value == pytest.approx([1.5])
    assert rescaled.sign().tolist() == [1.0]


def test_the_convention_is_reported():
    rescaled = bp.metrics.normalized(TABLE, zero="random", one="human")
    assert any("random at 0 to human at 1" in made.meaning for made in rescaled.conventions)
    board = bp.leaderboard(rescaled, estimand="iqm", cluster="task")
    assert "random at 0 to human at 1" in board.estimand


def test_references_that_are_equal_missing_or_unknown_are_refused():
    with pytest.raises(bp.DataError, match="both are 5 on 'b"):
        bp.metrics.normalized(TABLE, zero=5.0, one=5.0)
    with pytest.raises(bp.UsageError, match="Did you mean 'human'"):
        bp.metrics.normalized(TABLE, zero="random", one="humna")
    with pytest.raises(bp.UsageError, match="none for 'boxing'"):
        bp.metrics.normalized(TABLE, zero=0.0, one={"breakout": 1.0})
    hole = bp.Scores.from_table([[1.0, np.nan], [2.0, 3.0]], ["r", "a"], ["x", "y"])
    with pytest.raises(bp.DataError, match="'r' has none on 'y'"):
        bp.metrics.normalized(hole, zero="r", one=9.0)
