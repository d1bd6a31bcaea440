r"""Square matrices derived from pair counts: margins, win rates and the majority relation.

With :math:`N_{ab}` the (weighted) battles that *a* won against *b*, the margin is :math:`M_{ab} = N_{ab} - N_{ba}`,
the win rate :math:`P_{ab} = N_{ab} / (N_{ab} + N_{ba})`, and *a* beats *b* by majority when :math:`M_{ab} > 0`. Ties are
exactly zero: `beatpath.evidence.ties` says what counts as one.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._text import quoted
from beatpath._validate import require_known
from beatpath.evidence.arrays import LARGEST, SMALLEST, EvidenceBase, agent_names, beyond_squares, frozen, read_only
from beatpath.evidence.conventions import Convention, Reading
from beatpath.evidence.ties import net, net_table, slack


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Margins(EvidenceBase):
    """Margins: wins minus losses of every ordered pair, an antisymmetric matrix.

    Parameters
    ----------
    matrix : (n, n) float
        Margin of the row agent over the column agent; must equal minus its transpose.
    agents : tuple of str
        Agent names, in the order of the rows.
    played : (n, n) bool, optional
        Which pairs were compared directly; default all.
    allowed : float, optional
        Largest difference between entries that still counts as equal, if the caller knows it and ties are zero
        already. By default the `slack` of the entries, and entries within it of zero become zero.

    See Also
    --------
    WinRates : The share of battles won, per pair.
    Pairs : The counts that margins derive from.

    Examples
    --------
    >>> m = Margins.from_wins([[0, 3, 1], [1, 0, 4], [3, 0, 0]], ["ada", "bob", "cyd"])
    >>> m.matrix
    array([[ 0.,  2., -2.],
           [-2.,  0.,  4.],
           [ 2., -4.,  0.]])
    >>> m.beats("cyd")
    ('ada',)
    """

    kind: ClassVar[str] = "margins"
    matrix: Floats
    agents: tuple[str, ...]
    played: Bools | None = None
    conventions: tuple[Convention, ...] = ()
    reading: Reading | None = None
    allowed: float = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        agents = agent_names(self.agents)
        matrix = _square(self.matrix, agents, "matrix")
        skew = ~(matrix == -matrix.T)
        if skew.any():
            a, b = np.argwhere(skew)[0]
            raise DataError(
                f"`matrix` must equal minus its transpose; got {matrix[a, b]:g} for {quoted(agents[a])} over "
                f"{quoted(agents[b])} but {matrix[b, a]:g} the other way. For win counts use `Margins.from_wins`."
            )
        played = ~np.eye(len(agents), dtype=bool) if self.played is None else self.played
        allowed = slack(matrix) if self.allowed is None else self.allowed
        if self.allowed is None and allowed:
            matrix = read_only(np.where(np.abs(matrix) <= allowed, 0.0, matrix), np.float64)
        frozen(self, agents=agents, matrix=matrix, played=read_only(played, np.bool_), allowed=allowed)

    @classmethod
    def from_wins(cls, wins: ArrayLike, agents: list[str]) -> "Margins":
        """Build margins from win counts; ``wins[a][b]`` is the number of wins of *a* over *b*."""
        matrix, allowed = net_table(_square(wins, agent_names(agents), "wins"))
        return cls(matrix, tuple(agents), allowed=allowed)

    def beats(self, agent: str) -> tuple[str, ...]:
        """Return the names of the agents that this agent beats, by the sign of the margins.

        >>> Margins([[0, 1], [-1, 0]], ("ada", "bob")).beats("ada")
        ('bob',)
        """
        require_known(agent, self.agents, f"`agent` must be one of the {len(self.agents)} agents; got {quoted(agent)}.")
        return tuple(self.agents[b] for b in np.flatnonzero(self.matrix[self.agents.index(agent)] > 0))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WinRates(EvidenceBase):
    """Win rates: the share of battles against each rival that an agent won; NaN for a pair never compared directly.

    Parameters
    ----------
    matrix : (n, n) float
        Win rate of the row agent against the column agent, with ``matrix[a, b] + matrix[b, a] == 1``.
    agents : tuple of str
        Agent names, in the order of the rows.

    Examples
    --------
    >>> WinRates([[0.5, 0.75], [0.25, 0.5]], ["ada", "bob"]).matrix[0, 1]
    np.float64(0.75)
    """

    kind: ClassVar[str] = "win_rates"
    matrix: Floats
    agents: tuple[str, ...]
    conventions: tuple[Convention, ...] = ()
    reading: Reading | None = None

    def __post_init__(self) -> None:
        agents = agent_names(self.agents)
        matrix = read_only(self.matrix, np.float64)
        if matrix.shape != (len(agents),) * 2:
            raise DataError(f"`matrix` must have shape ({len(agents)}, {len(agents)}); got {matrix.shape}.")
        with np.errstate(invalid="ignore"):
            wrong = (matrix < 0) | (matrix > 1) | (np.abs(matrix + matrix.T - 1) > 1e-9)
        wrong |= np.isnan(matrix) != np.isnan(matrix.T)
        if wrong.any():
            a, b = np.argwhere(wrong)[0]
            raise DataError(
                f"win rates must lie in [0, 1] and add up to 1 over a pair; got {matrix[a, b]:g} for "
                f"{quoted(agents[a])} over {quoted(agents[b])} and {matrix[b, a]:g} the other way."
            )
        frozen(self, agents=agents, matrix=matrix)

    def margins(self) -> Margins:
        r"""Return the margins of one battle per pair, :math:`2P - 1`; a pair never compared directly has margin 0."""
        known = ~np.isnan(self.matrix) & ~np.eye(len(self.agents), dtype=bool)
        share = np.where(known, self.matrix, 0.5)
        upper = np.triu(net(share, 1 - share), 1)
        return Margins(upper - upper.T, self.agents, known, self.conventions, self.reading, slack(share, 1.0))


def _square(values: ArrayLike, agents: tuple[str, ...], name: str) -> Floats:
    """Validate a square matrix of finite numbers with one row per agent."""
    matrix = read_only(values, np.float64)
    n = len(agents)
    if matrix.shape != (n, n):
        raise DataError(f"`{name}` must have shape ({n}, {n}), one row for each of the {n} agents; got {matrix.shape}.")
    if not np.isfinite(matrix).all():
        a, b = np.argwhere(~np.isfinite(matrix))[0]
        raise DataError(
            f"`{name}` must be finite; got {matrix[a, b]:g} for {quoted(agents[a])} over {quoted(agents[b])}. "
            "Leave pairs that were not compared at 0."
        )
    if (beyond := beyond_squares(matrix)).any():
        a, b = np.argwhere(beyond)[0]
        raise DataError(
            f"`{name}` must be zero or from {SMALLEST:g} to {LARGEST:g} in size; got {matrix[a, b]:g} for {quoted(agents[a])} "
            f"over {quoted(agents[b])}. Multiply all of them by one number."
        )
    return matrix
