"""One adapter a peer: each counts battles by pair and outcome, and each can say its answer in one common form.

An adapter is ``count(paths)``, which is timed, and ``rows(answer)``, which is not: the answer as four columns
``model_a, model_b, winner, n``. Peers stop at counts by ordered pair and label; beatpath also finds out what the columns
and labels mean, joins both orders of a pair, and accounts for every row.
"""

import hashlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

from cell import timed

KEYS = ["model_a", "model_b", "winner"]
PLACE = {"model_a": 0, "model_b": 1, "tie": 2, "tie (bothbad)": 3}
Adapter = tuple[Callable[[list[str]], Any], Callable[[Any], tuple[Sequence[Any], ...]]]


def duckdb() -> Adapter:
    """DuckDB's bare GROUP BY, its answer left in Arrow, which costs it least."""
    import duckdb
    import pyarrow  # noqa: F401

    con = duckdb.connect()
    con.execute("SET enable_progress_bar = false")

    def count(paths: list[str]) -> Any:
        sql = f"SELECT {', '.join(KEYS)}, count(*) AS n FROM read_parquet(?) GROUP BY ALL"
        return con.sql(sql, params=[paths]).to_arrow_table()

    return count, lambda table: tuple(table.column(name).to_pylist() for name in [*KEYS, "n"])


def polars() -> Adapter:
    """Polars: lazy scan, group_by, streaming engine."""
    import polars as pl

    def count(paths: list[str]) -> Any:
        return pl.scan_parquet(paths).group_by(KEYS).agg(pl.len().alias("n")).collect(engine="streaming")

    return count, lambda frame: tuple(frame[name].to_list() for name in [*KEYS, "n"])


def pandas() -> Adapter:
    """Pandas: read the columns, groupby, size."""
    import pandas as pd

    def count(paths: list[str]) -> Any:
        frame = pd.concat([pd.read_parquet(path, columns=KEYS) for path in paths], ignore_index=True)
        return frame.groupby(KEYS, sort=False, observed=True).size().reset_index(name="n")

    return count, lambda frame: tuple(frame[name].tolist() for name in [*KEYS, "n"])


def beatpath_core() -> Adapter:
    """Beatpath as installed without extras: PyArrow cannot be imported."""
    sys.modules["pyarrow"] = None  # type: ignore[assignment]
    return beatpath_fast()


def beatpath_fast() -> Adapter:
    """Beatpath with PyArrow installed."""
    import beatpath as bp

    def count(paths: list[str]) -> Any:
        return bp.read(paths, to="pairs")

    return count, _rows_of_pairs


def _rows_of_pairs(pairs: Any) -> tuple[Sequence[Any], ...]:
    """Pair counts as rows of labels."""
    cell, outcome = pairs.counts.nonzero()
    name = pairs.agents.__getitem__
    labels = list(PLACE)
    return (
        [name(i) for i in pairs.a[cell]],
        [name(i) for i in pairs.b[cell]],
        [labels[k] for k in outcome],
        [int(n) for n in pairs.counts[cell, outcome]],
    )


ROUTES = {
    "duckdb": duckdb,
    "polars": polars,
    "pandas": pandas,
    "beatpath": beatpath_core,
    "beatpath with pyarrow": beatpath_fast,
}


def digest(rows: tuple[Sequence[Any], ...]) -> str:
    """Return a digest of wins, losses, ties and both-bad by unordered pair, in the order of names."""
    totals: dict[tuple[str, str], list[int]] = {}
    for a, b, label, n in zip(*rows, strict=True):
        place = PLACE[label]
        if a > b:
            a, b, place = b, a, (1, 0, 2, 3)[place]
        totals.setdefault((a, b), [0, 0, 0, 0])[place] += int(n)
    text = "\n".join(f"{a}\t{b}\t{counts}" for (a, b), counts in sorted(totals.items()))
    return hashlib.sha256(text.encode()).hexdigest()


def cell(route: str, small: str, *large: str) -> dict[str, Any]:
    """Import, count the small file untimed, then count the large ones once."""
    count, rows = ROUTES[route]()
    count([small])
    return timed(lambda: count(list(large)), 0, lambda answer: digest(rows(answer)))
