"""`beatpath convert`: from one format to another and back."""

import csv
import json
import subprocess
import sys

import pytest

BATTLES = "left,right,winner\nada,bob,left\nbob,cyd,tie\nada,cyd,right\ncyd,bob,left\n"


def beatpath(*arguments, stdin=None, **options):
    return subprocess.run(
        [sys.executable, "-m", "beatpath", *map(str, arguments)],
        check=False,
        input=stdin,
        capture_output=True,
        text=True,
        **options,
    )


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(BATTLES)
    return path


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
    assert json.loads(done.stdout)["kind"] == "pairs"
    counts = (tmp_path / "counts.csv").read_text().splitlines()
    assert counts[0].startswith("agent_a,agent_b,wins_a,wins_b,ties,both_bad")
    done = beatpath("convert", games, tmp_path / "votes.toi")
    assert done.returncode == 0, done.stderr
    assert "# NUMBER ALTERNATIVES: 3" in (tmp_path / "votes.toi").read_text()
