"""Careless voters, the board without them, and the price of first place, in worlds whose truth is known."""

import time
from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.voters import TOGETHER, price_of_first, voter_rows
from beatpath.inference.anytime.anytime_board import AnytimeBoard
from helpers.arenas import rates

AGENTS = ["ada", "bob", "cyd", "dan"]


def vote(arena, voters, rounds, strength, rng, monkeypatch, pause=20.0):
    """Every voter votes in turn, by a rule of its own, so many seconds apart."""
    P, clock = rates(np.array(strength)), [1e9]
    monkeypatch.setattr(time, "time", lambda: clock[0])
    for _ in range(rounds):
        for name, rule in voters.items():
            clock[0] += rng.exponential(pause)
            battle = arena.ask()
            honest = "a" if rng.random() < P[AGENTS.index(battle.a), AGENTS.index(battle.b)] else "b"
            arena.tell(battle, rule(battle, honest), judge=name)


def first(battle, _):
    return "a" if battle.first == battle.a else "b"


def coin(rng):
    return lambda *_: "ab"[rng.integers(2)]


def for_dan(battle, honest):
    return "a" if battle.a == "dan" else "b" if battle.b == "dan" else honest


def test_careless_voters_are_named_with_the_reason_and_honest_ones_are_not(monkeypatch):
    rng = np.random.default_rng(3)
    with Arena(":memory:", agents=AGENTS, policy="uniform", seed=1) as arena:
        voters = {f"honest {k}": lambda _, honest: honest for k in range(10)}
        voters |= {"sided": first, "coin": coin(rng)}
        vote(arena, voters, 90, [1.6, 0.5, -0.5, -1.6], rng, monkeypatch)
        clock = [2e9]
        monkeypatch.setattr(time, "time", lambda: clock.__setitem__(0, clock[0] + 0.7) or clock[0])
        for _ in range(40):
            battle = arena.ask()
            arena.tell(battle, "a" if AGENTS.index(battle.a) < AGENTS.index(battle.b) else "b", judge="bot")
        seen = arena.voters()
        careless = {row["voter"]: row["careless"] for row in seen if row["careless"]}
        assert careless == {
            "sided": "one side, agrees no more than a coin",
            "coin": "agrees no more than a coin",
            "bot": "under 2 seconds a vote",
        }
        assert seen.to_dict()["careless"] == seen.careless
        assert seen.sentences[0].startswith("3 of 13 voters look careless, with 220 of 1,120 votes: ")
        np.testing.assert_allclose(seen.without.difference, arena.board(without=[*careless]).difference)
        sided = seen["sided"]
        assert (sided["first_side"], sided["votes"]) == (1.0, 90)
        assert sided["agreement"] == pytest.approx(0.5, abs=0.15)


def votes_of(rng, sizes, strength, bias=0.0, sided=()):
    """Votes of so many voters with so many votes each, who favor the answer shown first; the `sided` see nothing else."""
    P, total = rates(np.array(strength)), sum(sizes)
    a, b = np.triu_indices(len(P), 1)
    k, position = rng.integers(len(a), size=total), rng.choice([-1, 1], total)
    who = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    outcome = (rng.random(total) < np.clip(P[a[k], b[k]] + bias * position, 0, 1)).astype(float)
    outcome = np.where(np.isin(who, sided), position == 1, outcome).astype(float)
    return bp.Battles(
        tuple(f"agent {i}" for i in range(len(P))), a[k], b[k], outcome, position=position,
        time=np.arange(total) * 30.0 * len(sizes), factors={"judge": bp.Factor.of([f"voter {i}" for i in who])},
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "strength", "bias", "sided"),
    [
        ([60] * 12, np.linspace(1, -1, 5), 0.15, ()),
        ([1250, 10, 10], [1.0, 0.0, -1.0], 0.0, ()),  # few others say little about what is usual
        ([100] * 8, [0.0] * 6, 0.0, ()),  # equal agents: the others agree on nothing
        ([150] * 6, [1.4, 0.0, 0.4], 0.0, (5,)),  # one who sees only the side does not make the others look odd
        ([100] * 2, [1.4, 0.0, 0.4], 0.0, (1,)),
    ],
)
def test_honest_voters_are_rarely_called_careless(sizes, strength, bias, sided):
    false, named, runs = 0, 0, 60
    for seed in range(runs):
        rows = voter_rows(votes_of(np.random.default_rng(seed), sizes, strength, bias, sided))
        careless = {row["voter"] for row in rows if row["careless"]}
        false += bool(careless - {f"voter {k}" for k in sided})
        named += len(careless & {f"voter {k}" for k in sided})
    assert false <= 8  # 5 % of 60, and three standard errors
    assert named == runs * len(sided)


def test_votes_that_one_call_reports_have_no_time_of_their_own():
    with Arena(":memory:", agents=AGENTS, seed=1) as arena:
        arena.tell_many([(battle, "a") for battle in arena.ask(40)], judge="model")
        row = arena.voters()["model"]
        assert (row["seconds"], row["careless"]) == (None, "")
        assert arena.voters().sentences[0] == "No voter looks careless: 1 voter, 40 votes."


def test_as_many_forged_votes_as_stated_change_first_place():
    rng, P = np.random.default_rng(5), rates(np.array([0.5, 0.0, -0.2, -0.3]))
    with Arena(":memory:", agents=AGENTS, policy="uniform", goal="first", seed=2) as arena:
        while arena.board().battles < 9000:
            votes = [
                (x, "a" if rng.random() < P[AGENTS.index(x.a), AGENTS.index(x.b)] else "b") for x in arena.ask(500)
            ]
            arena.tell_many(votes, judge="crowd")
        price = arena.voters(per_person=50).price
        assert (price.leader, price.rival) == ("ada", "bob")
        assert price.accounts == -(-price.votes // 50)
        assert 0 < price.to_unsettle < price.votes
        kinds = []
        for share in (0.8, 1.25):  # of the price; the honest battles are those of the arena
            kinds.append(forged_board(P, rng, 9000, share * price.votes))
        assert kinds[0].score[0] > kinds[0].score[1]
        assert kinds[1].score[0] < kinds[1].score[1]
        assert not (forged_board(P, rng, 9000, 1.3 * price.to_unsettle).above[0].all())


def forged_board(P, rng, honest, forged):
    """The board of so many honest battles, in which so many forged votes for bob against ada came evenly."""
    with Arena(":memory:", agents=AGENTS, policy="uniform", goal="first", seed=4) as arena:
        either = honest * 5 / 6  # of six pairs, all but one have ada or bob
        chance, counted = forged / (forged + either), 0
        while counted < honest:
            votes = []
            for x in arena.ask(500):
                a, b = AGENTS.index(x.a), AGENTS.index(x.b)
                if {a, b} & {0, 1} and rng.random() < chance:
                    votes.append((x, "a" if a == 1 or b == 0 else "b"))
                else:
                    votes.append((x, "a" if rng.random() < P[a, b] else "b"))
                    counted += 1
            arena.tell_many(votes)
        return arena.board()


def test_an_arena_without_judges_or_battles_has_no_voters():
    with Arena(":memory:", agents=AGENTS) as arena:
        assert len(arena.voters()) == 0
        assert arena.voters().sentences == (
            "No battle was judged by one named voter, so nothing can be said about voters.",
        )
        arena.tell(arena.ask(), "a")
        assert arena.voters().rows() == []
        with pytest.raises(bp.UsageError, match="`per_person` must be 1 or more"):
            arena.voters(per_person=0)


def test_agreement_is_that_of_votes_on_the_same_agents_and_prompt():
    rng, votes = np.random.default_rng(8), {}
    with Arena(":memory:", agents=AGENTS, prompts=["p", "q", "r"], policy="uniform", seed=2) as arena:
        assert arena.voters().agreement is None
        for k in range(240):
            battle = arena.ask()
            low, high = sorted((battle.a, battle.b))
            liked = low if (hash_of(low, high, battle.prompt) + (rng.random() < 0.2)) % 2 else high
            name = f"voter {k % 4}"
            arena.tell(battle, "a" if liked == battle.a else "b", judge=name)
            votes.setdefault((low, high, battle.prompt), {}).setdefault(name, []).append(1 if liked == low else -1)
        seen = arena.voters()
    table = {unit: [np.sign(sum(own)) for own in by.values()] for unit, by in votes.items() if len(by) > 1}
    pairs = [x == y for own in table.values() for i, x in enumerate(own) for j, y in enumerate(own) if i != j]
    assert seen.agreement.units == len(table) == 18
    assert seen.agreement.share == pytest.approx(np.mean(pairs))
    sizes = sum(
        len(own) for own in table.values()
    )  # alpha by its definition: disagreement, over that expected by chance
    apart = sum(sum(x != y for x in own for y in own) / (len(own) - 1) for own in table.values()) / sizes
    ties = sum(x == 0 for own in table.values() for x in own) / sizes
    chance = 1 - ties**2 - 2 * ((1 - ties) / 2) ** 2  # the names of the agents do not matter: either is as likely
    assert seen.agreement.alpha.estimate == pytest.approx(1 - apart / chance, abs=0.02)
    assert seen.agreement.alpha.low < seen.agreement.alpha.estimate < seen.agreement.alpha.high
    assert "On 18 pairs of answers with two voters or more" in seen.sentences[-2]
    assert seen.to_dict()["agreement"]["units"] == 18


def hash_of(*texts):
    """A number of texts, the same in every process."""
    return sum(map(ord, "".join(texts)))


@pytest.mark.parametrize(("ahead", "expected"), [(0.3, ("bob", 15, 7, 4)), (-0.05, ("cyd", 1, 0, 1))])
def test_the_price_is_by_the_votes_on_pairs_with_either(ahead, expected):
    """70 votes with ada or bob: 70 * 0.2 = 14 and 70 * (0.2 - 0.1) / 1.1 = 6.4; where a rival is ahead, one vote does."""
    wins = np.zeros((4, 4))
    wins[np.triu_indices(4, 1)] = 20, 30, 10, 4, 6, 8
    difference, one = np.array([[0.0, 0.2, ahead, 0.5]] * 4), np.ones((4, 4))
    board = AnytimeBoard(tuple(AGENTS), np.array([0.7, 0.5, 0.5, 0.3]), difference, 0.1 * one, one, one, one, 0.95, 78)
    price = price_of_first(replace(board, wins=wins), per_person=4)
    assert price.leader == "ada"
    assert (price.rival, price.votes, price.to_unsettle, price.accounts) == expected


def test_votes_at_most_a_moment_apart_have_no_time_of_their_own():
    for last, seconds in ((0.0, None), (6.0, 6.0)):
        how = {"time": [0.0, TOGETHER, TOGETHER + last], "factors": {"judge": bp.Factor.of(["v"] * 3)}}
        row = voter_rows(bp.Battles(("ada", "bob"), [0] * 3, [1] * 3, [1.0, 0.0, 1.0], position=[1] * 3, **how))[0]
        assert row["seconds"] == seconds


def test_a_first_place_that_the_goal_settled_is_not_called_uncertain():
    rng, P = np.random.default_rng(3), rates(np.array([0.8, 0.0, -0.2, -0.3]))
    with Arena(":memory:", agents=AGENTS, goal="first", seed=3) as arena:
        while not arena.done:
            drawn = arena.ask(25)
            wins = [rng.random() < P[AGENTS.index(x.a), AGENTS.index(x.b)] for x in drawn]
            arena.tell_many([(x, "a" if won else "b") for x, won in zip(drawn, wins, strict=True)], judge="crowd")
        board, price = arena.board(), arena.voters().price
        assert (board.difference[0] <= board.radius[0])[
            1:
        ].any()  # the bets of the goal settled it, not the board's orders
        assert board.may_be_first == (price.leader,)
        assert 0 < price.to_unsettle < price.votes
        assert "first place is uncertain now" not in arena.voters().sentences[-1]


def test_pauses_between_calls_that_report_many_votes_are_no_times_of_votes():
    times = [call + k * 1e-6 for call in range(12) for k in range(5)]  # a call each second, with five votes
    how = {"time": times, "factors": {"judge": bp.Factor.of(["model"] * 60)}}
    row = voter_rows(bp.Battles(("ada", "bob"), [0] * 60, [1] * 60, [1.0, 0.0] * 30, position=[1] * 60, **how))[0]
    assert (row["seconds"], row["careless"]) == (None, "")
