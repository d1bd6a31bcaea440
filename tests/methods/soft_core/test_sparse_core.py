"""Cores from compared pairs alone: the dense operators by another implementation, definitions by brute force, and what pruning does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Margins, Pairs, UsageError
from beatpath.inference.core.core import core
from beatpath.methods.soft_core import sparse
from beatpath.methods.soft_core.edges import EDGES, edges_from_pairs
from beatpath.methods.soft_core.operators import reachability, soft_top_cycle, soft_uncovered_set, softmax, softmin
from beatpath.methods.soft_core.sparse import (
    SparseEdges,
    majorities,
    pruned,
    sparse_core,
    sparse_edges,
    sparse_soft_uncovered_set,
)
from beatpath.methods.soft_core.sparse import sparse_top_cycle as top_cycle_of
from beatpath.methods.soft_core.sparse import sparse_uncovered_set as uncovered_set_of
from beatpath.methods.tournament.solutions import top_cycle, uncovered_set
from helpers.tournaments import hard_top_cycle, hard_uncovered_set

few = settings(max_examples=60, deadline=None)
GAMMAS = st.sampled_from([0.3, 0.05, 0.002])


@st.composite
def counted_pairs(draw, max_agents=9, complete=False):
    """Wins and losses of some pairs, or of all, few enough for equal strengths and exact ties."""
    n = draw(st.integers(1, max_agents))
    a, b = np.triu_indices(n, 1)
    counts = draw(st.lists(st.sampled_from([0, 0, 1, 2, 5]), min_size=2 * len(a), max_size=2 * len(a)))
    table = np.zeros((len(a), 4))
    table[:, :2] = np.array(counts, dtype=float).reshape(-1, 2)
    played = table.any(axis=1)
    if complete:
        table[~played, 0], played = 1.0, np.ones(len(a), dtype=bool)
    return Pairs(tuple(f"agent {i}" for i in range(n)), a[played], b[played], table[played])


def dense(pairs, edges="posterior", missing="neutral", tau=0.05):
    return edges_from_pairs(pairs, edges=edges, missing=missing).strength(tau)


def as_matrix(edges):
    return edges.table().toarray()


def random_edges(n, m, seed):
    rng = np.random.default_rng(seed)
    pair = np.unique(rng.integers(n * n, size=m))
    start, end = pair // n, pair % n
    start, end = start[start != end], end[start != end]
    strength = np.where(rng.random(len(start)) < 0.5, rng.choice([0.2, 0.5, 0.9], len(start)), rng.random(len(start)))
    return SparseEdges(tuple(map(str, range(n))), start, end, strength)


@few
@given(counted_pairs(), GAMMAS)
def test_with_posterior_edges_the_scores_are_those_of_the_dense_operators(pairs, gamma):
    D, sparse = dense(pairs), sparse_core(pairs, gamma=gamma)
    assert np.allclose(sparse.top_cycle_score, soft_top_cycle(reachability(D), gamma), rtol=0, atol=1e-12)
    assert np.allclose(sparse.uncovered_set_score, soft_uncovered_set(D, gamma), rtol=0, atol=3e-8)


@few
@given(counted_pairs(complete=True), st.sampled_from(sorted(EDGES)))
def test_where_all_pairs_are_compared_sparse_is_dense_whatever_the_edges(pairs, kind):
    D, sparse = dense(pairs, kind), sparse_core(pairs, edges=kind)
    assert np.allclose(sparse.top_cycle_score, soft_top_cycle(reachability(D), 0.05), rtol=0, atol=1e-12)
    assert np.allclose(sparse.uncovered_set_score, soft_uncovered_set(D, 0.05), rtol=0, atol=3e-8)


@few
@given(counted_pairs(), st.sampled_from(sorted(EDGES)))
def test_edges_are_those_of_the_dense_table_without_pairs_never_compared(pairs, kind):
    assert np.allclose(as_matrix(sparse_edges(pairs, edges=kind)), dense(pairs, kind, "absent"), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "m"), [(70, 60), (130, 300), (130, 3000)])
def test_scores_of_more_agents_than_a_word_has_bits_are_the_dense_ones(n, m, seed):
    edges = random_edges(n, m, seed)
    D = as_matrix(edges)
    for gamma in (0.05, 0.002):
        t, u = soft_top_cycle(reachability(D), gamma), soft_uncovered_set(D, gamma)
        assert np.allclose(sparse.sparse_soft_top_cycle(edges, gamma), t, rtol=0, atol=1e-12)
        assert np.allclose(sparse_soft_uncovered_set(edges, gamma), u, rtol=0, atol=3e-8)


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_what_the_equations_say_one_path_and_one_triple_at_a_time(seed):
    edges, gamma = random_edges(6, 20, seed), 0.1
    D, n = as_matrix(edges), 6
    R = D.copy()  # strongest paths of one more edge, five times over: eqs. (8) to (10)
    for _ in range(n):
        R = np.maximum(R, np.minimum(R[:, :, None], D[None]).max(axis=1))
    v = lambda c, a: softmax([D[a, b] * (1 - D[c, b]) for b in range(n) if b not in (a, c)], gamma)
    t = [softmin([R[a, b] for b in range(n) if b != a], gamma) for a in range(n)]
    u = [1 - softmax([D[c, a] * (1 - v(c, a)) for c in range(n) if c != a], gamma) for a in range(n)]
    assert np.allclose(sparse.sparse_soft_top_cycle(edges, gamma), t, rtol=0, atol=1e-12)
    assert np.allclose(sparse_soft_uncovered_set(edges, gamma), u, rtol=0, atol=1e-12)


def test_scores_do_not_depend_on_how_many_edges_are_looked_up_at_a_time(monkeypatch):
    edges = random_edges(60, 400, 0)
    before = sparse.sparse_soft_top_cycle(edges, 0.05)
    monkeypatch.setattr(sparse, "TOGETHER", 1)
    assert np.array_equal(before, sparse.sparse_soft_top_cycle(edges, 0.05))


@few
@given(counted_pairs())
def test_sets_by_majority_are_those_of_the_dense_relation(pairs):
    wins = majorities(pairs)
    W = wins.toarray()
    margins = Margins(W - W.T, pairs.agents)
    assert np.array_equal(top_cycle_of(wins), top_cycle(margins))
    assert np.array_equal(uncovered_set_of(wins), uncovered_set(margins))


@few
@given(counted_pairs(complete=True))
def test_without_ties_sets_are_the_definitions_of_the_paper(pairs):
    a, b, won = pairs.a, pairs.b, pairs.counts[:, 0] >= pairs.counts[:, 1]
    decided = np.zeros((len(a), 4))
    decided[:, 0], decided[:, 1] = won, ~won
    P = np.full((len(pairs.agents),) * 2, 0.5)
    P[a, b], P[b, a] = won, ~won
    wins = majorities(Pairs(pairs.agents, a, b, decided))
    assert np.array_equal(top_cycle_of(wins), hard_top_cycle(P))
    assert np.array_equal(uncovered_set_of(wins), hard_uncovered_set(P))


@few
@given(counted_pairs(), st.floats(0, 1), st.floats(0, 1), st.integers(1, 4))
def test_pruning_more_raises_no_top_cycle_score(pairs, one, other, k):
    low, high = sorted((one, other))
    whole, some, fewer = (sparse_core(pairs, least=least).top_cycle_score for least in (0.0, low, high))
    assert (some <= whole + 1e-12).all()
    assert (fewer <= some + 1e-12).all()
    narrow, wide = (sparse_core(pairs, strongest=most).top_cycle_score for most in (k, k + 1))
    assert (narrow <= wide + 1e-12).all()
    assert (wide <= whole + 1e-12).all()


@pytest.mark.parametrize("k", [1, 2, 5])
def test_an_edge_remains_if_its_winner_or_its_loser_has_few_stronger_ones(k):
    edges = random_edges(25, 200, 3)
    D = as_matrix(edges)
    for start, end in zip(edges.start, edges.end, strict=True):
        stronger = (D[start] > D[start, end]).sum(), (D[:, end] > D[start, end]).sum()
        present = as_matrix(pruned(edges, strongest=k))[start, end] > 0
        assert present == (min(stronger) < k)


def test_pruned_edges_are_reported():
    pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[9, 1, 0, 0], [2, 1, 0, 0]])
    conventions = {made.name: made for made in sparse_core(pairs, least=0.5, strongest=4).conventions}
    assert (conventions["missing_pairs"].value, conventions["missing_pairs"].affected) == ("absent", 1)
    assert (conventions["pruning"].value, conventions["pruning"].affected) == ("least 0.5, strongest 4", 1)
    assert "weaker than 0.5" in conventions["pruning"].meaning
    assert "pruning" not in {made.name for made in sparse_core(pairs).conventions}


@pytest.mark.parametrize("options", [{"least": -0.1}, {"least": "much"}, {"strongest": 0}, {"strongest": 1.5}])
def test_pruning_that_means_nothing_is_refused(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        pruned(random_edges(5, 8, 0), **options)


def test_a_core_of_many_agents_is_the_dense_one_and_says_what_it_lacks(monkeypatch):
    rng = np.random.default_rng(0)
    n = 40
    pair = np.unique(
        np.concatenate([rng.integers(n * n, size=25), np.arange(n - 1) * (n + 1) + 1])
    )  # a chain connects all
    a, b = np.minimum(pair // n, pair % n), np.maximum(pair // n, pair % n)
    table = np.zeros((len(a), 4))
    table[:, :2] = rng.integers(1, 4, (len(a), 2))
    pairs = Pairs.from_cells(tuple(f"agent {i}" for i in range(n)), a[a < b], b[a < b], table[a < b])
    whole = core(pairs, matrix="raw", field="all")
    monkeypatch.setattr(sparse, "DENSE", 30)
    core_result = core(pairs, matrix="raw", field="all")
    assert core_result.posterior is None
    assert core_result.margins is None
    assert whole.margins is not None
    for one, other in ((core_result.top_cycle, whole.top_cycle), (core_result.uncovered_set, whole.uncovered_set)):
        assert one.members == other.members
        assert np.allclose(list(one.scores.values()), list(other.scores.values()), rtol=0, atol=3e-8)
    assert core_result.win_rate.keys() == whole.win_rate.keys()
    assert "missing_pairs" in {made.name for made in core_result.conventions}
    assert "only compared pairs have edges" in core_result.notes[0]
    assert core_result.to_dict()["posterior"] is None
    with pytest.raises(UsageError, match="witness"):
        core_result.witness("agent 0")


@pytest.mark.parametrize("options", [{"reach": "smooth"}, {"max_length": 3}, {"missing_pairs": "imputed"}])
def test_settings_that_ask_for_all_pairs_get_all_pairs(monkeypatch, options):
    monkeypatch.setattr(sparse, "DENSE", 2)
    monkeypatch.setattr(sparse, "FILLED", 1.0)
    pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[9, 1, 0, 0], [2, 1, 0, 0]])
    assert core(pairs, matrix="raw", field="all").margins is None
    assert core(pairs, matrix="raw", field="all", **options).margins is not None


def test_omitted_even_edges_are_reported_unless_they_were_not_requested(monkeypatch):
    monkeypatch.setattr(sparse, "DENSE", 2)
    monkeypatch.setattr(sparse, "FILLED", 1.0)
    pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[9, 1, 0, 0], [2, 1, 0, 0]])
    mentions_even = lambda **options: any(
        "even" in note for note in core(pairs, matrix="raw", field="all", **options).notes
    )
    assert mentions_even(edges="empirical")
    assert not mentions_even(edges="empirical", missing_pairs="absent")
    assert not mentions_even()


def test_bits_are_counted_alike_by_old_and_new_numpy(monkeypatch):
    words = np.random.default_rng(0).integers(2**63, size=(3, 5), dtype=np.uint64) << np.uint64(1)
    expected = [[int(word).bit_count() for word in row] for row in words]
    assert sparse.ones(words).tolist() == expected
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert sparse.ones(words).tolist() == expected
