r"""Standard errors with more battles, and how many would separate two agents.

A difference of scores is a sum over opponents, :math:`S_a - S_b = \sum_p l_p \psi_p`. Battles between the two agents
reduce one term of its variance and hardly the others: they cannot reduce it below a floor. Battles spread over all
opponents as at present reduce all terms. Either way standard errors are those of the enlarged data, and the difference
is detected with probability `power` if the gap is truly what it is now; see `power` and `Outlook`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from scipy.special import ndtri

from beatpath._arrays import Bools, Floats
from beatpath._coerce import EvidenceLike
from beatpath._errors import UsageError
from beatpath._result import Record, Result
from beatpath._text import confidence, quoted
from beatpath._validate import require_agents, require_share
from beatpath.inference.design.power import MOST, Aim, about, score_amount, standard_errors_needed
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.estimate import MatrixEstimate
from beatpath.inference.options import Estimand
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.scores.scored import HasBoard, scored_of
from beatpath.inference.win_rates.cluster_rows import columns_times
from beatpath.inference.win_rates.estimate import Clustering, WinRateEstimate

LEAST_SHARE = 1e-9  # smallest share of existing battles; below it the rate is effectively known
LEAST_REFITTED = 1e-4  # the same where win rates are refitted: one pair with more battles yet would pull the whole fit


PairsOfAgents = tuple[NDArray[np.integer], ...]  # two columns: which differences of scores are meant, each once


def with_more_battles(pairwise: WinRateEstimate, extra: Floats) -> WinRateEstimate:
    """Return the win rates with more battles of every pair and the same shares won.

    Parameters
    ----------
    pairwise : WinRateEstimate
        Observed win rates.
    extra : (p,) float
        New battles of every pair, nonnegative.

    Examples
    --------
    Three times as many battles, a third of the variance.

    >>> one = WinRateEstimate(("x", "y"), np.array([0]), np.array([1]), *map(np.array, ([0.6], [5.0], [5], [0.06], [0.2])))
    >>> more = with_more_battles(one, np.array([10.0]))
    >>> more.battles, more.variance.round(6)
    (array([15]), array([0.02]))
    """
    share = pairwise.battles / (pairwise.battles + extra)
    return replace(
        pairwise,
        weight=pairwise.weight / share,
        battles=np.ceil(np.round(pairwise.battles + extra, 6)).astype(np.int64),
        own=pairwise.own * share,
        alone=pairwise.alone * share,
        clusterings=tuple(_with_more_clusters(one, share) for one in pairwise.clusterings),
    )


def _with_more_clusters(one: Clustering, pair_share: Floats) -> Clustering:
    """Downweight existing clusters, and append a new one for every cluster of every pair that grows."""
    cluster, pair = one.share.nonzero()
    grows = pair_share[pair] < 1
    if not grows.any():
        return one
    cluster, pair = cluster[grows], pair[grows]
    times = 1 / pair_share[pair] - 1  # new clusters per existing one
    at = (np.arange(len(pair)), pair)
    shape = (len(pair), one.share.shape[1])
    moved = np.asarray(one.influence[cluster, pair]).ravel() * pair_share[pair] * np.sqrt(times)
    share = np.asarray(one.share[cluster, pair]).ravel() * pair_share[pair]
    return replace(
        one,
        moved=vstack([columns_times(one.influence, pair_share), csr_array((moved, at), shape=shape)], format="csr"),
        held=vstack([columns_times(one.share, pair_share), csr_array((share, at), shape=shape)], format="csr"),
        times=np.concatenate([one.times, one.times[cluster] * times]),
    )


def estimate_of_board(pairwise: WinRateEstimate, board: Leaderboard) -> MatrixEstimate:
    """Return the estimate of all win rates behind a board; raise where more battles would change the estimand."""
    if board.agents != pairwise.agents:
        raise UsageError("`board` and `pairwise` must be of the same agents; make the board of these win rates.")
    if board.made is None:
        raise UsageError(
            f"more battles of a pair must not change what a score means; under {quoted(board.settings.get('estimand'))} they "
            "do. Use the estimand `mean_win_rate`."
        )
    return board.made


class Outlook:
    r"""Standard errors of scores as a function of the shares *f* of existing battles after more are played.

    New battles of a pair are assumed to come in clusters of their own, like the existing ones of that pair in size and
    correlation. With :math:`f_p = N_p / (N_p + \Delta_p)`, the share of existing battles after :math:`\Delta_p` more,
    the covariance of the rates becomes

    .. math::  V_{pq}(f) = f_p f_q V_{pq} \quad (p \ne q), \qquad V_{pp}(f) = f_p V_{pp} :

    a pair's own variance falls as one over its battles, and its covariance with other pairs through common clusters is
    diluted.

    Parameters
    ----------
    pairwise : WinRateEstimate
        Observed win rates.
    board : Leaderboard
        Whose scores are mean win rates.
    """

    def __init__(self, pairwise: WinRateEstimate, board: Leaderboard) -> None:
        self.pairwise, self.board, self.made = pairwise, board, estimate_of_board(pairwise, board)

    @lru_cache(maxsize=2)  # noqa: B019 - an outlook is requested a variance and its slopes in turn, and not kept
    def _planned(self, shares: bytes) -> MatrixEstimate:
        return self.made.planned(np.frombuffer(shares))

    def planned(self, f: Floats) -> MatrixEstimate:
        """Return the estimate after more battles."""
        return self._planned(np.ascontiguousarray(np.maximum(f, LEAST_SHARE), dtype=np.float64).tobytes())

    def covariance(self, f: Floats) -> Floats:
        """Return the (n, n) covariance of the scores."""
        return self.planned(f).covariance

    def degrees(self, f: Floats, agents: Sequence[int] | None = None) -> Floats:
        """Return the degrees of freedom of differences, of all agents or of some.

        Present ones grow in proportion to the effective number of clusters.
        """
        some = range(len(self.board.agents)) if agents is None else agents
        now = self.board.df[np.ix_(some, some)]
        if np.isinf(now).all():
            return now
        A, before = self._degrees_before(tuple(some))
        more = with_more_battles(self.pairwise, self.pairwise.battles * (1 / np.maximum(f, LEAST_SHARE) - 1))
        grown = np.divide(more.degrees(A), before, out=np.ones_like(before), where=np.isfinite(before))
        return np.maximum(now * grown, 1.0)

    @lru_cache(maxsize=2)  # noqa: B019 - as above
    def _degrees_before(self, agents: tuple[int, ...]) -> tuple[csr_array, Floats]:
        """Return the maps of some agents' scores, and the present degrees of freedom of their differences."""
        A = csr_array(self.made.influence[list(agents)])
        return A, self.pairwise.degrees(A)

    def difference(self, f: Floats, i: int, j: int) -> tuple[float, float]:
        """Return variance and degrees of freedom of the difference of two scores."""
        return self.planned(f).variance_of_difference(i, j), float(self.degrees(f, (i, j))[0, 1])

    def shares(self, extra: Floats) -> Floats:
        """Return the shares of existing battles after `extra` ones of each pair."""
        return np.asarray(self.pairwise.battles / (self.pairwise.battles + extra))

    def gains(self, extra: Floats, at: PairsOfAgents, worth: Floats) -> Floats:
        """Return the gain of one more battle of each pair after `extra` ones, (p,).

        `worth` is what a smaller variance of the difference of each pair of agents `at` is worth.
        """
        weight, f = np.zeros((len(self.board.agents),) * 2), self.shares(extra)
        weight[at] = worth
        return np.asarray(self.slopes(f, weight + weight.T) * f**2 / self.pairwise.battles)

    def slopes(self, f: Floats, weight: Floats) -> Floats:
        r"""Approximate the derivative of :math:`\sum_{i < j} w_{ij} \operatorname{var}(S_i - S_j)` by each share, (p,).

        With :math:`\Lambda = \operatorname{diag}(w 1) - w` that sum is the trace of :math:`\Lambda` times the
        covariance. The derivative includes the noise, and the shrinkage of each pair toward the fit; the change of the
        weights in the fit is neglected, as these are chosen to make it second order.

        Parameters
        ----------
        f : (p,) float
            Shares of existing battles.
        weight : (n, n) float
            Symmetric, zero on the diagonal.
        """
        estimate = self.planned(f)
        A, direct = estimate.influence, estimate.direct.toarray()
        turned = (np.diag(weight.sum(axis=1)) - weight) @ A
        noise, v = estimate.variance_of_rates(A), estimate.v / estimate.old
        own = estimate.phi * v * A  # the part from the pair's own variance
        falls = (turned * (2 * (noise - own * estimate.old) / estimate.old + own)).sum(axis=0)
        lean = (np.diag(weight.sum(axis=1)) - weight) @ (noise + (A - direct) * estimate.deviation)
        a, b = estimate.rates.a, estimate.rates.b
        by_scale = lean @ (estimate.w[:, None] * (estimate.C[a] - estimate.C[b]))
        in_k = 2 * (direct * (lean - estimate.g * (by_scale[:, a] - by_scale[:, b]))).sum(axis=0)
        T, total = estimate.deviation, estimate.deviation + estimate.phi * estimate.v
        k_falls = (1 - estimate.k) * T / np.maximum(total * estimate.old, 1e-300)
        rest = A - direct
        unsure = ((np.diag(weight.sum(axis=1)) - weight) @ rest * rest).sum(axis=0) * (estimate.phi - 1) * v
        return np.asarray(falls + unsure - in_k * k_falls)


FIRST_LOOK = 1000  # battles at which the search for a number starts

Errors = Callable[[float], tuple[float, float]]  # more battles to the variance and its degrees of freedom


@dataclass(frozen=True, slots=True)
class Needed(Record):
    """Numbers of battles: for the estimated gap, and for both ends of its interval; infinite where none suffices.

    Attributes
    ----------
    number : float
        For the estimated gap.
    fewest, most : float
        For the upper and the lower end of the interval.
    """

    number: float
    fewest: float
    most: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleSize(Result):
    """How many more battles would separate two agents.

    Attributes
    ----------
    agents : tuple of two str
        The one with the higher score first.
    gap : float
        The difference of their scores; NaN without a usable variance.
    interval : tuple of two float
        For the gap, at the level `interval` of the settings.
    direct : Needed or None
        Battles between the two alone; None where `note` says why they cannot be planned.
    spread : Needed or None
        Battles of either with all opponents, in present proportions; None without a usable variance.
    floor : float
        The standard error that remains after any number of battles between the two alone; NaN without such a plan.
    certain : bool
        Whether they are already separated.
    note : str
        Why there is no plan, if so.
    settings : mapping
        All settings.
    """

    agents: tuple[str, str]
    gap: float
    interval: tuple[float, float]
    direct: Needed | None
    spread: Needed | None
    floor: float
    certain: bool
    note: str
    settings: Mapping[str, Any]

    def _finding(self) -> str:
        """How many battles would suffice, and how precisely that is known."""
        a, b = (quoted(name) for name in self.agents)
        if self.certain:
            return f"{a} is certainly above {b} already: no more battles are needed."
        if self.spread is None:
            return f"How many battles would separate {a} and {b} cannot be determined: {self.note}."
        if self.gap == 0:
            return f"{a} and {b} have the same score: if that is true, no number of battles separates them."
        parts = (self._direct(a, b), self._spread(self.spread), self._range(self.spread))
        return " ".join(part for part in parts if part)

    def _direct(self, a: str, b: str) -> str:
        apart = score_amount(self.gap, self.settings)
        if self.direct is None:
            return f"{a} and {b} are {apart} apart; battles between them alone cannot be planned: {self.note}."
        if np.isfinite(self.direct.number):
            return f"Separating {a} from {b}, {apart} apart, takes about {about(self.direct.number)} between them."
        return (
            f"No number of battles between {a} and {b} alone separates them, {apart} apart: battles with other opponents "
            f"leave a standard error of {score_amount(self.floor, self.settings)}."
        )

    def _spread(self, spread: Needed) -> str:
        if self.direct is not None and self.direct.number == spread.number:
            return ""
        if np.isinf(spread.number):
            return "Nor does any number spread over all opponents of both as now."
        return f"Spread over all opponents of both as now, it takes about {about(spread.number)}."

    def _range(self, spread: Needed) -> str:
        spread_or_direct = spread if self.direct is None or np.isinf(self.direct.number) else self.direct
        share = confidence(self.settings["interval"])
        if np.isinf(spread_or_direct.number):
            return ""
        if self.interval[0] <= 0:
            return f"That number has no upper limit: the {share} interval of the gap contains zero."
        ends = f"the ends of its {share} interval need about {about(spread_or_direct.fewest).split()[0]} and {about(spread_or_direct.most)}"
        if np.isinf(spread_or_direct.most):
            ends = f"at the lower end of its {share} interval no number is enough"
        return f"The gap is uncertain: {ends}."


def sample_size(
    evidence: EvidenceLike | WinRateEstimate | HasBoard,
    a: str,
    b: str,
    *,
    level: float = 0.95,
    power: float = 0.8,
    critical: float | None = None,
    interval: float = 0.5,
) -> SampleSize:
    """Return how many more battles would separate two agents at their present difference.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs or Resolution, or what `read` takes
        Evidence is scored with default conventions; `resolve` takes others.
    a, b : str
        Two agents, in any order.
    level, power, critical : float
        As for `minimum_detectable_effect`.
    interval : float, default 0.5
        Level of the interval for the gap at whose ends the number is also given. While two agents are not separated, an
        interval at the level of the test always contains zero; the middle half shows what is as likely as not.

    Returns
    -------
    SampleSize

    See Also
    --------
    next_pairs : Which pairs to play with a fixed budget.
    sample_size_for_top : Battles needed to establish the best agents.

    Examples
    --------
    Two agents alone, 57 of 100 won: the gap 0.14 has a standard error of about 2 * 0.5 / sqrt(N), of which 2.8 are
    needed, so N is about (2.8 / 0.14)^2 = 400.

    >>> from beatpath import Pairs
    >>> print(sample_size(Pairs(("ada", "bob"), [0], [1], [[57, 43, 0, 0]]), "bob", "ada"))
    Separating 'ada' from 'bob', 14 percentage points apart, takes about 300 more battles between them. The gap is \
uncertain: the ends of its 50 % interval need about 83 and 1,400 more battles.
    """
    require_share("interval", interval)
    pairwise, board = scored_of(evidence)
    aim = Aim.of(evidence, board, level, power, critical)
    pair = _better_first(board, a, b)
    names = (board.agents[pair[0]], board.agents[pair[1]])
    settings = {**aim.settings(board), "interval": interval}
    if not estimable(board)[pair]:
        return SampleSize(names, np.nan, (np.nan, np.nan), None, None, np.nan, False, _unusable(board, pair), settings)
    gap, variance, df = (float(m[pair]) for m in (board.differences, board.variance_of_differences, board.df))
    ends = gap + t_critical(-ndtri((1 - interval) / 2), df) * np.sqrt(variance) * np.array([0.0, -1.0, 1.0])
    around = (float(ends[1]), float(ends[2]))
    if gap > float(t_critical(aim.critical, df) * np.sqrt(board.variance_if_equal[pair])):
        none = Needed(0.0, 0.0, 0.0)
        return SampleSize(names, gap, around, none, none, np.nan, True, "", settings)
    theirs = np.isin(pairwise.a, pair) | np.isin(pairwise.b, pair)
    if not pairwise.battles[theirs].any():
        why = "they have less than one battle, and the effect of one more is unknown"
        return SampleSize(names, gap, around, None, None, np.nan, False, why, settings)
    if board.made is None:
        played = float(pairwise.battles[theirs].sum())  # scores rest on all opponents, in present proportions
        spread = _needed(lambda more: (variance / (1 + more / played), (1 + more / played) * (df + 1) - 1), ends, aim)
        why = f"under {quoted(settings['estimand'])} they would change what a score means"
        return SampleSize(names, gap, around, None, spread, np.nan, False, why, settings)
    outlook = Outlook(pairwise, board)
    spread = _needed(_errors_after(outlook, pair, theirs), ends, aim)
    met = (pairwise.a == min(pair)) & (pairwise.b == max(pair))
    if not pairwise.battles[met].any():
        why = "they have less than one battle" if met.any() else "they were not compared directly"
        return SampleSize(names, gap, around, None, spread, np.nan, False, why, settings)
    if len(board.agents) == 2:
        errors = _errors_after(outlook, pair, met)
    else:
        errors = _errors_refitted(pairwise, settings["estimand"], pair, met)
    floor = float(np.sqrt(max(errors(MOST)[0], 0.0)))
    return SampleSize(names, gap, around, _needed(errors, ends, aim), spread, floor, False, "", settings)


def _better_first(board: Leaderboard, a: str, b: str) -> tuple[int, int]:
    """Return the indices of two agents, the higher score first."""
    require_agents((a, b), board.agents)
    if a == b:
        raise UsageError(f"two different agents must be named; got {quoted(a)} twice.")
    i, j = board.agents.index(a), board.agents.index(b)
    return (j, i) if board.score[j] > board.score[i] else (i, j)


def _unusable(board: Leaderboard, pair: tuple[int, int]) -> str:
    """State why a difference of scores has no usable variance."""
    unknown = [board.agents[i] for i in pair if np.isnan(board.score[i])]
    if unknown:
        return f"{' and '.join(quoted(name) for name in unknown)} {'has' if len(unknown) == 1 else 'have'} no battle and no score"
    return "the variance of their difference is not positive"


def _errors_after(outlook: Outlook, pair: tuple[int, int], grows: Bools) -> Errors:
    """Return the variance of a difference as a function of more battles of some pairs, in present proportions."""
    total = float(outlook.pairwise.battles[grows].sum())
    return lambda more: outlook.difference(np.where(grows, total / (total + more), 1.0), *pair)


def _errors_refitted(pairwise: WinRateEstimate, estimand: Estimand, pair: tuple[int, int], met: Bools) -> Errors:
    """Return the variance of the difference of two agents with more battles between them, refitting the win rates.

    One pair compared far more often than all others carries little information about the lack of fit, and so hardly
    keeps more of its own rate: an `Outlook`, which assumes that it does, promised a power of 0.8 where 0.1 to 0.2
    resulted on 60 boards each of eight and twelve agents.
    """

    def errors(more: float) -> tuple[float, float]:
        extra = np.where(met, np.minimum(more, pairwise.battles / LEAST_REFITTED), 0.0)
        board = scores_from(with_more_battles(pairwise, extra), estimand)
        return float(board.variance_of_differences[pair]), float(board.df[pair])

    return errors


def _needed(errors: Errors, ends: Floats, aim: Aim) -> Needed:
    """Return the number for the gap, and for the upper and lower end of its interval."""
    known = cache(errors)
    number, most, fewest = (battles_until_resolved(known, float(gap), aim) for gap in ends)
    return Needed(number, fewest, most)


def battles_until_resolved(errors: Errors, gap: float, aim: Aim) -> float:
    """Return the smallest number of battles at which a gap is detected with the intended power; infinite if none.

    >>> battles_until_resolved(lambda more: (1 / (1 + more), np.inf), 0.1, Aim())  # 1 / N = (0.1 / 2.8016)^2 needs N = 784.9
    784.0
    """

    def excess(more: int) -> float:  # the variance over what it must not exceed, which falls
        variance, df = errors(more)
        needed = float(standard_errors_needed(aim.critical, df, aim.power))
        return variance * (needed / gap) ** 2 if variance > 0 else np.inf

    if not (gap > 0 and (floor := excess(MOST)) <= 1):
        return np.inf
    if (now := excess(0)) <= 1:
        return 0.0
    low, high, more, margin = 0, MOST, FIRST_LOOK, 0.0625
    while high - low > 1:
        here = excess(more)
        low, high = (low, more) if here <= 1 else (more, high)
        # the hyperbola floor + (now - floor) / (1 + more / scale) through this point, and where it is 1
        scale = more * (here - floor) / max(now - here, 1e-300)
        goal = scale * (now - 1) / max(1 - floor, 1e-300) if np.isfinite(now) else 2.0 * more
        margin *= 2  # where hyperbolas lead nowhere, the search becomes bisection
        inside = min(1 + int(margin), (high - low) // 2)
        more = int(min(max(goal, low + inside), high - inside))
    return float(high)
