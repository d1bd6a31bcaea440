"""Insertion moves by table and by lists, and symmetry."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from beatpath.methods.rating.sco import solver
from beatpath.methods.rating.sco.losses import Cells, classes_of, disagreement, indistinct
from beatpath.methods.rating.sco.solver import better_order, one_order, polished

few = settings(max_examples=40, deadline=None)


def random_cells(n, seed, fill=0.7):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 6, (n, n)) * (rng.random((n, n)) < fill)
    np.fill_diagonal(wins, 0)
    return Cells.from_wins(wins)


def no_move_gains(order, cells):
    cost = disagreement(-np.argsort(order), cells)
    for i in range(len(order)):
        for j in range(len(order)):
            other = np.insert(np.delete(order, i), j, order[i])
            if disagreement(-np.argsort(other), cells) < cost - 1e-9:
                return False
    return True


@few
@given(n=st.integers(2, 7), seed=st.integers(0, 9999), sparse=st.booleans())
@example(n=7, seed=714, sparse=True)  # two agents once came to one place
def test_no_move_of_one_agent_betters_a_better_order(n, seed, sparse):
    cells = random_cells(n, seed)
    start = np.random.default_rng(seed).permutation(n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "DENSE", 0 if sparse else 3_000)
        order = better_order(n, cells.a, cells.b, cells.margin, start)
    assert sorted(order) == list(range(n))
    assert disagreement(-np.argsort(order), cells) <= disagreement(-np.argsort(start), cells)
    assert no_move_gains(order, cells)


@few
@given(n=st.integers(2, 7), seed=st.integers(0, 9999))
def test_polishing_keeps_ties_together_and_counts_them_half(n, seed):
    cells = random_cells(n, seed)
    level = np.unique(np.random.default_rng(seed).integers(0, 4, n), return_inverse=True)[1]
    better = polished(level, cells)
    assert disagreement(-better, cells) <= disagreement(-level, cells)
    for x in range(n):
        np.testing.assert_array_equal(better == better[x], level == level[x])


@few
@given(n=st.integers(2, 7), seed=st.integers(0, 9999))
def test_one_order_keeps_to_the_levels(n, seed):
    cells = random_cells(n, seed)
    level = np.unique(np.random.default_rng(seed).integers(0, 3, n), return_inverse=True)[1]
    order = one_order(level, cells)
    assert sorted(order) == list(range(n))
    assert (np.diff(level[order]) >= 0).all()


@few
@given(n=st.integers(2, 7), seed=st.integers(0, 9999), data=st.data())
def test_classes_follow_agents_when_they_are_renumbered(n, seed, data):
    cells = random_cells(n, seed, fill=0.5)
    to = np.array(data.draw(st.permutations(range(n))))
    one = indistinct(n, cells.a, cells.b, cells.margin)
    other = indistinct(n, to[cells.b], to[cells.a], -cells.margin)
    np.testing.assert_array_equal(one, other[to])


def test_classes_count_the_comparisons_of_their_members():
    """a and b both win once, but over c and d, of whom only d wins elsewhere."""
    a, b, margin = np.array([0, 1, 3]), np.array([2, 3, 4]), np.ones(3)
    label = indistinct(5, a, b, margin)
    assert len(set(label)) == 5


def test_margins_between_classes_add_up():
    wins = np.zeros((4, 4))
    wins[:2, 2:] = 2
    classes = classes_of(Cells.from_wins(wins))
    assert classes.count == 2
    np.testing.assert_array_equal(classes.margin, [4.0])
