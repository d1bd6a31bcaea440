"""Snapshots: a board read back from its JSON says what the board said; what is no board gets a sentence."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.ranks.claims import claims_of
from beatpath.inference.resolve.diff import ranks_among, ranks_of_document

TWO_PARTS = bp.Pairs(("a", "b", "x", "y"), [0, 2], [1, 3], [[90, 10, 0, 0], [80, 20, 0, 0]])


@pytest.fixture(scope="module")
def found():
    return bp.resolve(bp.example())


def kept(found):
    return json.loads(json.dumps(found.to_dict()))


def test_the_certain_orders_are_read_back_from_scores_and_letters(found):
    board = ranks_of_document(kept(found), "old.json")
    rows = [board.agents.index(name) for name in found.agents]
    assert (board.above[np.ix_(rows, rows)] == found.ranks.above).all()
    assert board.top(1) == found.ranks.top(1)


def test_agents_of_different_parts_are_not_in_order():
    found = bp.resolve(TWO_PARTS, estimand="as_sampled")
    board = ranks_of_document(kept(found), "old.json")
    assert board.above.sum() == 2
    assert board.above[board.agents.index("a"), board.agents.index("b")]


def test_ranks_among_some_agents_count_these_alone(found):
    board = ranks_of_document(kept(found), "old.json")
    rows = [board.agents.index(name) for name in ("aurora", "dune")]
    assert ranks_among(board.above[np.ix_(rows, rows)]) == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    "text",
    ["aurora > dune", "dune > aurora", "aurora is first", "aurora is in the top 3", "dune is last", "dune is first"],
)
def test_a_claim_is_carried_as_by_the_resolution_itself(found, text):
    board = ranks_of_document(kept(found), "old.json")
    assert board.supports(claims_of(text, found.agents)[0]) == found.test(text, simultaneous=True).supported


def test_the_json_of_a_report_does_as_well(found):
    told = bp.Pairs(("ada", "bob"), [0], [1], [[70, 30, 0, 0]])
    board = ranks_of_document(json.loads(bp.report(told).text("json")), "report.json")
    assert board.agents == ("ada", "bob")
    assert board.above[0, 1]


def without(data, key):
    return {**data, "ranks": {a: {k: v for k, v in row.items() if k != key} for a, row in data["ranks"].items()}}


def one_agent(data):
    name = next(iter(data["ranks"]))
    return {**data, "ranks": {name: data["ranks"][name]}}


@pytest.mark.parametrize(
    ("spoil", "error", "words"),
    [
        (lambda data: {**data, "schema_version": "0"}, bp.ReadError, "must have schema version '1'; it has '0'"),
        (lambda data: {**data, "type": "core"}, bp.ReadError, "its type is 'core'"),
        (lambda data: {"ranks": {}}, bp.ReadError, "names no type"),
        (lambda data: without(data, "letters"), bp.ReadError, "written by an older version"),
        (lambda data: without(data, "tier"), bp.ReadError, "written by an older version"),
        (lambda data: {**data, "ranks": [1, 2]}, bp.ReadError, "written by an older version"),
        (lambda data: {**data, "ranks": {"a": 3, "b": 4}}, bp.ReadError, "written by an older version"),
        (one_agent, bp.DataError, "must have two agents at least; it has"),
        (
            lambda data: {
                "type": "report",
                "schema_version": "1",
                "resolution": None,
                "not_run": {"resolution": "No counts."},
            },
            bp.DataError,
            "this report does not: No counts.",
        ),
    ],
)
def test_what_is_no_board_of_this_version_gets_a_sentence_with_its_name(found, spoil, error, words):
    with pytest.raises(error, match=r"'kept\.json'") as caught:
        ranks_of_document(spoil(kept(found)), "'kept.json'")
    assert words in str(caught.value)
