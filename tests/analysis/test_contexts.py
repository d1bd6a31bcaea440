"""The same questions of every context by itself."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath import Battles, Factor, UsageError, example
from beatpath._sentence import UNKNOWN
from beatpath.analysis.questions import MOST, contexts_of
from beatpath.reports.report import report


def test_a_context_that_does_not_fit_the_options_has_no_answer_and_spoils_nothing():
    rows = [("ada", "bob", 1), ("bob", "ada", 1), ("ada", "bob", 0), ("cyd", "bob", 1), ("bob", "cyd", 1)] * 6
    tasks = ["code", "code", "code", "math", "math"] * 6
    made = report(Battles.of(rows, factors={"task": Factor.of(tasks)}), estimand={"ada": 1, "bob": 1})
    marks = {context.name: context.verdict[0].mark for context in made.contexts}
    assert marks["math"] == UNKNOWN
    assert marks["code"] != UNKNOWN


def test_contexts_are_shrunk_together_and_their_mixture_has_a_figure():
    rows = [("ada", "bob", 1), ("bob", "ada", 1), ("ada", "bob", 0), ("cyd", "bob", 1), ("bob", "cyd", 1)] * 6
    tasks = ["code", "math", "code", "code", "math"] * 6
    made = report(Battles.of(rows, factors={"task": Factor.of(tasks)}))
    assert made.mixtures.first.context == "math"
    assert "mixtures" in made.figures()
    page = made.text("html")
    assert "Pooled and mixed" in page
    assert 'data-picture="mixtures"' in page


def test_contexts_are_tasks_from_two_up_to_a_limit():
    for tasks in (1, 2, MOST, MOST + 1):
        battles = Battles.of(
            [("ada", "bob", 1)] * 2 * MOST, factors={"task": Factor.of(k % tasks for k in range(2 * MOST))}
        )
        assert len(contexts_of(battles, None)[0]) == (tasks if 1 < tasks <= MOST else 0)


def test_without_contexts_nothing_is_mixed():
    made = report(Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("ada", "bob", 0)] * 6))
    assert made.mixtures is None
    assert "mixtures" not in made.figures()


def test_contexts_shrunk_together_are_compared_at_equal_length():
    rng = np.random.default_rng(0)
    n = 1200
    length = rng.normal(size=n)
    won = rng.random(n) < 1 / (1 + np.exp(-2.0 * length))
    a = rng.integers(0, 2, n)
    task = Factor.coded(rng.integers(0, 2, n), ["code", "math"])
    battles = Battles(
        ("ada", "bob"), a, 1 - a, won.astype(float), factors={"task": task}, covariates={"longer": length}
    )
    made = report(battles, by="task", covariates="longer")
    effect = made.mixtures.to_dict()["covariates"]["longer"]
    assert abs(effect["estimate"] - 2.0) < 3 * effect["standard_error"] < 0.6
    with pytest.raises(UsageError, match="go with contexts"):
        report(replace(battles, factors={}), covariates="longer")
    with pytest.raises(UsageError, match="shorter"):
        report(battles, by="task", covariates="shorter")


def test_a_context_names_the_agents_that_it_leaves_out():
    code = next(one for one in report(example(), methods=["copeland"]).contexts if one.name == "code")
    said = " ".join(sentence.text for sentence in code.verdict)
    assert code.size.startswith("30 agents")
    assert "of 26 agents" in said
    assert "4 agents have too little data to be placed" in said
