"""Weng and Lin: Bayesian ratings in closed form, battle by battle."""

import numpy as np

from beatpath.methods.profile import Profile
from beatpath.methods.rating.schedule import idle_said, order_said, schedule
from beatpath.methods.rating.weng_lin.online_weng_lin import OnlineWengLin
from beatpath.methods.result import Outcome, levels_by_score
from beatpath.methods.status import EXACT


def weng_lin(
    profile: Profile, *, start: float = 25.0, deviation: float = 25 / 3, beta: float = 25 / 6, tau: float = 25 / 300
) -> Outcome:
    r"""Rate agents battle by battle, each with a normal belief about its strength that every battle narrows.

    Algorithm 1 of [1]_, Bradley-Terry with full pairing, for two sides of one agent:

    .. math::  c^2 = \sigma_a^2 + \sigma_b^2 + 2\beta^2, \quad p = \frac{1}{1 + e^{(\mu_b - \mu_a)/c}}, \quad
               \mu_a \leftarrow \mu_a + \frac{\sigma_a^2}{c}(s - p), \quad
               \sigma_a^2 \leftarrow \sigma_a^2 \left(1 - \frac{\sigma_a^3}{c^3}\, p(1-p)\right).

    Battles of one time are all rated from the ratings before it: their steps add up, their shares of variance multiply.
    A game of several, a finishing order, is rated by Algorithm 4, Plackett-Luce, which of two sides is the same; see `after_game`.

    Parameters
    ----------
    profile : Profile
        Of battles, or of finishing orders, which have no times and are taken in their order.
    start, deviation, beta, tau
        As for `beatpath.OnlineWengLin`.

    Returns
    -------
    Outcome
        The score is the rating after the last battle. Details: `deviations`.

    Examples
    --------
    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> weng_lin(profile_of(Battles.of([("ada", "bob", 1)], time=[1]))).score.round(3)
    array([27.635, 22.365])

    References
    ----------
    .. [1] R. C. Weng, C.-J. Lin, "A Bayesian approximation method for online ranking", *Journal of Machine Learning Research*
       12 (2011), 267-300.
    """
    state = OnlineWengLin(start, deviation, beta, tau)
    if profile.battles is not None:
        order = schedule(profile.battles, ties=profile.ties, both_bad=profile.both_bad)
        state = state.rate(profile.battles, order)
        remarks = [*order_said(order), *idle_said(profile.battles, order)]
        by = "rows" if order.untimed else "time"
    else:
        state = state.rate_games(profile.need_ballots("weng_lin"), drop_ties=profile.ties == "drop")
        remarks, by = ["rated in the order of the rows: finishing orders have no times"], "rows"
    score = np.array([state.ratings[name] for name in profile.agents])
    deviations = {name: state.deviations[name] for name in profile.agents}
    if profile.pair_weight == "rate":
        remarks.append("pair_weight=rate not used: every battle is rated")
    details = {"order": by, "rated": state.battles, "deviations": deviations}
    return Outcome(levels_by_score(score), score, "; ".join(remarks) or EXACT, details)
