"""The voting service: blind pairs on random sides, one vote each, the latest of which can be withdrawn."""

import threading
from collections import Counter

import numpy as np
import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.battles import Battle, withdrawn
from beatpath.arena.storage import StorageUnavailable
from beatpath.web import vote as rooms
from beatpath.web.answers import read_answers
from beatpath.web.errors import status_of
from beatpath.web.live import RateLimit
from beatpath.web.vote import VoteRules, VoteService, judge_of, outcome_of, vote_arena
from helpers.answers import write_answers
from helpers.refusals import refused

ONE, TWO = "session-one-0000", "session-two-0000"


@pytest.fixture
def answers(tmp_path):
    prompts = [f"prompt {k}" for k in range(15)]
    return read_answers(write_answers(tmp_path / "answers.jsonl", prompts=prompts, text=lambda agent, _: f"by {agent}"))


@pytest.fixture
def booth(tmp_path, answers):
    return VoteService(vote_arena(tmp_path / "answers.db", answers), answers)


def wrote(pair, side):
    """The agent whose answer is on a side, as these answers give away."""
    return pair[side].removeprefix("<p>by ").removesuffix("</p>")


@pytest.mark.parametrize("choice", ["left", "right", "tie", "both_bad"])
def test_a_vote_is_the_outcome_of_the_side_that_was_chosen(booth, choice):
    for _ in range(12):
        pair = booth.pair(ONE)
        reply = booth.cast(ONE, pair["battle"], choice)
        assert (reply["left"], reply["right"]) == (wrote(pair, "left"), wrote(pair, "right"))
        evidence = booth.arena.evidence()
        first, second = (evidence.agents[one[-1]] for one in (evidence.a, evidence.b))
        expected = 0.5 if choice in ("tie", "both_bad") else float(reply[choice] == first)
        assert {first, second} == {reply["left"], reply["right"]}
        assert evidence.outcome[-1] == expected
    assert bool(evidence.both_bad.all()) == (choice == "both_bad")


def test_agents_are_hidden_before_the_vote(booth):
    pair = booth.pair(ONE)
    assert set(pair) == {
        "battle",
        "prompt",
        "left",
        "right",
        "votes",
        "settled",
        "goal",
        "battles",
        "battles_left",
        "reveal",
        "criteria",
    }


def test_a_skipped_pair_gets_no_vote_and_another_pair_comes(booth):
    pair = booth.pair(ONE)
    following = booth.skip(ONE, pair["battle"])
    assert following["battle"] != pair["battle"]
    assert following["votes"] == 0
    assert len(booth.arena.evidence()) == 0
    assert booth.skip(ONE, pair["battle"])["battle"] == following["battle"]  # a repeated request skips nothing more
    booth.cast(ONE, following["battle"], "tie")
    assert len(booth.arena.evidence()) == 1


def test_sides_are_random(booth):
    booth.rules = VoteRules(reveal=False)
    left = Counter()
    for _ in range(200):
        pair = booth.pair(ONE)
        left[wrote(pair, "left") < wrote(pair, "right")] += 1
        booth.cast(ONE, pair["battle"], "tie")
    assert abs(left[True] - 100) < 4 * np.sqrt(50)


def test_no_answer_is_shown_again_whose_author_the_voter_knows(booth):
    shown, prompts = set(), []
    for _ in range(15):
        pair = booth.pair(ONE)
        new = {(pair["prompt"], wrote(pair, side)) for side in ("left", "right")}
        assert not new & shown
        shown |= new
        prompts.append(pair["prompt"])
        booth.cast(ONE, pair["battle"], "left")
    assert len(set(prompts)) == 15
    with refused(409, match="that was the last pair for you"):  # of three answers to a prompt one is left
        booth.pair(ONE)
    assert booth.pair(TWO)["votes"] == 0  # what was passed over is there for others


def test_without_names_prompts_come_again_once_all_were_seen(booth):
    booth.rules = VoteRules(reveal=False)
    prompts = []
    for _ in range(30):
        pair = booth.pair(ONE)
        reply = booth.cast(ONE, pair["battle"], "left")
        assert (reply["left"], reply["right"]) == (None, None)
        prompts.append(pair["prompt"])
    assert set(Counter(prompts[:15]).values()) == {1}
    assert set(Counter(prompts).values()) == {2}


def test_after_a_restart_the_pair_the_votes_and_the_undo_are_there(booth, answers, tmp_path):
    first = booth.pair(ONE)
    booth.cast(ONE, first["battle"], "right")
    second = booth.pair(ONE)
    booth.close()
    again = VoteService(vote_arena(tmp_path / "answers.db", answers), answers)
    same = ("battle", "prompt", "left", "right", "votes", "reveal")
    assert [again.pair(ONE)[name] for name in same] == [second[name] for name in same]
    assert again.cast(ONE, second["battle"], "tie")["votes"] == 2
    assert again.pair(ONE)["prompt"] not in (first["prompt"], second["prompt"])
    again.close()
    third = VoteService(vote_arena(tmp_path / "answers.db", answers), answers)
    assert third.undo(ONE, second["battle"])["battle"] == second["battle"]


@pytest.mark.parametrize("choice", ["left", "right", "tie", "both_bad"])
def test_after_a_restart_the_same_vote_is_no_second_one(booth, answers, tmp_path, choice):
    for votes in (1, 2, 3, 4):  # either side may be the first agent of its battle
        battle = booth.pair(ONE)["battle"]
        booth.cast(ONE, battle, choice)
        booth.close()
        booth = VoteService(vote_arena(tmp_path / "answers.db", answers), answers)
        assert booth.cast(ONE, battle, choice)["votes"] == votes


def test_a_vote_after_an_undo_is_marked(booth, tmp_path):
    pair = booth.pair(ONE)
    booth.cast(ONE, pair["battle"], "left")
    booth.undo(ONE, pair["battle"])
    booth.cast(ONE, pair["battle"], "right")
    booth.cast(ONE, booth.pair(ONE)["battle"], "left")
    for evidence in (booth.arena.evidence(), bp.read(tmp_path / "answers.db")):
        assert evidence.factors["revised"].names() == ["yes", "no"]
    assert len(bp.read(tmp_path / "answers.db", where=["revised=no"])) == 1


def test_a_reload_shows_the_same_pair_and_another_session_another(booth):
    pair = booth.pair(ONE)
    assert booth.pair(ONE) == pair
    assert booth.pair(TWO)["battle"] != pair["battle"]


def test_a_vote_that_is_repeated_counts_once(booth):
    pair = booth.pair(ONE)
    first = booth.cast(ONE, pair["battle"], "left")
    assert booth.cast(ONE, pair["battle"], "left") == first
    assert booth.arena.board().battles == 1
    with refused(409, match="must be on the pair that is shown"):
        booth.cast(ONE, pair["battle"], "right")


def test_an_undone_vote_is_withdrawn_and_its_pair_shown_again(booth):
    pair = booth.pair(ONE)
    booth.cast(ONE, pair["battle"], "left")
    again = booth.undo(ONE, pair["battle"])
    assert again == pair
    assert booth.undo(ONE, pair["battle"]) == pair
    assert booth.arena.board().battles == 0
    assert withdrawn(booth.arena) == 1
    reply = booth.cast(ONE, pair["battle"], "right")
    assert reply["votes"] == 1
    assert booth.arena.board().battles == 1


def test_a_vote_can_be_undone_while_the_next_pair_is_shown_which_is_given_back(booth):
    pair = booth.pair(ONE)
    booth.cast(ONE, pair["battle"], "left")
    following = booth.pair(ONE)
    assert booth.undo(ONE, pair["battle"]) == pair
    assert booth.pair(TWO)["battle"] == following["battle"]


def test_only_the_latest_vote_of_the_own_session_can_be_undone(booth):
    first = booth.pair(ONE)
    booth.cast(ONE, first["battle"], "left")
    second = booth.pair(ONE)
    booth.cast(ONE, second["battle"], "left")
    for session, battle in ((ONE, first["battle"]), (TWO, second["battle"]), (ONE, "nothing")):
        with refused(409, match="only the latest vote"):
            booth.undo(session, battle)
    assert booth.arena.board().battles == 2


def test_a_vote_on_a_pair_of_another_session_is_refused(booth):
    pair = booth.pair(ONE)
    with refused(409):
        booth.cast(TWO, pair["battle"], "left")
    assert booth.arena.board().battles == 0


def test_a_pair_that_somebody_else_judged_meanwhile_makes_way_for_another(booth):
    pair = booth.pair(ONE)
    booth.arena.tell(pair["battle"], "tie", judge="else")
    with refused(409, match="somebody else has judged it"):
        booth.cast(ONE, pair["battle"], "left")
    assert booth.pair(ONE)["battle"] != pair["battle"]


def test_judges_do_not_give_the_session_away():
    judge = VoteRules().judge(None, ONE)
    assert judge == judge_of(ONE) != judge_of(TWO)
    assert ONE not in judge


def test_nobody_has_more_votes_than_one_person_may(booth):
    booth.rules = VoteRules(per_person=2)
    for _ in range(2):
        booth.cast(ONE, booth.pair(ONE)["battle"], "left")
    with refused(409, match="one person has 2 votes here"):
        booth.pair(ONE)
    assert booth.pair(TWO)["votes"] == 0


def test_criteria_and_a_comment_go_with_a_vote(booth):
    booth.rules = VoteRules(criteria=("helpful", "true"))
    pair = booth.pair(ONE)
    assert pair["criteria"] == ["helpful", "true"]
    with pytest.raises(bp.UsageError, match="`criteria` must be of 'helpful', 'true'; got 'style'"):
        booth.cast(ONE, pair["battle"], "left", {"style": "left"})
    booth.cast(ONE, pair["battle"], "left", {"helpful": "right", "true": "tie"}, "why not")
    main, helpful = booth.arena.evidence(), booth.arena.evidence(criterion="helpful")
    assert main.outcome.tolist() == [1 - helpful.outcome[0]]
    assert booth.arena.evidence(criterion="true").outcome.tolist() == [0.5]
    assert [one["comment"] for one in booth.arena.comments()] == ["why not"]


def test_many_voters_at_once_lose_and_double_nothing(booth):
    def vote(session):
        for _ in range(6):
            booth.cast(session, booth.pair(session)["battle"], "left")

    threads = [threading.Thread(target=vote, args=(f"session-number-{k}",)) for k in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert booth.arena.board().battles == 48
    assert len(booth.arena.evidence().factors["judge"].levels) == 8


def test_new_sessions_may_not_come_too_fast_and_old_ones_make_room(booth, monkeypatch):
    monkeypatch.setattr(rooms, "SESSIONS", 2)
    booth._pace = RateLimit(rate=0.0, burst=3)
    pair = booth.pair(ONE)
    booth.pair(TWO)
    booth.pair("session-three-00")
    assert len(booth._seats) == 2
    with refused(429):
        booth.cast(ONE, pair["battle"], "left")


def test_an_unavailable_storage_is_reported_and_the_pair_stays(booth, monkeypatch):
    pair = booth.pair(ONE)

    def away(*_, **__):
        raise StorageUnavailable("the arena could not be read or written.")

    with monkeypatch.context() as patch:
        patch.setattr(Arena, "tell", away)
        with pytest.raises(StorageUnavailable, match="could not be") as raised:
            booth.cast(ONE, pair["battle"], "left")
    assert status_of(raised.value) == 503
    assert booth.cast(ONE, pair["battle"], "left")["votes"] == 1


@pytest.mark.parametrize(("first", "choice", "outcome"), [("x", "left", "a"), ("x", "right", "b"), ("y", "left", "b")])
def test_left_is_who_is_shown_first(first, choice, outcome):
    assert outcome_of(Battle("k", "x", "y", first), choice) == outcome


@pytest.mark.parametrize("criteria", [(), ("length",)])
def test_boards_can_count_the_votes_on_answers_of_alike_length(tmp_path, criteria):
    texts = {"ada": "x" * 30, "bob": "y" * 20, "cyd": "z" * 80}  # 0.2, 5/11 and 0.6 apart
    place = write_answers(
        tmp_path / "a.jsonl", agents=[*texts], prompts=list("abcdefghij"), text=lambda who, _: texts[who]
    )
    answers = read_answers(place)
    booth = VoteService(vote_arena(tmp_path / "a.db", answers), answers, VoteRules(reveal=False, criteria=criteria))
    for _ in range(9):
        booth.cast(ONE, booth.pair(ONE)["battle"], "left", dict.fromkeys(criteria, "tie"))
    evidence, (ada, bob, cyd) = booth.arena.evidence(), map(booth.arena.agents.index, texts)
    met = Counter(zip(evidence.a.tolist(), evidence.b.tolist(), strict=True))
    if criteria:  # which has the name
        with pytest.raises(bp.UnknownLabel, match="'length' must be a style"):
            booth.arena.board(style={"length": 0.2})
        return
    assert booth.arena.board(style={"length": 0.2}).battles == met[ada, bob]
    assert booth.arena.board(style={"length": 5 / 11}).battles == met[ada, bob] + met[ada, cyd]
    assert booth.arena.board(style={"length": 0.6}).battles == 9 == met[ada, bob] + met[ada, cyd] + met[bob, cyd]
