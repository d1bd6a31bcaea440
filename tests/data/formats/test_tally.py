"""The account of a reading while it goes on."""

import pytest

from beatpath._errors import ReadError, UnknownLabel
from beatpath.data.formats.records import Hashes, Tally
from beatpath.data.sources.source import Options


def tally(**options):
    return Tally("test", (), Options(**options))


def test_every_battle_is_used_or_dropped_for_a_reason():
    collected = tally(self_battles="drop")
    for a, b, outcome in (
        ("x", "y", "a"),
        ("x", "y", "both_bad"),
        ("x", "x", "a"),
        ("x", "y", "drop"),
        ("y", "x", 0.25),
    ):
        collected.battle("here", a, b, outcome)
    battles = collected.battles()
    assert battles.outcome.tolist() == [1, 0.5, 0.25]
    assert battles.both_bad.tolist() == [False, True, False]
    assert (battles.reading.rows_read, battles.reading.rows_used) == (5, 3)
    assert battles.reading.dropped == {"agent against itself": 1, "label to be dropped": 1}


def test_the_users_meaning_comes_before_that_of_the_format():
    collected = tally(labels={"x": "tie"})
    assert collected.meaning("x", {"x": "a", "y": "b"}) == "tie"
    assert collected.meaning("y", {"x": "a", "y": "b"}) == "b"


def test_labels_that_nobody_knows_are_all_named_at_the_end():
    collected = tally()
    for label in ("odd", "odd", "strange"):
        assert collected.meaning(label, {"a": "a"}) is None
    with pytest.raises(UnknownLabel, match=r"2 labels have none: 'odd' \(2\), 'strange' \(1\)"):
        collected.battles()


def test_two_runs_of_one_agent_on_one_task_are_replicates():
    collected = tally()
    for run in ("first", "second"):
        collected.use(agent="x", task="t", value=1.0, run=run)
    collected.use(agent="y", task="t", value=1.0, run="first")
    collected.replicate()
    assert collected.scores().factors["replicate"].names() == ["run 1", "run 2", None]
    assert "x on t" in collected.notes[0]


def test_nothing_left_says_what_was_dropped():
    collected = tally()
    collected.drop("no verdict", 3)
    with pytest.raises(ReadError, match=r"at least one usable battle; all were dropped \(no verdict: 3\)"):
        collected.battles()


def test_files_must_speak_of_the_same_prompts():
    hashes = Hashes(Options())
    hashes.see("one.json", "t", "1", ("abc", None))
    hashes.see("two.json", "t", "1", ("abc", None))
    hashes.see("two.json", "t", "1", None)
    with pytest.raises(ReadError, match=r"task 't', item '1', has the hash abc in one\.json and abd in two\.json"):
        hashes.see("two.json", "t", "1", ("abd", None))
    Hashes(Options(columns={"hashes": "ignore"})).see("two.json", "t", "1", "abd")
