"""Learned models in files."""

import sys

import numpy as np
import pytest
import torch

from beatpath import ReadError
from beatpath.inference.learned.encoder import load_learned, save_learned
from helpers.contextual import CONTEXTUAL


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
