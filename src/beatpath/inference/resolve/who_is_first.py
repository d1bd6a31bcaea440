"""Who is first: in one sentence, by score and head to head, and why these may differ.

All texts about first place come from here: in `resolve`, in `report`, in each context of a report, and on the page.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from beatpath._arrays import Floats, Ints
from beatpath._sentence import OPEN, RESOLVED, Name, Sentence, named, together
from beatpath._text import any_of, confidence, counted, listed, percent, quoted
from beatpath.inference.cycles.cycles import Cycle
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.win_matrix import component_notes
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.ranks.rank_sets import RankSets
from beatpath.inference.ranks.simulation import in_order_of_data, shrunk_root

if TYPE_CHECKING:
    from beatpath.inference.resolve.majorities import Majorities
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution

MOST_PARTS = 3  # most connected components for which first place is reported
LARGE_SHARE = 0.1  # share of all agents from which a component counts as large
DRAWS = 4000  # simulations of first place: standard error of a probability at most 0.8 percentage points
SHARE_MARGIN = 0.005  # distance from 0 and 1 below which a share is not taken: the angle's slope is infinite there
# standard deviations within groups, relative to that of all scores: from ties to more than the whole spread
SPREADS = np.array([0.0, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4])
# the same of a denser group at the top of two or three, each with those of the others
DENSER = [(top, rest) for top in (0.0, 0.1, 0.2, 0.35) for rest in (0.35, 0.7, 1.4) if top < rest]
TIED = 3.0  # prior odds of no spread within all groups (ties) against any other spread
MOST_GROUPS, EM_STEPS = 5, 40  # most groups tried, and steps of the EM algorithm
MOST_SIMULATED = 500  # most agents simulated: those with the highest score plus two standard errors
SURE = 0.99  # beyond it the simulations cannot tell a probability from certainty
FEW = 4  # most candidates for first place, or records against a winner, that are all named

# Why the first by score may lose head to head, by estimand.
WHY_THEY_DIFFER = {
    "mean_win_rate": "the mean also counts by how much an agent wins",
    "mean_score": "the mean also counts by how many points an agent is ahead",
    "iqm": "the interquartile mean leaves out the quarter of runs at either end, and counts points",
    "median": "the median counts only the middle tasks",
    "optimality_gap": "the gap counts by how many points runs fall short of 1",
    "probability_of_improvement": "the probability compares single runs, not means of tasks",
    "as_sampled": "the share of battles won also depends on an agent's opponents and how often it faced them",
    "bradley_terry": "a strength summarizes all battles of an agent, not one pair",
}
WEIGHTED = "the mean is over the weighted opponents"  # The same, where the opponents have weights.


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """Who may be first among some agents.

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
    """Return who may be first in each connected component with more than one agent, the largest first.

    Parameters
    ----------
    ranks : RankSets
        The board.
    part : (n,) int
        Connected component of every agent.
    """
    codes, sizes = np.unique(part, return_counts=True)
    rest = np.flatnonzero(ranks.rank == 0)
    order = np.concatenate([ranks.order, rest]).astype(np.int64)
    places = [_of_part(ranks, order[part[order] == code]) for code, size in zip(codes, sizes, strict=True) if size > 1]
    return tuple(sorted(places, key=lambda one: (-len(one.agents), one.agents[0])))


def _of_part(ranks: RankSets, order: Ints) -> FirstPlace:
    names = tuple(ranks.agents[i] for i in order.tolist())
    certain, may = (
        tuple(ranks.agents[i] for i in order[first[order]]) for first in (ranks.certainly_first, ranks.may_be_first)
    )
    best = [i for i in order.tolist() if ranks.rank[i]]
    leaders = tuple(ranks.agents[i] for i in best if ranks.rank[i] == ranks.rank[best[0]]) if best else ()
    return FirstPlace(names, leaders, may, certain[0] if certain else None)


def first_probability(board: Leaderboard, part: Ints, *, seed: int, draws: int = DRAWS) -> Floats:
    r"""Return the posterior probability of every agent to have the highest true score of its component.

    It is 0 for an agent without a score. Shares are transformed to :math:`\arcsin \sqrt{S}`, whose variance hardly
    depends on *S*; a share of *n* tasks by Anscombe's form, with 3/8 of a task added on either side and variance 1 / (4n), so
    that an agent that solved every task is not known exactly. The prior of true scores is a mixture of up to five normal groups,

    .. math::  S \sim \sum_k w_k N(m_k, t_k^2), \qquad x_i \mid S_i \sim N(S_i, v_i).

    An agent with little data is thus shrunk toward the typical agent and is not a likely first. One group is a normal
    distribution; tied agents are groups of spread :math:`t = 0`. Means and weights are fitted by
    expectation-maximization for each number of groups, with each of eight spreads of all groups, and with a denser one for
    the top group of two or three. Models are averaged with weights from the Bayesian information criterion [1]_. Given its group, a true score has mean :math:`m + k (x - m)` and
    variance :math:`k v` with :math:`k = t^2 / (t^2 + v)`. Scores are simulated with the correlations of their errors,
    shrunk as for rank sets, and with the tails of their degrees of freedom. Errors are relative to the weighted mean
    of the component, as only differences matter. Ties share a draw. The data decide the order in which agents are
    simulated, so names do not matter.

    Parameters
    ----------
    board : Leaderboard
        Scores and their covariance.
    part : (n,) int
        Connected component of every agent.
    seed, draws : int
        Seed and number of simulations.

    Returns
    -------
    (n,) float
        Sums to one over each component.

    Examples
    --------
    One agent is known to be good and one to be bad; little is known about the third.

    >>> V = np.diag([0.01, 0.01, 9.0]) ** 2
    >>> one = Leaderboard(("x", "y", "z"), np.array([0.7, 0.5, 0.6]), V, np.full((3, 3), np.inf), "score")
    >>> chance = first_probability(one, np.zeros(3, int), seed=0)
    >>> bool(chance[0] > 0.5 and chance[1] < 0.01 and chance[2] > 0.1)
    True

    References
    ----------
    .. [1] C. Fraley, A. E. Raftery, "Model-based clustering, discriminant analysis, and density estimation", *Journal of the
           American Statistical Association* 97 (2002), 611-631.
    """
    x, V = _scores_without_bounds(board)
    probability = np.zeros(len(board.agents))
    known = np.isfinite(x) & np.isfinite(np.diag(V))
    for code in np.unique(part):
        live = in_order_of_data(board, known & (part == code))
        if len(live):
            some = np.ix_(live, live)
            per_degree = float((1 / np.diag(board.df)[live]).mean())
            probability[live] = _first_frequencies(x[live], np.nan_to_num(V[some]), per_degree, seed, draws)
    return probability


def _scores_without_bounds(board: Leaderboard) -> tuple[Floats, Floats]:
    """Return scores and their covariance; shares are transformed to angles (delta method)."""
    if not board.is_share:
        return board.score, board.covariance
    # Anscombe's 3/8 of a task on either side: to solve all here is not to solve all
    part = np.zeros(len(board.agents)) if board.asymmetry is None else board.asymmetry.curvature
    inside = np.clip(board.score, SHARE_MARGIN, 1 - SHARE_MARGIN)
    share = np.where(part > 0, (board.score + 3 / 8 * part) / (1 + 3 / 4 * part), inside)
    slope = 1 / (2 * np.sqrt(share * (1 - share)))
    V = board.covariance * slope[:, None] * slope[None, :]
    np.fill_diagonal(V, np.where(part > 0, part / 4, np.diag(V)))
    return np.arcsin(np.sqrt(share)), V


def _first_frequencies(x: Floats, V: Floats, per_degree: float, seed: int, draws: int) -> Floats:
    """Return the probability of each agent of a component to be first."""
    least = max(1e-6 * float(np.diag(V).max()), 1e-300)
    # a baseline is known exactly only because its own errors are in the scores of all others
    weight = np.where(np.diag(V) > least, 1 / np.maximum(np.diag(V), least), least)
    C = np.eye(len(x)) - weight / weight.sum()
    centered = C @ V @ C.T
    own = np.maximum(np.diag(centered), max(1e-6 * float(np.var(x)), 1e-100))
    likely = np.sort(np.argsort(-(x + 2 * np.sqrt(own)), kind="stable")[:MOST_SIMULATED])
    scale = 1 / np.sqrt(own[likely])
    correlation = centered[np.ix_(likely, likely)] * scale[:, None] * scale
    root = shrunk_root(correlation, per_degree if len(likely) > 2 else 0.0)[0]
    root /= np.maximum(np.sqrt((root**2).sum(axis=0)), 1e-12)
    rng = np.random.default_rng(seed)
    models = grouped_scores(x, own)
    number = rng.multinomial(draws, softmax([one.criterion for one in models]))
    frequency = np.zeros(len(x))
    for one, times in zip(models, number.tolist(), strict=True):
        noise = rng.standard_normal((times, len(likely))) @ root
        if per_degree > 0:
            noise /= np.sqrt(per_degree * rng.chisquare(1 / per_degree, (times, 1)))
        simulated = one.drawn(likely, x[likely], own[likely], noise, rng)
        best = simulated >= simulated.max(axis=1, keepdims=True) - 1e-12
        frequency[likely] += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    return frequency / draws


@dataclass(frozen=True, slots=True, eq=False)
class ScoreGroups:
    """A normal mixture of true scores: group means and spreads within groups (k,), membership of each agent (n, k)."""

    means: Floats
    spread: Floats
    share: Floats
    criterion: float

    def drawn(self, some: Ints, x: Floats, variance: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
        """Return simulated true scores of some agents, one row per row of standard normal noise."""
        below = np.cumsum(self.share[some], axis=1)[:, :-1]
        group = (rng.random((*noise.shape, 1)) > below).sum(axis=2)
        mean, between = self.means[group], self.spread[group] ** 2
        shrinkage = between / (between + variance)
        return np.asarray(mean + shrinkage * (x - mean) + np.sqrt(shrinkage * variance) * noise)


def grouped_scores(x: Floats, variance: Floats) -> list[ScoreGroups]:
    """Return one fitted mixture per number of groups and choice of spreads, with its information criterion.

    Spreads are those of all groups, or of two or three groups of which the top one is denser: a crowd at the top.

    >>> result = grouped_scores(np.array([0.0, 0.1, 0.1, 5.0, 5.1]), np.full(5, 0.01))
    >>> max(result, key=lambda one: one.criterion).means.round(2)
    array([0.07, 5.05])
    """
    return [one for k in range(1, min(MOST_GROUPS, len(x)) + 1) for one in _fitted_groups(x, variance, k)]


def _fitted_groups(x: Floats, variance: Floats, k: int) -> list[ScoreGroups]:
    """Fit k groups with each row of spreads in parallel: arrays are (rows, agents, groups)."""
    denser = [[rest] * (k - 1) + [top] for top, rest in DENSER if k in (2, 3)]
    spread = np.array([[each] * k for each in SPREADS] + denser) * float(np.std(x))
    n, total = len(x), variance[None, :, None] + spread[:, None] ** 2
    means = np.tile(np.quantile(x, (np.arange(k) + 0.5) / k), (len(spread), 1))
    weight = np.full((len(spread), k), 1 / k)
    for _ in range(EM_STEPS):
        log_each = np.log(weight)[:, None] - ((x[:, None] - means[:, None]) ** 2 / total + np.log(total)) / 2
        log_all = np.logaddexp.reduce(log_each, axis=2)
        share = np.exp(log_each - log_all[:, :, None])
        pull = share / total
        means = (pull * x[:, None]).sum(axis=1) / np.maximum(pull.sum(axis=1), 1e-300)
        weight = np.maximum(share.mean(axis=1), 1e-9)
    # BIC: k means and k - 1 free weights, each costs half a log n
    criterion = log_all.sum(axis=1) - (k - 0.5) * np.log(n) + np.where((spread == 0).all(axis=1), np.log(TIED), 0.0)
    return [ScoreGroups(*one) for one in zip(means, spread, share, criterion.tolist(), strict=True)]


def below_one_by_one(ranks: RankSets, agent: str) -> int:
    """Return how many agents are significantly below one, each compared separately, two-sided."""
    board, i = ranks.board, ranks.agents.index(agent)
    with np.errstate(invalid="ignore"):
        reach = t_critical(bonferroni(ranks.level, 2).value, board.df[i]) * np.sqrt(board.variance_if_equal[i])
    return int((estimable(board)[i] & (board.score[i] - board.score > reach)).sum())


def answer(resolution: "PairwiseResolution") -> Sentence:
    """Return the answer in one sentence, fit for a title."""
    places = first_place(resolution.ranks, resolution.matrix.part)
    level, n = resolution.confidence, len(resolution.agents)
    if len(resolution.matrix.parts) > 1:
        fall = f"The {n:,} agents form {len(resolution.matrix.parts):,} connected components"
        if 2 * len(places[0].agents) <= n:
            return Sentence((f"{fall}: no agent is first of all.",), OPEN, "trust")
        within, leads = f"{fall}; of {len(places[0].agents):,} in the largest, ", places[0].leaders
        if places[0].certain is not None:
            return Sentence((within, Name(places[0].certain), f" is certainly first ({level})."), OPEN, "board")
        return Sentence(
            (within, *named(leads), f" lead{'s' * (len(leads) == 1)} by {brief_measure(resolution)}."), OPEN, "board"
        )
    place, by = places[0], brief_measure(resolution)
    if place.certain is not None:
        of = f" is certainly first of {n:,} agents by {by} ({level})."
        return Sentence((Name(place.certain), of), RESOLVED, "board")
    cycle = cycle_at_the_top(resolution)
    if cycle is not None:
        text = f" beat each other in a cycle ({level})."
        return Sentence(("No single agent is best: ", *named(sorted(cycle.agents)), text), RESOLVED, "core")
    if len(place.may) <= FEW and len(place.may) < n:
        of = f" is first of {n:,} agents by {by} ({level})."
        return Sentence((*named(place.may, last="or"), of), OPEN, "board")
    many = any_of(n) if len(place.may) == n else f"{len(place.may):,} of {n:,}"
    if len(place.leaders) == n or not set(likeliest_first(resolution, place)) & set(place.leaders):
        # all are tied, or the highest score rests on little data
        return Sentence((f"No agent stands out: {many} may be first by {by} ({level}).",), OPEN, "board")
    lead = (*named(place.leaders), f" {'leads' if len(place.leaders) == 1 else 'lead'} by {by}, but ")
    return Sentence((*lead, f"{many} agents may be first ({level})."), OPEN, "board")


def who_is_first(resolution: "PairwiseResolution") -> tuple[Sentence, ...]:
    """Return the verdict: components, who may be first by score, and who beats everybody head to head."""
    places = first_place(resolution.ranks, resolution.matrix.part)
    parts = resolution.matrix.parts
    if len(parts) > 1:
        opening = Sentence((" ".join(component_notes(parts)),), OPEN, "trust")
        large = [place for place in places[:MOST_PARTS] if len(place.agents) >= LARGE_SHARE * len(resolution.agents)]
        return (opening, *(first_by_score(resolution, place) for place in large))
    same = len(resolution.agents) == 2 and not resolution.majorities.unit  # the win rate of a pair is its score
    met = None if resolution.hubs or same else head_to_head(resolution, places[0])
    sentences = (first_by_score(resolution, places[0]), met, one_scale_sentence(resolution))
    return tuple(one for one in sentences if one is not None)


def first_by_score(resolution: "PairwiseResolution", place: FirstPlace) -> Sentence:
    """State who is first by score in a component, or may be, and the evidence for the most probable."""
    ranks, n = resolution.ranks, len(place.agents)
    level, measure, whole = confidence(ranks.level), ranks.board.measure, n == len(resolution.agents)
    start: tuple[str, ...] = () if whole else (f"In the component of {listed(place.agents, 3)}, ",)
    at_once = ", multiple comparisons with the best" if n > 2 else ""
    if place.certain is not None:
        over = f"that of each of {n - 1:,} others" if n > 2 else "that of the only other agent"
        text = f" is certainly first: its {measure}, {score_text(ranks, place.certain)}, is above {over} ({level}{at_once})"
        return Sentence((*start, Name(place.certain), text, _beats_all(resolution, place), "."), RESOLVED, "board")
    every = any_of(n).capitalize() if whole else any_of(n)
    many = every if len(place.may) == n else f"{len(place.may):,} of {n:,}"
    may: tuple[str, ...] = (f"{many} agents may be first by {measure} ({level}{at_once})",)
    if len(place.may) < n:
        may += (": ", *together([(Name(name), f" ({score_text(ranks, name, short=True)})") for name in place.may]))
    return Sentence((*start, *may, ".", *_likeliest(resolution, place)), OPEN, "board")


def score_text(ranks: RankSets, agent: str, *, short: bool = False) -> str:
    """Return an agent's score with its confidence interval; shares as percentages."""
    i = ranks.agents.index(agent)
    score, low, high = (float(values[i]) for values in (ranks.score, ranks.low, ranks.high))
    if ranks.board.is_share:
        value, ends = f"{100 * score:.1f} %", f"{100 * max(low, 0.0):.1f} to {100 * min(high, 1.0):.1f} %"
    else:
        value, ends = f"{score:.3g}", f"{low:.3g} to {high:.3g}"
    return value if short or not (np.isfinite(low) and np.isfinite(high)) else f"{value} ({ends})"


def likeliest_first(resolution: "PairwiseResolution", place: FirstPlace) -> tuple[str, ...]:
    """Return who is most likely to be first among those who may be: several where the simulation does not tell them apart."""
    chance = {name: _first_probability(resolution, name) for name in place.may}
    most = max(chance.values(), default=0.0)
    return tuple(name for name in place.may if most - chance[name] <= 3 * sqrt((most + chance[name]) / DRAWS))


def _first_probability(resolution: "PairwiseResolution", agent: str) -> float:
    return float(resolution.first_probability[resolution.agents.index(agent)])


def _likeliest(resolution: "PairwiseResolution", place: FirstPlace) -> tuple[str, ...]:
    """State who is first most probably; where many may be first, also what is certain about that agent."""
    best = likeliest_first(resolution, place)
    if len(best) != 1 or (most := _first_probability(resolution, best[0])) <= 0:
        return ()
    ranks, (who,) = resolution.ranks, best
    parts = (" Most likely to be first is ", Name(who), f" ({'over 99 %' if most > SURE else percent(most)})")
    if len(place.may) <= FEW:
        return (*parts, ".")
    others, alone = len(place.agents) - 1, below_one_by_one(ranks, who)
    at_once = f"certainly above {int(ranks.above[ranks.agents.index(who)].sum()):,} of {others:,} others with all pairs compared simultaneously"
    above = f"{at_once}, and above {alone:,} with each pair compared by itself"
    is_above = above if ranks.simultaneous else f"above {alone:,} of {others:,} others, each pair compared by itself"
    return (
        *parts,
        f": its {ranks.board.measure} is {score_text(ranks, who)}{_record(resolution, who)}; it is {is_above}.",
    )


def _record(resolution: "PairwiseResolution", agent: str) -> str:
    """State the share of its battles that an agent won, where there are battles."""
    if resolution.kind not in ("battles", "pairs"):
        return ""
    pairwise, i = resolution.pairwise, resolution.agents.index(agent)
    first, second = pairwise.a == i, pairwise.b == i
    weight = float(pairwise.weight[first | second].sum())
    won = float(pairwise.weight[first] @ pairwise.rate[first] + pairwise.weight[second] @ (1 - pairwise.rate[second]))
    battles = int(pairwise.battles[first | second].sum())
    return f", and it won {percent(won / weight)} of its {counted(battles, 'battle')}" if weight else ""


def _beats_all(resolution: "PairwiseResolution", place: FirstPlace) -> str:
    """State that the agent that is certainly first also beats everybody head to head."""
    majorities, n = resolution.majorities, len(place.agents)
    if place.certain is None or n < len(resolution.agents) or majorities.winner != place.certain or resolution.hubs:
        return ""
    resolved = majorities.wins_resolved(place.certain)
    whom = "every one of them" if n > 2 else "it"
    some = "" if resolved == n - 1 else f"; tested one by one, {_resolved_of(resolved, n - 1)}"
    return f", and it beats {whom} head to head, {majorities.by}{some}{_against_count(majorities, place.certain)}"


def _against_count(majorities: "Majorities", winner: str) -> str:
    """State the counts that speak against the head-to-head wins of an agent, as estimates may differ from counts."""
    against = majorities.contradicted(winner)
    records = ", ".join(f"{record} against {quoted(rival)}" for rival, record in against[:FEW])
    return f"; in direct battles its record is {records}" if against else ""


def _resolved_of(resolved: int, wins: int) -> str:
    return f"{resolved:,} of these {counted(wins, 'win')} {'is' if resolved == 1 else 'are'} resolved"


def head_to_head(resolution: "PairwiseResolution", place: FirstPlace) -> Sentence | None:
    """State whether anyone beats everybody head to head, and why that is not the first by score."""
    majorities, n = resolution.majorities, len(resolution.agents)
    winner = majorities.winner
    if winner is not None and winner == place.certain:
        return None
    estimated = replace(majorities, rate=resolution.matrix.rate)
    if not majorities.unit and estimated.winner not in (None, winner):  # its own battles put it a standard error behind
        text = (
            f" is ahead of every other agent head to head, {estimated.by}{_against_count(estimated, estimated.winner)}."
        )
        return Sentence((Name(estimated.winner), text), OPEN, "pairs")
    by = majorities.by
    ahead = place.certain or (place.leaders[0] if place.leaders else place.agents[0])
    if winner is not None:
        resolved = majorities.wins_resolved(winner)
        sure = resolved == n - 1
        one_by_one = "each of these wins is resolved" if sure else _resolved_of(resolved, n - 1)
        counts = _against_count(majorities, winner)
        end = f"; tested one by one, {one_by_one} ({confidence(resolution.ranks.level)}){counts}."
        mark = RESOLVED if sure else OPEN
        if winner == ahead or winner in place.leaders:
            also = (Name(winner), f" also beats every other agent head to head, {by}")
            return Sentence((*also, end if n > 2 else f"{counts}."), mark, "pairs")
        others = (ahead,) if place.certain else place.leaders or (ahead,)
        parts = (
            Name(winner),
            ", and not ",
            *named(others, last="or"),
            f", beats every other agent head to head, {by}{end}",
        )
        return Sentence((*parts, f" The two differ because {_why(resolution)}."), mark, "pairs")
    cycle = cycle_at_the_top(resolution)
    if cycle is not None:
        return _cycle_sentence(resolution, cycle)
    unbeaten = [resolution.agents[i] for i in np.flatnonzero(majorities.lost == 0)]
    if len(unbeaten) == n:
        return Sentence((f"Head to head, every pair is even {by}.",), OPEN, "pairs")
    if unbeaten:
        verb = "loses" if len(unbeaten) == 1 else "lose"
        none = (f"No agent beats every other agent head to head, {by}; ", *named(unbeaten), f" {verb} to none.")
        return Sentence(none, OPEN, "pairs")
    even = (": ", *_loses(resolution, ahead)) if len(place.leaders) == 1 else ()
    return Sentence(("No agent beats every other agent head to head", *even, f", {by}."), OPEN, "pairs")


def _loses(resolution: "PairwiseResolution", agent: str) -> tuple[str, ...]:
    """State to whom an agent loses head to head, or with whom it is even."""
    majorities, i = resolution.majorities, resolution.agents.index(agent)
    to = np.flatnonzero(majorities.beats[:, i])
    if len(to):
        worst = sorted(to.tolist(), key=lambda j: (majorities.rate[i, j], resolution.agents[j]))
        text = together([(Name(resolution.agents[j]), f" (wins {percent(majorities.rate[i, j])})") for j in worst], 2)
        return ("even ", Name(agent), ", first by score, loses to ", *text)
    return ("even ", Name(agent), ", first by score, ties with another")


def cycle_at_the_top(resolution: "PairwiseResolution") -> Cycle | None:
    """Return a significant cycle whose agents may all be first, where nobody certainly is."""
    may = set(resolution.ranks.top(1))
    if len(resolution.matrix.parts) > 1 or resolution.ranks.certainly_top(1):
        return None
    return next((one for one in resolution.cycles.surviving if set(one.agents) <= may), None)


def _cycle_sentence(resolution: "PairwiseResolution", cycle: Cycle) -> Sentence:
    steps: list[str] = []
    for edge in cycle.edges:
        steps += ["; " if steps else "", Name(edge.winner), " beats ", Name(edge.loser), f" ({percent(edge.rate)})"]
    at_once = f". All three wins hold with simultaneous {confidence(resolution.ranks.level)} confidence, so no single ranking shows them all."
    parts = ("No agent beats every other agent head to head: ", *steps, at_once)
    return Sentence(tuple(part for part in parts if part), RESOLVED, "core")


def one_scale_sentence(resolution: "PairwiseResolution") -> Sentence | None:
    """State what the Bradley-Terry model would add, where the data cannot test it."""
    other = resolution.on_one_scale
    if other is None or not resolution.matrix.unseen or other.resolved_pairs <= resolution.ranks.resolved_pairs:
        return None
    may, n = other.top(1), len(resolution.agents)
    who: tuple[str, ...] = named(may, 3) if len(may) < n else (f"{any_of(n)} agents",)
    is_first = " is certainly first" if other.certainly_top(1) else " may be first"
    text = "Assuming a Bradley-Terry model, which these battles can neither confirm nor refute, "
    more = f", and {other.resolved_pairs:,} of {counted(other.pairs, 'pair')} are resolved ({confidence(other.level)})."
    return Sentence((text, *who, f"{is_first}{more}"), OPEN, "scale")


def opposed_sentence(resolution: "PairwiseResolution") -> Sentence | None:
    """Name a pair that Bradley-Terry strengths order with certainty against the scores."""
    if not resolution.opposed:
        return None
    (one, other), more = resolution.opposed[0], len(resolution.opposed) - 1
    rest = f"; the same holds for {counted(more, 'more pair')}" if more else ""
    text = f" by {resolution.board.measure}, and certainly below by Bradley-Terry strength{rest}."
    return Sentence(
        ("The order depends on the score: ", Name(one), " is certainly above ", Name(other), text), OPEN, "scale"
    )


def brief_measure(resolution: "PairwiseResolution") -> str:
    """Return the name of the score, without its opponents."""
    return resolution.board.measure.removesuffix(" against every other agent")


def _why(resolution: "PairwiseResolution") -> str:
    return WHY_THEY_DIFFER.get(str(resolution.board.settings.get("estimand")), WEIGHTED)
