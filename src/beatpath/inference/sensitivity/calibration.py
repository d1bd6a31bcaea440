"""Calibration: whether outcomes predicted at 80 % happen 80 % of the time, and temperature scaling to correct it.

Battles are held out by cluster and predicted from the others, or votes are held out such that no agent loses all of its
own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._result import Record, Rows, TableResult
from beatpath._text import counted, listed, quoted
from beatpath._validate import generator, require_kind, require_whole
from beatpath.evidence import Ballots, Battles
from beatpath.evidence.pairs import LOSS, TIE, WIN
from beatpath.fit.laplacian import inner
from beatpath.inference.sensitivity.aa_test import battles_by_cluster
from beatpath.methods.metrics import Order, order_levels
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry
from beatpath.stats.codes import sums_by_code

Votes = TypeVar("Votes", Ballots, Battles)
Chances = Callable[[Battles], Floats]

MOST = 10_000_000  # most votes that are shuffled one by one
CERTAIN = 1000.0  # a logit whose probability is 1 in double precision


@dataclass(frozen=True, slots=True)
class Bin(Record):
    """Probabilities in one bin.

    Attributes
    ----------
    low, high : float
        The bin is ``low <= p < high``.
    predicted, observed : float
        The mean predicted probability, and the observed frequency.
    weight : float
        Total weight in the bin.
    """

    low: float
    high: float
    predicted: float
    observed: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reliability(TableResult):
    """Predicted and observed frequencies by bin: the numbers of a reliability diagram.

    Attributes
    ----------
    edges : (bins + 1,) float
        Bin m is ``edges[m] <= p < edges[m + 1]``; the last one includes 1.
    predicted, observed : (bins,) float
        The mean prediction in a bin, and the observed frequency; NaN for an empty bin.
    weight : (bins,) float
        Total weight in each bin.
    """

    document: ClassVar = ("error", "bins")

    edges: Floats
    predicted: Floats
    observed: Floats
    weight: Floats

    @property
    def error(self) -> float:
        r"""The expected calibration error.

        .. math::  \sum_m \frac{|B_m|}{N} \, |\mathrm{acc}(B_m) - \mathrm{conf}(B_m)|,

        section 4.1.1 of Soft Tournament Equilibrium.
        """
        full = self.weight > 0
        return inner(self.weight[full], np.abs(self.observed - self.predicted)[full]) / float(self.weight.sum())

    @property
    def sentences(self) -> tuple[str, ...]:
        """How far predictions are from observed frequencies."""
        return (
            f"Forecast and observed frequencies differ by {100 * self.error:.2g} percentage points on average over the bins.",
        )

    @property
    def bins(self) -> list[Bin]:
        """The nonempty bins."""
        columns = zip(self.edges[:-1], self.edges[1:], self.predicted, self.observed, self.weight, strict=True)
        return [Bin(*map(float, row)) for row in columns if row[-1] > 0]

    def rows(self) -> Rows:
        """Return the nonempty bins, one row each."""
        return [one.to_dict() for one in self.bins]


def reliability(
    probability: ArrayLike, outcome: ArrayLike, *, bins: int = 10, weight: ArrayLike | None = None
) -> Reliability:
    """Compare predicted probabilities with outcomes, in bins of equal width.

    Parameters
    ----------
    probability : (t,) float
        In [0, 1]: win probabilities, or membership scores.
    outcome : (t,) float
        In [0, 1]: outcomes, memberships, or their frequencies.
    bins : int, default 10
        Number of bins.
    weight : (t,) float, optional
        One each by default.

    Returns
    -------
    Reliability

    Examples
    --------
    Of four predicted at 80 %, three happened.

    >>> result = reliability([0.8, 0.8, 0.8, 0.8, 0.1], [1, 1, 1, 0, 0])
    >>> result.to_dict()["bins"][1]["observed"], round(result.error, 2)
    (0.75, 0.06)
    """
    p, y, w = _checked_columns(probability, outcome, weight)
    require_whole("bins", bins)
    outside = ~((p >= 0) & (p <= 1))
    if outside.any():
        raise DataError(f"`probability` must lie from 0 to 1; got {p[outside][0]:g}.")
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    held, forecast, happened = (sums_by_code(place, w * values, bins) for values in (np.ones(len(p)), p, y))
    with np.errstate(invalid="ignore"):  # an empty bin has no mean
        return Reliability(np.linspace(0, 1, bins + 1), forecast / held, happened / held, held)


def pairwise_reliability(
    probability: ArrayLike, outcome: ArrayLike, *, bins: int = 10, weight: ArrayLike | None = None
) -> Reliability:
    """Compare win probabilities with outcomes, counting every battle from both sides.

    A battle is evidence about both of its agents; from one side alone, the result would depend on which agent a row
    names first.

    >>> result = pairwise_reliability([0.75, 0.75], [1, 0])
    >>> result.predicted[[2, 7]].tolist(), result.weight.sum().tolist()
    ([0.25, 0.75], 2.0)
    """
    p, y, w = _checked_columns(probability, outcome, weight)
    return reliability(np.append(p, 1 - p), np.append(y, 1 - y), bins=bins, weight=np.tile(w, 2) / 2)


@dataclass(frozen=True, slots=True)
class Scaling(Record):
    """One temperature for all logits, and the cross-entropy before and after.

    A temperature above 1 means that probabilities were overconfident. The limits are valid results: infinity when the
    logits are unrelated to the outcomes, 0 when every outcome agreed with its logit.

    Attributes
    ----------
    temperature : float
        The optimal one.
    before, after : float
        Mean cross-entropy without it, and with it.
    """

    temperature: float
    before: float
    after: float

    def probabilities(self, logit: ArrayLike) -> Floats:
        """Return the scaled probabilities."""
        return expit(_tempered_logits(self.temperature, np.asarray(logit, dtype=np.float64)))


def temperature_scaling(logit: ArrayLike, outcome: ArrayLike, *, weight: ArrayLike | None = None) -> Scaling:
    r"""Find the temperature at which logits predict outcomes best.

    .. math::  \min_T \ - \sum_i w_i \bigl[ y_i \log \sigma(z_i / T) + (1 - y_i) \log(1 - \sigma(z_i / T)) \bigr],

    temperature scaling of Guo et al. [1]_ for two outcomes. Use battles that the logits were not fitted to.

    Parameters
    ----------
    logit : (t,) float
        Finite.
    outcome : (t,) float
        In [0, 1].
    weight : (t,) float, optional
        One each by default.

    Returns
    -------
    Scaling

    Examples
    --------
    Three wins of four are odds of three: the logit should have been log 3, and was twice that.

    >>> scaling = temperature_scaling(np.full(4, 2 * np.log(3)), [1, 1, 1, 0])
    >>> round(scaling.temperature, 6), scaling.probabilities([2 * np.log(3)]).round(6).tolist()
    (2.0, [0.75])

    Notes
    -----
    The objective is convex in :math:`\beta = 1 / T`; Brent's method finds the root of its derivative.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, "On calibration of modern neural networks", *ICML* 2017.
    """
    z, y, w = _checked_columns(logit, outcome, weight)
    if not np.isfinite(z).all():
        raise DataError(f"`logit` must be finite; got {z[~np.isfinite(z)][0]:g}.")

    def derivative(beta: float) -> float:
        return inner(w * z, expit(beta * z) - y)

    against = inner(w, np.maximum(z, 0) * (1 - y) + np.maximum(-z, 0) * y)
    if derivative(0.0) >= 0:
        temperature = np.inf
    elif against == 0:
        temperature = 0.0
    else:
        high = 1.0
        while derivative(high) < 0:
            high *= 2
        temperature = 1 / brentq(derivative, 0.0, high, xtol=1e-14, rtol=1e-12)
    before, after = (_log_loss(_tempered_logits(t, z), y, w) for t in (1.0, temperature))
    return Scaling(float(temperature), before, after)


def _tempered_logits(temperature: float, z: Floats) -> Floats:
    """Divide logits by the temperature; at 0 they are effectively infinite."""
    return z / temperature if temperature > 0 else CERTAIN * np.sign(z)


def _log_loss(z: Floats, y: Floats, w: Floats) -> float:
    return inner(w, y * np.logaddexp(0, -z) + (1 - y) * np.logaddexp(0, z)) / float(w.sum())


def _checked_columns(values: ArrayLike, outcome: ArrayLike, weight: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    """Return three nonempty columns of equal length, or raise."""
    x, y = np.asarray(values, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
    w = np.ones_like(y) if weight is None else np.asarray(weight, dtype=np.float64)
    if not (x.ndim == 1 and x.shape == y.shape == w.shape):
        raise DataError(f"probabilities, outcomes and weights must be one a case; got {x.shape}, {y.shape}, {w.shape}.")
    if not ((y >= 0) & (y <= 1)).all():
        raise DataError(f"`outcome` must lie from 0 to 1; got {y[~((y >= 0) & (y <= 1))][0]:g}.")
    if not ((w >= 0).all() and np.isfinite(w).all() and w.sum() > 0):
        raise DataError(
            "`weight` must be finite, not negative, and above 0 somewhere: calibration needs at least one case."
        )
    return x, y, w


def bradley_terry_chances(battles: Battles, *, prior: float = 0.5) -> Floats:
    """Return the (n, n) probabilities that the row beats the column by a Bradley-Terry model, ties as half a win.

    With a small `prior` every agent has a finite strength, whoever is held out.

    >>> battles = Battles.of([("ada", "bob", 1), ("ada", "bob", 1), ("ada", "bob", 1), ("ada", "bob", 0)])
    >>> bradley_terry_chances(battles, prior=0.0).round(2)
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    strength = bradley_terry(profile_of(battles), prior=prior).score
    return np.asarray(expit(strength[:, None] - strength[None, :]))


def predicted_reliability(
    evidence: EvidenceLike,
    chances: Chances = bradley_terry_chances,
    *,
    cluster: str | None = "auto",
    folds: int = 5,
    bins: int = 10,
    seed: int = 0,
) -> Reliability:
    """Compare win probabilities with held-out battles (cross-validation by cluster).

    Clusters are split at random into `folds` parts; each part is predicted from all others, so that no cluster is on
    both sides. Every battle is predicted once and counted from both sides.

    Parameters
    ----------
    evidence : Battles, or what `read` takes
        The data.
    chances : function of Battles to (n, n) float
        The model to test: from battles to the probability that the row beats the column. Bradley-Terry by default.
    cluster : str, None or "auto"
        The column whose battles stay together; "auto" is ``cluster`` if there is one, None splits battles one by one.
    folds : int, default 5
        At least two.
    bins : int, default 10
        Of the reliability diagram.
    seed : int, default 0
        Seed of the split.

    Returns
    -------
    Reliability
        Its `error` is the expected calibration error.

    Examples
    --------
    Overconfident predictions are detected: of outcomes predicted at 90 %, three quarters happen.

    >>> rows = [("ada", "bob", float(i % 4 > 0)) for i in range(400)]
    >>> bold = predicted_reliability(Battles.of(rows), lambda _: np.array([[0.5, 0.9], [0.1, 0.5]]))
    >>> round(bold.error, 2), round(predicted_reliability(Battles.of(rows)).error, 2)
    (0.15, 0.0)
    """
    require_whole("folds", folds, 2)
    battles, _, unit = battles_by_cluster(evidence, cluster, "predicting held-out battles")
    n_units = int(unit.max(initial=-1)) + 1
    if n_units < folds:
        raise DataError(
            f"`folds` must not be more than what is dealt; got folds={folds} for {counted(n_units, 'cluster')}. Ask for "
            "fewer folds, or name another cluster."
        )
    fold = generator(seed).permutation(np.arange(n_units) % folds)[unit]
    forecast = np.empty(len(battles))
    for k in range(folds):
        held = fold == k
        forecast[held] = chances(battles.take(~held))[battles.a[held], battles.b[held]]
    return pairwise_reliability(forecast, battles.outcome, bins=bins, weight=battles.weight)


def hold_out(evidence: Votes, n: int, *, seed: int) -> tuple[Votes, Votes]:
    """Split evidence at random into a training and a test set.

    SCO, section 4.4: every agent in the test set occurs at least once in the training set, and no vote or battle is in
    both. Votes are taken in random order and held out unless one of their agents would be left without any.

    Parameters
    ----------
    evidence : Ballots or Battles
        A ballot cast by several voters counts as that many votes and may be on both sides.
    n : int
        Number of votes or battles to hold out.
    seed : int
        Equal seeds and evidence give equal splits.

    Returns
    -------
    train, test : of the kind of `evidence`
        Both list all agents.

    Examples
    --------
    >>> battles = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1), ("w", "x", 0)])
    >>> train, test = hold_out(battles, 1, seed=0)
    >>> len(train), len(test)
    (3, 1)
    """
    evidence = as_evidence(evidence)
    if not isinstance(evidence, Ballots | Battles):
        raise UsageError(f"`evidence` must be ballots or battles to be split by vote; got {type(evidence).__name__}.")
    count = evidence.count if isinstance(evidence, Ballots) else np.ones(len(evidence), dtype=np.int64)
    upto = np.cumsum(count)
    votes = int(upto[-1]) if len(upto) else 0
    most = votes - 1 if votes <= MOST else MOST // 10
    if not 1 <= n <= most:
        raise UsageError(f"`n` must be from 1 to {most:,}, less than there are votes; got {quoted(n)}.")
    entries = _agents_of_votes(evidence)
    rng = generator(seed)  # of very many votes, a sample of twice the number held out suffices
    shuffled = rng.permutation(votes) if votes <= MOST else rng.choice(votes, size=2 * n, replace=False)
    order = np.searchsorted(upto, shuffled, side="right").tolist()
    cast = np.repeat(count, [len(agents) for agents in entries])
    left = np.bincount(np.concatenate(entries).astype(np.int64), cast, len(evidence.agents)).tolist()
    held: list[int] = []
    for i in order:
        if len(held) < n and min((left[agent] for agent in entries[i]), default=2) > 1:
            held.append(i)
            for agent in entries[i]:
                left[agent] -= 1
    if len(held) < n:
        raise DataError(
            f"every agent held out must stay in the training data; with that only {len(held):,} of {n:,} votes could be "
            "held out. Hold out fewer, or leave out agents that stand in a single vote."
        )
    times = np.bincount(held, minlength=len(evidence))
    return _part(evidence, count - times), _part(evidence, times)


def _agents_of_votes(evidence: Ballots | Battles) -> list[list[int]]:
    """Return the agents of every vote."""
    if isinstance(evidence, Battles):
        return np.stack([evidence.a, evidence.b], axis=1).tolist()
    agent = evidence.agent.tolist()
    return [agent[low:high] for low, high in zip(evidence.start[:-1], evidence.start[1:], strict=True)]


def _part(evidence: Votes, times: Ints) -> Votes:
    """Select the rows taken at least once, with ballot counts."""
    rows = np.flatnonzero(times)
    return evidence.take(rows) if isinstance(evidence, Battles) else evidence.take(rows, count=times[rows])


def held_out_distance(order: Order, test: Ballots | Battles, *, normalized: bool = False) -> float:
    r"""Return the mean number of pairs per held-out vote that a ranking gets wrong.

    SCO, section 4.4, and VasE's error per game: with test votes :math:`g` of weight :math:`w_g`,

    .. math::  \frac{\sum_g w_g K_d(g, R)}{\sum_g w_g},

    :math:`K_d` with ties as in `kendall_tau_distance`: a pair tied only by the vote or only by the ranking counts
    half. "Both bad" is a tie, and a soft preference is split. A battle is a vote on one pair.

    Parameters
    ----------
    order : Ranking, sequence of levels or mapping of ratings
        It must rank every agent of the test.
    test : Ballots or Battles
        Held-out data.
    normalized : bool, default False
        True for the share of compared pairs that are wrong, instead of their number per vote.

    Examples
    --------
    The pentathlon of VasE, where C > A > B has the smallest distance, 5 over five votes (SCO, Figure 1).

    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> held_out_distance(["C", "A", "B"], Ballots.of(votes, count=[1, 1, 2, 1]))
    1.0
    """
    require_kind("test", test, "ballots or battles", Ballots, Battles)
    place = order_levels(order)
    pairs = test.pairs().settle(ties="keep", both_bad="tie")
    missing = [test.agents[i] for i in np.unique(np.concatenate([pairs.a, pairs.b])) if test.agents[i] not in place]
    if missing:
        raise DataError(
            f"a ranking must hold every agent of the test; {listed(missing)} {'are' if len(missing) > 1 else 'is'} not in it. "
            "`hold_out` keeps every agent in the training data."
        )
    level = np.array([place.get(name, -1) for name in test.agents])
    order_sign = np.sign(level[pairs.b] - level[pairs.a])  # +1 where the first of the pair is ranked higher
    wrong = pairs.counts[:, WIN] @ (1 - order_sign) / 2 + pairs.counts[:, LOSS] @ (1 + order_sign) / 2
    wrong += pairs.counts[:, TIE] @ np.abs(order_sign) / 2
    weight = test.total if isinstance(test, Ballots) else test.weight
    votes = len(test) if weight is None else weight.sum()
    amount = float(pairs.counts.sum() if normalized else votes)
    if not amount:
        raise DataError("there must be something to test on; the test holds no vote with any weight.")
    return float(wrong / amount)
