"""Names that look like the same name."""

import pytest

import beatpath as bp
from beatpath.checks.connection import folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4", "gpt-4 "),
        ("GPT-4", "gpt-4"),
        ("caf\u00e9", "cafe\u0301"),
        ("claude  3", "claude\u00a03"),
        ("STRASSE", "stra\u00dfe"),
        ("\uff47pt", "gpt"),
    ],
)
def test_names_that_differ_in_blanks_case_or_form_are_a_warning_with_the_pair(one, other):
    finding = bp.check(bp.Battles.of([(one, other, 1), (other, "z", 1), ("z", one, 1)]))["similar names"]
    assert finding.status == "warning"
    assert finding.figures["groups"] == [sorted([one, other])]


def test_names_that_differ_otherwise_are_no_finding():
    report = bp.check(bp.Battles.of([("gpt-4", "gpt-4o", 1), ("gpt-4o", "gpt 4", 1)]))
    assert "similar names" not in [finding.name for finding in report.findings]


def test_all_groups_are_in_the_figures_and_some_in_the_sentence():
    scores = bp.Scores.from_table(
        [[i] for i in range(14)], [f"{c}{end}" for c in "abcdefg" for end in ("", " ")], ["t"]
    )
    finding = bp.check(scores)["similar names"]
    assert (finding.figures["count"], len(finding.figures["groups"])) == (7, 7)
    assert "'a' and 'a ' (whitespace at an end)" in finding.sentence
    assert "2 more" in finding.sentence


def test_folding_twice_changes_nothing():
    for name in (" A  b ", "\u1e9b\u0323", "\u0130stanbul"):
        assert folded(folded(name)) == folded(name)
