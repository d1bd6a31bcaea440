"""beatpath: who is certainly above whom, who is tied, and who forms the undominated core.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from beatpath._version import __version__

if TYPE_CHECKING:
    from beatpath._errors import BeatpathError, DataError, MissingExtra, ReadError, UnknownLabel, UsageError
    from beatpath.checks import Check, check
    from beatpath.data.example import example
    from beatpath.data.read import read
    from beatpath.data.write import write
    from beatpath.evidence import (
        Ballots,
        Battles,
        Convention,
        Factor,
        Majority,
        Margins,
        Pairs,
        Reading,
        Scores,
        WinRates,
    )
    from beatpath.methods.compare import Comparison, compare
    from beatpath.methods.rank import rank
    from beatpath.methods.result import Ranking

_HOME = {
    "BeatpathError": "_errors",
    "DataError": "_errors",
    "MissingExtra": "_errors",
    "ReadError": "_errors",
    "UnknownLabel": "_errors",
    "UsageError": "_errors",
    "Ballots": "evidence",
    "Battles": "evidence",
    "Convention": "evidence",
    "Factor": "evidence",
    "Majority": "evidence",
    "Margins": "evidence",
    "Pairs": "evidence",
    "Reading": "evidence",
    "Scores": "evidence",
    "WinRates": "evidence",
    "Check": "checks",
    "check": "checks",
    "example": "data.example",
    "read": "data.read",
    "write": "data.write",
    "Comparison": "methods.compare",
    "Ranking": "methods.result",
    "compare": "methods.compare",
    "rank": "methods.rank",
}

__all__ = [
    "Ballots",
    "Battles",
    "BeatpathError",
    "Check",
    "Comparison",
    "Convention",
    "DataError",
    "Factor",
    "Majority",
    "Margins",
    "MissingExtra",
    "Pairs",
    "Ranking",
    "ReadError",
    "Reading",
    "Scores",
    "UnknownLabel",
    "UsageError",
    "WinRates",
    "__version__",
    "check",
    "compare",
    "example",
    "rank",
    "read",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'beatpath' has no attribute {name!r}")
    value = getattr(import_module(f"beatpath.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
