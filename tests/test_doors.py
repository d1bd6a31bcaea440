"""The public face: names exist, imports are lazy, and the command line answers."""

import json
import subprocess
import sys

import pytest

import beatpath
from helpers.paths import ROOT


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", beatpath.__all__)
def test_every_public_name_is_there_and_documented(name):
    try:
        value = getattr(beatpath, name)
    except beatpath.MissingExtra as missing:
        pytest.skip(str(missing))
    assert isinstance(value, str) or value.__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'wins'"):
        beatpath.wins  # noqa: B018


def test_importing_the_package_loads_no_library():
    loaded = json.loads(run("import sys, json, beatpath; print(json.dumps(sorted(sys.modules)))"))
    heavy = {"numpy", "scipy", "duckdb", "narwhals", "rich", "typer", "pandas", "polars", "pyarrow"}
    assert not heavy & set(loaded)


def test_help_loads_neither_scipy_nor_duckdb():
    code = (
        "import sys, json\n"
        "from beatpath.cli.main import app\n"
        "sys.argv = ['beatpath', '--help']\n"
        "try:\n    app()\nexcept SystemExit:\n    pass\n"
        "print('LOADED', json.dumps(sorted(sys.modules)))"
    )
    out = run(code)
    loaded = set(json.loads(out.split("LOADED")[1]))
    assert "check" in out
    assert not {"scipy", "duckdb", "numpy", "narwhals"} & loaded


def test_functions_stay_functions_whatever_was_imported_first():
    code = "import beatpath.checks, beatpath.data.read, beatpath as bp; print(callable(bp.check), callable(bp.read))"
    assert run(code).split() == ["True", "True"]


def test_every_method_has_a_page_of_theory():
    from beatpath.methods.registry import METHODS

    pages = {path.stem for path in (ROOT / "docs" / "theory").glob("*.md")}
    assert set(METHODS) <= pages
