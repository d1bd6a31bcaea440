r"""How far an agent's mean on tasks that it lacks may lie from what agents plus tasks say of it.

Agents are better at some tasks than at others, and tasks may come in kinds: who reads pictures well need not reason well. An
agent *a* lacks the share :math:`m_a` of all tasks. Agents *r* that have some of the tasks it has and some of those it lacks
show by how much an agent may be better at these than at those, beyond agents plus tasks,

.. math::  g_{ar} = \bar e_{r, \text{lacks } a} - \bar e_{r, \text{has } a}, \qquad
           \operatorname{var}(g_{ar}) = \tau_a^2 + s_{ar}^2, \quad s_{ar}^2 = \sigma^2 (1/k_{\text{lacks}} + 1/k_{\text{has}}),

*e* the residuals of agents plus tasks, *k* the numbers of tasks. The variance :math:`\tau_a^2` is estimated by moments
(DerSimonian and Laird 1986), with one degree of freedom fewer than the :math:`R_a` agents that link the tasks. The mean of *a*
on the tasks that it lacks is then predicted with the variance of a regression on their strength,

.. math::  \tau_a^2 \left(1 + \frac1{R_a}\right)
           + s_g^2 \left(\frac{(\alpha_a - \bar\alpha)^2}{\sum_r (\alpha_r - \bar\alpha)^2} - \frac1{R_a}\right)_+ ,

as agents that link tasks and are all alike do not show what becomes of one that is far from them. Where fewer than three link
the tasks, the mean may lie anywhere in the range of the data, tasks set apart: a quarter of it is the standard error. With 3 to 15 agents that link 10 tasks with
40 others, each agent better at one kind by 0 to 5 points and errors of 3, intervals of differences cover 0.949 to 0.969.

References
----------
R. DerSimonian and N. Laird, "Meta-analysis in clinical trials", *Controlled Clinical Trials* 7 (1986), 177-188.
"""

from typing import NamedTuple

import numpy as np

from beatpath._arrays import Bools, Floats

FEWEST = 3  # agents that must link tasks; two that happened to agree left false orders on 15 % of 20 tables


class Unseen(NamedTuple):
    """What tasks that agents lack add to the variances of their means, (n,), and its degrees of freedom."""

    variance: Floats
    df: Floats


def unseen(held: Bools, left: Floats, pi: Floats, alpha: Floats) -> Unseen:
    """Return what the tasks that every agent lacks add to the variance of its mean.

    Parameters
    ----------
    held : (n, tasks) bool
        Which cells are there.
    left : (n, tasks) float
        Residuals of agents plus tasks, 0 where a cell is empty.
    pi : (tasks,) float
        Weights of the tasks, of sum one.
    alpha : (n,) float
        Strengths of the agents.

    Examples
    --------
    Two kinds of tasks: three agents have both, better at one of them by 6, -6 and 0, and the fourth has only the first. The
    variance of these is 36, noise 72 / 7 of it; the fourth lacks half: (36 - 72 / 7) (1 + 1 / 3) / 4.

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
    noise = (lacks * pi) @ h.T / w_lacks**2 + (has * pi) @ h.T / w_has**2  # in variances of a cell
    share = lacks.sum(axis=1)
    variance, df = _predicted(links, g / cell, np.where(links, noise, np.inf), alpha / cell)
    anywhere = float(np.ptp((alpha[:, None] + left)[held]) / 4) ** 2
    few = df < FEWEST - 1
    variance = share**2 * np.where(few, anywhere, cell**2 * variance)
    once = held.sum(axis=1) == 1  # agents plus tasks fits such an agent exactly, and its error is that of a cell
    return Unseen(variance + cell**2 * once, np.where(few | (share == 0), np.inf, df))


def _predicted(links: Bools, g: Floats, noise: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """The variance with which one more agent is predicted from those that link tasks, (n,), and their number less one."""
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
    far = (alpha - center) ** 2 / np.maximum(width, 1e-9) - 1 / total  # farther than linking agents are from each other
    return tau2 * (1 + 1 / np.maximum(number, 1)) + np.maximum(Q / free, 1.0) * np.maximum(far, 0.0), df
