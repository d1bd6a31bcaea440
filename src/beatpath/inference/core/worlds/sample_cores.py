r"""Top cycles of tournaments sampled from a ladder, from free edges or from crowned ladders.

For few agents whole tournaments are sampled, for many only the edges that matter. A crowned ladder is a Bradley-Terry
model except among the best agents, who beat each other in a cycle:

.. math::
    \operatorname{logit} p_{ab} = \theta_a - \theta_b, \qquad
    \operatorname{logit} p_{ab} \sim N(0, \tau^2) \ \text{ where both are among the } k \text{ largest } \theta .

With :math:`L_{ab}` the likelihood of a pair's score on the ladder, :math:`Z_{ab}` that of a free pair and :math:`S_k`
the share of tournaments of k agents that are strongly connected, the evidence is that of the ladder times the
posterior mean of the likelihood ratio for freeing the pairs of the crown, given that they form one cycle:

.. math::  E = E_{\text{ladder}} + \log \sum_{k, \tau} \pi_k \pi_\tau \,
           \operatorname{mean}_\theta w(\theta) \frac{\Pr(\text{cycle} \mid \text{scores})}{S_k}
           \prod_{a, b \in \text{top}_k(\theta)} Z_{ab}(\tau) / L_{ab}(\theta) .

Strengths are sampled from the normal approximation of the ladder's posterior, and *w* is the ratio of the two densities:
the product with *w* stays finite where the approximation reaches strengths that the scores rule out. The core is the
crown.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse import csr_array
from scipy.special import logsumexp, ndtr, ndtri

from beatpath._arrays import Bools, Floats, Ints
from beatpath.fit.laplacian import incident
from beatpath.inference.core.worlds.ladders import (
    Ladder,
    PairIntegral,
    PairWins,
    deviation_probability,
    ladder_precision,
    pair_integral,
    softplus,
)
from beatpath.inference.core.worlds.planted_cores import strong_fractions
from beatpath.inference.core.worlds.planted_edges import Coins

CELLS = 2_000_000  # edges of whole tournaments sampled at a time
GAPS = 100_000  # gaps whose likelihoods are computed at a time: few enough to stay in the cache
WHOLE = 200  # most agents for which whole tournaments are sampled; beyond it only the edges that matter
SURE = 1e6  # factor that makes a level difference dominate the noise
TINY = 1e-15  # probabilities closer to 0 or 1 have no finite normal deviate in double precision

PairLevels = Callable[[slice], Callable[[Any], Floats]]  # of some strengths, of some pairs
Real = NDArray[np.floating[Any]]


def sample_cores(
    data: PairWins, model: "Ladder | Coins | Crowns", number: int, rng: np.random.Generator, most_edges: float = np.inf
) -> Bools:
    r"""Return the top cycle of each of many tournaments sampled from a model: (draws, n).

    *a* beats *b* when :math:`z_{ab} + g > 0`, g standard normal: :math:`z = (\theta_a - \theta_b) / \tau` for a pair
    never compared directly (0 for free edges), and :math:`\Phi^{-1} \Pr(x_{ab} > 0 \mid \theta, \text{score})` for one
    that did. Without deviations the core is the agent of the largest strength, or everybody if all are equal (s = 0).

    Parameters
    ----------
    data : PairWins
        Pairs with ``a < b``.
    model : Ladder, Coins or Crowns
    number : int
        Number of tournaments.
    rng : Generator
    most_edges : float
        With more than 200 agents, sampling stops after this many edges.

    Examples
    --------
    Nine to one: under a ladder the winner is nearly always the best.

    >>> from beatpath.inference.core.worlds.ladders import fit_ladder
    >>> pair = PairWins(2, np.array([0]), np.array([1]), np.array([9.0]), np.array([1.0]))
    >>> ladder = fit_ladder(pair, 1.0, 0.0, np.zeros(2))
    >>> sample_cores(pair, ladder, 1000, np.random.default_rng(0)).mean(axis=0).round(1)
    array([1., 0.])
    """
    if isinstance(model, Crowns):
        return np.asarray(model.cores[rng.choice(len(model.weight), number, p=model.weight)])
    if isinstance(model, Coins):
        met = ndtri(np.clip(model.better[data.a, data.b], TINY, 1 - TINY))[None]
        return _sample_top_cycles(
            data, np.zeros((number, data.n)), lambda _: lambda some: met[:, some], rng, most_edges
        )
    root = _inverse_root(data, model)
    theta = _mirrored(model, root, number, rng)
    error = _shared_errors(data, theta, model.s, rng)
    if model.tau == 0:
        return np.asarray(theta - error == (theta - error).max(axis=1, keepdims=True))
    pair_z = _pair_levels(data, model, root, theta, error, rng)
    return _sample_top_cycles(data, (theta - error) / model.tau, pair_z, rng, most_edges, model.share)


def _shared_errors(data: PairWins, theta: Floats, s: float | Floats, rng: np.random.Generator) -> Floats:
    """Sample the shared errors in strengths: both are normal, and `s` is the deviation of strengths with errors."""
    if data.shared == 0:
        return np.zeros((len(theta), data.n))
    k = (data.shared / s) ** 2
    return k * theta + np.sqrt(np.maximum(1 - k, 0.0)) * data.shared * rng.standard_normal(theta.shape)


def _mirrored(ladder: Ladder, root: Floats, number: int, rng: np.random.Generator) -> Floats:
    """Sample around the mode in antithetic pairs."""
    noise = rng.standard_normal(((number + 1) // 2, len(ladder.mode)))
    return np.asarray(ladder.mode + np.concatenate([noise, -noise])[:number] @ root)


def top_cycles(beats: Bools) -> Bools:
    r"""Return the top cycle of each of many tournaments: (draws, n, n) to (draws, n).

    By Landau's condition: with agents sorted by wins, the top cycle is the first k agents for the smallest k with
    :math:`\sum_{i \le k} w_i = \binom k2 + k (n - k)`.

    >>> circle = np.array([[[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0]]], dtype=bool)
    >>> top_cycles(circle)
    array([[ True,  True,  True, False]])
    """
    n = beats.shape[1]
    wins = beats.sum(axis=2)
    order = np.argsort(-wins, axis=1, kind="stable")
    k = np.arange(1, n + 1)
    closed = np.cumsum(np.take_along_axis(wins, order, axis=1), axis=1) == k * (k - 1) // 2 + k * (n - k)
    size = closed.argmax(axis=1) + 1
    inside = np.zeros(wins.shape, dtype=bool)
    np.put_along_axis(inside, order, np.arange(n) < size[:, None], axis=1)
    return inside


# -- strengths, and signs of pairs given strengths ----------------------------------------------------------------------


def _inverse_root(data: PairWins, ladder: Ladder) -> Floats:
    """Return R, lower triangular, with :math:`H^{-1} = R' R`; zeros where strengths are equal (s = 0)."""
    if ladder.s == 0:
        return np.zeros((data.n, data.n))
    factor = cholesky(ladder_precision(data, ladder.curvature, ladder.s), lower=True, check_finite=False)
    return np.asarray(solve_triangular(factor, np.eye(data.n), lower=True, check_finite=False))


def _parabola(below: Floats, here: Floats, above: Floats) -> tuple[Floats, Floats, Floats]:
    """Return level, slope and bend of the parabola through three points, at -1, 0 and 1."""
    return here, (above - below) / 2, (above + below) / 2 - here


def _at(parabola: Sequence[Floats], t: Floats) -> Floats:
    """Return the value of a parabola."""
    level, slope, bend = parabola
    return level + t * (slope + t * bend)


def _pair_levels(
    data: PairWins, ladder: Ladder, root: Floats, theta: Floats, error: Floats, rng: np.random.Generator
) -> PairLevels:
    r"""Return the probit of the sign of compared pairs, :math:`\Phi^{-1} \Pr(x > 0 \mid \delta)`, by strengths and pairs.

    It is a parabola in the gap. For a normal likelihood it is a line; three gaps, the mode and 1.5 standard deviations
    to either side, determine the curve. Where only a share of pairs deviate, so does the log likelihood ratio with over
    without a deviation; a pair sampled to be on the ladder has the sign of its gap. The part of gap and x that is a
    shared `error` does not count.
    """
    centre = ladder.mode[data.a] - ladder.mode[data.b]
    width = np.full(len(centre), 1e-6)
    if ladder.s > 0:
        covariance = root.T @ root
        variance = np.diag(covariance)
        of_gap = variance[data.a] + variance[data.b] - 2 * covariance[data.a, data.b]
        width = 1.5 * np.sqrt(np.maximum(of_gap, 1e-12))
    integrals = [pair_integral(data.won, data.lost, centre + k * width, ladder.tau) for k in (-1.0, 0.0, 1.0)]
    on = [pair_integral(data.won, data.lost, centre + k * width, 0.0).log_evidence for k in (-1.0, 0.0, 1.0)]
    probit = _parabola(*(_probit(one) for one in integrals))
    ratio = _parabola(*(one.log_evidence - at for one, at in zip(integrals, on, strict=True)))
    deviation = _deviation(integrals[1], ladder.tau)

    table = np.column_stack([centre, width, deviation, *probit, *ratio])  # what one pair needs lies together

    def of_pairs(own: Floats, common: Floats, chance: Floats, some: Any) -> Floats:
        a, b = data.a[some], data.b[some]
        centre, width, deviation, *curves = table[some].T
        gap, off = own[:, a] - own[:, b], common[:, a] - common[:, b] if data.shared else 0.0
        t = np.clip((gap - centre) / width, -3.0, 3.0)
        z = _at(curves[:3], t) - off / deviation
        if ladder.share == 1:
            return z
        deviates = deviation_probability(_at(curves[3:], t), ladder.share)
        return np.where(chance[:, some] < deviates, z, SURE * (gap - off))

    def pair_z(rows: slice) -> Callable[[Any], Floats]:
        own = theta[rows]
        chance = rng.random((len(own), len(centre) if ladder.share < 1 else 0))
        return partial(of_pairs, own, error[rows], chance)

    return pair_z


def _probit(integral: PairIntegral) -> Floats:
    return np.asarray(ndtri(np.clip(integral.positive, TINY, 1 - TINY)))


def _deviation(integral: PairIntegral, tau: float) -> Floats:
    r"""Return the standard deviation of x given its gap and the score, from :math:`1 / \tau^2 - \operatorname{Var} x / \tau^4`."""
    return np.asarray(tau * np.sqrt(np.maximum(1 - tau**2 * integral.curvature, TINY)))


# -- tournaments ------------------------------------------------------------------------------------------------------------


def _sample_top_cycles(
    data: PairWins, level: Floats, pair_z: PairLevels, rng: np.random.Generator, most_edges: float, share: float = 1.0
) -> Bools:
    """Sample top cycles from levels with standard normal noise; `pair_z` returns z of the compared pairs.

    Only a `share` of the pairs never compared directly has noise.
    """
    if data.n > WHOLE:
        return _needed_edges(data, level, pair_z, rng, most_edges, share)
    n, cores = data.n, [np.zeros((0, data.n), dtype=bool)]
    i, j = np.triu_indices(n, 1)
    where = data.a * n - data.a * (data.a + 1) // 2 + data.b - data.a - 1
    at_once = max(1, CELLS // (n * n))
    for start in range(0, len(level), at_once):
        some = level[start : start + at_once]
        z = _sparse_noise(some[:, i] - some[:, j], share, rng)
        z[:, where] = pair_z(slice(start, start + at_once))(slice(None))
        beats = np.zeros((len(some), n, n), dtype=bool)
        won = z + rng.standard_normal(z.shape) > 0
        beats[:, i, j], beats[:, j, i] = won, ~won
        cores.append(top_cycles(beats))
    return np.concatenate(cores)


def _sparse_noise(z: Real, share: float, rng: np.random.Generator) -> Real:
    """Add standard normal noise to a share of the edges; the others get levels that dominate any noise."""
    return z if share == 1 else np.where(rng.random(z.shape) < share, z, SURE * z)


def _needed_edges(
    data: PairWins, level: Floats, pair_z: PairLevels, rng: np.random.Generator, most_edges: float, share: float
) -> Bools:
    """Sample only the rows of the highest agent, of all who beat it, of all who beat these, and so on.

    The top cycle is among them.
    """
    number = np.arange(1, len(data.a) + 1)
    ends = np.concatenate([data.a, data.b]), np.concatenate([data.b, data.a])
    pairs = csr_array((np.concatenate([number, -number]), ends), shape=(data.n, data.n))
    beats, used = np.zeros((data.n, data.n), dtype=bool), 0.0
    cores: list[Bools] = []
    for row, each in enumerate(level):
        if used >= most_edges and cores:
            break
        inside, edges = _ancestors(each, pairs, pair_z(slice(row, row + 1)), beats, rng, share)
        cores.append(inside)
        used += edges
    return np.array(cores).reshape(-1, data.n)


def _ancestors(
    level: Floats,
    pairs: csr_array,
    met: Callable[[Any], Floats],
    beats: Bools,
    rng: np.random.Generator,
    share: float,
) -> tuple[Bools, float]:
    """Return the top cycle of one tournament, and the number of edges sampled; `beats` is a work array.

    `pairs` has the number of each compared pair, from 1, negative where the row is its second agent; `met` returns
    their z.
    """
    n, narrow = len(level), level.astype(np.float32)
    done = np.zeros(n, dtype=bool)
    waiting = np.array([int(level.argmax())])
    while len(waiting):
        z = _sparse_noise(narrow[waiting, None] - narrow, share, rng)
        own = pairs[waiting]
        rows, open_ = np.repeat(np.arange(len(waiting)), np.diff(own.indptr)), ~done[own.indices]
        columns, pair = own.indices[open_], own.data[open_]
        z[rows[open_], columns] = met(np.abs(pair) - 1)[0] * np.sign(pair)
        won = z + rng.standard_normal(z.shape, dtype=np.float32) > 0
        earlier = np.flatnonzero(done)
        won[:, earlier] = ~beats[np.ix_(earlier, waiting)].T
        upper = np.triu(won[:, waiting], 1)
        won[:, waiting] = upper | np.tril(~upper.T, -1)
        beats[waiting] = won
        done[waiting] = True
        waiting = np.flatnonzero((~won).any(axis=0) & ~done)
    inside = np.flatnonzero(done)
    out = np.zeros(n, dtype=bool)
    out[inside[top_cycles(beats[np.ix_(inside, inside)][None])[0]]] = True
    return out, float(len(inside)) * n


LEAST, MOST = 3, 9  # smallest and largest crown: a cycle takes three agents
# Standard deviations of the log odds of free pairs, equal a priori: the better typically wins 55 to 80 %.
TAUS = (0.2, 0.4, 0.8, 1.6)
DRAWS = 1000  # strengths sampled from all ladders together
CROWNS = 2000  # crowns sampled from these
# Strengths are sampled with 1 + WIDER / n times the ladder's variances: freed of the pairs of the crown, they vary more.
WIDER = 16.0


@dataclass(frozen=True, slots=True, eq=False)
class Crowns:
    """Weighted samples of crowns that form a cycle: log evidence, members (d, n), and weights (d,) that sum to one."""

    evidence: float
    cores: Bools
    weight: Floats


def crowned_ladders(data: PairWins, ladders: Sequence[tuple[Ladder, float]], rng: np.random.Generator) -> Crowns | None:
    """Sample weighted crowns of pure ladders, each with its log prior; None without a proper crown that forms a cycle.

    Examples
    --------
    Three beat each other in a cycle, nine to one, and all beat a fourth.

    >>> from beatpath.inference.core.worlds.ladders import pure_ladders
    >>> a, b = np.triu_indices(4, 1)
    >>> data = PairWins(4, a, b, np.array([9.0, 1, 9, 9, 9, 9]), np.array([1.0, 9, 1, 1, 1, 1]))
    >>> ladders, rng = pure_ladders(data), np.random.default_rng(0)
    >>> result = crowned_ladders(data, ladders, rng)
    >>> bool(result.evidence > max(one.evidence for one, _ in ladders) + 2)
    True
    >>> sample_cores(data, result, 1000, rng).mean(axis=0).round(1)
    array([1., 1., 1., 0.])
    """
    m = min(MOST, data.n - 1)
    if m < LEAST:
        return None
    value = np.array([one.evidence + log_prior for one, log_prior in ladders])
    times = np.floor(DRAWS * np.exp(value - logsumexp(value)) + rng.random()).astype(int).tolist()
    wider = 1 + WIDER / data.n
    roots = [np.sqrt(wider) * _inverse_root(data, one) for one, _ in ladders]
    draws = [_mirrored(one, root, k, rng) for (one, _), root, k in zip(ladders, roots, times, strict=True)]
    theta = np.concatenate(draws)
    error = _shared_errors(data, theta, np.repeat([one.s for one, _ in ladders], times)[:, None], rng)
    top = np.argsort(error - theta, axis=1, kind="stable")[:, :m]
    i, j = np.triu_indices(m, 1)
    ranked = (np.take_along_axis(some, top, axis=1) for some in (theta, error))
    log_ratio, z = _freed(data, top[:, i], top[:, j], *(some[:, i] - some[:, j] for some in ranked))
    sizes = np.arange(LEAST, m + 1)
    log_size = -np.log(sizes) - logsumexp(-np.log(sizes))
    log_weight = log_ratio @ (j[:, None] < sizes) + log_size - np.log(len(TAUS) * len(theta))  # (taus, d, sizes)
    log_weight += _beyond_normal(data, ladders, times, theta, wider)[:, None]
    gain = float(logsumexp(log_weight))
    at = rng.choice(log_weight.size, CROWNS, p=np.exp(log_weight - gain).ravel() / np.exp(log_weight - gain).sum())
    tau, draw, size = np.unravel_index(at, log_weight.shape)
    circle = _form_cycles(ndtr(z[tau, draw]), size + LEAST, rng)
    if not circle.any():
        return None
    weight = circle / strong_fractions(m)[size + LEAST]
    cores = np.zeros((CROWNS, data.n), dtype=bool)
    np.put_along_axis(cores, top[draw], np.arange(m) < (size + LEAST)[:, None], axis=1)
    evidence = float(logsumexp(value)) + gain + float(np.log(weight.mean()))
    return Crowns(evidence, cores[circle], weight[circle] / weight.sum())


def _beyond_normal(
    data: PairWins, ladders: Sequence[tuple[Ladder, float]], times: Sequence[int], theta: Floats, wider: float
) -> Floats:
    r"""Return the log ratio of the ladder's posterior to the `wider` normal distribution that strengths were sampled from.

    Without it, a draw that the normal approximation reaches and the scores rule out would count by
    :math:`1 / L(\theta)`.
    """
    weight = np.empty(len(theta))
    battles, lead = data.won + data.lost, incident(data.n, data.a, data.b, data.won, -data.won)
    for (one, _), rows in zip(ladders, np.split(np.arange(len(theta)), np.cumsum(times)[:-1]), strict=True):
        at_mode = softplus(one.mode[data.a] - one.mode[data.b]) @ battles
        precision = ladder_precision(data, one.curvature, one.s)
        for some in np.array_split(rows, max(1, len(rows) * len(data.a) // GAPS)):
            own, away = theta[some], theta[some] - one.mode
            rise = away @ lead - (softplus(own[:, data.a] - own[:, data.b]) @ battles - at_mode)
            square = ((away @ precision) * away).sum(axis=1) / wider
            prior = (own**2).sum(axis=1) - one.mode @ one.mode
            weight[some] = rise + (square - prior / one.s**2 + data.n * np.log(wider)) / 2
    return weight


def _form_cycles(positive: Floats, size: Ints, rng: np.random.Generator) -> Bools:
    """Return whether the crown of each draw forms one cycle, given the win probabilities of its pairs."""
    m = int(np.sqrt(2 * positive.shape[1])) + 1
    place, won = np.arange(m), rng.random(positive.shape) < positive
    i, j = np.triu_indices(m, 1)
    beats = np.zeros((len(positive), m, m), dtype=bool)
    beats[:, i, j], beats[:, j, i] = won, ~won
    outside = place >= size[:, None]  # agents below the crown, who lose to everyone in it
    beats = np.where(outside[:, None, :] | outside[:, :, None], place[:, None] < place, beats)
    return np.asarray(top_cycles(beats).sum(axis=1) == size)


def _freed(data: PairWins, a: Ints, b: Ints, gap: Floats, off: Floats) -> tuple[Floats, Floats]:
    """For each spread, return log Z / L of every pair if freed, and the probit that its first agent is ahead.

    A pair never compared directly has ratio one, and is even. `off` is the part of the gap that is a shared error: a gap
    that a freed pair has too, in which log Z is a parabola and the probit a line.
    """
    pair, turn = _pairs_of(data, a, b)
    among = np.bincount(pair.ravel() + 1, minlength=len(data.a) + 1) > 0
    place, met = (np.cumsum(among) - 1)[pair + 1], np.flatnonzero(among[1:])
    unmet = np.zeros(int(among[0]))  # at the start, for pairs never compared
    won, lost = (np.append(unmet, each[met])[place] for each in (data.won, data.lost))
    won, lost = np.where(turn, lost, won), np.where(turn, won, lost)
    on_ladder = -(won + lost) * softplus(-gap) - lost * gap
    free = [pair_integral(data.won[met], data.lost[met], np.zeros(len(met)), tau) for tau in TAUS]

    def of_draws(values: Iterable[Floats]) -> Floats:
        return np.stack([np.append(unmet, each) for each in values])[:, place]

    log_free, z = of_draws(one.log_evidence for one in free), of_draws(_probit(one) for one in free)
    if data.shared:
        off = np.where(turn, -off, off)
        deviation = [(_deviation(one, tau), tau) for one, tau in zip(free, TAUS, strict=True)]
        log_free += off * (of_draws(one.slope for one in free) - off / 2 * of_draws(one.curvature for one in free))
        z -= off * of_draws(1 / sd - sd / tau**2 for sd, tau in deviation)
    return log_free - on_ladder, np.where(turn, -z, z)


def _pairs_of(data: PairWins, a: Ints, b: Ints) -> tuple[Ints, Bools]:
    """Return the index of each pair among those compared, -1 for none, and whether it is stored in reverse."""
    turn = a > b
    key = np.where(turn, b, a) * data.n + np.where(turn, a, b)
    known = data.a * data.n + data.b  # ascending, as pairs are sorted
    at = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
    match = known[at] == key if len(known) else np.zeros(key.shape, dtype=bool)
    return np.where(match, at, -1), turn
