"""Compare rankings: Kendall distance, weighted rank correlation, top-k overlap, and local stability of a shortlist.

Every function takes an *order*. An order is a `Ranking`; or a sequence of levels from best to worst, each a name or a
group of tied names, as in ``["C", ["A", "B"]]``; or a mapping of agents to ratings, in which higher is better and
equal ratings tie. The definitions account for ties; no tie is broken.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted
from beatpath._validate import require_choice, require_kind, require_whole
from beatpath.evidence import Ballots, Scores
from beatpath.methods.result import Ranking, levels_by_score

# What every function of this module accepts as an order.
Order = Ranking | Sequence[str | Collection[str]] | Mapping[str, float]
# Weight of a rank, 0 the best, in `weighted_tau`: the schemes of WSCO, section 4.
WEIGHERS: dict[str, Callable[[Any], Any]] = {
    "logarithmic": lambda rank: 1 / np.log(rank + math.e),
    "hyperbolic": lambda rank: 1 / (rank + 1),
    "quadratic": lambda rank: 1 / (rank + 1) ** 2,
}


def order_levels(order: Order) -> dict[str, int]:
    """Return the level of every agent in an order, 0 the best.

    >>> order_levels(["C", ["A", "B"]]), order_levels({"A": 1.5, "B": 1.5, "C": 2.0})
    ({'C': 0, 'A': 1, 'B': 1}, {'A': 1, 'B': 1, 'C': 0})
    """
    if isinstance(order, str):
        raise UsageError(f"an order must be a Ranking or a sequence of names or groups; got the text {quoted(order)}.")
    if isinstance(order, Mapping):
        level = levels_by_score(_ratings(order, list(order)))
        return dict(zip(order, level.tolist(), strict=True))
    require_kind("order", order, "a Ranking, a mapping of ratings, or names or groups in order", Ranking, Sequence)
    groups = order.levels if isinstance(order, Ranking) else order
    place: dict[str, int] = {}
    for k, group in enumerate(groups):
        require_kind("order", group, "of names or groups of names", Collection)
        for name in [group] if isinstance(group, str) else group:
            if name in place:
                raise UsageError(f"an order must name an agent once; it names {quoted(name)} twice.")
            place[name] = k
    return place


def kendall_tau_distance(
    one: Order, other: Order, *, among: Iterable[str] | None = None, normalized: bool = True
) -> float:
    r"""Return the share of agent pairs that two rankings order differently (Kendall tau distance).

    SCO, eqs. (1) and (2). The pairs are those of the agents of `one`, which must all occur in `other`:

    .. math::  K_n = \frac{2}{|S|(|S| - 1)} \sum_{\{i, j\} \subseteq S} \bar K_{ij},

    with :math:`\bar K_{ij} = 1` if the two orders disagree on the pair and 0 if they agree. With ties it is 1/2 if
    exactly one order ties the pair, and 0 if both do: the metric :math:`K^{(1/2)}` of Fagin et al.

    Parameters
    ----------
    one, other : Ranking, sequence of levels or mapping of ratings
        The two orders.
    among : iterable of str, optional
        Restrict the pairs to these agents of `one`. The first *k* of the truth give WSCO's distance restricted to the
        top.
    normalized : bool
        Divide by the number of pairs (default), or return the sum.

    Returns
    -------
    float
        0 for equal orders, 1 for reversed ones if normalized.

    See Also
    --------
    weighted_tau : A correlation in which disagreements near the top weigh more.
    top_k_overlap : The overlap of the first *k*.

    Examples
    --------
    >>> kendall_tau_distance(["A", "B", "C"], ["C", "A", "B"], normalized=False)
    2.0
    >>> kendall_tau_distance([["A", "B"], "C"], ["A", "B", "C"])
    0.16666666666666666

    References
    ----------
    R. Fagin, R. Kumar, M. Mahdian, D. Sivakumar, E. Vee, "Comparing partial rankings", *SIAM Journal on Discrete
    Mathematics* 20 (2006), 628-648.
    """
    mine, theirs = order_levels(one), order_levels(other)
    names = list(mine) if among is None else list(dict.fromkeys(among))
    _require_named(names, mine, "the first order")
    _require_named(names, theirs, "the second order")
    first, second = (np.array([place[name] for name in names], dtype=np.int64) for place in (mine, theirs))
    share = kendall_distance(first, second)
    return share if normalized else share * len(names) * (len(names) - 1) / 2


def weighted_tau(one: Order, other: Order, *, weigher: str = "hyperbolic") -> float:
    r"""Return the weighted rank correlation of two rankings (Vigna), in which swaps near the top weigh more.

    A swap of the agents at ranks *r* and *s*, from 0, weighs :math:`w(r) + w(s)` with, as in WSCO, section 4,

    .. math::  w_{\log}(r) = \frac1{\ln(r + e)}, \quad w_{\mathrm{hyp}}(r) = \frac1{r + 1}, \quad
               w_{\mathrm{quad}}(r) = \frac1{(r + 1)^2},

    and the correlation is the weighted sum of agreements minus disagreements, divided by its value for two equal
    orders with the ties of each. It is computed once with the ranks of `one`, ties broken by `other`, and once the
    other way round. The result is the mean of the two, so it is symmetric.

    Parameters
    ----------
    one, other : Ranking, sequence of levels or mapping of ratings
        Two orders of the same agents.
    weigher : {"logarithmic", "hyperbolic", "quadratic"}
        How fast the weight falls with the rank; default "hyperbolic".

    Returns
    -------
    float
        1 for equal orders, -1 for reversed ones, NaN if an order ties all agents.

    See Also
    --------
    kendall_tau_distance : All pairs weigh the same.

    Examples
    --------
    A swap at the top costs more than one at the bottom.

    >>> round(weighted_tau(["B", "A", "C"], ["A", "B", "C"]), 4), round(weighted_tau(["A", "C", "B"], ["A", "B", "C"]), 4)
    (0.1818, 0.5455)

    References
    ----------
    S. Vigna, "A weighted correlation index for rankings with ties", *WWW* 2015, 1166-1176.
    """
    from scipy.stats import weightedtau

    require_choice("weigher", weigher, WEIGHERS)
    mine, theirs = _of_the_same(one, other)
    if len(mine) < 2 or mine.min() == mine.max() or theirs.min() == theirs.max():
        return float("nan")
    return float(weightedtau(-mine, -theirs, rank=True, weigher=WEIGHERS[weigher]).statistic)


def mean_true_rating_distance(order: Order, truth: Mapping[str, float]) -> float:
    r"""Return the mean difference in true rating between the agents of a misranked pair.

    SCO, section 4.3: with :math:`D` the pairs that the order and the true ratings order differently,
    :math:`\sum_{(i,j) \in D} |\theta_i - \theta_j| / |D|`. A pair that the order ties but the truth does not counts
    as half misranked. A pair that the truth ties adds nothing to the sum or to :math:`|D|`. The result is 0 if no
    pair is misranked.

    Parameters
    ----------
    order : Ranking, sequence of levels or mapping of ratings
        The estimated order.
    truth : mapping of agent to float
        The true ratings.

    Returns
    -------
    float
        In units of the ratings.

    See Also
    --------
    kendall_tau_distance : The share of misranked pairs.

    Examples
    --------
    A and C, 3 apart, are misranked, and B and C, 2 apart; A and B, 1 apart, are tied and count half: 5.5 / 2.5.

    >>> mean_true_rating_distance(["C", ["A", "B"]], {"A": 4.0, "B": 3.0, "C": 1.0})
    2.2
    """
    place = order_levels(order)
    _require_named(place, truth, "`truth`")
    level = np.array(list(place.values()))
    rating = _ratings(truth, list(place))
    total = pairs = 0.0
    for i in range(len(level)):
        gap = rating[i] - rating[i + 1 :]
        order_sign = np.sign(level[i + 1 :] - level[i])
        share = np.where(gap == 0, 0.0, (1 - order_sign * np.sign(gap)) / 2)
        total, pairs = total + float(share @ np.abs(gap)), pairs + float(share.sum())
    return total / pairs if pairs else 0.0


def top_k_overlap(one: Order, other: Order, k: int) -> float:
    r"""Return the share of the first *k* agents that two rankings have in common.

    Agents tied across the cutoff share the remaining places: each belongs to the first *k* to the degree :math:`f \in
    [0, 1]`, its probability if ties are broken at random. The overlap is :math:`\frac1k \sum_a \min(f_a, g_a)`.
    Compared with an order without ties at the cutoff, this is the mean over all ways to break ties (McSherry and
    Najork). An order has overlap 1 with itself.

    Parameters
    ----------
    one, other : Ranking, sequence of levels or mapping of ratings
        Two orders of the same agents.
    k : int
        From 1 to the number of agents. Compared with the truth, 1 gives WSCO's top-1 accuracy and larger values its
        top-k precision.

    Returns
    -------
    float
        From 0 to 1.

    See Also
    --------
    weighted_tau : A correlation in which the top weighs more.

    Examples
    --------
    >>> top_k_overlap(["A", "B", "C"], ["A", "C", "B"], 2)
    0.5
    >>> top_k_overlap([["A", "B"], "C"], ["A", "B", "C"], 1)
    0.5

    References
    ----------
    F. McSherry, M. Najork, "Computing information retrieval performance measures efficiently in the presence of tied
    scores", *ECIR* 2008, 414-421.
    """
    mine, theirs = _of_the_same(one, other)
    require_whole("k", k, most=len(mine), why=", the agents there are")
    return float(np.minimum(_among_first(mine, k), _among_first(theirs, k)).sum() / k)


def _among_first(level: Ints, k: int) -> Floats:
    """Degree to which each agent is among the first k: the places its level has left, divided equally."""
    size = np.bincount(level)
    above = np.cumsum(size) - size
    share = np.divide(np.clip(k - above, 0, size), size, out=np.zeros(len(size)), where=size > 0)
    return share[level]


def _ratings(ratings: Mapping[str, float], names: list[str]) -> Floats:
    """Ratings of these agents, all finite."""
    rating = np.array([ratings[name] for name in names], dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(rating))
    if wrong.size:
        raise DataError(f"ratings must be finite; that of {quoted(names[wrong[0]])} is {rating[wrong[0]]:g}.")
    return rating


def _of_the_same(one: Order, other: Order) -> tuple[Ints, Ints]:
    """Levels of both orders, with the agents in the same positions."""
    mine, theirs = order_levels(one), order_levels(other)
    _require_named(mine, theirs, "the second order")
    _require_named(theirs, mine, "the first order")
    return tuple(np.array([place[name] for name in mine], dtype=np.int64) for place in (mine, theirs))  # type: ignore[return-value]


def _require_named(names: Iterable[str], known: Collection[str], where: str) -> None:
    missing = [name for name in names if name not in known]
    if missing:
        raise UsageError(
            f"every agent must stand in {where}; {listed(missing)} {'do' if len(missing) > 1 else 'does'} not."
        )


def kendall_distance(one: Ints, other: Ints) -> float:
    r"""Return the normalized Kendall distance between two rankings with ties, given as levels.

    A pair that the two order differently counts 1, and a pair that exactly one of them ties counts 1/2 (the
    :math:`K^{(1/2)}` of Fagin et al., 2006). The sum is divided by the number of pairs.

    >>> kendall_distance(np.array([0, 1, 2]), np.array([2, 1, 0]))
    1.0
    >>> kendall_distance(np.array([0, 1]), np.array([0, 0]))
    0.5
    """
    n = len(one)
    if n < 2:
        return 0.0
    in_both = _tied(one * (other.max() + 1) + other)
    return (_discordant(one, other) + (_tied(one) + _tied(other) - 2 * in_both) / 2) / (n * (n - 1) / 2)


def _tied(level: Ints) -> int:
    """Number of pairs that share a level."""
    size = np.unique(level, return_counts=True)[1]
    return int((size * (size - 1) // 2).sum())


def _discordant(one: Ints, other: Ints) -> int:
    """Number of pairs that the two order differently: inversions, counted by merge sort."""
    order = np.lexsort((other, one))
    value = np.unique(other[order], return_inverse=True)[1]
    total, width, n = 0, 1, len(value)
    place = np.arange(n)
    while width < n:
        run, left = place // (2 * width), place // width % 2 == 0
        key = run * n + value
        before = np.sort(key[left])
        total += int(
            (np.searchsorted(before, (run[~left] + 1) * n) - np.searchsorted(before, key[~left], "right")).sum()
        )
        width *= 2
    return total


FAR = np.iinfo(np.int32).max  # place of an unranked agent


def objections(evidence: EvidenceLike, order: Order, k: int) -> dict[str, float]:
    r"""Return, for each agent outside the first *k*, the share of voters who prefer it to all of the first *k*.

    Use it to check whether a shortlist leaves a large minority without any agent it likes.

    With *S* the first *k* agents of an order and *V* the voters,

    .. math::  o(c) = \frac{|\{v \in V : c \succ_v s \text{ for all } s \in S\}|}{|V|}, \qquad c \notin S.

    The first *k* are locally stable if no share exceeds :math:`1 / k` (Aziz et al.): a larger group could claim one
    of the *k* places. A leaderboard may rank the agents that are strongest on average first and still leave a large
    minority without any agent it likes; pluralistic leaderboards (Haghtalab et al.) rule that out.

    Parameters
    ----------
    evidence : Ballots or Scores, or what `read` takes
        Each ballot, or each task (or item) of a score table, is a voter.
    order : Ranking, sequence of levels or mapping of ratings
        An order of all agents of the evidence.
    k : int
        Size of the shortlist. No level may extend across the cutoff.

    Returns
    -------
    dict of str to float
        The share for each agent, largest first.

    See Also
    --------
    top_k_overlap : The overlap of two shortlists.

    Examples
    --------
    Sixty voters rank A, B, C above D; forty rank D first. D has an objection of 0.4, more than a third.

    >>> votes = Ballots.of(["ABCD", "DCBA"], count=[60, 40])
    >>> objections(votes, ["A", "B", "C", "D"], 3)
    {'D': 0.4}
    >>> objections(votes, ["A", "D", "B", "C"], 2)
    {'B': 0.0, 'C': 0.0}

    Notes
    -----
    A voter who ranks only some agents objects if it ranks *c* above every one of the first *k* that it ranks, and
    ranks at least one of them. A tie is no objection. Ballots count with their weights.

    References
    ----------
    H. Aziz, E. Elkind, P. Faliszewski, M. Lackner and P. Skowron, "The Condorcet principle for multiwinner elections:
    from shortlisting to proportionality", *IJCAI* 2017, 84-90.

    N. Haghtalab, A. D. Procaccia, H. Shao, S. L. Wang and K. Yang, "Pluralistic leaderboards", 2026, arXiv:2606.02547.
    """
    evidence = as_evidence(evidence)
    ballots = evidence.ballots() if isinstance(evidence, Scores) else evidence
    if not isinstance(ballots, Ballots):
        raise DataError(
            "objections are of voters who rank agents; give rankings or a score table. Battles name no voters."
        )
    inside = _first(order, ballots.agents, k)
    place = ballots.places()
    best = np.where(place[:, inside] < 0, FAR, place[:, inside]).min(axis=1)
    total = float(ballots.total.sum())
    if not total > 0:
        raise DataError("there must be voters who weigh something; there are none.")
    object_ = (place >= 0) & (place < best[:, None]) & (best < FAR)[:, None]
    share: Floats = ballots.total @ object_ / total
    outside = [(-float(s), name) for name, s, yes in zip(ballots.agents, share, inside, strict=True) if not yes]
    return {name: -s + 0.0 for s, name in sorted(outside)}


def _first(order: Order, agents: tuple[str, ...], k: int) -> Bools:
    """Flag the first k agents, in the order of `agents`."""
    level = order_levels(order)
    if set(level) != set(agents):
        odd = min(set(level) ^ set(agents))
        raise UsageError(
            f"the order must be of the agents of the evidence; {quoted(odd)} is in one and not in the other."
        )
    require_whole("k", k, most=len(agents) - 1, why=", so that someone is outside")
    sizes = np.cumsum(np.bincount(list(level.values())))
    if k not in sizes:
        near = ", ".join(str(size) for size in sizes[:-1].tolist())
        raise UsageError(f"the first `k` must be a set; agents tie across place {k}. Choose one of {near or 'none'}.")
    last = int(np.searchsorted(sizes, k))
    return np.array([level[name] <= last for name in agents])
