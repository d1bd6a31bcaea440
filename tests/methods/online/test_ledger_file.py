"""The file of a ledger."""

from beatpath import Battles
from beatpath.evidence import Factor
from beatpath.methods.online.ledger import load, save_ledger
from beatpath.online import Ledger


def test_the_same_ledger_is_the_same_file_and_comes_back_whole(tmp_path):
    battles = Battles.of([("x", "y", 0.7), ("y", "z", 1)], factors={"cluster": Factor.of(["one", None])})
    ledger = Ledger(by=["cluster"]).add(battles, batch="monday")
    save_ledger(ledger, tmp_path / "a")
    save_ledger(load(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    back = load(tmp_path / "b")
    assert (back.by, back.batches, back.pairs.agents) == (("cluster",), ("monday",), ("x", "y", "z"))
    assert back.pairs.counts.tolist() == ledger.pairs.counts.tolist()
