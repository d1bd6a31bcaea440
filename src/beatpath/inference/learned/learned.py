"""What learning hands back: the core under Q, the win probabilities behind it, and how far to trust them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from beatpath._result import Result
from beatpath.evidence import Convention
from beatpath.inference.calibration.calibration import Reliability, Scaling
from beatpath.inference.core.core_result import Core
from beatpath.inference.learned.model import TournamentModel
from beatpath.inference.learned.training import Epoch, Status


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedCore(Result):
    """A core by a learned model of battles.

    Attributes
    ----------
    core : Core
        Members and scores under Q, at the last temperatures.
    probability : (n, n) float
        Of the row to beat the column, averaged over Q: P of eq. (3) of Soft Tournament Equilibrium.
    monte_carlo_error : float
        The largest standard error in `probability` that comes from drawing contexts; 0 where all were used.
    history : tuple of Epoch
        One record an epoch.
    status : Status
        How the training ended.
    kept : int
        The epoch whose parameters were kept.
    reliability : Reliability or None
        Probabilities against outcomes, on held-out battles that no part of training has seen unless pairwise calibration was
        asked for.
    scaling : Scaling or None
        The temperature that would suit those battles best. It is not applied.
    model : TournamentModel
        Predicts battles, and gives `probability` under other mixtures.
    settings : mapping
    conventions : tuple of Convention
    """

    document: ClassVar = (
        "agents",
        "core",
        "probability",
        "monte_carlo_error",
        "status",
        "kept",
        "history",
        "reliability",
        "scaling",
        "settings",
        "conventions",
    )

    core: Core
    probability: NDArray[np.float64]
    monte_carlo_error: float
    history: tuple[Epoch, ...]
    status: Status
    kept: int
    reliability: Reliability | None
    scaling: Scaling | None
    model: TournamentModel
    settings: Mapping[str, Any]
    conventions: tuple[Convention, ...] = ()

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order of the battles."""
        return self.model.agents

    @property
    def top_cycle(self) -> dict[str, float]:
        """The soft Top Cycle score of every agent."""
        return dict(self.core.top_cycle.scores)

    @property
    def uncovered_set(self) -> dict[str, float]:
        """The soft Uncovered Set score of every agent."""
        return dict(self.core.uncovered_set.scores)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The core, and how training ended."""
        return (*self.core.sentences, f"Training: {self.status}.")

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, as of the core."""
        return self.core.rows()
