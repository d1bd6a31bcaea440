"""The runs of a table in a report: when there are any, and what is reported for them."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.analysis.analyse import analyse
from beatpath.inference.options import ReportOptions
from helpers.run_tables import scores_of
from helpers.schemas import validated


def random_table(tasks=6, runs=4, seed=3):
    rng = np.random.default_rng(seed)
    return np.clip(np.array([0.6, 0.5, 0.3])[:, None, None] + rng.normal(0, 0.1, (3, tasks, runs)), 0, 1)


def test_a_table_with_several_runs_has_measures_profiles_and_mean_ranks():
    x = random_table()
    made = analyse(scores_of(x), ReportOptions())
    findings = made.runs
    rows = findings.rows()
    assert [row["agent"] for row in rows] == ["a", "b", "c"]
    assert [float(row["mean"].split()[0]) for row in rows] == pytest.approx(x.mean(axis=(1, 2)), abs=5e-4)
    ranks = 1 + (x.mean(axis=2)[None] > x.mean(axis=2)[:, None]).sum(axis=1).mean(axis=1)
    assert [float(row["mean rank"]) for row in rows] == pytest.approx(ranks, abs=5e-3)
    assert any("interquartile mean" in sentence for sentence in findings.sentences)
    assert any("rliable" in sentence for sentence in findings.sentences)
    assert validated(made.to_dict())["runs"]["scores"]["tasks"] == 6


def test_the_findings_are_those_of_the_functions_themselves():
    table = scores_of(random_table())
    findings = analyse(table, ReportOptions(seed=5)).runs
    assert findings.scores.to_dict() == bp.metrics.run_scores(table, seed=5).to_dict()
    assert findings.profile.to_dict() == bp.metrics.performance_profile(table, seed=5).to_dict()
    assert findings.differences.to_dict() == bp.metrics.critical_differences(table).to_dict()


def test_one_task_has_no_mean_ranks_and_one_run_no_findings():
    assert analyse(scores_of(random_table(tasks=1)), ReportOptions()).runs.differences is None
    assert analyse(scores_of(random_table(runs=1)), ReportOptions()).runs is None
    assert analyse(bp.Battles.of([("ada", "bob", 1), ("bob", "ada", 0.5)]), ReportOptions()).runs is None


def test_the_page_has_the_section_with_its_picture_and_names_as_text():
    x = random_table()
    agent, task, _ = np.indices(x.shape).reshape(3, -1)
    names = ("<b>ada</b>", "bob", "cyd")
    table = bp.Scores(names, agent, x.ravel(), {"task": bp.Factor.coded(task, [f"t{t}" for t in range(6)])})
    page = bp.report(table).html()
    section = page[page.index('<section id="runs"') : page.index('<section id="change"')]
    assert "<b>ada" not in section
    assert "&lt;b&gt;ada" in section
    assert "<svg" in section
    assert 'id="runs"' not in bp.report(scores_of(random_table(runs=1))).html()
