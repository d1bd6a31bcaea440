"""The service behind the routes: files are looked at one at a time, and not by everybody at once."""

from contextlib import ExitStack

import pytest

from beatpath.web.api import READERS_WAITING, Service
from beatpath.web.files import Limits, ReadableFiles
from beatpath.web.requests import FileReading
from helpers.refusals import refused


@pytest.fixture
def service():
    made = Service(ReadableFiles(), Limits())
    made.start()
    yield made
    made.close()


def test_an_unlisted_file_cannot_be_looked_at(service):
    with refused(404):
        service.preview(FileReading(file="secret"))


def test_more_readers_than_can_wait_are_refused(service):
    with ExitStack() as held:
        for _ in range(READERS_WAITING):
            held.enter_context(service._gate.inside())
        with refused(503, match="Try again"):
            service.preview(FileReading(file="example"))
