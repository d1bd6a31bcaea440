"""Counts by pair that are as uncertain as what they were added up from."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.resolve.design_effects import pairs_with_design_effects


def table(seed, agents=12, tasks=30):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(agents, tasks)) + np.linspace(0, 1.5, agents)[:, None] + rng.normal(size=tasks)
    return bp.Scores.from_table(scores, [f"a{i:02d}" for i in range(agents)], [f"t{t:02d}" for t in range(tasks)])


def resolved(evidence):
    return bp.resolve(evidence, estimand="mean_win_rate", draws=4000).ranks.resolved_pairs


@pytest.mark.parametrize("evidence", [table(1), table(2, 20, 12), bp.example()], ids=["table", "few tasks", "battles"])
def test_counts_with_design_effects_resolve_no_more_than_their_source(evidence, tmp_path):
    pairs, lost = pairs_with_design_effects(evidence)
    assert any("are correlated by" in what for what in lost)
    bp.write(pairs, tmp_path / "counts.csv")
    read = bp.read(tmp_path / "counts.csv")
    assert read.squares == pytest.approx(pairs.squares, rel=1e-9)
    assert resolved(read) <= resolved(evidence) < resolved(evidence.pairs())


def test_equal_agents_of_a_table_stay_unresolved_as_counts():
    """Plain counts of ten equal agents on twenty tasks: comparisons of one task are taken as independent."""
    wrong = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        scores = bp.Scores.from_table(rng.normal(size=(10, 20)), list("abcdefghij"), [f"t{t:02d}" for t in range(20)])
        wrong.append([resolved(pairs_with_design_effects(scores)[0]) > 0, resolved(scores.pairs()) > 0])
    held, plain = np.mean(wrong, axis=0)
    assert held <= 0.06 + 2 * np.sqrt(0.06 * 0.94 / 60) < 0.3 < plain


def test_independent_battles_need_no_design_effect():
    rows = [("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 1)] * 20
    pairs, lost = pairs_with_design_effects(bp.Battles.of(rows))
    assert pairs.squares is None
    assert lost == ()
