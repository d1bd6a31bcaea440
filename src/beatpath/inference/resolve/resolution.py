"""What `resolve` hands back: one board with its claims, whatever the options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from beatpath._arrays import Bools, Floats, Ints
from beatpath._result import Record, Result, json_number
from beatpath._sentence import Sentence
from beatpath._text import confidence, listed, quoted
from beatpath.evidence import Convention
from beatpath.evidence_design.field import unplaced_sentence
from beatpath.inference.ranks.claims import Claim, ClaimTest, claim_of
from beatpath.inference.ranks.ranks import RankRow, Ranks


class ResolutionRow(RankRow):
    """What the data allow of one agent.

    Attributes
    ----------
    battles : int
        Its battles; of a table of scores, its scores.
    placed : bool
        Whether it has enough data to be placed; without, it has no tier and no ranks.
    """

    battles: int
    placed: bool


@dataclass(frozen=True, slots=True)
class Unplaced(Record):
    """An agent with too little data to be placed.

    Attributes
    ----------
    agent : str
    battles : int
        Its battles, ballots or scores.
    score, low, high : float
        Its score against the agents that are placed, and the ends of its interval, which holds by itself; null where unknown.
    """

    agent: str
    battles: int
    score: float
    low: float
    high: float

    @property
    def row(self) -> dict[str, Any]:
        """The agent as a row of the board, without ranks."""
        nothing = {"agent": self.agent, "tier": None, "letters": "", "group": 0, "part": 0}
        ends = {"score": self.score, "low": self.low, "high": self.high}
        plainly = {name: json_number(value) for name, value in ends.items()}
        return {**nothing, **plainly, "best": None, "worst": None, "battles": self.battles, "placed": False}


BOARD = (
    "estimand",
    "ranks=by_agent",
    "pairs",
    "resolved_pairs",
    "unique_ranks",
    "groups",
)  # what documents say of a board
AROUND = ("settings", "conventions", "notes")  # and besides


@dataclass(frozen=True, eq=False, repr=False)
class Resolution(Result):
    """What the data resolve: a board, the short answer, and whether claims are supported.

    Boards of agents compared pair by pair, of a mixture of contexts, of what holds at every look, and of more agents than can be
    compared pair by pair all have this interface and one JSON document; each adds what only it knows.

    Attributes
    ----------
    ranks : Ranks
        Scores with intervals, the ranks every agent may have, who is certainly above whom, tiers.
    battles : (n,) int
        Battles of every agent, or its scores in a table.
    contexts : mapping of str to Ranks
        The board of every context; none where contexts were not distinguished.
    unplaced : tuple of Unplaced
        Agents with too little data to be placed.
    """

    document_name: ClassVar[str] = "resolution"
    document: ClassVar[tuple[str, ...]] = ("answer=short_answer", *BOARD, *AROUND)

    ranks: Ranks
    battles: Ints
    contexts: Mapping[str, Ranks] = field(default_factory=dict, kw_only=True)
    unplaced: tuple[Unplaced, ...] = field(default=(), kw_only=True)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order of the evidence."""
        return self.ranks.agents

    @property
    def known_agents(self) -> tuple[str, ...]:
        """The agents that a claim may name: those of the board, and those with too little data to be on it."""
        return (*self.agents, *(one.agent for one in self.unplaced))

    @property
    def unplaced_note(self) -> tuple[str, ...]:
        """How many agents have too little data to be placed, who they are, and what puts them back."""
        if not self.unplaced:
            return ()
        meaning = f"Scores are against the {len(self.agents):,} others"
        return (unplaced_sentence([one.agent for one in self.unplaced], meaning),)

    @property
    def score(self) -> Floats:
        """Every agent's score; NaN where it has none."""
        return self.ranks.score

    @property
    def low(self) -> Floats:
        """Lower ends of the intervals of scores, each by itself."""
        return self.ranks.low

    @property
    def high(self) -> Floats:
        """Upper ends of these."""
        return self.ranks.high

    @property
    def best(self) -> Ints:
        """The best rank that every agent may have."""
        return self.ranks.best

    @property
    def worst(self) -> Ints:
        """The worst."""
        return self.ranks.worst

    @property
    def tier(self) -> Ints:
        """The tier of every agent from the top of its part: 1 is first, 0 without a score."""
        return self.ranks.tier

    @property
    def above(self) -> Bools:
        """Whether the row's agent is certainly above the column's; empty where agents are too many for all pairs."""
        return self.ranks.above

    @property
    def level(self) -> float:
        """Confidence of whatever is called certain."""
        return self.ranks.level

    @property
    def is_share(self) -> bool:
        """Whether scores are shares from 0 to 1, which people read in per cent."""
        return self.ranks.is_share

    @property
    def pairs(self) -> int:
        """How many pairs of agents there are, both of one part."""
        return self.ranks.pairs

    @property
    def resolved_pairs(self) -> int:
        """How many of them have a certain order."""
        return self.ranks.resolved_pairs

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that was chosen."""
        return self.ranks.settings

    @property
    def conventions(self) -> tuple[Convention, ...]:
        """What turned the evidence into win rates or scores."""
        return self.ranks.conventions

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know besides."""
        return self.ranks.notes

    @property
    def answer(self) -> Sentence:
        """The short answer: one sentence that is fit for a title."""
        raise NotImplementedError  # every kind of board has its own

    def test(self, claim: str, *, n_claims: int = 1, simultaneous: bool = False) -> ClaimTest:
        """Return whether the data support a claim.

        ``"A > B"``, ``"A is first"``, ``"A is last"`` and ``"A is in the top 3"`` are about the board; with contexts, ``in X``
        behind them makes them about a context, and ``"A is better at X than at Y"`` compares one agent's scores in two. The test
        comes with the cautions of the verdict: what the errors rest on, and whether another question has another answer.

        A claim that was fixed before the data were seen pays for itself alone, or as one `n_claims` several. A claim picked after looking
        at the board is `simultaneous`: it pays for all comparisons that might have been picked.
        """
        read = claim_of(claim, self.known_agents, tuple(self.contexts))
        missing = [one.agent for one in self.unplaced if one.agent in (read.agent, read.below)]
        if missing:
            why = f"{listed(missing)} {'has' if len(missing) == 1 else 'have'} too little data to be placed"
            return ClaimTest(read, False, f"{quoted(read.text)} is not supported: {why}.", self._cautions)
        supported, why, held = self._judged(read, None if simultaneous else n_claims)
        besides = self._besides(read)
        verdict = f"{quoted(read.text)} is {'supported' if supported else 'not supported'}"
        sentence = " ".join([f"{verdict}: {why} ({held}).", *besides])
        return ClaimTest(read, supported, sentence, (*besides, *self._cautions))

    def _judged(self, claim: Claim, n_claims: int | None) -> tuple[bool, str, str]:
        """Whether a claim is supported, why, and how surely that is said."""
        ranks = self.ranks if claim.context is None else self.contexts[claim.context]
        return (
            ranks.supports(claim, n_claims),
            f"by {ranks.measure}{self._where(claim.context)}, {ranks.reason(claim, n_claims)}",
            self._confidence(n_claims),
        )

    def _where(self, context: str | None) -> str:
        """Of which board a claim is tested, in words."""
        return "" if context is None else f" in {quoted(context)}"

    def _confidence(self, n_claims: int | None) -> str:
        """How surely a claim is judged, and with which other comparisons."""
        if n_claims is not None:
            return f"{confidence(self.level)}, {'this claim alone' if n_claims == 1 else f'{n_claims:,} claims tested simultaneously'}"
        return f"{confidence(self.level)}, {'all pairs compared simultaneously' if self.ranks.simultaneous else 'this agent alone'}"

    def _besides(self, claim: Claim) -> tuple[str, ...]:
        """What speaks against a claim besides the board; sentences."""
        return ()

    @property
    def _cautions(self) -> tuple[str, ...]:
        """Under which conditions a test holds."""
        return self.notes

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, best first, those with too little data to be placed last."""
        return self._board_rows()

    def _board_rows(self) -> list[dict[str, Any]]:
        placed = self.ranks.board_rows(**self._columns(), placed=[True] * len(self.agents))
        blank = dict.fromkeys(placed[0]) if placed else {}
        rest = sorted(self.unplaced, key=lambda one: (-one.battles, one.agent))
        return [*placed, *({**blank, **one.row} for one in rest)]

    def _columns(self) -> dict[str, list[Any]]:
        """What only a resolution, or only this kind of one, knows of every agent."""
        return {"battles": self.battles.tolist()}

    @property
    def by_agent(self) -> dict[str, ResolutionRow]:
        """What the data allow of every agent, best first."""
        return {row.pop("agent"): row for row in self._board_rows()}  # type: ignore[misc]

    @property
    def short_answer(self) -> str:
        """The short answer, fit for a title."""
        return self.answer.text

    @property
    def estimand(self) -> str:
        """What a score is."""
        return self.ranks.estimand

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The names in every group between cuts, best first."""
        return self.ranks.groups

    @property
    def unique_ranks(self) -> int:
        """How many agents have one rank only."""
        return len(self.ranks.unique_ranks)
