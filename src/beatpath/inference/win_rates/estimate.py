r"""The matrix of win rates, and what clusters of battles do to its errors.

For a pair *p* with total weight :math:`N_p`, of which :math:`S_p` was won by its first agent (ties half), the win rate is
:math:`\hat\psi_p = S_p / N_p`. How far it may be off is seen by leaving out one cluster *c* of battles at a time, while one
pseudo-count, half won and half lost, stays in so that nothing is ever certain:

.. math::  u_{cp} = \tilde\psi_p - \tilde\psi_{p(-c)} = \frac{s_{cp} - \tilde\psi_p\, n_{cp}}{N_p + 1 - n_{cp}}, \qquad
           \tilde\psi_p = \frac{S_p + 1/2}{N_p + 1},

which is the jackknife of the smoothed rate. The covariance of the rates is

.. math::  V = \sum_c u_c u_c^\top + \operatorname{diag}_p
               \frac{(1 - \tilde\psi_p)^2 + \tilde\psi_p^2}{2 N_p^2} .

Battles that are clusters of their own give :math:`(N_p + 1)\, \tilde\psi_p (1 - \tilde\psi_p) / N_p^2`, whose mean is
:math:`1 / (4 N_p)` to second order when the agents are equal, and which stays positive when one of them won every battle.
Two ways of clustering give :math:`V_1 + V_2 - V_{12}` [1]_, clusters of the last being what both share; such a matrix need
not be positive, and a variance that is not is reported, never mended.

References
----------
.. [1] A. C. Cameron, J. B. Gelbach, D. L. Miller, "Robust inference with multiway clustering",
       *Journal of Business & Economic Statistics* 29 (2011), 238-249.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._result import Result, json_number
from beatpath._text import counted, quoted
from beatpath.evidence.conventions import Convention
from beatpath.inference.win_rates.packed import PackedRows, SparseRows, gram

Array = NDArray[np.float64]
Map: TypeAlias = Any  # (k, p), sparse or not

MOST_AGENTS = 2500  # of whom all pairs are held at once
COMPARED = 2000  # of whom all pairs are compared unasked; more get a board of scores alone
FEW_CLUSTERS = 20  # below these, errors by cluster rest on little; the same rule as in `check`
CELLS = 1 << 23  # of a dense block of clusters by maps
ROWS = 1 << 14  # clusters whose entries are squared at a time


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """What every cluster does to every win rate.

    Parameters
    ----------
    name : str
        The column, or the columns joined by " and ".
    moved : (clusters, pairs) sparse, or worked out when requested
        :math:`u_{cp}`, times the root of how many clusters are alike.
    held : (clusters, pairs) sparse, or worked out when requested
        :math:`n_{cp} / N_p`, for how many clusters a rate rests on.
    times : (clusters,) float
        How many clusters are just like this one; equal ballots are stored once.
    sign : float
        +1, or -1 for what two clusterings share.
    singles : int
        Clusters of one battle, which are counted among the battles of their own.
    """

    name: str
    moved: SparseRows
    held: SparseRows
    times: Array
    sign: float = 1.0
    singles: int = 0

    @property
    def influence(self) -> csr_array:
        """All of `moved` as a sparse matrix."""
        return self.moved.tocsr()

    @property
    def share(self) -> csr_array:
        """All of `held` as a sparse matrix."""
        return self.held.tocsr()

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return int(self.times.sum()) + self.singles


class PairRate(TypedDict):
    """How often an agent beat another.

    Attributes
    ----------
    agent : str
        The agent.
    rival : str
        The other.
    rate : float
        The share of the weight won, ties half.
    stderr : float or None
        The standard error of that, None where two-way clustering leaves none.
    df : float or None
        Degrees of freedom of it; None where it is known.
    weight : float
        Of all their battles.
    battles : int
        How many these were.
    """

    agent: str
    rival: str
    rate: float
    stderr: float | None
    df: float | None
    weight: float
    battles: int


@dataclass(frozen=True, eq=False, repr=False)
class WinRateEstimate(Result):
    """Win rates of all pairs that met, and their joint errors.

    Attributes
    ----------
    agents : tuple of str
    a, b : (p,) int
        The pairs, ``a < b``, in sorted order.
    rate : (p,) float
        Share of the weight won by *a*, ties half.
    weight : (p,) float
        Total weight :math:`N_p` of its battles.
    battles : (p,) int
        How many battles that were.
    own : (p,) float
        Variance that no other pair shares: of battles that are clusters of their own, and of the pseudo-count.
    alone : (p,) float
        Total weight, squared battle by battle, of battles that are clusters of their own, over :math:`N_p^2`.
    clusterings : tuple of Clustering
        None for independent battles, one, or three for two-way clustering.
    conventions : tuple of Convention
    notes : tuple of str
        What a reader must know: few clusters, clusters within others.
    common : (p,) float, optional
        What one standard error of the preference for the side shown first does to every rate.
    fixed : tuple of str
        Columns that outcomes depend on, of whose few levels alone the rates are.
    """

    document: ClassVar[tuple[str, ...]] = ("agents", "pairs=rows", "settings", "conventions", "notes")

    agents: tuple[str, ...]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    rate: Array
    weight: Array
    battles: NDArray[np.int64]
    own: Array
    alone: Array
    clusterings: tuple[Clustering, ...] = ()
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()
    common: Array | None = None
    fixed: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen."""
        return {"cluster": [one.name for one in self._ways]}

    @property
    def _ways(self) -> tuple[Clustering, ...]:
        """The clusterings that were requested, without what two of them share."""
        return tuple(one for one in self.clusterings if one.sign > 0)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How much was seen, how sure a win rate is, what its error allows for, and what a reader must know."""
        n, known = len(self.agents), self.stderr[~np.isnan(self.stderr)]
        sentences = [
            f"{len(self.rate):,} of {counted(n * (n - 1) // 2, 'pair')} were compared directly, in {counted(int(self.battles.sum()), 'battle')}."
        ]
        if len(known):
            sentences.append(
                f"The median standard error of a win rate is {100 * np.median(known):.1f} percentage points."
            )
        ways = " and ".join(f"{counted(one.n_clusters, 'cluster')} by {quoted(one.name)}" for one in self._ways)
        sentences.append(
            f"Standard errors allow for {ways}." if ways else "Standard errors assume independent battles."
        )
        if len(known) < len(self.rate):
            sentences.append(
                f"Two-way clustering leaves {counted(len(self.rate) - len(known), 'win rate')} without a standard error."
            )
        return (*sentences, *self.notes)

    def rows(self) -> list[PairRate]:
        """Return one row a pair that met, in the order of the arrays."""
        return [
            {
                "agent": self.agents[a],
                "rival": self.agents[b],
                "rate": float(rate),
                "stderr": json_number(stderr),
                "df": json_number(df),
                "weight": float(weight),
                "battles": int(battles),
            }
            for a, b, rate, stderr, df, weight, battles in zip(
                self.a, self.b, self.rate, self.stderr, self.df, self.weight, self.battles, strict=True
            )
        ]

    @cached_property
    def variance(self) -> Array:
        """Variance of every rate; not positive where two-way clustering makes it so."""
        total = self.own.copy() if self.common is None else self.own + self.common**2
        for one in self.clusterings:
            total += one.sign * column_squares(one.moved)
        return total

    @cached_property
    def stderr(self) -> Array:
        """Standard error of every rate, NaN where the variance is not positive."""
        return np.sqrt(np.where(self.variance > 0, self.variance, np.nan))

    @cached_property
    def df(self) -> Array:
        """Degrees of freedom behind every rate: its effective number of clusters less one, at least one; see `degrees`."""
        return _at_least_one(*self._effective(None))

    @cached_property
    def z(self) -> Array:
        """How many standard errors every rate lies above one half."""
        return (self.rate - 0.5) / self.stderr

    def matrix(self, values: Array, *, turned: Array | None = None, diagonal: float = np.nan) -> Array:
        """Return values by pair as an (n, n) matrix, NaN where two agents never met; `turned` holds those of (b, a)."""
        n = len(self.agents)
        full = np.full((n, n), np.nan)
        full[self.a, self.b] = values
        full[self.b, self.a] = values if turned is None else turned
        np.fill_diagonal(full, diagonal)
        return full

    @cached_property
    def rates(self) -> Array:
        """The (n, n) matrix of win rates, 1/2 on the diagonal, NaN where two agents never met."""
        return self.matrix(self.rate, turned=1 - self.rate, diagonal=0.5)

    def covariance(self, L: Map, M: Map | None = None) -> Array:
        """Return :math:`L V L^T`, the (k, k) covariance of linear maps (k, p) of the rates.

        `M`, of the same shape, says how the maps move with the share of its battles that a pair has in a cluster; it is
        needed where a map's weights are counts that might have come out otherwise.
        """
        L = csr_array(L)
        total = (L.multiply(self.own[None, :]) @ L.T).toarray()
        if self.common is not None:
            total += np.multiply.outer(*[L @ self.common] * 2)
        if M is not None:
            M = csr_array(M)
            total += (M.multiply(self.alone[None, :]) @ M.T).toarray()
        for one in self.clusterings:
            for rows in _blocks(len(one.times), L.shape[0]):
                moved = one.moved[rows] @ L.T
                if M is not None:
                    moved = moved + (one.held[rows].multiply(np.sqrt(one.times[rows])[:, None]) @ M.T)
                total += one.sign * gram(csr_array(moved))
        return np.asarray(total)

    def degrees(self, L: Map) -> Array:
        r"""Return degrees of freedom of all differences of the maps, shape (k, k), and of the maps on the diagonal.

        With :math:`v_c = \sum_p L_p^2 (n_{cp} / N_p)^2` the weight of a cluster in a map, they are the effective number of
        clusters :math:`(\sum_c v_c)^2 / \sum_c v_c^2` less one. Battles that are clusters of their own count in the first sum
        alone: an outcome from 0 to 1 has a variance that its rate tells, so that nothing is lost by estimating it.
        """
        total, square = self._effective(csr_array(L))
        both = total[:, None] + total[None, :]
        diagonal = np.diag(square)
        joint = diagonal[:, None] + diagonal[None, :] + 2 * square
        np.fill_diagonal(both, total)
        np.fill_diagonal(joint, diagonal)
        return _at_least_one(both, joint)

    def _effective(self, L: csr_array | None) -> tuple[Array, Array]:
        """The sums of :math:`v_c`, and of their products between maps (of their squares where the maps are the pairs)."""
        clustering = _coarsest(self.clusterings)
        if L is None:
            total, square = self.alone.copy(), np.zeros(len(self.alone))
            if clustering is not None:
                v = clustering.share**2
                total += clustering.times @ v
                square += clustering.times @ v**2
            return total, square
        weight = L.multiply(L)
        total, square = weight @ self.alone, np.zeros((L.shape[0],) * 2)
        if clustering is not None:
            for rows in _blocks(len(clustering.times), L.shape[0]):
                v, times = (clustering.held[rows] ** 2) @ weight.T, clustering.times[rows]
                total = total + times @ v
                square += gram(csr_array(v.multiply(np.sqrt(times)[:, None])))
        return np.asarray(total), square


class HasWinRates(Protocol):
    """Whatever rests on win rates and keeps them, as a resolution does."""

    @property
    def pairwise(self) -> WinRateEstimate:
        """The win rate of every pair, with errors."""


def column_squares(X: SparseRows, times: Array | None = None) -> Array:
    """Return the sum of squares of every column of a sparse matrix, rows weighing `times` (packed ones one each); a block at a time.

    >>> column_squares(csr_array([[1.0, 2.0], [0.0, 3.0]]), np.array([1.0, 10.0]))
    array([ 1., 94.])
    """
    if isinstance(X, PackedRows):
        return X.squares
    total = np.zeros(X.shape[1])
    for start in range(0, X.shape[0], ROWS):
        end = min(start + ROWS, X.shape[0])
        cells = slice(X.indptr[start], X.indptr[end])
        square = X.data[cells] ** 2
        if times is not None:
            square *= np.repeat(times[start:end], np.diff(X.indptr[start : end + 1]))
        total += np.bincount(X.indices[cells], square, X.shape[1])
    return total


def _blocks(rows: int, columns: int) -> Iterator[slice]:
    """Cut the rows of a matrix so that a block of them may be held dense."""
    step = max(CELLS // columns, columns)
    return (slice(start, start + step) for start in range(0, rows, step))


def _coarsest(clusterings: tuple[Clustering, ...]) -> Clustering | None:
    """The clustering with fewest clusters, on which degrees of freedom rest."""
    return min((one for one in clusterings if one.sign > 0), key=lambda one: one.n_clusters, default=None)


def _at_least_one(total: Array, square: Array) -> Array:
    """Kish's effective number less one, at least one; infinite where nothing is estimated by cluster."""
    number = np.divide(total**2, square, out=np.full(np.shape(total), np.inf), where=square > 0)
    return np.maximum(number - 1, 1.0)
