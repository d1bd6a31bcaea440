"""Evidence at the edge of what makes sense, through every public function, every method and every verb.

Each gives an answer, whose plain data hold to their schema, or a sentence; never another exception, and warnings are errors.
A function joins by being public and taking evidence first.
"""

import csv
import inspect
import io
import json
import sys

import numpy as np
import pytest

import beatpath as bp
from beatpath.cli.main import main
from beatpath.methods.registry import METHODS
from helpers.degenerate import EVIDENCE
from helpers.public import PUBLIC, public
from helpers.schemas import validated

FEW = {"draws": 50, "rounds": 5}
VERBS = ("check", "rank", "core", "resolve", "report")
SHOWN = (
    "weights of zero, with positions",
    "two agents, one battle",
    "all ties",
    "one always wins",
    "unconnected components",
    "fractional counts",
    "one task",
)


def parameters(function):
    return list(inspect.signature(function).parameters.values())


FUNCTIONS = sorted(
    name
    for name in PUBLIC
    if inspect.isfunction(function := public(name))
    and not name.startswith("learning.")
    and parameters(function)
    and parameters(function)[0].name == "evidence"
)


def required(function, evidence, folder):
    """Something for every parameter that must be given, and few draws."""
    agents = list(evidence.agents)
    things = {
        "agent": agents[0],
        "a": agents[0],
        "b": agents[-1],
        "agents": agents[:1],
        "by": next(iter(getattr(evidence, "factors", {})), "task"),
        "family": agents[:2],
        "budget": 100,
        "n": 1,
        "min_battles": 2,
        "seed": 0,
        "method": "schulze",
        "path": folder / "written.csv",
        "order": agents,
        "k": 1,
        "zero": 0.0,
        "one": 1.0,
    }
    named = parameters(function)[1:]
    few = {one.name: FEW[one.name] for one in named if one.name in FEW}
    must = [
        one.name for one in named if one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    ]
    return {name: things[name] for name in must} | few


def look_at(answer):
    """Ask an answer for all it can show."""
    for one in answer if isinstance(answer, tuple) else (answer,):
        if hasattr(one, "to_dict"):
            document = one.to_dict()
            validated(document) if "type" in document else json.dumps(document, allow_nan=False)
        if hasattr(one, "_repr_html_"):
            one._repr_html_()
        if hasattr(one, "rows"):
            one.rows()
        assert repr(one) is not None
        assert str(one) is not None


@pytest.fixture(scope="module", params=EVIDENCE)
def evidence(request):
    try:
        return EVIDENCE[request.param]()
    except bp.DataError:
        pytest.skip("such evidence is refused when it is made, with a sentence")


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_answers_or_says_why_not(name, evidence, tmp_path):
    function = public(name)
    try:
        answer = function(evidence, **required(function, evidence, tmp_path))
    except bp.BeatpathError:
        return
    look_at(answer)


@pytest.mark.parametrize("key", METHODS)
def test_a_method_answers_or_says_why_not(key, evidence):
    for options in ({}, {"matrix": "raw"}):
        try:
            look_at(bp.rank(evidence, key, **options))
        except bp.BeatpathError:
            continue


def verb(capsys, monkeypatch, *arguments):
    """The status, standard output and standard error of a verb, in this process."""
    monkeypatch.setattr(sys, "argv", ["beatpath", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    return ended.value.code or 0, out, err


@pytest.fixture
def written(evidence, tmp_path):
    try:
        bp.write(evidence, tmp_path / "evidence.csv")
    except bp.BeatpathError:
        pytest.skip("no file holds such evidence")
    return tmp_path / "evidence.csv"


@pytest.mark.slow
@pytest.mark.parametrize("name", VERBS)
def test_a_verb_answers_in_json_or_says_why_not(name, written, capsys, monkeypatch):
    status, out, err = verb(capsys, monkeypatch, name, written, "--format", "json")
    assert status in (0, 1, 2, 3)
    if status in (0, 3):
        validated(out)
    else:
        assert err.strip()
    assert "Traceback" not in err
    assert "Warning" not in err


@pytest.mark.parametrize("form", ["table", "csv", "md"])
@pytest.mark.parametrize("name", VERBS[:-1])
@pytest.mark.parametrize("shown", SHOWN)
def test_no_cell_of_a_table_is_a_nan_or_a_negative_zero(shown, name, form, tmp_path, capsys, monkeypatch):
    bp.write(EVIDENCE[shown](), tmp_path / "evidence.csv")
    status, out, err = verb(capsys, monkeypatch, name, tmp_path / "evidence.csv", "--format", form)
    assert status in (0, 1)
    assert "Traceback" not in err
    cells = [cell for row in csv.reader(io.StringIO(out)) for cell in row] if form == "csv" else out.split()
    assert not {"nan", "-0.0", "inf", "-inf", "-0"} & set(cells)


@pytest.mark.slow
@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("kind", ["battles", "scores"])
def test_five_thousand_agents_get_an_answer_or_an_alternative(kind, name, tmp_path, capsys, monkeypatch):
    rng, n = np.random.default_rng(0), 5_000
    place = tmp_path / "many.csv"
    if kind == "battles":
        a, b, won = rng.integers(n, size=4 * n), rng.integers(1, n, size=4 * n), rng.random(4 * n) < 0.5
        rows = [f"m{x},m{(x + y) % n},model_{'a' if z else 'b'}" for x, y, z in zip(a, b, won, strict=True)]
        place.write_text("\n".join(["model_a,model_b,winner", *rows]))
    else:
        place.write_text(
            "\n".join(["model,x,y", *(f"m{i},{x:.4f},{y:.4f}" for i, (x, y) in enumerate(rng.random((n, 2))))])
        )
    status, out, err = verb(capsys, monkeypatch, name, place, "--format", "json")
    assert "Traceback" not in err
    if status == 0:
        validated(out)
    else:
        assert (status, name) in {(1, "report"), (1, "core")}
        assert "at most" in err
        assert "`--only`" in err
