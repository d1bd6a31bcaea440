"""Dask: clusters that lose a worker, partitions that disagree."""

import os
import re
import signal

import numpy as np
import pytest

import beatpath as bp
from beatpath.data import engines
from helpers.engine_trial import MAP, QUIET, named_counts, rows_of, written
from helpers.sessions import running_dask

pytestmark = QUIET


@pytest.mark.posix
def test_a_cluster_of_dask_counts_although_a_worker_is_killed(tmp_path, monkeypatch):
    for i in range(10):
        written(rows_of(i, i + 1), tmp_path / f"{i}.csv")
    expected = named_counts(bp.read(tmp_path, to="pairs", by=["cluster"], map=MAP))
    layout_for = engines.layout_for
    pytest.importorskip("distributed")  # whose settings must be there before one of them is changed
    soon = pytest.importorskip("dask").config.set({"distributed.comm.timeouts.connect": "2s"})
    with running_dask() as cluster, soon:
        address = cluster.scheduler_address
        assert named_counts(bp.read(tmp_path, engine="dask", engine_options={"address": address}, map=MAP)) == expected
        with cluster.get_client() as client:
            victim = min(client.run(os.getpid).values())
        monkeypatch.setattr(
            engines, "layout_for", lambda *given: (os.kill(victim, signal.SIGKILL), layout_for(*given))[1]
        )
        assert named_counts(bp.read(tmp_path, engine="dask", engine_options={"address": address}, map=MAP)) == expected
        monkeypatch.setattr(engines, "layout_for", lambda *given: (cluster.close(), layout_for(*given))[1])
        with pytest.raises(
            bp.ReadError, match=r"dask must finish what it is asked; it stopped with .* Nothing was counted"
        ):
            bp.read(tmp_path, engine="dask", engine_options={"address": address}, map=MAP)
        with pytest.raises(bp.ReadError, match="dask must finish what it is asked; it stopped with"):
            bp.read(tmp_path, engine="dask", engine_options={"address": "tcp://127.0.0.1:9"})


def test_partitions_of_a_dask_frame_must_agree():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    columns = {"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["tie", "model_a"], "session": [1, 2]}
    first = pd.DataFrame(columns)
    parts = {
        "'session' must have one type in all partitions; it is whole numbers": first.assign(session=[1.0, 2.0]),
        "'model_a' must have one type in all partitions; it is text": first.assign(model_a=[1, 2]),
        "dask must finish what it is asked; it stopped with": first.drop(columns="winner"),
    }
    for message, other in parts.items():
        frame = dd.from_map(lambda part: part, [first, other], meta=first.iloc[:0])
        with pytest.raises(bp.ReadError, match=re.escape(message)):
            bp.read(frame, to="pairs", map={"cluster": "session"}, by=["cluster"])
    empty = first.assign(session=[np.nan, np.nan])
    frame = dd.from_map(lambda part: part, [first, empty], meta=first.iloc[:0])
    assert bp.read(frame, to="pairs", map={"cluster": "session"}, by=["cluster"]).battles.sum() == 4
