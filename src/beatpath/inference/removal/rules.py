r"""The rules whose answer can be searched: how each ranks evidence, and which search is the right one for it.

The search for few removals takes the most influential first, refits, and puts in order again where the lead is about to change.

One order of the units is followed until the two agents have changed places; the shortest such start is found by doubling
and bisection. There the influences are worked out anew, and the search is repeated as long as it gets shorter. For scores
that are linear in the counts the first order is the best there is, and the answer exact; for others it is an upper bound.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError
from beatpath.evidence.ties import levels_of, slack
from beatpath.fit.laplacian import incident
from beatpath.inference.removal.copeland import copeland_halves, fewest_battles, fewest_groups, turns_of
from beatpath.inference.removal.influence import (
    Standing,
    at_least,
    bradley_terry_at,
    bradley_terry_standing,
    net_wins_standing,
    points,
    share_of_wins,
)
from beatpath.inference.removal.units import Array, Counts, Units
from beatpath.inference.removal.win_rate import countable, fewest_for_share
from beatpath.methods.profile import Profile
from beatpath.methods.registry import method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import ranking

At = Callable[[Units, Array, Array], Standing | None]
ROUNDS = 4
RULES = {
    "bradley_terry": "Bradley-Terry strength",
    "win_rate": "share of battles won",
    "copeland": "Copeland score",
    "borda": "Borda score",
}
SCREENED, SEARCHED = 20, 3  # pairs of agents whose count is predicted, and those of them that are searched
PROVEN = 8  # pairs of agents for which an integer program is solved
Target = tuple[int, int]


def fewest_by_influence(at: At, units: Units, start: Standing, up: int, down: int) -> Counts | None:
    """Return how many of each kind to remove until `up` is strictly above `down`, or None where no way was found.

    Examples
    --------
    Ada won 7 of 10 against Bob: with 5 of the wins gone, Bob leads by 3 to 2.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.removal.influence import net_wins_standing
    >>> from beatpath.inference.removal.removable import units_of
    >>> units = units_of(Pairs(("ada", "bob"), [0], [1], [[7, 3, 0, 0]]), "battle", None, {})
    >>> start = net_wins_standing(units, units.wins, units.losses)
    >>> fewest_by_influence(net_wins_standing, units, start, 1, 0)
    array([5, 0])
    """
    order, effect = by_influence(units, start, up, down)
    most, guess = int(units.many[order].sum()), predicted_removals(units, start, order, effect, up, down)
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


def predicted_removals(
    units: Units, here: Standing, order: NDArray[np.int64], effect: Array, up: int, down: int
) -> int:
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


@dataclass(frozen=True, slots=True, eq=False)
class FewestFound:
    """How many units of each kind to remove so that one agent passes the other.

    Without `x` nothing was found, and `exact` says that nothing is there to be found.
    """

    x: Counts | None
    up: int
    down: int
    exact: bool
    at_least: int | None = None

    @property
    def number(self) -> float:
        """How many are removed, infinitely many where nothing was found."""
        return np.inf if self.x is None else float(self.x.sum())


def levels_by(profile: Profile, rule: str, prior: float) -> NDArray[np.int64]:
    """Return the level of every agent by a rule, run on the evidence itself.

    >>> from beatpath import Pairs
    >>> levels_by(Profile(("x", "y"), Pairs(("x", "y"), [0], [1], [[1, 3, 0, 0]])), "win_rate", 0.0)
    array([1, 0])
    """
    if rule in ("win_rate", "borda") and not (rule == "borda" and profile.ballots is not None):
        told = profile.settled
        assert told is not None
        won, lost = told.counts[:, 0], told.counts[:, 1]
        wins, losses = (incident(len(told.agents), told.a, told.b, x, y) for x, y in ((won, lost), (lost, won)))
        battles = wins + losses
        share = np.divide(wins, battles, out=np.full(len(wins), -1.0), where=battles > 0)
        return levels_of(share) if rule == "win_rate" else levels_of(wins - losses, slack(battles))
    settings = {"prior": prior} if rule == "bradley_terry" and prior else {}
    return ranking(profile, method_named(rule), settings).level_of()


def search(
    units: Units,
    rule: str,
    targets: Sequence[Target],
    *,
    ballots: bool,
    prior: float,
    fitted: Ranking | None = None,
) -> FewestFound:
    """Return the fewest removals found by which, for one of the targets, the first agent passes the second.

    Where Bradley-Terry strengths without a prior were `fitted` to all the units before, the search begins from them.
    """
    if rule == "copeland":
        return _copeland(units, targets)
    if rule == "win_rate" and countable(units):
        return min((_exact(fewest_for_share(units, *two), two) for two in targets), key=lambda f: f.number)
    at = _standings(rule, ballots, prior)
    start = at(units, units.wins, units.losses) if fitted is None else _start(units, fitted)
    if start is None:
        raise DataError("Bradley-Terry must have converged before anything is removed; it did not. Give a `prior`.")
    if rule == "borda":
        return _linear(at, units, start, targets)
    best = FewestFound(None, *targets[0], exact=False)
    for number, two in _likeliest(units, start, targets):
        if number < best.number:
            one = FewestFound(fewest_by_influence(at, units, start, *two), *two, exact=False)
            best = one if one.number < best.number else best
    bound = _search_bound(units, start, targets, prior) if rule == "bradley_terry" else 1
    never = bound is not None and bound > int(units.many.sum())
    return FewestFound(best.x, best.up, best.down, never or best.number == bound, None if never else bound)


def _start(units: Units, fitted: Ranking) -> Standing | None:
    """Where the search begins, by strengths that are known; nothing where they did not converge."""
    if not fitted.details["converged"]:
        return None
    x = np.array(list(fitted.scores.values()))
    return bradley_terry_standing(units, units.wins + units.losses, fitted.level_of(), x)


def _linear(at: At, units: Units, start: Standing, targets: Sequence[Target]) -> FewestFound:
    """Scores linear in the counts: influences are exact; a lead is lost no faster than by the largest of them a unit."""
    near = sorted(targets, key=lambda two: float(start.score[two[1]] - start.score[two[0]]))
    most = 2 * float(np.asarray(units.each_wins.sum(axis=1) + units.each_losses.sum(axis=1)).max(initial=0.0))
    best, fewest = near[0], np.inf
    for two in near:
        if float(start.score[two[1]] - start.score[two[0]]) >= most * fewest:
            break
        number = predicted_removals(units, start, *by_influence(units, start, *two), *two)
        best, fewest = (two, number) if number < fewest else (best, fewest)
    return _exact(fewest_by_influence(at, units, start, *best), best)


def _exact(x: Counts | None, two: Target) -> FewestFound:
    return FewestFound(x, *two, exact=True, at_least=None if x is None else int(x.sum()))


def _standings(rule: str, ballots: bool, prior: float) -> At:
    """The function from counts to levels, scores and their derivatives."""
    if rule == "bradley_terry":
        return partial(bradley_terry_at, prior=prior)
    if rule == "win_rate":
        return share_of_wins
    return points if ballots else net_wins_standing


def _likeliest(units: Units, start: Standing, targets: Sequence[Target]) -> list[tuple[int, Target]]:
    """The targets that influences alone say need fewest, of those with the smallest gaps, and the numbers they say."""
    near = sorted(targets, key=lambda two: float(start.score[two[1]] - start.score[two[0]]))[:SCREENED]
    said = [(predicted_removals(units, start, *by_influence(units, start, *two), *two), two) for two in near]
    return sorted(said, key=lambda one: one[0])[:SEARCHED]


def _search_bound(units: Units, start: Standing, targets: Sequence[Target], prior: float) -> int | None:
    """So many units at least, whatever they are: as many of the largest as hold the weight that must go."""
    weights = []
    for down in sorted({down for _, down in targets}):
        bound = at_least(units, start.score, down, prior=prior)
        if bound is None:
            return None
        weights.append(min(float(bound[up]) for up, other in targets if other == down))
    each = np.asarray(units.each_wins.sum(axis=1) + units.each_losses.sum(axis=1)).ravel()
    order = np.argsort(-each, kind="stable")
    held = np.cumsum((each * units.many)[order])
    k = int(np.searchsorted(held, min(weights) * (1 - 1e-9)))
    if k == len(order):
        return int(units.many.sum()) + 1
    before = float(held[k - 1]) if k else 0.0
    more = np.ceil((min(weights) * (1 - 1e-9) - before) / each[order[k]])
    return max(1, int(units.many[order[:k]].sum() + more))


def _copeland(units: Units, targets: Sequence[Target]) -> FewestFound:
    """Copeland's rule: single battles exactly, whole groups by an integer program for the nearest rivals."""
    halves = copeland_halves(units)
    near = sorted(targets, key=lambda two: int(halves[two[1]] - halves[two[0]]))
    if np.diff((units.each_wins + units.each_losses).tocsr().indptr).max(initial=0) <= 1:
        return _copeland_battles(units, near, halves)
    lead = (units.each_wins - units.each_losses).data
    if (lead != np.rint(lead)).any():
        raise DataError(
            "Copeland scores without whole groups need battles that weigh one and are won, lost or tied; these have weights "
            "or soft preferences. Remove single battles, or use another method."
        )
    found, proven = [], len(near) <= PROVEN
    for two in near[:PROVEN]:
        x, sure = fewest_groups(units, *two)
        found.append(FewestFound(x, *two, exact=sure))
        proven &= sure
    best = min(found, key=lambda f: f.number)
    proven |= best.number == 1
    return FewestFound(
        best.x, best.up, best.down, proven, None if best.x is None else int(best.number) if proven else 1
    )


def _copeland_battles(units: Units, near: Sequence[Target], halves: NDArray[np.int64]) -> FewestFound:
    """The cheapest over all targets; a battle removed gains at most two halves, but for the pair of the two, with four."""
    best, turns = _exact(None, near[0]), turns_of(units)
    for up, down in near:
        if (int(halves[down] - halves[up]) - 3) / 2 >= best.number:
            break
        one = _exact(fewest_battles(units, turns, up, down), (up, down))
        best = one if one.number < best.number else best
    return best
