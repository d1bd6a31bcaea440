"""The application: routes, and one voice for whatever goes wrong."""

import json

import pytest

from beatpath._errors import DataError
from beatpath.web.api import create_app
from beatpath.web.app import _refusal
from beatpath.web.errors import Refused


def test_it_has_the_routes_of_the_interface_and_of_the_pages():
    paths = set(create_app().openapi()["paths"])
    assert {"/api/files", "/api/uploads", "/api/preview", "/api/jobs"} <= paths


def test_it_loads_no_scripts_of_others():
    app = create_app()
    assert app.docs_url is None
    assert app.redoc_url is None


@pytest.mark.parametrize(("error", "status"), [(Refused(404, "gone."), 404), (DataError("no battles."), 422)])
def test_a_deliberate_error_is_its_sentence(error, status):
    answer = _refusal(None, error)
    assert answer.status_code == status
    assert json.loads(answer.body) == {"error": str(error)}


def test_an_error_of_ours_tells_nothing_of_the_inside():
    answer = _refusal(None, ValueError("/home/somebody/secret"))
    assert answer.status_code == 500
    assert "secret" not in answer.body.decode()
