r"""Provenance of a report: hash of the input, version, command, seed and conventions; and the papers to cite.

The papers behind each method are in ``papers.json``.
"""

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from beatpath._result import Record
from beatpath._version import __version__
from beatpath.evidence import Convention, Evidence, Margins, WinRates
from beatpath.inference.options import ReportOptions
from beatpath.methods.registry import METHODS

LIBRARIES = ("numpy", "scipy")  # libraries whose versions are recorded


@dataclass(frozen=True, slots=True)
class Provenance(Record):
    """What is needed to reproduce a report.

    Parameters
    ----------
    sources : mapping of str to str
        SHA-256 of every file read, by name; for evidence that came from no file, of its counts.
    version : str
        Version of beatpath.
    libraries : mapping of str to str
        Versions of Python and of the numerical libraries.
    command : str
        The command line, or the call.
    seed : int
        The seed.
    settings : mapping
        Options of the report: methods, level, estimand, cluster.
    conventions : tuple of Convention
        The conventions that were applied.
    """

    sources: Mapping[str, str]
    version: str
    libraries: Mapping[str, str]
    command: str
    seed: int
    settings: Mapping[str, Any]
    conventions: tuple[Convention, ...]


def provenance(
    evidence: Evidence, options: ReportOptions, methods: list[str], conventions: tuple[Convention, ...]
) -> Provenance:
    """Return the provenance of a report on this evidence, by these methods and conventions."""
    libraries = {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
    settings = {name: getattr(options, name) for name in ("level", "estimand", "cluster")} | {"methods": methods}
    settings |= {} if options.by is None else {"contexts": options.by}
    return Provenance(hashes(evidence), __version__, libraries, options.command, options.seed, settings, conventions)


def hashes(evidence: Evidence) -> dict[str, str]:
    """Return the SHA-256 of every file the evidence was read from, or of its counts if a source is no file.

    >>> from beatpath import Pairs
    >>> list(hashes(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]])))
    ['the counts']
    """
    sources = () if evidence.reading is None else evidence.reading.sources
    files = [Path(name) for name in sources]
    try:
        if files and all(path.is_file() for path in files):
            short = len({path.name for path in files}) == len(files)
            return {path.name if short else str(path): _of_file(path) for path in files}
    except (OSError, ValueError):  # deleted since, or a name that no file can have
        pass
    return {"the counts": hashlib.sha256(counts_as_text(evidence).encode()).hexdigest()}


def counts_as_text(evidence: Evidence) -> str:
    """Return pair counts with one line per pair, independent of the order of rows and agents.

    >>> from beatpath import Battles
    >>> print(counts_as_text(Battles.of([("bob", "ada", 1), ("ada", "bob", 0.5)])))
    ["ada", "bob", 0.0, 1.0, 1.0, 0.0]
    """
    name = evidence.agents
    if isinstance(evidence, Margins | WinRates):
        lines = [
            [name[i], name[j], float(x)] for i, row in enumerate(evidence.matrix) for j, x in enumerate(row) if i != j
        ]
    else:
        pairs = evidence.pairs()
        cells = zip(pairs.a.tolist(), pairs.b.tolist(), pairs.counts.tolist(), strict=True)
        named = ([name[a], name[b], won, lost, *rest] for a, b, (won, lost, *rest) in cells)
        lines = [one if one[0] < one[1] else [one[1], one[0], one[3], one[2], *one[4:]] for one in named]
    return "\n".join(sorted(json.dumps(line) for line in lines))


def _of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def papers() -> dict[str, tuple[str, ...]]:
    """Return the papers behind every method, and behind cores and rank sets, by key."""
    data = json.loads((files("beatpath.analysis") / "papers.json").read_text(encoding="utf-8"))
    return {key: tuple(data["shared"].get(one, one) for one in some) for key, some in data["methods"].items()}


def citations(used: Iterable[str]) -> tuple[str, ...]:
    """Return the papers behind methods, each once, in the order of the methods.

    Parameters
    ----------
    used : iterable of str
        Keys of methods, "core" for cores, "resolution" for rank sets.

    Examples
    --------
    >>> len(papers()["wsco"]), len(citations(["sco", "wsco", "sco"]))
    (2, 2)
    """
    return tuple(dict.fromkeys(paper for key in used for paper in papers().get(key, ())))


def definition(key: str) -> str:
    """Return the description of a method as a sentence.

    >>> definition("copeland")
    'Counts the rivals an agent beats head to head, ties half.'
    """
    sentence = METHODS[key].sentence
    return f"{sentence[0].upper()}{sentence[1:]}."
