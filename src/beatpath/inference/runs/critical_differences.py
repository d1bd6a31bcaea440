r"""Critical differences: Demšar's tests of agents over tasks (Friedman, Nemenyi, Wilcoxon with Holm).

Agents are ranked on every task, ties sharing the mean; with :math:`R_a` the mean rank over *T* tasks of *n* agents,

.. math::  \chi^2_F = \frac{12 T}{n (n + 1)} \Big[ \sum_a R_a^2 - \frac{n (n + 1)^2}{4} \Big], \qquad
           F_F = \frac{(T - 1) \chi^2_F}{T (n - 1) - \chi^2_F}, \qquad
           CD = q_\alpha \sqrt{\frac{n (n + 1)}{6 T}},

Friedman's statistic (corrected for ties where there are some), Iman and Davenport's, and Nemenyi's critical difference
of two mean ranks, :math:`q_\alpha` being the Studentized range over :math:`\sqrt 2` (section 3.2.2 of Demšar [1]_). In
addition Wilcoxon's signed-rank test of every pair, adjusted by Holm [2]_.

References
----------
.. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", *Journal of Machine Learning Research* 7
       (2006), 1-30.
.. [2] A. Benavoli, G. Corani, F. Mangili, "Should we really use post-hoc tests based on mean-ranks?", *Journal of Machine
       Learning Research* 17 (2016), 1-10.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
from scipy.stats import chi2, rankdata, studentized_range, wilcoxon
from scipy.stats import f as fisher

from beatpath._arrays import Bools, Floats
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._result import TableResult, rows_of
from beatpath._text import counted, quoted
from beatpath._validate import require_share
from beatpath.evidence import Convention
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence.ties import ROUNDING, equal_means, snapped
from beatpath.inference.runs.runs import runs_of
from beatpath.stats.intervals import holm


class MeanRank(TypedDict):
    """The mean rank of an agent over tasks.

    Attributes
    ----------
    agent : str
        The agent.
    mean_rank : float
        1 is best.
    """

    agent: str
    mean_rank: float


class RankTest(TypedDict):
    """Two agents, and p-values of their equality.

    Attributes
    ----------
    first, second : str
        The one with the better mean rank, and the other.
    first_rank, second_rank : float
        Their mean ranks.
    nemenyi_p, wilcoxon_p, holm_p : float
        By Nemenyi; by Wilcoxon, unadjusted; by Wilcoxon, adjusted by Holm for all pairs.
    """

    first: str
    second: str
    first_rank: float
    second_rank: float
    nemenyi_p: float
    wilcoxon_p: float
    holm_p: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CriticalDifferences(TableResult):
    """Mean ranks, the global tests of equality, and the tests of every pair.

    Attributes
    ----------
    agents : tuple of str
        Names.
    tasks : int
        Tasks with all agents.
    mean_rank : (n,) float
        1 is best.
    friedman, friedman_p : float
        Friedman's statistic, corrected for ties, and its p-value.
    iman_davenport, iman_davenport_p : float
        The statistic of Iman and Davenport, and its p-value.
    critical_difference : float
        By Nemenyi: larger differences of mean ranks are significant at `level`.
    nemenyi_p : (n, n) float
        By Nemenyi, for every pair.
    wilcoxon_p, holm_p : (n, n) float
        By Wilcoxon for every pair, unadjusted, and adjusted by Holm for all pairs.
    level : float
        Confidence level.
    settings : mapping
        All settings.
    conventions : tuple of Convention
        How scores were read.
    notes : tuple of str
        Caveats.
    """

    hidden: ClassVar = ("agents", "mean_rank", "nemenyi_p", "wilcoxon_p", "holm_p")
    derived: ClassVar = ("agents=mean_ranks", "pairs=rows")

    agents: tuple[str, ...]
    tasks: int
    mean_rank: Floats
    friedman: float
    friedman_p: float
    iman_davenport: float
    iman_davenport_p: float
    critical_difference: float
    nemenyi_p: Floats
    wilcoxon_p: Floats
    holm_p: Floats
    level: float
    settings: Mapping[str, Any]
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    def apart(self, test: str = "holm") -> Bools:
        """Return which pairs a test separates, (n, n), by ``"nemenyi"`` or ``"holm"``, the better mean rank above."""
        if test not in ("nemenyi", "holm"):
            raise UsageError(f"`test` must be nemenyi or holm; got {quoted(test)}.")
        p = self.nemenyi_p if test == "nemenyi" else self.holm_p
        return np.asarray((p <= 1 - self.level) & (self.mean_rank[:, None] < self.mean_rank[None, :]))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether anybody differs, the critical difference, and how many pairs each test separates."""
        n, best = len(self.agents), self.mean_rank.min()
        first = sorted(name for name, r in zip(self.agents, self.mean_rank, strict=True) if r <= best + 1e-12)
        differ = "differ significantly" if self.friedman_p <= 1 - self.level else "do not differ significantly"
        pairs = counted(n * (n - 1) // 2, "pair")
        parted = f"Nemenyi separates {int(self.apart('nemenyi').sum()):,} of {pairs}, Wilcoxon with Holm {int(self.apart().sum()):,}."
        return (
            f"Agents {differ} in mean rank over {counted(self.tasks, 'task')} (Friedman {self.friedman:.4g}, p = {self.friedman_p:.2g}).",
            f"{', '.join(map(quoted, first[:5]))} {'has' if len(first) == 1 else 'have'} the best mean rank, {best:.3g}.",
            f"The critical difference of mean ranks is {self.critical_difference:.3g} at {100 * self.level:g} % (Nemenyi). {parted}",
            "A mean rank depends on which other agents are in the table; `resolve` compares scores and gives rank sets.",
            *self.notes,
        )

    def rows(self) -> list[RankTest]:
        """Return one row per pair, the better mean rank first."""
        order = sorted(range(len(self.agents)), key=lambda a: (self.mean_rank[a], self.agents[a]))
        a, b = (np.array(order)[side] for side in np.triu_indices(len(order), 1))
        names = np.array(self.agents, dtype=object)
        tests = {name: getattr(self, name)[a, b] for name in ("nemenyi_p", "wilcoxon_p", "holm_p")}
        ranks = {"first_rank": self.mean_rank[a], "second_rank": self.mean_rank[b]}
        return list(rows_of(first=names[a], second=names[b], **ranks, **tests))

    @property
    def mean_ranks(self) -> list[MeanRank]:
        """The mean rank of every agent."""
        return list(rows_of(agent=self.agents, mean_rank=self.mean_rank))


def critical_differences(
    evidence: EvidenceLike, *, level: float = 0.95, **conventions: Unpack[ConventionOptions]
) -> CriticalDifferences:
    """Run Friedman's test, Nemenyi's critical difference and Wilcoxon's tests with Holm's adjustment.

    Use it to report a table as is common for classifiers over data sets; `resolve` has more power and needs no ranks.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        The mean of an agent's runs on a task is used; tasks that some agent lacks are dropped.
    level : float, default 0.95
        Confidence level.
    **conventions
        As for `resolve`: missing, per. Tasks have equal weights.

    Returns
    -------
    CriticalDifferences

    See Also
    --------
    resolve : Rank sets from mean scores, with all tasks.

    Examples
    --------
    Three agents in the same order on each of six tasks.

    >>> from beatpath import Scores
    >>> scores = Scores.from_table([[3.0] * 6, [2.0] * 6, [1.0] * 6], ["ada", "bob", "cyd"], list("uvwxyz"))
    >>> result = critical_differences(scores)
    >>> result.mean_rank, result.friedman, round(result.critical_difference, 3)
    (array([1., 2., 3.]), 12.0, 1.353)
    """
    require_share("level", level)
    runs = runs_of(as_evidence(evidence), Conventions.of(**conventions))
    n, T = runs.count.shape
    if n < 2 or T < 2:
        raise DataError(f"critical differences need two agents and two tasks or more; there are {n:,} and {T:,}.")
    table, absolute = np.zeros((n, T)), np.zeros((n, T))
    for sums, value in (table, runs.value), (absolute, np.abs(runs.value)):
        np.add.at(sums, (runs.agent, runs.task), value / runs.count[runs.agent, runs.task])
    tasks = np.broadcast_to(np.arange(T), (n, T)).ravel()
    table = equal_means(table.ravel(), (absolute * (runs.count > 1)).ravel(), tasks).reshape(n, T)
    ranks = rankdata(-table, axis=0)
    statistic, p = friedman(ranks)
    F, F_p = iman_davenport(statistic, n, T)
    mean = ranks.mean(axis=1)
    error = float(np.sqrt(n * (n + 1) / (6 * T)))
    single, pair = _wilcoxon(table), np.triu_indices(n, 1)
    adjusted = np.ones_like(single)
    adjusted[pair] = adjusted.T[pair] = holm(single[pair])
    return CriticalDifferences(
        runs.agents,
        T,
        mean,
        statistic,
        p,
        F,
        F_p,
        float(studentized_range.ppf(level, n, np.inf) / np.sqrt(2)) * error,
        studentized_range.sf(np.abs(mean[:, None] - mean[None, :]) / error * np.sqrt(2), n, np.inf),
        single,
        adjusted,
        level,
        {"level": level},
        runs.conventions,
        runs.notes,
    )


def friedman(ranks: Floats) -> tuple[float, float]:
    """Return Friedman's statistic of ranks, (n, tasks), corrected for ties, and its p-value; 0 and 1 if all tie."""
    n, T = ranks.shape
    spread = float(((ranks - (n + 1) / 2) ** 2).sum())
    if spread == 0:
        return 0.0, 1.0
    statistic = (n - 1) * T**2 * float(((ranks.mean(axis=1) - (n + 1) / 2) ** 2).sum()) / spread
    return statistic, float(chi2.sf(statistic, n - 1))


def iman_davenport(statistic: float, n: int, tasks: int) -> tuple[float, float]:
    """Return Iman and Davenport's F statistic from Friedman's, and its p-value; infinite where all tasks agree."""
    left = tasks * (n - 1) - statistic
    if left <= 1e-12 * tasks:
        return float("inf"), 0.0
    F = (tasks - 1) * statistic / left
    return F, float(fisher.sf(F, n - 1, (n - 1) * (tasks - 1)))


def _wilcoxon(table: Floats) -> Floats:
    """Return the p-value of every pair, dropping tasks with equal scores; 1 where all are equal."""
    n = len(table)
    p = np.ones((n, n))
    for a in range(n):
        for c in range(a + 1, n):
            gap = snapped(table[a] - table[c], ROUNDING * float(np.abs(table[[a, c]]).max()))
            if gap.any():
                p[a, c] = p[c, a] = float(wilcoxon(gap).pvalue)
    return p
