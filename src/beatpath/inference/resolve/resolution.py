"""What `resolve` hands back: sets of ranks, cycles, the one scale, and whether a claim is supported."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._result import SCHEMA_VERSION, Result
from beatpath._sentence import Sentence
from beatpath._text import confidence, listed, percent, quoted
from beatpath.evidence import Convention
from beatpath.inference.cycles.cycles import Cycles
from beatpath.inference.cycles.transitivity import OneScale, one_scale
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.win_matrix import WinMatrix, parts_said
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.ranks.tiers import tier_columns, tiers
from beatpath.inference.resolve.claims import Claim, ClaimTest, claim_of
from beatpath.inference.resolve.majorities import Majorities
from beatpath.inference.resolve.who_is_first import answer, circle_at_the_top, opposed_said, who_is_first
from beatpath.inference.scale.projection import Projection
from beatpath.inference.win_rates.estimate import WinRateEstimate


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Resolution(Result):
    """What the data resolve.

    Attributes
    ----------
    ranks : RankSets
        Scores with intervals, the ranks every agent may have, who is certainly above whom, tie groups.
    pairwise : WinRateEstimate
        The win rate of every pair, with errors.
    matrix : WinMatrix
        The estimated win rate of every pair, met or not.
    majorities : Majorities
        Who beats whom head to head, and which of these wins are resolved.
    first_probability : (n,) float
        The probability of every agent to have the highest true score of its part, true scores taken as Gaussian over agents.
    cycles : Cycles
        Three-cycles, apparent and surviving.
    projection : Projection or None
        Bradley-Terry strengths as a projection of the win rates, and how badly one scale fits.
    no_projection : str
        Why there is none.
    on_one_scale : RankSets or None
        The ranks that strengths on one scale leave open, where scores are something else.
    opposed : tuple of (str, str)
        Agents of whom the scores call the first certainly above the second, and strengths on one scale the reverse.
    told : mapping
        Settings beyond those of the parts.
    steered : str
        What says that outcomes steered who met whom; empty where nothing does.
    """

    ranks: RankSets
    pairwise: WinRateEstimate
    matrix: WinMatrix
    majorities: Majorities
    first_probability: NDArray[np.float64]
    cycles: Cycles
    projection: Projection | None
    no_projection: str
    on_one_scale: RankSets | None
    opposed: tuple[tuple[str, str], ...]
    told: Mapping[str, Any]
    steered: str = ""

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order of the evidence."""
        return self.ranks.agents

    @property
    def board(self) -> Leaderboard:
        """Scores and the covariance of their errors."""
        return self.ranks.board

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that was chosen."""
        return {**self.ranks.settings, **self.told}

    @property
    def conventions(self) -> tuple[Convention, ...]:
        """What turned the evidence into win rates."""
        return self.board.conventions

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know besides."""
        return self.ranks.notes

    @property
    def answer(self) -> Sentence:
        """The short answer: one sentence that is fit for a title."""
        return answer(self)

    @property
    def verdict(self) -> tuple[Sentence, ...]:
        """Who may be first by score, whether anyone beats everybody head to head, and why these differ where they do."""
        return who_is_first(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The short answer, the verdict, how much is certain, which cycles survive, and whether one scale is fair."""
        opposed = opposed_said(self)
        return (
            self.answer.text,
            *(one.text for one in self.verdict),
            *self.ranks.sentences[1:],  # the first of them is who may be first
            *((self.steered,) if self.steered else ()),
            *(() if opposed is None else (opposed.text,)),
            *(self.cycles.sentences[:1] if circle_at_the_top(self) else self.cycles.sentences),
            *(() if self._scale_untold_twice else (self.one_scale.sentence,)),
        )

    @property
    def _scale_untold_twice(self) -> bool:
        """Whether a note says already that nothing shows whether one scale fits."""
        return bool(self.matrix.unseen) and self.projection is not None and self.projection.lack_of_fit.p_value is None

    @property
    def unmet(self) -> float:
        """The share of all pairs that never met."""
        n = len(self.agents)
        return 1 - len(self.pairwise.rate) / max(n * (n - 1) / 2, 1)

    @property
    def one_scale(self) -> OneScale:
        """Whether a single scale is defensible, and the sentence that says why."""
        return one_scale(self.cycles, self.projection, self.no_projection)

    def test(self, claim: str) -> ClaimTest:
        """Return whether the data support a claim such as ``"A > B"``, ``"A is first"`` or ``"A is in the top 3"``.

        It comes with the cautions of the verdict: what the errors rest on, and whether another question has another answer.
        """
        said = claim_of(claim, self.agents)
        if said.below is not None:
            return self._order(said, said.agent, said.below)
        i = self.agents.index(said.agent)
        best, worst = int(self.ranks.best[i]), int(self.ranks.worst[i])
        n = int((self.ranks.part == self.ranks.part[i]).sum())
        whole = n == len(self.agents)  # else nothing says who is first of all
        supported = whole and (best == n if said.last else worst <= (said.top or 1))
        span = f"its rank is {best}" if best == worst else f"its rank may be {best} to {worst}"
        why = f"by {self.board.measure}, {span} of {n:,}"
        return self._tested(said, supported, why, self._beaten_by(said.agent) if said.top == 1 else ())

    def _order(self, claim: Claim, above: str, below: str) -> ClaimTest:
        gap = self.ranks.difference(above, below)
        supported = self.ranks.certain(above, below)
        if np.isfinite(gap.low):
            times, unit = (100, " percentage points") if self.board.is_share else (1, "")
            less, low, high = (f"{times * value:+.3g}" for value in (gap.estimate, gap.low, gap.high))
            around = f"above 0, up to {high}" if supported and gap.low <= 0 else f"{low} to {high}"
            why = f"by {self.board.measure}, {quoted(above)} less {quoted(below)} is {less}{unit} ({around})"
        elif self.matrix.part[self.agents.index(above)] != self.matrix.part[self.agents.index(below)]:
            why = "no chain of battles connects the two"
        else:
            why = "their difference has no usable variance"
        return self._tested(claim, supported, why, self._otherwise(above, below))

    def _tested(self, claim: Claim, supported: bool, why: str, besides: tuple[str, ...]) -> ClaimTest:
        """The claim with its sentence, what speaks against it besides, and the conditions of the verdict."""
        sentence = " ".join([f"{_claim_verdict(claim, supported)}: {why} ({self._confidence()}).", *besides])
        parts = tuple(parts_said(self.matrix.parts))
        return ClaimTest(claim, supported, sentence, (*besides, *parts, self.ranks.sentences[-1], *self.notes))

    def _otherwise(self, above: str, below: str) -> tuple[str, ...]:
        """Where another question orders the two the other way: strengths on one scale, or their own battles."""
        i, j = self.agents.index(above), self.agents.index(below)
        said = []
        if {(above, below), (below, above)} & set(self.opposed):
            said.append("Bradley-Terry strengths call the opposite order certain.")
        if self.majorities.beats[j, i] == self.ranks.certain(above, below) and self.majorities.beats[j, i]:
            sure = "" if self.majorities.resolved[j, i] else ", which is not resolved"
            said.append(
                f"Head to head, {quoted(below)} beats {quoted(above)} ({percent(self.majorities.rate[j, i])}){sure}."
            )
        return tuple(said)

    def _beaten_by(self, agent: str) -> tuple[str, ...]:
        """Who beats an agent head to head."""
        by = np.flatnonzero(self.majorities.beats[:, self.agents.index(agent)])
        return (f"Head to head it loses to {listed([self.agents[i] for i in by], 3)}.",) if len(by) else ()

    def _confidence(self) -> str:
        kept = "all agents at once" if self.ranks.simultaneous else "this agent by itself"
        return (
            f"{confidence(self.ranks.level)}, {kept}{', had outcomes not steered who met whom' if self.steered else ''}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, best first, those without a score last."""
        by_name = self.ranks.columns("score", "low", "high", "best", "worst")
        ordered = [self.agents[i] for i in self.ranks.order]
        battles = self._battles_by_agent()
        steps = tier_columns(self)
        return [
            {
                "agent": name,
                **steps[name],
                **by_name[name],
                "battles": battles[name],
            }
            for name in [*ordered, *sorted(set(self.agents) - set(ordered))]
        ]

    def _battles_by_agent(self) -> dict[str, int]:
        n, told = len(self.agents), self.pairwise
        total = np.bincount(told.a, told.battles, n) + np.bincount(told.b, told.battles, n)
        return dict(zip(self.agents, total.astype(np.int64).tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        rows = self.ranks.columns("score", "low", "high", "best", "worst")
        steps = tier_columns(self)
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "resolution",
            "answer": self.answer.text,
            "sentences": list(self.sentences),
            "estimand": self.board.estimand,
            "ranks": {name: {**row, **steps[name]} for name, row in rows.items()},
            "pairs": self.ranks.pairs,
            "resolved_pairs": self.ranks.resolved_pairs,
            "unique_ranks": len(self.ranks.unique_ranks),
            "groups": [list(group) for group in tiers(self, "cuts").groups],
            "skipped": self.ranks.skipped,
            "cycles": self.cycles.to_dict(),
            "bradley_terry": self._bradley_terry(),
            "settings": dict(self.settings),
            "conventions": [made.to_dict() for made in self.conventions],
            "notes": list(self.notes),
        }

    def _bradley_terry(self) -> dict[str, Any]:
        fitted = {"lack_of_fit": None} if self.projection is None else self.projection.to_dict()
        return {**fitted, "defensible": self.one_scale.defensible, "sentence": self.one_scale.sentence}


def _claim_verdict(claim: Claim, supported: bool) -> str:
    return f"{quoted(claim.text)} is {'supported' if supported else 'not supported'}"
