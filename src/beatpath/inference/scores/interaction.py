r"""Uncertainty of an agent's mean over tasks it lacks, beyond an additive model of agents and tasks.

Agents are better at some tasks than at others, and tasks come in kinds: an agent that reads images well need not reason
well. An agent *a* lacks the share :math:`m_a` of all tasks. Agents *r* with some of the tasks it has and some of those
it lacks show by how much an agent may be better at the latter, beyond the additive model,

.. math::  g_{ar} = \bar e_{r, \text{lacks } a} - \bar e_{r, \text{has } a}, \qquad
           \operatorname{var}(g_{ar}) = \tau_a^2 + s_{ar}^2, \quad s_{ar}^2 = \sigma^2 (1/k_{\text{lacks}} +
           1/k_{\text{has}}),

*e* the residuals of the additive model, *k* the numbers of tasks. The variance :math:`\tau_a^2` is estimated by moments
(DerSimonian and Laird 1986), with one degree of freedom fewer than the :math:`R_a` agents that link the tasks. The mean
of *a* over the tasks it lacks is then predicted with the variance of a regression on strength,

.. math::  \tau_a^2 \left(1 + \frac1{R_a}\right)
           + s_g^2 \left(\frac{(\alpha_a - \bar\alpha)^2}{\sum_r (\alpha_r - \bar\alpha)^2} - \frac1{R_a}\right)_+ ,

as linking agents of similar strength say little about one far from them. The first term but for :math:`\tau_a^2 / R_a` is the
agent's own; the rest is what the linking agents do not show, and agents that lack the same tasks share it: with
:math:`\ell_a` its root, signed as :math:`\alpha_a - \bar\alpha` in the last term, and :math:`u_a` the contrast of the tasks that
*a* lacks with those it has, of unit length, the covariance is :math:`\ell_a \ell_b\, u_a^\top u_b`. It cancels between agents on the same
tasks, and doubles between two on opposite halves. With fewer than three linking agents, the mean
may lie anywhere in the range of the data after task effects are removed: a quarter of that range is the standard error.
With 3 to 15 agents that link 10 tasks with 40 others, each agent better at one kind by 0 to 5 points and errors of 3,
intervals of differences cover 0.949 to 0.969.

References
----------
R. DerSimonian and N. Laird, "Meta-analysis in clinical trials", *Controlled Clinical Trials* 7 (1986), 177-188.
"""

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath.stats.added_variance import AddedVariance

FEWEST = 3  # agents that must link tasks; with two that happened to agree, 15 % of 20 tables had false orders


def unseen(held: Bools, left: Floats, pi: Floats, alpha: Floats) -> AddedVariance:
    """Return the variance that the tasks each agent lacks add to its mean.

    Parameters
    ----------
    held : (n, tasks) bool
        Which cells are present.
    left : (n, tasks) float
        Residuals of the additive model, 0 where a cell is missing.
    pi : (tasks,) float
        Weights of the tasks, which sum to one.
    alpha : (n,) float
        Strengths of the agents.

    Examples
    --------
    Two kinds of tasks: three agents have both, better at one by 6, -6 and 0, and the fourth has only the first. The
    variance of these is 36, noise is 72 / 7 of it; the fourth lacks half: (36 - 72 / 7) (1 + 1 / 3) / 4.

    >>> held = np.array([[1, 1, 1, 1]] * 3 + [[1, 1, 0, 0]], dtype=bool)
    >>> left = np.array([[3.0, 3.0, -3.0, -3.0], [-3.0, -3.0, 3.0, 3.0], [0.0] * 4, [0.0] * 4])
    >>> unseen(held, left, np.full(4, 0.25), np.zeros(4)).variance.round(1)
    array([0. , 0. , 0. , 8.6])
    """
    has, lacks = held * pi, ~held * pi
    h = held.astype(np.float64)
    w_has, w_lacks = has @ h.T, lacks @ h.T
    links = (w_has > 0) & (w_lacks > 0)
    w_has, w_lacks = np.where(links, w_has, 1.0), np.where(links, w_lacks, 1.0)
    g = lacks @ left.T / w_lacks - has @ left.T / w_has
    free = max(float(held.sum() - sum(held.shape) + 1), 1.0)
    cell = float(np.sqrt((left**2).sum() / free)) or 1.0
    noise = (lacks * pi) @ h.T / w_lacks**2 + (has * pi) @ h.T / w_has**2  # in units of the variance of a cell
    share = lacks.sum(axis=1)
    own, joint, df = _predicted(links, g / cell, np.where(links, noise, np.inf), alpha / cell)
    anywhere = float(np.ptp((alpha[:, None] + left)[held]) / 4) ** 2
    few = df < FEWEST - 1
    joint = cell * share * np.where(few, 0.0, joint)
    variance = share**2 * np.where(few, anywhere, cell**2 * own) + (joint**2).sum(axis=0)
    once = held.sum(axis=1) == 1  # the additive model fits such an agent exactly; its error is that of a cell
    contrast = lacks / np.maximum(share, 1e-9)[:, None] - has / has.sum(axis=1, keepdims=True)
    contrast /= np.sqrt((contrast**2).sum(axis=1, keepdims=True))
    between = (joint.T @ joint) * (contrast @ contrast.T)
    np.fill_diagonal(between, 0.0)
    return AddedVariance(variance + cell**2 * once, np.where(few | (share == 0), np.inf, df), between)


def _predicted(links: Bools, g: Floats, noise: Floats, alpha: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the variance of one more agent, the errors of mean and slope of those that link tasks, (2, n), and their number less one."""
    number, weight = links.sum(axis=1), 1 / noise
    total = np.maximum(weight.sum(axis=1), 1e-9)
    df = number - 1.0
    free = np.maximum(df, 1.0)

    def spread(x: Floats) -> tuple[Floats, Floats]:
        mean = (weight * x).sum(axis=1) / total
        return mean, (weight * (x - mean[:, None]) ** 2).sum(axis=1)

    Q = spread(g)[1]
    scale = np.maximum(total - (weight**2).sum(axis=1) / total, 1e-9)
    tau2 = np.maximum(Q - free, 0.0) / scale
    center, width = spread(np.broadcast_to(alpha, g.shape))
    far = (alpha - center) ** 2 / np.maximum(width, 1e-9) - 1 / total  # extrapolation beyond the linking agents
    slope = np.sign(alpha - center) * np.sqrt(np.maximum(Q / free, 1.0) * np.maximum(far, 0.0))
    return tau2, np.stack([np.sqrt(tau2 / np.maximum(number, 1)), slope]), df
