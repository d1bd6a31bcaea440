"""Frequencies, intervals and names of a bootstrap."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Pairs
from beatpath._errors import UsageError
from beatpath.inference.bootstrap.bootstrap import bootstrap
from beatpath.inference.bootstrap.bootstrap_result import FREQUENCIES, quantile_and_error
from helpers.hostile_resamples import HOSTILE, some_battles
from helpers.user_method import win_rate


def test_few_failures_widen_the_interval_by_as_many_places():
    bootstrapped = bootstrap(Pairs(("ada", "bob"), [0], [1], [[23, 5, 0, 0]]), "bradley_terry", draws=1999)
    failed = bootstrapped.draws - bootstrapped.answered
    assert 0 < failed < 40
    ordered = np.sort(bootstrapped.scores[:, 0])
    assert bootstrapped.intervals().low[0] == pytest.approx(ordered[50 - failed - 1])
    assert bootstrapped.intervals().high[0] == pytest.approx(ordered[len(ordered) - 50 + failed])


def test_basic_intervals_are_percentile_ones_turned_round_the_estimate():
    bootstrapped = bootstrap(some_battles().pairs(by=["cluster"]), win_rate, draws=200)
    percentile, basic = bootstrapped.intervals(), bootstrapped.intervals("basic")
    np.testing.assert_allclose(basic.low, 2 * bootstrapped.score - percentile.high)
    np.testing.assert_allclose(basic.high, 2 * bootstrapped.score - percentile.low)
    with pytest.raises(UsageError, match="`kind` must be one of percentile, basic"):
        bootstrapped.intervals("bca")


def test_frequencies_are_those_of_the_resamples():
    bootstrapped = bootstrap(some_battles(), "copeland", draws=100)
    n = len(HOSTILE)
    np.testing.assert_allclose(bootstrapped.rank_frequency.sum(axis=0), 1)
    np.testing.assert_allclose(bootstrapped.rank_frequency.sum(axis=1), 1)
    for i in range(n):
        firsts = [row[i] == 0 for row in bootstrapped.levels]
        assert bootstrapped.first[i] == pytest.approx(np.mean(firsts))
        assert bootstrapped.first_alone[i] == pytest.approx(
            np.mean([row[i] == 0 and (row == 0).sum() == 1 for row in bootstrapped.levels])
        )
        for j in range(n):
            assert bootstrapped.above[i, j] == pytest.approx(np.mean([row[i] < row[j] for row in bootstrapped.levels]))
    middle = [[(row < x).sum() + ((row == x).sum() + 1) / 2 for x in row] for row in bootstrapped.levels]
    np.testing.assert_allclose(bootstrapped.mean_rank, np.mean(middle, axis=0))
    half = bootstrapped.error(np.array([0.5]))
    assert half[0] == pytest.approx(0.05)


def test_how_often_an_agent_is_alone_in_first_place_is_stated_where_it_shares_it():
    clear, even = (
        bootstrap(Pairs(("ada", "bob"), [0], [1], [[4, lost, 0, 0]]), "copeland", draws=40) for lost in (0, 4)
    )
    assert "'ada' is first in 100.0 % of them." in clear.sentences
    (sentence,) = (one for one in even.sentences if "is first" in one)
    for name, first, alone in zip(even.agents, even.first, even.first_alone, strict=True):
        assert first > alone > 0
        assert f"'{name}' is first in {100 * first:.1f} % of them (alone in {100 * alone:.1f} %)" in sentence


def test_memberships_are_those_of_the_sets():
    bootstrapped = bootstrap(some_battles(), "core", draws=50)
    assert set(bootstrapped.membership) == {"top_cycle", "uncovered_set"}
    np.testing.assert_array_equal(bootstrapped.membership["top_cycle"], bootstrapped.first)
    assert (bootstrapped.membership["uncovered_set"] <= bootstrapped.membership["top_cycle"]).all()
    assert bootstrapped.to_dict()["ranking"] is None
    assert "In the top cycle" in str(bootstrapped)


def test_names_are_shown_safely_and_stored_exactly():
    for method in ("schulze", "core"):
        bootstrapped = bootstrap(some_battles(), method, draws=20)
        assert bootstrapped.agents == HOSTILE
        assert "\x1b" not in str(bootstrapped)
        assert "<b>" not in bootstrapped._repr_html_()
        assert "\u202e" not in bootstrapped._repr_html_()
        assert json.loads(json.dumps(bootstrapped.to_dict()))["agents"] == list(HOSTILE)
        assert FREQUENCIES in bootstrapped.sentences


def test_methods_without_scores_have_no_intervals():
    bootstrapped = bootstrap(some_battles(), "split_cycle", draws=20)
    assert np.isnan(bootstrapped.intervals().low).all()
    assert bootstrapped.to_dict()["ranking"]["intervals"]["basic"]["high"] == [None] * 5


@settings(max_examples=25)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=6))
def test_ranks_of_tied_agents_are_shared(rows):
    from beatpath.inference.bootstrap.bootstrap_result import rank_frequencies

    levels = np.array([[sorted(set(row)).index(x) for x in row] for row in rows])
    expected = np.zeros((4, 4))
    for row in levels:
        for i, x in enumerate(row):
            span = range((row < x).sum(), (row <= x).sum())
            expected[i, list(span)] += 1 / len(span)
    np.testing.assert_allclose(rank_frequencies(levels), expected / len(levels))


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_error_of_a_quantile_is_that_of_its_place(p):
    """Of values that are their own places, the binomial deviation; it follows the spread of others there."""
    places = np.arange(1000.0)
    quantile, error = quantile_and_error(np.stack([places, 3 * places], axis=1), p, -np.inf, 0)
    assert quantile == pytest.approx([1001 * p - 1, 3 * (1001 * p - 1)])
    assert error == pytest.approx(np.sqrt(1000 * p * (1 - p)) * np.array([1.0, 3.0]))
