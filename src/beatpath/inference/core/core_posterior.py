r"""The core posterior: the probability of each agent to be in the top cycle of the true majorities.

Bayesian model averaging over seven generative models ("worlds"), weighted by their evidence:

* *planted*: a strongly connected core that beats everyone else, others in some order with upsets (`planted_cores`);
* *ladder*: :math:`\operatorname{logit} p_{ab} = \theta_a - \theta_b`, Bradley-Terry (`ladders`): the core is the best
  agent;
* *equal*: every pair is even, so everybody is in the core;
* *upsets*: a ladder from which a few pairs deviate (`ladders_with_upsets`), tournaments sampled from it
(`sample_cores`);
* *crowned*: a ladder whose best agents beat each other in a cycle (`crowned_ladders`);
* *deviations*: :math:`\theta_a - \theta_b + e_{ab}`, :math:`e_{ab} \sim N(0, \tau^2)` for every pair, tournaments
sampled;
* *free*: independent pairs, log odds normal or strengths from a histogram, tournaments sampled.

Agents are first put in a canonical order, which fixes all computations and random numbers, and agents with equivalent
data share the mean of their probabilities: renaming agents renames the answer, to the last digit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._result import TableResult
from beatpath._text import all_of, listed, percent, quoted
from beatpath.evidence import Pairs
from beatpath.inference.core.canonical_order import CanonicalOrder, canonical_order
from beatpath.inference.core.worlds.ladders import (
    MANY,
    Ladder,
    PairWins,
    fit_ladder,
    free_edges,
    ladders_with_deviations,
    ladders_with_upsets,
    pure_ladders,
)
from beatpath.inference.core.worlds.planted_cores import EDGE, PlantedCores, log_total, planted_cores
from beatpath.inference.core.worlds.planted_edges import Coins, planted_edges
from beatpath.inference.core.worlds.sample_cores import Crowns, crowned_ladders, sample_cores

# Prior weights of the models, tuned for calibrated memberships and cores in twelve families of simulations together: see
# reproductions/core_calibration
PRIOR: Mapping[str, float] = {
    "planted": 0.03,
    "ladder": 0.10,
    "upsets": 0.28,
    "crowned": 0.19,
    "deviations": 0.04,
    "free": 0.11,
    "equal": 0.25,
}
# Tournaments sampled, the same for more than 400 agents, most edges sampled, and the seed, so that equal counts
# give equal answers.
DRAWS, DRAWS_OF_MANY, MOST_EDGES, SEED = 2000, 1000, 2e8, 20240229
SMALL = 1e-3  # share of the posterior weight below which a model is not sampled
# Beyond 100 agents, half of all pairs must have been compared, so that one order represents all likely ones.
FEW_AGENTS, ENOUGH_COMPARED = 100, 0.5
# probability from which a core is called likely, and beyond which sampling cannot tell it from certainty
EVEN, SURE = 0.5, 0.99
COMPLETE, CUT = "complete", "the search was cut short"  # values of the status
NO_COMPARISONS = "no comparisons: this is the prior, which favors no agent and no set"  # Status without data.
# Status where the canonical order is incomplete.
NUMBERED = "agents whose data may be identical were taken in the order given, so others may share their probabilities"
# Status where equivalent agents give equally probable sets.
EXCHANGED = "exchanging agents with identical data gives sets that are as probable as the one named"

ENOUGH = 1e9  # battles of a pair beyond which rounding exceeds the information of another one


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorePosterior(TableResult):
    """Posterior probabilities of the core, given the counts.

    Attributes
    ----------
    agents : tuple of str
        Names.
    probability : (n,) float
        Probability of each agent to be in the top cycle of the true majorities.
    most_probable : tuple of str
        The most probable core, in the order of `agents`; the status says where several are equally probable.
    most_probable_probability : float
        Its probability.
    size : (n + 1,) float
        Probability of each number of members.
    worlds : mapping of str to float
        Posterior probability of each model: planted, ladder, upsets, crowned, deviations, free, equal.
    status : str
        "complete", or what was cut short and which sets are equally probable.
    settings : mapping
        ``design_effect``, by which counts were divided; ``shared_error`` of the battles of an agent, in log odds;
        ``draws``, the number of tournaments sampled; ``strength``, the mean win probability of the better agent of a
        pair, as fitted by the planted model.
    """

    hidden: ClassVar = ("probability",)
    derived: ClassVar = ("top_cycle",)

    agents: tuple[str, ...]
    probability: Floats
    most_probable: tuple[str, ...]
    most_probable_probability: float
    size: Floats
    worlds: Mapping[str, float]
    status: str
    settings: Mapping[str, Any]

    @property
    def top_cycle(self) -> dict[str, float]:
        """Probability of each agent to be in the top cycle, by name."""
        return dict(zip(self.agents, self.probability.tolist(), strict=True))

    @property
    def likely(self) -> bool:
        """Whether the most probable core has a probability of at least one half."""
        return self.most_probable_probability >= EVEN

    @property
    def chance(self) -> str:
        """The probability of the most probable core as text; sampling cannot tell 99 % from certainty."""
        p = self.most_probable_probability
        return "over 99 %" if p > SURE and len(self.agents) > 1 else percent(min(p, 1.0))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The most probable core, that none is likely, or that nobody is singled out."""
        chance, who, n = self.chance, self.most_probable, len(self.agents)
        if n == 1:
            return ()
        if len(who) == n:
            none = "no core smaller than" if self.likely else "no core is likely, and the most probable is"
            likely = " is likely" if self.likely else ""
            return (f"The data do not single out any agent: {none} {all_of(n)} agents{likely} ({chance}).",)
        named = f"{quoted(who[0])} alone" if len(who) == 1 else f"{len(who):,} of {n:,} agents: {listed(who, 10)}"
        start = "The most probable core" if self.likely else "No core is likely: the most probable"
        if len(who) > 1:
            return (f"{start} ({chance}) has {named}.",)
        return (f"{start} is {named} ({chance})." if self.likely else f"{start}, {named}, has {chance}.",)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent, the most probable members first."""
        rows = [{"agent": name, "in_core": p} for name, p in self.top_cycle.items()]
        return sorted(rows, key=lambda row: (-row["in_core"], row["agent"]))


def core_posterior(
    pairs: Pairs, *, design_effect: float = 1.0, shared_error: float = 0.0, prior: Mapping[str, float] = PRIOR
) -> CorePosterior:
    r"""Return the posterior probability of each agent to be in the top cycle, and the most probable core.

    With :math:`\pi_k` the prior of a model and :math:`E_k` its log evidence, in the units of
    :math:`\sum w \log p + l \log (1 - p)`, the posterior probability of the model is

    .. math::  \Pr(k \mid \text{counts}) = \frac{\pi_k e^{E_k}}{\sum_j \pi_j e^{E_j}},

    and memberships, sizes and sets are averaged with these weights. The theory page describes the seven models.

    Parameters
    ----------
    pairs : Pairs
        Settled: wins and losses only. Cells split by keys are summed. Agents must be connected: others would be
        compared by the prior alone.
    design_effect : float, default 1
        Divides the counts if above one, because clustered battles carry less information than independent ones.
    shared_error : float, default 0
        Standard deviation, in log odds, of an error that all battles of an agent share, as with judges who have tastes.
    prior : mapping of str to float
        Prior of the models: planted, ladder, upsets, crowned, deviations, free, equal.

    Returns
    -------
    CorePosterior

    See Also
    --------
    core : The core of evidence, with soft scores and witnesses.
    beatpath.methods.soft_core.operators : Membership scores that are not probabilities.

    Notes
    -----
    Sets of the planted model are summed over all subsets of the first 12 to 16 agents of a likely order. The other
    models are sampled, 2,000 tournaments in all (1,000 for more than 400 agents), with a fixed seed, so that equal
    counts give equal answers; a sampled probability has a standard error of at most 0.011 (0.016). The status says
    when agents beyond the window may matter, and when fewer tournaments were sampled.

    Two thousand agents with a few thousand pairs take about ten seconds, thirty agents a few tenths of a second.

    An exact tie (a win probability of one half) exists in one model only, where all pairs are even; elsewhere such a
    pair counts as undecided.

    Examples
    --------
    Rock, paper and scissors beat one another in a cycle, and all three beat the stone.

    >>> cells = [(0, 1, 2, 18), (0, 2, 18, 2), (0, 3, 17, 3), (1, 2, 3, 17), (1, 3, 18, 2), (2, 3, 19, 1)]
    >>> a, b, won, lost = zip(*cells)
    >>> counts = np.column_stack([won, lost, np.zeros((6, 2))])
    >>> order = core_posterior(Pairs(("rock", "paper", "scissors", "stone"), a, b, counts))
    >>> order.most_probable
    ('rock', 'paper', 'scissors')
    >>> order.probability.round(1)
    array([1., 1., 1., 0.])
    """
    n = len(pairs.agents)
    if n == 0:
        raise DataError("a core needs at least one agent; there are none. Give pairs with agents.")
    if pairs.counts[:, 2:].any():
        raise UsageError("`pairs` must hold wins and losses alone; got ties too. Call `pairs.settle()` first.")
    divisor = max(1.0, float(design_effect), float(pairs.counts.sum(axis=1).max(initial=0.0)) / ENOUGH)
    if n == 1:
        settings = {"design_effect": divisor, "draws": 0}
        return CorePosterior(pairs.agents, np.ones(1), pairs.agents, 1.0, np.array([0.0, 1.0]), {}, COMPLETE, settings)
    data, order = _in_canonical_order(pairs, divisor, shared_error)
    place, names = np.argsort(order.order), tuple(pairs.agents[i] for i in order.order)
    posterior = _averaged_worlds(names, data, order, prior)
    core = set(posterior.most_probable)
    return replace(
        posterior,
        agents=pairs.agents,
        probability=posterior.probability[place],
        most_probable=tuple(name for name in pairs.agents if name in core),
        settings={"design_effect": divisor, "shared_error": shared_error, **posterior.settings},
    )


def _in_canonical_order(pairs: Pairs, divisor: float, shared: float) -> tuple[PairWins, CanonicalOrder]:
    """Return effective counts of the pairs compared directly, agents numbered in canonical order, the lower one first."""
    settled, n = pairs.by(), len(pairs.agents)
    met = settled.counts[:, :2].any(axis=1)
    a, b = settled.a[met].astype(np.int64), settled.b[met].astype(np.int64)
    won, lost = settled.counts[met, :2].T / divisor
    order = canonical_order(n, a, b, won, lost)
    place = np.argsort(order.order)
    a, b = place[a], place[b]
    turned = a > b
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    won, lost = np.where(turned, lost, won), np.where(turned, won, lost)
    rows = np.lexsort((b, a))
    return PairWins(n, a[rows], b[rows], won[rows], lost[rows], shared), order


# -- the models ---------------------------------------------------------------------------------------------------


Model = Ladder | Coins | Crowns


def _averaged_worlds(
    agents: tuple[str, ...], data: PairWins, order: CanonicalOrder, prior: Mapping[str, float]
) -> CorePosterior:
    """Fit, weight, sample and average all models, for agents in canonical order.

    *Free* has two halves: normal log odds (s = 0), and the histogram of strengths of the planted model, so that these
    two differ by structure alone.
    """
    n, alike = data.n, order.alike[order.order]
    pure = pure_ladders(data)
    edges = planted_edges(data)
    best_ladder = max(one.evidence for one, _ in pure)
    planted = planted_cores(edges, best_ladder) if _can_be_planted(data) else PlantedCores.unweighed(n)
    noisy = ladders_with_deviations(data, pure, planted.evidence)
    crowns = crowned_ladders(data, pure, np.random.default_rng(SEED))
    half = float(np.log(0.5))
    worlds: dict[str, Sequence[tuple[Model, float]]] = {  # models with their log prior within the world
        "ladder": pure,
        "crowned": [] if crowns is None else [(crowns, 0.0)],
        "deviations": noisy,
        "upsets": ladders_with_upsets(data, noisy),
        "free": [*((one, w + half) for one, w in free_edges(data)), (edges.coins, half)],
        "equal": [(fit_ladder(data, 0.0, 0.0, np.zeros(n)), 0.0)],
    }
    models = [(name, one, one.evidence + w) for name, some in worlds.items() for one, w in some]
    log_prior = {name: np.log(p) if p > 0 else -np.inf for name, p in prior.items()}
    values = [planted.evidence + log_prior["planted"], *(value + log_prior[name] for name, _, value in models)]
    share, *weights = np.exp(np.array(values) - log_total(np.array(values))).tolist()
    weight = dict.fromkeys(PRIOR, 0.0) | {"planted": share}
    for (name, _, _), w in zip(models, weights, strict=True):
        weight[name] += w
    sample = _draws(data, [(one, w) for (_, one, _), w in zip(models, weights, strict=True)])
    member = sample.weight @ sample.inside + share * planted.probability
    size = np.bincount(sample.inside.sum(axis=1), weights=sample.weight, minlength=n + 1) + share * planted.size
    best, chance, ties = _most_probable(sample, planted, share, alike)
    notes = _cut_short(planted, share, sample, data) + _as_probable(best, ties, alike)
    notes += [] if order.certain else [NUMBERED]
    return CorePosterior(
        agents,
        np.clip(_mean_of_alike(member, alike), 0.0, 1.0),
        tuple(agents[i] for i in np.flatnonzero(best)),
        chance,
        size,
        weight,
        ("; ".join(notes) or COMPLETE) if len(data.a) else NO_COMPARISONS,
        {"draws": len(sample.inside), "strength": edges.strength},
    )


def _can_be_planted(data: PairWins) -> bool:
    """Return whether one order represents all likely ones: few agents, or enough pairs compared."""
    return data.n <= FEW_AGENTS or data.share_compared >= ENOUGH_COMPARED


def _as_probable(best: Bools, ties: int, alike: Ints) -> list[str]:
    """State which other sets are equally probable."""
    if ties > 1:
        return [f"{ties:,} sets are equally probable, one of which is named"]
    inside = np.bincount(alike, best)
    return [EXCHANGED] if ((inside > 0) & (inside < np.bincount(alike))).any() else []


def _cut_short(planted: PlantedCores, share: float, sample: "_CoreSample", data: PairWins) -> list[str]:
    """List what the search left out."""
    notes, n = [], data.n
    if not _can_be_planted(data):
        notes.append(
            f"with more than {FEW_AGENTS} agents, a cycle at the top is expected only where half of all pairs were compared; {percent(data.share_compared)} were"
        )
    if share * planted.edge >= EDGE:
        reach = f"that reach below the first {planted.windows[0].stop} of {n:,} agents"
        notes.append(f"{CUT}: planted cores ({percent(share)} of the weight) {reach} were left out")
    if len(sample.inside) < sample.requested:
        notes.append(f"{CUT}: {len(sample.inside):,} tournaments were drawn in place of {sample.requested:,}")
    return notes


# -- samples, and the most probable set ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _CoreSample:
    """Cores of sampled tournaments, (d, n); their weights, which sum to the models' share; the number requested."""

    inside: Bools
    weight: Floats
    requested: int


def _draws(data: PairWins, models: Sequence[tuple[Model, float]]) -> _CoreSample:
    """Sample each model in proportion to its weight; models with negligible weight are skipped."""
    rng, draws = np.random.default_rng(SEED), DRAWS if data.n <= MANY else DRAWS_OF_MANY
    weight = np.array([w for _, w in models])
    share = float(weight.sum())
    if share < 1e-9:
        return _CoreSample(np.zeros((0, data.n), dtype=bool), np.zeros(0), 0)
    number = np.ceil(draws * weight / share * (weight > SMALL * share)).astype(int)
    weight_left = weight * (number > 0)
    weight_left *= share / weight_left.sum()
    cores, weights = [], []
    for (one, _), times, w in zip(models, number.tolist(), weight_left.tolist(), strict=True):
        if times:
            inside = sample_cores(data, one, times, rng, MOST_EDGES * times / draws)
            cores.append(inside)
            weights.append(np.full(len(inside), w / len(inside)))
    return _CoreSample(np.concatenate(cores), np.concatenate(weights), int(number.sum()))


def _most_probable(sample: _CoreSample, planted: PlantedCores, share: float, alike: Ints) -> tuple[Bools, float, int]:
    """Return the most probable set, its probability, and the number of equally probable singletons.

    A singleton has the mean probability over equivalent agents.
    """
    n = len(alike)
    rows, where = np.unique(np.packbits(sample.inside, axis=1), axis=0, return_inverse=True)
    mass = np.bincount(where.ravel(), weights=sample.weight, minlength=len(rows))
    chance = {rows[i].tobytes(): float(mass[i]) for i in np.argsort(-mass, kind="stable")[:200].tolist()}
    for inside in planted.best_sets(50):
        chance.setdefault(np.packbits(inside).tobytes(), 0.0)
    several: list[tuple[float, bytes]] = [(0.0, b"")]
    for key, p in chance.items():
        inside = _unpacked(key, n)
        if inside.sum() > 1:
            several.append((p + share * planted.set_probability(inside), key))
    single = sample.inside.sum(axis=1) == 1
    alone = sample.weight[single] @ sample.inside[single] + share * planted.single_probabilities()
    alone = _mean_of_alike(alone, alike)
    best, first = max(several), int(alone.argmax())
    if alone[first] >= best[0]:
        return np.arange(n) == first, float(alone[first]), int((alike == alike[first]).sum())
    return _unpacked(best[1], n), best[0], 1


def _mean_of_alike(value: Floats, alike: Ints) -> Floats:
    """Return the mean over each class of equivalent agents, for each agent."""
    return np.asarray((np.bincount(alike, value) / np.bincount(alike))[alike])


def _unpacked(key: bytes, n: int) -> Bools:
    return np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=n).astype(bool)
