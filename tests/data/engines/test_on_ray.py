"""Ray: datasets counted where they lie."""

import pyarrow as pa
import pytest

import beatpath as bp
from helpers.engine_trial import MAP, QUIET, ROWS, named_counts, written

pytestmark = QUIET


def test_a_ray_dataset_is_counted_where_it_lies(ray, tmp_path):
    import ray.data

    table = pa.table({name: pa.array(values, pa.string()) for name, values in ROWS.items()})
    counted = bp.read(ray.data.from_arrow([table.slice(0, 4), table.slice(4)]), map=MAP, to="pairs", by=["cluster"])
    path = written(ROWS, tmp_path / "x.parquet")
    assert named_counts(counted)[:3] == named_counts(bp.read(path, map=MAP, to="pairs", by=["cluster"]))[:3]
    with pytest.raises(bp.UsageError, match="dataset of Ray is counted where it lies"):
        bp.read(ray.data.from_arrow(table), to="battles")
