"""Score tables."""

import numpy as np
import pytest

from beatpath.checks import check
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
    found = check(SCORES)
    assert found["constant tasks"].figures["tasks"] == ["flat"]
    assert found["identical tasks"].figures["groups"] == [["twin", "twin2"]]


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
    found = check(items([0, 0, 1], "ttt", "121"))
    assert found["missing cells"].status == "passed"
    assert found["missing items"].figures["count"] == 1
    assert found["missing items"].figures["agents"] == {"y": 1}


def test_uneven_replicates_are_a_warning():
    assert check(items([0, 0, 1], "ttt", "111"))["replicates"].status == "warning"
    assert check(items([0, 1], "tt", "11"))["replicates"].status == "passed"


def test_several_metrics_are_named():
    found = check(items([0, 1, 0, 1], "tttt", "1111", metric=Factor.of(["f1", "f1", "em", "em"])))["directions"]
    assert found.figures["metrics"] == ["em", "f1"]
    assert found.status == "warning"
