r"""Whether outcomes steered who met whom: whether the schedule would be the same had the outcomes come in another order.

Where the schedule was fixed, or drawn without a look at results, the outcomes of a pair are as likely in any order. So they are
exchanged within every pair, the schedule staying as it is, and three figures are held against what they then become:

*standing*
    the mean distance of the two agents' win rates so far, before a battle: matchmaking makes it small;
*lead*
    the lead :math:`|W - k/2| / \tfrac12 \sqrt k`, in standard errors, that *W* of the pair's *k* battles so far give, a mean in which
    large leads count (of sixth powers): dropping pairs once they look decided, or meeting again while in doubt, makes it small;
*winner*
    how much more often the winner than the loser plays the next battle of either: who stays on, and knock-outs, make it large.

Each is one-sided, and three times the smallest p-value is the p-value of all. Strengths that drift and battles that hang together
make distances larger and not smaller, and raise no alarm by the first two; whoever plays more as it grows stronger may by the third.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints
from beatpath.stats.codes import dense

PERMUTATIONS = 199
MOST = 10_000  # battles that are looked at, the first ones: later ones change standings little
LEAST = 50  # battles of pairs that met more than once


class Steering(NamedTuple):
    """The three figures as they are and, on average, with outcomes in another order; and how surprising they are."""

    battles: int
    figures: dict[str, tuple[float, float]]
    p_values: dict[str, float]
    most: str  # that lies farthest from what it would be

    @property
    def p_value(self) -> float:
        """Of all three."""
        return min(1.0, len(self.p_values) * min(self.p_values.values()))

    @property
    def sign(self) -> str:
        """What it shows, in words."""
        seen, otherwise = self.figures[self.most]
        if self.most == "standing":
            return (
                f"the win rates of two agents lay {100 * seen:.1f} percentage points apart before they met, and would lie "
                f"{100 * otherwise:.1f} apart had the outcomes of every pair come in another order"
            )
        if self.most == "lead":
            return (
                f"pairs met again while large leads were {seen:.2f} standard errors, and would have met at {otherwise:.2f} had their "
                "outcomes come in another order"
            )
        return (
            f"the winner of a battle played again before the loser {100 * seen:+.1f} percentage points more often than after it, "
            f"and {100 * otherwise:+.1f} had the outcomes of every pair come in another order"
        )


def steering(
    a: NDArray[np.int32], b: NDArray[np.int32], outcome: Floats, time: Floats | None = None, *, seed: int = 0
) -> Steering | None:
    """Return whether the order of meetings follows outcomes, or nothing where too few pairs met again.

    Parameters
    ----------
    a, b : (t,) int
        The agents of every battle.
    outcome : (t,) float
        For *a*.
    time : (t,) float, optional
        Where it is known of all battles they are taken in its order, and else as they come.
    seed : int
        Of the orders that outcomes are put into.

    Examples
    --------
    Whoever wins stays on: the winner always plays the next battle, the loser one time in three.

    >>> rng, king, a, b = np.random.default_rng(0), 0, [], []
    >>> for _ in range(300):
    ...     rival = rng.choice([x for x in range(4) if x != king])
    ...     a.append(king)
    ...     b.append(rival)
    ...     king = rng.choice([king, rival])
    >>> won = np.append((np.array(a)[:-1] == np.array(a)[1:]).astype(float), 1.0)
    >>> found = steering(np.array(a), np.array(b), won)
    >>> found.most, found.figures["winner"][0] > 0.6, found.p_value
    ('winner', True, 0.015)
    """
    timed = time is not None and bool(np.isfinite(time).all())
    first = (np.argsort(time, kind="stable") if timed and time is not None else np.arange(len(a)))[:MOST]
    a, b, outcome = a[first], b[first], outcome[first]
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
    won = np.where(a < b, outcome, 1 - outcome).astype(np.float64)
    return _steering(low.tobytes(), high.tobytes(), won.tobytes(), seed)


@lru_cache(maxsize=4)  # the checks ask of the same battles as `resolve`
def _steering(lower: bytes, higher: bytes, outcomes: bytes, seed: int) -> Steering | None:
    """The same of the battles that are looked at, in their order, the outcome being that of the lower agent."""
    low, high = (np.frombuffer(side, dtype=np.int64) for side in (lower, higher))
    won = np.frombuffer(outcomes, dtype=np.float64)
    pair = dense(low * (int(high.max(initial=0)) + 1) + high)[0]
    if (np.bincount(pair)[pair] > 1).sum() < LEAST:
        return None
    schedule = _Schedule(low, high, pair)
    won = won[schedule.order]
    seen, rng = schedule.figures(won), np.random.default_rng(seed)
    others = np.array([schedule.figures(schedule.exchanged(won, rng)) for _ in range(PERMUTATIONS)])
    as_far = (others <= seen + 1e-12).sum(axis=0), (others >= seen - 1e-12).sum(axis=0)
    beyond = (as_far[0][0], as_far[0][1], as_far[1][2])
    names, far = ("standing", "lead", "winner"), np.abs(seen - others.mean(axis=0)) / (others.std(axis=0) + 1e-12)
    return Steering(
        len(won),
        {name: (float(x), float(y)) for name, x, y in zip(names, seen, others.mean(axis=0), strict=True)},
        {name: (1 + int(n)) / (PERMUTATIONS + 1) for name, n in zip(names, beyond, strict=True)},
        names[int(np.argmax(np.where(np.array(beyond) == min(beyond), far, -1.0)))],
    )


class _Running:
    """Rows in groups, taken group by group: how many rows of its group came before each, and sums over them."""

    def __init__(self, group: Ints) -> None:
        self.order = np.argsort(group, kind="stable")
        place, new = np.arange(len(group)), np.append(True, np.diff(group[self.order]) != 0)
        self.first = np.maximum.accumulate(np.where(new, place, 0))
        self.before = place - self.first

    def sums(self, x: Floats, rows: Ints) -> Floats:
        """Of the rows before some, `x` and they group by group."""
        total = np.cumsum(x) - x
        return np.asarray(total[rows] - total[self.first[rows]])


class _Schedule:
    """Who met whom in which order, and what outcomes, pair by pair, make of it."""

    def __init__(self, low: Ints, high: Ints, pair: Ints) -> None:
        self.meetings = _Running(pair)
        self.order = self.meetings.order
        self.pair = pair[self.order].astype(np.float64)
        self.again = np.flatnonzero(self.meetings.before)
        self.error = 2 / np.sqrt(self.meetings.before[self.again])
        side = np.stack([low, high], axis=1).ravel()  # both agents of a battle, one after the other
        self.sides = _Running(side)
        order, place = self.sides.order, np.argsort(self.order)
        self.battle, self.sign = place[order // 2], 1.0 - 2 * (order % 2)
        at = np.empty(len(side), dtype=np.int64)
        at[order] = np.arange(len(side))
        known = self.sides.before[at].reshape(-1, 2)
        told = (known > 0).all(axis=1)
        self.at, self.known = at.reshape(-1, 2)[told].T, known[told].T + 2
        following = np.full(len(side), len(side))
        following[order[:-1]] = np.where(np.diff(side[order]) == 0, order[1:], len(side))
        self.sooner = np.sign(np.diff(following.reshape(-1, 2) // 2, axis=1))[self.order, 0]

    def exchanged(self, won: Floats, rng: np.random.Generator) -> Floats:
        """Outcomes in another order within every pair."""
        key = self.pair + rng.random(len(won))[self.order]
        return won[np.argsort(key, kind="stable")]  # quick, as pairs are in order already

    def figures(self, won: Floats) -> Floats:
        """Standing, lead and winner."""
        edge = won - 0.5
        lead = (self.meetings.sums(edge, self.again) * self.error) ** 2
        standing = self.sides.sums(self.sign * edge[self.battle], self.at) / self.known
        apart = np.abs(standing[0] - standing[1])
        return np.array(
            [
                apart.mean() if len(apart) else 0.0,
                (lead * lead * lead).mean() ** (1 / 6),
                2 * (edge * self.sooner).mean(),
            ]
        )
