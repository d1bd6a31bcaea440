"""What the page says of an error names controls of the page."""

import ast
import re

import pytest

from beatpath.web.work import CONTROLS, VALUES, page_words
from helpers.paths import ROOT

SOURCE = ROOT / "src" / "beatpath"
SEEN_ON_THE_PAGE = ("evidence", "data", "checks", "methods", "inference", "analysis", "web")
OF_THE_SERVER = ("--token-file", "--host", "--port")  # said before there is a page


def raised():
    """Every piece of text of an error that the page can show and that names an option."""
    files = [path for room in SEEN_ON_THE_PAGE for path in sorted((SOURCE / room).rglob("*.py"))]
    for path in files:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        formed = [node for node in nodes if isinstance(node, ast.JoinedStr)]
        pieces = {id(part) for node in formed for part in node.values}
        plain = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in pieces]
        texts = [str(node.value) for node in plain]
        texts += [
            "".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values) for node in formed
        ]
        for text in texts:
            if "`--" in text and not any(
                sign in text for sign in ("``", "(?P", *(f"`{flag}" for flag in OF_THE_SERVER))
            ):
                yield text


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
    said = page_words("Say so: `--map agent_a=COLUMN,agent_b=COLUMN`, or `--map judge=none`.")
    assert "the roles “agent a”, “agent b” of columns" in said
    assert "“no role” for the column of “judge”" in said


def test_text_without_an_option_stays_as_it_is():
    text = "'a -- b' must be one of 'x', 'y'; got `z`."
    assert page_words(text) == text
