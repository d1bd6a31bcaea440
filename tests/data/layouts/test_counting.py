"""Battles counted into pairs while they are read."""

import numpy as np
import pytest

import beatpath as bp


def test_counting_in_the_engine_equals_counting_rows(write):
    path = write("model_a,model_b,winner,w,prompt\nx,y,tie,2,p\ny,x,model_a,1.5,q\nx,z,both_bad,1,p\nz,x,model_b,3,p\n")
    mapped = {"weight": "w", "cluster": "prompt"}
    by_rows = bp.read(path, map=mapped).pairs(["cluster"])
    counted = bp.read(path, map=mapped, to="pairs", by=["cluster"])
    np.testing.assert_array_equal(by_rows.counts, counted.counts)
    np.testing.assert_array_equal(by_rows.squares, counted.squares)
    np.testing.assert_array_equal(by_rows.battles, counted.battles)
    assert by_rows.keys["cluster"].names() == counted.keys["cluster"].names()


def test_the_side_that_was_first_can_split_counts_where_columns_have_an_order(write):
    pairs = bp.read(write("home,away,result\nx,y,1-0\ny,x,1-0\ny,x,0-1\n"), to="pairs", by=["position"])
    assert pairs.keys["position"].names() == ["a first", "b first"]
    assert pairs.counts.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0]]


def test_weights_must_not_be_negative(write):
    with pytest.raises(bp.ReadError, match="'w'"):
        bp.read(write("model_a,model_b,winner,w\nx,y,tie,-1\n"), map={"weight": "w"}, to="pairs")
