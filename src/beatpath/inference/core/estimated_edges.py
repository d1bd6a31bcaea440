"""Edges from estimated win rates, and the design effect of clustered battles.

The edges show who is above whom in every pair, compared directly or not, and whether that is significant. The design
effect is the variance of clustered battles relative to that of independent ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._text import shown
from beatpath.evidence import Ballots, Convention, Margins
from beatpath.evidence.conventions import convention
from beatpath.inference.ranking.rank import DIGITS, resolved_signs
from beatpath.inference.win_rates.cluster_cells import AUTO, effects_on_win_rates
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile
from beatpath.methods.soft_core.edges import ESTIMATED, Edges

if TYPE_CHECKING:
    from beatpath.inference.matrix.win_matrix import WinMatrix

# the convention on pairs never compared directly, as results state it
FILLED = "a pair that was not compared directly has its predicted win rate, with its standard error"


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedEdges:
    """Edges of every pair, from the estimated win rates.

    Attributes
    ----------
    edges : Edges
        The probability that an agent wins more than half of its battles against a rival.
    margins : Margins
        Twice the win rate minus one; pairs across components count as tied and not played.
    resolved : (n, n) bool
        Whether the pair's own 95 % confidence interval excludes one half.
    win_rate : (n,) float
        The mean against every other agent of the component; NaN without battles.
    """

    edges: Edges
    margins: Margins
    resolved: Bools
    win_rate: Floats


def estimated_edges(matrix: "WinMatrix") -> EstimatedEdges:
    """Return the edges of an estimated matrix.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> from beatpath.inference.matrix.win_matrix import win_matrix
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[300, 100, 0, 0], [300, 100, 0, 0], [205, 195, 0, 0]])
    >>> result = estimated_edges(win_matrix(pairs))
    >>> result.margins.matrix[0].round(1), result.resolved[0], bool(result.resolved[1, 2])
    (array([0. , 0.5, 0.5]), array([False,  True,  True]), False)
    """
    n = len(matrix.agents)
    apart = np.isnan(matrix.rate)
    off = ~np.eye(n, dtype=bool)
    lead = np.triu(2 * np.where(apart, 0.5, matrix.rate).round(DIGITS) - 1, 1)
    z = np.divide(lead / 2, matrix.stderr, out=40 * np.sign(lead), where=~apart & (matrix.stderr > 0))
    sure = np.triu(ndtr(z), 1)
    resolved = resolved_signs(matrix) & off
    met = off & ~apart
    pairs = int(met.sum()) // 2
    conventions = (
        Convention("edges", "estimated", ESTIMATED, float(pairs)),
        Convention("missing_pairs", "estimated", FILLED, float(pairs - len(matrix.observed.rate))),
        convention("matrix", "estimated"),
    )
    full = sure + np.tril(1 - sure.T, -1) + 0.5 * np.eye(n)
    return EstimatedEdges(
        Edges(full, matrix.agents, met, None, conventions),
        Margins(lead - lead.T, matrix.agents, met),
        resolved,
        matrix.estimate.score,
    )


NOTED = 1.005  # a design effect below it is shown as 1 and changes nothing
COLUMNS = ("cluster", "voter")  # columns of ballots whose ballots are dependent


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """The divisor of counts, at least one, a sentence about it where needed, and the error that battles of an agent share.

    `shared` is a standard deviation in log odds.
    """

    value: float = 1.0
    note: str | None = None
    shared: float = 0.0


def effect_of_clusters(profile: Profile, cluster: str | Sequence[str] | None = AUTO) -> DesignEffect:
    """Return the design effect of a profile's battles; one without clusters.

    Parameters
    ----------
    profile : Profile
        The data.
    cluster : str, two of them, None or "auto"
        The columns whose battles are dependent, as for `win_rate_inference`.

    Examples
    --------
    Ninety wins of a hundred in clusters of ten that always agree carry the information of about nine of ten.

    >>> from beatpath import Battles, Factor
    >>> from beatpath.methods.profile import profile_of
    >>> rows = [("ada", "bob", float(i >= 10)) for i in range(100)]
    >>> battles = Battles.of(rows, factors={"cluster": Factor.of(i // 10 for i in range(100))})
    >>> result = effect_of_clusters(profile_of(battles))
    >>> round(result.value, 1)
    10.0
    >>> effect_of_clusters(profile_of(battles), cluster=None)
    DesignEffect(value=1.0, note=None, shared=0.0)
    """
    return _with_runs(_effect_of_clusters(profile, cluster), profile)


def _effect_of_clusters(profile: Profile, cluster: str | Sequence[str] | None) -> DesignEffect:
    alone = isinstance(profile.source, Ballots) and not any(name in profile.source.factors for name in COLUMNS)
    if cluster is None or profile.pair_weight == "rate" or (cluster == AUTO and alone):
        return DesignEffect()
    try:
        return _effect_noted(estimate_of_profile(profile, cluster), profile)
    except DataError as error:  # one cluster, or no battle that counts
        return DesignEffect(1.0, f"The core posterior assumes independent battles: {error}")


def observed_with_effect(
    profile: Profile, cluster: str | Sequence[str] | None = AUTO
) -> tuple[WinRateEstimate, DesignEffect]:
    """Return the observed win rates, and the design effect of the clusters behind their standard errors."""
    try:
        rates = estimate_of_profile(profile, cluster)
    except DataError as error:
        return estimate_of_profile(profile, None), DesignEffect(1.0, f"Battles are assumed independent: {error}")
    return rates, _with_runs(_effect_noted(rates, profile), profile)


def _with_runs(effect: DesignEffect, profile: Profile) -> DesignEffect:
    """Add the error that all comparisons of an agent share where its runs are better or worse on all tasks."""
    runs = None if profile.scores is None else effects_on_win_rates(profile.scores, profile.chosen)
    if runs is None or not runs.matter:
        return effect
    met = profile.wins + profile.wins.T
    rate = np.divide(profile.wins, met, out=np.full(met.shape, np.nan), where=met > 0)
    slope = np.nanmean(rate * (1 - rate), axis=1)  # of a mean win rate in the log odds of its agent
    known = (slope > 0) & np.isfinite(slope)
    error = float(np.sqrt((runs.added.variance[known] / slope[known] ** 2).mean())) if known.any() else 0.0
    note = f"Scores depend on the {runs.name}: the core posterior gives every agent an error of {error:.2g} log odds, shared by its comparisons."
    return DesignEffect(
        effect.value, " ".join(filter(None, (effect.note, note))), float(np.hypot(effect.shared, error))
    )


def _effect_noted(rates: WinRateEstimate, profile: Profile) -> DesignEffect:
    """Return the design effect with its sentence."""
    if not rates.clusterings:
        return DesignEffect()
    by = " or ".join(shown(one.name) for one in rates.clusterings if one.sign > 0)
    pairs = profile.pairs
    unit = 1.0 if pairs is None or pairs.squares is None else float(pairs.squares.sum() / pairs.counts.sum())
    effect = dependence(rates, unit)
    if effect is None:
        return DesignEffect(
            1.0,
            f"No pair has battles of more than one {by}, so dependence cannot be estimated; the core posterior assumes "
            "independent battles.",
        )
    value, shared = effect
    if value < NOTED and shared == 0:
        return DesignEffect()
    how = [f"design effect {value:.3g}"] if value >= NOTED else []
    how += [f"error of {shared:.2g} log odds common to an agent's battles"] if shared else []
    text = f"Battles of one {by} are correlated, and the core posterior allows for it ({'; '.join(how)})."
    return DesignEffect(value, text, shared)


def dependence(rates: WinRateEstimate, unit: float = 1.0) -> tuple[float, float] | None:
    r"""Return design effect and shared error implied by robust variances of win rates; None if no pair has two clusters.

    .. math::  d^2 = \max\left(0, \frac{\sum_a \operatorname{var}(W_a) - 2 \sum_p N_p^2 V_{pp}}
               {\sum_a (\sum_{p \ni a} u_p)^2 - 2 \sum_p u_p^2}\right), \qquad u_p = N_p \tilde\psi_p (1 - \tilde\psi_p),

    .. math::  D = \min\left(\frac{\sum_p N_p^2 V_{pp} - 2 d^2 \sum_p u_p^2}{\sum_p (N_p + 1)\, \tilde\psi_p (1 - \tilde\psi_p)},
               \frac{\sum_p \sum_c n_{cp}^2}{\sum_p N_p}\right), \qquad D \ge 1,

    over the pairs *p* whose battles lie in at least two clusters. The wins :math:`W_a` of an agent vary more than those of
    its pairs by themselves where pairs err together, as with a judge who prefers an agent to all others: *d* is the
    standard deviation of that common error in log odds, whose slope in wins is *u*. What it leaves of the cluster-robust
    variance of the wins of pairs, over that of independent battles, is D, exactly 1 for these (see `WinRateEstimate`).
    If battles of a cluster always agree, it is the mean size of a battle's cluster, which is its maximum. Weights count
    in units of `unit`, that of a battle, so that twice the weights are no more battles.
    """
    share = rates.alone.copy()
    for one in rates.clusterings:
        share += one.sign * one.concentration
    several = (share < 1 - 1e-9) & (rates.weight > 0)
    if not several.any():
        return None
    N = np.where(several, rates.weight / unit, 0.0)
    smooth = (N * rates.rate + 0.5) / (N + 1)
    information = smooth * (1 - smooth)  # of a battle: the slope of its win rate in log odds
    ends, pair = np.concatenate([rates.a, rates.b]), np.tile(np.arange(len(N)), 2)
    L = csr_array((np.concatenate([N, -N]), (ends, pair)), shape=(len(rates.agents), len(N)))
    of_pairs, slope = N[several] ** 2 @ rates.variance[several], N * information
    others = float(((abs(L) @ information) ** 2).sum() - 2 * slope @ slope)
    common = max(0.0, np.trace(rates.covariance(L)) - 2 * of_pairs) / others if others > 0 else 0.0
    own = (of_pairs - 2 * common * slope @ slope) / ((N + 1)[several] @ information[several])
    most = (N**2 @ share) / N.sum()
    return max(1.0, min(float(own), float(most))), float(np.sqrt(common))
