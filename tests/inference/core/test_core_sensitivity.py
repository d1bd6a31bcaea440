"""Who crosses one half at other settings of the soft core."""

import numpy as np
import pytest

import beatpath as bp
from beatpath import DataError
from beatpath.robustness import core_sensitivity

CYCLE = np.array([[0.5, 0.9, 0.1, 0.9], [0.1, 0.5, 0.9, 0.9], [0.9, 0.1, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]])
NAMES = ["rock", "paper", "scissors", "stone"]


def test_a_cycle_needs_paths_of_two_wins_and_edges_that_are_not_dropped():
    sweep = core_sensitivity(bp.core(CYCLE, agents=NAMES), tau=(0.01,), max_length=(1, 2), least=(0.5, 0.9999))
    assert sweep.members == ("rock", "paper", "scissors")
    flips = {(one.setting, one.value): (one.joined, one.left) for one in sweep.settings}
    everyone = ((), ("rock", "paper", "scissors"))
    assert flips == {
        ("tau", 0.01): ((), ()),
        ("max_length", 1): everyone,  # each loses to one of the others
        ("max_length", 2): ((), ()),
        ("least", 0.5): ((), ()),
        ("least", 0.9999): everyone,  # at 0.05 a win rate of 0.9 is an edge of 0.9997
    }
    assert sweep.sentences[2] == ("Longest path: nobody crosses one half at 2; at 1 'rock', 'paper', 'scissors' leave.")


def test_the_default_is_the_soft_core_of_the_same_edges():
    rng = np.random.default_rng(3)
    upper = np.triu(rng.uniform(0.2, 0.8, (8, 8)), 1)
    P = upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(8)
    core = bp.core(P)
    above = tuple(agent for agent, score in core.top_cycle.scores.items() if score > 0.5)
    assert core_sensitivity(core).members == above


def test_agents_in_two_components_are_refused():
    apart = bp.Battles.of([("ada", "bob", 1), ("cyd", "dan", 1)] * 20)
    with pytest.raises(DataError, match="one component"):
        core_sensitivity(apart)


def test_a_report_says_who_crosses_one_half():
    rows = [("rock", "scissors", 1), ("scissors", "paper", 1), ("paper", "rock", 1)] * 30
    assert "How the soft core depends on its settings" in bp.report(bp.Battles.of(rows)).html()
