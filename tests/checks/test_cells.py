"""Score tables."""

import shlex

import numpy as np
import pytest

from beatpath.checks import check
from beatpath.checks.cells import missing_cells
from beatpath.checks.finding import CheckLimits
from beatpath.evidence import Factor, Scores

TABLE = [[1.0, 1, np.nan, 2, 1], [1, 1, 3, 0, 1], [1, 2, np.nan, 5, 2]]
SCORES = Scores.from_table(TABLE, ["zoe", "ada", "bob"], ["flat", "twin", "holey", "loss", "twin2"])


def test_missing_cells_by_hand():
    finding = check(SCORES)["missing cells"]
    assert finding.figures["share"] == pytest.approx(2 / 15)
    assert finding.figures["agents"] == {"bob": 1, "zoe": 1}
    assert finding.figures["tasks"] == {"holey": 2}
    assert finding.status == "warning"


def test_constant_and_identical_tasks_are_named():
    report = check(SCORES)
    assert report["constant tasks"].figures["tasks"] == ["flat"]
    assert report["identical tasks"].figures["groups"] == [["twin", "twin2"]]


def right_and_wrong(n_same=277, only_new=17, only_base=6):
    """Two runs on questions that they mostly answer alike."""
    base = [1.0] * (n_same - 120) + [0.0] * 120 + [0.0] * only_new + [1.0] * only_base
    new = [*base[:n_same], *[1.0] * only_new, *[0.0] * only_base]
    return Scores.from_table([base, new], ["base", "new"], [f"q{i:03}" for i in range(len(base))])


def test_right_and_wrong_answers_of_two_runs_are_neither_copies_nor_in_different_units():
    """Columns of two right or wrong answers are of four kinds, and every standard deviation is 0 or one half."""
    report = check(right_and_wrong())
    assert report["identical tasks"].status == report["scales"].status == "passed"
    assert report["constant tasks"].figures["count"] == 277


def test_constant_tasks_are_not_also_called_copies():
    table = np.random.default_rng(0).normal(size=(6, 8))
    table[:, :2] = 1.0
    assert check(Scores.from_table(table, list("uvwxyz"), list("abcdefgh")))["identical tasks"].status == "passed"


def test_a_task_with_one_score_is_not_called_constant():
    assert "holey" not in check(SCORES)["constant tasks"].figures["tasks"]


def test_a_name_that_suggests_lower_is_better_is_doubted_until_stated():
    assert check(SCORES)["directions"].figures["doubtful"] == ["loss"]
    stated = Scores.from_table(TABLE, SCORES.agents, list("abcde"), higher_is_better={"d": False})
    assert check(stated)["directions"].status == "passed"
    assert "Lower is better for 'd'" in check(stated)["directions"].sentence


def test_glossary_is_no_loss():
    scores = Scores.from_table([[1.0, 2], [2, 1]], ["x", "y"], ["glossary", "terror"])
    assert check(scores)["directions"].status == "passed"


def items(agent, task, item, **more):
    return Scores(
        ("x", "y"),
        agent,
        np.arange(len(agent), dtype=float),
        {"task": Factor.of(task), "item": Factor.of(item), **more},
    )


def test_items_are_checked_beside_tasks():
    report = check(items([0, 0, 1], "ttt", "121"))
    assert report["missing cells"].status == "passed"
    assert report["missing items"].figures["count"] == 1
    assert report["missing items"].figures["agents"] == {"y": 1}


def test_uneven_replicates_are_a_warning():
    assert check(items([0, 0, 1], "ttt", "111"))["replicates"].status == "warning"
    assert check(items([0, 1], "tt", "11"))["replicates"].status == "passed"


def test_several_metrics_are_named():
    finding = check(items([0, 1, 0, 1], "tttt", "1111", metric=Factor.of(["f1", "f1", "em", "em"])))["directions"]
    assert finding.figures["metrics"] == ["em", "f1"]
    assert finding.status == "warning"


@pytest.mark.parametrize(
    "name",
    [
        "log_loss",
        "LogLoss",
        "latency (ms)",
        "error rate",
        "errorRate",
        "perplexity",
        "WER",
        "cost_usd",
        "runtime",
        "time",
        "nll",
        "Brier",
    ],
)
def test_names_of_what_should_be_small_are_doubted(name):
    scores = Scores.from_table([[1.0, 2], [2, 1]], ["x", "y"], ["math", name])
    assert scores.lower_by_name == [name]
    assert f"`--lower {shlex.quote(name)}`" in check(scores)["directions"].consequence


@pytest.mark.parametrize("name", ["time_series", "lossless", "timeline", "costume", "mmse", "serial", "accuracy"])
def test_names_of_what_may_be_large_are_not_doubted(name):
    assert Scores.from_table([[1.0, 2], [2, 1]], ["x", "y"], ["math", name]).lower_by_name == []


def test_tasks_on_different_scales_are_a_warning_that_names_the_largest():
    table = np.random.default_rng(0).normal(size=(6, 4)) * [1, 1, 1, 300]
    finding = check(Scores.from_table(table, list("uvwxyz"), ["pong", "chess", "go", "score"]))["scales"]
    assert finding.status == "warning"
    assert "'score'" in finding.sentence
    assert check(Scores.from_table(table[:, :3], list("uvwxyz"), ["pong", "chess", "go"]))["scales"].status == "passed"


def test_an_agent_that_was_hardly_tried_is_named():
    table = np.random.default_rng(0).normal(size=(4, 91))
    table[2, 1:] = np.nan
    report = check(Scores.from_table(table, ["ada", "bob", "cyd", "dan"], [f"t{t:02d}" for t in range(91)]))
    assert "Agents with few tasks: 'cyd' (1 of 91 tasks)." in report["missing cells"].sentence


@pytest.mark.parametrize(
    ("tasks", "present", "named"),
    [(1, 0, False), (2, 1, True), (2, 2, False), (20, 1, True), (20, 2, False), (30, 2, True), (30, 3, False)],
)
def test_few_tasks_are_one_or_less_than_a_tenth(tasks, present, named):
    table = np.ones((3, tasks))
    table[0, present:], table[1, 0] = np.nan, np.nan
    finding = missing_cells(table, tuple(f"t{i}" for i in range(tasks)), ("ada", "bob", "cyd"), CheckLimits())
    assert (f" Agents with few tasks: 'ada' ({present} of {tasks} tasks)" in finding.sentence) == named


def test_agents_and_tasks_with_as_many_holes_are_all_named():
    table = np.array([[np.nan, 1.0, 0.5], [0.2, np.nan, 0.1], [0.3, 0.9, 0.4]])
    sentence = check(Scores.from_table(table, ["a", "b", "c"], ["t", "u", "v"]))["missing cells"].sentence
    assert sentence.startswith(
        "2 of 9 cells (22.2 %) are empty; most for agents 'a', 'b' (1 of 3 tasks) and tasks 't', 'u' (1 of 3 agents)."
    )


def test_tasks_with_scores_as_wide_are_all_named():
    table = np.array([[0.1, 0.2, 0.4, 100, 300], [0.3, 0.1, 0.5, 300, 100], [0.2, 0.3, 0.6, 200, 200.0]])
    finding = check(Scores.from_table(table, ["a", "b", "c"], ["r", "s", "t", "u", "v"]))["scales"]
    assert finding.figures["tasks"] == ["u", "v"]
    assert "on 'u', 'v' and" in finding.sentence
