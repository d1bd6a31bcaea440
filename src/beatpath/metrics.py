"""Numbers about rankings and runs: distances of rankings, scores of runs with intervals, observed win rates."""

from beatpath._guard import guard
from beatpath.inference.runs.critical_differences import CriticalDifferences, critical_differences
from beatpath.inference.runs.pass_at_k import pass_at_k
from beatpath.inference.runs.pass_curves import PassCurves, pass_curves
from beatpath.inference.runs.performance_profile import PerformanceProfile, performance_profile
from beatpath.inference.runs.run_scores import RunScores, run_scores
from beatpath.inference.runs.runs import normalized
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.methods.metrics import (
    kendall_tau_distance,
    mean_true_rating_distance,
    objections,
    top_k_overlap,
    weighted_tau,
)

__all__ = ["CriticalDifferences", "PassCurves", "PerformanceProfile", "RunScores", "WinRateEstimate",
    "critical_differences", "kendall_tau_distance", "mean_true_rating_distance", "normalized", "objections",
    "pass_at_k", "pass_curves", "performance_profile", "run_scores", "top_k_overlap", "weighted_tau", "win_rate_inference"]  # fmt: skip

guard(globals())
