r"""Plackett-Luce ratings: strengths fitted to whole rankings, including ties (Davidson-Luce) and partial ballots.

A ballot is a sequence of choices: from the agents :math:`A_j` not yet placed, the group :math:`C_j` is chosen as the
next place. With worths :math:`\alpha = e^\theta`, eq. (1) of the PlackettLuce package [2]_ gives the ballot the
probability

.. math::  \prod_j \frac{f(C_j)}{\sum_t \sum_{S \subseteq A_j, |S| = t} f(S)}, \qquad
           f(S) = \delta_{|S|} \Bigl(\prod_{i \in S} \alpha_i\Bigr)^{1/|S|}, \quad \delta_1 = 1,

where :math:`t` runs over the group sizes that occur: the estimate of :math:`\delta_t` for any other size is zero.
Without ties it is the Plackett-Luce model, with two agents per ballot Davidson's. The inner sum over sets of size *t*
is :math:`\delta_t` times the elementary symmetric polynomial :math:`e_t` of the :math:`\alpha^{1/t}`. Since
:math:`A_j` is the tail of the ballot, sums from the last agent up give it for all *j* at once: :math:`e_k(A) =
\sum_{i \in A} \alpha_i^{1/t} e_{k-1}(\text{those after } i)`. No term is negative, so nothing cancels.

References
----------
.. [1] D. Firth, I. Kosmidis, H. L. Turner, "Davidson-Luce model for multi-item choice with ties", 2019, arXiv:1909.07123.
.. [2] H. L. Turner, J. van Etten, D. Firth, I. Kosmidis, "Modelling rankings in R: the PlackettLuce package",
       *Computational Statistics* 35 (2020), 1027-1057.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError
from beatpath._validate import require_few
from beatpath.evidence import Ballots
from beatpath.evidence.pairs import per_weight
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
from beatpath.methods.result import Outcome

LONGER = 1.2  # most times as long as another ballot of its sheet that a ballot is
Numbers = NDArray[Any]  # real, or complex for derivatives


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Ballots of similar lengths.

    Parameters
    ----------
    agent : (m, length) int
        Agents by place, best first; the number of agents past the end of shorter ballots.
    chosen : (m, length) int
        Size of the group that begins here, 0 inside a group and past the end.
    weight : (m,) float
        Weight of each ballot.
    """

    agent: Ints
    chosen: Ints
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class DavidsonLuce:
    """The Davidson-Luce likelihood of ballots.

    Parameters
    ----------
    n_agents : int
        Number of agents.
    sizes : tuple of int
        Group sizes that occur, 1 first.
    sheets : tuple of Sheet
        The ballots by length.
    won : (p,) float
        Coefficients of the linear part of the likelihood: for each agent the weight of its groups over their size,
        for each size beyond 1 the weight of its groups.
    """

    n_agents: int
    sizes: tuple[int, ...]
    sheets: tuple[Sheet, ...]
    won: Floats

    def value_and_gradient(self, x: Numbers) -> tuple[Any, Numbers]:
        r"""Return the log-likelihood at ``x``, strengths and then log :math:`\delta` by size, and its gradient.

        It is analytic in `x`: an imaginary part gives derivatives to full precision. Minus infinity, and zeros, on
        overflow.

        >>> model = davidson_luce(Ballots.of([[["a"], ["b"]], [["a", "b"]]]))
        >>> value, gradient = model.value_and_gradient(np.zeros(3))
        >>> round(9 * float(np.exp(value)), 9), gradient.round(4)
        (1.0, array([ 0.5   , -0.5   ,  0.3333]))
        """
        n = self.n_agents
        value, gradient = (self.won * x).sum(), self.won.astype(x.dtype)
        with np.errstate(over="ignore"):
            delta = np.exp(np.concatenate([[0.0], x[n:]]))
        worth, spent = np.append(x[:n], -np.inf), np.zeros(n + 1, dtype=x.dtype)  # nobody is of no worth
        for sheet in self.sheets:
            theta = worth[sheet.agent]
            top = theta.real.max(axis=1, keepdims=True)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                log_sum, by_entry, by_size = _sums(theta - top, delta, self.sizes, sheet)
            if not (np.isfinite(log_sum) and np.isfinite(by_entry).all() and np.isfinite(by_size).all()):
                return -np.inf, np.zeros_like(gradient)
            value = value - log_sum - (sheet.weight * (sheet.chosen > 0).sum(axis=1) * top[:, 0]).sum()
            np.add.at(spent, sheet.agent, by_entry)
            gradient[n:] -= by_size
        gradient[:n] -= spent[:n]
        return value, gradient

    def product(self, x: Floats, v: Floats) -> Floats:
        """Return the information matrix at `x` times `v`, by the complex-step derivative (Squire and Trapp, 1998)."""
        return -self.value_and_gradient(x + 1e-20j * v)[1].imag / 1e-20


def davidson_luce(ballots: Ballots) -> DavidsonLuce:
    """Sort ballots with nonzero weight and at least two agents into sheets.

    Weights are scaled so that they sum to the effective number of ballots.

    >>> davidson_luce(Ballots.of([[["a"], ["b", "c"]], [["b"], ["a"]]])).sizes
    (1, 2)
    """
    length, total = np.diff(ballots.start), ballots.total
    if ballots.weight is not None:
        total = total * per_weight(total, total * ballots.weight)
    cast, sheets, n = (length > 1) & (total > 0), [], len(ballots.agents)
    band = np.ceil(np.log(np.maximum(length, 1)) / np.log(LONGER))
    for some in (np.flatnonzero(cast & (band == k)) for k in np.unique(band[cast])):
        place = np.arange(length[some].max())
        on = place < length[some, None]
        entry = np.where(on, ballots.start[some, None] + place, 0)
        agent, place = np.where(on, ballots.agent[entry], n), np.where(on, ballots.place[entry], -1)
        sheets.append(Sheet(agent, np.where(on, _group_sizes(place), 0), total[some]))
    sizes = sorted({1} | {int(s) for sheet in sheets for s in np.unique(sheet.chosen) if s})
    return DavidsonLuce(n, tuple(sizes), tuple(sheets), _won(n, sizes, sheets))


def _group_sizes(place: Ints) -> Ints:
    """Size of the group that begins at each entry, 0 inside a group."""
    begins = np.ones(place.shape, dtype=bool)
    begins[:, 1:] = np.diff(place, axis=1) != 0
    at = np.flatnonzero(begins)
    sizes = np.zeros(place.size, dtype=np.int64)
    sizes[at] = np.diff(np.append(at, place.size))
    return sizes.reshape(place.shape)


def _won(n_agents: int, sizes: list[int], sheets: list[Sheet]) -> Floats:
    won = np.zeros(n_agents + len(sizes) - 1)
    for sheet in sheets:
        flat = sheet.chosen.ravel()
        own = np.repeat(flat[flat > 0], flat[flat > 0])  # the group of each entry
        on = sheet.agent < n_agents
        weight = np.repeat(sheet.weight, on.sum(axis=1))
        won[:n_agents] += np.bincount(sheet.agent[on], weight / own, n_agents)
        for k, size in enumerate(sizes[1:]):
            won[n_agents + k] += float((sheet.weight[:, None] * (sheet.chosen == size)).sum())
    return won


def _sums(theta: Numbers, delta: Numbers, sizes: tuple[int, ...], sheet: Sheet) -> tuple[Any, Numbers, Numbers]:
    """The weighted sum of log normalizers, and its derivatives in every entry's strength and in each log delta."""
    tables = [(size, np.exp(theta / size)) for size in sizes]
    tails = [_symmetric(worth, size) for size, worth in tables]
    whole = sum(d * tail[-1][:, :-1] for d, tail in zip(delta, tails, strict=True))
    whole = np.where(sheet.chosen > 0, whole, 1.0)
    weight = sheet.weight[:, None] * (sheet.chosen > 0)
    share = weight / whole
    by_entry: Numbers = sum(  # type: ignore[assignment]
        worth * _top_derivative(worth, d * share, tail) / size
        for (size, worth), d, tail in zip(tables, delta, tails, strict=True)
    )
    by_size = np.array([(share * d * tail[-1][:, :-1]).sum() for d, tail in zip(delta[1:], tails[1:], strict=True)])
    return (weight * np.log(whole)).sum(), by_entry, by_size


def _symmetric(worth: Numbers, size: int) -> list[Numbers]:
    """Elementary symmetric polynomials of degree 0 to `size` of every tail, shape (m, length + 1) each."""
    m, length = worth.shape
    tails = [np.ones((m, length + 1), dtype=worth.dtype)]
    for _ in range(size):
        terms = worth * tails[-1][:, 1:]
        next_ = np.zeros((m, length + 1), dtype=worth.dtype)
        next_[:, :-1] = np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]
        tails.append(next_)
    return tails


def _top_derivative(worth: Numbers, weight: Numbers, tails: list[Numbers]) -> Numbers:
    """The derivative, in every worth, of the weighted sum of the polynomials of highest degree."""
    slope = np.zeros_like(worth)
    for lower in tails[-2::-1]:
        reached = np.cumsum(weight, axis=1)
        slope = slope + reached * lower[:, 1:]
        weight = np.zeros_like(worth)
        weight[:, 1:] = (worth * reached)[:, :-1]
    return slope


MOST_TIED = 20  # most agents tied in one place, since every size is a parameter
MOST_PRODUCTS = (
    2_000_000  # ranked agents times sizes of ties, of a few seconds: every product with the information takes as many
)


def plackett_luce(
    profile: Profile,
    *,
    prior: float = 0.0,
    scale: str = "log_odds",
    anchor: str | None = None,
    anchor_rating: float | None = None,
    max_iter: int = 100,
) -> Outcome:
    r"""Rate agents by Plackett-Luce: each place of a ballot is a choice among the agents not yet placed.

    The next agent is *i* with probability :math:`\alpha_i / \sum_{j \in A} \alpha_j`, :math:`\alpha = e^\theta`, with
    *A* the remaining agents; ties follow the Davidson-Luce model [1]_, see `davidson_luce`. Unranked agents take no
    part, so partial ballots count as orders of the agents they rank.

    Unlike the pairs of a ballot, which `bradley_terry` takes as separate battles, its choices are independent in the
    model.

    Parameters
    ----------
    profile : Profile
        Rankings, or a score table as the rankings of its tasks, with their counts and weights.
    prior : float
        Wins and losses of every agent against one of strength zero, as in `bradley_terry`; default 0. Such a
        comparison cannot tie; in R's PlackettLuce it can, so with tied ballots and a prior estimates differ.
    scale, anchor, anchor_rating
        As in `bradley_terry`.
    max_iter : int
        Maximum number of Newton steps; the status says if it is reached.

    Returns
    -------
    Outcome
        As in `bradley_terry`, with ``tie_parameters`` in the details: :math:`\delta_t` by the size *t* of the tied
        group, with its standard error. Two agents of equal strength tie for the next place with probability
        :math:`\delta_2 / (2 + \delta_2)`.

    Raises
    ------
    DataError
        If no finite estimate exists, with the groups of agents and remedies; if more than 20 agents are tied in one
        place, since every size of a tie is a parameter; or if the ranked agents times the sum of these sizes are more
        than two million.

    Examples
    --------
    Two of three ballots rank Ada first: she is chosen first with probability 2/3, twice the worth of Bob.

    >>> from beatpath.methods.profile import profile_of
    >>> votes = Ballots.of([[["ada"], ["bob"]], [["bob"], ["ada"]]], count=[2, 1])
    >>> bool(np.isclose(np.ptp(plackett_luce(profile_of(votes)).score), np.log(2)))
    True

    Notes
    -----
    Newton's method with conjugate gradients on products with the information matrix, each as cheap as the gradient:
    linear in the ranked agents times the sum of the sizes of ties. The likelihood is concave.

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
    details = fit_details(ended, float(model.value_and_gradient(ended.x)[0]), scale)
    return Outcome(level, score, ended.status, details | _tie_parameters(model, ended.x, prior))


def fit_ballots(model: DavidsonLuce, *, prior: float = 0.0, max_iter: int = 100) -> Ended:
    """Fit strengths, and after them the log tie parameters, by Newton's method.

    >>> result = fit_ballots(davidson_luce(Ballots.of([[["a"], ["b"]], [["b"], ["a"]]], count=[3, 1])))
    >>> bool(np.isclose(result.x[0] - result.x[1], np.log(3)))
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

    return newton(at, np.concatenate([np.zeros(n), _log_delta_if_equal(model)]), max_iter=max_iter)


def _log_delta_if_equal(model: DavidsonLuce) -> Floats:
    r"""Return about what log :math:`\delta` by size would be for equal agents; far from it Newton's method takes detours.

    Of *k* remaining agents, :math:`\delta_t \binom{k}{t}` groups of *t* are chosen per *k* single ones.
    """
    left = max((sheet.agent.shape[1] for sheet in model.sheets), default=1)
    share = model.won[model.n_agents :] / model.won[: model.n_agents].sum()
    return np.log(share * left / comb(left, model.sizes[1:]))


def _estimable_ballots(profile: Profile, prior: float) -> Ballots:
    """The ballots, or an error if they have no finite estimate."""
    ballots = profile.require_ballots("plackett_luce")
    if len(ballots.place):
        ballot = np.repeat(np.arange(len(ballots)), np.diff(ballots.start))
        tied = np.unique(np.unique(np.stack([ballot, ballots.place]), axis=1, return_counts=True)[1])
        instead = "Rank these ballots by `bradley_terry`, for which a tie is half a win."
        require_few(
            int(tied[-1]), MOST_TIED, "plackett_luce takes ballots with up to {} agents tied in one place", instead
        )
        products = len(ballots.place) * int(tied[tied > 1].sum())
        require_few(products, MOST_PRODUCTS, "plackett_luce takes up to {} ranked agents times sizes of ties", instead)
    if not prior and len(profile.agents) > 1:
        pairs = profile.pairs
        assert pairs is not None
        wins, losses, ties, _ = pairs.counts.T
        require_connection(profile.agents, pairs.a, pairs.b, wins + ties, losses + ties, "Plackett-Luce")
    return ballots


def _solve(model: DavidsonLuce, x: Floats, rhs: Floats, prior: float, accuracy: float, diagonal: Floats) -> Floats:
    """The inverse information matrix times `rhs`, with strengths of mean zero if only differences are identified."""

    def level(v: Floats) -> Floats:
        return v if prior else np.concatenate([v[:n] - v[:n].mean(), v[n:]])

    n, bend = model.n_agents, Prior(prior).at(x, model.n_agents)[2]
    return level(
        conjugate_gradients(lambda v: model.product(x, v) + bend * v, level(rhs), by_diagonal(diagonal), accuracy)[0]
    )


def _tie_parameters(model: DavidsonLuce, x: Floats, prior: float) -> dict[str, Any]:
    """The tie parameters by size, with standard errors, whose relative error is the square of that of the solution."""
    n = model.n_agents
    diagonal = np.maximum(model.won - model.value_and_gradient(x)[1], 1e-300)
    parameters = {}
    for k, size in enumerate(model.sizes[1:]):
        unit = np.zeros(len(x))
        unit[n + k] = 1.0
        variance = _solve(model, x, unit, prior, 1e-4, diagonal)[n + k]
        estimate = float(np.exp(x[n + k]))
        parameters[str(size)] = {"estimate": estimate, "standard_error": estimate * float(np.sqrt(variance))}
    return {"tie_parameters": parameters} if parameters else {}
