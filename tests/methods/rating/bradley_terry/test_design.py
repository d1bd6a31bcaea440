"""Rows of a fit with position and covariates."""

import pytest

from beatpath import Battles, UsageError
from beatpath.methods.rating.bradley_terry.design import distinct_rows, shifts


def test_alike_battles_share_a_row_and_keep_their_weight():
    rows = [("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5), ("x", "z", 1)]
    battles = Battles.of(rows, position=[1, -1, 1, 1])
    pairs, x = distinct_rows(battles, shifts(battles, True, ()))
    assert pairs.counts.sum() == 4
    assert len(pairs) == len(x) < len(rows)


def test_a_covariate_nobody_gave_is_refused():
    with pytest.raises(UsageError, match="length"):
        shifts(Battles.of([("x", "y", 1)]), False, ("length",))
