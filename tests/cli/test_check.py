"""`beatpath check`: what was read, guessed and checked."""

import csv
import io

from helpers.command_line import BATTLES, beatpath
from helpers.schemas import validated


def test_check_says_what_it_read_and_what_it_guessed(games):
    done = beatpath("check", games)
    assert done.returncode == 0
    assert "(battles of 3 agents)" in done.stdout
    assert "agent_a=left" in done.stdout.replace("\n", "")
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_check_as_json_carries_everything(games):
    document = validated(beatpath("check", games, "--format", "json").stdout)
    assert document["schema_version"]
    assert document["agents"] == ["ada", "bob", "cyd"]
    assert document["reading"]["rows_read"] == 4
    assert {f["status"] for f in document["findings"]} <= {"failed", "warning", "passed", "not run"}
    order = ["failed", "warning", "passed", "not run"]
    places = [order.index(f["status"]) for f in document["findings"]]
    assert places == sorted(places)


def test_check_as_csv_and_markdown(games):
    rows = list(csv.DictReader(io.StringIO(beatpath("check", games, "--format", "csv").stdout)))
    assert {"status", "finding", "sentence", "consequence"} == set(rows[0])
    assert beatpath("check", games, "--format", "md").stdout.startswith("### No check failed, ")


def test_every_verb_leaves_battles_against_oneself_out_and_says_how_many(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(BATTLES + "ada,ada,tie\n")
    document = validated(beatpath("check", path, "--format", "json").stdout)
    finding = next(f for f in document["findings"] if f["name"] == "self-battles")
    assert finding["status"] == "warning"
    for verb in (["convert", path, tmp_path / "out.csv"], ["rank", path], ["core", path], ["resolve", path]):
        assert "agent against itself: 1" in beatpath(*verb).stderr
    done = beatpath("convert", path, tmp_path / "none.csv", "--self", "error")
    assert done.returncode == 1
    assert "row 5" in done.stderr
    assert not (tmp_path / "none.csv").exists()
