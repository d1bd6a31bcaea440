"""A vote taken back: as if it had not been, and stored all the same."""

import numpy as np
import pytest
import sqlalchemy as sa

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.battles import WITHDRAWN, withdraw, withdrawn
from beatpath.arena.storage import NotRequested

AGENTS = ["ada", "bob", "cyd"]


@pytest.fixture
def arena(address):
    made = Arena(address, agents=AGENTS, seed=1)
    yield made
    made.close()


def test_the_board_is_what_it_was_before_the_vote(arena):
    rng = np.random.default_rng(0)
    arena.tell_many((one, float(rng.random())) for one in arena.ask(60))
    last = arena.ask()
    before = arena.board()
    assert before.battles == 60
    arena.tell(last, 0.3, judge="eve")
    assert arena.board().battles == before.battles + 1
    withdraw(arena, last.key, judge="eve")
    after = arena.board()
    assert after.battles == before.battles
    np.testing.assert_allclose(after.score, before.score, atol=1e-12)
    np.testing.assert_allclose(after.radius, before.radius, rtol=1e-9)
    assert len(arena.evidence()) == 60


def test_the_battle_is_open_again_and_can_get_another_outcome(arena):
    battle = arena.ask()
    arena.tell(battle, "a", judge="eve")
    withdraw(arena, battle.key, judge="eve")
    assert arena.status()["pending"] == 1
    arena.tell(battle, "b", judge="eve")
    assert arena.evidence().outcome.tolist() == [0.0]


def test_a_withdrawn_outcome_is_stored_with_its_judge_and_counted(arena):
    assert withdrawn(arena) == 0
    battle = arena.ask()
    arena.tell(battle, "both_bad", judge="eve")
    withdraw(arena, battle.key, judge="eve")
    withdraw(arena, battle.key, judge="eve")
    assert withdrawn(arena) == 1
    with arena._storage.reading() as db:
        row = db.execute(sa.select(WITHDRAWN)).one()
    assert (row.key, row.judge, row.outcome, row.both_bad) == (battle.key, "eve", 0.5, True)
    assert row.answered <= row.withdrawn


def test_only_the_judge_of_a_battle_can_withdraw_it(arena):
    battle = arena.ask()
    arena.tell(battle, "a", judge="eve")
    with pytest.raises(bp.DataError, match="must be withdrawn by who answered it; 'mallory' did not"):
        withdraw(arena, battle.key, judge="mallory")
    with pytest.raises(NotRequested, match="'nothing' was not"):
        withdraw(arena, "nothing", judge="eve")
    assert arena.board().battles == 1
