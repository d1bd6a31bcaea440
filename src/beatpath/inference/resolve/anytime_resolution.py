"""What may be said of battles of any origin at every look at once: the result of ``resolve(..., anytime=True)``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._result import SCHEMA_VERSION, Result, json_number
from beatpath._text import confidence, counted, listed, quoted
from beatpath.evidence import Convention
from beatpath.inference.anytime.any_schedule import differences
from beatpath.inference.anytime.boundary import head_to_head_e_value
from beatpath.inference.resolve.claims import ClaimTest, claim_of
from beatpath.inference.win_rates.estimate import COMPARED
from beatpath.methods.profile import Profile

CONDITION = (
    "This holds exactly, at every look at once and under any schedule, also one that followed the outcomes, if nobody could foresee "
    "from the battles before whether an outcome would exceed the win rate of its pair: win rates do not change in time, and no prompt or "
    "judge comes again whose outcome is known from before."
)
PRICE = "Without `anytime` intervals are narrower; they hold for one look at battles whose schedule did not follow the outcomes."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnytimeResolution(Result):
    """Who is certainly above whom, whenever one looks and whatever the schedule followed.

    Attributes
    ----------
    agents : tuple of str
    score : (n,) float
        Mean win rate against all other agents; a pair that never met counts as even.
    radius : (n, n) float
        By how much the difference of two scores may be off, all of them at once.
    e_value : (n, n) float
        What betting against the two of a pair being equal has made of one; one where they never met.
    battles : (n,) int
        Battles of every agent.
    unmet : int
        Pairs that never met.
    level : float
        With which everything holds at once.
    settings : mapping
    conventions : tuple of Convention
    """

    agents: tuple[str, ...]
    score: Floats
    radius: Floats
    e_value: Floats
    wins: Floats
    battles: Ints
    unmet: int
    level: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()

    @property
    def pairs(self) -> int:
        """How many pairs of agents there are."""
        return len(self.agents) * (len(self.agents) - 1) // 2

    @property
    def difference(self) -> Floats:
        """Score of the row minus that of the column."""
        return self.score[:, None] - self.score[None, :]

    @property
    def beats(self) -> Bools:
        """Whether the row certainly wins more often against the column than it loses: exact, ties left out."""
        share = (1 - self.level) / (2 * self.pairs if self.pairs > 1 else 1)
        found: Bools = (self.e_value >= 1 / share) & (self.wins > self.wins.T)
        return found

    @property
    def above(self) -> Bools:
        """Whether the score of the row is certainly above that of the column; of two agents, whether it beats it."""
        return self.beats if len(self.agents) == 2 else self.difference > self.radius

    @property
    def best(self) -> Ints:
        """The best rank of every agent: one more than are certainly above it."""
        return 1 + self.above.sum(axis=0)

    @property
    def worst(self) -> Ints:
        """The worst rank of every agent."""
        return len(self.agents) - self.above.sum(axis=1)

    @property
    def answer(self) -> str:
        """The short answer."""
        first, n = [name for name, rank in zip(self.agents, self.best, strict=True) if rank == 1], len(self.agents)
        at = f"by mean win rate, whenever one looks ({confidence(self.level)})"
        if len(first) == 1:
            return f"{quoted(first[0])} is certainly first of {n:,} agents {at}."
        who = (
            f"any of {n:,} agents" if len(first) == n else f"one of {len(first):,} of {n:,} agents: {listed(first, 8)},"
        )
        return f"First is {who} {at}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first, which orders and wins are certain, what never met, the condition and the price."""
        certain, wins = int(self.above.sum()), int(self.beats.sum())
        found: tuple[str, ...]
        if len(self.agents) == 2:
            found = (
                f"Betting against the two being equal has made {self.e_value[0, 1]:,.4g} of one; {1 / (1 - self.level):,.4g} is certain.",
            )
        else:
            met = self.pairs - self.unmet
            found = (
                f"{certain:,} of {counted(self.pairs, 'pair')} of agents are in a certain order by mean win rate.",
                f"Head to head, {wins:,} of {counted(met, 'pair')} that met are certainly won by one of the two.",
            )
        unmet = f"{counted(self.unmet, 'pair')} never met and may have any win rate, which widens every score."
        return (self.answer, *found, *((unmet,) if self.unmet else ()), CONDITION, PRICE)

    def test(self, claim: str) -> ClaimTest:
        """Return whether the data support a claim such as ``"A > B"``, ``"A is first"`` or ``"A is in the top 3"``, at every look."""
        said = claim_of(claim, self.agents)
        i = self.agents.index(said.agent)
        if said.below is not None:
            j = self.agents.index(said.below)
            supported = bool(self.above[i, j])
            off = f", give or take {100 * self.radius[i, j]:.3g}" if len(self.agents) > 2 else ""
            why = f"by mean win rate, the first less the second is {100 * self.difference[i, j]:+.3g} percentage points{off}"
        else:
            best, worst = int(self.best[i]), int(self.worst[i])
            supported = best == len(self.agents) if said.last else worst <= (said.top or 1)
            why = (
                f"by mean win rate, its rank is {best}"
                if best == worst
                else f"by mean win rate, its rank may be {best} to {worst}"
            )
        verdict = f"{quoted(said.text)} is {'supported' if supported else 'not supported'}"
        return ClaimTest(said, supported, f"{verdict}: {why} (at every look, {confidence(self.level)}).", (CONDITION,))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, best first."""
        beats, best, worst = self.beats, self.best, self.worst
        return [
            {
                "agent": self.agents[i],
                "score": float(self.score[i]),
                "best": int(best[i]),
                "worst": int(worst[i]),
                "beats": int(beats[i].sum()),
                "loses_to": int(beats[:, i].sum()),
                "battles": int(self.battles[i]),
            }
            for i in sorted(range(len(self.agents)), key=lambda i: (-self.score[i], self.agents[i]))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "anytime_resolution",
            "answer": self.answer,
            "sentences": list(self.sentences),
            "level": self.level,
            "ranks": self.rows(),
            "pairs": self.pairs,
            "resolved_pairs": int(self.above.sum()),
            "unmet": self.unmet,
            "above": self._named(self.above),
            "beats": self._named(self.beats),
            "e_value": json_number(self.e_value[0, 1]) if len(self.agents) == 2 else None,
            "settings": dict(self.settings),
            "conventions": [made.to_dict() for made in self.conventions],
        }

    def _named(self, which: Bools) -> list[list[str]]:
        return [[self.agents[i], self.agents[j]] for i, j in np.argwhere(which).tolist()]


def anytime_resolution(profile: Profile, *, level: float) -> AnytimeResolution:
    """Say what a profile of battles resolves at every look at once."""
    evidence, settled, pairs = profile.evidence, profile.settled, profile.pairs
    n = len(evidence.agents)
    if evidence.kind not in ("battles", "pairs") or settled is None or pairs is None:
        raise UsageError(
            f"`anytime` takes battles or counts of them, one after the other; these are {evidence.kind}, all of whose pairs come "
            "at once. Leave it out."
        )
    if not 2 <= n <= COMPARED:
        raise DataError(f"`anytime` compares 2 to {COMPARED:,} agents; here are {n:,}. Choose some with `only`.")
    if getattr(profile.source, "weight", None) is not None or not np.allclose(pairs.counts.sum(axis=1), pairs.battles):
        raise UsageError("`anytime` takes battles that all count the same; these have weights. Leave the weights out.")
    battles = settled.counts.sum(axis=1)
    met = battles > 0
    a, b = settled.a[met], settled.b[met]
    error = (1 - level) / (1 if n == 2 else 2) / (n * (n - 1) / 2)
    gap, radius = differences(a, b, battles[met], settled.counts[met, 0], n, error)
    e_value, wins = np.ones((n, n)), np.zeros((n, n))
    wins[pairs.a, pairs.b], wins[pairs.b, pairs.a] = pairs.counts[:, 0], pairs.counts[:, 1]
    e_value[pairs.a, pairs.b] = [head_to_head_e_value(w, l) for w, l in pairs.counts[:, :2].tolist()]
    e_value[pairs.b, pairs.a] = e_value[pairs.a, pairs.b]
    played = np.bincount(pairs.a, pairs.battles, n) + np.bincount(pairs.b, pairs.battles, n)
    settings = {"anytime": True, "level": level, "estimand": "mean_win_rate", "kind": evidence.kind}
    return AnytimeResolution(
        evidence.agents,
        gap.mean(axis=1) + 0.5,
        radius,
        e_value,
        wins,
        played.astype(np.int64),
        n * (n - 1) // 2 - int(met.sum()),
        level,
        settings,
        profile.conventions,
    )
