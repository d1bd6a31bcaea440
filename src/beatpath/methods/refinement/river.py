"""River: wins are locked from the largest down, each loser once, and none that would close a circle."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools, Floats
from beatpath.evidence.ties import snapped
from beatpath.methods.graph.relation import dominance_blocks
from beatpath.methods.profile import Profile
from beatpath.methods.refinement.undefeated import elected_in_turn
from beatpath.methods.result import Outcome

BUDGET = 5_000  # states looked at in following the orders of equal wins, in one election

Pair = tuple[int, int]
Roots = tuple[int, ...]


def river(profile: Profile) -> Outcome:
    r"""Rank agents by electing those from whom, as from a spring, all locked wins flow.

    Majority wins are gone through from the largest down. A win of *a* over *b* is locked unless *b* has lost a locked win already
    or the locked wins lead from *b* to *a*. What is locked is a tree, and its root is elected: Heitzig [1]_. Equal wins are locked in
    every order, and whoever is elected in some order is elected. The rule elects and does not rank: below, those elected come out and
    the others elect again, which is ours.

    Parameters
    ----------
    profile : Profile
        With margins.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN. Where equal wins have too many orders, those left are ranked as `split_cycle` does,
        whose first level holds all that River may elect [2]_, and the status says so.

    Examples
    --------
    A circle: A beats B by 5, B beats C by 3; C's win over A by 1 would close it.

    >>> from beatpath import Margins, rank
    >>> rank(Margins([[0, 5, -1], [-5, 0, 3], [1, -3, 0]], ("A", "B", "C")), "river")
    river: A > B > C

    Notes
    -----
    :math:`O(n^2 \log n)` an election without equal wins, counted within the Smith set, which wins from outside do not enter.
    Condorcet consistent, independent of clones; where ranked pairs keeps every win that closes no circle, River keeps one a loser.

    References
    ----------
    .. [1] J. Heitzig, "River method: a new tournament-like Condorcet method", Election-Methods mailing list (2004).
    .. [2] M. Döring, M. Brill and J. Heitzig, "The River method", AAMAS 2025, 634-642.
    """
    margins = snapped(profile.margins.matrix, profile.margins.allowed)
    return elected_in_turn(margins, profile.agents, river_winners)


def river_winners(margins: Floats, budget: int = BUDGET) -> Bools | None:
    """Return who is elected in some order of equal wins; None where there are too many orders.

    >>> river_winners(np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]]))
    array([ True,  True,  True])
    """
    smith = dominance_blocks(margins)[0]
    states = {tuple(range(len(smith)))}  # to whom each agent's locked losses lead
    for group in _equal_wins(margins[np.ix_(smith, smith)]):
        after: set[Roots] = set()
        for roots in states:
            ended, looked_at = _locked(roots, group, budget)
            budget -= looked_at
            if budget < 0:
                return None
            after |= ended
        if after != states and all(len(set(roots)) == 1 for roots in after):
            states = after
            break
        states = after
    chosen = np.zeros(len(margins), dtype=bool)
    chosen[smith[sorted(set().union(*states))]] = True
    return chosen


def _equal_wins(margins: Floats) -> Iterator[list[Pair]]:
    """Majority wins of equal size, the largest first."""
    a, b = np.nonzero(margins > 0)
    size = margins[a, b]
    order = np.argsort(-size, kind="stable")
    pairs = list(zip(a[order].tolist(), b[order].tolist(), strict=True))
    low = 0
    for high in [*(np.flatnonzero(np.diff(size[order])) + 1).tolist(), len(pairs)]:
        if high > low:
            yield pairs[low:high]
        low = high


def _locked(roots: Roots, group: list[Pair], budget: int) -> tuple[set[Roots], int]:
    """What the orders of a group of equal wins lead to, and how many states branching was followed into; over budget it stops."""
    ended: set[Roots] = set()
    seen, waiting, looked_at = {roots}, [roots], 0
    while waiting and looked_at <= budget:
        here = waiting.pop()
        open_ = {(here[a], b) for a, b in group if here[b] == b != here[a]}
        if not open_:
            ended.add(here)
            continue
        safe = _safe(open_, len(here))
        for r, b in safe:
            here = _flows(here, r, b)
        after = {here} if safe else {_flows(here, r, b) for r, b in open_}
        looked_at += 0 if safe else len(after - seen)
        waiting += after - seen
        seen |= after
    return ended, looked_at


def _safe(wins: set[Pair], n: int) -> list[Pair]:
    """Those wins, of roots over roots, that are locked in every order: the only one over a loser, and on no circle."""
    if len(wins) == 1:
        return list(wins)
    a, b = np.array(sorted(wins)).T
    _, part = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)), connection="strong")
    alone = (np.bincount(b, minlength=n)[b] == 1) & (part[a] != part[b])
    return list(zip(a[alone].tolist(), b[alone].tolist(), strict=True))


def _flows(roots: Roots, a: int, b: int) -> Roots:
    """Lock a win of a over b: what flowed from b flows from where a's losses lead."""
    return tuple(roots[a] if root == b else root for root in roots)
