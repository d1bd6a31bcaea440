"""What comes with the source beside the package: reproductions and benchmarks."""

from pathlib import Path

from beatpath._errors import UsageError


def shipped(name: str) -> Path:
    """Return a folder that lies inside an installed package, or at the root of a checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / f"_{name}", package.parents[1] / name):
        if folder.is_dir():
            return folder
    raise UsageError(f"the {name} come with the source: install beatpath from a wheel or a clone that has them.")
