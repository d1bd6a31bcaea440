"""The whole check: laws, shape of the answer, edges."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath._errors import UsageError
from beatpath.checks import check
from beatpath.checks.finding import STATUSES
from beatpath.evidence import Ballots, Battles, Factor, Margins, Pairs, Reading, Scores, WinRates
from helpers.worlds import factor, shown_battles

NOTHING = [
    Battles((), [], [], []),
    Battles(("x",), [], [], []),
    Battles(("x", "y"), [], [], [], position=[], weight=[], factors={n: Factor.of([]) for n in ("cluster", "judge")}),
    Pairs((), [], [], []),
    Pairs(("x", "y"), [0], [1], [[0, 0, 0, 0]]),
    Ballots((), [], [], [0]),
    Scores((), [], []),
    Scores(("x", "y"), [], []),
    Scores(("x",), [0], [1.0]),
    Margins(np.zeros((0, 0)), ()),
    WinRates(np.zeros((0, 0)), ()),
]


@pytest.mark.parametrize("evidence", NOTHING, ids=lambda e: repr(e))
def test_with_nothing_to_compare_only_that_is_reported(evidence):
    report = check(evidence)
    assert [f.name for f in report.having("failed")] == ["amount"]
    assert not report.having("warning")


@st.composite
def battles(draw):
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(2, 5))
    a = rng.integers(k, size=n)
    b = (a + rng.integers(1, k, size=n)) % k
    outcome = rng.choice([0, 0.5, 1, 0.7], size=n)
    factors = {name: factor(rng.integers(-1, m, size=n)) for name, m in (("cluster", 4), ("task", 3), ("judge", 3))}
    chosen = draw(st.sets(st.sampled_from(sorted(factors))))
    return Battles(
        tuple(f"agent{i}" for i in range(k)),
        a,
        b,
        outcome,
        weight=rng.choice([0.5, 1, 2], size=n) if draw(st.booleans()) else None,
        position=rng.integers(-1, 2, size=n) if draw(st.booleans()) else None,
        factors={name: factors[name] for name in sorted(chosen)},
    )


def without_schedule(made):
    """The document of a check, without whether the schedule followed the outcomes, which the order of the rows says, and rounding."""
    design = made.design
    uses = [(one.name, one.levels, one.use) for one in design.columns]
    return made.to_dict() | {"design": [design.components, design.unplaced, design.hubs, uses]}


@given(battles(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_the_rows_changes_nothing(evidence, random):
    rows = list(range(len(evidence)))
    random.shuffle(rows)
    assert without_schedule(check(evidence.take(np.array(rows)))) == without_schedule(check(evidence))


@given(battles(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_numbering_of_the_agents_changes_nothing(evidence, random):
    order = list(range(len(evidence.agents)))
    random.shuffle(order)
    place = np.argsort(order)
    names = tuple(evidence.agents[i] for i in order)
    renumbered = replace(evidence, agents=names, a=place[evidence.a], b=place[evidence.b])
    assert check(renumbered).to_dict() == check(evidence).to_dict()
    assert check(renumbered.pairs()).to_dict() == check(evidence.pairs()).to_dict()


def numbers(value):
    """Every number under its path, without the names of agents."""
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items() if not str(key).startswith("agent")}
    if isinstance(value, list):
        return sorted(len(item) for item in value if isinstance(item, list))
    return None if isinstance(value, str) else value


@given(battles(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_renaming_the_agents_changes_no_number(evidence, random):
    names = [f"agent {c}" for c in "pqrstuvw"]
    random.shuffle(names)
    renamed = replace(evidence, agents=tuple(names[: len(evidence.agents)]))
    before, after = (
        {f.name: (f.status, numbers(dict(f.figures))) for f in check(e).findings} for e in (evidence, renamed)
    )
    assert before == after


@given(battles())
@settings(deadline=None)
def test_the_answer_is_plain_data_in_the_promised_order(evidence):
    report = check(evidence)
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert data == report.to_dict()
    assert data["schema_version"] == "1"
    statuses = [STATUSES.index(f.status) for f in report.findings]
    assert statuses == sorted(statuses)
    assert len({f.name for f in report.findings}) == len(report.findings)


def test_every_failure_and_warning_has_a_consequence():
    report = check(shown_battles(np.random.default_rng(0), 30, [5], taste=2.0, position=1.0))
    assert report.having("warning")
    assert all(f.consequence for f in (*report.having("failed"), *report.having("warning")))


def test_hostile_names_are_shown_safely():
    report = check(Battles.of([("<script>alert(1)</script>", "y\x1b[31m\n\u202e", 1)]))
    page, text = report._repr_html_(), str(report)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in text + page
    assert "\u202e" not in text + page
    assert text.count("\n") == len(report.findings)
    assert report.agents == ("<script>alert(1)</script>", "y\x1b[31m\n\u202e")


def test_the_text_leads_with_the_title_and_what_failed():
    lines = str(check(Battles.of([("ada", "bob", 1), ("cyd", "dan", 1)]))).splitlines()
    assert lines[0].startswith("1 of ")
    assert lines[1].startswith("failed   connected: The 4 agents form 2 connected components")


def test_the_answer_carries_settings_conventions_and_reading():
    reading = Reading(("games.csv",), "table", 1, 1)
    data = check(Battles.of([("x", "y", 0.5)], reading=reading), level=0.9).to_dict()
    assert data["settings"]["level"] == 0.9
    assert [c["name"] for c in data["conventions"]] == ["both_bad", "ties"]
    assert data["reading"]["rows_read"] == 1


def test_evidence_is_left_alone():
    evidence = shown_battles(np.random.default_rng(0), 30, [5])
    before = [evidence.a.copy(), evidence.outcome.copy(), evidence.factors["cluster"].codes.copy()]
    check(evidence)
    for old, new in zip(before, [evidence.a, evidence.outcome, evidence.factors["cluster"].codes], strict=True):
        np.testing.assert_array_equal(old, new)


def test_wrong_arguments_are_named():
    with pytest.raises(UsageError, match=r"must be battles, ballots, .*or what `bp.read` takes.*got int"):
        check(5)
    with pytest.raises(UsageError, match=r"between 0 and 1, as in 0\.95; got '95'"):
        check(Battles.of([("x", "y", 1)]), level=95)
    with pytest.raises(UsageError, match="'colour' must be one of strongly connected"):
        check(Battles.of([("x", "y", 1)]))["colour"]
