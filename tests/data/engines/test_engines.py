"""Files opened and counted by every engine say what plain reading of them says: the same rules, the same answers."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import beatpath as bp
from beatpath.data import engines
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.sessions import running_dask

ENGINES = ["duckdb", "dask", "spark", "ray"]
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:unclosed <socket.socket:ResourceWarning"),  # Py4J's and Ray's own
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index is deprecated"),  # Dask's own
]
ROWS = {
    "model_a": ["ada", "bob", "ada", None, "ada", "cyd", "ada", "NaN", 'a "quoted", name', "ada"],
    "model_b": ["bob", "ada", "bob", "bob", "cyd", "ada", "bob", "007", "ada", "007"],
    "winner": ["model_a", "tie", "tie (bothbad)", "tie", None, "model_b", "model_a", "model_b", "model_a", "tie"],
    "home.prompt": ["p", "q", None, "p", "p", "p", "p", "q", "two\nlines", "p"],
    "w": ["1", "2", "3.0", "1", "1", "0", "0.5", " 4 ", "1e1", "2"],
    "turn": ["1", "1", "2", "1", "1", "1", "3", "2", "x", "1"],
}
MAP = {"weight": "w", "cluster": "home.prompt"}
KINDS = ["parquet", "csv", "jsonl", "csv.gz"]


@pytest.fixture
def start(request):
    """Have the session of an engine ready, so that reading uses it."""

    def ready(engine):
        if engine in ("spark", "ray"):
            request.getfixturevalue(engine)
        elif engine == "dask":
            pytest.importorskip("dask.dataframe", reason="Dask is not installed")

    return ready


def rows_of(low, high, names=tuple(ROWS)):
    return {name: ROWS[name][low:high] for name in names}


def written(columns, path):
    """A file of texts; what is missing is empty, null or absent."""
    if path.suffix == ".gz":
        plain = written(columns, path.with_suffix(""))
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        return path
    if path.suffix == ".parquet":
        pq.write_table(pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}), path)
    elif path.suffix == ".jsonl":
        records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    else:
        lines = [list(columns), *zip(*columns.values(), strict=True)]
        path.write_text("".join(",".join(map(cell, line)) + "\n" for line in lines), encoding="utf-8")
    return path


def cell(value):
    return "" if value is None else '"' + value.replace('"', '""') + '"' if re.search('[",\n]', value) else value


def told(pairs):
    """Everything that is counted, by names, and the account of the rows."""
    keys = [key.names() for key in pairs.keys.values()]
    squares = pairs.counts if pairs.squares is None else pairs.squares
    cells = {
        (pairs.agents[a], pairs.agents[b], *(names[i] for names in keys)): (
            pairs.counts[i].tolist(),
            int(pairs.battles[i]),
            squares[i].tolist(),
        )
        for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True))
    }
    reading = pairs.reading
    account = reading.sources, reading.format, reading.rows_read, reading.rows_used, dict(reading.dropped)
    return pairs.agents, tuple(pairs.keys), cells, account, dict(reading.guessed), reading.unused


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_an_engine_counts_what_plain_reading_counts(start, tmp_path, engine, kind):
    start(engine)
    written(rows_of(0, 4), tmp_path / f"first [1].{kind}")
    other_order = ["turn", "w", "winner", "home.prompt", "model_b", "model_a"]
    written(rows_of(4, 10, other_order), tmp_path / f"second.{kind}")
    counted = bp.read(tmp_path, engine=engine, map=MAP)
    expected = bp.read(tmp_path, to="pairs", by=["cluster"], map=MAP)
    assert told(counted) == told(expected)
    assert counted.counts.sum() == 1 + 2 + 3 + 0 + 0.5 + 4 + 10 + 2
    assert counted.reading.dropped == {"no agent": 1, "no outcome": 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_conditions_are_met_in_the_engine(start, tmp_path, engine):
    start(engine)
    path = written(ROWS, tmp_path / "x.csv")
    ways = {"map": {"cluster": "none"}, "where": ["turn<3", "home.prompt!=Q"], "by": ["turn"]}
    assert told(bp.read(path, engine=engine, **ways)) == told(bp.read(path, to="pairs", **ways))
    with pytest.raises(bp.ReadError, match="must leave rows to read"):
        bp.read(path, engine=engine, where=["turn=99"])


@pytest.mark.parametrize("engine", ENGINES)
def test_arena_battles_are_split_by_session_and_kept_columns(start, tmp_path, engine):
    start(engine)
    columns = rows_of(0, 10, ["model_a", "model_b", "winner"])
    columns |= {"evaluation_session_id": list("aabbccddee"), "language": list("xyxyxyxyxy")}
    path = written(columns, tmp_path / "arena.parquet")
    counted = bp.read(path, engine=engine, keep=["language"])
    assert list(counted.keys) == ["cluster", "language"]
    assert told(counted) == told(bp.read(path, to="pairs", by=["cluster", "language"]))
    robust, rows = win_rate_inference(counted), win_rate_inference(bp.read(path))
    np.testing.assert_allclose(robust.stderr, rows.stderr)


BAD = {
    "an unknown label": ({"b.csv": "model_a,model_b,winner\nx,y,whoever\n"}, bp.UnknownLabel, "'whoever' is not"),
    "an agent against itself": ({"b.csv": "model_a,model_b,winner\nx,x,tie\n"}, bp.ReadError, "cannot meet itself"),
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
    files, error, said = BAD[what]
    for name, content in ({"a.csv": "model_a,model_b,winner\nx,y,tie\ny,z,model_a\n"} | files).items():
        if content is not None:
            (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(error, match=said) as raised:
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


def test_a_session_that_ends_meanwhile_is_a_sentence(spark, tmp_path, monkeypatch):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    layout_for = engines.layout_for
    monkeypatch.setattr(engines, "layout_for", lambda *given: (spark.stop(), layout_for(*given))[1])
    with pytest.raises(
        bp.ReadError, match=r"spark must finish what it is asked; it stopped with .* Nothing was counted"
    ):
        bp.read(path, engine="spark")


@pytest.mark.posix
def test_a_cluster_of_dask_counts_although_a_worker_is_killed(tmp_path, monkeypatch):
    for i in range(10):
        written(rows_of(i, i + 1), tmp_path / f"{i}.csv")
    expected = told(bp.read(tmp_path, to="pairs", by=["cluster"], map=MAP))
    layout_for = engines.layout_for
    soon = pytest.importorskip("dask").config.set({"distributed.comm.timeouts.connect": "2s"})
    with running_dask() as cluster, soon:
        found = cluster.scheduler_address
        assert told(bp.read(tmp_path, engine="dask", engine_options={"address": found}, map=MAP)) == expected
        with cluster.get_client() as client:
            victim = min(client.run(os.getpid).values())
        monkeypatch.setattr(
            engines, "layout_for", lambda *given: (os.kill(victim, signal.SIGKILL), layout_for(*given))[1]
        )
        assert told(bp.read(tmp_path, engine="dask", engine_options={"address": found}, map=MAP)) == expected
        monkeypatch.setattr(engines, "layout_for", lambda *given: (cluster.close(), layout_for(*given))[1])
        with pytest.raises(
            bp.ReadError, match=r"dask must finish what it is asked; it stopped with .* Nothing was counted"
        ):
            bp.read(tmp_path, engine="dask", engine_options={"address": found}, map=MAP)
        with pytest.raises(bp.ReadError, match="dask must finish what it is asked; it stopped with"):
            bp.read(tmp_path, engine="dask", engine_options={"address": "tcp://127.0.0.1:9"})


def test_a_database_that_is_closed_meanwhile_is_a_sentence(tmp_path, monkeypatch):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    layout_for = engines.layout_for
    monkeypatch.setattr(
        engines, "layout_for", lambda table, options: (layout_for(table, options), table.con.close())[0]
    )
    with pytest.raises(bp.ReadError, match="cannot be read: Connection"):
        bp.read(path, engine="duckdb")


@pytest.mark.parametrize("engine", ENGINES)
def test_addresses_are_no_paths(start, tmp_path, engine):
    start(engine)
    path = written(rows_of(0, 10), tmp_path / "x.parquet")
    counted = bp.read(f"file://{path}", engine=engine, map=MAP)
    assert told(counted)[:3] == told(bp.read(path, to="pairs", by=["cluster"], map=MAP))[:3]
    if engine != "duckdb":
        with pytest.raises(bp.UsageError, match=f"{engine} reads Parquet at addresses"):
            bp.read("s3://bucket/x.csv", engine=engine)


def test_text_files_at_addresses_are_read_by_duckdb(tmp_path):
    for kind in ("csv", "jsonl"):
        path = written(rows_of(0, 10), tmp_path / f"x.{kind}")
        expected = bp.read(path, to="pairs", by=["cluster"], map=MAP)
        assert told(bp.read(f"file://{path}", map=MAP))[:3] == told(expected)[:3]


@pytest.mark.parametrize(
    "address", ["s3://bucket/*.parquet", "gs://bucket/x.parquet", "https://example.org/games.csv.gz?raw=1"]
)
def test_an_address_needs_the_extension_of_duckdb(tmp_path, address):
    names = {name for (name,) in duckdb.connect().execute("SELECT name FROM duckdb_settings()").fetchall()}
    folder = "extension_directory" if "extension_directory" in names else "extension_directories"
    with pytest.raises(bp.UsageError, match="needs the extension httpfs of DuckDB, which is not installed"):
        bp.read(address, engine="duckdb", engine_options={folder: str(tmp_path)})
    with pytest.raises(bp.BeatpathError) as raised:
        bp.read(address)
    assert "must be a file, folder or glob" not in str(raised.value)


@pytest.mark.parametrize("engine", ["dask", "spark", "ray"])
def test_an_engine_that_is_not_installed_names_its_extra(tmp_path, engine, monkeypatch):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    for name in ("dask.dataframe", "pyspark.sql", "ray.data"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        bp.MissingExtra, match=rf"needs \w+, which is not installed: pip install 'beatpath\[{engine}\]'"
    ):
        bp.read(path, engine=engine)


@pytest.mark.parametrize(
    ("engine", "ways", "said"),
    [
        ("sparc", {}, "`engine` must be one of duckdb, spark, dask, ray; got 'sparc'. Did you mean 'spark'"),
        ("duckdb", {"engine_options": {"memory": "1GB"}}, "must be settings of DuckDB; 'memory' is none"),
        ("duckdb", {"engine_options": {"threads": "many"}}, "threads of duckdb cannot be 'many'"),
        ("dask", {"engine_options": {"adress": "x"}}, "must be among address, scheduler; got 'adress'. Did you mean"),
        ("dask", {"engine_options": {"scheduler": "x"}}, "scheduler of dask must be one of threads"),
        ("dask", {"encoding": "latin-1"}, "`encoding` is heeded by engine='duckdb'"),
        ("dask", {"to": "battles"}, "dask counts battles where they lie"),
        ("duckdb", {"format": "pgn"}, "engines read tables"),
        (None, {"engine_options": {"threads": "1"}}, "name it with `engine`"),
        (None, {"by": ["turn"]}, "it goes with `to='pairs'`"),
    ],
)  # fmt: skip
def test_options_that_no_engine_knows_are_refused(tmp_path, engine, ways, said):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    with pytest.raises(bp.UsageError, match=re.escape(said)):
        bp.read(path, engine=engine, **ways)


def test_options_for_a_session_that_runs_already_are_refused(spark, ray, tmp_path):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    for engine, option in (("spark", "master"), ("ray", "num_cpus")):
        with pytest.raises(bp.UsageError, match=f"runs already; got '{option}'"):
            bp.read(path, engine=engine, engine_options={option: "2"})


def test_scores_are_no_matter_for_counting_engines(tmp_path):
    (tmp_path / "scores.csv").write_text("model,task,value\nx,t,1\ny,t,2\n")
    assert bp.read(tmp_path / "scores.csv", engine="duckdb").kind == "scores"
    with pytest.raises(bp.UsageError, match="scores are read without an engine"):
        bp.read(tmp_path / "scores.csv", engine="dask")


def test_what_engines_write_beside_their_data_is_passed_over(tmp_path):
    written(rows_of(0, 10), tmp_path / "part-0.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert "_SUCCESS" in bp.read(tmp_path, engine="duckdb").reading.notes[0]
    with pytest.raises(bp.UsageError, match="begin with an underscore are passed over"):
        bp.read(tmp_path / "_SUCCESS", engine="duckdb")


def test_counts_of_a_part_are_not_given_out(tmp_path, monkeypatch):
    path = written(rows_of(0, 10), tmp_path / "x.parquet")
    monkeypatch.setattr("beatpath.data.engines.files._n_rows", lambda sources: 11)
    with pytest.raises(bp.ReadError, match=r"all 11 rows of .* must be counted; the engine saw 10"):
        bp.read(path, engine="duckdb")


def test_more_rows_than_memory_are_counted_by_duckdb(tmp_path):
    """A million battles within 64 MB, most of them of one pair and cluster each."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    a = rng.integers(0, 50, n)
    table = {"agent_a": a, "agent_b": a + rng.integers(1, 50, n), "outcome": rng.integers(0, 2, n)}
    pq.write_table(
        pa.table({name: pa.array(values).cast(pa.string()) for name, values in table.items()}), tmp_path / "x.parquet"
    )
    counted = bp.read(tmp_path / "x.parquet", engine="duckdb", engine_options={"memory_limit": "64MB", "threads": "1"})
    assert counted.battles.sum() == n


def test_the_command_line_takes_an_engine(tmp_path):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    command = [sys.executable, "-m", "beatpath", "check", str(path), "--engine", "duckdb", "--engine-option"]
    more = ["--map", "cluster=home.prompt", "--keep", "turn", "--format", "json"]
    done = subprocess.run([*command, "threads=1", *more], capture_output=True, text=True, check=True)
    out = json.loads(done.stdout)
    assert (out["kind"], out["summary"]["columns"], out["summary"]["battles"]) == ("pairs", ["cluster", "turn"], 8)
    done = subprocess.run([*command, "threads"], capture_output=True, text=True, check=False)
    assert (done.returncode, "must read KEY=VALUE" in done.stderr) == (2, True)


def test_a_spark_frame_may_have_dots_in_its_names(spark):
    frame = spark.sql("SELECT 'x' AS `home.team`, 'y' AS `away.team`, 2 AS `home.score`, 1 AS `away.score`")
    assert bp.read(frame).counts.tolist() == [[1, 0, 0, 0]]


def test_partitions_of_a_dask_frame_must_agree():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    columns = {"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["tie", "model_a"], "session": [1, 2]}
    first = pd.DataFrame(columns)
    parts = {
        "'session' must have one type in all partitions; it is whole numbers": first.assign(session=[1.0, 2.0]),
        "'model_a' must have one type in all partitions; it is text": first.assign(model_a=[1, 2]),
        "dask must finish what it is asked; it stopped with": first.drop(columns="winner"),
    }
    for said, other in parts.items():
        frame = dd.from_map(lambda part: part, [first, other], meta=first.iloc[:0])
        with pytest.raises(bp.ReadError, match=re.escape(said)):
            bp.read(frame, to="pairs", map={"cluster": "session"}, by=["cluster"])
    empty = first.assign(session=[np.nan, np.nan])
    frame = dd.from_map(lambda part: part, [first, empty], meta=first.iloc[:0])
    assert bp.read(frame, to="pairs", map={"cluster": "session"}, by=["cluster"]).battles.sum() == 4


def test_a_ray_dataset_is_counted_where_it_lies(ray, tmp_path):
    import ray.data

    table = pa.table({name: pa.array(values, pa.string()) for name, values in ROWS.items()})
    counted = bp.read(ray.data.from_arrow([table.slice(0, 4), table.slice(4)]), map=MAP, to="pairs", by=["cluster"])
    path = written(ROWS, tmp_path / "x.parquet")
    assert told(counted)[:3] == told(bp.read(path, map=MAP, to="pairs", by=["cluster"]))[:3]
    with pytest.raises(bp.UsageError, match="dataset of Ray is counted where it lies"):
        bp.read(ray.data.from_arrow(table), to="battles")
