"""Where a report comes from."""

import beatpath as bp
from beatpath import Battles, Margins, Pairs
from beatpath.analysis.provenance import counts_as_text
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


def test_the_text_of_counts_depends_on_no_order_of_agents():
    plain = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[5, 3, 2, 1], [4, 0, 0, 6]])
    turned = Pairs(("cyd", "bob", "ada"), [0, 1], [1, 2], [[0, 4, 0, 6], [3, 5, 2, 1]])
    lines = '["ada", "bob", 5.0, 3.0, 2.0, 1.0]\n["bob", "cyd", 4.0, 0.0, 0.0, 6.0]'
    assert counts_as_text(plain) == counts_as_text(turned) == lines
    margins = Margins([[0, 2], [-2, 0]], ("ada", "bob")), Margins([[0, -2], [2, 0]], ("bob", "ada"))
    assert [counts_as_text(one) for one in margins] == ['["ada", "bob", 2.0]\n["bob", "ada", -2.0]'] * 2
