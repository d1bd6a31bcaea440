r"""How to spread more battles over the pairs so that the best agents are certainly the best, with as few as possible.

The best *k* agents are certified when the difference of each of them to each of the others is found. With :math:`\beta_j` the chance to
miss the *j*-th difference were it truly what it is now, all are found together with the chance

.. math::  \Pr \bigl( Z_j > \Phi^{-1}(\beta_j) \text{ for all } j \bigr),

*Z* having the correlations of the differences. More battles of all pairs in the present proportions do at some number. From there on the
proportions follow what one battle of each pair takes from :math:`\sum_j \beta_j`, by the steps of `next_pairs`, and as many battles are
planned in them as needed, in turn for as long as that takes fewer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError
from beatpath._result import Result, Rows
from beatpath._text import listed, quoted
from beatpath.evidence import Evidence
from beatpath.inference.design.power import (
    MOST,
    NUDGE,
    Aim,
    PairPlan,
    about,
    chance_of_missing,
    pair_rows,
    pairs_text,
    planned_pairs,
    reallocated,
)
from beatpath.inference.design.sample_size import Outlook
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.scores.scored import HasBoard, scored_of
from beatpath.inference.win_rates.estimate import WinRateEstimate

LOG_MOST = float(np.log(MOST))  # the most battles a pair may get
ROUNDS = 30  # of changing proportions and numbers in turn, at most
DRAWS = 2000  # of the differences that are to be found together: a chance of 0.8 then has a standard error of 0.009


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
            return f"How many battles would settle {what} cannot be determined: {self.note}."
        if not self.battles:
            return f"{what.capitalize()} is settled already: {listed(self.best)}."
        if len(self.pairs) == 1:
            a, b, _ = self.pairs[0]
            return f"Settling {what} takes about {about(self.battles)} between {quoted(a)} and {quoted(b)}."
        best = f"takes about {about(self.battles)}, best spent on {pairs_text(self.pairs)}"
        return f"Settling {what} {best}; spread over all pairs as now, it takes about {about(self.spread)}."

    def rows(self) -> Rows:
        """Return the pairs to play, one row each, most battles first."""
        return pair_rows(self.pairs)


def sample_size_for_top(
    evidence: Evidence | WinRateEstimate | HasBoard,
    *,
    best: int = 1,
    level: float = 0.95,
    power: float = 0.8,
    critical: float | None = None,
) -> SampleSizeForTop:
    """Return the fewest battles, and their pairs, that would make the best agents certainly the best.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs or Resolution
        Scores must be made of win rates by fixed weights. Evidence is scored by default conventions; `resolve` takes others.
    best : int
        How many agents to certify against all others; 1 for first place.
    level, critical : float
        As for `minimum_detectable_effect`.
    power : float
        Probability that every difference is found, if all truly are what they are now.

    Returns
    -------
    SampleSizeForTop

    Examples
    --------
    >>> from beatpath import Pairs
    >>> counts = [[57, 43, 0, 0], [80, 20, 0, 0], [80, 20, 0, 0]]
    >>> print(sample_size_for_top(Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], counts), critical=1.96))
    Settling first place takes about 1,100 more battles, best spent on 'ada' and 'bob' (554), 'bob' and 'cyd' (303), \
'ada' and 'cyd' (288); spread over all pairs as now, it takes about 1,300 more battles.

    Notes
    -----
    Where clusters reach over several pairs, or pairs have hardly any battles, the plan does what it says but need not be the
    least.
    """
    pairwise, board = scored_of(evidence)
    aim = Aim.of(evidence, board, level, power, critical)
    settings = {**aim.settings(board), "best": best}
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
        return SampleSizeForTop((), np.inf, (), np.inf, note, settings)
    search = FewestForAll(board, outlook, np.ix_(inside, outside), aim)
    names = tuple(board.agents[i] for i in inside)
    if search.settled():
        return SampleSizeForTop(names, 0.0, (), 0.0, "", settings)
    times = search.times_all()
    extra = search.plan(times)
    pairs = planned_pairs(board.agents, pairwise.a, pairwise.b, extra)
    total = float(np.ceil(round((times - 1) * float(pairwise.battles.sum()), 6)))
    return SampleSizeForTop(names, float(extra.sum()), pairs, total, "", settings)


def _unplannable(board: Leaderboard, inside: Ints, outside: Ints) -> str:
    """Why no number of battles can be determined, or nothing."""
    if not len(outside):
        return "fewer than two agents have a score"
    if not (board.differences[np.ix_(inside, outside)] > 0).all():
        last, next_ = board.agents[inside[-1]], board.agents[outside[0]]
        return f"{quoted(last)} and {quoted(next_)} have the same score, and no battles separate them if that is true"
    if not estimable(board)[np.ix_(inside, outside)].all():
        return "the variance of some difference is not positive"
    return ""


class FewestForAll:
    """The search for the fewest battles.

    Parameters
    ----------
    board : Leaderboard
    outlook : Outlook
    at : tuple of arrays
        Picks the differences to be found out of an (n, n) matrix, all of them positive; as `numpy.ix_` makes it.
    aim : Aim
        Its power is that of finding all.
    """

    def __init__(self, board: Leaderboard, outlook: Outlook, at: tuple[NDArray[Any], ...], aim: Aim) -> None:
        self.board, self.outlook, self.at, self.aim = board, outlook, at, aim
        self.played = outlook.pairwise.battles.astype(np.float64)
        self.gap = board.differences[at]
        self.draws = np.random.default_rng(0).standard_normal((DRAWS, len(board.agents)))

    def settled(self) -> bool:
        """Return whether all are found already."""
        needed = t_critical(self.aim.critical, self.board.df[self.at])
        return bool((self.gap > needed * np.sqrt(self.board.variance_of_differences[self.at])).all())

    def times_all(self) -> float:
        """Return how many times the battles of all pairs together it takes, when all grow alike."""
        return float(np.exp(_smallest(lambda x: self._enough(self.played * np.expm1(x)), 0.0, LOG_MOST, 40)))

    def plan(self, times: float) -> Floats:
        """Return more battles of every pair, in whole numbers; `times` is what growing alike takes."""
        best = np.ceil(self.played * (times - 1))
        for _ in range(ROUNDS):
            extra = self._as_many_as_needed(reallocated(best, self._gains(best)))
            if not extra.sum() < best.sum():
                break
            best = extra
        return best

    def _as_many_as_needed(self, extra: Floats) -> Floats:
        """More battles in these proportions, as many as are enough and at most these, in whole numbers."""
        return np.ceil(_smallest(lambda x: self._enough(np.ceil(x * extra)), 0.0, 1.0, 12) * extra)

    def _board(self, extra: Floats) -> tuple[Leaderboard, Floats]:
        """The board with so many more battles, and the chance to miss each difference."""
        f = self.played / (self.played + extra)
        board = replace(self.board, covariance=self.outlook.covariance(f), df=self.outlook.degrees(f))
        return board, self._missed(board.variance_of_differences[self.at], board.df[self.at])

    def _missed(self, variance: Floats, df: Floats) -> Floats:
        size = self.gap / np.sqrt(np.maximum(variance, 1e-300))
        return np.where(variance > 0, chance_of_missing(self.aim.critical, df, size), 1.0)

    def _enough(self, extra: Floats) -> bool:
        """Whether all are found together as surely as is aimed at."""
        board, missed = self._board(extra)
        if missed.sum() <= 1 - self.aim.power or missed.max() > 1 - self.aim.power:
            return bool(missed.sum() <= 1 - self.aim.power)
        value, vectors = np.linalg.eigh(np.nan_to_num(board.covariance))
        z = self.draws @ (vectors * np.sqrt(np.maximum(value, 0.0))).T
        i, j = (np.broadcast_to(side, missed.shape).ravel() for side in self.at)
        needed = ndtri(missed.ravel()) * np.sqrt(board.variance_of_differences[self.at].ravel())
        return bool((z[:, i] - z[:, j] > needed).all(axis=1).mean() >= self.aim.power)

    def _gains(self, extra: Floats) -> Floats:
        """By how much one more battle of each pair lessens the summed chance to miss."""
        board, _ = self._board(extra)
        variance, df = board.variance_of_differences[self.at], board.df[self.at]
        more, less = (self._missed(variance * (1 + step), df) for step in (NUDGE, -NUDGE))
        slope = np.zeros_like(board.covariance)
        slope[self.at] = (more - less) / (2 * NUDGE * variance)
        return self.outlook.gains(extra, slope + slope.T)


def _smallest(does: Callable[[float], bool], low: float, high: float, steps: int) -> float:
    """The smallest number of an interval that does, where all larger ones do; its upper end when none does."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if does(middle) else (middle, high)
    return high
