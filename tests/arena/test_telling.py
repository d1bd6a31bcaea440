"""Telling: once, by one judge, all or nothing."""

import threading

import pytest

import beatpath as bp
from beatpath.arena.storage import Answered

AGENTS = ["ada", "bob", "cyd", "dan"]


def test_an_outcome_sent_twice_counts_once_and_another_outcome_is_refused(arena):
    battle = arena.ask()
    arena.tell(battle, "a")
    arena.tell(battle, "a")
    arena.tell_many([(battle.key, "a")])
    with pytest.raises(bp.DataError, match="answered already, with another outcome"):
        arena.tell(battle, "b")
    assert arena.board().battles == 1
    assert len(arena.evidence()) == 1


def test_a_batch_is_recorded_whole_or_not_at_all(arena):
    one, two = arena.ask(2)
    with pytest.raises(bp.DataError, match="must be requested before it is answered; 'nobody' was not"):
        arena.tell_many([(one, "a"), ("nobody", "b")])
    with pytest.raises(bp.UnknownLabel, match="an outcome must be one of"):
        arena.tell(two, "whatever")
    assert arena.board().battles == 0


def test_a_battle_of_an_agent_that_retired_is_recorded_and_no_longer_pending(arena):
    battles = arena.ask(count=50)
    battle = next(one for one in battles if "dan" in (one.a, one.b))
    arena.retire("dan")
    assert arena.resolve().pending == sum("dan" not in (one.a, one.b) for one in battles)
    arena.tell(battle, "a")
    arena.tell(battle, "a")
    assert len(arena.evidence()) == 1


def test_judges_are_stored_with_their_outcomes(arena):
    one, two, three = arena.ask(count=3)
    arena.tell(one, "a", judge="eva")
    arena.tell_many([(two, 0.25), (three, "both_bad", "fin")], judge="eva")
    battles = arena.evidence()
    assert battles.factors["judge"].names() == ["eva", "eva", "fin"]
    assert battles.outcome.tolist() == [1.0, 0.25, 0.5]
    assert battles.both_bad.tolist() == [False, False, True]
    with pytest.raises(bp.DataError, match="answered already, by another judge"):
        arena.tell(one, "a", judge="fin")


def test_threads_that_answer_together_are_refused_each_for_itself(arena, address):
    battles = arena.ask(count=200)
    messages = []

    def work(mine):
        for one in mine:
            arena.tell(one, "a")
            try:
                arena.tell(one, "b")
            except Answered as error:
                messages.append(str(error))

    threads = [threading.Thread(target=work, args=(battles[k::8],)) for k in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(messages) == 200
    assert arena.evidence().outcome.tolist() == [1.0] * 200
    assert arena.board().battles == 200


def test_a_failed_battle_that_is_answered_later_counts(arena):
    one, two = arena.ask(count=2)
    arena.tell_many([(one, "failed"), (one, "a"), (two, "failed")])
    assert arena.board().battles == 1
    assert arena.ask() == two


def test_battles_answered_together_are_no_copies_of_each_other(arena):
    arena.tell_many((one, "a") for one in arena.ask(count=200))
    arena.add([("ada", "bob", "a")] * 50)
    battles = arena.evidence()
    assert len(set(battles.time.tolist())) == 250
    assert not [one for one in bp.check(battles).having("warning") if one.name == "duplicates"]
