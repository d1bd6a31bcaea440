r"""The fewest battles whose removal puts one agent's share of wins above another's, exactly.

To lift *u* over *d*, with :math:`S_i` of :math:`N_i` battles won (ties half), only these removals help:

* *x* battles that *d* won against *u*, which lower one and raise the other; no other battle does as much, so they go first;
* *t* ties between the two, which may help or harm;
* *i* battles of *u* against others: losses first, then ties where :math:`u` has won more than half of what is left;
* *j* battles of *d* against others: wins first, then ties where *d* has won less than half.

For given :math:`x, t` and :math:`i + j` the lead is a sum of pieces that are convex in *i*, so its greatest value is at an
end of a piece: six candidates for every *t*. More removals never harm, so the number is found by bisection.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.removal.units import Counts, Units

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Side:
    """One agent: twice what it won, its battles, and how many useful and tied battles against others may go."""

    twice_won: int
    battles: int
    useful: int
    tied: int


@dataclass(frozen=True, slots=True, eq=False)
class _Duel:
    """The two agents, the wins of the lower one's rival and the ties between them that may go."""

    up: _Side
    down: _Side
    beaten: int
    tied: int


def countable(units: Units) -> bool:
    """Return whether every unit is one battle, won, lost or tied, that weighs as much as every other."""
    wins, losses = units.each_wins, units.each_losses
    one = np.asarray(wins.sum(axis=1) + losses.sum(axis=1)).ravel()
    half = np.asarray(abs(wins - losses).sum(axis=1)).ravel()
    single = np.diff(abs(wins + losses).tocsr().indptr).max(initial=0) <= 1
    return bool(single and np.isin(one, (0.0, 1.0)).all() and np.isin(half, (0.0, 1.0)).all())


def fewest_for_share(units: Units, up: int, down: int) -> Counts | None:
    """Return how many of each kind to remove so that `up` has won a larger share than `down`; None where none does.

    Both agents keep at least one battle. The units must be `countable`.

    Examples
    --------
    Ada won 3 of 4, all against Cyd, and Bob 2 of 4: without two of Bob's losses, Bob has won all of two.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.removal.removable import units_of
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [2, 2], [[3, 1, 0, 0], [2, 2, 0, 0]])
    >>> fewest_for_share(units_of(pairs, "battle", None, {}), 1, 0)
    array([0, 0, 0, 2])
    """
    groups = _six_groups(units, up, down)
    duel = _duel(units, groups, up, down)
    most = duel.beaten + duel.tied + duel.up.useful + duel.up.tied + duel.down.useful + duel.down.tied
    if not most or _best(duel, most) is None:
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _best(duel, middle) is not None else (middle, high)
    best = _best(duel, high)
    assert best is not None
    x, t, i, j = best
    taken = {"beaten": x, "tied": t}
    taken |= {"up useful": min(i, duel.up.useful), "up tied": max(i - duel.up.useful, 0)}
    taken |= {"down useful": min(j, duel.down.useful), "down tied": max(j - duel.down.useful, 0)}
    return sum((_taken_first(units, groups[name], number) for name, number in taken.items()), np.zeros_like(units.many))


def _six_groups(units: Units, up: int, down: int) -> dict[str, Ints]:
    """The kinds of battle of each of the six groups."""
    battle, pair = (units.each_wins + units.each_losses).nonzero()
    lead = np.asarray((units.each_wins - units.each_losses).sum(axis=1)).ravel()
    a, b = (np.full(len(units.many), -1) for _ in range(2))
    a[battle], b[battle] = units.a[pair], units.b[pair]
    won = np.where(lead > 0, a, np.where(lead < 0, b, -1))
    lost = np.where(lead > 0, b, np.where(lead < 0, a, -1))
    open_ = units.many > 0
    has = {one: open_ & ((a == one) | (b == one)) for one in (up, down)}
    tie = (lead == 0) & (a >= 0)
    return {
        "beaten": np.flatnonzero(open_ & (won == down) & (lost == up)),
        "tied": np.flatnonzero(has[up] & has[down] & tie),
        "up useful": np.flatnonzero(has[up] & ~has[down] & (lost == up)),
        "up tied": np.flatnonzero(has[up] & ~has[down] & tie),
        "down useful": np.flatnonzero(has[down] & ~has[up] & (won == down)),
        "down tied": np.flatnonzero(has[down] & ~has[up] & tie),
    }


def _duel(units: Units, groups: dict[str, Ints], up: int, down: int) -> _Duel:
    size = {name: int(units.many[kinds].sum()) for name, kinds in groups.items()}

    def side(one: int, name: str) -> _Side:
        first, second = units.a == one, units.b == one
        twice = 2 * float(units.wins[first].sum() + units.losses[second].sum())
        battles = float((units.wins + units.losses)[first | second].sum())
        return _Side(round(twice), round(battles), size[f"{name} useful"], size[f"{name} tied"])

    return _Duel(side(up, "up"), side(down, "down"), size["beaten"], size["tied"])


def _best(duel: _Duel, number: int) -> tuple[int, int, int, int] | None:
    """A way to lift one over the other by at most `number` removals: x, t, i and j, or None where there is none."""
    x = min(number, duel.beaten)
    t = np.arange(min(duel.tied, number - x) + 1)
    rest = number - x - t
    cap_up = duel.up.useful + np.where(_won_more(duel.up, x, t), duel.up.tied, 0)
    cap_down = duel.down.useful + np.where(_won_less(duel.down, x, t), duel.down.tied, 0)
    low, high = np.minimum(np.maximum(rest - cap_down, 0), cap_up), np.minimum(rest, cap_up)
    for i in (low, high, duel.up.useful, duel.up.useful + 1, rest - duel.down.useful, rest - duel.down.useful - 1):
        i = np.clip(i, low, high)
        j = np.minimum(rest - i, cap_down)
        good = np.flatnonzero(_ahead(duel, x, t, i, j))
        if good.size:
            k = good[0]
            return x, int(t[k]), int(i[k]), int(j[k])
    return None


def _won_more(side: _Side, x: int, t: Ints) -> NDArray[np.bool_]:
    """Whether more than half is won once all useful battles are gone, so that losing ties helps."""
    return side.twice_won - t > side.battles - x - t - side.useful


def _won_less(side: _Side, x: int, t: Ints) -> NDArray[np.bool_]:
    """Whether less than half is won once all useful battles are gone, so that losing ties lowers it further."""
    return side.twice_won - 2 * (x + side.useful) - t < side.battles - x - t - side.useful


def _ahead(duel: _Duel, x: int, t: Ints, i: Ints, j: Ints) -> NDArray[np.bool_]:
    """Whether the upper agent's share is then the larger, in whole numbers."""
    won_up = duel.up.twice_won - t - np.maximum(i - duel.up.useful, 0)
    won_down = duel.down.twice_won - 2 * x - t - 2 * np.minimum(j, duel.down.useful)
    won_down = won_down - np.maximum(j - duel.down.useful, 0)
    left_up, left_down = duel.up.battles - x - t - i, duel.down.battles - x - t - j
    return (left_up > 0) & (left_down > 0) & (won_up * left_down > won_down * left_up)


def _taken_first(units: Units, kinds: Ints, number: int) -> Counts:
    """So many units of these kinds, from the commonest on."""
    order = kinds[np.argsort(-units.many[kinds], kind="stable")]
    before = np.concatenate([[0], np.cumsum(units.many[order])])[:-1]
    x = np.zeros_like(units.many)
    x[order] = np.clip(number - before, 0, units.many[order])
    return x
