"""Spark: names with dots, and a session that ends; and paths as Hadoop reads them."""

import pytest

import beatpath as bp
from beatpath.data import engines
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
