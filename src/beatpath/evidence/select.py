"""Select or reorder the agents of evidence, and sum pair counts of several batches.

Rows of agents that are left out are dropped. Summing the counts of batches gives the counts of all rows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from beatpath._arrays import Codes, Floats, Ints
from beatpath._coerce import as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed
from beatpath._validate import require_agents, require_whole
from beatpath.evidence.arrays import Factor, trusted
from beatpath.evidence.ballots import Ballots
from beatpath.evidence.battles import Battles
from beatpath.evidence.conventions import Convention, Reading, convention
from beatpath.evidence.margins import Margins, WinRates
from beatpath.evidence.pairs import Pairs
from beatpath.evidence.scores import Scores

SETTLING = ("ties", "both_bad")  # conventions that change what a cell counts, so parts to be summed must agree on them
E = TypeVar("E", bound=Battles | Ballots | Scores | Pairs | Margins | WinRates)  # any evidence type


def only(evidence: E, agents: Iterable[str] | None = None, *, min_battles: int = 0) -> E:
    """Return the evidence about these agents only: battles between two of them, ballots restricted to them.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        Evidence of any kind.
    agents : iterable of str, optional
        Names of agents in the evidence; their order does not matter.
    min_battles : int
        Of these, or of all, only agents with at least so many battles among themselves (ballots with another agent, scores): others
        are left out until none is left.

    Returns
    -------
    Battles, Ballots, Scores, Pairs, Margins or WinRates
        The same kind of evidence, with the convention ``agents=named`` or ``agents=often`` and the number of agents left out.

    Raises
    ------
    UsageError
        If `agents` is empty or names an agent that the evidence does not have.

    See Also
    --------
    without : Leave agents out.

    Examples
    --------
    >>> battles = Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 0.5)])
    >>> only(battles, ["cyd", "ada"])
    Battles(2 agents, 1 battle)
    >>> list(only(Ballots.of([[["ada"], ["bob"], ["cyd"]]]), ["cyd", "ada"]))
    [[('ada',), ('cyd',)]]
    """
    evidence = as_evidence(evidence)
    if agents is None:
        return often_met(evidence, min_battles)
    names = _known_agents(evidence, agents)
    if not names:
        raise UsageError("name at least one agent to keep; none was named.")
    keep = np.array([name in names for name in evidence.agents])
    chosen = convention("agents", "named", float((~keep).sum()))
    cut: E = trusted(renumbered(evidence, np.flatnonzero(keep)), conventions=(*evidence.conventions, chosen))
    return often_met(cut, min_battles) if min_battles else cut


def without(evidence: E, agents: Iterable[str]) -> E:
    """Return the evidence without these agents; the complement of `only`.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        Evidence of any kind.
    agents : iterable of str
        Names of agents to leave out.

    Returns
    -------
    Battles, Ballots, Scores, Pairs, Margins or WinRates
        The same kind of evidence, with the convention ``agents=named``.

    See Also
    --------
    only : Keep agents instead.

    Examples
    --------
    >>> without(Battles.of([("ada", "bob", 1), ("bob", "cyd", 1)]), ["cyd"]).agents
    ('ada', 'bob')
    """
    evidence = as_evidence(evidence)
    return only(evidence, set(evidence.agents) - _known_agents(evidence, agents))


def _known_agents(evidence: E, agents: Iterable[str]) -> set[str]:
    """Return the names, or the only one, as a set; raise an error if one is not the name of an agent."""
    names = {agents} if isinstance(agents, str) else set(agents)
    require_agents(sorted(names - set(evidence.agents)), evidence.agents)
    return names


def often_met(evidence: E, min_battles: int) -> E:
    """Return the evidence about agents with at least `least` battles among themselves.

    Agents with fewer are dropped, again and again, until every remaining agent has enough.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs
        Evidence of any of these kinds.
    min_battles : int
        Minimum number of battles per agent; for ballots, of ballots shared with another agent; for scores, of scores.

    Returns
    -------
    Battles, Ballots, Scores or Pairs
        The same kind of evidence, with the convention ``agents=often`` and, if it was read, a note on who was
        dropped.

    See Also
    --------
    only : Keep agents by name.
    without : Leave agents out by name.

    Examples
    --------
    >>> battles = Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("bob", "cyd", 1), ("cyd", "dan", 1)])
    >>> often_met(battles, 2).agents
    ('ada', 'bob')
    """
    require_whole("min_battles", min_battles, 0, 2**53)
    if isinstance(evidence, Margins | WinRates):
        raise UsageError(
            f"agents are chosen by their number of battles; {evidence.kind.replace('_', ' ')} hold no counts."
        )
    selection: Any = evidence
    while (rare := times_met(selection) < min_battles).any():
        selection = renumbered(selection, np.flatnonzero(~rare))
    gone = [name for name in evidence.agents if name not in set(selection.agents)]
    if not gone:
        return evidence
    if not selection.agents:
        raise DataError(f"some agents must have {counted(min_battles, 'battle')} or more among themselves; none has.")
    reading = evidence.reading
    if reading is not None:
        note = f"left out {counted(len(gone), 'agent')} with fewer than {counted(min_battles, 'battle')}: {listed(gone, 10)}"
        reading = replace(reading, notes=(*reading.notes, note))
    threshold = convention("agents", "often", float(len(gone)))
    return trusted(selection, conventions=(*evidence.conventions, threshold), reading=reading)


def times_met(evidence: Battles | Ballots | Scores | Pairs) -> Floats:
    """Return the number of battles, of ballots shared with another agent, or of scores of each agent."""
    times = None
    evidence = evidence.pairs() if isinstance(evidence, Battles) else evidence  # which are counted once
    if isinstance(evidence, Pairs):
        times = np.tile(evidence.battles, 2)
    elif isinstance(evidence, Ballots):
        length = np.diff(evidence.start)
        if (evidence.count != 1).any() or (length < 2).any():
            times = np.repeat(np.where(length > 1, evidence.count, 0), length)
    codes = np.concatenate([getattr(evidence, column) for column in _agent_columns(evidence)])
    return np.bincount(codes, times, len(evidence.agents)).astype(np.float64)


def _agent_columns(evidence: Battles | Ballots | Scores | Pairs) -> tuple[str, ...]:
    """Names of the fields that hold agent codes."""
    return ("a", "b") if isinstance(evidence, Battles | Pairs) else ("agent",)


def by_name(evidence: E) -> E:
    """Return the same evidence with its agents sorted by name, so that results do not depend on their codes.

    >>> by_name(Battles(("zoe", "ada"), [0], [1], [1.0])).a
    array([1], dtype=int32)
    """
    order = sorted(range(len(evidence.agents)), key=lambda i: evidence.agents[i])
    return evidence if order == list(range(len(order))) else renumbered(evidence, order)


def present_agents(evidence: Battles | Ballots | Scores | Pairs) -> Ints:
    """Return the codes of the agents that occur in some row, in ascending order.

    >>> present_agents(Battles(("ada", "bob", "cyd"), [0], [2], [1.0]))
    array([0, 2])
    """
    present = np.zeros(len(evidence.agents), dtype=bool)
    for column in _agent_columns(evidence):
        present[getattr(evidence, column)] = True
    return np.flatnonzero(present)


def new_codes(order: Sequence[int] | Ints, n_agents: int) -> Codes:
    """Return the position of every agent in `order`, -1 if it is not in it.

    >>> new_codes([2, 0], 4)
    array([ 1, -1,  0, -1], dtype=int32)
    """
    code = np.full(n_agents, -1, dtype=np.int32)
    code[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    return code


def renumbered(evidence: E, order: Sequence[int] | Ints) -> E:
    """Return the evidence about the agents with these codes, in this order.

    >>> renumbered(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [1, 1, 0, 0]]), [1, 0]).counts
    array([[1., 3., 0., 0.]])
    """
    names = tuple(evidence.agents[i] for i in order)
    code = new_codes(order, len(evidence.agents))
    return _under_codes(evidence, names, code, np.asarray(order, dtype=np.int64))


def _under_codes(evidence: Any, names: tuple[str, ...], code: Codes, order: Ints) -> Any:
    """Return the rows of agents that have a new code, by kind of evidence."""
    if isinstance(evidence, Battles | Pairs | Scores):
        columns = _agent_columns(evidence)
        some = evidence.take(np.all([code[getattr(evidence, column)] >= 0 for column in columns], axis=0))
        new = {column: code[getattr(some, column)] for column in columns}
        if isinstance(some, Pairs) and not (np.diff(order) > 0).all():
            return some.under(names, **new)
        return trusted(some, agents=names, **new)
    if isinstance(evidence, Ballots):
        rows = code[evidence.agent] >= 0
        start = np.concatenate([[0], np.cumsum(rows)])[evidence.start]
        return replace(
            evidence, agents=names, agent=code[evidence.agent[rows]], place=evidence.place[rows], start=start
        )
    square = np.ix_(order, order)
    played = {"played": evidence.played[square]} if evidence.kind == "margins" else {}
    return replace(evidence, agents=names, matrix=evidence.matrix[square], **played)


def columns_of(evidence: Battles | Ballots | Scores | Pairs | Margins | WinRates) -> Mapping[str, Factor]:
    """Return the categorical columns of the evidence, by name."""
    if isinstance(evidence, Margins | WinRates):
        return {}
    return evidence.keys if isinstance(evidence, Pairs) else evidence.factors


Columns = TypeVar("Columns", bound=str | Sequence[str] | Mapping[str, Any] | None)


def columns_by_role(evidence: Battles | Ballots | Scores | Pairs | Margins | WinRates, names: Columns) -> Columns:
    """Return names of columns with those of the source, such as ``prompt``, replaced by the role they were read as.

    >>> reading = Reading(("votes.csv",), "table", 1, 1, guessed={"cluster": "prompt"})
    >>> battles = Battles.of([("ada", "bob", 1)], factors={"cluster": Factor.of(["p1"])})
    >>> columns_by_role(replace(battles, reading=reading), ("prompt", "judge"))
    ('cluster', 'judge')
    """
    if names is None or isinstance(names, Mapping) or evidence.reading is None:
        return names
    there, reading = columns_of(evidence), evidence.reading
    roles = {column: role for role, column in {**reading.guessed, **reading.given}.items() if role in there}
    if isinstance(names, str):
        return names if names in there else roles.get(names, names)  # type: ignore[return-value]
    return tuple(name if name in there else roles.get(name, name) for name in names)  # type: ignore[return-value]


def added(parts: Sequence[Pairs]) -> Pairs:
    """Return the sum of several pair counts that are split by the same keys; each may add agents and levels.

    Examples
    --------
    >>> monday = Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]])
    >>> tuesday = Pairs(("bob", "cyd", "ada"), [0, 0], [1, 2], [[2, 0, 0, 0], [1, 0, 0, 0]])
    >>> both = added([monday, tuesday])
    >>> both.agents, both.counts
    (('ada', 'bob', 'cyd'), array([[3., 2., 0., 0.],
           [2., 0., 0., 0.]]))
    """
    if not parts:
        raise DataError("there must be counts to add up; there are none.")
    names = [tuple(part.keys) for part in parts]
    if len(set(map(frozenset, names))) > 1:
        other = next(one for one in names if set(one) != set(names[0]))
        raise DataError(
            f"counts that are added up must be split by the same keys; got {listed(names[0]) or 'none'} and "
            f"{listed(other) or 'none'}. Add up what they share, `pairs.by(...)`."
        )
    agents = tuple(sorted({name for part in parts for name in part.agents}))
    place = {name: i for i, name in enumerate(agents)}
    codes = [np.array([place[name] for name in part.agents], dtype=np.int32) for part in parts]
    weighted = any(part.squares is not None for part in parts)
    soft = any(part.soft is not None for part in parts)
    return Pairs.from_cells(
        agents,
        np.concatenate([code[part.a] for code, part in zip(codes, parts, strict=True)]),
        np.concatenate([code[part.b] for code, part in zip(codes, parts, strict=True)]),
        np.concatenate([part.counts for part in parts]),
        battles=np.concatenate([part.battles for part in parts]),
        squares=np.concatenate([p.counts if p.squares is None else p.squares for p in parts]) if weighted else None,
        soft=np.concatenate([np.zeros(len(p)) if p.soft is None else p.soft for p in parts]) if soft else None,
        keys={name: concatenated_factor([part.keys[name] for part in parts]) for name in names[0]},
        conventions=_common_conventions(parts),
        reading=_joint_reading([part.reading for part in parts if part.reading is not None]),
    )


def concatenated_factor(factors: Sequence[Factor]) -> Factor:
    """Concatenate the rows of factors, over the union of their levels.

    >>> concatenated_factor([Factor.of(["x", None]), Factor.of(["a"])]).names()
    ['x', None, 'a']
    """
    levels = sorted({level for factor in factors for level in factor.levels})
    place = {level: i for i, level in enumerate(levels)}
    tables = [np.array([*(place[level] for level in factor.levels), -1], dtype=np.int32) for factor in factors]
    codes = [table[factor.codes] for table, factor in zip(tables, factors, strict=True)]
    return Factor(np.concatenate(codes), tuple(levels))


def _common_conventions(parts: Sequence[Pairs]) -> tuple[Convention, ...]:
    """Return the conventions of all parts with their counts summed; all parts must settle ties alike."""
    common: dict[str, Convention] = {}
    for part in parts:
        for item in part.conventions:
            known = common.get(item.name)
            if known is not None and known.value != item.value:
                raise DataError(
                    f"counts that are added up must be made by the same conventions; {item.name} is {known.value} in one and "
                    f"{item.value} in another. Count them anew by one convention."
                )
            affected = [one.affected for one in (known, item) if one is not None and one.affected is not None]
            common[item.name] = Convention(item.name, item.value, item.meaning, sum(affected) if affected else None)
    for name in SETTLING:
        if name in common and not all(any(m.name == name for m in part.conventions) for part in parts if len(part)):
            raise DataError(
                f"{name} must be settled in all counts that are added up, or in none; it is settled in some. Add up counts as "
                "they were read."
            )
    return tuple(common.values())


def _joint_reading(readings: Sequence[Reading]) -> Reading | None:
    """Combine several readings into one account."""
    if not readings:
        return None
    first = readings[0]
    formats = list(dict.fromkeys(one.format for one in readings))
    return Reading(
        tuple(dict.fromkeys(source for one in readings for source in one.sources)),
        " and ".join(formats),
        sum(one.rows_read for one in readings),
        sum(one.rows_used for one in readings),
        dict(sum((Counter(one.dropped) for one in readings), Counter())),
        {role: name for role, name in first.guessed.items() if all(one.guessed.get(role) == name for one in readings)},
        {role: name for role, name in first.given.items() if all(one.given.get(role) == name for one in readings)},
        tuple(dict.fromkeys(name for one in readings for name in one.unused)),
        tuple(dict.fromkeys(note for one in readings for note in one.notes)),
    )
