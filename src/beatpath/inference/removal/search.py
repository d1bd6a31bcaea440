r"""Search for few removals that put one agent above another: the most influential first, with refits.

Units are removed in order of influence until the two agents have changed places; doubling and bisection find the
shortest such prefix. Influences are then recomputed there, and the search is repeated while it gets shorter. For
scores linear in the counts the first order is optimal and the answer exact; for others it is an upper bound. Where
`exact` has an answer, it is used.

For scores smooth in the counts, removing a battle changes the lead :math:`D = S_u - S_d` by about minus its derivative
[1]_. With :math:`w_p` and :math:`l_p` the wins and losses of a pair's first agent these derivatives are

* share of battles won: :math:`(1 - r_i) / N_i` for a win of agent *i* and :math:`-r_i / N_i` for a loss;
* net wins (Borda): plus and minus one; points (Borda on ballots): one and zero;
* Bradley-Terry: :math:`(1 - p)(v_a - v_b)` and :math:`-p\,(v_a - v_b)` with :math:`v = H^{-1}(e_u - e_d)`, one Newton
step.

References
----------
.. [1] T. Broderick, R. Giordano, R. Meager, "An automatic finite-sample robustness metric: when can dropping a little data
       make a big difference?", 2020, arXiv:2011.14999.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import inv

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError
from beatpath.evidence import Pairs
from beatpath.evidence.pairs import LOSS, WIN
from beatpath.evidence.ties import levels_of, slack
from beatpath.fit.laplacian import Laplacian, incident
from beatpath.fit.pairs import fit_pairs
from beatpath.fit.ties import Prior, logistic
from beatpath.inference.removal.exact import copeland_halves, countable, fewest_battles, fewest_for_share, fewest_groups
from beatpath.inference.removal.units import Counts, Units
from beatpath.methods.graph.connection import require_connection
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import comparisons, rating_levels
from beatpath.methods.registry import method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import ranking
from beatpath.stats.smallest import predicted_number, shortest_prefix

GAPS = (0.05, 0.15, 0.45, 1.35)  # gaps in log odds at which the lower bound is evaluated
DENSE = 2000  # most agents for which it is, as it needs a dense matrix


ROUNDS = 4  # most times that influences are recomputed and the search repeated
# methods that can be searched, with the name of their score
RULES = {
    "bradley_terry": "Bradley-Terry strength",
    "win_rate": "share of battles won",
    "copeland": "Copeland score",
    "borda": "Borda score",
}
SCREENED, SEARCHED = 20, 3  # pairs of agents whose number is predicted, and how many of them are searched
PROVEN = 8  # pairs of agents for which an integer program is solved
Target = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Levels and scores at some counts; `derivative` gives those of a lead by wins and by losses, each (p,)."""

    level: Ints
    score: Floats
    derivative: Callable[[int, int], tuple[Floats, Floats]]


At = Callable[[Any, Floats, Floats], Standing | None]  # from units, or pairs, and their wins and losses


def counted_standing(units: Units | Pairs, wins: Floats, losses: Floats, *, rule: str) -> Standing:
    """Return scores that a win or a loss changes for its two agents alone.

    They are the share of battles won, an agent without battles last ("win_rate"); wins minus losses ("net"); or how
    often an agent was ranked above another, ties half, the Borda score of ballots ("points").
    """
    n = len(units.agents)
    won, total = (incident(n, units.a, units.b, *two) for two in ((wins, losses), (wins + losses, wins + losses)))
    score, level, win, loss = won, levels_of(won), np.ones(n), np.zeros(n)
    if rule == "net":
        score, level, loss = 2 * won - total, levels_of(2 * won - total, slack(total)), -win
    elif rule == "win_rate":
        score = np.divide(won, total, out=np.full(n, -1.0), where=total > 0)
        each = np.divide(1.0, total, out=np.zeros(n), where=total > 0)
        level, win, loss = levels_of(score), (1 - score) * each, -score * each

    def derivative(up: int, down: int) -> tuple[Floats, Floats]:
        side = np.zeros(n)
        side[up], side[down] = 1.0, -1.0
        w, l = side * win, side * loss
        return w[units.a] + l[units.b], l[units.a] + w[units.b]

    return Standing(level, score, derivative)


def bradley_terry_at(units: Units, wins: Floats, losses: Floats, *, prior: float = 0.0) -> Standing | None:
    """Return Bradley-Terry strengths at some counts; None without a finite estimate."""
    counts = np.stack([wins, losses, np.zeros_like(wins), np.zeros_like(wins)], axis=1)
    rows, _ = comparisons(Profile(units.agents, Pairs(units.agents, units.a, units.b, counts)))
    try:
        if not prior:
            require_connection(units.agents, units.a, units.b, wins, losses, "Bradley-Terry")
    except DataError:
        return None
    fit = fit_pairs(rows, prior=Prior(prior))
    if not fit.ended.converged:
        return None
    level, _ = rating_levels(fit.strength, fit.ended)
    return bradley_terry_standing(units, wins + losses, level, fit.ended.x, prior)


def bradley_terry_standing(units: Units, battles: Floats, level: Ints, x: Floats, prior: float = 0.0) -> Standing:
    """Return levels, scores and derivatives from strengths fitted to the given battles per pair."""

    def derivative(up: int, down: int) -> tuple[Floats, Floats]:
        p = logistic(x[units.a] - x[units.b])[0]
        side = np.zeros(len(x))
        side[up], side[down] = 1.0, -1.0
        v = _strength_information(units, battles, x, prior, 0.0).solver()(side, 1e-10)
        step = v[units.a] - v[units.b]
        return (1 - p) * step, -p * step

    return Standing(level, x, derivative)


def _strength_information(units: Units, battles: Floats, x: Floats, prior: float, gap: float) -> Laplacian:
    r"""Return the graph with weights :math:`n_{ij}\, \sigma'(|x_i - x_j| + \text{gap})`; at 0 the information."""
    ridge = 2 * prior * _gap_slope(np.abs(x) + gap) if prior else np.zeros(len(x))
    return Laplacian(len(x), units.a, units.b, battles * _gap_slope(np.abs(x[units.a] - x[units.b]) + gap), ridge)


def _gap_slope(lead: Floats) -> Floats:
    p = logistic(lead)[0]
    return p * (1 - p)


def at_least(units: Units, x: Floats, leader: int, *, prior: float = 0.0) -> Floats | None:
    r"""Return a lower bound of the weight of battles to remove before each agent is not below `leader`, shape (n,).

    Let the strengths :math:`x` become :math:`x'` when battles of total weight *k* are removed, so that :math:`d = x -
    x'` has :math:`d_w - d_c \ge D = x_w - x_c`. For every level *t* between, sum the likelihood equations over the
    agents with :math:`d_i > t`: each removed battle changes the sum by at most its weight, hence

    .. math::  \sum_{d_i > t \ge d_j} n_{ij} \left(\sigma(x_i - x_j) - \sigma(x_i - x_j - (d_i - d_j))\right) \le k .

    Every term is positive. The mean over *t*, with differences clipped to the interval, bounds *k* by a sum of
    :math:`n_{ij}\, y_{ij}\, (\sigma(x_{ij}) - \sigma(x_{ij} - D y_{ij}))` with :math:`y_c = 0`, :math:`y_w = 1`, which
    grows with *D* and exceeds :math:`D \sum n_{ij}\, \sigma'(|x_{ij}| + D)\, y_{ij}^2`. The minimum of that over *y*
    is an electric conductance, so for every :math:`\delta \le D`

    .. math::  k \ge \frac{\delta}{(e_c - e_w)^\top L_\delta^{+} (e_c - e_w)},

    with :math:`L_\delta` the graph of pairs weighted by :math:`n_{ij}\, \sigma'(|x_{ij}| + \delta)`.

    Returns
    -------
    (n,) float or None
        0 for agents not below the leader; None for too many agents for a dense matrix.
    """
    if len(x) > DENSE:
        return None
    below = x[leader] - x
    grid = np.unique([*GAPS, below[below > 0].min(initial=max(GAPS))])
    bound = np.zeros(len(x))
    for gap in grid[grid <= below.max()]:
        L = _strength_information(units, units.wins + units.losses, x, prior, float(gap))
        filled = L.matrix() + (0.0 if prior else float(L.diagonal.mean()) / len(x))
        inverse = inv(filled)
        own = np.diag(inverse)
        resistance = own + own[leader] - 2 * inverse[leader]
        reached = below >= gap
        bound[reached] = np.maximum(bound[reached], gap / resistance[reached])
    return bound


def fewest_by_influence(at: At, units: Units, start: Standing, up: int, down: int) -> Counts | None:
    """Return how many of each kind to remove until `up` is strictly above `down`, or None if the search fails.

    Examples
    --------
    Ada won 7 of 10 against bob: without 5 of her wins, bob leads by 3 to 2.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.removal.units import units_of
    >>> units = units_of(Pairs(("ada", "bob"), [0], [1], [[7, 3, 0, 0]]))
    >>> at = partial(counted_standing, rule="net")
    >>> fewest_by_influence(at, units, at(units, units.wins, units.losses), 1, 0)
    array([5, 0])
    """
    order, effect = by_influence(units, start, up, down)
    most, guess = int(units.many[order].sum()), predicted_removals(units, start, order, effect, up, down)
    best = None
    for _ in range(ROUNDS):

        def look(k: int, order: Ints = order) -> tuple[bool, Standing | None]:
            there = at(units, *units.without(units.first(order, k)))  # without an estimate, too much was removed
            return there is None or bool(there.level[up] < there.level[down]), there

        shortest = shortest_prefix(look, min(guess, most), most)
        if shortest is None:
            break
        number, reached = shortest
        best, guess = units.first(order, number), number - 1
        most, (order, _) = guess, by_influence(units, reached, up, down)
    return best


def by_influence(units: Units, here: Standing, up: int, down: int) -> tuple[Ints, Floats]:
    """Return the kinds whose removal helps `up`, most helpful first, and the effect of one unit of each."""
    win, loss = here.derivative(up, down)
    effect = -(units.each_wins @ win + units.each_losses @ loss)
    effect[units.many == 0] = 0.0
    floor = 1e-12 * float(np.abs(effect).max(initial=0.0))
    rounded = np.where(effect > floor, effect, 0.0)
    order = np.argsort(-rounded, kind="stable")
    order = order[rounded[order] > 0]
    return order, effect[order]


def predicted_removals(units: Units, here: Standing, order: Ints, effect: Floats, up: int, down: int) -> int:
    """Return how many removals the influences alone predict; more than exist where they do not suffice."""
    gap = float(here.score[down] - here.score[up])
    number = predicted_number(effect, units.many[order], gap)
    return int(min(number, units.many[order].sum())) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Removals:
    """How many units of each kind to remove so that one agent passes the other.

    Without `x` the search failed, and `exact` means that it is impossible.
    """

    x: Counts | None
    up: int
    down: int
    exact: bool
    at_least: int | None = None

    @property
    def number(self) -> float:
        """The number of removals, infinite without a solution."""
        return np.inf if self.x is None else float(self.x.sum())


def levels_by(profile: Profile, rule: str, prior: float, *, ballots: bool = False) -> Ints:
    """Return the level of every agent by a method, run on the evidence itself; `ballots` if its pairs are those of ballots.

    >>> from beatpath import Pairs
    >>> levels_by(Profile(("x", "y"), Pairs(("x", "y"), [0], [1], [[1, 3, 0, 0]])), "win_rate", 0.0)
    array([1, 0])
    """
    if rule == "win_rate" or (rule == "borda" and profile.ballots is None):
        settled = profile.settled
        assert settled is not None
        standing = _standings(rule, ballots, prior)(settled, settled.counts[:, WIN], settled.counts[:, LOSS])
        assert standing is not None
        return standing.level
    settings = {"prior": prior} if rule == "bradley_terry" and prior else {}
    return ranking(profile, method_named(rule), settings).level_of()


def search(
    units: Units, rule: str, targets: Sequence[Target], *, ballots: bool, prior: float, fitted: Ranking | None = None
) -> Removals:
    """Return the fewest removals by which, for one of the targets, the first agent passes the second.

    Bradley-Terry strengths without a prior, if `fitted` to all units before, are the starting point.
    """
    if rule == "copeland":
        return _copeland(units, targets)
    if rule == "win_rate" and countable(units):
        return min((_exact(fewest_for_share(units, *two), two) for two in targets), key=lambda f: f.number)
    at = _standings(rule, ballots, prior)
    if fitted is None:
        start = at(units, units.wins, units.losses)
    else:
        x, converged = np.array(list(fitted.scores.values())), fitted.details["converged"]
        start = bradley_terry_standing(units, units.wins + units.losses, fitted.level_of(), x) if converged else None
    if start is None:
        raise DataError("Bradley-Terry must have converged before anything is removed; it did not. Give a `prior`.")
    if rule == "borda":
        return _linear(at, units, start, targets)
    best = Removals(None, *targets[0], exact=False)
    near = sorted(targets, key=lambda two: float(start.score[two[1]] - start.score[two[0]]))[:SCREENED]
    candidates = [(predicted_removals(units, start, *by_influence(units, start, *two), *two), two) for two in near]
    for number, two in sorted(candidates, key=lambda one: one[0])[:SEARCHED]:
        if number < best.number:
            one = Removals(fewest_by_influence(at, units, start, *two), *two, exact=False)
            best = one if one.number < best.number else best
    bound = _search_bound(units, start, targets, prior) if rule == "bradley_terry" else 1
    never = bound is not None and bound > int(units.many.sum())
    return Removals(best.x, best.up, best.down, never or best.number == bound, None if never else bound)


def _linear(at: At, units: Units, start: Standing, targets: Sequence[Target]) -> Removals:
    """Search scores linear in the counts: influences are exact, and each unit lowers a lead by at most the largest."""
    near = sorted(targets, key=lambda two: float(start.score[two[1]] - start.score[two[0]]))
    most = 2 * float(units.weight.max(initial=0.0))
    best, fewest = near[0], np.inf
    for two in near:
        if float(start.score[two[1]] - start.score[two[0]]) >= most * fewest:
            break
        number = predicted_removals(units, start, *by_influence(units, start, *two), *two)
        best, fewest = (two, number) if number < fewest else (best, fewest)
    return _exact(fewest_by_influence(at, units, start, *best), best)


def _exact(x: Counts | None, two: Target) -> Removals:
    return Removals(x, *two, exact=True, at_least=None if x is None else int(x.sum()))


def _standings(rule: str, ballots: bool, prior: float) -> At:
    """Return the function from counts to levels, scores and their derivatives."""
    if rule == "bradley_terry":
        return partial(bradley_terry_at, prior=prior)
    return partial(counted_standing, rule=rule if rule == "win_rate" else "points" if ballots else "net")


def _search_bound(units: Units, start: Standing, targets: Sequence[Target], prior: float) -> int | None:
    """Return a lower bound of the number of units: how many of the largest hold the weight to be removed."""
    weights = []
    for down in sorted({down for _, down in targets}):
        bound = at_least(units, start.score, down, prior=prior)
        if bound is None:
            return None
        weights.append(min(float(bound[up]) for up, other in targets if other == down))
    each = units.weight
    order = np.argsort(-each, kind="stable")
    number = predicted_number(each[order], units.many[order], min(weights) * (1 - 1e-9))
    return int(units.many.sum()) + 1 if np.isinf(number) else max(1, int(np.ceil(number)))


def _copeland(units: Units, targets: Sequence[Target]) -> Removals:
    """Search Copeland scores: single battles exactly, whole groups by an integer program for the closest rivals."""
    halves = copeland_halves(units)
    near = sorted(targets, key=lambda two: int(halves[two[1]] - halves[two[0]]))
    if units.one_pair_each:
        return _copeland_battles(units, near, halves)
    lead = (units.each_wins - units.each_losses).data
    if (lead != np.rint(lead)).any():
        raise DataError(
            "Copeland scores without whole groups need battles that weigh one and are won, lost or tied; these have weights "
            "or soft preferences. Remove single battles, or use another method."
        )
    removals, proven = [], len(near) <= PROVEN
    for two in near[:PROVEN]:
        x, sure = fewest_groups(units, *two)
        removals.append(Removals(x, *two, exact=sure))
        proven &= sure
    best = min(removals, key=lambda f: f.number)
    proven |= best.number == 1
    return Removals(best.x, best.up, best.down, proven, None if best.x is None else int(best.number) if proven else 1)


def _copeland_battles(units: Units, near: Sequence[Target], halves: Ints) -> Removals:
    """Return the minimum over all targets; a removal gains at most two halves, or four in the pair of the two."""
    best = _exact(None, near[0])
    for up, down in near:
        if (int(halves[down] - halves[up]) - 3) / 2 >= best.number:
            break
        one = _exact(fewest_battles(units, up, down), (up, down))
        best = one if one.number < best.number else best
    return best
