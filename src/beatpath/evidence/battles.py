"""Battles: two agents met and one was preferred, or neither."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._text import counted, listed, quoted
from beatpath.evidence.arrays import (
    BOOLS,
    CODES,
    FLOATS,
    NAMED,
    SIGNS,
    Factor,
    Noun,
    agent_codes,
    agent_names,
    frozen,
    refuse,
)
from beatpath.evidence.conventions import Convention, Reading, convention
from beatpath.evidence.pairs import Pairs

if TYPE_CHECKING:
    from beatpath.evidence.ballots import Ballots

POSITIONS = ("a first", "b first", "neither first")


@dataclass(frozen=True, slots=True, eq=False)
class Battles(Noun):
    """One row a battle.

    Parameters
    ----------
    agents : tuple of str
        Names; codes in `a` and `b` point here.
    a, b : (t,) int
        The two agents of each battle.
    outcome : (t,) float in [0, 1]
        For *a*: 1 a win, 0 a loss, 1/2 a tie, anything between a judge's soft preference.
    both_bad : (t,) bool, optional
        Battles in which the judge found both bad; their outcome is 1/2 and they are listed apart from ties.
    weight : (t,) float, optional
        Finite and not negative; by default every battle weighs one.
    position : (t,) int, optional
        +1 where *a* was shown or moved first, -1 where *b* was, 0 where neither or unknown.
    time : (t,) float, optional
        Any number that grows with time; NaN where unknown.
    factors : mapping of str to Factor
        Named columns: ``task``, ``cluster`` and ``judge`` have a meaning everywhere, other names are free.
    covariates : mapping of str to (t,) float
        Free numeric columns; NaN where unknown.

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
        agents = agent_names(self.agents)
        a, b = agent_codes(self.a, len(agents), "a"), agent_codes(self.b, len(agents), "b")
        n_rows = len(a)
        if len(b) != n_rows:
            raise DataError(f"`a` and `b` must have one agent a battle; got {n_rows:,} and {len(b):,}.")
        refuse(
            a == b,
            lambda row, such: (
                f"an agent cannot be compared with itself; {quoted(agents[a[row]])} is in row {row + 1:,} ({such}). "
                "Leave such rows out."
            ),
        )
        self.freeze(n_rows, agents=agents, a=a, b=b)
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
        """Build battles from ``(agent a, agent b, outcome for a)`` and further columns by name."""
        rows = list(rows)
        names = Factor.of([name for row in rows for name in row[:2]])
        codes = names.codes.reshape(-1, 2)
        return cls(names.levels, codes[:, 0], codes[:, 1], [row[2] for row in rows], **columns)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.a)

    def __repr__(self) -> str:
        return f"Battles({counted(len(self.agents), 'agent')}, {counted(len(self), 'battle')})"

    def factor(self, name: str) -> Factor:
        """Return a named column, or raise with the names there are."""
        if name == "position" and self.position is not None:
            return who_was_first(self.position)
        return Noun.factor(self, name)

    def pairs(self, by: Sequence[str] = ()) -> Pairs:
        """Reduce to pair counts, split by the named columns (``task``, ``cluster``, ``position``, ...).

        A battle whose name in a split column is missing forms its own cell. For ``position`` the cells say which of
        the pair's agents, in the order of `Pairs`, was first. Without a split the battles are counted once.
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
        """Turn every battle into a ballot that ranks two agents; 'both bad' counts as a tie, and it is said.

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
        """Return a split column; positions follow the pair when it is turned round."""
        if name != "position" or self.position is None:
            return self.factor(name)
        return who_was_first(np.where(self.a > self.b, -1, 1) * self.position)


def who_was_first(position: NDArray[np.integer]) -> Factor:
    """Return in words who was first: agent a (+1), agent b (-1) or neither (0)."""
    return Factor.coded(np.select([position > 0, position < 0], [0, 1], 2), POSITIONS)
