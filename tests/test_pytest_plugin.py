"""The pytest plugin: a failed claim prints its sentence, and the end lists all of them."""

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from helpers.paths import ROOT

pytest_plugins = ["pytester"]

RUNS = """
import beatpath as bp

ITEMS = [f"q{i}" for i in range(120)]
RUNS = {
    "base": bp.Scores.from_table([[1] * 81 + [0] * 19 + [1] * 5 + [0] * 15], ["m"], ITEMS),
    "new": bp.Scores.from_table([[1] * 81 + [1] * 19 + [0] * 5 + [0] * 15], ["m"], ITEMS),
}


def test_ship():
    assert bp.claim(RUNS, "new at most 1 point below base")


def test_gain():
    assert bp.claim(RUNS, "new > base by 15 points")


def test_neither():
    assert 1 + 1 == 2
"""
SHIP = "'new at most 1 point below base' is supported: 'new' minus 'base' is +11.7 points (+3.7 to +19.6)"
GAIN = "'new > base by 15 points' is not shown: 'new' minus 'base' is +11.7 points (+3.7 to +19.6)"


def options():
    """Nothing where the installed package has the entry point, else what stands for it."""
    installed = any(one.value == "beatpath._pytest_plugin" for one in entry_points(group="pytest11"))
    return [] if installed else ["-p", "beatpath._pytest_plugin"]


@pytest.mark.parametrize("more", [[], ["-n", "1"]], ids=["one process", "workers"])
def test_claims_are_printed_with_a_failure_and_listed_at_the_end(pytester, more):
    if more:
        pytest.importorskip("xdist")
    pytester.makepyfile(RUNS)
    done = pytester.runpytest_subprocess(*options(), *more, "--junitxml=report.xml", "-p", "no:cacheprovider")
    done.assert_outcomes(passed=2, failed=1)
    text = done.stdout.str()
    failure, summary = text.split("FAILURES")[1].split("= claims =")
    assert GAIN in failure
    assert SHIP not in failure
    lines = [line for line in summary.splitlines() if line.startswith("'new")]
    assert [any(line.startswith(one) for line in lines) for one in (SHIP, GAIN)] == [True, True]
    assert len(lines) == 2
    assert (pytester.path / "report.xml").read_text().count("beatpath claim") == 2


def test_without_claims_nothing_is_printed(pytester):
    pytester.makepyfile("def test_one():\n    pass\n")
    assert "= claims =" not in pytester.runpytest_subprocess(*options(), "-p", "no:cacheprovider").stdout.str()


def test_the_package_declares_the_plugin():
    text = (Path(ROOT) / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nbeatpath = "beatpath._pytest_plugin"' in text
