"""Units by kind: a million battles are few kinds."""

import json

import beatpath as bp
from beatpath import Pairs
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set


def test_names_are_shown_safely_and_results_are_plain_data():
    evil, script = "a\x1b[31m\n", "<script>"
    removal = smallest_influential_set(Pairs((evil, script), [0], [1], [[7, 3, 0, 0]]), "borda")
    assert "\x1b" not in removal.sentences[0]
    assert "<script>" not in removal._repr_html_()
    assert json.loads(json.dumps(removal.to_dict(), allow_nan=False))["needed"] == 5
    assert removal.to_dict()["removed"] == [
        {"count": 5, "agent": evil, "rival": script, "outcome": "won", "level": None}
    ]


def test_a_million_battles_are_searched_by_kind_in_seconds(shared):
    pairs = bp.read(shared / "chatbot_arena_20240814_counts" / "pair_counts.csv")
    removal = smallest_influential_set(pairs)
    assert removal.verified
    assert removal.share < 0.001
    assert 1 < removal.at_least <= removal.needed
