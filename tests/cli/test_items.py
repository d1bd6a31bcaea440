"""``beatpath items``."""

import csv
import io
import json

import pytest
from typer.testing import CliRunner

from beatpath import UsageError
from beatpath.cli.main import app
from helpers.schemas import validated

ROWS = {"ada": "111100", "bob": "110110", "cyd": "101000", "dan": "100000"}


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    lines = [f"{agent},q{j},{right}" for agent, row in ROWS.items() for j, right in enumerate(row)]
    path.write_text("\n".join(["agent,item,score", *lines]))
    return str(path)


def output(*words):
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_every_format_has_the_items(scores):
    assert output("items", scores).startswith("The 6 items are worth")
    data = validated(json.loads(output("items", scores, "--format", "json")))
    assert {one["item"]: one["flag"] for one in data["items"] if one["flag"]} == {
        "q0": "everybody solves it",
        "q5": "nobody solves it",
    }
    assert len(list(csv.DictReader(io.StringIO(output("items", scores, "--format", "csv"))))) == 6
    assert "| q5 |" in output("items", scores, "--format", "md")


def test_the_best_agents_are_as_many_as_requested(scores):
    assert "do not tell the 2 best agents apart" in " ".join(output("items", scores, "--top", "2").split())


def test_a_claim_that_all_items_leave_open_says_that_none_are_left(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("agent,item,score\nx,q1,1\ny,q1,0\nx,q2,0\ny,q2,1\n")
    out = " ".join(output("items", str(path), "--claim", "x > y").split())
    assert "is not shown after 2 items of 2 (estimated difference +0). No items are left to run." in out
    assert "needed" not in out


@pytest.mark.parametrize(
    ("words", "flag"), [(["--batch", "3"], "--batch"), (["--claim", "ada > bob", "--top", "3"], "--top")]
)
def test_an_option_that_the_answer_does_not_use_is_refused(scores, words, flag):
    done = CliRunner().invoke(app, ["items", scores, *words])
    assert isinstance(done.exception, UsageError)
    assert str(done.exception).startswith(f"`{flag}`")
