"""Documents held to their schemas."""

import json
from functools import cache

from jsonschema import Draft202012Validator

from beatpath._schema import document_schema


def _no_token(token):
    raise AssertionError(f"{token} is no JSON")


@cache
def validator(name):
    return Draft202012Validator(document_schema(name))


def validated(document):
    """Return a document, given as data or as text, after holding it to the schema that its type names."""
    text = document if isinstance(document, str | bytes) else json.dumps(document, allow_nan=False)
    data = json.loads(text, parse_constant=_no_token)
    wrong = [f"{error.json_path}: {error.message[:300]}" for error in validator(data["type"]).iter_errors(data)]
    assert not wrong, "\n".join(wrong)
    return data
