"""The documentation: every public name and option has a place, and the pages made from the code are whole."""

import importlib.util
import re

import pytest
import typer

from beatpath._errors import BeatpathError
from beatpath.cli.main import BROKEN_PIPE, app
from beatpath.cli.output import UNSUPPORTED
from helpers.paths import ROOT
from helpers.public import NAMESPACES, PUBLIC

DOCS = ROOT / "docs"
REFERENCE = [
    DOCS / "reference.md",
    *(path for path in (DOCS / "reference").glob("*.md") if path.stem != "command_line"),
]  # an index, a page per main function, and the rest by topic
INFERENCE = sorted(
    path for path in (DOCS / "theory" / "inference").glob("*.md") if path.stem not in ("index", "coverage")
)  # which measure and prove nothing
COMMANDS = typer.main.get_command(app).commands
ENTRY = re.compile(r"^(\S.*)\n: ", re.MULTILINE)


def text_of(path):
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def command_line():
    spec = importlib.util.spec_from_file_location("command_line", DOCS / "command_line.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [*PUBLIC, *NAMESPACES])
def test_every_public_name_stands_in_the_python_reference(name):
    name = re.escape(name)
    assert re.search(rf":: beatpath\.{name}$|`bp\.{name}`", "\n".join(map(text_of, REFERENCE)), re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name.islower() and not name.startswith("_")])
def test_every_public_function_is_used_on_a_page_that_explains_it(name):
    name = name.rpartition(".")[2]
    pages = (text_of(path) for path in DOCS.rglob("*.md") if path not in REFERENCE and "_build" not in path.parts)
    assert any(re.search(rf"\b{name}\b\(|`{name}`|`bp\.{name}|bp\.\w+\.{name}\b", page) for page in pages)


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_option_of_a_verb_stands_in_the_reference_of_the_command_line(verb, command_line):
    text = command_line.reference()
    section = re.search(rf"^### `beatpath {verb}`$(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    shared = re.findall(r"\[(\w+)\]\(#\w+\)", section)
    panels = [re.search(rf"^### {name}$(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL)[1] for name in shared]
    for option in COMMANDS[verb].params:
        for way in (*option.opts, *option.secondary_opts):
            assert not way.startswith("--") or re.search(rf"`.*{way}\b.*` \|", "".join([section, *panels])), way


def test_the_page_of_the_command_line_has_a_place_for_the_verbs(command_line):
    assert text_of(DOCS / "reference" / "command_line.md").count(command_line.HERE) == 1


def test_the_documented_exit_statuses_are_those_that_commands_end_with():
    statuses = re.findall(r"^\| (\d+) \|", text_of(DOCS / "reference" / "command_line.md"), re.MULTILINE)
    kinds = [BeatpathError, *BeatpathError.__subclasses__()]
    assert {int(status) for status in statuses} == {
        0,
        UNSUPPORTED,
        130,
        BROKEN_PIPE,
        *(kind.exit_status for kind in kinds),
    }


@pytest.mark.parametrize("path", INFERENCE, ids=lambda path: path.stem)
def test_a_page_of_inference_asks_a_question_shows_a_case_says_when_it_fails_and_cites(path):
    text = text_of(path)
    assert "?" in text.split("\n\n")[1]
    for part in (">>> ", "$$", "\n## References\n"):
        assert part in text
    assert re.search(r"^## When it fails$|^\*\*Fails\*\*", text, re.MULTILINE)


def test_the_glossary_is_in_order_and_has_every_word_once():
    words = ENTRY.findall(text_of(DOCS / "glossary.md"))
    assert words == sorted(set(words), key=str.lower)


@pytest.mark.parametrize(
    "word",
    [
        "widest path",
        "bottleneck",
        "pseudo-count",
        "family-wise error",
        "lack of fit",
        "transitive closure",
        "winner's curse",
        "minimum detectable effect",
        "influence function",
        "tier",
        "level",
        "core",
        "resolved",
        "defensible",
    ],
)
def test_the_glossary_has_the_words_of_the_field_and_of_the_verdict(word):
    assert word in ENTRY.findall(text_of(DOCS / "glossary.md"))
