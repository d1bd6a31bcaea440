"""Whole-history rating: Bradley-Terry with strengths that change."""

import numpy as np

from beatpath._errors import DataError
from beatpath.methods.profile import Profile
from beatpath.methods.rating.online_state import schedule
from beatpath.methods.rating.whole_history.strength_curves import fitted
from beatpath.methods.result import Outcome, levels_by_score


def whole_history(profile: Profile, *, drift: float | None = None, prior: float = 1.0) -> Outcome:
    r"""Fit strengths that wander over time to all battles at once, and rank agents by where they ended.

    Agent *a* beats *b* at time *t* with probability :math:`\sigma(\theta_a(t) - \theta_b(t))`; each :math:`\theta_i` is a
    Wiener process [1]_. `beatpath.strength_curves` gives the curves themselves.

    Parameters
    ----------
    profile : Profile
        Of battles, each with its time.
    drift, prior
        As for `beatpath.strength_curves`.

    Returns
    -------
    Outcome
        The score is the strength at an agent's last battle, in log odds above the mean of all. Details: `deviations`, `drift`, and `joint`, whether
        deviations carry the opponents' uncertainty.

    Examples
    --------
    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> games = [("ada", "bob", s) for s in (0, 0, 0, 1, 1, 1)]
    >>> whole_history(profile_of(Battles.of(games, time=range(6))), drift=1.0).score.round(2)
    array([ 0.88, -0.88])

    References
    ----------
    .. [1] R. Coulom, "Whole-history rating: a Bayesian rating system for players of time-varying strength", *Computers and
       Games* (2008), 113-124.
    """
    battles = profile.battles
    if battles is None:
        raise DataError(
            "whole_history needs battles with times; this evidence is counts or rankings without them. "
            "Use bradley_terry, which needs none."
        )
    order = schedule(battles, ties=profile.ties, both_bad=profile.both_bad)
    fit, knots, chosen = fitted(battles, order, drift, prior)
    score = np.full(len(profile.agents), np.nan)
    deviation = score.copy()
    last = knots.last
    score[knots.agent[last]], deviation[knots.agent[last]] = fit.relative[last], fit.relative_deviation[last]
    details = {
        **chosen.to_dict(),
        "joint": fit.joint,
        "deviations": {name: float(d) for name, d in zip(profile.agents, deviation, strict=True) if not np.isnan(d)},
    }
    status = fit.status
    if profile.pair_weight == "rate":
        status += "; pair_weight=rate not used: every battle is rated"
    return Outcome(levels_by_score(np.nan_to_num(score)), score, status, details)
