"""The example: what its docstring says is planted is there, in the truth and in the battles."""

import numpy as np
import pytest

from beatpath.data import example as arena
from beatpath.data.example import example, truth
from beatpath.evidence import Battles

SEEDS = range(20)


@pytest.fixture(scope="module")
def battles():
    return example()


@pytest.fixture(scope="module")
def many():
    return [example(seed) for seed in SEEDS]


def rate(a, b):
    rates = truth()
    return rates.matrix[rates.agents.index(a), rates.agents.index(b)]


def judged_by(battles, name):
    factor = battles.factor("judge")
    return factor.codes == factor.levels.index(name)


def test_the_top_three_beat_each_other_in_a_cycle_and_everyone_else():
    for a, b in [("aurora", "basalt"), ("basalt", "cinder"), ("cinder", "aurora")]:
        assert 0.60 <= rate(a, b) <= 0.65
    others = set(truth().agents) - set(arena.CYCLE)
    assert all(rate(top, other) > 0.6 for top in arena.CYCLE for other in others)


def test_agents_of_one_group_are_equal_and_groups_differ():
    for i, (_, names) in enumerate(arena.GROUPS[1:], 1):
        for a in names:
            assert all(rate(a, b) == pytest.approx(0.5) for b in names)
            assert all(rate(a, b) > 0.5 for _, worse in arena.GROUPS[i + 1 :] for b in worse)


def test_the_truth_is_that_of_a_longer_integration():
    grid = np.linspace(-8, 8, 4001)
    density = np.exp(-(grid**2) / 2)
    density /= density.sum()
    spread = np.sqrt(2) * arena.PROMPT_SPREAD
    i, j = arena.AGENTS.index("cinder"), arena.AGENTS.index("dune")
    rates = []
    for lead in arena._leads()[:, i, j]:
        eta = lead + spread * grid
        total = np.exp(eta / 2) + arena.TIE + np.exp(-eta / 2)
        rates.append((density * (np.exp(eta / 2) + arena.TIE / 2) / total).sum())
    decided = np.dot(list(arena.TASKS.values()), rates)
    assert rate("cinder", "dune") == pytest.approx(0.95 * decided + 0.05 / 2, abs=1e-6)


def test_frequencies_are_within_simulation_error_of_the_truth(many):
    n_agents = len(truth().agents)
    won, played = np.zeros((2, n_agents, n_agents))
    for battles in many:
        fair = battles.take(~judged_by(battles, arena.BIASED_JUDGE)).pairs()
        wins = fair.wins()
        won += wins
        played += wins + wins.T
    enough = np.triu(played > 200, 1)
    p = truth().matrix[enough]
    z = (won[enough] / played[enough] - p) / np.sqrt(p * (1 - p) / played[enough])
    assert enough.sum() > 200
    assert np.abs(z).max() < 4.5
    assert abs(z.mean()) < 0.25
    assert 0.6 < z.std() < 1.1  # ties make it less than one


def test_the_biased_judge_prefers_what_is_shown_first_and_no_other_does(battles):
    decided = battles.outcome != 0.5
    for name in arena.JUDGES:
        rows = decided & judged_by(battles, name)
        first = ((battles.outcome[rows] == 1) == (battles.position[rows] > 0)).mean()
        error = 0.5 / np.sqrt(rows.sum())
        assert (first - 0.5 > 10 * error) if name == arena.BIASED_JUDGE else (abs(first - 0.5) < 4 * error)


def test_ties_and_both_bad_have_their_shares(many):
    bad = np.mean([b.both_bad.mean() for b in many])
    tied = np.mean([(b.outcome == 0.5).mean() for b in many]) - bad
    assert 0.045 < bad < 0.055
    assert 0.13 < tied < 0.17


def test_both_bad_is_concentrated_on_hard_prompts(battles):
    prompt = battles.factor("cluster").codes
    size, bad = np.bincount(prompt), np.bincount(prompt, weights=battles.both_bad)
    large = size >= 10
    assert 0.6 < (bad[large] == 0).mean() < 0.9
    expected = 0.05 * 0.95 / size[large]
    assert np.mean((bad / size)[large] ** 2) > 2 * np.mean(expected + 0.05**2)


def test_battles_of_a_prompt_depend_on_each_other(many):
    together = []
    rates = truth().matrix
    for battles in many:
        rows = (battles.outcome != 0.5) & ~judged_by(battles, arena.BIASED_JUDGE)
        prompt = battles.factor("cluster").codes[rows]
        for sign, who, whom in ((1, battles.a, battles.b), (-1, battles.b, battles.a)):
            surprise = (sign * (battles.outcome - 0.5) + 0.5 - rates[who, whom])[rows]
            together.append(np.stack([prompt, who[rows], surprise]))
    prompt, agent, surprise = np.concatenate(
        [np.stack([t[0] + 10_000 * (i // 2), t[1], t[2]]) for i, t in enumerate(together)], axis=1
    )
    group = np.unique(prompt * 100 + agent, return_inverse=True)[1]
    total, square = np.bincount(group, weights=surprise), np.bincount(group, weights=surprise**2)
    products = total**2 - square  # twice the sum over pairs of battles of one agent on one prompt
    assert products.mean() > 5 * products.std() / np.sqrt(len(products))


def test_sampling_is_unequal_and_some_pairs_have_no_battles(battles):
    played = np.bincount(np.concatenate([battles.a, battles.b]), minlength=30)
    count = dict(zip(battles.agents, played.tolist(), strict=True))
    assert count["aurora"] > 5 * count["dune"] > 0
    assert all(0 < count[name] < 150 for name in arena.NEW)
    wins = battles.pairs().wins()
    for gone in arena.RETIRED:
        for new in arena.NEW:
            i, j = battles.agents.index(gone), battles.agents.index(new)
            assert wins[i, j] == wins[j, i] == 0


def test_it_has_the_size_and_the_columns_it_says(battles):
    assert isinstance(battles, Battles)
    assert (len(battles.agents), len(battles)) == (30, 12_000)
    assert len(battles.factor("cluster").levels) == 600
    assert battles.factor("task").levels == ("chat", "code", "math", "writing")
    assert (np.diff(battles.time) >= 0).all()
    assert battles.agents == truth().agents == tuple(sorted(battles.agents))
    assert battles.reading.rows_used == 12_000


def test_a_prompt_has_one_task(battles):
    task, prompt = battles.factor("task").codes, battles.factor("cluster").codes
    assert len(np.unique(prompt * 4 + task)) == 600


def test_the_same_seed_gives_the_same_battles_and_another_seed_others(battles):
    again, other = example(0), example(1)
    for name in ("a", "b", "outcome", "time", "position", "both_bad"):
        np.testing.assert_array_equal(getattr(again, name), getattr(battles, name))
    for name in battles.factors:
        np.testing.assert_array_equal(again.factor(name).codes, battles.factor(name).codes)
    assert (other.outcome != battles.outcome).any()


def test_the_global_generator_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    example(7)
    truth()
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
