"""The tree of errors: everything raised on purpose is caught by one name, and has its exit status."""

import ast
import inspect
import re

import pytest

import beatpath as bp
from beatpath._errors import BeatpathError, python_words
from beatpath.evidence.conventions import Conventions
from beatpath.evidence_design.field import unplaced_sentence
from beatpath.methods.rating.bradley_terry.structured import bradley_terry_structured
from helpers.messages import texts_with_options


@pytest.mark.parametrize(
    ("error", "status"), [(bp.DataError, 1), (bp.ReadError, 1), (bp.UnknownLabel, 1), (bp.UsageError, 2)]
)
def test_every_error_is_one_of_ours_with_its_status(error, status):
    assert issubclass(error, bp.BeatpathError)
    assert error("x").exit_status == status


def test_a_missing_library_says_what_to_install():
    error = bp.MissingExtra("torch", "learn", "`learn`")
    assert str(error) == "`learn` needs torch, which is not installed: pip install 'beatpath[learn]'."
    assert isinstance(error, bp.UsageError)


@pytest.mark.parametrize(
    ("option", "argument"),
    [
        ("--map place=x=1", 'map={"place": "x=1"}'),  # a role, and a column whose name may have the sign
        ("--labels x=1=win", 'labels={"x=1": "win"}'),  # a label that may have the sign, and its meaning
    ],
)
def test_in_python_an_option_with_several_values_is_a_mapping(option, argument):
    assert python_words(f"Say `{option}`.") == f"Say `{argument}`."


# Functions whose parameters messages name, and what is no parameter: names of functions, and the variable of the memory limit.
FUNCTIONS = (
    bp.read,
    bp.resolve,
    bp.rank,
    bp.report,
    bp.compare,
    bp.bootstrap,
    bp.metrics.normalized,
    bradley_terry_structured,
    Conventions,
)
BESIDES = {"bp.only", "bp.only(evidence, min_battles=...)", "bp.without", 'os.environ["BEATPATH_MEMORY"]'}
LIBRARY = ("evidence", "evidence_design", "data", "methods", "inference", "analysis")


def parameters():
    return {name for function in FUNCTIONS for name in inspect.signature(function).parameters} | BESIDES


@pytest.mark.parametrize("text", sorted(set(texts_with_options(LIBRARY))))
def test_a_message_raised_from_python_names_parameters(text):
    before, after = (re.findall("`([^`]+)`", words) for words in (text, python_words(text)))
    for was, now in zip(before, after, strict=True):
        if was.startswith("--"):
            call = ast.parse(f"f({now})", mode="eval").body
            named = {one.arg for one in call.keywords} | {ast.unparse(one).replace("'", '"') for one in call.args}
            assert named <= parameters(), now


def test_options_become_parameters_when_an_error_is_raised_from_python(tmp_path, monkeypatch):
    path = tmp_path / "races.csv"
    path.write_text("race,driver,position\nspa,ada,1\nspa,ada,2\nspa,bob,3\n", encoding="utf-8")
    with pytest.raises(bp.DataError, match='`repeats="best"`'):
        bp.read(path)
    monkeypatch.setattr(BeatpathError, "on_command_line", True)
    with pytest.raises(bp.DataError, match="`--repeats best`"):
        bp.read(path)


@pytest.mark.parametrize(
    "text", ["`--lower don't, --x", '`--labels \'{"a": 1`', "`--map =`", "`--map a`", "`--`", "``--x``"]
)
def test_names_that_look_like_options_are_no_trouble(text):
    assert isinstance(str(bp.DataError(text)), str)


def test_a_sentence_about_agents_left_out_names_one_option_in_the_words_of_its_reader(monkeypatch):
    assert 'It is left out; `field="all"` places every agent.' in unplaced_sentence(["dan"], "It is left out")
    monkeypatch.setattr(BeatpathError, "on_command_line", True)
    assert "It is left out; `--field all` places every agent." in unplaced_sentence(["dan"], "It is left out")
