"""Mean scores: paired differences, by tasks."""

from itertools import permutations

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.scores.estimands import leaderboard


def test_mean_scores_have_the_errors_of_paired_differences():
    rng = np.random.default_rng(2)
    table = rng.normal(size=(4, 30)) + rng.normal(size=30)
    board = leaderboard(
        bp.Scores.from_table(table, list("abcd"), [f"t{i:02d}" for i in range(30)]), estimand="mean_score"
    )
    gap = table[0] - table[1]
    assert board.score == pytest.approx(table.mean(axis=1))
    assert board.variance_of_differences[0, 1] == pytest.approx(gap.var(ddof=1) / 30)
    assert board.df == pytest.approx(np.full((4, 4), 29.0))


def test_empty_cells_are_reported_and_an_agent_with_one_task_is_refused():
    table = [[1.0, 2.0, 3.0], [2.0, np.nan, 1.0]]
    board = leaderboard(bp.Scores.from_table(table, ["x", "y"], ["r", "s", "t"]), estimand="mean_score")
    assert board.score == pytest.approx([2.0, 1.5])  # y lies half a point below x where both were tried
    assert any("1 of 6 cells of the table are empty" in note for note in board.notes)
    with pytest.raises(bp.DataError, match=r"'y' has 1"):
        leaderboard(bp.Scores.from_table([[1.0, 2.0], [2.0, np.nan]], ["x", "y"], ["s", "t"]), estimand="mean_score")


def test_weights_of_tasks_are_weights_of_their_scores():
    table = np.array([[1.0, 2.0, 6.0], [2.0, 4.0, 3.0]])
    scores = bp.Scores.from_table(table, ["x", "y"], ["r", "s", "t"])
    board = leaderboard(scores, estimand="mean_score", weights={"t": 2.0})
    assert board.score == pytest.approx(table @ [0.25, 0.25, 0.5])


def test_battles_have_no_mean_score():
    with pytest.raises(bp.DataError, match="table of scores"):
        leaderboard(bp.example(), estimand="mean_score")


def test_agents_with_fewer_than_ten_battles_are_named_and_those_with_none_are_not():
    counts = [[5, 4, 0, 0], [20, 21, 0, 0], [5, 5, 0, 0]]
    board = bp.leaderboard(bp.Pairs(("few", "some", "many", "ten", "none"), [0, 1, 1], [2, 2, 3], counts))
    (note,) = (one for one in board.notes if "fewer than 10 battles" in one)
    assert note.startswith("1 agent has fewer than 10 battles: 'few'.")


def test_a_table_that_is_additive_but_for_rounding_has_the_same_errors_under_other_names():
    """Residuals of the model of agents and tasks are rounding here, whose signs depend on the order of the agents."""
    nan = float("nan")
    rows = {"once": [nan, nan, 7.0], "twice": [5.0, 6.0, nan], "always": [8.0, 9.0, 10.0]}

    def variances(order):
        board = leaderboard(bp.Scores.from_table([rows[name] for name in order], order, ["t1", "t2", "t3"]))
        return dict(zip(order, np.diag(board.covariance).tolist(), strict=True))

    one, other = variances(["once", "twice", "always"]), variances(["twice", "always", "once"])
    assert one == pytest.approx(other, rel=1e-9)


def test_only_tasks_with_all_agents_count_where_others_are_dropped():
    table = [[1.0, 2.0, 3.0, 5.0], [2.0, np.nan, 1.0, 0.0]]
    scores = bp.Scores.from_table(table, ["x", "y"], ["r", "s", "t", "u"])
    assert leaderboard(scores, estimand="mean_score", missing="drop_task").score == pytest.approx([3.0, 1.0])


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_an_agent_with_the_same_score_everywhere_has_no_standard_error_whatever_its_place(order):
    """One of three agents lacks an item. Rounding had left the others a variance of 2e-32, and an interval of no width."""
    table = np.array([[-1.0, -1.0, -1.0], [-3.0, -3.0, -3.0], [-2.0, np.nan, -1.5]])[list(order)]
    board = leaderboard(bp.Scores.from_table(table, tuple("abc"), tuple("xyz")), estimand="mean_score")
    assert [board.covariance[k, k] for k in map(order.index, (0, 1))] == [0.0, 0.0]
