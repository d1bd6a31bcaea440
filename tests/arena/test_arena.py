"""Ask and tell: what is stored, what is refused, and what many workers see."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from helpers.arenas import rates

AGENTS = ["ada", "bob", "cyd", "dan"]


@pytest.fixture
def arena(address):
    made = Arena(address, agents=AGENTS, goal="first", seed=1)
    yield made
    made.close()


def play(arena, battles, strength, seed=0, batch=25):
    P, rng = rates(np.array(strength)), np.random.default_rng(seed)
    for _ in range(battles // batch):
        asked = arena.ask(batch)
        arena.tell_many(
            (one, "a" if rng.random() < P[AGENTS.index(one.a), AGENTS.index(one.b)] else "b") for one in asked
        )


def test_it_stops_with_the_best_agent_and_says_so(arena):
    play(arena, 1500, [1.5, 0.0, -0.2, -0.4])
    assert arena.done
    assert arena.reason == "Settled at every look (95 %): first is 'ada'."
    assert arena.board().may_be_first == ("ada",)


def test_opening_it_again_finds_everything(arena, address):
    play(arena, 100, [0.5, 0.2, 0.0, -0.5])
    before = arena.board()
    arena.close()
    after = Arena(address).board()
    np.testing.assert_array_equal(before.score, after.score)
    np.testing.assert_array_equal(before.radius, after.radius)


def test_counts_kept_by_pair_are_those_of_all_battles(arena):
    play(arena, 300, [0.5, 0.2, 0.0, -0.5])
    told = arena.evidence()
    counted = told.pairs().by()
    a, b = told.a, told.b
    assert len(told) == 300
    assert counted.battles.sum() == 300
    board = arena.board()
    assert board.battles == 300
    assert abs(board.score.mean() - 0.5) < 1e-12
    assert (a < b).all()


def test_what_it_resolves_is_the_board_held_against_the_goal(arena):
    play(arena, 1500, [1.5, 0.0, -0.2, -0.4])
    found = arena.resolve()
    assert (found.done, found.reason) == (arena.done, arena.reason)
    assert found.board.may_be_first == ("ada",)
    assert found.to_dict() == arena.status()


def test_battles_from_elsewhere_inform_predictions_and_no_verdict(arena):
    assert arena.add([("bob", "ada", "b"), ("ada", "cyd", 0.75)]) == 2
    assert arena.board().battles == 0
    assert arena.evidence().outcome.tolist() == [1.0, 0.75]
    with pytest.raises(bp.UnknownLabel, match="'eve' must be an agent of the arena"):
        arena.add([("ada", "eve", "a")])
    with pytest.raises(bp.DataError, match="between two agents"):
        arena.add([("ada", "ada", "a")])


def test_agents_join_and_retire_and_a_new_board_begins(arena):
    play(arena, 100, [0.5, 0.2, 0.0, -0.5])
    arena.join("eve")
    assert arena.board().battles == 0
    assert arena.board().agents == (*AGENTS, "eve")
    assert {name for one in arena.ask(200) for name in (one.a, one.b)} == {*AGENTS, "eve"}
    arena.retire("eve")
    assert arena.board().battles == 100
    with pytest.raises(bp.UsageError, match="takes part already"):
        arena.join("ada")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"agents": ["ada"]}, "at least two agents"),
        ({"agents": AGENTS, "goal": "top 4"}, "leave some agent below"),
        ({"agents": AGENTS, "level": 1.5}, "`level` must be"),
        ({"agents": AGENTS, "policy": "best"}, "`policy` must be one of"),
        ({}, "must be made with `agents`"),
    ],
)
def test_bad_settings_get_a_sentence_and_leave_no_arena(address, given, says):
    with pytest.raises(bp.UsageError, match=says):
        Arena(address, **given)
    with pytest.raises(bp.UsageError, match="must be made with `agents`"):
        Arena(address)


def test_two_arenas_with_one_name_are_refused(arena, address):
    with pytest.raises(bp.UsageError, match="is there already"):
        Arena(address, agents=AGENTS)
    with pytest.raises(bp.UsageError, match="opened without `goal`"):
        Arena(address, goal="ranking")


def test_many_threads_lose_nothing_and_count_nothing_twice(arena, address):
    def work():
        mine = Arena(address)
        for _ in range(15):
            mine.tell(mine.ask(), "a")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert arena.board().battles == 60
    assert len(arena.evidence()) == 60


KILLED = """
import sys
from beatpath.arena.arena import Arena
from beatpath.arena.battles import Battle
arena = Arena(sys.argv[1])
while True:
    battle = arena.ask()
    arena.tell(battle, "a")
    print(battle.key, flush=True)
"""


@pytest.mark.posix
@pytest.mark.slow
def test_a_killed_worker_loses_nothing_that_was_acknowledged(arena, address):
    acknowledged = set()
    for number in range(5):
        child = subprocess.Popen([sys.executable, "-c", KILLED, address], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        for _ in range(7 + number):
            acknowledged.add(child.stdout.readline().strip())
        child.kill()
        rest, _ = child.communicate()
        acknowledged |= set(rest.split("\n")[:-1]) - {""}
    again = Arena(address)
    with again._storage.reading() as db:
        kept = {key for (key,) in db.exec_driver_sql("SELECT key FROM beatpath_battle WHERE answered IS NOT NULL")}
    assert acknowledged <= kept
    assert again.board().battles == len(kept) == len(again.evidence())
