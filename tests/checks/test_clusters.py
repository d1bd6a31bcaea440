"""Dependence within clusters."""

import numpy as np
import pytest
from scipy.stats import binom

from beatpath.checks import check
from beatpath.checks.clusters import anova, correlation
from beatpath.checks.finding import CheckLimits
from beatpath.evidence import Battles
from beatpath.evidence_design.columns import cells_of
from beatpath.stats.design_effect import dependence
from helpers.worlds import agreeing_repeats, factor, shown_battles

LIMITS = CheckLimits()


def design_effect(cells, level, least):
    return dependence(cells).interval(level, least)


def explicit(groups):
    """One-way analysis of variance of one pair, with unequal sizes, line by line."""
    n = np.array([len(g) for g in groups])
    grand = np.concatenate(groups).mean()
    msb = sum(len(g) * (np.mean(g) - grand) ** 2 for g in groups) / (len(groups) - 1)
    msw = sum(((np.array(g) - np.mean(g)) ** 2).sum() for g in groups) / (n.sum() - len(groups))
    n0 = (n.sum() - (n**2).sum() / n.sum()) / (len(groups) - 1)
    return (msb - msw) / (msb + (n0 - 1) * msw)


def one_pair(groups):
    """Battles of one pair, one cluster a group, every other row turned round."""
    rows = [(("x", "y", s), ("y", "x", 1 - s))[i % 2] for g in groups for i, s in enumerate(g)]
    return Battles.of(rows, factors={"cluster": factor([c for c, g in enumerate(groups) for _ in g])})


GROUPS = [[1, 1, 0], [0, 0], [1, 0.5, 1, 1], [0, 1], [0]]


def test_the_correlation_agrees_with_the_explicit_formula():
    assert anova(cells_of(one_pair(GROUPS), "cluster"))[0] == pytest.approx(explicit(GROUPS))


def test_leaving_a_cluster_out_in_closed_form_agrees_with_leaving_it_out():
    left_out = anova(cells_of(one_pair(GROUPS), "cluster"))[1]
    expected = [explicit(GROUPS[:c] + GROUPS[c + 1 :]) for c in range(len(GROUPS))]
    np.testing.assert_allclose(left_out, expected)


def test_leaving_a_cluster_out_agrees_over_several_pairs():
    battles = shown_battles(np.random.default_rng(3), 12, [4, 9], taste=1.0, n_agents=3)
    left_out = anova(cells_of(battles, "cluster"))[1]
    codes = battles.factors["cluster"].codes
    expected = [anova(cells_of(battles.take(codes != c), "cluster"))[0] for c in range(12)]
    np.testing.assert_allclose(left_out, expected)


def test_repeats_that_always_agree_correlate_fully():
    groups = [[1, 1]] * 12 + [[0, 0]] * 12
    assert anova(cells_of(one_pair(groups), "cluster"))[0] == pytest.approx(1.0)


def design_effect_by_definition(battles):
    """The sums of the definition, agent by agent and cluster by cluster."""
    codes = battles.factors["cluster"].codes
    top = bottom = 0.0
    rows = [
        (min(a, b), max(a, b), s if a < b else 1 - s)
        for a, b, s in zip(battles.a, battles.b, battles.outcome, strict=True)
    ]
    pairs = {(a, b) for a, b, _ in rows}
    of_pair = {p: np.array([i for i, (a, b, _) in enumerate(rows) if (a, b) == p]) for p in pairs}
    s = np.array([row[2] for row in rows])
    for x in range(len(battles.agents)):
        for c in range(codes.max() + 1):
            total = 0.0
            for p, index in of_pair.items():
                if x in p:
                    inside = index[codes[index] == c]
                    n, m = len(inside), len(index)
                    total += (1 if p[0] == x else -1) * (s[inside] - s[index].mean()).sum()
                    bottom += np.var(s[index], ddof=1) * (n - n**2 / m) if m > 1 else 0.0
            top += total**2
    return top / bottom


def test_the_design_effect_agrees_with_its_definition():
    battles = shown_battles(np.random.default_rng(5), 25, [2, 5], taste=1.0, n_agents=4)
    effect = design_effect(cells_of(battles, "cluster"), LIMITS.level, LIMITS.clusters)
    assert effect.estimate == pytest.approx(design_effect_by_definition(battles))


def test_pair_counts_split_by_cluster_say_the_same_as_the_battles():
    rng = np.random.default_rng(6)
    battles = shown_battles(rng, 30, [3, 6], n_agents=3)
    battles = Battles(
        battles.agents, battles.a, battles.b, rng.choice([0, 0.25, 0.5, 1], len(battles)), factors=battles.factors
    )
    name = "dependence by cluster"
    assert check(battles.pairs(["cluster"]))[name] == check(battles)[name]
    assert correlation(cells_of(battles.pairs(["cluster"]), "cluster"), LIMITS) is not None


def test_few_clusters_are_tested_without_an_interval():
    finding = check(one_pair([[1, 0, 1]] * 19))["dependence by cluster"]
    assert finding.status == "passed"
    assert finding.figures["design effect"] is None
    assert finding.figures["p_value"] > 0.1
    assert check(one_pair([[1] * 9, [0] * 9, [1] * 9]))["dependence by cluster"].status == "warning"


def test_weighted_pair_counts_cannot_tell():
    battles = Battles.of([("x", "y", 1)] * 4, weight=[1, 2, 1, 1], factors={"cluster": factor([0, 0, 1, 1])})
    assert check(battles.pairs(["cluster"]))["dependence"].status == "not run"


def test_tasks_that_suit_agents_are_flagged_and_independent_battles_are_not():
    rng = np.random.default_rng(7)
    finding = check(shown_battles(rng, 200, [20], taste=1.0))["dependence by cluster"]
    assert finding.status == "warning"
    assert "resample whole clusters" in finding.consequence
    assert check(shown_battles(rng, 200, [20]))["dependence by cluster"].status == "passed"


def within(hits, level=0.95):
    """Bounds that a count of covered truths leaves once in ten thousand."""
    n = len(hits)
    return binom.ppf(5e-5, n, level) <= sum(hits) <= binom.ppf(1 - 5e-5, n, level)


@pytest.mark.parametrize("rho", [0.0, 0.15, 0.5])
def test_the_correlation_is_nearly_unbiased_and_its_interval_covers(rho):
    rng = np.random.default_rng(8)
    cells = [cells_of(agreeing_repeats(rng, 60, 4, rho, n_pairs=3), "cluster") for _ in range(300)]
    correlations = [correlation(c, LIMITS) for c in cells]
    assert np.mean([i.estimate for i in correlations]) == pytest.approx(rho, abs=0.015)
    assert within([i.low <= rho <= i.high for i in correlations])


def test_the_design_effect_of_independent_battles_is_one_and_its_interval_covers():
    rng = np.random.default_rng(9)
    effects = [
        design_effect(cells_of(shown_battles(rng, 60, [3, 12]), "cluster"), LIMITS.level, LIMITS.clusters)
        for _ in range(300)
    ]
    assert np.mean([i.estimate for i in effects]) == pytest.approx(1, abs=0.03)
    assert within([i.low <= 1 <= i.high for i in effects])


def test_the_interval_of_the_design_effect_covers_under_dependence():
    rng = np.random.default_rng(10)
    truth = design_effect(
        cells_of(shown_battles(rng, 20_000, [12], taste=1.0), "cluster"), LIMITS.level, LIMITS.clusters
    ).estimate
    effects = [
        design_effect(cells_of(shown_battles(rng, 60, [12], taste=1.0), "cluster"), LIMITS.level, LIMITS.clusters)
        for _ in range(300)
    ]
    assert truth > 1.5
    assert within([i.low <= truth <= i.high for i in effects])
