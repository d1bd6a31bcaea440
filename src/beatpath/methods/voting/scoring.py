"""Rules that use points, grades or places: plurality, approval, Borda, Black, Bucklin and majority judgment.

Plurality counts first places. Approval counts places among the first *k*. Borda counts the rivals ranked below an
agent. Black elects the Condorcet winner, or by Borda if there is none. Bucklin ranks by the depth at which an agent
reaches a majority. Majority judgment ranks by median grade.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints
from beatpath._validate import require_whole
from beatpath.evidence import Ballots, Pairs
from beatpath.evidence.ties import ROUNDING, are_whole, levels_of
from beatpath.fit.laplacian import incident
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, by_score, outcome


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Ranked agents of all ballots, stored flat, with the number of agents above and beside each.

    Attributes
    ----------
    n_agents : int
        Number of agents.
    agent : (k,) int
        The ranked agent.
    above : (k,) int
        Number of agents that the ballot ranks strictly above it.
    tied : (k,) int
        Number of agents in the same place, itself included.
    weight : (k,) float
        Total weight of the ballot: count times weight.
    """

    n_agents: int
    agent: NDArray[np.int32]
    above: NDArray[np.int32]
    tied: NDArray[np.int32]
    weight: Floats

    def scores(self, points: Floats) -> Floats:
        """Sum the points of each ranked agent by agent."""
        return np.bincount(self.agent, points * self.weight, self.n_agents).astype(np.float64)


def places_of(ballots: Ballots, k: int) -> Places:
    """Return the agents in the first `k` places of every ballot, ties at the cutoff included.

    >>> result = places_of(Ballots.of([[["x"], ["y", "z"], ["u"]]]), 2)
    >>> result.above, result.tied
    (array([0, 1, 1], dtype=int32), array([1, 2, 2], dtype=int32))
    """
    agent, place, start = ballots.agent, ballots.place, ballots.start
    if place.max(initial=0) >= k:
        top_places = np.flatnonzero(place < k)
        agent, place, start = agent[top_places], place[top_places], np.searchsorted(top_places, start)
    length = np.diff(start)
    weight = np.repeat(ballots.total, length)
    if ballots.strict:
        return Places(len(ballots.agents), agent, place, np.broadcast_to(np.int32(1), place.shape), weight)
    first = np.ones(len(place), dtype=bool)  # first entry of its place on its ballot
    first[1:] = place[1:] != place[:-1]
    first[start[:-1][length > 0]] = True
    begin = np.flatnonzero(first)
    size = np.diff(begin, append=len(place))
    above = (np.repeat(begin, size) - np.repeat(start[:-1], length)).astype(np.int32)
    return Places(len(ballots.agents), agent, above, np.repeat(size.astype(np.int32), size), weight)


def plurality(profile: Profile) -> Outcome:
    r"""Rank agents by the number of votes that rank them first.

    .. math::  \sum_v w_v \frac{[a \text{ is first on } v]}{\text{number of agents tied first on } v}

    VasE, appendix, "Plurality (1-Approval)" [1]_. Agents tied for first place share the point, which the paper leaves
    open. A ballot that ranks nobody gives none.

    Parameters
    ----------
    profile : Profile
        Evidence with ballots: rankings or a score table.

    Returns
    -------
    Outcome
        Scores are total weights of first places.

    Examples
    --------
    VasE's pentathlon. The paper prints 2, 2, 1 for A, B, C, an error: its profile has C first on two votes.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> plurality(profile_of(Ballots.of(votes, count=[1, 1, 2, 1]))).score
    array([2., 1., 2.])

    Notes
    -----
    Population consistent. Does not satisfy the Condorcet criterion; not independent of clones.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    return by_score(approval_scores(places_of(profile.require_ballots("plurality"), 1), 1))


DEFAULT_K = 3  # the value that VasE uses for its tables


def approval(profile: Profile, k: int | None = None) -> Outcome:
    """Rank agents by the number of votes that have them among the first `k`.

    Parameters
    ----------
    profile : Profile
        Evidence with ballots: rankings or a score table.
    k : int, optional
        From 1 to the number of agents. Default 3, as in VasE's tables, or all agents if there are fewer.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `approval_scores`. Details give `k`.
    """
    ballots = profile.require_ballots("approval")
    k = min(DEFAULT_K, len(profile.agents)) if k is None else require_k(k, len(profile.agents))
    return by_score(approval_scores(places_of(ballots, k), k), {"k": k})


def approval_scores(places: Places, k: int) -> Floats:
    r"""Return the total weight of the ballots that have each agent among their first `k`.

    An agent with *u* agents above it, in a place that *g* agents share, gets

    .. math::  \frac{\min(g, \max(0, k - u))}{g},

    its share of the approved places its group occupies: one point without ties, as in VasE, appendix, "Approval
    Voting" [1]_. A ballot that ranks fewer than `k` agents approves all of them.

    Parameters
    ----------
    places : Places
        Places of the agents on every ballot; ``n`` agents.
    k : int
        Number of approved places per ballot.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon with k = 2.

    >>> from beatpath import Ballots
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> approval_scores(places_of(Ballots.of(votes, count=[1, 1, 2, 1]), 2), 2)
    array([4., 2., 4.])

    Three agents tied for the last two approved places get two thirds each.

    >>> approval_scores(places_of(Ballots.of([[["A"], ["B", "C", "D"]]]), 3), 3)
    array([1.        , 0.66666667, 0.66666667, 0.66666667])

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    return places.scores(np.clip(k - places.above, 0, places.tied) / places.tied)


def require_k(k: int, most: int) -> int:
    """Return `k` if it is an integer from 1 to the number of agents, otherwise raise an error."""
    require_whole("k", k, most=most, why=", the agents there are")
    return int(k)


# The status if `borda` ranks by mean points.
UNEVEN = (
    "ballots rank agents unequally often: scores are shares of comparisons won, not points, which would favor agents ranked "
    "most often; agents with weak rivals still gain"
)


def borda(profile: Profile) -> Outcome:
    r"""Rank agents by Borda scores: the number of rivals that ballots rank below them; a tie counts half.

    Parameters
    ----------
    profile : Profile
        Rankings or a score table; counts by pair, as of resampled ballots, contain all that the rule needs.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `borda_scores`. If agents are on different numbers or lengths of ballots,
        points would measure how often an agent was ranked. The score is then the share of comparisons won, ties half,
        :math:`\sum_b N(a, b) / \sum_b (N(a, b) + N(b, a))`.

    Examples
    --------
    Ada played four games and won two; Bob played one and won it.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> games = [["ada", "cyd"], ["ada", "cyd"], ["cyd", "ada"], ["bob", "ada"]]
    >>> borda(profile_of(Ballots.of([[[one], [other]] for one, other in games]))).level
    array([1, 0, 2])
    """
    score, uneven = borda_points(profile)
    levels = by_score(score)
    return replace(levels, status=UNEVEN) if uneven else levels


def borda_points(profile: Profile) -> tuple[Floats, bool]:
    """Return Borda scores, or their means if agents were compared unequally often, and whether they were."""
    if profile.ballots is not None:
        score, compared = _of_ballots(profile.ballots)
    else:
        assert profile.pairs is not None
        total = profile.pairs.counts[:, :3].sum(axis=1)
        score = borda_scores(profile.pairs)
        compared = incident(len(score), profile.pairs.a, profile.pairs.b, total, total)
    some = compared[compared > 0]
    if not len(some) or np.ptp(some) <= ROUNDING * some.max():
        return score, False
    return np.divide(score, compared, out=np.zeros(len(score)), where=compared > 0), True


def _of_ballots(ballots: Ballots) -> tuple[Floats, Floats]:
    """Score and number of comparisons of every agent.

    On a ballot of m agents the score is m minus those above it and half of those tied.
    """
    places = places_of(ballots, len(ballots.agents))
    rivals = np.repeat(np.diff(ballots.start) - 1.0, np.diff(ballots.start))
    compared = places.scores(rivals)
    rivals -= places.above
    if not ballots.strict:
        rivals -= (places.tied - 1) / 2
    return places.scores(rivals), compared


def borda_scores(pairs: Pairs) -> Floats:
    r"""Return Borda scores: the number of rivals ranked below each agent, summed over the votes.

    .. math::  \sum_v w_v \sum_{b \ne a} \left([a \succ_v b] + \tfrac12 [a \sim_v b]\right) = \sum_{b \ne a} N(a, b)

    On a complete ballot without ties this gives :math:`m - 1, m - 2, \dots, 0` points by place, as in VasE, appendix,
    "Borda" [1]_. Tied agents get the mean of the points of the places they occupy. On a ballot that ranks only some
    agents, an agent gets a point for each *ranked* agent below it; the paper gives :math:`m - 1` to the first
    regardless of how many are ranked. With ``unranked="last"``, unranked agents count as tied below. A tie counts
    half here even if margins drop ties.

    Parameters
    ----------
    pairs : Pairs
        How often the ballots rank *a* above *b*, *b* above *a*, and tie them; ``n`` agents.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon.

    >>> from beatpath import Ballots
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> borda_scores(Ballots.of(votes, count=[1, 1, 2, 1]).pairs())
    array([6., 3., 6.])

    Notes
    -----
    Ballots are summed place by place, without counting pairs. Population consistent; does not satisfy the Condorcet
    criterion.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    won, lost, tied = pairs.counts[:, :3].T
    return incident(len(pairs.agents), pairs.a, pairs.b, won + tied / 2, lost + tied / 2)


def black(profile: Profile) -> Outcome:
    """Rank agents by Black's rule: the Condorcet winner first, if there is one, and all others by Borda score.

    Parameters
    ----------
    profile : Profile
        Rankings or a score table; counts by pair, as of resampled ballots, contain all that the rule needs.

    Returns
    -------
    Outcome
        Scores are Borda scores for all agents, or their means as in `borda`. So a Condorcet winner may have a lower
        score than agents below it; see `black_levels`.
    """
    (score, uneven), strong = borda_points(profile), profile.condorcet.strong
    level = black_levels(score, None if strong is None else profile.agents.index(strong))
    return outcome(level, score, UNEVEN if uneven else EXACT)


def black_levels(points: Floats, winner: int | None) -> Ints:
    r"""Return levels by descending points, with the Condorcet winner, if there is one, above all of them.

    .. math::  a \succ b \iff a = w \;\text{ or }\; \left(b \ne w \text{ and } \mathrm{Borda}(a) > \mathrm{Borda}(b)\right)

    with *w* the agent that beats all others; without such an agent the ranking is Borda's. Several agents that lose
    to nobody but tie with each other are no Condorcet winner, and Borda decides.

    Black [1]_ elects but does not rank. The order of the others is our extension: their points on the whole ballots,
    with the winner still on them, so the ranking is Borda's with at most one agent moved.

    Parameters
    ----------
    points : (n,) float
        Borda scores, from `borda_scores`.
    winner : int or None
        The agent that beats all others.

    Returns
    -------
    (n,) int

    Examples
    --------
    VasE's pentathlon: A and C have six points, and C beats both others.

    >>> black_levels(np.array([6.0, 3, 6]), 2)
    array([1, 2, 0])
    >>> black_levels(np.array([6.0, 3, 6]), None)
    array([0, 1, 0])

    Notes
    -----
    Pairs are not counted: the Borda scores and the Condorcet winner come from the ballots. Satisfies the Condorcet
    criterion; not independent of clones, not population consistent. Never elects a Condorcet loser, but may elect an
    agent outside the top cycle. It is not among VasE's nine.

    References
    ----------
    .. [1] D. Black, *The Theory of Committees and Elections*, Cambridge University Press (1958).
    """
    if winner is None:
        return levels_of(points)
    level = np.zeros(len(points), dtype=np.int64)
    others = np.arange(len(points)) != winner
    level[others] = 1 + levels_of(points[others])
    return level


def bucklin(profile: Profile) -> Outcome:
    r"""Rank agents by Bucklin's rule: the number of places counted until a majority of ballots includes the agent.

    With :math:`s_k(a)` the weight of the ballots that have *a* among their first *k*, and *n* that of all ballots,
    the depth of an agent is

    .. math::  k(a) = \min \{k : s_k(a) > n / 2\},

    its median place. Lower depth comes first; at equal depth, higher :math:`s_{k(a)}(a)` [1]_. Agents that most
    ballots leave unranked come last, by :math:`s_m`.

    Parameters
    ----------
    profile : Profile
        Evidence with ballots: rankings or a score table.

    Returns
    -------
    Outcome
        Scores are :math:`m - k(a) + s_{k(a)}(a) / n` with *m* agents: the integer part counts the places that need no
        count, the fraction is the share of ballots. Details give each agent's "depth", ``None`` if most ballots do
        not rank it.

    Examples
    --------
    VasE's pentathlon: nobody is first on three events of five; A and C are among the first two on four, B on two.

    >>> from beatpath import Ballots, rank
    >>> result = rank(Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1]), "bucklin")
    >>> result, result.scores
    (bucklin: A = C > B, {'A': 1.8, 'B': 1.0, 'C': 1.8})

    Notes
    -----
    One pass over the ballots. The first level is Bucklin's: at the smallest depth with a majority, the agents with
    the largest. The order below is our extension, with each agent at its own depth. Agents tied on a ballot share the
    count, as in `approval`. Does not satisfy the Condorcet criterion; not independent of clones, not population
    consistent.

    References
    ----------
    .. [1] C. G. Hoag and G. H. Hallett, *Proportional Representation*, Macmillan (1926), 485-491.
    """
    ballots = profile.require_ballots("bucklin")
    n_agents, total = len(profile.agents), float(ballots.total.sum())
    support = support_by_depth(places_of(ballots, n_agents))
    allowed = 0.0 if are_whole(support).all() else ROUNDING * total
    reached = 2 * support > total + 2 * allowed
    depth = np.where(reached.any(axis=0), reached.argmax(axis=0), n_agents)
    own = support[np.minimum(depth, n_agents - 1), np.arange(n_agents)]
    score = np.maximum(n_agents - 1.0 - depth, 0.0) + np.divide(own, total, out=np.zeros_like(own), where=total > 0)
    depths = {a: None if d == n_agents else int(d) + 1 for a, d in zip(profile.agents, depth, strict=True)}
    return outcome(_levels_by_depth(depth, own, allowed), score, details={"depth": depths})


def support_by_depth(places: Places) -> Floats:
    """Return the weight of the ballots that have each agent among their first 1, 2, ..., m, shape (m, m agents).

    >>> from beatpath import Ballots
    >>> support_by_depth(places_of(Ballots.of([[["x"], ["y", "z"]], [["z"]]]), 3))
    array([[1. , 0. , 1. ],
           [1. , 0.5, 1.5],
           [1. , 1. , 2. ]])
    """
    step = np.zeros((places.n_agents + 1, places.n_agents))
    share = places.weight / places.tied
    np.add.at(step, (places.above, places.agent), share)
    np.add.at(step, (places.above + places.tied, places.agent), -share)
    per_place: Floats = np.cumsum(step[:-1], axis=0)
    return np.cumsum(per_place, axis=0)


def _levels_by_depth(depth: Ints, support: Floats, allowed: float) -> Ints:
    """Levels by ascending depth, and by descending support at equal depth."""
    level, current = np.zeros(len(depth), dtype=np.int64), 0
    for at in np.unique(depth):
        here = depth == at
        level[here] = current + levels_of(support[here], allowed)
        current = int(level[here].max()) + 1
    return level


CHUNK = 256  # quantiles outward from the median that are compared at a time


def majority_judgment(profile: Profile) -> Outcome:
    r"""Rank agents of a score table by their median grade, and by the grades around it if medians tie.

    Every task, or item, is a voter that grades each agent by its score; grades must mean the same on every task. An
    agent's majority grade is the lower median of its grades. If two are equal, one voter with the median grade is
    removed for each agent, and the medians of the rest are compared, and so on: Balinski and Laraki's majority value
    [1]_. In shares of voters this compares, from the median outward,

    .. math::  q_a(\tfrac12 - \epsilon), \; q_a(\tfrac12 + \epsilon) \quad\text{at } \epsilon \text{ from } 0 \text{ to } \tfrac12,

    with :math:`q_a` the quantile function of *a*'s grades, the lower quantile first. So voters may have weights, and
    grades may be missing.

    Parameters
    ----------
    profile : Profile
        Evidence with a score table.

    Returns
    -------
    Outcome
        Scores are majority grades in the table's unit, signed so that higher is better. Details give the shares of an
        agent's grades "above" and "below" its majority grade.

    Examples
    --------
    Ada and Bob have the median 3. Ada's grades next to it are 2 and 5, Bob's 2 and 4.

    >>> from beatpath import Scores, rank
    >>> table = Scores.from_table([[5, 3, 2], [2, 4, 3], [1, 2, 6]], ["ada", "bob", "cyd"], ["math", "code", "prose"])
    >>> result = rank(table, "majority_judgment")
    >>> result, result.scores
    (majority_judgment: ada > bob > cyd, {'ada': 3.0, 'bob': 3.0, 'cyd': 2.0})

    Notes
    -----
    The cost is sorting the table. The order of two agents depends on their grades only, so adding or removing other
    agents does not change it. Does not satisfy the Condorcet criterion; two sets of tasks that agree on a winner may
    disagree when combined.

    References
    ----------
    .. [1] M. Balinski and R. Laraki, "A theory of measuring, electing, and ranking", *PNAS* 104 (2007), 8720-8725.
    """
    grade, weight = grades(profile)
    median = quantiles(grade, weight, np.array([0.5]))[:, 0]
    have = _used(grade, weight)
    total = have.sum(axis=1)
    details = {}
    for word, apart in (("above", grade > median[:, None]), ("below", grade < median[:, None])):
        share = np.divide((have * apart).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
        details[word] = dict(zip(profile.agents, share.tolist(), strict=True))
    return outcome(judged_levels(grade, weight), median, details=details)


def grades(profile: Profile) -> tuple[Floats, Floats]:
    """Return the grade that each voter gives each agent, NaN if none, and the weight of each voter."""
    ballots = profile.require_ballots("majority_judgment")
    grade, _, missing = profile.score_table()
    if missing == "last":
        grade = np.where(np.isnan(grade), np.nanmin(grade, axis=0), grade)
    return grade, ballots.total


def judged_levels(grade: Floats, weight: Floats) -> Ints:
    """Return levels by comparing quantiles of the grades outward from the median, the lower one first.

    Parameters
    ----------
    grade : (n, voters) float
        NaN if a voter gives no grade; an agent without grades comes last.
    weight : (voters,) float
        Weight of each voter.

    Returns
    -------
    (n,) int

    Examples
    --------
    >>> judged_levels(np.array([[5.0, 3, 2], [2, 4, 3], [1, 2, 6], [2, 3, 5]]), np.ones(3))
    array([0, 1, 2, 0])
    """
    below, above = steps_outwards(grade, weight)
    level = np.zeros(len(grade), dtype=np.int64)
    for at in range(0, len(below), CHUNK):
        low, high = (quantiles(grade, weight, side[at : at + CHUNK]) for side in (below, above))
        key = np.stack([low, high], axis=2).reshape(len(grade), -1)
        key = np.nan_to_num(np.column_stack([-level, key]), nan=-np.inf)
        _, place = np.unique(key, axis=0, return_inverse=True)
        level = place.max() - place.ravel()
        if level.max() == len(grade) - 1:
            break
    return level


def steps_outwards(grade: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return quantile levels below and above one half, outward from the median, one per interval without a change.

    >>> below, above = steps_outwards(np.array([[5.0, 3, 2]]), np.ones(3))
    >>> below.round(3), above.round(3)
    (array([0.417, 0.167]), array([0.583, 0.833]))
    """
    _, end = _sorted_grades(grade, weight)
    away = np.unique(np.append(np.abs(end[np.isfinite(end)] - 0.5), [0.0, 0.5]))
    away = away[np.append(True, np.diff(away) > ROUNDING)]
    middle = (away[1:] + away[:-1]) / 2
    return 0.5 - middle, 0.5 + middle


def quantiles(grade: Floats, weight: Floats, share: Floats) -> Floats:
    """Return the lowest grade that at least the given share of an agent's voters does not exceed, shape (n, shares).

    >>> quantiles(np.array([[5.0, 3, 2, 4]]), np.ones(4), np.array([0.5, 0.6]))
    array([[3., 4.]])
    """
    grade, ends = _sorted_grades(grade, weight)
    values = np.full((len(grade), len(share)), np.nan)
    for i, end in enumerate(ends):
        if np.isfinite(end).any():
            values[i] = grade[i, np.searchsorted(end, share - ROUNDING)]
    return values


def _used(grade: Floats, weight: Floats) -> Floats:
    """Weight of each voter for each agent; zero if there is no grade."""
    return np.where(np.isnan(grade), 0.0, weight)


def _sorted_grades(grade: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Each agent's grades, missing ones last, and the share of voters up to each; infinite for grades of weight zero."""
    order = np.argsort(grade, axis=1)
    reached = np.cumsum(np.take_along_axis(_used(grade, weight), order, axis=1), axis=1)
    grade, total = np.take_along_axis(grade, order, axis=1), reached[:, -1:]
    return grade, np.divide(reached, total, out=np.full_like(reached, np.inf), where=(total > 0) & ~np.isnan(grade))
