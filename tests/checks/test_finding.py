"""Findings, checks as results, and plain data."""

import json

import numpy as np
import pytest

from beatpath._errors import UsageError
from beatpath._result import plain
from beatpath.checks.finding import DIGITS, Check, CheckLimits, Finding

WARNED = Finding("ties", "warning", "Half are ties.", "What a tie counts as decides.", {"share": np.float64(0.5)})
FAILED = Finding("connected", "failed", "Two components are not connected.", "Nothing compares them.")
CHECK = Check(("ada", "bob"), "win_rates", (Finding("judges", "not run", "No column names them."), WARNED, FAILED))


def test_findings_are_ordered_even_when_given_otherwise():
    report = Check(
        ("x",), "battles", (Finding("p", "passed", "."), Finding("w", "warning", "."), Finding("f", "failed", "."))
    )
    assert [f.name for f in report.findings] == ["f", "w", "p"]


def test_a_status_that_is_none_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match="got 'fine'"):
        Finding("amount", "fine", "All is well.")
    with pytest.raises(UsageError, match="Did you mean 'passed'"):
        Finding("amount", "pased", "All is well.")


def test_a_check_lists_the_amount_then_failures_then_warnings():
    title, failed, warned = CHECK.sentences
    assert title == "1 of 2 checks failed, 1 warns (win rates of 2 agents)."
    assert (failed, warned) == (FAILED.text, WARNED.text)
    assert repr(CHECK) == f"<Check: {title}>"


def test_a_check_has_one_row_a_finding():
    assert [row["finding"] for row in CHECK.rows()] == ["connected", "ties", "judges"]
    assert CHECK.rows()[1]["consequence"] == "What a tie counts as decides."


def test_findings_are_entries_of_a_check():
    assert WARNED.sentences == ("Half are ties.", "What a tie counts as decides.")
    assert WARNED.to_dict() == CHECK.to_dict()["findings"][1]
    assert WARNED.to_dict()["figures"] == {"share": 0.5}
    assert json.loads(json.dumps(CHECK.to_dict())) == CHECK.to_dict()


def test_plain_data_has_neither_arrays_nor_numbers_that_json_lacks():
    given = {"a": np.array([1.5, np.inf]), 2: (np.int32(3), np.bool_(True)), "b": {"c": np.nan}}
    assert plain(given, DIGITS) == {"a": [1.5, None], "2": [3, True], "b": {"c": None}}
    assert plain(0.1 + 0.2, DIGITS) == 0.3


def test_thirty_battles_make_a_win_rate_uncertain_by_eighteen_points():
    half = 1.96 * np.sqrt(0.25 / CheckLimits().few_battles)
    assert half == pytest.approx(0.18, abs=0.005)
