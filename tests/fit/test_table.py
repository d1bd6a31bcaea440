"""Bradley-Terry on a table of all pairs, against the list of pairs."""

import numpy as np
import pytest

from beatpath.fit.newton import newton
from beatpath.fit.pairs import FAR, WinTable, chances, decided, near_strengths, pairs_model
from beatpath.fit.ties import Prior


def table_of_wins(n, battles, seed, played=1.0):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 1, n)
    number = np.triu(rng.poisson(battles, (n, n)) * (rng.random((n, n)) < played), 1)
    won = rng.binomial(number, 1 / (1 + np.exp(strength[None, :] - strength[:, None]))).astype(float)
    wins = won + (number - won).T
    ring = np.arange(n)
    wins[ring, (ring + 1) % n] += 1  # a cycle of wins, so that the estimate exists
    return wins


def rows_of(wins):
    a, b = np.nonzero(np.triu(wins + wins.T, 1))
    return decided(len(wins), a.astype(np.int32), b.astype(np.int32), wins[a, b], wins[a, b] + wins[b, a])


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize(("n", "battles", "played"), [(2, 5, 1.0), (12, 3, 0.3), (60, 20, 1.0), (130, 6, 0.8)])
def test_the_table_and_the_list_of_pairs_have_one_likelihood(n, battles, played, prior):
    wins = table_of_wins(n, battles, n, played)
    table, listed = WinTable.of(wins, Prior(prior)), pairs_model(rows_of(wins), prior=Prior(prior))
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
@pytest.mark.parametrize(("n", "battles", "played"), [(2, 5, 1.0), (12, 3, 0.3), (60, 20, 1.0), (130, 6, 0.8)])
def test_the_table_and_the_list_of_pairs_have_one_estimate(n, battles, played, prior):
    wins = table_of_wins(n, battles, n, played)
    table, rows = WinTable.of(wins, Prior(prior)), rows_of(wins)
    ours = newton(table.at, table.near(), max_iter=100)
    theirs = newton(pairs_model(rows, prior=Prior(prior)).at, near_strengths(rows), max_iter=100)
    assert ours.converged
    assert theirs.converged
    np.testing.assert_allclose(ours.x - ours.x.mean(), theirs.x - theirs.x.mean(), atol=1e-9)


@pytest.mark.parametrize("prior", [0.0, 100.0])
def test_starting_strengths_are_close_where_all_pairs_are_compared(prior):
    table = WinTable.of(table_of_wins(40, 50, 3), Prior(prior))
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
    np.testing.assert_allclose(Prior(0.5).value(x, 3), 0.5 * np.log(p * (1 - p)).sum())


@pytest.mark.parametrize("prior", [Prior(2.0), Prior(precision=0.7), Prior(1.0, 0.3, 0.2)])
def test_slope_and_bend_are_those_of_finite_differences(prior):
    x, h = np.array([-1.5, 0.0, 0.7]), 1e-5
    for k, unit in enumerate(np.eye(3)):
        up, down, here = (prior.at(x + way * h * unit, 2) for way in (1, -1, 0))
        np.testing.assert_allclose((up[0] - down[0]) / (2 * h), here[1][k], atol=1e-8)
        np.testing.assert_allclose((down[1][k] - up[1][k]) / (2 * h), here[2][k], atol=1e-8)


def test_no_prior_says_nothing():
    value, slope, bend = Prior().at(np.array([3.0, -4.0]), 2)
    assert value == 0.0
    assert not slope.any()
    assert not bend.any()
