"""The pages of the service: nothing but the files they are made of."""

import pytest

from beatpath.web.app import STATIC, icon, page, static
from helpers.refusals import refused


@pytest.mark.parametrize("name", ["live", "docs", "arena", "vote"])
def test_a_page_asks_for_nothing_from_elsewhere(name):
    text = page(name).body.decode()
    assert text.lower().startswith("<!doctype html>")
    assert 'src="http' not in text
    assert 'href="http' not in text.replace('href="https://github.com', "")


@pytest.mark.parametrize("name", STATIC)
def test_every_file_of_a_page_is_there(name):
    assert static(name).body


def test_there_is_a_picture_for_the_tab():
    assert icon().media_type == "image/svg+xml"


@pytest.mark.parametrize("name", ["../asked.py", "nothing.js", ""])
def test_no_other_file_can_be_had(name):
    with refused(404):
        static(name)
