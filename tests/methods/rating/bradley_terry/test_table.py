"""Bradley-Terry on a table of all pairs, against the list of pairs."""

import numpy as np
import pytest

from beatpath.methods.numeric.newton import newton
from beatpath.methods.rating.bradley_terry.paired import Comparisons, near_strengths, paired_model
from beatpath.methods.rating.bradley_terry.table import FAR, WinTable, chances, prior_terms
from beatpath.methods.rating.bradley_terry.tie_models import TIE_MODELS


def table_of_wins(n, battles, seed, met=1.0):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 1, n)
    number = np.triu(rng.poisson(battles, (n, n)) * (rng.random((n, n)) < met), 1)
    won = rng.binomial(number, 1 / (1 + np.exp(strength[None, :] - strength[:, None]))).astype(float)
    wins = won + (number - won).T
    ring = np.arange(n)
    wins[ring, (ring + 1) % n] += 1  # a circle of wins, so that the estimate exists
    return wins


def rows_of(wins):
    a, b = np.nonzero(np.triu(wins + wins.T, 1))
    counts = np.stack([wins[a, b], wins[b, a], np.zeros(len(a))], axis=1)
    return Comparisons(len(wins), a.astype(np.int32), b.astype(np.int32), counts, np.zeros((len(a), 0)))


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize(("n", "battles", "met"), [(2, 5, 1.0), (12, 3, 0.3), (60, 20, 1.0), (130, 6, 0.8)])
def test_the_table_and_the_list_of_pairs_have_one_likelihood(n, battles, met, prior):
    wins = table_of_wins(n, battles, n, met)
    table, listed = WinTable.of(wins, prior), paired_model(rows_of(wins), TIE_MODELS["half"], prior)
    x = np.random.default_rng(1).normal(0, 1, n)
    ours, theirs = table.at(x), listed.at(x)
    assert ours.value == pytest.approx(theirs.value, rel=1e-12)
    np.testing.assert_allclose(ours.gradient, theirs.gradient, atol=1e-9)
    np.testing.assert_allclose(ours.curvature, theirs.curvature, rtol=1e-12)
    np.testing.assert_allclose(
        ours.step(1e-12) - ours.step(1e-12).mean() * (not prior),
        theirs.step(1e-12) - theirs.step(1e-12).mean() * (not prior),
        atol=1e-9,
    )


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize(("n", "battles", "met"), [(2, 5, 1.0), (12, 3, 0.3), (60, 20, 1.0), (130, 6, 0.8)])
def test_the_table_and_the_list_of_pairs_have_one_estimate(n, battles, met, prior):
    wins = table_of_wins(n, battles, n, met)
    table, rows = WinTable.of(wins, prior), rows_of(wins)
    ours = newton(table.at, table.near(), max_iter=100)
    theirs = newton(paired_model(rows, TIE_MODELS["half"], prior).at, near_strengths(rows, prior), max_iter=100)
    assert ours.converged
    assert theirs.converged
    np.testing.assert_allclose(ours.x - ours.x.mean(), theirs.x - theirs.x.mean(), atol=1e-9)


def test_strengths_to_begin_from_are_near_where_all_met():
    table = WinTable.of(table_of_wins(40, 50, 3))
    estimate = newton(table.at, np.zeros(40), max_iter=100).x
    assert np.abs(table.near() - (estimate - estimate.mean())).max() < 1e-2


def test_an_agent_without_a_win_begins_at_zero_with_all_others():
    assert WinTable.of(np.array([[0.0, 2.0], [0.0, 0.0]])).near().tolist() == [0.0, 0.0]


def test_chances_far_from_even_are_numbers_and_their_logarithms_too():
    near, far = (chances(np.array([0.0, lead])) for lead in (FAR, 2000.0))
    assert near[0][0, 1] == pytest.approx(np.exp(-FAR))
    assert near[1][0, 1] == pytest.approx(-FAR)
    assert far[0].tolist() == [[0.5, 0.0], [1.0, 0.5]]
    assert far[1][0, 1] == -2000.0
    assert far[1][1, 0] == 0.0


def test_the_prior_is_that_many_wins_and_losses_against_strength_zero():
    x = np.array([-1.5, 0.0, 0.7])
    p = 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(prior_terms(x, 0.5).value, 0.5 * np.log(p * (1 - p)).sum())


def test_slope_and_bend_are_those_of_finite_differences():
    x, h = np.array([-1.5, 0.0, 0.7]), 1e-5
    up, down, here = prior_terms(x + h, 2.0), prior_terms(x - h, 2.0), prior_terms(x, 2.0)
    np.testing.assert_allclose((up.value - down.value) / (2 * h), here.slope.sum(), atol=1e-8)
    np.testing.assert_allclose((down.slope - up.slope) / (2 * h), here.bend, atol=1e-8)


def test_no_prior_says_nothing():
    none = prior_terms(np.array([3.0, -4.0]), 0.0)
    assert (none.value, none.slope.tolist(), none.bend.tolist()) == (0.0, [0.0, 0.0], [0.0, 0.0])
