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
    from beatpath.inference.battles_needed import battles_needed
    from beatpath.inference.best_of import best_of
    from beatpath.inference.board import Board
    from beatpath.inference.bootstrap import bootstrap
    from beatpath.inference.bootstrap_result import Bootstrap
    from beatpath.inference.calibration import predicted_reliability
    from beatpath.inference.certify_top import battles_to_certify_top
    from beatpath.inference.clones import clone
    from beatpath.inference.cycles import Cycles, cycle_sweep, cycles
    from beatpath.inference.fewest_removals import fewest_removals
    from beatpath.inference.leaderboard import leaderboard
    from beatpath.inference.leave_out import leave_one_out
    from beatpath.inference.next_pairs import next_pairs
    from beatpath.inference.pairwise import Pairwise
    from beatpath.inference.power import detectable_gap
    from beatpath.inference.projection import Projection, bradley_terry_projection
    from beatpath.inference.rank_sets import rank_sets
    from beatpath.inference.rank_sets_result import RankSets
    from beatpath.inference.resolution import Resolution
    from beatpath.inference.resolve import resolve
    from beatpath.inference.same_agent import same_agent_check
    from beatpath.inference.transitivity import transitivity
    from beatpath.inference.win_rates import win_rate_inference
    from beatpath.inference.with_clone import with_clone
    from beatpath.methods.compare import Comparison, compare
    from beatpath.methods.core import core
    from beatpath.methods.core_by import Cores, core_by
    from beatpath.methods.core_result import Core
    from beatpath.methods.differentiable.core_bootstrap import core_bootstrap
    from beatpath.methods.differentiable.learner import learn
    from beatpath.methods.held_out import held_out_distance, hold_out
    from beatpath.methods.ledger import Ledger
    from beatpath.methods.ledger_file import load
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
    from beatpath.reports.frame import to_frame
    from beatpath.reports.plot import Picture, plot
    from beatpath.reports.report import report
    from beatpath.reports.report_result import Report

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
    "core_bootstrap": "methods.differentiable.core_bootstrap",
    "core_by": "methods.core_by",
    "hold_out": "methods.held_out",
    "learn": "methods.differentiable.learner",
    "Ledger": "methods.ledger",
    "load": "methods.ledger_file",
    "only": "evidence.only",
    "without": "evidence.only",
    "kendall_tau_distance": "methods.metrics",
    "mean_true_rating_distance": "methods.metrics",
    "top_k_overlap": "methods.metrics",
    "weighted_tau": "methods.metrics",
    "rank": "methods.rank",
    "report": "reports.report",
    "plot": "reports.plot",
    "Picture": "reports.plot",
    "to_frame": "reports.frame",
    "Report": "reports.report_result",
    "resolve": "inference.resolve",
    "Resolution": "inference.resolution",
    "win_rate_inference": "inference.win_rates",
    "Pairwise": "inference.pairwise",
    "leaderboard": "inference.leaderboard",
    "Board": "inference.board",
    "rank_sets": "inference.rank_sets",
    "RankSets": "inference.rank_sets_result",
    "cycles": "inference.cycles",
    "cycle_sweep": "inference.cycles",
    "Cycles": "inference.cycles",
    "bradley_terry_projection": "inference.projection",
    "Projection": "inference.projection",
    "transitivity": "inference.transitivity",
    "bootstrap": "inference.bootstrap",
    "Bootstrap": "inference.bootstrap_result",
    "fewest_removals": "inference.fewest_removals",
    "leave_one_out": "inference.leave_out",
    "clone": "inference.clones",
    "with_clone": "inference.with_clone",
    "same_agent_check": "inference.same_agent",
    "best_of": "inference.best_of",
    "detectable_gap": "inference.power",
    "battles_needed": "inference.battles_needed",
    "battles_to_certify_top": "inference.certify_top",
    "next_pairs": "inference.next_pairs",
    "predicted_reliability": "inference.calibration",
}

__all__ = [
    "Ballots",
    "Battles",
    "BeatpathError",
    "Board",
    "Bootstrap",
    "Check",
    "Comparison",
    "Convention",
    "Core",
    "Cores",
    "Cycles",
    "DataError",
    "Factor",
    "Ledger",
    "Majority",
    "Margins",
    "MissingExtra",
    "OnlineElo",
    "OnlineSco",
    "Pairs",
    "Pairwise",
    "Picture",
    "Projection",
    "RankSets",
    "Ranking",
    "ReadError",
    "Reading",
    "Report",
    "Resolution",
    "Scores",
    "UnknownLabel",
    "UsageError",
    "WinRates",
    "__version__",
    "battles_needed",
    "battles_to_certify_top",
    "best_of",
    "bootstrap",
    "bradley_terry_projection",
    "check",
    "clone",
    "compare",
    "comparisons_needed",
    "condorcet_match",
    "core",
    "core_bootstrap",
    "core_by",
    "cycle_sweep",
    "cycles",
    "detectable_gap",
    "example",
    "fewest_removals",
    "held_out_distance",
    "hold_out",
    "kendall_tau_distance",
    "leaderboard",
    "learn",
    "leave_one_out",
    "load",
    "mean_true_rating_distance",
    "next_pairs",
    "only",
    "plot",
    "predicted_reliability",
    "rank",
    "rank_sets",
    "read",
    "report",
    "resolve",
    "same_agent_check",
    "to_frame",
    "top_k_overlap",
    "transitivity",
    "weighted_tau",
    "win_rate_inference",
    "with_clone",
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
