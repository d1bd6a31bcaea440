r"""Leaderboards by context: of one context, of any mixture, and differences between contexts.

A score is the mean win rate against every other agent predicted from the strengths,

.. math::  S_{ca} = \frac{1}{n - 1} \sum_{b \ne a} \sigma(\eta_{ca} - \eta_{cb}), \qquad S_a(q) = \sum_c q_c S_{ca},

the latter when battles come from contexts with shares *q*; or the strength itself minus the mean of all. Standard
errors follow from those of :math:`\eta` by the delta method.

Dispersion: the variance of outcomes around the fit relative to independent decided battles.

A tie counts as half a win and varies less than a win or a loss; battles of one prompt or judge are correlated and vary
more together. With :math:`r = s - m` the residuals of outcomes from the win rates of a first fit,

.. math::  D = \frac{\sum_{x, k} \bigl(\sum_{i \in x, k} \pm r_i\bigr)^2}{\sum_{x, k} \sum_{i \in x, k} m_i (1 - m_i)} \cdot
               \frac{G}{G - p}

over agents *x* and clusters *k*, of which *G* have battles, *p* being the effective number of fitted strengths. An
agent with more battles than the median has the weight of the median, so that a common baseline does not dominate.
Without clusters :math:`D = 1 - \sum_i s_i (1 - s_i) / \sum_i m_i (1 - m_i)`, which needs no residuals. Counts are
divided by *D*: a quasi-likelihood.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._result import Record
from beatpath._text import percent, quoted, shown
from beatpath._validate import mixture_shares, require_contexts
from beatpath.inference.contexts.context_data import ContextData
from beatpath.inference.contexts.deviations import Cells
from beatpath.inference.contexts.shrunken import Shrunken, shrunken
from beatpath.inference.leaderboard import Leaderboard
from beatpath.stats.codes import apart, dense
from beatpath.stats.intervals import t_quantile

LEAST, MOST_FITTED = 0.05, 0.8  # smallest dispersion, and largest share of groups used up by the fit


def dispersion(
    cells: Cells, first: Shrunken, *, undecided: float = 0.0, clustered: Sequence[tuple[Cells, Ints]] = ()
) -> float:
    """Return the dispersion that counts are divided by; one for decided, independent battles.

    Parameters
    ----------
    cells : Cells
        Battles by context and pair.
    first : Shrunken
        A fit to the undivided counts.
    undecided : float, default 0
        The sum of :math:`s (1 - s)` over outcomes.
    clustered : sequence of (Cells, codes)
        The same battles by cluster, once for every column of clusters.

    Examples
    --------
    Ten ties are stronger evidence that two agents are equal than ten decided battles; here they reach the lower bound.

    >>> from beatpath.inference.contexts.shrunken import shrunken
    >>> cells = Cells(2, 2, np.arange(2), np.zeros(2, int), np.ones(2, int), np.array([2.5, 2.5]), np.array([5.0, 5.0]))
    >>> dispersion(cells, shrunken(cells)), dispersion(cells, shrunken(cells), undecided=2.5)
    (1.0, 0.05)
    """
    m = expit(cells.leads(first.full()))
    expected = cells.played * m * (1 - m)
    alone = max(1 - undecided / float(expected.sum()), LEAST)
    # The effective number of fitted strengths: the trace of covariance times information.
    n = cells.n_agents
    i, j = cells.context * n + cells.a, cells.context * n + cells.b
    V = first.covariance
    fitted = float(expected @ (V[i, i] + V[j, j] - 2 * V[i, j])) + cells.n_shifts
    extra = [_of_clusters(one, codes, first, fitted) for one, codes in clustered]
    return alone + sum(max(one - alone, 0.0) for one in extra)


def _of_clusters(cells: Cells, codes: Ints, first: Shrunken, fitted: float) -> float:
    """Return the ratio of variances over agents and clusters."""
    m = expit(cells.leads(first.full()))
    left, expected = cells.won - cells.played * m, cells.played * m * (1 - m)
    cluster, ends = dense(apart(codes))[0], np.concatenate([cells.a, cells.b])
    group, n_groups = dense(ends * (int(cluster.max(initial=0)) + 1) + np.tile(cluster, 2))
    agent = np.zeros(n_groups, dtype=np.int64)
    agent[group] = ends
    total = np.bincount(group, np.concatenate([left, -left]), n_groups)
    squares = np.bincount(agent, total**2, cells.n_agents)
    known = np.bincount(ends, np.tile(expected, 2), cells.n_agents)
    weight = np.minimum(1.0, np.median(known[known > 0]) / np.maximum(known, 1e-12))
    lost = min(fitted / n_groups, MOST_FITTED)
    return float((weight @ squares) / (weight @ known) / (1 - lost))


# What a score estimates, by key.
MEASURES = {
    "mean_win_rate": "mean win rate against every other agent",
    "bradley_terry": "Bradley-Terry strength (log odds)",
    "mean_score": "mean score over {per}s",
}


@dataclass(frozen=True, slots=True, eq=False)
class ContextStrengths:
    """Strengths of agents by context, partially pooled, with their joint covariance.

    Parameters
    ----------
    data : ContextData
        The evidence by context.
    fit : Shrunken
        The hierarchical fit.
    dispersion : float
        By which counts were divided.
    measure : {"mean_win_rate", "bradley_terry", "mean_score"}
        What a score estimates.
    score : (C, n) float
        Scores by context.
    covariance : (C, C, n, n) float
        Covariance of the scores of every two contexts.
    """

    data: ContextData
    fit: Shrunken
    dispersion: float
    measure: str
    score: Floats = field(init=False)
    covariance: Floats = field(init=False)

    def __post_init__(self) -> None:
        boards = [_scored(eta, self.data, k, self.measure) for k, eta in enumerate(self.fit.eta)]
        slope = np.array([slope for _, slope in boards])
        C, n = self.fit.eta.shape
        blocks = self.fit.covariance.reshape(C, n, C, n).transpose(0, 2, 1, 3)
        object.__setattr__(self, "score", np.array([score for score, _ in boards]))
        covariance = slope[:, None] @ blocks @ slope.transpose(0, 2, 1)[None]
        if self.data.levels is not None:
            covariance[np.arange(C), np.arange(C)] += self.data.levels.variance[:, None, None]
        object.__setattr__(self, "covariance", covariance)

    def board(self, weights: Mapping[str, float]) -> Leaderboard:
        """Return the board of a mixture of contexts; of one context if it alone has weight."""
        data = self.data
        q = np.array([weights.get(name, 0.0) for name in data.contexts])
        score, covariance, levels = q @ self.score, self._covariance(q, q), data.levels
        unit = MEASURES[self.measure].format(per="task" if levels is None else levels.per)
        equal = f" and at equal {', '.join(map(shown, data.shifts))}" if data.shifts else ""
        bounds = (0.0, 1.0) if self.measure == "mean_win_rate" else (-np.inf, np.inf)
        return Leaderboard(
            data.agents,
            score,
            covariance,
            np.full(covariance.shape, np.inf if levels is None else levels.degrees),
            f"{unit}, {mixture_text(weights)}{equal}, from strengths by {shown(data.by)} that are shrunk toward the overall strengths",
            {"estimand": self.measure, "by": data.by, "mix": dict(weights), "cluster": list(data.clusters)},
            data.conventions,
            (),
            bounds if levels is None else levels.bounds,
            part=data.part,
        )

    def _covariance(self, q: Floats, r: Floats) -> Floats:
        """Return the covariance of the scores of two mixtures."""
        return np.asarray(np.einsum("c,d,cdij->ij", q, r, self.covariance, optimize=True))

    def covariances(self, mixtures: Floats) -> Floats:
        """Return the covariance of the scores of each of many mixtures, (m, C) to (m, n, n)."""
        C, n = self.score.shape
        both = (mixtures[:, :, None] * mixtures[:, None, :]).reshape(-1, C * C)
        return np.asarray((both @ self.covariance.reshape(C * C, n * n)).reshape(-1, n, n))

    def gain(self, agent: str, context: str, other: str, level: float) -> "Gain":
        """Return how much higher an agent scores in one context than in another, with its own confidence interval.

        Mean scores are relative to the mean of all agents, as the tasks of one context may be harder than those of
        another.
        """
        names = list(self.data.contexts)
        require_contexts([context, other], names, self.data.by)
        i, q = self.data.agents.index(agent), np.zeros(len(names))
        q[names.index(context)] += 1
        q[names.index(other)] -= 1
        own = np.eye(len(self.data.agents))[i]
        if self.data.levels is not None:  # contexts may be easy or hard for all: compare leads over the mean agent
            own = own - 1 / len(own)
        estimate, stderr = float(q @ self.score @ own), float(np.sqrt(own @ self._covariance(q, q) @ own))
        degrees = np.inf if self.data.levels is None else self.data.levels.degrees
        reach = t_quantile(level, degrees) * stderr
        return Gain(agent, context, other, estimate, estimate - reach, estimate + reach)


@dataclass(frozen=True, slots=True)
class Gain(Record):
    """How much higher an agent scores in one context than in another."""

    agent: str
    context: str
    other: str
    estimate: float
    low: float
    high: float


def context_strengths(data: ContextData, measure: str = "mean_win_rate") -> ContextStrengths:
    """Estimate strengths by context; battles are fitted once for the dispersion, and again with it."""
    first = shrunken(data.seen)
    if not isinstance(data.seen, Cells):
        return ContextStrengths(data, first, 1.0, measure)
    worth = dispersion(data.seen, first, undecided=data.undecided, clustered=data.clustered)
    fit = first if worth == 1 else shrunken(_divided(data.seen, worth))
    return ContextStrengths(data, fit, worth, measure)


def own_board(strengths: ContextStrengths, context: str) -> Leaderboard:
    """Return the board of one context's data alone, without pooling; agents absent there have no score."""
    data = strengths.data
    k = data.contexts.index(context)
    observed = data.seen if not isinstance(data.seen, Cells) else _divided(data.seen, strengths.dispersion)
    fit = shrunken(observed.only(k))
    score, slope = _scored(np.where(data.amount[k] > 0, fit.eta[0], np.nan), data, k, strengths.measure)
    covariance = slope @ fit.covariance @ slope.T + (0.0 if data.levels is None else data.levels.variance[k])
    return replace(strengths.board({context: 1.0}), score=score, covariance=covariance)


def _divided(cells: Cells, worth: float) -> Cells:
    """Divide counts by the dispersion."""
    return replace(cells, won=cells.won / worth, played=cells.played / worth)


def _scored(eta: Floats, data: ContextData, k: int, measure: str) -> tuple[Floats, Floats]:
    """Return scores of a context's strengths, and their gradient; agents with NaN strengths are ignored."""
    if data.levels is None:
        return _scored_by_rivals(eta, data.part, measure)
    share = np.where(np.isfinite(eta), data.levels.share[k], 0.0)
    slope = data.levels.unit * (np.eye(len(eta)) - share / max(share.sum(), 1e-300))
    return np.where(np.isfinite(eta), slope @ np.nan_to_num(eta), np.nan) + data.levels.mean[k], slope


def _scored_by_rivals(eta: Floats, part: Ints, measure: str) -> tuple[Floats, Floats]:
    """Return scores against the opponents of one component, and their gradient; NaN strengths are ignored."""
    known = np.isfinite(eta)
    together = (part[:, None] == part[None, :]) & known[None, :]
    if measure == "bradley_terry":
        slope = np.eye(len(eta)) - together / np.maximum(together.sum(axis=1, keepdims=True), 1)
        return np.where(known, slope @ np.nan_to_num(eta), np.nan), slope
    rivals = together & ~np.eye(len(eta), dtype=bool)
    number = np.maximum(rivals.sum(axis=1), 1)
    m = np.where(rivals, expit(eta[:, None] - np.nan_to_num(eta)[None, :]), 0.0)
    g = m * (1 - m) / number[:, None]
    score = np.where(rivals.any(axis=1), m.sum(axis=1) / number, np.nan)
    return score, np.diag(g.sum(axis=1)) - g


def mixture_of(mix: Mapping[str, float] | None, data: ContextData) -> dict[str, float]:
    """Return the positive weights of contexts, summing to one; by default in proportion to battles or tasks."""
    if mix is None:
        return dict(zip(data.contexts, (data.weight / data.weight.sum()).tolist(), strict=True))
    return mixture_shares(mix, data.contexts, data.by)


def mixture_text(weights: Mapping[str, float], most: int = 4) -> str:
    """Return a mixture as text, the largest weights first.

    >>> mixture_text({"chat": 0.3, "code": 0.7}), mixture_text({"code": 1.0})
    ("in 70.0 % 'code' and 30.0 % 'chat'", "in 'code'")
    """
    if len(weights) == 1:
        return f"in {quoted(next(iter(weights)))}"
    order = sorted(weights, key=lambda name: (-weights[name], name))
    most = most if len(order) > most + 1 else len(order)
    parts = [f"{percent(weights[name])} {quoted(name)}" for name in order[:most]]
    if len(order) > most:
        rest = sum(weights[name] for name in order[most:])
        parts.append(f"{percent(rest)} {len(order) - most} others")
    return f"in {', '.join(parts[:-1])} and {parts[-1]}"
