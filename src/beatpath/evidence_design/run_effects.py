r"""Effects that the runs of an agent have on all tasks: a good seed is good everywhere, a strict rater is strict everywhere.

Within a cell of agent *a* and task *t* with :math:`n_{at}` runs, a score is :math:`y_{atr} = \mu_{at} + g_{ar} + e_{atr}`. Its
influence on the mean score, :math:`x_{atr} = \pi_t (y_{atr} - \bar y_{at}) / \sqrt{n_{at} (n_{at} - 1)}`, adds up over
tasks to :math:`u_{ar}`. Whether runs have an effect is an analysis of variance of :math:`x`, between runs and within. The excess of squares :math:`u_{ar}^2 - \sum_t x_{atr}^2` has expectation :math:`\sigma_a^2 k_a` with *k* known from the
design, and the mean score of *a* has the further variance :math:`\sigma_a^2 \sum_r (\sum_t \pi_t / n_{at})^2`, which is
:math:`\sigma_a^2 / R` in a complete table: the larger of the estimates from its own runs and from those of all agents, because two or
three runs say little. A run label that moves all agents alike, such as a strict rater, is estimated from products between
agents; it cancels in differences.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import fdtrc

from beatpath._arrays import Floats, Ints
from beatpath.evidence import Scores
from beatpath.evidence_design.columns import ColumnUse
from beatpath.stats.added_variance import AddedVariance
from beatpath.stats.codes import dense

# p-value of runs without an effect below which the effect counts. At 0.1, an effect of half the standard error of a mean was
# missed in 39 % of 1,500 tables of 15 tasks x 3 runs and orders of six equal agents were false in 7.6 %; at 0.3, in 4.8 %.
LARGEST_P = 0.3
COMMON_P = 0.05  # p-value of labels that do not move all agents alike below which their common effect is estimated


@dataclass(frozen=True, slots=True, eq=False)
class RunEffects:
    """What runs add to the variance of every mean score, and the test that they have an effect.

    Parameters
    ----------
    added : AddedVariance
        What is added to the variances of means.
    labels : int
        Number of run labels.
    effect : float
        Variance of the mean of a run relative to that of independent scores.
    p_value : float
        Of no effect.
    """

    added: AddedVariance
    labels: int
    effect: float
    p_value: float

    @property
    def matter(self) -> bool:
        """Whether anything is added."""
        return bool(self.added.variance.any())

    @property
    def column(self) -> ColumnUse:
        """How the column of runs is used."""
        return ColumnUse("run", self.labels, self.effect, self.p_value, "cluster" if self.matter else "none")


def run_effects(scores: Scores, per: str, weight: Floats | None = None) -> RunEffects | None:
    """Return the effects of labeled runs on all tasks; ``None`` where no two tasks share runs.

    Parameters
    ----------
    scores : Scores
        The table.
    per : {"task", "item"}
        What a mean is over.
    weight : (tasks,) float, optional
        Weights of the tasks; equal by default.

    Examples
    --------
    Three seeds of each of two agents on four tasks; a seed moves all scores by -1, 0 or 1, and nothing else varies. The variance
    of the seeds is 1, that of a mean of three is 1/3.

    >>> from beatpath import Factor
    >>> cells = np.indices((2, 4, 3)).reshape(3, -1)
    >>> seeds = {"task": Factor.of(map(str, cells[1])), "replicate": Factor.of(map(str, cells[2]))}
    >>> result = run_effects(Scores(("ada", "bob"), cells[0], np.where(cells[0], 1 - cells[2], cells[2] - 1), seeds), "task")
    >>> result.added.variance.round(3), result.p_value < 0.001
    (array([0.333, 0.333]), True)
    """
    label = scores.factors.get("replicate")
    if label is None or per not in ("task", "item") or len(label.levels) < 2:
        return None
    voter, n, known = scores.voters(per), len(scores.agents), label.codes >= 0
    weight = np.ones(len(voter.levels)) if weight is None else weight
    agent, task = scores.agent[known].astype(np.int64), voter.codes[known].astype(np.int64)
    cell, cells = dense(agent * len(weight) + task)
    run, runs = dense(cell * len(label.levels) + label.codes[known])  # items of one task and run are averaged
    rows = np.bincount(run)
    value = np.bincount(run, (scores.value * scores.sign())[known]) / rows
    place = np.zeros(runs, np.int64)
    place[run] = np.arange(len(run))
    agent, task, label_of, cell = agent[place], task[place], label.codes[known][place].astype(np.int64), cell[place]
    number = np.bincount(cell, minlength=cells)[cell]
    several = number > 1
    if not several.any():
        return None
    mean = np.bincount(cell, value, cells) / np.bincount(cell)
    share = weight[task] / number
    share /= np.maximum(np.bincount(agent, share, n), 1e-300)[agent]
    x = np.where(several, share * (value - mean[cell]) * np.sqrt(number / np.maximum(number - 1, 1)), 0.0)
    group, groups = dense(agent * len(label.levels) + label_of)  # the runs of each agent
    at = np.zeros(groups, np.int64)
    at[group] = np.arange(len(group))
    of_agent, of_label = agent[at], label_of[at]

    def sums(values: Floats) -> Floats:
        return np.bincount(group, values, groups).astype(np.float64, copy=False)

    def by_agent(values: Floats) -> Floats:
        return np.bincount(of_agent, values, n).astype(np.float64, copy=False)

    repeated = np.bincount(group[several], minlength=groups) > 0
    u, squares, design, full = sums(x), sums(x**2), sums(share), sums(share * several)
    own = np.maximum(by_agent(repeated.astype(np.float64)) - 1, 0)
    scale = by_agent(full**2 - sums(share**2 * several))
    df, noise = float(own.sum()), float(squares.sum())
    rest = float(several.sum()) - len(np.unique(cell[several])) - df
    if min(df, rest) < 1 or noise <= 0 or scale.sum() <= 0:
        return None
    effect, of_runs = (
        float((u**2).sum()) / noise,
        float((u[repeated] ** 2 / sums(several.astype(np.float64))[repeated]).sum()),
    )
    p_value = float(fdtrc(df, rest, of_runs / df / max((noise - of_runs) / rest, 1e-12 * noise)))
    if p_value >= LARGEST_P:
        return RunEffects(AddedVariance(np.zeros(n), np.full(n, np.inf)), len(label.levels), effect, p_value)
    excess, exposure = by_agent(u**2 - squares), by_agent(design**2)
    pooled = max(float(excess.sum() / scale.sum()), 0.0)
    largest = np.maximum(np.divide(excess, scale, out=np.zeros(n), where=scale > 0), pooled) * exposure
    common = _common_variance(u[repeated], full[repeated], dense(of_label[repeated])[0])
    shared = common * exposure
    variance = np.maximum(largest, shared)
    spread = (variance - shared) ** 2 / df + shared**2 / (len(label.levels) - 1)
    degrees = np.divide(variance**2, spread, out=np.full(n, np.inf), where=spread > 0)
    between: Floats | float = 0.0
    if common > 0:
        exposed = csr_array((design, (of_agent, of_label)), shape=(n, len(label.levels)))
        between = common * _without_diagonal((exposed @ exposed.T).toarray())
    return RunEffects(AddedVariance(variance, degrees, between), len(label.levels), effect, p_value)


def _without_diagonal(matrix: Floats) -> Floats:
    return np.asarray(matrix - np.diag(np.diag(matrix)))


def _common_variance(u: Floats, full: Floats, label: Ints) -> float:
    """Return the variance of what a label adds to all agents alike; 0 unless labels differ significantly."""
    agents, totals, squares = np.bincount(label), np.bincount(label, u), float((u**2).sum())
    R, of_labels = int((agents > 1).sum()), float((totals**2 / agents).sum())
    df = float((agents - 1).sum()) * (R - 1) / max(R, 1)
    left = squares - of_labels
    if df <= 0 or left <= 0 or fdtrc(R - 1, df, of_labels / (R - 1) / (left / df)) >= COMMON_P:
        return 0.0
    scale = float((np.bincount(label, full) ** 2).sum() - (full**2).sum())
    return max((float((totals**2).sum()) - squares) / scale, 0.0)
