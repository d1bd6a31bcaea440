"""Branch and bound against grids, and its certificate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath.methods.rating.sco.losses import Cells, sigmoid_loss
from beatpath.methods.rating.sco.sigmoidal_program import _cuts, _envelope, _Node, _Problem, sigmoidal_program
from beatpath.methods.rating.sco.solver import minimized


def random_cells(n, seed):
    wins = np.random.default_rng(seed).integers(0, 9, (n, n)).astype(float)
    np.fill_diagonal(wins, 0)
    return Cells.from_wins(wins)


def on_a_grid(cells, temperature, high, points):
    """The least loss over a grid of three ratings."""
    line = np.linspace(0, high, points)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    loss = np.zeros(len(grid))
    for a, b, x, y in zip(cells.a, cells.b, cells.n_ab, cells.n_ba, strict=True):
        share = expit((grid[:, b] - grid[:, a]) / temperature)
        loss += x * share + y * (1 - share)
    return loss.min()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("temperature", [0.5, 2.0, 6.0])
def test_three_agents_agree_with_a_grid(seed, temperature):
    cells = random_cells(3, seed)
    solution = sigmoidal_program(cells, temperature=temperature, high=10.0, tol=1e-4)
    grid = on_a_grid(cells, temperature, 10.0, 61)
    slack = 1e-4 * np.abs(cells.margin).sum()
    assert solution.optimal
    assert solution.upper <= grid + 1e-9
    assert solution.lower <= solution.upper
    assert solution.upper - solution.lower <= slack + 1e-9
    assert solution.upper == pytest.approx(sigmoid_loss(solution.theta, cells, temperature))


@settings(max_examples=15, deadline=None)
@given(n=st.integers(2, 5), seed=st.integers(0, 999), temperature=st.sampled_from([1.0, 10.0, 40.0]))
def test_no_ratings_are_below_the_lower_bound(n, seed, temperature):
    cells = random_cells(n, seed)
    solution = sigmoidal_program(cells, temperature=temperature)
    rng = np.random.default_rng(seed)
    for theta in (minimized(cells, temperature=temperature).theta, *rng.uniform(0, 100, (200, n))):
        assert sigmoid_loss(theta, cells, temperature) >= solution.lower - 1e-6


@given(
    low=st.floats(-60, 60, allow_subnormal=False),
    width=st.floats(1e-3, 60),
    share=st.floats(0, 1),
)
def test_the_envelope_lies_below_the_sigmoid_and_the_cuts_below_the_envelope(low, width, share):
    high = low + width
    x = min(low + share * width, high)
    below = _envelope(low, high)(x)
    slope, height, _ = _cuts(low, high, 0)
    assert below <= expit(x) + 1e-9
    assert (slope * x + height).max() <= below + 1e-9
    middle = (_envelope(low, high)(low) + _envelope(low, high)(high)) / 2
    assert _envelope(low, high)((low + high) / 2) <= middle + 1e-9


def test_it_stops_at_the_limit_with_bounds_as_they_stand():
    cells = random_cells(6, 3)
    solution = sigmoidal_program(cells, temperature=30.0, max_nodes=3, tol=1e-6)
    assert not solution.optimal
    assert solution.lower < solution.upper
    assert solution.nodes <= 4


def test_the_exact_solver_says_exact_and_gives_its_bounds():
    votes = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3])
    ranking = bp.rank(votes, "sco", solver="exact", temperature=1.0)
    assert ranking.levels == (("C",), ("A",), ("B",))
    assert ranking.status == "exact"
    assert ranking.details["lower"] <= ranking.details["loss"] == ranking.details["upper"]


def test_equals_stay_tied_under_the_exact_solver():
    cycle = Battles.of([("r", "s", 1), ("s", "p", 1), ("p", "r", 1)])
    assert bp.rank(cycle, "sco", solver="exact").levels == (("p", "r", "s"),)


@pytest.mark.parametrize("seed", range(20))
def test_the_halves_of_a_node_are_the_node_and_neither_is_a_sliver(seed):
    rng = np.random.default_rng(seed)
    problem = _Problem.of(random_cells(4, seed), 2.0, 0.0, 10.0)
    low, high = np.sort(rng.uniform(-5, 5, (2, len(problem.size))), axis=0)
    theta = rng.uniform(0, 10, 4)
    below, above = problem.split(_Node(low, high, -np.inf, theta))
    (pair,) = np.flatnonzero(below.high != high)
    assert np.flatnonzero(above.low != low).tolist() == [pair]
    assert (below.low == low).all()
    assert (above.high == high).all()
    assert below.high[pair] == above.low[pair]
    cut, at = ((x[pair] - low[pair]) / (high[pair] - low[pair]) for x in (above.low, problem.gaps(theta)))
    assert cut == pytest.approx(min(max(at, 0.1), 0.9))
