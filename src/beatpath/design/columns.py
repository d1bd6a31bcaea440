"""Which columns outcomes depend on: battles of one prompt, judge or task that agree are clusters, not independent battles."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from beatpath._text import listed
from beatpath.evidence import Battles, Factor, Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.stats.codes import apart, dense
from beatpath.stats.design_effect import PairClusterCells, cells_by_code, dependence

MATERIAL_EFFECT = 1.1  # times the variance of independent battles; below it standard errors are 5 % too small at most
DEPENDENT = (
    0.1  # p-value below which outcomes are taken to depend on a column: missing a dependence is the worse mistake
)
FEWEST = {
    "judge": 3,
    "task": 10,
}  # levels from which others like them are meant; with two, Student's t has one degree of freedom.
# A handful of tasks is mostly a choice of categories, and by t with few degrees of freedom nothing would hold for others like them.
MOST_BATTLES = 1 << 21  # for which columns are tested besides the one named cluster
OTHERS = ("task", "judge")


def cells_of(evidence: Battles | Pairs, name: str) -> PairClusterCells:
    """Return battles, or unweighted counts, by pair and level of a column; a battle without a level is a cluster of its own."""
    if isinstance(evidence, Battles):
        codes = evidence.factors[name].codes
        return cells_by_code(evidence.a, evidence.b, evidence.outcome, codes, len(evidence.agents))
    split = evidence.by(name)
    wins, tied = split.counts[:, WIN], split.counts[:, TIE] + split.counts[:, BOTH_BAD]
    n = wins + split.counts[:, LOSS] + tied
    soft = np.zeros(len(n)) if split.soft is None else split.soft
    full = n > 0
    pair = dense((split.a.astype(np.int64) * len(evidence.agents) + split.b)[full])[0]
    cluster = dense(apart(split.keys[name].codes)[full])[0]
    s, q = wins + tied / 2, wins + tied / 4 - soft
    return PairClusterCells(split.a[full], split.b[full], pair, cluster, n[full], s[full], q[full])


class Columns(NamedTuple):
    """The columns by which to cluster, two at most; those with so few levels that results hold for these alone; and notes."""

    clusters: tuple[str, ...]
    fixed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def dependent_columns(evidence: Battles | Pairs) -> Columns:
    """Return the columns that outcomes depend on.

    The column ``cluster`` is always one. Of task and judge those count that outcomes depend on.

    >>> from beatpath import Factor
    >>> rows = [("ada", "bob", float(i % 40 < 20)) for i in range(200)]
    >>> by_judge = {"judge": Factor.of(i % 40 for i in range(200))}  # every judge always says the same
    >>> dependent_columns(Battles.of(rows, factors=by_judge)).clusters
    ('judge',)
    """
    levels = {name: len(factor.levels) for name, factor in factors_of(evidence).items()}
    named = ("cluster",) if levels.get("cluster", 0) > 1 else ()
    others = [name for name in OTHERS if levels.get(name, 0) > 1]
    if not others:
        return Columns(named)
    if isinstance(evidence, Pairs) and evidence.weighted:
        return Columns(
            named, (), (f"Whether outcomes depend on {listed(others)} cannot be tested: counts are weighted.",)
        )
    if len(evidence) > MOST_BATTLES:
        return Columns(named, (), (f"Whether outcomes depend on {listed(others)} was not tested: too many battles.",))
    effects = {name: effect for name in others if (effect := _material(evidence, name)) is not None}
    by_size = sorted(effects, key=lambda name: (-effects[name], name))
    fixed = tuple(name for name in by_size if levels[name] < FEWEST[name])
    random = tuple(name for name in by_size if name not in fixed)
    clusters, left = (*named, *random)[:2], (*named, *random)[2:]
    notes = [
        f"Outcomes depend on the {name}: win rates vary {effects[name]:.1f} times as much as with independent battles, "
        "and standard errors allow for it."
        for name in clusters
        if name in effects
    ]
    notes += [f"Outcomes depend on the {name} too; standard errors allow for two columns at most." for name in left]
    notes += [f"Outcomes depend on the {name}: results hold for these {levels[name]} {name}s alone." for name in fixed]
    return Columns(clusters, fixed, tuple(notes))


def factors_of(evidence: Battles | Pairs) -> Mapping[str, Factor]:
    """Return the columns that split battles or counts."""
    return evidence.factors if isinstance(evidence, Battles) else evidence.keys


def _material(evidence: Battles | Pairs, name: str) -> float | None:
    """The design effect of a column that outcomes depend on."""
    test = dependence(cells_of(evidence, name))
    depends = test is not None and test.p_value < DEPENDENT and test.effect >= MATERIAL_EFFECT
    return test.effect if test is not None and depends else None
