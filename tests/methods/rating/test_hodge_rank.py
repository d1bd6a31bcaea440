"""HodgeRank: potentials and shares against dense projections, shapes of flow with known answers, limits that are reported."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Battles, Margins, Pairs
from beatpath.methods.rating import hodge_rank as home
from beatpath.methods.rating.hodge_rank import potential


def cycle(*names):
    """Each beats the next, the last the first."""
    return Battles.of([(x, y, 1) for x, y in zip(names, (*names[1:], names[0]), strict=True)])


def shares(evidence, **conventions):
    return bp.rank(evidence, "hodge_rank", **conventions).details["shares"]


def by_projection(n, edges, flow, weight):
    """The three parts of a flow as dense weighted projections on gradients and on flows round triangles."""
    root = np.sqrt(weight)
    where = {edge: e for e, edge in enumerate(edges)}
    gradient = np.zeros((len(edges), n))
    for e, (a, b) in enumerate(edges):
        gradient[e, a], gradient[e, b] = 1, -1
    around = [
        (where[i, j], where[j, k], where[i, k])
        for i, j, k in combinations(range(n), 3)
        if {(i, j), (j, k), (i, k)} <= set(edges)
    ]
    curl = np.zeros((len(edges), max(len(around), 1)))
    for t, (ij, jk, ik) in enumerate(around):
        curl[[ij, jk, ik], t] = [1, 1, -1]
    y = root * flow
    parts = []
    for basis in (root[:, None] * gradient, curl / root[:, None]):
        part = basis @ np.linalg.lstsq(basis, y, rcond=None)[0]
        parts.append(part @ part / (y @ y))
    s = np.linalg.lstsq(root[:, None] * gradient, y, rcond=None)[0]
    return s - s.mean(), *parts


@st.composite
def graphs(draw, most=7):
    """Connected graphs with wins and losses on their edges."""
    n = draw(st.integers(2, most))
    edges = [edge for edge in combinations(range(n), 2) if draw(st.booleans())]
    seen = {0}
    for _ in range(n):
        seen |= {v for edge in edges if seen & set(edge) for v in edge}
    assume(seen == set(range(n)))
    counts = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=len(edges), max_size=len(edges)))
    return n, edges, np.array([(w, l if w + l else 1) for w, l in counts], dtype=float)


def pairs_of(n, edges, counts):
    a, b = np.array(edges).T
    cells = np.concatenate([counts, np.zeros_like(counts)], axis=1)
    return Pairs(tuple(f"agent{i}" for i in range(n)), a, b, cells)


@settings(max_examples=150)
@given(graphs())
def test_potential_and_shares_are_weighted_projections(graph):
    n, edges, counts = graph
    weight = counts.sum(axis=1)
    flow = (counts[:, 0] - counts[:, 1]) / weight
    assume((flow != 0).any())
    wanted, gradient, curl = by_projection(n, edges, flow, weight)
    ranking = bp.rank(pairs_of(*graph), "hodge_rank")
    np.testing.assert_allclose(list(ranking.scores.values()), wanted, atol=1e-8)
    share = ranking.details["shares"]
    assert share["gradient"] == pytest.approx(gradient, abs=1e-8)
    assert share["curl"] == pytest.approx(curl, abs=1e-8)
    assert sum(share.values()) == pytest.approx(1)
    assert min(share.values()) >= 0


@given(graphs())
def test_turning_all_results_turns_the_potential_and_keeps_the_shares(graph):
    n, edges, counts = graph
    one, other = (bp.rank(pairs_of(n, edges, c), "hodge_rank") for c in (counts, counts[:, ::-1]))
    assert one.levels == other.levels[::-1]
    for name, score in one.scores.items():
        assert other.scores[name] == pytest.approx(-score, abs=1e-9)
    assert one.details["shares"] == pytest.approx(other.details["shares"], abs=1e-9)


@given(graphs(), st.data())
def test_renaming_and_reordering_change_nothing(graph, data):
    n, edges, counts = graph
    to = data.draw(st.permutations(range(n)))
    order = data.draw(st.permutations(range(len(edges))))
    names = tuple(f"agent{i}" for i in range(n))
    a, b = np.array(to)[np.array(edges)[order]].T
    cells = np.concatenate([counts, np.zeros_like(counts)], axis=1)[order]
    one, other = bp.rank(pairs_of(*graph), "hodge_rank"), bp.rank(Pairs.from_cells(names, a, b, cells), "hodge_rank")
    for i in range(n):
        assert other.scores[names[to[i]]] == pytest.approx(one.scores[names[i]], abs=1e-9)
    assert one.details["shares"] == pytest.approx(other.details["shares"], abs=1e-8)


def test_cells_in_any_order_give_the_same_answer():
    straight = Pairs(
        ("x", "y", "z", "w"), [0, 0, 1, 2], [1, 2, 2, 3], [[3, 1, 0, 0], [1, 2, 0, 0], [4, 0, 0, 0], [2, 1, 0, 0]]
    )
    mixed = Pairs(("x", "y", "z", "w"), [2, 1, 0, 0], [3, 2, 2, 1], straight.counts[::-1])
    one, other = bp.rank(straight, "hodge_rank"), bp.rank(mixed, "hodge_rank")
    assert one.scores == pytest.approx(other.scores)
    assert one.details["shares"] == pytest.approx(other.details["shares"])


def test_a_chain_is_all_gradient_and_its_potential_adds_up():
    chain = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [1, 0, 0, 0]])
    ranking = bp.rank(chain, "hodge_rank")
    assert ranking.scores["ada"] - ranking.scores["bob"] == pytest.approx(0.5)
    assert ranking.scores["bob"] - ranking.scores["cyd"] == pytest.approx(1.0)
    assert ranking.details["shares"] == pytest.approx({"gradient": 1.0, "curl": 0.0, "harmonic": 0.0}, abs=1e-12)


def test_three_in_a_cycle_are_all_curl_and_tied():
    ranking = bp.rank(cycle("rock", "scissors", "paper"), "hodge_rank")
    assert ranking.levels == (("paper", "rock", "scissors"),)
    assert ranking.details["shares"] == pytest.approx({"gradient": 0.0, "curl": 1.0, "harmonic": 0.0}, abs=1e-12)


def test_four_in_a_cycle_are_all_harmonic_until_a_diagonal_closes_it():
    square = cycle("a", "b", "c", "d")
    assert shares(square) == pytest.approx({"gradient": 0.0, "curl": 0.0, "harmonic": 1.0}, abs=1e-12)
    tied = Battles.of([("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1), ("a", "c", 0.5)])
    assert shares(tied) == pytest.approx({"gradient": 0.0, "curl": 1.0, "harmonic": 0.0}, abs=1e-12)


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_with_equal_counts_of_all_pairs_the_potential_is_bordas_mean_margin(n, seed):
    """Jiang et al., section on Borda: on the complete graph with equal weights, row means of the flow."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-4, 5, (n, n)), 1) / 4
    ranking = bp.rank(Margins(upper - upper.T, tuple(f"agent{i}" for i in range(n))), "hodge_rank")
    np.testing.assert_allclose(list(ranking.scores.values()), (upper - upper.T).sum(axis=1) / n, atol=1e-12)
    assert ranking.details["flow"] == "margins as given"


def test_more_battles_weigh_more_unless_pairs_weigh_alike():
    games = Battles.of([("a", "b", 1)] * 9 + [("b", "c", 1), ("c", "a", 1)])
    counted = bp.rank(games, "hodge_rank")
    assert counted.winners == ("a",)
    assert bp.rank(games, "hodge_rank", pair_weight="rate").winners == ("a", "b", "c")


def test_a_large_sparse_graph_is_solved_to_the_normal_equations():
    rng = np.random.default_rng(1)
    n = 1500
    code = np.unique(np.concatenate([np.arange(n - 1) * n + np.arange(1, n), rng.integers(0, n * n, 6000)]))
    a, b = code // n, code % n
    a, b = a[a < b], b[a < b]
    flow, weight = rng.uniform(-1, 1, len(a)), rng.integers(1, 50, len(a)).astype(float)
    s = potential(n, (a.astype(np.int32), b.astype(np.int32), flow, weight))
    rest = weight * (flow - s[a] + s[b])
    divergence = np.bincount(a, rest, n) - np.bincount(b, rest, n)
    assert np.abs(divergence).max() < 1e-8 * weight.max()
    assert abs(s.mean()) < 1e-12


def test_beyond_the_limit_the_cycles_are_given_as_a_whole(monkeypatch):
    games = Battles.of([("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("c", "d", 1), ("d", "e", 1)])
    full = shares(games)
    for limit in ("CANDIDATES", "TRIANGLES"):
        monkeypatch.setattr(home, limit, 0)
        split = shares(games)
        assert split["curl"] is split["harmonic"] is None
        assert split["cyclic"] == pytest.approx(full["curl"] + full["harmonic"])
        monkeypatch.undo()


def test_as_many_triangles_as_the_limit_are_listed(monkeypatch):
    a, b = np.triu_indices(5, 1)
    for limit, listed in ((10, True), (9, False)):
        monkeypatch.setattr(home, "TRIANGLES", limit)
        assert (home.triangles(5, a, b) is not None) == listed


def test_triangles_are_listed_in_chunks_as_in_one_go(monkeypatch):
    rng = np.random.default_rng(2)
    n = 40
    a, b = np.nonzero(np.triu(rng.random((n, n)) < 0.3, 1))
    edges = {(int(i), int(j)) for i, j in zip(a, b, strict=True)}
    wanted = {t for t in combinations(range(n), 3) if {(t[0], t[1]), (t[1], t[2]), (t[0], t[2])} <= edges}
    for chunk in (7, 10**6):
        monkeypatch.setattr(home, "CHUNK", chunk)
        triads = home.triangles(n, a, b)
        agents = [tuple(sorted({*a[edge].tolist(), *b[edge].tolist()})) for edge in triads.edge.T]
        assert len(agents) == len(wanted)
        assert set(agents) == wanted
        s = rng.normal(size=n)  # a gradient adds up to zero round every triangle
        np.testing.assert_allclose((triads.sign * (s[a] - s[b])[triads.edge]).sum(axis=0), 0, atol=1e-12)


def test_unconnected_agents_are_refused_and_no_winner_is_no_flow():
    with pytest.raises(bp.DataError, match=r"hodge_rank needs agents that battles connect.*\{'a', 'b'\}, \{'c', 'd'\}"):
        bp.rank(Battles.of([("a", "b", 1), ("c", "d", 1)]), "hodge_rank")
    tied = bp.rank(Battles.of([("a", "b", 0.5)]), "hodge_rank")
    assert tied.levels == (("a", "b"),)
    assert tied.status == "no pair has a winner: there is no flow to explain"
    assert set(tied.details["shares"].values()) == {None}


def test_potentials_that_do_not_settle_are_refused(monkeypatch):
    n = 600
    cells = np.arange(n - 1), np.arange(1, n), np.ones(n - 1), np.ones(n - 1)
    assert np.allclose(np.diff(potential(n, cells)), -1.0)
    monkeypatch.setattr("beatpath.fit.laplacian.STEPS", 100)
    monkeypatch.setattr("beatpath.fit.laplacian.WORK", 0)
    with pytest.raises(bp.DataError, match="600 agents do not converge"):
        potential(n, cells)
