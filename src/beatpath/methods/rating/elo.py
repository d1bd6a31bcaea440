r"""Elo ratings: updated battle by battle, for a whole file or as battles arrive.

With :math:`s` the outcome for *a*, :math:`K` the step and the expected outcome

.. math::  E = \frac{1}{1 + 10^{(r_b - r_a)/400}},

a battle moves :math:`r_a` by :math:`K (s - E)` and :math:`r_b` by the opposite. In terms of the margin
:math:`m = 2s - 1` that is :math:`\tfrac{K}{2}\left(m + \tanh\frac{(r_b - r_a) \ln 10}{800}\right)`, which cannot overflow.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import repeat
from math import tanh
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import DataError
from beatpath._text import listed
from beatpath._validate import require_number
from beatpath.evidence import Battles
from beatpath.methods.profile import Profile
from beatpath.methods.rating.online_state import OnlineRatings, Schedule, last_time, online_outcome, rated_in_order
from beatpath.methods.result import Outcome

COMPILE = 4_000_000  # battles from which importing numba and compiling, about 0.7 s, pays off
HALF = 0.0028782313662425573  # ln 10 / 800


def in_turn(
    a: Sequence[int], b: Sequence[int], margin: Sequence[float], half_k: Iterable[float], rating: list[float]
) -> None:
    """Update ratings in place, one battle after another.

    >>> rating = [1000.0, 1000.0]
    >>> in_turn([0, 0], [1, 1], [1.0, 0.0], [16.0, 16.0], rating)
    >>> [round(r, 2) for r in rating]
    [1014.53, 985.47]
    """
    for i, j, m, step in zip(a, b, margin, half_k):  # noqa: B905 (numba knows no `strict`)
        x = rating[i]
        y = rating[j]
        gain = step * (m + tanh((y - x) * HALF))
        rating[i] = x + gain
        rating[j] = y - gain


def at_once(
    a: Sequence[int],
    b: Sequence[int],
    margin: Sequence[float],
    half_k: Iterable[float],
    group: Sequence[int],
    rating: list[float],
    before: list[float],
    seen: list[int],
) -> None:
    """Update ratings in place, group by group, each battle of a group from the ratings before the group.

    `seen` holds the last group in which an agent had a battle, and `before` its rating before that; both are scratch
    arrays.

    >>> rating = [1000.0, 1000.0]
    >>> at_once([0, 0], [1, 1], [1.0, 0.0], [16.0, 16.0], [0, 0], rating, [0.0, 0.0], [-1, -1])
    >>> rating
    [1016.0, 984.0]
    """
    for i, j, m, step, now in zip(a, b, margin, half_k, group):  # noqa: B905
        if seen[i] != now:
            seen[i] = now
            before[i] = rating[i]
        if seen[j] != now:
            seen[j] = now
            before[j] = rating[j]
        gain = step * (m + tanh((before[j] - before[i]) * HALF))
        rating[i] += gain
        rating[j] -= gain


def rated(a: Codes, b: Codes, margin: Floats, half_k: Floats | float, group: Ints | None, rating: Floats) -> Floats:
    """Return the ratings after all battles; `group` numbers those at the same time, None if all times differ.

    Uses numba if it is installed and either compiling pays off or it was compiled before.
    """
    groups = [] if group is None else [group]
    scratch = [] if group is None else [np.zeros(len(rating)), np.full(len(rating), -1, dtype=np.int64)]
    kernel: Callable[..., None] = in_turn if group is None else at_once
    fast = compiled_steps(kernel) if len(a) >= COMPILE or compiled_steps.cache_info().currsize else None
    if fast is not None:
        new = rating.copy()
        fast(a, b, margin, np.broadcast_to(half_k, len(a)), *groups, new, *scratch)
        return new
    steps: Iterable[float] = half_k.tolist() if isinstance(half_k, np.ndarray) else repeat(half_k)
    plain = rating.tolist()
    kernel(a.tolist(), b.tolist(), margin.tolist(), steps, *_lists(groups), plain, *_lists(scratch))
    return np.array(plain, dtype=np.float64)


def _lists(arrays: Sequence[NDArray[Any]]) -> list[list[Any]]:
    return [values.tolist() for values in arrays]


@cache
def compiled_steps(kernel: Callable[..., None]) -> Callable[..., None] | None:
    """Return a kernel compiled by numba, or None if numba is not installed."""
    if find_spec("numba") is None:
        return None
    from numba import njit

    return njit(kernel)


@dataclass(frozen=True, slots=True)
class OnlineElo(OnlineRatings):
    """The state of Elo ratings, which `update` advances with more battles.

    Parameters
    ----------
    k : float
        Largest change of a rating by one battle; a battle of weight *w* counts *w* times as much.
    start : float
        Rating of an agent before its first battle.
    ratings : mapping of agent to float
        Current ratings.
    battles : int
        Number of battles rated.
    time : float, optional
        Time of the last one, if known.

    See Also
    --------
    elo : Ratings of a whole data set.
    Ledger : Counts and ratings of battles that arrive in batches.

    Examples
    --------
    >>> from beatpath import Battles
    >>> monday = OnlineElo(k=32).update(Battles.of([("ada", "bob", 1)]))
    >>> monday.ratings
    {'ada': 1016.0, 'bob': 984.0}
    >>> tuesday = OnlineElo.from_dict(monday.to_dict()).update(Battles.of([("cyd", "ada", 1)]))
    >>> {name: round(rating, 2) for name, rating in tuesday.ratings.items()}
    {'ada': 999.26, 'bob': 984.0, 'cyd': 1016.74}

    Notes
    -----
    Updating in parts gives the result of a single pass, as long as each part is later than the one before.
    """

    TYPE: ClassVar = "online_elo"

    k: float = 4.0
    start: float = 1000.0

    def __post_init__(self) -> None:
        require_number("k", self.k, "a number above 0", above=0, hint="Usual values run from 4 to 40.")
        self.require_settings("1000 and 1500 are usual.")

    def rate(self, battles: Battles, order: Schedule) -> "OnlineElo":
        """Return the ratings after these battles, in the given order."""
        rows = order.rows
        last = last_time(self.time, battles, order)
        before = np.array([self.rating(name) for name in battles.agents], dtype=np.float64)
        margin = 2 * battles.outcome[rows] - 1
        with np.errstate(over="ignore"):
            step = self.k / 2 if battles.weight is None else self.k / 2 * battles.weight[rows]
        after = rated(battles.a[rows], battles.b[rows], margin, step, order.group, before)
        if not np.isfinite(after).all():
            raise DataError("K times the weight of a battle must stay finite; it is not. Give smaller weights.")
        return self.after(battles.agents, {"ratings": after.tolist()}, len(rows), last)

    def predict(self, a: str, b: str) -> float:
        """Return the expected outcome of *a* against *b*; a new agent has rating `start`.

        >>> round(OnlineElo(ratings={"ada": 1200, "bob": 1000}).predict("ada", "bob"), 4)
        0.7597
        """
        return (1 + tanh((self.rating(a) - self.rating(b)) * HALF)) / 2


OVERSHOOT = 700.0  # FIDE limits K times the games of one rating period to this


def elo(profile: Profile, *, k: float = 4.0, start: float = 1000.0) -> Outcome:
    r"""Rate agents by Elo: after each battle, the agent that does better than expected gains what the other loses.

    With :math:`s` the outcome for *a* (1 a win, 1/2 a tie, 0 a loss) and :math:`w` the weight of the battle [1]_,

    .. math::  r_a \leftarrow r_a + K w (s - E), \quad r_b \leftarrow r_b - K w (s - E), \quad
               E = \frac{1}{1 + 10^{(r_b - r_a) / 400}}.

    Battles are rated in the order of their times. Those at the same time are all rated from the ratings before it, as
    in a rating period of a chess federation, so the order of their rows does not matter. If any time is unknown, the
    rows are rated in order, one by one, and the status says so.

    Parameters
    ----------
    profile : Profile
        Battles. Ballots, score tables and counts have no order in time; use Bradley-Terry, which needs none.
    k : float
        Largest change of a rating by a battle of weight one. Small values adapt slowly and have less noise; default
        4.
    start : float
        Rating of every agent before its first battle; default 1000.

    Returns
    -------
    Outcome
        The score is the rating after the last battle. Details: ``k`` and ``start``; ``order``, "time" or "rows";
        ``rated`` and ``left_out`` battles; ``at_one_time``, the battles that share their time with another.

    Examples
    --------
    The first win is worth K/2 = 16 points; the second, between unequal agents, less.

    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> wins = Battles.of([("ada", "bob", 1), ("ada", "bob", 1)], time=[1, 2])
    >>> elo(profile_of(wins), k=32).score.round(2)
    array([1030.53,  969.47])

    Notes
    -----
    The result depends on the order of the battles, by about K points, so smaller differences are not meaningful. A
    weight of *w* counts like *w* such battles at one time. The sum of all ratings is constant. Linear in the number
    of battles; with numba installed, many millions per second.

    References
    ----------
    .. [1] A. E. Elo, *The Rating of Chessplayers, Past and Present*, 1978.
    """
    state, order, battles = rated_in_order(profile, OnlineElo(k, start), "elo")
    details = {
        "k": k,
        "start": start,
        "left_out": len(battles) - len(order.rows),
        "at_one_time": int(_shared(order).sum()),
    }
    return online_outcome(profile, state, order, details, *_overshoot_note(battles, order, k))


def _shared(order: Schedule) -> Bools:
    """Flag battles that share their time with another."""
    if order.group is None:
        return np.zeros(len(order.rows), dtype=bool)
    return np.bincount(order.group)[order.group] > 1


def _overshoot_note(battles: Battles, order: Schedule, k: float) -> list[str]:
    """Note agents with so many battles at one time that the ratings before it are a poor guide."""
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
