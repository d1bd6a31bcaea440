"""A leaderboard: one score per agent, with the joint covariance that decides which differences are certain."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypedDict

import numpy as np
from numpy.typing import NDArray

from beatpath._result import TableResult, plain, rows_of
from beatpath._text import listed, percent
from beatpath.evidence.conventions import Convention
from beatpath.methods.graph.connection import unconnected
from beatpath.stats.skewed_means import Asymmetry, score_ends

Array = NDArray[np.float64]


def connected_parts(n: int, a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the connected component of every agent, the largest numbered 0; ties by first agent.

    >>> connected_parts(5, np.array([3]), np.array([4]))
    array([1, 2, 3, 0, 0])
    """
    return largest_first(unconnected(n, a, b)[1])


def largest_first(part: NDArray[np.integer]) -> NDArray[np.int64]:
    """Renumber components by size, the largest first; ties in the order of their numbers.

    >>> largest_first(np.array([0, 1, 1]))
    array([1, 0, 0])
    """
    size = np.bincount(part)
    number = np.empty(len(size), dtype=np.int64)
    number[np.argsort(-size, kind="stable")] = np.arange(len(size))
    return number[part]


def variances_of_differences(covariance: Array) -> Array:
    """Return the variance of every difference of scores from their covariance, both (..., n, n).

    >>> variances_of_differences(np.array([[2.0, 0.5], [0.5, 1.0]]))
    array([[0., 2.],
           [2., 0.]])
    """
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    return np.asarray(own[..., :, None] + own[..., None, :] - 2 * covariance)


# text before the first comma; names of agents are quoted and may contain commas
_MEASURE = re.compile(r"""(?:'[^']*'|"[^"]*"|[^,'"])*""")


def measure_of(estimand: str) -> str:
    """Return what a score is in a few words: the text before the first comma outside names.

    >>> measure_of("win rate against 'x, y', each pair alike")
    "win rate against 'x, y'"
    """
    match = _MEASURE.match(estimand)
    return match[0] if match and match[0] else estimand


class BoardScore(TypedDict):
    """The score of an agent.

    Attributes
    ----------
    agent : str
        Its name.
    part : int
        Its connected component; agents of different components are not compared.
    score, stderr : float
        Its score and standard error; null where it has none.
    df : float
        Degrees of freedom of the standard error; null where it is known.
    """

    agent: str
    part: int
    score: float
    stderr: float
    df: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Leaderboard(TableResult):
    """Scores of agents with their joint covariance.

    Build one from scores of your own to use `rank_sets` and `tiers`; `leaderboard` builds one from evidence.

    Parameters
    ----------
    agents : tuple of str
        Names, in the order of the arrays.
    score : (n,) float
        NaN for an agent without a score.
    covariance : (n, n) float
        Covariance of the scores. Two-way clustering can make it indefinite.
    df : (n, n) float
        Degrees of freedom of the variance of each difference, and on the diagonal of each score; infinite where the
        variance is known, 0 for two agents that are not compared.
    estimand : str
        What the scores estimate, as a phrase.
    settings : mapping
        All settings of the analysis.
    conventions : tuple of Convention
        How evidence became scores.
    notes : tuple of str
        Caveats: pairs never compared, agents with few battles.
    bounds : two floats
        Range of possible scores: 0 and 1 for a win rate.
    made : MatrixEstimate, optional
        The estimate of all win rates that these scores average; used to plan more battles.
    part : (n,) int, optional
        Connected component of every agent, the largest 0; agents of different components are not compared. By default
        there is one component.
    battles : (n,) float, optional
        Battles of every agent, for win rates; see `variance_if_equal`.
    asymmetry : Asymmetry, optional
        How variances depend on the true scores, for intervals of skewed scores; symmetric by default.

    See Also
    --------
    leaderboard : The leaderboard of evidence.
    rank_sets : Confidence sets for the ranks.
    """

    document: ClassVar = ("estimand", "agents=rows", "covariance", "df", "settings", "conventions", "notes")

    agents: tuple[str, ...]
    score: Array
    covariance: Array
    df: Array
    estimand: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()
    bounds: tuple[float, float] = (-np.inf, np.inf)
    made: Any = None
    part: NDArray[np.int64] | None = None
    battles: Array | None = None
    asymmetry: Asymmetry | None = None

    @property
    def parts(self) -> NDArray[np.int64]:
        """Connected component of every agent, from 0."""
        return np.zeros(len(self.agents), dtype=np.int64) if self.part is None else self.part

    @property
    def together(self) -> NDArray[np.bool_]:
        """Which agents share a component, (n, n)."""
        return self.parts[:, None] == self.parts[None, :]

    @property
    def is_share(self) -> bool:
        """Whether scores are shares from 0 to 1, shown as percentages."""
        return self.bounds == (0.0, 1.0)

    @property
    def measure(self) -> str:
        """What a score is, in a few words.

        >>> V = np.eye(2)
        >>> Leaderboard(("x", "y"), np.zeros(2), V, V, "mean win rate against every other agent, each pair drawn").measure
        'mean win rate against every other agent'
        """
        return measure_of(self.estimand)

    @property
    def variance_of_differences(self) -> Array:
        """Variance of ``score[i] - score[j]``, shape (n, n)."""
        return variances_of_differences(self.covariance)

    @property
    def variance_if_equal(self) -> Array:
        """Variance of ``score[i] - score[j]`` if both agents are equally good, shape (n, n); tests of order use it.

        The variance of a win rate :math:`p` of :math:`n` battles contains :math:`p(1-p)/n`, which is small for an agent
        that won nearly everything, also where it did by luck. If two agents are equal, that term has their pooled win
        rate. Where this makes the variance larger, it is replaced: the score test instead of Wald's. That of a
        difference of skewed scores depends on its true value as stated by `asymmetry`.
        """
        variance = self.variance_of_differences
        if self.asymmetry is not None and self.asymmetry.between is not None:
            variance = variance + np.maximum(-self.asymmetry.between * self.differences, 0.0)
        if self.battles is None:
            return variance
        n, p = np.maximum(self.battles, 1.0), self.score
        won = n * p
        pooled = (won[:, None] + won[None, :]) / (n[:, None] + n[None, :])
        more = (pooled * (1 - pooled) - (p * (1 - p))[:, None]) / n[:, None]
        return np.asarray(variance + np.maximum(more + more.T, 0.0))

    @property
    def differences(self) -> Array:
        """``score[i] - score[j]``, shape (n, n)."""
        return self.score[:, None] - self.score[None, :]

    def difference_ends(self, t: Array) -> tuple[Array, Array]:
        """Return the ends of the intervals of all differences for the critical values of Student's *t*, both (n, n).

        Toward zero the standard error of win rates is that of equal agents.
        """
        d, variance = self.differences, np.maximum(self.variance_of_differences, 0.0)  # negative with two clusterings
        if self.asymmetry is not None and self.asymmetry.between is not None:
            return score_ends(d, variance, t, Asymmetry(self.asymmetry.between, np.zeros_like(d)))
        away, toward = t * np.sqrt(variance), t * np.sqrt(np.maximum(self.variance_if_equal, 0.0))
        return d - np.where(d > 0, toward, away), d + np.where(d > 0, away, toward)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who has the highest score with which interval, and caveats."""
        if not np.isfinite(self.score).any():
            return ("No agent has a score.", *self.notes)
        best = np.nanmax(self.score)
        first = [name for name, score in zip(self.agents, self.score, strict=True) if score == best]
        errors = np.sqrt(np.diag(self.covariance)[self.score == best])
        texts = [percent(x) if self.is_share else f"{x:.4g}" for x in (best, errors.max())]
        has = "has" if len(first) == 1 else "have"
        highest = f"{listed(first)} {has} the highest {self.measure}, {texts[0]} (standard error {texts[1]})."
        return (highest, "`rank_sets` says which differences are certain.", *self.notes)

    def rows(self) -> list[BoardScore]:
        """Return one row per agent, in the order of the arrays."""
        stderr, df = np.sqrt(np.maximum(np.diag(self.covariance), 0.0)), np.diag(self.df)
        score, stderr, df = map(plain, (self.score, stderr, df))
        return rows_of(agent=self.agents, part=self.parts + 1, score=score, stderr=stderr, df=df)
