"""Checks of single arguments: what is refused, and in what words."""

import numpy as np
import pytest

from beatpath import UsageError
from beatpath._validate import require_choice, require_share


@pytest.mark.parametrize("value", [0.95, 1e-9, np.float64(0.5)])
def test_a_share_lies_between_nothing_and_all(value):
    require_share("level", value)


@pytest.mark.parametrize("value", [0, 1, 95, -0.1, float("nan"), True, "0.95", None])
def test_what_is_no_share_is_named(value):
    with pytest.raises(UsageError, match="`level` must lie between 0 and 1"):
        require_share("level", value)


def test_a_choice_that_is_nearly_right_gets_the_right_one():
    require_choice("ties", "half", ("half", "drop"))
    with pytest.raises(UsageError, match="Did you mean 'half'"):
        require_choice("ties", "hlaf", ("half", "drop"))
