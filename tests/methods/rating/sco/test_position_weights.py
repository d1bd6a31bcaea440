"""Weights by position."""

import pytest

from beatpath import UsageError
from beatpath.methods.rating.sco.sco import position_weights


def test_weights_given_are_taken_and_too_few_are_refused():
    assert position_weights([3.0, 2.0, 1.0], 3).tolist() == [3, 2, 1]
    with pytest.raises(UsageError, match="a weight for each of the 3 positions"):
        position_weights([3.0], 3)
