"""Doors between rooms open one way. Read this first: it is the map of the package.

files -> data -> evidence -> checks, methods -> inference -> reports -> reader (web, cli)
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "beatpath"
MAY_IMPORT = {
    "evidence": set(),
    "data": {"evidence"},
    "checks": {"evidence"},
    "methods": {"evidence"},
    "inference": {"evidence", "methods"},
    "reports": {"evidence", "checks", "methods", "inference"},
    "web": {"evidence", "data", "checks", "methods", "inference", "reports"},
    "cli": {"evidence", "data", "checks", "methods", "inference", "reports", "web"},
}
OUTSIDE = {
    "evidence": {"numpy"},
    "data": {"numpy", "duckdb", "narwhals", "pyarrow", "zstandard"},
    "checks": {"numpy", "scipy"},
    "methods": {"numpy", "scipy", "highspy", "numba"},
    "inference": {"numpy", "scipy", "numba", "joblib"},
    "reports": {"rich", "vl_convert", "jinja2", "narwhals"},
    "web": {"fastapi", "pydantic", "starlette", "uvicorn"},
    "cli": {"typer", "rich"},
}
OUTSIDE_UNDER = {Path("methods/differentiable"): {"torch"}}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def test_the_map_shows_every_room():
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert rooms == set(MAY_IMPORT)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_from_the_rooms_it_may(room):
    for path in (ROOT / room).rglob("*.py"):
        for line, module in imports(path):
            parts = module.split(".")
            if parts[0] == "beatpath" and len(parts) > 1:
                other = parts[1]
                assert other == room or other.startswith("_") or other in MAY_IMPORT[room], (
                    f"{path.relative_to(ROOT)} line {line}: {room} may not import {other}"
                )


@pytest.mark.parametrize("room", OUTSIDE)
def test_a_room_uses_only_the_libraries_it_may(room):
    import sys

    for path in (ROOT / room).rglob("*.py"):
        may = OUTSIDE[room] | OUTSIDE_UNDER.get(path.parent.relative_to(ROOT), set())
        for line, module in imports(path):
            top = module.split(".")[0]
            if top not in ("beatpath", "compression") and top not in sys.stdlib_module_names:
                assert top in may, f"{path.relative_to(ROOT)} line {line}: {room} may not import {top}"


def test_nothing_imports_what_needs_an_extra_but_its_own_room():
    own = Path("methods/differentiable")
    for path in ROOT.rglob("*.py"):
        if path.parent.relative_to(ROOT) != own and path != ROOT / "__init__.py":  # whose names load when first used
            for line, module in imports(path):
                assert not module.startswith("beatpath.methods.differentiable"), f"{path.relative_to(ROOT)} line {line}"


def test_tests_mirror_the_rooms():
    rooms = {path.name for path in Path(__file__).parent.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert rooms - {"golden", "browser"} <= set(MAY_IMPORT)
