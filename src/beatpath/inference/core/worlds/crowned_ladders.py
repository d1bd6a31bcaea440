r"""Crowned ladders: one scale for all pairs but those among the best, who may beat each other in a circle.

.. math::

    \operatorname{logit} p_{ab} = \theta_a - \theta_b, \qquad
    \operatorname{logit} p_{ab} \sim N(0, \tau^2) \ \text{ where both are among the } k \text{ largest } \theta .

With :math:`L_{ab}` the likelihood of a pair's score on the ladder and :math:`Z_{ab}` that of a free pair, the evidence is that of the
ladder times the mean, over its posterior, of the ratio that freeing the pairs of the crown makes:

.. math::  E = E_{\text{ladder}} + \log \sum_{k, \tau} \pi_k \pi_\tau \,
           \operatorname{mean}_\theta \prod_{a, b \in \text{top}_k(\theta)} Z_{ab}(\tau) / L_{ab}(\theta) .

The core is the top cycle of the crown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from beatpath._arrays import Bools, Floats, Ints
from beatpath.inference.core.worlds.drawn_cores import strengths_drawn, top_cycles
from beatpath.inference.core.worlds.ladders import Ladder, MetPairs, pair_integral

LEAST, MOST = 3, 9
TAUS = (0.4, 0.8, 1.6)
DRAWS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Crowns:
    """Strengths drawn from ladders, the crown of each in every size and spread, and how much each weighs.

    Attributes
    ----------
    evidence : float
        Log evidence.
    top : (d, m) int
        The m best agents of each draw, the best first.
    weight : (d, sizes, taus) float
        Of each draw with each size of crown and each spread of its pairs; adds up to one.
    better : (d, taus, m, m) float
        The probability, given its score, that a free pair of the best goes to the first of the two.
    n : int
        How many agents there are.
    """

    evidence: float
    top: Ints
    weight: Floats
    better: Floats
    n: int


def crowned_ladders(data: MetPairs, ladders: Sequence[tuple[Ladder, float]], rng: np.random.Generator) -> Crowns | None:
    """Weigh the crowns of pure ladders, each with its log prior; none where no crown leaves anyone out.

    Examples
    --------
    Three beat each other in a circle, nine to one, and all beat a fourth.

    >>> from beatpath.inference.core.worlds.ladders import pure_ladders
    >>> a, b = np.triu_indices(4, 1)
    >>> data = MetPairs(4, a, b, np.array([9.0, 1, 9, 9, 9, 9]), np.array([1.0, 9, 1, 1, 1, 1]))
    >>> ladders, rng = pure_ladders(data), np.random.default_rng(0)
    >>> made = crowned_ladders(data, ladders, rng)
    >>> bool(made.evidence > max(one.evidence for one, _ in ladders) + 2)
    True
    >>> crowned_cores(made, 1000, rng).mean(axis=0).round(1)
    array([1., 1., 1., 0.])
    """
    m = min(MOST, data.n - 1)
    if m < LEAST:
        return None
    value = np.array([one.evidence + log_prior for one, log_prior in ladders])
    times = np.floor(DRAWS * np.exp(value - logsumexp(value)) + rng.random()).astype(int).tolist()
    theta = np.concatenate([strengths_drawn(data, one, k, rng) for (one, _), k in zip(ladders, times, strict=True)])
    top = np.argsort(-theta, axis=1, kind="stable")[:, :m]
    i, j = np.triu_indices(m, 1)
    gap = np.take_along_axis(theta, top[:, i], axis=1) - np.take_along_axis(theta, top[:, j], axis=1)
    log_ratio, positive = _freed(data, top[:, i], top[:, j], gap)
    sizes = np.arange(LEAST, m + 1)
    log_size = -np.log(sizes) - logsumexp(-np.log(sizes))
    log_weight = log_ratio @ (j[:, None] < sizes) + log_size - np.log(len(TAUS) * len(theta))  # (taus, d, sizes)
    gain = float(logsumexp(log_weight))
    better = np.zeros((len(top), len(TAUS), m, m))
    better[:, :, i, j] = np.moveaxis(positive, 0, 1)
    better[:, :, j, i] = 1 - better[:, :, i, j]
    return Crowns(float(logsumexp(value)) + gain, top, np.moveaxis(np.exp(log_weight - gain), 0, -1), better, data.n)


def _freed(data: MetPairs, a: Ints, b: Ints, gap: Floats) -> tuple[Floats, Floats]:
    """For each spread of free pairs log Z / L of every pair of two agents, and how probably the first is ahead if it is free.

    A pair that never met has the ratio one, and is even.
    """
    pair, turn = _pairs_of(data, a, b)
    among = np.bincount(pair.ravel() + 1, minlength=len(data.a) + 1) > 0
    place, met = (np.cumsum(among) - 1)[pair + 1], np.flatnonzero(among[1:])
    unmet = np.zeros(int(among[0]))  # stands first, where some never met
    won, lost = (np.append(unmet, each[met])[place] for each in (data.won, data.lost))
    won, lost = np.where(turn, lost, won), np.where(turn, won, lost)
    on_ladder = -won * np.logaddexp(0, -gap) - lost * np.logaddexp(0, gap)
    free = [pair_integral(data.won[met], data.lost[met], np.zeros(len(met)), tau) for tau in TAUS]
    log_free = np.stack([np.append(unmet, one.log_evidence) for one in free])[:, place]
    positive = np.stack([np.append(unmet + 0.5, one.positive) for one in free])[:, place]
    return log_free - on_ladder, np.where(turn, 1 - positive, positive)


def crowned_cores(crowns: Crowns, number: int, rng: np.random.Generator) -> Bools:
    """Return the top cycles of so many crowns, drawn as they weigh: (number, n)."""
    d, sizes, taus = crowns.weight.shape
    at = rng.choice(d * sizes * taus, number, p=crowns.weight.ravel() / crowns.weight.sum())
    draw, size, tau = np.unravel_index(at, crowns.weight.shape)
    m = crowns.top.shape[1]
    upper = np.triu(rng.random((number, m, m)) < crowns.better[draw, tau], 1)
    beats = upper | np.tril(~np.swapaxes(upper, 1, 2), -1)
    place = np.arange(m)
    outside = place >= (size + LEAST)[:, None]  # who loses to everyone in the crown, and stands below in order
    beats = np.where(outside[:, None, :] | outside[:, :, None], place[:, None] < place, beats)
    inside = np.zeros((number, crowns.n), dtype=bool)
    np.put_along_axis(inside, crowns.top[draw], top_cycles(beats), axis=1)
    return inside


def _pairs_of(data: MetPairs, a: Ints, b: Ints) -> tuple[Ints, Bools]:
    """The number of each pair of agents among those that met, -1 for none, and whether it is listed the other way round."""
    turn = a > b
    key = np.where(turn, b, a) * data.n + np.where(turn, a, b)
    known = data.a * data.n + data.b  # rising, as pairs are in order
    at = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
    found = known[at] == key if len(known) else np.zeros(key.shape, dtype=bool)
    return np.where(found, at, -1), turn
