"""Removals by share of battles won, against every subset."""

import numpy as np
import pytest
from hypothesis import given, settings

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


@pytest.mark.parametrize("seed", range(5))
def test_the_fewest_removals_are_those_of_trying_all_numbers(seed):
    """Of battles by what dropping one does: won by the second or tied between the two, useful, tied and others of each."""
    rng = np.random.default_rng(seed)
    for beaten, even, lost, drawn, won, wins, ties, losses in rng.integers(0, rng.integers(2, 7, (120, 8))).tolist():
        twice = (2 * won + drawn + even, 2 * (beaten + wins) + ties + even)
        played = (beaten + even + lost + drawn + won, beaten + even + wins + ties + losses)
        x, t, i, k, j, m = np.indices([number + 1 for number in (beaten, even, lost, drawn, wins, ties)])
        left_up, left_down = played[0] - x - t - i - k, played[1] - x - t - j - m
        won_up, won_down = twice[0] - t - k, twice[1] - 2 * x - t - 2 * j - m
        ahead = (left_up > 0) & (left_down > 0) & (won_up * left_down > won_down * left_up)
        duel = _Duel(twice, played, beaten, even, (lost, wins), (drawn, ties))
        fewest = int((x + t + i + k + j + m)[ahead].min(initial=sum(played)))
        assert _best(duel, fewest - 1) is None or not fewest
        best = _best(duel, fewest)
        assert (best is not None) == ahead.any()
        if best is not None:
            x, t, i, j = best
            assert ahead[x, t, min(i, lost), max(i - lost, 0), min(j, wins), max(j - wins, 0)]
            assert x + t + i + j == fewest
