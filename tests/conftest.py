"""Where the real data lie, when they are there; and how long and how randomly properties are tried."""

import os
import time
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from helpers.command_line import BATTLES
from helpers.paths import SHARED, TESTS

# No deadline: a busy machine is no fault of the code. Nor are examples without a finite estimate, which laws pass over. The
# same examples every time where a change must land.
settings.register_profile(
    "beatpath",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
settings.load_profile("beatpath")


# Large grids: of each, the cells of every n-th diagonal are part of every run, which meet every row and every column, and the
# others are left to `make nightly`.
GRIDS = {
    "test_a_function_answers_or_says_why_not": 5,
    "test_a_method_answers_or_says_why_not": 5,
    "test_a_verb_answers_in_json_or_says_why_not": 3,
    "test_battles_come_back_from_every_table": 3,
    "test_ballots_come_back_from_every_table_with_agents_that_nobody_ranked": 3,
    "test_scores_come_back_from_every_table": 3,
    "test_pairs_come_back_from_every_table": 3,
    "test_damaged_files_end_in_evidence_or_a_sentence": 3,
}
SLOW_FILES = {line for line in (TESTS / "slow.txt").read_text().splitlines() if not line.startswith("#")}
COSTS = os.environ.get("BEATPATH_COSTS")  # a file that is to hold what every test file took
_spent: dict[str, float] = defaultdict(float)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by these marks
def pytest_collection_modifyitems(items):
    """Mark what is slow and what is left for the night, and pass over what Windows has no way to do."""
    for item in items:
        if item.path.is_relative_to(TESTS) and item.path.relative_to(TESTS).as_posix() in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
        name = getattr(item, "originalname", None)
        if name in GRIDS and sum(item.callspec.indices.values()) % GRIDS[name]:
            item.add_marker(pytest.mark.nightly)
        if os.name == "nt" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="needs the signals or the shell of a POSIX system"))


def _processor() -> float:
    """Processor seconds of this process and of those it has waited for."""
    told = os.times()
    return time.process_time() + told.children_user + told.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Count what a test takes, where that is requested."""
    begun = _processor()
    try:
        return (yield)
    finally:
        _spent[item.nodeid.split("::")[0]] += _processor() - begun


def pytest_sessionfinish():
    """Write what every file took, the dearest first."""
    if COSTS and _spent:
        rows = sorted(_spent.items(), key=lambda one: -one[1])
        Path(COSTS).write_text("".join(f"{seconds:.2f}\t{name}\n" for name, seconds in rows))


@pytest.fixture(scope="session")
def shared():
    """The folder of real data sets; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the folder of real data sets (../shared/data) is absent")
    return SHARED


@pytest.fixture
def games(tmp_path):
    """A small file of battles."""
    path = tmp_path / "games.csv"
    path.write_text(BATTLES)
    return path
