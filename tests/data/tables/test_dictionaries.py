"""Text columns of Parquet files, with and without dictionaries, against the texts themselves."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import beatpath as bp
from beatpath.data.sources.source import Options, find
from beatpath.data.tables import table
from beatpath.data.tables.open_table import open_table
from beatpath.evidence import Factor

TEXTS = ["b", "a", None, "", "ü", "b", "🙂", "a", "007", "x" * 300]


def texts(seed, n=1000):
    return [TEXTS[i] for i in np.random.default_rng(seed).integers(0, len(TEXTS), n)]


def written(tmp_path, columns, name="rows.parquet", **options):
    path = tmp_path / name
    pq.write_table(pa.table(columns), path, **options)
    return str(path)


def factors(paths, names):
    with open_table([source for path in paths for source in find(path)], Options()) as whole, whole.rows(names) as rows:
        return rows.factors(names)


@pytest.mark.parametrize("few", [0, table._FEW_BYTES], ids=["scanned", "stored"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_columns_are_the_factors_of_their_texts_over_common_levels(tmp_path, monkeypatch, dictionary, few):
    monkeypatch.setattr(table, "_FEW_BYTES", few)
    columns = [
        {name: texts(2 * i + j) for j, name in enumerate("uv")} for i in range(2)
    ]  # files whose dictionaries differ
    paths = [
        written(tmp_path, one, f"{i}.parquet", row_group_size=37, use_dictionary=dictionary)
        for i, one in enumerate(columns)
    ]
    u, v = ([text for one in columns for text in one[name]] for name in "uv")
    both = Factor.of([*u, *v])
    for factor, codes in zip(factors(paths, ["u", "v"]), np.split(both.codes, 2), strict=True):
        assert factor.levels == both.levels
        np.testing.assert_array_equal(factor.codes, codes)


def test_an_entry_that_no_row_uses_is_no_level(tmp_path):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 2, None]), pa.array(["z", "unused", "y"]))
    (factor,) = factors([written(tmp_path, {"u": column, "v": texts(0, 3)})], ["u"])
    assert (factor.levels, factor.codes.tolist()) == (("y", "z"), [1, 0, -1])


def test_files_that_are_scanned_and_stored_are_read_alike(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 9, 500)
    columns = {
        "model_a": [f"m{i}" for i in a],
        "model_b": [f"m{i}" for i in (a + rng.integers(1, 9, 500)) % 9],
        "winner": rng.choice(["model_a", "model_b", "tie", "tie (bothbad)", None], 500).tolist(),
        "cluster": [None if i == 3 else f"s{i}" for i in rng.integers(0, 40, 500)],
        "weight": rng.integers(1, 4, 500).astype(float),
    }
    path = written(tmp_path, columns, row_group_size=64)
    with open_table(find(path), Options()) as rows:
        assert rows.are_plain_texts(["model_a"])
        assert not rows.filtered(["winner=tie"]).are_plain_texts(["model_a"])
    stored = bp.read(path)
    monkeypatch.setattr(table, "_FEW_BYTES", 0)
    scanned = bp.read(path)
    assert stored.agents == scanned.agents
    for name in ("a", "b", "outcome", "both_bad", "weight", "position"):
        np.testing.assert_array_equal(getattr(stored, name), getattr(scanned, name))
    assert stored.factors["cluster"].names() == scanned.factors["cluster"].names()
    assert stored.reading.dropped == scanned.reading.dropped
