"""Evidence about some agents: what is left is what would have been counted among them anyway."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, Scores
from beatpath.evidence.select import by_name, new_codes, present_agents, renumbered
from helpers.strategies import ballots, battles


def wins_among(evidence, names):
    """The win matrix of all, cut down to the names."""
    at = [evidence.agents.index(name) for name in names]
    return evidence.pairs().wins()[np.ix_(at, at)]


@given(st.one_of(battles(), ballots()), st.data())
def test_counts_among_some_are_the_same_counts(evidence, data):
    names = sorted(data.draw(st.sets(st.sampled_from(evidence.agents), min_size=1)))
    some = bp.only(evidence, names)
    assert sorted(some.agents) == names
    np.testing.assert_allclose(some.pairs().wins(), wins_among(evidence, some.agents))
    np.testing.assert_allclose(bp.only(evidence.pairs(), names).wins(), wins_among(evidence, some.agents))
    assert some.conventions[-1].affected == len(evidence.agents) - len(names)


def test_scores_and_matrices_are_cut_down_too():
    scores = bp.Scores.from_table([[1.0, 2.0], [3.0, 4.0], [5.0, np.nan]], ["x", "y", "z"], ["s", "t"])
    assert bp.without(scores, ["y"]).value.tolist() == [1, 2, 5]
    margins = bp.Margins.from_wins([[0, 3, 1], [1, 0, 4], [3, 0, 0]], ["x", "y", "z"])
    assert bp.only(margins, ["x", "z"]).matrix.tolist() == [[0, -2], [2, 0]]
    rates = bp.WinRates([[0.5, 0.75], [0.25, 0.5]], ["x", "y"])
    assert bp.without(rates, ["x"]).matrix.tolist() == [[0.5]]


def test_a_name_that_is_no_agent_is_refused_with_its_neighbor():
    b = bp.Battles.of([("ada", "bob", 1)])
    for call in (bp.only, bp.without):
        with pytest.raises(bp.UsageError, match=r"'adda' must be one of the agents\. Did you mean 'ada'"):
            call(b, ["adda"])
    with pytest.raises(bp.UsageError, match="at least one agent"):
        bp.without(b, ["ada", "bob"])


@pytest.mark.parametrize("kind", ["battles", "ballots", "pairs", "margins", "scores", "win_rates"])
def test_numbering_agents_otherwise_changes_no_name_of_anything(kind):
    rows = Battles.of([("zoe", "ada", 1), ("bob", "zoe", 0.5), ("ada", "bob", 1), ("ada", "bob", 0)])
    made = {
        "battles": rows,
        "ballots": Ballots.of([[["zoe"], ["ada"]], [["bob"], ["zoe"]]], agents=("zoe", "ada", "bob")),
        "pairs": rows.pairs(),
        "margins": rows.pairs().margins(),
        "scores": Scores.from_table([[1.0, 2.0], [3.0, 4.0], [0.0, 9.0]], ["zoe", "ada", "bob"], ["x", "y"]),
        "win_rates": rows.pairs().win_rates(),
    }[kind]
    turned = renumbered(made, [2, 0, 1])
    assert turned.agents == tuple(made.agents[i] for i in (2, 0, 1))
    key = "plurality" if kind in ("ballots", "scores") else "copeland"
    assert bp.rank(turned, key).levels == bp.rank(made, key).levels
    assert by_name(turned).agents == tuple(sorted(made.agents))


def test_agents_seen_are_those_that_stand_in_some_row():
    rows = Battles(("ada", "bob", "cyd"), [2], [0], [1.0])
    assert present_agents(rows).tolist() == [0, 2]
    assert present_agents(rows.pairs()).tolist() == [0, 2]
    assert present_agents(Ballots.of([[["ada"]]], agents=("ada", "bob"))).tolist() == [0]
    assert new_codes(present_agents(rows), 3).tolist() == [0, -1, 1]


def degrees(rows):
    """How many rows each agent is in, counted one by one."""
    return {name: sum(name in row[:2] for row in rows) for name in {x for row in rows for x in row[:2]}}


@pytest.mark.parametrize("least", [0, 1, 2, 3, 5, 8])
def test_agents_with_few_battles_are_left_out_until_all_have_enough(least):
    rng = np.random.default_rng(least)
    names = [f"a{i}" for i in range(12)]
    rows = [(*rng.choice(names, 2, replace=False, p=np.arange(1, 13) / 78), 1.0) for _ in range(40)]
    remaining = rows
    while any(n < least for n in degrees(remaining).values()):
        rare = {name for name, n in degrees(remaining).items() if n < least}
        remaining = [row for row in remaining if not rare & set(row[:2])]
    battles = bp.Battles.of(rows)
    if not remaining:
        with pytest.raises(bp.DataError, match="none has"):
            bp.only(battles, min_battles=least)
        return
    for evidence in (battles, battles.pairs()):
        some = bp.only(evidence, min_battles=least)
        assert some.agents == tuple(sorted(degrees(remaining)))
        assert int((some.pairs() if evidence is battles else some).battles.sum()) == len(remaining)


def test_ballots_and_scores_count_as_battles():
    ballots = bp.Ballots.of([[["ab"]], [["a"], ["b"]], [["c"]]], agents=["a", "ab", "b", "c"], count=[1, 2, 9])
    assert bp.only(ballots, min_battles=2).agents == ("a", "b")
    scores = bp.Scores.from_table([[1, 2], [1, np.nan]], ["a", "b"], ["t", "u"])
    assert bp.only(scores, min_battles=2).agents == ("a",)


def test_left_out_agents_are_reported():
    reading = bp.Battles.of(
        [("a", "b", 1), ("a", "b", 0), ("a", "c", 1)], reading=bp.results.Reading(("x",), "table", 3, 3)
    )
    some = bp.only(reading, min_battles=2)
    assert some.reading.notes == ("left out 1 agent with fewer than 2 battles: 'c'",)
    assert [(made.value, made.affected) for made in some.conventions] == [("often", 1.0)]


def test_battles_are_counted_in_whole_numbers_and_matrices_have_none():
    with pytest.raises(bp.UsageError, match="whole number"):
        bp.only(bp.Battles.of([("a", "b", 1)]), min_battles=-1)
    with pytest.raises(bp.UsageError, match="margins hold no counts"):
        bp.only(bp.Margins([[0, 1], [-1, 0]], ("a", "b")), min_battles=1)
