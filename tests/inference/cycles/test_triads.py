"""Three-cycles of a graph, counted and put in order by brute force."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.inference.cycles.cycles import cycle_count, edge_cycles, strongest_cycles, triangle_count
from helpers.tournaments import by_brute_force


@st.composite
def tournaments(draw):
    """Edges between some pairs, with few different strengths so that many are equal."""
    n = draw(st.integers(3, 7))
    pairs = list(combinations(range(n), 2))
    way = draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=len(pairs), max_size=len(pairs)))
    strength = draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs)))
    edges = [((i, j) if w > 0 else (j, i), s) for (i, j), w, s in zip(pairs, way, strength, strict=True) if w]
    ends = np.array([e for e, _ in edges], dtype=np.int64).reshape(-1, 2)
    return n, ends[:, 0], ends[:, 1], np.array([s for _, s in edges], dtype=float)


@pytest.mark.parametrize("dense", [0, 10**9])
@given(tournament=tournaments())
def test_counts_are_those_of_brute_force_by_either_product(dense, tournament):
    n, winner, loser, strength = tournament
    triads = [one for one, _ in by_brute_force(n, winner, loser, strength)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("beatpath.inference.cycles.cycles.DENSE", dense)
        assert cycle_count(n, winner, loser) == len(triads)
        steps = [(one[k], one[(k + 1) % 3]) for one in triads for k in range(3)]
        edges = zip(winner.tolist(), loser.tolist(), strict=True)
        assert edge_cycles(n, winner, loser).tolist() == [steps.count(edge) for edge in edges]
        played = {frozenset(pair) for pair in zip(winner.tolist(), loser.tolist(), strict=True)}
        complete = sum(all(frozenset(p) in played for p in combinations(t, 2)) for t in combinations(range(n), 3))
        assert triangle_count(n, winner, loser) == complete


@given(tournament=tournaments(), most=st.integers(1, 6))
def test_the_strongest_cycles_are_those_of_brute_force(tournament, most):
    expected = [one for one, _ in by_brute_force(*tournament)][:most]
    assert strongest_cycles(*tournament, most) == expected
