"""The sigmoid loss, against its definition and a finite difference."""

import numpy as np
import pytest

from beatpath.methods.rating.sco.losses import Cells, disagreement, sigmoid_gradient, sigmoid_loss


@pytest.mark.parametrize("seed", range(3))
def test_loss_and_gradient_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    wins, theta, tau = rng.integers(0, 9, (4, 4)).astype(float), rng.normal(size=4), 0.7
    np.fill_diagonal(wins, 0.0)
    cells = Cells.from_wins(wins)

    def loss(t):
        return sum(wins[a, b] / (1 + np.exp(-(t[b] - t[a]) / tau)) for a in range(4) for b in range(4) if a != b)

    assert sigmoid_loss(theta, cells, tau) == pytest.approx(loss(theta))
    slope = [(loss(theta + step) - loss(theta - step)) / 2e-6 for step in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(sigmoid_gradient(theta, cells, tau), slope, atol=1e-5)


def test_an_order_contradicts_the_preferences_it_reverses():
    cells = Cells.from_wins(np.array([[0, 4, 2], [1, 0, 2], [3, 3, 0]]))
    assert disagreement(np.array([2, 1, 3]), cells) == 1 + 2 + 2
