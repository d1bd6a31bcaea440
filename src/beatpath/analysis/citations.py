"""What to cite: the papers behind the methods that a report used. They stand in ``papers.json``, papers of several methods once."""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from beatpath.methods.registry import METHODS


@cache
def papers() -> dict[str, tuple[str, ...]]:
    """Return the papers behind every method, and behind cores and sets of ranks, by key."""
    data = json.loads((files(__package__) / "papers.json").read_text(encoding="utf-8"))
    return {key: tuple(data["shared"].get(one, one) for one in some) for key, some in data["methods"].items()}


def citations(used: Iterable[str]) -> tuple[str, ...]:
    """Return the papers behind methods, each once, in the order of the methods.

    Parameters
    ----------
    used : iterable of str
        Keys of methods, "core" for cores, "resolution" for sets of ranks.

    Examples
    --------
    >>> citations(["sco", "wsco", "sco"]) == (*papers()["sco"], papers()["wsco"][-1])
    True
    """
    return tuple(dict.fromkeys(paper for key in used for paper in papers().get(key, ())))


def definition(key: str) -> str:
    """Return what a method does, as a sentence.

    >>> definition("copeland")
    'Counts the rivals an agent beats head to head, ties half.'
    """
    said = METHODS[key].sentence
    return f"{said[0].upper()}{said[1:]}."
