"""The findings on schedules, with what the verdict says of them, and on drift."""

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
    battles = bp.Battles.of(king_of_the_hill(np.random.default_rng(1)))
    finding = check(battles)["schedule"]
    assert finding.status == "warning"
    assert "winners play again before the losers" in finding.sentence
    assert finding.figures["by"] == "row"
    verdict = bp.resolve(battles)
    assert any("chosen by earlier outcomes (p = " in one for one in verdict.sentences)
    assert "if pairs were not chosen by earlier outcomes" in verdict.test("agent0 > agent1").sentence


def test_a_schedule_fixed_beforehand_passes_and_the_verdict_is_silent():
    rng = np.random.default_rng(2)
    rows = king_of_the_hill(rng)
    battles = bp.Battles.of([(a, b, float(rng.random() < 0.5)) for a, b, _ in rows])
    assert check(battles)["schedule"].status == "passed"
    assert not any("chosen by earlier outcomes (p" in one for one in bp.resolve(battles).sentences)


def test_counts_have_no_order():
    pairs = bp.Battles.of(king_of_the_hill(np.random.default_rng(3))).pairs()
    assert check(pairs)["schedule"].status == "not run"


def drifting(agents=5, battles=2000, drift=0.0, seed=0, **columns):
    """Battles in which the first agent gains `drift` in log odds from the first to the last."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, agents, battles)
    b = (a + rng.integers(1, agents, battles)) % agents
    time = np.arange(battles) / battles
    gap = drift * time * ((a == 0).astype(float) - (b == 0))
    won = (rng.random(battles) < 1 / (1 + np.exp(-gap))).astype(float)
    return bp.Battles(tuple(f"agent{i}" for i in range(agents)), a, b, won, time=time, **columns)


def test_an_agent_that_grows_stronger_is_named_with_what_it_gained():
    finding = check(drifting(drift=2.0))["drift"]
    assert finding.status == "warning"
    assert "the win rate of 'agent0' rose by " in finding.sentence
    first = finding.figures["trends"][0]
    assert (first["of"], first["what"]) == ("agent0", "strength")
    assert abs(first["change"] - (1 / (1 + np.exp(-2.0)) - 0.5)) < 4 * first["error"] + 0.05


def test_where_nothing_changes_the_sentence_says_what_would_have_been_seen():
    finding = check(drifting())["drift"]
    assert finding.status == "passed"
    assert "points is detected with 80 % power" in finding.sentence


def test_drift_needs_times_and_pairs_compared_again():
    timed = drifting()
    assert check(bp.Battles(timed.agents, timed.a, timed.b, timed.outcome))["drift"].status == "not run"
    assert check(bp.Battles.of([("x", "y", 1), ("y", "z", 1)], time=[1, 2]))["drift"].status == "not run"
    assert check(timed.pairs())["drift"].status == "not run"


def test_the_order_of_rows_and_the_unit_of_time_change_nothing():
    timed = drifting(drift=1.0)
    turned = timed.take(np.arange(len(timed))[::-1])
    later = bp.Battles(timed.agents, timed.a, timed.b, timed.outcome, time=3600 * timed.time + 5)
    assert check(turned)["drift"].sentence == check(timed)["drift"].sentence == check(later)["drift"].sentence
