"""Learn win probabilities by context, and the core that follows: Soft Tournament Equilibrium from battles to scores."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._result import Delegate, TableResult
from beatpath._text import listed, quoted
from beatpath._validate import require_known
from beatpath.evidence import Battles, Convention
from beatpath.evidence.conventions import convention
from beatpath.inference.core.core import core
from beatpath.inference.core.core_result import Core
from beatpath.inference.learned.contexts import BattleColumns, ContextDistribution, ContextFeatures, parted
from beatpath.inference.learned.encoder import ContextualBTL, Network, PairEncoder, TournamentModel
from beatpath.inference.learned.training import Epoch, Objective, Settings, Status, train
from beatpath.inference.sensitivity.calibration import Reliability, Scaling, pairwise_reliability, temperature_scaling


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedCore(TableResult):
    """A core from a learned model of battles.

    Attributes
    ----------
    core : Core
        Members and scores under Q, at the final temperatures.
    probability : (n, n) float
        Of the row to beat the column, averaged over Q: P of eq. (3) of Soft Tournament Equilibrium.
    monte_carlo_error : float
        The largest standard error in `probability` from sampling contexts; 0 where all were used.
    history : tuple of Epoch
        One record per epoch.
    status : Status
        How training ended.
    best_epoch : int
        The epoch whose parameters are used.
    reliability : Reliability or None
        Calibration on held-out battles, unseen in training unless pairwise calibration was requested.
    scaling : Scaling or None
        The optimal temperature on those battles. It is not applied.
    model : TournamentModel
        Predicts battles, and gives `probability` under other mixtures.
    settings : mapping
        All settings.
    conventions : tuple of Convention
        How battles were counted.
    """

    hidden: ClassVar = ("model",)
    derived: ClassVar = ("agents",)

    core: Core
    probability: NDArray[np.float64]
    monte_carlo_error: float
    history: tuple[Epoch, ...]
    status: Status
    best_epoch: int
    reliability: Reliability | None
    scaling: Scaling | None
    model: TournamentModel
    settings: Mapping[str, Any]
    conventions: tuple[Convention, ...] = ()

    agents = Delegate[tuple[str, ...]]("model.agents", "The agents, in the order of the battles.")

    top_cycle = Delegate[Mapping[str, float]]("core.top_cycle.scores", "The soft top cycle score of every agent.")
    uncovered_set = Delegate[Mapping[str, float]]("core.uncovered_set.scores", "The soft uncovered set score of each.")

    @property
    def sentences(self) -> tuple[str, ...]:
        """The core, and how training ended."""
        return (*self.core.sentences, f"Training: {self.status}.")

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent, as in the core."""
        return self.core.rows()


# the convention on pairs never compared directly, as results state it
FITTED = Convention("missing_pairs", "fitted", "a pair that was not compared gets the prediction of the learned model")
# the convention on agents without battles
UNSEEN = Convention("unseen_agents", "predicted", "an agent without battles is predicted from its features alone")
# the convention on unknown contexts
UNKNOWN = "a missing number counts as the mean of its column, a missing name as none of its levels"


def learn(
    evidence: EvidenceLike,
    *,
    context: Sequence[str] = (),
    by: str | None = None,
    mix: Mapping[str, float] | None = None,
    membership: Mapping[str, float] | None = None,
    agent_features: Mapping[str, Sequence[float]] | None = None,
    settings: Settings | None = None,
    seed: int = 0,
) -> LearnedCore:
    """Fit a model of win probabilities by context, and find the core under a distribution of contexts.

    Algorithm 1 of "Soft Tournament Equilibrium", section 4.5. Use `core` where contexts do not matter.

    Parameters
    ----------
    evidence : Battles, or what `read` takes
        Ties and 'both bad' count as half a win for each side.
    context : sequence of str, default ()
        Covariates and factors of the battles that form the context.
    by : str, optional
        A factor in `context` whose levels `mix` weights.
    mix : mapping of level to float, optional
        Q: weights, of which only ratios matter; levels not named have none. By default contexts are weighted as they
        occur.
    membership : mapping of agent to float, optional
        Known membership in the core, or its frequency, in [0, 1], as the target of the calibration regularization.
        Without it, win probabilities are calibrated on held-out battles.
    agent_features : mapping of agent to sequence of float, optional
        Numbers that describe each agent, such as an embedding or its size. The model then knows agents by these alone,
        so that agents without a battle are predicted too: every agent named here is in the result.
    settings : Settings, optional
        Hyperparameters.
    seed : int, default 0
        Seed of initialization, held-out battles, order of battles and contexts.

    Returns
    -------
    LearnedCore

    See Also
    --------
    core : The core without contexts.

    Examples
    --------
    Rock, paper, scissors: no transitive order fits.

    >>> rows = [("rock", "scissors", 1), ("scissors", "paper", 1), ("paper", "rock", 1)] * 40
    >>> result = learn(Battles.of(rows), settings=Settings(epochs=40, rate=0.05))
    >>> print(result.core)
    The core is all 3 agents: chains of wins or ties lead from each to every other, so no agent is singled out. \
None of them is covered, that is, loses to a rival that also beats everyone it beats.
    """
    battles = as_evidence(evidence)
    if not isinstance(battles, Battles):
        raise DataError(f"learning needs battles row by row; {battles.kind} have none.")
    settings = settings or Settings()
    features = ContextFeatures.of(battles, context)
    rows = BattleColumns.of(battles, features)
    contexts = ContextDistribution.of(features, battles, by, mix)
    agents, known = _described(battles.agents, agent_features)
    generator = torch.Generator().manual_seed(seed)
    parts = parted(rows, settings.held_out, generator)
    objective = Objective(settings, contexts, _membership_targets(membership, agents), parts.calibrate)
    if settings.network == "btl":
        network: Network = ContextualBTL(len(agents), len(features), known=known)
    else:
        size = {"embedding": settings.embedding, "width": settings.width}
        network = PairEncoder(len(agents), len(features), **size, known=known, generator=generator)
    with one_thread(), progress(settings.epochs) as report:
        history, status, best_epoch = train(network, parts, objective, generator, report)
    model = TournamentModel(agents, features, network)
    P, error = model.tournament(battles, by=by, mix=mix, draws=settings.final_draws, seed=seed)
    options = {"context": list(context), "by": by, "mix": None if mix is None else dict(mix), "seed": seed}
    tau, gamma, reach, longest = settings.tau.low, settings.gamma.low, settings.reach, settings.max_length
    return LearnedCore(
        core(P, agents=agents, tau=tau, gamma=gamma, reach=reach, max_length=longest),
        P,
        error,
        history,
        status,
        best_epoch,
        *_calibration(network, parts.calibrate),
        model,
        asdict(settings) | options,
        (*battles.conventions, *_learned_conventions(battles, features, len(agents) - len(battles.agents))),
    )


def _described(
    agents: tuple[str, ...], features: Mapping[str, Sequence[float]] | None
) -> tuple[tuple[str, ...], Tensor | None]:
    """Return all agents, those without battles last, and their features, each of mean 0 and variance 1."""
    if features is None:
        return agents, None
    missing = [name for name in agents if name not in features]
    if missing:
        raise UsageError(f"`agent_features` must describe every agent; {listed(missing)} have none.")
    everyone = (*agents, *(name for name in features if name not in agents))
    lengths = {len(features[name]) for name in everyone}
    table = np.array([features[name] for name in everyone], dtype=float) if len(lengths) == 1 else np.zeros((1, 0))
    if not table.size or not np.isfinite(table).all():
        raise UsageError(
            f"`agent_features` must be as many finite numbers for every agent, at least one; got {sorted(lengths)} numbers, "
            f"{int((~np.isfinite(table)).sum())} of them not finite."
        )
    return everyone, torch.from_numpy((table - table.mean(axis=0)) / (table.std(axis=0) + (np.ptp(table, axis=0) == 0)))


def _membership_targets(membership: Mapping[str, float] | None, agents: tuple[str, ...]) -> Tensor | None:
    if membership is None:
        return None
    for name, value in membership.items():
        require_known(name, agents, f"`membership` must name agents; got {quoted(name)}.")
        if not 0 <= value <= 1:
            raise UsageError(f"`membership` must lie from 0 to 1; got {value:g} for {quoted(name)}.")
    missing = [name for name in agents if name not in membership]
    if missing:
        raise UsageError(f"`membership` must name every agent; {quoted(missing[0])} is not there.")
    return torch.tensor([float(membership[name]) for name in agents], dtype=torch.float64)


@torch.no_grad()
def _calibration(network: Network, held: BattleColumns | None) -> tuple[Reliability | None, Scaling | None]:
    """Return calibration on held-out battles, and the optimal temperature."""
    if held is None:
        return None, None
    logit = network(held.a, held.b, held.x)
    p, z, y, w = (values.numpy() for values in (torch.sigmoid(logit), logit, held.y, held.weight))
    return pairwise_reliability(p, y, weight=w), temperature_scaling(z, y, weight=w)


def _learned_conventions(battles: Battles, features: ContextFeatures, unseen: int) -> tuple[Convention, ...]:
    """Return the conventions on ties, unknown contexts, agents without battles, and pairs never compared directly."""
    bad = np.zeros(len(battles), dtype=bool) if battles.both_bad is None else battles.both_bad
    conventions = [
        convention("ties", "half", float(((battles.outcome == 0.5) & ~bad).sum())),
        convention("both_bad", "tie", float(bad.sum())),
        FITTED,
    ]
    unknown = sum(int((~np.isfinite(battles.covariates[name])).sum()) for name, _, _ in features.covariates)
    unknown += sum(battles.factors[name].n_missing for name, _ in features.factors)
    if unseen:
        conventions.append(replace(UNSEEN, affected=float(unseen)))
    if unknown:
        conventions.append(Convention("unknown_context", "neutral", UNKNOWN, float(unknown)))
    return tuple(conventions)


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch on one thread inside the block, so that results do not depend on the number of cores.

    >>> before = torch.get_num_threads()
    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def progress(epochs: int) -> Iterator[Callable[[Epoch], None]]:
    """Yield a function that shows an epoch on standard error, if it is a terminal, and clear the line at the end.

    >>> with progress(10) as report:
    ...     report(Epoch(1, 1.0, 1.0, 0.7, None, None, None))
    """
    if not sys.stderr.isatty():
        yield lambda record: None
        return

    def report(record: Epoch) -> None:
        held = "" if record.held_out is None else f", held out {record.held_out:.4f}"
        sys.stderr.write(f"\r\033[Kepoch {record.epoch} of {epochs}: cross-entropy {record.cross_entropy:.4f}{held}")
        sys.stderr.flush()

    try:
        yield report
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
