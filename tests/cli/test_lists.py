"""What there is: documents and their schemas, formats, methods."""

import json

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from beatpath._schema import VERBS, document_classes
from beatpath.cli.main import app
from helpers.command_line import beatpath
from helpers.schemas import validated


def test_without_a_verb_everything_is_listed():
    done = beatpath("schema")
    assert done.returncode == 0
    first = {line.split()[0] for line in done.stdout.splitlines() if line}
    assert set(VERBS) | set(document_classes()) <= first


@pytest.mark.parametrize("words", [("check", "--example"), ("rank", "--example", "-m", "copeland"), ("methods",)])
def test_what_a_verb_prints_is_as_its_schema_says(words):
    schema = json.loads(beatpath("schema", words[0]).stdout)
    answer = json.loads(beatpath(*words, "--format", "json").stdout)
    Draft202012Validator(schema).validate(answer)


def test_an_unknown_verb_gets_a_sentence_and_the_nearest():
    done = beatpath("schema", "chek")
    assert done.returncode == 2
    assert "Did you mean 'check'" in " ".join(done.stderr.split())


def test_formats_lists_every_reader():
    done = validated(beatpath("formats", "--format", "json").stdout)
    assert {"preflib", "table", "inspect", "lm-eval", "pgn"} <= {row["format"] for row in done["formats"]}
    assert "battles" in {row["layout"] for row in done["layouts"]}


def test_methods_prints_what_each_does_and_under_it_what_it_takes_and_costs():
    printed = " ".join(CliRunner().invoke(app, ["methods"]).stdout.split())
    does = "borda adds up the number of agents ranked below, over all votes"
    assert f"{does} answers how well an agent does against all others; takes ballots, scores; O(votes m);" in printed


def test_methods_lists_what_each_takes_and_its_properties():
    rows = validated(beatpath("methods", "--format", "json").stdout)["methods"]
    schulze = next(row for row in rows if row["method"] == "schulze")
    assert (schulze["condorcet"], schulze["clone"], schulze["population"]) == ("yes", "yes", "")
    assert all(row["what it does"] for row in rows)
