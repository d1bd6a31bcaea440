"""Tables of counts and matrices."""

import numpy as np
import pytest

import beatpath as bp


def test_a_win_matrix_a_rate_matrix_and_a_margin_matrix_are_distinguished(write):
    wins = bp.read(write(",x,y\nx,0,3\ny,1,0\n"))
    assert wins.counts.tolist() == [[3, 1, 0, 0]]
    wins = bp.read(write("agent,x,y,z\nx,5,3,0\ny,1,0,2\nz,0,0,0\n"))
    assert wins.counts.tolist() == [[3, 1, 0, 0], [2, 0, 0, 0]]
    assert "diagonal (5)" in wins.reading.notes[0]
    rates = bp.read(write("agent,x,y,z\nx,0.5,0.75,\ny,0.25,0.5,0.1\nz,,0.9,0.5\n"))
    assert rates.kind == "win_rates"
    assert np.isnan(rates.matrix[0, 2])
    half = bp.read(write("agent,x,y,z\nx,,0.75,0.5\ny,,,0.1\nz,,,\n"))
    assert half.kind == "win_rates"
    assert half.matrix.tolist() == [[0.5, 0.75, 0.5], [0.25, 0.5, 0.1], [0.5, 0.9, 0.5]]
    margins = bp.read(write("agent,x,y,z\nx,0,2,-1\ny,-2,0,0\nz,1,0,0\n"))
    assert margins.kind == "margins"


def test_a_position_column_splits_pair_counts_by_who_was_first(write):
    """In the first row y stands first; written as the pair (x, y) that is b first, and its wins are x's losses."""
    pairs = bp.read(write("model_a,model_b,wins_a,wins_b,position\ny,x,3,1,a\nx,y,5,2,1\nx,y,0,4,0\n"))
    assert pairs.keys["position"].names() == ["a first", "b first", "neither first"]
    assert pairs.counts.tolist() == [[5, 2, 0, 0], [1, 3, 0, 0], [0, 4, 0, 0]]


def test_pair_counts_whose_total_is_beyond_exact_numbers_are_refused(write):
    rows = "".join(f"a{i},b{i},{2**53},0\n" for i in range(3))
    with pytest.raises(bp.DataError, match=r"at most 2\^53 battles"):
        bp.read(write("agent_a,agent_b,wins_a,wins_b\n" + rows))
    assert bp.read(write(f"agent_a,agent_b,wins_a,wins_b\na,b,{2**53},0\n")).battles.sum() == 2**53
