"""Several columns joined into one code, against plain dictionaries."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beatpath.stats.codes import apart, dense, joint, sums_by_code

small = st.lists(st.integers(-5, 10**6), max_size=30)


@given(small)
def test_dense_codes_keep_the_order_and_leave_no_gap(values):
    codes, n = dense(np.array(values, dtype=np.int64))
    rank = {value: i for i, value in enumerate(sorted(set(values)))}
    assert codes.tolist() == [rank[value] for value in values]
    assert n == len(rank)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.5, 1.0, np.nan]), st.booleans()), min_size=1))
def test_rows_share_a_joint_code_exactly_when_all_columns_agree(rows):
    code, n = joint([np.array(column) for column in zip(*rows, strict=True)])
    texts = [repr(row) for row in rows]  # NaN equals NaN
    assert [code[i] == code[j] for i in range(len(rows)) for j in range(len(rows))] == [
        a == b for a in texts for b in texts
    ]
    assert n == len(set(texts))


def test_sums_by_code_count_codes_that_do_not_occur():
    np.testing.assert_array_equal(sums_by_code(np.array([3, 0, 3]), np.array([1, 2, 4]), 5), [2, 0, 0, 5, 0])


def test_every_missing_code_is_a_group_of_its_own():
    codes = apart(np.array([-1, 4, -1, 4]))
    assert codes[1] == codes[3] == 4
    assert len({*codes.tolist()}) == 3
