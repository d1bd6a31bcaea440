"""PrefLib's strict orders, out of their archives."""

import csv
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Instance:
    """One file: how many alternatives and voters, and where it lies."""

    alternatives: int
    voters: int
    archive: str
    member: str


def instances(data: Path) -> list[Instance]:
    """Every .soc and .soi file of two alternatives or more, by size and name."""
    with (data / "preflib" / "index.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["type"] in ("soc", "soi")]
    listed = [Instance(int(r["n_alternatives"]), int(r["n_voters"]), r["archive"], r["member"]) for r in rows]
    return sorted((one for one in listed if one.alternatives > 1), key=lambda one: (one.alternatives, one.member))


def spread(items: Sequence[T], limit: int) -> list[T]:
    """Of many, `limit` spread evenly over them; all for 0."""
    if not 0 < limit < len(items):
        return list(items)
    return [items[int(k)] for k in np.linspace(0, len(items) - 1, limit)]


@contextmanager
def unpacked(data: Path, files: Sequence[Instance]) -> Iterator[dict[Instance, Path]]:
    """Put these files into a folder that is gone afterwards; one pass over each archive."""
    wanted = {one.member: one for one in files}
    with TemporaryDirectory() as folder:
        paths: dict[Instance, Path] = {}
        for archive in sorted({one.archive for one in files}):
            with tarfile.open(data / "preflib" / archive, "r:xz") as members:
                for member in members:
                    content = members.extractfile(member) if member.name in wanted else None
                    if content is not None:
                        path = Path(folder) / Path(member.name).name
                        path.write_bytes(content.read())
                        paths[wanted[member.name]] = path
        yield paths
