r"""Curves of pass@k and pass^k over *k*, with simultaneous confidence bands, items or clusters of items being random.

The band of an agent covers all its points together: its critical value is the quantile of the largest of correlated Student variables, in
the correlation of the estimates over items. At every point Wilson's and Jeffreys' intervals take that value, with the number of independent
answers that would have the same standard error, so that the band stays between 0 and 1. That number is at most that of disjoint choices of *k*
samples: rare answers that no item shows leave too small a standard error.

An end is the wider of the two. Wilson's is too short where almost every item is solved, or none: one failed item of 80 excludes failure rates
below 0.0021, although at 0.0013 one table of ten has such an item. Jeffreys' is a little short for clusters, whose rates are nearer to one half.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtr

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError, UsageError
from beatpath._result import TableResult, plot_result
from beatpath._text import confidence, percent, quoted
from beatpath._validate import require_share
from beatpath.inference.runs.pass_at_k import chance, grouped_samples
from beatpath.stats.intervals import t_quantile, wilson_ends

CURVES = ("once", "once_low", "once_high", "always", "always_low", "always_high")  # columns of the answer
DRAWS = 20_000  # simulated maxima: the Monte Carlo error of a critical value of 2.5 is below 0.02


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PassCurves(TableResult):
    """The shares of items that agents solve at least once, and always, in *k* samples.

    Attributes
    ----------
    agents : tuple of str
        Names.
    items : int
        Items, or clusters of them.
    once, once_low, once_high : (n, k) float
        pass@k for 1 to *k* samples, and its band.
    always, always_low, always_high : (n, k) float
        pass^k, and its band.
    level : float
        Confidence of the two bands of an agent, simultaneous over all their points.
    """

    plot = plot_result

    agents: tuple[str, ...]
    items: int
    once: Floats
    once_low: Floats
    once_high: Floats
    always: Floats
    always_low: Floats
    always_high: Floats
    level: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """How reliable every agent is, and what the bands are."""
        k = self.once.shape[1]
        texts = [
            f"{quoted(name)} solves {_range(self, 'once', a)} at least once in {k:,}, {_range(self, 'always', a)} always."
            for a, name in enumerate(self.agents)
        ]
        return (
            *texts,
            f"Bands hold simultaneously over all k with {confidence(self.level)} confidence, for each agent.",
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent and number of samples."""
        return [
            {"agent": agent, "k": k + 1, **{name: float(getattr(self, name)[a, k]) for name in CURVES}}
            for a, agent in enumerate(self.agents)
            for k in range(self.once.shape[1])
        ]


def _range(curves: PassCurves, curve: str, agent: int) -> str:
    return percent(*(getattr(curves, f"{curve}{end}")[agent, -1] for end in ("", "_low", "_high")))


def pass_curves(
    evidence: EvidenceLike, k: int | None = None, *, cluster: str | None = None, level: float = 0.95, seed: int = 0
) -> PassCurves:
    """Return pass@k and pass^k of every agent for 1 to `k` samples, with simultaneous confidence bands.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        Right (1) or wrong (0), several samples an item.
    k : int, optional
        The largest number of samples; by default as many as every item has.
    cluster : str, optional
        Column whose items belong together; ``cluster`` where there is one.
    level : float
        Confidence of the bands of an agent.
    seed : int
        Seed of the simulation of critical values.

    See Also
    --------
    pass_at_k : One score an item, for every other function.

    Examples
    --------
    >>> from beatpath import Factor, Scores
    >>> item, sample = Factor.of(f"q{i // 2:02d}" for i in range(80)), Factor.of("01" * 40)
    >>> scores = Scores(("ada",), [0] * 80, [1, 1, 1, 0] * 20, {"item": item, "replicate": sample})
    >>> print(pass_curves(scores).sentences[0])
    'ada' solves 100.0 % (90.6 to 100.0) at least once in 2, 50.0 % (34.2 to 65.8) always.
    """
    require_share("level", level)
    scores, group, first = grouped_samples(evidence)
    n, right = (np.bincount(group, one).astype(np.float64) for one in (np.ones(len(group)), scores.value))
    most = int(n.min()) if k is None else k
    if not 1 <= most <= n.min():
        raise DataError(f"`k` must be from 1 to {n.min():.0f}, the fewest samples of an item; got {k}.")
    column = cluster or ("cluster" if "cluster" in scores.factors else None)
    if column is not None and column not in scores.factors:
        raise UsageError(f"`cluster` must be a column of the scores; got {quoted(column)}.")
    unit = np.arange(len(first)) if column is None else scores.factors[column].codes[first]
    points = np.stack([chance(n, right, j, how) for how in ("any", "all") for j in range(1, most + 1)], axis=1)
    blocks = np.stack([n // j for _ in ("any", "all") for j in range(1, most + 1)], axis=1)
    curves = [
        _band(points[own], unit[own], blocks[own].sum(axis=0), level, seed)
        for own in (scores.agent[first] == a for a in range(len(scores.agents)))
    ]
    share, low, high = (np.stack(one) for one in zip(*curves, strict=True))
    once, always = ([one[:, part] for one in (share, low, high)] for part in (slice(None, most), slice(most, None)))
    values = dict(zip(CURVES, (*once, *always), strict=True))
    return PassCurves(agents=scores.agents, items=len(np.unique(unit)), level=level, **values)


def _band(points: Floats, unit: Ints, blocks: Floats, level: float, seed: int) -> tuple[Floats, Floats, Floats]:
    """The means of columns over items, and their simultaneous intervals by the jackknife over units; `blocks` is the most answers each has."""
    _, code = np.unique(unit, return_inverse=True)
    size = np.bincount(code.ravel()).astype(np.float64)
    total = np.stack([np.bincount(code.ravel(), column) for column in points.T], axis=1)
    groups, share = len(size), points.mean(axis=0)
    if groups < 2:
        raise DataError("a confidence band needs two items or clusters of items or more; there is one.")
    left_out = (total.sum(axis=0) - total) / (size.sum() - size)[:, None]
    off = (left_out - left_out.mean(axis=0)) * np.sqrt((groups - 1) / groups)
    error = np.sqrt((off**2).sum(axis=0))
    varies = error > 1e-12
    rng, unity = np.random.default_rng(seed), off[:, varies] / error[varies]
    values, vectors = np.linalg.eigh(unity.T @ unity)
    normal = rng.normal(size=(DRAWS, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    student = normal / np.sqrt(rng.chisquare(groups - 1, size=(DRAWS, 1)) / (groups - 1))
    largest = np.abs(student).max(axis=1, initial=0.0)
    critical = float(np.quantile(largest, level)) if varies.any() else t_quantile(level, groups - 1)
    number = np.where(varies, share * (1 - share) / np.where(varies, error, 1.0) ** 2, groups)
    answers, tail = np.minimum(number, blocks), ndtr(-critical)
    low, high = wilson_ends(share, answers, critical)
    solved, failed = share * answers + 0.5, (1 - share) * answers + 0.5
    return (
        share,
        np.minimum(low, betaincinv(solved, failed, tail)),
        np.maximum(high, betaincinv(solved, failed, 1 - tail)),
    )
