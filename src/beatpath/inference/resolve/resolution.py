"""The interface of what `resolve` returns: one board with its claims, for all options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from beatpath._arrays import Bools, Floats, Ints
from beatpath._result import Delegate, Record, TableResult, json_number, plot_result
from beatpath._sentence import Caution, Sentence
from beatpath._text import confidence, listed, quoted
from beatpath.evidence import Convention
from beatpath.evidence_design.field import unplaced_sentence
from beatpath.inference.ranks.claims import Claim, ClaimTest, Verdict, claims_of, joined
from beatpath.inference.ranks.ranks import RankRow, Ranks


class ResolutionRow(RankRow):
    """Scores and ranks of one agent.

    Attributes
    ----------
    battles : int
        Its battles or ballots; of a table of scores, its tasks or items.
    placed : bool
        Whether it has enough data to be ranked; otherwise it has no tier and no ranks.
    """

    battles: int
    placed: bool


@dataclass(frozen=True, slots=True)
class Unplaced(Record):
    """An agent with too little data to be ranked.

    Attributes
    ----------
    agent : str
        Its name.
    battles : int
        Its battles, ballots or scores.
    score, low, high : float
        Its score against the ranked agents, and the ends of its own confidence interval; null where unknown.
    """

    agent: str
    battles: int
    score: float
    low: float
    high: float

    @property
    def row(self) -> dict[str, Any]:
        """The agent as a row of the board, without ranks."""
        numbers = {name: json_number(getattr(self, name)) for name in ("score", "low", "high")}
        place = {"letters": "", "group": 0, "part": 0}
        return {"agent": self.agent, **place, **numbers, "battles": self.battles, "placed": False}


# keys of every JSON document about a board
BOARD = ("estimand", "ranks=by_agent", "pairs", "resolved_pairs", "unique_ranks", "groups")
AROUND = ("settings", "conventions", "notes")  # keys that follow them


@dataclass(frozen=True, eq=False, repr=False)
class Resolution(TableResult):
    """What the data resolve: a board, the answer in one sentence, and tests of claims.

    All results of `resolve` share this interface and one JSON document: boards of agents compared pair by pair
    (`PairwiseResolution`), of a mixture of contexts (`ContextResolution`), with validity at every look
    (`AnytimeResolution`), and of many agents (`LongBoard`). Each adds what only it has.

    Attributes
    ----------
    ranks : Ranks
        Scores with confidence intervals, rank sets, who is certainly above whom, tiers.
    battles : (n,) int
        Battles or ballots of every agent; of a table of scores, its tasks or items.
    contexts : mapping of str to Ranks
        The board of each context; empty without contexts.
    unplaced : tuple of Unplaced
        Agents with too little data to be ranked.
    """

    plot = plot_result

    document_name: ClassVar[str] = "resolution"
    document: ClassVar[tuple[str, ...]] = ("answer=short_answer", *BOARD, *AROUND)

    ranks: Ranks
    battles: Ints
    contexts: Mapping[str, Ranks] = field(default_factory=dict, kw_only=True)
    unplaced: tuple[Unplaced, ...] = field(default=(), kw_only=True)

    agents = Delegate[tuple[str, ...]]("ranks.agents", "The agents, in the order of the evidence.")

    @property
    def unplaced_note(self) -> tuple[str, ...]:
        """How many agents have too little data to be ranked, who they are, and how to include them."""
        if not self.unplaced:
            return ()
        meaning = f"Scores are against the {len(self.agents):,} others"
        return (unplaced_sentence([one.agent for one in self.unplaced], meaning),)

    score = Delegate[Floats]("ranks.score", "Score of every agent; NaN where it has none.")
    low = Delegate[Floats]("ranks.low", "Lower ends of the confidence intervals of the scores, each one separate.")
    high = Delegate[Floats]("ranks.high", "Upper ends of the confidence intervals of the scores, each one separate.")
    best = Delegate[Ints]("ranks.best", "The best rank that every agent may have.")
    worst = Delegate[Ints]("ranks.worst", "The worst rank that every agent may have.")
    tier = Delegate[Ints]("ranks.tier", "Tier of every agent in its component: 1 is first, 0 without a score.")
    above = Delegate[Bools]("ranks.above", "Whether the row's agent is certainly above the column's.")
    level = Delegate[float]("ranks.level", "Confidence level of everything called certain.")
    is_share = Delegate[bool]("ranks.is_share", "Whether scores are shares from 0 to 1, shown as percentages.")
    pairs = Delegate[int]("ranks.pairs", "Number of pairs of agents within components.")
    resolved_pairs = Delegate[int]("ranks.resolved_pairs", "Number of pairs with a certain order.")

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings of the analysis."""
        return self.ranks.settings

    conventions = Delegate[tuple[Convention, ...]]("ranks.conventions", "How evidence became win rates or scores.")

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats about the data and the estimate."""
        return self.ranks.notes

    @property
    def warnings(self) -> tuple[str, ...]:
        """What limits the conclusions, in short."""
        return tuple(note for note in self.notes if isinstance(note, Caution))

    @property
    def unit(self) -> str:
        """What `battles` counts."""
        return "battle"

    @property
    def answer(self) -> Sentence:
        """The answer in one sentence, fit for a title."""
        raise NotImplementedError  # each kind of board has its own

    def test(self, claim: str, *, n_claims: int = 1, simultaneous: bool = False) -> ClaimTest:
        """Test whether the data support a claim.

        Parameters
        ----------
        claim : str
            ``"A > B"``, ``"A > B by 3 points"``, ``"A within 2 points of B"`` (equivalence), ``"A at most 1 point below B"``
            (non-inferiority), ``"A is first"``, ``"A is last"`` or ``"A is in the top 3"``, joined by ``and``. With contexts, ``in X``
            at the end makes it a claim about a context, and ``"A is better at X than at Y"`` compares one agent's scores in two.
        n_claims : int, default 1
            Number of claims fixed before the data were seen; the error is shared among them (Bonferroni).
        simultaneous : bool, default False
            Whether the claim was picked after looking at the board; it is then corrected for all comparisons of the
            board.

        Returns
        -------
        ClaimTest
            Whether the claim is supported, why, and under which conditions.

        Examples
        --------
        >>> from beatpath import Pairs, resolve
        >>> result = resolve(Pairs(("ada", "bob"), [0], [1], [[70, 30, 0, 0]]))
        >>> result.test("ada > bob").supported, result.test("bob is first").supported
        (True, False)
        """
        known = (*self.agents, *(one.agent for one in self.unplaced))
        parts = claims_of(claim, known, tuple(self.contexts))
        return joined(claim, [self._test(one, None if simultaneous else n_claims, len(parts)) for one in parts])

    def _test(self, claim: Claim, n_claims: int | None, parts: int) -> ClaimTest:
        """Test one of the claims that are joined by ``and``."""
        missing = [one.agent for one in self.unplaced if one.agent in (claim.agent, claim.below)]
        if missing:
            why = f"{listed(missing)} {'has' if len(missing) == 1 else 'have'} too little data to be placed"
            sentence = f"{quoted(claim.text)} is not shown: {why}."
            return ClaimTest(claim.text, "not shown", sentence, cautions=self._cautions)
        verdict, why, condition, interval = self._judged(claim, n_claims, parts)
        besides = self._besides(claim)
        sentence = " ".join([f"{quoted(claim.text)} is {verdict}: {why} ({condition}).", *besides])
        return ClaimTest(claim.text, verdict, sentence, condition, interval, (*besides, *self._cautions))

    def _judged(
        self, claim: Claim, n_claims: int | None, parts: int
    ) -> tuple[Verdict, str, str, tuple[float, float] | None]:
        """Return the verdict on a claim, why, with which confidence, and the interval of the difference."""
        ranks = self.ranks if claim.context is None else self.contexts[claim.context]
        tests = ", two one-sided tests" if claim.is_equivalence else ""
        return (
            ranks.verdict(claim, n_claims, parts),
            f"by {ranks.measure}{self._where(claim.context)}, {ranks.reason(claim, n_claims)}",
            f"{self._confidence(n_claims)}{tests}",
            ranks.interval(claim, n_claims),
        )

    def _where(self, context: str | None) -> str:
        """Name the board that a claim is about."""
        return "" if context is None else f" in {quoted(context)}"

    def _confidence(self, n_claims: int | None) -> str:
        """Describe the confidence of a test, and the comparisons it is corrected for."""
        if n_claims is not None:
            return f"{confidence(self.level)}, {'this claim alone' if n_claims == 1 else f'{n_claims:,} claims tested simultaneously'}"
        return f"{confidence(self.level)}, {'all pairs compared simultaneously' if self.ranks.simultaneous else 'this agent alone'}"

    def _besides(self, claim: Claim) -> tuple[str, ...]:
        """Return sentences about evidence against a claim besides the board."""
        return ()

    @property
    def _cautions(self) -> tuple[str, ...]:
        """Return the conditions under which a test is valid."""
        return self.notes

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent, best first, agents with too little data last."""
        placed = self.ranks.board_rows(**self._columns(), placed=[True] * len(self.agents))
        blank = dict.fromkeys(placed[0])
        rest = sorted(self.unplaced, key=lambda one: (-one.battles, one.agent))
        return [*placed, *({**blank, **one.row} for one in rest)]

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns that only this kind of resolution has."""
        return {"battles": self.battles.tolist()}

    @property
    def by_agent(self) -> dict[str, ResolutionRow]:
        """Scores and ranks by agent, best first."""
        return {row.pop("agent"): row for row in Resolution.rows(self)}  # type: ignore[misc]

    short_answer = Delegate[str]("answer.text", "The answer as plain text, fit for a title.")
    estimand = Delegate[str]("ranks.estimand", "What a score estimates.")
    groups = Delegate[tuple[tuple[str, ...], ...]]("ranks.groups", "The names in each group between cuts, best first.")

    @property
    def unique_ranks(self) -> int:
        """Number of agents with a single possible rank."""
        return len(self.ranks.unique_ranks)
