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
    cloned = clone(m, data.draw(st.sampled_from(m.agents)), PROOF)
    unique = bp.rank(m, "maximal_lottery").details["unique"]
    for one in cloned.methods:
        assert one.promised
        if one.method != "maximal_lottery" or unique:
            assert not one.winner_changes, one.method
            assert not one.order_changes, one.method


def test_copeland_gains_by_a_copy_of_whom_it_beats():
    # a cycle; with a second b, a beats two, b one and a half, c one
    cycle = Margins([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], ("a", "b", "c"))
    cloned = clone(cycle, "b", ["copeland", "schulze"])
    assert [(one.before, one.after) for one in cloned.methods] == [
        (("a", "b", "c"), ("a",)),
        (("a", "b", "c"), ("a", "b", "c")),
    ]
    assert cloned.sentences == (
        "A copy of 'b' changes who is first by copeland, from 'a', 'b' and 'c' to 'a'.",
        "A copy of 'b' changes nothing by schulze.",
    )


def test_a_copy_that_wins_counts_as_its_original():
    cloned = clone(Ballots.of([[["a"], ["b"]]]), "a", ["copeland"])
    assert cloned.methods[0].after == ("a",)


def test_every_method_that_takes_battles_is_tried_or_says_why_not():
    cloned = clone(bp.only(bp.example(), ["aurora", "basalt", "cinder", "delta", "dune"]), "dune")
    assert {one.method for one in cloned.methods} | set(cloned.not_run) == {
        key for key, method in METHODS.items() if not method.by_name
    }
    assert "bradley_terry" in {one.method for one in cloned.methods}
    assert json.loads(json.dumps(cloned.to_dict(), allow_nan=False))["agent"] == "dune"


def test_names_are_free_and_shown_safely():
    evil = "<b>\x1b"
    cloned = clone(Pairs((evil, f"{evil} (copy)"), [0], [1], [[2, 1, 0, 0]]), evil, ["copeland"])
    assert cloned.copy == f"{evil} (copy)*"
    assert "\x1b" not in str(cloned)
    assert "<b>" not in cloned._repr_html_()
    with pytest.raises(UsageError, match="new name"):
        with_clone(Battles.of([("a", "b", 1)]), "a", "b")
    with pytest.raises(UsageError, match="must be one of the agents"):
        with_clone(Battles.of([("a", "b", 1)]), "zed")
