"""One rule for when two agents tie: whole counts exactly, real weights up to the rounding of what was added up."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Margins, Pairs
from beatpath.evidence.margins import WinRates
from beatpath.evidence.ties import ROUNDING, anchored_levels, are_whole, levels_of, net, pair_slack, slack, snapped

few = settings(max_examples=100, deadline=None)
LARGE = 2**52


@few
@given(st.integers(0, LARGE), st.integers(0, LARGE))
def test_whole_counts_are_compared_exactly_at_any_size(won, lost):
    assert net(np.array([won], dtype=float), np.array([lost], dtype=float)) == won - lost


@few
@given(st.lists(st.integers(1, 999), min_size=1, max_size=200), st.randoms())
def test_the_order_of_adding_real_weights_makes_no_win(thousandths, random):
    turned = thousandths[:]
    random.shuffle(turned)
    won, lost = sum(w / 1000 for w in thousandths), sum(w / 1000 for w in turned)
    assert net(np.array([won]), np.array([lost])) == 0


@few
@given(st.lists(st.integers(1, 999), min_size=1, max_size=50), st.lists(st.integers(1, 999), min_size=1, max_size=50))
def test_sums_of_decimal_weights_compare_as_fractions_do(won, lost):
    exact = sum(Fraction(w, 1000) for w in won) - sum(Fraction(w, 1000) for w in lost)
    margin = net(np.array([sum(w / 1000 for w in won)]), np.array([sum(w / 1000 for w in lost)]))
    assert np.sign(margin[0]) == (exact > 0) - (exact < 0)


@pytest.mark.parametrize("scale", [1e-300, 1e-10, 3.0, 1e10, 1e290])
def test_scale_decides_nothing(scale):
    won, lost = np.array([0.1 + 0.2, 0.31, 0.1]), np.array([0.3, 0.3, 0.7])
    assert np.sign(net(scale * won, scale * lost)).tolist() == [0, 1, -1]
    assert levels_of(scale * np.array([0.3, 0.1 + 0.2, 0.29])).tolist() == [0, 0, 1]
    assert len(np.unique(snapped(scale * np.array([0.3, 0.1 + 0.2, 0.29])))) == 2


def test_a_pair_is_whole_or_not_by_itself():
    allowed = pair_slack(np.array([3.0, 0.1]), np.array([2.5, 0.2]))
    assert allowed[0] == 0
    assert allowed[1] == pytest.approx(0.3 * ROUNDING)


def test_numbers_past_two_to_the_53_are_not_taken_for_whole():
    assert are_whole(np.array([2.0**53, 2.0**54])).tolist() == [True, False]
    assert slack(np.array([2.0**54])) > 0


def test_snapping_leaves_what_is_not_zero_away_from_zero():
    tiny = np.array([0.0, 1e-14, 0.3])
    assert snapped(tiny).tolist() == tiny.tolist()


def test_levels_are_anchored_at_their_best():
    assert anchored_levels(np.array([1.0, 0.95, 0.85, 0.84]), 0.1).tolist() == [0, 0, 1, 1]


def test_margins_have_ties_at_zero_however_they_are_made():
    tie = 0.1 + 0.2 - 0.3
    assert Margins([[0, tie, 1], [-tie, 0, 1], [-1, -1, 0]], ("a", "b", "c")).matrix[0, 1] == 0
    assert Margins.from_wins([[0, 0.1 + 0.2], [0.3, 0]], ["a", "b"]).matrix[0, 1] == 0
    assert Pairs(("a", "b"), [0], [1], [[0.1 + 0.2, 0.3, 0, 0]]).margins().matrix[0, 1] == 0
    half = 0.5 + 2**-40
    assert WinRates([[0.5, half], [1 - half, 0.5]], ("a", "b")).margins().matrix[0, 1] == 0


def test_a_small_win_of_a_light_pair_stays_a_win():
    pairs = Pairs(("a", "b", "c"), [0, 1], [1, 2], [[0.1 + 1e6, 0, 0, 0], [2e-9, 1e-9, 0, 0]])
    assert pairs.margins().beats("b") == ("c",)
