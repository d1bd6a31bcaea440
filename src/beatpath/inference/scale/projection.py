r"""Bradley-Terry as a projection: the additive model closest to a matrix of win rates.

Whatever the true rates :math:`\psi_{ab}` are, fitted strengths solve

.. math::  \sum_b N_{ab} \left( \psi_{ab} - \sigma(\theta_a - \theta_b) \right) = 0 \quad \text{for every } a,

with :math:`\sigma(x) = 1 / (1 + e^{-x})`: the logistic projection of the matrix on additive log odds, pairs weighted
by battles. If the rates are not additive, the answer depends on how often each pair was compared. Standard errors are
a cluster sandwich (see `additive`), valid without independent battles and without additive rates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError
from beatpath._result import Delegate, Record, TableResult
from beatpath._text import counted, listed, percent, quoted
from beatpath._validate import require_share
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.fit.ties import slopes
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.scale.lack_of_fit import Additive, LackOfFit, additive, lack_of_fit, residual_variance
from beatpath.inference.win_rates.estimate import HasWinRates, WinRateEstimate
from beatpath.inference.win_rates.residuals import residuals, restricted
from beatpath.inference.win_rates.win_rates import win_rates_of

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# the estimand of the board, as printed
ESTIMAND = "Bradley-Terry strength (log odds), the design-weighted projection of the win-rate matrix"
WORST = 10  # most pairs listed by default


class Strength(TypedDict):
    """A Bradley-Terry strength.

    Attributes
    ----------
    strength : float
        In log odds.
    standard_error : float
        Of the strength.
    """

    strength: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class PairResidual(Record):
    """A pair whose first agent wins more than the Bradley-Terry model predicts.

    Attributes
    ----------
    agent : str
        The agent that wins more than predicted.
    rival : str
        Its opponent.
    battles : int
        Number of battles.
    observed : float
        Share won.
    predicted : float
        Share that the Bradley-Terry model predicts.
    z : float
        Observed minus predicted, in standard errors.
    """

    agent: str
    rival: str
    battles: int
    observed: float
    predicted: float
    z: float

    def in_words(self, unit: str) -> str:
        """Return the pair as a sentence in the unit of the data, such as ``task``."""
        won = f"{quoted(self.agent)} wins {percent(self.observed)} of {counted(self.battles, unit)}"
        return f"{won} against {quoted(self.rival)}; a Bradley-Terry model predicts {percent(self.predicted)} (z = {self.z:.1f})."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Projection(TableResult):
    """Bradley-Terry strengths, and how well they represent the win rates.

    Attributes
    ----------
    board : Leaderboard
        The strengths and their covariance; NaN for an agent without a finite strength.
    pairwise : WinRateEstimate
        The observed win rates.
    predicted : (p,) float
        The predicted rate of every pair, NaN where an agent has no strength.
    z : (p,) float
        Observed minus predicted rate in standard errors, which are at least those of independent battles without ties;
        NaN also for a pair on no cycle, which fits whatever its rate is.
    lack_of_fit : LackOfFit
        Goodness of fit.
    settings : mapping
        Level and seed.
    """

    document_name: ClassVar[str] = "bradley_terry_projection"
    document: ClassVar[tuple[str, ...]] = (
        "estimand=board.estimand",
        "strengths",
        "lack_of_fit",
        "defensible",
        "worst",
        "notes=board.notes",
        "settings",
    )

    board: Leaderboard
    pairwise: WinRateEstimate
    predicted: Array
    z: Array
    lack_of_fit: LackOfFit
    settings: Mapping[str, Any]

    defensible = Delegate[bool | None]("lack_of_fit.defensible", "Whether the model can represent the matrix.")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether the Bradley-Terry model is defensible, and the pairs that it fits worst."""
        return (*self.lack_of_fit.sentences, *(one.in_words(self.pairwise.unit) for one in self.worst(3)))

    def rows(self) -> list[dict[str, Any]]:
        """Return the pairs that the Bradley-Terry model fits worst, one row each."""
        return [one.to_dict() for one in self.worst()]

    def worst(self, most: int = WORST) -> tuple[PairResidual, ...]:
        """Return the pairs that the Bradley-Terry model fits worst, by `z`; ties by name."""
        size = np.abs(np.nan_to_num(self.z, nan=0.0)).round(9)  # rounding must not break ties
        least = np.sort(size)[-min(most, len(size))]
        rows = [self._residual(k) for k in np.flatnonzero((size >= least) & (size > 0)).tolist()]
        return tuple(sorted(rows, key=lambda one: (-round(one.z, 9), one.agent, one.rival))[:most])

    def _residual(self, k: int) -> PairResidual:
        pairwise = self.pairwise
        names = pairwise.agents[pairwise.a[k]], pairwise.agents[pairwise.b[k]]
        rates = float(pairwise.rate[k]), float(self.predicted[k])
        if self.z[k] < 0:
            names, rates = names[::-1], (1 - rates[0], 1 - rates[1])
        return PairResidual(*names, int(pairwise.battles[k]), *rates, abs(float(self.z[k])))

    @property
    def strengths(self) -> dict[str, Strength | None]:
        """The strength of every agent, None for one without a finite strength."""
        error = np.sqrt(np.maximum(np.diag(self.board.covariance), 0.0))
        numbers = zip(self.board.agents, self.board.score.tolist(), error.tolist(), strict=True)
        return {
            name: None if np.isnan(score) else {"strength": score, "standard_error": error}
            for name, score, error in numbers
        }


def bradley_terry_projection(
    evidence: EvidenceLike | WinRateEstimate | HasWinRates,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Projection:
    """Fit Bradley-Terry strengths to win rates, and test the goodness of fit.

    Strengths are finite only within a group whose agents are all connected by paths of wins or ties in both
    directions; the largest such group is used. Agents outside it won or lost all their battles against it, which any
    sufficiently distant strength fits.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, WinRateEstimate or Resolution, or what `read` takes
        Evidence is counted with default conventions; `resolve` or `win_rate_inference` take others.
    level : float, default 0.95
        Confidence level of the goodness-of-fit test, between 0 and 1.
    seed : int, default 0
        Of the random vectors that estimate the variance of the statistic with more than 1,500 pairs.

    Returns
    -------
    Projection

    Raises
    ------
    DataError
        When no two agents have paths of wins in both directions, so that no strength is finite, or when the fit does not
        converge.

    See Also
    --------
    transitivity : With cycles and the cyclic share of the flow.
    rank : Bradley-Terry as a rating method, with ties, priors and covariates.

    Examples
    --------
    Odds of three and odds of three give odds of nine.

    >>> from beatpath import Pairs
    >>> def of(*rows):
    ...     return Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], rows)
    >>> bradley_terry_projection(of([15, 5, 0, 0], [18, 2, 0, 0], [15, 5, 0, 0])).predicted.round(9)
    array([0.75, 0.9 , 0.75])

    A cycle does not fit: each pair is off by 20 points, with a standard error of 5 over the root of 3.

    >>> result = bradley_terry_projection(of([70, 30, 0, 0], [30, 70, 0, 0], [70, 30, 0, 0]))
    >>> print(result.worst(1)[0].in_words("battle"))
    'ada' wins 70.0 % of 100 battles against 'bob'; a Bradley-Terry model predicts 50.0 % (z = 6.9).
    >>> result.defensible
    False
    """
    require_share("level", level)
    pairwise = win_rates_of(evidence)
    group = _largest_group(pairwise)
    part, inside = restricted(pairwise, group)
    fitted = fit_pairs(decided(len(part.agents), part.a, part.b, part.rate * part.weight, part.weight))
    if not fitted.ended.converged:
        raise DataError(
            f"battles must have weights of comparable size for a Bradley-Terry model to be fitted; the totals of pairs here go from "
            f"{part.weight.min():.3g} to {part.weight.max():.3g}, and the fit does not converge. Rescale them, or rank by win rates."
        )
    strength = fitted.strength
    predicted, slope = slopes(strength, part.a, part.b)
    fit, left = additive(part, slope), residuals(part, predicted)
    off = part.rate - predicted
    z = _standardized(off, residual_variance(fit, left), fit)
    # the derivative of each strength by the agent's own pairs, (n, p): the map whose clusters are counted
    gradient = fit.incidence.T.multiply(1 / np.diag(fit.information)[:, None]).multiply(fit.weight[None, :])
    return Projection(
        _strength_board(pairwise, group, strength, fit.sandwich(left), part.degrees(gradient)),
        pairwise,
        _filled(predicted, inside),
        _filled(z, inside),
        replace(lack_of_fit(fit, left, off, level=level, seed=seed), noun=pairwise.cluster_noun),
        {"level": level, "seed": seed},
    )


def _largest_group(pairwise: WinRateEstimate) -> Mask:
    """Return the largest group with paths of wins or ties between all; ties by number of battles, then by name."""
    n = len(pairwise.agents)
    won, lost = pairwise.rate > 0, pairwise.rate < 1
    here = np.concatenate([pairwise.a[won], pairwise.b[lost]])
    there = np.concatenate([pairwise.b[won], pairwise.a[lost]])
    graph = csr_array((np.ones(len(here)), (here, there)), shape=(n, n))
    group = connected_components(graph, connection="strong")[1]
    size = np.bincount(group)
    if size.max(initial=0) < 2:
        raise DataError(
            "no strength is finite: no two agents have a path of wins or ties to each other both ways, so one is always "
            "above the other. Collect battles that go against the order, or rank by win rates."
        )
    within = group[pairwise.a] == group[pairwise.b]
    battles = np.bincount(group[pairwise.a[within]], pairwise.battles[within], minlength=len(size))
    first = {k: min(pairwise.agents[i] for i in np.flatnonzero(group == k)) for k in np.flatnonzero(size == size.max())}
    return np.asarray(group == min(first, key=lambda k: (-battles[k], first[k])))


def _standardized(off: Array, variance: Array, fit: Additive) -> Array:
    """Return standardized residuals; NaN where a pair always fits.

    Standard errors are at least those of independent battles without ties. A lopsided pair without a single upset
    seems to have no variance; the rate predicted for it shows that it has one.
    """
    free = 1 - fit.weight * fit.slope * fit.across(fit.inverse)
    error = np.sqrt(np.maximum(variance, fit.slope / np.maximum(fit.battles, 1) * np.maximum(free, 0.0)))
    return np.divide(off, error, out=np.full(len(off), np.nan), where=(free > 1e-9) & (error > 0))


def _filled(values: Array, inside: Mask) -> Array:
    """Return values of the selected pairs, NaN elsewhere."""
    full = np.full(len(inside), np.nan)
    full[inside] = values
    return full


def _strength_board(
    pairwise: WinRateEstimate, group: Mask, strength: Array, covariance: Array, df: Array
) -> Leaderboard:
    """Return the strengths of all agents, NaN outside the group."""
    n, notes = len(pairwise.agents), pairwise.notes
    square, degrees = np.full((n, n), np.nan), np.ones((n, n))
    square[np.ix_(group, group)], degrees[np.ix_(group, group)] = covariance, df
    outside = [name for name, in_group in zip(pairwise.agents, group.tolist(), strict=True) if not in_group]
    if outside:
        no = "has no finite strength" if len(outside) == 1 else "have no finite strengths"
        why = "no paths of wins or ties lead both ways between them and the others"
        notes = (*notes, f"{listed(outside)} {no}: {why}.")
    settings = {"scale": "log odds", "mean": 0.0}
    score, chosen = _filled(strength, group), pairwise.conventions
    return Leaderboard(pairwise.agents, score, square, degrees, ESTIMAND, settings, chosen, notes)
