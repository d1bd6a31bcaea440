"""`beatpath convert`: from one format to another and back."""

import csv
import os

import pytest

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


@pytest.mark.parametrize("name", ["games.csv", "./games.csv", "link.csv"])
def test_what_is_read_is_not_written_over(tmp_path, games, name):
    (tmp_path / "link.csv").symlink_to(games)
    before = games.read_bytes()
    done = beatpath("convert", "games.csv", name, cwd=tmp_path)
    assert done.returncode == 2
    assert "the output must not be a file that is read" in done.stderr
    assert games.read_bytes() == before


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("no/where.csv", "the folder of the output must exist"),
        ("out.xlsx", "must end in one of"),
        (".csv/", "must end"),
    ],
)
def test_the_output_is_looked_at_before_the_input(tmp_path, out, message):
    done = beatpath("convert", tmp_path / "not_there.csv", out, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "not_there" not in done.stderr


@pytest.mark.posix
@pytest.mark.parametrize("ending", ["csv", "parquet", "toi"])
def test_a_disk_without_room_is_a_sentence_and_leaves_nothing(tmp_path, ending):
    import resource

    done = beatpath(
        *("convert", "--example", f"out.{ending}"),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert done.returncode == 2, done.stderr
    assert f"must go where a file can be written; out.{ending} cannot be: File too large." in done.stderr
    assert os.listdir(tmp_path) == []
