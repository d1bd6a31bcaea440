"""Snapshots: a board read back from its JSON equals the board; what is no board gets a sentence."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.ranks.claims import claims_of
from beatpath.inference.resolve.diff import ranks_among, ranks_of_document

TWO_PARTS = bp.Pairs(("a", "b", "x", "y"), [0, 2], [1, 3], [[90, 10, 0, 0], [80, 20, 0, 0]])


@pytest.fixture(scope="module")
def resolution():
    return bp.resolve(bp.example())


def saved(resolution):
    return json.loads(json.dumps(resolution.to_dict()))


def test_the_certain_orders_are_read_back_from_scores_and_letters(resolution):
    board = ranks_of_document(saved(resolution), "old.json")
    rows = [board.agents.index(name) for name in resolution.agents]
    assert (board.above[np.ix_(rows, rows)] == resolution.ranks.above).all()
    assert board.top(1) == resolution.ranks.top(1)


def test_agents_of_different_components_are_not_in_order():
    resolution = bp.resolve(TWO_PARTS, estimand="as_sampled")
    board = ranks_of_document(saved(resolution), "old.json")
    assert board.above.sum() == 2
    assert board.above[board.agents.index("a"), board.agents.index("b")]


def test_ranks_among_some_agents_count_these_alone(resolution):
    board = ranks_of_document(saved(resolution), "old.json")
    rows = [board.agents.index(name) for name in ("aurora", "dune")]
    assert ranks_among(board.above[np.ix_(rows, rows)]) == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    "text",
    ["aurora > dune", "dune > aurora", "aurora is first", "aurora is in the top 3", "dune is last", "dune is first"],
)
def test_a_claim_is_carried_as_by_the_resolution_itself(resolution, text):
    board = ranks_of_document(saved(resolution), "old.json")
    assert board.supports(claims_of(text, resolution.agents)[0]) == resolution.test(text, simultaneous=True).supported


def test_the_json_of_a_report_does_as_well(resolution):
    pairs = bp.Pairs(("ada", "bob"), [0], [1], [[70, 30, 0, 0]])
    board = ranks_of_document(json.loads(bp.report(pairs).text("json")), "report.json")
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
def test_what_is_no_board_of_this_version_gets_a_sentence_with_its_name(resolution, spoil, error, words):
    with pytest.raises(error, match=r"'kept\.json'") as caught:
        ranks_of_document(spoil(saved(resolution)), "'kept.json'")
    assert words in str(caught.value)
