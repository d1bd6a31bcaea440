"""What the tests of engines share: battles with every difficulty, written in every form, and counts as plain data."""

import gzip
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

QUIET = [
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


def named_counts(pairs):
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
