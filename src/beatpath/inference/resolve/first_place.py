"""First place: who may hold it among agents that are compared at all, and how probably each does."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.ranks.simulation import shrunk

DRAWS = 4000
EDGE = 0.005  # from 0 and 1, nearer than which a share is not taken to lie
AT_MOST = 500  # agents who are drawn, those with the highest scores and two errors


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """Who may be first of some agents.

    Attributes
    ----------
    agents : tuple of str
        Best score first.
    leaders : tuple of str
        Those with the highest score.
    may : tuple of str
        Those that nobody is certainly above.
    certain : str or None
        The one that is certainly above all others.
    """

    agents: tuple[str, ...]
    leaders: tuple[str, ...]
    may: tuple[str, ...]
    certain: str | None


def first_place(ranks: RankSets, part: Ints) -> tuple[FirstPlace, ...]:
    """Return who may be first of every part with more than one agent, the largest part first.

    Parameters
    ----------
    ranks : RankSets
    part : (n,) int
        Equal for agents that a chain of battles connects.
    """
    codes, sizes = np.unique(part, return_counts=True)
    rest = np.flatnonzero(ranks.rank == 0)
    order = np.concatenate([ranks.order, rest]).astype(np.int64)
    found = [
        _of_part(ranks, order[part[order] == code], whole=len(codes) == 1)
        for code, size in zip(codes, sizes, strict=True)
        if size > 1
    ]
    return tuple(sorted(found, key=lambda one: (-len(one.agents), one.agents[0])))


def _of_part(ranks: RankSets, order: Ints, *, whole: bool) -> FirstPlace:
    names = tuple(ranks.agents[i] for i in order.tolist())
    if whole:
        certain, may = ranks.certainly_top(1), ranks.top(1)
    else:
        above = ranks.above[np.ix_(order, order)]
        certain = tuple(names[i] for i in np.flatnonzero(above.sum(axis=1) == len(order) - 1))
        may = tuple(names[i] for i in np.flatnonzero(~above.any(axis=0)))
    best = [i for i in order.tolist() if ranks.rank[i]]
    leaders = tuple(ranks.agents[i] for i in best if ranks.rank[i] == ranks.rank[best[0]]) if best else ()
    return FirstPlace(names, leaders, may, certain[0] if certain else None)


def first_probability(board: Leaderboard, part: Ints, *, seed: int, draws: int = DRAWS) -> Floats:
    r"""Return the probability of every agent to have the highest true score of its part, 0 for one without a score.

    True scores, of a share :math:`\arcsin \sqrt{S}`, whose error hardly hangs on *S*, are taken as Gaussian over the agents
    of a part, :math:`S \sim N(m, s^2)`, with *m* and :math:`s^2` estimated from the scores [1]_, so that an agent of whom little is known
    is thought of as one of the many and not as a likely first. Given a score *x* with variance *v*, the true one has mean
    :math:`m + k (x - m)` and variance :math:`k v` with :math:`k = s^2 / (s^2 + v)`; true scores are drawn so, with the
    correlations of the scores' errors, shrunk as for sets of ranks. Errors are those from the weighted mean of the part, as
    only differences matter.
    Ties share a draw. Agents are drawn in the order of their names, so that no other order changes anything.

    Parameters
    ----------
    board : Leaderboard
    part : (n,) int
        Equal for agents that are compared.
    seed, draws : int

    Examples
    --------
    Of three agents one is known to be good, one to be bad; of the third nothing is known.

    >>> V = np.diag([0.01, 0.01, 9.0]) ** 2
    >>> one = Leaderboard(("x", "y", "z"), np.array([0.7, 0.5, 0.6]), V, np.full((3, 3), np.inf), "score")
    >>> chance = first_probability(one, np.zeros(3, int), seed=0)
    >>> bool(chance[0] > 0.5 and chance[1] < 0.01 and chance[2] > 0.1)
    True

    References
    ----------
    .. [1] R. DerSimonian, N. Laird, "Meta-analysis in clinical trials", *Controlled Clinical Trials* 7 (1986), 177-188.
    """
    x, V = _scores_without_bounds(board)
    probability = np.zeros(len(board.agents))
    known = np.isfinite(x) & np.isfinite(np.diag(V))
    for code in np.unique(part):
        live = sorted(np.flatnonzero(known & (part == code)).tolist(), key=lambda i: board.agents[i])
        if live:
            some = np.ix_(live, live)
            per_degree = float((1 / np.diag(board.df)[live]).mean())
            probability[live] = _of_being_first(x[live], np.nan_to_num(V[some]), per_degree, seed, draws)
    return probability


def _scores_without_bounds(board: Leaderboard) -> tuple[Floats, Floats]:
    """Scores and their covariance, of shares their angles."""
    if not board.is_share:
        return board.score, board.covariance
    share = np.clip(board.score, EDGE, 1 - EDGE)
    slope = 1 / (2 * np.sqrt(share * (1 - share)))
    return np.arcsin(np.sqrt(share)), board.covariance * slope[:, None] * slope[None, :]


def _of_being_first(x: Floats, V: Floats, per_degree: float, seed: int, draws: int) -> Floats:
    """The probability of each of some agents to be first."""
    weight = 1 / np.maximum(np.diag(V), max(1e-6 * float(np.diag(V).max()), 1e-300))
    C = np.eye(len(x)) - weight / weight.sum()
    centred = C @ V @ C.T
    own = np.maximum(np.diag(centred), 0.0)
    m, s2 = _population(x, own)
    kept = np.divide(s2, own + s2, out=np.ones(len(own)), where=own + s2 > 0)
    likely = np.sort(np.argsort(-(x + 2 * np.sqrt(own)), kind="stable")[:AT_MOST])
    scale = np.sqrt(kept[likely])
    value, vector = np.linalg.eigh(centred[np.ix_(likely, likely)] * scale[:, None] * scale)
    if per_degree > 0 and len(likely) > 2:
        value, vector = np.linalg.eigh(shrunk((vector * np.maximum(value, 0.0)) @ vector.T, per_degree))
    root = vector * np.sqrt(np.maximum(value, 0.0))
    mean = m + kept[likely] * (x[likely] - m)
    drawn = mean[:, None] + root @ np.random.default_rng(seed).standard_normal((len(likely), draws))
    best = drawn >= drawn.max(axis=0) - 1e-12
    found = np.zeros(len(own))
    found[likely] = (best / best.sum(axis=0)).mean(axis=1)
    return found


def _population(x: Floats, variance: Floats) -> tuple[float, float]:
    """The mean of true scores and their variance, by moments.

    >>> m, s2 = _population(np.array([0.0, 1.0]), np.array([0.1, 0.1]))
    >>> round(m, 3), round(s2, 3)  # half, and one half less the noise
    (0.5, 0.4)
    """
    floor = np.maximum(variance, max(1e-6 * float(np.var(x)), 1e-100))
    w = 1 / floor
    m = float(w @ x / w.sum())
    excess = float(w @ (x - m) ** 2) - (len(x) - 1)
    s2 = max(excess / float(w.sum() - (w**2).sum() / w.sum()), 0.0) if len(x) > 1 else 0.0
    w = 1 / (floor + s2)
    return float(w @ x / w.sum()), s2


def below_one_by_one(ranks: RankSets, agent: str) -> int:
    """Return how many agents lie below one when each is compared with it by itself, at the level, two-sided."""
    board, i = ranks.board, ranks.agents.index(agent)
    with np.errstate(invalid="ignore"):
        reach = t_critical(bonferroni(ranks.level, 2).value, board.df[i]) * np.sqrt(board.variance_of_differences[i])
    return int((estimable(board)[i] & (board.score[i] - board.score > reach)).sum())
