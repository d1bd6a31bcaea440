"""Files opened and counted by every engine say what plain reading of them says: the same rules, the same answers."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import beatpath as bp
from beatpath.data import engines
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.engine_trial import KINDS, MAP, QUIET, ROWS, named_counts, rows_of, written

ENGINES = ["duckdb", "dask", "spark", "ray"]
pytestmark = QUIET


@pytest.fixture
def start(request):
    """Have the session of an engine ready, so that reading uses it."""

    def ready(engine):
        if engine in ("spark", "ray"):
            request.getfixturevalue(engine)
        elif engine == "dask":
            pytest.importorskip("dask.dataframe", reason="Dask is not installed")

    return ready


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_an_engine_counts_what_plain_reading_counts(start, tmp_path, engine, kind):
    start(engine)
    written(rows_of(0, 4), tmp_path / f"first [1].{kind}")
    other_order = ["turn", "w", "winner", "home.prompt", "model_b", "model_a"]
    written(rows_of(4, 10, other_order), tmp_path / f"second.{kind}")
    counted = bp.read(tmp_path, engine=engine, map=MAP)
    expected = bp.read(tmp_path, to="pairs", by=["cluster"], map=MAP)
    assert named_counts(counted) == named_counts(expected)
    assert counted.counts.sum() == 1 + 2 + 3 + 0 + 0.5 + 4 + 10 + 2
    assert counted.reading.dropped == {"no agent": 1, "no outcome": 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_conditions_are_applied_in_the_engine(start, tmp_path, engine):
    start(engine)
    path = written(ROWS, tmp_path / "x.csv")
    ways = {"map": {"cluster": "none"}, "where": ["turn<3", "home.prompt!=Q"], "by": ["turn"]}
    assert named_counts(bp.read(path, engine=engine, **ways)) == named_counts(bp.read(path, to="pairs", **ways))
    with pytest.raises(bp.ReadError, match="must leave rows to read"):
        bp.read(path, engine=engine, where=["turn=99"])


@pytest.mark.parametrize("engine", ENGINES)
def test_arena_battles_are_split_by_session_and_selected_columns(start, tmp_path, engine):
    start(engine)
    columns = rows_of(0, 10, ["model_a", "model_b", "winner"])
    columns |= {"evaluation_session_id": list("aabbccddee"), "language": list("xyxyxyxyxy")}
    path = written(columns, tmp_path / "arena.parquet")
    counted = bp.read(path, engine=engine, keep=["language"])
    assert list(counted.keys) == ["cluster", "language"]
    assert named_counts(counted) == named_counts(bp.read(path, to="pairs", by=["cluster", "language"]))
    unordered = bp.read(path, map={"position": "none"})  # counts by session do not say who was shown first
    robust, rows = win_rate_inference(counted), win_rate_inference(unordered)
    np.testing.assert_allclose(robust.stderr, rows.stderr)


BAD = {
    "an unknown label": ({"b.csv": "model_a,model_b,winner\nx,y,whoever\n"}, bp.UnknownLabel, "'whoever' is not"),
    "too few cells": ({"b.csv": "model_a,model_b,winner\nx,y\n"}, bp.ReadError, "."),
    "too many cells": ({"b.csv": "model_a,model_b,winner\nx,y,tie,z\n"}, bp.ReadError, "."),
    "a column that one file lacks": (
        {"b.csv": "model_a,model_b,language\nx,y,en\n"},
        bp.ReadError,
        r"'winner' must be a column of every file; \S*b.csv has none",
    ),
    "bytes that are no text": ({"b.csv": b"model_a,model_b,winner\nx,caf\xe9,tie\n"}, bp.ReadError, "."),
    "an empty file": ({"b.csv": ""}, bp.ReadError, "b.csv must hold data"),
    "a broken line": ({"a.csv": None, "b.jsonl": '{"model_a": "x", "model_b": "y", "winner": "tie"}\n{"mod\n'}, bp.ReadError, "."),
    "two kinds": ({"b.jsonl": '{"model_a": "x"}\n'}, bp.UsageError, "files of one kind at a time"),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", BAD)
def test_bad_files_are_a_sentence_in_every_engine(start, tmp_path, engine, what):
    start(engine)
    files, error, message = BAD[what]
    for name, content in ({"a.csv": "model_a,model_b,winner\nx,y,tie\ny,z,model_a\n"} | files).items():
        if content is not None:
            (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(error, match=message) as raised:
        bp.read(tmp_path, engine=engine)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_of_parquet_files_must_agree_where_they_are_used(start, tmp_path, engine):
    start(engine)
    columns = {"model_a": ["1", "2"], "model_b": ["2", "3"], "winner": ["model_a", "tie"], "extra": [1, 2]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    pq.write_table(pa.table(columns | {"extra": ["x", "y"]}), tmp_path / "b.parquet")
    assert bp.read(tmp_path, engine=engine).battles.sum() == 4
    with pytest.raises(
        bp.ReadError, match=r"'extra' must have one type in all files; it is VARCHAR in .* and BIGINT in"
    ):
        bp.read(tmp_path, engine=engine, by=["extra"])
    pq.write_table(pa.table(columns | {"model_a": [1, 2]}), tmp_path / "c.parquet")
    with pytest.raises(bp.ReadError, match="'model_a' must have one type in all files"):
        bp.read(tmp_path, engine=engine)
    del columns["winner"]
    pq.write_table(pa.table(columns), tmp_path / "c.parquet")
    with pytest.raises(bp.ReadError, match=r"'winner' must be a column of every file; \S*c.parquet has none"):
        bp.read(tmp_path, engine=engine)


@pytest.mark.parametrize("engine", [None, *ENGINES])
def test_a_file_that_changes_while_it_is_read_is_refused(start, tmp_path, engine, monkeypatch):
    start(engine)
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    home = "beatpath.data.formats.tables" if engine is None else "beatpath.data.engines"
    layout_for = sys.modules.get(home, engines).layout_for

    def meanwhile(table, options):
        with path.open("a") as file:
            file.write("ada,bob,model_a,p,1,1\n")
        return layout_for(table, options)

    monkeypatch.setattr(f"{home}.layout_for", meanwhile)
    with pytest.raises(bp.ReadError, match=r"must stay as they are while they are read; .*x.csv' changed meanwhile"):
        bp.read(path, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_addresses_are_no_paths(start, tmp_path, engine):
    start(engine)
    path = written(rows_of(0, 10), tmp_path / "x.parquet")
    counted = bp.read(f"file://{path}", engine=engine, map=MAP)
    assert named_counts(counted)[:3] == named_counts(bp.read(path, to="pairs", by=["cluster"], map=MAP))[:3]
    if engine != "duckdb":
        with pytest.raises(bp.UsageError, match=f"{engine} reads Parquet at addresses"):
            bp.read("s3://bucket/x.csv", engine=engine)


def test_scores_are_no_matter_for_counting_engines(tmp_path):
    pytest.importorskip("dask", reason="Dask is not installed")
    (tmp_path / "scores.csv").write_text("model,task,value\nx,t,1\ny,t,2\n")
    assert bp.read(tmp_path / "scores.csv", engine="duckdb").kind == "scores"
    with pytest.raises(bp.UsageError, match="scores are read without an engine"):
        bp.read(tmp_path / "scores.csv", engine="dask")


def test_the_command_line_takes_an_engine(tmp_path):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    command = [sys.executable, "-m", "beatpath", "check", str(path), "--engine", "duckdb", "--engine-option"]
    more = ["--map", "cluster=home.prompt", "--keep", "turn", "--format", "json"]
    done = subprocess.run([*command, "threads=1", *more], capture_output=True, text=True, check=True)
    out = json.loads(done.stdout)
    assert (out["kind"], out["summary"]["columns"], out["summary"]["battles"]) == ("pairs", ["cluster", "turn"], 8)
    done = subprocess.run([*command, "threads"], capture_output=True, text=True, check=False)
    assert (done.returncode, "must read KEY=VALUE" in done.stderr) == (2, True)
