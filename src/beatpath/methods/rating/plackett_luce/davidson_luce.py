r"""The likelihood of ballots with ties: the Davidson-Luce model.

A ballot is a row of choices: from the agents :math:`A_j` not yet placed, the group :math:`C_j` is chosen as the next place.
With worths :math:`\alpha = e^\theta`, eq. (1) of the PlackettLuce package [2]_ gives the ballot the probability

.. math::  \prod_j \frac{f(C_j)}{\sum_t \sum_{S \subseteq A_j, |S| = t} f(S)}, \qquad
           f(S) = \delta_{|S|} \Bigl(\prod_{i \in S} \alpha_i\Bigr)^{1/|S|}, \quad \delta_1 = 1,

where :math:`t` runs over the sizes of groups that occur: the estimate of :math:`\delta_t` for any other size is zero. Without
ties it is the model of Plackett and Luce, with two agents a ballot that of Davidson. The inner sum over sets of size *t* is
:math:`\delta_t` times the elementary symmetric polynomial :math:`e_t` of the :math:`\alpha^{1/t}`, and since :math:`A_j` is
the tail of the ballot, sums from the last agent up give it for all *j* at once:
:math:`e_k(A) = \sum_{i \in A} \alpha_i^{1/t} e_{k-1}(\text{those after } i)`. No term is negative, so nothing cancels.

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

from beatpath._arrays import Floats, Ints
from beatpath.evidence import Ballots

Numbers = NDArray[Any]  # real, or complex for derivatives


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Ballots of one length.

    Parameters
    ----------
    agent : (m, length) int
        Who stands where, best first.
    chosen : (m, length) int
        The size of the group that begins here, 0 inside a group.
    weight : (m,) float
    """

    agent: Ints
    chosen: Ints
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class DavidsonLuce:
    """Ballots with the sizes of their groups, and what they say.

    Parameters
    ----------
    n_agents : int
    sizes : tuple of int
        The sizes of groups that occur, 1 first.
    sheets : tuple of Sheet
    won : (p,) float
        What the likelihood is linear in: for each agent the weight of its groups over their size, for each size beyond 1 the
        weight of its groups.
    """

    n_agents: int
    sizes: tuple[int, ...]
    sheets: tuple[Sheet, ...]
    won: Floats

    def value_and_gradient(self, x: Numbers) -> tuple[Any, Numbers]:
        r"""Return the log-likelihood at ``x``, strengths and then log :math:`\delta` by size, and its gradient.

        Analytic in `x`: with an imaginary part it gives derivatives to full precision. Minus infinity, and zeros, where
        numbers do not reach.

        >>> model = davidson_luce(Ballots.of([[["a"], ["b"]], [["a", "b"]]]))
        >>> value, gradient = model.value_and_gradient(np.zeros(3))
        >>> round(9 * float(np.exp(value)), 9), gradient.round(4)
        (1.0, array([ 0.5   , -0.5   ,  0.3333]))
        """
        n = self.n_agents
        value, gradient = (self.won * x).sum(), self.won.astype(x.dtype)
        with np.errstate(over="ignore"):
            delta = np.exp(np.concatenate([[0.0], x[n:]]))
        for sheet in self.sheets:
            theta = x[:n][sheet.agent]
            top = theta.real.max(axis=1, keepdims=True)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                log_sum, by_entry, by_size = _sums(theta - top, delta, self.sizes, sheet)
            if not (np.isfinite(log_sum) and np.isfinite(by_entry).all() and np.isfinite(by_size).all()):
                return -np.inf, np.zeros_like(gradient)
            value = value - log_sum - (sheet.weight * (sheet.chosen > 0).sum(axis=1) * top[:, 0]).sum()
            np.subtract.at(gradient[:n], sheet.agent, by_entry)
            gradient[n:] -= by_size
        return value, gradient

    def product(self, x: Floats, v: Floats) -> Floats:
        """Return the information matrix at `x` times `v`, by a step in the imaginary direction (Squire and Trapp, 1998)."""
        return -self.value_and_gradient(x + 1e-20j * v)[1].imag / 1e-20


def davidson_luce(ballots: Ballots) -> DavidsonLuce:
    """Sort ballots that weigh anything and compare at least two agents into sheets.

    >>> davidson_luce(Ballots.of([[["a"], ["b", "c"]], [["b"], ["a"]]])).sizes
    (1, 2)
    """
    length, total = np.diff(ballots.start), ballots.total
    sheets = []
    for size in np.unique(length[(length > 1) & (total > 0)]):
        same = np.flatnonzero((length == size) & (total > 0))
        entry = ballots.start[same][:, None] + np.arange(size)
        agent, place = ballots.agent[entry].astype(np.int64), ballots.place[entry]
        sheets.append(Sheet(agent, _group_sizes(place), total[same]))
    sizes = sorted({1} | {int(s) for sheet in sheets for s in np.unique(sheet.chosen) if s})
    return DavidsonLuce(len(ballots.agents), tuple(sizes), tuple(sheets), _won(len(ballots.agents), sizes, sheets))


def _group_sizes(place: NDArray[np.int32]) -> Ints:
    """The size of the group that begins at each entry, 0 inside a group."""
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
        own = np.repeat(flat[flat > 0], flat[flat > 0])  # each entry's own group
        weight = np.repeat(sheet.weight, sheet.agent.shape[1])
        won[:n_agents] += np.bincount(sheet.agent.ravel(), weight / own, n_agents)
        for k, size in enumerate(sizes[1:]):
            won[n_agents + k] += float((sheet.weight[:, None] * (sheet.chosen == size)).sum())
    return won


def _sums(theta: Numbers, delta: Numbers, sizes: tuple[int, ...], sheet: Sheet) -> tuple[Any, Numbers, Numbers]:
    """The weighted sum of log normalisers, and its derivatives in every entry's strength and in each log delta."""
    tables = [(size, np.exp(theta / size)) for size in sizes]
    tails = [_symmetric(worth, size) for size, worth in tables]
    whole = sum(d * tail[-1][:, :-1] for d, tail in zip(delta, tails, strict=True))
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
    found = np.zeros_like(worth)
    for lower in tails[-2::-1]:
        reached = np.cumsum(weight, axis=1)
        found = found + reached * lower[:, 1:]
        weight = np.zeros_like(worth)
        weight[:, 1:] = (worth * reached)[:, :-1]
    return found
