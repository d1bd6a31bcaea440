r"""A board about human preference, from human votes on some battles and judges' votes on many.

The judges are control variates (prediction-powered inference [1]_). The scores of the human votes are :math:`S = A r`
to first order, with the win rates *r* of pairs. The board is

.. math::  \hat S = S - A \omega, \qquad \omega_p = \frac{1}{n_p} \sum_{i \in p} \sum_k
           \hat\beta_k^{(-i)} \frac{N_{pk}}{N_{pk} + n_{pk}} (x_{ik} - \bar x_{pk}),

with :math:`x_{ik}` the vote of judge *k* on a battle that a human judged, and :math:`\bar x_{pk}` its mean over the
:math:`N_{pk}` other battles of the pair. Where humans voted on a random part of the battles of a pair, :math:`\omega`
has mean zero whatever the judges do, so that they cannot bias the board. The slopes :math:`\beta` of human residuals
on judges' deviations are estimated without the cluster of the battle, so that few votes cannot fit their own noise.
The factor after them is the best one for :math:`n_{pk}` votes [2]_.

The variance of a pair's rate is multiplied by :math:`q_p`, the ratio of squared residuals with the correction to those
without it, by cluster, shrunk toward the ratio of all pairs. The variance of :math:`\bar x` is added, with its
covariance where a cluster has battles of both kinds.

References
----------
.. [1] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic, "Prediction-powered inference",
       *Science* 382 (2023), 669-674.
.. [2] A. N. Angelopoulos, J. C. Duchi, T. Zrnic, "PPI++: efficient prediction-powered inference", arXiv:2311.01453
       (2023).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.special import fdtrc

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted
from beatpath._validate import require_few, require_known
from beatpath.evidence import Battles, Evidence
from beatpath.inference.judges.worth import JudgeWorth
from beatpath.inference.leaderboard import Leaderboard, variances_of_differences
from beatpath.inference.matrix.estimate import MatrixEstimate
from beatpath.inference.matrix.win_matrix import matrix_of
from beatpath.inference.options import ResolveOptions
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.rank_sets import ranked
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.judged import UNITS
from beatpath.stats.codes import apart, first_rows, joint, sums_by_code
from beatpath.stats.intervals import Interval, t_quantile
from beatpath.stats.judges.votes import mean_votes

LEAST = 50  # fewest clusters with votes of humans and judges on one battle; coverage is simulated from 250
PER_JUDGE = 20  # such votes that every slope needs; with fewer, judges count by their mean
MOST_AGENTS = 500  # most agents, for the size of the table of scores by pairs
PRIOR = 20.0  # weight, in votes, of the ratio of all pairs in that of one pair; as `PRIOR` of design effects


def human_votes(evidence: Evidence, options: ResolveOptions) -> Battles:
    """Return the battles that humans judged; raise where judges cannot assist them."""
    if not isinstance(evidence, Battles) or "judge" not in evidence.factors or not set(UNITS) & set(evidence.factors):
        raise DataError(
            "`humans` takes battles with a judge column, and a cluster or task column that shows which votes are on the same "
            "battle. Name them with `map`."
        )
    levels, names = evidence.factors["judge"].levels, names_of(options.humans)
    for name in names:
        must = f"`humans` must name judges of the evidence, {listed(levels, 5)}; {quoted(name)} is none."
        require_known(name, levels, must)
    require_few(len(evidence.agents), MOST_AGENTS, "`humans` takes at most {} agents", "Choose some with `--only`.")
    if len(names) == len(levels):
        raise DataError("`humans` must leave some other judge; every vote is a human's. Leave it out.")
    if options.estimand not in ("auto", "mean_win_rate") or options.anytime or options.by or options.mix:
        raise UsageError("`humans` is about mean win rates over all battles; leave estimand, anytime, by and mix out.")
    if (options.conventions.ties, options.conventions.both_bad) != ("half", "tie") or evidence.weight is not None:
        raise UsageError(
            "`humans` takes votes of equal weight with ties as half a win; leave ties, both_bad and weights out."
        )
    return evidence.take(np.flatnonzero(_is_human(evidence, names)))


def names_of(humans: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names, of which a text is one."""
    return (humans,) if isinstance(humans, str) else tuple(humans or ())


def _is_human(battles: Battles, names: tuple[str, ...]) -> Bools:
    factor = battles.factors["judge"]
    return np.append([level in names for level in factor.levels], False)[factor.codes]


@dataclass(frozen=True, slots=True, eq=False)
class _Votes:
    r"""Human votes with judges' deviations on the same battles, and judges' deviations on other battles.

    Parameters
    ----------
    pair, cluster : (v,) int
        Of every human vote.
    e : (v,) float
        Its residual.
    x : (v, k) float
        Deviations of the judges from their mean on other battles of the pair; 0 where unknown.
    paired : (v,) bool
        Whether any judge voted on the battle.
    shrink : (p, k) float
        :math:`N / (N + n)`.
    other_pair, other_cluster : (u,) int
        Of every battle without a human vote.
    mean : (u, k) float
        Its effect on :math:`\bar x`, times the share of the pair's human votes that use it.
    """

    pair: Ints
    cluster: Ints
    e: Floats
    x: Floats
    paired: Bools
    shrink: Floats
    other_pair: Ints
    other_cluster: Ints
    mean: Floats


def _votes(
    battles: Battles, human: Bools, board: Leaderboard, clusters: Sequence[str], judges: Sequence[str]
) -> _Votes:
    """Match votes on the same battle: the same pair, cluster and task."""
    fit: MatrixEstimate = board.made
    place = {name: i for i, name in enumerate(board.agents)}
    number = np.array([place.get(name, -1) for name in battles.agents])
    a, b = number[battles.a], number[battles.b]
    pair = np.where((a >= 0) & (b >= 0), fit.pair(np.maximum(a, 0), np.maximum(b, 0))[0], -1)
    rows = np.flatnonzero((pair >= 0) & (battles.factors["judge"].codes >= 0))
    a, b, pair, human = a[rows], b[rows], pair[rows], human[rows]
    y = np.where(a < b, battles.outcome[rows], 1 - battles.outcome[rows])
    columns = {name: apart(one.codes)[rows] for name, one in battles.factors.items() if name in {*UNITS, *clusters}}
    unit, size = joint([pair, *(columns[name] for name in UNITS if name in columns)])
    cluster = joint([columns[clusters[0]]])[0] if clusters else unit
    order = {name: k for k, name in enumerate(judges)}
    named = np.array([order.get(name, -1) for name in battles.factors["judge"].levels])
    judge, k = named[battles.factors["judge"].codes[rows]], len(judges)
    voted = np.flatnonzero(judge >= 0)
    X = mean_votes(unit[voted], judge[voted], y[voted], (size, k))
    if np.isfinite(X[unit[human]]).any(axis=1).sum() < PER_JUDGE * k:
        X = mean_votes(unit[voted], 0 * judge[voted], y[voted], (size, 1))
    first = first_rows(unit, size)
    seen, pair_of, cluster_of = np.bincount(unit[human], minlength=size) > 0, pair[first], cluster[first]
    p, known = len(fit.k), np.isfinite(X)
    other = np.flatnonzero(~seen & known.any(axis=1))
    N, n = (sums_by_code(*one, p) for one in ((pair_of[other], known[other]), (pair[human], known[unit[human]])))
    total = sums_by_code(pair_of[other], np.nan_to_num(X[other]), p)
    mean = np.divide(total, N, out=np.full(N.shape, np.nan), where=N > 0)
    x = np.nan_to_num(X[unit[human]] - mean[pair[human]])
    off = np.nan_to_num(X[other] - mean[pair_of[other]])
    many = N[pair_of[other]]
    spread = np.sqrt((off**2).sum(axis=0) / np.maximum((many > 1).sum(axis=0), 1))
    off = np.where(many > 1, off * np.sqrt(many / np.maximum(many - 1, 1)), spread) * known[other]
    share = n / np.maximum(np.bincount(pair[human], minlength=p), 1)[:, None]
    return _Votes(
        pair[human],
        cluster[human],
        y[human] - fit.psi[fit.rates.a, fit.rates.b][pair[human]],
        x,
        np.asarray(known[unit[human]].any(axis=1)),
        N / np.maximum(N + n, 1),
        pair_of[other],
        cluster_of[other],
        off * (share / np.maximum(N, 1))[pair_of[other]],
    )


def _left_out_slopes(votes: _Votes) -> tuple[Floats, Floats]:
    """Return the slopes of residuals on judges' deviations: of all votes, (k,), and without the cluster of each, (v, k)."""
    k = votes.x.shape[1]
    cluster, size = joint([votes.cluster])
    products = np.einsum("vi,vj->vij", votes.x, np.column_stack([votes.x, votes.e])).reshape(len(cluster), -1)
    own = sums_by_code(cluster, products, size).reshape(size, k, k + 1)
    whole = own.sum(axis=0)
    ridge = np.eye(k) * max(np.trace(whole[:, :k]) * 1e-9, 1e-12)  # for judges that always agree
    without = whole - own
    slopes = np.linalg.solve(without[:, :, :k] + ridge, without[:, :, k:])[:, :, 0]
    return np.linalg.solve(whole[:, :k] + ridge, whole[:, k]), slopes[cluster]


def assisted(
    board: Leaderboard, battles: Battles, clusters: Sequence[str], options: ResolveOptions
) -> tuple[Leaderboard, JudgeWorth]:
    """Return the board of human votes corrected by judges, and what the judges are worth.

    Parameters
    ----------
    board : Leaderboard
        Mean win rates of the human votes, with their estimate `made`.
    battles : Battles
        With votes of humans and judges.
    clusters : sequence of str
        Columns of dependent battles; battles are independent without one.
    options : ResolveOptions
        With `humans`.
    """
    fit: MatrixEstimate = board.made
    names = names_of(options.humans)
    human = _is_human(battles, names)
    judges = tuple(name for name in battles.factors["judge"].levels if name not in names)
    votes = _votes(battles, human, board, clusters, judges)
    both = len(np.unique(votes.cluster[votes.paired & (votes.x != 0).any(axis=1)]))
    if both < LEAST:
        here = f"here are {both:,}" if len(votes.other_cluster) else "here humans voted on all that judges judged"
        raise DataError(
            f"{LEAST} or more battles, in as many clusters, must have votes of humans and judges, in pairs that judges also judged without "
            f"humans; {here}. Use the human votes alone, with `--where`."
        )
    p, (slope, slopes) = len(fit.k), _left_out_slopes(votes)
    cluster, n_clusters = joint([np.concatenate([votes.cluster, votes.other_cluster])])
    own, other = np.split(cluster, [len(votes.pair)])
    moved = (votes.x * votes.shrink[votes.pair] * slopes).sum(axis=1)
    n = np.maximum(np.bincount(votes.pair, minlength=p), 1)

    def by_cluster(code: Ints, pair: Ints, value: Floats) -> csr_array:
        return csr_array((value, (code, pair)), shape=(n_clusters, p))

    before, after = (by_cluster(own, votes.pair, one / n[votes.pair]) for one in (votes.e, votes.e - moved))
    means = by_cluster(other, votes.other_pair, (votes.mean * votes.shrink[votes.other_pair] * slope).sum(axis=1))
    ratio, error = _ratios(before, after, n)
    scaled = replace(fit, v=fit.v * ratio)
    shared = after.T @ means
    noise = scaled.score_noise + _of_scores(fit, means.T @ means + shared + shared.T)
    score = board.score - fit.scores_along(csr_array((sums_by_code(votes.pair, moved, p) / n)[:, None]))[:, 0]
    new = replace(
        board,
        score=np.clip(score, 0.0, 1.0),
        covariance=board.covariance - fit.score_noise + noise,
        settings={**board.settings, "humans": list(names)},
        made=scaled,
    )
    more = _mean_variance(fit.score_noise) / max(_mean_variance(noise), 1e-300)
    wide = t_quantile(options.level) * error
    explained = 1 - float(((votes.e - votes.x @ slope) ** 2).sum() / (votes.e**2).sum())
    corrections = by_cluster(own, votes.pair, moved / n[votes.pair]) - means
    off, turned = _against_judges(new, battles.take(np.flatnonzero(~human)), clusters, options)
    return new, JudgeWorth(
        names,
        judges,
        len(votes.e),
        int(votes.paired.sum()),
        len(votes.other_pair),
        dict(zip(judges, slope.tolist(), strict=True)) if len(slope) == len(judges) else {"mean": float(slope[0])},
        max(explained, 0.0),
        Interval(more - 1, more * float(np.exp(-wide)) - 1, more * float(np.exp(wide)) - 1),
        off,
        turned,
        _same_battles(fit, corrections),
        options.level,
    )


def _ratios(before: csr_array, after: csr_array, n: Ints) -> tuple[Floats, float]:
    """Return the ratio of variances of every pair, and the standard error of the logarithm of that of all pairs."""
    e, r = ((one.multiply(n[None, :]) ** 2).tocsr() for one in (before, after))
    total = float(e.sum())
    ratio = float(r.sum()) / total
    each = (r - ratio * e).sum(axis=1)
    typical = total / max(e.nnz, 1)
    own = (PRIOR * ratio * typical + r.sum(axis=0)) / (PRIOR * typical + e.sum(axis=0))
    return np.asarray(own).ravel(), float(np.sqrt((np.asarray(each) ** 2).sum())) / max(ratio * total, 1e-300)


def _mean_variance(noise: Floats) -> float:
    """Return the mean variance of differences of scores."""
    return float(np.nanmean(variances_of_differences(noise)[np.triu_indices(len(noise), 1)]))


def _of_scores(fit: MatrixEstimate, covariance: csr_array) -> Floats:
    """Return the covariance of scores, (n, n), from one of win rates, (p, p)."""
    return fit.scores_along(csr_array(fit.scores_along(csr_array(covariance)).T))


def _same_battles(fit: MatrixEstimate, corrections: csr_array) -> float:
    """Return the p-value of a zero mean of the corrections of rates, (clusters, p): Hotelling's test on the scores."""
    n, V = corrections.shape[0], _of_scores(fit, corrections.T @ corrections)
    rank = int(np.linalg.matrix_rank(V, hermitian=True))
    if not 0 < rank < n - 1:
        return 1.0
    mean = fit.scores_along(csr_array(corrections.sum(axis=0)[:, None]))[:, 0]
    squared = float(mean @ np.linalg.pinv(V, hermitian=True) @ mean)
    return float(fdtrc(rank, n - rank, squared * (n - rank) / (rank * (n - 1))))


def _against_judges(
    board: Leaderboard, battles: Battles, clusters: Sequence[str], options: ResolveOptions
) -> tuple[dict[str, Interval], tuple[tuple[str, str], ...]]:
    """Return agents whose scores by the judges alone are certainly off, and pairs that these certainly reverse."""
    column = clusters or [name for name in UNITS if name in battles.factors][:1]
    own = matrix_of(estimate_of_profile(profile_of(battles, options.conventions), tuple(column))).leaderboard()
    at = [own.agents.index(name) for name in board.agents]
    own = replace(
        own,
        agents=board.agents,
        score=own.score[at],
        covariance=own.covariance[np.ix_(at, at)],
        df=own.df[np.ix_(at, at)],
    )
    gap = own.score - board.score
    half = bonferroni(options.level, 2 * len(gap)).value * np.sqrt(np.diag(own.covariance) + np.diag(board.covariance))
    off = {
        name: Interval(float(gap[i]), float(gap[i] - half[i]), float(gap[i] + half[i]))
        for i, name in enumerate(board.agents)
        if abs(gap[i]) > half[i]
    }
    above, below = (ranked(one, replace(options, multiplicity="bonferroni")).above for one in (board, own))
    return off, tuple((board.agents[i], board.agents[j]) for i, j in np.argwhere(above & below.T).tolist())
