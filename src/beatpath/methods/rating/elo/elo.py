"""Elo: ratings that follow the battles in the order of time."""

import numpy as np

from beatpath._arrays import Bools
from beatpath._errors import DataError
from beatpath._text import listed
from beatpath.evidence import Battles
from beatpath.methods.profile import Profile
from beatpath.methods.rating.elo.online_elo import OnlineElo
from beatpath.methods.rating.schedule import Schedule, idle_said, order_said, schedule
from beatpath.methods.result import Outcome, levels_by_score
from beatpath.methods.status import EXACT

OVERSHOOT = 700.0  # FIDE keeps K times the games of one rating period below this


def elo(profile: Profile, *, k: float = 4.0, start: float = 1000.0) -> Outcome:
    r"""Rate agents battle by battle: who does better than expected gains what the other loses.

    With :math:`s` the outcome for *a* (1 a win, 1/2 a tie, 0 a loss) and :math:`w` the weight of the battle [1]_,

    .. math::  r_a \leftarrow r_a + K w (s - E), \quad r_b \leftarrow r_b - K w (s - E), \quad
               E = \frac{1}{1 + 10^{(r_b - r_a) / 400}}.

    Battles are taken in the order of their times. Those that happened at one time are all rated from the ratings before
    it, as in a chess federation's rating period, so that the order of their rows decides nothing. Where any time is
    unknown the rows are taken in order, one by one, and the status says so.

    Parameters
    ----------
    profile : Profile
        Of battles. Ballots, score tables and counts have no order in time: the fit that does not ask for one is
        Bradley-Terry's.
    k : float
        How far a battle of weight one can move a rating. Small values forget slowly and are noisy little.
    start : float
        Every agent's rating before its first battle.

    Returns
    -------
    Outcome
        The score is the rating after the last battle. Details: ``k`` and ``start``; ``order``, "time" or "rows";
        ``rated`` and ``left_out`` battles; ``at_one_time``, the battles that share their time with another.

    Examples
    --------
    The first win is worth K/2 = 16 points; the second, between unequals, less.

    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> wins = Battles.of([("ada", "bob", 1), ("ada", "bob", 1)], time=[1, 2])
    >>> elo(profile_of(wins), k=32).score.round(2)
    array([1030.53,  969.47])

    Notes
    -----
    The answer depends on the order of the battles, by about K points: two agents that close are not told apart. A weight of
    *w* moves ratings as *w* such battles at one time would. The sum of all ratings stays what it was. Linear in the number
    of battles; with numba installed, many millions a second.

    References
    ----------
    .. [1] A. E. Elo, *The Rating of Chessplayers, Past and Present*, 1978.
    """
    battles = profile.battles
    if battles is None:
        raise DataError(
            "elo needs battles in the order of time; this evidence is counts or rankings without one. "
            "Use bradley_terry, which needs no order."
        )
    order = schedule(battles, ties=profile.ties, both_bad=profile.both_bad)
    state = OnlineElo(k, start).rate(battles, order)
    score = np.array([state.ratings[name] for name in profile.agents])
    details = {
        "k": k,
        "start": start,
        "order": "rows" if order.untimed else "time",
        "rated": len(order.rows),
        "left_out": len(battles) - len(order.rows),
        "at_one_time": int(_shared(order).sum()),
    }
    remarks = [*order_said(order), *_overshoot_said(battles, order, k), *idle_said(battles, order)]
    if profile.pair_weight == "rate":
        remarks.append("pair_weight=rate not used: every battle is rated")
    return Outcome(levels_by_score(score), score, "; ".join(remarks) or EXACT, details)


def _shared(order: Schedule) -> Bools:
    """Which battles share their time with another."""
    if order.group is None:
        return np.zeros(len(order.rows), dtype=bool)
    return np.bincount(order.group)[order.group] > 1


def _overshoot_said(battles: Battles, order: Schedule, k: float) -> list[str]:
    """Who has so many battles at one time that the ratings before it are a poor guide."""
    if order.group is None:
        return []
    shared = _shared(order)
    rows, group, n = order.rows[shared], order.group[shared], len(battles.agents)
    weight = np.ones(len(rows)) if battles.weight is None else battles.weight[rows]
    sides = np.concatenate([battles.a[rows], battles.b[rows]])
    cell, place = np.unique(np.concatenate([group, group]) * n + sides, return_inverse=True)
    many = np.unique(cell[k * np.bincount(place, weights=np.tile(weight, 2)) > OVERSHOOT] % n)
    if not many.size:
        return []
    names = listed([battles.agents[i] for i in many], 3)
    return [
        f"K times the battles at one time exceeds {OVERSHOOT:g} for {names}: ratings may overshoot, give finer times"
    ]
