"""Learned models in files."""

import sys

import numpy as np
import pytest
import torch

from beatpath import Battles, Factor, ReadError
from beatpath.inference.learned.learner import learn, one_thread
from beatpath.inference.learned.settings import Settings
from beatpath.inference.learned.state import load_learned, save_learned

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


class Mischief:
    def __reduce__(self):
        return sys.exit, (3,)


def test_a_saved_model_predicts_what_it_predicted(learned, tmp_path):
    file = tmp_path / "model.pt"
    save_learned(learned.model, file)
    back = load_learned(file)
    assert np.array_equal(back.logits(CONTEXTUAL), learned.model.logits(CONTEXTUAL))
    assert back.features == learned.model.features
    assert [path.name for path in tmp_path.iterdir()] == ["model.pt"]


def test_files_that_are_no_models_are_refused_and_run_no_code(learned, tmp_path):
    file = tmp_path / "model.pt"
    for content in (b"", b"not a model", b"PK\x03\x04broken"):
        file.write_bytes(content)
        with pytest.raises(ReadError, match="must be a learned tournament"):
            load_learned(file)
    torch.save(Mischief(), file)
    with pytest.raises(ReadError, match="cannot be read"):
        load_learned(file)
    torch.save({"weights": torch.ones(2)}, file)
    with pytest.raises(ReadError, match="holds something else"):
        load_learned(file)
    save_learned(learned.model, file)
    state = torch.load(file, weights_only=True)
    torch.save(state | {"version": 99}, file)
    with pytest.raises(ReadError, match="version '99'"):
        load_learned(file)
    torch.save(state | {"agents": ["a"]}, file)
    with pytest.raises(ReadError, match="do not fit"):
        load_learned(file)
