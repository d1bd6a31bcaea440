"""beatpath: who is certainly above whom, who is tied, and who forms the undominated core.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from beatpath._version import __version__

# Threads of OpenBLAS that have nothing to do sleep after 2^20 cycles; heeded where numpy is not loaded yet. By default they spin while
# numpy and scipy load, a fifth of a processor second.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")

if TYPE_CHECKING:
    from beatpath._errors import BeatpathError, DataError, MissingExtra, ReadError, UnknownLabel, UsageError
    from beatpath._result import to_frame
    from beatpath.arena.arena import Arena
    from beatpath.arena.standing import Standing
    from beatpath.checks import Check, check
    from beatpath.data.example import example
    from beatpath.data.read import read
    from beatpath.data.read_agents import read_agents
    from beatpath.data.write import write
    from beatpath.evidence import (
        Ballots,
        Battles,
        Convention,
        Conventions,
        Factor,
        Majority,
        Margins,
        Pairs,
        Reading,
        Scores,
        WinRates,
    )
    from beatpath.evidence.select import often_met, only, without
    from beatpath.inference.anytime.anytime_board import AnytimeBoard
    from beatpath.inference.bootstrap.bootstrap import bootstrap
    from beatpath.inference.bootstrap.bootstrap_result import Bootstrap
    from beatpath.inference.calibration.calibration import Reliability
    from beatpath.inference.calibration.held_out import held_out_distance, hold_out
    from beatpath.inference.calibration.predicted_reliability import predicted_reliability
    from beatpath.inference.core.core import core
    from beatpath.inference.core.core_bootstrap import CoreBootstrap, core_bootstrap
    from beatpath.inference.core.core_by import Cores, core_by
    from beatpath.inference.core.core_result import Core
    from beatpath.inference.cycles.cycles import Cycles, cycle_sweep, cycles
    from beatpath.inference.cycles.transitivity import Transitivity, transitivity
    from beatpath.inference.design.next_pairs import NextPairs, next_pairs
    from beatpath.inference.design.power import (
        ComparisonsNeeded,
        MinimumDetectableEffect,
        comparisons_needed,
        minimum_detectable_effect,
    )
    from beatpath.inference.design.sample_size import SampleSize, sample_size
    from beatpath.inference.design.sample_size_for_top import SampleSizeForTop, sample_size_for_top
    from beatpath.inference.diff.diff import Diff, diff
    from beatpath.inference.judges.judges import judges
    from beatpath.inference.judges.judges_result import Judges
    from beatpath.inference.leaderboard import Leaderboard
    from beatpath.inference.learned.learned import LearnedCore
    from beatpath.inference.learned.learner import learn
    from beatpath.inference.matrix.win_matrix import WinMatrix, win_matrix
    from beatpath.inference.ranking.compare import Comparison, compare
    from beatpath.inference.ranking.rank import rank
    from beatpath.inference.ranking.stability import Stability, stability
    from beatpath.inference.ranks.rank_sets import rank_sets
    from beatpath.inference.ranks.rank_sets_result import RankSets
    from beatpath.inference.ranks.tiers import Tiers, tiers
    from beatpath.inference.removal.smallest_influential_set import InfluentialSet, smallest_influential_set
    from beatpath.inference.resolve.anytime_resolution import AnytimeResolution
    from beatpath.inference.resolve.claims import ClaimTest
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.long_board import LongBoard
    from beatpath.inference.resolve.resolution import Resolution
    from beatpath.inference.resolve.resolve import resolve
    from beatpath.inference.runs.critical_differences import CriticalDifferences, critical_differences
    from beatpath.inference.runs.normalised import normalised
    from beatpath.inference.runs.performance_profile import PerformanceProfile, performance_profile
    from beatpath.inference.runs.run_scores import RunScores, run_scores
    from beatpath.inference.scale.lack_of_fit import LackOfFit
    from beatpath.inference.scale.projection import Projection, bradley_terry_projection
    from beatpath.inference.scores.estimands import leaderboard
    from beatpath.inference.sensitivity.aa_test import AATest, aa_test
    from beatpath.inference.sensitivity.clones import Clones, clone, with_clone
    from beatpath.inference.sensitivity.leave_out import LeaveOneOut, leave_one_out
    from beatpath.inference.sensitivity.winners_curse import WinnersCurse, winners_curse
    from beatpath.inference.win_rates.estimate import WinRateEstimate
    from beatpath.inference.win_rates.win_rates import win_rate_inference
    from beatpath.methods.game.correlated import max_entropy_equilibrium
    from beatpath.methods.game.deviation_ratings import deviation_ratings
    from beatpath.methods.game.payoff_ratings import payoff_ratings
    from beatpath.methods.game.populations import alpha_rank_populations
    from beatpath.methods.metrics import (
        condorcet_match,
        kendall_tau_distance,
        mean_true_rating_distance,
        top_k_overlap,
        weighted_tau,
    )
    from beatpath.methods.objections import objections
    from beatpath.methods.online.ledger import Ledger
    from beatpath.methods.online.load import load
    from beatpath.methods.rating.elo.online_elo import OnlineElo
    from beatpath.methods.rating.glicko2.online_glicko2 import OnlineGlicko2
    from beatpath.methods.rating.sco.online_sco import OnlineSco
    from beatpath.methods.rating.weng_lin.online_weng_lin import OnlineWengLin
    from beatpath.methods.rating.whole_history.strength_curves import StrengthCurves, strength_curves
    from beatpath.methods.result import Ranking
    from beatpath.reports.figures.badge import badge
    from beatpath.reports.notebook.plot import Picture, plot
    from beatpath.reports.report import Report, report

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
    "Conventions": "evidence",
    "Factor": "evidence",
    "Majority": "evidence",
    "Margins": "evidence",
    "Pairs": "evidence",
    "Reading": "evidence",
    "Scores": "evidence",
    "WinRates": "evidence",
    "Arena": "arena.arena",
    "Standing": "arena.standing",
    "AnytimeBoard": "inference.anytime.anytime_board",
    "AnytimeResolution": "inference.resolve.anytime_resolution",
    "Check": "checks",
    "check": "checks",
    "example": "data.example",
    "read": "data.read",
    "read_agents": "data.read_agents",
    "write": "data.write",
    "Comparison": "inference.ranking.compare",
    "Ranking": "methods.result",
    "compare": "inference.ranking.compare",
    "OnlineElo": "methods.rating.elo.online_elo",
    "OnlineGlicko2": "methods.rating.glicko2.online_glicko2",
    "OnlineSco": "methods.rating.sco.online_sco",
    "OnlineWengLin": "methods.rating.weng_lin.online_weng_lin",
    "StrengthCurves": "methods.rating.whole_history.strength_curves",
    "strength_curves": "methods.rating.whole_history.strength_curves",
    "condorcet_match": "methods.metrics",
    "held_out_distance": "inference.calibration.held_out",
    "Core": "inference.core.core_result",
    "Cores": "inference.core.core_by",
    "comparisons_needed": "inference.design.power",
    "core": "inference.core.core",
    "core_bootstrap": "inference.core.core_bootstrap",
    "core_by": "inference.core.core_by",
    "hold_out": "inference.calibration.held_out",
    "learn": "inference.learned.learner",
    "Ledger": "methods.online.ledger",
    "load": "methods.online.load",
    "judges": "inference.judges.judges",
    "Judges": "inference.judges.judges_result",
    "often_met": "evidence.select",
    "only": "evidence.select",
    "without": "evidence.select",
    "alpha_rank_populations": "methods.game.populations",
    "deviation_ratings": "methods.game.deviation_ratings",
    "max_entropy_equilibrium": "methods.game.correlated",
    "payoff_ratings": "methods.game.payoff_ratings",
    "objections": "methods.objections",
    "kendall_tau_distance": "methods.metrics",
    "mean_true_rating_distance": "methods.metrics",
    "top_k_overlap": "methods.metrics",
    "weighted_tau": "methods.metrics",
    "rank": "inference.ranking.rank",
    "stability": "inference.ranking.stability",
    "Stability": "inference.ranking.stability",
    "report": "reports.report",
    "plot": "reports.notebook.plot",
    "badge": "reports.figures.badge",
    "Picture": "reports.notebook.plot",
    "to_frame": "_result",
    "Report": "reports.report",
    "resolve": "inference.resolve.resolve",
    "ContextResolution": "inference.resolve.context_resolution",
    "LongBoard": "inference.resolve.long_board",
    "Resolution": "inference.resolve.resolution",
    "win_matrix": "inference.matrix.win_matrix",
    "WinMatrix": "inference.matrix.win_matrix",
    "win_rate_inference": "inference.win_rates.win_rates",
    "WinRateEstimate": "inference.win_rates.estimate",
    "leaderboard": "inference.scores.estimands",
    "Leaderboard": "inference.leaderboard",
    "diff": "inference.diff.diff",
    "Diff": "inference.diff.diff",
    "rank_sets": "inference.ranks.rank_sets",
    "tiers": "inference.ranks.tiers",
    "Tiers": "inference.ranks.tiers",
    "RankSets": "inference.ranks.rank_sets_result",
    "cycles": "inference.cycles.cycles",
    "cycle_sweep": "inference.cycles.cycles",
    "Cycles": "inference.cycles.cycles",
    "bradley_terry_projection": "inference.scale.projection",
    "Projection": "inference.scale.projection",
    "transitivity": "inference.cycles.transitivity",
    "bootstrap": "inference.bootstrap.bootstrap",
    "Bootstrap": "inference.bootstrap.bootstrap_result",
    "smallest_influential_set": "inference.removal.smallest_influential_set",
    "leave_one_out": "inference.sensitivity.leave_out",
    "clone": "inference.sensitivity.clones",
    "with_clone": "inference.sensitivity.clones",
    "aa_test": "inference.sensitivity.aa_test",
    "winners_curse": "inference.sensitivity.winners_curse",
    "minimum_detectable_effect": "inference.design.power",
    "sample_size": "inference.design.sample_size",
    "sample_size_for_top": "inference.design.sample_size_for_top",
    "next_pairs": "inference.design.next_pairs",
    "predicted_reliability": "inference.calibration.predicted_reliability",
    "AATest": "inference.sensitivity.aa_test",
    "Clones": "inference.sensitivity.clones",
    "ComparisonsNeeded": "inference.design.power",
    "CoreBootstrap": "inference.core.core_bootstrap",
    "LearnedCore": "inference.learned.learned",
    "LeaveOneOut": "inference.sensitivity.leave_out",
    "MinimumDetectableEffect": "inference.design.power",
    "NextPairs": "inference.design.next_pairs",
    "Reliability": "inference.calibration.calibration",
    "SampleSize": "inference.design.sample_size",
    "SampleSizeForTop": "inference.design.sample_size_for_top",
    "InfluentialSet": "inference.removal.smallest_influential_set",
    "Transitivity": "inference.cycles.transitivity",
    "WinnersCurse": "inference.sensitivity.winners_curse",
    "ClaimTest": "inference.resolve.claims",
    "LackOfFit": "inference.scale.lack_of_fit",
    "CriticalDifferences": "inference.runs.critical_differences",
    "critical_differences": "inference.runs.critical_differences",
    "normalised": "inference.runs.normalised",
    "PerformanceProfile": "inference.runs.performance_profile",
    "performance_profile": "inference.runs.performance_profile",
    "RunScores": "inference.runs.run_scores",
    "run_scores": "inference.runs.run_scores",
}

__all__ = [
    "AATest",
    "AnytimeBoard",
    "AnytimeResolution",
    "Arena",
    "Ballots",
    "Battles",
    "BeatpathError",
    "Bootstrap",
    "Check",
    "ClaimTest",
    "Clones",
    "Comparison",
    "ComparisonsNeeded",
    "ContextResolution",
    "Convention",
    "Conventions",
    "Core",
    "CoreBootstrap",
    "Cores",
    "CriticalDifferences",
    "Cycles",
    "DataError",
    "Diff",
    "Factor",
    "InfluentialSet",
    "Judges",
    "LackOfFit",
    "Leaderboard",
    "LearnedCore",
    "LeaveOneOut",
    "Ledger",
    "LongBoard",
    "Majority",
    "Margins",
    "MinimumDetectableEffect",
    "MissingExtra",
    "NextPairs",
    "OnlineElo",
    "OnlineGlicko2",
    "OnlineSco",
    "OnlineWengLin",
    "Pairs",
    "PerformanceProfile",
    "Picture",
    "Projection",
    "RankSets",
    "Ranking",
    "ReadError",
    "Reading",
    "Reliability",
    "Report",
    "Resolution",
    "RunScores",
    "SampleSize",
    "SampleSizeForTop",
    "Scores",
    "Stability",
    "Standing",
    "StrengthCurves",
    "Tiers",
    "Transitivity",
    "UnknownLabel",
    "UsageError",
    "WinMatrix",
    "WinRateEstimate",
    "WinRates",
    "WinnersCurse",
    "__version__",
    "aa_test",
    "alpha_rank_populations",
    "badge",
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
    "critical_differences",
    "cycle_sweep",
    "cycles",
    "deviation_ratings",
    "diff",
    "example",
    "held_out_distance",
    "hold_out",
    "judges",
    "kendall_tau_distance",
    "leaderboard",
    "learn",
    "leave_one_out",
    "load",
    "max_entropy_equilibrium",
    "mean_true_rating_distance",
    "minimum_detectable_effect",
    "next_pairs",
    "normalised",
    "objections",
    "often_met",
    "only",
    "payoff_ratings",
    "performance_profile",
    "plot",
    "predicted_reliability",
    "rank",
    "rank_sets",
    "read",
    "read_agents",
    "report",
    "resolve",
    "run_scores",
    "sample_size",
    "sample_size_for_top",
    "smallest_influential_set",
    "stability",
    "strength_curves",
    "tiers",
    "to_frame",
    "top_k_overlap",
    "transitivity",
    "weighted_tau",
    "win_matrix",
    "win_rate_inference",
    "winners_curse",
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
