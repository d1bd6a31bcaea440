"""JSON records with their places, and rows made evidence."""

import json

import numpy as np
import pytest

from beatpath._errors import ReadError
from beatpath.data.formats.records import Fields, Tally, document, finite_number, records
from beatpath.data.sources.source import Options, find

OBJECTS = [{"a": 1}, {"a": "é"}]


def tally(*rows):
    return Tally("test", (), Options(), rows=list(rows))


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("x.jsonl", "\n\n".join(map(json.dumps, OBJECTS)), ["line 1", "line 3"]),
        ("x.json", json.dumps(OBJECTS, indent=1), ["record 1", "record 2"]),
        ("x.json", "\n".join(map(json.dumps, OBJECTS)), ["line 1", "line 2"]),
    ],
)
def test_objects_come_with_their_places(write, name, text, places):
    path = write(text, name)
    entries = list(records(find(path)[0]))
    assert [record.values for record in entries] == OBJECTS
    assert [record.place.partition(" of ")[0] for record in entries] == places


def test_a_single_document_is_one_record(write):
    assert [record.values for record in records(find(write('{\n"a": 1\n}', "x.json"))[0])] == [{"a": 1}]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.jsonl", '{"a": 1}\n{"a"', "line 2 is not"),
        ("x.json", '[{"a": 1}, 3]', "record 2 is a int"),
        ("x.json", '[{"a": 1},', "line 1 column 11 is not"),
    ],
)
def test_what_is_broken_is_named_by_its_place(write, name, text, message):
    with pytest.raises(ReadError, match=message):
        list(records(find(write(text, name))[0]))


def test_json_too_deep_is_a_sentence(write):
    with pytest.raises(ReadError, match=r"must be JSON( of ordinary depth|; line)"):
        document(find(write("[" * 100_000, "x.json"))[0])


@pytest.mark.parametrize("value", [None, "1", [1], float("nan"), 10**400])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(ReadError, match="`score` must be a finite number"):
        finite_number(value, "here", "score")
    assert (finite_number(True, "here", "score"), finite_number(2, "here", "score")) == (1.0, 2.0)


def test_a_value_in_place_of_a_text_or_a_list_is_reported():
    with pytest.raises(ReadError, match=r"under `model`; line 1 has an array there"):
        Fields({"model": []}, "line 1").text("model")
    with pytest.raises(ReadError, match="under `model`; line 1 has other, names"):
        Fields({"other": 1, "names": 2}, "line 1").text("model")
    with pytest.raises(ReadError, match="must be a JSON array; got null"):
        Fields({}, "line 1").list("games")


def test_rows_become_evidence_with_every_further_name_a_factor():
    scores = tally({"agent": "y", "value": 1, "task": "t"}, {"agent": "x", "value": 2, "stderr": 0.5}).scores()
    assert (scores.agents, scores.agent.tolist(), scores.factors["task"].names()) == (("x", "y"), [1, 0], ["t", None])
    np.testing.assert_array_equal(scores.stderr, [np.nan, 0.5])
    battles = tally(
        {"a": "x", "b": "y", "outcome": 1}, {"a": "y", "b": "z", "outcome": 0.5, "both_bad": True}
    ).battles()
    assert (battles.agents, battles.both_bad.tolist()) == (("x", "y", "z"), [False, True])


def test_no_rows_are_no_evidence():
    with pytest.raises(ReadError, match="must hold at least one usable score"):
        tally().scores()
