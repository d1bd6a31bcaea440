"""Our own read-only copies, validated."""

import numpy as np
import pytest

from beatpath import DataError
from beatpath.evidence.arrays import agent_names, positive_weights, read_only


def test_what_is_handed_in_can_change_without_us():
    theirs = np.array([1.0, 2.0])
    ours = read_only(theirs, np.float64)
    theirs[0] = 9
    assert ours.tolist() == [1, 2]
    assert read_only(ours, np.float64) is ours


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf])
def test_a_weight_that_cannot_be_is_named_with_its_row(bad):
    with pytest.raises(DataError, match="in row 2"):
        positive_weights([1.0, bad], 2)


def test_names_are_distinct_texts():
    with pytest.raises(DataError, match="'ada' stand more than once"):
        agent_names(["ada", "bob", "ada"])
    with pytest.raises(DataError, match="of type int"):
        agent_names(["ada", 3])


@pytest.mark.parametrize("bad", [1e-300, 1e300])
def test_a_weight_whose_square_is_no_number_is_named_with_its_row_and_a_remedy(bad):
    with pytest.raises(DataError, match=r"from 1e-120 to 1e\+120; got 1e.*300 in row 2\. Multiply all"):
        positive_weights([1.0, bad], 2)
