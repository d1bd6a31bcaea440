"""`beatpath core`: members first, data for programs, and sentences for what cannot be."""

import csv
import io

import pytest
from typer.testing import CliRunner

from beatpath._errors import BeatpathError
from beatpath.cli.main import app
from helpers.schemas import validated


def run(*words):
    return CliRunner().invoke(app, list(words))


def failed(*words):
    with pytest.raises(BeatpathError) as caught:
        CliRunner().invoke(app, list(words), catch_exceptions=False)
    return str(caught.value)


def test_the_planted_core_of_the_example_comes_first():
    done = run("core", "--example")
    assert done.exit_code == 0
    assert "The most probable core" in done.stdout.splitlines()[0]
    assert "has 3 of 30 agents: 'aurora', 'basalt', 'cinder'" in " ".join(done.stdout.split())


def test_json_has_the_sets_the_scores_and_the_probabilities():
    data = validated(run("core", "--example", "--format", "json", "--witness", "ember").stdout)
    assert data["schema_version"] == "1"
    assert {"members", "scores"} == set(data["top_cycle"]) == set(data["uncovered_set"])
    assert data["uncovered_set"]["members"] == ["aurora", "basalt", "cinder"]
    assert data["posterior"]["top_cycle"]["aurora"] > 0.9
    assert data["posterior"]["top_cycle"]["ember"] < 0.5
    assert data["settings"]["tau"] == 0.05
    assert [one["agent"] for one in data["witness"]] == ["ember", "ember"]


def test_rows_and_markdown_have_every_agent(tmp_path):
    rows = list(csv.DictReader(io.StringIO(run("core", "--example", "--format", "csv").stdout)))
    assert len(rows) == 30
    assert rows[0]["agent"] in ("aurora", "basalt", "cinder")
    hostile = tmp_path / "h.csv"
    hostile.write_text("model_a,model_b,winner\n<b>|x|,=y,model_a\n<b>|x|,=y,model_b\n<b>|x|,=y,model_a\n")
    text = run("core", str(hostile), "--format", "md").stdout
    assert "<b>" not in text
    assert run("core", str(hostile), "--format", "csv").stdout.count("'=y") == 1


def test_a_cluster_can_be_named(tmp_path):
    """Ten votes that always agree a prompt are worth about one."""
    path = tmp_path / "c.csv"
    rows = [f"x,y,{'model_a' if i % 4 else 'model_b'},p{i}" for i in range(40) for _ in range(10)]
    path.write_text("\n".join(["model_a,model_b,winner,prompt", *rows]) + "\n")
    data = validated(run("core", str(path), "--keep", "prompt", "--cluster", "prompt", "--format", "json").stdout)
    assert data["posterior"]["settings"]["design_effect"] == pytest.approx(10, rel=0.1)
    plain = validated(run("core", str(path), "--keep", "prompt", "--cluster", "none", "--format", "json").stdout)
    assert plain["posterior"]["settings"]["design_effect"] == 1.0
    assert "`cluster` must name a column" in failed("core", str(path), "--cluster", "promt")


def test_contexts_stand_side_by_side(tmp_path):
    path = tmp_path / "b.csv"
    path.write_text(
        "model_a,model_b,winner,category\n" + "x,y,model_a,code\n" * 9 + "x,y,model_b,chat\n" * 9 + "x,y,model_a,chat\n"
    )
    words = ("core", str(path), "--keep", "category", "--by", "category")
    table = run(*words, "--mix", "code=1,chat=3").stdout
    assert [line.split()[0] for line in table.splitlines()[-3:]] == ["chat", "code", "all,"]
    data = validated(run(*words, "--format", "json").stdout)
    assert data["contexts"]["code"]["top_cycle"]["members"] == ["x"]
    assert data["contexts"]["chat"]["top_cycle"]["members"] == ["y"]
    assert "category" in run(*words, "--format", "md").stdout
    assert "Did you mean 'code'" in failed(*words, "--mix", "coed=1")
    assert "with `--by` there are several" in failed(*words, "--witness", "x")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--tau", "0"), "tau"),
        (("--gamma", "-1"), "gamma"),
        (("--max-length", "0"), "max-length"),
        (("--witness", "ebmer"), "Did you mean 'ember'"),
        (("--mix", "a=1"), "name their column with `--by`"),
        (("--by", "category"), "category"),
    ],
)
def test_impossible_options_are_refused_with_a_sentence(words, message):
    assert message in failed("core", "--example", *words)
