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
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import fdtrc

from beatpath._arrays import Floats, Ints
from beatpath.evidence import Factor, Scores
from beatpath.evidence_design.columns import ColumnUse
from beatpath.stats.added_variance import AddedVariance
from beatpath.stats.codes import dense, first_rows

# p-value of runs without an effect below which the effect counts. At 0.1, an effect of half the standard error of a mean was
# missed in 35 % of 1,500 tables of 15 tasks x 3 runs and orders of six equal agents were false in 7.3 %; at 0.3, in 4.8 %.
LARGEST_P = 0.3
MOST_PAIRED = 2500  # most agents whose covariances are computed, pair by pair; boards of more have none
COMMON_P = 0.05  # p-value of labels that do not move all agents alike below which their common effect is estimated


@dataclass(frozen=True, slots=True, eq=False)
class RunEffects:
    """What runs add to the variance of every mean score, and the test that they have an effect.

    Parameters
    ----------
    name : str
        What a run is called: the column of the file, such as seed or judge.
    added : AddedVariance
        What is added to the variances of means.
    labels : int
        Number of run labels.
    effect : float
        Variance of the mean of a run relative to that of independent scores.
    p_value : float
        Of no effect.
    """

    name: str
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
        return ColumnUse(self.name, self.labels, self.effect, self.p_value, "runs" if self.matter else "none")


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
    by_run = _by_run(scores, scores.voters(per), label, weight)
    n, labels, repeated, own = len(scores.agents), len(label.levels), by_run.tasks > 0, by_run.u**2

    def by_agent(values: Floats) -> Floats:
        return np.bincount(by_run.agent, values, n).astype(np.float64, copy=False)

    df, noise = float(np.maximum(by_agent(repeated.astype(np.float64)) - 1, 0).sum()), float(by_run.squares.sum())
    rest, scale = by_run.free - df, by_agent(by_run.scale)
    if min(df, rest) < 1 or noise <= 0 or scale.sum() <= 0:
        return None
    effect, of_runs = float(own.sum()) / noise, float((own[repeated] / by_run.tasks[repeated]).sum())
    p_value = float(fdtrc(df, rest, of_runs / df / max((noise - of_runs) / rest, 1e-12 * noise)))
    added = AddedVariance(np.zeros(n), np.full(n, np.inf))
    if p_value < LARGEST_P:
        excess, exposure = by_agent(own - by_run.squares), by_agent(by_run.share**2)
        pooled = max(float(excess.sum() / scale.sum()), 0.0)
        largest = np.maximum(np.divide(excess, scale, out=np.zeros(n), where=scale > 0), pooled) * exposure
        common = _common_variance(by_run.u[repeated], by_run.repeated[repeated], dense(by_run.label[repeated])[0])
        variance = np.maximum(largest, common * exposure)
        between, alike = _between(by_run, common, (n, labels))
        squares = (variance - common * exposure) ** 2 / min(df, alike) + (common * exposure) ** 2 / (labels - 1)
        degrees = np.divide(variance**2, squares, out=np.full(n, np.inf), where=squares > 0)
        added = AddedVariance(variance, degrees, between)
    return RunEffects(scores.run_name, added, labels, effect, p_value)


class _ByRun(NamedTuple):
    """Sums over the tasks of each run of each agent; `free` counts scores less cells, of cells with several runs.

    `u` and `squares` are those of influences and of their squares, `share` and `repeated` of the weights of the run in the mean, the
    latter in cells with several runs alone, `tasks` counts these, and `scale` is what one unit of variance adds to the excess.
    """

    agent: Ints
    label: Ints
    u: Floats
    squares: Floats
    share: Floats
    repeated: Floats
    scale: Floats
    tasks: Floats
    free: float


def _by_run(scores: Scores, voter: Factor, label: Factor, weight: Floats | None) -> _ByRun:
    """Return the influences of runs on mean scores."""
    known, labels = label.codes >= 0, len(label.levels)
    weight = np.ones(len(voter.levels)) if weight is None else weight
    agent, task = scores.agent[known].astype(np.int64), voter.codes[known].astype(np.int64)
    cell, cells = dense(agent * len(weight) + task)
    run, runs = dense(cell * labels + label.codes[known])  # items of one task and run are averaged
    value = np.bincount(run, (scores.value * scores.sign())[known], runs) / np.bincount(run)
    row = first_rows(run, runs)
    agent, task, cell, own = agent[row], task[row], cell[row], label.codes[known][row].astype(np.int64)
    number = np.bincount(cell, minlength=cells)[cell]
    several = number > 1
    share = weight[task] / number
    share /= np.maximum(np.bincount(agent, share, len(scores.agents)), 1e-300)[agent]
    mean = np.bincount(cell, value, cells) / np.bincount(cell, minlength=cells)
    x = np.where(several, share * (value - mean[cell]) * np.sqrt(number / np.maximum(number - 1, 1)), 0.0)
    group, groups = dense(agent * labels + own)
    row = first_rows(group, groups)

    def sums(values: Floats) -> Floats:
        return np.bincount(group, values, groups).astype(np.float64, copy=False)

    repeated = sums(share * several)
    free = float(several.sum()) - len(np.unique(cell[several]))
    scale = repeated**2 - sums(share**2 * several)
    return _ByRun(
        agent[row], own[row], sums(x), sums(x**2), sums(share), repeated, scale, sums(several.astype(np.float64)), free
    )


def _between(by_run: _ByRun, common: float, shape: tuple[int, int]) -> tuple[Floats | float, float]:
    r"""Return the covariances that labels add: what moves all agents alike, less what moves two apart; and degrees of freedom.

    These are of the mean of the agents' variances, :math:`(R - 1) n^2 / \sum_{ab} \rho_{ab}^2` with *R* labels; what chance adds to
    squared correlations, :math:`1 / (R - 1)`, is taken off.
    """

    def products(values: Floats) -> Floats:
        table = csr_array((values, (by_run.agent, by_run.label)), shape=shape)
        return np.asarray((table @ table.T).toarray())

    if shape[0] > MOST_PAIRED:
        norm = np.sqrt(np.bincount(by_run.agent, by_run.u**2, shape[0]))
        unit = by_run.u / np.where(norm > 0, norm, 1.0)[by_run.agent]
        gram = csr_array((unit, (by_run.label, by_run.agent)), shape=shape[::-1])
        return 0.0, _degrees(float(((gram @ gram.T).power(2)).sum()), int((norm > 0).sum()), shape[1])
    exposure, scale = products(by_run.share), products(by_run.repeated)
    apart = np.divide(products(by_run.u) * exposure, scale, out=np.zeros_like(scale), where=scale > 0)
    rest = apart - common * exposure
    between = common * exposure + np.minimum(rest, 0.0)
    np.fill_diagonal(between, 0.0)
    known = (variance := np.diag(rest)) > 0
    squared = rest[np.ix_(known, known)] ** 2 / np.outer(variance[known], variance[known])
    return between, _degrees(float(np.minimum(squared, 1.0).sum()), len(squared), shape[1])


def _degrees(squared: float, n: int, labels: int) -> float:
    """Return degrees of freedom of the mean of `n` agents' variances, given the sum of all squared correlations between agents."""
    n, by_chance = max(n, 1), 1 / (labels - 1)
    alike = (squared - n) / (n * max(n - 1, 1))
    return float((labels - 1) * n / (1 + (n - 1) * max(alike - by_chance, 0.0) / max(1 - by_chance, 0.5)))


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
