r"""Which items to run next, and whether a claim about two agents is settled, however often one looks.

Of *m* items one agent, the base, has scores :math:`b_i`; those of the other, :math:`x_i`, come one by one in random order. With
:math:`R` the items that are left, :math:`p_i` predictions of :math:`x_i` from the past, and *i* drawn from :math:`R` evenly,

.. math::  Z = \frac1m \Bigl( \sum_{j \notin R} (x_j - b_j) + \sum_{j \in R} (p_j - b_j) + |R| (x_i - p_i) \Bigr)

has the mean difference of all *m* items as its expectation, whatever the predictions, and known bounds: `bounded_bets` applies, exactly.
Good predictions make :math:`Z` vary less. They are those of a Rasch model: difficulties by the other agents, the ability by the answers so
far. Drawing items that split agents more often, weighted by inverse probabilities, also widens the bounds of :math:`Z`, and gains little.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

from beatpath._arrays import Floats
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._result import Rows, TableResult
from beatpath._text import counted, listed, percent, quoted
from beatpath._validate import generator, require_share, require_whole
from beatpath.evidence import Scores
from beatpath.inference.anytime.boundary import bounded_bets
from beatpath.inference.items.items import unit_of
from beatpath.inference.ranks.claims import Verdict, claims_of

RIDGE = 0.25  # prior information about an ability, in log odds: a standard deviation of two


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NextItems(TableResult):
    """The items to run next, and what those that were run say of a claim.

    Attributes
    ----------
    claim : str
        The claim.
    verdict : {"supported", "not shown", "shown to be false"}
        About all items, at any time: items need not be run any more once it is not "not shown".
    items : tuple of str
        The items to run next, in this order; empty once the claim is settled, or all are run.
    agent : str
        The agent that is to run them.
    run, total : int
        Items that it has run, and of all.
    difference : float
        The estimated difference of mean scores over all items, by the claim.
    e_value : float
        Of the claim against no difference; the claim is supported above ``2 / (1 - level)``.
    settings : mapping
        All settings.
    """

    claim: str
    verdict: Verdict
    items: tuple[str, ...]
    agent: str
    run: int
    total: int
    difference: float
    e_value: float
    settings: Mapping[str, Any]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict, what to run, and what it takes to be valid."""
        after = f"after {counted(self.run, 'item')} of {self.total:,} (estimated difference {self.difference:+.3g})"
        text = f"{quoted(self.claim)} is {self.verdict} {after}."
        if not self.items:
            return (
                f"{text} {'No items are left to run' if self.verdict == 'not shown' else 'No other items are needed'}.",
            )
        low, high = self.settings["range"]
        valid = (
            f"Valid at any time ({percent(self.settings['level'])}) for these {self.total:,} items, if they are run in this order and "
            f"scores stay from {low:g} to {high:g}."
        )
        return (f"{text} Run next, with {quoted(self.agent)}: {listed(self.items)}.", valid)

    def rows(self) -> Rows:
        """Return the items to run next, one row each."""
        return [{"item": item, "agent": self.agent} for item in self.items]


def next_items(evidence: EvidenceLike, claim: str, *, batch: int = 1, level: float = 0.95, seed: int = 0) -> NextItems:
    """Say which items to run next so that a claim settles soon, and whether it is settled, valid at any time.

    Run the items, add their scores, call it again: until the claim is settled. The verdict is about the mean over all items.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        One metric, whose scores stay within the range of those known. One agent of the claim has all items, the other those that it has
        run; scores of other agents make it settle sooner.
    claim : str
        ``"new > base"``.
    batch : int, default 1
        Items to name.
    level : float, default 0.95
        The chance that the claim, or its contrary, is ever supported although there is no difference, is at most ``1 - level``.
    seed : int, default 0
        Of the order of the items; the same at every call.

    Returns
    -------
    NextItems

    Raises
    ------
    DataError
        When items were run in another order, since the verdict would not be valid.

    See Also
    --------
    items : Which items tell agents apart.
    next_pairs : Which pairs of agents to compare next.

    Examples
    --------
    The base solves one item of two, and the new agent has run none: nothing is shown, and three items are named.

    >>> from beatpath import Scores
    >>> table = [[0.0, 1.0] * 10, [np.nan] * 20]
    >>> plan = next_items(Scores.from_table(table, ["base", "new"], [f"q{i:02d}" for i in range(20)]), "new > base", batch=3)
    >>> plan.verdict, plan.run, len(plan.items)
    ('not shown', 0, 3)
    """
    scores = as_evidence(evidence)
    require_share("level", level)
    require_whole("batch", batch, 1)
    per = unit_of(scores)
    assert isinstance(scores, Scores)
    (one, *more) = claims_of(claim, scores.agents)
    if more or one.below is None or one.has_margin or one.context or one.other:
        raise UsageError(f'the claim must be "A > B", of two agents on all items; got {quoted(claim)}.')
    table, names = scores.table(per)
    signs = scores.voter_signs(per)
    table = table * signs
    least, width = np.nanmin(table), np.ptp(table[~np.isnan(table)]) or 1.0
    table = (table - least) / width
    pair = [scores.agents.index(name) for name in (one.agent, one.below)]
    has = ~np.isnan(table[pair])
    turned = bool(has[0].sum() > has[1].sum())  # the claim is that the agent with all items is better
    new, base = pair[::-1] if turned else pair
    order = generator(seed).permutation(np.flatnonzero(~np.isnan(table[base])))
    run = int((~np.isnan(table[new, order])).sum())
    late = order[run:][~np.isnan(table[new, order[run:]])]
    if len(late):
        skipped = order[:run][np.isnan(table[new, order[:run]])]
        raise DataError(
            "items must be run in the order that is named, or the verdict is not valid; "
            f"{quoted(scores.agents[new])} has {quoted(names[late[0]])} and not {quoted(names[skipped[0]])}. Leave the others out, or run all."
        )
    others = np.delete(table, pair, axis=0)[:, order]
    easy = logit((np.nansum(others, axis=0) + 0.5) / ((~np.isnan(others)).sum(axis=0) + 1.0))
    bets, difference = _replayed(table[new, order[:run]], table[base, order], easy)
    above, below = bets[::-1] if turned else bets
    settled = max(above, below) > np.log(2 / (1 - level))
    verdict: Verdict = "not shown" if not settled else "supported" if above > below else "shown to be false"
    ahead = () if settled else tuple(names[i] for i in order[run : run + batch])
    with np.errstate(over="ignore"):
        e_value = float(np.exp(above))
    shown = sorted(float(signs.max() * end) for end in (least, least + width))
    settings = {"claim": claim, "batch": batch, "level": level, "seed": seed, "range": shown}
    difference *= -width if turned else width
    return NextItems(claim, verdict, ahead, scores.agents[new], run, len(order), difference, e_value, settings)


def _replayed(x: Floats, base: Floats, easy: Floats) -> tuple[tuple[float, float], float]:
    """Return the largest log e-values so far that `x` is above and below `base`, and the estimated difference."""
    m, ability, known, increments = len(base), 0.0, 0.0, []
    for t, value in enumerate(x):
        p = expit(ability + easy)
        known = float((x[:t] - base[:t]).sum() + (p - base)[t:].sum())
        reach = (m - t) * np.array([value - p[t], -p[t:].max(), (1 - p[t:]).max()])
        increments.append((known + reach) / m)
        for _ in range(2):  # steps of Newton's method from the ability before
            p = expit(ability + easy[: t + 1])
            slope = (x[: t + 1] - p).sum() - RIDGE * ability
            ability += float(np.clip(slope / ((p * (1 - p)).sum() + RIDGE), -1.0, 1.0))
    run = len(x)
    gap = float((x - base[:run]).sum())
    estimate = (gap + (expit(ability + easy) - base)[run:].sum()) / m
    wealth = bounded_bets(*np.array(increments).reshape(-1, 3).T)
    above, below = (float(one.max(initial=0.0)) for one in wealth)
    if gap > base[run:].sum():  # even if the agent fails all others
        above = np.inf
    if gap < -(1 - base[run:]).sum():
        below = np.inf
    return (above, below), estimate
