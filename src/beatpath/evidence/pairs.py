r"""Pair counts: the sufficient statistic of battles.

For agents :math:`a < b`, a cell holds the total weight of the battles that *a* won, that *b* won, that were tied, and
in which both were bad. A soft preference :math:`s \in (0, 1)` for *a* adds :math:`s` to the wins and :math:`1 - s` to
the losses. Cells also hold the second moments that the variance of a win rate needs. Further keys (task, cluster,
position) may split them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._memory import require_memory
from beatpath._text import counted, quoted
from beatpath._validate import require_known
from beatpath.evidence.arrays import (
    CODES,
    FLOATS,
    INTS,
    LARGEST,
    NAMED,
    SMALLEST,
    EvidenceBase,
    Factor,
    agent_codes,
    agent_names,
    beyond_squares,
    column,
    joint_codes,
    read_only,
    refuse,
    require_countable,
    trusted,
)
from beatpath.evidence.conventions import Convention, Reading, convention
from beatpath.evidence.margins import Margins, WinRates
from beatpath.evidence.ties import net, pair_slack

# Columns of `Pairs.counts`, and their names.
WIN, LOSS, TIE, BOTH_BAD = range(4)
OUTCOMES = ("wins", "losses", "ties", "both_bad")
TABLES = 4  # dense n by n tables that a typical rule allocates
_BLOCK = 1 << 17  # minimum battles per block, so that the intermediate arrays stay in the CPU cache


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(EvidenceBase):
    """Counts of wins, losses, ties and both-bad battles for every pair that was compared directly.

    Most methods need only these counts. Get them from `Battles.pairs`, `Ballots.pairs` or `Scores.pairs`.

    Parameters
    ----------
    agents : tuple of str
        Agent names; the codes in `a` and `b` index this tuple.
    a, b : (m,) int
        The pair of each cell, ``a < b``.
    counts : (m, 4) float
        Total weight of wins of *a*, wins of *b*, ties, both bad.
    battles : (m,) int, optional
        Number of battles in each cell; by default the rounded sum of its counts, at least one if the sum is positive.
    squares : (m, 4) float, optional
        Sums of squared weights; by default the counts, as for unit weights.
    soft : (m,) float, optional
        Sum of :math:`w^2 s (1 - s)` over soft preferences *s*; by default there are none.
    keys : mapping of str to Factor
        Factors that split the cells, besides the pair.

    See Also
    --------
    Battles : The individual comparisons.
    beatpath.evidence.select.added : Sum the counts of several batches.

    Examples
    --------
    >>> pairs = Pairs(("ada", "bob"), [0], [1], [[3, 1, 2, 0]])
    >>> pairs.settle(ties="half").counts
    array([[4., 2., 0., 0.]])
    >>> pairs.win_rates().matrix
    array([[0.5       , 0.66666667],
           [0.33333333, 0.5       ]])
    """

    kind: ClassVar[str] = "pairs"
    agents: tuple[str, ...]
    a: NDArray[np.int32] = field(metadata=CODES)
    b: NDArray[np.int32] = field(metadata=CODES)
    counts: Floats = field(metadata=FLOATS)
    battles: Ints = field(default=None, metadata=INTS)  # type: ignore[arg-type]
    squares: Floats | None = field(default=None, metadata=FLOATS)
    soft: Floats | None = field(default=None, metadata=FLOATS)
    keys: Mapping[str, Factor] = field(default_factory=dict, metadata=NAMED)
    conventions: tuple[Convention, ...] = ()
    reading: Reading | None = None

    def __post_init__(self) -> None:
        agents = agent_names(self.agents)
        a, b = agent_codes(self.a, len(agents), "a"), agent_codes(self.b, len(agents), "b")
        if a.shape != b.shape or not (a < b).all():
            raise DataError("`a` and `b` must have one code a cell with a < b; `Pairs.from_cells` puts pairs in order.")
        counts = _outcome_table(self.counts, len(a), "counts")
        squares = None if self.squares is None else _outcome_table(self.squares, len(a), "squares")
        total = counts @ np.ones(4)
        battles = np.maximum(np.rint(total), total > 0) if self.battles is None else np.asarray(self.battles)
        require_countable(battles, "battles")
        rows = column(battles, np.int64, len(a), "battles")
        self.freeze(len(a), agents=agents, a=a, b=b, counts=counts, squares=squares, battles=rows)

    @classmethod
    def from_cells(
        cls,
        agents: tuple[str, ...],
        a: ArrayLike,
        b: ArrayLike,
        counts: ArrayLike,
        *,
        battles: ArrayLike | None = None,
        squares: ArrayLike | None = None,
        soft: ArrayLike | None = None,
        keys: Mapping[str, Factor] | None = None,
        conventions: tuple[Convention, ...] = (),
        reading: Reading | None = None,
    ) -> "Pairs":
        """Build pairs from cells in any order and orientation; cells with the same pair and keys are summed.

        >>> Pairs.from_cells(("x", "y"), [1, 0], [0, 1], [[1, 0, 0, 0], [5, 0, 0, 0]]).counts
        array([[5., 1., 0., 0.]])
        """
        a, b = agent_codes(a, len(agents), "a"), agent_codes(b, len(agents), "b")
        refuse(
            a == b,
            lambda row, _: (
                f"an agent cannot be compared with itself; {quoted(agents[a[row]])} is. Leave such rows out."
            ),
        )
        keys = dict(keys or {})
        turned = a > b
        group, first = _grouped_cells(np.minimum(a, b), np.maximum(a, b), len(agents), keys)

        def total(values: Floats) -> Floats:
            return _grouped_sum(values, group, len(first))

        table = _outcome_table(counts, len(a), "counts")
        square = None if squares is None else total(_turn(_outcome_table(squares, len(a), "squares"), turned))
        rows = np.rint(table.sum(axis=1)) if battles is None else np.asarray(battles, dtype=np.float64)
        require_countable(rows, "battles")
        return cls(
            agents,
            np.minimum(a, b)[first],
            np.maximum(a, b)[first],
            total(_turn(table, turned)),
            battles=np.rint(total(rows)).astype(np.int64),
            squares=square,
            soft=None if soft is None else total(np.asarray(soft, dtype=np.float64)),
            keys={name: factor.take(first) for name, factor in keys.items()},
            conventions=conventions,
            reading=reading,
        )

    @classmethod
    def from_outcomes(
        cls,
        agents: tuple[str, ...],
        a: ArrayLike,
        b: ArrayLike,
        outcome: Floats,
        *,
        both_bad: Bools | None = None,
        weight: Floats | None = None,
        square: Floats | None = None,
        battles: Ints | None = None,
        keys: Mapping[str, Factor] | None = None,
        conventions: tuple[Convention, ...] = (),
        reading: Reading | None = None,
    ) -> "Pairs":
        """Sum battles, or groups of equal battles, by pair and keys.

        Parameters
        ----------
        agents : tuple of str
            Agent names.
        a, b : (t,) int
            Codes of the two agents of each entry.
        outcome : (t,) float in [0, 1]
            The result for *a*.
        both_bad : (t,) bool, optional
            Entries in which both were bad.
        weight : (t,) float, optional
            Total weight of each entry; default one.
        square : (t,) float, optional
            Sum of squared weights of each entry; by default that of unit weights.
        battles : (t,) int, optional
            Number of battles in each entry; default one.
        keys : mapping of str to Factor, optional
            Columns that split the cells.
        conventions, reading
            Recorded as they are.

        Returns
        -------
        Pairs

        Examples
        --------
        >>> Pairs.from_outcomes(("x", "y"), [0, 1, 0], [1, 0, 1], np.array([1.0, 1.0, 0.9])).counts
        array([[1.9, 1.1, 0. , 0. ]])
        """
        a, b = agent_codes(a, len(agents), "a"), agent_codes(b, len(agents), "b")
        keys = dict(keys or {})
        plain = not keys and weight is None and square is None and battles is None
        if plain and len(agents) ** 2 <= min(len(a), 2**28):
            table = _tallied(a, b, outcome, both_bad, len(agents))
            if table is not None:
                a, b, counts = _cells_of(table)
                return cls(agents, a, b, counts, conventions=conventions, reading=reading)
        low, high = np.minimum(a, b), np.maximum(a, b)
        group, first = _grouped_cells(low, high, len(agents), keys)
        n, score = len(first), np.where(a > b, 1 - outcome, outcome)
        soft = np.flatnonzero((score != 0) & (score != 1) & (score != 0.5))
        second = weight if square is None else square
        uncertain = score[soft] * (1 - score[soft]) * (1.0 if second is None else second[soft])
        return cls(
            agents,
            low[first],
            high[first],
            _outcome_totals(group, n, score, both_bad, weight),
            battles=np.rint(np.bincount(group, weights=battles, minlength=n)).astype(np.int64),
            squares=None if square is None else _outcome_totals(group, n, score, both_bad, square),
            soft=_grouped_sum(uncertain, group[soft], n) if len(soft) else None,
            keys={name: factor.take(first) for name, factor in keys.items()},
            conventions=conventions,
            reading=reading,
        )

    def __len__(self) -> int:
        return len(self.a)

    def __repr__(self) -> str:
        by = f" by {', '.join(self.keys)}" if self.keys else ""
        met = counted(int(self.battles.sum()), "battle")
        return f"Pairs({counted(len(self.agents), 'agent')}, {counted(len(self), 'cell')}{by}, {met})"

    @property
    def weighted(self) -> bool:
        """Whether any battle has a weight other than one."""
        return self.squares is not None

    def by(self, *names: str) -> "Pairs":
        """Return the cells split by these keys only, summed over all other keys."""
        for name in names:
            must = f"`by` must name a key these pairs are split by ({', '.join(self.keys) or 'none'})"
            require_known(name, self.keys, f"{must}; got {quoted(name)}.")
        if list(names) == list(self.keys):
            return self
        return self.under(self.agents, self.a, self.b, keys={name: self.keys[name] for name in names})

    def under(
        self, agents: tuple[str, ...], a: ArrayLike, b: ArrayLike, *, keys: Mapping[str, Factor] | None = None
    ) -> "Pairs":
        """Return the same cells with other agent codes and keys, sorted, and summed where they coincide."""
        return Pairs.from_cells(
            agents,
            a,
            b,
            self.counts,
            battles=self.battles,
            squares=self.squares,
            soft=self.soft,
            keys=self.keys if keys is None else keys,
            conventions=self.conventions,
            reading=self.reading,
        )

    def pairs(self) -> "Pairs":
        """Return these pairs, so that every kind of evidence has the method `pairs`."""
        return self

    def settle(self, *, ties: str = "half", both_bad: str = "tie") -> "Pairs":
        """Apply a tie policy and a both-bad policy, and record them as conventions.

        Parameters
        ----------
        ties : {"half", "drop", "keep"}
            Count a tie as half a win for each side (default), drop it, or keep it.
        both_bad : {"tie", "drop", "keep"}
            Count a both-bad battle as a tie (default), drop it, or keep it. Applied first, so the resulting ties
            follow `ties`.
        """
        n_ties, n_bad = float(self.counts[:, TIE].sum()), float(self.counts[:, BOTH_BAD].sum())
        conventions = settling(ties, both_bad, n_ties, n_bad)
        settled = trusted(self, conventions=self.conventions + conventions)
        if not n_ties and not n_bad:
            return settled
        counts = _moved_ties(self.counts, ties, both_bad)
        squares = None if self.squares is None else _moved_ties(self.squares, ties, both_bad)
        soft = self.soft
        if ties == "half":
            second = self.counts if self.squares is None else self.squares
            halved = second[:, TIE] + (second[:, BOTH_BAD] if both_bad == "tie" else 0.0)
            soft = halved / 4 + (0.0 if soft is None else soft)
        return trusted(settled, counts=counts, squares=squares, soft=soft)

    @property
    def per_weight(self) -> float:
        """The effective number of all battles (Kish's) over their total weight: 1 if no battle has a weight.

        Weights set the relative importance of battles, not their number: a method with a prior or standard errors
        multiplies counts by it.

        >>> Pairs(("ada", "bob"), [0], [1], [[2000, 1000, 0, 0]], squares=[[2e6, 1e6, 0, 0]]).per_weight
        0.001
        """
        return 1.0 if self.squares is None else per_weight(self.counts, self.squares)

    def unweighted(self) -> "Pairs":
        """Return unit-weight counts with the same effective sample size.

        The effective sample size is Kish's: the squared sum of the weights over the sum of their squares.

        Weights set the relative importance of battles, not their number.

        >>> three = Pairs(("ada", "bob"), [0], [1], [[2000, 1000, 0, 0]], squares=[[2e6, 1e6, 0, 0]])
        >>> three.unweighted().counts
        array([[2., 1., 0., 0.]])
        """
        if self.squares is None:
            return self
        total, square = self.counts.sum(axis=1), self.squares.sum(axis=1)
        worth = np.divide(total, square, out=np.ones(len(total)), where=square > 0)
        return trusted(self, counts=self.counts * worth[:, None], squares=None)

    def two_way(self, *, ties: str, both_bad: str) -> "Pairs":
        """Return cells without keys and with settled ties, so that only wins and losses remain."""
        return self.by().settle(ties=two_outcomes(ties), both_bad="drop" if both_bad == "keep" else both_bad)

    def wins(self, *, ties: str = "half", both_bad: str = "tie") -> Floats:
        """Return the dense win matrix: entry ``[a, b]`` is the total weight of the wins of *a* over *b*."""
        return win_matrix(self.two_way(ties=ties, both_bad=both_bad))

    def margins(self, *, ties: str = "half", both_bad: str = "tie") -> Margins:
        """Return the margins: wins minus losses of every ordered pair."""
        return margin_matrix(self.two_way(ties=ties, both_bad=both_bad))

    def win_rates(self, *, ties: str = "half", both_bad: str = "tie") -> WinRates:
        """Return the win rates: the share of battles against each rival that an agent won."""
        settled = self.two_way(ties=ties, both_bad=both_bad)
        total = settled.counts[:, WIN] + settled.counts[:, LOSS]
        share = np.divide(settled.counts[:, WIN], total, out=np.full(len(total), np.nan), where=total > 0)
        require_table(len(self.agents))
        matrix = np.full((len(self.agents),) * 2, np.nan)
        matrix[settled.a, settled.b], matrix[settled.b, settled.a] = share, 1 - share
        np.fill_diagonal(matrix, 0.5)
        return WinRates(matrix, self.agents, conventions=settled.conventions)


def per_weight(weight: Floats, square: Floats) -> float:
    """Return the effective number of observations over their total weight, from their weights and squared weights."""
    return float(weight.sum() / square.sum()) if square.any() else 1.0


def two_outcomes(ties: str) -> str:
    """Return the tie policy, or raise an error if it keeps ties, which a table of two outcomes cannot."""
    if ties == "keep":
        raise UsageError("`ties` must be half or drop for a matrix of two outcomes; got 'keep'.")
    return ties


def settling(ties: str, both_bad: str, n_ties: float, n_bad: float = 0.0) -> tuple[Convention, Convention]:
    """Return the two conventions that record how ties and both-bad battles were settled, with their counts."""
    return convention("both_bad", both_bad, n_bad), convention("ties", ties, n_ties)


def require_table(n_agents: int) -> None:
    """Raise an error if there is too little memory for the dense tables of all pairs that a rule allocates."""
    require_memory(
        TABLES * 8 * float(n_agents) ** 2,
        f"tables of all pairs of {n_agents:,} agents",
        "Choose agents with `--only`, or use what needs compared pairs only: `rank` by bradley_terry, elo or copeland, and "
        "`resolve`.",
    )


def win_matrix(settled: Pairs) -> Floats:
    """Return the dense matrix of wins; ties must be settled and cells not split."""
    require_table(len(settled.agents))
    matrix = np.zeros((len(settled.agents),) * 2)
    matrix[settled.a, settled.b] = settled.counts[:, WIN]
    matrix[settled.b, settled.a] = settled.counts[:, LOSS]
    return matrix


def net_wins(settled: Pairs) -> Floats:
    """Return wins minus losses of every cell, exactly zero for ties."""
    return net(settled.counts[:, WIN], settled.counts[:, LOSS])


def margin_matrix(settled: Pairs) -> Margins:
    """Return the margins of pairs; ties must be settled and cells not split."""
    margin, met = net_wins(settled), settled.counts @ np.ones(4) > 0
    n = len(settled.agents)
    require_table(n)
    matrix, played = np.zeros((n, n)), np.zeros((n, n), dtype=bool)
    matrix[settled.a, settled.b], matrix[settled.b, settled.a] = margin, -margin
    played[settled.a, settled.b] = played[settled.b, settled.a] = met
    allowed = float(pair_slack(settled.counts[:, WIN], settled.counts[:, LOSS]).max(initial=0.0))
    return Margins(matrix, settled.agents, played, settled.conventions, allowed=allowed)


def _outcome_totals(group: Ints, n_groups: int, score: Floats, both_bad: Bools | None, weight: Floats | None) -> Floats:
    """Total weight of every outcome in every group; a soft preference is split between win and loss."""
    place = 4 * group + LOSS
    place -= score > 0  # WIN is one column before LOSS, TIE one after, BOTH_BAD two after
    place += 2 * (score == 0.5)
    if both_bad is not None:
        place += both_bad
    soft = np.flatnonzero((score != 0) & (score != 1) & (score != 0.5))
    if not len(soft):
        return np.bincount(place, weight, 4 * n_groups).reshape(-1, 4).astype(np.float64)
    share = np.ones(len(score)) if weight is None else weight.copy()
    lost = share[soft] * (1 - score[soft])
    share[soft] *= score[soft]
    total = np.bincount(place, share, 4 * n_groups) + np.bincount(4 * group[soft] + LOSS, lost, 4 * n_groups)
    return total.reshape(-1, 4).astype(np.float64)


def _tallied(a: Codes, b: Codes, outcome: Floats, both_bad: Bools | None, n: int) -> Ints | None:
    """Number of battles per ordered pair and outcome (loss, tie, win and, if given, both bad), shape (3 or 4, n, n).

    ``None`` if some preferences are soft.
    """
    kinds, block, table = 3 if both_bad is None else 4, max(_BLOCK, n * n), np.zeros(0, dtype=np.int64)
    for low in range(0, len(a), block):
        rows = slice(low, low + block)
        twice = 2 * outcome[rows]
        place = twice.astype(np.int32)
        if not (place == twice).all():
            return None
        if both_bad is not None:
            place[both_bad[rows]] = 3
        place *= np.int32(n * n)
        place += a[rows] * np.int32(n)
        place += b[rows]
        some = np.bincount(place, minlength=kinds * n * n)
        table = np.add(table, some, out=some) if len(table) else some
    return table.reshape(kinds, n, n)


def _cells_of(table: Ints) -> tuple[Codes, Codes, Floats]:
    """The pairs that met and their counts, from numbers of battles per outcome (see `_tallied`) and ordered pair."""
    met = (table > 0).any(axis=0)
    a, b = (codes.astype(np.int32) for codes in np.nonzero(np.triu(met | met.T, 1)))
    counts = np.zeros((len(a), 4))
    outcomes = ((WIN, 2, 0), (LOSS, 0, 2), (TIE, 1, 1), (BOTH_BAD, 3, 3))
    for outcome, own, other in outcomes[: len(table)]:
        counts[:, outcome] = table[own, a, b] + table[other, b, a]
    return a, b, counts


def _outcome_table(values: ArrayLike, n_cells: int, name: str) -> Floats:
    """Validate a table with one row per cell and one column per outcome, all finite and nonnegative."""
    table = read_only(values, np.float64).reshape(-1, 4) if np.size(values) else np.zeros((0, 4))
    if len(table) != n_cells:
        raise DataError(f"`{name}` must have shape ({n_cells}, 4), wins, losses, ties and both bad a cell.")
    if not (table.min(initial=0.0) >= 0 and table.max(initial=0.0) < np.inf):
        row, kind = np.argwhere(~(np.isfinite(table) & (table >= 0)))[0]
        raise DataError(
            f"`{name}` must be finite and not negative; got {table[row, kind]:g} {OUTCOMES[kind]} in row {row + 1:,}."
        )
    if name == "counts" and (beyond := beyond_squares(table)).any():
        row, kind = np.argwhere(beyond)[0]
        raise DataError(
            f"`{name}` must be zero or from {SMALLEST:g} to {LARGEST:g}; got {table[row, kind]:g} {OUTCOMES[kind]} in row "
            f"{row + 1:,}. Multiply all of them by one number: no answer changes."
        )
    table.setflags(write=False)
    return table


def _turn(table: Floats, turned: Bools) -> Floats:
    """Swap wins and losses in the rows whose pair was reversed."""
    straight = table.copy()
    straight[turned, WIN], straight[turned, LOSS] = table[turned, LOSS], table[turned, WIN]
    return straight


def _grouped_cells(a: Codes, b: Codes, n_agents: int, keys: Mapping[str, Factor]) -> tuple[Ints, Ints]:
    """Group number of each row by (keys, a, b) in sorted order, and one row of each group."""
    code = joint_codes(keys.values(), len(a))
    if code.size and code.max() > 2**62 // n_agents**2:
        code = np.unique(code, return_inverse=True)[1]
    code = (code * n_agents + a) * n_agents + b
    if not code.size or code.max() > max(4 * len(code), 1 << 16):
        _, first, group = np.unique(code, return_index=True, return_inverse=True)
        return group, first
    seen = np.zeros(int(code.max()) + 1, dtype=np.int64)  # few possible codes: counting is faster than sorting
    seen[code] = 1
    group = (np.cumsum(seen) - 1)[code]
    first = np.empty(int(seen.sum()), dtype=np.int64)
    first[group[::-1]] = np.arange(len(code))[::-1]
    return group, first


def _grouped_sum(values: Floats, group: Ints, n_groups: int) -> Floats:
    """Sum rows by group; a table is summed column by column."""
    if values.ndim == 1:
        return np.bincount(group, weights=values, minlength=n_groups).astype(np.float64)
    return np.stack([np.bincount(group, weights=v, minlength=n_groups) for v in values.T], axis=1)


def _moved_ties(table: Floats, ties: str, both_bad: str) -> Floats:
    """Move or drop ties and both-bad counts according to the two policies."""
    settled = table.copy()
    if both_bad == "tie":
        settled[:, TIE] += settled[:, BOTH_BAD]
    if both_bad != "keep":
        settled[:, BOTH_BAD] = 0
    if ties == "half":
        settled[:, :TIE] += settled[:, TIE, None] / 2
    if ties != "keep":
        settled[:, TIE] = 0
    settled.setflags(write=False)
    return settled
