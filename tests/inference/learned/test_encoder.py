"""Models of pairs: antisymmetric, and of cycles within a context."""

import pytest
import torch

from beatpath.inference.learned.encoder import ContextualBTL, PairEncoder, marginal_tournament
from beatpath.inference.learned.learner import learn
from beatpath.inference.learned.training import Settings
from helpers.contextual import CYCLE, QUICK, cycle, random_network


def test_a_cycle_within_one_context_needs_the_pair_encoder():
    pair = learn(cycle(per_pair=100), settings=QUICK)
    assert pair.core.top_cycle.members == ("paper", "rock", "scissors")
    assert min(pair.top_cycle[x] for x in ("rock", "paper", "scissors")) > 0.9
    btl = learn(CYCLE, settings=Settings(network="btl", epochs=100, rate=0.1))
    triples = btl.probability > 0.5
    assert not any(
        triples[a, b] and triples[b, c] and triples[c, a] for a in range(4) for b in range(4) for c in range(4)
    )


@pytest.mark.parametrize("kind", [PairEncoder, ContextualBTL])
def test_both_models_are_antisymmetric_to_the_bit(kind):
    network = random_network(kind, 5, 3)
    g = torch.Generator().manual_seed(1)
    a, b = torch.randint(5, (50,), generator=g), torch.randint(5, (50,), generator=g)
    x = torch.randn(50, 3, dtype=torch.float64, generator=g)
    assert torch.equal(network(a, b, x), -network(b, a, x))
    P = marginal_tournament(network, x, torch.full((50,), 0.02, dtype=torch.float64))
    assert torch.allclose(P + P.T, torch.ones_like(P), atol=1e-12)
