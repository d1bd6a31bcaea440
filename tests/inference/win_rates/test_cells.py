"""Cells by sorting against cells by counting."""

import numpy as np
import pytest

from beatpath.evidence import Battles, Factor
from beatpath.evidence.pair_index import PairIndex
from beatpath.inference.win_rates import cluster_cells
from beatpath.inference.win_rates import cluster_cells as cells_module
from beatpath.inference.win_rates.cluster_cells import cells_of_pairs, sortable, sorted_cells
from beatpath.inference.win_rates.win_rates import win_rate_inference


def random_battles(seed, n=600, agents=6, clusters=30):
    """Battles with ties, battles in which both were bad, and some without a cluster."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, agents, n)
    b = (a + rng.integers(1, agents, n)) % agents
    outcome = rng.choice([0.0, 0.5, 1.0], n)
    bad = (outcome == 0.5) & (rng.random(n) < 0.4)
    cluster = Factor.coded(rng.integers(-1, clusters, n), [f"c{i:02d}" for i in range(clusters)])
    return Battles(tuple("uvwxyz"[:agents]), a, b, outcome, both_bad=bad, factors={"cluster": cluster})


@pytest.mark.parametrize("looked_up", [0, 1 << 26])
def test_sorting_finds_the_cells_that_counting_finds(monkeypatch, looked_up):
    monkeypatch.setattr("beatpath.evidence.pair_index.MOST_TABULATED", looked_up)
    for seed in range(5):
        battles = random_battles(seed)
        pair_index = PairIndex.of(battles.pairs())
        counted = battles.pairs(by=["cluster"]).settle(ties="half", both_bad="tie")
        expected = cells_of_pairs(counted, ["cluster"], pair_index)
        (cells,) = sorted_cells(battles, "cluster", pair_index)
        for name in ("pair", "weight", "won", "battles"):
            np.testing.assert_array_equal(getattr(cells, name), getattr(expected, name))
        np.testing.assert_array_equal(cells.codes[0], expected.codes[0])
        np.testing.assert_array_equal(cells.squares, expected.squares)


def test_soft_outcomes_weights_and_other_policies_are_left_to_counting():
    battles = random_battles(0)
    assert sortable(battles, "cluster", 6, "half", "tie")
    soft = Battles(battles.agents, battles.a, battles.b, np.full(600, 0.7), factors=battles.factors)
    heavy = Battles(battles.agents, battles.a, battles.b, battles.outcome, weight=np.ones(600), factors=battles.factors)
    for evidence, ties in ((soft, "half"), (heavy, "half"), (battles, "keep"), (battles, "drop")):
        assert not sortable(evidence, "cluster", 6, ties, "tie")


def test_chunks_give_the_same_standard_errors_as_the_whole(monkeypatch):
    battles = random_battles(1)
    whole = win_rate_inference(battles)
    monkeypatch.setattr(cells_module, "SPAN", 200)
    monkeypatch.setattr(cells_module, "PIECE", 50)
    parts = win_rate_inference(battles)
    np.testing.assert_array_equal(parts.rate, whole.rate)
    np.testing.assert_allclose(parts.variance, whole.variance, rtol=1e-12)
    np.testing.assert_array_equal(parts.clusterings[0].influence.toarray(), whole.clusterings[0].influence.toarray())
    assert parts.clusterings[0].n_clusters == whole.clusterings[0].n_clusters


def test_sorting_and_counting_lead_to_the_same_errors(monkeypatch):
    for seed in range(5):
        battles = random_battles(seed, n=60, clusters=25)  # many clusters of one battle
        sorted_ = win_rate_inference(battles)
        with monkeypatch.context() as patch:
            patch.setattr(cluster_cells, "sortable", lambda *_, **__: False)
            counted = win_rate_inference(battles)
        np.testing.assert_array_equal(sorted_.rate, counted.rate)
        np.testing.assert_array_equal(sorted_.own, counted.own)
        np.testing.assert_array_equal(sorted_.alone, counted.alone)
        assert sorted_.clusterings[0].singles == counted.clusterings[0].singles
        np.testing.assert_array_equal(
            sorted_.clusterings[0].influence.toarray(), counted.clusterings[0].influence.toarray()
        )
