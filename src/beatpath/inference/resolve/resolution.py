"""What `resolve` hands back: sets of ranks, cycles, the one scale, and whether a claim is supported."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._result import SCHEMA_VERSION, Result
from beatpath._text import confidence, counted, quoted
from beatpath.evidence import Convention
from beatpath.inference.cycles.cycles import Cycles
from beatpath.inference.cycles.transitivity import OneScale, one_scale
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.win_matrix import WinMatrix, parts_said
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.ranks.tiers import tier_columns, tiers
from beatpath.inference.resolve.claims import Claim, claim_of
from beatpath.inference.scale.projection import Projection
from beatpath.inference.win_rates.estimate import WinRateEstimate


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """A claim, whether the data support it, and the sentence that says why."""

    claim: Claim
    supported: bool
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {"claim": self.claim.text, "supported": self.supported, "sentence": self.sentence}


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
    cycles : Cycles
        Three-cycles, apparent and surviving.
    projection : Projection or None
        Bradley-Terry strengths as a projection of the win rates, and how badly one scale fits.
    no_projection : str
        Why there is none.
    opposed : tuple of (str, str)
        Agents of whom the scores call the first certainly above the second, and strengths on one scale the reverse.
    told : mapping
        Settings beyond those of the parts.
    """

    ranks: RankSets
    pairwise: WinRateEstimate
    matrix: WinMatrix
    cycles: Cycles
    projection: Projection | None
    no_projection: str
    opposed: tuple[tuple[str, str], ...]
    told: Mapping[str, Any]

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
        return {**self.ranks.to_dict()["settings"], **self.told}

    @property
    def conventions(self) -> tuple[Convention, ...]:
        """What turned the evidence into win rates."""
        return self.board.conventions

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know besides."""
        return self.ranks.notes

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict: who is first, how much is certain, which cycles survive, whether one scale is fair."""
        parts = parts_said(self.matrix.parts)
        return (
            f"Scores: {self.board.estimand}.",
            *parts,
            *self.ranks.sentences,
            *self._opposed_said,
            *self.cycles.sentences,
            self.one_scale.sentence,
        )

    @property
    def _opposed_said(self) -> tuple[str, ...]:
        """Where strengths on one scale would call the opposite certain."""
        if not self.opposed:
            return ()
        (one, other), more = self.opposed[0], len(self.opposed) - 1
        rest = f", and so of {counted(more, 'more pair')}" if more else ""
        said = f"{quoted(one)} is certainly above {quoted(other)} by these scores, and certainly below by Bradley-Terry strengths"
        return (f"Another question has another answer: {said}{rest}.",)

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
        """Return whether the data support a claim such as ``"A > B"``, ``"A is first"`` or ``"A is in the top 3"``."""
        said = claim_of(claim, self.agents)
        if said.below is not None:
            return self._order(said, said.agent, said.below)
        i = self.agents.index(said.agent)
        best, worst = int(self.ranks.best[i]), int(self.ranks.worst[i])
        n = int((self.ranks.part == self.ranks.part[i]).sum())
        whole = n == len(self.agents)  # else nothing says who is first of all
        supported = whole and (best == n if said.last else worst <= (said.top or 1))
        span = f"its rank is {best}" if best == worst else f"its rank may be {best} to {worst}"
        return ClaimTest(said, supported, f"{_claim_verdict(said, supported)}: {span} of {n} ({self._confidence()}).")

    def _order(self, claim: Claim, above: str, below: str) -> ClaimTest:
        gap = self.ranks.difference(above, below)
        supported = self.ranks.certain(above, below)
        if np.isfinite(gap.low):
            times, unit = (100, " percentage points") if self.board.is_share else (1, "")
            less, low, high = (f"{times * value:+.3g}" for value in (gap.estimate, gap.low, gap.high))
            around = f"above 0, up to {high}" if supported and gap.low <= 0 else f"{low} to {high}"
            why = f"the score of {quoted(above)} less that of {quoted(below)} is {less}{unit} ({around})"
        elif self.matrix.part[self.agents.index(above)] != self.matrix.part[self.agents.index(below)]:
            why = "no chain of battles connects the two"
        else:
            why = "their difference has no usable variance"
        return ClaimTest(claim, supported, f"{_claim_verdict(claim, supported)}: {why} ({self._confidence()}).")

    def _confidence(self) -> str:
        kept = "all agents at once" if self.ranks.simultaneous else "this agent by itself"
        return f"{confidence(self.ranks.level)}, {kept}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, best first, those without a score last."""
        by_name = {row["agent"]: row for row in self.ranks.rows()}
        ordered = [self.agents[i] for i in self.ranks.order]
        columns, battles = ("score", "low", "high", "best", "worst"), self._battles_by_agent()
        steps = tier_columns(self)
        return [
            {
                "agent": name,
                **steps[name],
                **{column: by_name[name][column] for column in columns},
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
        rows = {row["agent"]: row for row in self.ranks.rows()}
        columns = ("score", "low", "high", "best", "worst")
        steps = tier_columns(self)
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "resolution",
            "sentences": list(self.sentences),
            "estimand": self.board.estimand,
            "ranks": {
                name: {**{column: row[column] for column in columns}, **steps[name]} for name, row in rows.items()
            },
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
