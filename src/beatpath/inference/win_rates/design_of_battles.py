"""How battles were held: which columns their outcomes depend on, and whether the side shown first was preferred.

Errors allow for both by default: battles of one prompt, judge or task that agree are clusters, and where the side shown first
wins more often than it should, a pair is the mean of its two orders.
"""

from dataclasses import replace

import numpy as np

from beatpath._arrays import Floats
from beatpath._text import counted, listed, percent
from beatpath.evidence import Battles
from beatpath.stats.balanced_share import Shown, balanced_share, balanced_share_of
from beatpath.stats.codes import apart, dense
from beatpath.stats.design_effect import cells_by_code, design_effect
from beatpath.stats.intervals import Interval

LEVEL = 0.95
MATERIAL_EFFECT = 1.1  # times the variance of independent battles, as in `check`
FEWEST = 20  # clusters without which nothing is told, as in `check`
MOST_BATTLES = 1 << 21  # for which columns are looked at besides the one that is named cluster
MATERIAL_SHARE = 0.01  # of the side shown first, beyond one half
EACH_ORDER = 5  # battles that a pair needs in each order to be the mean of both
OTHERS = ("task", "judge")
MOST_ORDERS = 1 << 24  # ordered pairs that are counted in a table
BLOCK = 1 << 20  # battles counted at a time


def dependent_columns(battles: Battles) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns by which to cluster, two at most, and what to say of them.

    The column ``cluster`` is always one; of task and judge those count whose design effect is material and beyond noise.

    >>> from beatpath import Factor
    >>> rows = [("ada", "bob", float(i % 40 < 20)) for i in range(200)]
    >>> by_judge = {"judge": Factor.of(i % 40 for i in range(200))}  # every judge always says the same
    >>> dependent_columns(Battles.of(rows, factors=by_judge))[0]
    ('judge',)
    """
    named = tuple(n for n in ("cluster",) if n in battles.factors and len(battles.factors[n].levels) > 1)
    others = [n for n in OTHERS if n in battles.factors and len(battles.factors[n].levels) >= FEWEST]
    if not others:
        return named, ()
    if len(battles) > MOST_BATTLES:
        return named, (f"Whether outcomes depend on {listed(others)} was not looked at: there are too many battles.",)
    found = {name: effect for name in others if (effect := _material(battles, name)) is not None}
    by_size = sorted(found, key=lambda name: (-found[name].estimate, name))
    chosen = (*named, *by_size)[:2]
    said = tuple(
        f"Outcomes depend on the {name}: win rates vary {found[name].estimate:.1f} times as much as with independent battles, "
        "and errors allow for it."
        for name in chosen
        if name in found
    )
    left = [name for name in by_size if name not in chosen]
    more = (f"Outcomes depend on the {left[0]} too; errors allow for two columns at most.",) if left else ()
    return chosen, (*said, *more)


def _material(battles: Battles, name: str) -> Interval | None:
    """The design effect of a column, where it matters."""
    codes = battles.factors[name].codes
    effect = design_effect(
        cells_by_code(battles.a, battles.b, battles.outcome, codes, len(battles.agents)), LEVEL, FEWEST
    )
    return effect if effect is not None and effect.low > 1 and effect.estimate >= MATERIAL_EFFECT else None


def orders_averaged(battles: Battles, cluster: str | None) -> tuple[Battles, tuple[str, ...]]:
    r"""Return battles that weigh as much in one order as in the other, where the side shown first is preferred.

    A battle of a pair with :math:`n_1` and :math:`n_2` battles in its two orders weighs :math:`(n_1 + n_2) / 2 n_k` times as
    much: the pair's win rate is the mean of those in both orders. Pairs with fewer than five battles in an order stay as
    they are, and so do all where the preference is less than a percentage point or within noise.
    """
    if battles.position is None or not battles.position.any():
        return battles, ()
    if _hardly_preferred(battles):
        return battles, ()
    share = _preference(battles, cluster)
    if share is None or abs(share.estimate - 0.5) < MATERIAL_SHARE or share.low <= 0.5 <= share.high:
        return battles, ()
    weight, balanced, pairs = _order_weights(battles)
    first = f"{percent(share.estimate)} ({percent(share.low)} to {percent(share.high)})"
    rest = ", and the others stay as they were shown" if balanced < pairs else ""
    said = (
        f"The side shown first won {first} of decided battles, where equal sides would win half: {balanced:,} of "
        f"{counted(pairs, 'pair')} are the mean of their two orders{rest}."
    )
    return replace(battles, weight=weight), (said,)


def _hardly_preferred(battles: Battles) -> bool:
    """Whether the preference is immaterial however sure it is: seen from counts of every ordered pair, if that is quick."""
    n = len(battles.agents)
    if n**2 > min(len(battles), MOST_ORDERS):
        return False
    assert battles.position is not None
    table = np.zeros(2 * n**2, dtype=np.int64)
    for low in range(0, len(battles), BLOCK):
        a, b, sign, outcome = (
            one[low : low + BLOCK] for one in (battles.a, battles.b, battles.position, battles.outcome)
        )
        decided = np.flatnonzero((sign != 0) & (outcome != 0.5))
        first, second = np.where(sign > 0, a, b)[decided], np.where(sign > 0, b, a)[decided]
        won = (outcome > 0.5)[decided] == (sign > 0)[decided]
        table += np.bincount(2 * (first.astype(np.int64) * n + second) + won, minlength=len(table))
    lost, won = np.moveaxis(table.reshape(n, n, 2), 2, 0)
    return abs(balanced_share_of(won, lost) - 0.5) < MATERIAL_SHARE


def _preference(battles: Battles, cluster: str | None) -> Interval | None:
    assert battles.position is not None
    rows = np.flatnonzero((battles.position != 0) & (battles.outcome != 0.5))
    if not len(rows):
        return None
    a, b, sign = battles.a[rows], battles.b[rows], battles.position[rows]
    pair = dense(np.minimum(a, b).astype(np.int64) * len(battles.agents) + np.maximum(a, b))[0]
    won = ((battles.outcome[rows] > 0.5) == (sign > 0)).astype(np.float64)
    group = None if cluster is None else dense(apart(battles.factors[cluster].codes[rows]))[0]
    return balanced_share(Shown(pair, (a < b) != (sign > 0), won, group), LEVEL)


def _order_weights(battles: Battles) -> tuple[Floats, int, int]:
    """Weights that balance the orders, how many pairs they balance, and how many pairs there are."""
    assert battles.position is not None
    own = np.ones(len(battles)) if battles.weight is None else battles.weight
    pair, n = dense(
        np.minimum(battles.a, battles.b).astype(np.int64) * len(battles.agents) + np.maximum(battles.a, battles.b)
    )
    known = battles.position != 0
    swapped = ((battles.a < battles.b) != (battles.position > 0)).astype(np.int64)
    code = 2 * pair + swapped
    number = np.bincount(code[known], minlength=2 * n).reshape(n, 2)
    total = np.bincount(code[known], own[known], 2 * n).reshape(n, 2)
    enough = (number >= EACH_ORDER).all(axis=1)
    times = np.ones((n, 2))
    times[enough] = total[enough].sum(axis=1, keepdims=True) / (2 * total[enough])
    return np.where(known, own * times.ravel()[code], own), int(enough.sum()), n
