"""Glicko-2: ratings that know how sure they are, period by period."""

import numpy as np

from beatpath._errors import DataError
from beatpath.methods.profile import Profile
from beatpath.methods.rating.glicko2.online_glicko2 import OnlineGlicko2
from beatpath.methods.rating.schedule import idle_said, order_said, schedule
from beatpath.methods.result import Outcome, levels_by_score
from beatpath.methods.status import EXACT


def glicko2(
    profile: Profile,
    *,
    start: float = 1500.0,
    deviation: float = 350.0,
    volatility: float = 0.06,
    tau: float = 0.5,
    period: float | None = None,
) -> Outcome:
    r"""Rate agents period by period: a surprise moves a rating the further, the less sure it was.

    An agent has a rating, a deviation that says how sure it is, and a volatility that says how much it changes [1]_. A
    period's battles are all rated from the ratings before it:

    .. math::  \phi'^{-2} = (\phi^2 + \sigma'^2)^{-1} + v^{-1}, \qquad \mu' = \mu + \phi'^2 \sum_j w_j g(\phi_j)(s_j - E_j).

    Parameters
    ----------
    profile : Profile
        Of battles.
    start, deviation, volatility, tau, period
        As for `beatpath.OnlineGlicko2`.

    Returns
    -------
    Outcome
        The score is the rating after the last battle. Details: `deviations`, as of that time, and `volatilities`.

    Examples
    --------
    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> glicko2(profile_of(Battles.of([("ada", "bob", 1)], time=[1]))).score.round(2)
    array([1662.31, 1337.69])

    References
    ----------
    .. [1] M. E. Glickman, "Dynamic paired comparison models with stochastic variances", *Journal of Applied Statistics* 28
       (2001), 673-689; *Example of the Glicko-2 system*, 2013.
    """
    battles = profile.battles
    if battles is None:
        raise DataError(
            "glicko2 needs battles in the order of time; this evidence is counts or rankings without one. "
            "Use bradley_terry, which needs no order."
        )
    order = schedule(battles, ties=profile.ties, both_bad=profile.both_bad)
    state = OnlineGlicko2(start, deviation, volatility, tau, period).rate(battles, order)
    score = np.array([state.ratings[name] for name in profile.agents])
    details = {
        "order": "rows" if order.untimed else "time",
        "rated": len(order.rows),
        "deviations": {name: state.deviation_now(name) for name in profile.agents},
        "volatilities": {name: state.volatilities[name] for name in profile.agents},
    }
    remarks = [*order_said(order), *idle_said(battles, order)]
    if profile.pair_weight == "rate":
        remarks.append("pair_weight=rate not used: every battle is rated")
    return Outcome(levels_by_score(score), score, "; ".join(remarks) or EXACT, details)
