"""Groups counted where the rows lie, in every way there is, say what the rows say."""

import subprocess
import sys
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Pairs
from helpers.format_trial import plain_pairs

SLOW = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
THOROUGH = settings(SLOW, max_examples=60)


CSV = "model_a,model_b,winner,prompt,w\n"
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["ada", "bob", "cyd", ""]),
        st.sampled_from(["dan", "eve", ""]),
        st.sampled_from(["model_a", "model_b", "tie", "both_bad", ""]),
        st.sampled_from(["p", "q", ""]),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=12,
)


def table_text(rows):
    return CSV + "".join(",".join(map(str, row)) + "\n" for row in rows)


@THOROUGH
@given(rows=ROWS, seed=st.randoms(use_true_random=False))
def test_shuffling_rows_and_renaming_agents_changes_nothing_else(tmp_path, rows, seed):
    path = tmp_path / "x.csv"
    path.write_text(table_text(rows))
    before = bp.read(path, map={"weight": "w", "cluster": "prompt"}).pairs(["cluster"])
    new = {"ada": "zoe", "bob": "ann", "cyd": "\u202ex", "dan": "1", "eve": "NaN", "": ""}
    mixed = [(new[a], new[b], *rest) for a, b, *rest in rows]
    seed.shuffle(mixed)
    path.write_text(table_text(mixed))
    after = bp.read(path, map={"weight": "w", "cluster": "prompt"}).pairs(["cluster"])
    cells = {(a, b): value for (a, b, *_), value in ((k, v) for k, v in plain_pairs(before).items())}
    assert len(cells) <= len(before)
    renamed = Pairs(
        tuple(new[n] for n in before.agents), before.a, before.b, before.counts, before.battles, keys=before.keys
    )
    assert plain_pairs(after) == plain_pairs(renamed)


@THOROUGH
@given(rows=ROWS)
def test_a_weight_counts_like_so_many_equal_rows(tmp_path, rows):
    once, often = tmp_path / "once.csv", tmp_path / "often.csv"
    once.write_text(table_text(rows))
    often.write_text(table_text([row for row in rows for _ in range(row[4])]))
    weighted = bp.read(once, map={"weight": "w"}).pairs()
    repeated = bp.read(often, map={"weight": "none"}).pairs()
    counted = {k: v[0] for k, v in plain_pairs(weighted).items() if sum(v[0])}
    assert counted == {k: v[0] for k, v in plain_pairs(repeated).items()}


LAYOUTS = {
    "battles": CSV
    + "ada,bob,model_a,p,1\nbob,ada,tie,q,2\nada,bob,both_bad,,3\n,bob,tie,p,1\nada,cyd,,p,1\ncyd,ada,model_b,p,0\n",
    "winner and loser": "winner,loser,prompt,w\nada,bob,p,1\nbob,ada,q,2\nada,,p,1\ncyd,ada,,3\nada,bob,p,1\n",
    "battles by score": (
        "home,away,home_score,away_score,prompt,w\nada,bob,3,1,p,1\nbob,ada,2,2.0,,2\nbob,cyd,,2,p,1\nada,bob,3,1.0,p,1\n"
    ),
    "one-hot winners": (
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie,prompt,w\n"
        "ada,bob,1,0,0,p,1\nbob,ada,0,0,1,,2\nada,cyd,0,1,0,q,1\nada,cyd,True,false,0,q,1\nada,cyd,0,0,0,q,1\n"
    ),
    "names of winners": "player_a,player_b,winner,prompt,w\nada,bob,ada,p,1\nbob,ada,ada,,2\nbob,cyd,tie,q,1\ncyd,bob,,q,1\n",
    "soft preferences": "agent_a,agent_b,outcome,prompt,w\nada,bob,0.25,p,1\nbob,ada,0.250,,2\nbob,cyd,1,q,1\nada,bob,0.25,p,4\n",
}
READ_AS = {
    "battles by score": "battles by score",
    "winner and loser": "winner and loser",
    "one-hot winners": "one-hot winners",
}


@contextmanager
def route(name, monkeypatch):
    """Force one of the ways in which groups are counted."""
    with monkeypatch.context() as patch:
        if name != "arrow":
            patch.setattr("beatpath.data.tables.table.count_groups", lambda *_: None)
        if name == "texts":
            patch.setattr("beatpath.data.tables.table.Table._dictionaries", lambda *_: False)
        if name == "hashes":
            patch.setattr("beatpath.data.tables.table.Table._dictionaries", lambda *_: True)
        if name == "no pyarrow":
            patch.undo()
            patch.setitem(sys.modules, "pyarrow", None)
            patch.setitem(sys.modules, "pyarrow.parquet", None)
        yield


def as_parquet(text, path):
    """The rows as Parquet files whose row groups have dictionaries of their own."""
    head, *rows = [line.split(",") for line in text.splitlines()]
    columns = [pa.array([cell or None for cell in cells], pa.string()) for cells in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, names=head), path, row_group_size=2)


@pytest.mark.parametrize("way", ["arrow", "hashes", "texts", "no pyarrow", "csv"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("by", [(), ("cluster",)], ids=["whole", "split"])
def test_counting_where_the_rows_lie_equals_reading_rows_and_counting(tmp_path, monkeypatch, way, layout, weighted, by):
    path = tmp_path / ("x.csv" if way == "csv" else "x.parquet")
    path.write_text(LAYOUTS[layout]) if way == "csv" else as_parquet(LAYOUTS[layout], path)
    roles = {"cluster": "prompt", "weight": "w" if weighted else "none"}
    rows = bp.read(path, map=roles)
    assert READ_AS.get(layout, "battles") in rows.reading.format
    with route(way, monkeypatch):
        counted = bp.read(path, map=roles, to="pairs", by=by)
    by_rows = rows.pairs(by)
    assert plain_pairs(counted) == plain_pairs(by_rows)
    assert counted.agents == by_rows.agents
    assert counted.reading.dropped == rows.reading.dropped
    assert (counted.reading.rows_read, counted.reading.rows_used) == (rows.reading.rows_read, rows.reading.rows_used)
    for mine, theirs in ((counted.squares, by_rows.squares), (counted.soft, by_rows.soft)):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_allclose(mine, theirs)


@pytest.mark.parametrize("way", ["arrow", "hashes", "texts", "no pyarrow", "csv"])
@settings(SLOW, max_examples=15)
@given(rows=ROWS)
def test_every_way_of_counting_agrees_on_rows_with_holes(tmp_path, monkeypatch, way, rows):
    path = tmp_path / ("x.csv" if way == "csv" else "x.parquet")
    path.write_text(table_text(rows)) if way == "csv" else as_parquet(table_text(rows), path)
    with route(way, monkeypatch):
        counted = bp.read(path, to="pairs")
    expected = Counter()
    for a, b, label, *_ in rows:
        if a and b and label:
            expected[a, b, ["model_a", "model_b", "tie", "both_bad"].index(label)] += 1
    counts = {(a, b, k): n for (a, b, _), (row, _) in plain_pairs(counted).items() for k, n in enumerate(row) if n}
    assert counts == expected


@pytest.mark.parametrize("way", ["arrow", "hashes", "texts"])
def test_files_with_different_dictionaries_and_types_are_counted_together(tmp_path, monkeypatch, way):
    """One file has plain texts, one dictionary codes, one numbers for names."""
    first = pa.table({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["tie", "model_a"]})
    second = pa.table({"model_a": ["z", None], "model_b": ["x", "z"], "winner": ["model_b", "tie"]})
    coded = pa.table([column.dictionary_encode() for column in second.columns], names=second.column_names)
    numbers = pa.table({"model_a": [1], "model_b": [2], "winner": ["model_a"]})
    for i, table in enumerate((first, coded, numbers)):
        pq.write_table(table, tmp_path / f"{i}.parquet", use_dictionary=i == 1)
    with route(way, monkeypatch):
        two = bp.read([tmp_path / "0.parquet", tmp_path / "1.parquet"], to="pairs")
        three = bp.read(str(tmp_path / "*.parquet"), to="pairs")
    cells = {("x", "y", ()): ([0, 0, 1, 0], 1), ("x", "z", ()): ([1, 0, 0, 0], 1), ("y", "z", ()): ([1, 0, 0, 0], 1)}
    assert plain_pairs(two) == cells
    assert plain_pairs(three) == cells | {("1", "2", ()): ([1, 0, 0, 0], 1)}
    assert two.reading.dropped == three.reading.dropped == {"no agent": 1}


@pytest.mark.parametrize("options", ["", ", to='pairs'"])
def test_large_parquet_is_read_without_loading_pandas(tmp_path, options):
    path = tmp_path / "many.parquet"
    names = [f"agent {i:06d}" for i in range(200_000)]  # beyond the bytes that are stored as a table
    rows = {"model_a": names, "model_b": names[1:] + names[:1], "winner": ["model_a"] * len(names), "prompt": names}
    pq.write_table(pa.table(rows), path, compression="none")
    code = f"import sys, beatpath as bp; bp.read({str(path)!r}{options}); sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=120).returncode == 0
