"""The strongest chain of wins from one agent to each other: the beatpath that shows it can be reached."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._text import percent, quoted
from beatpath.evidence import Margins


@dataclass(frozen=True, slots=True)
class Beatpath:
    """A chain of agents of which each beats or ties with the next.

    Attributes
    ----------
    agents : tuple of str
        From the first to the one reached.
    margins : tuple of float
        Of each agent over the next; 0 for a tie.
    played : tuple of bool
        False where two agents never met and count as tied.
    resolved : tuple of bool, optional
        Where margins come from estimated win rates (twice the rate, less one), whether the sign of each is resolved; empty
        where they do not.
    """

    agents: tuple[str, ...]
    margins: tuple[float, ...]
    played: tuple[bool, ...]
    resolved: tuple[bool, ...] = ()

    @property
    def strength(self) -> float:
        """The smallest margin on the way."""
        return min(self.margins)

    @property
    def sentence(self) -> str:
        """The steps in words.

        >>> print(Beatpath(("ada", "bob", "cyd"), (3.0, 0.0), (True, True)).sentence)
        'ada' beats 'bob' by 3, 'bob' ties with 'cyd'.
        >>> print(Beatpath(("ada", "bob"), (0.1,), (True,), (False,)).sentence)
        'ada' beats 'bob' (55 %, not resolved).
        """
        sure: tuple[bool | None, ...] = self.resolved or (None,) * len(self.margins)
        steps = zip(pairwise(self.agents), self.margins, self.played, sure, strict=True)
        return ", ".join(_step(a, b, margin, played, one) for (a, b), margin, played, one in steps) + "."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "agents": list(self.agents),
            "margins": list(self.margins),
            "played": list(self.played),
            "resolved": list(self.resolved) or None,
            "strength": self.strength,
        }


def path_through(margins: Margins, rows: list[int], resolved: Bools | None = None) -> Beatpath:
    """Return the path through these rows, with its steps, and which of them are resolved, where that is known.

    >>> m = Margins([[0, 2], [-2, 0]], ("ada", "bob"))
    >>> path_through(m, [0, 1])
    Beatpath(agents=('ada', 'bob'), margins=(2.0,), played=(True,), resolved=())
    """
    assert margins.played is not None
    steps = list(pairwise(rows))
    return Beatpath(
        tuple(margins.agents[a] for a in rows),
        tuple(float(margins.matrix[a, b]) for a, b in steps),
        tuple(bool(margins.played[a, b] or margins.matrix[a, b]) for a, b in steps),
        () if resolved is None else tuple(bool(resolved[a, b]) for a, b in steps),
    )


def strongest_paths(margins: Margins, agent: int, resolved: Bools | None = None) -> tuple[Beatpath, ...]:
    r"""Return, for every agent that one agent reaches, a path whose weakest step is as strong as can be.

    .. math::  \max_{a = c_0, \dots, c_l = b} \ \min_{i < l} M_{c_i c_{i+1}}

    over paths of wins and ties, where :math:`M \ge 0`. Of the strongest paths it is one with the fewest steps; of these
    the one whose agents come first by name, counted from the end.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents.
    agent : int
        The row to start from.
    resolved : (n, n) bool, optional
        Whether the sign of each margin is resolved, for the paths to say.

    Returns
    -------
    tuple of Beatpath
        One for each agent reached, in the order of the rows.

    Examples
    --------
    The way by Bob is as strong as its weaker half, and stronger than the direct one.

    >>> m = Margins([[0, 4, 1], [-4, 0, 3], [-1, -3, 0]], ("ada", "bob", "cyd"))
    >>> [path.agents for path in strongest_paths(m, 0)]
    [('ada', 'bob'), ('ada', 'bob', 'cyd')]

    Notes
    -----
    :math:`O(n^2)` for the strengths, as Prim's tree grows, and for the paths of each distinct strength.
    """
    step = np.where(margins.matrix >= 0, margins.matrix, -np.inf)
    width = _widths(step, agent)
    by_name = np.argsort(np.argsort(np.array(margins.agents, dtype=object)))
    found: dict[int, list[int]] = {}
    for strength in np.unique(width[width > -np.inf]):
        parent = _fewest_steps(step >= strength, agent, by_name)
        for b in np.flatnonzero(width == strength).tolist():
            found[b] = list(_walked_back(parent, b))[::-1]
    return tuple(path_through(margins, found[b], resolved) for b in sorted(found) if b != agent)


def _widths(step: Floats, agent: int) -> Floats:
    """The strength of the strongest path to every agent; minus infinity where there is none, and to itself."""
    width = step[agent].copy()
    width[agent] = -np.inf
    left = width.copy()
    while left.max() > -np.inf:
        via = int(np.argmax(left))
        left[via] = -np.inf
        through = np.minimum(width[via], step[via])
        through[agent] = -np.inf
        wider = through > width
        width[wider] = left[wider] = through[wider]
    return width


def _fewest_steps(step: Bools, agent: int, by_name: Ints) -> Ints:
    """Who comes before each agent on a path of the fewest steps; -1 for the first and the unreached."""
    parent = np.full(len(step), -1)
    seen = np.arange(len(step)) == agent
    frontier = np.array([agent])
    while frontier.size:
        to = step[frontier]
        new = to.any(axis=0) & ~seen
        parent[new] = frontier[to[:, new].argmax(axis=0)]
        seen |= new
        frontier = np.flatnonzero(new)
        frontier = frontier[np.argsort(by_name[frontier])]
    return parent


def _walked_back(parent: Ints, agent: int) -> Iterator[int]:
    while agent >= 0:
        yield agent
        agent = int(parent[agent])


def _step(winner: str, loser: str, margin: float, played: bool, resolved: bool | None) -> str:
    if margin > 0:
        return f"{quoted(winner)} beats {quoted(loser)} {win_said(margin, resolved)}"
    tied = f"{quoted(winner)} ties with {quoted(loser)}"
    return tied if played else f"{tied} (they never met)"


def win_said(margin: float, resolved: bool | None) -> str:
    """Return by how much somebody wins; with an estimated rate, and whether it is resolved, where that is known.

    >>> win_said(3.0, None), win_said(0.5, True), win_said(0.1, False)
    ('by 3', '(75 %)', '(55 %, not resolved)')
    """
    if resolved is None:
        return f"by {margin:g}"
    return f"({percent((1 + margin) / 2)}{'' if resolved else ', not resolved'})"
