"""Removals by share of battles won, against every subset."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Battles
from beatpath.inference.removal.exact import _best, _Duel
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set
from helpers.removals import few_battles, fewest_by_trying, share


@given(battles=few_battles(most=10, agents=2, outcomes=(0.0, 0.5, 0.5, 1.0)))
@settings(max_examples=25)
def test_ties_between_the_two_are_weighed_as_trying_every_subset_does(battles):
    score = share(battles)
    up, down = sorted(battles.agents, key=lambda name: score[name])
    removal = smallest_influential_set(battles, "win_rate", above=up, below=down)
    assert removal.needed == fewest_by_trying(battles, "win_rate", up, down)


def test_an_agent_that_won_everything_cannot_be_passed_by_share():
    battles = Battles.of([("a", "b", 1), ("a", "c", 1), ("b", "c", 1), ("c", "b", 1)])
    removal = smallest_influential_set(battles, "win_rate")
    assert (removal.needed, removal.exact, removal.verified, removal.removed) == (None, True, False, ())
    assert str(removal) == "No removal of battles changes who is first by share of battles won."


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8), st.integers(0, 6))
def test_so_many_removals_suffice_exactly_where_trying_all_numbers_says_so(numbers, most):
    """Battles of two agents by what dropping one does: won by the second or tied between them, useful, tied and others of each."""
    beaten, even, lost, drawn, won, wins, ties, losses = numbers
    twice = (2 * won + drawn + even, 2 * (beaten + wins) + ties + even)
    played = (beaten + even + lost + drawn + won, beaten + even + wins + ties + losses)
    duel = _Duel(twice, played, beaten, even, (lost, wins), (drawn, ties))

    def ahead(x, t, i, k, j, m):
        left = played[0] - x - t - i - k, played[1] - x - t - j - m
        shares = twice[0] - t - k, twice[1] - 2 * x - t - 2 * j - m
        return min(left) > 0 and shares[0] * left[1] > shares[1] * left[0]

    ranges = (range(number + 1) for number in (beaten, even, lost, drawn, wins, ties))
    enough = any(sum(some) <= most and ahead(*some) for some in product(*ranges))
    best = _best(duel, most)
    assert (best is not None) == enough
    if best is not None:
        x, t, i, j = best
        assert ahead(x, t, min(i, lost), max(i - lost, 0), min(j, wins), max(j - wins, 0))
        assert x + t + i + j <= most
