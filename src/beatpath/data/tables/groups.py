"""Groups of equal rows: what is handed back instead of the rows themselves, and how PyArrow counts them in Parquet files.

A Parquet writer stores a text column as codes into a dictionary, anew for every row group; the strings themselves are never
looked at. Each thread takes row groups, maps their dictionaries to its own codes, adds the codes of a row up into one key,
and counts keys in a dense table.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints
from beatpath.evidence import Factor

MOST_CELLS = 1 << 24  # of the dense table; with more agents than that allows, the caller counts another way
_BATCH = 1 << 17  # rows decoded at a time
_KEYS = 1 << 20  # keys gathered before one bincount, whose output is as large as the table


@dataclass(frozen=True)
class Groups:
    """Distinct rows of some text columns, how many rows each stands for, and their weights.

    Attributes
    ----------
    texts : mapping of column to Factor
        The two agents' columns share their levels.
    n : (g,) int
        Rows of each group.
    weight, square : (g,) float, optional
        Total and total square of the weights.
    lowest : float
        The smallest weight, NaN where one was empty.
    """

    texts: Mapping[str, Factor]
    n: Ints
    weight: Floats | None = None
    square: Floats | None = None
    lowest: float = 0.0


class TooManyCells(Exception):
    """The dense table would outgrow its limit."""


def count_groups(paths: Sequence[str], agents: Sequence[str], label: Sequence[str]) -> Groups | None:
    """Count rows by two agent columns and at most one label column; ``None`` without PyArrow or with too many agents."""
    try:
        import pyarrow.parquet as pq
    except ImportError:
        return None
    columns = [*agents, *label]
    meta = {path: pq.read_metadata(path) for path in set(paths)}
    todo = [(path, group) for path in paths for group in range(meta[path].num_row_groups)]
    n_threads = min(8, os.cpu_count() or 1, max(len(todo), 1))
    inside = len(todo) < 2  # a single row group: let Arrow decode its columns side by side

    def work() -> _Counter:
        counter, path, file = _Counter(len(columns)), None, None
        while todo:
            try:
                wanted, group = todo.pop()
            except IndexError:  # another thread took the last
                break
            if wanted != path:
                path, file = (
                    wanted,
                    pq.ParquetFile(wanted, metadata=meta[wanted], read_dictionary=columns, pre_buffer=False),
                )
            assert file is not None
            for batch in file.iter_batches(_BATCH, row_groups=[group], columns=columns, use_threads=inside):
                counter.add(batch.select(columns))
        return counter

    try:
        with ThreadPoolExecutor(n_threads) as pool:
            counters = [future.result() for future in [pool.submit(work) for _ in range(n_threads)]]
    except TooManyCells:
        return None
    return _merged(counters, agents, label)


class _Counter:
    """One thread's vocabularies and its dense table of counts; code 0 stands for a missing value."""

    def __init__(self, n_columns: int) -> None:
        self.vocabularies = [Vocabulary(), Vocabulary()]
        self.which = [0, 0, 1][:n_columns]
        self.room = [64, 4 if n_columns == 3 else 1]
        self.last: list[tuple[Any, Ints] | None] = [None] * n_columns
        self.keys, self.spare, self.held = np.empty(_KEYS + _BATCH, np.int64), np.empty(_BATCH, np.int64), 0
        self.counts = np.zeros(self.room[0] ** 2 * self.room[1], np.int64)

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.room[0], self.room[0], self.room[1]

    def add(self, batch: Any) -> None:
        """Count the rows of a batch."""
        indices = []
        for i, which in enumerate(self.which):
            column = _encoded(batch.column(i))
            indices.append(integers(column.indices, len(column.dictionary)))
            seen = self.last[i]
            if seen is None or not seen[0].equals(column.dictionary):
                self.last[i] = column.dictionary, self.vocabularies[which].codes(column.dictionary)
        self._grow()
        strides = (self.shape[1] * self.shape[2], self.shape[2], 1)
        tables = [known[1] * stride for known, stride in zip(self.last, strides, strict=False) if known is not None]
        self._gather(tables, indices)

    def _gather(self, tables: list[Ints], indices: list[NDArray[np.integer[Any]]]) -> None:
        """Add up the codes of every row into its key; ``clip`` saves numpy a pass over the bounds."""
        n = len(indices[0])
        key, part = self.keys[self.held : self.held + n], self.spare[:n]
        np.take(tables[0], indices[0], out=key, mode="clip")
        for table, index in zip(tables[1:], indices[1:], strict=True):
            np.take(table, index, out=part, mode="clip")
            key += part
        self.held += n
        if self.held >= _KEYS:
            self.table()

    def table(self) -> Ints:
        """Return the counts, with the keys that were still held."""
        if self.held:
            self.counts += np.bincount(self.keys[: self.held], minlength=len(self.counts))
            self.held = 0
        return self.counts.reshape(self.shape)

    def _grow(self) -> None:
        """Make the table large enough for the vocabularies."""
        need = [len(v.values) + 1 for v in self.vocabularies]
        if need[0] <= self.room[0] and need[1] <= self.room[1]:
            return
        old = self.table()
        roomy = need[0] + need[0] // 8 + 8  # so that few more agents need no new table; labels are few and soon known
        self.room = [self.room[0] if need[0] <= self.room[0] else roomy, max(self.room[1], need[1])]
        if self.room[0] ** 2 * self.room[1] > MOST_CELLS:
            raise TooManyCells
        self.counts = np.zeros(self.room[0] ** 2 * self.room[1], np.int64)
        self.counts.reshape(self.shape)[: old.shape[0], : old.shape[1], : old.shape[2]] = old


class Vocabulary:
    """Texts that were seen, by one thread, in order of arrival."""

    def __init__(self) -> None:
        import pyarrow as pa

        self.values = pa.nulls(0, pa.large_string())

    def codes(self, dictionary: Any) -> Ints:
        """Return the code of every entry of a dictionary, from 1, and at the end 0 for a missing value."""
        import pyarrow as pa
        import pyarrow.compute as pc

        entries = dictionary.cast(pa.large_string())
        found = pc.index_in(entries, value_set=self.values)
        if found.null_count > entries.null_count:
            self.values = pa.concat_arrays([self.values, entries.filter(found.is_null()).drop_null().unique()])
            found = pc.index_in(entries, value_set=self.values)
        return np.append(integers(found, -1).astype(np.int64) + 1, 0)

    def codes_of_rows(self, column: Any) -> NDArray[np.int32]:
        """Return the code of every row of a text column, from 1, and 0 where there is none; only texts not seen before are gathered."""
        import pyarrow as pa
        import pyarrow.compute as pc

        codes = integers(pc.index_in(column, value_set=self.values.cast(column.type)), -1).astype(np.int32)
        codes += 1
        new = np.flatnonzero(codes == 0)
        if len(new) > column.null_count:
            some = column.take(pa.array(new)).dictionary_encode()
            codes[new] = self.codes(some.dictionary)[integers(some.indices, -1)]
        return codes

    def sorted_order(self) -> Ints:
        """Return the places of the texts in sorted order: the order of UTF-8 is that of Python's texts."""
        import pyarrow.compute as pc

        return integers(pc.array_sort_indices(self.values), -1).astype(np.int64)


def _encoded(column: Any) -> Any:
    """A column as dictionary codes, encoded here where the file has none."""
    import pyarrow as pa

    return column if pa.types.is_dictionary(column.type) else column.cast(pa.large_string()).dictionary_encode()


def integers(array: Any, missing: int) -> NDArray[np.integer[Any]]:
    """Return an Arrow array of integers from its buffers, `missing` where it is null.

    Arrow's own `to_numpy` would import pandas where that is installed, which costs more than the counting.
    """
    import pyarrow as pa

    dtype = np.dtype(str(array.type))
    if not len(array):
        return np.empty(0, dtype)
    values = np.frombuffer(array.buffers()[1], dtype, len(array), array.offset * dtype.itemsize)
    if array.null_count:
        valid = integers(array.is_valid().cast(pa.int8()), 0)
        values = np.where(valid != 0, values, np.int64(missing))
    return values


def _merged(counters: Sequence[_Counter], agents: Sequence[str], label: Sequence[str]) -> Groups:
    """Put the threads' tables together under common, sorted names; missing values come last."""
    seen = [[c.vocabularies[k].values.to_pylist() for c in counters] for k in (0, 1)]
    names = [sorted(set().union(*lists)) for lists in seen]
    place = [{name: i for i, name in enumerate(some)} for some in names]
    total = np.zeros((len(names[0]) + 1, len(names[0]) + 1, len(names[1]) + 1), np.int64)
    for t, counter in enumerate(counters):
        at = [np.array([len(names[k]), *(place[k][v] for v in seen[k][t])]) for k in (0, 1)]
        table = counter.table()[: len(at[0]), : len(at[0]), : len(at[1])]
        total[np.ix_(at[0], at[0], at[1])] += table
    key = np.flatnonzero(total)
    pair, last = np.divmod(key, total.shape[2])
    columns = zip([*agents, *label], [0, 0, 1], [*np.divmod(pair, total.shape[1]), last], strict=False)
    texts = {
        name: Factor(np.where(code == len(names[k]), -1, code).astype(np.int32), tuple(names[k]))
        for name, k, code in columns
    }
    return Groups(texts, total.ravel()[key])
