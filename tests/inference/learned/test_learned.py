"""A learned core as plain data."""

import json

import numpy as np
import pytest

from beatpath import Battles, Factor
from beatpath.inference.learned.learner import learn, one_thread
from beatpath.inference.learned.settings import Settings

ORDERS = {
    "code": "abcdef",
    "maths": "bcadef",
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


CONTEXTUAL, TRUTH = contextual(lambda apart: 0.85)


@pytest.fixture(scope="module")
def learned():
    with one_thread():
        return learn(CONTEXTUAL, context=["task"], settings=QUICK)


def test_the_answer_is_plain_data(learned):
    plain = json.loads(json.dumps(learned.to_dict()))
    assert plain["core"]["top_cycle"]["members"] == ["a", "b", "c"]
    assert plain["probability"] == learned.probability.tolist()
    assert plain["settings"]["tau"] == {"high": 1.0, "low": 0.05}
    assert len(plain["history"]) == len(learned.history)
    assert plain["reliability"]["error"] < 0.1
