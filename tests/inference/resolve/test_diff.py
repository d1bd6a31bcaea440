"""Diffs of boards: what changed is what was changed, by the relations themselves; simulated, it is seldom wrong."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.resolve.diff import _certain
from helpers.schemas import validated

NAMES = ("ada", "bob", "cyd", "dan")
HARDLY = {"ada": 3.0, "bob": 1.0, "cyd": -1.0, "dan": -3.0}


def battles_of(strengths, battles=400, seed=0):
    """Counts of every pair, simulated from Bradley-Terry strengths."""
    rng, names = np.random.default_rng(seed), tuple(strengths)
    i, j = np.triu_indices(len(names), 1)
    theta = np.array(list(strengths.values()))
    won = rng.binomial(battles, 1 / (1 + np.exp(theta[j] - theta[i])))
    return bp.Pairs(names, i, j, np.column_stack([won, battles - won, 0 * won, 0 * won]))


def test_the_same_board_twice_has_not_changed():
    changes = bp.diff(battles_of(HARDLY), battles_of(HARDLY), claims=["ada is first"])
    assert {move.change for move in changes.moves} == {"open"}
    assert (changes.unchanged, changes.lost, changes.gained, changes.reversed) == (6, (), (), ())
    assert changes.claims[0].status == "kept"
    assert "No agent certainly rose or fell among the 4 agents of both boards." in changes.sentences


def test_two_agents_that_change_places_are_seen_to():
    swapped = {**HARDLY, "ada": 1.0, "bob": 3.0}
    changes = bp.diff(
        battles_of(HARDLY), battles_of(swapped), claims=["ada > bob", "bob is first", "ada is in the top 2"]
    )
    assert changes.agents("rose") == ("bob",)
    assert changes.agents("fell") == ("ada",)
    assert changes.reversed == (("bob", "ada"),)
    assert [one.status for one in changes.claims] == ["lost", "gained", "kept"]
    assert [one.claim for one in changes.lost_claims] == ["ada > bob"]


def test_an_order_that_is_not_certain_any_more_is_lost_and_not_reversed():
    closer = {**HARDLY, "ada": 2.0, "bob": 2.0}
    changes = bp.diff(battles_of(HARDLY), battles_of(closer))
    assert changes.lost == (("ada", "bob"),)
    assert changes.reversed == ()
    assert changes.agents("fell") == ()
    assert "not thereby reversed" in str(changes)
    back = bp.diff(battles_of(closer), battles_of(HARDLY))
    assert back.gained == (("ada", "bob"),)


def test_who_enters_on_top_makes_nobody_fall():
    changes = bp.diff(battles_of(HARDLY), battles_of({"eve": 5.0, **HARDLY}), claims=["ada is first", "eve is first"])
    assert changes.agents("entered") == ("eve",)
    assert changes.agents("fell") == ()
    assert changes.new.best[changes.new.agents.index("ada")] == 2
    assert [one.status for one in changes.claims] == ["lost", "gained"]
    assert "relative to the agents of each board" in changes.sentences[-1]


def test_who_leaves_takes_its_claims_along():
    fewer = {name: value for name, value in HARDLY.items() if name != "dan"}
    changes = bp.diff(battles_of(HARDLY), battles_of(fewer), claims=["ada > dan"])
    assert changes.agents("left") == ("dan",)
    assert changes.lost_claims[0].sentence.endswith("; 'dan' left.")


def test_results_documents_and_evidence_say_the_same():
    old, new = battles_of(HARDLY), battles_of({**HARDLY, "ada": 0.0})
    ways = [
        (old, new),
        (bp.resolve(old), bp.resolve(new)),
        (bp.resolve(old).to_dict(), bp.report(new).to_dict()),
    ]
    data = [validated(bp.diff(*way).to_dict()) for way in ways]
    assert data[0] == data[1] == data[2]


def test_the_joint_confidence_of_both_boards_is_reported():
    changes = bp.diff(bp.resolve(battles_of(HARDLY), level=0.99), bp.resolve(battles_of(HARDLY), level=0.99))
    assert changes.joint_level == pytest.approx(0.98)
    assert "at least 98 %" in str(changes)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ({}, {"estimand": "bradley_terry"}, "must have the same estimand"),
        ({}, {"level": 0.9}, "must have the same level"),
        ({}, {"simultaneous": False}, "simultaneous 95 % confidence, the new one per-agent 95 % confidence"),
    ],
)
def test_boards_that_answer_other_questions_are_refused(old, new, words):
    with pytest.raises(bp.DataError, match=words):
        bp.diff(bp.resolve(battles_of(HARDLY), **old), bp.resolve(battles_of(HARDLY), **new))


def test_boards_of_other_agents_are_refused_with_their_names():
    with pytest.raises(bp.DataError, match=r"they have 0. The old one has 'ada'.*'x1'.*were agents renamed\?"):
        bp.diff(battles_of(HARDLY), battles_of({f"x{i}": float(i) for i in range(3)}))


def test_a_claim_about_nobody_is_wrong_usage():
    with pytest.raises(bp.UsageError, match="must name agents"):
        bp.diff(battles_of(HARDLY), battles_of(HARDLY), claims=["eve is first"])


def test_hostile_names_are_shown_safely():
    names = {"<b>&\x1b[31m": 3.0, "=cmd()": 1.0, "cyd|x": -1.0}
    changes = bp.diff(battles_of(names), battles_of({**names, "<b>&\x1b[31m": -4.0}))
    assert "\x1b" not in str(changes)
    assert "\x1b" not in changes._repr_html_()
    assert "<b>&" not in changes._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("nested", [False, True])
def test_two_boards_of_one_truth_seldom_call_a_change_certain(nested):
    """With 95 % each, a change is wrongly certain in at most one of ten; 23 of 100 would have a chance of 1 in 10,000."""
    truth, wrong = {f"a{i}": 0.1 * (i // 2) for i in range(6)}, 0
    for seed in range(100):
        old = battles_of(truth, 60, seed)
        new = battles_of(truth, 60, 1_000 + seed)
        new = bp.Pairs(old.agents, old.a, old.b, old.counts + new.counts) if nested else new
        changes = bp.diff(old, new)
        wrong += bool(changes.agents("rose") or changes.agents("fell") or changes.reversed)
    assert wrong < 23


def test_two_boards_that_agree_say_so_in_one_sentence():
    pairs = bp.Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[70, 30, 0, 0], [90, 10, 0, 0], [75, 25, 0, 0]])
    board = bp.resolve(pairs)
    assert f"The same {board.resolved_pairs} orders are certain on both boards." in bp.diff(board, board).sentences


def test_first_place_is_that_of_the_boards_themselves():
    """By its own test ada is first, while its rank set is 1-2."""
    pairs = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[62, 38, 0, 0], [70, 30, 0, 0], [70, 30, 0, 0]])
    board = bp.resolve(pairs)
    assert (board.ranks.certainly_top(1), board.worst[0]) == (("ada",), 2)
    for old in (board, board.to_dict(), bp.report(pairs).to_dict(), pairs):
        changes = bp.diff(old, board, claims=["ada is first", "bob is first"])
        assert [one.status for one in changes.claims] == ["kept", "not supported"]
        assert changes.may_be_first == {"before": ("ada",), "after": ("ada",)}


def test_of_equal_scores_neither_is_certainly_above():
    apart = [frozenset("a"), frozenset("b")]
    assert not _certain(np.array([1.0, 1.0]), apart, np.zeros(2, dtype=np.int64)).any()
