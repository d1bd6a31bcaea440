"""Win rates of small fields for which more battles are planned."""

import numpy as np

from beatpath.evidence import Battles, Factor, Pairs
from beatpath.inference.win_rates.win_rates import win_rate_inference


def raw_scores(rates):
    """The map from win rates of all pairs to their means over opponents."""
    n, p = len(rates.agents), len(rates.rate)
    L = np.zeros((n, p))
    L[rates.a, np.arange(p)], L[rates.b, np.arange(p)] = 1 / (n - 1), -1 / (n - 1)
    return L


def rates_of(wins, played):
    """Independent battles of all pairs that played; `wins[i, j]` of i over j."""
    played, wins = np.asarray(played), np.asarray(wins)
    a, b = np.nonzero(np.triu(played, 1))
    won = wins[a, b]
    counts = np.column_stack([won, played[a, b] - won, 0 * won, 0 * won])
    return win_rate_inference(Pairs(tuple(f"x{i}" for i in range(len(played))), a, b, counts))


def close_field(seed, n=5, each=60):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.6, n)
    chance = 1 / (1 + np.exp(strength - strength[:, None]))
    played = np.full((n, n), each)
    return rates_of(rng.binomial(each, chance), played)


def clustered(rng, n_agents=4, clusters=30, size=8, spread=2.0):
    """Battles whose outcomes lean one way or the other by cluster, several pairs in each."""
    cluster = np.repeat(np.arange(clusters), size)
    a = rng.integers(0, n_agents, len(cluster))
    b = (a + rng.integers(1, n_agents, len(cluster))) % n_agents
    lean = rng.normal(0, spread, (clusters, n_agents))
    won = rng.random(len(cluster)) < 1 / (1 + np.exp(lean[cluster, b] - lean[cluster, a]))
    names = tuple(f"x{i}" for i in range(n_agents))
    return Battles(names, a, b, won.astype(float), factors={"cluster": Factor.of(cluster.tolist())})
