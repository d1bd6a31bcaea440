"""Columns that outcomes depend on are clusters by default, from three levels on."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath.evidence import Battles, Factor
from beatpath.evidence_design.columns import FEW_WEIGHTED, _weights_by, cluster_weights, dependent_columns
from beatpath.inference.resolve.resolve import resolve
from beatpath.inference.scores.estimands import leaderboard


def leaning(seed, prompts=150, users=60, n=3000, by_prompt=1.0, by_user=1.0):
    """Battles of four agents whose outcomes lean by prompt and by user."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    prompt, user = rng.integers(0, prompts, n), rng.integers(0, users, n)
    taste, likes = rng.normal(0, by_prompt, (prompts, 4)), rng.normal(0, by_user, (users, 4))
    ahead = taste[prompt, a] - taste[prompt, b] + likes[user, a] - likes[user, b]
    won = (rng.random(n) < 1 / (1 + np.exp(-ahead))).astype(float)
    factors = {"cluster": Factor.of(f"p{i:03d}" for i in prompt), "judge": Factor.of(f"u{i:03d}" for i in user)}
    return Battles(tuple("abcd"), a, b, won, factors=factors)


def test_both_columns_are_taken_where_outcomes_depend_on_both():
    columns = dependent_columns(leaning(0))
    assert columns.clusters == ("cluster", "judge")
    assert columns.notes[0].startswith("Outcomes depend on the judge: the variance of win rates is ")


def test_a_column_that_nothing_depends_on_is_left():
    columns = dependent_columns(leaning(1, by_user=0.0))
    assert (columns.clusters, columns.notes) == (("cluster",), ())
    assert [one.name for one in columns.uses if one.use == "none"] == ["judge"]


def test_two_columns_are_taken_and_the_third_is_named():
    battles = leaning(2, by_user=2.0)
    factors = {"task": battles.factors["judge"], **battles.factors}
    columns = dependent_columns(Battles(battles.agents, battles.a, battles.b, battles.outcome, factors=factors))
    assert columns.clusters[0] == "cluster"
    assert len(columns.clusters) == 2
    assert columns.notes[-1].endswith("standard errors allow for two columns at most.")


def test_intervals_hold_under_two_columns_that_both_cluster():
    """Equal agents: the share of scores within their interval of one half."""
    held = []
    for seed in range(60):
        board = leaderboard(leaning(seed, n=1500))
        held.append(np.abs(board.score - 0.5) < 1.96 * np.sqrt(np.diag(board.covariance)))
    assert np.mean(held) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / np.size(held) * 2)


def panel(seed, judges, n=12, battles=3000, taste=0.5):
    """Equal agents that judges have tastes about."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, n, battles)
    b = (a + rng.integers(1, n, battles)) % n
    judge, likes = rng.integers(0, judges, battles), taste * rng.standard_normal((judges, n))
    won = rng.random(battles) < 1 / (1 + np.exp(likes[judge, b] - likes[judge, a]))
    names = tuple(f"agent {i}" for i in range(n))
    return Battles(names, a, b, won.astype(float), factors={"judge": Factor.of(f"j{i}" for i in judge)})


@pytest.mark.parametrize("judges", [3, 12])
def test_a_panel_of_few_judges_with_tastes_is_a_cluster_each(judges):
    assert dependent_columns(panel(0, judges)).clusters == ("judge",)


def test_two_judges_are_named_and_left():
    columns = dependent_columns(panel(0, 2))
    assert columns.clusters == ()
    assert columns.fixed == ("judge",)
    assert columns.notes == ("Outcomes depend on the judge: results hold for these 2 judges only.",)


def test_counts_by_judge_are_clusters_as_battles_are():
    assert dependent_columns(panel(0, 12).pairs(by=["judge"])).clusters == ("judge",)


def test_judges_without_tastes_are_seldom_taken_for_clusters():
    """One board in ten at the most, and four standard deviations."""
    taken = [dependent_columns(panel(seed, 12, battles=600, taste=0.0)).clusters for seed in range(100)]
    assert sum(map(bool, taken)) <= 10 + 4 * 3


def test_equal_agents_are_not_ordered_by_a_panel_of_twelve():
    """False orders on a twentieth of boards, and three standard deviations; taken as independent they are on most."""
    boards = [resolve(panel(seed, 12)) for seed in range(40)]
    assert sum(board.resolved_pairs > 0 for board in boards) <= 2 + 3 * 1.4
    naive = [resolve(panel(seed, 12), cluster=None) for seed in range(10)]
    assert sum(board.resolved_pairs > 0 for board in naive) >= 7


def test_a_handful_of_tasks_is_taken_as_it_is_and_the_other_answer_is_given_too():
    judged = panel(1, 4)
    board = resolve(replace(judged, factors={"task": judged.factors["judge"]}))
    assert board.resolved_pairs > 0
    assert "for these 4 tasks" in board.answer.text
    assert board.panel.resolved_pairs == 0
    assert board.panel.sentence.startswith("For other tasks like these 4, ")


def test_a_small_panel_gets_both_answers():
    board = resolve(panel(1, 3))
    assert board.resolved_pairs == 0
    assert board.panel.levels == {"judge": 3}
    assert board.panel.resolved_pairs > 0
    assert board.panel.sentence.startswith("For these 3 judges only, ")
    assert "for judges like these 3" in board.answer.text
    assert board.to_dict()["panel"]["resolved_pairs"] == board.panel.resolved_pairs


def heavy_prompts(seed, prompts=1500, n=12):
    """Equal agents; every prompt has a pair and an opinion of its own, and a few prompts have most battles."""
    rng = np.random.default_rng(seed)
    size = np.minimum((rng.pareto(1.0, prompts) + 1).astype(int), 200)
    prompt = np.repeat(np.arange(prompts), size)
    a = rng.integers(0, n, prompts)
    b = (a + rng.integers(1, n, prompts)) % n
    won = rng.random(len(prompt)) < 1 / (1 + np.exp(-rng.normal(size=prompts)[prompt]))
    names = tuple(f"agent {i}" for i in range(n))
    factors = {"cluster": Factor.of(f"p{i}" for i in prompt)}
    return Battles(names, a[prompt], b[prompt], won.astype(float), factors=factors)


def test_battles_of_large_clusters_weigh_less_and_intervals_are_narrower():
    weighed, alike, held = [], [], []
    for seed in range(12):
        battles = heavy_prompts(seed)
        board = resolve(battles)
        held.append((board.low <= 0.5) & (0.5 <= board.high))
        weighed.append(np.mean(board.high - board.low))
        plain = resolve(replace(battles, weight=np.linspace(1, 1 + 1e-9, len(battles))))  # weights that differ stay
        alike.append(np.mean(plain.high - plain.low))
    assert np.mean(held) > 0.92
    assert np.mean(weighed) < 0.75 * np.mean(alike)


def test_weights_of_one_change_nothing():
    battles = heavy_prompts(0, prompts=200)
    plain, ones = resolve(battles), resolve(replace(battles, weight=np.ones(len(battles))))
    np.testing.assert_array_equal(plain.low, ones.low)
    np.testing.assert_array_equal(plain.above, ones.above)


def test_shares_of_battles_are_of_battles_as_given_though_prompts_are_heavy():
    battles = heavy_prompts(0)
    assert cluster_weights(battles, ["cluster"]) is not None
    wins = battles.pairs().wins()
    share = wins.sum(axis=1) / (wins + wins.T).sum(axis=1)
    np.testing.assert_allclose(resolve(battles, estimand="as_sampled").ranks.score, share)


def test_weights_follow_the_correlation_of_repeats():
    battles = heavy_prompts(0)
    weight, _ = cluster_weights(battles, ["cluster"])
    size = np.bincount(battles.factors["cluster"].codes)[battles.factors["cluster"].codes]
    rho = (1 / weight - 1)[size > 1] / (size - 1)[size > 1]
    assert np.ptp(rho) < 1e-9
    assert 0.1 < rho[0] < 0.25  # of log odds with standard deviation 1, about 0.17


def test_repeats_are_those_of_a_pair_within_a_cluster():
    """One agent meets three others on every prompt, two of them once and the third one to twenty times, with one opinion each."""
    rng, times = np.random.default_rng(0), np.tile([1, 1, 2, 20], 50)
    prompt = np.repeat(np.arange(200), 2 + times)
    rival = np.concatenate([[1, 2, *[3] * k] for k in times])
    likes, turned = rng.normal(0, 2, (200, 4)), rng.random(len(prompt)) < 0.5
    won = (rng.random(len(prompt)) < 1 / (1 + np.exp(likes[prompt, rival]))) != turned
    a, b = np.where(turned, rival, 0), np.where(turned, 0, rival)
    names, of = ("ada", "bob", "cyd", "dee"), {"cluster": Factor.of(map(str, prompt))}
    weight, note = cluster_weights(Battles(names, a, b, won.astype(float), factors=of), ["cluster"])
    repeats = np.where(rival < 3, 1, times[prompt])
    rho = (1 / weight[repeats > 1] - 1) / (repeats[repeats > 1] - 1)
    assert (weight[repeats == 1] == 1).all()
    assert np.ptp(rho) < 1e-9
    assert 0.2 < rho[0] < 0.5
    battles = Battles(names, a, b, won.astype(float), factors=of)
    gain, own, _ = _weights_by(battles, "cluster")
    np.testing.assert_array_equal(own, weight)
    alike, weighed = 0.0, 0.0  # variances of the sums of three pairs, in battles, by equal weights and by these
    for n in (np.ones(200), np.ones(200), times):
        alike += (n * (1 + (n - 1) * rho[0])).sum()
        weighed += n.sum() ** 2 / (n / (1 + (n - 1) * rho[0])).sum()
    assert gain == pytest.approx(alike / weighed)
    for clusters, some in ((FEW_WEIGHTED, True), (FEW_WEIGHTED - 1, False)):
        assert (
            (_weights_by(battles.take((prompt % 4 == 3) & (prompt < 4 * clusters)), "cluster")[1] < 1).any()
        ) == some
    shares = [100 * one[prompt == 3].sum() / one.sum() for one in (np.ones(len(prompt)), weight)]
    assert "the largest cluster has {:.1f} % of all battles and {:.1f} % of the weight".format(*shares) in note


def one_busy_judge(seed, judges=12, battles=1200, taste=0.6, n=6):
    """Equal agents; every judge has tastes of its own, and one of them gives half of the votes."""
    rng = np.random.default_rng(seed)
    judge = np.where(rng.random(battles) < 0.5, 0, rng.integers(1, judges, battles))
    a = rng.integers(0, n, battles)
    b = (a + rng.integers(1, n, battles)) % n
    likes = rng.normal(0, taste, (judges, n))
    won = rng.random(battles) < 1 / (1 + np.exp(likes[judge, b] - likes[judge, a]))
    names = tuple(f"agent {i}" for i in range(n))
    return Battles(names, a, b, won.astype(float), factors={"judge": Factor.of(f"j{k:02d}" for k in judge)})


def test_one_judge_with_half_of_the_votes_does_not_make_every_interval_the_whole_range():
    boards = [resolve(one_busy_judge(seed)) for seed in range(25)]
    held = [(board.low <= 0.5) & (0.5 <= board.high) for board in boards]
    assert np.mean([board.high - board.low for board in boards]) < 0.35  # twelve judges of equal weight: about 0.25
    assert np.mean(held) > 0.93
    assert sum(board.resolved_pairs > 0 for board in boards) <= 3
    assert any("the largest judge has 5" in note or "the largest judge has 4" in note for note in boards[0].notes)


def test_the_correlation_is_found_where_one_judge_has_half_of_the_battles():
    """Each judge wins a share from a beta distribution for the first agent: outcomes of a judge correlate by 1 / (1 + 2 + 2)."""
    rng, found = np.random.default_rng(0), []
    for _ in range(300):
        size = np.array([200] + [20] * 10)
        judge = np.repeat(np.arange(11), size)
        won = rng.random(len(judge)) < rng.beta(2, 2, 11)[judge]
        battles = Battles(
            ("x", "y"), 0 * judge, 0 * judge + 1, won * 1.0, factors={"judge": Factor.of(map(str, judge))}
        )
        unequal = cluster_weights(battles, ["judge"])
        found.append(0.0 if unequal is None else (1 / unequal[0].min() - 1) / 199)
    assert abs(np.mean(found) - 0.2) < 0.03


def test_weights_are_those_of_the_column_that_gains_most():
    battles = one_busy_judge(0)
    prompts = Factor.of(f"p{k}" for k in range(len(battles)))
    both = replace(battles, factors={"cluster": prompts, **battles.factors})
    np.testing.assert_array_equal(
        cluster_weights(both, ["cluster", "judge"])[0], cluster_weights(battles, ["judge"])[0]
    )


@pytest.mark.parametrize("judges", [2, 3])
def test_three_judges_show_a_correlation_and_two_do_not(judges):
    judge = np.repeat(np.arange(judges), [300, 60, 60][:judges])
    won = np.arange(len(judge)) % 10 < np.array([9, 1, 3])[judge]
    battles = Battles(("x", "y"), 0 * judge, 0 * judge + 1, won * 1.0, factors={"judge": Factor.of(map(str, judge))})
    assert (cluster_weights(battles, ["judge"]) is None) == (judges == 2)
