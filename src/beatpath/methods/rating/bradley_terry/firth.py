"""Firth's bias-reduced Bradley-Terry strengths, finite whenever agents are connected at all."""

from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath.fit.newton import Ended
from beatpath.fit.pairs import Comparisons, Fit, fit_pairs, leverages
from beatpath.fit.ties import HALF, NO_PRIOR, half
from beatpath.methods.graph.connection import require_one_group
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import (
    comparisons,
    fit_details,
    on_scale,
    rating_levels,
    require_prior,
    require_scale,
)
from beatpath.methods.result import Outcome

SETTLED = 1e-11  # change of strengths, in log odds, at which leverages have settled


def bradley_terry_firth(
    profile: Profile,
    *,
    scale: str = "log_odds",
    anchor: str | None = None,
    anchor_rating: float | None = None,
    max_iter: int = 200,
) -> Outcome:
    r"""Rate agents by Bradley and Terry's model with the bias of small samples taken out of the estimate.

    Maximum likelihood spreads strengths too far, and without end where an agent lost every battle. Firth [1]_ maximises

    .. math::  \ell(\theta) + \tfrac12 \ln \det I(\theta),

    the likelihood with Jeffreys' prior, :math:`I` the information on differences of strengths. Its maximum is that of the
    likelihood with :math:`h_{ab} / 2` wins added to both sides of every pair that met, where

    .. math::  h_{ab} = n_{ab}\, p_{ab} (1 - p_{ab})\, \mathrm{Var}(\hat\theta_a - \hat\theta_b)

    is the pair's leverage; leverages add up to one less than the number of agents. So agents that met often are hardly
    touched, and there is no prior to choose.

    Parameters
    ----------
    profile : Profile
        Battles or their counts; the pairs of ballots; win rates, each pair that met as one battle.
    scale : {"log_odds", "elo"}
    anchor, anchor_rating : str and float, optional
        As for `bradley_terry`.
    max_iter : int
        Rounds of leverages and fits before it gives up, which the status then says.

    Returns
    -------
    Outcome
        Ratings on the scale asked for. Details, in log odds: ``standard_errors`` of strengths of mean zero, from the information
        at the estimate; ``added``, the wins that leverages add to both sides in all; ``iterations``, ``accuracy``,
        ``log_likelihood`` (without the prior) and ``scale``.

    Raises
    ------
    DataError
        When agents fall into groups that never met.

    Examples
    --------
    One pair has leverage 1: half a win is added to both sides, and 3 to 0 become odds of 7 to 1.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> found = bradley_terry_firth(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 0, 0, 0]])))
    >>> bool(np.isclose(np.ptp(found.score), np.log(7)))
    True

    Notes
    -----
    Leverages and fits by turns, until neither changes: :math:`O(n^3)` a round. Ties are half a win and half a loss. The R
    package BradleyTerry2 has the same estimate as ``br = TRUE``.

    References
    ----------
    .. [1] D. Firth, "Bias reduction of maximum likelihood estimates", *Biometrika* 80 (1993), 27-38.
    """
    require_scale(profile.agents, scale, anchor, anchor_rating)
    require_prior(0.0, max_iter)
    profile.need_counts("bradley_terry_firth")
    rows, _ = comparisons(profile)
    require_one_group(profile.agents, rows.a, rows.b, "bradley_terry_firth")
    strength, added, ended = bias_reduced(rows, max_iter)
    level, strength = rating_levels(strength, ended)
    variance = np.diag(Fit(rows, HALF, NO_PRIOR, ended).covariance())
    value = half(strength[rows.a] - strength[rows.b], 0.0, rows.counts).value
    details: dict[str, Any] = fit_details(ended, value, scale)
    details["added"] = float(added.sum() / 2)
    details["standard_errors"] = dict(zip(profile.agents, np.sqrt(variance).tolist(), strict=True))
    score = on_scale(strength, profile.agents, scale=scale, anchor=anchor, anchor_rating=anchor_rating)
    return Outcome(level, score, ended.status, details)


def bias_reduced(rows: Comparisons, max_iter: int) -> tuple[Floats, Floats, Ended]:
    """Return the strengths, the leverages of the rows, and how the rounds ended.

    >>> rows = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 0.0, 0.0]]))
    >>> bias_reduced(rows, 50)[1].round(9)
    array([1.])
    """
    strength, change, taken = np.zeros(rows.n_agents), np.inf, 0
    added = leverages(rows, strength)
    while change > SETTLED and taken < max_iter and rows.n_agents > 1:
        counts = rows.counts + np.column_stack([added, added, np.zeros_like(added)]) / 2
        fit = fit_pairs(Comparisons(rows.n_agents, rows.a, rows.b, counts), start=strength)
        change, strength = float(np.abs(fit.strength - strength).max()), fit.strength
        added, taken = leverages(rows, strength), taken + 1
    change = 0.0 if rows.n_agents == 1 else change
    return strength, added, Ended(strength, 0.0, taken, change <= SETTLED, False, change, np.array([change]))
