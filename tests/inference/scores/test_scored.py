"""Functions take evidence, a resolution or a board, and the answers are the same."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.scores.scored import board_of, scored_of

PAIRS = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[57, 43, 0, 0], [80, 20, 0, 0], [70, 30, 0, 0]])
QUESTIONS = {
    "sample_size": lambda evidence: bp.planning.sample_size(evidence, "ada", "bob"),
    "sample_size_for_top": bp.planning.sample_size_for_top,
    "next_pairs": lambda evidence: bp.planning.next_pairs(evidence, budget=100),
    "minimum_detectable_effect": bp.planning.minimum_detectable_effect,
    "winners_curse": lambda evidence: bp.robustness.winners_curse(evidence, ["ada", "bob"], draws=1000),
    "rank_sets": bp.rank_sets,
    "cycles": bp.cycles,
    "cycles of pairs with many battles": lambda evidence: bp.cycles(evidence, min_battles=50),
    "transitivity": bp.robustness.transitivity,
    "bradley_terry_projection": bp.robustness.bradley_terry_projection,
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_an_answer_is_the_same_of_evidence_of_its_win_rates_and_of_a_resolution(question):
    answers = [
        question(evidence).to_dict() for evidence in (PAIRS, bp.metrics.win_rate_inference(PAIRS), bp.resolve(PAIRS))
    ]
    first, second, third = (json.dumps(answer, sort_keys=True, default=str) for answer in answers)
    assert first == second == third


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_what_is_neither_is_refused(question):
    with pytest.raises(bp.UsageError, match="must be battles, ballots, scores, pairs"):
        question([1, 2, 3])


def test_a_resolution_keeps_the_estimand_it_was_made_with():
    resolution = bp.resolve(PAIRS, estimand={"cyd": 1.0})
    assert scored_of(resolution).board is resolution.board
    assert board_of(resolution).settings["estimand"] == {"cyd": 1.0}
    assert bp.planning.minimum_detectable_effect(resolution).settings["estimand"] == {"cyd": 1.0}


def test_a_board_alone_answers_what_needs_no_battles():
    board = bp.leaderboard(PAIRS)
    assert board_of(board) is board
    np.testing.assert_array_equal(bp.rank_sets(board).best, bp.rank_sets(PAIRS).best)
    with pytest.raises(bp.UsageError, match="a board alone has none"):
        bp.planning.sample_size(board, "ada", "bob")
