"""Weighted Soft Condorcet Optimization: SCO in which contradicting the top of a vote costs more."""

from collections.abc import Sequence

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath._validate import generator
from beatpath.methods.profile import Profile
from beatpath.methods.rating.sco.position_weights import Guarantee, guarantee, position_weights
from beatpath.methods.rating.sco.sco import FIXED, descent_rule
from beatpath.methods.rating.sco.sco_loss import Cells, sigmoid_loss
from beatpath.methods.rating.sco.sco_outcome import FoundRatings, finished, rated_by_sigmoid
from beatpath.methods.rating.sco.sco_settings import require_box, require_one_of, require_positive
from beatpath.methods.rating.sco.sco_sgd import Descent, algorithm_1
from beatpath.methods.rating.sco.sco_votes import Votes, cells_of_votes, votes_of
from beatpath.methods.rating.sco.symmetry import classes_of
from beatpath.methods.result import Outcome


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
    r"""Rate agents so that the ratings contradict little, above all at the top of the votes; Weighted SCO [1]_.

    With :math:`v[i]` the agent at position *i* of vote *v*, 0 the best, minimises

    .. math::  \tilde L_W(\theta) = \sum_v \sum_{i < j} \frac{w(i, j)}{1 + e^{(\theta_{v[i]} - \theta_{v[j]})/\tau}},
               \qquad w(i, j) = w(i) + w(j)  \qquad \text{(WSCO eq. 4)}

    which is SCO's loss on weighted preference counts :math:`N_W`.

    Parameters
    ----------
    profile : Profile
        Of ballots or scores. Agents tied on a ballot share the position of the best of them, and their comparison
        counts for neither.
    position_weight : {"logarithmic", "hyperbolic", "quadratic", "uniform"} or sequence of float
        Weights of positions; see `position_weights`.
    solver : {"anneal", "sgd", "exact"}
    temperature, low, high, polish, iterations, learning_rate, batch, unit, seed
        As for `sco`; the paper's settings of "sgd" go with batches of pairs, whose gradients are summed. `polish`
        moves levels on the weighted objective, WSCO eq. (3).

    Returns
    -------
    Outcome
        Levels, scores and details as for `sco`, with weighted ``loss`` and ``disagreement``; ``condorcet`` says whether
        Theorem 1 guarantees that a Condorcet winner is on top of a global minimum; see `Guarantee`.

    Examples
    --------
    WSCO Example 3's votes: two voters prefer A to B to C, one the reverse.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["B"], ["A"]]], count=[2, 1])
    >>> found = wsco(profile_of(votes), position_weight="hyperbolic")
    >>> found.level, round(found.details["condorcet"]["threshold"], 6), found.details["condorcet"]["holds"]
    (array([0, 1, 2]), 0.285714, True)

    Notes
    -----
    Not Condorcet consistent: only constant weights are (WSCO Corollary 1).

    References
    ----------
    .. [1] S. Koivula, "Weighted Soft Condorcet Optimization" (WSCO), *Games, Agents, and Incentives Workshop* 2026.
    """
    require_one_of("solver", solver, ("anneal", "sgd", "exact"))
    require_box(low, high)
    if temperature is not None:
        require_positive("temperature", temperature)
    ballots = profile.need_ballots("wsco")
    votes = votes_of(ballots)
    weights = position_weights(position_weight, int(np.diff(ballots.start).max(initial=1)))
    worth = weights[votes.above_winner] + weights[votes.above_loser]
    cells = cells_of_votes(votes, worth)
    if solver == "sgd":
        rule = descent_rule(iterations, learning_rate, batch, temperature or 1.0, low, high, unit)
        found = _by_weighted_descent(votes, worth, cells, rule, generator(seed))
    else:
        found = rated_by_sigmoid(cells, solver, temperature, low, high)
    outcome = finished(profile.agents, cells, found, polish)
    kept = guarantee(cells_of_votes(votes, np.ones(len(worth))), cells, weights)
    details = {**outcome.details, "condorcet": _as_data(kept, profile.agents)}
    return Outcome(outcome.level, outcome.score, outcome.status, details)


def _by_weighted_descent(
    votes: Votes, worth: Floats, cells: Cells, rule: Descent, rng: np.random.Generator
) -> FoundRatings:
    """Algorithm 1 on weighted preferences."""
    if not len(votes.winner):
        raise DataError("solver='sgd' draws votes, so there must be a preference to draw; every comparison is tied.")
    theta = algorithm_1(votes, rule, rng, worth)
    details = {"loss": sigmoid_loss(theta, cells, rule.temperature), "iterations": rule.iterations}
    return FoundRatings(theta, rule.temperature, FIXED, details, classes_of(cells), tie=0.0)


def _as_data(found: Guarantee, agents: tuple[str, ...]) -> dict[str, object]:
    """The guarantee as plain data, the winner by name."""
    return {
        "winner": None if found.winner is None else agents[found.winner],
        "ratio": found.ratio,
        "threshold": found.threshold,
        "share": None if found.winner is None else found.share,
        "holds": found.holds,
        "weighted": found.weighted,
    }
