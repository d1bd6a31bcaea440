"""Scales of strengths."""

import numpy as np
import pytest

from beatpath import UsageError
from beatpath.methods.rating.bradley_terry.bradley_terry import on_scale, require_scale


def test_odds_of_ten_are_four_hundred_points_and_the_anchor_stands_where_it_was_put():
    ratings = on_scale(np.array([0.0, np.log(10)]), ("a", "b"), scale="elo", anchor="a", anchor_rating=1000)
    np.testing.assert_allclose(ratings, [1000, 1400])
    np.testing.assert_allclose(on_scale(np.array([1.0, 3.0]), ("a", "b")), [-1, 1])


def test_an_anchor_that_is_no_agent_is_refused():
    with pytest.raises(UsageError, match="Did you mean 'ada'"):
        require_scale(("ada", "bob"), "elo", "adda", None)
