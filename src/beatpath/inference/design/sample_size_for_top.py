r"""How to spread more battles over the pairs so that the best agents are certainly the best, with as few as possible.

The best *k* agents are certified when the difference of each of them to each of the others is found. Of the fewest battles after
which several differences of scores are all found: with :math:`n_p` the battles of a pair, of which :math:`N_p` are there, and :math:`\beta_j` the chance to miss the *j*-th difference,
were it truly what it is now,

.. math::  \min_{n_p \ge N_p} \sum_p n_p \quad \text{subject to} \quad \sum_j \beta_j(n) \le 1 - \text{power},

so that all are found together with at least the probability `power`. New battles coming in clusters of their own, the variance
of a difference :math:`\sum_p l_{jp} \psi_p` is about :math:`v_j = c_j + \sum_p l_{jp}^2 V_{pp} N_p / n_p`, convex in
:math:`\log n`, *l* and *c* being those of all pairs grown alike until it does.
The chance to miss is about [1]_

.. math::  \Phi\Bigl( \frac{t (1 - 1 / 4 \nu) - d / \sqrt v}{\sqrt{1 + t^2 / 2 \nu}} \Bigr),

which is convex in *v* while :math:`d / \sqrt v` is large; beyond its point of inflection the tangent, which is larger, takes its
place. While degrees of freedom :math:`\nu` stay the same that is a convex program; they change where pairs have hardly any
battles, and then what is found may be a local minimum. The Lagrangian is minimised at the lowest price of a miss for which the
constraint holds. As pairs with many battles keep more of their own rates, the weights *l* change with the battles: between
that solution and battles of all pairs alike, the proportions are taken that need fewest once the estimate is worked out anew
(`MatrixEstimate.planned`), with what clusters share between pairs and the noncentral t distribution itself.

References
----------
.. [1] M. Abramowitz, I. A. Stegun, *Handbook of Mathematical Functions*, 1964, 26.7.10.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import ndtr

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError
from beatpath._result import Result, Rows
from beatpath._text import listed, quoted
from beatpath.evidence import Evidence
from beatpath.inference.design.power import (
    MOST,
    Aim,
    PairPlan,
    about,
    chance_of_missing,
    pair_rows,
    pairs_shown,
    planned_pairs,
)
from beatpath.inference.design.sample_size import Outlook
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.scores.scored import HasBoard, scored_of
from beatpath.inference.win_rates.estimate import WinRateEstimate

LOG_MOST = float(np.log(MOST))
PRICES = (-14.0, 12.0)  # between which the logarithm of a miss, in units of all battles, is looked for
NUDGE = 1e-5
SHARES = (1.0, 0.75, 0.5, 0.25)  # of the way from battles of all pairs alike to the least by the sum
TIMES = (-1.0, 2.0)  # between which their logarithm is moved until they do


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleSizeForTop(Result):
    """The battles that would make it certain who the best are.

    Attributes
    ----------
    best : tuple of str
        The agents to be certified, highest score first; empty when a tie at the border leaves open who they are.
    battles : float
        All more battles together; 0 when nothing is open, infinite when no number will do.
    pairs : tuple of (str, str, int)
        How many of each pair, most first.
    spread : float
        How many it takes when all pairs grow in proportion to the battles they have.
    note : str
        Why there is no plan, where there is none.
    settings : mapping
    """

    best: tuple[str, ...]
    battles: float
    pairs: PairPlan
    spread: float
    note: str
    settings: Mapping[str, Any]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to play to settle the top, in words."""
        return (self._finding(),)

    def _finding(self) -> str:
        what = "first place" if self.settings["best"] == 1 else f"the best {self.settings['best']}"
        if self.note:
            return f"How many battles would settle {what} cannot be told: {self.note}."
        if not self.battles:
            return f"{what.capitalize()} is settled already: {listed(self.best)}."
        if len(self.pairs) == 1:
            a, b, _ = self.pairs[0]
            return f"To settle {what}, about {about(self.battles)} between {quoted(a)} and {quoted(b)} would do."
        best = f"about {about(self.battles)} would do, best spent on {pairs_shown(self.pairs)}"
        return f"To settle {what}, {best}; spread over all pairs as at present it takes about {about(self.spread)}."

    def rows(self) -> Rows:
        """Return the pairs to play, one row each, most battles first."""
        return pair_rows(self.pairs)


def sample_size_for_top(
    asked: Evidence | WinRateEstimate | HasBoard,
    *,
    best: int = 1,
    level: float = 0.95,
    power: float = 0.8,
    critical: float | None = None,
) -> SampleSizeForTop:
    """Return the fewest battles, and their pairs, that would make the best agents certainly the best.

    Parameters
    ----------
    asked : Battles, Ballots, Scores, Pairs or Resolution
        Scores must be made of win rates by fixed weights. Evidence is scored by default conventions; `resolve` takes others.
    best : int
        How many agents to certify against all others; 1 for first place.
    level, critical : float
        As for `minimum_detectable_effect`. The agents were chosen for their scores: `critical` should be that of simultaneous
        intervals.
    power : float
        Probability that every difference is found, if all truly are what they are now.

    Returns
    -------
    SampleSizeForTop

    Examples
    --------
    >>> from beatpath import Pairs
    >>> counts = [[57, 43, 0, 0], [80, 20, 0, 0], [80, 20, 0, 0]]
    >>> print(sample_size_for_top(Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], counts)))
    To settle first place, about 1,100 more battles would do, best spent on 'ada' and 'bob' (537), 'bob' and 'cyd' (311), \
'ada' and 'cyd' (299); spread over all pairs as at present it takes about 1,300 more battles.

    Notes
    -----
    Where clusters reach over several pairs, or pairs have hardly any battles, the plan does what it says but need not be the
    least.
    """
    aim = Aim(level, power, critical)
    pairwise, board = scored_of(asked)
    told = {**aim.settings(), "best": best, "estimand": board.settings.get("estimand", "mean_win_rate")}
    scored = np.flatnonzero(~np.isnan(board.score))
    if isinstance(best, bool) or not isinstance(best, int | np.integer) or not 1 <= best < max(len(scored), 2):
        raise UsageError(
            f"`best` must be from 1 to {max(len(scored) - 1, 1)}, one less than agents with scores; got {best}."
        )
    outlook = Outlook(pairwise, board)
    order = scored[np.argsort(-board.score[scored], kind="stable")]
    inside, outside = order[:best], order[best:]
    note = _unplannable(board, inside, outside)
    if note:
        return SampleSizeForTop((), np.inf, (), np.inf, note, told)
    search = FewestForAll(pairwise, board, outlook, np.ix_(inside, outside), aim)
    names = tuple(board.agents[i] for i in inside)
    if search.settled():
        return SampleSizeForTop(names, 0.0, (), 0.0, "", told)
    times = search.times_all()
    extra = search.plan(times)
    pairs = planned_pairs(board.agents, pairwise.a, pairwise.b, extra)
    total = float(np.ceil(round((times - 1) * float(pairwise.battles.sum()), 6)))
    return SampleSizeForTop(names, float(extra.sum()), pairs, total, "", told)


def _unplannable(board: Leaderboard, inside: Ints, outside: Ints) -> str:
    """Why no number of battles can be told, or nothing."""
    if not len(outside):
        return "fewer than two agents have a score"
    if not (board.differences[np.ix_(inside, outside)] > 0).all():
        last, next_ = board.agents[inside[-1]], board.agents[outside[0]]
        return f"{quoted(last)} and {quoted(next_)} have the same score, and no battles would separate them if that is true"
    if not estimable(board)[np.ix_(inside, outside)].all():
        return "the variance of some difference is not positive"
    return ""


class FewestForAll:
    """The search for the fewest battles.

    Parameters
    ----------
    pairwise : WinRateEstimate
    board : Leaderboard
    outlook : Outlook
    at : tuple of arrays
        Picks the differences to be found out of an (n, n) matrix, all of them positive; as `numpy.ix_` makes it.
    aim : Aim
        Its power is that of finding all.
    """

    def __init__(
        self, pairwise: WinRateEstimate, board: Leaderboard, outlook: Outlook, at: tuple[NDArray[Any], ...], aim: Aim
    ) -> None:
        self.pairwise, self.board, self.outlook, self.at, self.aim = pairwise, board, outlook, at, aim
        self.played = pairwise.battles.astype(np.float64)
        self.gap, self.df, self.variance = (
            matrix[at] for matrix in (board.differences, board.df, board.variance_of_differences)
        )

    def settled(self) -> bool:
        """Return whether all are found already."""
        return bool((self.gap > t_critical(self.aim.value, self.df) * np.sqrt(self.variance)).all())

    def times_all(self) -> float:
        """Return how many times the battles of all pairs together it takes, when all grow alike."""

        def does(log_times: float) -> bool:
            return self._does(self.played * np.exp(log_times))

        return float(np.exp(_smallest(does, 0.0, LOG_MOST, 60)))

    def plan(self, times: float) -> Floats:
        """Return more battles of every pair, in whole numbers; `times` is what growing alike takes."""
        best = np.ceil(self.played * (times - 1))
        even = np.log(self.played * times)
        least = self._least_by_the_sum(times, even)
        for share in SHARES:
            extra = self._as_much_as_needed((1 - share) * even + share * least)
            if extra.sum() < best.sum() and self._does(self.played + extra):
                best = extra
        return best

    def _least_by_the_sum(self, times: float, even: Floats) -> Floats:
        """The logarithm of the battles that do with the variances of `Misses`, at the lowest price of a miss."""
        misses, x, unit = self._misses(times), even, float(self.played.sum() * times)

        def does(log_price: float) -> bool:
            nonlocal x
            new = _least(misses, x, self.played, unit, np.exp(log_price))
            enough = misses(new)[0] <= 1 - self.aim.power
            x = new if enough else x
            return enough

        _smallest(does, *PRICES, 14)
        return x

    def _as_much_as_needed(self, log_n: Floats) -> Floats:
        """More battles in these proportions, as many as do, in whole numbers."""

        def after(log_times: float) -> Floats:
            return np.maximum(np.ceil(np.exp(log_n + log_times) - 1e-9), self.played)

        return after(_smallest(lambda x: self._does(after(x)), *TIMES, 16)) - self.played

    def _does(self, total: Floats) -> bool:
        """Whether so many battles of every pair are enough."""
        f = self.played / total
        return self._enough(self._variances(f), self.outlook.degrees(f)[self.at])

    def _variances(self, f: Floats) -> Floats:
        return replace(self.board, covariance=self.outlook.covariance(f)).variance_of_differences[self.at]

    def _enough(self, variance: Floats, df: Floats) -> bool:
        """Whether all are found together as surely as is aimed at."""
        if not (variance > 0).all():
            return False
        missed = chance_of_missing(self.aim.value, df, self.gap / np.sqrt(variance))
        return float(missed.sum()) <= 1 - self.aim.power

    def _misses(self, times: float) -> "Misses":
        """The chance to miss around so many times the battles, what battles cannot lessen held fixed."""
        f = np.full(len(self.played), 1 / times)
        made = self.outlook.planned(f)
        i, j = (np.broadcast_to(side, self.gap.shape).ravel() for side in self.at)
        A, rest = made.influence, made.influence - made.direct.toarray()
        both = A[i] ** 2 + A[j] ** 2
        terms = ((A[i] - A[j]) ** 2 * made.phi * made.v + (rest[i] - rest[j]) ** 2 * made.deviation) * self.played / f
        stays = np.maximum(self._variances(f).ravel() - terms @ (f / self.played), 0.0)
        size = self.played / np.minimum(self.pairwise.df + 1, self.played)  # battles in a cluster of the pair
        return Misses(
            csr_array(terms),
            csr_array(both * size),
            csr_array(both**2 * size**3),
            self.gap.ravel(),
            self.aim.value,
            stays,
        )


class Misses:
    r"""The summed chance to miss as a function of :math:`\log n`.

    Parameters
    ----------
    terms : (k, p) sparse
        :math:`l_{jp}^2 V_{pp} N_p`, for the variances.
    totals, squares : (k, p) sparse
        What, over :math:`n_p` and its cube, adds up to the two sums behind the degrees of freedom.
    gap : (k,) float
    critical : float
        On the Gaussian scale.
    stays : (k,) float or 0
        What battles do not lessen.
    """

    def __init__(
        self,
        terms: csr_array,
        totals: csr_array,
        squares: csr_array,
        gap: Floats,
        critical: float,
        stays: Floats | float = 0.0,
    ) -> None:
        self.terms, self.totals, self.squares, self.gap, self.critical = terms, totals, squares, gap, critical
        self.stays = stays

    def __call__(self, log_n: Floats) -> tuple[float, Floats]:
        """Return the sum and its slopes, shape (p,)."""
        inverse = np.exp(-log_n)
        variance, total, square = self.terms @ inverse + self.stays, self.totals @ inverse, self.squares @ inverse**3
        number = total**2 / square
        df = np.maximum(number - 1, 1.0)
        missed, in_variance = missed_or_tangent(variance, self.gap, self.critical, df)
        up, down = (missed_or_tangent(variance, self.gap, self.critical, df * (1 + h))[0] for h in (NUDGE, -NUDGE))
        in_number = (up - down) / (2 * NUDGE * df) * number
        slopes = -(self.terms.T @ in_variance) * inverse - 2 * (self.totals.T @ (in_number / total)) * inverse
        return float(missed.sum()), slopes + 3 * (self.squares.T @ (in_number / square)) * inverse**3


def missed_or_tangent(variance: Floats, gap: Floats, critical: float, df: Floats) -> tuple[Floats, Floats]:
    r"""Return about the chance to miss, beyond its point of inflection the tangent there, and the slope in the variance.

    Examples
    --------
    With a difference of 1 and a critical value of 2 the chance is Phi(-3) where the standard error is 1/5, and the tangent
    begins where it is 1/3: from Phi(-1) it rises by phi(1) * 3 / (2 / 9) times the variance beyond 1/9.

    >>> value, slope = missed_or_tangent(np.array([0.04, 1.0]), np.ones(2), 2.0, np.full(2, np.inf))
    >>> [round(float(x), 5) for x in (*value, *slope)]
    [0.00135, 3.0623, 0.27699, 3.2666]
    """
    t = t_critical(critical, df)
    middle, spread = t * (1 - 1 / (4 * df)), np.sqrt(1 + t**2 / (2 * df))
    last = (2 * gap / (middle + np.sqrt(middle**2 + 12 * spread**2))) ** 2
    up_to = np.minimum(variance, last)
    size = gap / np.sqrt(up_to)
    u = (middle - size) / spread
    slope = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi) / spread * size / (2 * up_to)
    return ndtr(u) + slope * (variance - up_to), slope


def _least(misses: Misses, start: Floats, played: Floats, unit: float, price: float) -> Floats:
    """The logarithm of the battles for which their number, in units, and the price of all misses are least."""

    def cost(log_n: Floats) -> tuple[float, Floats]:
        missed, slopes = misses(log_n)
        n = np.exp(log_n) / unit
        return float(n.sum()) + price * missed, n + price * slopes

    bounds = np.column_stack([np.log(played), np.full(len(played), LOG_MOST)])
    found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500, "gtol": 1e-9})
    return np.asarray(found.x)


def _smallest(does: Callable[[float], bool], low: float, high: float, steps: int) -> float:
    """The smallest number of an interval that does, where all larger ones do; its upper end when none does."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if does(middle) else (middle, high)
    return high
