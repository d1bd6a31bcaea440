"""A learned core as plain data."""

import json


def test_the_answer_is_plain_data(learned):
    plain = json.loads(json.dumps(learned.to_dict()))
    assert plain["core"]["top_cycle"]["members"] == ["a", "b", "c"]
    assert plain["probability"] == learned.probability.tolist()
    assert plain["settings"]["tau"] == {"high": 1.0, "low": 0.05}
    assert len(plain["history"]) == len(learned.history)
    assert plain["reliability"]["error"] < 0.1
