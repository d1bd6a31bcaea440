"""Conditions on rows, as people type them: ``anony=true``, ``turn<=2``; and the rows of evidence that meet them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from beatpath._arrays import Bools
from beatpath._errors import UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath.data.tables.columns import number_of
from beatpath.evidence import Battles, Evidence, Factor, Scores

_CONDITION = re.compile(r"^\s*(.+?)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Condition:
    """A column, a comparison and a value; ``=`` and ``!=`` compare texts whatever their case, the others numbers."""

    column: str
    operator: str
    value: str

    @property
    def of_texts(self) -> bool:
        """Whether texts are compared."""
        return self.operator in ("=", "!=")

    @property
    def number(self) -> float:
        """The value of a comparison of numbers."""
        try:
            return float(self.value)
        except ValueError:
            raise UsageError(f"`where` compares numbers with {self.operator}; {quoted(self.value)} is none.") from None


def condition(text: str) -> Condition:
    """Take a condition apart.

    >>> condition("turn <= 2")
    Condition(column='turn', operator='<=', value='2')
    """
    match = _CONDITION.match(text)
    if not match:
        raise UsageError(f"`where` must read COLUMN=VALUE (or != < <= > >=); got {quoted(text)}.")
    return Condition(*match.groups())


def chosen(evidence: Evidence, conditions: Sequence[str]) -> Evidence:
    """Return the battles or scores that meet all conditions on their named columns, and account for the others."""
    if not isinstance(evidence, Battles | Scores):
        raise UsageError(f"`where` chooses rows of tables, battles or scores; {evidence.kind} have none to choose.")
    keep = np.ones(len(evidence), dtype=bool)
    for text in conditions:
        asked = condition(text)
        if asked.column not in evidence.factors:
            known = sorted(evidence.factors)
            raise UsageError(
                f"{quoted(asked.column)} must be a column these {evidence.kind} have ({listed(known)})."
                f"{suggestion(asked.column, known)}"
            )
        keep &= _meets(evidence.factors[asked.column], asked)
    reading = evidence.reading
    if reading is not None:
        left = {"left out by --where": int((~keep).sum())}
        dropped = {**reading.dropped, **left} if left["left out by --where"] else reading.dropped
        reading = replace(reading, rows_used=reading.rows_used - int((~keep).sum()), dropped=dropped)
    return replace(evidence.take(keep), reading=reading)


def _meets(factor: Factor, asked: Condition) -> Bools:
    """Which rows meet a condition; a missing name equals nothing."""
    if asked.of_texts:
        same = np.array([level.lower() == asked.value.lower() for level in factor.levels] + [False])[factor.codes]
        return same if asked.operator == "=" else ~same
    levels = np.array([number_of(level) for level in factor.levels] + [np.nan])[factor.codes]
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[asked.operator]
    return np.asarray(compare(levels, asked.number))
