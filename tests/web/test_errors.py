"""The reply to a request when something is wrong."""

import pytest

from beatpath._errors import DataError, ReadError, UsageError
from beatpath.web.errors import Refused, sentence_of, status_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Refused(404, "x"), 404),
        (Refused(401, "x"), 401),
        (Refused(413, "x"), 413),
        (Refused(503, "x"), 503),
        (UsageError("x"), 400),
        (DataError("x"), 422),
        (ReadError("x"), 422),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_error_has_the_status_that_http_has_for_it(error, status):
    assert status_of(error) == status


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ({"loc": ("body", "file"), "msg": "Field required"}, "`file` must be given; it is missing."),
        ({"loc": ("body", "x"), "msg": "Extra inputs are not permitted"}, "there is no such field"),
        ({"loc": ("body",), "msg": "Input should be an object", "input": 3}, "the request must be an object; got '3'."),
    ],
)
def test_a_wrong_field_is_named_in_a_sentence(problem, message):
    assert message in sentence_of(problem)
