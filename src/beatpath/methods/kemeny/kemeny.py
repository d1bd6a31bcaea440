"""Kemeny's rule: the order that agrees with the most pairwise preferences, with a proof of optimality."""

from collections.abc import Sequence
from itertools import islice
from math import inf, isfinite
from time import monotonic
from typing import Any

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError
from beatpath._validate import require_whole
from beatpath.evidence.ties import EXACT_TO, ROUNDING, are_whole
from beatpath.methods.kemeny.orders import MOST, Order, Part, all_orders, by_subsets, chain, components, sure_levels
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome

SECONDS = 2.5  # default time limit in seconds, about half of the time for all methods together
SOLVED = 1e-9  # relative to the largest margin: resolution of costs of large components
# The status if ties among optimal orders could not be decided.
UNDECIDED = (
    "optimal; whether all optimal orders agree was not decided for every agent, so some ties may be missing or wide"
)


def kemeny(profile: Profile, *, time_limit: float | None = SECONDS, optima: int = 1) -> Outcome:
    r"""Find the order of the agents that agrees with the most pairwise preferences.

    With :math:`N(a, b)` the preferences for *a* over *b*, VasE's appendix, "Kemeny-Young" [1]_, maximizes

    .. math::  \text{KemenyValue}(\vec a) = \sum_{i < j} N(a[i], a[j]).

    The disagreement of an order, :math:`D(\vec a) = \sum_{i < j} N(a[j], a[i])`, and its value sum to the same total
    for all orders, and with the margins :math:`M = N - N^\top`

    .. math::  D(\vec a) = \sum_{\{a, b\}} \min(N(a, b), N(b, a)) + \sum_{i < j} \max(M(a[j], a[i]), 0),

    so minimizing the reversed margin, the last sum, is equivalent.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.
    time_limit : float, optional
        Seconds after which the best order so far is returned with a bound; None searches until there is a proof.
    optima : int
        Maximum number of optimal orders to list in ``details["optima"]``.

    Returns
    -------
    Outcome
        *Levels*: the finest levels such that every optimal order provably puts each agent of a level above all agents
        of the next. Agents that trade places among the optimal orders are tied, and so are those between them. If
        that could not be decided, the levels are one optimal order, and the status says so.

        *Scores*: VasE's, the preferences for an agent over those below it; those over agents tied with it count half.

        *Details*: ``order`` (one best order), ``objective`` (its D), ``bound`` (a lower bound on D), ``gap`` (their
        difference), ``optimal``, ``unique`` (true, false, or None if undecided), ``value`` (the Kemeny value),
        ``optima``, ``components`` (those with more than one agent: size, method, optimal, unique) and ``singles``
        (the number of the others).

    Examples
    --------
    VasE's pentathlon.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> result = kemeny(profile_of(Ballots.of(votes, count=[1, 1, 2, 1])))
    >>> result.level, result.score, result.details["value"], result.details["unique"]
    (array([1, 2, 0]), array([4., 0., 6.]), 10.0, True)

    Notes
    -----
    An order is optimal if it is optimal within every strongly connected component of strict majority and reverses no
    margin between them; pairs of margin zero, or never compared, cost nothing either way. Components of up to 16
    agents are solved by dynamic programming over sets, larger ones by cutting planes on a linear relaxation, with
    branching if it stays fractional. Integer margins are exact. For others, differences within rounding count as
    zero, in a large component those below 1e-9 of the largest margin, and its proof holds to 1e-7 of it. The problem
    is NP-hard: without a time limit, a large component without structure may take forever; with one, the status has
    the proven gap.

    Satisfies the Condorcet criterion; every member of the Smith set is above all others.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    .. [2] J. G. Kemeny, "Mathematics without numbers", *Daedalus* 88 (1959), 577-591.
    .. [3] H. P. Young, A. Levenglick, "A consistent extension of Condorcet's election principle",
           *SIAM Journal on Applied Mathematics* 35 (1978), 285-300.
    """
    if time_limit is not None and not (isfinite(time_limit) and time_limit >= 0):
        raise UsageError(
            f"`time_limit` must be a number of seconds, 0 or more, or None for no limit; got {time_limit}."
        )
    require_whole("optima", optima)
    deadline = inf if time_limit is None else monotonic() + time_limit
    margins = profile.margins.matrix
    unit, tol = unit_of_costs(margins, profile.margins.allowed)
    parts = _solved(margins, unit, tol, deadline, optima)
    order = np.concatenate([members[part.order] for members, part in parts])
    level, settled = _proven_levels(parts, margins, order)
    listed = list(islice(all_orders(parts, margins), optima)) if optima > 1 else [order]
    details = _kemeny_details(profile, parts, order, listed, unique=_unique(parts, level))
    return Outcome(level, kemeny_scores(profile.wins, level), _kemeny_status(details, settled), details)


def kemeny_value(wins: Floats, order: Sequence[int] | Order) -> float:
    """Return the preferences that an order agrees with: VasE's KemenyValue.

    >>> kemeny_value(np.array([[0.0, 4, 2], [1, 0, 2], [3, 3, 0]]), [2, 0, 1])
    10.0
    """
    places = np.asarray(order, dtype=np.int64)
    return float(np.triu(wins[np.ix_(places, places)], 1).sum())


def kemeny_scores(wins: Floats, level: Ints) -> Floats:
    """Return the preferences for each agent over those on worse levels, and half of those over agents on its own level.

    This is VasE's KemenyScore if no agents are tied.

    >>> kemeny_scores(np.array([[0.0, 4, 2], [1, 0, 2], [3, 3, 0]]), np.array([1, 2, 0]))
    array([4., 0., 6.])
    """
    below = level[:, None] < level[None, :]
    beside = level[:, None] == level[None, :]
    return (wins * (below + 0.5 * (beside & ~np.eye(len(level), dtype=bool)))).sum(axis=1)


def unit_of_costs(margins: Floats, allowed: float | None = None) -> tuple[float, float]:
    """Return the unit that costs are multiples of (0 if none), and the largest difference that still counts as equal.

    `allowed` is that difference for the margins themselves; see `beatpath.evidence.ties`.

    >>> unit_of_costs(np.array([[0, 0.5], [-0.5, 0]]))
    (0.5, 0.125)
    >>> unit_of_costs(np.array([[0, 0.3], [-0.3, 0]]))[1] / 0.3 == ROUNDING
    True
    """
    size = np.abs(margins)
    most = 2.0**40 if len(margins) > MOST else EXACT_TO / max(1, len(margins)) ** 2
    if are_whole(margins).all() and size.max(initial=0.0) < most:
        unit = int(np.gcd.reduce((2 * size).astype(np.int64), axis=None)) / 2 or 1.0
        return unit, unit / 4
    return 0.0, max(ROUNDING * float(size.max(initial=0.0)), allowed or 0.0)


def _solved(margins: Floats, unit: float, tol: float, deadline: float, optima: int) -> list[tuple[Order, Part]]:
    """Every component with its solution, best component first; small ones are solved first."""
    parts = components(margins)
    solved: dict[int, Part] = {}
    for k in sorted(range(len(parts)), key=lambda k: (len(parts[k]), k)):
        inner = margins[np.ix_(parts[k], parts[k])]
        if len(inner) == 1:
            one = np.zeros(1, dtype=np.int64)
            solved[k] = Part(one, 0.0, 0.0, chain(one), True, "single", [one])
        elif len(inner) <= MOST:
            solved[k] = by_subsets(inner, tol=tol, optima=optima)
        else:
            from beatpath.methods.kemeny.search import by_cuts

            zeros = (margins[parts[k]] == 0).sum() > (inner == 0).sum()
            within = tol if unit else max(tol, SOLVED * float(np.abs(margins).max()))
            solved[k] = by_cuts(inner, tol=within, unit=unit, deadline=deadline, optima=optima, pairs=bool(zeros))
    return [(members, solved[k]) for k, members in enumerate(parts)]


def _proven_levels(parts: list[tuple[Order, Part]], margins: Floats, order: Order) -> tuple[Ints, bool]:
    """The proven levels, and whether they are the finest and none is unproven."""
    sure, maybe = margins > 0, margins > 0
    for members, part in parts:
        inner = np.ix_(members, members)
        sure[inner] = part.sure
        maybe[inner] = part.sure if part.maybe is None else part.maybe
    level = sure_levels(order, sure)
    settled = all(part.settled for _, part in parts)
    if settled and any(part.maybe is not None for _, part in parts):
        settled = bool((sure_levels(order, maybe) == level).all())
    return level, settled


def _unique(parts: list[tuple[Order, Part]], level: Ints) -> bool | None:
    """Whether there is one optimal order: one in every component, and no freedom between them."""
    if any(part.unique is False for _, part in parts):
        return False
    if not all(part.optimal for _, part in parts):
        return None
    if level.max() + 1 < len(level):
        return False
    return True if all(part.unique for _, part in parts) else None


def _kemeny_details(
    profile: Profile, parts: list[tuple[Order, Part]], order: Order, listed: list[Order], *, unique: bool | None
) -> dict[str, Any]:
    value = kemeny_value(profile.wins, order)
    objective = kemeny_value(profile.wins.T, order)
    gap = float(sum(part.cost - part.bound for _, part in parts))
    return {
        "order": [profile.agents[a] for a in order],
        "objective": objective,
        "bound": objective - gap,
        "gap": gap,
        "optimal": all(part.optimal for _, part in parts),
        "unique": unique,
        "value": value,
        "optima": [[profile.agents[a] for a in one] for one in listed],
        "components": [
            {"size": len(members), "method": part.method, "optimal": part.optimal, "unique": part.unique}
            for members, part in parts
            if len(members) > 1
        ],
        "singles": sum(len(members) == 1 for members, _ in parts),
    }


def _kemeny_status(details: dict[str, Any], settled: bool) -> str:
    if not details["optimal"]:
        share = details["gap"] / details["objective"] if details["objective"] else 1.0
        return (
            f"stopped at the time limit: the best order found disagrees with {details['objective']:.10g} preferences, "
            f"no order disagrees with fewer than {details['bound']:.10g}, gap {details['gap']:.10g} ({share:.2%})"
        )
    return EXACT if settled else UNDECIDED
