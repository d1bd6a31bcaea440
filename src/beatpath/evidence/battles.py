"""Battles: comparisons of two agents, each with a winner, a tie, or both bad."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._text import counted, listed, quoted
from beatpath.evidence.arrays import BOOLS, CODES, FLOATS, NAMED, SIGNS, EvidenceBase, Factor, frozen, refuse
from beatpath.evidence.conventions import Convention, Reading, convention
from beatpath.evidence.pairs import Pairs

if TYPE_CHECKING:
    from beatpath.evidence.ballots import Ballots

POSITIONS = ("a first", "b first", "neither first")  # levels of the factor `position`


@dataclass(frozen=True, slots=True, eq=False)
class Battles(EvidenceBase):
    """Pairwise comparisons, one per row: who was compared with whom, and which agent was preferred.

    Use it for arena votes, judged answers, games, or any other data with two agents per row.

    Parameters
    ----------
    agents : tuple of str
        Agent names; the codes in `a` and `b` index this tuple.
    a, b : (t,) int
        The two agents of each battle.
    outcome : (t,) float in [0, 1]
        The result for *a*: 1 for a win, 0 for a loss, 1/2 for a tie, other values for a judge's soft preference.
    both_bad : (t,) bool, optional
        Battles in which the judge rejected both answers. Their outcome is 1/2, and they are counted apart from ties.
    weight : (t,) float, optional
        Finite and nonnegative; default one per battle.
    position : (t,) int, optional
        +1 if *a* was shown or moved first, -1 if *b* was, 0 if neither or unknown.
    time : (t,) float, optional
        Any number that increases with time; NaN if unknown.
    factors : mapping of str to Factor
        Categorical columns. ``task``, ``cluster`` and ``judge`` have a meaning; other names are free.
    covariates : mapping of str to (t,) float
        Numeric columns; NaN if unknown.

    See Also
    --------
    Pairs : The counts per pair, which most methods need.
    Ballots : Rankings of more than two agents.
    Scores : Numeric scores on tasks.

    Examples
    --------
    >>> battles = Battles.of([("ada", "bob", 1), ("bob", "ada", 0.5), ("ada", "bob", 0)])
    >>> battles
    Battles(2 agents, 3 battles)
    >>> battles.pairs().counts
    array([[1., 1., 1., 0.]])
    """

    kind: ClassVar[str] = "battles"
    agents: tuple[str, ...]
    a: NDArray[np.int32] = field(metadata=CODES)
    b: NDArray[np.int32] = field(metadata=CODES)
    outcome: Floats = field(metadata=FLOATS)
    both_bad: Bools | None = field(default=None, metadata=BOOLS)
    weight: Floats | None = field(default=None, metadata=FLOATS)
    position: NDArray[np.int8] | None = field(default=None, metadata=SIGNS)
    time: Floats | None = field(default=None, metadata=FLOATS)
    factors: Mapping[str, Factor] = field(default_factory=dict, metadata=NAMED)
    covariates: Mapping[str, Floats] = field(default_factory=dict, metadata=NAMED)
    conventions: tuple[Convention, ...] = ()
    reading: Reading | None = None
    _counted: Pairs | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.freeze(np.size(self.a))
        agents, a, b = self.agents, self.a, self.b
        refuse(
            a == b,
            lambda row, such: (
                f"an agent cannot be compared with itself; {quoted(agents[a[row]])} is in row {row + 1:,} ({such}). "
                "Leave such rows out."
            ),
        )
        if not (self.outcome.min(initial=0.0) >= 0 and self.outcome.max(initial=0.0) <= 1):
            refuse(
                ~((self.outcome >= 0) & (self.outcome <= 1)),
                lambda row, such: (
                    f"`outcome` must lie from 0 to 1; got {self.outcome[row]:g} for "
                    f"{listed([agents[a[row]], agents[b[row]]])} in row {row + 1:,} ({such})."
                ),
            )
        if self.both_bad is not None and (self.outcome[self.both_bad] != 0.5).any():
            raise DataError(
                "a battle in which both were bad must have the outcome 0.5; leave winners out of `both_bad`."
            )
        if self.position is not None and not -1 <= self.position.min(initial=0) <= self.position.max(initial=0) <= 1:
            raise DataError("`position` must be +1 (a first), -1 (b first) or 0 (neither, or unknown).")

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, float]], **columns: object) -> "Battles":
        """Build battles from rows ``(agent a, agent b, outcome for a)`` and further columns by name.

        >>> Battles.of([("ada", "bob", 1), ("bob", "ada", 1)], weight=[1.0, 2.0]).weight
        array([1., 2.])
        """
        rows = list(rows)
        names = Factor.of([name for row in rows for name in row[:2]])
        codes = names.codes.reshape(-1, 2)
        return cls(names.levels, codes[:, 0], codes[:, 1], [row[2] for row in rows], **columns)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.a)

    def __repr__(self) -> str:
        return f"Battles({counted(len(self.agents), 'agent')}, {counted(len(self), 'battle')})"

    def factor(self, name: str) -> Factor:
        """Return the column with this name, or raise an error that lists the columns there are."""
        if name == "position" and self.position is not None:
            return who_was_first(self.position)
        return EvidenceBase.factor(self, name)

    def pairs(self, by: Sequence[str] = ()) -> Pairs:
        """Return the counts of wins, losses, ties and both-bad battles of every pair.

        Parameters
        ----------
        by : sequence of str, optional
            Columns that split the cells, such as ``task``, ``cluster`` or ``position``. A battle with no value in
            such a column gets a cell of its own. For ``position``, a cell states which agent of the pair, in the
            order of `Pairs`, was first.

        Returns
        -------
        Pairs
            Without a split, the counts are computed once and cached.
        """
        if not by and self._counted is not None:
            return self._counted
        counted_pairs = Pairs.from_outcomes(
            self.agents,
            self.a,
            self.b,
            self.outcome,
            both_bad=self.both_bad,
            weight=self.weight,
            square=None if self.weight is None else self.weight**2,
            keys={name: self._pair_key(name) for name in by},
            conventions=self.conventions,
            reading=self.reading,
        )
        if not by:
            frozen(self, _counted=counted_pairs)
        return counted_pairs

    def ballots(self) -> "Ballots":
        """Convert every battle to a ballot that ranks two agents.

        A both-bad battle becomes a tie, as a convention records.

        >>> list(Battles.of([("ada", "bob", 0), ("ada", "bob", 0.5)]).ballots())
        [[('bob',), ('ada',)], [('ada', 'bob')]]
        """
        soft = ~np.isin(self.outcome, (0.0, 0.5, 1.0))
        if soft.any():
            raise DataError(
                f"a ballot has places, not degrees: {int(soft.sum()):,} battles have a soft outcome, the first "
                f"{self.outcome[soft][0]:g}. Use `pairs`, which holds them."
            )
        bad = () if self.both_bad is None else (convention("both_bad", "tie", float(self.both_bad.sum())),)
        from beatpath.evidence.ballots import Ballots

        return Ballots(
            self.agents,
            np.stack([self.a, self.b], axis=1).ravel(),
            np.stack([self.outcome < 0.5, self.outcome > 0.5], axis=1).ravel().astype(np.int32),
            np.arange(len(self) + 1) * 2,
            weight=self.weight,
            factors=dict(self.factors),
            conventions=(*self.conventions, *bad),
            reading=self.reading,
        )

    def _pair_key(self, name: str) -> Factor:
        """Return a split column; positions are flipped for pairs that are stored in the other order."""
        if name != "position" or self.position is None:
            return self.factor(name)
        return who_was_first(np.where(self.a > self.b, -1, 1) * self.position)


def who_was_first(position: NDArray[np.integer]) -> Factor:
    """Return a factor that names who was first: agent a (+1), agent b (-1) or neither (0)."""
    return Factor.coded(np.select([position > 0, position < 0], [0, 1], 2), POSITIONS)
