"""Text columns of Parquet files as factors by their dictionaries, with PyArrow.

A writer stores a text column as codes into a dictionary, anew for every row group: only the entries of dictionaries are compared,
and never the texts of all rows. A dictionary that the rows no longer need leaves no level behind.
"""

from collections.abc import Sequence

import numpy as np

from beatpath.data.tables.groups import Vocabulary, integers
from beatpath.evidence import Factor

BATCH = 1 << 20  # rows decoded at a time


def factors_of_parquet(paths: Sequence[str], names: Sequence[str]) -> list[Factor] | None:
    """Return text columns of all rows over their common levels; None without PyArrow, or where it cannot read the files."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return None
    vocabulary, start = Vocabulary(), 0
    try:
        files = [pq.ParquetFile(path, read_dictionary=list(names), pre_buffer=False) for path in paths]
        codes = [np.empty(sum(file.metadata.num_rows for file in files), dtype=np.int32) for _ in names]
        for batch in (
            one for file in files for one in file.iter_batches(BATCH, columns=list(names), use_threads=False)
        ):
            for code, column in zip(codes, (batch.column(name) for name in names), strict=True):
                code[start : start + len(column)] = vocabulary.codes(column.dictionary)[integers(column.indices, -1)]
            start += len(batch)
        return _over_sorted_levels(codes, vocabulary.values.to_pylist())
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return None  # DuckDB says what is wrong


def _over_sorted_levels(codes: list[np.ndarray], names: Sequence[str]) -> list[Factor]:
    """Codes from 1 into names in the order of their arrival, and 0 where there is none, as factors."""
    used = np.zeros(len(names) + 1, dtype=bool)
    for code in codes:
        used[code] = True
    levels = sorted(name for name, there in zip(names, used[1:].tolist(), strict=True) if there)
    place = {name: i for i, name in enumerate(levels)}
    new = np.array([-1, *(place.get(name, -1) for name in names)], dtype=np.int32)
    for code in codes:
        np.take(new, code, out=code, mode="clip")  # "clip" writes in place
        code.setflags(write=False)
    return [Factor(code, tuple(levels)) for code in codes]
