"""`beatpath convert`: from one format to another and back."""

import csv

from helpers.command_line import beatpath
from helpers.schemas import validated


def test_convert_goes_round_and_names_what_is_lost(tmp_path, games):
    steps = [(games, "a.parquet"), (tmp_path / "a.parquet", "b.jsonl"), (tmp_path / "b.jsonl", "c.csv")]
    for source, target in steps:
        assert beatpath("convert", source, tmp_path / target).returncode == 0
    rows = list(csv.DictReader((tmp_path / "c.csv").read_text().splitlines()))
    assert [(r["agent_a"], r["agent_b"], float(r["outcome"])) for r in rows] == [
        ("ada", "bob", 1),
        ("bob", "cyd", 0.5),
        ("ada", "cyd", 0),
        ("cyd", "bob", 1),
    ]
    done = beatpath("convert", games, tmp_path / "counts.csv", "--to", "pairs", "--format", "json")
    assert validated(done.stdout)["kind"] == "pairs"
    counts = (tmp_path / "counts.csv").read_text().splitlines()
    assert counts[0].startswith("agent_a,agent_b,wins_a,wins_b,ties,both_bad")
    done = beatpath("convert", games, tmp_path / "votes.toi")
    assert done.returncode == 0, done.stderr
    assert "# NUMBER ALTERNATIVES: 3" in (tmp_path / "votes.toi").read_text()
