"""Soft extrema, between the mean and the extremum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.methods.soft_core.operators import softmax, softmin


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.floats(0.05, 5))
def test_soft_extrema_are_the_log_mean_exponentials(values, gamma):
    x = np.array(values)
    assert softmax(x, gamma) == pytest.approx(gamma * np.log(np.exp(x / gamma).mean()), abs=1e-9)
    assert softmin(x, gamma) == pytest.approx(-softmax(-x, gamma), abs=1e-12)
    assert x.min() - 1e-9 <= softmin(x, gamma) <= x.mean() + 1e-9
