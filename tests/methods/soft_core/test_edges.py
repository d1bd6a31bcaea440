import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from beatpath import DataError, Pairs, UsageError
from beatpath.inference.design.power import comparisons_needed
from beatpath.methods.soft_core.edges import EDGES, MISSING, edges_from_array, edges_from_pairs, imputed_probability
from helpers.strategies import battles

LINE = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[9, 1, 0, 0], [4, 2, 0, 0]])


@given(battles(weighted=True), st.sampled_from(sorted(EDGES)), st.sampled_from(sorted(MISSING)))
def test_every_kind_of_edge_is_a_probabilistic_tournament(evidence, edges, missing):
    tournament = edges_from_pairs(evidence.pairs().settle(), edges=edges, missing=missing)
    P = tournament.probability
    assert ((P >= 0) & (P <= 1)).all()
    assert np.abs(P + P.T - 1).max() <= 1e-15
    assert (tournament.present == tournament.present.T).all()
    D = tournament.strength(0.05)
    assert ((D >= 0) & (D <= 1)).all()
    assert not D.diagonal().any()
    assert [convention.value for convention in tournament.conventions] == [edges, missing]


@pytest.mark.parametrize(("wins", "losses"), [(3, 1), (0, 0.25), (20, 20), (7.5, 30)])
def test_a_posterior_edge_is_the_mass_of_the_jeffreys_posterior_above_one_half(wins, losses):
    density = lambda x: x ** (wins - 0.5) * (1 - x) ** (losses - 0.5)
    above, below = quad(density, 0.5, 1)[0], quad(density, 0, 0.5)[0]
    edges = edges_from_pairs(Pairs(("x", "y"), [0], [1], [[wins, losses, 0, 0]]), edges="posterior")
    share = above / (above + below)
    assert edges.probability[0, 1] == pytest.approx(share, abs=1e-7)
    assert edges.strength(0.05)[0, 1] == pytest.approx(max(0, 2 * share - 1), abs=2e-7)


@given(st.randoms(use_true_random=False))
def test_renaming_agents_renames_the_edges(random):
    order = [0, 1, 2]
    random.shuffle(order)
    turned = Pairs.from_cells(
        tuple(LINE.agents[i] for i in order),
        [order.index(i) for i in LINE.a],
        [order.index(i) for i in LINE.b],
        LINE.counts,
    )
    for edges in EDGES:
        for missing in MISSING:
            one = edges_from_pairs(LINE, edges=edges, missing=missing).strength(0.1)
            two = edges_from_pairs(turned, edges=edges, missing=missing).strength(0.1)
            assert np.allclose(two, one[np.ix_(order, order)], atol=1e-9)


def test_a_missing_pair_is_even_or_absent_or_imputed_as_requested():
    strength = {missing: edges_from_pairs(LINE, missing=missing).strength(0.1)[[0, 2], [2, 0]] for missing in MISSING}
    assert strength["neutral"].tolist() == [0.5, 0.5]
    assert strength["absent"].tolist() == [0, 0]
    assert strength["imputed"][0] > 0.95
    for missing in MISSING:
        assert edges_from_pairs(LINE, missing=missing).conventions[1].affected == 1


def test_a_posterior_edge_of_a_missing_pair_says_nothing_unless_imputed():
    for missing in ("neutral", "absent"):
        assert edges_from_pairs(LINE, edges="posterior", missing=missing).strength(0.1)[0, 2] == 0
    assert edges_from_pairs(LINE, edges="posterior", missing="imputed").strength(0.1)[0, 2] > 0.5


def test_imputation_never_touches_a_compared_pair():
    for edges in EDGES:
        plain, imputed = (edges_from_pairs(LINE, edges=edges, missing=m).strength(0.1) for m in ("neutral", "imputed"))
        assert (plain[[0, 1, 1, 2], [1, 0, 2, 1]] == imputed[[0, 1, 1, 2], [1, 0, 2, 1]]).all()


def test_imputed_probabilities_recover_those_of_a_model_that_made_the_battles():
    rng = np.random.default_rng(0)
    theta = rng.normal(0, 1, 12)
    a, b = np.triu_indices(12, 1)
    truth = 1 / (1 + np.exp(-np.subtract.outer(theta, theta)))
    played = rng.random(len(a)) < 0.5
    wins = rng.binomial(2000, truth[a, b])
    counts = np.stack([wins, 2000 - wins, 0 * wins, 0 * wins], axis=1)
    pairs = Pairs(tuple(f"{i:02d}" for i in range(12)), a[played], b[played], counts[played])
    assert np.abs(imputed_probability(pairs, of_strength=False) - truth).max() < 0.03


def test_an_imputed_posterior_is_the_share_of_data_sets_in_which_the_better_agent_leads():
    """Two agents compared through a third: how often the fitted lead has the right sign, against its stated probability."""
    rng = np.random.default_rng(1)
    shares, right = [], []
    for _ in range(300):
        theta = rng.normal(0, 0.7, 3)
        p = 1 / (1 + np.exp(-(theta[[0, 1]] - theta[[1, 2]])))
        wins = rng.binomial(30, p)
        pairs = Pairs(("a", "b", "c"), [0, 1], [1, 2], np.stack([wins, 30 - wins, 0 * wins, 0 * wins], axis=1))
        shares.append(imputed_probability(pairs, of_strength=True)[0, 2])
        right.append(theta[0] > theta[2])
    assert abs(np.mean(right) - np.mean(shares)) < 0.05
    sure = np.array(shares) > 0.5
    assert abs(np.mean(np.array(right)[sure]) - np.mean(np.array(shares)[sure])) < 0.08


def test_weighted_edges_weigh_by_battles_one_on_average():
    weight = edges_from_pairs(LINE, edges="weighted").weight
    assert weight[0, 1] == 10 / 8
    assert weight[1, 2] == 6 / 8
    assert weight[0, 2] == 0


def test_cells_split_by_keys_are_added_up_and_ties_must_be_settled():
    tied = Pairs(("x", "y"), [0], [1], [[3, 1, 2, 0]])
    with pytest.raises(UsageError, match="got ties too"):
        edges_from_pairs(tied)
    assert edges_from_pairs(tied.settle()).probability[0, 1] == pytest.approx(4 / 6)


def test_no_battles_at_all_and_one_agent_are_answered():
    none = Pairs(("x", "y"), [], [], np.zeros((0, 4)))
    for missing in MISSING:
        assert (edges_from_pairs(none, missing=missing).probability == 0.5).all()
    one = Pairs(("x",), [], [], np.zeros((0, 4)))
    assert edges_from_pairs(one, edges="posterior", missing="imputed").strength(0.1).tolist() == [[0.0]]


def test_unknown_choices_are_refused_with_those_there_are():
    with pytest.raises(UsageError, match="`edges` must be one of empirical, posterior, weighted; got 'posteriors'"):
        edges_from_pairs(LINE, edges="posteriors")
    with pytest.raises(UsageError, match="`missing` must be one of neutral, absent, imputed"):
        edges_from_pairs(LINE, missing="drop")


def test_given_probabilities_are_checked_and_used():
    assert edges_from_array(np.array([[0.5, 0.7], [0.3, 0.5]]), ("x", "y")).strength(0.05)[0, 1].round(3) == 0.982
    with pytest.raises(DataError, match="must add up to 1"):
        edges_from_array(np.array([[0.5, 0.7], [0.4, 0.5]]), ("x", "y"))


def test_the_comparisons_a_pair_needs_are_those_of_the_proposition():
    P = np.full((10, 10), 0.5) + 0.1 * (np.triu(np.ones((10, 10)), 1) - np.tril(np.ones((10, 10)), -1))
    assert comparisons_needed(P).uniform == np.ceil(np.log(2 * 45 / 0.05) / (2 * 0.1**2))
    P[0, 1], P[1, 0] = 1.0, 0.0
    needed = comparisons_needed(P)
    assert needed.each[0, 1] == np.ceil(np.log(2 * 45 / 0.05) * 2)
    assert needed.margin == pytest.approx(0.1)


def test_with_so_many_comparisons_all_majorities_are_right_as_often_as_promised():
    rng = np.random.default_rng(0)
    P = np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.7], [0.1, 0.3, 0.5]])
    needed = comparisons_needed(P, error=0.1)
    a, b = np.triu_indices(3, 1)
    m = needed.each[a, b].astype(int)
    wins = rng.binomial(m, P[a, b], (4000, 3))
    assert ((wins > m / 2) == (P[a, b] > 0.5)).all(axis=1).mean() >= 0.9


def test_even_pairs_need_endless_comparisons_and_wrong_errors_are_refused():
    assert comparisons_needed(np.full((2, 2), 0.5)).uniform == np.inf
    assert comparisons_needed(np.array([[0.5]])).uniform == 0
    with pytest.raises(UsageError, match="`error` must lie between 0 and 1, as in 0\\.05; got '2'"):
        comparisons_needed(np.full((2, 2), 0.5), error=2)
