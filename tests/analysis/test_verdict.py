"""The verdict: on how many of the first agents all methods agree."""

from itertools import combinations
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath.analysis.verdict import agreed_top


def compared(n, *orders):
    """Rankings of the first `n` letters, tied agents written together: ``"a bc d"``."""
    rankings = [SimpleNamespace(levels=[tuple(level) for level in order.split()]) for order in orders]
    return SimpleNamespace(agents=tuple("abcdefgh"[:n]), rankings=rankings)


@pytest.mark.parametrize(
    ("n", "orders", "agreed"),
    [
        (8, ["a b c d e f g h"] * 2, 4),  # half of all, though they agree on every one
        (5, ["a b c d e"] * 3, 2),
        (3, ["a b c"] * 2, 1),
        (2, ["a b"] * 2, 1),
        (8, ["a b c d e f g h", "c b a d e f g h"], 4),
        (6, ["a b c d e f", "c b a d e f"], 3),
        (6, ["a b c d e f", "a bcd e f"], 1),
        (6, ["ab c d e f", "b a c d e f"], 3),
        (6, ["a b c d e f", "f e d c b a"], 0),
        (4, ["ab c d", "b ac d"], 0),
        (4, ["abcd", "abcd"], 0),
    ],
)
def test_the_top_agreed_on_is_a_set_below_half_of_all(n, orders, agreed):
    assert agreed_top(compared(n, *orders)) == agreed


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=3))
def test_the_top_agreed_on_is_that_of_trying_every_set(orders):
    found = agreed_top(compared(6, *(" ".join(order) for order in orders)))
    agreed = [k for k in (1, 2, 3) for top in combinations("abcdef", k) if all(set(o[:k]) == set(top) for o in orders)]
    assert found == max(agreed, default=0)


def test_methods_that_agree_on_everyone_are_said_to_agree_on_half():
    ballots = bp.Ballots.of([[["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]], count=[40])
    assert agreed_top(bp.compare(ballots, ["borda", "copeland"])) == 3
