"""Contexts given as lists of tasks."""

import pytest

import beatpath as bp
from beatpath.inference.contexts.context_data import with_contexts

SCORES = bp.Scores.from_table([[1.0, 2, 3, 4], [2.0, 1, 4, 3]], ["ada", "bob"], ["sql", "rust", "poem", "ode"])


def test_tasks_that_no_context_lists_have_none():
    made, column = with_contexts(SCORES, {"code": ["sql", "rust"], "prose": ["poem"]})
    assert made.factors[column].names() == ["code", "code", "prose", None] * 2


def test_battles_are_grouped_by_their_tasks_as_well():
    rows = [("ada", "bob", 1.0), ("bob", "ada", 1.0)]
    battles = bp.Battles.of(rows, factors={"task": bp.Factor.of(["sql", "ode"])})
    assert with_contexts(battles, {"code": ["sql"], "prose": ["ode"]})[0].factors["context"].names() == [
        "code",
        "prose",
    ]


@pytest.mark.parametrize(
    ("tasks_of", "message"),
    [
        ({"code": ["sqll"]}, "'sqll' of 'code' is none.*Did you mean 'sql'"),
        ({"code": ["sql"], "prose": ["sql"]}, "'sql' is in 'code' and 'prose'"),
        ({"code": "sql"}, "'code' has 'sql'"),
    ],
)
def test_lists_that_do_not_fit_are_refused_with_a_sentence(tasks_of, message):
    with pytest.raises(bp.UsageError, match=message):
        with_contexts(SCORES, tasks_of)


def test_evidence_without_tasks_is_refused():
    with pytest.raises(bp.UsageError, match="name their task"):
        with_contexts(bp.Battles.of([("ada", "bob", 1)]), {"code": ["sql"]})
