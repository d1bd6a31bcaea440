"""Libraries of engines, and the options they are started with."""

import re
import sys

import pytest

import beatpath as bp
from beatpath.data.tables.frames import engine_options, inner_names, refuse_options_of_running
from helpers.engine_trial import QUIET, rows_of, written

pytestmark = QUIET


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
    ("engine", "ways", "message"),
    [
        ("sparc", {}, "`engine` must be one of duckdb, spark, dask, ray; got 'sparc'. Did you mean 'spark'"),
        ("duckdb", {"engine_options": {"memory": "1GB"}}, "must be settings of DuckDB; 'memory' is none"),
        ("duckdb", {"engine_options": {"threads": "many"}}, "threads of duckdb cannot be 'many'"),
        ("dask", {"engine_options": {"adress": "x"}}, "must be among address, scheduler; got 'adress'. Did you mean"),
        ("dask", {"engine_options": {"scheduler": "x"}}, "scheduler of dask must be one of threads"),
        ("dask", {"encoding": "latin-1"}, "`encoding` works with engine='duckdb'"),
        ("dask", {"to": "battles"}, "dask counts battles where they lie"),
        ("duckdb", {"format": "pgn"}, "engines read tables"),
        (None, {"engine_options": {"threads": "1"}}, "name it with `engine`"),
        (None, {"by": ["turn"]}, "it goes with `to='pairs'`"),
    ],
)  # fmt: skip
def test_options_that_no_engine_knows_are_refused(tmp_path, engine, ways, message):
    if engine == "dask":
        pytest.importorskip("dask", reason="Dask is not installed")
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    with pytest.raises(bp.UsageError, match=re.escape(message)):
        bp.read(path, engine=engine, **ways)


def test_options_for_a_session_that_runs_already_are_refused(spark, ray, tmp_path):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    for engine, option in (("spark", "master"), ("ray", "num_cpus")):
        with pytest.raises(bp.UsageError, match=f"runs already; got '{option}'"):
            bp.read(path, engine=engine, engine_options={option: "2"})


def test_options_come_as_texts_and_are_made_what_they_are():
    assert engine_options({"num_cpus": "2", "address": "x"}, {"num_cpus": int, "address": str}, "ray") == {
        "num_cpus": 2,
        "address": "x",
    }
    with pytest.raises(bp.UsageError, match="num_cpus of ray must be a whole number; got 'two'"):
        engine_options({"num_cpus": "two"}, {"num_cpus": int}, "ray")


def test_a_session_that_runs_is_used_as_it_is():
    refuse_options_of_running({}, "Ray")
    with pytest.raises(bp.UsageError, match="Ray runs already; got 'num_cpus'"):
        refuse_options_of_running({"num_cpus": 2}, "Ray")


def test_no_name_of_a_column_reaches_an_engine():
    assert inner_names(("a.b", "c; DROP TABLE rows")) == {"a.b": "c0", "c; DROP TABLE rows": "c1"}
