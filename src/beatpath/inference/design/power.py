r"""Power analysis: the goal of a plan, the minimum detectable effect, and how many comparisons settle majorities.

A difference of true size :math:`\delta`, whose estimate has standard error :math:`s` with :math:`\nu` degrees of
freedom, is detected when Student's statistic exceeds its critical value :math:`t`. That has probability

.. math::  \Pr(T_\nu(\delta / s) > t),

:math:`T_\nu(\lambda)` being noncentral with noncentrality :math:`\lambda`. Only detection with the right sign counts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, chdtri, nctdtr, nctdtrinc

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike
from beatpath._errors import UsageError
from beatpath._result import Result, Rows
from beatpath._text import confidence, counted, listed, quoted
from beatpath._validate import require_share
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.options import RankOptions
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.ranks.grouping import point_ranks
from beatpath.inference.ranks.rank_sets import RankSets, ranked
from beatpath.inference.scores.scored import HasBoard, board_of
from beatpath.inference.win_rates.estimate import WinRateEstimate

PairPlan = tuple[tuple[str, str, int], ...]  # two agents and how many battles they play
Codes = NDArray[np.integer]

SHOWN = 3  # most planned pairs named in a sentence
MANY = 1e9  # degrees of freedom that are effectively infinite
FAR = 200.0  # critical value of Student's t beyond which the Gaussian part of the error is negligible
NUDGE = 1e-4  # relative step of the numerical derivative of probabilities by a variance
NOTHING = 1e-300  # gain below which no battle is worth anything
LEAST = 1e-3  # share of the largest allocation below which a pair gets none
MOST = 2**50  # battles; plans that need more count as unreachable


@dataclass(frozen=True, slots=True)
class Aim:
    """The goal of a plan: to detect a difference at this critical value, on the Gaussian scale, with this power."""

    level: float = 0.95
    power: float = 0.8
    critical: float = 1.959964

    @classmethod
    def of(
        cls, source: object, board: Leaderboard, level: float, power: float = 0.8, critical: float | None = None
    ) -> "Aim":
        """Return the goal with the given critical value, or that of `resolve` for the differences still open."""
        require_share("level", level)
        require_share("power", power)
        if critical is not None and not (np.isfinite(critical) and critical > 0):
            raise UsageError(f"`critical` must be a finite number above 0; got {quoted(critical)}.")
        return cls(level, power, float(critical_value(source, board, level) if critical is None else critical))

    def settings(self, board: Leaderboard) -> dict[str, Any]:
        """Return level, power, critical value and estimand."""
        estimand = board.settings.get("estimand", "mean_win_rate")
        return {"level": self.level, "power": self.power, "critical": self.critical, "estimand": estimand}


def critical_value(source: object, board: Leaderboard, level: float) -> float:
    """Return the Gaussian critical value of the last step of the simultaneous comparison that `resolve` makes.

    >>> three = Leaderboard(("ada", "bob", "cyd"), np.zeros(3), np.eye(3), np.full((3, 3), np.inf), "mean")
    >>> round(critical_value(None, three, 0.95), 1)  # Tukey's 3.31 over the root of two
    2.3
    """
    if len(board.agents) == 2:
        return bonferroni(level, 2).value
    ranks = getattr(source, "ranks", None)
    if not isinstance(ranks, RankSets) or ranks.level != level:
        ranks = ranked(board, RankOptions(level=level))
    known = ranks.critical[np.isfinite(ranks.critical)]
    return float(known.max()) if len(known) else bonferroni(level, 2).value


def standard_errors_needed(critical: float, df: ArrayLike, power: float) -> Floats:
    r"""Return the size, in standard errors, at which a difference is detected with this power.

    The :math:`\lambda \ge 0` with :math:`\Pr(T_\nu(\lambda) > t) = \text{power}`, where *t* is the critical value for
    :math:`\nu` degrees of freedom. With many it is :math:`z_{level} + z_{power}`. Where *t* is very large, only the
    error of the standard error matters, :math:`T_\nu(\lambda) \approx \lambda / \sqrt{\chi^2_\nu / \nu}`.

    >>> standard_errors_needed(1.959964, [np.inf, 10, 2], 0.8).round(3)
    array([2.802, 3.11 , 5.653])
    """
    nu = np.minimum(np.asarray(df, dtype=np.float64), MANY)
    t = t_critical(critical, nu)
    near = np.minimum(t, FAR)  # beyond it the exact inverse is too slow
    needed = np.where(t > FAR, t * np.sqrt(chdtri(nu, 1 - power) / nu), nctdtrinc(nu, 1 - power, near))
    return np.maximum(needed, 0.0)


def chance_of_missing(critical: float, df: ArrayLike, standard_errors: ArrayLike) -> Floats:
    """Return the probability of not detecting a difference of this many standard errors.

    >>> chance_of_missing(1.959964, [np.inf, 10, 2], [2.802, 3.11, 5.653]).round(3)
    array([0.2, 0.2, 0.2])
    """
    nu, size = np.minimum(np.asarray(df, dtype=np.float64), MANY), np.asarray(standard_errors, dtype=np.float64)
    t = t_critical(critical, nu)
    missed = np.where(t > FAR, chdtrc(nu, nu * (size / t) ** 2), nctdtr(nu, size, np.minimum(t, FAR)))
    return np.where(np.isnan(missed) & (size > t), 0.0, missed)  # underflow


def score_amount(value: float, settings: Mapping[str, Any]) -> str:
    """Return a difference of scores with its unit: percentage points for win rates.

    >>> score_amount(0.0412, {"estimand": "mean_win_rate"}), score_amount(12.34, {"estimand": "mean_score"})
    ('4.1 percentage points', '12.3')
    """
    estimand = settings["estimand"]
    if isinstance(estimand, Mapping) or estimand in ("mean_win_rate", "as_sampled", "probability_of_improvement"):
        return f"{100 * value:.2g} percentage points"
    return f"{value:.3g}"


def planned_pairs(agents: tuple[str, ...], a: Codes, b: Codes, extra: Floats | Ints) -> PairPlan:
    """Return the pairs with new battles, most first, ties in the order of the agents.

    >>> planned_pairs(("ada", "bob", "cyd"), np.array([0, 0]), np.array([1, 2]), np.array([3, 5]))
    (('ada', 'cyd', 5), ('ada', 'bob', 3))
    """
    order = np.argsort(-extra, kind="stable")
    return tuple((agents[a[p]], agents[b[p]], int(extra[p])) for p in order if extra[p])


def reallocated(extra: Floats, gain: Floats) -> Floats:
    """Return as many battles, each pair scaled by the root of its marginal gain; none where no battle gains anything.

    >>> reallocated(np.array([5.0, 5.0, 0.0]), np.array([4.0, 1.0, 9.0])).round(2)
    array([6.67, 3.33, 0.  ])
    """
    gain = np.where(extra > 0, np.maximum(gain, 0.0), 0.0)
    if not extra @ gain > NOTHING:
        return np.zeros_like(extra)
    new = extra * np.sqrt(gain / gain.max())
    new[new < LEAST * new.max()] = 0.0
    return np.asarray(new * (extra.sum() / new.sum()))


def rise(value: Callable[[Floats], Floats], variance: Floats) -> Floats:
    """Return how fast a function of variances rises as each of them falls.

    >>> rise(lambda v: -(v**2), np.array([3.0])).round(6)
    array([6.])
    """
    return np.asarray((value(variance * (1 - NUDGE)) - value(variance * (1 + NUDGE))) / (2 * NUDGE * variance))


def pair_rows(pairs: PairPlan) -> Rows:
    """Return planned pairs, one row each."""
    return [{"a": a, "b": b, "battles": k} for a, b, k in pairs]


def pairs_text(pairs: PairPlan) -> str:
    """Return the first three planned pairs as text, with the number of the others."""
    text = ", ".join(f"{quoted(a)} and {quoted(b)} ({k:,})" for a, b, k in pairs[:SHOWN])
    return f"{text}, and {counted(len(pairs) - SHOWN, 'more pair')}" if len(pairs) > SHOWN else text


def times_in_ten(power: float) -> str:
    """Return a probability as a natural frequency.

    >>> times_in_ten(0.8), times_in_ten(0.95)
    ('8 times in 10', '95 times in 100')
    """
    tenths = round(10 * power, 9)
    return f"{tenths:.0f} times in 10" if tenths.is_integer() else f"{100 * power:.4g} times in 100"


def about(number: float) -> str:
    """Return a number of battles as text, to two significant figures.

    >>> about(873.0), about(1.0), about(12345.0)
    ('870 more battles', '1 more battle', '12,000 more battles')
    """
    if not number < MOST:
        return "an infeasible number of battles"
    digits = max(int(np.floor(np.log10(max(number, 1)))) - 1, 0)
    return counted(round(number, -digits), "more battle")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MinimumDetectableEffect(Result):
    """The smallest differences that data of this size detect.

    Attributes
    ----------
    agents : tuple of str
        Names.
    gap : (n, n) float
        For every pair of agents; NaN without a usable variance, and on the diagonal.
    median : float
        Over all pairs.
    leaders : tuple of str
        The two agents with the highest scores; more if tied.
    between_leaders : float
        The largest gap needed between any two of them.
    settings : mapping
        ``level``, ``power``, ``critical``, ``estimand``.
    """

    agents: tuple[str, ...]
    gap: Floats
    median: float
    leaders: tuple[str, ...]
    between_leaders: float
    settings: Mapping[str, Any]

    def _finding(self) -> str:
        """The gap that these data can detect, as a sentence."""
        if np.isnan(self.median):
            return "The gap that these data detect cannot be determined: no difference of two scores has a usable variance."
        often = times_in_ten(self.settings["power"])
        text = f"With these data a gap of {score_amount(self.median, self.settings)} between two agents is detected {often}"
        if len(self.agents) < 3 or np.isnan(self.between_leaders):
            return f"{text}."
        return f"{text}; between the leaders, {listed(self.leaders, 3)}, one of {score_amount(self.between_leaders, self.settings)}."


def minimum_detectable_effect(
    evidence: EvidenceLike | WinRateEstimate | Leaderboard | HasBoard,
    *,
    level: float = 0.95,
    power: float = 0.8,
    critical: float | None = None,
) -> MinimumDetectableEffect:
    """Return the smallest difference between two agents' scores that these data detect with probability `power`.

    Parameters
    ----------
    evidence : Leaderboard, Battles, Ballots, Scores, Pairs or Resolution, or what `read` takes
        Evidence is scored with default conventions; `leaderboard` and `resolve` take others.
    level : float, default 0.95
        Confidence level, simultaneous for all differences.
    power : float, default 0.8
        Probability of detecting the difference with its right sign.
    critical : float, optional
        Critical value on the Gaussian scale; by default the simultaneous one of `resolve`. 1.96 plans for a single
        difference.

    Returns
    -------
    MinimumDetectableEffect

    See Also
    --------
    sample_size : Battles needed to separate two agents.

    Examples
    --------
    Two scores with standard errors of 3 and 4 hundredths: their difference has one of 5, of which 2.80 are needed.

    >>> board = Leaderboard(("ada", "bob"), np.array([0.6, 0.4]), np.diag([0.0009, 0.0016]), np.full((2, 2), np.inf), "mean",
    ...               {"estimand": "mean_win_rate"})
    >>> print(minimum_detectable_effect(board))
    With these data a gap of 14 percentage points between two agents is detected 8 times in 10.

    Notes
    -----
    The standard errors are those of the data at hand, for any gap; for win rates near one half they are largest and
    hardly change.
    """
    board = board_of(evidence)
    aim = Aim.of(evidence, board, level, power, critical)
    used = estimable(board)
    gap = np.full(used.shape, np.nan)
    needed = standard_errors_needed(aim.critical, board.df[used], power)
    gap[used] = needed * np.sqrt(board.variance_of_differences[used])
    leaders = _leaders(board)
    between = gap[np.ix_(leaders, leaders)]
    known = ~np.isnan(between)
    return MinimumDetectableEffect(
        board.agents,
        gap,
        float(np.median(gap[used])) if used.any() else np.nan,
        tuple(board.agents[i] for i in leaders),
        float(between[known].max()) if known.any() else np.nan,
        aim.settings(board),
    )


def _leaders(board: Leaderboard) -> Ints:
    """Return the agents with at least the second-highest score."""
    rank = point_ranks(board.score)
    scored = np.flatnonzero(rank)
    leading = scored[rank[scored] <= np.sort(rank[scored])[:2].max(initial=0)]
    return leading[np.argsort(rank[leading], kind="stable")]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparisonsNeeded(Result):
    """Comparisons that settle every majority, with a family-wise error probability of `error`.

    Attributes
    ----------
    each : (n, n) float
        For every pair by its own margin; infinite for an even pair, 0 on the diagonal.
    uniform : float
        The same for all pairs, by the smallest margin: the bound of the paper.
    margin : float
        The smallest margin.
    error : float
        The probability that any majority comes out wrong.
    """

    each: Floats
    uniform: float
    margin: float
    error: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many comparisons of every pair settle all majorities."""
        sure = f"with a family-wise error probability of at most {confidence(self.error)}"
        if not np.isfinite(self.uniform):
            return (f"No number of comparisons settles every majority {sure}: some pair is even.",)
        return (f"{self.uniform:,.0f} comparisons of every pair settle all majorities {sure}.",)


def comparisons_needed(P: ArrayLike, *, error: float = 0.05) -> ComparisonsNeeded:
    r"""Return how many independent comparisons make every majority right with probability at least 1 - error.

    .. math::  m \ge \frac{1}{2 \delta^2} \log \frac{2 \binom n2}{\delta_{\mathrm{total}}},

    Proposition 5.14 of Soft Tournament Equilibrium, with :math:`\delta = \min |P_{ab} - 1/2|`. Its proof, Hoeffding's
    inequality for each pair and a union bound, also holds with each pair's own margin in place of the smallest, which
    needs far fewer comparisons of clear pairs.

    Parameters
    ----------
    P : (n, n) float
        Win probabilities. Estimated ones give an estimate.
    error : float, default 0.05
        Probability that any majority comes out wrong, between 0 and 1.

    Returns
    -------
    ComparisonsNeeded

    Examples
    --------
    A margin of 0.2 in one pair: log(2 / 0.05) / 0.08 = 46.1.

    >>> needed = comparisons_needed([[0.5, 0.7], [0.3, 0.5]])
    >>> needed.uniform, needed.each[0, 1]
    (47.0, np.float64(47.0))
    """
    require_share("error", error, 0.05)
    margin = np.abs(np.asarray(P, dtype=np.float64) - 0.5)
    n = len(np.atleast_1d(margin))
    if margin.shape != (n, n):
        raise UsageError(f"`P` must be a square matrix of win rates; got shape {margin.shape}.")
    pair = ~np.eye(n, dtype=bool)
    least = float(margin[pair].min(initial=0.5))
    log_pairs = np.log(max(1.0, n * (n - 1)) / error)
    each = np.zeros((n, n))
    with np.errstate(divide="ignore"):
        each[pair] = np.ceil(np.round(log_pairs / (2 * margin[pair] ** 2), 9))
    return ComparisonsNeeded(each, float(each.max(initial=0.0)), least, float(error))
