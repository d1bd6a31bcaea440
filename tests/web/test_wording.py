"""What the page says of an error names controls of the page."""

import re

import pytest

from beatpath.web.work import CONTROLS, VALUES, page_words
from helpers.messages import SOURCE, texts_with_options

SEEN_ON_THE_PAGE = ("evidence", "data", "checks", "methods", "inference", "analysis", "web")
OF_THE_SERVER = ("--token-file", "--host", "--port")  # used before there is a page


def raised():
    """Every piece of text of an error that the page can show and that names an option."""
    texts = texts_with_options(SEEN_ON_THE_PAGE)
    return [text for text in texts if not any(f"`{flag}" in text for flag in OF_THE_SERVER)]


def test_there_are_errors_that_name_options():
    assert len(list(raised())) > 20


@pytest.mark.parametrize("text", sorted(set(raised())))
def test_no_error_of_the_page_names_an_option(text):
    assert "`--" not in page_words(text)


STATIC = "".join(path.read_text(encoding="utf-8") for path in sorted((SOURCE / "web" / "static").glob("*.*")))


def named():
    return {name for text in CONTROLS.values() for name in re.findall("“([^”]+)”", text)}


def test_every_control_that_is_named_is_on_the_page():
    for name in named() | set(VALUES.values()):
        assert name in STATIC, name


def test_roles_are_named_as_the_page_names_them():
    text = page_words("Say so: `--map agent_a=COLUMN,agent_b=COLUMN`, or `--map judge=none`.")
    assert "the roles “agent a”, “agent b” of columns" in text
    assert "“no role” for the column of “judge”" in text


def test_text_without_an_option_stays_as_it_is():
    text = "'a -- b' must be one of 'x', 'y'; got `z`."
    assert page_words(text) == text
