"""Balance, weights and the strength of opponents."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.checks import check
from beatpath.checks.sampling import gini, opposition
from beatpath.evidence import Battles, Pairs
from beatpath.stats.intervals import effective_number


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20).filter(any))
def test_gini_agrees_with_the_mean_difference(sizes):
    x = np.array(sizes)
    assert gini(x) == pytest.approx(np.abs(x[:, None] - x).sum() / (2 * len(x) * x.sum()))


def test_kish_by_hand():
    weights = check(Battles.of([("x", "y", 1)] * 4, weight=[1, 1, 1, 5]))["weights"]
    assert weights.figures["effective"] == pytest.approx(64 / 28)
    assert effective_number(np.array([1, 1, 1, 5])) == pytest.approx(64 / 28)
    assert check(Battles.of([("x", "y", 1)] * 4, weight=[1, 1, 1, 5]).pairs())["weights"].figures == weights.figures


def test_weights_of_nothing_fail():
    assert check(Battles.of([("x", "y", 1)], weight=[0]))["weights"].status == "failed"


def test_balance_by_hand():
    figures = check(Battles.of([("x", "y", 1)] * 3 + [("y", "z", 1)]))["balance"].figures
    assert (figures["per agent"]["min"], figures["per agent"]["median"], figures["per agent"]["max"]) == (1, 3, 4)
    assert figures["per agent"]["effective"] == pytest.approx(64 / 26)
    assert figures["per pair"]["effective"] == pytest.approx(16 / 10)


def by_definition(battles, agent):
    """Mean over the agent's battles of the opponent's win rate in battles without the agent."""
    rows = list(zip(battles.a, battles.b, battles.outcome, strict=True))
    rates = []
    for a, b, _ in rows:
        if agent in (a, b):
            other = b if agent == a else a
            rest = [s if x == other else 1 - s for x, y, s in rows if other in (x, y) and agent not in (x, y)]
            rates += [np.mean(rest)] if rest else []
    return np.mean(rates) if rates else np.nan


row = st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde"), st.sampled_from([0, 0.3, 0.5, 1]))


@given(st.lists(row.filter(lambda one: one[0] != one[1]), min_size=1, max_size=25), st.booleans())
def test_opposition_agrees_with_its_definition(rows, ties_are_both_bad):
    battles = Battles.of(rows, both_bad=[ties_are_both_bad and outcome == 0.5 for *_, outcome in rows])
    expected = [by_definition(battles, agent) for agent in range(len(battles.agents))]
    np.testing.assert_allclose(opposition(battles.pairs()), expected)


def test_in_a_balanced_round_robin_opposition_is_one_half_for_all():
    rng = np.random.default_rng(0)
    a, b = np.triu_indices(6, 1)
    wins = rng.integers(0, 11, len(a))
    pairs = Pairs(tuple("abcdef"), a, b, np.stack([wins, 10 - wins, 0 * wins, 0 * wins], axis=1))
    np.testing.assert_allclose(opposition(pairs), 0.5)
    assert check(pairs)["opponents"].status == "passed"


def test_an_agent_that_meets_only_the_weak_is_named():
    battles = Battles.of(
        [("ace", "weak", 1), ("sly", "weak", 1), ("sly", "weak", 0), ("bee", "ace", 0), ("bee", "weak", 1)] * 10
    )
    finding = check(battles)["opponents"]
    assert finding.status == "warning"
    assert finding.figures["weakest"]["agents"] == ["sly"]
    assert "not comparable" in finding.consequence


def test_agents_with_opponents_as_weak_or_as_strong_are_all_named():
    # In each of two like groups, 3 meets only 0, who wins against all others, and 4 only 2, who loses against them.
    rows = [(f"{x}{i}", f"{x}{j}", 1) for x in "pq" for i, j in ((0, 1), (1, 2), (0, 2), (0, 3), (2, 4))]
    finding = check(Battles.of(rows * 5))["opponents"]
    assert finding.figures["weakest"] == {"agents": ["p4", "q4"], "strength": 0}
    assert finding.figures["strongest"] == {"agents": ["p3", "q3"], "strength": 1}
    assert finding.sentence == "Opponents of 'p3', 'q3' win 100.0 % of their other battles, those of 'p4', 'q4' 0.0 %."


def test_agents_with_few_battles_are_named_the_fewest_first():
    finding = check(Battles.of([("x", "y", 1)] * 29 + [("y", "z", 1)]))["few battles"]
    assert list(finding.figures["agents"]) == ["z", "x"]


def test_a_column_of_weights_that_are_all_one_changes_nothing():
    rows = [("x", "y", 1), ("y", "z", 1), ("x", "z", 0.5)]
    plain = Battles.of(rows)
    weighted = replace(plain, weight=np.ones(3))
    assert check(weighted).to_dict() == check(plain).to_dict()
