"""Numbers about rankings and runs: distances of rankings, scores of runs with intervals, observed win rates."""

from beatpath.inference.runs.critical_differences import CriticalDifferences, critical_differences
from beatpath.inference.runs.performance_profile import PerformanceProfile, performance_profile
from beatpath.inference.runs.run_scores import RunScores, run_scores
from beatpath.inference.runs.runs import normalised
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.methods.metrics import (
    condorcet_match,
    kendall_tau_distance,
    mean_true_rating_distance,
    objections,
    top_k_overlap,
    weighted_tau,
)

__all__ = [  # noqa: RUF022 (in an order to learn them)
    "kendall_tau_distance", "weighted_tau", "top_k_overlap", "mean_true_rating_distance", "condorcet_match",
    "objections", "run_scores", "RunScores", "performance_profile", "PerformanceProfile",
    "critical_differences", "CriticalDifferences", "normalised", "win_rate_inference", "WinRateEstimate",
]  # fmt: skip
