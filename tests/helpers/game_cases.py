"""Small games, printed and random, and slow computations of their equilibria."""

import json
from itertools import combinations, permutations

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import minimize

from beatpath import Margins, Scores
from helpers.paths import GOLDEN

VASE = json.loads((GOLDEN / "vase_games.json").read_text())
OPEN_SPIEL = json.loads((GOLDEN / "open_spiel_games.json").read_text())

CHICKEN = np.array([[0.0, 7.0], [2.0, 6.0]])  # dare, yield


def named(matrix):
    return Margins(matrix, tuple(f"agent{i:03d}" for i in range(len(matrix))))


def skew(upper):
    upper = np.triu(np.asarray(upper, dtype=float), 1)
    return upper - upper.T


@st.composite
def games(draw, max_agents=7, largest=3):
    n = draw(st.integers(1, max_agents))
    row = st.lists(st.integers(-largest, largest), min_size=n, max_size=n)
    return skew(draw(st.lists(row, min_size=n, max_size=n)))


def vertices(C):
    """All vertices of {x >= 0, sum x = 1, C'x >= 0}, by trying every set of tight constraints."""
    k = len(C)
    faces = np.vstack([np.eye(k), C.T])
    corners = []
    for tight in combinations(range(len(faces)), k - 1):
        K = np.vstack([faces[list(tight)], np.ones(k)])
        if np.linalg.matrix_rank(K, tol=1e-9) == k:
            x = np.linalg.solve(K, np.append(np.zeros(k - 1), 1.0))
            if (faces @ x).min() >= -1e-9 and not any(np.abs(x - v).max() < 1e-8 for v in corners):
                corners.append(x)
    return np.array(corners)


def most_entropy(C):
    """The slow computation: mix the vertices, from several starts."""
    V = vertices(C)

    def falling(w):
        x = np.maximum(w @ V, 1e-300)
        return float((x * np.log(x)).sum()), V @ (np.log(x) + 1)

    best = None
    for seed in range(3):
        optimum = minimize(
            falling,
            np.random.default_rng(seed).dirichlet(np.ones(len(V))),
            jac=True,
            bounds=[(0, 1)] * len(V),
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(len(V))},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        if best is None or optimum.fun < best.fun:
            best = optimum
    return best.x @ V / best.x.sum(), len(V)


def table(cells, **columns):
    cells = np.asarray(cells, dtype=float)
    agents, tasks = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("at", cells.shape, strict=True))
    return Scores.from_table(cells, agents, tasks, **columns)


@st.composite
def tables(draw, most=4, largest=3):
    k, n = draw(st.integers(2, most)), draw(st.integers(1, most))
    row = st.lists(st.integers(0, largest), min_size=n, max_size=n)
    return np.array(draw(st.lists(row, min_size=k, max_size=k)), dtype=float)


@st.composite
def tensors(draw, most_players=3):
    """Games of two or three players with two or three strategies each, and whole payoffs."""
    shape = tuple(draw(st.lists(st.integers(1, 3), min_size=2, max_size=most_players)))
    size = int(np.prod(shape))
    cells = st.lists(st.integers(-3, 3), min_size=size, max_size=size)
    return [np.array(draw(cells), dtype=float).reshape(shape) for _ in shape]


def cheapest(M):
    """The least cost over all orders, and the orders that have it."""
    cost = {
        order: sum(max(M[b, a], 0) for i, a in enumerate(order) for b in order[i + 1 :])
        for order in permutations(range(len(M)))
    }
    least = min(cost.values())
    return least, {order for order, one in cost.items() if one == least}
