"""Units by kind: a million battles are few kinds."""

import json

import beatpath as bp
from beatpath import Pairs
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set


def test_names_are_shown_safely_and_results_are_plain_data():
    evil, script = "a\x1b[31m\n", "<script>"
    found = smallest_influential_set(Pairs((evil, script), [0], [1], [[7, 3, 0, 0]]), "borda")
    assert "\x1b" not in found.sentences[0]
    assert "<script>" not in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["needed"] == 5
    assert found.to_dict()["removed"] == [{"count": 5, "agent": evil, "rival": script, "outcome": "won", "level": None}]


def test_a_million_battles_are_searched_by_kind_in_seconds(shared):
    pairs = bp.read(shared / "chatbot_arena_20240814_counts" / "pair_counts.csv")
    found = smallest_influential_set(pairs)
    assert found.verified
    assert found.share < 0.001
    assert 1 < found.at_least <= found.needed
