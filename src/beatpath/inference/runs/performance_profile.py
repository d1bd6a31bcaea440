r"""Performance profiles: the share of runs above every value, per agent.

.. math::  \hat F_a(\tau) = \sum_{t, i} w_{ti}\, [x_{ti} > \tau],

with equal weights of tasks (score distributions of Agarwal et al. [1]_; with one run per task the profiles of Dolan
and Moré [2]_). A profile above another everywhere is better for any target; of two that cross, each is better for
some.

References
----------
.. [1] R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare, "Deep reinforcement learning at the edge of the
       statistical precipice", *Advances in Neural Information Processing Systems* 34 (2021).
.. [2] E. D. Dolan, J. J. Moré, "Benchmarking optimization software with performance profiles", *Mathematical Programming* 91
       (2002), 201-213.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Bools, Floats
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import UsageError
from beatpath._result import TableResult, plot_result, rows_of
from beatpath._text import confidence, counted, quoted
from beatpath._validate import require_share
from beatpath.evidence import Convention
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.runs.aggregates import Scheme, bootstrap_draws, observed
from beatpath.inference.runs.run_board import random_columns, scheme_of
from beatpath.inference.runs.runs import Runs, runs_of

POINTS = 101  # values at which a profile is evaluated by default
BEYOND = 0.98  # share of all runs covered by the default values


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PerformanceProfile(TableResult):
    """The share of runs above every value, with confidence bands.

    Attributes
    ----------
    agents : tuple of str
        Names.
    tau : (k,) float
        The values.
    share, low, high : (n, k) float
        The share of runs above each, and its pointwise confidence interval.
    level : float
        Confidence level.
    settings : mapping
        Also ``cluster``: what is random, as for `resolve`.
    conventions : tuple of Convention
        How scores were read.
    notes : tuple of str
        Caveats.
    """

    plot = plot_result

    agents: tuple[str, ...]
    tau: Floats
    share: Floats
    low: Floats
    high: Floats
    level: float
    settings: Mapping[str, Any]
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def above(self) -> Bools:
        """Whether the row's observed profile is nowhere below the column's and somewhere above it."""
        first, second = self.share[:, None, :], self.share[None, :, :]
        return np.asarray((first >= second - 1e-12).all(axis=2) & (first > second + 1e-12).any(axis=2))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is above everybody at any value, and what the bands are."""
        n = len(self.agents)
        first = [name for name, row in zip(self.agents, self.above, strict=True) if row.sum() == n - 1]
        if n > 1 and first:
            lead = f"The profile of {quoted(first[0])} is nowhere below that of another agent."
        else:
            lead = "No profile is at or above all others everywhere: which agent is best depends on the threshold."
        crossed = n * (n - 1) // 2 - int(self.above.sum())
        population = " and ".join(f"{name}s" for name in self.settings["cluster"])
        band = f"Bands are {confidence(self.level)} intervals of each point by itself, for other {population}."
        return (
            lead,
            f"Of {counted(n * (n - 1) // 2, 'pair')} of profiles {crossed:,} cross or are equal.",
            band,
            *self.notes,
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent and value."""
        agent, tau = zip(*product(self.agents, self.tau.tolist()), strict=True)
        return rows_of(agent=agent, tau=tau, share=self.share.ravel(), low=self.low.ravel(), high=self.high.ravel())


def performance_profile(
    evidence: EvidenceLike,
    *,
    tau: ArrayLike | None = None,
    cluster: str | tuple[str, ...] | None = "auto",
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
    **conventions: Unpack[ConventionOptions],
) -> PerformanceProfile:
    """Return the share of runs above every value, with confidence bands.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        The data.
    tau : (k,) float, optional
        The values, ascending; by default 101 from the lowest run to the 98 % quantile of all runs.
    cluster : str, two of them, None or "auto"
        What is random: ``"replicate"``, runs on these tasks, the default where every agent has several; ``"task"``; or
        both, tasks and then runs within them.
    level : float, default 0.95
        Confidence level.
    draws, seed : int
        Number and seed of the bootstrap.
    **conventions
        As for `resolve`: missing, per, weights.

    Returns
    -------
    PerformanceProfile

    See Also
    --------
    run_scores : Aggregates of runs.

    Examples
    --------
    >>> from beatpath import Factor, Scores
    >>> scores = Scores(("ada", "bob"), [0] * 4 + [1] * 4, [1, 2, 3, 4, 1, 1, 2, 2], {"task": Factor.of("xxyyxxyy")})
    >>> performance_profile(scores, tau=[1, 2, 3]).share
    array([[0.75, 0.5 , 0.25],
           [0.5 , 0.  , 0.  ]])
    """
    require_share("level", level)
    runs = runs_of(as_evidence(evidence), Conventions.of(**conventions))
    auto = "replicate" if (runs.count > 1).all() else "task"
    scheme = scheme_of(auto if cluster == "auto" else cluster, runs)
    values = _values(runs, tau)
    above = runs.value[:, None] > values
    rows_of_each = map(runs.of, range(len(runs.agents)))
    share = np.stack([observed(runs).weight(runs, rows)[0] @ above[rows] for rows in rows_of_each])
    low, high = _bands(runs, scheme, above, level, draws, seed)
    settings = {"cluster": random_columns(runs, scheme), "level": level, "draws": draws, "seed": seed}
    return PerformanceProfile(runs.agents, values, share, low, high, level, settings, runs.conventions, runs.notes)


def _values(runs: Runs, tau: ArrayLike | None) -> Floats:
    if tau is None:
        return np.linspace(runs.value.min(), np.quantile(runs.value, BEYOND), POINTS)
    values = np.atleast_1d(np.asarray(tau, dtype=np.float64))
    if values.ndim > 1 or not len(values) or not np.isfinite(values).all() or (np.diff(values) <= 0).any():
        raise UsageError("`tau` must be finite numbers that rise; leave it out for 101 of them.")
    return values


def _bands(runs: Runs, scheme: Scheme, above: Bools, level: float, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Return percentile intervals of every share, (n, k) each."""
    draws_by_agent: list[list[Floats]] = [[] for _ in runs.agents]
    for some in bootstrap_draws(runs, scheme, draws, seed):
        for a, own in enumerate(draws_by_agent):
            rows = runs.of(a)
            own.append(some.weight(runs, rows) @ above[rows])
    ends = [np.quantile(np.concatenate(own), [(1 - level) / 2, (1 + level) / 2], axis=0) for own in draws_by_agent]
    return np.stack([one[0] for one in ends]), np.stack([one[1] for one in ends])
