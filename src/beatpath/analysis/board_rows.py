"""The board: one row an agent, holding what rank sets, core and methods say of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from beatpath._result import Record
from beatpath._typing import TierScheme
from beatpath.checks.finding import plain_data

if TYPE_CHECKING:
    from beatpath.inference.core.core_result import Core
    from beatpath.inference.ranking.compare import Comparison
    from beatpath.inference.ranks.ranks import Ranks
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution

SURE = 0.95  # probability from which an agent counts as inside the core, and below one minus which as outside


@dataclass(frozen=True, slots=True)
class Row(Record):
    """What a board says of one agent; ``None`` where nothing is known.

    Parameters
    ----------
    agent : str
    rank : int
        By score; 1 plus the number of agents with a higher one.
    best, worst : int
        The ranks that the data allow.
    score, low, high : float
        The score and its interval.
    group : int
        Equal for agents whose order is not certain, or not wholly.
    tier : int
        From the top: everyone of a lower tier is certainly below the leader of this one.
    letters : str
        Agents of one part that share none certainly differ.
    part : int
        Agents of different parts were never compared.
    core : float
        Probability to be in the top cycle; without counts, 1 for its members by majority and 0 for others.
    battles : int
    ranks : mapping of method to int
    """

    agent: str
    rank: int | None
    best: int | None
    worst: int | None
    score: float | None
    low: float | None
    high: float | None
    group: int | None
    tier: int | None
    letters: str | None
    part: int | None
    core: float | None
    battles: int | None
    ranks: Mapping[str, int]

    @property
    def membership(self) -> str:
        """``inside`` the core, ``maybe``, ``outside``, or nothing where it is not known."""
        if self.core is None:
            return ""
        return "inside" if self.core >= SURE else "outside" if self.core <= 1 - SURE else "maybe"

    def step(self, scheme: TierScheme) -> str:
        """Return the agent's tier from the top, its letters, or its group; nothing where it has none."""
        return str({"top": self.tier, "letters": self.letters, "cuts": self.group}[scheme] or "")


def board_rows(
    order: Sequence[str],
    resolution: "PairwiseResolution | None",
    core: "Core | None",
    comparison: "Comparison | None",
    battles: Mapping[str, int],
) -> tuple[Row, ...]:
    """Return the rows, agents in this order."""
    scored = {} if resolution is None else _scored(resolution)
    chance = {} if core is None else _chance(core)
    places = {} if comparison is None else {ranking.method: _shared_ranks(ranking) for ranking in comparison.rankings}
    fallback = {} if core is None or resolution is not None else core.win_rate
    nothing = dict.fromkeys(("rank", "best", "worst", "score", "low", "high", "group", "tier", "letters", "part"))
    return tuple(
        Row(
            agent=agent,
            **(scored.get(agent) or {**nothing, "score": plain_data(fallback.get(agent))}),
            core=chance.get(agent),
            battles=battles.get(agent),
            ranks={key: place[agent] for key, place in places.items()},
        )
        for agent in order
    )


def agents_by_place(agents: Sequence[str], ranks: "Ranks | None", comparison: "Comparison | None") -> list[str]:
    """Return the agents best first: by score; without scores, by the mean rank over the methods."""
    if ranks is not None:
        first = [ranks.agents[i] for i in ranks.order.tolist()]
        return [*first, *sorted(set(agents) - set(first))]
    return sorted(agents) if comparison is None else comparison.order()


def _scored(resolution: "PairwiseResolution") -> dict[str, dict[str, Any]]:
    """Scores, ranks and tiers by agent."""
    ranks = resolution.ranks
    columns = {**ranks.columns(), "rank": [rank or None for rank in ranks.rank.tolist()]}
    agents = columns.pop("agent")
    return {agent: {name: column[i] for name, column in columns.items()} for i, agent in enumerate(agents)}


def _chance(core: "Core") -> dict[str, float]:
    if core.posterior is not None:
        return dict(zip(core.agents, plain_data(core.posterior.probability.tolist()), strict=True))
    return {agent: float(agent in core.top_cycle.members) for agent in core.agents}


def _shared_ranks(ranking: Any) -> dict[str, int]:
    """Every agent's rank, tied agents sharing the best."""
    found: dict[str, int] = {}
    for level in ranking.levels:
        found |= dict.fromkeys(level, len(found) + 1)
    return found
