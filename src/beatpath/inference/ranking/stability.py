"""Stability: whether a rule's ranking stays what it is over all that the win rates may be.

Matrices are drawn from the distribution of the estimate, and every rule that compares pairs is run on each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from time import monotonic
from typing import Any, Unpack

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION, Result, Rows
from beatpath._text import counted, listed, percent, quoted
from beatpath._validate import require_seed
from beatpath.evidence import Evidence
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.matrix.win_matrix import WinMatrix, matrix_of
from beatpath.inference.ranking.estimated import one_part, profile_of_matrix, profile_of_rates
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import METHODS, Method, method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import ranking, require_kind

RANGE = (0.05, 0.95)  # quantiles of ranks
HELD = 20_000_000  # win rates drawn at once
BUDGET = 5.0  # seconds


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleStability(Result):
    """One rule over the draws.

    Attributes
    ----------
    ranking : Ranking
        On the estimate itself.
    draws : int
        How many matrices it was run on; none where there was no time.
    first : (n,) float
        The share of draws in which an agent is first, alone or with others; in the order of ``ranking.agents``.
    stays : (n,) float
        The share of draws in which it has the rank that it has in `ranking`.
    low, high : (n,) int
        Between which its rank lies in nine of ten draws.
    """

    ranking: Ranking
    draws: int
    first: Floats
    stays: Floats
    low: Ints
    high: Ints

    @property
    def winners_share(self) -> float:
        """The share of draws in which all who are first by the estimate, or some of them, and nobody else are first."""
        return self.first_alone if self.draws else float("nan")

    @property
    def first_alone(self) -> float:
        """The smallest share in which a winner of the estimate is first."""
        place = self.ranking.agents.index
        return min(float(self.first[place(name)]) for name in self.ranking.winners)
