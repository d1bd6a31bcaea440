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
    from beatpath.evidence.only import only, without
    from beatpath.methods.compare import Comparison, compare
    from beatpath.methods.core import core
    from beatpath.methods.core_by import Cores, core_by
    from beatpath.methods.core_result import Core
    from beatpath.methods.differentiable.learner import learn
    from beatpath.methods.held_out import held_out_distance, hold_out
    from beatpath.methods.metrics import (
        condorcet_match,
        kendall_tau_distance,
        mean_true_rating_distance,
        top_k_overlap,
        weighted_tau,
    )
    from beatpath.methods.rank import rank
    from beatpath.methods.rating.online_elo import OnlineElo
    from beatpath.methods.rating.sco_online import OnlineSco
    from beatpath.methods.result import Ranking
    from beatpath.methods.tournament.sample_size import comparisons_needed

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
    "OnlineElo": "methods.rating.online_elo",
    "OnlineSco": "methods.rating.sco_online",
    "condorcet_match": "methods.metrics",
    "held_out_distance": "methods.held_out",
    "Core": "methods.core_result",
    "Cores": "methods.core_by",
    "comparisons_needed": "methods.tournament.sample_size",
    "core": "methods.core",
    "core_by": "methods.core_by",
    "hold_out": "methods.held_out",
    "learn": "methods.differentiable.learner",
    "only": "evidence.only",
    "without": "evidence.only",
    "kendall_tau_distance": "methods.metrics",
    "mean_true_rating_distance": "methods.metrics",
    "top_k_overlap": "methods.metrics",
    "weighted_tau": "methods.metrics",
    "rank": "methods.rank",
}

__all__ = [
    "Ballots",
    "Battles",
    "BeatpathError",
    "Check",
    "Comparison",
    "Convention",
    "Core",
    "Cores",
    "DataError",
    "Factor",
    "Majority",
    "Margins",
    "MissingExtra",
    "OnlineElo",
    "OnlineSco",
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
    "comparisons_needed",
    "condorcet_match",
    "core",
    "core_by",
    "example",
    "held_out_distance",
    "hold_out",
    "kendall_tau_distance",
    "learn",
    "mean_true_rating_distance",
    "only",
    "rank",
    "read",
    "top_k_overlap",
    "weighted_tau",
    "without",
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
