"""Fewest removals: against every subset of tiny data, by removal and refit, and by hand."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Battles, Factor
from beatpath._errors import DataError, UsageError
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set

OUTCOMES = (0.0, 0.5, 1.0)


@st.composite
def few_battles(draw, most=8, agents=3, outcomes=OUTCOMES):
    rows = []
    for _ in range(draw(st.integers(2, most))):
        a, b = draw(st.sampled_from([(i, j) for i in range(agents) for j in range(agents) if i != j]))
        rows.append(("xyzuvw"[a], "xyzuvw"[b], draw(st.sampled_from(outcomes))))
    judge = Factor.of(draw(st.lists(st.sampled_from(["ann", "bea", "cat"]), min_size=len(rows), max_size=len(rows))))
    told = Battles.of(rows)
    return Battles(tuple("xyzuvw"[:agents]), *_codes(told, agents), told.outcome, factors={"judge": judge})


def _codes(told, agents):
    place = np.array(["xyzuvw".index(name) for name in told.agents])
    return place[told.a], place[told.b]


def share(battles):
    won, met = dict.fromkeys(battles.agents, 0.0), dict.fromkeys(battles.agents, 0)
    for a, b, s in rows_of(battles):
        won[a] += s
        won[b] += 1 - s
        met[a] += 1
        met[b] += 1
    return {name: won[name] / met[name] if met[name] else None for name in won}


def net(battles):
    total = dict.fromkeys(battles.agents, 0.0)
    for a, b, s in rows_of(battles):
        total[a] += 2 * s - 1
        total[b] -= 2 * s - 1
    return total


def copeland(battles):
    margin = {}
    for a, b, s in rows_of(battles):
        margin[a, b] = margin.get((a, b), 0) + 2 * s - 1
        margin[b, a] = margin.get((b, a), 0) - (2 * s - 1)
    return {x: sum(np.sign(margin.get((x, y), 0)) for y in battles.agents if y != x) for x in battles.agents}


def rows_of(battles):
    return [
        (battles.agents[a], battles.agents[b], s)
        for a, b, s in zip(battles.a, battles.b, battles.outcome.tolist(), strict=True)
    ]


BY_DEFINITION = {"win_rate": share, "borda": net, "copeland": copeland}


def passes(score, up, down):
    return score[up] is not None and score[down] is not None and score[up] > score[down] + 1e-12


def fewest_by_trying(battles, method, up, down, groups=None):
    """The smallest number of rows, or of groups of rows, whose removal puts `up` above `down`."""
    groups = [[i] for i in range(len(battles))] if groups is None else groups
    for size in range(1, len(groups) + 1):
        for some in combinations(groups, size):
            keep = np.ones(len(battles), dtype=bool)
            keep[[i for group in some for i in group]] = False
            if keep.any() and passes(BY_DEFINITION[method](battles.take(keep)), up, down):
                return size
    return None


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
        found = smallest_influential_set(battles, method, above=up, below=down, within=("judge", name))
        assert (found.needed, found.exact) == (number, True)
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
    found = smallest_influential_set(battles, method)
    assert found.needed == min((n for n in tried if n is not None), default=None)
    assert set(found.before) == {name for name in score if score[name] == best}


def test_what_is_removed_changes_the_answer_when_the_rows_are_taken_out():
    battles = bp.example()
    found = smallest_influential_set(battles)
    keep = np.ones(len(battles), dtype=bool)
    for one in found.removed:
        a, b = battles.agents.index(one.agent), battles.agents.index(one.rival)
        s = {"won": 1.0, "tied": 0.5}[one.outcome]
        rows = ((battles.a == a) & (battles.b == b) & (battles.outcome == s)) | (
            (battles.a == b) & (battles.b == a) & (battles.outcome == 1 - s)
        )
        keep[np.flatnonzero(rows)[: one.count]] = False
    assert keep.sum() == len(battles) - found.needed
    assert bp.rank(battles, "bradley_terry").winners == found.before
    assert bp.rank(battles.take(keep), "bradley_terry").winners == found.after != found.before


@pytest.mark.parametrize("method", ["bradley_terry", "win_rate", "copeland", "borda"])
def test_the_order_of_the_rows_changes_nothing(method):
    battles = bp.example()
    shuffled = battles.take(np.random.default_rng(3).permutation(len(battles)))
    for options in ({}, {"unit": "judge"}, {"within": ("judge", "quill")}):
        one, other = (smallest_influential_set(told, method, **options) for told in (battles, shuffled))
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
