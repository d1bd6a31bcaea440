"""What a request asks is what the command line and Python can ask."""

import re
import shlex
from dataclasses import fields
from importlib.resources import files
from typing import Literal, get_args, get_origin

import pytest
from pydantic import ValidationError

from beatpath._typing import BothBad, Matrix, Missing, PairWeight, Per, Ties, Unranked
from beatpath.cli.options import ConventionFlags, parameters
from beatpath.evidence.conventions import MEANINGS, Conventions
from beatpath.web.requests import Question

WORDS = {
    "ties": Ties,
    "both_bad": BothBad,
    "pair_weight": PairWeight,
    "unranked": Unranked,
    "missing": Missing,
    "per": Per,
    "matrix": Matrix,
}


@pytest.mark.parametrize(("name", "words"), WORDS.items(), ids=WORDS)
def test_python_command_line_and_page_share_words_and_defaults(name, words):
    assert set(get_args(words)) == set(MEANINGS[name])
    usual = getattr(Conventions(), name)
    assert parameters(ConventionFlags)[name].default == usual
    assert Question.model_fields[name].default == usual
    assert Question.model_fields[name].annotation == words


def test_a_question_that_says_nothing_asks_for_the_usual_conventions():
    assert Question(file="example").options(None, "").conventions == Conventions()


def test_every_requested_convention_arrives():
    settings = {
        "ties": "drop",
        "both_bad": "drop",
        "pair_weight": "rate",
        "unranked": "last",
        "missing": "last",
        "per": "item",
        "matrix": "raw",
    }
    made = Question(file="example", weights={"code": 2}, **settings).options(None, "").conventions
    assert {one.name: getattr(made, one.name) for one in fields(made) if one.name in settings} == settings
    assert made.weights == {"code": 2.0}


def test_a_word_that_nobody_knows_is_refused():
    with pytest.raises(ValidationError):
        Question(file="example", ties="halve")
    with pytest.raises(ValidationError):
        Question(file="example", tiez="half")


def test_the_command_line_says_what_differs_from_the_usual_and_nothing_else():
    question = Question(file="x", ties="drop", only=["a b"], cluster=None, methods=["borda"])
    assert shlex.split(question.command("games.csv"))[2:] == [
        "games.csv",
        "--only",
        "a b",
        "--cluster",
        "none",
        "--ties",
        "drop",
        "--method",
        "borda",
    ]


def test_the_page_offers_every_estimand():
    page = files("beatpath.web").joinpath("static/live.html").read_text(encoding="utf-8")
    choice = page[page.index('<select id="estimand">') :].partition("</select>")[0]
    named = next(one for one in get_args(Question.model_fields["estimand"].annotation) if get_origin(one) is Literal)
    assert set(re.findall(r'<option value="(\w+)"', choice)) == {*get_args(named), "mixture"}


def test_a_seed_is_one_that_numpy_takes():
    assert Question(file="example", seed=2**32 - 1).seed == 2**32 - 1
    with pytest.raises(ValidationError):
        Question(file="example", seed=2**32)
