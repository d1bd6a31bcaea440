"""Named columns as codes and levels."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beatpath.evidence import Factor


@given(st.lists(st.one_of(st.none(), st.sampled_from("abc")), max_size=10))
def test_names_come_back_as_they_went_in(names):
    factor = Factor.of(names)
    assert factor.names() == names
    assert factor.n_missing == names.count(None)
    assert list(factor.levels) == sorted(set(names) - {None})
    mask = np.arange(len(names)) % 2 == 0
    assert factor.take(mask).names() == names[::2]
