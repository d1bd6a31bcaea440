"""The result of `items`: what is known of every item and agent, and a small set of items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from beatpath._result import Record, TableResult
from beatpath._text import counted, listed, percent
from beatpath.evidence import Convention
from beatpath.inference.items.subset import MOST_AGENTS, SHUFFLED, Subset

# Why an item is flagged.
REVERSED, SUSPECT, COPY = "better agents score lower", "better agents may score lower", "repeats another"
NOBODY, EVERYBODY, SAME = "nobody solves it", "everybody solves it", "the same score for all"
REASONS = (REVERSED, COPY, SUSPECT, NOBODY, SAME, EVERYBODY)  # most urgent first
CONDITIONS = (
    "Conditions: given their abilities, agents answer independently of each other. Agents of one family share mistakes: they agree "
    "more than independent agents would, on wrong items and on copies too."
)


@dataclass(frozen=True, slots=True)
class Item(Record):
    """One item.

    Attributes
    ----------
    item : str
        Its name, after that of its task where there are several.
    flag : str
        Why the item is flagged for inspection; empty if it is not.
    agents : int
        Agents that have a score on it.
    mean : float
        Their mean score.
    same_at_top : bool
        Whether the best agents all have the same score.
    correlation : float
        Correlation with the mean lead of the same agents on the other items; NaN where all scores are the same.
    p, adjusted_p : float
        One-sided p-value of a negative correlation, exact given the number of high answers, and adjusted by Holm for all items.
    difficulty : float
        In log odds of the Rasch model, 0 that of an agent of mean ability; NaN where the model is not identified.
    copy_of : str or None
        The first item with the same scores, where that is no coincidence.
    """

    item: str
    flag: str
    agents: int
    mean: float
    same_at_top: bool
    correlation: float
    p: float
    adjusted_p: float
    difficulty: float
    copy_of: str | None


@dataclass(frozen=True, slots=True)
class ItemAgent(Record):
    """One agent.

    Attributes
    ----------
    agent : str
        Its name.
    mean_score : float
        Over the items that it has.
    ability : float
        In log odds of the Rasch model, 0 on average; NaN where the model is not identified.
    fit : float
        How well difficulty predicts its answers, in standard deviations of agents of its ability; low is odd. NaN where unknown.
    p, adjusted_p : float
        One-sided p-value that it is odd, and adjusted by Holm for all agents.
    """

    agent: str
    mean_score: float
    ability: float
    fit: float
    p: float
    adjusted_p: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Items(TableResult):
    """Which items tell agents apart, which look wrong, which repeat another, and how few keep the certain orders.

    Attributes
    ----------
    items : tuple of Item
        Flagged ones first.
    agents : tuple of ItemAgent
        Best first.
    effective : float
        Number of equally informative independent items that would give mean scores the same standard errors.
    smallest_p : float
        The smallest p-value that an item could have with this many agents, adjusted for all items.
    model : str
        What the Rasch model covers, or that it is not identified.
    subset : Subset or None
        A small set of items that keeps the certain orders; None where no order is certain.
    level : float
        Confidence level of the certain orders; each family of tests has a family-wise error rate of ``1 - level``.
    settings : mapping
        All settings.
    conventions : tuple of Convention
        How scores were read.
    """

    items: tuple[Item, ...]
    agents: tuple[ItemAgent, ...]
    effective: float
    smallest_p: float
    model: str
    subset: Subset | None
    level: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per item; flagged ones first."""
        return [one.to_dict() for one in self.items]

    def flagged(self, *reasons: str) -> tuple[str, ...]:
        """Return the items flagged for one of these reasons, or for any."""
        return tuple(one.item for one in self.items if one.flag in (reasons or REASONS))

    @property
    def odd(self) -> tuple[str, ...]:
        """The agents whose answers difficulty predicts worse than those of others."""
        return tuple(one.agent for one in self.agents if one.adjusted_p <= 1 - self.level)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the items are worth, then every finding, the model and the conditions."""
        many = {text: len(self.flagged(*some)) for text, some in (
            ("{} tell no agents apart", (NOBODY, EVERYBODY, SAME)),
            ("{} may be scored the wrong way round", (REVERSED,)),
            ("{} copied from another", (COPY,)),
        )}  # fmt: skip
        what = ", ".join(text.format(f"{number:,}") for text, number in many.items() if number)
        worth = f"The {self._counted(len(self.items))} are worth {self.effective:,.3g} equally informative ones"
        findings = (self._same(), self._reversed(), self._copies(), self._subset(), self._odd())
        return (f"{worth}{what and ': '}{what}.", *filter(None, findings), self.model, CONDITIONS)

    def _counted(self, number: int) -> str:
        return counted(number, self.settings["per"])

    def _same(self) -> str:
        nobody, everybody, same = (len(self.flagged(one)) for one in (NOBODY, EVERYBODY, SAME))
        solved = f"{self._counted(nobody)} solved by nobody, {everybody:,} by everybody"
        whole = f"{self._counted(same)} with the same score for all" if same else solved
        top, best = sum(one.same_at_top for one in self.items), f"{self.settings['top']} best agents apart."
        if not top:
            return f"Every {self.settings['per']} tells some of the {best}"
        return f"{whole}; {top:,} of {len(self.items):,} do not tell the {best}"

    def _reversed(self) -> str:
        wrong, suspect, error = self.flagged(REVERSED), len(self.flagged(SUSPECT)), 1 - self.level
        tests = sum(bool(np.isfinite(one.p)) for one in self.items)
        if wrong:
            which = f"{self._counted(len(wrong))} of {tests:,} ({percent(error)} chance of any false alarm): {listed(wrong)}"
            return f"Better agents score lower on {which}."
        if self.smallest_p > error:
            return f"{len(self.agents):,} agents are too few to show that better agents score lower on any of {self._counted(tests)}."
        chance = f"where {error * tests:.3g} would be expected by chance if no item were related to the others"
        alone = f"; tested one by one, {suspect:,} {'looks' if suspect == 1 else 'look'} so, {chance}" * bool(suspect)
        return f"Better agents certainly score lower on none of {self._counted(tests)}{alone}."

    def _copies(self) -> str:
        copies = self.flagged(COPY)
        return f"The scores of an earlier one are repeated, beyond coincidence, by {listed(copies)}." if copies else ""

    def _subset(self) -> str:
        subset = self.subset
        if subset is None:
            few = len(self.agents) <= MOST_AGENTS
            return "" if few else f"A small set is not searched with over {MOST_AGENTS} agents."
        per = self.settings["per"]
        text = f"{len(subset.items):,} of {self._counted(len(self.items))} keep all {counted(subset.pairs, 'certain order')}."
        if np.isfinite(subset.held_out):
            text += (
                f" Chosen on half of the agents, {subset.held_out_size:.0f} {per}s keep {percent(subset.held_out)} of the orders among the "
                f"others, and as many random {per}s {percent(subset.random)}."
            )
        if 2 * len(subset.items) > len(self.items):
            return text
        return f"{text} As a control, twice as many {per}s keep all orders of shuffled agents in {subset.shuffled} of {SHUFFLED} draws."

    def _odd(self) -> str:
        who = f"more than others of the same ability: {listed(self.odd)}"
        return f"{counted(len(self.odd), 'agent')} solved hard ones and failed easy ones {who}." if self.odd else ""
