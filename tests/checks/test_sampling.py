"""Amounts, outcomes, balance, weights and the strength of opponents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.checks import check
from beatpath.checks.opponents import opposition
from beatpath.checks.sampling import gini
from beatpath.evidence import Battles, Pairs, Reading
from beatpath.stats.intervals import effective_number, wilson


def test_outcome_shares_by_hand():
    battles = Battles.of(
        [("x", "y", 1), ("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5), ("x", "y", 0.5), ("x", "y", 0.9)],
        both_bad=[False, False, False, False, True, False],
    )
    shares = check(battles)["outcomes"].figures["shares"]
    sixth = pytest.approx(1 / 6)
    assert shares == {"win a": pytest.approx(2 / 6), "win b": sixth, "tie": sixth, "both bad": sixth, "soft": sixth}


def test_nothing_but_ties_fails():
    finding = check(Battles.of([("x", "y", 0.5)] * 3))["outcomes"]
    assert (finding.status, finding.sentence) == ("failed", "Of 3 battles: tie 100.0 %.")


def test_one_battle_in_five_tied_is_a_warning_and_one_in_six_is_not():
    assert check(Battles.of([("x", "y", 1)] * 4 + [("x", "y", 0.5)]))["ties"].status == "warning"
    assert check(Battles.of([("x", "y", 1)] * 5 + [("x", "y", 0.5)]))["ties"].status == "passed"


def test_self_battles_and_dropped_rows_come_from_the_reading():
    reading = Reading(("games.csv",), "table", 10, 7, dropped={"agent met itself": 2, "no outcome": 1})
    found = check(Battles.of([("x", "y", 1)], reading=reading))
    assert found["self-battles"].figures == {"count": 2, "rows": 10}
    assert found["dropped rows"].figures["count"] == 3
    assert found["dropped rows"].status == "warning"


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


rows = st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde"), st.sampled_from([0, 0.3, 0.5, 1]))


@given(st.lists(rows.filter(lambda row: row[0] != row[1]), min_size=1, max_size=25))
def test_opposition_agrees_with_its_definition(drawn):
    battles = Battles.of(drawn)
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
    assert finding.figures["weakest"]["agent"] == "sly"
    assert "not comparable" in finding.consequence


def test_thin_agents_are_named_the_thinnest_first():
    finding = check(Battles.of([("x", "y", 1)] * 29 + [("y", "z", 1)]))["thin agents"]
    assert list(finding.figures["agents"]) == ["z", "x"]


def test_wilson_agrees_with_a_published_value():
    # Newcombe (1998), Table I, method 3: 81 of 263 gives 0.2553 to 0.3662, 15 of 148 gives 0.0624 to 0.1605
    for won, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        interval = wilson(won / n, n)
        assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
