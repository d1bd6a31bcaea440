"""Clones: copies by definition, the methods that promise to be independent of them, and known ones that are not."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, Margins, Pairs
from beatpath._errors import UsageError
from beatpath.inference.sensitivity.clones import clone, with_clone
from beatpath.methods.registry import METHODS

PROOF = [key for key, made in METHODS.items() if "clone" in made.properties and "margins" in made.takes]


@st.composite
def margins(draw):
    n = draw(st.integers(2, 5))
    upper = np.triu(np.array(draw(st.lists(st.integers(-4, 4), min_size=n * n, max_size=n * n))).reshape(n, n), 1)
    return Margins((upper - upper.T).astype(float), tuple("abcde"[:n]))


@given(m=margins(), data=st.data())
@settings(max_examples=30)
def test_methods_that_promise_independence_of_clones_keep_it(m, data):
    told = clone(m, data.draw(st.sampled_from(m.agents)), PROOF)
    unique = bp.rank(m, "maximal_lottery").details["unique"]
    for one in told.methods:
        assert one.promised
        if one.method != "maximal_lottery" or unique:
            assert not one.winner_changes, one.method
            assert not one.order_changes, one.method


def test_copeland_gains_by_a_copy_of_whom_it_beats():
    # a circle; with a second b, a beats two, b one and a half, c one
    circle = Margins([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], ("a", "b", "c"))
    told = clone(circle, "b", ["copeland", "schulze"])
    assert [(one.before, one.after) for one in told.methods] == [
        (("a", "b", "c"), ("a",)),
        (("a", "b", "c"), ("a", "b", "c")),
    ]
    assert told.sentences == (
        "A copy of 'b' changes who is first by copeland, from 'a', 'b', 'c' to 'a'.",
        "A copy of 'b' changes nothing by schulze.",
    )


def test_a_copy_that_wins_counts_as_its_original():
    told = clone(Ballots.of([[["a"], ["b"]]]), "a", ["copeland"])
    assert told.methods[0].after == ("a",)


def test_every_method_that_takes_battles_is_tried_or_says_why_not():
    told = clone(bp.only(bp.example(), ["aurora", "basalt", "cinder", "delta", "dune"]), "dune")
    assert {one.method for one in told.methods} | set(told.not_run) == {
        key for key, method in METHODS.items() if not method.by_name
    }
    assert "bradley_terry" in {one.method for one in told.methods}
    assert json.loads(json.dumps(told.to_dict(), allow_nan=False))["agent"] == "dune"


def test_names_are_free_and_shown_safely():
    evil = "<b>\x1b"
    told = clone(Pairs((evil, f"{evil} (copy)"), [0], [1], [[2, 1, 0, 0]]), evil, ["copeland"])
    assert told.copy == f"{evil} (copy)*"
    assert "\x1b" not in str(told)
    assert "<b>" not in told._repr_html_()
    with pytest.raises(UsageError, match="new name"):
        with_clone(Battles.of([("a", "b", 1)]), "a", "b")
    with pytest.raises(UsageError, match="must be one of the agents"):
        with_clone(Battles.of([("a", "b", 1)]), "zed")
