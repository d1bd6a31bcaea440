r"""The fewest battles, and their allocation over pairs, that establish the best agents with certainty.

The best *k* agents are established when the difference of each of them to each of the others is detected. With
:math:`\beta_j` the probability to miss the *j*-th difference if it is truly what it is now, all are detected with
probability

.. math::  \Pr \bigl( Z_j > \Phi^{-1}(\beta_j) \text{ for all } j \bigr),

*Z* having the correlations of the differences. Some number of battles in present proportions suffices. From there,
proportions follow the gain of one battle of each pair in :math:`\sum_j \beta_j`, by the steps of `next_pairs`, and the
number is minimized for them, in turn for as long as it falls.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike
from beatpath._errors import UsageError
from beatpath._result import Rows, TableResult
from beatpath._text import listed, quoted
from beatpath.inference.design.power import (
    MOST,
    Aim,
    PairPlan,
    about,
    chance_of_missing,
    pair_rows,
    pairs_text,
    planned_pairs,
    reallocated,
    rise,
)
from beatpath.inference.design.sample_size import Outlook, PairsOfAgents
from beatpath.inference.leaderboard import Leaderboard, variances_of_differences
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.scores.scored import HasBoard, scored_of
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.stats.smallest import bisected

LOG_MOST = float(np.log(MOST))  # log of the most battles a pair may get
ROUNDS = 30  # most rounds of changing proportions and numbers in turn
DRAWS = 2000  # simulations of the joint power: 0.8 then has a standard error of 0.009


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleSizeForTop(TableResult):
    """The battles that would establish the best agents.

    Attributes
    ----------
    best : tuple of str
        The agents to establish, highest score first; empty when a tie at the boundary leaves them open.
    battles : float
        Total of further battles; 0 when nothing is open, infinite when no number suffices.
    pairs : tuple of (str, str, int)
        Battles of each pair, most first.
    spread : float
        Total when all pairs grow in proportion to their battles.
    note : str
        Why there is no plan, if so.
    settings : mapping
        All settings.
    """

    best: tuple[str, ...]
    battles: float
    pairs: PairPlan
    spread: float
    note: str
    settings: Mapping[str, Any]

    def _finding(self) -> str:
        """What to play to establish the top, as a sentence."""
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
    evidence: EvidenceLike | WinRateEstimate | HasBoard,
    *,
    best: int = 1,
    level: float = 0.95,
    power: float = 0.8,
    critical: float | None = None,
) -> SampleSizeForTop:
    """Return the fewest battles, and their pairs, that would establish the best agents with certainty.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs or Resolution, or what `read` takes
        Scores must be fixed-weight means of win rates. Evidence is scored with default conventions; `resolve` takes
        others.
    best : int, default 1
        Number of agents to establish against all others; 1 for first place.
    level, critical : float
        As for `minimum_detectable_effect`.
    power : float, default 0.8
        Probability that every difference is detected, if all truly are what they are now.

    Returns
    -------
    SampleSizeForTop

    See Also
    --------
    next_pairs : Which pairs to play with a fixed budget.
    sample_size : Battles needed to separate two agents.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> counts = [[57, 43, 0, 0], [80, 20, 0, 0], [80, 20, 0, 0]]
    >>> print(sample_size_for_top(Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], counts), critical=1.96))
    Settling first place takes about 1,100 more battles, best spent on 'ada' and 'bob' (554), 'bob' and 'cyd' (303), \
'ada' and 'cyd' (288); spread over all pairs as now, it takes about 1,300 more battles.

    Notes
    -----
    Where clusters span several pairs, or pairs have hardly any battles, the plan suffices but may not be minimal.
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
    search = FewestForAll(outlook, (np.repeat(inside, len(outside)), np.tile(outside, best)), aim)
    names = tuple(board.agents[i] for i in inside)
    if search.settled():
        return SampleSizeForTop(names, 0.0, (), 0.0, "", settings)
    times = search.times_all()
    extra = search.plan(times)
    pairs = planned_pairs(board.agents, pairwise.a, pairwise.b, extra)
    total = float(np.ceil(round((times - 1) * float(pairwise.battles.sum()), 6)))
    return SampleSizeForTop(names, float(extra.sum()), pairs, total, "", settings)


def _unplannable(board: Leaderboard, inside: Ints, outside: Ints) -> str:
    """State why no number of battles can be determined, or return an empty string."""
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
    outlook : Outlook
        Standard errors after more battles.
    at : tuple of two (d,) int
        The differences to detect, all positive.
    aim : Aim
        Its power is that of detecting all.
    """

    def __init__(self, outlook: Outlook, at: PairsOfAgents, aim: Aim) -> None:
        self.outlook, self.at, self.aim = outlook, at, aim
        self.played = outlook.pairwise.battles.astype(np.float64)
        self.gap = outlook.board.differences[at]
        self.draws = np.random.default_rng(0).standard_normal((DRAWS, len(outlook.board.agents)))

    def settled(self) -> bool:
        """Return whether all are already detected."""
        board = self.outlook.board
        needed = t_critical(self.aim.critical, board.df[self.at])
        return bool((self.gap > needed * np.sqrt(board.variance_if_equal[self.at])).all())

    def times_all(self) -> float:
        """Return the multiple of all present battles that suffices when all pairs grow alike."""
        _, growth = bisected(lambda x: not self._enough(self.played * np.expm1(x)), 0.0, LOG_MOST, 40)
        return float(np.exp(growth))

    def plan(self, times: float) -> Floats:
        """Return integer numbers of further battles of every pair; `times` is the multiple for growing alike."""
        best = np.ceil(self.played * (times - 1))
        for _ in range(ROUNDS):
            extra = self._as_many_as_needed(reallocated(best, self._gains(best)))
            if not extra.sum() < best.sum():
                break
            best = extra
        return best

    def _as_many_as_needed(self, extra: Floats) -> Floats:
        """Scale further battles down in these proportions as far as possible, in integers."""
        return np.ceil(bisected(lambda x: not self._enough(np.ceil(x * extra)), 0.0, 1.0, 12)[1] * extra)

    def _after(self, extra: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the covariance of scores after more battles, and variances and degrees of freedom of the differences."""
        f = self.outlook.shares(extra)
        covariance = self.outlook.covariance(f)
        return covariance, variances_of_differences(covariance)[self.at], self.outlook.degrees(f)[self.at]

    def _missed(self, variance: Floats, df: Floats) -> Floats:
        """Return the probability to miss each difference."""
        size = self.gap / np.sqrt(np.maximum(variance, 1e-300))
        return np.where(variance > 0, chance_of_missing(self.aim.critical, df, size), 1.0)

    def _enough(self, extra: Floats) -> bool:
        """Return whether all are detected jointly with the intended power."""
        covariance, variance, df = self._after(extra)
        missed = self._missed(variance, df)
        if missed.sum() <= 1 - self.aim.power or missed.max() > 1 - self.aim.power:
            return bool(missed.sum() <= 1 - self.aim.power)
        value, vectors = np.linalg.eigh(np.nan_to_num(covariance))
        z = self.draws @ (vectors * np.sqrt(np.maximum(value, 0.0))).T
        i, j = self.at
        return bool((z[:, i] - z[:, j] > ndtri(missed) * np.sqrt(variance)).all(axis=1).mean() >= self.aim.power)

    def _gains(self, extra: Floats) -> Floats:
        """Return by how much one more battle of each pair reduces the summed probability to miss."""
        _, variance, df = self._after(extra)
        return self.outlook.gains(extra, self.at, rise(lambda changed: -self._missed(changed, df), variance))
