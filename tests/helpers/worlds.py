"""Small worlds with a known truth."""

import numpy as np

from beatpath.evidence import Battles, Factor


def factor(codes):
    """Numbers as names that sort as the numbers do."""
    return Factor.of([None if code < 0 else f"{code:06d}" for code in codes])


def agreeing_repeats(rng, n_clusters, n_repeats, rho, mean=0.6, n_pairs=1):
    """Beta-binomial repeats of a pair within clusters: their correlation is `rho`."""
    shape = (n_clusters, n_pairs)
    share = rng.beta(mean * (1 - rho) / rho, (1 - mean) * (1 - rho) / rho, shape) if rho else np.full(shape, mean)
    outcome = (rng.random((*shape, n_repeats)) < share[..., None]).astype(float)
    cluster, pair, _ = np.indices(outcome.shape)
    agents = tuple(f"agent{i}" for i in range(n_pairs + 1))
    columns = {"factors": {"cluster": factor(cluster.ravel())}}
    return Battles(agents, np.zeros(outcome.size, int), 1 + pair.ravel(), outcome.ravel(), **columns)


def shown_battles(rng, n_clusters, sizes, *, position=0.0, spread=0.0, favour=0.0, taste=0.0, n_agents=5):
    """Logistic battles: `position` favours the side shown first, by cluster with `spread`; the stronger agent is shown
    first with probability ``1/2 + favour``; `taste` is the spread of agents' strength between clusters."""
    strength = np.linspace(-1, 1, n_agents)
    cluster = np.repeat(np.arange(n_clusters), rng.choice(sizes, n_clusters))
    n = len(cluster)
    a = rng.integers(n_agents, size=n)
    b = (a + rng.integers(1, n_agents, size=n)) % n_agents
    first = np.where(rng.random(n) < 0.5 + favour * np.sign(strength[a] - strength[b]), 1, -1)
    suits = rng.normal(0, taste, (n_clusters, n_agents)) + strength
    pull = first * (position + rng.normal(0, spread, n_clusters))[cluster]
    logit = suits[cluster, a] - suits[cluster, b] + pull
    outcome = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(float)
    names = tuple(f"agent{i}" for i in range(n_agents))
    return Battles(names, a, b, outcome, position=first, factors={"cluster": factor(cluster)})
