"""Text columns of Parquet files as factors by their dictionaries, with PyArrow.

A writer stores a text column as codes into a dictionary, anew for every row group: only the entries of dictionaries are compared,
and never the texts of all rows. A dictionary that the rows no longer need leaves no level behind. Where nearly every row has another
text, as in a column of a million clusters, a dictionary would be as long as the rows: there the texts are looked up as they are.
"""

from collections.abc import Sequence

import numpy as np

from beatpath._arrays import Codes, counted_codes, looked_up
from beatpath.data.tables.groups import Vocabulary, integers
from beatpath.evidence import Factor

BATCH = 1 << 20  # rows decoded at a time
LONG = 1 << 23  # the same where the vocabulary is made ready for every batch
SHARED = 8  # rows that an entry must stand for, or a dictionary costs more than it saves
FEW = 1 << 16  # rows that are looked at first, and for which either way will do


def factors_of_parquet(paths: Sequence[str], names: Sequence[str]) -> list[Factor] | None:
    """Return text columns of all rows over their common levels; None without PyArrow, or where it cannot read the files."""
    try:
        import pyarrow as pa
    except ImportError:
        return None
    try:
        vocabulary = Vocabulary()
        codes = [_codes_of_column(paths, name, vocabulary) for name in names]
        found = _over_sorted_levels(codes, vocabulary)
        del vocabulary
        pa.default_memory_pool().release_unused()
        return found
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return None  # DuckDB says what is wrong


def _codes_of_column(paths: Sequence[str], name: str, vocabulary: Vocabulary) -> Codes:
    """Codes of one column, from 1 in the order of arrival and 0 where there is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    codes = np.empty(sum(pq.read_metadata(path).num_rows for path in paths), dtype=np.int32)
    start = 0
    for path in paths:
        shared = _entries_are_shared(path, name)
        file = pq.ParquetFile(path, read_dictionary=[name] if shared else [], pre_buffer=False)
        for batch in file.iter_batches(BATCH if shared else LONG, columns=[name], use_threads=False):
            column, rows = batch.column(0), slice(start, start + len(batch))
            if pa.types.is_dictionary(column.type):
                known = vocabulary.codes(column.dictionary).astype(np.int32)
                looked_up(known, integers(column.indices, -1), out=codes[rows])
            else:
                codes[rows] = vocabulary.codes_of_rows(column)
            start += len(batch)
    return codes


def _entries_are_shared(path: str, name: str) -> bool:
    """Whether the first rows have far fewer texts than they are."""
    import pyarrow.parquet as pq

    def shared(n_rows: int) -> bool:
        file = pq.ParquetFile(path, read_dictionary=[name], pre_buffer=False)
        first = next(file.iter_batches(n_rows, columns=[name], use_threads=False), None)
        return first is None or SHARED * len(first.column(0).dictionary) <= max(len(first), FEW)

    return shared(FEW) or shared(BATCH)


def _over_sorted_levels(codes: list[Codes], vocabulary: Vocabulary) -> list[Factor]:
    """Codes from 1 into a vocabulary, and 0 where there is none, as factors; entries without rows are left out."""
    n = len(vocabulary.values)
    used = np.sum([counted_codes(code, n + 1) for code in codes], axis=0)[1 : n + 1] > 0
    order = vocabulary.sorted_order()
    order = order[used[order]]
    new = np.full(n + 1, -1, dtype=np.int32)
    new[order + 1] = np.arange(len(order))
    levels = tuple(vocabulary.values.take(order).to_pylist())
    for code in codes:
        looked_up(new, code, out=code)
        code.setflags(write=False)
    return [Factor(code, levels) for code in codes]
