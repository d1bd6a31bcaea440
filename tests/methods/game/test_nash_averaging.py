import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings

import beatpath
from beatpath import Ballots, DataError, Margins, UsageError
from beatpath.inference.ranking.rank import rank
from beatpath.methods.game.zero_sum import equilibrium
from helpers.game_cases import OPEN_SPIEL, VASE, games, most_entropy, named, skew, table, tables


@settings(deadline=None, max_examples=60)
@given(tables())
def test_equilibria_agree_with_mixing_all_vertices_for_the_most_entropy(A):
    solution = equilibrium(A)
    assert solution.certificate > -1e-12
    for C, p, unique in (
        (A - solution.value, solution.row, solution.row_unique),
        (solution.value - A.T, solution.column, solution.column_unique),
    ):
        slow, count = most_entropy(C)
        np.testing.assert_allclose(p, slow, atol=1e-6)
        assert unique == (count == 1)


@settings(deadline=None)
@given(tables(most=7, largest=9))
def test_nobody_gains_by_leaving_the_equilibrium(A):
    solution = equilibrium(A)
    assert (solution.row @ A).min() >= solution.value - 1e-11
    assert (A @ solution.column).max() <= solution.value + 1e-11


@settings(deadline=None)
@given(games())
def test_against_agents_those_in_the_equilibrium_are_worth_nothing_and_nobody_more(M):
    ranking = rank(named(M), "nash_averaging")
    score = np.array([ranking.scores[name] for name in ranking.agents])
    assert score.max() == pytest.approx(0, abs=1e-11)
    assert all(abs(ranking.scores[name]) < 1e-9 for name in ranking.details["equilibrium"])


@pytest.mark.parametrize("case", OPEN_SPIEL["nash_averaging_agents"], ids=lambda case: f"{len(case['payoff'])} agents")
def test_agents_agree_with_open_spiel(case):
    ranking = rank(named(np.array(case["payoff"], dtype=float)), "nash_averaging", against="agents")
    np.testing.assert_allclose(list(ranking.scores.values()), case["score"], atol=1e-5)
    p = [ranking.details["equilibrium"].get(name, 0.0) for name in ranking.agents]
    np.testing.assert_allclose(p, case["equilibrium"], atol=1e-5)


@pytest.mark.parametrize("case", OPEN_SPIEL["nash_averaging_tasks"], ids=lambda case: f"{len(case['table'])} agents")
def test_tasks_agree_with_open_spiel(case):
    ranking = rank(table(case["table"]), "nash_averaging")
    np.testing.assert_allclose(list(ranking.scores.values()), case["score"], atol=1e-5)
    weights = [ranking.details["task_weights"].get(f"t{i}", 0.0) for i in range(len(case["tasks"]))]
    np.testing.assert_allclose(weights, case["tasks"], atol=1e-5)


def test_the_atari_equilibrium_is_the_one_printed(shared):
    printed = VASE["atari"]["nash_averaging"]
    ranking = rank(beatpath.read(shared / "atari_tables" / "atari_rainbow_table6.csv"), "nash_averaging")
    assert list(ranking.winners) == printed["tied_first"]
    assert ranking.details["value"] == pytest.approx(printed["value"], abs=5e-5)
    assert {t: round(w, 2) for t, w in ranking.details["task_weights"].items()} == printed["task_weights"]
    assert 1 - ranking.details["ignored_tasks"] == pytest.approx(printed["share_of_tasks_used"], abs=5e-4)


def test_a_task_on_which_all_score_the_same_is_left_out_and_reported():
    with_flat, without = table([[1, 5, 0], [0, 5, 1]]), table([[1, 0], [0, 1]])
    ranking = rank(with_flat, "nash_averaging")
    assert list(ranking.scores.values()) == list(rank(without, "nash_averaging").scores.values()) == [0.5, 0.5]
    assert ranking.details["constant_tasks"] == ["t1"]
    assert ranking.status == "1 task on which all agents score the same left out"
    assert ranking.details["ignored_tasks"] == pytest.approx(1 / 3)


def test_when_no_task_tells_agents_apart_all_are_tied():
    ranking = rank(table([[2, 5], [2, 5], [2, 5]]), "nash_averaging")
    assert len(ranking.levels) == 1
    assert "no task tells the agents apart" in ranking.status


def test_missing_scores_follow_the_policy_and_are_counted():
    holes = table([[1.0, np.nan], [0.0, 0.6], [0.5, 0.0]])
    mean = rank(holes, "nash_averaging")
    assert mean.status == "1 missing score taken as the mean score on the task"
    filled = rank(table([[1.0, 0.3], [0.0, 0.6], [0.5, 0.0]]), "nash_averaging")
    np.testing.assert_allclose(list(mean.scores.values()), list(filled.scores.values()), atol=1e-12)
    last = rank(holes, "nash_averaging", missing="last")
    worst = rank(table([[1.0, 0.0], [0.0, 0.6], [0.5, 0.0]]), "nash_averaging")
    np.testing.assert_allclose(list(last.scores.values()), list(worst.scores.values()), atol=1e-12)
    assert list(rank(holes, "nash_averaging", missing="drop_task").details["task_weights"]) == ["t0"]


def test_lower_is_better_turns_a_task_round():
    errors = table([[3, 1], [1, 1], [2, 0]], higher_is_better={"t0": False, "t1": False})
    gains = table([[-3, -1], [-1, -1], [-2, 0]])
    assert rank(errors, "nash_averaging").scores == rank(gains, "nash_averaging").scores


def test_copies_of_an_agent_or_a_task_change_nothing():
    cells = np.random.default_rng(2).integers(0, 50, (4, 5)).astype(float)
    once = rank(table(cells), "nash_averaging")
    again = rank(table(np.vstack([cells, cells[2]])[:, [0, 1, 2, 3, 4, 1, 1]]), "nash_averaging")
    for name in once.agents:
        assert once.scores[name] == pytest.approx(again.scores[name], abs=1e-9)


def test_payoffs_against_agents_are_means_whatever_the_number_of_battles():
    often = Ballots.of([[["x"], ["y"]]] * 9 + [[["y"], ["z"]], [["z"], ["x"]]])
    ranking = rank(often, "nash_averaging", against="agents")
    np.testing.assert_allclose(list(ranking.details["equilibrium"].values()), [1 / 3] * 3, atol=1e-12)


def test_rounding_in_the_payoffs_does_not_matter():
    M = skew(np.random.default_rng(0).normal(size=(5, 5))) / 3
    twice = np.block([[M, M], [M, M]])
    ranking = rank(named(twice), "nash_averaging")
    p = np.array([ranking.details["equilibrium"].get(name, 0.0) for name in ranking.agents])
    np.testing.assert_allclose(p[:5], p[5:], atol=1e-12)


def test_a_wrong_opponent_is_named():
    with pytest.raises(UsageError, match="`against` must be one of auto, agents, tasks; got 'task'"):
        rank(table([[1, 0], [0, 1]]), "nash_averaging", against="task")
    with pytest.raises(DataError, match="needs a score table"):
        rank(named(np.zeros((2, 2))), "nash_averaging", against="tasks")


@pytest.mark.parametrize("seed", range(4))
def test_iterated_levels_are_the_equilibria_of_who_is_left(seed):
    """By definition: level k is the support of the equilibrium without the levels above it."""
    cells = np.random.default_rng(seed).random((6, 5))
    cells = (cells - cells.min(axis=0)) / (cells.max(axis=0) - cells.min(axis=0))
    ranking = rank(table(cells), "nash_averaging", iterated=True)
    left = list(ranking.agents)
    for level, about in zip(ranking.levels, ranking.details["rounds"], strict=True):
        rows = [ranking.agents.index(name) for name in left]
        solution = equilibrium(cells[rows])
        assert {left[k] for k in np.flatnonzero(solution.row)} == set(level)
        assert about["value"] == pytest.approx(solution.value)
        left = [name for name in left if name not in level]
    assert not left
    assert ranking.scores[ranking.winners[0]] == len(ranking.levels)


def test_iterated_against_agents_ties_a_cycle_and_orders_the_rest():
    margins = np.array([[0, 1, -1, 1, 1], [-1, 0, 1, 1, 1], [1, -1, 0, 1, 1], [-1, -1, -1, 0, 1], [-1, -1, -1, -1, 0]])
    ranking = rank(Margins(margins, tuple("abcde")), "nash_averaging", iterated=True)
    assert ranking.levels == (("a", "b", "c"), ("d",), ("e",))
    assert list(ranking.scores.values()) == [3, 3, 3, 2, 1]


def test_memory_grows_with_the_number_of_tasks_and_not_with_its_square():
    """2,000 tasks: a program that is a dense table with two columns for each would take 70 MB."""
    rng = np.random.default_rng(0)
    hard, strong = rng.normal(size=2000), np.linspace(0, 1, 10)
    solved = (rng.random((10, 2000)) < 1 / (1 + np.exp(hard - strong[:, None]))).astype(float)
    solved[8] = solved[9]  # so that the equilibrium is not unique, and a program must say who can be part of one
    scores = beatpath.Scores.from_table(solved, [f"agent {i}" for i in range(10)], [f"task {j}" for j in range(2000)])
    tracemalloc.start()
    rank(scores, "nash_averaging")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20e6
