"""The profile: the common input of all methods, derived from any evidence by recorded conventions."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._typing import BothBad, PairWeight, Ties
from beatpath.evidence import Ballots, Battles, Convention, Evidence, Margins, Pairs, Scores, WinRates
from beatpath.evidence.condorcet import Condorcet, condorcet_of_ballots, winners, won_and_lost
from beatpath.evidence.conventions import DEFAULT, Conventions, convention, task_weights
from beatpath.evidence.pairs import margin_matrix, settling, two_outcomes, win_matrix
from beatpath.evidence.ties import net_table

if TYPE_CHECKING:
    from beatpath.methods.result import Ranking

# evidence that a profile counts from; score tables become ballots first
Source = Ballots | Battles | Pairs | Margins | WinRates
Weighable = TypeVar("Weighable", bound=Battles | Ballots)


@dataclass(frozen=True, eq=False)
class Profile:
    """The common input of all methods.

    It holds evidence with its conventions, and counts that are computed on first use and cached.

    Attributes
    ----------
    agents : tuple of str
        Agent names.
    source : Ballots, Battles, Pairs, Margins or WinRates
        The evidence, with task weights and the policy for unranked agents applied.
    ties, both_bad, pair_weight : str
        Conventions by which counts become wins.
    scores : Scores or None
        The score table, if there is one; `source` holds it as ballots.
    original : Evidence, optional
        The evidence that `source` derives from, if different.
    chosen : Conventions
        The conventions that were applied.
    rankings : dict of str to Ranking
        Cache of the results of methods run without settings.
    estimates : dict
        Cache of estimates, by their options.
    """

    agents: tuple[str, ...]
    source: Source
    ties: Ties = "half"
    both_bad: BothBad = "tie"
    pair_weight: PairWeight = "count"
    scores: Scores | None = None
    original: Evidence | None = None
    chosen: Conventions = DEFAULT
    rankings: "dict[str, Ranking]" = field(default_factory=dict, init=False, repr=False)
    estimates: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def evidence(self) -> Evidence:
        """The evidence that the profile derives from."""
        return self.source if self.original is None else self.original

    @property
    def ballots(self) -> Ballots | None:
        """The ballots, if the evidence has rankings or a score table."""
        return self.source if isinstance(self.source, Ballots) else None

    @property
    def battles(self) -> Battles | None:
        """The individual battles, if there are any."""
        return self.source if isinstance(self.source, Battles) else None

    @property
    def unit(self) -> str:
        """What one comparison of two agents comes from: a battle, a ballot, or the task or item of a table of scores."""
        if self.scores is not None:
            return self.scores.who_votes(self.chosen.per)
        return "battle" if self.ballots is None else "ballot"

    @cached_property
    def pairs(self) -> Pairs | None:
        """Counts per pair with ties apart; ``None`` for margins and win rates."""
        if isinstance(self.source, Margins | WinRates):
            return None
        return self.source.pairs().by()

    @cached_property
    def settled(self) -> Pairs | None:
        """Wins and losses per pair with ties settled; a win rate counts as one battle, margins have none."""
        if isinstance(self.source, WinRates):
            return _one_battle_a_pair(self.source)
        if self.pairs is None:
            return None
        settled = self.pairs.two_way(ties=self.ties, both_bad=self.both_bad)
        if self.pair_weight == "count":
            return settled
        total = settled.counts.sum(axis=1, keepdims=True)  # every pair that was compared directly sums to one
        share = np.divide(settled.counts, total, out=np.zeros_like(settled.counts), where=total > 0)
        return Pairs(settled.agents, settled.a, settled.b, share, conventions=settled.conventions)

    @property
    def settled_both_bad(self) -> str:
        """What "both bad" counts as where only wins, losses and ties are told apart."""
        return "drop" if self.both_bad == "keep" else self.both_bad

    @cached_property
    def margins(self) -> Margins:
        """Total weight of the preferences for *a* over *b* minus those for *b* over *a*."""
        if isinstance(self.source, Margins):
            return self.source
        if self._dense_ballots is not None:
            matrix, allowed = net_table(self.wins)
            return Margins(matrix, self.agents, self.wins + self.wins.T > 0, self.conventions, allowed=allowed)
        assert self.settled is not None
        return margin_matrix(self.settled)

    @cached_property
    def wins(self) -> Floats:
        """Total weight of the preferences for *a* over *b*, shape (n, n).

        Margins without counts give their positive part.
        """
        if self._dense_ballots is not None:
            return self._dense_ballots.win_table(two_outcomes(self.ties))
        return np.maximum(self.margins.matrix, 0.0) if self.settled is None else win_matrix(self.settled)

    @property
    def _dense_ballots(self) -> Ballots | None:
        """The ballots, if wins are counted in a dense table: the ballots fill one, and the pairs are not listed yet."""
        listed = "pairs" in vars(self) or self.pair_weight != "count"
        return None if listed or self.ballots is None or not self.ballots.fits_dense_table() else self.ballots

    @cached_property
    def conventions(self) -> tuple[Convention, ...]:
        """All conventions applied between the evidence and the wins."""
        conventions = self.source.conventions
        if self.ballots is not None:
            settled = settling(two_outcomes(self.ties), self.settled_both_bad, self.ballots.tied())
            return (*conventions, *(one for one in settled if one not in conventions))
        if self.pairs is None or self.settled is None:
            return conventions
        later = tuple(one for one in self.settled.conventions if one not in conventions)
        return (*conventions, *later, convention("pair_weight", self.pair_weight))

    @cached_property
    def won_and_lost(self) -> tuple[Ints, Ints]:
        """Number of rivals each agent beats, and number it loses to; avoids a long list of pairs."""
        if "margins" in vars(self):
            return won_and_lost(self.margins)
        if self.ballots is not None and self.ballots.is_long:
            return won_and_lost(self.ballots)
        return won_and_lost(self.margins if self.settled is None else self.settled)

    @cached_property
    def condorcet(self) -> Condorcet:
        """The Condorcet winners; for ballots whose pairs are not counted yet, computed without counting them."""
        if self._dense_ballots is not None and "margins" not in vars(self) and not self._dense_ballots.is_long:
            return condorcet_of_ballots(self._dense_ballots)
        return winners(self.agents, *self.won_and_lost)

    def score_table(self) -> tuple[Floats, tuple[str, ...], str]:
        """Return scores by agent and voter (higher is better, NaN if missing), the voters, and the missing policy.

        With the policy "drop_task", tasks with missing scores are left out.
        """
        assert self.scores is not None
        conventions = {one.name: one.value for one in self.conventions}
        per, missing = conventions.get("per", "task"), conventions.get("missing", "unranked")
        table, voters = self.scores.table(per)
        table = table * self.scores.voter_signs(per)
        hole = np.isnan(table)
        keep = np.asarray(~hole.any(axis=0)) | (missing != "drop_task")
        return table[:, keep], tuple(name for name, used in zip(voters, keep, strict=True) if used), missing

    def require_ballots(self, method: str) -> Ballots:
        """Return the ballots, or raise an error that lists the rules that do not need them."""
        if self.ballots is None:
            from beatpath.methods.registry import METHODS

            able = [name for name, one in METHODS.items() if "battles" in one.takes]
            raise DataError(
                f"{method} needs rankings or score tables; battles say only who beats whom in pairs. "
                f"These rules take battles: {', '.join(able)}."
            )
        return self.ballots

    def require_battles(self, method: str) -> Battles:
        """Return the battles, or raise an error for evidence that has no order in time."""
        if self.battles is None:
            raise DataError(
                f"{method} needs battles in the order of time; this evidence is counts or rankings without one. "
                "Use bradley_terry, which needs no order."
            )
        return self.battles

    def need_counts(self, method: str) -> Pairs:
        """Return wins and losses per pair, or raise an error for margins, which have none."""
        if self.settled is None:
            raise DataError(
                f"{method} needs wins and losses; margins hold only their difference. Give battles, pairs or win rates."
            )
        return self.settled


def profile_of(evidence: Evidence, chosen: Conventions = DEFAULT) -> Profile:
    """Build the profile of evidence; every convention applied on the way is recorded.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        The data to rank.
    chosen : Conventions
        How ties, missing scores, weights and so on count.

    Returns
    -------
    Profile

    Raises
    ------
    DataError
        If there is no agent, or no ballot is left.
    UsageError
        If `weights` are given for evidence that has no tasks.
    """
    if not evidence.agents:
        raise DataError("there must be at least one agent to rank; the evidence names none.")
    chosen.require_concern(evidence.kind)
    scores = evidence if isinstance(evidence, Scores) else None
    if scores is not None:
        scores.require_one_metric()
    if isinstance(evidence, Scores):
        source: Source = evidence.ballots(
            per=chosen.per, tolerance=chosen.tolerance, missing=chosen.missing, weights=chosen.weights
        )
    elif isinstance(evidence, Battles | Ballots):
        source = weighted(evidence, chosen.weights)
    elif chosen.weights and isinstance(evidence, Pairs):
        raise UsageError("`weights` weigh tasks; pair counts that are not split by task have none.")
    else:
        source = evidence
    pair_weight = chosen.pair_weight
    if isinstance(source, Ballots):
        if not len(source):
            if scores is not None and len(scores):
                raise DataError(
                    "there must be at least one task with scores of all agents; `--missing drop_task` leaves none."
                )
            raise DataError(f"there must be at least one {'ballot' if scores is None else 'score'}; there is none.")
        source, pair_weight = source.with_unranked(chosen.unranked), "count"
    return Profile(
        evidence.agents, source, chosen.ties, chosen.both_bad, pair_weight, scores, original=evidence, chosen=chosen
    )


def _one_battle_a_pair(rates: WinRates) -> Pairs:
    """Convert each pair that was compared directly to one battle, split by its win rate."""
    a, b = np.nonzero(np.triu(~np.isnan(rates.matrix), 1))
    share = rates.matrix[a, b]
    counts = np.stack([share, 1 - share, np.zeros_like(share), np.zeros_like(share)], axis=1)
    return Pairs(rates.agents, a.astype(np.int32), b.astype(np.int32), counts, conventions=rates.conventions)


def weighted(evidence: Weighable, weights: Mapping[str, float] | None) -> Weighable:
    """Multiply the weights of battles or ballots by those of their tasks; ballots without tasks use voters."""
    if not weights:
        return evidence
    if isinstance(evidence, Battles):
        factor = evidence.factor("task")
    else:
        named = evidence.factors.get("task") or evidence.factors.get("voter")
        if named is None:
            raise UsageError("`weights` weigh tasks or voters by name; these ballots name neither.")
        factor = named
    by_task, task_convention = task_weights(factor.levels, weights)
    weight = np.append(by_task, 1.0)[factor.codes] * (1.0 if evidence.weight is None else evidence.weight)
    return replace(evidence, weight=weight, conventions=(*evidence.conventions, task_convention))
