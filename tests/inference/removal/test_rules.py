"""Every rule's number, by trying every subset."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from beatpath import Battles
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set
from helpers.removals import BY_DEFINITION, few_battles, fewest_by_trying, passes


@pytest.mark.parametrize("method", BY_DEFINITION)
@given(battles=few_battles(), data=st.data())
@settings(max_examples=25)
def test_the_number_is_that_of_trying_every_subset(method, battles, data):
    up, down = data.draw(st.permutations("xyz"))[:2]
    score = BY_DEFINITION[method](battles)
    assume(score[up] is not None and score[down] is not None and not passes(score, up, down))
    removal = smallest_influential_set(battles, method, above=up, below=down)
    assert removal.exact
    assert removal.needed == fewest_by_trying(battles, method, up, down)
    assert removal.verified == (removal.needed is not None)
    assert sum(one.count for one in removal.removed) == (removal.needed or 0)


def test_weights_and_soft_preferences_are_searched_too():
    rows = [("a", "b", 0.9), ("a", "b", 0.8), ("b", "a", 0.7), ("a", "c", 0.6), ("b", "c", 0.6), ("c", "b", 0.5)]
    soft = Battles.of(rows, weight=[1, 2, 1, 1, 1, 3])
    for method in ("bradley_terry", "win_rate", "copeland", "borda"):
        removal = smallest_influential_set(soft, method, above="b", below="a")
        assert removal.verified
        assert removal.needed <= 3
    assert (
        smallest_influential_set(soft, "borda", above="b", below="a").needed == 2
    )  # by hand: a gap of 3.2, and 2.4 + 1.6 go
