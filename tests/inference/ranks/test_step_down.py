"""Stepping down: Holm's procedure, and what follows from a relation."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from beatpath.inference.ranks.critical import (
    bonferroni,
)
from beatpath.inference.ranks.step_down import rejections, transitive_closure


def test_stepping_down_by_bonferroni_is_holms_procedure():
    p = np.array([0.001, 0.012, 0.02, 0.04, 0.2])
    z = stats.norm.isf(p)
    rejected, _ = rejections(z, np.ones(5, bool), lambda left: bonferroni(0.95, int(left.sum())), step_down=True)
    holm = np.maximum.accumulate(p * np.arange(5, 0, -1)) < 0.05
    np.testing.assert_array_equal(rejected, holm)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_what_follows_from_a_relation_is_its_transitive_closure(n, seed):
    above = np.triu(np.random.default_rng(seed).random((n, n)) < 0.4, 1)
    reach = above.copy()
    for via in range(n):
        reach |= reach[:, [via]] & reach[[via], :]
    np.testing.assert_array_equal(transitive_closure(above), reach)
