"""Families of worlds whose core is known: how win probabilities are made, cell by cell, and battles simulated from them."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from beatpath import Battles, Factor
from beatpath.inference.core.estimated_edges import effect_of_clusters
from beatpath.inference.core.worlds.sample_cores import top_cycles
from beatpath.methods.profile import profile_of

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rng = np.random.Generator
Cell = tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """One data set and its true core; `design_effect` and `shared_error` are those of its clusters."""

    n: int
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    won: Array
    lost: Array
    design_effect: float
    core: Mask
    shared_error: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Cells, and a maker of one world from a cell.

    `spread_of` gives the (s, tau) of a cell, where its worlds are strengths with normal deviations.
    """

    cells: list[Cell]
    make: Callable[..., World]
    spread_of: Callable[[Cell], tuple[float, float]] | None = None


def played(
    p: Array, m: int | NDArray[np.int64], missing: float, rng: Rng, *, cluster: int = 1, icc: float = 0.0
) -> World:
    """Battles of every pair that is not missing; in clusters of so many votes whose rates vary by a beta law of this icc."""
    n = len(p)
    a, b = np.triu_indices(n, 1)
    battles = np.where(rng.random(len(a)) >= missing, m, 0)
    rate = p[a, b]
    if cluster == 1:
        won = rng.binomial(battles, rate)
    else:
        groups = int(np.ceil(np.max(m) / cluster))
        battles = np.where(battles > 0, groups * cluster, 0)
        c = (1 - icc) / icc
        shape = (np.maximum(each * c, 1e-6)[:, None] for each in (rate, 1 - rate))
        each = rng.beta(*shape, (len(a), groups))
        won = np.where(battles > 0, rng.binomial(cluster, each).sum(axis=1), 0)
    compared = battles > 0
    core = true_core(p)
    lost = (battles - won)[compared].astype(float)
    return World(n, a[compared], b[compared], won[compared].astype(float), lost, 1 + (cluster - 1) * icc, core)


def judged(p: Array, panel: tuple[int, int, float], rng: Rng) -> World:
    """Battles of random pairs by judges who each like some agents better, so many each; the dependence is estimated."""
    (judges, each, taste), n = panel, len(p)
    a, b = np.triu_indices(n, 1)
    pair, judge = rng.integers(0, len(a), judges * each), np.repeat(np.arange(judges), each)
    likes = taste * rng.normal(size=(judges, n))
    log_odds = np.log(p / (1 - p))[a, b][pair] + likes[judge, a[pair]] - likes[judge, b[pair]]
    won = (rng.random(len(pair)) < sigmoid(log_odds)).astype(float)
    names, ends = tuple(f"{i:03d}" for i in range(n)), (each[pair].astype(np.int32) for each in (a, b))
    battles = Battles(names, *ends, won, factors={"judge": Factor.of(map(str, judge))})
    effect = effect_of_clusters(profile_of(battles), "judge")
    wins, met = np.bincount(pair, won, len(a)), np.bincount(pair, minlength=len(a))
    compared = met > 0
    return World(
        *(n, a[compared], b[compared], wins[compared], (met - wins)[compared]),
        *(effect.value, true_core(p), effect.shared),
    )


def true_core(p: Array) -> Mask:
    """The top cycle: from whom chains of wins and ties lead to everybody."""
    reach = (p >= 0.5).astype(float)
    for _ in range(len(p).bit_length()):
        reach = (reach @ reach > 0).astype(float)
    return np.asarray(reach.all(axis=1))


def sigmoid(x: Array) -> Array:
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def antisymmetric(x: Array) -> Array:
    """The upper triangle, with its negative below."""
    upper = np.triu(x, 1)
    return upper - upper.T


def scale(theta: Array) -> Array:
    """One scale of strengths."""
    return sigmoid(theta[:, None] - theta)


def noisy(s: float, tau: float, n: int, rng: Rng) -> Array:
    """Strengths with a deviation of each pair."""
    theta = rng.normal(size=n)
    return sigmoid(antisymmetric(s * np.subtract.outer(theta, theta) + tau * rng.normal(size=(n, n))))


def shuffled(p: Array, rng: Rng) -> Array:
    """Agents in any order."""
    order = rng.permutation(len(p))
    return p[np.ix_(order, order)]


def planted(n: int, k: int, within: Any, across: Any, outside: Any, rng: Rng) -> Array:
    """A cycle of k, each beating the next half of it, above a chain; strengths fixed or from a range."""
    place = np.arange(n)
    ahead = (place - place[:, None]) % k
    inside = (place[:, None] < k) & (place < k) & (ahead > 0) & (ahead <= k // 2)
    lower = place[:, None] < place
    p = np.full((n, n), 0.5)
    parts = (
        (inside, within),
        (lower & (place[:, None] < k) & (place >= k), across),
        (lower & (place[:, None] >= k), outside),
    )
    for wins, span in parts:
        low, high = span if isinstance(span, tuple) else (span, span)
        p[wins] = rng.uniform(low, high, wins.sum())
        p.T[wins] = 1 - p[wins]
    return shuffled(p, rng)


def unordered(p: Array, rng: Rng) -> Array:
    """Those outside the core in no order: each pair points either way."""
    core = top_cycles((p > 0.5)[None])[0]
    turned = np.triu(rng.random(p.shape) < 0.5, 1) & ~core[:, None] & ~core
    return np.where(turned | turned.T, p.T, p)


def free_edges(n: int, kind: str, rng: Rng) -> Array:
    """Every pair by itself: normal log odds, uniform rates, or one strength."""
    shape = (n, n)
    if kind.startswith("normal"):
        return sigmoid(antisymmetric(float(kind.split()[1]) * rng.normal(size=shape)))
    half = antisymmetric(rng.uniform(-0.5, 0.5, shape))
    if kind.startswith("edge"):
        half = antisymmetric(np.sign(half) * (float(kind.split()[1]) - 0.5))
    return 0.5 + half


def mixed(n: int, kind: str, rng: Rng) -> Array:
    """Strengths, a planted core, or free edges."""
    if kind == "strengths":
        return scale(rng.normal(size=n))
    if kind == "planted":
        return planted(n, int(rng.choice([1, 3, 5])), 0.7, 0.7, 0.7, rng)
    return free_edges(n, "normal 1", rng)


def cyclic(n: int, size: float, rng: Rng) -> Array:
    """Strengths and a cyclic part of rank two."""
    u, v, theta = rng.normal(size=(3, n))
    return sigmoid(antisymmetric(np.subtract.outer(theta, theta) + size * (np.outer(u, v) - np.outer(v, u))))


def cycle_on_top(n: int, k: int, s: float, rng: Rng, edge: float = 0.7) -> Array:
    """A scale of strengths whose best k beat each other in a cycle."""
    theta = np.sort(s * rng.normal(size=n))[::-1]
    p = scale(theta)
    p[:k, :k] = planted(k, k, edge, edge, edge, rng)
    return shuffled(p, rng)


def single_upset(n: int, step: float, rate: float, rng: Rng) -> Array:
    """A ladder whose best agent loses to one of the next four but the second."""
    p, other = scale(-step * np.arange(n)), int(rng.integers(2, min(n, 5)))
    p[0, other], p[other, 0] = 1 - rate, rate
    return shuffled(p, rng)


def several_upsets(n: int, s: float, share: float, rng: Rng) -> Array:
    """Strengths, and a few pairs off by a normal deviation of their own."""
    theta = s * rng.normal(size=n)
    off = (rng.random((n, n)) < share) * rng.normal(0, 0.8, (n, n))
    return sigmoid(antisymmetric(np.subtract.outer(theta, theta) + off))


def near_ties(n: int, k: int, gap: float, rng: Rng) -> Array:
    """Strengths whose best k lie a small gap apart."""
    theta = np.sort(rng.normal(size=n))[::-1]
    theta[:k] = theta[k - 1] + gap * np.arange(k)[::-1]
    return shuffled(scale(theta), rng)


def two_groups(n: int, apart: float, spread: float, rng: Rng) -> Array:
    """Strengths about two means."""
    return scale(np.where(rng.random(n) < 0.5, apart / 2, -apart / 2) + spread * rng.normal(size=n))


def several_cycles(n: int, rng: Rng) -> Array:
    """Circles of three, one below the other."""
    p = planted(n, 1, 0.7, 0.7, 0.7, np.random.default_rng(0))
    order = np.argsort(-(p > 0.5).sum(axis=1))
    p = p[np.ix_(order, order)]
    for start in range(0, n - 2, 3):
        p[start : start + 3, start : start + 3] = planted(3, 3, 0.65, 0.65, 0.65, rng)
    return shuffled(p, rng)


def ring_at(n: int, start: int, k: int, edge: Any, rng: Rng) -> Array:
    """A scale of strengths on which k from a place on beat each other in a cycle."""
    p, ring = scale(np.sort(rng.normal(size=n))[::-1]), slice(start, start + k)
    p[ring, ring] = planted(k, k, edge, edge, edge, rng)
    return shuffled(p, rng)


def tied(n: int, k: int, rng: Rng) -> Array:
    """Strengths in groups of k that lie a thousandth apart."""
    return scale(np.repeat(rng.normal(size=-(-n // k)), k)[:n] + 0.001 * rng.normal(size=n))


def heavy_deviations(n: int, s: float, size: float, rng: Rng) -> Array:
    """Strengths, and a deviation of each pair by Student's distribution with two degrees of freedom."""
    theta = s * rng.normal(size=n)
    return sigmoid(antisymmetric(np.subtract.outer(theta, theta) + size * rng.standard_t(2.0, size=(n, n))))


def styles(n: int, s: float, size: float, rng: Rng) -> Array:
    """Strengths, and styles on a circle, of which each beats those half a turn behind."""
    theta, angle = s * rng.normal(size=n), rng.uniform(0, 2 * np.pi, n)
    return sigmoid(np.subtract.outer(theta, theta) + size * np.sin(np.subtract.outer(angle, angle)))


def one_ahead(n: int, gap: float, rng: Rng) -> Array:
    """One agent ahead of a field that hardly differs."""
    theta = 0.1 * rng.normal(size=n)
    theta[0] = theta.max() + gap
    return shuffled(scale(theta), rng)


def popularity(n: int, battles: int, rng: Rng) -> NDArray[np.int64]:
    """Battles of every pair when a few agents meet far more often than most."""
    appeal = rng.pareto(1.2, n) + 0.2
    a, b = np.triu_indices(n, 1)
    share = appeal[a] * appeal[b]
    return rng.poisson(battles * share / share.mean())


def cells(*axes: Any) -> list[Cell]:
    """Every combination."""
    return list(itertools.product(*axes))


def of_kind(n: int, kind: str, rng: Rng) -> Array:
    """A world of one of several kinds."""
    made = {
        "upset": lambda: single_upset(n, 0.4, 0.65, rng),
        "upsets": lambda: several_upsets(n, 1.0, 0.1, rng),
        "ring": lambda: cycle_on_top(n, 3, 1.0, rng),
        "weak ring": lambda: cycle_on_top(n, 3, 1.0, rng, 0.6),
        "close strengths": lambda: scale(0.4 * rng.normal(size=n)),
        "equal": lambda: np.full((n, n), 0.5),
    }
    return made[kind]() if kind in made else mixed(n, kind, rng)


SOME = (0.0, 0.3)  # of the pairs missing
EACH = (30, 100, 300)  # battles of every pair
KINDS = ("strengths", "ring", "upset", "upsets", "free")
PANELS = ((4, 400, 0.4), (8, 250, 0.5), (20, 100, 0.7), (60, 40, 0.7))  # judges, battles of each, sd of tastes
FAMILIES: dict[str, Family] = {
    "ladders": Family(
        cells((5, 10, 20, 40), (5, 20, 50, 200), (0.15, 0.4), SOME),
        lambda n, m, step, mu, rng: played(scale(step * rng.permutation(n)), m, mu, rng),
    ),
    "random strengths": Family(
        cells((5, 10, 20, 40), (5, 20, 50, 200), (0.3, 1.0), SOME),
        lambda n, m, s, mu, rng: played(scale(s * rng.normal(size=n)), m, mu, rng),
    ),
    "planted cores": Family(
        cells((8, 15, 30), (5, 20, 50), (1, 3, 5), (0.55, 0.6, 0.7, 0.8), SOME),
        lambda n, m, k, e, mu, rng: played(planted(n, k, e, e, e, rng), m, mu, rng),
    ),
    "strengths with noise": Family(
        cells((5, 10, 20, 40), (5, 20, 50, 200), ((0.3, 0.2), (1.0, 0.2), (1.0, 0.5)), SOME),
        lambda n, m, st, mu, rng: played(noisy(*st, n, rng), m, mu, rng),
        spread_of=lambda cell: cell[2],
    ),
    "free edges": Family(
        cells((5, 10, 20), (5, 20, 50, 200), ("normal 0.4", "normal 1", "uniform", "edge 0.6", "edge 0.8"), SOME),
        lambda n, m, kind, mu, rng: played(free_edges(n, kind, rng), m, mu, rng),
    ),
    "clustered votes": Family(
        cells((8, 20), (20, 50, 200), ((5, 0.2), (10, 0.4)), ("strengths", "planted", "free")),
        lambda n, m, ci, kind, rng: played(mixed(n, kind, rng), m, 0.0, rng, cluster=ci[0], icc=ci[1]),
    ),
    "rank-2 cyclic": Family(
        cells((5, 10, 30), (5, 20, 100), (0.3, 1.0), SOME),
        lambda n, m, c, mu, rng: played(cyclic(n, c, rng), m, mu, rng),
    ),
    "heavy-tailed strengths": Family(
        cells((5, 10, 30), (5, 20, 100), SOME),
        lambda n, m, mu, rng: played(scale(0.5 * rng.standard_t(2, size=n)), m, mu, rng),
    ),
    "uniform strengths": Family(
        cells((5, 10, 30), (5, 20, 100), SOME),
        lambda n, m, mu, rng: played(scale(rng.uniform(-1, 1, size=n)), m, mu, rng),
    ),
    "strengths of any size": Family(
        cells((10, 30), (5, 20, 50), (1, 3, 5), SOME),
        lambda n, m, k, mu, rng: played(planted(n, k, *[(0.55, 0.95)] * 3, rng), m, mu, rng),
    ),
    "weak circle": Family(
        cells((10, 30), (5, 20, 50), (3, 5), SOME),
        lambda n, m, k, mu, rng: played(planted(n, k, 0.56, 0.77, 0.77, rng), m, mu, rng),
    ),
    "unordered outsiders": Family(
        cells((10, 30), (5, 20, 50), (1, 3, 5), SOME),
        lambda n, m, k, mu, rng: played(unordered(planted(n, k, 0.68, 0.77, 0.77, rng), rng), m, mu, rng),
    ),
    "skewed sampling": Family(
        cells((10, 30), (5, 20, 50), ("strengths", "planted", "free")),
        lambda n, m, kind, rng: played(mixed(n, kind, rng), popularity(n, m, rng), 0.0, rng),
    ),
    "circle on top of a ladder": Family(
        cells((10, 30), (5, 20, 50), (3, 5), (0.3, 1.0), SOME),
        lambda n, m, k, s, mu, rng: played(cycle_on_top(n, k, s, rng), m, mu, rng),
    ),
    "weak rings": Family(
        cells((6, 12), EACH, (3, 5), (0.55, 0.6), (1, 5)),
        lambda n, m, k, e, c, rng: played(cycle_on_top(n, k, 1.0, rng, e), m, 0.0, rng, cluster=c, icc=0.2),
    ),
    "strong rings": Family(
        cells((6, 12), EACH, (3, 5), (0.65, 0.8), SOME),
        lambda n, m, k, e, mu, rng: played(cycle_on_top(n, k, 1.0, rng, e), m, mu, rng),
    ),
    "single upsets": Family(
        cells((6, 12), EACH, (0.2, 0.5), (0.6, 0.7)),  # an unseen upset cannot be determined
        lambda n, m, step, e, rng: played(single_upset(n, step, e, rng), m, 0.0, rng),
    ),
    "several upsets": Family(
        cells((6, 12), EACH, (0.5, 1.0), (0.05, 0.15), SOME),
        lambda n, m, s, share, mu, rng: played(several_upsets(n, s, share, rng), m, mu, rng),
    ),
    "equal agents": Family(cells((6, 12), EACH, SOME), lambda n, m, mu, rng: played(np.full((n, n), 0.5), m, mu, rng)),
    "near ties": Family(
        cells((6, 12), EACH, (2, 3), (0.05, 0.2), SOME),
        lambda n, m, k, gap, mu, rng: played(near_ties(n, k, gap, rng), m, mu, rng),
    ),
    "two groups": Family(
        cells((6, 12), EACH, (1.0, 2.0), (0.1, 0.3), SOME),
        lambda n, m, apart, spread, mu, rng: played(two_groups(n, apart, spread, rng), m, mu, rng),
    ),
    "clusters": Family(
        cells((6, 12), EACH, ((5, 0.2), (10, 0.4)), KINDS),
        lambda n, m, ci, kind, rng: played(of_kind(n, kind, rng), m, 0.0, rng, cluster=ci[0], icc=ci[1]),
    ),
    "uneven schedules": Family(
        cells((6, 12), EACH, KINDS),
        lambda n, m, kind, rng: played(of_kind(n, kind, rng), popularity(n, m, rng), 0.0, rng),
    ),
    "incomplete schedules": Family(
        cells((8, 14), EACH, (0.4, 0.6), KINDS),
        lambda n, m, mu, kind, rng: played(of_kind(n, kind, rng), m, mu, rng),
    ),
    "circles one below another": Family(
        cells((9, 30), (5, 20, 50), SOME),
        lambda n, m, mu, rng: played(several_cycles(n, rng), m, mu, rng),
    ),
    "low rings": Family(
        cells((7, 12), EACH, (0.6, 0.75)), lambda n, m, e, rng: played(ring_at(n, 2, 3, e, rng), m, 0.0, rng)
    ),
    "uneven rings": Family(
        cells((6, 12), EACH, (3, 4, 5)),
        lambda n, m, k, rng: played(ring_at(n, 0, k, (0.52, 0.75), rng), m, 0.0, rng),
    ),
    "heavy deviations": Family(
        cells((6, 12), EACH, (0.5, 1.0), (0.1, 0.25)),
        lambda n, m, s, size, rng: played(heavy_deviations(n, s, size, rng), m, 0.0, rng),
    ),
    "styles": Family(
        cells((6, 12), EACH, (0.5, 1.0), (0.2, 0.6)),
        lambda n, m, s, size, rng: played(styles(n, s, size, rng), m, 0.0, rng),
    ),
    "tied strengths": Family(cells((6, 12), EACH, (2, 3)), lambda n, m, k, rng: played(tied(n, k, rng), m, 0.0, rng)),
    "one ahead": Family(
        cells((6, 12), EACH, (0.1, 0.3)), lambda n, m, gap, rng: played(one_ahead(n, gap, rng), m, 0.0, rng)
    ),
    **{
        f"judges with tastes: {kind}": Family(
            cells((6, 8), (kind,), PANELS), lambda n, kind, panel, rng: judged(of_kind(n, kind, rng), panel, rng)
        )
        for kind in ("strengths", "close strengths", "ring", "weak ring", "upsets", "free", "equal")
    },
}


def worlds(name: str, runs: int, first: int) -> Iterator[tuple[Cell, World]]:
    """So many worlds of a family, going round its cells in a fixed scattered order."""
    family, key = FAMILIES[name], crc32(name.encode())
    scattered = np.random.default_rng(key).permutation(len(family.cells))
    for run in range(first, first + runs):
        cell = family.cells[scattered[run % len(family.cells)]]
        yield cell, family.make(*cell, np.random.default_rng([key, run]))
