"""What scores say of who is the better, against the integrals that define it."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta

from beatpath.inference.core.ladders import MetPairs
from beatpath.inference.core.planted_edges import BINS, planted_edges, strength_histograms, strength_likelihoods


def test_the_likelihood_of_a_bin_is_the_mean_over_it():
    found = strength_likelihoods(np.array([3.0]), np.array([2.5]))[0]
    edge = np.linspace(0.5, 1, BINS + 1)
    for (low, high), value in zip(pairwise(edge), found, strict=True):
        mean = quad(lambda x: x**3 * (1 - x) ** 2.5 / beta(4, 3.5), low, high)[0] * 2 * BINS
        assert value == pytest.approx(mean, rel=1e-6)


def test_the_evidence_of_coins_is_the_average_over_histograms():
    """Two pairs, 3 to 1 and 0 to 2, each turned by a coin, by direct quadrature of every bin."""
    data = MetPairs(4, np.array([0, 2]), np.array([1, 3]), np.array([3.0, 0.0]), np.array([1.0, 2.0]))
    edge = np.linspace(0.5, 1, BINS + 1)

    def mean(won, lost):
        return np.array(
            [
                quad(lambda x: x**won * (1 - x) ** lost, low, high)[0] * 2 * BINS
                for low, high in pairwise(edge)
            ]
        )

    each = [(mean(w, l) + mean(l, w)) / 2 for w, l in ((3, 1), (0, 2))]
    expected = np.log(np.mean([(h @ each[0]) * (h @ each[1]) for h in strength_histograms()]))
    assert planted_edges(data).coins.evidence == pytest.approx(expected, abs=1e-8)


def test_who_is_the_better_adds_up_to_one_and_grows_with_the_score():
    a, b = np.array([0, 2, 4]), np.array([1, 3, 5])
    edges = planted_edges(MetPairs(6, a, b, np.array([5.0, 6.0, 9.0]), np.array([5.0, 4.0, 1.0])))
    for better in (edges.better, edges.close, edges.coins.better):
        np.testing.assert_allclose(better + better.T, 1.0)
        assert better[0, 1] == pytest.approx(0.5)
        assert better[0, 1] < better[2, 3] < better[4, 5]
    assert (edges.close_gain == edges.close_gain.T).all()
    assert edges.close_gain[0, 1] > edges.close_gain[4, 5]
