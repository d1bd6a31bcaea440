"""Which agents belong to the family of which judges."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.methods.rating.judged import family_members


@pytest.fixture
def battles():
    judge, maker = bp.Factor.of(["gpt", "claude", "human"]), bp.Factor.of(["gpt", "claude", None])
    rows = [("gpt", "claude", 1), ("claude", "haiku", 1), ("gpt", "haiku", 0)]
    return bp.Battles.of(rows, factors={"judge": judge, "is": maker})


def test_a_judge_belongs_to_the_family_of_the_agent_of_its_name(battles):
    members = family_members(battles, None)
    names = {(battles.factors["judge"].levels[j], battles.agents[a]) for j, a in zip(*np.nonzero(members), strict=True)}
    assert names == {("gpt", "gpt"), ("claude", "claude")}


def test_a_mapping_makes_families(battles):
    members = family_members(battles, {"claude": "anthropic", "haiku": "anthropic"})
    j = battles.factors["judge"].levels.index("claude")
    assert {battles.agents[a] for a in np.flatnonzero(members[j])} == {"claude", "haiku"}


def test_a_column_names_the_agent_that_a_judge_is(battles):
    assert np.array_equal(family_members(battles, "is"), family_members(battles, None))


def test_a_name_that_is_neither_judge_nor_agent_is_refused_with_the_nearest(battles):
    with pytest.raises(bp.UsageError, match=r"'claud' is neither\. Did you mean 'claude'"):
        family_members(battles, {"claud": "anthropic"})


def test_a_family_that_is_no_name_is_refused(battles):
    with pytest.raises(bp.UsageError, match="must map names to names"):
        family_members(battles, {"claude": 3})


def test_a_column_that_contradicts_itself_is_refused():
    judge, own = bp.Factor.of(["j", "j"]), bp.Factor.of(["x", "y"])
    battles = bp.Battles.of([("x", "y", 1), ("x", "y", 0)], factors={"judge": judge, "is": own})
    with pytest.raises(bp.DataError, match="of 'j' it says 'x' and 'y'"):
        family_members(battles, "is")


def test_a_column_that_names_no_agent_is_refused():
    columns = {"judge": bp.Factor.of(["j", "k"]), "maker": bp.Factor.of(["m", "n"])}
    battles = bp.Battles.of([("x", "y", 1), ("x", "y", 0)], factors=columns)
    with pytest.raises(bp.DataError, match="mapping from names to families"):
        family_members(battles, "maker")
