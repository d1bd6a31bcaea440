"""Weights of battles are relative in `core` and `resolve`: a common factor changes no answer."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath import Battles, core, resolve
from beatpath.evidence import Factor


def uneven_battles():
    rng = np.random.default_rng(26)
    pairs = [rng.choice(6, 2, replace=False) for _ in range(120)]
    rows = [(f"a{i}", f"a{j}", float(rng.random() < 1 / (1 + np.exp((i - j) / 2)))) for i, j in pairs]
    judge = Factor.of(f"judge {k % 7}" for k in range(len(rows)))
    return Battles.of(rows, time=range(len(rows)), factors={"judge": judge})


def test_a_common_weight_changes_neither_core_nor_board():
    battles = uneven_battles()
    heavy = replace(battles, weight=np.full(len(battles), 1000.0))
    assert core(battles).to_dict()["posterior"] == core(heavy).to_dict()["posterior"]
    plain, other = resolve(battles).to_dict(), resolve(heavy).to_dict()
    for agent, row in plain["ranks"].items():
        names = ("score", "low", "high", "best", "worst", "tier")
        assert [row[name] for name in names] == pytest.approx([other["ranks"][agent][name] for name in names])
    assert plain["answer"] == other["answer"]
