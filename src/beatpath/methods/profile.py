"""A profile: the one thing every voting rule takes, made from any evidence by named conventions."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._typing import BothBad, PairWeight, Ties
from beatpath.evidence import Ballots, Battles, Convention, Evidence, Margins, Pairs, Scores, WinRates
from beatpath.evidence.arrays import trusted
from beatpath.evidence.condorcet import Condorcet, condorcet_of_ballots, winners, won_and_lost
from beatpath.evidence.conventions import DEFAULT, Conventions, convention, task_weights
from beatpath.evidence.pairs import margin_matrix, settling, two_outcomes, win_matrix
from beatpath.evidence.ties import net_table

if TYPE_CHECKING:
    from beatpath.methods.result import Ranking

Source = Ballots | Battles | Pairs | Margins | WinRates
Weighable = TypeVar("Weighable", bound=Battles | Ballots)


@dataclass(frozen=True, eq=False)
class Profile:
    """What voters, or battles, say of the agents; counted when first requested, once for all who ask.

    Attributes
    ----------
    agents : tuple of str
    source : Ballots, Battles, Pairs, Margins or WinRates
        With task weights in the weights, and unranked agents as the policy says.
    ties, both_bad, pair_weight : str
        Conventions by which counts become wins.
    scores : Scores or None
        Present for score tables, which `source` holds as ballots.
    original : Evidence, optional
        What the source was made of, where that is something else.
    chosen : Conventions
        By which it was made.
    rankings : dict of method to Ranking
        What methods found without settings, so that none is run twice.
    estimates : dict
        What was estimated of it, by what was asked, so that nothing is estimated twice.
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
        """What the profile was made of."""
        return self.source if self.original is None else self.original

    @property
    def ballots(self) -> Ballots | None:
        """The ballots, where there are rankings or a score table."""
        return self.source if isinstance(self.source, Ballots) else None

    @property
    def battles(self) -> Battles | None:
        """The battles row by row, where there are any."""
        return self.source if isinstance(self.source, Battles) else None

    @cached_property
    def pairs(self) -> Pairs | None:
        """Counts by pair, ties apart; none for margins and win rates."""
        if isinstance(self.source, Margins | WinRates):
            return None
        return self.source.pairs().by()

    @cached_property
    def settled(self) -> Pairs | None:
        """Wins and losses by pair, ties settled; a win rate counts as one battle, margins have no counts."""
        if isinstance(self.source, WinRates):
            return _one_battle_a_pair(self.source)
        if self.pairs is None:
            return None
        settled = self.pairs.two_way(ties=self.ties, both_bad=self.both_bad)
        if self.pair_weight == "count":
            return settled
        total = settled.counts.sum(axis=1, keepdims=True)  # each pair that met adds up to one
        share = np.divide(settled.counts, total, out=np.zeros_like(settled.counts), where=total > 0)
        return Pairs(settled.agents, settled.a, settled.b, share, conventions=settled.conventions)

    @cached_property
    def margins(self) -> Margins:
        """Weighted preferences for a over b minus those for b over a."""
        if isinstance(self.source, Margins):
            return self.source
        if self._tabled is not None:
            matrix, allowed = net_table(self.wins)
            return Margins(matrix, self.agents, self.wins + self.wins.T > 0, self.conventions, allowed=allowed)
        assert self.settled is not None
        return margin_matrix(self.settled)

    @cached_property
    def wins(self) -> Floats:
        """Weighted preferences for a over b, (n, n); of margins without counts their positive part."""
        if self._tabled is not None:
            return self._tabled.win_table(two_outcomes(self.ties))
        return np.maximum(self.margins.matrix, 0.0) if self.settled is None else win_matrix(self.settled)

    @property
    def _tabled(self) -> Ballots | None:
        """The ballots, where wins are counted on a table of all pairs: they fill one, and nobody has listed the pairs."""
        listed = "pairs" in vars(self) or self.pair_weight != "count"
        return None if listed or self.ballots is None or not self.ballots.fill_a_table() else self.ballots

    @cached_property
    def conventions(self) -> tuple[Convention, ...]:
        """Every choice made between the evidence and the wins."""
        conventions = self.source.conventions
        if self.ballots is not None:
            both_bad = "drop" if self.both_bad == "keep" else self.both_bad
            settled = settling(two_outcomes(self.ties), both_bad, self.ballots.tied())
            return (*conventions, *(one for one in settled if one not in conventions))
        if self.pairs is None or self.settled is None:
            return conventions
        later = tuple(one for one in self.settled.conventions if one not in conventions)
        return (*conventions, *later, convention("pair_weight", self.pair_weight))

    @cached_property
    def won_and_lost(self) -> tuple[Ints, Ints]:
        """How many rivals each agent beats, and to how many it loses; without a list of pairs where that would be long."""
        if "margins" in vars(self):
            return won_and_lost(self.margins)
        if self.ballots is not None and self.ballots.is_long:
            return won_and_lost(self.ballots)
        return won_and_lost(self.margins if self.settled is None else self.settled)

    @cached_property
    def condorcet(self) -> Condorcet:
        """The agent that beats all others, and those that lose to nobody; ballots whose pairs nobody counted need no count."""
        if self._tabled is not None and "margins" not in vars(self) and not self._tabled.is_long:
            return condorcet_of_ballots(self._tabled)
        return winners(self.agents, *self.won_and_lost)

    def score_table(self) -> tuple[Floats, tuple[str, ...], str]:
        """Return the scores by agent and voter, higher better, NaN where there are none, the voters, and what is done about holes.

        Tasks with holes are left out where these are to be dropped.
        """
        assert self.scores is not None
        conventions = {one.name: one.value for one in self.conventions}
        per, missing = conventions.get("per", "task"), conventions.get("missing", "unranked")
        table, voters = self.scores.table(per)
        table = table * self.scores.voter_signs(per)
        hole = np.isnan(table)
        keep = np.asarray(~hole.any(axis=0)) | (missing != "drop_task")
        return table[:, keep], tuple(name for name, used in zip(voters, keep, strict=True) if used), missing

    def need_ballots(self, method: str) -> Ballots:
        """Return the ballots, or raise with the rules that do without."""
        if self.ballots is None:
            from beatpath.methods.registry import METHODS

            able = [name for name, one in METHODS.items() if "battles" in one.takes]
            raise DataError(
                f"{method} needs rankings or score tables; battles say only who beats whom in pairs. "
                f"These rules take battles: {', '.join(able)}."
            )
        return self.ballots

    def need_counts(self, method: str) -> Pairs:
        """Return wins and losses by pair, or raise: margins have none."""
        if self.settled is None:
            raise DataError(f"{method} needs wins and losses; margins hold only their difference. Give pair counts.")
        return self.settled


def profile_of(evidence: Evidence, chosen: Conventions = DEFAULT) -> Profile:
    """Turn evidence into a profile; every choice made on the way is recorded as a convention."""
    if not evidence.agents:
        raise DataError("there must be at least one agent to rank; the evidence names none.")
    scores = evidence if isinstance(evidence, Scores) else None
    if isinstance(evidence, Scores):
        source: Source = evidence.ballots(
            per=chosen.per, tolerance=chosen.tolerance, missing=chosen.missing, weights=chosen.weights
        )
    elif isinstance(evidence, Battles):
        source = _weighing_one_on_average(weighted(evidence, chosen.weights))
    elif isinstance(evidence, Ballots):
        source = weighted(evidence, chosen.weights)
    elif chosen.weights and isinstance(evidence, Pairs):
        raise UsageError("`weights` weigh tasks; pair counts that are not split by task have none.")
    else:
        source = evidence
    pair_weight = chosen.pair_weight
    if isinstance(source, Ballots):
        if not len(source):
            raise DataError(
                "there must be at least one ballot; there is none. With `missing='drop_task'` no task may be left."
            )
        source, pair_weight = source.with_unranked(chosen.unranked), "count"
    return Profile(
        evidence.agents, source, chosen.ties, chosen.both_bad, pair_weight, scores, original=evidence, chosen=chosen
    )


def _one_battle_a_pair(rates: WinRates) -> Pairs:
    """Each pair that met as one battle, split as its rate says."""
    a, b = np.nonzero(np.triu(~np.isnan(rates.matrix), 1))
    share = rates.matrix[a, b]
    counts = np.stack([share, 1 - share, np.zeros_like(share), np.zeros_like(share)], axis=1)
    return Pairs(rates.agents, a.astype(np.int32), b.astype(np.int32), counts, conventions=rates.conventions)


def _weighing_one_on_average(battles: Battles) -> Battles:
    """Rescale weights to a mean of one: three battles of weight 1000 are three battles."""
    weight = battles.weight
    if weight is None or not len(weight) or not weight.mean() or (weight == 1).all():
        return battles
    return trusted(battles, weight=weight / weight.mean())


def weighted(evidence: Weighable, weights: Mapping[str, float] | None) -> Weighable:
    """Return battles or ballots whose weight is multiplied by that of their task; ballots without tasks have voters."""
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
