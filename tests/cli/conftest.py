"""Errors of these tests name options, also where a test calls a part of the command line by itself."""

import pytest

from beatpath._errors import BeatpathError


@pytest.fixture(autouse=True)
def on_the_command_line(monkeypatch):
    monkeypatch.setattr(BeatpathError, "on_command_line", True)
