"""Two implementations of the same counts."""

import numpy as np
import pytest

from beatpath import Pairs
from beatpath.evidence.pair_index import PairIndex


@pytest.mark.parametrize("n_rows", [8, 300, 140_000])
@pytest.mark.parametrize("n_soft", [0, 1])
def test_counting_whole_outcomes_equals_adding_weights_of_one(n_rows, n_soft):
    rng = np.random.default_rng(n_rows)
    a = rng.integers(6, size=n_rows)
    b = (a + rng.integers(1, 6, size=n_rows)) % 6
    outcome = rng.choice([0.0, 0.5, 1.0], size=n_rows)
    both_bad = (outcome == 0.5) & (rng.random(n_rows) < 0.3)
    outcome[:n_soft] = 0.25
    both_bad[:n_soft] = False
    names = tuple("abcdefg")  # the last never meets anybody
    counted = Pairs.from_outcomes(names, a, b, outcome, both_bad=both_bad)
    added = Pairs.from_outcomes(names, a, b, outcome, both_bad=both_bad, weight=np.ones(n_rows))
    for field in ("a", "b", "counts", "battles"):
        np.testing.assert_array_equal(getattr(counted, field), getattr(added, field))


@pytest.mark.parametrize("squares", [False, True])
def test_cells_seen_from_the_other_side_exchange_wins_and_losses_and_keep_their_ties(squares):
    rng = np.random.default_rng(4)
    a = rng.integers(4, size=60)
    b = (a + rng.integers(1, 4, size=60)) % 4
    counts = rng.integers(0, 9, size=(60, 4)).astype(float)
    extra = {"squares": counts**2} if squares else {}
    pairs = Pairs.from_cells(tuple("abcd"), a, b, counts, **extra)
    expected, square = np.zeros((2, len(pairs), 4))
    for i, j, row in zip(a.tolist(), b.tolist(), counts, strict=True):
        k = next(k for k in range(len(pairs)) if {pairs.a[k], pairs.b[k]} == {i, j})
        won, lost, tied, bad = row
        seen = np.array([won, lost, tied, bad] if i < j else [lost, won, tied, bad])
        expected[k] += seen
        square[k] += seen**2
    np.testing.assert_array_equal(pairs.counts, expected)
    if squares:
        np.testing.assert_array_equal(pairs.squares, square)


@pytest.mark.parametrize(
    ("ties", "both_bad", "wins", "losses"),
    [
        ("half", "tie", 7.0, 5.0),  # 5 wins, 3 losses, 2 ties, 2 both bad
        ("half", "drop", 6.0, 4.0),
        ("half", "keep", 6.0, 4.0),  # rules that know wins and losses alone leave them out
        ("drop", "tie", 5.0, 3.0),
        ("drop", "keep", 5.0, 3.0),
    ],
)
def test_what_remains_of_ties_and_of_battles_that_both_lost(ties, both_bad, wins, losses):
    settled = Pairs(("ada", "bob"), [0], [1], [[5, 3, 2, 2]]).two_way(ties=ties, both_bad=both_bad)
    assert settled.counts.tolist() == [[wins, losses, 0.0, 0.0]]


@pytest.mark.parametrize("square", [None, np.array([0.25, 5.0, 9.0])])
def test_soft_outcomes_keep_the_variance_that_their_squared_weights_give(square):
    weight = np.array([0.5, 2.0, 3.0])
    pairs = Pairs.from_outcomes(
        ("x", "y"), [0, 1, 0], [1, 0, 1], np.array([0.9, 0.7, 1.0]), weight=weight, square=square
    )
    second = weight if square is None else square
    assert pairs.soft.tolist() == pytest.approx([0.9 * 0.1 * second[0] + 0.7 * 0.3 * second[1]])


@pytest.mark.parametrize("most", [0, 1 << 26])
def test_an_index_of_pairs_is_the_same_by_search_and_by_table(most, monkeypatch):
    monkeypatch.setattr("beatpath.evidence.pair_index.MOST_TABULATED", most)
    pairs = Pairs(("x", "y", "z"), [0, 1], [2, 2], [[1, 0, 0, 0]] * 2)
    assert PairIndex.of(pairs).at(np.array([2, 1, 5, 8])).tolist() == [0, -1, 1, -1]
