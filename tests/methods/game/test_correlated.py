"""Equilibria of maximum entropy: by hand, by a general solver, and the inequalities that make them equilibria."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import LinearConstraint, lsq_linear, minimize

import beatpath as bp
from beatpath import DataError, UsageError
from helpers.game_cases import CHICKEN, tensors

KINDS = ("coarse", "correlated")


def deviations(game, kind):
    """What every deviation gains on every outcome, outcome by outcome."""
    rows = []
    shape = game[0].shape
    for p, G in enumerate(game):
        alternatives = [None] if kind == "coarse" else range(shape[p])
        for a in alternatives:
            for to in range(shape[p]):
                row = np.zeros(shape)
                for outcome in np.ndindex(*shape):
                    if a is None or outcome[p] == a:
                        moved = (*outcome[:p], to, *outcome[p + 1 :])
                        row[outcome] = G[moved] - G[outcome]
                rows.append(row.ravel())
    return np.array(rows)


def entropy(x):
    x = np.maximum(np.ravel(x), 1e-300)
    return -float((x * np.log(x)).sum())


def by_a_general_solver(game, kind):
    A = deviations(game, kind)
    n = A.shape[1]
    optimum = minimize(
        lambda x: (np.maximum(x, 1e-12) * np.log(np.maximum(x, 1e-12))).sum(),
        np.full(n, 1 / n),
        jac=lambda x: np.log(np.maximum(x, 1e-12)) + 1,
        bounds=[(0, 1)] * n,
        constraints=[LinearConstraint(np.ones(n), 1, 1), LinearConstraint(A, -np.inf, 0)],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    return optimum.x if optimum.success else None


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(game=tensors())
def test_no_deviation_gains_and_no_equilibrium_has_more_entropy(kind, game):
    equilibrium = bp.games.max_entropy_equilibrium(game, equilibrium=kind)
    assert equilibrium.sum() == pytest.approx(1)
    assert equilibrium.min() >= 0
    assert (deviations(game, kind) @ equilibrium.ravel()).max(initial=0.0) < 1e-7
    other = by_a_general_solver(game, kind)
    if other is not None:
        assert entropy(equilibrium) >= entropy(other) - 1e-5


def test_chicken_by_hand():
    """Daring pays no less than yielding when advised to dare: DY = 2 DD. With YY = z, d/dx of the entropy gives z = 2^0.8 x."""
    x = 1 / (5 + 2**0.8)
    for kind in KINDS:
        equilibrium = bp.games.max_entropy_equilibrium([CHICKEN, CHICKEN.T], equilibrium=kind)
        np.testing.assert_allclose(equilibrium, [[x, 2 * x], [2 * x, 2**0.8 * x]], atol=1e-9)


def test_rock_paper_scissors_is_uniform_and_the_dilemma_confesses():
    rps = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    np.testing.assert_allclose(bp.games.max_entropy_equilibrium([rps, -rps]), np.full((3, 3), 1 / 9), atol=1e-9)
    dilemma = np.array([[2.0, 0.0], [3.0, 1.0]])
    np.testing.assert_allclose(bp.games.max_entropy_equilibrium([dilemma, dilemma.T]), [[0, 0], [0, 1]], atol=1e-9)


def prices(game, kind, x):
    """How far x is from having no more entropy in reach: the least-squares residual of prices, none below zero, of deviations.

    With x positive everywhere, log x constant but for sums of gains of tight deviations at such prices proves the maximum (Karush, Kuhn
    and Tucker), as entropy is concave.
    """
    A = deviations(game, kind)
    tight = A[np.abs(A @ x.ravel()) < 1e-9]
    K = np.vstack([-tight, np.ones(A.shape[1])]).T
    low = np.append(np.zeros(len(tight)), -np.inf)
    return np.abs(K @ lsq_linear(K, np.log(x.ravel()), bounds=(low, np.inf), tol=1e-14).x - np.log(x.ravel())).max()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(6, 6), (4, 5), (3, 2, 3)])
def test_prices_of_deviations_prove_that_no_equilibrium_has_more_entropy(kind, shape):
    proved = 0
    for seed in range(40):
        game = list(np.random.default_rng(seed).normal(size=(len(shape), *shape)))
        equilibrium = bp.games.max_entropy_equilibrium(game, equilibrium=kind)
        if equilibrium.min() > 0:
            assert (deviations(game, kind) @ equilibrium.ravel()).max() < 1e-9
            assert prices(game, kind, equilibrium) < 1e-6
            proved += 1
    assert proved >= 2


def test_twenty_by_twenty_strategies_take_a_moment():
    """It was 41 s when threads of BLAS waited for each other; the prices prove the answer."""
    game = list(np.random.default_rng(0).normal(size=(2, 20, 20)))
    began = time.process_time()
    equilibrium = bp.games.max_entropy_equilibrium(game, equilibrium="correlated")
    assert time.process_time() - began < 10
    assert equilibrium.sum() == pytest.approx(1)
    assert equilibrium.min() > 0
    for p, G in enumerate(game):
        gain = np.einsum("ij,kj->ik", equilibrium, G) if p == 0 else np.einsum("ij,ik->jk", equilibrium, G)
        assert (gain - np.diag(gain)[:, None]).max() < 1e-9


def test_in_shapleys_game_the_uniform_nash_equilibrium_has_the_most_entropy_there_is():
    one, other = np.eye(3), np.roll(np.eye(3), 1, axis=1)
    for kind in KINDS:
        np.testing.assert_allclose(
            bp.games.max_entropy_equilibrium([one, other], equilibrium=kind), np.full((3, 3), 1 / 9), atol=1e-9
        )


def test_a_gain_that_is_allowed_leads_to_the_uniform_distribution():
    dilemma = np.array([[2.0, 0.0], [3.0, 1.0]])
    equilibrium = bp.games.max_entropy_equilibrium([dilemma, dilemma.T], epsilon=0.5)
    np.testing.assert_allclose(equilibrium, np.full((2, 2), 0.25), atol=1e-9)


@pytest.mark.parametrize(
    ("given", "message"), [({"equilibrium": "coars"}, "Did you mean 'coarse'"), ({"epsilon": -1}, "0 or more")]
)
def test_settings_that_cannot_be_are_refused(given, message):
    with pytest.raises(UsageError, match=message):
        bp.games.max_entropy_equilibrium([CHICKEN, CHICKEN.T], **given)


def test_a_game_too_large_is_refused():
    with pytest.raises(DataError, match="1,000,000 deviations times outcomes"):
        bp.games.max_entropy_equilibrium([np.zeros((101, 101, 101))] * 3)
