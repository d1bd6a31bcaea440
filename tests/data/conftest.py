"""Engines and files for the tests that ask for them."""

import sys

import pytest

from helpers.sessions import running_ray, running_spark


@pytest.fixture
def spark():
    """Spark on this machine."""
    return running_spark()


@pytest.fixture(scope="session", autouse=True)
def _stop_spark():
    """Stop the session of Spark that is left at the end."""
    yield
    if "pyspark.sql" in sys.modules:
        left = sys.modules["pyspark.sql"].SparkSession.getActiveSession()
        if left is not None:
            left.stop()


@pytest.fixture
def ray():
    """Ray on this machine."""
    return running_ray()


@pytest.fixture
def write(tmp_path):
    """Put a text or bytes into a file of some name."""

    def put(text, name="games.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put
