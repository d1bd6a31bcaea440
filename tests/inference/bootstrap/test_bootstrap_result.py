"""Frequencies, intervals and names of a bootstrap."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Pairs
from beatpath._errors import UsageError
from beatpath.inference.bootstrap.bootstrap import bootstrap
from beatpath.inference.bootstrap.bootstrap_result import FREQUENCIES
from helpers.asked import win_rate
from helpers.hostile_resamples import HOSTILE, some_battles


def test_few_failures_widen_the_interval_by_as_many_places():
    found = bootstrap(Pairs(("ada", "bob"), [0], [1], [[23, 5, 0, 0]]), "bradley_terry", draws=1999)
    failed = found.draws - found.answered
    assert 0 < failed < 40
    ordered = np.sort(found.scores[:, 0])
    assert found.intervals().low[0] == pytest.approx(ordered[50 - failed - 1])
    assert found.intervals().high[0] == pytest.approx(ordered[len(ordered) - 50 + failed])


def test_basic_intervals_are_percentile_ones_turned_round_the_estimate():
    found = bootstrap(some_battles().pairs(by=["cluster"]), win_rate, draws=200)
    percentile, basic = found.intervals(), found.intervals("basic")
    np.testing.assert_allclose(basic.low, 2 * found.score - percentile.high)
    np.testing.assert_allclose(basic.high, 2 * found.score - percentile.low)
    with pytest.raises(UsageError, match="`kind` must be one of percentile, basic"):
        found.intervals("bca")


def test_frequencies_are_those_of_the_resamples():
    found = bootstrap(some_battles(), "copeland", draws=100)
    n = len(HOSTILE)
    np.testing.assert_allclose(found.rank_frequency.sum(axis=0), 1)
    np.testing.assert_allclose(found.rank_frequency.sum(axis=1), 1)
    for i in range(n):
        firsts = [row[i] == 0 for row in found.levels]
        assert found.first[i] == pytest.approx(np.mean(firsts))
        assert found.first_alone[i] == pytest.approx(
            np.mean([row[i] == 0 and (row == 0).sum() == 1 for row in found.levels])
        )
        for j in range(n):
            assert found.above[i, j] == pytest.approx(np.mean([row[i] < row[j] for row in found.levels]))
    middle = [[(row < x).sum() + ((row == x).sum() + 1) / 2 for x in row] for row in found.levels]
    np.testing.assert_allclose(found.mean_rank, np.mean(middle, axis=0))
    half = found.error(np.array([0.5]))
    assert half[0] == pytest.approx(0.05)


def test_memberships_are_those_of_the_sets():
    found = bootstrap(some_battles(), "core", draws=50)
    assert set(found.membership) == {"top_cycle", "uncovered_set"}
    np.testing.assert_array_equal(found.membership["top_cycle"], found.first)
    assert (found.membership["uncovered_set"] <= found.membership["top_cycle"]).all()
    assert found.to_dict()["ranking"] is None
    assert "In the top cycle" in str(found)


def test_names_are_shown_safely_and_kept_exactly():
    for method in ("schulze", "core"):
        found = bootstrap(some_battles(), method, draws=20)
        assert found.agents == HOSTILE
        assert "\x1b" not in str(found)
        assert "<b>" not in found._repr_html_()
        assert "\u202e" not in found._repr_html_()
        assert json.loads(json.dumps(found.to_dict()))["agents"] == list(HOSTILE)
        assert FREQUENCIES in found.sentences


def test_methods_without_scores_have_no_intervals():
    found = bootstrap(some_battles(), "split_cycle", draws=20)
    assert np.isnan(found.intervals().low).all()
    assert found.to_dict()["ranking"]["intervals"]["basic"]["high"] == [None] * 5


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
