"""The public face: names exist, imports are lazy, and the command line answers."""

import inspect
import json
import subprocess
import sys

import pytest

import beatpath
from helpers.paths import ROOT
from helpers.public import NAMESPACES, PUBLIC, TOP, public

TAKES_A_MATRIX = {"planning.comparisons_needed"}


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_documented(name):
    value = public(name)
    if value is None:
        pytest.skip("needs an extra")
    assert isinstance(value, str) or value.__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'wins'"):
        beatpath.wins  # noqa: B018


def test_the_names_at_the_top_are_few_and_the_rest_is_in_namespaces():
    assert len(TOP) <= 43
    assert {"planning", "robustness", "metrics", "games", "online", "plots", "testing"} <= set(NAMESPACES)


@pytest.mark.parametrize("name", [name for name in PUBLIC if "." in name])
def test_a_name_that_moved_is_said_to_be_where_it_is(name):
    short = name.rpartition(".")[2]
    if short not in TOP:
        with pytest.raises(AttributeError, match=rf"`bp\.{name}`"):
            getattr(beatpath, short)


@pytest.mark.parametrize(
    ("name", "instead"),
    [("elo", "rank.*'elo'"), ("bt", "'bradley_terry'"), ("read_csv", r"bp\.read"), ("resolv", "'resolve'")],
)
def test_a_name_that_people_guess_is_answered_with_the_right_one(name, instead):
    with pytest.raises(AttributeError, match=instead):
        getattr(beatpath, name)


def test_methods_is_a_function_whatever_was_imported_first():
    code = "import beatpath.methods.registry, beatpath as bp; print(len(bp.methods()) > 30)"
    assert run(code).split() == ["True"]


@pytest.mark.parametrize("function", [name for name in PUBLIC if name.islower()])
def test_evidence_is_the_first_argument(function):
    known = public(function)
    names = [] if known is None or not callable(known) else list(inspect.signature(known).parameters)
    assert not {"battles", "scores", "pairs", "asked", "P"} & set(names[:1]) or function in TAKES_A_MATRIX


def test_every_kind_of_thing_that_read_takes_is_taken(tmp_path):
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    rows = {"agent_a": ["ada", "bob"] * 20, "agent_b": ["bob", "cyd"] * 20, "winner": ["a", "a", "tie", "b"] * 10}
    frame = pandas.DataFrame(rows)
    for name in ("one.csv", "two.csv"):
        frame.to_csv(tmp_path / name, index=False)
    expected = beatpath.rank(beatpath.read(frame), "bt").levels
    same = [frame, polars.DataFrame(rows), pyarrow.table(rows), rows, frame.to_dict("records"), tmp_path / "one.csv"]
    twice = [tmp_path, [tmp_path / "one.csv", tmp_path / "two.csv"], {"code": frame, "maths": frame}]
    for source in (*same, *twice):
        assert beatpath.rank(source, "bt").levels == expected
    assert beatpath.read({"code": frame, "maths": frame}).factors["task"].levels == ("code", "maths")
    for source in same[:3]:
        assert type(beatpath.rank(source, "bt").to_frame()) is type(source)
        assert type(beatpath.read(source).to_frame()) is type(source)


def test_a_claim_is_true_where_the_data_support_it():
    resolution = beatpath.resolve(beatpath.example())
    assert resolution.test("aurora > dune")
    assert not resolution.test("aurora is first")


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
