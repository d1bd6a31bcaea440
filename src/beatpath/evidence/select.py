"""Evidence about some of the agents, or all in another order: what the others took part in is left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from beatpath._arrays import Codes, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.evidence.arrays import trusted
from beatpath.evidence.ballots import Ballots
from beatpath.evidence.battles import Battles
from beatpath.evidence.conventions import convention
from beatpath.evidence.factor import Factor
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
    cut: E = trusted(renumbered(evidence, np.flatnonzero(keep)), conventions=(*evidence.conventions, made))
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


def often_met(evidence: E, least: int) -> E:
    """Return the evidence about agents with at least so many battles among themselves: others are left out until none is left.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs
    least : int
        Battles of an agent; ballots on which it stands with another; scores.

    Returns
    -------
    The same kind of evidence, with the convention ``agents=often`` and, where it was read, a note on who was left out.

    Examples
    --------
    >>> battles = Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("bob", "cyd", 1), ("cyd", "dan", 1)])
    >>> often_met(battles, 2).agents
    ('ada', 'bob')
    """
    if isinstance(least, bool) or not isinstance(least, int) or least < 0:
        raise UsageError(f"`least` must be a whole number of battles, 0 or more; got {quoted(least)}.")
    if isinstance(evidence, Margins | WinRates):
        raise UsageError(
            f"agents are chosen by their number of battles; {evidence.kind.replace('_', ' ')} hold no counts."
        )
    kept: Any = evidence
    while (rare := _times_met(kept) < least).any():
        kept = renumbered(kept, np.flatnonzero(~rare))
    gone = [name for name in evidence.agents if name not in set(kept.agents)]
    if not gone:
        return evidence
    if not kept.agents:
        raise DataError(f"some agents must have {counted(least, 'battle')} or more among themselves; none has.")
    reading = evidence.reading
    if reading is not None:
        note = f"left out {counted(len(gone), 'agent')} with fewer than {counted(least, 'battle')}: {listed(gone, 10)}"
        reading = replace(reading, notes=(*reading.notes, note))
    made = convention("agents", "often", float(len(gone)))
    cut: E = trusted(kept, conventions=(*evidence.conventions, made), reading=reading)
    return cut


def _times_met(evidence: Battles | Ballots | Scores | Pairs) -> Floats:
    """How many battles, ballots with another agent, or scores each agent has."""
    if isinstance(evidence, Battles | Pairs):
        codes, times = np.concatenate([evidence.a, evidence.b]), np.ones(2 * len(evidence.a))
        times = np.tile(evidence.battles, 2).astype(np.float64) if isinstance(evidence, Pairs) else times
    elif isinstance(evidence, Scores):
        codes, times = evidence.agent, np.ones(len(evidence.agent))
    else:
        length = np.diff(evidence.start)
        codes, times = evidence.agent, np.repeat(np.where(length > 1, evidence.count, 0), length).astype(np.float64)
    return np.bincount(codes, times, len(evidence.agents)).astype(np.float64)


def by_name(evidence: E) -> E:
    """Return the same evidence with its agents in the order of their names, so that no answer depends on how they were numbered.

    >>> by_name(Battles(("zoe", "ada"), [0], [1], [1.0])).a
    array([1], dtype=int32)
    """
    order = sorted(range(len(evidence.agents)), key=lambda i: evidence.agents[i])
    return evidence if order == list(range(len(order))) else renumbered(evidence, order)


def seen_agents(evidence: Battles | Ballots | Scores | Pairs) -> Ints:
    """Return the codes of the agents that stand in some row, in rising order.

    >>> seen_agents(Battles(("ada", "bob", "cyd"), [0], [2], [1.0]))
    array([0, 2])
    """
    codes = (evidence.a, evidence.b) if isinstance(evidence, Battles | Pairs) else (evidence.agent,)
    seen = np.zeros(len(evidence.agents), dtype=bool)
    for column in codes:
        seen[column] = True
    return np.flatnonzero(seen)


def new_codes(order: Sequence[int] | Ints, n_agents: int) -> Codes:
    """Return the place of every agent in an order of some of them, -1 where it has none.

    >>> new_codes([2, 0], 4)
    array([ 1, -1,  0, -1], dtype=int32)
    """
    code = np.full(n_agents, -1, dtype=np.int32)
    code[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    return code


def renumbered(evidence: E, order: Sequence[int] | Ints) -> E:
    """Return the evidence about the agents of these codes alone, in this order.

    >>> renumbered(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [1, 1, 0, 0]]), [1, 0]).counts
    array([[1., 3., 0., 0.]])
    """
    names = tuple(evidence.agents[i] for i in order)
    code = new_codes(order, len(evidence.agents))
    return _under_codes(evidence, names, code, np.asarray(order, dtype=np.int64))


def _under_codes(evidence: Any, names: tuple[str, ...], code: Codes, order: Ints) -> Any:
    """The rows of agents that have a new code, by kind of evidence."""
    if isinstance(evidence, Battles):
        some = evidence.take((code[evidence.a] >= 0) & (code[evidence.b] >= 0))
        return trusted(some, agents=names, a=code[some.a], b=code[some.b])
    if isinstance(evidence, Pairs):
        cells = evidence.take((code[evidence.a] >= 0) & (code[evidence.b] >= 0))
        a, b = code[cells.a], code[cells.b]
        if (np.diff(order) > 0).all():
            return trusted(cells, agents=names, a=a, b=b)
        rest = {
            field: getattr(cells, field) for field in ("battles", "squares", "soft", "keys", "conventions", "reading")
        }
        return Pairs.from_cells(names, a, b, cells.counts, **rest)
    if isinstance(evidence, Ballots):
        rows = code[evidence.agent] >= 0
        start = np.concatenate([[0], np.cumsum(rows)])[evidence.start]
        return replace(
            evidence, agents=names, agent=code[evidence.agent[rows]], place=evidence.place[rows], start=start
        )
    if isinstance(evidence, Scores):
        scores = evidence.take(code[evidence.agent] >= 0)
        return trusted(scores, agents=names, agent=code[scores.agent])
    square = np.ix_(order, order)
    if isinstance(evidence, Margins):
        played = None if evidence.played is None else evidence.played[square]
        return replace(evidence, agents=names, matrix=evidence.matrix[square], played=played)
    return replace(evidence, agents=names, matrix=evidence.matrix[square])


def columns_of(evidence: Battles | Ballots | Scores | Pairs | Margins | WinRates) -> Mapping[str, Factor]:
    """Return the columns that evidence has, by name."""
    if isinstance(evidence, Margins | WinRates):
        return {}
    return evidence.keys if isinstance(evidence, Pairs) else evidence.factors
