r"""What one more battle does to the lead of one agent over another, and how many at least a lead must lose.

For scores that are smooth in the counts, removing a battle changes the lead :math:`D = S_u - S_d` by about minus its
derivative [1]_. With :math:`w_p` and :math:`l_p` the wins and losses of a pair's first agent these derivatives are

* share of battles won: :math:`(1 - r_i) / N_i` for a win of agent *i* and :math:`-r_i / N_i` for a loss;
* net wins (Borda): plus and minus one; points (Borda on ballots): one and nothing;
* Bradley-Terry: :math:`(1 - p)(v_a - v_b)` and :math:`-p\,(v_a - v_b)` with :math:`v = H^{-1}(e_u - e_d)`, one Newton step.

References
----------
.. [1] T. Broderick, R. Giordano, R. Meager, "An automatic finite-sample robustness metric: when can dropping a little data
       make a big difference?", 2020, arXiv:2011.14999.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import inv

from beatpath._errors import DataError
from beatpath.evidence import Pairs
from beatpath.evidence.ties import levels_of, slack
from beatpath.fit.laplacian import Laplacian, incident
from beatpath.fit.pairs import fit_pairs
from beatpath.fit.ties import Prior, logistic
from beatpath.inference.removal.units import Array, Units
from beatpath.methods.graph.connection import require_connection
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import comparisons, rating_levels

Codes = NDArray[np.integer]
GAPS = (0.05, 0.15, 0.45, 1.35)  # gaps in log odds for which a bound is worked out
DENSE = 2000  # agents up to which it is


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Levels and scores at some counts; `derivative` gives those of a lead in wins and in losses, each (p,)."""

    level: NDArray[np.int64]
    score: Array
    derivative: Callable[[int, int], tuple[Array, Array]]


def share_of_wins(units: Units, wins: Array, losses: Array) -> Standing:
    """Return the share of its battles that each agent won; an agent without battles comes last."""
    won, total = _agent_totals(units, wins, losses)
    rate = np.divide(won, total, out=np.full(len(won), -1.0), where=total > 0)
    each = np.divide(1.0, total, out=np.zeros(len(won)), where=total > 0)
    return Standing(levels_of(rate), rate, _by_agent(units, (1 - rate) * each, -rate * each))


def net_wins_standing(units: Units, wins: Array, losses: Array) -> Standing:
    """Return wins minus losses."""
    won, total = _agent_totals(units, wins, losses)
    one = np.ones(len(won))
    return Standing(levels_of(2 * won - total, slack(total)), 2 * won - total, _by_agent(units, one, -one))


def points(units: Units, wins: Array, losses: Array) -> Standing:
    """Return how often an agent was ranked above another, ties half: Borda's score of ballots."""
    won, _ = _agent_totals(units, wins, losses)
    return Standing(levels_of(won), won, _by_agent(units, np.ones(len(won)), np.zeros(len(won))))


def _agent_totals(units: Units, wins: Array, losses: Array) -> tuple[Array, Array]:
    n = len(units.agents)
    return incident(n, units.a, units.b, wins, losses), incident(n, units.a, units.b, wins + losses, wins + losses)


def _by_agent(units: Units, win: Array, loss: Array) -> Callable[[int, int], tuple[Array, Array]]:
    """Derivatives of a lead when a win and a loss change only the two agents' own scores."""

    def derivative(up: int, down: int) -> tuple[Array, Array]:
        side = np.zeros(len(win))
        side[up], side[down] = 1.0, -1.0
        w, l = side * win, side * loss
        return w[units.a] + l[units.b], l[units.a] + w[units.b]

    return derivative


def bradley_terry_at(units: Units, wins: Array, losses: Array, *, prior: float = 0.0) -> Standing | None:
    """Return Bradley-Terry strengths at some counts; nothing where there is no finite estimate."""
    counts = np.stack([wins, losses, np.zeros_like(wins), np.zeros_like(wins)], axis=1)
    rows, _ = comparisons(Profile(units.agents, Pairs(units.agents, units.a, units.b, counts)))
    try:
        if not prior:
            require_connection(units.agents, units.a, units.b, wins, losses, "Bradley-Terry")
    except DataError:
        return None
    fit = fit_pairs(rows, prior=Prior(prior))
    if not fit.ended.converged:
        return None
    level, _ = rating_levels(fit.strength, fit.ended)
    return bradley_terry_standing(units, wins + losses, level, fit.ended.x, prior)


def bradley_terry_standing(
    units: Units, battles: Array, level: NDArray[np.int64], x: Array, prior: float = 0.0
) -> Standing:
    """Return what strengths that were fitted to so many battles a pair say of one battle more."""

    def derivative(up: int, down: int) -> tuple[Array, Array]:
        p = logistic(x[units.a] - x[units.b])[0]
        side = np.zeros(len(x))
        side[up], side[down] = 1.0, -1.0
        v = _strength_information(units, battles, x, prior, 0.0).solver()(side, 1e-10)
        step = v[units.a] - v[units.b]
        return (1 - p) * step, -p * step

    return Standing(level, x, derivative)


def _strength_information(units: Units, battles: Array, x: Array, prior: float, gap: float) -> Laplacian:
    r"""The graph with weights :math:`n_{ij}\, \sigma'(|x_i - x_j| + \text{gap})`: at gap 0 the information matrix."""
    ridge = 2 * prior * _gap_slope(np.abs(x) + gap) if prior else np.zeros(len(x))
    return Laplacian(len(x), units.a, units.b, battles * _gap_slope(np.abs(x[units.a] - x[units.b]) + gap), ridge)


def _gap_slope(lead: Array) -> Array:
    p = logistic(lead)[0]
    return p * (1 - p)


def at_least(units: Units, x: Array, leader: int, *, prior: float = 0.0) -> Array | None:
    r"""Return how much weight of battles must at least go before each agent is not below `leader`, shape (n,).

    Let the strengths :math:`x` become :math:`x'` when battles of total weight *k* are removed, so that :math:`d = x - x'`
    has :math:`d_w - d_c \ge D = x_w - x_c`. For every level *t* between, sum the likelihood equations over the agents with
    :math:`d_i > t`: each removed battle changes the sum by at most its weight, hence

    .. math::  \sum_{d_i > t \ge d_j} n_{ij} \left(\sigma(x_i - x_j) - \sigma(x_i - x_j - (d_i - d_j))\right) \le k .

    Every term is positive. The mean over *t*, with differences clipped to the interval, bounds *k* by a sum of
    :math:`n_{ij}\, y_{ij}\, (\sigma(x_{ij}) - \sigma(x_{ij} - D y_{ij}))` with :math:`y_c = 0`, :math:`y_w = 1`, which grows
    with *D* and exceeds :math:`D \sum n_{ij}\, \sigma'(|x_{ij}| + D)\, y_{ij}^2`. The least of that over *y* is an electric
    conductance, so that for every :math:`\delta \le D`

    .. math::  k \ge \frac{\delta}{(e_c - e_w)^\top L_\delta^{+} (e_c - e_w)},

    with :math:`L_\delta` the graph of pairs weighted by :math:`n_{ij}\, \sigma'(|x_{ij}| + \delta)`.

    Returns
    -------
    (n,) float or None
        0 for agents not below the leader; None for more agents than a dense matrix serves.
    """
    if len(x) > DENSE:
        return None
    below = x[leader] - x
    grid = np.unique([*GAPS, below[below > 0].min(initial=max(GAPS))])
    bound = np.zeros(len(x))
    for gap in grid[grid <= below.max()]:
        L = _strength_information(units, units.wins + units.losses, x, prior, float(gap))
        filled = L.matrix() + (0.0 if prior else float(L.diagonal.mean()) / len(x))
        inverse = inv(filled)
        own = np.diag(inverse)
        resistance = own + own[leader] - 2 * inverse[leader]
        reached = below >= gap
        bound[reached] = np.maximum(bound[reached], gap / resistance[reached])
    return bound
