import numpy as np
import pytest
from hypothesis import given, settings

import beatpath
from beatpath import Ballots
from beatpath.inference.ranking.rank import rank
from beatpath.methods.game.zero_sum import maximal_lottery_equilibrium
from beatpath.methods.profile import profile_of
from beatpath.methods.voting.lotteries import iml
from helpers.game_cases import OPEN_SPIEL, VASE, games, named


def as_printed(M):
    """Algorithm 2, line by line, without blocks."""
    left, rounds = list(range(len(M))), []
    while left:
        x = maximal_lottery_equilibrium(M[np.ix_(left, left)]).row
        rounds.append({a: p for a, p in zip(left, x, strict=True) if p > 0})
        left = [a for a in left if a not in rounds[-1]]
    level, score = np.zeros(len(M), dtype=int), np.zeros(len(M))
    for t, chosen in enumerate(rounds):
        for a, p in chosen.items():
            level[a], score[a] = t, len(rounds) - 1 - t + p
    return level, score


def test_the_pentathlon_scores_three_two_one():
    outcome = iml(profile_of(named(VASE["pentathlon"]["margins"])))
    assert outcome.score.tolist() == VASE["pentathlon"]["iml"]
    assert outcome.details["levels"] == 3
    assert outcome.details["cycles"] == []


def test_figure_12_puts_the_three_agents_of_its_cycle_on_one_level():
    outcome = iml(profile_of(named(VASE["figure_12"]["margins"])))
    assert np.flatnonzero(outcome.level == 0).tolist() == [0, 2, 5]
    assert 0 in outcome.details["cycles"]


@settings(deadline=None)
@given(games())
def test_agrees_with_the_algorithm_as_printed(M):
    level, score = as_printed(M)
    outcome = iml(profile_of(named(M)))
    np.testing.assert_array_equal(outcome.level, level)
    np.testing.assert_allclose(outcome.score, score, atol=1e-9)
    assert outcome.details["certificate"] > -1e-11


@pytest.mark.parametrize("case", OPEN_SPIEL["iml"], ids=lambda case: f"{len(case['votes'])} votes")
def test_agrees_with_open_spiel_where_votes_are_odd_in_number(case):
    outcome = rank(Ballots.of([[[name] for name in vote] for vote in case["votes"]]), "iml")
    for name, score in case["score"].items():
        assert outcome.scores[name] == pytest.approx(score, abs=2e-5)


def test_all_agents_tied_share_the_one_level():
    outcome = iml(profile_of(named(np.zeros((4, 4)))))
    assert outcome.level.tolist() == [0] * 4
    assert outcome.score.tolist() == [0.25] * 4
    assert not outcome.details["unique"]


def test_a_tie_lifts_the_worst_agent_and_the_status_says_where():
    margins = np.array([[0, 0, 4], [0, 0, -2], [-4, 2, 0]])
    mixtures = [np.array([1 - q, q, 0]) for q in (0.0, 0.5, 2 / 3)]  # by hand: maximal up to two thirds of the second
    assert all((x @ margins).min() >= -1e-12 for x in mixtures)
    outcome = iml(profile_of(named(margins)))
    assert outcome.level.tolist() == [0, 0, 1]
    assert outcome.status.endswith("level 1 ('agent000', 'agent001')")
    assert rank(named(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])), "iml").status == "exact"


def test_the_atari_levels_are_those_printed(shared):
    ranking = rank(beatpath.read(shared / "atari_tables" / "atari_rainbow_table6.csv"), "iml")
    assert [list(level) for level in ranking.levels] == VASE["atari"]["iml_levels"]
    assert ranking.scores["a3c"] == ranking.scores["dueling-ddqn"] == 3.5
