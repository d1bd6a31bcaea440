"""Removals by share of battles won, against every subset."""

from hypothesis import given, settings

from beatpath import Battles
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
