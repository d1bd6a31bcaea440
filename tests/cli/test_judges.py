"""``beatpath judges``."""

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from beatpath.cli.main import app
from helpers.command_line import beatpath
from helpers.judged import votes_of
from helpers.schemas import validated


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    rng = np.random.default_rng(0)
    who, a, b, outcome, _ = votes_of(rng, agents=4, judges=4, each=500, spread=1.5, reliability=[1, 1, 1, 0])
    lines = [f"m{a[t]},m{b[t]},{'model_a' if outcome[t] else 'model_b'},j{who[t]}" for t in range(len(who))]
    path = tmp_path_factory.mktemp("judges") / "games.csv"
    path.write_text("\n".join(["model_a,model_b,winner,judge", *lines]), encoding="utf-8")
    return str(path)


def stdout_of(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_json_is_what_its_schema_says(games):
    data = validated(json.loads(stdout_of("judges", games, "--format", "json")))
    assert [one["name"] for one in data["judges"] if one["alarms"]] == ["j3"]
    assert data["reading"]["rows_used"] == 2000


def test_the_table_begins_with_flagged_judges(games):
    text = stdout_of("judges", games)
    assert text.startswith("1 of 4 judges is flagged")
    assert "reliability" in text


def test_csv_has_one_row_a_judge_and_markdown_a_table(games):
    rows = list(csv.DictReader(io.StringIO(stdout_of("judges", games, "--format", "csv"))))
    assert {row["judge"] for row in rows} == {"j0", "j1", "j2", "j3"}
    assert "| judge |" in stdout_of("judges", games, "--format", "md")


def test_families_are_named_on_the_command_line(games):
    data = json.loads(stdout_of("judges", games, "--family", "j0=x,m0=x", "--format", "json"))
    assert "own_family" in next(one for one in data["judges"] if one["name"] == "j0")["shifts"]


def test_rank_puts_strengths_that_know_the_judges_beside_the_plain_ones_and_says_what_changed(games):
    text = " ".join(stdout_of("rank", games, "--judges", "aware").split())
    assert "With a reliability for each judge 'm" in text
    assert "predicts held-out votes better than equal weights" in text
    assert "for 'j3' to" in text
    data = validated(
        json.loads(stdout_of("rank", games, "-m", "bradley_terry", "--judges", "aware", "--format", "json"))
    )
    assert [one["method"] for one in data["results"]] == ["bradley_terry", "bradley_terry_judged"]


def test_rank_says_why_it_cannot_know_the_judges(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("model_a,model_b,winner,judge\na,b,model_a,j\nb,a,model_a,j\n")
    done = beatpath("rank", path, "--judges", "aware")
    assert done.returncode == 1
    assert "all votes are those of 'j'" in done.stderr


def test_rank_weighs_judges_and_says_so(games):
    text = stdout_of("rank", games, "-m", "bradley_terry", "--judges", "reliability")
    assert "is weighted by the reliability of its judge" in " ".join(text.split())
