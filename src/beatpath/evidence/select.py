"""Evidence about some of the agents: what the others took part in is left out, and it is said."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath.evidence.arrays import trusted
from beatpath.evidence.ballots import Ballots
from beatpath.evidence.battles import Battles
from beatpath.evidence.conventions import convention
from beatpath.evidence.margins import Margins, WinRates
from beatpath.evidence.pairs import Pairs
from beatpath.evidence.scores import Scores

E = TypeVar("E", bound=Battles | Ballots | Scores | Pairs | Margins | WinRates)


def only(evidence: E, agents: Iterable[str]) -> E:
    """Return the evidence about these agents alone: battles between two of them, ballots cut down to them.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
    agents : iterable of str
        Names that the evidence has; their order does not matter.

    Returns
    -------
    The same kind of evidence, with the convention ``agents=named`` and how many agents were left out.

    Examples
    --------
    >>> battles = Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 0.5)])
    >>> only(battles, ["cyd", "ada"])
    Battles(2 agents, 1 battle)
    >>> list(only(Ballots.of([[["ada"], ["bob"], ["cyd"]]]), ["cyd", "ada"]))
    [[('ada',), ('cyd',)]]
    """
    wanted = set(agents)
    for name in sorted(wanted - set(evidence.agents)):
        raise UsageError(f"{quoted(name)} must be one of the agents.{suggestion(name, evidence.agents)}")
    if not wanted:
        raise UsageError("name at least one agent to keep; none was named.")
    keep = np.array([name in wanted for name in evidence.agents])
    made = convention("agents", "named", float((~keep).sum()))
    cut: E = trusted(_cut(evidence, keep), conventions=(*evidence.conventions, made))
    return cut


def without(evidence: E, agents: Iterable[str]) -> E:
    """Return the evidence about all agents but these; see `only`.

    >>> without(Battles.of([("ada", "bob", 1), ("bob", "cyd", 1)]), ["cyd"]).agents
    ('ada', 'bob')
    """
    left_out = set(agents)
    for name in sorted(left_out - set(evidence.agents)):
        raise UsageError(f"{quoted(name)} must be one of the agents.{suggestion(name, evidence.agents)}")
    return only(evidence, set(evidence.agents) - left_out)


def _cut(evidence: Any, keep: NDArray[np.bool_]) -> Any:
    """The evidence with the codes of the agents kept."""
    names = tuple(name for name, kept in zip(evidence.agents, keep, strict=True) if kept)
    code = np.cumsum(keep, dtype=np.int32) - 1
    if isinstance(evidence, Battles):
        some = evidence.take(keep[evidence.a] & keep[evidence.b])
        return trusted(some, agents=names, a=code[some.a], b=code[some.b])
    if isinstance(evidence, Pairs):
        cells = evidence.take(keep[evidence.a] & keep[evidence.b])
        return trusted(cells, agents=names, a=code[cells.a], b=code[cells.b])
    if isinstance(evidence, Ballots):
        rows = keep[evidence.agent]
        start = np.concatenate([[0], np.cumsum(rows)])[evidence.start]
        return replace(
            evidence, agents=names, agent=code[evidence.agent[rows]], place=evidence.place[rows], start=start
        )
    if isinstance(evidence, Scores):
        scores = evidence.take(keep[evidence.agent])
        return trusted(scores, agents=names, agent=code[scores.agent])
    square = np.ix_(keep, keep)
    if isinstance(evidence, Margins):
        played = None if evidence.played is None else evidence.played[square]
        return replace(evidence, agents=names, matrix=evidence.matrix[square], played=played)
    return replace(evidence, agents=names, matrix=evidence.matrix[square])
