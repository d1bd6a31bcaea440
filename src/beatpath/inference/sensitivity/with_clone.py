"""A copy of an agent put beside it: the same results against everybody, and ties between the two."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath.evidence import Ballots, Battles, Factor, Margins, Pairs, Scores, WinRates
from beatpath.evidence.pairs import TIE

E = TypeVar("E", bound=Battles | Ballots | Scores | Pairs | Margins | WinRates)


def with_clone(evidence: E, agent: str, copy: str | None = None) -> E:
    """Return the evidence with a copy of an agent: the same results against everybody, and ties between the two.

    On ballots and score tables the copy stands beside its original. In battles the copy has all battles of the original once
    more, and the two tie as often as the original met a rival in the median.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
    agent : str
    copy : str, optional
        The copy's name; by default the agent's with " (copy)".

    Examples
    --------
    >>> list(with_clone(Ballots.of([[["ada"], ["bob"]]]), "bob"))
    [[('ada',), ('bob', 'bob (copy)')]]
    >>> with_clone(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]), "ada").counts
    array([[3., 1., 0., 0.],
           [0., 0., 4., 0.],
           [1., 3., 0., 0.]])
    """
    if agent not in evidence.agents:
        raise UsageError(f"{quoted(agent)} must be one of the agents.{suggestion(agent, evidence.agents)}")
    name = free_name(f"{agent} (copy)", evidence.agents) if copy is None else copy
    if name in evidence.agents:
        raise UsageError(f"`copy` must be a new name; {quoted(name)} is an agent already.")
    return _added(evidence, evidence.agents.index(agent), (*evidence.agents, name))


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name, or the name with as many marks as make it new."""
    while name in taken:
        name += "*"
    return name


def _added(evidence: Any, x: int, agents: tuple[str, ...]) -> Any:
    """The evidence with the last of `agents` as a copy of agent number `x`."""
    if isinstance(evidence, Battles):
        return _battles_with_copy(evidence, x, agents)
    if isinstance(evidence, Pairs):
        return _pairs_with_copy(evidence, x, agents)
    if isinstance(evidence, Ballots):
        rows = np.repeat(np.arange(len(evidence.agent)), 1 + (evidence.agent == x))
        extra = np.concatenate([[0], np.cumsum(evidence.agent == x)])
        agent = _second(evidence.agent[rows], rows, x, len(agents) - 1)
        start = evidence.start + extra[evidence.start]
        return replace(evidence, agents=agents, agent=agent, place=evidence.place[rows], start=start)
    if isinstance(evidence, Scores):
        rows = np.repeat(np.arange(len(evidence)), 1 + (evidence.agent == x))
        return replace(
            evidence,
            agents=agents,
            agent=_second(evidence.agent[rows], rows, x, len(agents) - 1),
            value=evidence.value[rows],
            stderr=None if evidence.stderr is None else evidence.stderr[rows],
            factors={key: factor.take(rows) for key, factor in evidence.factors.items()},
        )
    index = np.append(np.arange(len(agents) - 1), x)
    square = np.ix_(index, index)
    if isinstance(evidence, Margins):
        assert evidence.played is not None
        played = evidence.played[square].copy()
        played[x, -1] = played[-1, x] = True
        return replace(evidence, agents=agents, matrix=evidence.matrix[square], played=played)
    return replace(evidence, agents=agents, matrix=evidence.matrix[square])


def _second(codes: NDArray[np.int32], rows: NDArray[np.int64], x: int, new: int) -> NDArray[np.int32]:
    """Codes in which the second of two equal rows names the copy."""
    repeated = np.concatenate([[False], rows[1:] == rows[:-1]])
    return np.where(repeated & (codes == x), new, codes).astype(np.int32)


def _battles_with_copy(battles: Battles, x: int, agents: tuple[str, ...]) -> Battles:
    """Every battle of the original once more for the copy, right after it; their ties at the end."""
    its = (battles.a == x) | (battles.b == x)
    rows = np.repeat(np.arange(len(battles)), 1 + its)
    n_ties = _typical(np.bincount(np.where(battles.a == x, battles.b, battles.a)[its]))
    more = battles.take(np.concatenate([rows, np.full(n_ties, rows[-1] if len(rows) else 0)]))
    last = np.arange(len(more)) >= len(rows)
    new = len(agents) - 1
    repeated = np.append(False, rows[1:] == rows[:-1]) if len(rows) else np.zeros(0, dtype=bool)
    copied = np.concatenate([repeated, np.zeros(n_ties, dtype=bool)])
    return replace(
        more,
        agents=agents,
        a=np.where(last, x, np.where(copied & (more.a == x), new, more.a)),
        b=np.where(last, new, np.where(copied & (more.b == x), new, more.b)),
        outcome=np.where(last, 0.5, more.outcome),
        both_bad=None if more.both_bad is None else more.both_bad & ~last,
        weight=None if more.weight is None else np.where(last, 1.0, more.weight),
        position=None if more.position is None else np.where(last, 0, more.position),
        factors={name: Factor(np.where(last, -1, f.codes), f.levels) for name, f in more.factors.items()},
        covariates={name: np.where(last, 0.0, values) for name, values in more.covariates.items()},
    )


def _pairs_with_copy(pairs: Pairs, x: int, agents: tuple[str, ...]) -> Pairs:
    """Every cell of the original once more for the copy, and a cell of ties."""
    its = (pairs.a == x) | (pairs.b == x)
    new, none = len(agents) - 1, np.zeros(1)
    met = np.bincount(np.where(pairs.a == x, pairs.b, pairs.a)[its], pairs.battles[its])
    ties = np.zeros((1, 4))
    ties[0, TIE] = _typical(met)

    def grown(values: NDArray[Any] | None, last: NDArray[Any]) -> NDArray[Any] | None:
        return None if values is None else np.concatenate([values, values[its], last])

    keys = {
        name: Factor(np.concatenate([f.codes, f.codes[its], [-1]]).astype(np.int32), f.levels)
        for name, f in pairs.keys.items()
    }
    return Pairs.from_cells(
        agents,
        np.concatenate([pairs.a, np.where(pairs.a == x, new, pairs.a)[its], [x]]),
        np.concatenate([pairs.b, np.where(pairs.b == x, new, pairs.b)[its], [new]]),
        np.concatenate([pairs.counts, pairs.counts[its], ties]),
        battles=grown(pairs.battles, ties.sum(axis=1)),
        squares=grown(pairs.squares, ties),
        soft=grown(pairs.soft, none),
        keys=keys,
        conventions=pairs.conventions,
        reading=pairs.reading,
    )


def _typical(met: NDArray[Any]) -> int:
    """How often the original met a rival, in the median over the rivals it met."""
    met = met[met > 0]
    return int(np.median(met)) if len(met) else 0
