"""A process in which another build of HiGHS stands in the way, as after `from ortools.linear_solver import pywraplp`."""

import subprocess
import sys

import numpy as np
import pytest

import beatpath as bp
from beatpath.methods.numeric import linear_program as room
from beatpath.methods.numeric.linear_program import linear_program

BLOCKED = "import sys; sys.modules['highspy'] = None  # what an import that failed looks like\nimport beatpath as bp\n"


def run_blocked(code):
    return subprocess.run([sys.executable, "-c", BLOCKED + code], capture_output=True, text=True, check=False)


def test_lotteries_come_out_the_same_by_scipys_own_highs():
    code = "b = bp.Ballots.of(['abc', 'bca', 'cab'], count=[4, 3, 2])\nprint(bp.rank(b, 'maximal_lottery').scores)"
    ran = run_blocked(code)
    assert ran.returncode == 0, ran.stderr
    scores = bp.rank(bp.Ballots.of(["abc", "bca", "cab"], count=[4, 3, 2]), "maximal_lottery").scores
    assert eval(ran.stdout) == pytest.approx(scores)


@pytest.mark.parametrize("seed", range(4))
def test_a_program_with_rows_bounded_on_both_sides_has_the_same_optimum_and_prices(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    A, c = rng.normal(size=(4, 5)), rng.normal(size=5)
    low, high = np.array([-1.0, -np.inf, -0.5, 0.2]), np.array([1.0, 0.7, np.inf, 0.2])
    bounds = {"x_low": np.zeros(5), "x_high": np.ones(5)}
    low, high = low + A @ np.full(5, 0.5) - 0.2, high + A @ np.full(5, 0.5) - 0.2
    x, dual = linear_program(c, A, low, high, **bounds)
    monkeypatch.setitem(sys.modules, "highspy", None)
    y, prices = linear_program(c, A, low, high, **bounds)
    assert c @ x == pytest.approx(c @ y)
    np.testing.assert_allclose(dual, prices, atol=1e-7)


def test_a_large_cycle_says_that_kemeny_needs_a_process_of_its_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(bp.UsageError, match=r"Kemeny's method on a large cycle needs HiGHS.*process of its own"):
        room.highs_alone("Kemeny's method on a large cycle")


def test_where_nothing_is_in_the_way_highspy_is_taken(monkeypatch):
    monkeypatch.setattr(room, "find_spec", lambda name: None)
    assert room.highs().__name__ == "highspy"


def test_beatpath_before_ortools_leaves_room_for_its_build_of_highs(tmp_path):
    """A package that is called `ortools` stands for it: that suffices for scipy's build to be used."""
    (tmp_path / "ortools").mkdir()
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport beatpath as bp\n"
        "b = bp.Ballots.of(['abc', 'bca', 'cab'], count=[4, 3, 2])\n"
        "print(bp.rank(b, 'maximal_lottery').scores)\nassert 'highspy' not in sys.modules"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    scores = bp.rank(bp.Ballots.of(["abc", "bca", "cab"], count=[4, 3, 2]), "maximal_lottery").scores
    assert eval(ran.stdout) == pytest.approx(scores)
