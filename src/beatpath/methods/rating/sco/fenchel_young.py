r"""The Fenchel-Young loss of perturbed ranks, which Gumbel noise makes a sum over pairs."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats
from beatpath.evidence import Ballots
from beatpath.methods.numeric.boxed_descent import boxed_descent
from beatpath.methods.rating.sco.sco_loss import Cells, sums_at
from beatpath.methods.rating.sco.sco_sgd import Descent, batches, ranges
from beatpath.methods.rating.sco.sco_votes import above_of

RESIDUAL = 1e-9


def perturbed_ranks(theta: Floats, noise: float) -> Floats:
    r"""Return the mean ranks of noisy ratings, 0 the lowest: SCO section 3.3's :math:`\mathbf y^*_\varepsilon(\theta)`.

    .. math::  \mathbf y_\varepsilon^*(\theta) = \mathbb E[\mathbf y^*(\theta + \varepsilon Z)]

    A rank is the number of agents below, and the difference of two Gumbel variables is logistic, so for the paper's
    Gumbel noise the mean needs no samples:
    :math:`\mathbf y_\varepsilon^*(\theta)_a = \sum_{b \ne a} 1 / (1 + e^{(\theta_b - \theta_a)/\varepsilon})`.

    >>> perturbed_ranks(np.array([0.0, 0.0, np.log(3)]), 1.0)
    array([0.75, 0.75, 1.5 ])
    """
    return expit((theta[:, None] - theta[None, :]) / noise).sum(axis=1) - 0.5


def fenchel_young_loss(theta: Floats, cells: Cells, noise: float) -> float:
    r"""Return the Fenchel-Young loss of all votes, zero point left out.

    Of one vote it is :math:`L_\varepsilon(\theta, \mathbf y) = F_\varepsilon(\theta) - \mathbf y^\top \theta` (SCO section
    3.3). Integrating the closed form of `perturbed_ranks`, and adding up over votes,

    .. math::  L_\varepsilon(\theta) = \varepsilon \sum_{a, b} N(a, b) \ln\left(1 + e^{(\theta_b - \theta_a)/\varepsilon}\right)
               + \text{const},

    so with Gumbel noise the Fenchel-Young loss is the negative log-likelihood of Bradley and Terry on the pair counts.
    That is why, like Elo, it may put another agent above a Condorcet winner (SCO section 4.1).

    >>> cells = Cells.from_wins(np.array([[0, 1], [0, 0]]))
    >>> bool(np.isclose(fenchel_young_loss(np.zeros(2), cells, 2.0), 2 * np.log(2)))
    True
    """
    gap = (theta[cells.b] - theta[cells.a]) / noise
    return float(noise * (cells.n_ab @ np.logaddexp(0.0, gap) + cells.n_ba @ np.logaddexp(0.0, -gap)))


def fenchel_young_gradient(theta: Floats, cells: Cells, noise: float) -> Floats:
    r"""Return the gradient, :math:`\mathbf y_\varepsilon^*(\theta) - \mathbf y` added up over the votes.

    >>> fenchel_young_gradient(np.zeros(2), Cells.from_wins(np.array([[0, 3], [1, 0]])), 1.0)
    array([-1.,  1.])
    """
    share = expit((theta[cells.b] - theta[cells.a]) / noise)
    force = cells.n_ab * share - cells.n_ba * (1.0 - share)
    return sums_at(cells.b, force, cells.n_agents) - sums_at(cells.a, force, cells.n_agents)


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Ratings that minimise the loss in the box, the largest free gradient left over the counts, and evaluations."""

    theta: Floats
    residual: float
    evaluations: int

    @property
    def converged(self) -> bool:
        """Whether the gradient has vanished."""
        return self.residual <= RESIDUAL


def fenchel_young(cells: Cells, *, noise: float, low: float, high: float, max_iter: int = 1_000) -> Minimum:
    """Minimise the Fenchel-Young loss in the box; it is convex, so there is no other minimum.

    >>> found = fenchel_young(Cells.from_wins(np.array([[0, 3], [1, 0]])), noise=5.0, low=0.0, high=100.0)
    >>> bool(np.isclose((found.theta[0] - found.theta[1]) / 5, np.log(3)))
    True
    """
    total = float((cells.n_ab + cells.n_ba).sum()) or 1.0

    def smooth(theta: Floats) -> tuple[float, Floats]:
        loss, gradient = fenchel_young_loss(theta, cells, noise), fenchel_young_gradient(theta, cells, noise)
        return loss / total, gradient / total

    start = np.full(cells.n_agents, (low + high) / 2)
    theta, evaluations = boxed_descent(smooth, start, low, high, tol=RESIDUAL / 10, max_iter=max_iter)
    gradient = smooth(theta)[1]
    held = ((theta <= low) & (gradient > 0)) | ((theta >= high) & (gradient < 0))
    return Minimum(theta, float(np.abs(np.where(held, 0.0, gradient)).max()), evaluations)


def fenchel_young_sgd(ballots: Ballots, rule: Descent, rng: np.random.Generator) -> Floats:
    r"""Minimise it as printed, by descent along sampled gradients; `rule.temperature` is :math:`\varepsilon`.

    .. math::  \tilde{\mathbf g}_{FY} = \frac{1}{|B|} \sum_{i=1}^{|B|}
               \pi_{S_i}(\mathbf y^*(\theta_{S_i} + \varepsilon Z^i) - y_i)

    Agents tied on a ballot have the mean of the ranks that they share.

    >>> ballots = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3])
    >>> fenchel_young_sgd(ballots, Descent(2_000, 0.1, temperature=10.0), np.random.default_rng(0)).argmax()
    np.int64(0)
    """
    length = np.diff(ballots.start)
    observed = _entries_below(ballots)
    theta = np.full(len(ballots.agents), (rule.low + rule.high) / 2)
    for chosen, share in batches(ballots.total, rule, rng):
        entry = ranges(ballots.start[chosen], ballots.start[chosen + 1])
        agent, vote = ballots.agent[entry], np.repeat(np.arange(len(chosen)), length[chosen])
        noisy = theta[agent] + rule.temperature * rng.gumbel(size=len(agent))
        rank = np.empty(len(agent))
        rank[np.lexsort((noisy, vote))] = np.arange(len(agent))
        rank -= np.repeat(np.cumsum(length[chosen]) - length[chosen], length[chosen])
        gradient = np.bincount(agent, (rank - observed[entry]) * share[vote], len(theta))
        theta = np.clip(theta - rule.learning_rate * gradient, rule.low, rule.high)
    return theta


def _entries_below(ballots: Ballots) -> Floats:
    """How many agents each entry's ballot ranks below it; those tied with it count half."""
    length = np.diff(ballots.start)
    above = above_of(ballots)
    ballot = np.repeat(np.arange(len(ballots)), length)
    _, group = np.unique(ballot * (len(ballots.agents) + 1) + above, return_inverse=True)
    tied = np.bincount(group)[group]
    return np.repeat(length, length) - above - (tied + 1) / 2
