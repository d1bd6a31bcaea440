"""The result of a method: levels of tied agents, scores, status, and the settings and conventions behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._result import Rows, TableResult
from beatpath._text import quoted, shown
from beatpath._validate import require_known
from beatpath.evidence import Convention
from beatpath.evidence.condorcet import Condorcet
from beatpath.evidence.ties import levels_of
from beatpath.fit.newton import CONVERGED

EXACT = "exact"  # the status of a method that needs no caveat
LOCAL = "converged to a local minimum"  # the status of a solver for a problem that is not convex
ALL_TIED = "every agent is tied with every other"  # the status if a method separates no agents
SHORT = 280  # longest `repr` of a ranking, in characters


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The result of a rule in terms of agent codes, before names are attached.

    Parameters
    ----------
    level : (n,) int
        0 for the best agents, 1 for the next, and so on without gaps; agents that share a level are tied.
    score : (n,) float
        The score of each agent as the paper defines it; NaN if the rule has none.
    status : str
        How the computation ended, as a sentence; "exact" if there is nothing to report.
    details : mapping
        Further results as plain data, with agents by name.
    """

    level: Ints
    score: Floats
    status: str = EXACT
    details: Mapping[str, Any] = field(default_factory=dict)


def outcome(level: Ints, score: Floats, status: str = EXACT, details: Mapping[str, Any] | None = None) -> Outcome:
    """Build an outcome; if all agents share one level, the status says so."""
    if len(level) > 1 and not level.any():
        status = ALL_TIED if status == EXACT else f"{status}; {ALL_TIED}"
    return Outcome(level, score, status, details or {})


def by_score(score: Floats, details: Mapping[str, Any] | None = None, *, allowed: float | None = None) -> Outcome:
    """Build an outcome from totals, highest first; `beatpath.evidence.ties` defines which totals tie, and `allowed`."""
    return outcome(levels_of(score, allowed), score, details=details)


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(TableResult):
    """The ranking that one method returns: levels of tied agents, best first, and their scores.

    Parameters
    ----------
    method : str
        The method's key.
    agents : tuple of str
        All agents, in the order of the evidence.
    levels : tuple of tuples of str
        Best first; agents of one level are tied.
    scores : mapping of agent to float
        Score of each agent; NaN if the method has none.
    condorcet : Condorcet
        The Condorcet winners of the evidence, independent of the method.
    status : str
        How the computation ended, as a sentence.
    settings, details : mapping
        The settings of the method, and its further results.
    conventions : tuple of Convention
        How the evidence was turned into the input of the method.

    Examples
    --------
    >>> from beatpath import Battles, rank
    >>> ranking = rank(Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("ada", "cyd", 1)]), "copeland")
    >>> ranking.winners, ranking.rank("cyd"), ranking.scores["bob"]
    (('ada',), 3, 1.0)
    """

    document: ClassVar = ("method", "levels", "scores", "status", "settings", "details", "condorcet", "conventions")

    method: str
    agents: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    scores: Mapping[str, float]
    condorcet: Condorcet
    status: str = EXACT
    settings: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()

    @property
    def caveat(self) -> str:
        """The status if it needs attention, otherwise an empty string."""
        return "" if self.status in (EXACT, CONVERGED, LOCAL) else self.status

    @property
    def winners(self) -> tuple[str, ...]:
        """The agents of the first level."""
        return self.levels[0] if self.levels else ()

    @property
    def condorcet_match(self) -> float:
        """The share of first place that the Condorcet winner has: one over the agents tied first; NaN without a winner.

        The mean over rankings says how often a method ranks a Condorcet winner first (SCO, section 4.2).
        """
        strong = self.condorcet.strong
        return float("nan") if strong is None else (strong in self.winners) / len(self.winners)

    def rank(self, agent: str) -> int:
        """Return the rank of an agent: 1 plus the number of agents on better levels."""
        require_known(agent, self._ranks, f"{quoted(agent)} must be one of the agents.")
        return self._ranks[agent]

    @cached_property
    def _ranks(self) -> dict[str, int]:
        above = np.append(0, np.cumsum([len(level) for level in self.levels])).tolist()
        return {name: k + 1 for k, level in zip(above, self.levels, strict=False) for name in level}

    def middle_ranks(self) -> dict[str, float]:
        """Return the rank of every agent; tied agents get the mean of the ranks they share."""
        return {name: self._ranks[name] + (len(level) - 1) / 2 for level in self.levels for name in level}

    def level_of(self) -> Ints:
        """Return the level of every agent in the order of `agents`, 0 the best."""
        return self._levels.copy()

    @cached_property
    def _levels(self) -> Ints:
        place = {name: k for k, level in enumerate(self.levels) for name in level}
        return np.array([place[name] for name in self.agents], dtype=np.int64)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The ranking in one line, and the caveat if there is one."""
        order = " > ".join(" = ".join(shown(name, 30) for name in level) for level in self.levels)
        return (f"{self.method}: {order}" + (f" ({self.caveat})" if self.caveat else ""),)

    def __repr__(self) -> str:
        return shown(str(self), SHORT)

    def rows(self) -> Rows:
        """Return rank, name and score of every agent, best first."""
        names = [name for level in self.levels for name in level]
        return [{"rank": self.rank(name), "agent": name, "score": self.scores[name]} for name in names]


def levels_by_score(score: Floats, tolerance: float = 1e-9) -> Ints:
    """Return levels by descending score, for scores that a solver finds to an absolute accuracy of `tolerance`.

    For scores that are sums of the evidence's weights, use `beatpath.evidence.ties.levels_of`, which is relative.

    >>> levels_by_score(np.array([1.0, 3.0, 1.0 + 1e-12, 2.0]))
    array([2, 0, 2, 1])
    """
    return levels_of(score, tolerance * max(1.0, float(np.abs(score).max(initial=0.0))))


def equal_levels(score: Floats, tolerance: float = 1e-9) -> tuple[Ints, Floats]:
    """Return the levels of `levels_by_score`, and the scores with each level set to its mean.

    >>> equal_levels(np.array([0.0, 1.0, 1.0 + 1e-10]))
    (array([1, 0, 0]), array([0., 1., 1.]))
    """
    level = levels_by_score(score, tolerance)
    return level, (np.bincount(level, score) / np.bincount(level))[level]


def levels_as_names(level: Ints, agents: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return levels as tuples of names, best level first, names sorted within a level.

    >>> levels_as_names(np.array([1, 0, 1]), ["x", "y", "z"])
    (('y',), ('x', 'z'))
    """
    names: list[list[str]] = [[] for _ in range(int(level.max(initial=-1)) + 1)]
    for agent, k in zip(agents, level.tolist(), strict=True):
        names[k].append(agent)
    return tuple((group[0],) if len(group) == 1 else tuple(sorted(group)) for group in names)
