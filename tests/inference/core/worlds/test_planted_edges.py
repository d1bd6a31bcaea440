"""What scores say of who is the better, against the integrals that define it."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta
from scipy.stats import beta as beta_distribution

from beatpath.inference.core.worlds.ladders import PairWins
from beatpath.inference.core.worlds.planted_edges import BINS, planted_edges, strength_histograms, strength_likelihoods


def test_the_likelihood_of_a_bin_is_the_mean_over_it():
    likelihoods = strength_likelihoods(np.array([3.0]), np.array([2.5]))[0]
    edge = np.linspace(0.5, 1, BINS + 1)
    for (low, high), value in zip(pairwise(edge), likelihoods, strict=True):
        mean = quad(lambda x: x**3 * (1 - x) ** 2.5 / beta(4, 3.5), low, high)[0] * 2 * BINS
        assert value == pytest.approx(mean, rel=1e-6)


def test_the_evidence_of_coins_is_the_average_over_histograms():
    """Two pairs, 3 to 1 and 0 to 2, each turned by a coin, by direct quadrature of every bin."""
    data = PairWins(4, np.array([0, 2]), np.array([1, 3]), np.array([3.0, 0.0]), np.array([1.0, 2.0]))
    edge = np.linspace(0.5, 1, BINS + 1)

    def mean(won, lost):
        return np.array(
            [quad(lambda x: x**won * (1 - x) ** lost, low, high)[0] * 2 * BINS for low, high in pairwise(edge)]
        )

    each = [(mean(w, l) + mean(l, w)) / 2 for w, l in ((3, 1), (0, 2))]
    expected = np.log(np.mean([(h @ each[0]) * (h @ each[1]) for h in strength_histograms()]))
    assert planted_edges(data).coins.evidence == pytest.approx(expected, abs=1e-8)


def of_scores(*scores):
    """The edges of pairs not connected to one another, one for each score."""
    won, lost = np.array(scores, dtype=float).T
    return planted_edges(PairWins(2 * len(won), 2 * np.arange(len(won)), 2 * np.arange(len(won)) + 1, won, lost))


def test_who_won_more_is_the_more_probably_better_and_both_sides_agree():
    edges, first = of_scores(*((w, 10 - w) for w in range(11))), 2 * np.arange(11)
    for matrix in (edges.better, edges.close, edges.coins.better):
        better = matrix[first, first + 1]
        assert (np.diff(better) > 0).all()
        np.testing.assert_allclose(better, 1 - better[::-1], atol=1e-9)
        np.testing.assert_allclose(matrix + matrix.T, 1)


def test_even_scores_gain_by_being_close_and_one_sided_ones_lose():
    edges = of_scores((5, 5), (9, 1))
    assert (edges.close_gain == edges.close_gain.T).all()
    assert edges.close_gain[0, 1] > 0 > edges.close_gain[2, 3]


def test_a_narrow_score_says_more_where_all_others_are_one_sided():
    close = of_scores((3, 2), *[(52, 48), (49, 51)] * 10)
    clear = of_scores((3, 2), *[(98, 2), (3, 97)] * 10)
    assert clear.better[0, 1] > close.better[0, 1] + 0.05
    assert clear.strength > 0.9
    assert close.strength < 0.6


def test_an_order_without_upsets_is_recovered():
    a, b = np.triu_indices(6, 1)
    edges = planted_edges(PairWins(6, a, b, np.full(15, 9.0), np.ones(15)))
    assert edges.order.tolist() == list(range(6))
    assert np.diag(edges.better) == pytest.approx(np.full(6, 0.5))


def test_histograms_are_of_beta_distributions_with_these_means():
    """A strength (1 + x) / 2 lies in the bin of an x from k to k + 1 of so many; c is 1, 4, 16 or 64."""
    edge, means = np.linspace(0, 1, BINS + 1), np.geomspace(0.02, 0.95, len(strength_histograms()) // 4)
    expected = [np.diff(beta_distribution(c * m, c * (1 - m)).cdf(edge)) for c in (1, 4, 16, 64) for m in means]
    np.testing.assert_allclose(strength_histograms(), np.maximum(expected, 1e-12), atol=1e-12)
