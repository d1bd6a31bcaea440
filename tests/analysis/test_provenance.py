"""Where a report comes from."""

import beatpath as bp
from beatpath import Battles
from beatpath.reports.report import report


def test_the_hash_is_that_of_the_file(tmp_path):
    import hashlib

    path = tmp_path / "b.csv"
    path.write_text("model_a,model_b,winner\nada,bob,model_a\nbob,ada,model_a\nada,bob,model_a\n")
    made = report(bp.read(path))
    assert list(made.provenance.sources.values()) == [hashlib.sha256(path.read_bytes()).hexdigest()]
    assert made.title == "Report on b.csv"


def test_without_a_file_the_hash_is_of_the_counts_whatever_their_order():
    rows = [("ada", "bob", 1.0), ("bob", "cyd", 0.5), ("cyd", "ada", 1.0)]
    one, other = (report(Battles.of(list(order))).provenance.sources for order in (rows, rows[::-1]))
    assert one == other
