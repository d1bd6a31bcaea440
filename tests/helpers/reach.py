"""Which test files reach a module of the package: those that name it, then those that name what imports it, and so on."""

import ast
import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from helpers.paths import ROOT, TESTS

PACKAGE = ROOT / "src" / "beatpath"
LEFT_OUT = ("browser", "reproductions", "test_memory.py", "test_typing.py", "test_rooms.py")  # slow, or about no answer
FAR = 3  # imports between what a test file names and the module, at most


def test_files(module: str) -> list[str]:
    """Return the test files that reach a module such as ``inference/ranks/critical.py``, the nearest first; doctests before all."""
    near = _distances(module)
    found: dict[str, tuple[int, int, int]] = {}
    for file, (named, size) in _tests().items():
        steps = min((near[one] for one in named if one in near), default=None)
        if steps is not None or _shared(file, module) == module.count("/") + 1:
            found[file] = (0 if steps is None else steps, -_shared(file, module), size)
    source = f"src/beatpath/{module}"
    own = [source] if ">>>" in (ROOT / source).read_text(encoding="utf-8") else []
    return own + sorted(found, key=lambda file: found[file])


def _shared(file: str, module: str) -> int:
    """How many folders and names a test file has in common with a module, from the top."""
    ours = module.removesuffix(".py").split("/")
    theirs = file.removeprefix("tests/").removesuffix(".py").replace("test_", "").split("/")
    pairs = zip(ours, theirs, strict=False)
    return next((k for k, (one, other) in enumerate(pairs) if one != other), min(len(ours), len(theirs)))


def _distances(module: str) -> dict[str, int]:
    """How many imports every module is away from one that it imports."""
    steps, queue = {module: 0}, deque([module])
    while queue:
        one = queue.popleft()
        for other in _importers().get(one, ()):
            if other not in steps and steps[one] < FAR:
                steps[other] = steps[one] + 1
                queue.append(other)
    return steps


@cache
def _importers() -> dict[str, set[str]]:
    """Which modules import each module; the public face, which loads what is requested, imports nothing."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if name != "__init__.py":
            for other in _named(ast.parse(path.read_text(encoding="utf-8"))):
                found.setdefault(other, set()).add(name)
    return found


@cache
def _tests() -> dict[str, tuple[set[str], int]]:
    """The modules that every test file names, itself or through helpers, and the size of the file."""
    helpers = {path.stem: path for path in (TESTS / "helpers").glob("*.py")}
    found = {}
    for path in TESTS.rglob("test_*.py"):
        file = path.relative_to(TESTS).as_posix()
        if not file.startswith(LEFT_OUT):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            named = set(_named(tree))
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("helpers."):
                    helper = helpers.get(str(node.module).removeprefix("helpers."))
                    named |= set(_named(ast.parse(helper.read_text(encoding="utf-8")))) if helper else set()
            found[f"tests/{file}"] = (named, path.stat().st_size)
    return found


def _named(tree: ast.AST) -> Iterator[str]:
    """Modules that code imports from, or whose public names it uses as ``bp.name``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "beatpath":
            for alias in node.names:
                yield from _module(node.module, alias.name)
        elif (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("bp", "beatpath")
        ):
            yield from _module("beatpath", node.attr)


@cache
def _module(dotted: str, name: str) -> tuple[str, ...]:
    """The file behind ``from dotted import name``."""
    dotted = _homes().get(name, dotted) if dotted == "beatpath" else dotted
    folder = PACKAGE.joinpath(*dotted.split(".")[1:])
    for path in (folder / f"{name}.py", folder.with_suffix(".py"), folder / "__init__.py"):
        if path.is_file() and path != PACKAGE / "__init__.py":
            return (path.relative_to(PACKAGE).as_posix(),)
    return ()


@cache
def _homes() -> dict[str, str]:
    """The module of every public name, as type checkers are told; nothing is imported, so that processes can be forked off."""
    files = [PACKAGE / name for name in ("__init__.py", "__init__.pyi") if (PACKAGE / name).is_file()]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    found = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            home = f"beatpath.{node.module}" if node.level else node.module
            found |= {alias.name: home for alias in node.names}
    return found


def rules_of(module: str) -> list[str]:
    """Return the rules of the registry that a module is home to; the laws of all rules are tried for these."""
    registry = (PACKAGE / "methods" / "registry.json").read_text(encoding="utf-8")
    homes = re.findall(r'"([a-z0-9_.]+):([a-z0-9_]+)"', registry)
    return [rule for home, rule in homes if module == f"methods/{home.replace('.', '/')}.py"]


def sources() -> list[Path]:
    """Return every module of the package."""
    return sorted(PACKAGE.rglob("*.py"))
