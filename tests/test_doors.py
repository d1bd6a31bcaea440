"""The public face: names exist, imports are lazy, and the command line answers."""

import inspect
import json
import re
import subprocess
import sys

import pytest

import beatpath
from beatpath._doors import missing_name
from beatpath._text import guesses, missing_attribute
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
def test_a_name_that_moved_gets_its_new_place(name):
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
    twice = [tmp_path, [tmp_path / "one.csv", tmp_path / "two.csv"], {"code": frame, "math": frame}]
    for source in (*same, *twice):
        assert beatpath.rank(source, "bt").levels == expected
    assert beatpath.read({"code": frame, "math": frame}).factors["task"].levels == ("code", "math")
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


def test_a_small_board_loads_no_part_of_scipy_that_it_does_not_need():
    """Each of these takes a tenth of a second or more."""
    loaded = json.loads(
        run(
            "import sys, json, beatpath as bp\n"
            "bp.resolve(bp.Battles.of([('a', 'b', 1), ('b', 'a', 1), ('b', 'c', 1), ('c', 'a', 1)] * 5))\n"
            "print(json.dumps(sorted(sys.modules)))"
        )
    )
    assert not {f"scipy.{part}" for part in ("interpolate", "optimize", "stats", "spatial", "ndimage")} & set(loaded)


def test_a_report_loads_no_library_that_it_does_not_need():
    """Each of these takes a twentieth of a second or more: typer converts by pydantic."""
    out = run(
        "import sys, json\n"
        "from beatpath.cli.main import app\n"
        "sys.argv = ['beatpath', 'report', '--example', '--format', 'md', '-o', '-', '--level', '0.9']\n"
        "try:\n    app()\nexcept SystemExit:\n    pass\n"
        "print('LOADED', json.dumps(sorted(sys.modules)))"
    )
    loaded = set(json.loads(out.split("LOADED")[1]))
    assert "scipy.special" in loaded
    assert not {"pydantic", "scipy.optimize", "scipy.stats"} & loaded


def test_functions_stay_functions_whatever_was_imported_first():
    code = "import beatpath.checks, beatpath.data.read, beatpath as bp; print(callable(bp.check), callable(bp.read))"
    assert run(code).split() == ["True", "True"]


def test_every_method_has_a_page_of_theory():
    from beatpath.methods.registry import METHODS

    pages = {path.stem for path in (ROOT / "docs" / "theory").glob("*.md")}
    assert set(METHODS) <= pages


NAMES = ["gpt", "claude", "llama"]
ROWS = beatpath.Battles.of([(NAMES[k % 3], NAMES[(k + 1) % 3], float(k % 2)) for k in range(60)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda bp: bp.rank(ROWS, method="bt", confidence=0.9),
            r"got 'confidence'\. `level` is an option of `bp\.resolve`",
        ),
        (lambda bp: bp.rank(ROWS, alpha=0.05, random_state=0), r"without one\. `level` is an option of `bp\.resolve`"),
        (lambda bp: bp.rank(ROWS, model_a="x", winner="y"), r"without one\. `map` is an option of `bp\.read`"),
        (lambda bp: bp.rank(ROWS, a="x", b="y", outcome="z"), r"without one\. `map` is an option of `bp\.read`"),
        (lambda bp: bp.rank(ROWS, cluster="x"), r"`cluster` is an option of `bp\.resolve`"),
        (lambda bp: bp.rank(ROWS, methods=["elo"]), r"`bp\.compare_methods\(evidence, methods\)`"),
        (lambda bp: bp.resolve(ROWS, alpha=0.1), r"\*, estimand, cluster.* level.* seed.* ties.*got 'alpha'.*'level'"),
        (lambda bp: bp.bootstrap(ROWS, n_boot=50), r"bp\.bootstrap\(evidence, method.*got 'n_boot'.*'draws'"),
        (lambda bp: bp.bootstrap(ROWS), r"missing a required argument: 'method'"),
        (lambda bp: bp.bootstrap(ROWS, "elo", n_boot=50), "got 'n_boot'. Did you mean 'draws'"),
        (lambda bp: bp.compare(ROWS, "gpt", "claude"), r"too many positional.*bp\.resolve\(evidence\)\.test"),
        (lambda bp: bp.report(ROWS, "r.html"), r"`bp\.report\(evidence\)\.save\('report\.html'\)`"),
        (lambda bp: bp.planning.sample_size(effect=0.1), r"sample_size\(evidence, a, b, .*got 'effect'"),
        (lambda bp: bp.metrics.pass_at_k(10, 3, 1), "`evidence` must be battles"),
        (lambda bp: bp.resolve(ROWS)["gpt", "claude"], r"an agent, a position or a slice; got.*bp\.win_matrix"),
        (lambda bp: bp.resolve(ROWS).plot("x.png"), r"without arguments; got 'x\.png'.*save"),
    ],
)
def test_a_call_as_other_packages_have_it_is_answered_with_the_right_one(call, message):
    with pytest.raises(beatpath.UsageError, match=f"(?s){message}"):
        call(beatpath)


def test_options_with_another_place_are_there():
    for hint in {
        one for hints in guesses("elsewhere").values() for one in hints if " an option" in one or "options" in one
    }:
        options, functions = hint.split(" option", 1)
        for function in re.findall(r"`bp\.(\w+)`", functions):
            assert set(re.findall(r"`(\w+)`", options)) <= set(
                inspect.signature(getattr(beatpath, function)).parameters
            )


def test_a_hint_about_a_result_is_true_of_its_class():
    evidence = ROWS
    results = [
        beatpath.rank(evidence, "elo"),
        beatpath.rank(evidence),
        beatpath.resolve(evidence),
        beatpath.core(evidence),
    ]
    for result in results:
        for name in guesses("attributes"):
            if name not in dir(result):
                hint = str(missing_attribute(result, name)).partition(": ")[2]
                own = [one for one in re.findall(r"`(\w+)(?:\(|`)", hint.partition("bp.")[0])]
                assert all(hasattr(result, one) for one in own), (type(result), name, hint)


@pytest.mark.parametrize("name", sorted({"power", "mcnemar", "newman", "datasets", *guesses("names")}))
def test_what_a_guessed_name_points_to_is_public(name):
    with pytest.raises(AttributeError) as error:
        raise missing_name(name)
    assert ": " in str(error.value)
    for path in re.findall(r"`\[?bp\.([a-z_.]+)", str(error.value)):
        public(path.removesuffix("."))


def test_a_guess_is_answered_the_same_whatever_was_imported_first():
    code = "import beatpath.fit, beatpath as bp\ntry:\n    bp.fit(1)\nexcept AttributeError as e:\n    print('bradley_terry' in str(e))"
    assert run(code).split() == ["True"]


def test_a_frame_with_its_column_in_the_index_gets_a_hint_to_reset_it():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"question": range(9), "gpt": [0, 1, 1] * 3, "claude": [1, 0, 0] * 3})
    with pytest.raises(beatpath.ReadError, match=r"'question', is not read: `reset_index\(\)`"):
        beatpath.rank(frame.set_index("question"))
