r"""Bradley-Terry strengths explained by agent covariates such as size, license and year, with random effects.

Strengths are :math:`\theta = X \beta + b` with :math:`b \sim N(0, \sigma^2 I)`, fitted by penalized quasi-likelihood.
For a given :math:`\sigma` Newton's method finds the mode of :math:`\ell(X\beta + b) - b^\top b / 2 \sigma^2`. With
*L* the information on strengths there, and :math:`S = L - L X (X^\top L X)^{-1} X^\top L` its Schur complement
without :math:`\beta`, with eigenvalues :math:`\lambda`, restricted maximum likelihood of the working model requires

.. math::  \frac{b^\top b}{\sigma^4} = \sum_i \frac{\lambda_i}{1 + \sigma^2 \lambda_i},

the score of Harville (1977) as Breslow and Clayton (1993) use it; its root is the estimate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError, UsageError
from beatpath._result import Delegate
from beatpath._text import listed, quoted
from beatpath._validate import require_few, require_number
from beatpath.evidence import Battles, Pairs
from beatpath.evidence.pairs import LOSS, WIN, two_outcomes
from beatpath.fit.laplacian import solved
from beatpath.fit.newton import CONVERGED
from beatpath.fit.pairs import Comparisons, Fit, fit_pairs
from beatpath.fit.ties import Prior, logistic
from beatpath.methods.numeric.linear_program import linear_program
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import comparisons
from beatpath.methods.rating.bradley_terry.design import Known, agent_columns
from beatpath.methods.result import Outcome, equal_levels
from beatpath.stats.codes import apart, dense
from beatpath.stats.intervals import t_quantile

SPREADS = np.geomspace(0.01, 30.0, 25)  # standard deviations, in log odds, between which the root is searched


@dataclass(frozen=True, eq=False)
class MixedFit:
    """Coefficients and random effects that maximize the penalized likelihood at a spread, with their uncertainty.

    Parameters
    ----------
    X : (n, k) float
        Covariates of agents.
    spread : float
        Standard deviation of the random effects.
    fit : Fit
        Its strengths are the effects, its coefficients those of the differences of *X*.
    estimated : bool
        Whether the spread was estimated from the battles.
    """

    X: Floats
    spread: float
    fit: Fit
    estimated: bool = False

    beta = Delegate[Floats]("fit.coefficients", "The coefficients, (k,).")

    @property
    def effect(self) -> Floats:
        """The random effect of every agent, (n,)."""
        return self.fit.ended.x[: len(self.X)]

    settled = Delegate[bool]("fit.ended.converged", "Whether Newton's method converged.")

    @cached_property
    def left(self) -> Floats:
        """Eigenvalues of the information on effects with coefficients free."""
        L = replace(self.fit.information.laplacian, ridge=None).matrix()  # that of the battles alone
        if self.X.shape[1]:
            side = L @ self.X
            L = L - side @ solved(self.X.T @ side, side.T)
        return np.maximum(np.linalg.eigvalsh((L + L.T) / 2), 0.0)

    @property
    def excess(self) -> float:
        """Twice the score of the variance: positive if the effects are larger than the spread implies."""
        explained = (self.left / (1 + self.spread**2 * self.left)).sum()
        return float(self.effect @ self.effect / self.spread**4 - explained)

    @property
    def restricted_likelihood(self) -> float:
        """Laplace's approximation of the restricted likelihood, by which one of several roots is chosen."""
        value = self.fit.log_likelihood
        if self.spread:
            value -= float(self.effect @ self.effect) / (2 * self.spread**2)
            value -= float(np.log1p(self.spread**2 * self.left).sum()) / 2
        return value

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of errors in `beta` and `effect`, (k + n, k + n), for independent battles.

        It is zero for effects of spread zero.
        """
        n, k = self.X.shape
        covariance = np.zeros((k + n, k + n))
        if self.spread:
            place = np.roll(np.arange(k + n), -k)  # coefficients before effects
            covariance[np.ix_(place, place)] = np.linalg.inv(self.fit.information.matrix())
        elif k:
            covariance[:k, :k] = np.linalg.inv(self.fit.information.corner)
        return covariance

    @property
    def spread_error(self) -> float | None:
        """The standard error of the spread; None if it was given, or is zero."""
        information = self.spread**4 * float(((self.left / (1 + self.spread**2 * self.left)) ** 2).sum()) / 2
        return self.spread / (2 * float(np.sqrt(information))) if self.estimated and information > 0 else None

    def sandwich(self, scores: Floats) -> Floats:
        r"""Return the cluster-robust covariance, from the scores of strengths by cluster.

        The meat is that of the clusters, :math:`\frac{C}{C - 1} \sum_c s_c s_c^\top`, instead of the information,
        plus the prior information of the effects.
        """
        prior = np.zeros(len(self.covariance))
        if self.spread:
            prior[len(self.beta) :] = 1.0 / self.spread**2
        many = len(scores) / (len(scores) - 1.0)
        return self.covariance @ (many * (scores.T @ scores) + np.diag(prior)) @ self.covariance


def fit_mixed(rows: Comparisons, X: Floats, spread: float | None = None) -> MixedFit:
    """Fit coefficients and effects, at the given spread or at its restricted maximum likelihood estimate.

    Parameters
    ----------
    rows : Comparisons
        Wins and losses by pair.
    X : (n, k) float
        Covariates of agents, identified by the compared pairs.
    spread : float, optional
        Standard deviation of the effects; zero if strengths follow from the covariates alone.

    Examples
    --------
    Without columns and with a huge spread the fit is that of maximum likelihood: log 3 apart.

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]))
    >>> bool(np.isclose(np.ptp(fit_mixed(one, np.zeros((2, 0)), 1e4).effect), np.log(3), atol=1e-6))
    True
    """
    if spread is not None:
        return mixed_mode(rows, X, spread)

    from scipy.optimize import brentq  # takes a tenth of a second to load

    def excess(log_spread: float) -> float:
        return mixed_mode(rows, X, float(np.exp(log_spread))).excess

    tried = np.log(SPREADS)
    scores = [excess(at) for at in tried]
    values = [0.0]
    for k in range(len(tried) - 1):
        if scores[k] > 0 >= scores[k + 1]:
            values.append(float(np.exp(brentq(excess, tried[k], tried[k + 1], xtol=1e-13, rtol=1e-13))))
    if scores[-1] > 0:
        values.append(float(SPREADS[-1]))
    best = max((mixed_mode(rows, X, value) for value in values), key=lambda mode: mode.restricted_likelihood)
    return replace(best, estimated=True)


def mixed_mode(rows: Comparisons, X: Floats, spread: float) -> MixedFit:
    """Return the mode at a spread, by Newton's method.

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]))
    >>> mixed_mode(one, np.array([[0.5], [-0.5]]), 0.0).beta.round(4)
    array([1.0986])
    """
    prior = Prior(precision=spread**-2.0 if spread else np.inf)
    return MixedFit(X, spread, fit_pairs(replace(rows, x=X[rows.a] - X[rows.b]), prior=prior))


MOST_AGENTS = 1_000  # most agents
FAR = 15.0  # lead, in log odds, from which complete separation by a column is tested
LEVEL = 0.95  # confidence level of the intervals
# The status if Newton's method does not converge.
UNSETTLED = "not converged: the strengths are not the maximum likelihood estimate"


def bradley_terry_structured(
    profile: Profile,
    *,
    covariates: Known | None = None,
    columns: Sequence[str] = (),
    spread: float | None = None,
    cluster: str | None = "auto",
) -> Outcome:
    r"""Rate agents by a Bradley-Terry model whose strengths depend on covariates of the agents, such as their size.

    Agent *a* beats *b* with probability :math:`\sigma(\theta_a - \theta_b)`, and

    .. math::  \theta_a = x_a^\top \beta + b_a, \qquad b_a \sim N(0, s^2),

    with *x* the covariates of an agent and *b* its random effect: the structured model of Springall [1]_ with the
    random effects of Turner and Firth [2]_. Coefficients and effects are fitted by penalized quasi-likelihood, the
    spread *s* by restricted maximum likelihood of the working model, as in their package BradleyTerry2. Without
    covariates strengths are random effects alone, shrunk toward the mean as far as the battles allow.

    Parameters
    ----------
    profile : Profile
        Battles or their counts.
    covariates : mapping of agent to a mapping of column to value, optional
        Numbers and words. Agents in it without battles are predicted.
    columns : sequence of str, or text with commas
        Columns of the table to use; by default all.
    spread : float, optional
        The standard deviation *s*; 0 for strengths that follow from the covariates alone. By default it is estimated.
    cluster : str, None or "auto"
        The column of correlated battles, for cluster-robust standard errors: "auto" is ``cluster`` if it exists, None
        takes battles as independent.

    Returns
    -------
    Outcome
        Strengths in log odds with mean zero. Details: ``effects``, each with ``estimate`` (per unit, or relative to
        the reference level), ``standard_error`` and the ends of a 95 % confidence interval; ``usual``, the reference
        levels; ``spread`` with its standard error, and ``spread_without`` covariates; ``standard_errors`` of
        strengths; ``predictions``, the strengths of agents without battles, with standard errors that include the
        random effect; ``apart``, agents with missing covariates, which have a strength of their own; ``clusters`` and
        ``log_likelihood``.

    Raises
    ------
    DataError
        If a column is a combination of others, or predicts every battle perfectly; the message names it.

    Examples
    --------
    An agent of size 3 beats one of size 2, and that one an agent of size 1, three times of four: log 3 per unit.

    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> games = Battles.of([("c", "b", 1)] * 3 + [("b", "a", 1)] * 3 + [("b", "c", 1), ("a", "b", 1)])
    >>> known = {"a": {"size": 1}, "b": {"size": 2}, "c": {"size": 3}, "d": {"size": 4}}
    >>> result = bradley_terry_structured(profile_of(games), covariates=known, spread=0)
    >>> round(result.details["effects"]["size"]["estimate"], 4), round(result.details["predictions"]["d"]["strength"], 4)
    (1.0986, 2.1972)

    Notes
    -----
    With clusters the covariance is a sandwich: scores of strengths summed by cluster replace the information.
    Intervals use Student's distribution with as many degrees of freedom as agents exceed columns, or clusters minus
    one. Penalized quasi-likelihood underestimates *s* somewhat if agents have few battles each. An estimate of 0
    means that differences do not exceed chance and the covariates. :math:`O(n^3)` per step, about a hundred steps.

    References
    ----------
    .. [1] A. Springall, "Response surface fitting using a generalization of the Bradley-Terry paired comparison model", *Journal of
           the Royal Statistical Society C* 22 (1973), 59-68.
    .. [2] H. Turner, D. Firth, "Bradley-Terry models in R: the BradleyTerry2 package", *Journal of Statistical Software* 48(9)
           (2012).
    """
    if spread is not None:
        require_number("spread", spread, "a standard deviation in log odds, 0 or more", least=0)
    if spread == 0 and not covariates:
        raise UsageError("`spread=0` leaves strengths to covariates alone; give `covariates`, or leave `spread` out.")
    fewer = "Choose agents with `--only`, or use bradley_terry."
    require_few(len(profile.agents), MOST_AGENTS, "bradley_terry_structured takes up to {} agents", fewer)
    rows, _ = comparisons(profile)
    design = _design(profile.agents, rows, covariates or {}, columns)
    _require_identified(rows, design)
    if design.X.shape[1]:
        _require_finite(rows, design)
    fit = fit_mixed(rows, design.X, spread)
    covariance, clusters = _covariance(profile, fit, design, cluster)
    strength = design.X @ fit.beta + fit.effect
    level, strength = equal_levels(strength - strength.mean(), 1e-8)
    T = np.hstack([design.X, np.eye(len(profile.agents))])
    details: dict[str, Any] = {
        "effects": _effects(design, fit, covariance, clusters),
        "usual": dict(design.usual),
        "spread": fit.spread,
        "spread_error": fit.spread_error,
        "spread_without": fit_mixed(rows, design.X[:, :0]).spread if design.names and spread is None else None,
        "standard_errors": dict(zip(profile.agents, _errors(T - T.mean(axis=0), covariance), strict=True)),
        "predictions": _predictions(design, fit, covariance),
        "apart": list(design.apart),
        "clusters": clusters,
        "log_likelihood": fit.fit.log_likelihood,
        "scale": "log_odds",
    }
    return Outcome(level, strength - strength.mean(), CONVERGED if fit.settled else UNSETTLED, details)


def effect_sentences(details: Mapping[str, Any]) -> tuple[str, ...]:
    r"""Return the effects of covariates as sentences, from the details of a ranking.

    >>> sentences = {"effects": {"size": {"estimate": 1.1, "standard_error": 0.2, "low": 0.7, "high": 1.5}}, "usual": {}, "spread": 0.5,
    ...         "spread_error": 0.1, "spread_without": 0.9, "predictions": {}, "apart": [], "clusters": None}
    >>> print("\n".join(effect_sentences(sentences)))
    'size' adds 1.1 to the log odds per unit (95 % from 0.7 to 1.5).
    Agents with equal covariates still differ with a standard deviation of 0.5 (standard error 0.1); without the covariates it is 0.9.
    Standard errors assume independent battles.
    """
    effects, usual = details["effects"], details["usual"]
    sentences = []
    for name, effect in effects.items():
        column, equals, word = name.partition("=")
        what = f"{quoted(name)} adds {effect['estimate']:.3g} to the log odds per unit"
        if equals and column in usual:
            what = f"{quoted(word)} for {quoted(column)} adds {effect['estimate']:.3g} to the log odds, against {quoted(usual[column])}"
        sentences.append(f"{what} (95 % from {effect['low']:.3g} to {effect['high']:.3g}).")
    sentences.append(_spread_text(details))
    if details["apart"]:
        sentences.append(f"Covariates of {listed(details['apart'])} are missing: each has its own strength.")
    for name, prediction in details["predictions"].items():
        sentences.append(
            f"{quoted(name)}, in no battle, has a predicted strength of {prediction['strength']:+.3g} (standard error {prediction['standard_error']:.2g})."
        )
    clusters = details["clusters"]
    allow = clusters and f"allow for {clusters['number']:,} clusters by {clusters['by']}"
    return (*sentences, f"Standard errors {allow or 'assume independent battles'}.")


def _spread_text(details: Mapping[str, Any]) -> str:
    """How far agents with equal covariates differ, as a sentence."""
    spread, error, without = details["spread"], details["spread_error"], details["spread_without"]
    alike = "Agents with equal covariates" if details["effects"] else "Agents"
    if not spread and details["effects"] and without is None:
        return "Strengths follow from the covariates alone (`spread=0`)."
    what = "it" if spread else "the standard deviation"
    more = f"; without the covariates {what} is {without:.3g}" if without is not None else ""
    if not spread:
        return f"{alike} differ by no more than chance{more}."
    sure = f" (standard error {error:.2g})" if error is not None else ""
    return (
        f"{alike} {'still ' if details['effects'] else ''}differ with a standard deviation of {spread:.3g}{sure}{more}."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Standardized columns of agents, and of agents to predict; agents with missing values have a column of their own.

    `names` are those of the first columns, which were divided by `unit`.
    """

    names: tuple[str, ...]
    X: Floats
    unit: Floats
    usual: Mapping[str, str]
    apart: tuple[str, ...]
    foretold: tuple[str, ...]
    new: Floats


def _design(agents: tuple[str, ...], rows: Comparisons, known: Known, columns: Sequence[str]) -> Design:
    met = np.bincount(np.concatenate([rows.a, rows.b]), minlength=len(agents)) > 0
    others = tuple(sorted(set(known) - set(agents)))
    covariates = agent_columns(known, (*agents, *others), len(agents), columns) if known else None
    if covariates is None or not covariates.names:
        return Design((), np.zeros((len(agents), 0)), np.ones(0), {}, (), (), np.zeros((0, 0)))
    known_rows: Bools = np.isfinite(covariates.values.sum(axis=1))
    here = known_rows[: len(agents)]
    if not here.any():
        raise DataError(
            f"the table of agents must name agents of the battles ({listed(agents)}) and know all of {listed(covariates.names)} of "
            f"some; it names {listed(known)}."
        )
    mean = covariates.values[: len(agents)][here].mean(axis=0)
    unit = covariates.values[: len(agents)][here].std(axis=0)
    same = next((name for name, size in zip(covariates.names, unit, strict=True) if not size > 0), None)
    if same is not None:
        raise DataError(
            f"{quoted(same)} must differ between agents of the battles; it is the same for all. Leave it out with `columns`."
        )
    values = np.where(known_rows[:, None], (covariates.values - mean) / unit, 0.0)
    alone = np.flatnonzero(met & ~here)
    own = np.zeros((len(agents), len(alone)))
    own[alone, np.arange(len(alone))] = 1.0
    later = np.flatnonzero(known_rows[len(agents) :])
    return Design(
        covariates.names,
        np.hstack([values[: len(agents)], own]),
        unit,
        covariates.usual,
        tuple(agents[i] for i in alone),
        tuple(others[i] for i in later),
        np.hstack([values[len(agents) :][later], np.zeros((len(later), len(alone)))]),
    )


def _require_identified(rows: Comparisons, design: Design) -> None:
    """Raise an error for a column that is a combination of those before it on all compared pairs."""
    difference = design.X[rows.a] - design.X[rows.b]
    for j in range(design.X.shape[1]):
        rest = difference[:, j]
        if j:
            rest = rest - difference[:, :j] @ np.linalg.lstsq(difference[:, :j], rest, rcond=None)[0]
        if float(rest @ rest) <= 1e-18 * max(1.0, float(difference[:, j] @ difference[:, j])):
            apart = [f"the own strength of {quoted(name)}, with missing covariates," for name in design.apart]
            what = [*map(quoted, design.names), *apart][j]
            raise DataError(
                f"{what} must add information on the compared pairs to the columns before it; it does not. Name fewer "
                "columns with `--columns`."
            )


def _require_finite(rows: Comparisons, design: Design) -> None:
    """Raise an error if some combination of columns predicts every winner, since no finite coefficients are best."""
    difference = design.X[rows.a] - design.X[rows.b]
    mode = mixed_mode(rows, design.X, 0.0)
    if mode.settled and float(np.abs(difference @ mode.beta).max(initial=0.0)) < FAR:
        return
    won, lost = rows.counts[:, 0] > 0, rows.counts[:, 1] > 0
    leads = np.concatenate([difference[won], -difference[lost]])
    k = leads.shape[1]
    beta, _ = linear_program(
        -leads.sum(axis=0),
        leads,
        np.zeros(len(leads)),
        np.full(len(leads), np.inf),
        x_low=-np.ones(k),
        x_high=np.ones(k),
    )
    if float((leads @ beta).sum()) > 1e-7:
        worst = int(np.argmax(np.abs(beta) * np.abs(difference).max(axis=0)))
        if worst >= len(design.names):
            raise DataError(
                f"{quoted(design.apart[worst - len(design.names)])} must have won and lost, as covariates of it are missing "
                "and it needs its own strength; no finite one fits its battles. Fill in the table, or leave the agent out "
                "with `--without`."
            )
        raise DataError(
            f"{quoted(design.names[worst])} must not predict the winner of every battle, or no finite effect fits best; it does, "
            "alone or with others. Leave it out with `--columns`."
        )


def _covariance(
    profile: Profile, fit: MixedFit, design: Design, cluster: str | None
) -> tuple[Floats, dict[str, Any] | None]:
    """The covariance of coefficients and effects, and the clusters behind it."""
    source = profile.source
    assert isinstance(source, Battles | Pairs)
    there = source.factors if isinstance(source, Battles) else source.keys
    if cluster == "auto":
        cluster = "cluster" if "cluster" in there and len(there["cluster"].levels) > 1 else None
    if cluster is None:
        return fit.covariance, None
    cells = source.pairs([cluster]) if isinstance(source, Battles) else source.by(cluster)
    settled = cells.settle(ties=two_outcomes(profile.ties), both_bad=profile.settled_both_bad)
    at, number = dense(apart(cells.keys[cluster].codes))
    if number < 2:
        raise DataError(
            f"standard errors by cluster need two clusters; by {quoted(cluster)} there is {number}. Give `cluster=None`."
        )
    strength = design.X @ fit.beta + fit.effect
    p, _ = logistic(strength[settled.a] - strength[settled.b])
    over = settled.counts[:, WIN] - (settled.counts[:, WIN] + settled.counts[:, LOSS]) * p
    over *= settled.per_weight
    scores = np.zeros((number, len(profile.agents)))
    np.add.at(scores, (at, settled.a), over)
    np.add.at(scores, (at, settled.b), -over)
    return fit.sandwich(np.hstack([scores @ design.X, scores])), {"by": cluster, "number": number}


def _effects(
    design: Design, fit: MixedFit, covariance: Floats, clusters: Mapping[str, Any] | None
) -> dict[str, dict[str, float]]:
    n, k = design.X.shape
    agents = max(1, n - k - 1) if fit.spread else np.inf  # if agents with equal covariates differ
    degrees = min(agents, np.inf if clusters is None else clusters["number"] - 1)
    known = len(design.names)
    beta, error = fit.beta[:known] / design.unit, np.sqrt(np.diag(covariance)[:known]) / design.unit
    reach = t_quantile(LEVEL, degrees) * error
    words = ("estimate", "standard_error", "low", "high")
    return {
        name: dict(zip(words, map(float, values), strict=True))
        for name, *values in zip(design.names, beta, error, beta - reach, beta + reach, strict=True)
    }


def _errors(T: Floats, covariance: Floats, more: float = 0.0) -> list[float]:
    """Standard errors of combinations of coefficients and effects, (rows of T,), with `more` added to the variance."""
    return np.sqrt(np.maximum((T @ covariance * T).sum(axis=1), 0.0) + more).tolist()


def _predictions(design: Design, fit: MixedFit, covariance: Floats) -> dict[str, dict[str, float]]:
    """Strengths relative to the mean of rated agents, with standard errors that include the random effect."""
    n = len(design.X)
    mean = np.append(design.X.mean(axis=0), np.full(n, 1.0 / n))
    T = np.hstack([design.new, np.zeros((len(design.new), n))]) - mean
    strength, error = (T @ np.append(fit.beta, fit.effect)).tolist(), _errors(T, covariance, fit.spread**2)
    return {
        name: {"strength": x, "standard_error": e} for name, x, e in zip(design.foretold, strength, error, strict=True)
    }
