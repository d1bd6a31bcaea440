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


def play(arena, battles, strength, seed=0, batch=25):
    P, rng = rates(np.array(strength)), np.random.default_rng(seed)
    for _ in range(battles // batch):
        requested = arena.ask(batch)
        arena.tell_many(
            (one, "a" if rng.random() < P[AGENTS.index(one.a), AGENTS.index(one.b)] else "b") for one in requested
        )


def test_it_stops_with_the_best_agent_and_says_so(arena):
    play(arena, 1500, [1.5, 0.0, -0.2, -0.4])
    assert arena.done
    assert arena.reason == "'ada' is certainly first at every look (95 %)."
    assert arena.board().may_be_first == ("ada",)


def test_opening_it_again_finds_everything(arena, address):
    play(arena, 100, [0.5, 0.2, 0.0, -0.5])
    before = arena.board()
    arena.close()
    after = Arena(address).board()
    np.testing.assert_array_equal(before.score, after.score)
    np.testing.assert_array_equal(before.radius, after.radius)


def test_counts_stored_by_pair_are_those_of_all_battles(arena):
    play(arena, 300, [0.5, 0.2, 0.0, -0.5])
    battles = arena.evidence()
    counted = battles.pairs().by()
    a, b = battles.a, battles.b
    assert len(battles) == 300
    assert counted.battles.sum() == 300
    board = arena.board()
    assert board.battles == 300
    assert abs(board.score.mean() - 0.5) < 1e-12
    assert (a < b).all()


def test_what_it_resolves_is_the_board_held_against_the_goal(arena):
    play(arena, 1500, [1.5, 0.0, -0.2, -0.4])
    resolution = arena.resolve()
    assert (resolution.done, resolution.reason) == (arena.done, arena.reason)
    assert resolution.board.may_be_first == ("ada",)
    assert resolution.to_dict() == arena.status()


def test_battles_from_elsewhere_inform_predictions_and_no_verdict(arena):
    assert arena.add([("bob", "ada", "b"), ("ada", "cyd", 0.75)]) == 2
    assert arena.board().battles == 0
    assert arena.evidence().outcome.tolist() == [1.0, 0.75]
    with pytest.raises(bp.UnknownLabel, match="'eve' must be an agent of the arena"):
        arena.add([("ada", "eve", "a")])
    with pytest.raises(bp.DataError, match="between two agents"):
        arena.add([("ada", "ada", "a")])


def test_agents_join_and_retire_and_what_was_certain_among_the_others_stays(arena):
    play(arena, 1500, [1.5, 0.0, -0.2, -1.5])
    before = set(arena.board().above_pairs)
    assert ("ada", "dan") in before
    arena.join("eve")
    board = arena.board()
    assert (board.battles, board.agents) == (1500, (*AGENTS, "eve"))
    assert before <= set(board.above_pairs)
    assert not any("eve" in pair for pair in board.above_pairs)
    assert any("Agents joined or retired" in text for text in board.sentences)
    assert {name for one in arena.ask(200) for name in (one.a, one.b)} == {*AGENTS, "eve"}
    arena.retire("bob")
    assert {pair for pair in before if "bob" not in pair} <= set(arena.board().above_pairs)
    with pytest.raises(bp.UsageError, match="takes part already"):
        arena.join("ada")


def test_battles_before_a_change_count_after_it(arena):
    """After one retires, differences of the others come from all battles; after one joins, they go on as they were."""
    play(arena, 400, [0.5, 0.2, 0.0, -0.5])
    before = arena.board()
    arena.join("eve")
    np.testing.assert_allclose(arena.board().information[:4, :4], before.information)
    np.testing.assert_allclose(arena.board().difference[:4, :4], before.difference)
    arena.retire("eve")
    np.testing.assert_allclose(arena.board().radius, before.radius)
    arena.retire("dan")
    after = arena.board()
    assert after.battles == 400
    assert (after.information[np.triu_indices(3, 1)] > 50).all()


def test_what_is_settled_stays_settled_and_agrees_with_the_board(arena):
    play(arena, 1500, [1.5, 0.0, -0.2, -0.4])
    assert arena.done
    play(arena, 300, [-9.0, 0.0, 0.1, 0.2], seed=5)  # the world changes, against what the board assumes
    seen = arena.resolve()
    assert (seen.done, seen.board.may_be_first) == (True, ("ada",))
    assert Arena(arena._storage.address).done
    play(arena, 6000, [-9.0, 0.0, 0.1, 3.0], seed=6)
    seen = arena.resolve()
    assert seen.board.may_be_first != ("ada",)
    assert any("contradicted by later battles" in text for text in seen.sentences)


def test_battles_answered_after_a_pending_one_wait_unless_many_do(arena):
    arena.tell_many((one, "a") for one in arena.ask(50))
    first, *rest = arena.ask(3)
    arena.tell_many((one, "a") for one in rest)
    seen = arena.resolve()
    assert (seen.board.battles, seen.waiting, seen.pending) == (50, 2, 1)
    assert "2 battles wait for an older one" in seen.sentences[-1]
    arena.tell_many((one, "a") for one in arena.ask(100))
    seen = arena.resolve()
    assert (seen.board.battles, seen.waiting) == (152, 0)
    assert seen.board.slack[np.triu_indices(4, 1)].max() > 0
    arena.tell(first, "a")
    assert arena.board().slack.max() == 0


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


def test_an_arena_is_made_or_opened_in_one_call_but_not_as_another(arena, address):
    arena.tell(arena.ask(), "a")
    with Arena(address, agents=AGENTS, goal="first") as again:
        assert again.board().battles == 1
    with pytest.raises(bp.UsageError, match=r"must not change its agents; .* is there already and has: 'ada', 'bob'"):
        Arena(address, agents=["ada", "eve"])
    with pytest.raises(bp.UsageError, match=r"must not change its goal; .* has: first\. Open it without `goal`"):
        Arena(address, goal="ranking")


def test_a_closed_arena_refuses(address):
    with Arena(address, agents=AGENTS) as arena:
        battle = arena.ask()
    for call in (arena.ask, arena.board, lambda: arena.tell(battle, "a"), lambda: arena.join("eve")):
        with pytest.raises(bp.UsageError, match=r"an arena must be open; .* was closed"):
            call()


def test_names_that_are_none_get_a_sentence(arena, tmp_path):
    for name in ("", "  ", "\n"):
        with pytest.raises(bp.UsageError, match="an agent's name must have at least one visible character"):
            arena.join(name)
    with pytest.raises(bp.UsageError, match="`agents` must be a list of names; got the text 'abc'"):
        Arena(tmp_path / "other.db", agents="abc")


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
        stored = {key for (key,) in db.exec_driver_sql("SELECT key FROM beatpath_battle WHERE answered IS NOT NULL")}
    assert acknowledged <= stored
    seen = again.resolve()
    assert seen.board.battles + seen.waiting == len(stored) == len(again.evidence())


def test_it_is_shown_by_its_address_and_its_battles_by_evidence(arena):
    assert repr(arena).startswith("Arena('")
    with pytest.raises(bp.UsageError, match=r"got Arena\. Its battles are `\.evidence\(\)`"):
        bp.rank(arena)
