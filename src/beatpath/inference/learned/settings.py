"""What a learner is told."""

from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from beatpath._errors import UsageError
from beatpath._validate import require_choice, require_positive, require_whole
from beatpath.inference.learned.encoder import require_network
from beatpath.methods.soft_core.operators import require_reach, require_temperature

SCORES = ("top cycle", "uncovered set")


@dataclass(frozen=True, slots=True)
class Annealing:
    r"""From a smooth start to a sharp end.

    .. math::  z_t = z_{\max} \Bigl( \frac{z_{\min}}{z_{\max}} \Bigr)^{t / T},

    section D.2 of Soft Tournament Equilibrium, held at its end from :math:`t = T` on.

    Parameters
    ----------
    high, low : float
        The first and the last temperature, above zero. Equal ones stay as they are.

    Examples
    --------
    >>> falling = Annealing(1.0, 0.01)
    >>> [round(falling.at(share), 3) for share in (0, 0.5, 1, 2)]
    [1.0, 0.1, 0.01, 0.01]
    """

    high: float = 1.0
    low: float = 0.05

    def __post_init__(self) -> None:
        require_temperature("high", self.high)
        require_temperature("low", self.low)
        if self.low > self.high:
            raise UsageError(f"`low` must not be above `high`: temperatures fall; got {self.low:g} and {self.high:g}.")

    def at(self, share: float) -> float:
        """Return the temperature when this share of the schedule, t / T, is done."""
        return float(self.high * (self.low / self.high) ** min(1.0, share))


@dataclass(frozen=True, slots=True)
class Settings:
    r"""Settings of Algorithm 1 of Soft Tournament Equilibrium, by its letters where it has them.

    Parameters
    ----------
    network : {"pair", "btl"}
        The model of a pair: `PairEncoder`, or `ContextualBTL`.
    embedding, width : int
        Size of the pair encoder.
    tau, gamma : Annealing
        Temperatures of edges and of soft extrema, from first to last. Scores are reported at the last.
    anneal : int, optional
        Epochs over which they fall, T; half of `epochs` by default.
    reach : {"max-min", "smooth", "noisy-or"}
        Form of reachability.
    max_length : int, optional
        K, edges a path may have; all lengths by default.
    sharpness, calibration : float
        Weights of the two regularisers, :math:`\lambda_s` and :math:`\lambda_c`. A weight of 0 costs nothing.
    score : {"top cycle", "uncovered set"}
        The membership scores that the regularisers look at.
    epochs : int
        The most passes over the battles, E.
    batch : int
        Battles a step.
    rate, weight_decay : float
        Step size of Adam, and its pull of parameters towards 0.
    held_out : float
        Share of the battles, below 1, that is not learned from: half of it says when to stop, half calibrates.
    patience : int
        Epochs without better prediction of held-out battles after which training stops.
    tol : float
        Change of the loss in an epoch that counts as none.
    draws, final_draws : int
        Contexts drawn from Q for a step and for the answer; all of them, exactly, where there are no more.

    Examples
    --------
    >>> Settings(epochs=0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `epochs` must be a whole number, 1 or more; got 0.
    """

    network: str = "pair"
    embedding: int = 8
    width: int = 32
    tau: Annealing = field(default_factory=Annealing)
    gamma: Annealing = field(default_factory=Annealing)
    anneal: int | None = None
    reach: str = "max-min"
    max_length: int | None = None
    sharpness: float = 0.0
    calibration: float = 0.0
    score: str = "top cycle"
    epochs: int = 200
    batch: int = 128
    rate: float = 0.01
    weight_decay: float = 1e-4
    held_out: float = 0.2
    patience: int = 20
    tol: float = 1e-6
    draws: int = 32
    final_draws: int = 1024

    def __post_init__(self) -> None:
        require_network(self.network)
        require_reach(self.reach, self.max_length)
        require_choice("score", self.score, SCORES)
        for name in ("embedding", "width", "epochs", "batch", "patience", "draws", "final_draws"):
            require_whole(name, getattr(self, name))
        if self.anneal is not None:
            require_whole("anneal", self.anneal)
        require_positive("rate", self.rate)
        for name in ("sharpness", "calibration", "weight_decay", "tol"):
            _require_weight(name, getattr(self, name))
        if not 0 <= self.held_out < 1:
            raise UsageError(f"`held_out` must be a share from 0 to below 1; got {self.held_out:g}.")

    @property
    def regularised(self) -> bool:
        """Whether the scores of the core have a part in the loss."""
        return self.sharpness > 0 or self.calibration > 0

    @property
    def schedule(self) -> int:
        """Epochs over which temperatures fall."""
        return self.anneal or max(1, self.epochs // 2)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return asdict(self)


def _require_weight(name: str, value: float) -> None:
    if not (isfinite(value) and value >= 0):
        raise UsageError(f"`{name}` must be a number, 0 or more; got {value:g}.")
