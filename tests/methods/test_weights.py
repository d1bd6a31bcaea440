"""Weights of battles are relative: a common factor, or a column of ones, changes no answer of any method."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath import Battles, core, rank, resolve
from beatpath.evidence import Factor
from beatpath.methods.registry import METHODS


def uneven_battles():
    rng = np.random.default_rng(26)
    pairs = [rng.choice(6, 2, replace=False) for _ in range(120)]
    rows = [(f"a{i}", f"a{j}", float(rng.random() < 1 / (1 + np.exp((i - j) / 2)))) for i, j in pairs]
    judge = Factor.of(f"judge {k % 7}" for k in range(len(rows)))
    return Battles.of(rows, time=range(len(rows)), factors={"judge": judge})


@pytest.mark.parametrize("key", [key for key, method in METHODS.items() if "battles" in method.takes])
@pytest.mark.parametrize("factor", [1.0, 1000.0])
def test_a_common_weight_changes_no_method(key, factor):
    battles = uneven_battles()
    plain, heavy = (rank(one, key) for one in (battles, replace(battles, weight=np.full(len(battles), factor))))
    assert plain.levels == heavy.levels
    assert [plain.scores[a] for a in battles.agents] == pytest.approx(
        [heavy.scores[a] for a in battles.agents], nan_ok=True
    )


def test_a_common_weight_changes_neither_core_nor_board():
    battles = uneven_battles()
    heavy = replace(battles, weight=np.full(len(battles), 1000.0))
    assert core(battles).to_dict()["posterior"] == core(heavy).to_dict()["posterior"]
    plain, other = resolve(battles).to_dict(), resolve(heavy).to_dict()
    assert plain["ranks"] == other["ranks"]
    assert plain["answer"] == other["answer"]
