"""Ballots: rankings of some of the agents by a voter, a task or a game, with ties allowed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError
from beatpath._memory import require_memory
from beatpath._text import counted, quoted
from beatpath.evidence.arrays import (
    FLOATS,
    INTS,
    NAMED,
    EvidenceBase,
    Factor,
    agent_codes,
    agent_names,
    column,
    read_only,
    require_countable,
    trusted,
)
from beatpath.evidence.conventions import Convention, Reading, convention
from beatpath.evidence.head_to_head import HeadToHead, head_to_head, ranked_together
from beatpath.evidence.pairs import Pairs

_CHUNK = 4_000_000  # pairwise comparisons held in memory at a time when ballots become pairs
_DENSE = 8_000  # most agents for which a dense table of all pairs is built
_TABLED = 120  # bytes per pair while a dense table is filled
_QUICK = 5_000_000  # pairs that are fast to list
# Bytes per comparison, measured on 40 million: while all are listed and summed, and while some are at a time and cells are kept.
_LISTED, _KEPT = 220, 40
# The alternative that the error for too little memory offers.
INSTEAD = "Choose agents with `--only`; mean scores of a table, which `resolve` gives, need no comparisons."
_FILLED = 30  # how many comparisons in a dense table cost as much as one in a list


@dataclass(frozen=True, slots=True, eq=False)
class Ballots(EvidenceBase):
    """Rankings: each ballot is an ordered list of groups of tied agents; absent agents are unranked.

    Use it for votes, leaderboards per task, or games with more than two players. Ballots are stored flat, one after
    another: ballot *i* is ``agent[start[i]:start[i + 1]]`` with places ``place[start[i]:start[i + 1]]``. Place 0 is
    the best; agents with the same place are tied.

    Parameters
    ----------
    agents : tuple of str
        All candidates, ranked or not.
    agent, place : (k,) int
        The ranked agents and their places, sorted by ballot and place.
    start : (m + 1,) int
        Offset of the first entry of each ballot, and the total number of entries last.
    count : (m,) int, optional
        Number of voters who cast this ballot; default one.
    weight : (m,) float, optional
        Weight of each of these voters; default one.
    factors : mapping of str to Factor
        Named columns. ``voter``, ``task`` and ``cluster`` have a meaning; other names are free.

    See Also
    --------
    Battles : Comparisons of two agents.
    Scores : Numeric scores on tasks.

    Examples
    --------
    >>> ballots = Ballots.of([[["ada"], ["bob", "cyd"]], [["cyd"], ["ada"]]], count=[2, 1])
    >>> ballots
    Ballots(3 agents, 3 ballots, 2 distinct)
    >>> ballots.pairs().counts
    array([[2., 0., 0., 0.],
           [2., 1., 0., 0.],
           [0., 0., 2., 0.]])
    """

    kind: ClassVar[str] = "ballots"
    agents: tuple[str, ...]
    agent: NDArray[np.int32]
    place: NDArray[np.int32]
    start: Ints
    count: Ints = field(default=None, metadata=INTS)  # type: ignore[arg-type]
    weight: Floats | None = field(default=None, metadata=FLOATS)
    factors: Mapping[str, Factor] = field(default_factory=dict, metadata=NAMED)
    conventions: tuple[Convention, ...] = ()
    reading: Reading | None = None

    def __post_init__(self) -> None:
        agents = agent_names(self.agents)
        agent = agent_codes(self.agent, len(agents), "agent")
        place = column(self.place, np.int32, len(agent), "place")
        start = np.asarray(self.start, dtype=np.int64)
        if start.ndim != 1 or not start.size or start[0] != 0 or start[-1] != len(agent) or (np.diff(start) < 0).any():
            raise DataError(
                "`start` must rise from 0 to the number of ranked agents, with one more entry than ballots."
            )
        n_ballots = len(start) - 1
        assert place is not None
        step = _steps(place, start)
        if not _rises_by_place(agent, step):
            order = np.lexsort((agent, place, np.repeat(np.arange(n_ballots), np.diff(start))))
            agent, place = agent[order], place[order]
            step = _steps(place, start)
        place = _without_gaps(place, step, start)
        count = np.ones(n_ballots) if self.count is None else self.count
        self.freeze(
            n_ballots,
            agents=agents,
            agent=read_only(agent, np.int32),
            place=read_only(place, np.int32),
            start=read_only(start, np.int64),
            count=column(count, np.int64, n_ballots, "count"),
        )
        if (self.count < 0).any():
            raise DataError(f"`count` must not be negative; got {self.count.min()}.")
        require_countable(self.count, "ballots")
        self._require_once()

    def _require_once(self) -> None:
        """Raise an error if a ballot names an agent twice."""
        cell = self._cells()
        if len(self) * len(self.agents) <= 8 * len(cell):  # a nearly full table: marking cells is faster than sorting
            seen = np.zeros(len(self) * len(self.agents), dtype=bool)
            seen[cell] = True
            if np.count_nonzero(seen) == len(cell):
                return
        cell = np.sort(cell)
        twice = cell[1:][np.diff(cell) == 0]
        if twice.size:
            who, where = self.agents[twice[0] % len(self.agents)], twice[0] // len(self.agents)
            raise DataError(
                f"a ballot must name an agent at most once; ballot {where + 1:,} names {quoted(who)} twice. "
                "Correct it or leave the ballot out."
            )

    @classmethod
    def of(
        cls, ballots: Iterable[Iterable[Iterable[str]]], *, agents: Sequence[str] | None = None, **columns: object
    ) -> "Ballots":
        """Build ballots from nested lists: each ballot is a list of groups of names, best group first.

        Parameters
        ----------
        ballots : iterable of iterable of iterable of str
            For every ballot, its groups of tied agents from best to worst; a group of one may be the bare name.
        agents : sequence of str, optional
            All candidates; by default those that some ballot ranks, sorted.
        **columns
            Further fields, such as ``count`` or ``weight``.

        Returns
        -------
        Ballots

        Raises
        ------
        DataError
            If a ballot ranks an agent that is not in `agents`, or ranks one twice.

        Examples
        --------
        >>> Ballots.of([[["ada"], ["bob", "cyd"]], [["cyd"], ["ada"]]])
        Ballots(3 agents, 2 ballots, 2 distinct)
        >>> list(Ballots.of([["cat", "dog"]]))
        [[('cat',), ('dog',)]]
        """
        groups = [[[group] if isinstance(group, str) else list(group) for group in ballot] for ballot in ballots]
        names = tuple(sorted({n for b in groups for g in b for n in g})) if agents is None else tuple(agents)
        code = {name: i for i, name in enumerate(names)}
        unknown = next((n for b in groups for g in b for n in g if n not in code), None)
        if unknown is not None:
            raise DataError(f"every ranked agent must be among `agents`; {quoted(unknown)} is not.")
        flat = [(code[n], place) for b in groups for place, g in enumerate(b) for n in g]
        start = np.cumsum([0, *(sum(map(len, b)) for b in groups)])
        agent, place = (np.array(flat, dtype=np.int32).reshape(-1, 2)).T
        return cls(names, agent, place, start, **columns)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.start) - 1

    def __repr__(self) -> str:
        return f"Ballots({counted(len(self.agents), 'agent')}, {counted(int(self.count.sum()), 'ballot')}, {len(self):,} distinct)"

    def __iter__(self) -> Iterator[list[tuple[str, ...]]]:
        """Yield each ballot as a list of groups of names, best group first."""
        places, names = self.place.tolist(), [self.agents[agent] for agent in self.agent]
        for low, high in pairwise(self.start.tolist()):
            groups = groupby(range(low, high), key=places.__getitem__)  # entries stand in the order of their places
            yield [tuple(names[entry] for entry in group) for _, group in groups]

    def _cells(self) -> Ints:
        """Index of each flat entry in a table of ballots by agents."""
        row = np.arange(len(self)) * len(self.agents)
        if len(self.agent) == len(self) * len(self.agents):  # every ballot ranks everyone
            return np.add(row[:, None], self.agent.reshape(len(self), len(self.agents))).ravel()
        cell = np.repeat(row, np.diff(self.start))
        cell += self.agent
        return cell

    @property
    def total(self) -> Floats:
        """Total weight of every ballot: count times weight."""
        return self.count * (np.ones(len(self)) if self.weight is None else self.weight)

    @property
    def strict(self) -> bool:
        """Whether no ballot has a tie, so that its last place equals its length minus one."""
        some = np.flatnonzero(np.diff(self.start))
        return bool((self.place[self.start[some + 1] - 1] + 1 == np.diff(self.start)[some]).all())

    def tied(self) -> float:
        """Return the total weight of the comparisons that end in a tie.

        >>> Ballots.of([[["ada"], ["bob", "cyd", "dan"]], [["cyd"], ["ada"]]], count=[2, 1]).tied()
        6.0
        """
        if self.strict:
            return 0.0
        step = _steps(self.place, self.start)
        first = np.flatnonzero(step)  # the first entry of each group of tied agents
        size = np.diff(first, append=len(step))
        ballot = np.searchsorted(self.start, first, side="right") - 1
        return float((self.total[ballot] * (size * (size - 1) / 2)).sum())

    def places(self) -> NDArray[np.int32]:
        """Return the place of every agent on every ballot, shape (ballots, agents), -1 if unranked."""
        table = np.full(len(self) * len(self.agents), -1, dtype=np.int32)
        table[self._cells()] = self.place
        return table.reshape(len(self), len(self.agents))

    def with_unranked(self, policy: str) -> "Ballots":
        """Apply a policy for unranked agents: leave them unranked, or tie them in a place after the last."""
        if policy == "ignore" and any(one.name == "unranked" for one in self.conventions):
            return self  # a policy holds already, and leaves nothing to this one
        missing = len(self.agents) - np.diff(self.start)
        unranked = convention("unranked", policy, float((self.count * missing).sum()))
        if policy == "ignore":
            return trusted(self, conventions=(*self.conventions, unranked))
        table = self.places()
        last = table.max(axis=1, initial=-1) + 1
        table = np.where(table < 0, last[:, None], table)
        n_ballots, n_agents = table.shape
        return replace(
            self,
            agent=np.tile(np.arange(n_agents), n_ballots),
            place=table.ravel(),
            start=np.arange(n_ballots + 1) * n_agents,
            conventions=(*self.conventions, unranked),
        )

    def take(self, rows: NDArray[np.generic], **changed: Any) -> "Ballots":
        """Return the chosen ballots (indices or a mask); pass `count` to change their numbers of voters.

        All agents stay candidates.

        >>> list(Ballots.of([[["x"], ["y"]], [["y"], ["x"]]]).take(np.array([False, True])))
        [[('y',), ('x',)]]
        """
        rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        length = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(length)])
        entry = np.repeat(self.start[:-1][rows] - start[:-1], length) + np.arange(start[-1])
        if "count" in changed:
            changed["count"] = np.asarray(changed["count"], dtype=np.int64)
        return EvidenceBase.take(self, rows, agent=self.agent[entry], place=self.place[entry], start=start, **changed)

    @property
    def is_long(self) -> bool:
        """Whether these ballots imply so many pairs that they are listed only if a rule needs the list."""
        return min(self._comparisons, len(self.agents) * (len(self.agents) - 1) / 2) > _QUICK

    @property
    def _comparisons(self) -> float:
        """Number of comparisons: pairs of agents that share a ballot, summed over the ballots."""
        length = np.diff(self.start).astype(np.float64)
        return float((length * (length - 1)).sum()) / 2

    def pairs(self, by: Sequence[str] = (), *, unranked: str = "ignore") -> Pairs:
        """Compare all pairs of agents on each ballot: the better placed agent wins, agents with the same place tie.

        Parameters
        ----------
        by : sequence of str, optional
            Columns that split the cells. ``"ballot"`` splits by ballot, the cluster that these battles share.
        unranked : {"ignore", "last"}
            Whether an unranked agent is not compared on that ballot (default), or loses to all ranked agents.

        Returns
        -------
        Pairs
            Each of the ``count`` voters behind a ballot contributes one battle per pair.
        """
        ballots = self.with_unranked(unranked)
        if not by and ballots.fits_dense_table():
            return ballots._dense_pairs()
        ballots.require_lists(_LISTED)
        rows = list(ballots.compared())
        ballot, a, b, sign = (
            (np.concatenate(part) for part in zip(*rows, strict=True)) if rows else (np.zeros(0, int),) * 4
        )
        keys = {name: ballots.factor(name) for name in by}
        return Pairs.from_outcomes(
            self.agents,
            a,
            b,
            (sign + 1) / 2,
            weight=ballots.total[ballot],
            square=None if self.weight is None else (self.weight**2 * self.count)[ballot],
            battles=self.count[ballot],
            keys={name: key.take(ballot) for name, key in keys.items()},
            conventions=ballots.conventions,
            reading=self.reading,
        )

    def compared(
        self, most: int = _CHUNK
    ) -> Iterator[tuple[Ints, NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]]]:
        """Yield all pairs on each ballot, about `most` at a time: ballot, two agents in order, the sign of their places.

        It is 1 where the first is better placed, 0 for a tie. Rows of a block are sorted by ballot and agents.
        """
        return (_compare(self, chunk) for chunk in _equal_lengths(self, most))

    def fits_dense_table(self) -> bool:
        """Whether all pairs fit into a dense table, and filling it costs less than listing the comparisons.

        >>> Ballots.of([[["ada"], ["bob"]]], agents=["ada", "bob"]).fits_dense_table()
        True
        """
        n = len(self.agents)
        return n <= _DENSE and 2 * _FILLED * self._comparisons >= len(self) * n * (n - 1)

    def require_lists(self, each: int = _KEPT) -> None:
        """Raise an error if there is too little memory to list every comparison of the ballots, in so many bytes `each`."""
        most = int(np.diff(self.start).max(initial=0))
        what = f"comparisons of {counted(len(self), 'ballot')} that rank up to {most:,} agents"
        require_memory(each * self._comparisons, f"the {self._comparisons:,.0f} {what}", INSTEAD)

    def win_table(self, ties: str) -> Floats:
        """Return the total weight of the ballots that rank *a* above *b*, shape (n, n).

        `ties` is "half" to count a tie as half a win for each side; otherwise ties are dropped.

        >>> Ballots.of([[["ada"], ["bob", "cyd"]], [["cyd"], ["ada"]]], count=[2, 1]).win_table("half")
        array([[0., 2., 2.],
               [0., 0., 1.],
               [1., 1., 0.]])
        """
        (wins, tied), weighed = self._head_to_head(self.places()), int(self.weight is not None)
        return wins[weighed] + tied[weighed] / 2 if ties == "half" else wins[weighed]

    def _head_to_head(self, places: NDArray[np.int32]) -> HeadToHead:
        """Totals of all pairs: voters and, for weighted ballots, the weights and the squared weights."""
        require_memory(
            _TABLED * float(len(self.agents)) ** 2,
            f"the pairs of {counted(len(self.agents), 'agent')} on {counted(len(self), 'ballot')}",
            INSTEAD,
        )
        columns = [self.count.astype(np.float64)]
        if self.weight is not None:
            columns += [self.total, self.weight**2 * self.count]
        return head_to_head(places, np.stack(columns, axis=1))

    def _dense_pairs(self) -> Pairs:
        """Count all pairs in a dense table of places; every pair that shares a ballot gets a cell."""
        places = self.places()
        wins, ties = self._head_to_head(places)
        a, b = np.nonzero(np.triu(ranked_together(places), 1))

        def table(total: int) -> Floats:
            return np.stack([wins[total][a, b], wins[total][b, a], ties[total][a, b], np.zeros(len(a))], axis=1)

        counts = table(0)
        return Pairs(
            self.agents,
            a.astype(np.int32),
            b.astype(np.int32),
            counts if self.weight is None else table(1),
            battles=np.rint(counts @ np.ones(4)).astype(np.int64),
            squares=None if self.weight is None else table(2),
            conventions=self.conventions,
            reading=self.reading,
        )

    def factor(self, name: str) -> Factor:
        """Return the column with this name; ``ballot`` numbers the ballots."""
        if name == "ballot" and name not in self.factors:
            return Factor.of([f"{i:09d}" for i in range(1, len(self) + 1)])
        return EvidenceBase.factor(self, name)


def _steps(place: NDArray[np.int32], start: Ints) -> NDArray[np.int32]:
    """Difference of each place from the one before it; the first entry of a ballot counts from -1."""
    step = np.empty(len(place), dtype=np.int32)
    np.subtract(place[1:], place[:-1], out=step[1:])
    head = start[:-1][start[:-1] < start[1:]]
    step[head] = place[head] + 1
    return step


def _rises_by_place(agent: NDArray[np.int32], step: NDArray[np.int32]) -> bool:
    """Whether the entries of every ballot are sorted by place, then by agent."""
    level = np.flatnonzero(step <= 0)
    return bool((step[level] == 0).all() and (agent[level] > agent[level - 1]).all())


def _without_gaps(place: NDArray[np.int32], step: NDArray[np.int32], start: Ints) -> NDArray[np.int32]:
    """Renumber the places of each ballot 0, 1, 2, ... without gaps; places must be sorted within a ballot."""
    head = start[:-1][start[:-1] < start[1:]]
    if step.max(initial=0) <= 1 and (step[head] == 1).all():
        return place
    new = step != 0
    new[head] = True
    rise = np.cumsum(new)
    return (rise - np.repeat(rise[head], np.diff(start)[np.diff(start) > 0])).astype(np.int32)


def _equal_lengths(ballots: Ballots, most: int) -> Iterator[Ints]:
    """Yield groups of ballots of equal length with about `most` comparisons."""
    length = np.diff(ballots.start)
    for size in np.unique(length[length > 1]):
        same = np.flatnonzero(length == size)
        step = max(1, most // int(size * (size - 1) // 2))
        for low in range(0, len(same), step):
            yield same[low : low + step]


def _compare(ballots: Ballots, chunk: Ints) -> tuple[Ints, NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]]:
    """All pairs on each ballot of the chunk; see `Ballots.compared`."""
    size = int(ballots.start[chunk[0] + 1] - ballots.start[chunk[0]])
    entry = ballots.start[chunk][:, None] + np.arange(size)
    agent, place = ballots.agent[entry], ballots.place[entry]
    order = np.argsort(agent, axis=1)
    agent, place = (np.take_along_axis(one, order, axis=1) for one in (agent, place))
    i, j = np.triu_indices(size, 1)
    sign = np.sign(place[:, j] - place[:, i]).astype(np.int8)
    return np.repeat(chunk, len(i)), agent[:, i].ravel(), agent[:, j].ravel(), sign.ravel()
