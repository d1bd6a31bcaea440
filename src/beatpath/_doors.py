"""Where a name is that `beatpath` itself does not have."""

import ast
from pathlib import Path

import beatpath
from beatpath._text import guesses, suggestion


def namespaces() -> dict[str, dict[str, str]]:
    """Return the names of every namespace, each with the module it is loaded from; nothing is loaded.

    >>> namespaces()["plots"]["badge"]
    'beatpath.reports.figures.badge'
    """
    spaces = [name for name, module in beatpath._MODULES.items() if module == "beatpath" and name != "testing"]
    return {space: _imported(Path(__file__).with_name(f"{space}.py")) for space in spaces}


def public_modules() -> dict[str, str]:
    """Return the module that every public name is loaded from, those of namespaces too."""
    top = {name: module for name, module in beatpath._MODULES.items() if module != "beatpath"}
    return {**{name: module for names in namespaces().values() for name, module in names.items()}, **top}


def _imported(path: Path) -> dict[str, str]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    nodes = [*body, *(node for block in body if isinstance(block, ast.If) for node in block.body)]
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and str(node.module).startswith("beatpath")]
    return {alias.name: str(node.module) for node in imports for alias in node.names if alias.name != "guard"}


def missing_name(name: str) -> AttributeError:
    """Return the error of a name that is not public, with where it is, or what does the same, where that is known."""
    homes = {one: space for space, names in namespaces().items() for one in names}
    if name in homes:
        instead = f": it is `bp.{homes[name]}.{name}`."
    elif name in guesses("names"):
        instead = f": use {guesses('names')[name][0]}."
    else:
        from beatpath.methods.registry import ALIASES, METHODS

        key = ALIASES.get(name, name)
        near = suggestion(name, [*beatpath.__all__, *(f"{space}.{one}" for one, space in homes.items())])
        instead = f": use `bp.rank(evidence, {key!r})`." if key in METHODS else f".{near}"
    return AttributeError(f"module 'beatpath' has no attribute {name!r}{instead}", name=name)
