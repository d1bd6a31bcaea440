"""``beatpath runs``, and what other verbs say of tables with several runs."""

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from beatpath.cli.main import app
from helpers.schemas import validated


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    lines = [
        f"{agent},{game},{seed},{0.3 + 0.15 * a + 0.02 * g + 0.05 * rng.normal():.4f}"
        for a, agent in enumerate(("dqn", "<b>", "rainbow"))
        for g, game in enumerate(("pong", "chess", "go", "hex", "qbert", "enduro"))
        for seed in range(4)
    ]
    return written(tmp_path_factory, ["agent,game,seed,score", *lines])


@pytest.fixture(scope="module")
def one_task(tmp_path_factory):
    rng = np.random.default_rng(1)
    lines = [
        f"{agent},{agent}-{seed},{a + 0.3 * rng.normal():.4f}" for a, agent in enumerate("xyz") for seed in range(8)
    ]
    return written(tmp_path_factory, ["agent,seed,score", *lines])


def written(factory, lines):
    path = factory.mktemp("runs") / "scores.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def stdout_of(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_document_is_the_one_that_the_schema_describes(table):
    data = validated(json.loads(stdout_of("runs", table, "--format", "json")))
    assert data["type"] == "runs"
    measures = {row["measure"] for row in data["scores"]["scores"]}
    assert measures == {"iqm", "mean_score", "median", "optimality_gap", "probability_of_improvement"}
    assert data["differences"]["tasks"] == 6
    assert len(data["profile"]["share"]) == 3


def test_people_read_measures_profiles_and_mean_ranks(table):
    text = " ".join(stdout_of("runs", table, "-v").split())
    assert text.startswith("'rainbow' leads by interquartile mean")
    assert "The profile of 'rainbow' is nowhere below that of another agent" in text
    assert "The critical difference of mean ranks is" in text
    assert "| agent |" in stdout_of("runs", table, "--format", "md")
    rows = list(csv.DictReader(io.StringIO(stdout_of("runs", table, "--format", "csv"))))
    assert len(rows) == 15


def test_battles_have_no_runs():
    done = CliRunner().invoke(app, ["runs", "--example"])
    assert done.exit_code == 1


def test_check_says_how_much_of_the_variance_is_runs(table):
    finding = next(
        one
        for one in json.loads(stdout_of("check", table, "--format", "json"))["findings"]
        if one["name"] == "replicates"
    )
    assert "4 times" in finding["sentence"]
    # planted: agents 0.15 apart have a variance of 0.0225, runs one of 0.0025
    assert finding["figures"]["share of runs"] == pytest.approx(0.1, abs=0.05)


def test_rank_and_resolve_say_what_becomes_of_runs(table):
    assert "There are 4 seeds of an agent on a task" in " ".join(stdout_of("rank", table, "-m", "borda", "-v").split())
    text = " ".join(stdout_of("resolve", table, "-v").split())
    assert (
        "There are 4 seeds of an agent on a task: each counts by its mean, and results are for tasks like these" in text
    )


def test_the_runs_of_a_single_task_vote_also_where_their_names_differ(one_task):
    text = " ".join(stdout_of("resolve", one_task, "--claim", "z > x").split())
    assert "mean score over runs" in text
    assert "this says nothing about other tasks" in text
