"""Print every lowest version that pyproject.toml declares, as constraints for pip: `make lowest` installs these.

``python tests/lowest.py > lowest.txt``, then ``pip install -c lowest.txt ".[app,fast]" --group dev``: what is installed is then
at the version after its ``>=``, and what nobody here asks for, which libraries bring along, at the newest they allow.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
GROUPS = ("dev",)  # the tools that run there; those of other groups are not installed
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?>=(?P<version>[\w.]+)\s*(;.*)?")


def requirements(project: Mapping[str, Any]) -> Iterator[str]:
    """Every requirement of the package, of its extras and of the tools; what names the package itself is none."""
    metadata = project["project"]
    lists = [metadata["dependencies"], *metadata["optional-dependencies"].values()]
    lists += [project["dependency-groups"][group] for group in GROUPS]
    for one in lists:
        yield from (text for text in one if not text.startswith(metadata["name"]))


def lowest(project: Mapping[str, Any]) -> dict[str, str]:
    """Return the lowest version of every requirement; every one must declare one, and only one."""
    versions: dict[str, str] = {}
    for text in requirements(project):
        parts = REQUIREMENT.fullmatch(text)
        if parts is None:
            raise ValueError(f"{text!r} must declare its lowest version as >=.")
        if versions.setdefault(parts["name"], parts["version"]) != parts["version"]:
            raise ValueError(f"{parts['name']} must declare one lowest version; it has two.")
    return versions


if __name__ == "__main__":
    for name, version in lowest(tomllib.loads(PROJECT.read_text(encoding="utf-8"))).items():
        print(f"{name}=={version}")
