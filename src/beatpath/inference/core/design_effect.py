r"""The design effect of clustered battles: how many times larger their variance is than that of as many independent ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from beatpath._errors import DataError
from beatpath._text import quoted
from beatpath.evidence import Ballots, Battles, Pairs
from beatpath.inference.win_rates.cluster_cells import AUTO
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile

COLUMNS = ("cluster", "voter")
NOTED = 1.005


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
    >>> told = Battles.of(rows, factors={"cluster": Factor.of(i // 10 for i in range(100))})
    >>> found = effect_of_clusters(profile_of(told))
    >>> round(found.value, 1)
    10.0
    >>> effect_of_clusters(profile_of(told), cluster=None)
    DesignEffect(value=1.0, note=None)
    """
    if cluster is None or profile.pair_weight == "rate" or (cluster == AUTO and not _clustered(profile)):
        return DesignEffect()
    try:
        rates = estimate_of_profile(profile, cluster)
    except DataError as error:
        return DesignEffect(1.0, f"For the core posterior battles are taken as independent: {error}")
    return _effect_noted(rates)


def observed_with_effect(
    profile: Profile, cluster: str | Sequence[str] | None = AUTO
) -> tuple[WinRateEstimate, DesignEffect]:
    """Return the win rates of pairs that met, and the design effect of the clusters that their errors allow for."""
    try:
        rates = estimate_of_profile(profile, cluster)
    except DataError as error:
        return estimate_of_profile(profile, None), DesignEffect(1.0, f"Battles are taken as independent: {error}")
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
            f"No pair has battles in two clusters of {by}, so that nobody can say how alike those of one are; for the core "
            "posterior battles are taken as independent.",
        )
    if value < NOTED:
        return DesignEffect()
    return DesignEffect(
        value,
        f"Battles of one cluster ({by}) are alike: for the core posterior counts are divided by a design effect of {value:.3g}.",
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
    found = (N**2 @ V) / ((N + 1) @ (smooth * (1 - smooth)))
    most = (N**2 @ share[several]) / N.sum()
    return float(np.clip(found, 1.0, max(1.0, most)))
