"""An account of what was read."""

import json

from beatpath.evidence import Reading


def test_every_row_is_used_or_dropped_for_a_reason_and_names_are_safe_to_print():
    made = Reading(("a\x1b.csv", "b", "c", "d"), "table", 10, 7, dropped={"no outcome": 2, "no name": 1})
    assert (
        str(made)
        == r"read 10 rows of a\x1b.csv, b, c and 1 more as table; used 7, dropped 3 (no outcome: 2, no name: 1)"
    )
    assert json.loads(json.dumps(made.to_dict()))["dropped"] == {"no outcome": 2, "no name": 1}
