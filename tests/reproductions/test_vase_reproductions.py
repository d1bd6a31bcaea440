"""What the reproductions of VasE are made of: ties broken by an integer program, and Elo at rest."""

import sys

import numpy as np
import pytest

import beatpath as bp
from helpers.paths import REPRODUCTIONS

sys.path[:0] = [str(REPRODUCTIONS / "common"), str(REPRODUCTIONS / "vase_agentbench")]

from elo import elo_at_rest
from tie_breaking import Program

RULES = {"borda": {}, "copeland": {}, "plurality": {}, "approval": {"k": 2}}


def required(cells, printed):
    program = Program(cells)
    program.borda(printed["borda"])
    program.copeland(printed["copeland"])
    program.approval(1, printed["plurality"])
    program.approval(2, printed["approval"])
    return program.solved()


def scores_by_rule(cells):
    agents, tasks = [f"a{i}" for i in range(len(cells))], [f"t{i}" for i in range(cells.shape[1])]
    scores = bp.Scores.from_table(cells, agents, tasks)
    return {rule: list(bp.rank(scores, rule, **settings).scores.values()) for rule, settings in RULES.items()}


@pytest.mark.parametrize("seed", range(5))
def test_ties_that_were_broken_somehow_are_broken_so_that_every_score_comes_out(seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 3, (6, 4)).astype(float)
    printed = scores_by_rule(cells + 1e-3 * rng.random(cells.shape))
    places = required(cells, printed)
    assert scores_by_rule(places) == printed
    above = cells[:, None] > cells[None]
    assert ((places[:, None] > places[None]) | ~above).all(), "only ties are broken"


def test_scores_that_no_order_of_ties_gives_have_no_solution():
    cells = np.array([[2.0, 2.0], [1.0, 0.0], [1.0, 0.0]])
    printed = scores_by_rule(cells + np.array([[0.0, 0.0], [0.1, 0.1], [0.0, 0.0]]))
    assert required(cells, printed) is not None
    assert required(cells, printed | {"borda": [3.0, 2.0, 1.0]}) is None


def test_elo_at_rest_gives_each_agent_the_wins_that_it_has():
    wins = np.array([[0.0, 4, 2], [1, 0, 2], [3, 3, 0]])
    rating = elo_at_rest(wins)
    chance = 1 / (1 + 10 ** ((rating[None] - rating[:, None]) / 400))
    assert ((wins + wins.T) * chance).sum(axis=1) == pytest.approx(wins.sum(axis=1), abs=1e-6)
