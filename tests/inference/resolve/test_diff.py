"""Diffs of boards: what changed is what was changed, by the relations themselves; simulated, it is seldom wrong."""

import numpy as np
import pytest

import beatpath as bp
from helpers.schemas import validated

NAMES = ("ada", "bob", "cyd", "dan")
HARDLY = {"ada": 3.0, "bob": 1.0, "cyd": -1.0, "dan": -3.0}


def told(strengths, battles=400, seed=0):
    """Counts of every pair, drawn from strengths on one scale."""
    rng, names = np.random.default_rng(seed), tuple(strengths)
    i, j = np.triu_indices(len(names), 1)
    theta = np.array(list(strengths.values()))
    won = rng.binomial(battles, 1 / (1 + np.exp(theta[j] - theta[i])))
    return bp.Pairs(names, i, j, np.column_stack([won, battles - won, 0 * won, 0 * won]))


def test_the_same_board_twice_has_not_changed():
    found = bp.diff(told(HARDLY), told(HARDLY), claims=["ada is first"])
    assert {move.change for move in found.moves} == {"open"}
    assert (found.unchanged, found.lost, found.gained, found.reversed) == (6, (), (), ())
    assert found.claims[0].status == "kept"
    assert "No agent certainly rose or fell among the 4 agents of both boards." in found.sentences


def test_two_agents_that_change_places_are_seen_to():
    swapped = {**HARDLY, "ada": 1.0, "bob": 3.0}
    found = bp.diff(told(HARDLY), told(swapped), claims=["ada > bob", "bob is first", "ada is in the top 2"])
    assert found.agents("rose") == ("bob",)
    assert found.agents("fell") == ("ada",)
    assert found.reversed == (("bob", "ada"),)
    assert [one.status for one in found.claims] == ["lost", "gained", "kept"]
    assert [one.claim for one in found.lost_claims] == ["ada > bob"]


def test_an_order_that_is_not_certain_any_more_is_lost_and_not_reversed():
    closer = {**HARDLY, "ada": 2.0, "bob": 2.0}
    found = bp.diff(told(HARDLY), told(closer))
    assert found.lost == (("ada", "bob"),)
    assert found.reversed == ()
    assert found.agents("fell") == ()
    assert "not thereby reversed" in str(found)
    back = bp.diff(told(closer), told(HARDLY))
    assert back.gained == (("ada", "bob"),)


def test_who_enters_on_top_makes_nobody_fall():
    found = bp.diff(told(HARDLY), told({"eve": 5.0, **HARDLY}), claims=["ada is first", "eve is first"])
    assert found.agents("entered") == ("eve",)
    assert found.agents("fell") == ()
    assert found.new.best[found.new.agents.index("ada")] == 2
    assert [one.status for one in found.claims] == ["lost", "gained"]
    assert "relative to the agents of each board" in found.sentences[-1]


def test_who_leaves_takes_its_claims_along():
    fewer = {name: value for name, value in HARDLY.items() if name != "dan"}
    found = bp.diff(told(HARDLY), told(fewer), claims=["ada > dan"])
    assert found.agents("left") == ("dan",)
    assert found.lost_claims[0].sentence.endswith("; 'dan' left.")


def test_results_documents_and_evidence_say_the_same():
    old, new = told(HARDLY), told({**HARDLY, "ada": 0.0})
    ways = [
        (old, new),
        (bp.resolve(old), bp.resolve(new)),
        (bp.resolve(old).to_dict(), bp.report(new).to_dict()),
    ]
    data = [validated(bp.diff(*way).to_dict()) for way in ways]
    assert data[0] == data[1] == data[2]


def test_the_confidence_of_both_boards_is_told():
    found = bp.diff(bp.resolve(told(HARDLY), level=0.99), bp.resolve(told(HARDLY), level=0.99))
    assert found.joint_level == pytest.approx(0.98)
    assert "at least 98 %" in str(found)


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
        bp.diff(bp.resolve(told(HARDLY), **old), bp.resolve(told(HARDLY), **new))


def test_boards_of_other_agents_are_refused_with_their_names():
    with pytest.raises(bp.DataError, match=r"they have 0. The old one has 'ada'.*'x1'.*were agents renamed\?"):
        bp.diff(told(HARDLY), told({f"x{i}": float(i) for i in range(3)}))


def test_a_claim_about_nobody_is_wrong_usage():
    with pytest.raises(bp.UsageError, match="must name agents"):
        bp.diff(told(HARDLY), told(HARDLY), claims=["eve is first"])


def test_hostile_names_are_shown_safely():
    names = {"<b>&\x1b[31m": 3.0, "=cmd()": 1.0, "cyd|x": -1.0}
    found = bp.diff(told(names), told({**names, "<b>&\x1b[31m": -4.0}))
    assert "\x1b" not in str(found)
    assert "\x1b" not in found._repr_html_()
    assert "<b>&" not in found._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("nested", [False, True])
def test_two_boards_of_one_truth_seldom_call_a_change_certain(nested):
    """With 95 % each, a change is wrongly certain in at most one of ten; 23 of 100 would have a chance of 1 in 10,000."""
    truth, wrong = {f"a{i}": 0.1 * (i // 2) for i in range(6)}, 0
    for seed in range(100):
        old = told(truth, 60, seed)
        new = told(truth, 60, 1_000 + seed)
        new = bp.Pairs(old.agents, old.a, old.b, old.counts + new.counts) if nested else new
        found = bp.diff(old, new)
        wrong += bool(found.agents("rose") or found.agents("fell") or found.reversed)
    assert wrong < 23
