"""Contexts: the same questions asked of every task, category or judge by itself."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from beatpath._errors import UsageError
from beatpath._result import Record
from beatpath._text import counted, quoted, suggestion
from beatpath.evidence import Ballots, Battles, Evidence, Margins, Pairs, Scores, WinRates
from beatpath.evidence.select import columns_of, only, seen_agents

if TYPE_CHECKING:
    from beatpath._sentence import Sentence
    from beatpath.analysis.board_rows import Row

MOST = 12  # contexts that a report shows
DEFAULT = "task"
Rows: TypeAlias = Battles | Ballots | Scores | Pairs


@dataclass(frozen=True, slots=True)
class Context(Record):
    """The same questions asked of one task or other context.

    Attributes
    ----------
    name : str
        Of the context.
    size : str
        How much evidence it has.
    verdict : tuple of Sentence
        Its own verdict.
    board : tuple of Row
        Its own board.
    """

    name: str
    size: str
    verdict: "tuple[Sentence, ...]"
    board: "tuple[Row, ...]"


def contexts_of(evidence: Evidence, by: str | None) -> tuple[list[tuple[str, Evidence]], str]:
    """Return the evidence of every context, those with most first, and a sentence on what was left out.

    Parameters
    ----------
    evidence : Evidence
    by : str or None
        A column that must be there; by default tasks, where battles or pair counts name a few of them.
    """
    if isinstance(evidence, Margins | WinRates):
        if by is None:
            return [], ""
        raise UsageError(f"contexts need rows or counts that name one; {evidence.kind.replace('_', ' ')} name none.")
    columns = columns_of(evidence)
    if by is None:
        levels = columns[DEFAULT].levels if DEFAULT in columns and isinstance(evidence, Battles | Pairs) else ()
        return ([], "") if not 1 < len(levels) <= MOST else (_evidence_by_level(evidence, DEFAULT), "")
    if by not in columns:
        has = ", ".join(sorted(columns)) or "none"
        raise UsageError(
            f"contexts need a column the evidence has; {quoted(by)} is not among them: {has}. Carry further columns along with "
            f"`keep`.{suggestion(by, columns)}"
        )
    parts = _evidence_by_level(evidence, by)
    left = len(parts) - MOST
    return parts[:MOST], f"{counted(left, 'more context has', 'more contexts have')} less evidence." if left > 0 else ""


def size_of(evidence: Evidence) -> str:
    """Say how much evidence there is.

    >>> size_of(Battles.of([("ada", "bob", 1)]))
    '1 battle'
    """
    if isinstance(evidence, Pairs):
        return counted(int(evidence.battles.sum()), "battle")
    if isinstance(evidence, Ballots):
        return counted(int(evidence.count.sum()), "ballot")
    if isinstance(evidence, Margins | WinRates):
        return evidence.kind.replace("_", " ")
    return counted(len(evidence), "battle" if isinstance(evidence, Battles) else "score")


def _evidence_by_level(evidence: Rows, by: str) -> list[tuple[str, Evidence]]:
    """The evidence of every level of a column, most rows first, knowing only the agents that occur there."""
    parts = sorted(_rows_by_level(evidence, by), key=lambda one: (-_amount(one[1]), one[0]))
    return [(name, only(part, [part.agents[i] for i in seen_agents(part)])) for name, part in parts if len(part)]


def _amount(evidence: Rows) -> int:
    return int(evidence.battles.sum()) if isinstance(evidence, Pairs) else len(evidence)


def _rows_by_level(evidence: Rows, by: str) -> Iterator[tuple[str, Rows]]:
    if isinstance(evidence, Pairs):
        cells = evidence.by(by)
        for k, name in enumerate(cells.keys[by].levels):
            yield name, replace(cells.take(cells.keys[by].codes == k), keys={})
        return
    factor = evidence.factors[by]
    for k, name in enumerate(factor.levels):
        rows = factor.codes == k
        yield name, evidence.take(rows)
