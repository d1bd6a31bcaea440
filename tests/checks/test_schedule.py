"""The finding on schedules, and what the verdict says of it."""

import numpy as np

import beatpath as bp
from beatpath.checks import check


def king_of_the_hill(rng, n=5, battles=400):
    """Equal agents; the winner stays on."""
    king, rows = 0, []
    for _ in range(battles):
        rival = int(rng.choice([x for x in range(n) if x != king]))
        won = rng.random() < 0.5
        rows.append((f"agent{king}", f"agent{rival}", float(won)))
        king = king if won else rival
    return rows


def test_a_schedule_that_follows_outcomes_is_a_warning_in_check_and_in_the_verdict():
    told = bp.Battles.of(king_of_the_hill(np.random.default_rng(1)))
    found = check(told)["schedule"]
    assert found.status == "warning"
    assert "the winner of a battle played again before the loser" in found.sentence
    assert found.figures["by"] == "row"
    verdict = bp.resolve(told)
    assert any("steered who met whom (p = " in one for one in verdict.sentences)
    assert "had outcomes not steered who met whom" in verdict.test("agent0 > agent1").sentence


def test_a_schedule_drawn_beforehand_passes_and_the_verdict_is_silent():
    rng = np.random.default_rng(2)
    rows = king_of_the_hill(rng)
    told = bp.Battles.of([(a, b, float(rng.random() < 0.5)) for a, b, _ in rows])
    assert check(told)["schedule"].status == "passed"
    assert not any("seem to have steered" in one for one in bp.resolve(told).sentences)


def test_counts_have_no_order():
    told = bp.Battles.of(king_of_the_hill(np.random.default_rng(3))).pairs()
    assert check(told)["schedule"].status == "not run"
