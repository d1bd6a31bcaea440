r"""What a core takes from estimates: edges of the estimated win rates, and the design effect of clustered battles.

The edges say who is above whom in every pair, met or not, and whether that is resolved. The design effect is how many times
larger the variance of clustered battles is than that of as many independent ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._text import quoted
from beatpath.evidence import Ballots, Battles, Convention, Margins, Pairs
from beatpath.evidence.conventions import convention
from beatpath.inference.ranking.rank import DIGITS, resolved_signs
from beatpath.inference.win_rates.cluster_cells import AUTO
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile
from beatpath.methods.soft_core.edges import ESTIMATED, Edges

if TYPE_CHECKING:
    from beatpath.inference.matrix.win_matrix import WinMatrix

FILLED = "a pair that was not compared directly has its predicted win rate, with its standard error"


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedEdges:
    """What the estimate says of every pair.

    Attributes
    ----------
    edges : Edges
        The probability that an agent wins more than half of its battles against a rival.
    margins : Margins
        Twice the win rate, less one; pairs that no chain of battles connects count as tied and not met.
    resolved : (n, n) bool
        Whether the 95 % interval of the pair's win rate, by itself, leaves one half out.
    win_rate : (n,) float
        The mean against every other agent of one's part; NaN for one that met nobody.
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
    above = np.triu(np.where(apart, 0.5, matrix.rate).round(DIGITS), 1)
    lead = 2 * above - np.triu(np.ones((n, n)), 1)
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


COLUMNS = ("cluster", "voter")
NOTED = 1.005  # a design effect below it is shown as 1 and changes nothing


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """By what counts are divided, one or more, and the sentence that says so, if one is needed."""

    value: float = 1.0
    note: str | None = None


def effect_of_clusters(profile: Profile, cluster: str | Sequence[str] | None = AUTO) -> DesignEffect:
    """Return the design effect of a profile's battles, one where nothing says that they come in clusters.

    Parameters
    ----------
    profile : Profile
    cluster : str, two of them, None or "auto"
        The column whose battles belong together, as for `win_rate_inference`.

    Examples
    --------
    Ninety wins of a hundred in clusters of ten that always agree are worth about nine of ten.

    >>> from beatpath import Factor
    >>> from beatpath.methods.profile import profile_of
    >>> rows = [("ada", "bob", float(i >= 10)) for i in range(100)]
    >>> battles = Battles.of(rows, factors={"cluster": Factor.of(i // 10 for i in range(100))})
    >>> result = effect_of_clusters(profile_of(battles))
    >>> round(result.value, 1)
    10.0
    >>> effect_of_clusters(profile_of(battles), cluster=None)
    DesignEffect(value=1.0, note=None)
    """
    if cluster is None or profile.pair_weight == "rate" or (cluster == AUTO and not _clustered(profile)):
        return DesignEffect()
    try:
        rates = estimate_of_profile(profile, cluster)
    except DataError as error:
        return DesignEffect(1.0, f"The core posterior assumes independent battles: {error}")
    return _effect_noted(rates)


def observed_with_effect(
    profile: Profile, cluster: str | Sequence[str] | None = AUTO
) -> tuple[WinRateEstimate, DesignEffect]:
    """Return the win rates of pairs that met, and the design effect of the clusters that their errors allow for."""
    try:
        rates = estimate_of_profile(profile, cluster)
    except DataError as error:
        return estimate_of_profile(profile, None), DesignEffect(1.0, f"Battles are assumed independent: {error}")
    return rates, _effect_noted(rates)


def _clustered(profile: Profile) -> bool:
    """Whether a column says which battles belong together."""
    source = profile.source
    if isinstance(source, Pairs):
        return COLUMNS[0] in source.keys
    if isinstance(source, Battles):
        return COLUMNS[0] in source.factors
    return isinstance(source, Ballots) and any(name in source.factors for name in COLUMNS)


def _effect_noted(rates: WinRateEstimate) -> DesignEffect:
    """The design effect with its sentence."""
    if not rates.clusterings:
        return DesignEffect()
    by = " and ".join(quoted(one.name) for one in rates.clusterings if one.sign > 0)
    value = variance_ratio(rates)
    if value is None:
        return DesignEffect(
            1.0,
            f"No pair has battles in two clusters of {by}, so dependence cannot be estimated; the core posterior assumes "
            "independent battles.",
        )
    if value < NOTED:
        return DesignEffect()
    return DesignEffect(
        value,
        f"Battles of one cluster ({by}) are correlated: the core posterior divides counts by a design effect of {value:.3g}.",
    )


def variance_ratio(rates: WinRateEstimate) -> float | None:
    r"""Return the design effect that robust variances of win rates show, or None where no pair has two clusters.

    .. math::  D = \frac{\sum_p N_p^2 V_{pp}}{\sum_p (N_p + 1)\, \tilde\psi_p (1 - \tilde\psi_p)}, \qquad
               1 \le D \le \frac{\sum_p \sum_c n_{cp}^2}{\sum_p N_p},

    over the pairs *p* whose battles lie in two clusters or more: the cluster-robust variance of the number of wins over that of
    independent battles, for which D is exactly 1 (see `WinRateEstimate`). With battles of a cluster that always agree the
    design effect is the mean size of a battle's cluster, and it can be no more.
    """
    share = rates.alone.copy()
    for one in rates.clusterings:
        share += one.sign * (one.times @ one.share.power(2))
    several = (share < 1 - 1e-9) & (rates.weight > 0)
    if not several.any():
        return None
    N, rate, V = rates.weight[several], rates.rate[several], rates.variance[several]
    smooth = (N * rate + 0.5) / (N + 1)
    ratio = (N**2 @ V) / ((N + 1) @ (smooth * (1 - smooth)))
    most = (N**2 @ share[several]) / N.sum()
    return float(np.clip(ratio, 1.0, max(1.0, most)))
