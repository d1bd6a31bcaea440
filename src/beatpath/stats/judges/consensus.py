r"""The consensus: strengths that all votes add up to, and what the votes of all judges but one add up to.

.. math::  P(a \succ b) = \sigma(\theta_a - \theta_b + x \cdot \beta), \qquad \theta \sim N(0, s^2), \quad \beta \sim N(0, 5^2),

with the spread :math:`s` estimated (by EM), so that an estimate always exists and the lead of a pair is the mean of what it
may be: errors of a lead are then independent of the lead itself (Berkson's kind), and a judge's slope on it is not drawn
towards zero as it would be on maximum-likelihood strengths. Newton's method, dense in the agents.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats
from beatpath.stats.codes import sums_by_code
from beatpath.stats.judges.votes import Votes

SHIFT = 25.0  # prior variance of what a column adds, in log odds and units of the column
FLAT = 1e-4  # the least spread of strengths, squared
LARGE = 0.02  # share of votes from which a judge is left out by Newton's method rather than one step of it
SETTLED = 12  # rounds in which one step must be found
LOGISTIC = np.pi / 8  # the logistic function averaged over a normal: MacKay's approximation


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """Strengths (n,), what columns add (k,), their joint covariance (n + k, n + k), and the variance of strengths."""

    strength: Floats
    shift: Floats
    covariance: Floats
    spread: float

    @property
    def parameters(self) -> Floats:
        """Strengths, then shifts."""
        return np.concatenate([self.strength, self.shift])


@dataclass(frozen=True, slots=True, eq=False)
class Without:
    """What the others say to each judge's cells.

    Parameters
    ----------
    lead : (c,) float
        Log odds that the others would prefer *a*, the strengths averaged over what they may be.
    strength, shift : (judges, n), (judges, k) float
        The consensus without each judge.
    """

    lead: Floats
    strength: Floats
    shift: Floats


def consensus(votes: Votes, *, spread: float | None = None, start: Floats | None = None) -> Consensus:
    """Return the strengths that votes add up to.

    >>> votes = Votes(2, 1, *np.array([[0], [0], [1]]), np.zeros((1, 0)), *np.array([[75.0], [100], [0]]))
    >>> found = consensus(votes)
    >>> bool(1.0 < found.strength[0] - found.strength[1] < np.log(3))
    True
    """
    rows = votes.pooled()
    here = np.zeros(votes.n_agents + votes.x.shape[1]) if start is None else start.copy()
    square = 1.0 if spread is None else spread
    for _ in range(40):
        here, inverse = _climbed(rows, here, square)
        n = votes.n_agents
        new = max(float((here[:n] ** 2).sum() + np.trace(inverse[:n, :n])) / max(n, 1), FLAT)
        if spread is not None or abs(new - square) < 1e-3 * square:
            break
        square = new
    return Consensus(here[: votes.n_agents], here[votes.n_agents :], inverse, square)


def _climbed(rows: Votes, here: Floats, square: float) -> tuple[Floats, Floats]:
    """The top of the posterior by Newton's method, and the covariance there."""
    for _ in range(60):
        gradient, information = derivatives(rows, here, square)
        step = np.linalg.solve(information, gradient)
        here = here + step * min(1.0, 3.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        if np.abs(step).max(initial=0.0) < 1e-8:
            break
    return here, np.asarray(np.linalg.inv(derivatives(rows, here, square)[1]), dtype=np.float64)


def derivatives(rows: Votes, here: Floats, square: float | None) -> tuple[Floats, Floats]:
    """Return gradient and information of the log posterior; of the log-likelihood alone where `square` is None."""
    n, k = rows.n_agents, rows.x.shape[1]
    p = expit(here[rows.a] - here[rows.b] + rows.x @ here[n:])
    e, w = rows.wins - rows.n * p, rows.n * p * (1 - p)
    gradient = _gathered(rows, e)
    met = sums_by_code(rows.a * n + rows.b, w, n * n).reshape(n, n)
    met += met.T
    information = np.zeros((n + k, n + k))
    information[:n, :n] = np.diag(met.sum(axis=1)) - met
    for j in range(k):
        bent = w * rows.x[:, j]
        information[n + j, :n] = sums_by_code(rows.a, bent, n) - sums_by_code(rows.b, bent, n)
        information[n + j, n:] = bent @ rows.x
    information[:n, n:] = information[n:, :n].T
    if square is not None:
        precision = np.concatenate([np.full(n, 1 / square), np.full(k, 1 / SHIFT)])
        gradient -= precision * here
        information[np.diag_indices(n + k)] += precision
    return gradient, information


def without_each(votes: Votes, whole: Consensus, everyone: Votes | None = None) -> Without:
    r"""Return the consensus without each judge, and the lead it gives the judge's own pairs; `everyone` gave votes to `whole`.

    With :math:`V` the covariance of the whole, :math:`g_j` and :math:`B_j` a judge's part of gradient and information, one step
    goes to :math:`\theta - (V^{-1} - B_j)^{-1} g_j`, found by the iteration :math:`y \leftarrow V (g_j + B_j y)`. A judge with a
    share of votes above `LARGE`, or of whom the iteration does not forget quickly, is left out by Newton's method.
    """
    m, n, starts = len(whole.parameters), votes.n_agents, votes.slices()
    rows = (votes if everyone is None else everyone).pooled()
    share = votes.decided() / max(float(rows.n.sum()), 1.0)
    lead, found = np.zeros(len(votes)), np.zeros((votes.n_judges, m))
    wide = _variance(whole.covariance, votes)
    for j in range(votes.n_judges):
        cells = slice(starts[j], starts[j + 1])
        own = votes.take(cells)
        step = None if share[j] > LARGE else _step_away(own, whole)
        if step is None:
            found[j], wide[cells] = _refitted(rows, own, whole)
        else:
            found[j] = whole.parameters - step
        lead[cells] = found[j, own.a] - found[j, own.b]
    lead /= np.sqrt(1 + LOGISTIC * np.maximum(wide, 0.0))
    return Without(lead, found[:, :n], found[:, n:])


def _step_away(own: Votes, whole: Consensus) -> Floats | None:
    """One Newton step without a judge, or nothing where its votes are too much of all there is on some agents."""
    n, V, here = own.n_agents, whole.covariance, whole.parameters
    p = expit(here[own.a] - here[own.b] + own.x @ here[n:])
    w = own.n * p * (1 - p)
    gradient = _gathered(own, own.wins - own.n * p)
    step = V @ gradient
    for _ in range(SETTLED):
        new = V @ (gradient + _gathered(own, w * (step[own.a] - step[own.b] + own.x @ step[n:])))
        change, step = float(np.abs(new - step).max(initial=0.0)), new
        if change < 1e-6:
            return step
    return None


def _gathered(rows: Votes, e: Floats) -> Floats:
    """Sums over cells as agents and columns see them, (n + k,)."""
    n = rows.n_agents
    return np.concatenate([sums_by_code(rows.a, e, n) - sums_by_code(rows.b, e, n), rows.x.T @ e])


def _refitted(rows: Votes, own: Votes, whole: Consensus) -> tuple[Floats, Floats]:
    """What is left without a judge, and the variance of the lead of each of its cells."""
    here, inverse = refitted(rows, own, whole)
    return here, _variance(inverse, own)


def refitted(rows: Votes, less: Votes, whole: Consensus) -> tuple[Floats, Floats]:
    """Return strengths and shifts without some of the votes, and their covariance, by Newton's method from the whole.

    Parameters
    ----------
    rows, less : Votes
        All votes, pooled or not, and those to leave out. Cells of `less` with `n` of zero turn votes round: that many wins fewer.
    whole : Consensus
        Of `rows`.
    """
    here = whole.parameters
    for _ in range(60):
        (gradient, bent), (away, straight) = derivatives(rows, here, whole.spread), derivatives(less, here, None)
        inverse: Floats = np.asarray(np.linalg.inv(bent - straight), dtype=np.float64)
        step = inverse @ (gradient - away)
        here = here + step * min(1.0, 3.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        if np.abs(step).max(initial=0.0) < 1e-8:
            break
    return here, inverse


def _variance(inverse: Floats, own: Votes) -> Floats:
    """Of the lead of each cell's pair."""
    return inverse[own.a, own.a] + inverse[own.b, own.b] - 2 * inverse[own.a, own.b]
