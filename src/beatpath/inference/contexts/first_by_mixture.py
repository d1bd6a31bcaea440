r"""Who is first as a mixture of contexts goes towards one of them: from another alone, or from all alike.

How first place depends on the mixture of three contexts or more.

Mixtures *q* are drawn evenly from all there are, :math:`q \sim \mathrm{Dirichlet}(1, \dots, 1)`. In every one somebody has the highest
score, and some may be first: nobody is certainly above them, by Bonferroni's inequality over all pairs of that board, as on the ways to single
contexts. It needs no simulation, so that a thousand boards are looked at together, and says "may be" rather too often than too seldom.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from beatpath._arrays import Bools, Floats, Ints
from beatpath._result import Record
from beatpath._text import confidence, counted, listed, percent, quoted
from beatpath.inference.contexts.context_boards import ContextStrengths
from beatpath.inference.contexts.context_data import require_known
from beatpath.inference.leaderboard import Leaderboard, variances_of_differences
from beatpath.inference.ranks.differences import estimable_differences, gaussian_equivalent

if TYPE_CHECKING:
    from beatpath.inference.ranks.rank_sets import RankSets
    from beatpath.inference.ranks.ranks import Ranks


STEPS = 11
Ranked: TypeAlias = "Callable[[Leaderboard], RankSets]"


@dataclass(frozen=True, slots=True)
class Change(Record):
    """Where the highest score passes from one agent to another.

    Attributes
    ----------
    share : float
        How far the mixture has gone there.
    before : str
        Who had the highest score before.
    after : str
        Who has it from there on.
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
        How far it has gone.
    may_be_first : tuple of str
        The agents.
    """

    share: float
    may_be_first: tuple[str, ...]


class Contender(TypedDict):
    """The scores of an agent on the way.

    Attributes
    ----------
    agent : str
        The agent.
    score, low, high : (steps,) float
        At every share, with its interval.
    """

    agent: str
    score: Floats
    low: Floats
    high: Floats


class FirstShare(TypedDict):
    """In which share of mixtures an agent is first.

    Attributes
    ----------
    agent : str
        The agent.
    first, may_be_first : float
        The share in which it has the highest score, and in which it may be first.
    """

    agent: str
    first: float
    may_be_first: float


@dataclass(frozen=True, slots=True, eq=False)
class FirstByMixture(Record):
    """Who has the highest score, and who may be first, by how far the mixture has gone towards a context.

    Parameters
    ----------
    context : str
        To which it goes, alone at last.
    other : str or None
        From which it starts, alone at first; None for all contexts alike.
    share : tuple of float
        How far it has gone, from 0 to 1; with another context, the share of `context`.
    may_be_first : tuple of tuple of str
        At each of these shares.
    changes : tuple of (float, str, str)
        Where the highest score passes from one agent to another, exactly.
    first : str
        Who has the highest score at the start.
    contenders : tuple of str
        Who may be first, or has the highest score, anywhere on the way; highest mean score first.
    score, low, high : (steps, contenders) float
        Their scores with intervals, each by itself.
    level : float
    is_share : bool
        Whether scores are shares from 0 to 1.
    """

    document: ClassVar[tuple[str, ...]] = (
        "context",
        "other",
        "first",
        "changes=changes_by_name",
        "steps",
        "contenders=contender_scores",
    )

    context: str
    other: str | None
    share: tuple[float, ...]
    may_be_first: tuple[tuple[str, ...], ...]
    changes: tuple[tuple[float, str, str], ...]
    first: str
    contenders: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    level: float
    is_share: bool

    @property
    def sentence(self) -> str:
        """How first place changes, in words."""
        start = "all contexts weighted equally" if self.other is None else f"{quoted(self.other)} alone"
        way = f"From {start} to {quoted(self.context)} alone"
        every = set(self.may_be_first[0]).intersection(*self.may_be_first)
        sure = " which is certainly first at every share." if all(len(one) == 1 for one in self.may_be_first) else ""
        if not self.changes:
            unchanged = f"{way} the highest score is always that of {quoted(self.first)}"
            return f"{unchanged},{sure}" if sure else f"{unchanged}; {_open_text(every)}"
        steps = [f"{quoted(to)} {self.at_said(at)}" for at, _, to in self.changes]
        return (
            f"{way} the highest score passes from {quoted(self.first)} to {', then '.join(steps)}; {_open_text(every)}"
        )

    def at_said(self, at: float) -> str:
        """Return a place on the way in words."""
        return f"{percent(at)} of the way" if self.other is None else f"at {percent(at)} {quoted(self.context)}"

    @property
    def stretches(self) -> tuple[tuple[float, float, str], ...]:
        """From where to where who has the highest score."""
        cuts = [0.0, *(at for at, _, _ in self.changes), 1.0]
        return tuple(zip(cuts[:-1], cuts[1:], (self.first, *(to for _, _, to in self.changes)), strict=True))

    def highest(self) -> tuple[tuple[str, ...], ...]:
        """Return who has the highest score at every share; several where they are equal."""
        top = self.score.max(axis=1, keepdims=True)
        return tuple(
            tuple(name for name, here in zip(self.contenders, row, strict=True) if here)
            for row in (self.score >= top - 1e-12).tolist()
        )

    @property
    def changes_by_name(self) -> list[Change]:
        """Where the highest score passes from one agent to another, exactly."""
        return [Change(*one) for one in self.changes]

    @property
    def steps(self) -> list[Step]:
        """Who may be first at each share."""
        return [{"share": at, "may_be_first": who} for at, who in zip(self.share, self.may_be_first, strict=True)]

    @property
    def contender_scores(self) -> list[Contender]:
        """The scores of those who may be first, or have the highest score, anywhere on the way."""
        return [
            {"agent": agent, "score": self.score[:, j], "low": self.low[:, j], "high": self.high[:, j]}
            for j, agent in enumerate(self.contenders)
        ]

    @property
    def band_said(self) -> str:
        """What the ends of intervals are."""
        return f"{confidence(self.level)} interval of each score by itself"


def _open_text(every: set[str]) -> str:
    if not every:
        return "no agent may be first at every share."
    return f"{listed(sorted(every), 4)} may be first at every share."


def first_by_mixture(
    strengths: ContextStrengths, context: str, other: str | None, ranked: Ranked, steps: int = STEPS
) -> FirstByMixture:
    """Return who is first on the way from a context alone, or from all alike, to another alone.

    Parameters
    ----------
    strengths : ContextStrengths
    context, other : str
        Where the way ends and begins; None begins with all contexts alike.
    ranked : function of Leaderboard
        Which ranks a board leaves open.
    steps : int
        Places at which it is asked who may be first.
    """
    names = list(strengths.data.contexts)
    require_known([context] if other is None else [context, other], names, strengths.data.by)
    shares = np.linspace(0, 1, steps)
    end = np.eye(len(names))[names.index(context)]
    start = np.full(len(names), 1 / len(names)) if other is None else np.eye(len(names))[names.index(other)]
    mixed = [{name: w for name, w in zip(names, (1 - t) * start + t * end, strict=True) if w > 0} for t in shares]
    boards = [ranked(strengths.board(weights)) for weights in mixed]
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
        tuple((at, agents[i], agents[j]) for at, i, j in zip(changes, order[:-1], order[1:], strict=True)),
        agents[order[0]],
        tuple(plotted),
        score[:, at],
        np.array([ranks.low for ranks in boards])[:, at],
        np.array([ranks.high for ranks in boards])[:, at],
        boards[0].level,
        boards[0].board.is_share,
    )


def leaders(ranks: "Ranks") -> tuple[str, ...]:
    """Return who may be first of the largest part, by name."""
    leading = np.flatnonzero((ranks.best == 1) & (ranks.part == 0))
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


MIXTURES = 1000
WAY_STEPS = 6  # of a way from all alike to one context
CELLS = 1 << 15  # differences of mixed boards that are looked at together


@dataclass(frozen=True, slots=True, eq=False)
class FirstOverMixtures(Record):
    """The share of mixtures in which an agent is first, and the ways from all contexts alike to one of them.

    Parameters
    ----------
    mixtures, seed : int
        How many were drawn, and from which seed.
    first, may_be_first : mapping of agent to float
        The share of mixtures in which it has the highest score, and in which it may be first; of agents of whom the latter is ever so,
        most often first.
    ways : tuple of FirstByMixture
        From all contexts alike to one of them.
    """

    document: ClassVar[tuple[str, ...]] = ("mixtures", "seed", "agents", "ways")

    mixtures: int
    seed: int
    first: Mapping[str, float]
    may_be_first: Mapping[str, float]
    ways: tuple[FirstByMixture, ...]

    @property
    def sentence(self) -> str:
        """Who is first in how many mixtures, in words."""
        sample = f"Of {self.mixtures:,} mixtures drawn uniformly"
        most = [name for name, share in self.first.items() if share > 0][:3]
        shares = listed_shares([(name, self.first[name]) for name in most])
        rest = sum(share > 0 for share in self.first.values()) - len(most)
        more = f", and {counted(rest, 'more agent')} in the rest" if rest else ""
        always = [name for name, share in self.may_be_first.items() if share == 1]
        text = f"{listed(always, 4)} may be first in all of them" if always else "no agent may be first in all of them"
        return f"{sample}, the highest score is that of {shares}{more}; {text}."

    @property
    def agents(self) -> list[FirstShare]:
        """In which share of mixtures everybody is first, most often first."""
        return [
            {"agent": agent, "first": share, "may_be_first": self.may_be_first[agent]}
            for agent, share in self.first.items()
        ]


def listed_shares(shares: Sequence[tuple[str, float]]) -> str:
    """Return who has which share of the mixtures.

    >>> listed_shares([("ada", 0.75), ("bob", 0.25)])
    "'ada' in 75 % and 'bob' in 25 %"
    """
    parts = [f"{quoted(name)} in {percent(share)}" for name, share in shares]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def first_over_mixtures(
    strengths: ContextStrengths,
    contexts: Sequence[str],
    ranked: Ranked,
    *,
    level: float = 0.95,
    simultaneous: bool = True,
    seed: int = 0,
    mixtures: int = MIXTURES,
) -> FirstOverMixtures:
    """Return in how many mixtures everybody is first, and the ways to some contexts.

    Parameters
    ----------
    strengths : ContextStrengths
    contexts : sequence of str
        To which ways lead.
    ranked : function of Leaderboard
        Which ranks a board leaves open, on the ways to contexts.
    level : float
    simultaneous : bool
        Whether everything about a board holds at once, or what is reported for each agent by itself.
    seed, mixtures : int
    """
    names, agents = strengths.data.contexts, strengths.data.agents
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(names)), mixtures)
    score = np.where(strengths.data.part == 0, weights @ strengths.score, -np.inf)
    top = score >= score.max(axis=1, keepdims=True) - 1e-12
    first = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    degrees = np.inf if strengths.data.levels is None else strengths.data.levels.degrees
    part, some = strengths.data.part, np.array_split(weights, -(-mixtures * len(agents) ** 2 // CELLS))
    open_to = np.concatenate(
        [may_be_first(q @ strengths.score, strengths.covariances(q), degrees, part, level, simultaneous) for q in some]
    ).sum(axis=0)
    may = dict(zip(agents, open_to.tolist(), strict=True))
    share = dict(zip(agents, first.tolist(), strict=True))
    order = sorted((name for name in agents if may[name]), key=lambda name: (-share[name], -may[name], name))
    return FirstOverMixtures(
        mixtures,
        seed,
        {name: share[name] for name in order},
        {name: may[name] / mixtures for name in order},
        tuple(first_by_mixture(strengths, context, None, ranked, WAY_STEPS) for context in contexts),
    )


def may_be_first(
    score: Floats, covariance: Floats, df: ArrayLike, part: Ints, level: float, simultaneous: bool = True
) -> Bools:
    """Return who of the largest part has nobody certainly above, by Bonferroni's inequality; as `rank_sets` by that method.

    Parameters
    ----------
    score : (m, n) float
        Of many boards.
    covariance : (m, n, n) float
    df : float or (n, n) float
        Degrees of freedom of differences.
    part : (n,) int
        Of every agent; only agents of one part are compared.
    level : float
    simultaneous : bool

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
    used &= ahead > 0
    board, _, below = np.nonzero(used)
    t = ahead[used] / np.sqrt(variances_of_differences(covariance)[used])
    z = gaussian_equivalent(t, np.broadcast_to(df, used.shape)[used])
    beaten = np.zeros(score.shape, dtype=bool)
    beyond = z > np.broadcast_to(critical, score.shape)[board, below]
    beaten[board[beyond], below[beyond]] = True
    return np.asarray(~beaten & (part == 0))
