r"""A small set of items that keeps the certain orders, with controls.

On a set of items, with :math:`d_i` the difference of the scores of two agents on item *i*, an order is kept if
:math:`\sum_i d_i > z \sqrt{\sum_i d_i^2}`, *z* the two-sided quantile of the normal distribution: McNemar's test where items are
right or wrong. It is a margin here rather than a test, as the items are chosen by the same scores. Whether such a choice is worth
anything is measured on agents that had no part in it, beside random sets of items, and by orders that mean nothing.
"""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._result import Record
from beatpath.stats.intervals import t_quantile
from beatpath.stats.item_answers import Answers

SPLITS = 20  # random halves of the agents, and random subsets, over which shares are averaged
SHUFFLED = 10  # shuffled orders
MOST_AGENTS = 500  # beyond, the differences of all pairs at every step take minutes


@dataclass(frozen=True, slots=True)
class Subset(Record):
    """A small set of items that keeps the certain orders.

    Attributes
    ----------
    items : tuple of str
        The items, most useful first.
    pairs : int
        Pairs of agents that are certainly ordered by all items; the subset orders each of them, significantly by itself.
    held_out : float
        Share of the certain pairs among one half of the agents that are in the same order on a subset chosen by the other half;
        mean over random halves.
    random : float
        The same for random sets of as many items.
    held_out_size : float
        Mean number of items of these sets.
    shuffled : int
        For how many of ten orders with shuffled names, which mean nothing, a subset of at most twice the size was found.
    """

    items: tuple[str, ...]
    pairs: int
    held_out: float
    random: float
    held_out_size: float
    shuffled: int


def smallest_subset(
    answers: Answers, above: Bools, names: tuple[str, ...], level: float, rng: np.random.Generator
) -> Subset | None:
    """Return a small subset that keeps the certain orders, (n, n); None without such orders, or with too many agents."""
    n, m = answers.value.shape
    z = t_quantile(level)
    above = above & kept(answers, np.arange(m), z) if n <= MOST_AGENTS else np.zeros_like(above)
    chosen = chosen_items(answers, above, z)
    if not above.any() or chosen is None:
        return None
    shares: list[tuple[float, float, int]] = []
    for _ in range(SPLITS):
        halves = np.array_split(rng.permutation(n), 2)
        (here, target), (there, goal) = ((Answers(answers.value[one]), above[np.ix_(one, one)]) for one in halves)
        own = chosen_items(here, target, z)
        if own is not None and len(own) and goal.any():
            sets = [own, *(rng.choice(m, len(own), replace=False) for _ in range(SPLITS))]
            first, *others = ((goal & kept(there, some, 0.0)).sum() / goal.sum() for some in sets)
            shares.append((first, np.mean(others), len(own)))
    held_out, random, size = np.mean(shares, axis=0).tolist() if shares else (np.nan,) * 3
    turns = [rng.permutation(n) for _ in range(SHUFFLED)]
    shuffled = [chosen_items(answers, above[np.ix_(turn, turn)], z, 2 * len(chosen)) for turn in turns]
    return Subset(
        tuple(names[i] for i in chosen.tolist()),
        int(above.sum()),
        held_out,
        random,
        size,
        sum(one is not None for one in shuffled),
    )


def chosen_items(answers: Answers, above: Bools, z: float, most: int | None = None) -> Ints | None:
    """Return items that keep all orders, or None where `most` items do not.

    Every step adds the item on which the pairs that are not kept yet gain most. At last items are left out again as long as the others
    keep all orders without one.

    >>> answers = Answers(np.array([[1.0, 3.0, 2.0], [1.0, 2.0, 0.0], [1.0, 1.0, 1.0]]))
    >>> chosen_items(answers, np.triu(np.ones((3, 3), dtype=bool), 1), 0.5)
    array([1])
    """
    chosen: list[int] = []
    n, m = answers.value.shape
    free, gap, square = np.ones(m, dtype=bool), np.zeros((n, n)), np.zeros((n, n))
    while (left := above & ~_clear(gap, square, z)).any():
        if not free.any() or len(chosen) == most:
            return None
        gain = (left.sum(axis=1) - left.sum(axis=0)) @ answers.centered
        gain = np.where(free, gain, -np.inf)
        # the first of those equal but for rounding
        best = int(np.argmax(gain > gain.max() - 1e-9 * np.abs(gain[free]).max()))
        chosen.append(best)
        free[best] = False
        d = _differences(answers, best)
        gap, square = gap + d, square + d**2
    before: list[int] = []
    while before != chosen:  # with an item gone, the margins of the rest are smaller
        before = list(chosen)
        for item in before:
            d = _differences(answers, item)
            if not (above & ~_clear(gap - d, square - d**2, z)).any():
                chosen.remove(item)
                gap, square = gap - d, square - d**2
    return np.array(chosen, dtype=np.int64)


def kept(answers: Answers, items: Ints, z: float) -> Bools:
    """Return which agent a set of items puts above which, by this margin, (n, n)."""
    gap = square = np.zeros((len(answers.value),) * 2)
    for item in items.tolist():
        d = _differences(answers, item)
        gap, square = gap + d, square + d**2
    return _clear(gap, square, z)


def _differences(answers: Answers, item: int) -> Floats:
    """Differences of the scores on an item, (n, n); 0 where one is missing."""
    x, held = answers.centered[:, item], answers.held[:, item]
    return np.asarray((x[:, None] - x[None, :]) * (held[:, None] & held[None, :]))


def _clear(gap: Floats, square: Floats, z: float) -> Bools:
    """Where a sum of differences exceeds the margin beyond rounding, which the removal of items leaves in sums of squares."""
    margin = z * np.sqrt(np.maximum(square, 0.0))
    return gap > margin + 1e-9 * np.sqrt(np.maximum(square, 0.0).max(initial=0.0))
