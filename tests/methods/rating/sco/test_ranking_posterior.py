"""The posterior over rankings: against the density integrated on a grid, and Mallows' model in the limit."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import expit

import beatpath as bp
from beatpath.robustness import sco_posterior

BALLOTS = bp.Ballots.of(["abc", "acb", "bca"], count=[3, 2, 2])


def integrated(ballots, temperature, cells=60):
    """The probability of every order of three agents, by the loss on a jittered grid of ratings."""
    margins, width = ballots.pairs().margins().matrix, 100 / cells
    side = (np.arange(cells) + 0.5) * width
    grid = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    grid += np.random.default_rng(0).uniform(-width / 2, width / 2, grid.shape)
    pairs = [(0, 1), (0, 2), (1, 2)]
    loss = sum(margins[i, j] * expit((grid[:, j] - grid[:, i]) / temperature) for i, j in pairs)
    density, order = np.exp(loss.min() - loss), np.argsort(-grid, axis=1)
    names = np.array(ballots.agents)
    return {
        " > ".join(names[list(p)]): density[(order == p).all(axis=1)].sum() / density.sum()
        for p in permutations(range(3))
    }


@pytest.mark.parametrize("temperature", [1.0, 10.0])
def test_orders_are_as_probable_as_the_density_integrates_to(temperature):
    probabilities = {
        row["ranking"]: row["probability"]
        for row in sco_posterior(BALLOTS, samples=10_000, temperature=temperature).rankings
    }
    for order, exact in integrated(BALLOTS, temperature).items():
        assert probabilities.get(order, 0.0) == pytest.approx(
            exact, abs=4 * np.sqrt(exact * (1 - exact) / 3_000) + 0.002
        )


def test_sharp_sigmoids_give_mallows_model():
    votes = ["abc", "acb", "bca"]
    weight = {}
    for order in permutations("abc"):
        against = sum(
            c * sum((order.index(x) < order.index(y)) != (v.index(x) < v.index(y)) for x, y in ("ab", "ac", "bc"))
            for v, c in zip(votes, [3, 2, 2], strict=True)
        )
        weight[" > ".join(order)] = np.exp(-against)
    probabilities = {
        row["ranking"]: row["probability"] for row in sco_posterior(BALLOTS, samples=10_000, temperature=0.01).rankings
    }
    for order, value in weight.items():
        exact = value / sum(weight.values())
        assert probabilities.get(order, 0.0) == pytest.approx(
            exact, abs=4 * np.sqrt(exact * (1 - exact) / 3_000) + 0.002
        )


def test_the_least_certain_pair_is_named_and_seeds_repeat():
    posterior = sco_posterior(BALLOTS, seed=3)
    assert posterior.to_dict() == sco_posterior(BALLOTS, seed=3).to_dict()
    assert str(posterior).splitlines()[0].startswith("The most probable of")
    assert 0.5 <= posterior.close_probability < 1
    tied = sco_posterior(bp.Ballots.of(["ab", "ba"]), samples=4_000)
    assert tied.close_probability == pytest.approx(0.5, abs=0.04)
    with pytest.raises(bp.DataError, match="needs two agents"):
        sco_posterior(bp.Ballots.of([[["a"]]], agents=["a"]))
    with pytest.raises(bp.UsageError, match="temperature"):
        sco_posterior(BALLOTS, temperature=0)
