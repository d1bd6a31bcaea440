r"""The core posterior: how probable it is that each agent belongs to the top cycle of the true majorities, given the counts.

Seven kinds of world are averaged by their evidence:

* *planted*: a strong core that beats everyone else, others in some order with upsets (`planted_cores`);
* *ladder*: :math:`\operatorname{logit} p_{ab} = \theta_a - \theta_b`, one scale (`ladders`): the core is the best agent;
* *equal*: every pair even, and so everybody in the core;
* *upsets*: a ladder off which a few pairs lie (`ladders_with_upsets`), tournaments drawn from it (`sample_cores`);
* *crowned*: a ladder whose best beat each other in a circle (`crowned_ladders`);
* *deviations*: :math:`\theta_a - \theta_b + e_{ab}`, :math:`e_{ab} \sim N(0, \tau^2)` for every pair, tournaments drawn from it;
* *free*: every pair by itself, log odds normal or strengths from a histogram, tournaments drawn from it.

Agents are first put in a canonical order, in which everything is worked out and drawn, and agents whose data are alike share
the mean of their probabilities: renaming agents renames the answer, to the last digit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._result import Result
from beatpath._text import listed, percent, quoted
from beatpath.evidence import Pairs
from beatpath.inference.core.canonical_order import CanonicalOrder, canonical_order
from beatpath.inference.core.worlds.ladders import (
    MANY,
    Ladder,
    MetPairs,
    free_edges,
    ladders_with_deviations,
    ladders_with_upsets,
    pure_ladders,
)
from beatpath.inference.core.worlds.planted_cores import EDGE, PlantedCores, log_total, planted_cores
from beatpath.inference.core.worlds.planted_edges import Coins, planted_edges
from beatpath.inference.core.worlds.sample_cores import Crowns, crowned_cores, crowned_ladders, sample_cores

# chosen for the calibration of memberships and of the named core in twelve families of simulated worlds at once: see
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
# tournaments drawn, of more than 400 agents, edges drawn at most, and the seed, so that equal counts give equal answers
DRAWS, DRAWS_OF_MANY, MOST_EDGES, SEED = 2000, 1000, 2e8, 20240229
SMALL = 1e-3  # share of the weight below which a model is not drawn from
FEW_AGENTS, ENOUGH_MET = (
    100,
    0.5,
)  # of more agents so many pairs must have met that one order stands for all likely ones
# from which a core is called likely, and beyond which draws cannot tell a probability from certainty
EVEN, SURE = 0.5, 0.99
COMPLETE, CUT = "complete", "the search was cut short"
NO_COMPARISONS = "no comparisons: this is the prior, which favors no agent and no set"
NUMBERED = "agents whose data may be identical were taken in the order given, so others may share their probabilities"
EXCHANGED = "exchanging agents with identical data gives sets that are as probable as the one named"

ENOUGH = 1e9  # battles of a pair, beyond which rounding would tell more than another one


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorePosterior(Result):
    """What the counts say about who is in the core.

    Attributes
    ----------
    agents : tuple of str
    probability : (n,) float
        Of each agent to be in the top cycle of the true majorities.
    most_probable : tuple of str
        The most probable core found, in the order of `agents`; when several are, the status says so.
    most_probable_probability : float
        Of that set to be the core.
    size : (n + 1,) float
        Probability of each number of members.
    worlds : mapping of str to float
        Posterior probability of each kind of world: planted, ladder, upsets, crowned, deviations, free, equal.
    status : str
        "complete", or what was cut short and which sets are as probable as the one named.
    settings : mapping
        ``design_effect``, by which counts were divided; ``draws``, how many tournaments were drawn; ``strength``, the mean
        win probability of the better agent of a pair, as fitted by the planted model.
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
        """The probability of each agent to be in the top cycle, by name."""
        return dict(zip(self.agents, self.probability.tolist(), strict=True))

    @property
    def likely(self) -> bool:
        """Whether the most probable core has a probability of one half or more."""
        return self.most_probable_probability >= EVEN

    @property
    def chance(self) -> str:
        """The probability of the most probable core in words; draws cannot tell 99 % from certainty."""
        p = self.most_probable_probability
        if p > SURE and len(self.agents) > 1:
            return "over 99 %"
        return f"{100 * p:.1f} %" if 0.49 < p < EVEN else percent(min(p, 1.0))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The most probable core, or that none is likely."""
        return (self._named,) if len(self.agents) > 1 else ()

    @property
    def _named(self) -> str:
        """The most probable core, that none is likely, or that nobody is singled out."""
        chance, who, n = self.chance, self.most_probable, len(self.agents)
        if len(who) == n:
            none = "no core smaller than all" if self.likely else "no core is likely, and the most probable is all"
            return f"The data do not single out any agent: {none} {n:,} agents{' is likely' if self.likely else ''} ({chance})."
        named = f"{quoted(who[0])} alone" if len(who) == 1 else f"{len(who):,} of {n:,} agents: {listed(who, 10)}"
        if not self.likely:
            if len(who) == 1:
                return f"No core is likely: the most probable, {named}, has {chance}."
            return f"No core is likely: the most probable ({chance}) has {named}."
        if len(who) == 1:
            return f"The most probable core is {named} ({chance})."
        return f"The most probable core ({chance}) has {named}."

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, the likeliest members first."""
        rows = [{"agent": name, "in_core": p} for name, p in self.top_cycle.items()]
        return sorted(rows, key=lambda row: (-row["in_core"], row["agent"]))


def core_posterior(pairs: Pairs, *, design_effect: float = 1.0, prior: Mapping[str, float] = PRIOR) -> CorePosterior:
    r"""Return the probability of each agent to be in the top cycle, and the most probable core.

    With :math:`\pi_k` the prior of a kind of world and :math:`E_k` its log evidence, in the units of
    :math:`\sum w \log p + l \log (1 - p)`, the posterior probability of the kind is

    .. math::  \Pr(k \mid \text{counts}) = \frac{\pi_k e^{E_k}}{\sum_j \pi_j e^{E_j}},

    and memberships, sizes and sets are averaged with these weights. The theory page has the seven kinds.

    Parameters
    ----------
    pairs : Pairs
        Settled: wins and losses say everything. Cells split by keys are added up. Of one connected component: agents that no
        chain of battles connects would be compared by the prior alone.
    design_effect : float
        Divides the counts, where it is above one: battles of one cluster say less than as many apart.
    prior : mapping of str to float
        Of the kinds of world: planted, ladder, upsets, crowned, deviations, free, equal.

    Returns
    -------
    CorePosterior

    Examples
    --------
    Rock, paper and scissors beat one another in a circle, and all three beat the stone.

    >>> cells = [(0, 1, 2, 18), (0, 2, 18, 2), (0, 3, 17, 3), (1, 2, 3, 17), (1, 3, 18, 2), (2, 3, 19, 1)]
    >>> a, b, won, lost = zip(*cells)
    >>> counts = np.column_stack([won, lost, np.zeros((6, 2))])
    >>> order = core_posterior(Pairs(("rock", "paper", "scissors", "stone"), a, b, counts))
    >>> order.most_probable
    ('rock', 'paper', 'scissors')
    >>> order.probability.round(1)
    array([1., 1., 1., 0.])

    Notes
    -----
    Sets of the planted kind are summed over all subsets of the first 12 to 16 agents of a likely order; the other kinds
    are drawn, 2,000 tournaments in all (1,000 of more than 400 agents), from a seed of its own, so that the same counts
    give the same answer; a probability so drawn has a standard error of at most 0.011 (0.016). The status says when
    agents beyond the window may matter, and when fewer tournaments were drawn.

    Two thousand agents with a few thousand pairs take about ten seconds, thirty agents a few tenths of one.

    An exact tie (a win probability of one half) has a place in one world only, where all pairs are even; elsewhere such a pair
    counts as not decided.

    See Also
    --------
    beatpath.methods.soft_core.operators : membership scores that are not probabilities
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
    data = _met_pairs(pairs, divisor)
    order = canonical_order(n, data.a, data.b, data.won, data.lost)
    place = np.argsort(order.order)
    worlds = _averaged_worlds(_renumbered_pairs(data, place), order, prior)
    notes = [*worlds.notes, *([] if order.certain else [NUMBERED])]
    return CorePosterior(
        pairs.agents,
        worlds.probability[place],
        tuple(name for name, inside in zip(pairs.agents, worlds.best[place], strict=True) if inside),
        worlds.best_probability,
        worlds.size,
        worlds.worlds,
        ("; ".join(notes) or COMPLETE) if len(data.a) else NO_COMPARISONS,
        {"design_effect": divisor, "draws": worlds.draws, "strength": worlds.strength},
    )


def _met_pairs(pairs: Pairs, divisor: float) -> MetPairs:
    """Pairs that met, once each, as effective counts."""
    settled = pairs.by()
    won, lost = settled.counts[:, 0], settled.counts[:, 1]
    met = won + lost > 0
    a, b = settled.a[met].astype(np.int64), settled.b[met].astype(np.int64)
    return MetPairs(len(pairs.agents), a, b, won[met] / divisor, lost[met] / divisor)


def _renumbered_pairs(data: MetPairs, place: Ints) -> MetPairs:
    """The same pairs, agents numbered by place, lower agent first, in order."""
    a, b = place[data.a], place[data.b]
    turned = a > b
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    won, lost = np.where(turned, data.lost, data.won), np.where(turned, data.won, data.lost)
    order = np.lexsort((b, a))
    return MetPairs(data.n, a[order], b[order], won[order], lost[order])


# -- the kinds of world ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Equals:
    """Every pair even: its log evidence. Ties count for both, so that everybody is in the core."""

    evidence: float


Model = Ladder | Coins | Crowns | Equals


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A kind of world: its log evidence, and the models that are drawn from with their shares of it."""

    name: str
    evidence: float
    models: tuple[Model, ...]
    shares: Floats


def averaged_world(name: str, models: Sequence[tuple[Model, float]]) -> World:
    r"""Return the average of models, each with its log prior: :math:`\log \sum_i \pi_i e^{E_i}`.

    >>> even = float(np.log(0.5))
    >>> coin = Coins(np.log(0.2), np.full((2, 2), 0.5))
    >>> world = averaged_world("free", [(coin, even), (coin, even)])
    >>> round(float(np.exp(world.evidence)), 9), world.shares
    (0.2, array([0.5, 0.5]))
    """
    value = np.array([one.evidence + log_prior for one, log_prior in models])
    total = log_total(value)
    return World(name, total, tuple(one for one, _ in models), np.exp(value - total))


@dataclass(frozen=True, slots=True, eq=False)
class _Mixture:
    """The posterior of agents in canonical order, and what is to be said of it."""

    probability: Floats
    best: Bools
    best_probability: float
    size: Floats
    worlds: Mapping[str, float]
    draws: int
    strength: float
    notes: tuple[str, ...]


def _averaged_worlds(data: MetPairs, order: CanonicalOrder, prior: Mapping[str, float]) -> _Mixture:
    """All kinds of world fitted, weighed, drawn and averaged.

    *Free* has two halves: normal log odds (s = 0), and the histogram of strengths that the planted model has too, so that
    these two differ by their structure alone.
    """
    n, alike = data.n, order.alike[order.order]
    pure = pure_ladders(data)
    edges = planted_edges(data)
    best_ladder = max(one.evidence for one, _ in pure)
    planted = planted_cores(edges, best_ladder) if _can_be_planted(data) else PlantedCores.unweighed(n)
    noisy = ladders_with_deviations(data, pure, planted.evidence)
    crowns = crowned_ladders(data, pure, np.random.default_rng(SEED))
    equals = Equals(-float(np.log(2) * (data.won.sum() + data.lost.sum())))
    half = float(np.log(0.5))
    worlds = (
        averaged_world("ladder", pure),
        *([] if crowns is None else [averaged_world("crowned", [(crowns, 0.0)])]),
        averaged_world("deviations", noisy),
        averaged_world("upsets", ladders_with_upsets(data, noisy)),
        averaged_world("equal", [(equals, 0.0)]),
        averaged_world("free", [*((one, w + half) for one, w in free_edges(data)), (edges.coins, half)]),
    )
    evidence = {"planted": planted.evidence, **{world.name: world.evidence for world in worlds}}
    log_prior = {name: np.log(p) if p > 0 else -np.inf for name, p in prior.items()}
    value = np.array([evidence.get(name, -np.inf) + log_prior[name] for name in PRIOR])
    weight = dict(zip(PRIOR, np.exp(value - log_total(value)).tolist(), strict=True))
    models = [
        (one, weight[world.name] * s) for world in worlds for one, s in zip(world.models, world.shares, strict=True)
    ]
    sample = _draws(data, models)
    share = weight["planted"]
    member = sample.weight @ sample.inside + share * planted.probability
    size = np.bincount(sample.inside.sum(axis=1), weights=sample.weight, minlength=n + 1) + share * planted.size
    best, chance, ties = _most_probable(sample, planted, share, alike)
    return _Mixture(
        np.clip(_mean_of_alike(member, alike), 0.0, 1.0),
        best,
        chance,
        size,
        weight,
        len(sample.inside),
        edges.strength,
        tuple(_cut_short(planted, share, sample, data) + _as_probable(best, ties, alike)),
    )


def _can_be_planted(data: MetPairs) -> bool:
    """Whether one order stands for all likely ones: agents are few, or enough pairs met."""
    return data.n <= FEW_AGENTS or data.share_met >= ENOUGH_MET


def _as_probable(best: Bools, ties: int, alike: Ints) -> list[str]:
    """Which other sets are as probable as the one named."""
    notes = [f"{ties:,} sets are equally probable, one of which is named"] if ties > 1 else []
    inside = np.bincount(alike, best)
    split = ((inside > 0) & (inside < np.bincount(alike))).any()
    return [*notes, EXCHANGED] if best.sum() > 1 and split else notes


def _cut_short(planted: PlantedCores, share: float, sample: "_Drawn", data: MetPairs) -> list[str]:
    """What was not looked at."""
    notes, n = [], data.n
    if not _can_be_planted(data):
        notes.append(
            f"planted cores were not weighed: with more than {FEW_AGENTS} agents that needs half of all pairs compared, and {percent(data.share_met)} were"
        )
    if share * planted.edge >= EDGE:
        reach = f"that reach below the first {planted.windows[0].stop} of {n:,} agents"
        notes.append(f"{CUT}: planted cores ({percent(share)} of the weight) {reach} were left out")
    if len(sample.inside) < sample.requested:
        notes.append(f"{CUT}: {len(sample.inside):,} tournaments were drawn in place of {sample.requested:,}")
    return notes


# -- draws, and the set that most of them agree on ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Cores of drawn tournaments, (d, n); their weights, which add up to the models' share; how many were requested."""

    inside: Bools
    weight: Floats
    requested: int


def _draws(data: MetPairs, models: Sequence[tuple[Model, float]]) -> _Drawn:
    """Draw from each model as often as it weighs; those that weigh next to nothing are left out."""
    rng, draws = np.random.default_rng(SEED), DRAWS if data.n <= MANY else DRAWS_OF_MANY
    weight = np.array([w for _, w in models])
    share = float(weight.sum())
    if share < 1e-9:
        return _Drawn(np.zeros((0, data.n), dtype=bool), np.zeros(0), 0)
    number = np.ceil(draws * weight / share * (weight > SMALL * share)).astype(int)
    weight_left = weight * (number > 0)
    weight_left *= share / weight_left.sum()
    cores, weights = [], []
    for (one, _), times, w in zip(models, number.tolist(), weight_left.tolist(), strict=True):
        if times:
            inside = _sampled_cores(data, one, times, rng, MOST_EDGES * times / draws)
            cores.append(inside)
            weights.append(np.full(len(inside), w / len(inside)))
    return _Drawn(np.concatenate(cores), np.concatenate(weights), int(number.sum()))


def _sampled_cores(data: MetPairs, model: Model, times: int, rng: np.random.Generator, most_edges: float) -> Bools:
    """So many cores of one model."""
    if isinstance(model, Equals):
        return np.ones((times, data.n), dtype=bool)
    if isinstance(model, Crowns):
        return crowned_cores(model, times, rng)
    return sample_cores(data, model, times, rng, most_edges)


def _most_probable(sample: _Drawn, planted: PlantedCores, share: float, alike: Ints) -> tuple[Bools, float, int]:
    """The most probable set, its probability, and how many sets of one agent are as probable.

    A set of one agent has the mean probability over those like it.
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
    """The mean of each class of like agents, for each agent."""
    return np.asarray((np.bincount(alike, value) / np.bincount(alike))[alike])


def _unpacked(key: bytes, n: int) -> Bools:
    return np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=n).astype(bool)
