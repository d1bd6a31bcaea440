"""Fewest removals: against every subset of tiny data, by removal and refit, and by hand."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Battles
from beatpath._errors import DataError, UsageError
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set
from helpers.removals import BY_DEFINITION, few_battles, fewest_by_trying, passes


@pytest.mark.parametrize("method", BY_DEFINITION)
@given(battles=few_battles(), data=st.data())
@settings(max_examples=15)
def test_removals_of_one_judge_are_those_of_trying_that_judges_rows(method, battles, data):
    up, down = data.draw(st.permutations("xyz"))[:2]
    judges = battles.factors["judge"]
    score = BY_DEFINITION[method](battles)
    assume(score[up] is not None and score[down] is not None and not passes(score, up, down))
    tried = {
        name: fewest_by_trying(battles, method, up, down, [[i] for i in np.flatnonzero(judges.codes == k)])
        for k, name in enumerate(judges.levels)
    }
    for name, number in tried.items():
        removal = smallest_influential_set(battles, method, above=up, below=down, within=("judge", name))
        assert (removal.needed, removal.exact) == (number, True)
    best = smallest_influential_set(battles, method, above=up, below=down, within="judge")
    assert best.needed == min((n for n in tried.values() if n is not None), default=None)
    assert best.within is None if best.needed is None else tried[best.within[1]] == best.needed


@given(battles=few_battles(), data=st.data())
@settings(max_examples=20)
def test_by_default_somebody_passes_a_winner_with_the_fewest_removals(battles, data):
    method = data.draw(st.sampled_from(["borda", "copeland"]))
    score = BY_DEFINITION[method](battles)
    best = max(score.values())
    tried = [
        fewest_by_trying(battles, method, up, down)
        for down in battles.agents
        for up in battles.agents
        if up != down and score[down] == best
    ]
    removal = smallest_influential_set(battles, method)
    assert removal.needed == min((n for n in tried if n is not None), default=None)
    assert set(removal.before) == {name for name in score if score[name] == best}


def test_what_is_removed_changes_the_answer_when_the_rows_are_taken_out():
    battles = bp.example()
    removal = smallest_influential_set(battles)
    keep = np.ones(len(battles), dtype=bool)
    for one in removal.removed:
        a, b = battles.agents.index(one.agent), battles.agents.index(one.rival)
        s = {"won": 1.0, "tied": 0.5}[one.outcome]
        rows = ((battles.a == a) & (battles.b == b) & (battles.outcome == s)) | (
            (battles.a == b) & (battles.b == a) & (battles.outcome == 1 - s)
        )
        keep[np.flatnonzero(rows)[: one.count]] = False
    assert keep.sum() == len(battles) - removal.needed
    assert bp.rank(battles, "bradley_terry").winners == removal.before
    assert bp.rank(battles.take(keep), "bradley_terry").winners == removal.after != removal.before


@pytest.mark.parametrize("method", ["bradley_terry", "win_rate", "copeland", "borda"])
def test_the_order_of_the_rows_changes_nothing(method):
    battles = bp.example()
    shuffled = battles.take(np.random.default_rng(3).permutation(len(battles)))
    for options in ({}, {"unit": "judge"}, {"within": ("judge", "quill")}):
        one, other = (smallest_influential_set(evidence, method, **options) for evidence in (battles, shuffled))
        assert one.to_dict() == other.to_dict()
        assert one.verified or one.needed is None


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"method": "schulze"}, UsageError, "bradley_terry, win_rate, copeland, borda"),
        ({"above": "a"}, UsageError, "both be named"),
        ({"above": "a", "below": "b"}, UsageError, "Exchange the two"),
        ({"above": "b", "below": "b"}, UsageError, "two agents"),
        ({"above": "zed", "below": "b"}, UsageError, "must be one of the agents"),
        ({"pair_weight": "rate"}, UsageError, "must be count"),
        ({"ties": "keep"}, UsageError, "half or drop"),
        ({"unit": "judge"}, UsageError, "judge"),
        ({"within": ("judge", "ann")}, UsageError, "judge"),
        ({"unit": "ballot"}, UsageError, "no single ballots"),
    ],
)
def test_wrong_arguments_are_refused_with_the_reason(options, error, words):
    battles = Battles.of([("a", "b", 1), ("a", "b", 1), ("b", "a", 1)])
    with pytest.raises(error, match=words):
        smallest_influential_set(battles, **({"method": "win_rate"} | options))


def test_margins_and_one_agent_have_nothing_to_remove():
    with pytest.raises(DataError, match="hold none"):
        smallest_influential_set(bp.Margins.from_wins([[0, 1], [0, 0]], ["a", "b"]))
    with pytest.raises(DataError, match="two agents"):
        smallest_influential_set(Battles(("a",), [], [], []), "win_rate")


def test_soft_preferences_between_two_agents_are_counted_together():
    battles = bp.Battles.of([("a", "b", x) for x in (0.9, 0.8, 0.7)] + [("b", "a", 0.6)])
    found = smallest_influential_set(battles, "copeland")
    assert len(found.removed) > 1
    assert f"{found.needed} split between 'a' and 'b'" in str(found)
