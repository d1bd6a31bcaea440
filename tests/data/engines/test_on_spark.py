"""Spark: names with dots, and a session that ends; and paths as Hadoop reads them."""

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

import beatpath as bp
from beatpath.data import engines
from beatpath.data.engines.on_spark import _session
from helpers.engine_trial import QUIET, rows_of, written

pytestmark = QUIET


def test_a_session_that_ends_meanwhile_is_a_sentence(spark, tmp_path, monkeypatch):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    layout_for = engines.layout_for
    monkeypatch.setattr(engines, "layout_for", lambda *given: (spark.stop(), layout_for(*given))[1])
    with pytest.raises(
        bp.ReadError, match=r"spark must finish what it is asked; it stopped with .* Nothing was counted"
    ):
        bp.read(path, engine="spark")


def test_a_spark_frame_may_have_dots_in_its_names(spark):
    frame = spark.sql("SELECT 'x' AS `home.team`, 'y' AS `away.team`, 2 AS `home.score`, 1 AS `away.score`")
    assert bp.read(frame).counts.tolist() == [[1, 0, 0, 0]]


def test_a_session_of_ones_own_bounds_no_counts_unless_an_option_does():
    builder = MagicMock()
    sql = SimpleNamespace(SparkSession=MagicMock(builder=builder, getActiveSession=lambda: None))
    for options, size in (({}, "0"), ({"spark.driver.maxResultSize": "2g"}, "2g")):
        assert _session(sql, options)[1]
        assert builder.appName().config.call_args.kwargs["map"]["spark.driver.maxResultSize"] == size
