"""Literal types of options, shared by Python, the command line and the web page."""

from typing import Literal

Ties = Literal["half", "drop", "keep"]
BothBad = Literal["tie", "drop", "keep"]
PairWeight = Literal["count", "rate"]
Unranked = Literal["ignore", "last"]
Missing = Literal["unranked", "last", "drop_task", "error"]
Per = Literal["auto", "task", "item"]
Matrix = Literal["auto", "estimated", "raw"]
SelfBattles = Literal["error", "drop"]
Repeats = Literal["error", "best"]
ReadTo = Literal["battles", "pairs"]
JudgesAs = Literal["alike", "reliability"]
TierScheme = Literal["top", "letters", "cuts"]
Engine = Literal["duckdb", "spark", "dask", "ray"]
EstimandName = Literal[
    "auto",
    "mean_win_rate",
    "mean_score",
    "as_sampled",
    "bradley_terry",
    "iqm",
    "median",
    "optimality_gap",
    "probability_of_improvement",
]
