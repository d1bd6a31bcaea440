"""Win rates of small fields for which more battles are planned."""

import numpy as np
from scipy.stats import t

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


def power_of(difference, variance, df, level=0.95):
    return float((difference > t.ppf((1 + level) / 2, df) * np.sqrt(variance)).mean())


def power_of_two_agents(n, chance, rng, draws=2000):
    """How often the gap of two agents is resolved, over some numbers of battles near `n`, so that whole wins do not matter."""
    shares = []
    for battles in range(n - 20, n + 21):
        won = rng.binomial(battles, chance, draws)
        smooth = (won + 0.5) / (battles + 1)
        variance = 4 * (battles + 1) * smooth * (1 - smooth) / battles**2
        shares.append(power_of(2 * won / battles - 1, variance, battles - 1))
    return float(np.mean(shares))
