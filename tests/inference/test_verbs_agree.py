"""No verb contradicts another about who is placed, which agents are connected, and how many pairs there are."""

import numpy as np
import pytest

import beatpath as bp

SETS = {
    "alpaca_eval_gpt4turbo/annotations.parquet": {},
    "agentbench_230808/scores.csv": {},
    "arena33k_judged/battles.parquet": {},
    "chatbot_arena_20240814_counts/pair_counts.csv": {},
    "classic_r_datasets/citations.csv": {},
    "classic_r_datasets/football_premier_league_2008_13.csv": {},
    "classic_r_datasets/icehockey_ncaa_2009_10.csv": {},
    "classic_r_datasets/nascar2002_orderings.csv": {},
    "football_international/results.parquet": {},
    "livebench_tables/table_2024_11_25.csv": {},
    "gamebench/matches.csv": {},
    "llm_debate/judgments.csv": {},
    "llmfao/crowd-comparisons.csv": {},
    "lm_council_ei_sample/judgments.csv": {},
    "nfl/games.parquet": {},
    "pandalm_human/judgments.csv": {},
    "qlora_gpt4_vicuna80/battles.csv": {"labels": {"invalid": "drop"}},
    "swebench_verified_bash_only/per_instance.parquet": {},
}


def strays():
    """Three agents with many battles, one with a single battle, and two that played nobody else."""
    rng = np.random.default_rng(0)
    rows = [(a, b, float(rng.random() < 0.6)) for a, b in ("xy", "yz", "xz") for _ in range(80)]
    return bp.Battles.of([*rows, ("w", "x", 1.0), *[("p", "q", 1.0), ("q", "p", 1.0)] * 20])


def agree(evidence):
    design, resolution, core = bp.design(evidence), bp.resolve(evidence, draws=2000), bp.core(evidence)
    assert {one.agent for one in resolution.unplaced} == set(design.unplaced)
    placed = set(evidence.agents) - set(design.unplaced)
    assert set(resolution.agents) == placed
    assert set(core.agents) == placed
    components = {
        frozenset(resolution.agents[i] for i in np.flatnonzero(resolution.ranks.part == k))
        for k in np.unique(resolution.ranks.part)
    }
    whole = {frozenset(part.agents) for part in core.parts} if len(components) > 1 else {frozenset(core.agents)}
    assert components == whole
    assert all(any(part <= set(other) for other in design.components) for part in components)
    comparison = bp.compare_methods(evidence, ["copeland"])
    assert set(comparison.unplaced) == set(design.unplaced)
    if len(components) > 1:
        assert {frozenset(one.agents) for one in comparison.components} == components
        assert comparison.condorcet.strong is None


def test_verbs_agree_about_strays_and_components():
    agree(strays())


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_verbs_agree_about_real_data(shared, name):
    agree(bp.read(shared / name, **SETS[name]))
