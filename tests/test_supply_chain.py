"""What the project installs and runs of others: locked versions with hashes, actions by hash."""

import re
import tomllib

import pytest
from lowest import REQUIREMENT, requirements

from helpers.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
WORKFLOWS = [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), ROOT / "action.yml"]
NOT_LOCKED = {"torch", "pyspark", "dask", "ray", "vl-convert-python"}  # of extras that the fast tests do without


def pinned():
    """Return the versions of every locked package."""
    versions = {}
    for line in LOCK:
        if match := re.match(r"([\w.-]+)==([\w.]+)", line):
            versions.setdefault(match[1], []).append(match[2])
    return versions


def numbers(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def test_every_requirement_of_the_fast_tests_is_locked_at_a_version_that_it_allows():
    locked = pinned()
    for text in requirements(PROJECT):
        parts = REQUIREMENT.fullmatch(text)
        if parts["name"] not in NOT_LOCKED:
            versions = locked[parts["name"].lower()]
            assert all(numbers(one) >= numbers(parts["version"]) for one in versions), text


def test_every_locked_package_has_hashes_and_no_address():
    rows = [line for line in LOCK if "==" in line]
    assert len(rows) > 50
    assert all("--hash=sha256:" in row for row in rows)
    assert "://" not in "".join(LOCK)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_hash(workflow):
    used = re.findall(r"uses:\s*(\S+)", workflow.read_text(encoding="utf-8"))
    assert all(re.search(r"@[0-9a-f]{40}$", one) for one in used if not one.startswith("./")), used
