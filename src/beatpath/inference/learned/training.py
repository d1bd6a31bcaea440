r"""Algorithm 1 of Soft Tournament Equilibrium: fit a model of pairs and, on request, shape the core it implies."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from math import isfinite

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from beatpath._errors import UsageError
from beatpath._result import Record
from beatpath._validate import require_choice, require_positive, require_whole
from beatpath.inference.learned.contexts import BattleColumns, ContextDistribution, Parts
from beatpath.inference.learned.encoder import NETWORKS, Network, marginal_tournament
from beatpath.methods.soft_core.operators import (
    reachability,
    require_reach,
    require_temperature,
    soft_majority_edge,
    soft_top_cycle,
    soft_uncovered_set,
)

SCORES = ("top cycle", "uncovered set")  # membership scores that regularization can use


@dataclass(frozen=True, slots=True)
class Annealing:
    r"""Exponential annealing of a temperature.

    .. math::  z_t = z_{\max} \Bigl( \frac{z_{\min}}{z_{\max}} \Bigr)^{t / T},

    section D.2 of Soft Tournament Equilibrium, constant from :math:`t = T` on.

    Parameters
    ----------
    high, low : float
        The first and the last temperature, above zero; constant if equal.

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
        """Return the temperature at this share of the schedule, t / T."""
        return float(self.high * (self.low / self.high) ** min(1.0, share))


@dataclass(frozen=True, slots=True)
class Settings:
    r"""Settings of Algorithm 1 of Soft Tournament Equilibrium, named as in the paper where possible.

    Parameters
    ----------
    network : {"pair", "btl"}
        The model of a pair: `PairEncoder`, or `ContextualBTL`.
    embedding, width : int
        Size of the pair encoder.
    tau, gamma : Annealing
        Temperatures of edges and of soft extrema, from first to last. Scores are reported at the last.
    anneal : int, optional
        Epochs of the annealing, T; half of `epochs` by default.
    reach : {"max-min", "smooth", "noisy-or"}
        Form of reachability.
    max_length : int, optional
        K, most edges on a path; unlimited by default.
    sharpness, calibration : float
        Weights of the two regularization terms, :math:`\lambda_s` and :math:`\lambda_c`. A term of weight 0 is not
        computed.
    score : {"top cycle", "uncovered set"}
        The membership scores that are regularized.
    epochs : int
        Most passes over the battles, E.
    batch : int
        Battles per step.
    rate, weight_decay : float
        Learning rate of Adam, and its weight decay.
    held_out : float
        Share of the battles, below 1, that is held out: half for early stopping, half for calibration.
    patience : int
        Epochs without improvement on held-out battles after which training stops.
    tol : float
        Change of the loss per epoch below which it counts as converged.
    draws, final_draws : int
        Contexts sampled from Q per step and for the result; all of them, exactly, if there are no more.

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
        require_choice("network", self.network, tuple(NETWORKS))
        require_reach(self.reach, self.max_length)
        require_choice("score", self.score, SCORES)
        for name in ("embedding", "width", "epochs", "batch", "patience", "draws", "final_draws"):
            require_whole(name, getattr(self, name))
        if self.anneal is not None:
            require_whole("anneal", self.anneal)
        require_positive("rate", self.rate)
        for name in ("sharpness", "calibration", "weight_decay", "tol"):
            if not (isfinite(value := getattr(self, name)) and value >= 0):
                raise UsageError(f"`{name}` must be a number, 0 or more; got {value:g}.")
        if not 0 <= self.held_out < 1:
            raise UsageError(f"`held_out` must be a share from 0 to below 1; got {self.held_out:g}.")

    @property
    def regularized(self) -> bool:
        """Whether the loss includes core scores."""
        return self.sharpness > 0 or self.calibration > 0

    @property
    def schedule(self) -> int:
        """Epochs of the annealing."""
        return self.anneal or max(1, self.epochs // 2)


EPSILON = 1e-8  # keeps the logarithm of a score of zero finite
STEADY = 5  # consecutive epochs without change that count as converged


class Status(StrEnum):
    """How training ended, as printable text."""

    CONVERGED = "converged: the loss stopped moving"
    STOPPED_EARLY = "stopped early: held-out battles were predicted no better; the best epoch is used"
    LIMIT = "stopped at the limit of `epochs`; raise it if the loss is still decreasing"


@dataclass(frozen=True, slots=True)
class Epoch(Record):
    """Losses of one pass over the battles, averaged over its steps.

    Attributes
    ----------
    epoch : int
        Its number, from 1.
    tau, gamma : float
        The temperatures.
    cross_entropy : float
        On the training battles.
    sharpness, calibration : float or None
        The regularization terms; None without a weight.
    held_out : float or None
        Cross-entropy on held-out battles.
    """

    epoch: int
    tau: float
    gamma: float
    cross_entropy: float
    sharpness: float | None
    calibration: float | None
    held_out: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    r"""The loss of a batch and its terms.

    .. math::  \mathcal{L} = \mathcal{L}_{CE} + \lambda_s \mathcal{R}_{sharp} + \lambda_c \mathcal{R}_{calib},

    eq. (16) of Soft Tournament Equilibrium, lines 5 to 13 of Algorithm 1.

    Parameters
    ----------
    settings : Settings
    contexts : ContextDistribution
        Q.
    membership : (n,) tensor or None
        Known memberships, or frequencies, as calibration targets. Without them calibration uses `calibrate`.
    calibrate : BattleColumns or None
        Held-out battles for calibration of probabilities.
    """

    settings: Settings
    contexts: ContextDistribution
    membership: Tensor | None
    calibrate: BattleColumns | None

    def __post_init__(self) -> None:
        if self.settings.calibration and self.membership is None and self.calibrate is None:
            raise UsageError(
                "`calibration` must have something to calibrate to, known `membership` or battles held out; got neither "
                f"(`held_out` is {self.settings.held_out:g})."
            )

    def terms(
        self, network: Network, batch: BattleColumns, tau: float, gamma: float, generator: torch.Generator
    ) -> dict[str, Tensor]:
        """Return cross-entropy, and the regularization terms that have a weight."""
        terms = {"cross_entropy": cross_entropy(network(batch.a, batch.b, batch.x), batch.y, batch.weight)}
        score = None
        if self.settings.sharpness or (self.settings.calibration and self.membership is not None):
            contexts, share = self.contexts.draw(self.settings.draws, generator)
            score = membership_scores(marginal_tournament(network, contexts, share), tau, gamma, self.settings)
        if self.settings.sharpness and score is not None:
            terms["sharpness"] = sharpness(score)
        if self.settings.calibration:
            terms["calibration"] = self._calibration(network, score)
        return terms

    def _calibration(self, network: Network, score: Tensor | None) -> Tensor:
        if self.membership is not None and score is not None:
            return calibration_error(score, self.membership)
        held = self.calibrate
        assert held is not None
        p = torch.sigmoid(network(held.a, held.b, held.x))
        both, outcome = torch.cat([p, 1 - p]), torch.cat([held.y, 1 - held.y])
        return calibration_error(both, outcome, weight=held.weight.repeat(2))

    def loss(self, terms: Mapping[str, Tensor]) -> Tensor:
        """Return eq. (16)."""
        loss = terms["cross_entropy"]
        for name in ("sharpness", "calibration"):
            loss = loss + getattr(self.settings, name) * terms[name] if name in terms else loss
        return loss


def membership_scores(P: Tensor, tau: float, gamma: float, settings: Settings) -> Tensor:
    """Return the soft scores named by the settings: lines 8 to 11 of Algorithm 1.

    >>> P = torch.tensor([[0.5, 0.9], [0.1, 0.5]], dtype=torch.float64)
    >>> membership_scores(P, 0.05, 0.05, Settings()).round(decimals=3).tolist()
    [1.0, 0.0]
    """
    D = soft_majority_edge(P, tau)
    if settings.score == "uncovered set":
        return soft_uncovered_set(D, gamma)
    return soft_top_cycle(reachability(D, reach=settings.reach, gamma=gamma, max_length=settings.max_length), gamma)


def train(
    network: Network, parts: Parts, objective: Objective, generator: torch.Generator, report: Callable[[Epoch], None]
) -> tuple[tuple[Epoch, ...], Status, int]:
    """Run Algorithm 1; return the history, how it ended, and the best epoch, whose parameters the network then has.

    The best epoch is that on held-out battles, or the last without any. Adam replaces plain gradient descent. With
    regularization, training does not stop before annealing ends, and no earlier epoch is used.
    """
    settings = objective.settings
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.rate, weight_decay=settings.weight_decay)
    history, status, best_epoch, lowest = list[Epoch](), Status.LIMIT, 0, float("inf")
    parameters: dict[str, Tensor] = {}
    for epoch in range(1, settings.epochs + 1):
        history.append(_pass(network, parts, objective, optimizer, epoch, generator))
        report(history[-1])
        if settings.regularized and epoch < min(settings.schedule, settings.epochs):
            continue
        held_out = history[-1].held_out
        if held_out is None or held_out < lowest:
            best_epoch, lowest = epoch, lowest if held_out is None else held_out
            parameters = {name: value.detach().clone() for name, value in network.state_dict().items()}
        if parts.stop is not None and epoch - best_epoch >= settings.patience:
            status = Status.STOPPED_EARLY
            break
        if _steady(history, objective):
            status = Status.CONVERGED
            break
    network.load_state_dict(parameters)
    return tuple(history), status, best_epoch


def _pass(
    network: Network,
    parts: Parts,
    objective: Objective,
    optimizer: torch.optim.Optimizer,
    epoch: int,
    generator: torch.Generator,
) -> Epoch:
    """Run one pass over the battles in a new order, lines 3 to 15 of Algorithm 1."""
    settings, rows = objective.settings, parts.learn
    tau, gamma = (z.at(epoch / settings.schedule) for z in (settings.tau, settings.gamma))
    order = torch.randperm(len(rows), generator=generator)
    totals: dict[str, float] = defaultdict(float)
    for start in range(0, len(rows), settings.batch):
        chosen = order[start : start + settings.batch]
        terms = objective.terms(network, rows.take(chosen), tau, gamma, generator)
        optimizer.zero_grad()
        objective.loss(terms).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        for name, term in terms.items():
            totals[name] += len(chosen) / len(rows) * float(term.detach())
    entropy, sharp, calibrated = totals["cross_entropy"], totals.get("sharpness"), totals.get("calibration")
    held_out = None if parts.stop is None else _held_out_loss(network, parts.stop)
    return Epoch(epoch, tau, gamma, entropy, sharp, calibrated, held_out)


def _steady(history: list[Epoch], objective: Objective) -> bool:
    """Return whether the loss changed by at most the tolerance in each of the last epochs."""
    settings = objective.settings
    loss = [
        r.cross_entropy + settings.sharpness * (r.sharpness or 0) + settings.calibration * (r.calibration or 0)
        for r in history[-STEADY - 1 :]
    ]
    moved = [abs(now - before) for before, now in pairwise(loss)]
    return len(moved) == STEADY and max(moved) <= settings.tol


@torch.no_grad()
def _held_out_loss(network: Network, rows: BattleColumns) -> float:
    return float(cross_entropy(network(rows.a, rows.b, rows.x), rows.y, rows.weight))


def cross_entropy(logit: Tensor, outcome: Tensor, weight: Tensor) -> Tensor:
    r"""Return the mean cross-entropy of outcomes.

    .. math::  \mathcal{L}_{CE} = -\mathbb{E} [ y \log p + (1 - y) \log (1 - p) ], \qquad p = \sigma(h),

    eq. (2) of Soft Tournament Equilibrium, weighted; a tie is an outcome of one half.

    Parameters
    ----------
    logit, outcome, weight : (t,) float

    Examples
    --------
    A probability of one half has cross-entropy log 2, whatever the outcome.

    >>> cross_entropy(torch.zeros(2), torch.tensor([1.0, 0.5]), torch.ones(2))
    tensor(0.6931)
    """
    return binary_cross_entropy_with_logits(logit, outcome, weight, reduction="sum") / weight.sum()


def sharpness(score: Tensor) -> Tensor:
    r"""Return the mean entropy of membership scores, small when they are near 0 or 1.

    .. math::  \mathcal{R}_{sharp} = \frac1n \sum_a \bigl[ -s(a) \log(s(a) + \epsilon)
               - (1 - s(a)) \log(1 - s(a) + \epsilon) \bigr],

    eq. (17) of Soft Tournament Equilibrium.

    Parameters
    ----------
    score : (..., n) float
        In [0, 1].

    Examples
    --------
    >>> sharpness(torch.tensor([0.5, 1.0]))  # log(2) / 2
    tensor(0.3466)
    """
    return -(score * torch.log(score + EPSILON) + (1 - score) * torch.log(1 - score + EPSILON)).mean()


def calibration_error(score: Tensor, target: Tensor, *, bins: int = 10, weight: Tensor | None = None) -> Tensor:
    r"""Return the expected calibration error, differentiable in the scores.

    .. math::  \mathcal{R}_{calib} = \sum_m \frac{|B_m|}{N} \, |\mathrm{acc}(B_m) - \mathrm{conf}(B_m)|,

    section 4.1.1 of Soft Tournament Equilibrium; the same as `Reliability.error`. The assignment to bins has no
    gradient.

    Parameters
    ----------
    score, target : (t,) float
        In [0, 1]; targets are memberships, frequencies of membership, or outcomes.
    bins : int
        Number of bins of equal width.
    weight : (t,) float, optional

    Examples
    --------
    >>> calibration_error(torch.tensor([0.8, 0.8]), torch.tensor([1.0, 0.0]))
    tensor(0.3000)
    """
    weight = torch.ones_like(score) if weight is None else weight
    place = (score.detach() * bins).long().clamp(max=bins - 1)
    gap = torch.zeros(bins, dtype=score.dtype, device=score.device).index_add(0, place, weight * (target - score))
    return gap.abs().sum() / weight.sum()
