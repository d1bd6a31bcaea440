"""beatpath: who is certainly above whom, who is tied, and who forms the undominated core.

What most people need is here; the rest is in namespaces by topic: `planning`, `robustness`, `metrics`, `games`, `online`, `learning`, `plots`,
`results` and `testing`.

Names are loaded when they are first used, so that importing the package costs next to nothing. The stub beside this file names each of
them once, with its module: type checkers read it there, and so does `__getattr__`.
"""

import ast
import os
from importlib import import_module
from typing import Any

# Threads of OpenBLAS that have nothing to do sleep after 2^20 cycles; heeded where numpy is not loaded yet. By default they spin while
# numpy and scipy load, a fifth of a processor second.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")


def _public_names() -> dict[str, str]:
    """Return the module that every public name is loaded from, as the stub imports them."""
    with open(f"{os.path.splitext(__file__)[0]}.pyi", encoding="utf-8") as stub:
        imports = [node for node in ast.parse(stub.read()).body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_MODULES = _public_names()  # read once: what a stub for type checkers lists is what there is
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        if name.startswith("_"):
            raise AttributeError(f"module 'beatpath' has no attribute {name!r}")
        from beatpath._doors import missing_name

        raise missing_name(name)
    if _MODULES[name] == "beatpath":
        return import_module(f"beatpath.{name}")
    from beatpath._guard import guarded

    value = guarded(getattr(import_module(_MODULES[name]), name), "beatpath")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
