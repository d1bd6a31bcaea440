"""The constraints that `make lowest` installs: every requirement once, at the version it declares."""

import subprocess
import sys
import tomllib

import pytest
from lowest import lowest

from helpers.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def declaring(*requirements):
    return {
        "project": {"name": "beatpath", "dependencies": list(requirements), "optional-dependencies": {}},
        "dependency-groups": {"dev": []},
    }


def test_every_requirement_of_the_package_and_of_its_extras_has_a_lowest_version():
    versions = lowest(PROJECT)
    assert {"numpy", "scipy", "duckdb", "torch", "psycopg", "dask", "pytest"} <= set(versions)
    assert not [name for name in versions if name.startswith("beatpath")]


def test_extras_and_markers_of_a_requirement_are_left_out():
    assert lowest(declaring("psycopg[binary]>=3.2.1", "ray[data]>=2.9; sys_platform != 'win32'")) == {
        "psycopg": "3.2.1",
        "ray": "2.9",
    }


@pytest.mark.parametrize("wrong", ["numpy", "numpy==2.0", "numpy>=1.26,<3"])
def test_a_requirement_without_a_plain_lowest_version_is_refused(wrong):
    with pytest.raises(ValueError, match="must declare its lowest version"):
        lowest(declaring(wrong))


def test_two_lowest_versions_of_one_library_are_refused():
    with pytest.raises(ValueError, match="numpy must declare one lowest version"):
        lowest(declaring("numpy>=1.26", "numpy>=2.0"))


def test_the_script_prints_constraints():
    done = subprocess.run([sys.executable, ROOT / "tests/lowest.py"], capture_output=True, text=True, check=True)
    assert f"scipy=={lowest(PROJECT)['scipy']}" in done.stdout.splitlines()
