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


def test_agents_with_too_little_data_are_not_on_the_board():
    rows = [(f"x{i}", f"x{j}", float(k % 2)) for i in range(8) for j in range(i) for k in range(100)]
    resolution = bp.resolve(bp.Battles.of([*rows, ("x0", "new", 1.0)]))
    assert [one.agent for one in resolution.unplaced] == ["new"]
    assert set(ranks_of_document(saved(resolution), "old.json").agents) == {f"x{i}" for i in range(8)}


def test_a_board_that_does_not_say_who_may_be_first_has_those_with_best_rank_one(resolution):
    board = ranks_of_document(without(saved(resolution), "may_be_first"), "old.json")
    assert set(board.top(1)) == {
        name for name, best in zip(resolution.agents, resolution.best, strict=True) if best == 1
    }


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
    assert board.top(1) == resolution.ranks.top(1)
    assert board.supports(claims_of(text, resolution.agents)[0]) == resolution.test(text, simultaneous=True).supported


def test_the_json_of_a_report_does_as_well(resolution):
    pairs = bp.Pairs(("ada", "bob"), [0], [1], [[70, 30, 0, 0]])
    board = ranks_of_document(json.loads(bp.report(pairs).text("json")), "report.json")
    assert board.agents == ("ada", "bob")
    assert board.above[0, 1]


def without(data, key):
    return {**data, "ranks": {a: {k: v for k, v in row.items() if k != key} for a, row in data["ranks"].items()}}


def altered(**changes):
    """Return what changes the row of aurora in a document."""
    return lambda data: {**data, "ranks": {**data["ranks"], "aurora": {**data["ranks"]["aurora"], **changes}}}


def set_to(**changes):
    """Return what changes the settings of a document."""
    return lambda data: {**data, "settings": {**data["settings"], **changes}}


def one_agent(data):
    name = next(iter(data["ranks"]))
    return {**data, "ranks": {name: data["ranks"][name]}}


@pytest.mark.parametrize(
    ("spoil", "error", "words"),
    [
        (
            altered(score=float("nan")),
            bp.ReadError,
            "'score' of 'aurora' in 'kept.json' must be a finite number or null; it is 'nan'",
        ),
        (
            altered(low="0.5"),
            bp.ReadError,
            "'low' of 'aurora' in 'kept.json' must be a finite number or null; it is '0.5'",
        ),
        (altered(best=99), bp.ReadError, "must be a whole number from 1 to 30, the number of agents; it is '99'"),
        (altered(best=0), bp.ReadError, "must be a whole number from 1 to 30, the number of agents; it is '0'"),
        (altered(best=1.5), bp.ReadError, "must be a whole number from 1 to 30, the number of agents; it is '1.5'"),
        (
            altered(best=3, worst=2),
            bp.ReadError,
            "'worst' of 'aurora' in 'kept.json' must be a whole number from 1 to 30",
        ),
        (altered(worst=-1), bp.ReadError, "and not below `best`; it is '-1'"),
        (altered(part=10**12), bp.ReadError, "'part' of 'aurora' in 'kept.json' must be a whole number from 1 to 30"),
        (altered(tier="1"), bp.ReadError, "the number of agents, or null; it is '1'"),
        (altered(letters=7), bp.ReadError, "'letters' of 'aurora' in 'kept.json' must be letters, such as 'ab'"),
        (altered(letters="?"), bp.ReadError, "'letters' of 'aurora' in 'kept.json' must be letters, such as 'ab'"),
        (altered(letters=""), bp.ReadError, "'letters' of 'aurora' in 'kept.json' must be letters, such as 'ab'"),
        (
            altered(may_be_first=1),
            bp.ReadError,
            "'may_be_first' of 'aurora' in 'kept.json' must be true or false; it is '1'",
        ),
        (set_to(level=7), bp.ReadError, "'level' of 'kept.json' must be a number between 0 and 1; it is '7'"),
        (set_to(level=True), bp.ReadError, "'level' of 'kept.json' must be a number between 0 and 1; it is 'True'"),
        (set_to(simultaneous="no"), bp.ReadError, "'simultaneous' of 'kept.json' must be true or false; it is 'no'"),
        (set_to(estimand=3), bp.ReadError, "'estimand' of 'kept.json' must be a name, or weights by agent; it is '3'"),
        (
            lambda data: {**data, "settings": 3},
            bp.ReadError,
            "'settings' of 'kept.json' must be a mapping by name; it is '3'",
        ),
        (lambda data: {**data, "estimand": 3}, bp.ReadError, "'estimand' of 'kept.json' must be a text; it is '3'"),
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
