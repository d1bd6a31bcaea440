"""Which columns define clusters: battles of one prompt, judge or task whose outcomes are correlated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats
from beatpath._result import Record
from beatpath._sentence import Caution
from beatpath._text import percent
from beatpath.evidence import Battles, Factor, Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.stats.codes import apart, dense
from beatpath.stats.design_effect import PairClusterCells, cells_by_code, dependence

MATERIAL_EFFECT = 1.1  # design effect that matters; below it standard errors are at most 5 % too small
DEPENDENT = 0.1  # p-value below which outcomes count as dependent on a column; missing a dependence is the worse error
# fewest levels that generalize to others like them; with two, Student's t has one degree of freedom.
FEWEST = {"judge": 3, "task": 10}
# A handful of tasks is usually a choice of categories, and with few degrees of freedom nothing would generalize.
MOST_BATTLES = 1 << 21  # most battles for which columns other than ``cluster`` are tested
OTHERS = ("task", "judge")  # columns tested besides ``cluster``
FEW_WEIGHTED = 3  # fewest clusters by which their correlation can be known; with two it is one squared difference
LEAST_WEIGHTED = 100  # fewest battles that tell a correlation from chance: its standard error is about 0.1
GAIN = 1.1  # ratio to the variance with optimal weights from which battles are weighted


def cells_of(evidence: Battles | Pairs, name: str) -> PairClusterCells:
    """Return battles, or unweighted counts, by pair and level; battles without a level are their own clusters."""
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


@dataclass(frozen=True, slots=True)
class ColumnUse(Record):
    """A column that could define clusters, and how it is used.

    Attributes
    ----------
    name : str
        Name of the column.
    levels : int
        Number of prompts, judges or tasks.
    effect, p_value : float or None
        The design effect, and the p-value of independence from the column; null where not tested.
    use : {"cluster", "runs", "fixed", "none", "too many", "not tested"}
        Clusters for standard errors; runs (seeds, judges of scores) whose effects on all tasks standard errors allow for;
        fixed, so results hold for these levels alone; outcomes do not depend on it;
        outcomes depend on it but two other columns are used; not tested, for the reason in a note.
    """

    name: str
    levels: int
    effect: float | None
    p_value: float | None
    use: str

    @property
    def note(self) -> str:
        """How the column is used, where a reader must know."""
        depends = f"Outcomes depend on the {self.name}"
        if self.use == "runs" and self.effect is not None:
            times = f"over tasks varies {self.effect:.1f} times as much as that of independent scores"
            return f"Scores depend on the {self.name}: the mean of a {self.name} {times}, and standard errors allow for it."
        if self.use == "cluster" and self.effect is not None:
            times = f"the variance of win rates is {self.effect:.1f} times that of independent battles"
            return f"{depends}: {times}, and standard errors allow for it."
        return {
            "fixed": Caution(f"{depends}: results hold for these {self.levels:,} {self.name}s only."),
            "too many": f"{depends} too; standard errors allow for two columns at most.",
            "not tested": f"Whether outcomes depend on the {self.name} was not tested: too many battles, or weighted counts.",
        }.get(self.use, "")


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that could define clusters, and how each is used."""

    uses: tuple[ColumnUse, ...] = ()

    @property
    def clusters(self) -> tuple[str, ...]:
        """The columns to cluster by, at most two."""
        return tuple(one.name for one in self.uses if one.use == "cluster")

    @property
    def fixed(self) -> tuple[str, ...]:
        """Columns whose few levels are taken as fixed."""
        return tuple(one.name for one in self.uses if one.use == "fixed")

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats about the columns."""
        return tuple(one.note for one in self.uses if one.note)


def dependent_columns(evidence: Battles | Pairs) -> Columns:
    """Return the columns that could define clusters, and how to use each.

    The column ``cluster`` is always used; task and judge if outcomes depend on them, the larger effect first.

    >>> from beatpath import Factor
    >>> rows = [("ada", "bob", float(i % 40 < 20)) for i in range(200)]
    >>> by_judge = {"judge": Factor.of(i % 40 for i in range(200))}  # every judge always says the same
    >>> dependent_columns(Battles.of(rows, factors=by_judge)).clusters
    ('judge',)
    """
    levels = {name: len(factor.levels) for name, factor in factors_of(evidence).items()}
    named = ("cluster",) if levels.get("cluster", 0) > 1 else ()
    others = [name for name in OTHERS if levels.get(name, 0) > 1]
    untestable = len(evidence) > MOST_BATTLES or (isinstance(evidence, Pairs) and evidence.weighted)
    tests = {name: None if untestable else dependence(cells_of(evidence, name)) for name in others}
    order = sorted(others, key=lambda name: (-(one.effect if (one := tests[name]) else 0.0), name))
    uses, room = [ColumnUse(name, levels[name], None, None, "cluster") for name in named], 2 - len(named)
    for name in order:
        test = tests[name]
        use = "not tested" if test is None else "none"
        if test is not None and test.p_value < DEPENDENT and test.effect >= MATERIAL_EFFECT:
            use = "fixed" if _number(evidence, name) < FEWEST[name] else "cluster" if room else "too many"
        room -= use == "cluster"
        effect, p_value = (None, None) if test is None else (test.effect, test.p_value)
        uses.append(ColumnUse(name, levels[name], effect, p_value, use))
    return Columns(tuple(uses))


def _number(evidence: Battles | Pairs, name: str) -> float:
    """Return the number of judges; for tasks Kish's effective number, small if one has half of all battles."""
    if name != "task":
        return len(factors_of(evidence)[name].levels)
    cells = cells_of(evidence, name)
    size = cells.by_cluster(cells.n)
    return float(size.sum() ** 2 / (size @ size))


def cluster_weights(battles: Battles, names: Sequence[str]) -> tuple[Floats, str] | None:
    r"""Return the weights of battles that minimize the variance of win rates, and a note; None if equal weights nearly do.

    With a correlation :math:`\rho` of repeats of a pair within a cluster, *n* of them carry the information of
    :math:`n / (1 + (n - 1) \rho)` independent battles: each has weight :math:`1 / (1 + (n - 1) \rho)`. Of several columns
    that define clusters, the one whose weights lower the variance most has them.

    >>> rows, prompt = [("ada", "bob", float(i % 2)) for i in range(300)], [*["big"] * 100, *range(200)]
    >>> cluster_weights(Battles.of(rows, factors={"cluster": Factor.of(map(str, prompt))}), ["cluster"]) is None  # no correlation
    True
    """
    own = battles.weight
    if not LEAST_WEIGHTED <= len(battles) <= MOST_BATTLES or (own is not None and np.ptp(own)):
        return None
    every = (_weights_by(battles, name) for name in names)
    gain, weight, note = max(every, key=lambda one: one[0], default=(0.0, np.ones(0), ""))
    return None if gain < GAIN else (weight if own is None else weight * own, note)


def _weights_by(battles: Battles, name: str) -> tuple[float, Floats, str]:
    """Return by how much weights by one column lower the variance, the weights, and a note that states them."""
    cells, codes = cells_of(battles, name), dense(apart(battles.factors[name].codes))[0]
    rho = _correlation(cells) if cells.n_clusters >= FEW_WEIGHTED else 0.0
    share = 1 / (1 + (cells.n - 1) * rho)
    total, alike, weighed = (cells.by_pair(x) for x in (cells.n, cells.n / share, cells.n * share))
    pair = dense(
        np.minimum(battles.a, battles.b).astype(np.int64) * len(battles.agents) + np.maximum(battles.a, battles.b)
    )[0]
    cell = dense(codes * (int(pair.max()) + 1) + pair)[0]
    weight = 1 / (1 + (np.bincount(cell)[cell] - 1) * rho)
    shares = np.bincount(codes) / len(codes), np.bincount(codes, weight) / weight.sum()
    before, after = (percent(one[np.argmax(shares[0])]) for one in shares)
    fewer = f"Battles of one {name} are correlated, so each battle of a {name} with many of them has less weight"
    note = f"{fewer}: the largest {name} has {before} of all battles and {after} of the weight."
    return float(alike.sum() / ((total / weighed) @ total)), weight, note


def _correlation(cells: PairClusterCells) -> float:
    """Return the correlation of repeats of a pair within a cluster, from products of residuals, between 0 and one half.

    Products are weighted by one over the size of their cluster, so that a few large clusters do not dominate.
    """
    m, t, q = (cells.by_pair(values) for values in (cells.n, cells.s, cells.q))
    mean, total = (t / m)[cells.pair], m[cells.pair]
    variance = np.maximum(np.divide(q - t**2 / m, m - 1, out=np.zeros(len(m)), where=m > 1), 0.0)[cells.pair]
    products = ((cells.s - cells.n * mean) ** 2 - (cells.q - 2 * mean * cells.s + cells.n * mean**2)) / cells.n
    repeats = (cells.n - 1) * variance
    repeating = cells.by_pair(cells.n * (cells.n - 1))[cells.pair] / total**2
    left = 1 - 2 * (cells.n - 1) / total + repeating  # what is left of a product, as the mean includes the cluster
    whole = float(repeats @ left)
    return float(np.clip((products.sum() + (repeats / total).sum()) / whole, 0.0, 0.5)) if whole > 0 else 0.0


def factors_of(evidence: Battles | Pairs) -> Mapping[str, Factor]:
    """Return the columns that split battles or counts."""
    return evidence.factors if isinstance(evidence, Battles) else evidence.keys
