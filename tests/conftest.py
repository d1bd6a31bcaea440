"""Where the real data lie, when they are there; and how long and how randomly properties are tried."""

import os

import pytest
from hypothesis import HealthCheck, settings

from helpers.command_line import BATTLES
from helpers.paths import SHARED

# No deadline: a busy machine is no fault of the code. Nor are examples without a finite estimate, which laws pass over. The
# same examples every time where a change must land.
settings.register_profile(
    "beatpath",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
settings.load_profile("beatpath")


def pytest_collection_modifyitems(items):
    """Pass over what Windows has no way to do."""
    if os.name == "nt":
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="needs the signals or the shell of a POSIX system"))


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
