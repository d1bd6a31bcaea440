"""Columns as DuckDB hands them over: numbers and factors out of them, by one rule wherever a text is met in Python."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats
from beatpath.evidence.factor import Factor


def number_of(text: str) -> float:
    """Return the number a text stands for: truth values are 1 and 0; NaN where it is none.

    >>> number_of("2.5"), number_of(" True "), number_of("many")
    (2.5, 1.0, nan)
    """
    word = text.strip().lower()
    if word in ("true", "false"):
        return float(word == "true")
    try:
        return float(word)
    except ValueError:
        return math.nan


def is_blank(text: str) -> bool:
    """Whether a cell says nothing.

    >>> is_blank("  "), is_blank("0")
    (True, False)
    """
    return not text.strip()


def factors_by_hash(columns: Sequence[Any], hashed: list[dict[int, str | None]], n_agents: int) -> list[Factor]:
    """Return hash columns as factors; those of the agents share their levels."""
    agents = {text for known in hashed[:n_agents] for text in known.values()}
    found = []
    for i, (column, known) in enumerate(zip(columns, hashed, strict=True)):
        texts = agents if i < n_agents else set(known.values())
        levels = tuple(sorted(text for text in texts if text is not None))
        place: dict[str | None, int] = {text: k for k, text in enumerate(levels)} | {None: -1}
        order = sorted(known)
        codes = np.array([place[known[code]] for code in order], dtype=np.int32)
        found.append(Factor(codes[np.searchsorted(np.array(order, dtype=np.uint64), column)], levels))
    return found


def factors_of_texts(columns: Sequence[Any]) -> list[Factor]:
    """Return fetched text columns as factors over their common, sorted levels."""
    sizes = np.cumsum([len(column) for column in columns])[:-1]
    missing = np.concatenate([np.ma.getmaskarray(column) for column in columns])
    values = np.concatenate([np.asarray(np.ma.getdata(column), dtype=object) for column in columns])
    code: dict[str, int] = {}
    codes = np.fromiter(
        (
            -1 if none or value is None else code.setdefault(str(value), len(code))
            for value, none in zip(values, missing, strict=True)
        ),
        np.int64,
        len(values),
    )
    factor = Factor.coded(codes, list(code))
    return [Factor(part, factor.levels) for part in np.split(factor.codes, sizes)]


def array_of_column(values: Any, missing: float, dtype: type) -> NDArray[Any]:
    """Return a fetched column as a plain array, with a value where DuckDB had NULL."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(dtype), missing)
    return np.asarray(values, dtype=dtype)


def finite_numbers(column: Any) -> Floats | None:
    """Return a fetched column as finite numbers, NaN where it is empty; ``None`` where a cell is something else."""
    missing = np.ma.getmaskarray(column)
    values = np.full(len(column), np.nan)
    try:
        values[~missing] = np.ma.getdata(column)[~missing].astype(np.float64)
    except (ValueError, TypeError):
        return None
    return values if np.isfinite(values[~missing]).all() else None


def number_share(column: Any) -> float:
    """Return the share of truth values or finite numbers among the cells that are not empty, 0 where all are."""
    if are_numbers(column):
        return 1.0
    values = [v for v, none in zip(np.ma.getdata(column), np.ma.getmaskarray(column), strict=True) if not none]
    texts = [text for value in values if not is_blank(text := str(value))]
    good = sum(bool(np.isfinite(number_of(text))) for text in texts)
    return min(good / len(texts), 0.99) if texts else 0.0  # 1 is for columns without exception


def are_numbers(column: Any) -> bool:
    """Return whether a fetched column holds truth values or finite numbers, and at least one."""
    if np.ma.getdata(column).dtype == object:
        texts = [v for v, none in zip(np.ma.getdata(column), np.ma.getmaskarray(column), strict=True) if not none]
        if texts and {str(text).lower() for text in texts} <= {"true", "false"}:
            return True
    numbers = finite_numbers(column)
    return numbers is not None and bool(np.isfinite(numbers).any())
