"""How probable each agent of a pair is the better: symmetric, growing with the score, and shared among alike pairs."""

import numpy as np
import pytest

from beatpath import Pairs
from beatpath.inference.core.core_edges import core_edges


def edges(*scores):
    n = len(scores)
    return core_edges(Pairs(tuple(f"x{i:02d}" for i in range(2 * n)), 2 * np.arange(n), 2 * np.arange(n) + 1, scores))


def test_who_won_more_is_the_more_probably_better_and_both_sides_agree():
    found = edges(*([[w, 10 - w, 0, 0] for w in range(11)]))
    better = found.better[2 * np.arange(11), 2 * np.arange(11) + 1]
    assert (np.diff(better) > 0).all()
    np.testing.assert_allclose(better, 1 - better[::-1], atol=1e-9)
    np.testing.assert_allclose(found.better + found.better.T, 1)


def test_a_narrow_score_says_more_where_all_others_are_one_sided():
    close = edges([3, 2, 0, 0], *([[52, 48, 0, 0], [49, 51, 0, 0]] * 10))
    clear = edges([3, 2, 0, 0], *([[98, 2, 0, 0], [3, 97, 0, 0]] * 10))
    assert clear.better[0, 1] > close.better[0, 1] + 0.05
    assert clear.strength > 0.9
    assert close.strength < 0.6


def test_an_order_without_upsets_is_found():
    n = 6
    a, b = np.triu_indices(n, 1)
    found = core_edges(Pairs(tuple("fedcba"), a, b, [[9, 1, 0, 0]] * len(a)))
    assert found.order.tolist() == list(range(n))
    assert np.diag(found.better) == pytest.approx(np.full(n, 0.5))
