"""Battles in contexts that go round, as learned cores see them."""

import numpy as np
import torch

from beatpath import Battles, Factor
from beatpath.inference.learned.encoder import ContextualBTL, PairEncoder
from beatpath.inference.learned.training import Settings

ORDERS = {
    "code": "abcdef",
    "math": "bcadef",
    "prose": "cabdef",
}  # each context has an order; together a, b, c go round


QUICK = Settings(epochs=100)


def contextual(chance, per_pair=40, seed=0):
    """Battles in three contexts, the better agent winning with a chance that depends on how many places apart they are there,
    and the true probabilities under an even mixture.
    """
    rng = np.random.default_rng(seed)
    rows, contexts, truth = [], [], np.full((6, 6), 0.5)
    for context, order in ORDERS.items():
        for i, better in enumerate(order):
            for apart, worse in enumerate(order[i + 1 :], 1):
                k, m = ord(better) - ord("a"), ord(worse) - ord("a")
                truth[k, m] += (chance(apart) - 0.5) / 3
                truth[m, k] -= (chance(apart) - 0.5) / 3
                for won in rng.random(per_pair) < chance(apart):
                    turned = rng.random() < 0.5
                    rows.append((worse, better, float(not won)) if turned else (better, worse, float(won)))
                    contexts.append(context)
    return Battles.of(rows, factors={"task": Factor.of(contexts)}), truth


def cycle(per_pair=40, sure=0.8, seed=0):
    """Rock, paper, scissors above a stone, in no context."""
    rng = np.random.default_rng(seed)
    beats = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    beats += [(name, "stone") for name in ("rock", "paper", "scissors")]
    return Battles.of([(a, b, float(won)) for a, b in beats for won in rng.random(per_pair) < sure])


CONTEXTUAL, TRUTH = contextual(lambda apart: 0.85)


CYCLE = cycle()


def random_network(kind, n, d):
    generator = torch.Generator().manual_seed(0)
    if kind is PairEncoder:
        return PairEncoder(n, d, embedding=2, width=3, generator=generator)
    network = ContextualBTL(n, d)
    for parameter in network.parameters():
        parameter.data.normal_(generator=generator)
    return network
