"""Plackett-Luce: strengths fitted to whole rankings, ties and partial ballots included."""

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath.evidence import Ballots
from beatpath.fit.laplacian import by_diagonal, conjugate_gradients
from beatpath.fit.newton import Ended, Local, newton
from beatpath.fit.ties import Prior
from beatpath.methods.graph.connection import require_connection
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import (
    fit_details,
    on_scale,
    rating_levels,
    require_prior,
    require_scale,
)
from beatpath.methods.rating.plackett_luce.davidson_luce import DavidsonLuce, davidson_luce
from beatpath.methods.result import Outcome

MOST_TIED = 20
WRITTEN = 30  # parameters up to which the information matrix is written out and factored


def plackett_luce(
    profile: Profile,
    *,
    prior: float = 0.0,
    scale: str = "log_odds",
    anchor: str | None = None,
    anchor_rating: float | None = None,
    max_iter: int = 100,
) -> Outcome:
    r"""Rate agents so that each place of a ballot is a choice among those not yet placed.

    The next agent is *i* with probability :math:`\alpha_i / \sum_{j \in A} \alpha_j`, :math:`\alpha = e^\theta`, where *A* are
    the agents left; ties follow the Davidson-Luce model [1]_, see `davidson_luce`. Agents that a ballot does not rank take
    no part in it, so partial ballots count as orders of the agents they name.

    Unlike the pairs of a ballot, which `bradley_terry` takes as so many battles, its choices are independent in the model.

    Parameters
    ----------
    profile : Profile
        Rankings, or a score table as the rankings of its tasks; counts and weights as given.
    prior : float
        Wins and losses that every agent is given against one of strength zero, as in `bradley_terry`; 0 for none. Such a
        comparison cannot end in a tie; in R's PlackettLuce it can, so that with tied ballots and a prior estimates differ.
    scale, anchor, anchor_rating
        As in `bradley_terry`.
    max_iter : int
        Newton steps before it gives up, which the status then says.

    Returns
    -------
    Outcome
        As in `bradley_terry`, with ``tie_parameters`` in the details: :math:`\delta_t` by the size *t* of the tied group, with
        its standard error. Two agents of equal strength tie for the next place with probability
        :math:`\delta_2 / (2 + \delta_2)`.

    Raises
    ------
    DataError
        When no finite estimate exists, naming groups of agents and the ways out; when more than 20 agents are tied in one
        place, since every size of a tie is a parameter.

    Examples
    --------
    Of three ballots two put Ada first: she is chosen first with probability 2/3, twice the worth of Bob.

    >>> from beatpath.methods.profile import profile_of
    >>> votes = Ballots.of([[["ada"], ["bob"]], [["bob"], ["ada"]]], count=[2, 1])
    >>> bool(np.isclose(np.ptp(plackett_luce(profile_of(votes)).score), np.log(2)))
    True

    Notes
    -----
    Newton's method with conjugate gradients on products with the information matrix, each as cheap as the gradient: linear
    in the ranked agents times the sum of the sizes of ties. The likelihood is concave.

    References
    ----------
    .. [1] D. Firth, I. Kosmidis, H. L. Turner, "Davidson-Luce model for multi-item choice with ties", 2019, arXiv:1909.07123.
    """
    require_scale(profile.agents, scale, anchor, anchor_rating)
    require_prior(prior, max_iter)
    model = davidson_luce(_estimable_ballots(profile, prior))
    ended = fit_ballots(model, prior=prior, max_iter=max_iter)
    if ended.lost:
        raise DataError(
            "tie parameters must have finite estimates; here ties separate the ballots: the more likely they are made, the "
            "better the fit, without end. Rank these ballots by `bradley_terry`, for which a tie is half a win."
        )
    n = len(profile.agents)
    level, strength = rating_levels(ended.x[:n] - ended.x[:n].mean(), ended)
    score = on_scale(strength, profile.agents, scale=scale, anchor=anchor, anchor_rating=anchor_rating)
    likelihood = float(model.value_and_gradient(ended.x)[0])
    return Outcome(
        level, score, ended.status, fit_details(ended, likelihood, scale) | _tie_parameters(model, ended.x, prior)
    )


def fit_ballots(model: DavidsonLuce, *, prior: float = 0.0, max_iter: int = 100) -> Ended:
    """Fit strengths, and after them the logarithms of the tie parameters, by Newton's method.

    >>> found = fit_ballots(davidson_luce(Ballots.of([[["a"], ["b"]], [["b"], ["a"]]], count=[3, 1])))
    >>> bool(np.isclose(found.x[0] - found.x[1], np.log(3)))
    True
    """
    n = model.n_agents
    total = model.won + np.concatenate([np.full(n, 2 * prior), np.zeros(len(model.sizes) - 1)])

    def at(x: Floats) -> Local:
        value, gradient = model.value_and_gradient(x)
        known, slope, bend = Prior(prior).at(x, n)
        curvature = np.maximum(model.won - gradient, 0.0) + bend
        gradient += slope

        def step(accuracy: float) -> Floats:
            return _solve(model, x, gradient, prior, accuracy, curvature)

        return Local(float(value) + known, gradient, curvature, total, step)

    return newton(at, np.zeros(len(total)), max_iter=max_iter)


def _estimable_ballots(profile: Profile, prior: float) -> Ballots:
    """The ballots, or the reason why they have no finite estimate."""
    ballots = profile.need_ballots("plackett_luce")
    if len(ballots.place):
        ballot = np.repeat(np.arange(len(ballots)), np.diff(ballots.start))
        tied = np.unique(np.stack([ballot, ballots.place]), axis=1, return_counts=True)[1].max()
        if tied > MOST_TIED:
            raise DataError(
                f"plackett_luce takes ties of up to {MOST_TIED} agents, since every size of a tie is a parameter; a ballot ties "
                f"{tied}. Rank these ballots by `bradley_terry`, for which a tie is half a win."
            )
    if not prior and len(profile.agents) > 1:
        assert profile.pairs is not None
        wins, losses, ties, _ = profile.pairs.counts.T
        require_connection(
            profile.agents, profile.pairs.a, profile.pairs.b, wins + ties, losses + ties, "Plackett-Luce"
        )
    return ballots


def _times(model: DavidsonLuce, x: Floats, v: Floats, prior: float) -> Floats:
    """The information matrix, the prior's included, times a vector."""
    return model.product(x, v) + Prior(prior).at(x, model.n_agents)[2] * v


def information_matrix(model: DavidsonLuce, x: Floats, prior: float) -> Floats:
    """The information matrix written out, column by column."""
    return np.array([_times(model, x, unit, prior) for unit in np.eye(len(x))])


def _solve(model: DavidsonLuce, x: Floats, rhs: Floats, prior: float, accuracy: float, diagonal: Floats) -> Floats:
    """The information matrix's inverse times `rhs`, with strengths of mean zero where only differences are known."""

    def level(v: Floats) -> Floats:
        return v if prior else np.concatenate([v[:n] - v[:n].mean(), v[n:]])

    n = model.n_agents
    if len(x) <= WRITTEN:
        full = information_matrix(model, x, prior)
        full[:n, :n] += 0.0 if prior else diagonal[:n].mean() / n
        try:
            return level(cho_solve(cho_factor(full, lower=True), level(rhs)))
        except LinAlgError:  # too nearly singular to factor
            pass
    return level(
        conjugate_gradients(lambda v: _times(model, x, v, prior), level(rhs), by_diagonal(diagonal), accuracy)[0]
    )


def _tie_parameters(model: DavidsonLuce, x: Floats, prior: float) -> dict[str, Any]:
    """The tie parameters by size, with standard errors."""
    n = model.n_agents
    diagonal = np.maximum(model.won - model.value_and_gradient(x)[1], 1e-300)
    found = {}
    for k, size in enumerate(model.sizes[1:]):
        unit = np.zeros(len(x))
        unit[n + k] = 1.0
        variance = _solve(model, x, unit, prior, 1e-9, diagonal)[n + k]
        estimate = float(np.exp(x[n + k]))
        found[str(size)] = {"estimate": estimate, "standard_error": estimate * float(np.sqrt(variance))}
    return {"tie_parameters": found} if found else {}
