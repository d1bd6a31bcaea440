r"""Who is first as a mixture of contexts moves toward one of them, and over all mixtures.

Along a path, the mixture moves from one context, or from equal weights, to another context alone.

Over mixtures, weights *q* are sampled uniformly, :math:`q \sim \mathrm{Dirichlet}(1, \dots, 1)`. For each, some agent
has the highest score, and some may be first: nobody is certainly above them, with Bonferroni's correction over all
pairs of that board, as on paths. It needs no simulation, so a thousand boards are evaluated together; it is
conservative.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypedDict

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from beatpath._arrays import Bools, Floats, Ints
from beatpath._result import Record
from beatpath._text import confidence, counted, listed, percent, quoted
from beatpath._validate import require_contexts
from beatpath.inference.contexts.context_boards import ContextStrengths
from beatpath.inference.leaderboard import variances_of_differences
from beatpath.inference.options import RankOptions
from beatpath.inference.ranks.differences import estimable_differences, t_critical
from beatpath.inference.ranks.rank_sets import ranked
from beatpath.inference.ranks.ranks import Ranks

STEPS = 11  # points on a path between two contexts


@dataclass(frozen=True, slots=True)
class Change(Record):
    """Where the highest score passes from one agent to another.

    Attributes
    ----------
    share : float
        Position on the path, from 0 to 1.
    before : str
        Who has the highest score before.
    after : str
        Who has it after.
    """

    document: ClassVar[tuple[str, ...]] = ("share", "from=before", "to=after")

    share: float
    before: str
    after: str


class Step(TypedDict):
    """Who may be first at one mixture.

    Attributes
    ----------
    share : float
        Position on the path.
    may_be_first : tuple of str
        The agents.
    """

    share: float
    may_be_first: tuple[str, ...]


class Contender(TypedDict):
    """The scores of an agent along the path.

    Attributes
    ----------
    agent : str
        The agent.
    score, low, high : (steps,) float
        Score and confidence interval at every position.
    """

    agent: str
    score: Floats
    low: Floats
    high: Floats


class FirstShare(TypedDict):
    """The share of mixtures in which an agent is first.

    Attributes
    ----------
    agent : str
        The agent.
    first, may_be_first : float
        Share in which it has the highest score, and in which it may be first.
    """

    agent: str
    first: float
    may_be_first: float


@dataclass(frozen=True, slots=True, eq=False)
class FirstByMixture(Record):
    """Who has the highest score, and who may be first, as the mixture moves toward a context.

    Parameters
    ----------
    context : str
        The context at the end of the path.
    other : str or None
        The context at its start; None for equal weights of all contexts.
    share : tuple of float
        Positions from 0 to 1; with another context, the share of `context`.
    may_be_first : tuple of tuple of str
        At each of these positions.
    changes : tuple of Change
        Exact positions where the highest score passes from one agent to another.
    first : str
        Who has the highest score at the start.
    contenders : tuple of str
        Who may be first, or has the highest score, anywhere on the path; highest mean score first.
    score, low, high : (steps, contenders) float
        Their scores with confidence intervals, each one separate.
    level : float
        Confidence level.
    is_share : bool
        Whether scores are shares from 0 to 1.
    """

    document: ClassVar[tuple[str, ...]] = (
        "context",
        "other",
        "first",
        "changes",
        "steps",
        "contenders=contender_scores",
    )

    context: str
    other: str | None
    share: tuple[float, ...]
    may_be_first: tuple[tuple[str, ...], ...]
    changes: tuple[Change, ...]
    first: str
    contenders: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    level: float
    is_share: bool

    @property
    def sentence(self) -> str:
        """How first place changes, as a sentence."""
        start = "all contexts weighted equally" if self.other is None else f"{quoted(self.other)} alone"
        way = f"From {start} to {quoted(self.context)} alone"
        every = set(self.may_be_first[0]).intersection(*self.may_be_first)
        sure = " which is certainly first at every share." if all(len(one) == 1 for one in self.may_be_first) else ""
        if not self.changes:
            unchanged = f"{way} the highest score is always that of {quoted(self.first)}"
            return f"{unchanged},{sure}" if sure else f"{unchanged}; {_open_text(every)}"
        steps = [f"{quoted(one.after)} {self._position_text(one.share)}" for one in self.changes]
        return (
            f"{way} the highest score passes from {quoted(self.first)} to {', then '.join(steps)}; {_open_text(every)}"
        )

    def _position_text(self, at: float) -> str:
        """Return a position on the path as text."""
        return f"{percent(at)} of the way" if self.other is None else f"at {percent(at)} {quoted(self.context)}"

    @property
    def stretches(self) -> tuple[tuple[float, float, str], ...]:
        """Who has the highest score, from where to where."""
        cuts = [0.0, *(one.share for one in self.changes), 1.0]
        return tuple(zip(cuts[:-1], cuts[1:], (self.first, *(one.after for one in self.changes)), strict=True))

    def highest(self) -> tuple[tuple[str, ...], ...]:
        """Return who has the highest score at every position; several if tied."""
        top = self.score.max(axis=1, keepdims=True)
        return tuple(
            tuple(name for name, here in zip(self.contenders, row, strict=True) if here)
            for row in (self.score >= top - 1e-12).tolist()
        )

    @property
    def steps(self) -> list[Step]:
        """Who may be first at each position."""
        return [{"share": at, "may_be_first": who} for at, who in zip(self.share, self.may_be_first, strict=True)]

    @property
    def contender_scores(self) -> list[Contender]:
        """Scores of all agents that may be first, or have the highest score, anywhere on the path."""
        return [
            {"agent": agent, "score": self.score[:, j], "low": self.low[:, j], "high": self.high[:, j]}
            for j, agent in enumerate(self.contenders)
        ]

    @property
    def band_text(self) -> str:
        """What the interval bands in a figure are, as text."""
        return f"{confidence(self.level)} interval of each score by itself"


def _open_text(every: set[str]) -> str:
    if not every:
        return "no agent may be first at every share."
    return f"{listed(sorted(every), 4)} may be first at every share."


def first_by_mixture(
    strengths: ContextStrengths, context: str, other: str | None, options: RankOptions, steps: int = STEPS
) -> FirstByMixture:
    """Return who is first along the path from one context, or from equal weights, to another.

    Parameters
    ----------
    strengths : ContextStrengths
        Strengths by context.
    context, other : str
        End and start of the path; None starts with equal weights.
    options : RankOptions
        Options of the rank sets.
    steps : int, default 11
        Positions at which rank sets are computed.
    """
    names = list(strengths.data.contexts)
    require_contexts([context] if other is None else [context, other], names, strengths.data.by)
    shares = np.linspace(0, 1, steps)
    end = np.eye(len(names))[names.index(context)]
    start = np.full(len(names), 1 / len(names)) if other is None else np.eye(len(names))[names.index(other)]
    mixed = [{name: w for name, w in zip(names, (1 - t) * start + t * end, strict=True) if w > 0} for t in shares]
    boards = [ranked(strengths.board(weights), options) for weights in mixed]
    main = np.flatnonzero(strengths.data.part == 0)
    order, changes = upper_envelope(boards[0].score[main], boards[-1].score[main])
    agents = [strengths.data.agents[i] for i in main]
    open_to = tuple(leaders(ranks) for ranks in boards)
    score = np.array([ranks.score for ranks in boards])
    place = {agent: i for i, agent in enumerate(strengths.data.agents)}
    leading = {agents[i] for i in order}.union(*open_to)
    plotted = sorted(leading, key=lambda agent: (-float(score[:, place[agent]].mean()), agent))
    at = [place[agent] for agent in plotted]
    return FirstByMixture(
        context,
        other,
        tuple(shares.round(9).tolist()),
        open_to,
        tuple(Change(at, agents[i], agents[j]) for at, i, j in zip(changes, order[:-1], order[1:], strict=True)),
        agents[order[0]],
        tuple(plotted),
        score[:, at],
        np.array([ranks.low for ranks in boards])[:, at],
        np.array([ranks.high for ranks in boards])[:, at],
        boards[0].level,
        boards[0].board.is_share,
    )


def leaders(ranks: Ranks) -> tuple[str, ...]:
    """Return who may be first in the largest component, sorted by name."""
    leading = np.flatnonzero(ranks.may_be_first & (ranks.part == 0))
    return tuple(sorted(ranks.agents[i] for i in leading))


def upper_envelope(left: Floats, right: Floats) -> tuple[list[int], list[float]]:
    """Return which lines are highest from 0 to 1, in turn, and where each gives way; lines go from `left` to `right`.

    >>> order, at = upper_envelope(np.array([0.9, 0.6, 0.8]), np.array([0.1, 0.9, 0.7]))
    >>> order, np.round(at, 3).tolist()
    ([0, 2, 1], [0.143, 0.5])
    """
    slope = right - left
    order, changes = [int(max(range(len(left)), key=lambda i: (left[i], slope[i], -i)))], list[float]()
    at = 0.0
    while True:
        now = order[-1]
        faster = np.flatnonzero(slope > slope[now] + 1e-15)
        meets = (left[now] - left[faster]) / (slope[faster] - slope[now])
        inside = meets < 1
        if not inside.any():
            return order, changes
        at = max(at, float(meets[inside].min()))
        first = faster[inside][meets[inside] <= at + 1e-12]
        order.append(int(first[np.argmax(slope[first])]))
        changes.append(at)


MIXTURES = 1000  # mixtures sampled: standard error of a share at most 1.6 percentage points
WAY_STEPS = 6  # points on a path from equal weights to one context
CELLS = 1 << 15  # differences of mixed boards evaluated together


@dataclass(frozen=True, slots=True, eq=False)
class FirstOverMixtures(Record):
    """The share of mixtures in which each agent is first, and paths from equal weights to single contexts.

    Parameters
    ----------
    mixtures, seed : int
        Number of mixtures sampled, and the seed.
    first, may_be_first : mapping of agent to float
        Share of mixtures in which it has the highest score, and in which it may be first; agents for which the latter
        is positive, most often first.
    ways : tuple of FirstByMixture
        From equal weights to one context.
    """

    document: ClassVar[tuple[str, ...]] = ("mixtures", "seed", "agents", "ways")

    mixtures: int
    seed: int
    first: Mapping[str, float]
    may_be_first: Mapping[str, float]
    ways: tuple[FirstByMixture, ...]

    @property
    def sentence(self) -> str:
        """Who is first in how many mixtures, as a sentence."""
        sample = f"In {self.mixtures:,} mixtures of the contexts drawn at random"
        most = [name for name, share in self.first.items() if share > 0][:3]
        shares = listed_shares([(name, self.first[name]) for name in most])
        rest = sum(share > 0 for share in self.first.values()) - len(most)
        more = f", and {counted(rest, 'more agent')} in the rest" if rest else ""
        always = [name for name, share in self.may_be_first.items() if share == 1]
        text = f"{listed(always, 4)} may be first in all of them" if always else "no agent may be first in all of them"
        return f"{sample}, the highest score is that of {shares}{more}; {text}."

    @property
    def agents(self) -> list[FirstShare]:
        """Share of mixtures in which each agent is first, most often first."""
        return [
            {"agent": agent, "first": share, "may_be_first": self.may_be_first[agent]}
            for agent, share in self.first.items()
        ]


def listed_shares(shares: Sequence[tuple[str, float]]) -> str:
    """Return shares of mixtures as text.

    >>> listed_shares([("ada", 0.75), ("bob", 0.25)])
    "'ada' in 75.0 % and 'bob' in 25.0 %"
    """
    parts = [f"{quoted(name)} in {percent(share)}" for name, share in shares]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def first_over_mixtures(
    strengths: ContextStrengths, contexts: Sequence[str], options: RankOptions, mixtures: int = MIXTURES
) -> FirstOverMixtures:
    """Return the share of mixtures in which each agent is first, and paths to some contexts.

    Parameters
    ----------
    strengths : ContextStrengths
        Strengths by context.
    contexts : sequence of str
        Ends of the paths.
    options : RankOptions
        Confidence level, seed, and whether statements about a board hold simultaneously or for each agent separately;
        the correction for multiple comparisons is Bonferroni's.
    mixtures : int
        Number of mixtures.
    """
    names, agents = strengths.data.contexts, strengths.data.agents
    weights = np.random.default_rng(options.seed).dirichlet(np.ones(len(names)), mixtures)
    score = np.where(strengths.data.part == 0, weights @ strengths.score, -np.inf)
    top = score >= score.max(axis=1, keepdims=True) - 1e-12
    first = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    degrees = np.inf if strengths.data.levels is None else strengths.data.levels.degrees
    part, some = strengths.data.part, np.array_split(weights, -(-mixtures * len(agents) ** 2 // CELLS))
    sure = options.level, options.simultaneous
    open_to = np.concatenate(
        [may_be_first(q @ strengths.score, strengths.covariances(q), degrees, part, *sure) for q in some]
    ).sum(axis=0)
    may = dict(zip(agents, open_to.tolist(), strict=True))
    share = dict(zip(agents, first.tolist(), strict=True))
    order = sorted((name for name in agents if may[name]), key=lambda name: (-share[name], -may[name], name))
    simple = replace(options, multiplicity="bonferroni")
    return FirstOverMixtures(
        mixtures,
        options.seed,
        {name: share[name] for name in order},
        {name: may[name] / mixtures for name in order},
        tuple(first_by_mixture(strengths, context, None, simple, WAY_STEPS) for context in contexts),
    )


def may_be_first(
    score: Floats, covariance: Floats, df: ArrayLike, part: Ints, level: float, simultaneous: bool = True
) -> Bools:
    """Return who in the largest component has nobody certainly above, for many boards; as `rank_sets` with Bonferroni.

    Parameters
    ----------
    score : (m, n) float
        Of many boards.
    covariance : (m, n, n) float
        Their covariances.
    df : float or (n, n) float
        Degrees of freedom of differences.
    part : (n,) int
        Connected component of every agent.
    level : float
        Confidence level.
    simultaneous : bool, default True
        Whether to correct for all pairs of a board, or for those of one agent.

    Returns
    -------
    (m, n) bool

    Examples
    --------
    >>> may_be_first(np.array([[0.8, 0.79, 0.5]]), 1e-4 * np.eye(3)[None], np.inf, np.zeros(3, dtype=int), 0.95).tolist()
    [[True, True, False]]
    """
    used = estimable_differences(score, covariance, df) & (part[:, None] == part)
    hypotheses = used.sum(axis=(1, 2))[:, None] if simultaneous else 2 * used.sum(axis=2)
    critical = -ndtri((1 - level) / np.maximum(hypotheses, 1))
    ahead = score[:, :, None] - score[:, None, :]
    least = t_critical(np.maximum(critical, 0.0)[:, None], df)
    beaten = (used & (ahead > least * np.sqrt(np.maximum(variances_of_differences(covariance), 0.0)))).any(axis=1)
    return np.asarray(~beaten & (part == 0))
