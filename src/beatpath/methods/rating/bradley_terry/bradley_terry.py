r"""The Bradley-Terry model: strengths in log odds, fitted jointly to all battles; and Firth's bias-reduced estimate.

Strengths are on a scale of log odds or of Elo points. A lead of :math:`d` means a win rate of :math:`1 / (1 +
e^{-d})` in log odds and :math:`1 / (1 + 10^{-d / 400})` in Elo points; one unit of log odds is :math:`400 / \ln 10
\approx 173.7` points.
"""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted
from beatpath._validate import is_number, require_choice, require_known, require_number, require_whole
from beatpath.evidence import Pairs
from beatpath.fit.newton import Ended
from beatpath.fit.pairs import Comparisons, Fit, collinear, fit_pairs, leverages
from beatpath.fit.ties import HALF, NO_PRIOR, TIE_MODELS, Prior, TieModel, half
from beatpath.methods.graph.connection import (
    Standing,
    require_connection,
    require_finite_ties,
    require_one_group,
    standing,
)
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.design import (
    POSITION,
    covariate_names,
    distinct_rows,
    require_shifts,
    shifts,
)
from beatpath.methods.result import Outcome, equal_levels

# Units per log odds, and the rating of the mean, by scale.
UNIT = {"log_odds": 1.0, "elo": 400.0 / log(10.0)}
CENTER = {"log_odds": 0.0, "elo": 1500.0}


def require_scale(agents: tuple[str, ...], scale: str, anchor: str | None, anchor_rating: float | None) -> None:
    """Raise an error for an invalid scale, anchor or anchor rating.

    >>> require_scale(("ada", "bob"), "elo", "bop", 1000)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `anchor` must be one of the 2 agents; 'bop' is not. Did you mean 'bob'?
    """
    require_choice("scale", scale, UNIT)
    if anchor is not None:
        require_known(anchor, agents, f"`anchor` must be one of the {len(agents):,} agents; {quoted(anchor)} is not.")
    if anchor_rating is not None:
        require_number("anchor_rating", anchor_rating, "a finite number")


def on_scale(
    strength: Floats,
    agents: tuple[str, ...],
    *,
    scale: str = "log_odds",
    anchor: str | None = None,
    anchor_rating: float | None = None,
) -> Floats:
    """Convert strengths in log odds to a scale on which the anchor, or the mean, has `anchor_rating`.

    Parameters
    ----------
    strength : (n,) float
        Strengths in log odds, up to a constant.
    agents : tuple of str
        Agent names.
    scale : {"log_odds", "elo"}
        The scale.
    anchor : str, optional
        The agent that gets `anchor_rating`; by default the mean of all agents.
    anchor_rating : float, optional
        By default 0 in log odds, 1500 in Elo points.

    Examples
    --------
    Odds of ten to one are 400 Elo points.

    >>> import numpy as np
    >>> on_scale(np.log([10.0, 1.0]), ("ada", "bob"), scale="elo", anchor="bob", anchor_rating=1000)
    array([1400., 1000.])
    """
    require_scale(agents, scale, anchor, anchor_rating)
    fixed = float(strength.mean()) if anchor is None else float(strength[agents.index(anchor)])
    return (CENTER[scale] if anchor_rating is None else anchor_rating) + UNIT[scale] * (strength - fixed)


def bradley_terry(
    profile: Profile,
    *,
    tie_model: str = "half",
    position: bool = False,
    covariates: str | Sequence[str] = (),
    prior: float = 0.0,
    scale: str = "log_odds",
    anchor: str | None = None,
    anchor_rating: float | None = None,
    max_iter: int = 100,
    start: Mapping[str, float] | None = None,
) -> Outcome:
    r"""Rate agents by the Bradley-Terry model: a difference of ratings predicts how often one beats the other.

    Use it for a leaderboard of strengths with any schedule of battles. It assumes one dimension: `resolve` tests that
    by its goodness of fit. Agent *a* beats *b* with probability :math:`\sigma(\theta_a - \theta_b) = 1 / (1 +
    e^{\theta_b - \theta_a})`: the model of Zermelo, Bradley and Terry [1]_, eq. (1) of Hunter [2]_ with :math:`\gamma
    = e^\theta`. The strengths :math:`\theta` maximize the likelihood of all battles; at the maximum, expected and
    observed wins of every agent are equal.

    Parameters
    ----------
    profile : Profile
        Battles or their counts with any weights; the pairs of ballots; win rates, with each compared pair as one
        battle.
    tie_model : {"half", "davidson", "rao_kupper"}
        How ties count: half a win and half a loss (or dropped, with the convention ``ties="drop"``), or as an outcome
        whose frequency is fitted; see `beatpath.fit.ties`.
    position : bool
        Whether to fit the advantage, in log odds, of moving or being shown first; default False.
    covariates : sequence of str, or text with commas
        Numeric differences whose effect on the lead is fitted ("style control"): columns of the battles, or
        ``"length_a - length_b"``. The ratings are then those at equal values.
    prior : float
        Regularization: wins and losses of every agent against one of strength zero, the Type III generalized logistic
        prior, which Whelan [3]_ finds to respect the symmetries of the model. It keeps every strength finite; default
        0.
    scale : {"log_odds", "elo"}
        Unit of the ratings; 400 / ln 10 Elo points are one unit of log odds.
    anchor, anchor_rating : str and float, optional
        The agent that gets this rating; by default the mean of all has 0 log odds or 1500 Elo points.
    max_iter : int
        Maximum number of Newton steps; the status says if it is reached.
    start : mapping of agent to float, optional
        Initial strengths in log odds, such as those of yesterday; others start at zero. It saves steps and does not
        change the result, since the maximum is unique.

    Returns
    -------
    Outcome
        Ratings on the requested scale. If one strongly connected group of agents dominates, its agents are rated. The
        others, such as one that lost every battle, have no finite rating and are above all, below all, or last if
        their place is unknown, as the status says. Agents share a level if their strengths are equal to the accuracy
        reached. *Details*, always in log odds: ``iterations``, ``gradient`` (largest entry before the last step),
        ``accuracy`` (that step), ``log_likelihood``, ``scale``, ``tie_model`` and, if fitted, ``tie_parameter``,
        ``position_effect`` and ``covariates``, each with its standard error from the observed information.

    Raises
    ------
    DataError
        If no finite estimate exists and no group dominates, with the groups of agents or columns, and remedies.

    See Also
    --------
    bradley_terry_firth : Bias-reduced estimates, finite without a prior.
    beatpath.resolve : Confidence intervals and rank sets.

    Examples
    --------
    Ada won 3 of 4 against Bob, Bob 3 of 4 against Cyd: each is log 3 above the next.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [3, 1, 0, 0]])
    >>> bradley_terry(profile_of(pairs)).score.round(4) + 0.0
    array([ 1.0986,  0.    , -1.0986])

    Notes
    -----
    Newton's method on the counts, so the number of battles costs nothing once they are counted: :math:`O(m + n^3)`
    per step for up to 100 agents and *m* pairs, conjugate gradients on sparse products for more. A finite estimate of
    all strengths exists, and is unique, if and only if the win graph is strongly connected; see
    `beatpath.methods.graph.connection`.

    References
    ----------
    .. [1] R. A. Bradley, M. E. Terry, "Rank analysis of incomplete block designs: I. The method of paired comparisons",
           *Biometrika* 39 (1952), 324-345.
    .. [2] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", *Annals of Statistics* 32 (2004), 384-406.
    .. [3] J. T. Whelan, "Prior distributions for the Bradley-Terry model of paired comparisons", 2017, arXiv:1712.05311.
    """
    require_scale(profile.agents, scale, anchor, anchor_rating)
    require_prior(prior, max_iter)
    require_choice("tie_model", tie_model, TIE_MODELS)
    if position not in (False, True):
        raise UsageError(f"`position` must be true or false (1 or 0); got {quoted(position)}.")
    names = covariate_names(covariates)
    rows, unit = comparisons(profile, tie_model=tie_model, position=bool(position), covariates=names)
    names = ((POSITION,) if position else ()) + names
    began = None if start is None else _starting_strengths(profile.agents, start)
    apart = None if prior else _some_apart(profile.agents, rows, anchor)
    agents = profile.agents
    if apart is not None:
        inside, number = apart.inside, (np.cumsum(apart.inside) - 1).astype(np.int32)
        inside_rows, agents = inside[rows.a] & inside[rows.b], tuple(np.array(agents, dtype=object)[inside])
        a, b = number[rows.a[inside_rows]], number[rows.b[inside_rows]]
        rows = Comparisons(len(agents), a, b, rows.counts[inside_rows], rows.x[inside_rows])
        began = None if began is None else began[apart.inside] - began[apart.inside].mean()
    ties = _estimable(agents, rows, tie_model, names, prior)
    fit = fit_pairs(rows, ties, Prior(prior), max_iter=max_iter, start=began)
    _require_finite_fit(fit, names)
    level, strength = rating_levels(fit.strength, fit.ended)
    score = on_scale(strength, agents, scale=scale, anchor=anchor, anchor_rating=anchor_rating)
    details = fit_details(fit.ended, fit.log_likelihood, scale) | _estimates(fit, tie_model, ties, names, unit)
    if apart is None:
        return Outcome(level, score, fit.ended.status, details)
    level, score = _with_those_apart(level, score, apart)
    note = apart.sentence(profile.agents)
    return Outcome(level, score, note if fit.ended.converged else f"{fit.ended.status}; {note}", details)


def _some_apart(agents: tuple[str, ...], rows: Comparisons, anchor: str | None) -> Standing | None:
    """How agents relate to the dominant strongly connected group, or None if paths of wins connect all of them.

    Raises an error if there is no such group, or if the anchor is not in it.
    """
    wins, losses, ties = rows.counts.T
    groups = standing(len(agents), rows.a, rows.b, wins + ties, losses + ties)
    if groups.inside.all():
        return None
    if not groups.alone or (anchor is not None and not groups.inside[agents.index(anchor)]):
        require_connection(agents, rows.a, rows.b, wins + ties, losses + ties, "Bradley-Terry")
    return groups


def _with_those_apart(level: Ints, score: Floats, apart: Standing) -> tuple[Ints, Floats]:
    """Levels and scores of all agents: those above the group first, those below it after, the rest last."""
    whole, ratings = np.zeros(len(apart.inside), dtype=np.int64), np.full(len(apart.inside), np.nan)
    whole[apart.inside], ratings[apart.inside] = level + bool(apart.above.any()), score
    last = int(whole.max())
    for some in (apart.below, apart.beside):
        if some.any():
            last += 1
            whole[some] = last
    return whole, ratings


def comparisons(
    profile: Profile, *, tie_model: str = "half", position: bool = False, covariates: Sequence[str] = ()
) -> tuple[Comparisons, Floats]:
    """Return the rows to fit, and the (k,) unit by which each column of `x` was divided.

    Weights are scaled so that the counts sum to the effective number of battles.

    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> rows, _ = comparisons(profile_of(Battles.of([("ada", "bob", 1), ("bob", "ada", 0.5)])))
    >>> rows.counts
    array([[1.5, 0.5, 0. ]])
    """
    own = tie_model != "half"
    if profile.pair_weight == "rate" and (own or position or covariates):
        raise UsageError(
            "tie models, positions and covariates are fitted to battles; `pair_weight='rate'` turns them into one share a pair. "
            "Leave `pair_weight` at count."
        )
    if own and profile.ties == "drop":
        raise UsageError(
            f"`tie_model={tie_model!r}` is fitted to ties; `ties='drop'` leaves them out. Leave one of the two."
        )
    if not (position or covariates):
        rows = _counts_for(profile, tie_model)
        return _comparisons_by_pair(rows, np.zeros((len(rows), 0)), rows.per_weight), np.ones(0)
    x = shifts(profile.battles, position, covariates)
    assert profile.battles is not None
    assert profile.pairs is not None
    rows, x = distinct_rows(profile.battles, x)
    rows = rows.settle(ties="keep" if own else profile.ties, both_bad=profile.settled_both_bad)
    require_shifts(rows, x, ((POSITION,) if position else ()) + tuple(covariates))
    weight = rows.counts.sum(axis=1)
    unit = np.sqrt((weight @ x**2) / weight.sum())
    return _comparisons_by_pair(rows, x / unit, profile.pairs.per_weight), unit


def rating_levels(strength: Floats, ended: Ended) -> tuple[Ints, Floats]:
    """Return levels of strengths that are equal to the accuracy reached, and the strengths with each level at its mean.

    >>> ended = Ended(np.zeros(3), 0.0, 1, True, False, 0.0, np.array([1e-8]))
    >>> rating_levels(np.array([0.0, 1.0, 1.0 + 1e-9]), ended)[0]
    array([1, 0, 0])
    """
    return equal_levels(strength, max(1e-9, 4 * float(np.abs(ended.step).max(initial=0.0))))


def fit_details(ended: Ended, log_likelihood: float, scale: str) -> dict[str, Any]:
    """Return the details that every fitted rating has."""
    return {
        "iterations": ended.iterations,
        "converged": ended.converged,
        "gradient": ended.gradient,
        "accuracy": float(np.abs(ended.step).max(initial=0.0)),
        "log_likelihood": log_likelihood,
        "scale": scale,
    }


def require_prior(prior: float, max_iter: int) -> None:
    """Raise an error for a negative or nonfinite prior, and for a limit of steps below one."""
    require_number("prior", prior, "a number of wins and losses, 0 or more", least=0)
    require_whole("max_iter", max_iter)


def _starting_strengths(agents: tuple[str, ...], start: Mapping[str, float]) -> Floats:
    """The initial strengths, with mean zero."""
    if not isinstance(start, Mapping):
        raise UsageError(f"`start` must be strengths by agent, such as {{'ada': 0.5}}; got {quoted(start)}.")
    wrong = [name for name, x in start.items() if not is_number(x)]
    if wrong:
        raise UsageError(f"`start` must hold finite numbers; that of {quoted(wrong[0])} is {quoted(start[wrong[0]])}.")
    strength = np.array([start.get(name, 0.0) for name in agents], dtype=np.float64)
    return strength - strength.mean() if len(agents) else strength


def _counts_for(profile: Profile, tie_model: str) -> Pairs:
    """Counts whose first three columns are what the tie model needs."""
    settled = profile.need_counts("Bradley-Terry")
    if tie_model == "half":
        return settled
    if profile.pairs is None:
        raise DataError("a tie model needs counts of ties; win rates have none. Use `tie_model='half'`.")
    return profile.pairs.settle(ties="keep", both_bad=profile.settled_both_bad)


def _comparisons_by_pair(rows: Pairs, x: Floats, per_weight: float) -> Comparisons:
    """The rows with nonzero weight, by pair, counted in battles."""
    counts = rows.counts[:, :3] * per_weight
    code = rows.a.astype(np.int64) * len(rows.agents) + rows.b
    some, ordered = rows.counts @ np.ones(4) > 0, bool((np.diff(code) >= 0).all())
    if ordered and some.all():
        return Comparisons(len(rows.agents), rows.a, rows.b, counts, x)
    keep = np.arange(len(rows)) if ordered else np.argsort(code, kind="stable")
    keep = keep[some[keep]]
    return Comparisons(len(rows.agents), rows.a[keep], rows.b[keep], counts[keep], x[keep])


def _estimable(
    agents: tuple[str, ...], rows: Comparisons, tie_model: str, names: tuple[str, ...], prior: float
) -> TieModel:
    """Raise an error if there is no finite estimate; return the tie model, or its limit without any ties."""
    ties = rows.counts[:, 2]
    column = collinear(rows, Prior(prior)) if names else None
    if column is not None:
        before = f" and {listed(names[:column])}" if column else ""
        raise DataError(
            f"{quoted(names[column])} must say something that the agents{before} do not; it is a combination of them, so its "
            "coefficient cannot be determined. Leave it out."
        )
    if not ties.any():
        return HALF
    if tie_model != "half":
        require_finite_ties(agents, rows.a, rows.b, rows.counts, prior=prior)
    return TIE_MODELS[tie_model]


def _require_finite_fit(fit: Fit, names: tuple[str, ...]) -> None:
    """Raise an error for a fit whose coefficients diverge although the strengths alone would not."""
    if not fit.ended.lost:
        return
    step = np.abs(fit.ended.step[len(fit.strength) :])
    away = [name for name, size in zip((*names, "the tie parameter"), step, strict=False) if size > 0.1 * step.max()]
    raise DataError(
        f"coefficients must have finite estimates; here the outcomes are separated by {listed(away)}: the better it predicts, "
        "the larger it gets, without end. Leave it out, or collect battles that go against it."
    )


def _estimates(fit: Fit, tie_model: str, ties: TieModel, names: tuple[str, ...], unit: Floats) -> dict[str, Any]:
    """The fitted parameters besides the strengths, in the user's units."""
    estimates = {
        name: {"estimate": float(value / by), "standard_error": float(error / by)}
        for name, value, error, by in zip(names, fit.coefficients, fit.standard_errors, unit, strict=False)
    }
    settings: dict[str, Any] = {"tie_model": tie_model}
    if tie_model != "half":
        model = TIE_MODELS[tie_model]
        value, error = model.bound, None
        if ties.start:
            value = float(np.exp(fit.coefficients[-1]))
            error = value * float(fit.standard_errors[-1])
        settings["tie_parameter"] = {"symbol": model.symbol, "estimate": value, "standard_error": error}
    if POSITION in estimates:
        settings["position_effect"] = estimates.pop(POSITION)
    return settings | ({"covariates": estimates} if estimates else {})


SETTLED = 1e-11  # change of strengths, in log odds, at which leverages have converged


def bradley_terry_firth(
    profile: Profile,
    *,
    scale: str = "log_odds",
    anchor: str | None = None,
    anchor_rating: float | None = None,
    max_iter: int = 200,
) -> Outcome:
    r"""Rate agents by the Bradley-Terry model with Firth's bias reduction.

    Use it for few battles, or if some agents won or lost all of theirs. Maximum likelihood overestimates the spread
    of strengths, and diverges if an agent lost every battle. Firth [1]_ maximizes

    .. math::  \ell(\theta) + \tfrac12 \ln \det I(\theta),

    the likelihood with Jeffreys' prior, with :math:`I` the information on differences of strengths. Its maximum is
    that of the likelihood with :math:`h_{ab} / 2` wins added to both sides of every compared pair, where

    .. math::  h_{ab} = n_{ab}\, p_{ab} (1 - p_{ab})\, \mathrm{Var}(\hat\theta_a - \hat\theta_b)

    is the pair's leverage; leverages sum to one less than the number of agents. So agents with many battles hardly
    change, and there is no prior to choose.

    Parameters
    ----------
    profile : Profile
        Battles or their counts; the pairs of ballots; win rates, with each compared pair as one battle.
    scale : {"log_odds", "elo"}
        Unit of the ratings.
    anchor, anchor_rating : str and float, optional
        As for `bradley_terry`.
    max_iter : int
        Maximum number of rounds of leverages and fits; the status says if it is reached.

    Returns
    -------
    Outcome
        Ratings on the requested scale. Details, in log odds: ``standard_errors`` of strengths with mean zero, from
        the information at the estimate; ``added``, the total number of wins that leverages add to both sides;
        ``iterations``, ``accuracy``, ``log_likelihood`` (without the prior) and ``scale``.

    Raises
    ------
    DataError
        If agents are not connected.

    Examples
    --------
    One pair has leverage 1: half a win is added to both sides, and 3 to 0 become odds of 7 to 1.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> result = bradley_terry_firth(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 0, 0, 0]])))
    >>> bool(np.isclose(np.ptp(result.score), np.log(7)))
    True

    Notes
    -----
    Leverages and fits alternate until neither changes: :math:`O(n^3)` per round. Ties are half a win and half a loss.
    The R package BradleyTerry2 has the same estimate as ``br = TRUE``.

    References
    ----------
    .. [1] D. Firth, "Bias reduction of maximum likelihood estimates", *Biometrika* 80 (1993), 27-38.
    """
    require_scale(profile.agents, scale, anchor, anchor_rating)
    require_prior(0.0, max_iter)
    rows, _ = comparisons(profile)
    require_one_group(profile.agents, rows.a, rows.b, "bradley_terry_firth")
    strength, added, ended = bias_reduced(rows, max_iter)
    level, strength = rating_levels(strength, ended)
    variance = np.diag(Fit(rows, HALF, NO_PRIOR, ended).covariance())
    value = half(strength[rows.a] - strength[rows.b], 0.0, rows.counts).value
    details: dict[str, Any] = fit_details(ended, value, scale)
    details["added"] = float(added.sum() / 2)
    details["standard_errors"] = dict(zip(profile.agents, np.sqrt(variance).tolist(), strict=True))
    score = on_scale(strength, profile.agents, scale=scale, anchor=anchor, anchor_rating=anchor_rating)
    return Outcome(level, score, ended.status, details)


def bias_reduced(rows: Comparisons, max_iter: int) -> tuple[Floats, Floats, Ended]:
    """Return the strengths, the leverages of the rows, and how the rounds ended.

    >>> rows = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 0.0, 0.0]]))
    >>> bias_reduced(rows, 50)[1].round(9)
    array([1.])
    """
    strength, change, taken = np.zeros(rows.n_agents), np.inf, 0
    added = leverages(rows, strength)
    while change > SETTLED and taken < max_iter and rows.n_agents > 1:
        counts = rows.counts + np.column_stack([added, added, np.zeros_like(added)]) / 2
        fit = fit_pairs(Comparisons(rows.n_agents, rows.a, rows.b, counts), start=strength)
        change, strength = float(np.abs(fit.strength - strength).max()), fit.strength
        added, taken = leverages(rows, strength), taken + 1
    change = 0.0 if rows.n_agents == 1 else change
    return strength, added, Ended(strength, 0.0, taken, change <= SETTLED, False, change, np.array([change]))
