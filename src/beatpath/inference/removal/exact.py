"""The exact minimum of removals that put one agent above another: by Copeland score, and by share of battles won.

A Copeland score counts in halves: a rival beaten is two, a tie one. To tie a pair lost by a margin of *m* battles
takes *m* removals, to win it one more, provided that a win remains. A single battle affects one pair, so the cheapest
choice of pairs is a knapsack problem, solved exactly by dynamic programming over the halves to gain. A ballot or a
judge affects many pairs; then it is an integer program in what is removed and which pairs are tied or won.

To raise the share of *u* above that of *d*, with :math:`S_i` of :math:`N_i` battles won (ties half), only these
removals help:

* *x* battles that *d* won against *u*, which lower one and raise the other; no other battle does as much, so they go
first;
* *t* ties between the two, which may help or harm;
* *i* battles of *u* against others: losses first, then ties where :math:`u` has won more than half of the rest;
* *j* battles of *d* against others: wins first, then ties where *d* has won less than half.

For given :math:`x, t` and :math:`i + j` the lead is piecewise convex in *i*, so its maximum is at an end of a piece:
six candidates for every *t*. More removals never harm, so bisection finds the number.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack, vstack

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence.ties import are_whole, net, pair_slack
from beatpath.fit.laplacian import incident
from beatpath.inference.removal.units import Counts, Units
from beatpath.stats.smallest import predicted_number

QUARTER = 0.25  # half the smallest difference between margins in whole or half battles
OPTIMAL, INFEASIBLE = 0, 2  # status codes of scipy.optimize.milp
SECONDS = 20.0  # time limit of one integer program


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """What removals from one pair gain for one of its sides.

    Parameters
    ----------
    gains : tuple of (halves, removals)
        To tie the pair if lost, to win it if not won.
    kinds : (k,) int
        The kinds to remove, largest first.
    """

    gains: tuple[tuple[int, int], ...]
    kinds: Ints


def copeland_halves(units: Units) -> Ints:
    """Return twice the Copeland score of every agent, up to a constant for pairs never compared directly.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.removal.units import units_of
    >>> copeland_halves(units_of(Pairs(("a", "b", "c"), [0, 1], [1, 2], [[3, 1, 0, 0], [2, 2, 0, 0]])))
    array([ 1, -1,  0])
    """
    sign = np.sign(net(units.wins, units.losses))
    n = len(units.agents)
    return np.rint(np.bincount(units.a, sign, n) - np.bincount(units.b, sign, n)).astype(np.int64)


def fewest_battles(units: Units, up: int, down: int) -> Counts | None:
    """Return how many battles of each kind to remove so that `up` has the higher score; None if impossible.

    Examples
    --------
    Ada beats bob by 2 and cyd by 5, and bob beats cyd: once the first pair is reversed, bob has beaten two.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.removal.units import units_of
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[4, 2, 0, 0], [5, 0, 0, 0], [3, 0, 0, 0]])
    >>> fewest_battles(units_of(pairs), 1, 0)
    array([3, 0, 0, 0])
    """
    score = copeland_halves(units)
    chosen = _cheapest(_turns(units, up, down), int(score[down] - score[up]) + 1)
    if chosen is None:
        return None
    return sum((units.first(turn.kinds, number) for turn, number in chosen), np.zeros_like(units.many))


def _turns(units: Units, up: int, down: int) -> list[Turn]:
    """Return what raises the one or lowers the other, by pair; every unit must affect one pair only."""
    lead = csr_array(units.each_wins - units.each_losses).tocsc()
    now = np.sign(net(units.wins, units.losses))
    quarter = QUARTER * are_whole(units.wins) * are_whole(units.losses)
    allowed = np.maximum(pair_slack(units.wins, units.losses), quarter)
    turns = []
    for p in np.flatnonzero(np.isin(units.a, (up, down)) | np.isin(units.b, (up, down))).tolist():
        side = 1 if units.a[p] == up or units.b[p] == down else -1
        times = 2 if {units.a[p], units.b[p]} == {up, down} else 1  # their own pair raises one and lowers the other
        column = slice(lead.indptr[p], lead.indptr[p + 1])
        kinds, worth = lead.indices[column].astype(np.int64), -side * lead.data[column]
        helps = (worth > 0) & (units.many[kinds] > 0)
        order = np.argsort(-worth[helps], kind="stable")
        kinds, worth = kinds[helps][order], worth[helps][order]
        margin, sign = side * float(units.wins[p] - units.losses[p]), side * int(now[p])
        gains = []
        for state, target in ((0, -allowed[p]), (1, allowed[p])):
            number = predicted_number(worth, units.many[kinds], target - margin)
            if sign < state and margin <= target and np.isfinite(number):
                gains.append((times * (state - sign), int(number) + 1))
        turns += [Turn(tuple(gains), kinds)] if gains else []
    return turns


def _cheapest(turns: list[Turn], need: int) -> list[tuple[Turn, int]] | None:
    """Choose at most one option per pair so that `need` halves are gained with the fewest removals."""
    far = np.iinfo(np.int64).max // 4
    cost = np.full(need + 1, far)
    cost[0] = 0
    gained, taken = np.arange(need + 1), np.zeros((len(turns), need + 1), dtype=np.int64)
    for row, turn in enumerate(turns):
        before = cost
        for gain, price in turn.gains:
            other = before[np.maximum(gained - gain, 0)] + price
            better = other < cost
            taken[row] = np.where(better, gain, taken[row])
            cost = np.where(better, other, cost)
    if cost[need] >= far:
        return None
    chosen, left = [], need
    for row in range(len(turns) - 1, -1, -1):
        gain = int(taken[row, left])
        if gain:
            chosen.append((turns[row], dict(turns[row].gains)[gain]))
            left = max(left - gain, 0)
    return chosen


def fewest_groups(units: Units, up: int, down: int) -> tuple[Counts | None, bool]:
    r"""Return how many of each kind to remove, and whether that is proven minimal (or proven impossible).

    With *x* what is removed and :math:`M'_p = M_p - \sum_u x_u m_{up}` the margins of either agent's pairs, signed so
    that more is better, minimize :math:`\sum_u x_u` subject to :math:`y_p \le [M'_p \ge 0]`, :math:`z_p \le [M'_p \ge
    1]` and :math:`\sum_p w_p (y_p + z_p - 1) \ge 1`, where :math:`w_p` is 2 for the pair of the two and 1 for others.
    Margins must be whole numbers.
    """
    rows = np.flatnonzero(np.isin(units.a, (up, down)) | np.isin(units.b, (up, down)))
    first, second = units.a[rows], units.b[rows]
    side = np.where((first == up) | (second == down), 1.0, -1.0)
    weight = np.where(np.isin(first, (up, down)) & np.isin(second, (up, down)), 2.0, 1.0)
    margin = side * (units.wins - units.losses)[rows]
    free = np.flatnonzero(units.many > 0)
    lead = csr_array((units.each_wins - units.each_losses).tocsc()[:, rows].multiply(side[None, :]))[free]
    program = _integer_program(lead, margin, weight, units.many[free])
    if program.x is None:
        return None, program.status == INFEASIBLE
    x = np.zeros_like(units.many)
    x[free] = np.rint(program.x[: len(free)]).astype(np.int64)
    return x, program.status == OPTIMAL


def _integer_program(lead: csr_array, margin: Floats, weight: Floats, many: Counts) -> Any:
    """Build the program of `fewest_groups`; the big-M of an indicator is how far its margin can fall."""
    k, r = lead.shape
    fall = np.maximum(many @ lead.maximum(0) - margin, 0.0)
    empty = csr_array((r, r))
    tied = hstack([-lead.T, -diags_array(fall), empty])
    won = hstack([-lead.T, empty, -diags_array(fall + 1)])
    ahead = csr_array(np.concatenate([np.zeros(k), weight, weight])[None, :])
    low = np.concatenate([-margin - fall, -margin - fall, [1 + weight.sum()]])
    from scipy.optimize import Bounds, LinearConstraint, milp

    return milp(
        np.concatenate([np.ones(k), np.zeros(2 * r)]),
        constraints=LinearConstraint(vstack([tied, won, ahead]).tocsc(), low, np.inf),
        bounds=Bounds(0, np.concatenate([many, np.ones(2 * r)])),
        integrality=np.ones(k + 2 * r),
        options={"time_limit": SECONDS, "mip_rel_gap": 0.0},
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Duel:
    """Two agents, the one to raise first: twice their wins, their battles, and how many could be removed.

    `useful` and `tied` are battles of each against others; `beaten` those that the second won against the first, `even`
    the ties between them.
    """

    twice_won: tuple[int, int]
    battles: tuple[int, int]
    beaten: int
    even: int
    useful: tuple[int, int]
    tied: tuple[int, int]


def countable(units: Units) -> bool:
    """Return whether every unit is one battle, won, lost or tied, with equal weights."""
    lead = np.asarray(abs(units.each_wins - units.each_losses).sum(axis=1)).ravel()
    return bool(units.one_pair_each and np.isin(units.weight, (0, 1)).all() and np.isin(lead, (0, 1)).all())


def fewest_for_share(units: Units, up: int, down: int) -> Counts | None:
    """Return how many of each kind to remove so that `up` has a larger share of wins than `down`; None if impossible.

    Both agents keep at least one battle. The units must be `countable`.

    Examples
    --------
    Ada won 3 of 4, all against cyd, and bob 2 of 4: without two of his losses, bob has won both of the rest.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.removal.units import units_of
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [2, 2], [[3, 1, 0, 0], [2, 2, 0, 0]])
    >>> fewest_for_share(units_of(pairs), 1, 0)
    array([0, 0, 0, 2])
    """
    groups = _six_groups(units, up, down)
    duel = _duel(units, groups, up, down)
    most = duel.beaten + duel.even + sum(duel.useful) + sum(duel.tied)
    fewest = 1 + bisect_left(range(1, most + 1), True, key=lambda number: _best(duel, number) is not None)
    best = _best(duel, fewest) if fewest <= most else None
    if best is None:
        return None
    x, t, *others = best
    useful = [min(number, room) for number, room in zip(others, duel.useful, strict=True)]
    taken = (x, t, *useful, *(number - used for number, used in zip(others, useful, strict=True)))
    commonest = [kinds[np.argsort(-units.many[kinds], kind="stable")] for kinds in groups]
    return sum(map(units.first, commonest, taken), np.zeros_like(units.many))


def _six_groups(units: Units, up: int, down: int) -> list[Ints]:
    """Return the kinds of battle: beaten, even; useful of the first agent, and of the second; tied of either."""
    battle, pair = (units.each_wins + units.each_losses).nonzero()
    lead = np.asarray((units.each_wins - units.each_losses).sum(axis=1)).ravel()
    a, b = (np.full(len(units.many), -1) for _ in range(2))
    a[battle], b[battle] = units.a[pair], units.b[pair]
    won, lost = (np.select([lead > 0, lead < 0], sides, -1) for sides in ([a, b], [b, a]))
    first, second = ((units.many > 0) & ((a == one) | (b == one)) for one in (up, down))
    tie = (lead == 0) & (a >= 0)
    both, only_first, only_second = first & second, first & ~second, second & ~first
    masks = (both & (won == down), both & tie, only_first & (lost == up), only_second & (won == down))
    return [np.flatnonzero(mask) for mask in (*masks, only_first & tie, only_second & tie)]


def _duel(units: Units, groups: list[Ints], up: int, down: int) -> _Duel:
    beaten, even, *rest = (int(units.many[kinds].sum()) for kinds in groups)
    n = len(units.agents)
    won = incident(n, units.a, units.b, units.wins, units.losses)
    total = incident(n, units.a, units.b, units.wins + units.losses, units.wins + units.losses)
    twice_won, battles = ((round(float(one[up])), round(float(one[down]))) for one in (2 * won, total))
    return _Duel(twice_won, battles, beaten, even, (rest[0], rest[1]), (rest[2], rest[3]))


def _best(duel: _Duel, number: int) -> tuple[int, int, int, int] | None:
    """Return x, t, i and j that put one above the other with at most `number` removals, or None."""
    x = min(number, duel.beaten)
    t = np.arange(min(duel.even, number - x) + 1)
    rest = number - x - t
    (won_up, won_down), (played_up, played_down), (up, down) = duel.twice_won, duel.battles, duel.useful
    # dropping ties helps once more than half is won, and lowers the other once less than half is
    cap_up = up + duel.tied[0] * (won_up > played_up - x - up)
    cap_down = down + duel.tied[1] * (won_down - x - down < played_down)
    low, high = np.minimum(np.maximum(rest - cap_down, 0), cap_up), np.minimum(rest, cap_up)
    for i in (low, high, up, up + 1, rest - down, rest - down - 1):
        i = np.clip(i, low, high)
        j = np.minimum(rest - i, cap_down)
        good = np.flatnonzero(_ahead(duel, x, t, i, j))
        if good.size:
            k = good[0]
            return x, int(t[k]), int(i[k]), int(j[k])
    return None


def _ahead(duel: _Duel, x: int, t: Ints, i: Ints, j: Ints) -> Bools:
    """Return whether the first agent's share is then larger, in exact integers."""
    up, down = duel.useful
    won_up = duel.twice_won[0] - t - np.maximum(i - up, 0)
    won_down = duel.twice_won[1] - 2 * x - t - 2 * np.minimum(j, down) - np.maximum(j - down, 0)
    left_up, left_down = duel.battles[0] - x - t - i, duel.battles[1] - x - t - j
    return (left_up > 0) & (left_down > 0) & (won_up * left_down > won_down * left_up)
