"""`resolve(..., anytime=True)`: its statements, and what they rest on."""

import json
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

import beatpath as bp
from beatpath._schema import verb_schema
from beatpath.inference.anytime.boundary import head_to_head_e_value
from beatpath.inference.options import ResolveOptions
from beatpath.inference.ranks.claims import claims_of
from beatpath.inference.resolve.anytime_resolution import _beats, _step_down_order
from beatpath.inference.resolve.long_board import long_board
from beatpath.methods.profile import profile_of

NAMES = ("ada", "bob", "cyd")
FAR = bp.Pairs(NAMES, [0, 0, 1], [1, 2, 2], [[800, 200, 0, 0], [900, 100, 0, 0], [600, 400, 0, 0]])
TWO = bp.Pairs(("ada", "bob"), [0], [1], [[20, 4, 30, 6]])


def test_agents_far_apart_are_in_a_certain_order_at_every_look():
    resolution = bp.resolve(FAR, anytime=True)
    assert resolution.answer.text == "'ada' is certainly first of 3 agents by mean win rate at every look (95 %)."
    assert resolution.test("ada is first").supported
    assert resolution.test("ada > cyd").supported
    assert not resolution.test("bob is in the top 1").supported
    assert [row["agent"] for row in resolution.rows()] == ["ada", "bob", "cyd"]


def test_what_is_certain_at_every_look_is_certain_at_one():
    once, always = bp.resolve(FAR), bp.resolve(FAR, anytime=True)
    assert (always.above <= once.ranks.above).all()
    assert always.radius[0, 1] > once.ranks.difference("ada", "bob").high - once.ranks.difference("ada", "bob").estimate


def test_two_agents_are_compared_by_the_exact_bet_and_ties_change_nothing():
    resolution = bp.resolve(TWO, anytime=True)
    assert resolution.e_value[0, 1] == head_to_head_e_value(20, 4)
    assert resolution.test("ada > bob").supported
    assert not bp.resolve(TWO, anytime=True, level=0.99).test("ada > bob").supported
    assert resolution.to_dict()["e_value"] == pytest.approx(63.16, abs=0.01)


def test_equal_agents_whose_worst_luck_is_looked_at_are_seldom_called_unequal():
    rng, wrong = np.random.default_rng(3), 0
    for _ in range(300):
        wins = np.cumsum(rng.integers(0, 2, 500))
        t = 20 + int(np.argmax(np.abs(wins - np.arange(1, 501) / 2)[19:] / np.sqrt(np.arange(20, 501))))
        counts = [[int(wins[t - 1]), t - int(wins[t - 1]), 0, 0]]
        wrong += bool(bp.resolve(bp.Pairs(("ada", "bob"), [0], [1], counts), anytime=True).above.any())
    assert wrong <= 15 + 3 * np.sqrt(300 * 0.05 * 0.95)


def test_the_document_has_the_schema_it_says():
    jsonschema = pytest.importorskip("jsonschema")
    for evidence in (FAR, TWO):
        document = json.loads(json.dumps(bp.resolve(evidence, anytime=True).to_dict()))
        jsonschema.validate(document, verb_schema("resolve"))


def test_a_pair_without_battles_is_reported():
    resolution = bp.resolve(bp.Pairs(NAMES, [0, 1], [1, 2], [[90, 10, 0, 0], [90, 10, 0, 0]]), anytime=True)
    assert resolution.pairs_not_compared == 1
    assert (
        "1 pair was not compared directly: Bradley-Terry predictions stand in and widen the intervals."
        in resolution.sentences
    )


def test_where_no_order_is_certain_it_says_how_many_battles_it_would_take():
    """A quarter more at the same rates do settle an order, and a quarter fewer do not."""
    few = np.array([[12, 8, 0, 0], [15, 5, 0, 0], [12, 8, 0, 0]])
    resolution = bp.resolve(bp.Pairs(NAMES, [0, 0, 1], [1, 2, 2], few), anytime=True)
    assert resolution.resolved_pairs == 0
    assert any(
        one.startswith("At the current differences the first certain order needs") for one in resolution.sentences
    )
    times = 1 + resolution.battles_needed / 60
    for share, settled in ((0.75, False), (1.25, True)):
        later = bp.Pairs(NAMES, [0, 0, 1], [1, 2, 2], np.round(share * times[0] * few))
        assert bool(bp.resolve(later, anytime=True).resolved_pairs) == settled


def test_components_are_not_compared():
    apart = bp.Pairs(("ada", "bob", "cyd", "dan"), [0, 2], [1, 3], [[900, 100, 0, 0], [900, 100, 0, 0]])
    resolution = bp.resolve(apart, anytime=True)
    assert resolution.ranks.above.sum() == 2
    assert not resolution.ranks.above[0, 3]


@pytest.mark.parametrize(
    ("evidence", "options", "message"),
    [
        (FAR, {"estimand": "bradley_terry"}, "about mean win rates"),
        (FAR, {"cluster": "prompt"}, "`cluster` must be left out"),
        (FAR, {"level": 1.5}, "`level` must lie between 0 and 1"),
        (
            bp.Ballots.from_orders([["ada", "bob", "cyd"]]) if hasattr(bp.Ballots, "from_orders") else None,
            {},
            "takes battles",
        ),
        (bp.Battles(NAMES, [0, 1], [1, 2], [1.0, 0.0], weight=[2.0, 1.0]), {}, "these have weights"),
    ],
)
def test_what_does_not_go_with_it_is_refused_in_a_sentence(evidence, options, message):
    if evidence is None:
        evidence = bp.Ballots(NAMES, [0, 1, 2], [0, 1, 2], [0, 3])
    with pytest.raises(bp.BeatpathError, match=message):
        bp.resolve(evidence, anytime=True, **options)


def test_equality_is_rejected_at_the_e_value_of_its_share_of_the_error():
    wins = np.array([[0.0, 9, 9], [1, 0, 9], [1, 9, 0]])
    for n, least in ((2, 20.0), (3, 120.0)):  # of three, half of the error is for three pairs
        for e, beats in ((0.99 * least, False), (1.01 * least, True)):
            one = _beats(np.full((n, n), e), wins[:n, :n], 0.95)
            assert (one[0, 1], one[1, 0]) == (beats, False)
            assert n == 2 or not one[1, 2]


def test_every_kind_of_ranks_supports_a_claim_about_two_agents_in_its_direction_alone():
    pairs = bp.Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[90, 10, 0, 0], [95, 5, 0, 0], [80, 20, 0, 0]])
    battles = bp.Battles.of([("a", "b", 1.0)] * 90 + [("a", "b", 0.0)] * 10)
    kinds = bp.resolve(pairs), bp.resolve(battles, anytime=True), long_board(profile_of(pairs), ResolveOptions())
    above, below = claims_of("a > b", ("a", "b")) + claims_of("b > a", ("a", "b"))
    for ranks in (kind.ranks for kind in kinds):
        assert (ranks.supports(above), ranks.supports(below)) == (True, False)
        assert (ranks.verdict(above), ranks.verdict(below)) == ("supported", "shown to be false")
    assert len({type(kind.ranks) for kind in kinds}) == 3


@pytest.mark.parametrize("seed", range(20))
def test_the_order_steps_down_as_holms_does_within_components(seed):
    """By brute force over pairs; half-widths are those of all pairs together, infinite across components."""
    rng = np.random.default_rng(seed)
    part, spread = np.array([0, 0, 0, 0, 1, 1]), rng.uniform(0.5, 1.5, (6, 6))
    spread = spread + spread.T
    board = bp.results.Leaderboard(
        tuple("abcdef"), rng.normal(0, 3, 6), np.eye(6), np.full((6, 6), np.inf), "a score", part=part
    )
    bound = SimpleNamespace(radius=lambda error: spread * np.sqrt(np.log(1 / error)))
    above, radius = _step_down_order(board, bound, 0.1)

    pairs = [(i, j) for i, j in permutations(range(6), 2) if part[i] == part[j] and board.score[i] > board.score[j]]
    assert len(pairs) == 7
    certain: set[tuple[int, int]] = set()
    while True:
        allowed = 0.1 / max(len(pairs) - len(certain), 1)
        more = {
            (i, j) for i, j in pairs if board.score[i] - board.score[j] > spread[i, j] * np.sqrt(np.log(1 / allowed))
        }
        if more <= certain:
            break
        certain |= more
    while more := {(i, k) for i, j in certain for m, k in certain if j == m} - certain:
        certain |= more
    assert set(zip(*(side.tolist() for side in np.nonzero(above)), strict=True)) == certain
    together = part[:, None] == part
    np.testing.assert_allclose(radius[together], (spread * np.sqrt(np.log(70)) * ~np.eye(6, dtype=bool))[together])
    assert np.isinf(radius[~together]).all()
