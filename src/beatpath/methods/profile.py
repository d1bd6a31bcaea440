"""A profile: the one thing every voting rule takes, made from any evidence by named conventions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath.evidence import Ballots, Battles, Convention, Evidence, Margins, Pairs, Scores, WinRates
from beatpath.evidence.conventions import convention
from beatpath.evidence.weights import task_weights


@dataclass(frozen=True, eq=False)
class Profile:
    """What voters, or battles, say of the agents: margins always, ballots and scores where there are any.

    Attributes
    ----------
    agents : tuple of str
    margins : Margins
        Weighted preferences for a over b minus those for b over a.
    wins : (n, n) float
        Weighted preferences for a over b; a tie adds half to both, unless it was dropped. For margins without counts,
        their positive part, which is also the default.
    ballots : Ballots or None
        Present for rankings and score tables, with task weights in their weights and unranked agents as the policy says.
    scores : Scores or None
        Present for score tables.
    """

    agents: tuple[str, ...]
    margins: Margins
    wins: NDArray[np.float64] = None  # type: ignore[assignment]
    ballots: Ballots | None = None
    scores: Scores | None = None
    pairs: Pairs | None = None
    conventions: tuple[Convention, ...] = ()

    def __post_init__(self) -> None:
        if self.wins is None:
            object.__setattr__(self, "wins", np.maximum(self.margins.matrix, 0.0))

    def need_ballots(self, method: str) -> Ballots:
        """Return the ballots, or raise with the rules that do without."""
        if self.ballots is None:
            from beatpath.methods.registry import METHODS

            able = [name for name, made in METHODS.items() if "battles" in made.takes]
            raise DataError(
                f"{method} needs rankings or score tables; battles say only who beats whom in pairs. "
                f"These rules take battles: {', '.join(able)}."
            )
        return self.ballots


def profile_of(
    evidence: Evidence,
    *,
    ties: str = "half",
    both_bad: str = "tie",
    strength: str = "count",
    unranked: str = "ignore",
    missing: str = "unranked",
    per: str = "auto",
    tolerance: float = 0.0,
    weights: Mapping[str, float] | None = None,
) -> Profile:
    """Turn evidence into a profile; every choice made on the way is recorded as a convention."""
    if not evidence.agents:
        raise DataError("there must be at least one agent to rank; the evidence names none.")
    if isinstance(evidence, Margins):
        return Profile(evidence.agents, evidence, conventions=evidence.conventions)
    if isinstance(evidence, WinRates):
        return _rated(evidence, None, evidence.conventions)
    if isinstance(evidence, Battles):
        return _counted(_weighted_battles(evidence, weights).pairs(), ties, both_bad, strength)
    if isinstance(evidence, Pairs):
        if weights:
            raise UsageError("`weights` weigh tasks; pair counts that are not split by task have none.")
        return _counted(evidence.by(), ties, both_bad, strength)
    scores = evidence if isinstance(evidence, Scores) else None
    if isinstance(evidence, Scores):
        ballots = evidence.ballots(per=per, tolerance=tolerance, missing=missing, weights=weights)
    else:
        ballots = _weighted_ballots(evidence, weights)
    if not len(ballots):
        raise DataError(
            "there must be at least one ballot; there is none. With `missing='drop_task'` no task may be left."
        )
    ballots = ballots.with_unranked(unranked)
    pairs = ballots.pairs()
    margins = pairs.margins(ties=ties, both_bad=both_bad)
    made = [c for c in margins.conventions if c not in ballots.conventions and c.name != "unranked"]
    wins = pairs.wins(ties=ties, both_bad=both_bad)
    return Profile(evidence.agents, margins, wins, ballots, scores, pairs, (*ballots.conventions, *made))


def _counted(pairs: Pairs, ties: str, both_bad: str, strength: str) -> Profile:
    """A profile of battles: by their counts, or by the share of each pair."""
    made = convention("strength", strength)
    if strength == "rate":
        rates = pairs.win_rates(ties=ties, both_bad=both_bad)
        return _rated(rates, pairs, (*rates.conventions, made))
    margins = pairs.margins(ties=ties, both_bad=both_bad)
    wins = pairs.wins(ties=ties, both_bad=both_bad)
    return Profile(pairs.agents, margins, wins, pairs=pairs, conventions=(*margins.conventions, made))


def _rated(rates: WinRates, pairs: Pairs | None, conventions: tuple[Convention, ...]) -> Profile:
    """A profile in which every pair that met is one vote."""
    wins = np.nan_to_num(rates.matrix * ~np.eye(len(rates.agents), dtype=bool))
    return Profile(rates.agents, rates.margins(), wins, pairs=pairs, conventions=conventions)


def _weighted_battles(battles: Battles, weights: Mapping[str, float] | None) -> Battles:
    """Battles whose weight is multiplied by that of their task."""
    if not weights:
        return battles
    factor = battles.factor("task")
    by_task, made = task_weights(factor.levels, weights)
    weight = np.append(by_task, 1.0)[factor.codes] * (1.0 if battles.weight is None else battles.weight)
    return replace(battles, weight=weight, conventions=(*battles.conventions, made))


def _weighted_ballots(ballots: Ballots, weights: Mapping[str, float] | None) -> Ballots:
    """Ballots whose weight is multiplied by that of their task, or of their voter."""
    if not weights:
        return ballots
    factor = ballots.factors.get("task") or ballots.factors.get("voter")
    if factor is None:
        raise UsageError("`weights` weigh tasks or voters by name; these ballots name neither.")
    by_task, made = task_weights(factor.levels, weights)
    weight = np.append(by_task, 1.0)[factor.codes] * (1.0 if ballots.weight is None else ballots.weight)
    return replace(ballots, weight=weight, conventions=(*ballots.conventions, made))
