"""Soft Condorcet Optimization: ratings that contradict as few preferences as possible, counted smoothly."""

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._validate import generator
from beatpath.methods.profile import Profile
from beatpath.methods.rating.sco.fenchel_young import fenchel_young, fenchel_young_loss, fenchel_young_sgd
from beatpath.methods.rating.sco.sco_loss import Cells, cells_of, sigmoid_loss
from beatpath.methods.rating.sco.sco_outcome import STOPPED, FoundRatings, finished, rated_by_sigmoid
from beatpath.methods.rating.sco.sco_settings import require_box, require_one_of, require_positive, require_whole
from beatpath.methods.rating.sco.sco_sgd import Descent, algorithm_1
from beatpath.methods.rating.sco.sco_votes import Votes, votes_of, votes_of_two
from beatpath.methods.rating.sco.symmetry import classes_of
from beatpath.methods.result import Outcome
from beatpath.methods.status import LOCAL

FENCHEL_YOUNG_TIE = 1e-6
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
    r"""Rate agents so that the order of the ratings contradicts few preferences; Soft Condorcet Optimization [1]_.

    With :math:`N(a, b)` the preferences for *a* over *b*, minimises the sigmoid loss

    .. math::  \tilde L(\theta) = \sum_{a, b} N(a, b) \, \sigma(\theta_b - \theta_a)  \qquad \text{(SCO eq. 8)}

    over ratings in a box. As the temperature of :math:`\sigma` falls it becomes the number of contradicted preferences,
    Kemeny's objective, and by Theorem 1 a Condorcet winner has the highest rating at a global minimum.

    Parameters
    ----------
    profile : Profile
    loss : {"sigmoid", "fenchel_young"}
        The second is convex and needs no luck, but need not put a Condorcet winner first; see `fenchel_young_loss`.
    solver : {"anneal", "sgd", "exact"}
        "anneal" is deterministic and works on the pair counts; see `minimised`. "sgd" is the paper's Algorithm 1 over
        batches of votes; see `algorithm_1`. "exact" proves the global minimum, for few agents; see `sigmoidal_program`.
    temperature : float, optional
        :math:`\tau`, or the noise :math:`\varepsilon` of the Fenchel-Young loss. By default what `cold_enough` says for
        the sigmoid loss, a twentieth of the box for the Fenchel-Young loss, and the paper's 1 for "sgd".
    low, high : float
        :math:`\theta_{\min}` and :math:`\theta_{\max}`.
    polish : bool
        Move levels to better places on Kemeny's objective at the end; scores stay the ratings. See `polished`.
    iterations, learning_rate, batch, unit, seed
        Of "sgd" alone; see `Descent`. A batch of None takes all votes every time.

    Returns
    -------
    Outcome
        *Levels*: by falling rating. Ratings within a thousandth of a temperature share a level.

        *Scores*: the ratings.

        *Details*: ``temperature``; ``loss``, at the ratings; ``disagreement``, the preferences that the levels
        contradict, ties counting half; ``order``, one order that breaks the ties, and ``order_disagreement``, what it
        contradicts; ``indistinct``, groups of agents that the data cannot tell apart, who share a rating; and of each
        solver how it ended: ``residual``, ``evaluations`` and ``moves``, or ``lower``, ``upper`` and ``nodes``; with
        `polish`, ``polish`` with the disagreement ``before`` and ``after``.

    Examples
    --------
    SCO eq. (10): A has the most wins, but C beats both others.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3])
    >>> found = sco(profile_of(votes))
    >>> found.level, found.details["disagreement"]
    (array([1, 2, 0]), 4.0)
    >>> sco(profile_of(votes), loss="fenchel_young").level
    array([0, 2, 1])

    Notes
    -----
    :math:`O(\text{pairs})` a step, however many votes. Agents in a circle that the data cannot tell apart are tied:
    a lower loss would favour one of them without reason. Where different orders of agents that can be told apart are
    equally good, one of them is found, the same every time and whatever the names; `kemeny` says whether it is the
    only one.

    References
    ----------
    .. [1] M. Lanctot et al., "Soft Condorcet Optimization for Ranking of General Agents" (SCO), 2024, arXiv:2411.00119.
    """
    require_one_of("loss", loss, ("sigmoid", "fenchel_young"))
    require_one_of("solver", solver, ("anneal", "sgd", "exact"))
    require_box(low, high)
    if temperature is not None:
        require_positive("temperature", temperature)
    cells = cells_of(profile, "sco")
    if solver == "sgd":
        rule = descent_rule(iterations, learning_rate, batch, temperature or 1.0, low, high, unit)
        found = _by_descent(profile, cells, loss, rule, generator(seed))
    elif loss == "fenchel_young":
        found = _fenchel_young(cells, solver, (high - low) / 20 if temperature is None else temperature, low, high)
    else:
        found = rated_by_sigmoid(cells, solver, temperature, low, high)
    return finished(profile.agents, cells, found, polish)


def descent_rule(
    iterations: int, learning_rate: float, batch: int | None, temperature: float, low: float, high: float, unit: str
) -> Descent:
    """Return the settings of Algorithm 1, or raise a sentence for one that cannot work.

    >>> descent_rule(10, 0.0, 32, 1.0, 0.0, 100.0, "votes")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `learning_rate` must be a positive number; got 0.
    """
    require_whole("iterations", iterations)
    require_positive("learning_rate", learning_rate)
    if batch is not None:
        require_whole("batch", batch)
    require_one_of("unit", unit, ("votes", "pairs"))
    return Descent(iterations, learning_rate, batch, temperature, low, high, unit)


def _by_descent(profile: Profile, cells: Cells, loss: str, rule: Descent, rng: np.random.Generator) -> FoundRatings:
    """Algorithm 1, with either loss."""
    if loss == "fenchel_young":
        theta = fenchel_young_sgd(profile.need_ballots("sco with loss='fenchel_young' and solver='sgd'"), rule, rng)
        value = fenchel_young_loss(theta, cells, rule.temperature)
    else:
        theta = algorithm_1(_vote_table(profile, cells), rule, rng)
        value = sigmoid_loss(theta, cells, rule.temperature)
    return FoundRatings(
        theta, rule.temperature, FIXED, {"loss": value, "iterations": rule.iterations}, classes_of(cells), tie=0.0
    )


def _vote_table(profile: Profile, cells: Cells) -> Votes:
    """Ballots as votes; battles and counts as votes on two agents."""
    votes = votes_of_two(cells) if profile.ballots is None else votes_of(profile.ballots)
    if not len(votes.winner) or not votes.weight.sum() > 0:
        raise DataError("solver='sgd' draws votes, so there must be a preference to draw; every comparison is tied.")
    return votes


def _fenchel_young(cells: Cells, solver: str, noise: float, low: float, high: float) -> FoundRatings:
    """The convex loss, by descent."""
    if solver == "exact":
        raise UsageError(
            "solver='exact' proves a minimum of the sigmoid loss; the Fenchel-Young loss is convex and has but one."
        )
    found = fenchel_young(cells, noise=noise, low=low, high=high)
    value = fenchel_young_loss(found.theta, cells, noise)
    details = {"loss": value, "residual": found.residual, "evaluations": found.evaluations}
    return FoundRatings(
        found.theta, noise, LOCAL if found.converged else STOPPED, details, classes_of(cells), FENCHEL_YOUNG_TIE
    )
