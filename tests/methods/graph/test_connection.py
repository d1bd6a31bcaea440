"""Whether estimates exist: unconnected groups, and groups that never lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath import DataError
from beatpath.methods.graph.connection import require_connection, require_one_group


def test_unconnected_agents_are_named():
    with pytest.raises(DataError, match=r"2 components that are not connected: \{'ada', 'bob'\}, \{'cyd'\}"):
        require_one_group(("ada", "bob", "cyd"), np.array([0]), np.array([1]), "elo")
    require_one_group(("ada", "bob", "cyd"), np.array([0, 1]), np.array([1, 2]), "elo")


@given(st.integers(2, 5), st.integers(0, 10_000))
def test_a_finite_estimate_needs_paths_of_wins_both_ways(n, seed):
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    wins, losses = rng.integers(0, 2, (2, len(a))).astype(float)
    reach = np.eye(n, dtype=bool)
    reach[a, b] |= wins > 0
    reach[b, a] |= losses > 0
    for via in range(n):
        reach |= reach[:, [via]] & reach[[via]]
    try:
        require_connection(tuple("abcde"[:n]), a, b, wins, losses, "the model")
        refused = False
    except DataError:
        refused = True
    assert refused != reach.all()


def test_one_group_per_agent_is_described_in_a_moment_however_many_there_are():
    n = 200_000
    names = tuple(f"m{i}" for i in range(n))
    with pytest.raises(DataError, match=r"200,000 groups without such paths both ways: \{'m0'\}"):
        require_connection(names, np.arange(n - 1), np.arange(1, n), np.ones(n - 1), np.zeros(n - 1), "Bradley-Terry")
