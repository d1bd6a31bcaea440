r"""Observed win rates of pairs, and their cluster-robust covariance.

For a pair *p* with total weight :math:`N_p`, of which its first agent won :math:`S_p` (ties half), the win rate is
:math:`\hat\psi_p = S_p / N_p`. Its variance comes from leaving out one cluster *c* of battles at a time, with one
pseudo-count, half won and half lost, so that no rate is ever certain:

.. math::  u_{cp} = \tilde\psi_p - \tilde\psi_{p(-c)} = \frac{s_{cp} - \tilde\psi_p\, n_{cp}}{N_p + 1 - n_{cp}}, \qquad
           \tilde\psi_p = \frac{S_p + 1/2}{N_p + 1},

which is the jackknife of the smoothed rate. The covariance of the rates is

.. math::  V = \sum_c u_c u_c^\top + \operatorname{diag}_p
               \frac{(1 - \tilde\psi_p)^2 + \tilde\psi_p^2}{2 N_p^2} .

Battles outside clusters give :math:`(N_p + 1)\, \tilde\psi_p (1 - \tilde\psi_p) / N_p^2`, whose mean is :math:`1 / (4
N_p)` to second order when the agents are equal, and which stays positive when one of them won every battle. Two-way
clustering gives :math:`V_1 + V_2 - V_{12}` [1]_, the last clustered by the combination of both; such a matrix may be
indefinite, and a variance that is not positive is reported, never replaced.

References
----------
.. [1] A. C. Cameron, J. B. Gelbach, D. L. Miller, "Robust inference with multiway clustering",
       *Journal of Business & Economic Statistics* 29 (2011), 238-249.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._result import TableResult, plain, plot_result, rows_of
from beatpath._text import counted, quoted
from beatpath.evidence.conventions import Convention
from beatpath.inference.win_rates.cluster_rows import SparseRows, column_sums, gram, row_spans

Array = NDArray[np.float64]
Map: TypeAlias = Any  # (k, p), sparse or not

MOST_AGENTS = 2500  # most agents with all pairs in memory
COMPARED = 2000  # most agents whose pairs are all compared by default; more get a `LongBoard`
FEW_CLUSTERS = 20  # below it, cluster-robust standard errors are unreliable; the same threshold as in `check`


@dataclass(frozen=True, eq=False)
class Clustering:
    """The influence of every cluster on every win rate.

    Parameters
    ----------
    name : str
        The column, or the columns joined by " and ".
    moved : (clusters, pairs) sparse, or computed on demand
        :math:`u_{cp}`, times the root of the number of equal clusters.
    held : (clusters, pairs) sparse, or computed on demand
        :math:`n_{cp} / N_p`, for the effective number of clusters.
    times : (clusters,) float
        Number of equal clusters; equal ballots are stored once.
    sign : float, default 1
        +1, or -1 for the combination of two clusterings.
    singles : int, default 0
        Clusters of one battle, which are treated as battles outside clusters.
    """

    name: str
    moved: SparseRows
    held: SparseRows
    times: Array
    sign: float = 1.0
    singles: int = 0

    @cached_property
    def variance(self) -> Array:
        """Variance of every rate between the clusters, without the sign."""
        return column_sums(self.moved, power=2)

    @cached_property
    def concentration(self) -> Array:
        """Sum of squared shares of a pair's battles in the clusters."""
        return column_sums(self.held, self.times, power=2)

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
        """Number of clusters."""
        return int(self.times.sum()) + self.singles


class PairRate(TypedDict):
    """The record of one agent against another.

    Attributes
    ----------
    agent : str
        The agent.
    rival : str
        The other.
    rate : float
        The share of the weight won, ties half.
    stderr : float or None
        Its standard error; None where two-way clustering gives no positive variance.
    df : float or None
        Degrees of freedom of the standard error; None where it is known.
    weight : float
        Total weight of their battles.
    battles : int
        Number of battles.
    """

    agent: str
    rival: str
    rate: float
    stderr: float | None
    df: float | None
    weight: float
    battles: int


@dataclass(frozen=True, eq=False, repr=False)
class WinRateEstimate(TableResult):
    """Observed win rates of all pairs compared directly, with their joint covariance.

    Attributes
    ----------
    agents : tuple of str
        Names.
    a, b : (p,) int
        The pairs, ``a < b``, in sorted order.
    rate : (p,) float
        Share of the weight won by *a*, ties half.
    weight : (p,) float
        Total weight :math:`N_p` of its battles.
    battles : (p,) int
        Number of battles.
    own : (p,) float
        Variance not shared with other pairs: of battles outside clusters, and of the pseudo-count.
    alone : (p,) float
        Sum of squared weights of battles outside clusters, over :math:`N_p^2`.
    clusterings : tuple of Clustering
        None for independent battles, one, or three for two-way clustering.
    conventions : tuple of Convention
        How evidence became win rates.
    notes : tuple of str
        Caveats: few clusters, nested clusters.
    common : (p,) float, optional
        Effect on every rate of one standard error of the position bias.
    fixed : tuple of str
        Columns that outcomes depend on and that are taken as fixed: the rates are for their few levels alone.
    unit : str
        What one comparison comes from: battle, ballot, or the task or item of a table of scores.
    """

    plot = plot_result

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
    unit: str = "battle"

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the analysis."""
        return {"cluster": [one.name for one in self._ways]}

    @property
    def _ways(self) -> tuple[Clustering, ...]:
        """The clusterings requested, without their combination."""
        return tuple(one for one in self.clusterings if one.sign > 0)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The amount of data, the typical standard error, the clusters behind it, and caveats."""
        n, known = len(self.agents), self.stderr[~np.isnan(self.stderr)]
        noun = "battle" if self.unit == "battle" else "comparison"
        sentences = [
            f"{len(self.rate):,} of {counted(n * (n - 1) // 2, 'pair')} were compared directly, in {counted(int(self.battles.sum()), noun)}."
        ]
        if len(known):
            sentences.append(
                f"The median standard error of a win rate is {100 * np.median(known):.1f} percentage points."
            )
        ways = " and ".join(f"{counted(one.n_clusters, 'cluster')} by {quoted(one.name)}" for one in self._ways)
        sentences.append(f"Standard errors {f'allow for {ways}' if ways else f'assume independent {noun}s'}.")
        if len(known) < len(self.rate):
            sentences.append(
                f"Two-way clustering leaves {counted(len(self.rate) - len(known), 'win rate')} without a standard error."
            )
        return (*sentences, *self.notes)

    def rows(self) -> list[PairRate]:
        """Return one row per pair compared directly, in the order of the arrays."""
        agent, rival = ([self.agents[i] for i in side] for side in (self.a, self.b))
        stderr, df = plain(self.stderr), plain(self.df)
        return rows_of(
            agent=agent, rival=rival, rate=self.rate, stderr=stderr, df=df, weight=self.weight, battles=self.battles
        )

    @cached_property
    def variance(self) -> Array:
        """Variance of every rate; not positive where two-way clustering makes it so."""
        total = self.own.copy() if self.common is None else self.own + self.common**2
        for one in self.clusterings:
            total += one.sign * one.variance
        return total

    @cached_property
    def stderr(self) -> Array:
        """Standard error of every rate, NaN where the variance is not positive."""
        return np.sqrt(np.where(self.variance > 0, self.variance, np.nan))

    @cached_property
    def df(self) -> Array:
        """Degrees of freedom of every rate: its effective number of clusters minus one, at least one; see `degrees`."""
        total, square, clustering = self.alone.copy(), np.zeros(len(self.alone)), self._coarsest
        if clustering is not None:
            total += clustering.concentration
            square += column_sums(clustering.held, clustering.times, power=4)
        return _at_least_one(total, square)

    @cached_property
    def z(self) -> Array:
        """Distance of every rate from one half in standard errors."""
        return (self.rate - 0.5) / self.stderr

    def matrix(self, values: Array, *, turned: Array | None = None, diagonal: float = np.nan) -> Array:
        """Return values by pair as an (n, n) matrix, NaN for pairs never compared; `turned` are those of (b, a)."""
        n = len(self.agents)
        full = np.full((n, n), np.nan)
        full[self.a, self.b] = values
        full[self.b, self.a] = values if turned is None else turned
        np.fill_diagonal(full, diagonal)
        return full

    @cached_property
    def rates(self) -> Array:
        """The (n, n) matrix of win rates, 1/2 on the diagonal, NaN for pairs never compared directly."""
        return self.matrix(self.rate, turned=1 - self.rate, diagonal=0.5)

    def covariance(self, L: Map, M: Map | None = None) -> Array:
        """Return :math:`L V L^T`, the (k, k) covariance of linear maps (k, p) of the rates.

        `M`, of the same shape, is the derivative of the maps by the share of its battles that a pair has in a cluster;
        it is needed where the weights of a map are random counts.
        """
        L = csr_array(L)
        total = (L.multiply(self.own[None, :]) @ L.T).toarray()
        if self.common is not None:
            total += np.multiply.outer(*[L @ self.common] * 2)
        if M is not None:
            M = csr_array(M)
            total += (M.multiply(self.alone[None, :]) @ M.T).toarray()
        for one in self.clusterings:
            for rows in row_spans(one.moved, L.shape[0]):
                moved = one.moved[rows] @ L.T
                if M is not None:
                    moved = moved + (one.held[rows].multiply(np.sqrt(one.times[rows])[:, None]) @ M.T)
                total += one.sign * gram(csr_array(moved))
        return np.asarray(total)

    def degrees(self, L: Map) -> Array:
        r"""Return degrees of freedom of all differences of the maps, shape (k, k), and of the maps on the diagonal.

        With :math:`v_c = \sum_p L_p^2 (n_{cp} / N_p)^2` the weight of a cluster in a map, they are the effective
        number of clusters :math:`(\sum_c v_c)^2 / \sum_c v_c^2` minus one. Battles outside clusters count in the first
        sum alone: the variance of an outcome from 0 to 1 follows from its rate, so estimating it costs no degrees of
        freedom.
        """
        weight, clustering = csr_array(L).power(2), self._coarsest
        total, square = weight @ self.alone, np.zeros((weight.shape[0],) * 2)
        if clustering is not None:
            for rows in row_spans(clustering.held, weight.shape[0]):
                v, times = (clustering.held[rows] ** 2) @ weight.T, clustering.times[rows]
                total = total + times @ v
                square += gram(csr_array(v.multiply(np.sqrt(times)[:, None])))
        both = total[:, None] + total[None, :]
        diagonal = np.diag(square)
        joint = diagonal[:, None] + diagonal[None, :] + 2 * square
        np.fill_diagonal(both, total)
        np.fill_diagonal(joint, diagonal)
        return _at_least_one(both, joint)

    @property
    def _coarsest(self) -> Clustering | None:
        """The clustering with the fewest clusters, which determines degrees of freedom."""
        return min(self._ways, key=lambda one: one.n_clusters, default=None)

    @property
    def cluster_noun(self) -> str:
        """What one cluster is called: its column, or the unit where single units are independent."""
        return self.unit if self._coarsest is None else self._coarsest.name


class HasWinRates(Protocol):
    """Anything that holds win rates, such as a resolution."""

    @property
    def pairwise(self) -> WinRateEstimate:
        """The win rate of every pair, with standard errors."""


def _at_least_one(total: Array, square: Array) -> Array:
    """Return Kish's effective number minus one, at least one; infinite where nothing is estimated by cluster."""
    number = np.divide(total**2, square, out=np.full(np.shape(total), np.inf), where=square > 0)
    return np.maximum(number - 1, 1.0)
