"""JSON that every reader takes, and schemas that say what it holds."""

import json
import math

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from beatpath import UsageError
from beatpath._result import Result
from beatpath._schema import LOADS_TORCH, VERBS, document_classes, document_schema, dumps, verb_schema
from helpers.public import PUBLIC, public
from helpers.schemas import validated

DOCUMENTS = sorted(document_classes())
CLONES = {
    "schema_version": "1",
    "type": "clones",
    "agent": "ada",
    "copy": "ada (copy)",
    "methods": [
        {
            "method": "borda",
            "before": ["ada"],
            "after": ["bob"],
            "winner_changes": True,
            "distance": 0.5,
            "promised": False,
        }
    ],
    "not_run": {},
    "sentences": ["A copy of 'ada' changes who is first by borda, from 'ada' to 'bob'."],
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_has_a_schema_of_the_draft_that_stands_by_itself(name):
    schema = document_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith(f":{name}")
    references = set(_references(schema))
    assert references <= {f"#/$defs/{one}" for one in schema.get("$defs", {})}
    assert set(schema.get("$defs", {})) == {one.removeprefix("#/$defs/") for one in references}


def test_every_public_result_is_among_the_classes_of_its_document():
    classes = document_classes()
    results = [one for one in map(public, PUBLIC) if isinstance(one, type) and issubclass(one, Result)]
    light = [one for one in results if one.has_documents() and not one.__module__.startswith(LOADS_TORCH)]
    assert len(light) > 20
    for one in light:
        assert any(issubclass(other, one) for other in classes[one.document_type()]), one


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_that_prints_json_has_a_schema(verb):
    Draft202012Validator.check_schema(verb_schema(verb))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_field_is_described(name):
    for part in (document_schema(name), *document_schema(name).get("$defs", {}).values()):
        assert all(field["description"] for field in part.get("properties", {}).values())


def test_a_document_is_held_to_its_schema():
    assert validated(CLONES) == CLONES


@pytest.mark.parametrize(
    "changed",
    [
        {"agent": None},
        {"methods": [{"method": "borda"}]},
        {"unheard of": 1},
        {"schema_version": "0"},
        {"not_run": {"borda": 1}},
    ],
)
def test_what_a_schema_does_not_know_is_refused(changed):
    with pytest.raises(ValidationError):
        Draft202012Validator(document_schema("clones")).validate({**CLONES, **changed})


def test_a_core_may_be_one_or_one_for_every_context():
    core = {"oneOf": verb_schema("core")["oneOf"], "$defs": verb_schema("core")["$defs"]}
    assert [one["$ref"] for one in core["oneOf"]] == ["#/$defs/core", "#/$defs/cores"]


def test_an_unknown_document_is_a_sentence():
    with pytest.raises(UsageError, match="Did you mean 'resolve'"):
        verb_schema("resolv")


def test_numbers_that_json_lacks_become_null_wherever_they_stand():
    data = {"a": math.nan, "b": [1.5, math.inf, {"c": (-math.inf, 2)}], "d": "NaN"}
    assert json.loads(dumps(data)) == {"a": None, "b": [1.5, None, {"c": [None, 2]}], "d": "NaN"}
    assert "NaN" not in dumps({"a": math.nan})


def _references(schema):
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)
