"""Agreement: who is first by how many methods, what a method that ties everybody may not say, and the top all agree on."""

from itertools import combinations
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath._sentence import plain_text
from beatpath.inference.ranking.compare import agreed_top, agreement, ordering


def rankings(n, *orders, keys=("borda", "copeland", "schulze", "elo", "iml", "kemeny")):
    """Rankings of the first `n` letters, tied agents written together: ``"a bc d"``."""
    made = []
    for order, key in zip(orders, keys, strict=False):
        levels = [tuple(level) for level in order.split()]
        made.append(SimpleNamespace(levels=levels, winners=levels[0], agents=tuple("abcdefgh"[:n]), method=key))
    return made


def agreement_text(n, *orders):
    return plain_text(agreement(rankings(n, *orders)))


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
    assert agreed_top(rankings(n, *orders)) == agreed


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=3))
def test_the_top_agreed_on_is_that_of_trying_every_set(orders):
    size = agreed_top(rankings(6, *(" ".join(order) for order in orders)))
    agreed = [k for k in (1, 2, 3) for top in combinations("abcdef", k) if all(set(o[:k]) == set(top) for o in orders)]
    assert size == max(agreed, default=0)


def test_agreement_on_more_than_ten_is_not_reported():
    names = [f"a{i:02d}" for i in range(60)]
    ballots = bp.Ballots.of([[[name] for name in names]], count=[40])
    assert agreed_top(bp.compare_methods(ballots, ["borda", "copeland"]).rankings) == 10


def test_the_summary_counts_the_methods_that_rank_each_agent_first():
    assert agreement_text(3, "a b c", "a b c", "a c b", "b a c") == "3 of 4 methods rank 'a' first; elo ranks 'b' first"
    assert agreement_text(3, "a b c", "a c b", "a b c") == "All 3 methods rank 'a' first"


def test_two_methods_are_both_and_never_all_two():
    assert agreement_text(3, "a b c", "a c b") == "Both methods rank 'a' first"
    assert agreement_text(3, "a b c", "b a c") == "borda ranks 'a' first; copeland ranks 'b' first"


def test_a_method_that_ties_everybody_is_no_disagreement():
    sentence = agreement_text(3, "a b c", "abc", "a b c", "a c b")
    assert sentence == "All 3 methods rank 'a' first; copeland ties all agents"
    assert agreement_text(3, "abc", "abc") == "No method separates agents: both methods tie all agents"


def test_agents_tied_for_first_place_are_reported_as_tied():
    assert agreement_text(3, "ab c", "ab c") == "Both methods tie 'a' and 'b' for first"


def test_the_order_of_methods_with_as_many_followers_is_that_of_names():
    assert agreement_text(3, "b a c", "a b c") == "copeland ranks 'a' first; borda ranks 'b' first"


def test_a_method_that_ties_most_agents_orders_nobody():
    rules = ordering(rankings(6, "a b c d e f", "a bcdef", "abcdef", "ab cd ef"))
    assert [one.method for one in rules] == ["borda", "elo"]


def test_ranks_of_a_method_that_ties_everybody_are_never_quoted():
    """Approval of the first five ties all three agents; its rank 1 of everybody is nobody's best rank."""
    ballots = bp.Ballots.of([[["a"], ["b"], ["c"]], [["a"], ["c"], ["b"]]], count=[30, 10])
    comparison = bp.compare_methods(ballots, ["approval", "borda", "copeland"])
    assert comparison.movers() == [("a", 1, 1), ("b", 2, 2), ("c", 3, 3)]
    assert comparison.moves().text == "The 2 methods that order all agents give every agent the same rank."
    assert comparison.answer.text == "Both methods rank 'a' first; approval ties all agents."
