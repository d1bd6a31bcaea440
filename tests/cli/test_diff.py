"""``beatpath diff`` as a user meets it."""

import csv
import io
import json

import pytest
from typer.testing import CliRunner

from beatpath._errors import BeatpathError
from beatpath.cli.main import app
from helpers.schemas import validated

OLD = "agent_a,agent_b,wins_a,wins_b\nada,bob,90,10\nada,cyd,95,5\nbob,cyd,80,20\n"
NEW = "agent_a,agent_b,wins_a,wins_b\nada,bob,50,50\nada,cyd,95,5\nbob,cyd,95,5\nada,dan,99,1\nbob,dan,99,1\n"


def run(*words, text=None):
    result = CliRunner().invoke(app, list(map(str, words)), input=text)
    error = result.exception
    if isinstance(error, BeatpathError):
        return error.exit_status, result.stdout, str(error)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def files(tmp_path):
    (tmp_path / "old.csv").write_text(OLD)
    (tmp_path / "new.csv").write_text(NEW)
    for name in ("old", "new"):
        code, out, _ = run("resolve", tmp_path / f"{name}.csv", "--format", "json")
        assert code == 0
        (tmp_path / f"{name}.json").write_text(out)
    return tmp_path


def test_documents_and_files_of_battles_give_one_answer(files):
    outs = [
        run("diff", files / f"old.{a}", files / f"new.{b}", "--format", "json")[1]
        for a in ("json", "csv")
        for b in ("json", "csv")
    ]
    assert len(set(outs)) == 1
    data = validated(outs[0])
    assert data["entered"] == ["dan"]
    assert data["lost_pairs"] == [["ada", "bob"]]


def test_the_table_says_it_in_words_and_shows_who_came(files):
    code, out, _ = run("diff", files / "old.json", files / "new.json")
    assert code == 0
    assert "1 agent entered: 'dan'" in out
    assert "ada > bob" in run("diff", files / "old.json", files / "new.json", "-v")[1]


@pytest.mark.parametrize(
    ("claim", "code"),
    [("ada is first", 3), ("ada > bob", 3), ("ada > cyd", 0), ("bob is first", 0), ("nobody is first", 2)],
)
def test_a_lost_claim_ends_with_exit_3(files, claim, code):
    assert run("diff", files / "old.json", files / "new.json", "--claim", claim)[0] == code


def test_one_lost_claim_of_several_is_enough_and_json_says_which(files):
    words = ("--claim", "ada > cyd", "--claim", "ada > bob", "--format", "json")
    code, out, _ = run("diff", files / "old.json", files / "new.json", *words)
    assert code == 3
    assert [one["status"] for one in validated(out)["claims"]] == ["kept", "lost"]


def test_csv_and_markdown(files):
    rows = list(csv.DictReader(io.StringIO(run("diff", files / "old.json", files / "new.json", "--format", "csv")[1])))
    assert {row["agent"]: row["change"] for row in rows}["dan"] == "entered"
    out = run("diff", files / "old.json", files / "new.json", "--format", "md")[1]
    assert "| entered | dan |" in out
    assert "| change | agent |" in out


def test_a_document_may_come_from_standard_input(files):
    code, out, _ = run("diff", "-", files / "new.json", "--format", "json", text=(files / "old.json").read_text())
    assert code == 0
    assert out == run("diff", files / "old.json", files / "new.json", "--format", "json")[1]


@pytest.mark.parametrize(
    "words",
    [
        ("--level", "0.9"),
        ("--cluster", "none"),
        ("--map", "agent=x"),
        ("--where", "x=1"),
        ("--estimand", "as_sampled"),
        ("--seed", "3"),
        ("--lower", "f1"),
        ("--labels", "x=a"),
        ("--format-in", "table"),
    ],
)
def test_options_of_analysis_are_refused_where_both_boards_are_json(files, words):
    code, _, err = run("diff", files / "old.json", files / "new.json", *words)
    assert code == 2
    assert "must be left out where both boards are JSON" in err
    assert f"`{words[0]}`" in err
    code, _, err = run("diff", files / "old.csv", files / "new.json", *words)
    assert "must be left out where both boards are JSON" not in err


def test_a_file_of_battles_is_resolved_at_the_level_of_the_json(files):
    (files / "old.json").write_text(run("resolve", files / "old.csv", "--level", "0.9", "--format", "json")[1])
    data = json.loads(run("diff", files / "old.json", files / "new.csv", "--format", "json")[1])
    assert data["level"] == 0.9


def spoiled(files, **changes):
    data = json.loads((files / "old.json").read_text()) | changes
    (files / "bad.json").write_text(json.dumps(data))
    return files / "bad.json"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"schema_version": "0"}, "schema version"),
        ({"type": "core"}, "its type is 'core'"),
        ({"ranks": {}}, "two agents"),
        ({"settings": {"level": 7.0}}, "'estimand' of '"),
    ],
)
def test_a_document_of_another_kind_or_time_gets_a_sentence_with_its_name(files, changes, words):
    code, _, err = run("diff", spoiled(files, **changes), files / "new.json")
    assert code == 1
    assert words in err
    assert "bad.json" in err


def test_boards_of_other_levels_estimands_and_agents_get_a_sentence(files):
    code, _, err = run("diff", files / "old.json", files / "new.csv", "--level", "0.9")
    assert (code, "same level" in err) == (1, True)
    code, _, err = run("diff", files / "old.json", files / "new.csv", "--estimand", "as_sampled")
    assert (code, "same estimand" in err) == (1, True)
    (files / "other.csv").write_text(OLD.replace("ada", "x").replace("bob", "y").replace("cyd", "z"))
    code, _, err = run("diff", files / "old.json", files / "other.csv")
    assert (code, "in common" in err) == (1, True)


@pytest.mark.parametrize("words", [("-", "-"), ("-", "new.json")])
def test_standard_input_must_be_one_document(files, words):
    code, _, err = run("diff", *words, text="agent_a,agent_b\n")
    assert code == 2
    assert "standard input" in err
