"""The search for few removals: most influential first, refitted, put in order again where the lead is about to change.

One order of the units is followed until the two agents have changed places; the shortest such start is found by doubling
and bisection. There the influences are worked out anew, and the search is repeated as long as it gets shorter. For scores
that are linear in the counts the first order is the best there is, and the answer exact; for others it is an upper bound.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.removal.influence import Standing
from beatpath.inference.removal.units import Array, Counts, Units

At = Callable[[Units, Array, Array], Standing | None]
ROUNDS = 4


def fewest_by_influence(at: At, units: Units, start: Standing, up: int, down: int) -> Counts | None:
    """Return how many of each kind to remove until `up` is strictly above `down`, or None where no way was found.

    Examples
    --------
    Ada won 7 of 10 against Bob: with 5 of the wins gone, Bob leads by 3 to 2.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.removal.influence import net_wins
    >>> from beatpath.inference.removal.removable import units_of
    >>> units = units_of(Pairs(("ada", "bob"), [0], [1], [[7, 3, 0, 0]]), "battle", None, {})
    >>> start = net_wins(units, units.wins, units.losses)
    >>> fewest_by_influence(net_wins, units, start, 1, 0)
    array([5, 0])
    """
    order, effect = by_influence(units, start, up, down)
    most, guess = int(units.many[order].sum()), predicted(units, start, order, effect, up, down)
    best = None
    for _ in range(ROUNDS):
        x, reached = _shortest(at, units, order, up, down, min(guess, most), most)
        if x is None or reached is None:
            break
        best, most = x, int(x.sum()) - 1
        guess = most
        order, _ = by_influence(units, reached, up, down)
    return best


def by_influence(units: Units, here: Standing, up: int, down: int) -> tuple[NDArray[np.int64], Array]:
    """Return the kinds whose removal helps `up`, most helpful first, and by how much one of each does."""
    win, loss = here.derivative(up, down)
    effect = -(units.each_wins @ win + units.each_losses @ loss)
    effect[units.many == 0] = 0.0
    floor = 1e-12 * float(np.abs(effect).max(initial=0.0))
    rounded = np.where(effect > floor, effect, 0.0)
    order = np.argsort(-rounded, kind="stable")
    order = order[rounded[order] > 0]
    return order, effect[order]


def predicted(units: Units, here: Standing, order: NDArray[np.int64], effect: Array, up: int, down: int) -> int:
    """Return how many removals the influences alone would need; more than there are where they do not suffice."""
    gap = float(here.score[down] - here.score[up])
    reach = np.cumsum(effect * units.many[order])
    k = int(np.searchsorted(reach, gap, side="right"))
    if k == len(order):
        return int(units.many[order].sum()) + 1
    before = float(reach[k - 1]) if k else 0.0
    return int(units.many[order[:k]].sum() + np.floor((gap - before) / effect[k]) + 1)


def first_of(units: Units, order: NDArray[np.int64], number: int) -> Counts:
    """Return the first `number` units of an order, as how many of each kind.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.removal.removable import units_of
    >>> units = units_of(Pairs(("ada", "bob"), [0], [1], [[7, 3, 0, 0]]), "battle", None, {})
    >>> first_of(units, np.array([1, 0]), 5)
    array([2, 3])
    """
    before = np.concatenate([[0], np.cumsum(units.many[order])])[:-1]
    x = np.zeros(len(units.many), dtype=np.int64)
    x[order] = np.clip(number - before, 0, units.many[order])
    return x


def _shortest(
    at: At, units: Units, order: NDArray[np.int64], up: int, down: int, guess: int, most: int
) -> tuple[Counts | None, Standing | None]:
    """The shortest start of the order, of at most `most` units, after which the two have changed places.

    Doubling from a guess, then bisection. Where the counts that are left have no estimate, too much was removed.
    """
    low, high, found = 0, guess, None
    while high > low:
        there = at(units, *units.without(first_of(units, order, high)))
        if there is None:
            break
        if there.level[up] < there.level[down]:
            found = there
            break
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        there = at(units, *units.without(first_of(units, order, middle)))
        if there is None:
            high, found = middle, None
        elif there.level[up] < there.level[down]:
            high, found = middle, there
        else:
            low = middle
    return (None, None) if found is None else (first_of(units, order, high), found)
