"""Ballots and who cast them."""

import pytest

from beatpath.checks import check
from beatpath.evidence import Ballots, Factor

BALLOTS = Ballots.of(
    [[], [["a"]], [["a", "b"], ["c"]], [["c"], ["b"], ["a"]]], agents=["a", "b", "c", "d"], count=[1, 2, 3, 4]
)


def test_ballots_by_hand():
    report = check(BALLOTS)
    assert report["complete ballots"].figures == {
        "ballots": 10,
        "complete": 0,
        "incomplete": 10,
        "single": 2,
        "empty": 1,
    }
    assert report["never ranked"].figures["agents"] == ["d"]
    assert report["connected"].figures["parts"] == [["a", "b", "c"], ["d"]]
    ties = report["ties"].figures  # three voters tie one of their three comparisons, four voters none
    assert (ties["ballots with ties"], ties["comparisons"], ties["tied share"]) == (3, 21, pytest.approx(3 / 21))


def test_complete_ballots_pass():
    report = check(Ballots.of([[["a"], ["b"]], [["b"], ["a"]]]))
    assert {report[name].status for name in ("complete ballots", "never ranked", "ties", "connected")} == {"passed"}


def test_voters_with_several_ballots_are_named():
    ballots = Ballots.of([[["a"], ["b"]]] * 3, factors={"voter": Factor.of(["ann", "ben", "ann"])})
    finding = check(ballots)["repeat voters"]
    assert finding.figures == {"voters": 2, "repeat": 1, "max": 2}
    assert "'ann'" in finding.sentence


def test_weighted_ballots_are_worth_fewer():
    ballots = Ballots.of([[["a"], ["b"]], [["b"], ["a"]]], weight=[1, 3], count=[2, 3])
    assert check(ballots)["weights"].figures["effective"] == pytest.approx(11**2 / (2 * 1 + 3 * 9))
