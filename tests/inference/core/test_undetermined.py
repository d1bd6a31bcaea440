from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Margins
from beatpath.inference.core.core_result import _open, undetermined_top_cycle, undetermined_uncovered_set
from beatpath.methods.tournament.solutions import top_cycle, uncovered_set
from helpers.game_cases import named, skew

SOLUTIONS = ((top_cycle, undetermined_top_cycle), (uncovered_set, undetermined_uncovered_set))
both = pytest.mark.parametrize(("solution", "undetermined"), SOLUTIONS, ids=["top_cycle", "uncovered_set"])
some = settings(max_examples=60, deadline=None)


@st.composite
def partly_played(draw, max_agents=5, most=4):
    """Margins of -1, 0 or 1 with a few pairs never compared."""
    n = draw(st.integers(1, max_agents))
    row = st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n)
    M = skew(draw(st.lists(row, min_size=n, max_size=n)))
    pairs = list(combinations(range(n), 2))
    open_ = draw(st.lists(st.sampled_from(pairs), max_size=most, unique=True)) if pairs else []
    return with_open(M, open_), open_


def with_open(M, pairs):
    M, played = M.copy(), ~np.eye(len(M), dtype=bool)
    for a, b in pairs:
        M[a, b] = M[b, a] = 0
        played[a, b] = played[b, a] = False
    return Margins(M, named(M).agents, played)


def endings(m, pairs, values=(-1, 0, 1)):
    """All ways in which these pairs may end."""
    for ends in product(values, repeat=len(pairs)):
        M, played = m.matrix.copy(), m.played.copy()
        for (a, b), end in zip(pairs, ends, strict=True):
            M[a, b], M[b, a] = end, -end
            played[a, b] = played[b, a] = True
        yield Margins(M, m.agents, played)


def rows(m, names):
    return {m.agents.index(name) for name in names}


@both
@pytest.mark.parametrize("values", [(-1, 0, 1), (-1, 1)], ids=["ties allowed", "no more ties"])
@some
@given(case=partly_played())
def test_sure_and_open_members_are_those_of_all_ways_in_which_the_pairs_may_end(solution, undetermined, values, case):
    m, pairs = case
    sets = [set(np.flatnonzero(solution(end)).tolist()) for end in endings(m, pairs, values)]
    membership = undetermined(m)
    assert rows(m, membership.sure) == set.intersection(*sets)
    assert rows(m, membership.agents) == set.union(*sets) - set.intersection(*sets)


@both
@some
@given(case=partly_played())
def test_the_pairs_named_settle_the_answer_and_no_others_can_change_it(solution, undetermined, case):
    m, pairs = case
    membership = undetermined(m)
    named_pairs = [tuple(sorted(rows(m, pair))) for pair in membership.pairs]
    assert set(named_pairs) <= set(pairs)
    assert bool(membership.pairs) == bool(membership.agents)
    for end in endings(m, named_pairs):
        after = undetermined(end)
        assert not after.agents
        assert not after.pairs


@both
@some
@given(case=partly_played())
def test_the_set_with_open_pairs_tied_lies_between_the_sure_and_the_possible(solution, undetermined, case):
    m, _ = case
    chosen, membership = set(np.flatnonzero(solution(m)).tolist()), undetermined(m)
    assert rows(m, membership.sure) <= chosen <= rows(m, membership.sure + membership.agents)


@both
def test_when_every_pair_is_compared_nothing_is_open(solution, undetermined):
    m = named(skew([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    membership = undetermined(m)
    assert rows(m, membership.sure) == set(np.flatnonzero(solution(m)).tolist())
    assert membership.agents == membership.pairs == ()
    assert membership.sentence == f"No pair that was not compared can change the {membership.solution}."


@both
def test_two_unconnected_groups_are_undetermined_with_the_pairs_to_play(solution, undetermined):
    cycle = skew([[0, 1, -1], [0, 0, 1], [0, 0, 0]])
    M = np.kron(np.eye(2), cycle)
    m = with_open(M, [(a, b) for a in range(3) for b in range(3, 6)])
    membership = undetermined(m)
    assert membership.sure == ()
    assert membership.agents == m.agents
    assert len(membership.pairs) == 9
    assert "9 pairs that were not compared. Play 'agent000' and 'agent003'" in membership.sentence
    assert "and 6 more." in membership.sentence
    assert membership.to_dict()["pairs"][0] == ["agent000", "agent003"]


def test_a_pair_of_outsiders_is_not_worth_playing():
    m = with_open(skew(np.triu(np.ones((4, 4)), 1)), [(2, 3)])
    assert undetermined_top_cycle(m).sure == ("agent000",)
    assert undetermined_top_cycle(m).pairs == undetermined_uncovered_set(m).pairs == ()


def test_hostile_names_are_shown_safely():
    m = Margins(np.zeros((2, 2)), ("a\x1b[31m", "b\n"), np.zeros((2, 2), dtype=bool))
    sentence = undetermined_top_cycle(m).sentence
    assert sentence.isprintable()
    assert undetermined_top_cycle(m).to_dict()["pairs"] == [["a\x1b[31m", "b\n"]]


def test_a_pair_that_only_tied_has_met():
    """As has one whose margin was filled in; only a pair without battles and without a margin is open."""
    matrix = np.zeros((4, 4))
    matrix[0, 1], matrix[1, 0] = 0.2, -0.2
    played = np.zeros((4, 4), dtype=bool)
    played[0, 2] = played[2, 0] = True
    open_pairs = _open(Margins(matrix, tuple("abcd"), played))
    assert {(i, j) for i, j in np.argwhere(open_pairs).tolist() if i < j} == {(0, 3), (1, 2), (1, 3), (2, 3)}
