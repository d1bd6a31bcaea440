"""How much evidence there is, and how battles ended."""

import numpy as np
import pytest

from beatpath.checks import check
from beatpath.checks.outcomes import agent_totals
from beatpath.evidence import Battles, Pairs, Reading


def test_outcome_shares_by_hand():
    battles = Battles.of(
        [("x", "y", 1), ("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5), ("x", "y", 0.5), ("x", "y", 0.9)],
        both_bad=[False, False, False, False, True, False],
    )
    shares = check(battles)["outcomes"].figures["shares"]
    sixth = pytest.approx(1 / 6)
    assert shares == {"win a": pytest.approx(2 / 6), "win b": sixth, "tie": sixth, "both bad": sixth, "soft": sixth}


def test_nothing_but_ties_fails():
    finding = check(Battles.of([("x", "y", 0.5)] * 3))["outcomes"]
    assert (finding.status, finding.sentence) == ("failed", "3 battles: 100.0 % ties.")


def test_one_battle_in_five_tied_is_a_warning_and_one_in_six_is_not():
    assert check(Battles.of([("x", "y", 1)] * 4 + [("x", "y", 0.5)]))["ties"].status == "warning"
    assert check(Battles.of([("x", "y", 1)] * 5 + [("x", "y", 0.5)]))["ties"].status == "passed"


def test_self_battles_and_dropped_rows_come_from_the_reading():
    reading = Reading(("games.csv",), "table", 10, 7, dropped={"agent against itself": 2, "no outcome": 1})
    report = check(Battles.of([("x", "y", 1)], reading=reading))
    assert report["self-battles"].figures == {"count": 2, "rows": 10}
    assert report["dropped rows"].figures["count"] == 3
    assert report["dropped rows"].status == "warning"
    assert report["dropped rows"].sentence.startswith("3 of 10 rows (30.0 %) were left out")


def test_one_row_in_a_hundred_may_be_dropped():
    reading = Reading(("games.csv",), "table", 100, 99, dropped={"no outcome": 1})
    assert check(Battles.of([("x", "y", 1)], reading=reading))["dropped rows"].status == "passed"


def test_every_agents_wins_are_its_opponents_losses():
    totals = agent_totals(Pairs(("ada", "bob", "cyd"), [0, 0], [1, 2], [[3, 1, 2, 0], [0, 4, 0, 1]]))
    np.testing.assert_array_equal(totals, [[3, 5, 2, 1], [1, 3, 2, 0], [4, 0, 0, 1]])
    assert totals[:, 0].sum() == totals[:, 1].sum()


def test_outcomes_that_did_not_happen_are_not_counted_in_sentences():
    found = check(Battles.of([("x", "y", 1), ("y", "x", 1), ("x", "y", 0), ("x", "y", 0.5)]))
    assert found["ties"].sentence == "25.0 % of 4 battles are ties."
    assert (
        found["outcomes"].sentence == "4 battles: 50.0 % won by the first agent, 25.0 % won by the second, 25.0 % ties."
    )
