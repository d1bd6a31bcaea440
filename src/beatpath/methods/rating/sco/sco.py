"""Soft Condorcet Optimization, plain and weighted, with Vigna's position weights and WSCO's Condorcet guarantee."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._validate import generator, require_choice
from beatpath.methods.metrics import WEIGHERS
from beatpath.methods.profile import Profile
from beatpath.methods.rating.sco.descent import (
    Settings,
    algorithm_1,
    fenchel_young,
    fenchel_young_loss,
    fenchel_young_sgd,
)
from beatpath.methods.rating.sco.losses import (
    Cells,
    Classes,
    Ratings,
    Votes,
    cells_of,
    cells_of_ballots,
    classes_of,
    disagreement,
    sigmoid_loss,
    votes_of,
    votes_of_two,
    worth_of,
)
from beatpath.methods.rating.sco.solver import cold_enough, minimized, one_order, polished
from beatpath.methods.result import EXACT, Outcome, levels_by_score

# weights of positions by name
SCHEMES: dict[str, Callable[[Floats], Floats]] = {**WEIGHERS, "uniform": lambda r: np.full(len(r), 0.5)}


def position_weights(scheme: str | Sequence[float], positions: int) -> Floats:
    r"""Return the weight of every position, best first; an exchange of two costs the sum of theirs.

    .. math::  w_{\log}(r) = \frac{1}{\ln(r + e)}, \qquad w_{\text{hyp}}(r) = \frac{1}{r + 1}, \qquad
               w_{\text{quad}}(r) = \frac{1}{(r + 1)^2}

    WSCO section 4, after Vigna; "uniform" is one half, by which every exchange costs one. Numbers are used as the
    weights.

    Parameters
    ----------
    scheme : str or sequence of float
        A sequence must have a positive weight for every position that occurs.
    positions : int
        Length of the longest vote.

    Examples
    --------
    WSCO Example 3: the exchange of first and second costs 3/2, of second and third 5/6.

    >>> w = position_weights("hyperbolic", 3)
    >>> float(w[0] + w[1]), round(float(w[1] + w[2]), 6)
    (1.5, 0.833333)
    """
    if isinstance(scheme, str):
        require_choice("position_weight", scheme, tuple(SCHEMES))
        return SCHEMES[scheme](np.arange(positions, dtype=np.float64))
    weights = np.asarray(scheme, dtype=np.float64)
    if weights.ndim != 1 or len(weights) < positions:
        raise UsageError(
            f"`position_weight` must have a weight for each of the {positions} positions of the longest vote; "
            f"got {weights.size}."
        )
    wrong = weights[~(np.isfinite(weights) & (weights > 0))]
    if wrong.size:
        raise UsageError(
            f"`position_weight` must be positive numbers; got {wrong[0]:g}. A position without weight would make its "
            "preferences vanish; give it a small one."
        )
    return weights[:positions]


@dataclass(frozen=True, slots=True)
class Guarantee:
    r"""Whether a weighted loss keeps a Condorcet winner on top, WSCO Theorem 1.

    Attributes
    ----------
    winner : int or None
        The Condorcet winner by unweighted votes; the rest is meaningless if there is none.
    ratio : float
        :math:`r = w_{\max} / w_{\min}` over the pairs of positions that occur.
    threshold : float
        :math:`(r - 1) / (r + 1)`.
    share : float
        The winner's smallest margin over the votes that compare it with that rival, :math:`k / n`.
    holds : bool
        Whether the share exceeds the threshold: then a global minimum has the winner on top.
    weighted : bool
        Whether the winner also has a positive weighted margin over every rival, which is what the proof needs and the
        threshold implies: then a global minimum has it on top, whatever the threshold.
    """

    winner: int | None
    ratio: float
    threshold: float
    share: float
    holds: bool
    weighted: bool


def guarantee(cells: Cells, weighted: Cells, weights: Floats) -> Guarantee:
    r"""Compute the threshold of Theorem 1 for the data, and whether it is met.

    The theorem assumes complete votes, so that *n* voters compare every pair. Its proof considers one rival at a
    time, so for incomplete votes *n* is the number that rank both. Positions are those within a vote.

    Parameters
    ----------
    cells : Cells
        Unweighted preference counts.
    weighted : Cells
        Weighted ones, :math:`N_W`.
    weights : (p,) float
        Weights of the positions.

    Examples
    --------
    Three positions, hyperbolic: r = (3/2) / (5/6) = 9/5, so the threshold is 2/7. A winner of all votes is above it.

    >>> cells = Cells.from_wins(np.array([[0, 4, 4], [0, 0, 3], [0, 1, 0]]))
    >>> result = guarantee(cells, cells, position_weights("hyperbolic", 3))
    >>> result.winner, round(result.ratio, 9), round(result.threshold, 6), result.share, result.holds
    (0, 1.8, 0.285714, 1.0, True)
    """
    ordered = np.sort(weights)[::-1]
    ratio = float((ordered[0] + ordered[1]) / (ordered[-1] + ordered[-2])) if len(weights) > 1 else 1.0
    threshold = (ratio - 1) / (ratio + 1)
    margin, total = cells.margin, cells.n_ab + cells.n_ba
    won = np.bincount(np.concatenate((cells.a[margin > 0], cells.b[margin < 0])), minlength=cells.n_agents)
    strong = np.flatnonzero(won == cells.n_agents - 1)
    if not len(strong):
        return Guarantee(None, ratio, threshold, np.nan, False, False)
    winner = int(strong[0])
    his = (cells.a == winner) | (cells.b == winner)
    share = float((np.abs(margin[his]) / total[his]).min(initial=1.0))
    his = (weighted.a == winner) | (weighted.b == winner)
    lead = np.where(weighted.a[his] == winner, 1, -1) * weighted.margin[his]
    return Guarantee(winner, ratio, threshold, share, share > threshold, bool((lead > 0).all()))


# The status of the exact solver if it stops at its limit.
OPEN = "stopped at the limit of nodes before the bounds closed: no ratings have a loss below `lower`"


def by_sigmoid(cells: Cells, settings: Settings, votes: Callable[[], Votes], weights: Floats | None = None) -> Ratings:
    """Return ratings that minimize the sigmoid loss by any solver.

    The solver is `minimized`, `sigmoidal_program` or `algorithm_1`.
    """
    if settings.solver == "exact":
        return _proven(cells, settings.temperature, settings.low, settings.high)
    if settings.solver == "anneal":
        return minimized(cells, low=settings.low, high=settings.high, temperature=settings.temperature)
    cast = votes()
    if not len(cast.winner) or not cast.weight.sum() > 0:
        raise DataError("solver='sgd' draws votes, so there must be a preference to draw; every comparison is tied.")
    worth = None if weights is None else worth_of(cast, weights)
    theta = algorithm_1(cast, settings, generator(settings.seed), worth)
    return _descended(theta, sigmoid_loss(theta, cells, settings.tau), settings, cells)


def _descended(theta: Floats, loss: float, settings: Settings, cells: Cells) -> Ratings:
    """Ratings after the last step of Algorithm 1."""
    details = {"loss": loss, "iterations": settings.iterations}
    return Ratings(theta, settings.tau, FIXED, details, classes_of(cells), tie=0.0)


def _proven(cells: Cells, temperature: float | None, low: float, high: float) -> Ratings:
    """The global minimum among ratings that treat indistinguishable agents alike."""
    classes = classes_of(cells)
    if temperature is None:
        temperature = cold_enough(high - low, classes) if len(classes.margin) else 1.0
    n_ab, n_ba = (np.maximum(sign * classes.margin, 0.0) for sign in (1, -1))
    between = Cells(classes.count, classes.a, classes.b, n_ab, n_ba)
    from beatpath.methods.rating.sco.sigmoidal_program import sigmoidal_program

    program = sigmoidal_program(between, temperature=temperature, low=low, high=high)
    theta = program.theta[classes.label]
    upper = sigmoid_loss(theta, cells, temperature)
    gap = (program.upper - program.lower) * float(np.abs(cells.margin).max(initial=0.0))
    details = {"loss": upper, "lower": upper - gap, "upper": upper, "nodes": program.nodes}
    return Ratings(theta, temperature, EXACT if program.optimal else OPEN, details, classes)


def finished(agents: tuple[str, ...], cells: Cells, ratings: Ratings, polish: bool) -> Outcome:
    """Convert ratings to levels, polish them on request, and count what they contradict."""
    scaled = ratings.theta / ratings.temperature
    level = levels_by_score(scaled, ratings.tie / max(1.0, float(np.abs(scaled).max())))
    details = {"temperature": ratings.temperature, **ratings.details}
    if polish:
        before, level = disagreement(-level, cells), polished(level, cells)
        after = disagreement(-level, cells)
        details["polish"] = {"before": before, "after": after, "gain": before - after}
    order = one_order(level, cells)
    details |= {
        "disagreement": disagreement(-level, cells),
        "order": [agents[i] for i in order],
        "order_disagreement": disagreement(-np.argsort(order), cells),
        "indistinct": _indistinct_names(agents, ratings.classes),
    }
    return Outcome(level, ratings.theta, ratings.status, details)


def _indistinct_names(agents: tuple[str, ...], classes: Classes) -> list[list[str]]:
    """The names in every class of more than one agent."""
    order = np.argsort(classes.label, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(classes.label))[:-1])
    return [[agents[i] for i in group] for group in groups if len(group) > 1]


# The status of the stochastic solver.
FIXED = "stopped after `iterations` steps of stochastic descent, which has no test of convergence"


def sco(
    profile: Profile,
    *,
    loss: str = "sigmoid",
    solver: str = "anneal",
    temperature: float | None = None,
    low: float = 0.0,
    high: float = 100.0,
    polish: bool = False,
    iterations: int = 10_000,
    learning_rate: float = 0.01,
    batch: int | None = 32,
    unit: str = "votes",
    seed: int = 0,
) -> Outcome:
    r"""Rate agents by Soft Condorcet Optimization [1]_, so that the order of the ratings contradicts few preferences.

    With :math:`N(a, b)` the preferences for *a* over *b*, it minimizes the sigmoid loss

    .. math::  \tilde L(\theta) = \sum_{a, b} N(a, b) \, \sigma(\theta_b - \theta_a)  \qquad \text{(SCO eq. 8)}

    over bounded ratings. As the temperature of :math:`\sigma` falls, it becomes the number of contradicted
    preferences, Kemeny's objective, and by Theorem 1 a Condorcet winner has the highest rating at a global minimum.

    Parameters
    ----------
    profile : Profile
        Any evidence with counts.
    loss : {"sigmoid", "fenchel_young"}
        The second is convex, but need not rank a Condorcet winner first; see `fenchel_young_loss`.
    solver : {"anneal", "sgd", "exact"}
        "anneal" (default) is deterministic and uses the pair counts; see `minimized`. "sgd" is the paper's Algorithm
        1 over batches of votes; see `algorithm_1`. "exact" proves the global minimum, for few agents; see
        `sigmoidal_program`.
    temperature : float, optional
        :math:`\tau`, or the noise :math:`\varepsilon` of the Fenchel-Young loss. By default `cold_enough` for the
        sigmoid loss, a twentieth of the range of ratings for the Fenchel-Young loss, and the paper's 1 for "sgd".
    low, high : float
        Bounds of the ratings, :math:`\theta_{\min}` and :math:`\theta_{\max}`.
    polish : bool
        Whether to improve the levels on Kemeny's objective at the end; scores stay the ratings. See `polished`.
    iterations, learning_rate, batch, unit, seed
        Options of "sgd" only; see `Settings`. A batch of None uses all votes in every step.

    Returns
    -------
    Outcome
        *Levels*: by descending rating. Ratings within a thousandth of a temperature share a level.

        *Scores*: the ratings.

        *Details*: ``temperature``; ``loss`` at the ratings; ``disagreement``, the preferences that the levels
        contradict, ties counting half; ``order``, one order that breaks the ties, and ``order_disagreement``, what it
        contradicts; ``indistinct``, groups of indistinguishable agents, who share a rating; and diagnostics of the
        solver: ``residual``, ``evaluations`` and ``moves``, or ``lower``, ``upper`` and ``nodes``; with `polish`,
        ``polish`` with the disagreement ``before`` and ``after``.

    Examples
    --------
    SCO eq. (10): A has the most wins, but C beats both others.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3])
    >>> ratings = sco(profile_of(votes))
    >>> ratings.level, ratings.details["disagreement"]
    (array([1, 2, 0]), 4.0)
    >>> sco(profile_of(votes), loss="fenchel_young").level
    array([0, 2, 1])

    Notes
    -----
    :math:`O(\text{pairs})` per step, however many votes. Indistinguishable agents in a cycle are tied: a lower loss
    would favor one of them without reason. If different orders of distinguishable agents are equally good, one of
    them is returned, deterministic and independent of names; `kemeny` states whether it is the only one.

    References
    ----------
    .. [1] M. Lanctot et al., "Soft Condorcet Optimization for Ranking of General Agents" (SCO), 2024, arXiv:2411.00119.
    """
    require_choice("loss", loss, ("sigmoid", "fenchel_young"))
    settings = Settings(iterations, learning_rate, batch, temperature, low, high, unit, solver, seed)
    cells = cells_of(profile, "sco")
    if loss == "fenchel_young":
        ratings = _by_fenchel_young(profile, cells, settings)
    else:
        ratings = by_sigmoid(
            cells, settings, lambda: votes_of_two(cells) if profile.ballots is None else votes_of(profile.ballots)
        )
    return finished(profile.agents, cells, ratings, polish)


def _by_fenchel_young(profile: Profile, cells: Cells, settings: Settings) -> Ratings:
    """The convex loss, by descent on counts or on sampled votes."""
    if settings.solver == "exact":
        raise UsageError(
            "solver='exact' proves a minimum of the sigmoid loss; the Fenchel-Young loss is convex and has but one."
        )
    low, high = settings.low, settings.high
    if settings.solver == "sgd":
        ballots = profile.require_ballots("sco with loss='fenchel_young' and solver='sgd'")
        theta = fenchel_young_sgd(ballots, settings, generator(settings.seed))
        return _descended(theta, fenchel_young_loss(theta, cells, settings.tau), settings, cells)
    noise = (high - low) / 20 if settings.temperature is None else settings.temperature
    return fenchel_young(cells, noise=noise, low=low, high=high)


def wsco(
    profile: Profile,
    *,
    position_weight: str | Sequence[float] = "logarithmic",
    solver: str = "anneal",
    temperature: float | None = None,
    low: float = 0.0,
    high: float = 100.0,
    polish: bool = False,
    iterations: int = 10_000,
    learning_rate: float = 0.01,
    batch: int | None = 32,
    unit: str = "pairs",
    seed: int = 0,
) -> Outcome:
    r"""Rate agents by Weighted SCO [1]_: contradicted preferences near the top of the votes cost more.

    With :math:`v[i]` the agent at position *i* of vote *v*, 0 the best, it minimizes

    .. math::  \tilde L_W(\theta) = \sum_v \sum_{i < j} \frac{w(i, j)}{1 + e^{(\theta_{v[i]} - \theta_{v[j]})/\tau}},
               \qquad w(i, j) = w(i) + w(j)  \qquad \text{(WSCO eq. 4)}

    which is SCO's loss on weighted preference counts :math:`N_W`.

    Parameters
    ----------
    profile : Profile
        Ballots or scores. Agents tied on a ballot share the position of the best of them, and their comparison counts
        for neither.
    position_weight : {"logarithmic", "hyperbolic", "quadratic", "uniform"} or sequence of float
        Weights of positions; see `position_weights`.
    solver : {"anneal", "sgd", "exact"}
        As for `sco`.
    temperature, low, high, polish, iterations, learning_rate, batch, unit, seed
        As for `sco`; the paper's settings of "sgd" use batches of pairs, whose gradients are summed. `polish`
        improves the levels on the weighted objective, WSCO eq. (3).

    Returns
    -------
    Outcome
        Levels, scores and details as for `sco`, with weighted ``loss`` and ``disagreement``; ``condorcet`` states
        whether Theorem 1 guarantees that a Condorcet winner is on top of a global minimum; see `Guarantee`.

    Examples
    --------
    WSCO Example 3's votes: two voters prefer A to B to C, one the reverse.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["B"], ["A"]]], count=[2, 1])
    >>> result = wsco(profile_of(votes), position_weight="hyperbolic")
    >>> result.level, round(result.details["condorcet"]["threshold"], 6), result.details["condorcet"]["holds"]
    (array([0, 1, 2]), 0.285714, True)

    Notes
    -----
    Does not satisfy the Condorcet criterion: only constant weights do (WSCO Corollary 1).

    References
    ----------
    .. [1] S. Koivula, "Weighted Soft Condorcet Optimization" (WSCO), *Games, Agents, and Incentives Workshop* 2026.
    """
    settings = Settings(iterations, learning_rate, batch, temperature, low, high, unit, solver, seed)
    ballots = profile.require_ballots("wsco")
    weights = position_weights(position_weight, int(np.diff(ballots.start).max(initial=1)))
    cells = cells_of_ballots(ballots, weights)
    outcome = finished(profile.agents, cells, by_sigmoid(cells, settings, lambda: votes_of(ballots), weights), polish)
    bound = guarantee(cells_of_ballots(ballots, np.full(len(weights), 0.5)), cells, weights)
    known = {} if bound.winner is None else {"winner": profile.agents[bound.winner], "share": bound.share}
    condorcet = {**asdict(bound), "share": None, **known}
    return replace(outcome, details={**outcome.details, "condorcet": condorcet})
