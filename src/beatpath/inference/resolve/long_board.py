r"""Boards of many agents: scores with simultaneous confidence intervals, and the ranks that these allow.

Every score has its own standard error; no n x n table is built. With intervals :math:`[l_a, u_a]` that hold
simultaneously for all agents (Bonferroni, Student's *t*), *a* is certainly above *c* where :math:`l_a > u_c`, so an
agent's rank lies between

.. math::  1 + \#\{c : l_c > u_a\} \quad\text{and}\quad n - \#\{c : u_c < l_a\} .

Compared with simultaneous tests of all differences this costs little: for *n* agents with equal standard errors, two
intervals separate at :math:`2 z_{1 - \alpha / 2n}` standard errors, a difference at
:math:`\sqrt 2\, z_{1 - \alpha / n^2}`: 9.8 and 9.2 for 34,000 agents.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import stdtrit

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._memory import require_memory
from beatpath._progress import doing
from beatpath._result import plain
from beatpath._sentence import OPEN, RESOLVED, Name, Sentence
from beatpath._text import any_of, confidence, counted, listed, percent, quoted
from beatpath.inference.leaderboard import largest_first
from beatpath.inference.matrix.rates import rates_of
from beatpath.inference.matrix.sparse import estimate_sparse
from beatpath.inference.matrix.win_matrix import MEAN_WIN_RATE, component_notes, parts_of
from beatpath.inference.options import AUTO, ResolveOptions
from beatpath.inference.ranks.grouping import Groups, by_score
from beatpath.inference.ranks.rank_sets import conditions_of
from beatpath.inference.ranks.ranks import Difference, Ranks, by_part
from beatpath.inference.resolve.resolution import AROUND, BOARD, Resolution, ResolutionRow
from beatpath.inference.scores.mean_scores import TaskMeans, task_means
from beatpath.inference.win_rates.estimate import COMPARED
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile
from beatpath.stats.skewed_means import Asymmetry, score_ends

MOST_AGENTS = 100_000  # most agents whose scores get standard errors; limits time and memory
DRAWS = 100  # random vectors that estimate the variances of all scores; Student's t accounts for the small number
BYTES_A_PAIR, BYTES_AN_AGENT = 600, 4000  # rough memory of the estimate, to refuse a run that would not fit
# Printed: what a board of this size does not include.
LEFT_OUT = "cycles, the fit of a Bradley-Terry model, and differences of single pairs"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LongRanks(Ranks):
    """Ranks that simultaneous confidence intervals allow; `above` is empty, because no n x n table is built.

    Attributes
    ----------
    stderr, df : (n,) float
        Standard error of every score and its degrees of freedom.
    joint_low, joint_high : (n,) float
        Ends of the simultaneous confidence intervals of the scores; NaN without a score.
    """

    stderr: Floats
    df: Floats
    joint_low: Floats
    joint_high: Floats

    @property
    def resolved_pairs(self) -> int:
        """Number of pairs with a certain order."""
        return int((self.best - 1).sum())

    def certain(self, first: str, second: str) -> bool:
        """Return whether the interval of the first agent lies above that of the second."""
        i, j = self.index(first), self.index(second)
        return bool(self.part[i] == self.part[j] and self.joint_low[i] > self.joint_high[j])

    def difference(self, first: str, second: str, n_claims: float | None = None) -> Difference:
        """Return the first score minus the second, with the interval implied by the intervals of the two scores."""
        i, j = self.index(first), self.index(second)
        ends = float(self.joint_low[i] - self.joint_high[j]), float(self.joint_high[i] - self.joint_low[j])
        return Difference(first, second, float(self.score[i] - self.score[j]), np.nan, np.nan, *ends)

    @cached_property
    def grouping(self) -> Groups:
        """Tiers from the top and groups between cuts; boards of this size have no letters."""
        tier, best_tier, cut = np.zeros_like(self.rank), np.zeros_like(self.rank), np.zeros_like(self.rank)
        for order in self.orders:
            low, high = self.joint_low[order], self.joint_high[order]
            up_to, beyond = np.minimum.accumulate(low), np.maximum.accumulate(high[::-1])[::-1]
            cut[order] = 1 + np.append(0, np.cumsum(up_to[:-1] > beyond[1:]))
            best_tier[order] = _tiers(low, high, self.rank[order])
            tier[order] = by_score(best_tier[order], self.rank[order])
        return Groups(tier, cut, (), best_tier)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the board as plain data."""
        return {**super().columns(), "joint_low": plain(self.joint_low), "joint_high": plain(self.joint_high)}


class LongRow(ResolutionRow):
    """One agent of a long board.

    Attributes
    ----------
    joint_low, joint_high : float
        Ends of its simultaneous confidence interval.
    """

    joint_low: float
    joint_high: float


@dataclass(frozen=True, eq=False, repr=False)
class LongBoard(Resolution):
    """Scores of more agents than can be compared pair by pair, and the ranks that their intervals allow."""

    document: ClassVar[tuple[str, ...]] = ("answer=short_answer", *BOARD, "parts=n_parts", *AROUND)

    ranks: LongRanks

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The agents of each connected component, largest first."""
        return parts_of(self.agents, self.ranks.part)

    @property
    def answer(self) -> Sentence:
        """Who leads in the largest component, and how many may be first, in one sentence."""
        largest, level = self.ranks.part == 0, confidence(self.level)
        may, n = self._may_be_first, int(largest.sum())
        if len(may) == 1:
            return Sentence((Name(may[0]), f" is certainly first of {n:,} agents ({level})."), RESOLVED, "board")
        many = any_of(n) if len(may) == n else f"{len(may):,} of {n:,}"
        return Sentence((Name(may[0]), f" leads, but {many} agents may be first ({level})."), OPEN, "board")

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the scores are, who may be first, how much is certain, and what is not computed for so many agents."""
        ranks, pairs = self.ranks, counted(self.pairs, "pair")
        return (
            f"Scores: {ranks.estimand}.",
            *component_notes(self.parts),
            self.answer.text,
            *((f"May be first: {listed(may, 8)}.",) if 1 < len(may := self._may_be_first) < len(self.agents) else ()),
            *self.unplaced_note,
            f"Intervals that do not overlap order {self.resolved_pairs:,} of {pairs} ({percent(ranks.share_resolved)}).",
            self.condition,
            f"Not computed for more than {COMPARED:,} agents: {LEFT_OUT}. Choose agents with `only` or rows with `where` for these.",
        )

    @property
    def _may_be_first(self) -> list[str]:
        """The agents of the largest component whose intervals reach the highest lower end, best score first."""
        low, high, largest = self.ranks.joint_low, self.ranks.joint_high, self.ranks.part == 0
        may = np.flatnonzero(largest & (high >= np.nanmax(low[largest])))
        return [self.agents[i] for i in may[np.argsort(-self.score[may], kind="stable")]]

    @property
    def condition(self) -> str:
        """The confidence of the intervals and the conditions behind it."""
        held = conditions_of(self.settings["cluster"], means=self.settings["estimand"] == "mean_score")
        return f"All intervals hold with simultaneous {confidence(self.level)} confidence, {held}."

    @property
    def _cautions(self) -> tuple[str, ...]:
        return (self.condition, *self.notes)

    @property
    def by_agent(self) -> dict[str, LongRow]:  # type: ignore[override]
        """Scores and ranks by agent, best first."""
        return super().by_agent  # type: ignore[return-value]

    @property
    def n_parts(self) -> int:
        """Number of connected components."""
        return len(self.parts)


def _tiers(low: Floats, high: Floats, rank: Ints) -> Ints:
    """Return tiers from the top for agents sorted by score; agents of equal rank lead together."""
    tier, left, number = np.zeros(len(low), dtype=np.int64), np.arange(len(low)), 0
    while len(left):
        number += 1
        below = low[left[rank[left] == rank[left[0]]]].max() > high[left]
        tier[left[~below]] = number
        left = left[below]
    return tier


def ranks_left(low: Floats, high: Floats, part: Ints) -> tuple[Ints, Ints]:
    """Return the best and worst rank that intervals allow within each component; NaN allows all.

    >>> ranks_left(np.array([0.8, 0.4, 0.1]), np.array([0.9, 0.7, 0.5]), np.zeros(3, dtype=int))
    (array([1, 2, 2]), array([1, 3, 3]))
    """
    best, worst = np.ones(len(part), dtype=np.int64), np.bincount(part)[part]
    for members in by_part(np.argsort(part, kind="stable"), part):
        known = members[np.isfinite(low[members])]
        best[known] += len(known) - np.searchsorted(np.sort(low[known]), high[known], side="right")
        worst[known] -= np.searchsorted(np.sort(high[known]), low[known], side="left")
    return best, worst


def long_board(profile: Profile, options: ResolveOptions) -> LongBoard:
    """Score more agents than can be compared pair by pair; `resolve` calls it for more than 2,000 agents.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])
    >>> [(row["agent"], row["best"], row["worst"]) for row in long_board(profile_of(pairs), ResolveOptions()).rows()]
    [('ada', 1, 1), ('bob', 2, 3), ('cyd', 2, 3)]
    """
    if options.estimand == "mean_score":
        return _of_means(task_means(profile.evidence, profile.chosen, options.cluster), profile, options.level)
    if options.estimand not in (AUTO, "mean_win_rate"):
        raise UsageError(
            f"`estimand` must be mean_win_rate or mean_score for more than {COMPARED:,} agents; got {quoted(options.estimand)}. "
            "`rank` by bradley_terry gives strengths of any number."
        )
    if len(profile.agents) > MOST_AGENTS:
        raise DataError(
            f"scores with standard errors are computed for at most {MOST_AGENTS:,} agents; there are {len(profile.agents):,}. Keep "
            "agents with more battles (`--min-agent-battles`), or choose some with `--only`; `rank` by copeland or elo takes more."
        )
    doing("counting the battles of every pair")
    observed = estimate_of_profile(profile, options.cluster)
    _require_memory(len(observed.agents), len(observed.rate))
    estimate = estimate_sparse(rates_of(observed))
    stderr, n_draws = estimate.stderr_by_draws(np.random.default_rng(options.seed), DRAWS)
    n, alone = len(observed.agents), np.isnan(estimate.score)
    clusters = [one for one in observed.clusterings if one.sign > 0]
    fewest = min((one.n_clusters for one in clusters), default=np.inf)
    total = np.bincount(observed.a, observed.battles, n) + np.bincount(observed.b, observed.battles, n)
    cut = (f"Interrupted: standard errors rest on {n_draws} of {DRAWS} draws, and intervals are wider.",)
    ranks = ranks_by_intervals(
        agents=observed.agents,
        score=estimate.score,
        stderr=np.where(alone, np.nan, stderr),
        df=np.full(n, max(min(n_draws, fewest - 1), 1.0)),
        part=largest_first(estimate.part),
        level=options.level,
        bounds=(0.0, 1.0),
        estimand=MEAN_WIN_RATE,
        settings={
            "estimand": "mean_win_rate",
            "cluster": [one.name for one in clusters],
            "level": options.level,
            "simultaneous": True,
            "draws": n_draws,
            "seed": options.seed,
        },
        conventions=observed.conventions,
        notes=(*observed.notes, *(cut if n_draws < DRAWS else ())),
    )
    return LongBoard(ranks, total.astype(np.int64))


def _of_means(means: TaskMeans, profile: Profile, level: float) -> LongBoard:
    scores = profile.scores
    assert scores is not None
    n = len(scores.agents)
    ranks = ranks_by_intervals(
        agents=scores.agents,
        score=means.score,
        stderr=means.stderr,
        df=means.degrees,
        part=np.zeros(n, dtype=np.int64),
        level=level,
        bounds=means.bounds,
        asymmetry=means.asymmetry,
        estimand=means.estimand,
        settings={"estimand": "mean_score", "cluster": [means.cluster], "level": level, "simultaneous": True},
        conventions=means.conventions,
        notes=means.notes,
    )
    return LongBoard(ranks, np.bincount(scores.agent, minlength=n).astype(np.int64))


def ranks_by_intervals(
    *,
    score: Floats,
    stderr: Floats,
    df: Floats,
    part: Ints,
    agents: tuple[str, ...],
    level: float,
    bounds: tuple[float, float],
    asymmetry: Asymmetry | None = None,
    **about: Any,
) -> LongRanks:
    """Return the ranks that scores with standard errors allow, by simultaneous confidence intervals.

    Parameters
    ----------
    score, stderr, df : (n,) float
        Every score, its standard error and the degrees of freedom of that; NaN for an agent without one.
    part : (n,) int
        The connected component of every agent, from 0, the largest first.
    asymmetry : Asymmetry, optional
        As in `Leaderboard`.
    agents, level, bounds, **about
        As in `Ranks`.
    """

    def ends(probability: float) -> tuple[Floats, Floats]:
        return score_ends(score, stderr**2, stdtrit(df, probability), asymmetry, bounds)

    known = np.isfinite(stderr)
    low, high = ends((1 + level) / 2)
    joint_low, joint_high = ends(1 - (1 - level) / 2 / max(int(known.sum()), 1))
    best, worst = ranks_left(joint_low, joint_high, part)
    order = sorted(np.flatnonzero(known).tolist(), key=lambda i: (part[i], -score[i], agents[i]))
    return LongRanks(
        agents=agents,
        score=score,
        low=low,
        high=high,
        rank=_ranks_in_order(score, part, np.array(order, dtype=np.int64)),
        best=best,
        worst=worst,
        above=np.zeros((0, 0), dtype=bool),
        part=part,
        order=np.array(order, dtype=np.int64),
        level=level,
        simultaneous=True,
        bounds=bounds,
        stderr=stderr,
        df=df,
        joint_low=joint_low,
        joint_high=joint_high,
        **about,
    )


def _ranks_in_order(score: Floats, part: Ints, order: Ints) -> Ints:
    """Return 1 plus the number of agents of the same component with a higher score; 0 without a score."""
    rank = np.zeros(len(score), dtype=np.int64)
    for members in by_part(order, part):
        rank[members] = 1 + np.searchsorted(-score[members], -score[members], side="left")
    return rank


def _require_memory(n: int, pairs: int) -> None:
    """Raise unless the estimate fits into memory."""
    require_memory(
        BYTES_A_PAIR * float(pairs) + BYTES_AN_AGENT * float(n),
        f"scores with standard errors of {n:,} agents and {counted(pairs, 'compared pair')}",
        "Choose agents with `--only` or rows with `--where`; `rank` by bradley_terry needs less.",
    )
