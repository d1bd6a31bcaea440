"""Doors between rooms open one way. Read this first: it is the map of the package.

files -> data -> evidence, fit -> stats -> methods -> evidence_design -> checks, inference -> analysis -> reports -> reader (web, cli)

Every folder is a room. Rooms inside a room open one way too: no ring of folders, whether an import stands at the top of a
file, inside a function or under ``TYPE_CHECKING``.
"""

import ast
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from helpers.paths import ROOT as PROJECT
from helpers.paths import TESTS
from helpers.public import NAMESPACES

ROOT = PROJECT / "src" / "beatpath"
MAY_IMPORT = {
    "evidence": set(),
    "data": {"evidence"},
    "fit": set(),
    "stats": {"fit"},
    "checks": {"evidence", "stats", "methods", "evidence_design"},
    "methods": {"evidence", "fit", "stats"},
    "evidence_design": {"evidence", "fit", "methods", "stats"},
    "inference": {"evidence", "evidence_design", "fit", "methods", "stats"},
    "analysis": {"evidence", "data", "evidence_design", "checks", "methods", "inference", "stats"},
    "arena": {"evidence", "data", "fit", "inference", "stats"},
    "reports": {"evidence", "checks", "methods", "inference", "analysis"},
    "web": {"evidence", "data", "checks", "methods", "inference", "analysis", "arena", "reports"},
    "cli": {"evidence", "data", "checks", "methods", "inference", "analysis", "arena", "reports", "web"},
}
OUTSIDE = {
    "evidence": {"numpy"},
    "data": {"numpy", "duckdb", "narwhals", "pyarrow", "zstandard"},
    "fit": {"numpy", "scipy", "numba"},
    "stats": {"numpy", "scipy"},
    "checks": {"numpy", "scipy"},
    "methods": {"numpy", "scipy", "highspy", "numba"},
    "evidence_design": {"numpy", "scipy"},
    "inference": {"numpy", "scipy", "numba", "joblib"},
    "analysis": {"numpy"},
    "arena": {"numpy", "scipy", "sqlalchemy"},
    "reports": {"rich", "vl_convert", "jinja2", "markupsafe", "narwhals"},  # markupsafe is part of jinja2
    "web": {"fastapi", "pydantic", "starlette", "uvicorn", "numpy", "markdown_it"},
    "cli": {"typer", "rich"},
}
NEED_TORCH = (
    "methods/differentiable",
    "inference/learned",
    "inference/core/core_bootstrap.py",
    "learning.py",
)
DEEPEST = 19  # modules from one to the last it needs; records of results, which guard their methods, lie below evidence


def imports(path):
    """Every import of a file, wherever it stands: the line and the dotted name of what is imported."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def sources(room=""):
    return sorted((ROOT / room).rglob("*.py"))


def module_path(dotted):
    """The file or folder behind ``beatpath.a.b.name``, relative to the package; nothing for what is not ours."""
    parts = dotted.split(".")
    if parts[0] != "beatpath":
        return None
    path = ROOT.joinpath(*parts[1:])
    while path != ROOT:
        if path.is_dir() or path.with_suffix(".py").is_file():
            return path.relative_to(ROOT)
        path = path.parent
    return None


def folder_of(path):
    """The room that a file or a folder of the package is."""
    return path if (ROOT / path).is_dir() else path.parent


def folder_edges():
    """From every folder to those it imports from, with one line that shows it."""
    edges = {}
    for path in sources():
        own = folder_of(path.relative_to(ROOT))
        for line, dotted in imports(path):
            other = module_path(dotted)
            if other is None or own == Path():  # the public face loads what is requested
                continue
            other = folder_of(other)
            if other not in (own, Path()):
                edges.setdefault(own, {})[other] = f"{path.relative_to(ROOT)} line {line}"
    return edges


def needs_torch(path):
    return path.relative_to(ROOT).as_posix().startswith(NEED_TORCH)


def test_the_map_shows_every_room():
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert rooms == set(MAY_IMPORT)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_from_the_rooms_it_may(room):
    for path in sources(room):
        for line, dotted in imports(path):
            parts = dotted.split(".")
            if parts[0] == "beatpath" and len(parts) > 1:
                other = parts[1]
                assert other == room or other.startswith("_") or other in MAY_IMPORT[room], (
                    f"{path.relative_to(ROOT)} line {line}: {room} may not import {other}"
                )


def test_no_ring_of_folders():
    edges, done = folder_edges(), set()

    def follow(folder, trail):
        if folder in trail:
            ring = [*trail[trail.index(folder) :], folder]
            shown = "; ".join(f"{a} -> {b} ({edges[a][b]})" for a, b in pairwise(ring))
            pytest.fail(f"folders import each other in a ring: {shown}")
        if folder not in done:
            for other in edges.get(folder, ()):
                follow(other, [*trail, folder])
            done.add(folder)

    for folder in edges:
        follow(folder, [])


@pytest.mark.parametrize("room", OUTSIDE)
def test_a_room_uses_only_the_libraries_it_may(room):
    for path in sources(room):
        may = OUTSIDE[room] | ({"torch", "triton"} if needs_torch(path) else set())
        for line, dotted in imports(path):
            top = dotted.split(".")[0]
            if top not in ("beatpath", "compression") and top not in sys.stdlib_module_names:
                assert top in may, f"{path.relative_to(ROOT)} line {line}: {room} may not import {top}"


def test_nothing_imports_what_needs_an_extra_but_its_own_room():
    for path in sources():
        if not needs_torch(path) and path != ROOT / "__init__.py":  # whose names load when first used
            for line, dotted in imports(path):
                other = module_path(dotted)
                assert other is None or not (
                    other.as_posix().startswith(NEED_TORCH) or f"{other.as_posix()}.py".startswith(NEED_TORCH)
                ), f"{path.relative_to(ROOT)} line {line}"


def test_tests_mirror_the_rooms():
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    for folder in folders - {Path(), Path("browser"), Path("reproductions")}:
        assert (ROOT / folder).is_dir(), f"tests/{folder} mirrors no room"


def test_no_chain_of_imports_is_long():
    doors = {ROOT / "__init__.py", *(ROOT / f"{name}.py" for name in NAMESPACES)}  # which only lead elsewhere
    modules = {path.relative_to(ROOT).with_suffix(""): path for path in sources() if path not in doors}
    edges = {}
    for name, path in modules.items():
        name = name.parent if name.name == "__init__" else name
        tree = ast.parse(path.read_text(encoding="utf-8"))
        top = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
        dotted = [f"{node.module}.{alias.name}" for node in top for alias in node.names]
        edges[name] = {other for other in map(module_path, dotted) if other is not None and other != name}
    known: dict = {}

    def depth(module, trail=()):
        if module not in known and module not in trail:
            known[module] = 1 + max((depth(one, (*trail, module)) for one in edges.get(module, ())), default=0)
        return known.get(module, 0)

    deepest = max(edges, key=depth)
    assert depth(deepest) <= DEEPEST, f"{deepest} imports {depth(deepest)} modules deep"
