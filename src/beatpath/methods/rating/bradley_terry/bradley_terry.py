r"""The Bradley-Terry model: strengths in log odds, fitted to all battles at once.

Scales that strengths are told on: log odds, or Elo points.

On both an agent's lead :math:`d` over another says how often it wins: :math:`1 / (1 + e^{-d})` in log odds,
:math:`1 / (1 + 10^{-d / 400})` in Elo points, which are :math:`400 / \ln 10 \approx 173.7` to one unit of log odds.

Firth's bias-reduced Bradley-Terry strengths, finite whenever agents are connected at all.
"""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath._validate import is_number, require_choice, require_number
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

UNIT = {"log_odds": 1.0, "elo": 400.0 / log(10.0)}
CENTRE = {"log_odds": 0.0, "elo": 1500.0}


def require_scale(agents: tuple[str, ...], scale: str, anchor: str | None, anchor_rating: float | None) -> None:
    """Refuse a scale, an anchor or a rating of it that cannot be.

    >>> require_scale(("ada", "bob"), "elo", "bop", 1000)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `anchor` must be one of the 2 agents; 'bop' is not. Did you mean 'bob'?
    """
    require_choice("scale", scale, UNIT)
    if anchor is not None and anchor not in agents:
        raise UsageError(
            f"`anchor` must be one of the {len(agents):,} agents; {quoted(anchor)} is not.{suggestion(str(anchor), agents)}"
        )
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
    """Return strengths in log odds on a scale on which the anchor, or the mean, is at `anchor_rating`.

    Parameters
    ----------
    strength : (n,) float
        Log odds, up to a constant.
    agents : tuple of str
    scale : {"log_odds", "elo"}
    anchor : str, optional
        The agent to put at `anchor_rating`; by default the mean of all agents is put there.
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
    return (CENTRE[scale] if anchor_rating is None else anchor_rating) + UNIT[scale] * (strength - fixed)


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
    r"""Rate agents so that a difference of ratings says how often one beats the other.

    Agent *a* beats *b* with probability :math:`\sigma(\theta_a - \theta_b) = 1 / (1 + e^{\theta_b - \theta_a})`: the model of
    Zermelo, Bradley and Terry [1]_, eq. (1) of Hunter [2]_ with :math:`\gamma = e^\theta`. The strengths :math:`\theta`
    maximise the likelihood of all battles; at the maximum every agent's expected wins equal those it has.

    Parameters
    ----------
    profile : Profile
        Battles or their counts with any weights; the pairs of ballots; win rates, each pair that met as one battle.
    tie_model : {"half", "davidson", "rao_kupper"}
        What a tie is: half a win and half a loss (or nothing, with the convention ``ties="drop"``), or an outcome of its
        own whose frequency is fitted too; see `tie_models`.
    position : bool
        Fit the lead, in log odds, that moving or being shown first gives.
    covariates : sequence of str, or text with commas
        Fit what differences of numeric columns add to a lead, "style control": columns of the battles that hold a
        difference, or ``"length_a - length_b"``. The ratings are then those at equal values.
    prior : float
        Wins and losses that every agent is given against one of strength zero: the Type III generalised logistic prior,
        which Whelan [3]_ finds to respect the symmetries of the model. It holds every strength finite; 0 for none.
    scale : {"log_odds", "elo"}
        Unit of the ratings; 400 / ln 10 Elo points to one unit of log odds.
    anchor, anchor_rating : str and float, optional
        The agent to put at that rating; by default the mean of all is put at 0 log odds or 1500 Elo points.
    max_iter : int
        Newton steps before it gives up, which the status then says.
    start : mapping of agent to float, optional
        Strengths in log odds to begin from, such as those of yesterday; agents not named begin at zero. It saves steps and
        changes nothing else: the maximum is one.

    Returns
    -------
    Outcome
        Ratings on the scale requested. Where one group with paths of wins both ways is far the largest, its agents are rated;
        the others, such as one that lost every battle, have no finite rating and stand above them all, below them all, or last
        for want of a place, as the status says. Agents share a level when their strengths are equal to the accuracy reached.
        *Details*, in log odds whatever the scale: ``iterations``, ``gradient`` (largest entry before the last step),
        ``accuracy`` (that step), ``log_likelihood``, ``scale``, ``tie_model`` and, where fitted, ``tie_parameter``, ``position_effect`` and
        ``covariates``, each with its standard error from the observed information.

    Raises
    ------
    DataError
        When no finite estimate exists and no group is far the largest, naming groups of agents or columns, and the ways out.

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
    Newton's method on the counts, so that the number of battles costs nothing once they are counted: :math:`O(m + n^3)` a
    step for up to 100 agents and *m* pairs, conjugate gradients on sparse products for more. A finite estimate of all exists,
    and is unique, exactly when the win graph is strongly connected; see `connection`.

    References
    ----------
    .. [1] R. A. Bradley, M. E. Terry, "Rank analysis of incomplete block designs: I. The method of paired comparisons",
           *Biometrika* 39 (1952), 324-345.
    .. [2] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", *Annals of Statistics* 32 (2004), 384-406.
    .. [3] J. T. Whelan, "Prior distributions for the Bradley-Terry model of paired comparisons", 2017, arXiv:1712.05311.
    """
    require_scale(profile.agents, scale, anchor, anchor_rating)
    _require_settings(tie_model, position, prior, max_iter)
    names = covariate_names(covariates)
    rows, unit = comparisons(profile, tie_model=tie_model, position=bool(position), covariates=names)
    names = ((POSITION,) if position else ()) + names
    began = None if start is None else _starting_strengths(profile.agents, start)
    apart, connected = (None, True) if prior else _some_apart(profile.agents, rows, anchor)
    agents = profile.agents
    if apart is not None:
        inside, number = apart.inside, (np.cumsum(apart.inside) - 1).astype(np.int32)
        inside_rows, agents = inside[rows.a] & inside[rows.b], tuple(np.array(agents, dtype=object)[inside])
        a, b = number[rows.a[inside_rows]], number[rows.b[inside_rows]]
        rows = Comparisons(len(agents), a, b, rows.counts[inside_rows], rows.x[inside_rows])
        began = None if began is None else began[apart.inside] - began[apart.inside].mean()
    if not connected:
        wins, losses, tied = rows.counts.T
        require_connection(agents, rows.a, rows.b, wins + tied, losses + tied, "Bradley-Terry")
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


def _some_apart(agents: tuple[str, ...], rows: Comparisons, anchor: str | None) -> tuple[Standing | None, bool]:
    """Where agents stand, if one group with paths of wins both ways is far the largest, and whether there are such paths.

    The anchor must be in the group; there are paths between all of it, or of all where it is everybody.
    """
    wins, losses, ties = rows.counts.T
    groups = standing(len(agents), rows.a, rows.b, wins + ties, losses + ties)
    if groups.inside.all():
        return None, True
    if not groups.alone or (anchor is not None and not groups.inside[agents.index(anchor)]):
        return None, False
    return groups, True


def _with_those_apart(level: Ints, score: Floats, apart: Standing) -> tuple[Ints, Floats]:
    """Levels and scores of all: those above before and those below after all that were fitted, the rest last."""
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
    """Return the rows that are fitted, and the (k,) unit that each column of `x` was divided by.

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
        return _comparisons_by_pair(rows, np.zeros((len(rows), 0))), np.ones(0)
    x = shifts(profile.battles, position, covariates)
    assert profile.battles is not None
    rows, x = distinct_rows(profile.battles, x)
    rows = rows.settle(ties="keep" if own else profile.ties, both_bad=_both_bad(profile))
    require_shifts(rows, x, ((POSITION,) if position else ()) + tuple(covariates))
    weight = rows.counts.sum(axis=1)
    unit = np.sqrt((weight @ x**2) / weight.sum())
    return _comparisons_by_pair(rows, x / unit), unit


def rating_levels(strength: Floats, ended: Ended) -> tuple[Ints, Floats]:
    """Return levels of strengths equal to the accuracy reached, and the strengths with each level at its mean.

    >>> ended = Ended(np.zeros(3), 0.0, 1, True, False, 0.0, np.array([1e-8]))
    >>> rating_levels(np.array([0.0, 1.0, 1.0 + 1e-9]), ended)[0]
    array([1, 0, 0])
    """
    return equal_levels(strength, max(1e-9, 4 * float(np.abs(ended.step).max(initial=0.0))))


def fit_details(ended: Ended, log_likelihood: float, scale: str) -> dict[str, Any]:
    """Return what every fitted rating says of itself."""
    return {
        "iterations": ended.iterations,
        "converged": ended.converged,
        "gradient": ended.gradient,
        "accuracy": float(np.abs(ended.step).max(initial=0.0)),
        "log_likelihood": log_likelihood,
        "scale": scale,
    }


def require_prior(prior: float, max_iter: int) -> None:
    """Refuse a prior that is negative or no number, and a limit of steps below one."""
    require_number("prior", prior, "a number of wins and losses, 0 or more", least=0)
    if isinstance(max_iter, bool) or not isinstance(max_iter, int) or max_iter < 1:
        raise UsageError(f"`max_iter` must be a whole number of steps, 1 or more; got {quoted(max_iter)}.")


def _require_settings(tie_model: str, position: bool, prior: float, max_iter: int) -> None:
    require_prior(prior, max_iter)
    require_choice("tie_model", tie_model, TIE_MODELS)
    if position not in (False, True):
        raise UsageError(f"`position` must be true or false (1 or 0); got {quoted(position)}.")


def _starting_strengths(agents: tuple[str, ...], start: Mapping[str, float]) -> Floats:
    """The strengths to begin from, their mean zero."""
    if not isinstance(start, Mapping):
        raise UsageError(f"`start` must be strengths by agent, such as {{'ada': 0.5}}; got {quoted(start)}.")
    wrong = [name for name, x in start.items() if not is_number(x)]
    if wrong:
        raise UsageError(f"`start` must hold finite numbers; that of {quoted(wrong[0])} is {quoted(start[wrong[0]])}.")
    strength = np.array([start.get(name, 0.0) for name in agents], dtype=np.float64)
    return strength - strength.mean() if len(agents) else strength


def _counts_for(profile: Profile, tie_model: str) -> Pairs:
    """Counts whose first three columns are what the tie model takes."""
    if profile.settled is None:
        raise DataError(
            "Bradley-Terry needs counts of wins and losses; margins hold only their differences, which many counts share. "
            "Rank margins by another method, or give battles, pairs or win rates."
        )
    if tie_model == "half":
        return profile.settled
    if profile.pairs is None:
        raise DataError("a tie model needs counts of ties; win rates have none. Use `tie_model='half'`.")
    return profile.pairs.settle(ties="keep", both_bad=_both_bad(profile))


def _comparisons_by_pair(rows: Pairs, x: Floats) -> Comparisons:
    """The rows that weigh anything, by pair."""
    code = rows.a.astype(np.int64) * len(rows.agents) + rows.b
    some, ordered = rows.counts @ np.ones(4) > 0, bool((np.diff(code) >= 0).all())
    if ordered and some.all():
        return Comparisons(len(rows.agents), rows.a, rows.b, rows.counts[:, :3], x)
    keep = np.arange(len(rows)) if ordered else np.argsort(code, kind="stable")
    keep = keep[some[keep]]
    return Comparisons(len(rows.agents), rows.a[keep], rows.b[keep], rows.counts[keep, :3], x[keep])


def _both_bad(profile: Profile) -> str:
    return "drop" if profile.both_bad == "keep" else profile.both_bad


def _estimable(
    agents: tuple[str, ...], rows: Comparisons, tie_model: str, names: tuple[str, ...], prior: float
) -> TieModel:
    """Refuse what has no finite estimate; return the tie model, or without any tie the one it becomes."""
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
    """Refuse a fit whose coefficients run away although the strengths alone would not."""
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


SETTLED = 1e-11  # change of strengths, in log odds, at which leverages have settled


def bradley_terry_firth(
    profile: Profile,
    *,
    scale: str = "log_odds",
    anchor: str | None = None,
    anchor_rating: float | None = None,
    max_iter: int = 200,
) -> Outcome:
    r"""Rate agents by Bradley and Terry's model with the bias of small samples taken out of the estimate.

    Maximum likelihood spreads strengths too far, and without end where an agent lost every battle. Firth [1]_ maximises

    .. math::  \ell(\theta) + \tfrac12 \ln \det I(\theta),

    the likelihood with Jeffreys' prior, :math:`I` the information on differences of strengths. Its maximum is that of the
    likelihood with :math:`h_{ab} / 2` wins added to both sides of every pair that met, where

    .. math::  h_{ab} = n_{ab}\, p_{ab} (1 - p_{ab})\, \mathrm{Var}(\hat\theta_a - \hat\theta_b)

    is the pair's leverage; leverages add up to one less than the number of agents. So agents that met often are hardly
    touched, and there is no prior to choose.

    Parameters
    ----------
    profile : Profile
        Battles or their counts; the pairs of ballots; win rates, each pair that met as one battle.
    scale : {"log_odds", "elo"}
    anchor, anchor_rating : str and float, optional
        As for `bradley_terry`.
    max_iter : int
        Rounds of leverages and fits before it gives up, which the status then says.

    Returns
    -------
    Outcome
        Ratings on the scale requested. Details, in log odds: ``standard_errors`` of strengths of mean zero, from the information
        at the estimate; ``added``, the wins that leverages add to both sides in all; ``iterations``, ``accuracy``,
        ``log_likelihood`` (without the prior) and ``scale``.

    Raises
    ------
    DataError
        When agents fall into groups that never met.

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
    Leverages and fits by turns, until neither changes: :math:`O(n^3)` a round. Ties are half a win and half a loss. The R
    package BradleyTerry2 has the same estimate as ``br = TRUE``.

    References
    ----------
    .. [1] D. Firth, "Bias reduction of maximum likelihood estimates", *Biometrika* 80 (1993), 27-38.
    """
    require_scale(profile.agents, scale, anchor, anchor_rating)
    require_prior(0.0, max_iter)
    profile.need_counts("bradley_terry_firth")
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
