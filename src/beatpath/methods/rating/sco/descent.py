"""Stochastic gradient descent as in SCO's Algorithm 1, and the Fenchel-Young loss of perturbed ranks."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath._validate import is_number, require_choice, require_positive, require_whole
from beatpath.evidence import Ballots
from beatpath.fit.laplacian import incident
from beatpath.methods.numeric.boxed_descent import at_bounds, boxed_descent
from beatpath.methods.rating.sco.losses import STOPPED, Cells, Ratings, Votes, classes_of, sigmoid_sum
from beatpath.methods.result import LOCAL
from beatpath.methods.voting.scoring import places_of

_DRAWN = 4096  # batches sampled at a time


def require_box(low: float, high: float) -> None:
    """Raise an error if the bounds of the ratings are invalid.

    >>> require_box(100, 0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `low` must be below `high`, both finite: they bound the ratings; got '100' and '0'.
    """
    if not (is_number(low) and is_number(high) and low < high):
        raise UsageError(
            f"`low` must be below `high`, both finite: they bound the ratings; got {quoted(low)} and {quoted(high)}."
        )


@dataclass(frozen=True, slots=True)
class Settings:
    r"""The settings that SCO and its weighted form share; the first three and `unit` are those of Algorithm 1.

    Attributes
    ----------
    iterations : int
        :math:`T`, the number of steps.
    learning_rate : float
        :math:`\alpha`, constant.
    batch : int or None
        :math:`K`, sampled uniformly with replacement; None uses all votes in every step.
    temperature : float, optional
        Temperature of the loss; the solver's own if None, which is 1 for Algorithm 1.
    low, high : float
        Bounds of the ratings.
    unit : {"votes", "pairs"}
        With "votes" the gradient is the mean over the batch, which reproduces SCO Table 4. With "pairs" the batch
        holds single preferences and the gradient is their sum, which matches WSCO's settings.
    solver : {"anneal", "sgd", "exact"}
        How the loss is minimized; "sgd" is Algorithm 1.
    seed : int
        Seed of Algorithm 1.
    """

    iterations: int = 10_000
    learning_rate: float = 0.01
    batch: int | None = 32
    temperature: float | None = None
    low: float = 0.0
    high: float = 100.0
    unit: str = "votes"
    solver: str = "anneal"
    seed: int = 0

    def __post_init__(self) -> None:
        require_choice("solver", self.solver, ("anneal", "sgd", "exact"))
        require_box(self.low, self.high)
        require_whole("iterations", self.iterations)
        require_positive("learning_rate", self.learning_rate)
        require_choice("unit", self.unit, ("votes", "pairs"))
        if self.temperature is not None:
            require_positive("temperature", self.temperature)
        if self.batch is not None:
            require_whole("batch", self.batch)

    @property
    def tau(self) -> float:
        """The temperature of Algorithm 1."""
        return self.temperature or 1.0


def algorithm_1(votes: Votes, rule: Settings, rng: np.random.Generator, worth: Floats | None = None) -> Floats:
    r"""Return the ratings after :math:`T` steps of SCO's Algorithm 1.

    .. math::  \theta^t \leftarrow \text{Proj}(\theta^{t-1} - \alpha^t \nabla_\theta \tilde L(B))

    All ratings start in the middle of the bounds; the paper prints :math:`(\theta_{\max} - \theta_{\min}) / 2`, which
    is the middle for :math:`\theta_{\min} = 0`, its setting throughout.

    Parameters
    ----------
    votes : Votes
        The votes.
    rule : Settings
        The options.
    rng : Generator
        Samples the batches; not used if a batch is all votes.
    worth : (k,) float, optional
        Cost of contradicting each preference, WSCO's :math:`w(i, j)`; default one.

    Examples
    --------
    SCO eq. (10), all votes in every step: Table 4 reaches C > A > B after 28 steps.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.rating.sco.losses import votes_of
    >>> votes = votes_of(Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3]))
    >>> rule = Settings(iterations=40, learning_rate=0.1, batch=None, temperature=0.5)
    >>> algorithm_1(votes, rule, np.random.default_rng(0)).argsort()[::-1]
    array([2, 0, 1])
    """
    middle = np.full(votes.n_agents, (rule.low + rule.high) / 2)
    return deque(steps(votes, rule, middle, rng, worth), maxlen=1)[0]


def steps(
    votes: Votes, rule: Settings, theta: Floats, rng: np.random.Generator, worth: Floats | None = None
) -> Iterator[Floats]:
    """Yield the ratings after every step from `theta`; see `algorithm_1`."""
    worth = np.ones(len(votes.winner)) if worth is None else worth
    by_pair, start = rule.unit == "pairs", votes.start
    weight = votes.weight[votes.vote] if by_pair else votes.weight
    for chosen, share in batches(weight, rule, rng):
        if by_pair:
            each, value = chosen, worth[chosen] * share * (weight.sum() if rule.batch is None else rule.batch)
        else:
            each = ranges(start[chosen], start[chosen + 1])
            value = worth[each] * np.repeat(share, start[chosen + 1] - start[chosen])
        _, gradient = sigmoid_sum(theta, votes.winner[each], votes.loser[each], value, rule.tau)  # SCO eq. (7)
        theta = (theta - rule.learning_rate * gradient).clip(rule.low, rule.high)
        yield theta


def batches(weight: Floats, rule: Settings, rng: np.random.Generator) -> Iterator[tuple[Ints, Floats]]:
    """Yield the votes of each batch and their shares, which sum to one."""
    if rule.batch is None:
        everything = np.arange(len(weight)), weight / weight.sum()
        for _ in range(rule.iterations):
            yield everything
        return
    cumulative = np.cumsum(weight)
    share = np.full(rule.batch, 1 / rule.batch)
    for done in range(0, rule.iterations, _DRAWN):
        point = rng.random((min(_DRAWN, rule.iterations - done), rule.batch)) * cumulative[-1]
        for index in np.minimum(np.searchsorted(cumulative, point, side="right"), len(weight) - 1):
            yield index, share


def ranges(start: Ints, stop: Ints) -> Ints:
    """Return the numbers from each start to before its stop, one range after another.

    >>> ranges(np.array([5, 0]), np.array([7, 3]))
    array([5, 6, 0, 1, 2])
    """
    length = stop - start
    return np.arange(length.sum()) + np.repeat(start - np.cumsum(length) + length, length)


RESIDUAL = 1e-9  # free gradient relative to the counts at which the Fenchel-Young loss has converged
TIE = 1e-6  # relative to the noise: difference of ratings that still counts as equal


def fenchel_young_loss(theta: Floats, cells: Cells, noise: float) -> float:
    r"""Return the Fenchel-Young loss of all votes, up to a constant.

    For one vote it is :math:`L_\varepsilon(\theta, \mathbf y) = F_\varepsilon(\theta) - \mathbf y^\top \theta` (SCO
    section 3.3), with :math:`\mathbf y_\varepsilon^*(\theta) = \mathbb E[\mathbf y^*(\theta + \varepsilon Z)]` the
    mean ranks of noisy ratings, 0 the lowest. A rank is the number of agents below, and the difference of two Gumbel
    variables is logistic. So for the paper's Gumbel noise the mean needs no samples: :math:`\sum_{b \ne a} 1 / (1 +
    e^{(\theta_b - \theta_a)/\varepsilon})`. Integrating that, and summing over votes,

    .. math::  L_\varepsilon(\theta) = \varepsilon \sum_{a, b} N(a, b) \ln\left(1 + e^{(\theta_b - \theta_a)/\varepsilon}\right)
               + \text{const},

    so with Gumbel noise the Fenchel-Young loss is the negative log-likelihood of the Bradley-Terry model on the pair
    counts. That is why, like Elo, it may rank another agent above a Condorcet winner (SCO section 4.1).

    >>> cells = Cells.from_wins(np.array([[0, 1], [0, 0]]))
    >>> bool(np.isclose(fenchel_young_loss(np.zeros(2), cells, 2.0), 2 * np.log(2)))
    True
    """
    gap = (theta[cells.b] - theta[cells.a]) / noise
    return float(noise * (cells.n_ab @ np.logaddexp(0.0, gap) + cells.n_ba @ np.logaddexp(0.0, -gap)))


def fenchel_young_gradient(theta: Floats, cells: Cells, noise: float) -> Floats:
    r"""Return the gradient, :math:`\mathbf y_\varepsilon^*(\theta) - \mathbf y` summed over the votes.

    >>> fenchel_young_gradient(np.zeros(2), Cells.from_wins(np.array([[0, 3], [1, 0]])), 1.0)
    array([-1.,  1.])
    """
    share = expit((theta[cells.b] - theta[cells.a]) / noise)
    force = cells.n_ab * share - cells.n_ba * (1.0 - share)
    return incident(cells.n_agents, cells.a, cells.b, -force, force)


def fenchel_young(cells: Cells, *, noise: float, low: float, high: float, max_iter: int = 1_000) -> Ratings:
    """Minimize the Fenchel-Young loss within bounds; it is convex, so there is no other minimum.

    >>> result = fenchel_young(Cells.from_wins(np.array([[0, 3], [1, 0]])), noise=5.0, low=0.0, high=100.0)
    >>> bool(np.isclose((result.theta[0] - result.theta[1]) / 5, np.log(3)))
    True
    """
    total = float((cells.n_ab + cells.n_ba).sum()) or 1.0

    def smooth(theta: Floats) -> tuple[float, Floats]:
        loss, gradient = fenchel_young_loss(theta, cells, noise), fenchel_young_gradient(theta, cells, noise)
        return loss / total, gradient / total

    start = np.full(cells.n_agents, (low + high) / 2)
    theta, evaluations = boxed_descent(smooth, start, low, high, tol=RESIDUAL / 10, max_iter=max_iter)
    gradient = smooth(theta)[1]
    residual = float(np.abs(np.where(at_bounds(theta, gradient, low, high), 0.0, gradient)).max())
    details = {"loss": fenchel_young_loss(theta, cells, noise), "residual": residual, "evaluations": evaluations}
    return Ratings(theta, noise, LOCAL if residual <= RESIDUAL else STOPPED, details, classes_of(cells), TIE)


def fenchel_young_sgd(ballots: Ballots, rule: Settings, rng: np.random.Generator) -> Floats:
    r"""Minimize the Fenchel-Young loss by stochastic gradients, as in the paper.

    `rule.temperature` is :math:`\varepsilon`.

    .. math::  \tilde{\mathbf g}_{FY} = \frac{1}{|B|} \sum_{i=1}^{|B|}
               \pi_{S_i}(\mathbf y^*(\theta_{S_i} + \varepsilon Z^i) - y_i)

    Agents tied on a ballot have the mean of the ranks that they share.

    >>> ballots = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3])
    >>> fenchel_young_sgd(ballots, Settings(2_000, 0.1, temperature=10.0), np.random.default_rng(0)).argmax()
    np.int64(0)
    """
    length = np.diff(ballots.start)
    places = places_of(ballots, len(ballots.agents))
    # agents below it, and half of those tied with it
    observed = np.repeat(length, length) - places.above - (places.tied + 1) / 2
    theta = np.full(len(ballots.agents), (rule.low + rule.high) / 2)
    for chosen, share in batches(ballots.total, rule, rng):
        entry = ranges(ballots.start[chosen], ballots.start[chosen + 1])
        agent, vote = ballots.agent[entry], np.repeat(np.arange(len(chosen)), length[chosen])
        noisy = theta[agent] + rule.tau * rng.gumbel(size=len(agent))
        rank = np.empty(len(agent))
        rank[np.lexsort((noisy, vote))] = np.arange(len(agent))
        rank -= np.repeat(np.cumsum(length[chosen]) - length[chosen], length[chosen])
        gradient = np.bincount(agent, (rank - observed[entry]) * share[vote], len(theta))
        theta = np.clip(theta - rule.learning_rate * gradient, rule.low, rule.high)
    return theta
