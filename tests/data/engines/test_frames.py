"""Frames of every engine say what a CSV of the same rows says; lazy ones are counted where they lie."""

import subprocess
import sys
from datetime import datetime, timedelta, timezone

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import beatpath as bp
from beatpath.data.tables import frames
from beatpath.data.tables.frames import engine_errors

pytestmark = [
    pytest.mark.filterwarnings(
        # PySpark's own, of the version of pandas it was tested with
        "ignore:PySpark does not yet fully support pandas:FutureWarning",
    ),
    pytest.mark.filterwarnings(
        # Py4J leaves the sockets of its gateway to the garbage collector
        "ignore:unclosed <socket.socket:ResourceWarning",
    ),
]

BATTLES = {
    "model_a": ["ada", "bob", "ada", None, "ada", "cyd", "ada", "NaN"],
    "model_b": ["bob", "ada", "bob", "bob", "cyd", "ada", "bob", "007"],
    "winner": ["model_a", "tie", "tie (bothbad)", "tie", None, "model_b", "model_a", "model_b"],
    "prompt": ["p", "q", None, "p", "p", "p", "p", ""],
    "w": [1.0, 2.0, 3.0, 1.0, 1.0, 0.0, 0.5, 4.0],
    "anony": [True, False, True, True, True, None, True, True],
    "turn": [1, 1, 2, 1, 1, 1, 3, 2],
}
SPARK_TYPES = "model_a string, model_b string, winner string, prompt string, w double, anony boolean, turn int"
EAGER = ["pandas", "polars", "pyarrow"]
LAZY = ["polars lazy", "duckdb", "dask", "pyspark"]


def spark_query(columns, types):
    """The rows as literals: rows made in Python would start a Python process a query."""
    kinds = dict(item.split() for item in types.split(", "))
    cells = [[f"CAST({spark_literal(v)} AS {kinds[name]}) AS {name}" for v in columns[name]] for name in columns]
    rows = [f"SELECT {', '.join(row)}" for row in zip(*cells, strict=True)]
    nothing = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in kinds.items())
    return " UNION ALL ".join(rows) or f"SELECT {nothing} WHERE false"


def spark_literal(value):
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str | datetime) else str(value)


def dask_frame(rows, npartitions):
    dask = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    return dask.from_pandas(rows, npartitions=npartitions)


@pytest.fixture
def frame(request):
    """Make a frame of an engine from columns; Spark is started only where it is requested."""

    def make(engine, columns, spark_types=SPARK_TYPES):
        table = pa.table(columns)
        if engine == "pandas":
            return pd.DataFrame(columns)
        if engine == "polars":
            return pl.DataFrame(columns)
        if engine == "polars lazy":
            return pl.LazyFrame(columns)
        if engine == "duckdb":
            return duckdb.from_arrow(table)
        if engine == "dask":
            return dask_frame(pd.DataFrame(columns), npartitions=3)
        if engine == "pyspark":
            return request.getfixturevalue("spark").sql(spark_query(columns, spark_types))
        return table

    return make


def csv_of(columns, path):
    """The same rows as text; missing cells are empty."""
    lines = [",".join(columns)]
    lines += [
        ",".join("" if cell is None else str(cell) for cell in row) for row in zip(*columns.values(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def cells(pairs):
    """Cells by names, with their keys: everything but the account."""
    return {
        (pairs.agents[a], pairs.agents[b], *(key.names()[i] for key in pairs.keys.values())): (
            pairs.counts[i].tolist(),
            int(pairs.battles[i]),
            None if pairs.squares is None else pairs.squares[i].tolist(),
        )
        for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True))
    }


WAYS = {
    "plainly": {},
    "with weights": {"map": {"weight": "w"}},
    "split by cluster": {"map": {"weight": "w", "cluster": "prompt"}, "by": ["cluster"]},
    "where a column is true": {"where": ["anony=true"]},
    "where it is not": {"where": ["anony!=true", "turn<2"], "map": {"cluster": "prompt"}, "by": ["cluster"]},
}


@pytest.mark.parametrize("engine", EAGER + LAZY)
@pytest.mark.parametrize("way", WAYS)
def test_every_engine_counts_what_a_csv_of_the_rows_counts(frame, tmp_path, engine, way):
    columns = BATTLES | {"prompt": [p or None for p in BATTLES["prompt"]]}  # a CSV has no empty names
    counted = bp.read(frame(engine, columns), to="pairs", **WAYS[way])
    expected = bp.read(csv_of(columns, tmp_path / "x.csv"), to="pairs", **WAYS[way])
    assert cells(counted) == cells(expected)
    assert counted.agents == expected.agents
    assert counted.reading.dropped == expected.reading.dropped
    assert (counted.reading.rows_read, counted.reading.rows_used) == (
        expected.reading.rows_read,
        expected.reading.rows_used,
    )


@pytest.mark.parametrize("engine", EAGER + LAZY)
def test_the_counts_are_those_made_by_hand(frame, engine):
    counted = bp.read(frame(engine, BATTLES), to="pairs")
    assert cells(counted) == {
        ("007", "NaN", *()): ([1, 0, 0, 0], 1, None),
        ("ada", "bob", *()): ([2, 0, 1, 1], 4, None),
        ("ada", "cyd", *()): ([1, 0, 0, 0], 1, None),
    }
    assert counted.reading.dropped == {"no agent": 1, "no outcome": 1}


@pytest.mark.parametrize("engine", EAGER)
def test_frames_in_memory_give_battles_row_by_row(frame, engine):
    battles = bp.read(frame(engine, BATTLES), map={"weight": "w", "cluster": "prompt"}, keep=["turn"])
    assert battles.kind == "battles"
    assert [battles.agents[a] for a in battles.a] == ["ada", "bob", "ada", "cyd", "ada", "NaN"]
    assert battles.outcome.tolist() == [1, 0.5, 0.5, 0, 1, 0]
    assert battles.both_bad.tolist() == [False, False, True, False, False, False]
    assert battles.weight.tolist() == [1, 2, 3, 0, 0.5, 4]
    assert battles.factors["cluster"].names() == ["p", "q", None, "p", "p", ""]
    assert battles.covariates["turn"].tolist() == [1, 1, 2, 1, 3, 2]


@pytest.mark.parametrize("engine", LAZY)
def test_only_counts_come_back_from_lazy_frames(frame, engine):
    lazy = frame(engine, BATTLES)
    assert bp.read(lazy).kind == "pairs"
    assert bp.read(lazy, to="battles").kind == "battles"


@pytest.mark.parametrize("engine", EAGER + LAZY)
def test_scores_and_ballots_come_from_frames_too(frame, engine):
    scores = {"model": ["x", "y", "x", "y"], "task": ["t", "t", "u", "u"], "value": [1.0, None, 2.5, 3.0]}
    read = bp.read(frame(engine, scores, "model string, task string, value double"))
    assert read.kind == "scores"
    assert dict(
        zip(zip(np.array(read.agents)[read.agent], read.factors["task"].names(), strict=True), read.value, strict=True)
    ) == {
        ("x", "t"): 1.0,
        ("x", "u"): 2.5,
        ("y", "u"): 3.0,
    }
    assert read.reading.dropped == {"no value": 1}
    places = {"match": [1, 1, 1, 2, 2], "player": ["x", "y", "z", "z", "x"], "rank": [1, 2, 2, 1, 5]}
    ballots = bp.read(frame(engine, places, "match int, player string, rank int"))
    assert sorted(ballots) == [[("x",), ("y", "z")], [("z",), ("x",)]]


@pytest.mark.parametrize("engine", EAGER + LAZY)
def test_an_unknown_label_raises_with_all_that_were_seen(frame, engine):
    odd = BATTLES | {"winner": ["leftish", *BATTLES["winner"][1:]]}
    with pytest.raises(bp.UnknownLabel, match=r"'leftish' is not\. Seen: .*'tie' 2"):
        bp.read(frame(engine, odd))


@pytest.mark.parametrize("engine", EAGER + LAZY)
def test_a_column_that_is_not_there_suggests_one_that_is(frame, engine):
    made = frame(engine, BATTLES)
    with pytest.raises(bp.UsageError, match="Did you mean 'prompt'"):
        bp.read(made, map={"cluster": "promt"})
    with pytest.raises(bp.UsageError, match="Did you mean 'anony'"):
        bp.read(made, where=["annony=true"])
    with pytest.raises(bp.UsageError, match="Did you mean 'turn'"):
        bp.read(made, keep=["trun"])


@pytest.mark.parametrize("engine", EAGER + LAZY)
def test_weights_that_are_missing_or_negative_are_refused(frame, engine):
    for wrong in (None, -1.0):
        with pytest.raises(bp.ReadError, match="'w' must hold weights that are not negative"):
            bp.read(frame(engine, BATTLES | {"w": [wrong, *BATTLES["w"][1:]]}), map={"weight": "w"}, to="pairs")


@pytest.mark.parametrize("to", ["battles", "pairs"])
def test_nan_is_missing_in_pandas(to):
    rows = {"agent_a": ["x", np.nan, "x", "y"], "agent_b": ["y", "x", "y", "x"], "outcome": [1.0, 0.0, np.nan, 0.5]}
    for kind in (object, "string", "category"):
        made = pd.DataFrame(rows).astype({"agent_a": kind})
        read = bp.read(made, to=to)
        assert read.agents == ("x", "y")
        assert read.reading.dropped == {"no agent": 1, "no outcome": 1}
    nullable = pd.DataFrame(rows).convert_dtypes()
    assert bp.read(nullable, to=to).reading.dropped == {"no agent": 1, "no outcome": 1}
    weighted = pd.DataFrame(rows).assign(weight=pd.array([1, 2, 3, 4], dtype="Int64")).convert_dtypes()
    assert bp.read(weighted, to="pairs").counts.tolist() == [[1, 0, 4, 0]]


@pytest.mark.parametrize("engine", ["pandas", "polars", "polars lazy", "pyarrow", "dask"])
def test_categories_are_names(frame, engine):
    names = ("model_a", "model_b", "winner", "prompt")
    if engine == "pyarrow":
        table = pa.table(BATTLES)
        coded = pa.table(
            [
                c.dictionary_encode() if n in names else c
                for n, c in zip(table.column_names, table.columns, strict=True)
            ],
            names=table.column_names,
        )
    elif engine.startswith("polars"):
        coded = frame(engine, BATTLES).with_columns(pl.col(*names).cast(pl.Categorical))
    else:
        coded = frame(engine, BATTLES).astype(dict.fromkeys(names, "category"))
    ways = {"to": "pairs", "map": {"cluster": "prompt"}, "by": ["cluster"]}
    assert cells(bp.read(coded, **ways)) == cells(bp.read(frame(engine, BATTLES), **ways))


@pytest.mark.parametrize("engine", EAGER + LAZY)
def test_dates_are_seconds_in_every_engine(frame, engine):
    """The second day of the epoch at noon, as a time, as text and with a zone; and nothing."""
    noon = datetime(1970, 1, 2, 12)
    columns = {"agent_a": ["x", "x"], "agent_b": ["y", "y"], "outcome": [1.0, 0.0]}
    dates = {"a time": ([noon, None], "timestamp_ntz"), "a text": (["1970-01-02 12:00:00", None], "string")}
    for values, spark_type in dates.values():
        types = f"agent_a string, agent_b string, outcome double, date {spark_type}"
        battles = bp.read(frame(engine, columns | {"date": values}, types), to="battles")
        np.testing.assert_array_equal(np.sort(battles.time), [129600.0, np.nan])


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_time_with_a_zone_is_the_same_moment(frame, engine):
    moment = datetime(1970, 1, 2, 12, tzinfo=timezone(timedelta(hours=2)))
    columns = {"agent_a": ["x"], "agent_b": ["y"], "outcome": [1.0], "date": [moment]}
    assert bp.read(frame(engine, columns), to="battles").time.tolist() == [122400.0]


@pytest.mark.parametrize("engine", EAGER + LAZY)
def test_an_empty_frame_has_no_battles(frame, engine):
    nothing = {name: pa.array([], pa.string()) for name in ("model_a", "model_b", "winner")}
    plain = {name: [] for name in nothing}
    made = {
        "pandas": lambda: pd.DataFrame(plain, dtype=str),
        "dask": lambda: dask_frame(pd.DataFrame(plain, dtype=str), npartitions=1),
        "polars": lambda: pl.DataFrame(plain, schema=dict.fromkeys(plain, pl.String)),
        "polars lazy": lambda: pl.LazyFrame(plain, schema=dict.fromkeys(plain, pl.String)),
        "pyspark": lambda: frame("pyspark", plain, "model_a string, model_b string, winner string"),
    }
    empty = bp.read(made.get(engine, lambda: frame(engine, nothing))(), to="pairs")
    assert (len(empty), empty.agents, empty.reading.rows_read) == (0, (), 0)


def test_a_duckdb_relation_is_read_where_pyarrow_is_not_installed():
    script = (
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"  # as if these were not installed
        "hidden = lambda name, *rest: None if name.partition('.')[0] in ('pyarrow', 'pandas', 'polars') else find(name, *rest)\n"
        "PathFinder.find_spec = hidden\n"
        "import duckdb, beatpath as bp\n"
        "rows = \"(VALUES ('x', 'y', 'tie', 2.0), ('y', 'x', 'model_a', 1.0), (NULL, 'x', 'tie', 1.0)) t(model_a, model_b, winner, w)\"\n"
        "pairs = bp.read(duckdb.sql(f'SELECT * FROM {rows}'), map={'weight': 'w'})\n"
        "print(pairs.agents, pairs.counts.tolist(), dict(pairs.reading.dropped))\n"
        "print(len(bp.read(duckdb.sql(f'SELECT * FROM {rows}'), to='battles')))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "('x', 'y') [[0.0, 1.0, 2.0, 0.0]] {'no agent': 1}\n2\n", done.stderr


def test_what_is_no_frame_is_refused():
    with pytest.raises(bp.UsageError, match=r"must be a path, a list of paths.*got float"):
        bp.read(1.5)
    with pytest.raises(bp.ReadError, match="'model_a'"):
        bp.read({"model_a": ["x"]})


def test_a_frame_without_columns_or_with_names_that_are_no_text_is_refused_with_what_to_do():
    with pytest.raises(bp.ReadError, match="the pandas frame must have columns; it has none"):
        bp.read(pd.DataFrame())
    levels = pd.MultiIndex.from_tuples([("model", ""), ("law", "acc"), ("maths", "acc")])
    frame = pd.DataFrame([["x", 0.5, 0.25], ["y", 0.75, 0.5]], columns=levels)
    with pytest.raises(bp.ReadError, match=r"one text each as name; got \('model', ''\).*`frame.columns = \[\"_\""):
        bp.read(frame)
    frame.columns = ["_".join(map(str, name)) for name in frame.columns]
    assert bp.read(frame).tasks == ("law_acc", "maths_acc")
    numbered = pd.DataFrame([["x", 0.5], ["y", 0.75]])
    with pytest.raises(bp.ReadError, match=r"got 0\. .*`frame.columns = \[str\(name\)"):
        bp.read(numbered)


def test_what_a_worker_of_ray_refuses_is_its_sentence_alone():
    class TaskError(bp.ReadError):
        cause = bp.ReadError("'x.csv' cannot be read.\nFailed to apply UDF transform after 1/1 attempts")

    with pytest.raises(bp.ReadError) as raised, engine_errors("ray"):
        raise TaskError("Traceback\n  many lines")
    assert str(raised.value) == "'x.csv' cannot be read."


def test_a_lazy_frame_of_polars_is_read_without_its_warning_about_column_names():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"model_a": ["a", "b"], "model_b": ["b", "a"], "winner": ["model_a", "tie"]})
    assert bp.resolve(frame.lazy()).agents == bp.resolve(frame).agents


def test_texts_of_arrow_are_those_of_its_cells_whatever_their_chunks():
    chunks = pa.chunked_array([["b", None], [], ["a", "b", ""]], pa.string())
    column = nw.from_native(pa.table({"x": chunks}))
    assert frames.fetched(column)["x"].tolist() == chunks.to_pylist()
    assert frames.fetched(nw.from_native(pa.table({"x": pa.array([], pa.string())})))["x"].tolist() == []
