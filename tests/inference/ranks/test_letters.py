"""Letters against their definition, and against the fewest there can be."""

from itertools import combinations
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath.inference.ranks.grouping import letter, unresolved_cliques
from beatpath.inference.ranks.step_down import transitive_closure


def orders(n, rng, errors):
    """A certain order: scores, falling, that differ by more than the sum of two errors."""
    score = -np.sort(-rng.normal(size=n))
    return transitive_closure(score[:, None] - score[None, :] > errors[:, None] + errors[None, :])


@st.composite
def relations(draw, most=8):
    n, rng = draw(st.integers(1, most)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return transitive_closure(np.triu(rng.random((n, n)) < draw(st.sampled_from([0.0, 0.2, 0.5, 0.9])), 1))


def shared(cliques, n):
    """Whether two agents have a letter in common."""
    together = np.zeros((n, n), dtype=bool)
    for some in cliques:
        together[np.ix_(some, some)] = True
    return together


@given(relations())
@settings(max_examples=200)
def test_two_agents_share_a_letter_exactly_where_their_order_is_not_certain(above):
    n = len(above)
    assert (shared(unresolved_cliques(above, np.arange(n)), n) == ~(above | above.T)).all()


@given(relations())
@settings(max_examples=200)
def test_no_letter_may_be_left_out_and_none_may_be_given_once_more(above):
    n = len(above)
    cliques = unresolved_cliques(above, np.arange(n))
    free = ~(above | above.T)
    for k, some in enumerate(cliques):
        assert (shared([*cliques[:k], *cliques[k + 1 :]], n) != free).any()
        assert not [i for i in range(n) if i not in some and free[i, some].all()]


def fewest(free):
    """The size of the smallest cover of a graph's edges and vertices by cliques, by trying all sets of largest ones."""
    n = len(free)
    sets = [c for k in range(1, n + 1) for c in combinations(range(n), k) if free[np.ix_(c, c)].all()]
    largest = [c for c in sets if not any(set(c) < set(other) for other in sets)]
    for k in range(1, len(largest) + 1):
        if any((shared([np.array(c) for c in some], n) == free).all() for some in combinations(largest, k)):
            return k
    raise AssertionError


@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
@settings(max_examples=60, deadline=None)
def test_with_errors_of_one_size_there_are_no_fewer_letters(seed, n):
    rng = np.random.default_rng(seed)
    above = orders(n, rng, np.full(n, rng.uniform(0.05, 0.6)))
    assert len(unresolved_cliques(above, np.arange(n))) == fewest(~(above | above.T))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_letters_do_not_depend_on_the_order_of_the_input(seed):
    rng = np.random.default_rng(seed)
    above = orders(12, rng, rng.uniform(0, 0.6, 12))
    turned = rng.permutation(12)
    cliques = unresolved_cliques(above[np.ix_(turned, turned)], np.argsort(turned))
    assert [turned[some].tolist() for some in cliques] == [
        some.tolist() for some in unresolved_cliques(above, np.arange(12))
    ]


def test_the_letters_of_four_agents_by_hand():
    """Of four, the last is below the first two and not below the third: a, a, ab, b."""
    above = np.zeros((4, 4), dtype=bool)
    above[[0, 1], 3] = True
    assert [some.tolist() for some in unresolved_cliques(above, np.arange(4))] == [[0, 1, 2], [2, 3]]


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_six_hundred_agents_get_their_letters_within_seconds(spread):
    rng = np.random.default_rng(1)
    above = orders(600, rng, 0.2 * np.exp(rng.normal(0, spread, 600)))
    start = perf_counter()
    cliques = unresolved_cliques(above, np.arange(600))
    assert perf_counter() - start < 10
    assert (shared(cliques, 600) == ~(above | above.T)).all()


def test_letters_are_distinct_and_unambiguous_when_joined():
    import re

    names = [letter(k) for k in range(300)]
    assert len(set(names)) == 300
    assert re.findall(r"[a-zA-Z]\d*", "".join(names)) == names
