r"""Edges of soft cores from win counts.

Edges are a matrix of probabilities; conventions state how pairs never compared directly are treated.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, expit, ndtr

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath._validate import require_choice
from beatpath.evidence.conventions import Convention
from beatpath.evidence.pairs import Pairs
from beatpath.fit.pairs import Comparisons, fit_pairs
from beatpath.fit.ties import Prior
from beatpath.methods.soft_core.operators import soft_majority_edge

# Kinds of edges, and their meaning.
EDGES = {
    "empirical": "the share of its battles against a rival that an agent won",
    "posterior": "the probability, under Jeffreys' prior, that an agent wins more than half of its battles against a rival",
    "weighted": "the share of battles won, each pair weighted by its number of battles",
}
# The meaning of estimated edges.
ESTIMATED = "the probability, by the estimate of all win rates together, that an agent wins more than half of its battles against a rival"
# Policies for pairs never compared directly, and their meaning.
MISSING = {
    "neutral": "a pair that was not compared counts as even",
    "absent": "a pair that was not compared has no edge in either direction",
    "imputed": "a pair that was not compared gets the prediction of a Bradley-Terry model of all other battles",
}
ACCURACY = 1e-9  # accuracy of fitted strengths, in log odds
PRIOR = 0.5  # wins and losses against an average agent that keep imputed strengths finite


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Win probabilities between all agents, how they were computed, and which pairs have battles.

    Attributes
    ----------
    probability : (n, n) float
        Probability of the row over the column; a pair sums to one, and 0.5 stands for no edge.
    agents : tuple of str
        Agent names.
    present : (n, n) bool
        Pairs that have an edge.
    weight : (n, n) float or None
        Weight of each pair, if requested.
    conventions : tuple of Convention
        The kind of edge and the policy for missing pairs, with the number of pairs affected.
    """

    probability: Floats
    agents: tuple[str, ...]
    present: Bools
    weight: Floats | None
    conventions: tuple[Convention, ...]

    @property
    def kind(self) -> str:
        """The kind of edge: "given" for a matrix of probabilities, "estimated", or a key of `EDGES`."""
        return self.conventions[0].value

    def strength(self, tau: float) -> Floats:
        r"""Return the soft edges: eq. (20) of Soft Tournament Equilibrium for posterior and estimated ones, eq.

        (4) for others.

        Edges that are probabilities of a majority have no temperature; `tau` is ignored for them.
        """
        if self.kind in ("posterior", "estimated"):
            return evidence_edge(self.probability)
        return soft_majority_edge(self.probability, tau, weight=self.weight, present=self.present)


def edges_from_array(P: Floats, agents: tuple[str, ...]) -> Edges:
    """Return the edges of a given matrix of win probabilities.

    >>> edges_from_array([[0.5, 0.7], [0.3, 0.5]], ("ada", "bob")).conventions[0].value
    'given'
    """
    matrix = probabilistic_tournament(P, agents)
    convention = Convention("edges", "given", "win probabilities as they came")
    return Edges(matrix, tuple(agents), _off_diagonal(len(agents)), None, (convention,))


def edges_from_pairs(settled: Pairs, *, edges: str = "empirical", missing: str = "neutral") -> Edges:
    r"""Return the win probabilities that counts imply.

    With :math:`w_{ab}` the total weight of the battles that *a* won against *b*, by kind of edge:

    - *empirical*: :math:`w_{ab} / (w_{ab} + w_{ba})`;
    - *posterior*: :math:`\Pr(\theta_{ab} > 1/2)` for :math:`\theta_{ab} \sim \mathrm{Beta}(w_{ab} + 1/2, w_{ba} + 1/2)`, the
      Jeffreys prior updated, as in eq. (20) of Soft Tournament Equilibrium [1]_;
    - *weighted*: empirical, with the weights :math:`W_{ab}` of its section F.3 proportional to the battles of a pair,
      with mean one over the compared pairs; an imputed pair has weight one.

    Parameters
    ----------
    settled : Pairs
        With ties and both-bad settled, so that only wins and losses remain.
    edges : {"empirical", "posterior", "weighted"}
        The kind of edge.
    missing : {"neutral", "absent", "imputed"}
        Edge of a pair without battles: one half; none; or the prediction of a Bradley-Terry model of the other
        battles (section D.3 of [1]_), the probability of a win or, for posterior edges, of being stronger.

    Returns
    -------
    Edges

    Examples
    --------
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [3, 1, 0, 0]])
    >>> edges_from_pairs(pairs).probability
    array([[0.5 , 0.75, 0.5 ],
           [0.25, 0.5 , 0.75],
           [0.5 , 0.25, 0.5 ]])
    >>> edges_from_pairs(pairs, edges="posterior").probability[0].round(3)
    array([0.5 , 0.84, 0.5 ])
    >>> result = edges_from_pairs(pairs, missing="imputed")  # odds of 3.5 to 1.5, squared: 49 to 9
    >>> result.probability[0].round(3)
    array([0.5  , 0.75 , 0.845])
    >>> print(result.conventions[1])
    missing_pairs=imputed: a pair that was not compared gets the prediction of a Bradley-Terry model of all other battles (1 affected)

    Notes
    -----
    A battle of weight two is two battles: it changes a posterior as much.

    References
    ----------
    .. [1] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328, sections 6.1, D.3 and F.3.
    """
    require_choice("edges", edges, EDGES)
    require_choice("missing", missing, MISSING)
    settled = two_way(settled)
    n = len(settled.agents)
    a, b, (wins, losses) = settled.a, settled.b, settled.counts[:, :2].T
    share = pair_probability(wins, losses, edges)
    P, present = np.full((n, n), 0.5), np.zeros((n, n), dtype=bool)
    P[a, b], P[b, a] = share, 1 - share
    present[a, b] = present[b, a] = True
    lacking = ~present & _off_diagonal(n)
    if missing == "imputed" and lacking.any():
        P[lacking] = imputed_probability(settled, of_strength=edges == "posterior")[lacking]
    conventions = edge_conventions(settled, edges, missing, MISSING[missing])
    present = present if missing == "absent" else _off_diagonal(n)
    weight = None
    if edges == "weighted":
        weight = np.full((n, n), 1.0 if missing == "imputed" else 0.0)
        weight[a, b] = weight[b, a] = pair_weights(wins + losses, edges)
    return Edges(P, settled.agents, present, weight, conventions)


def imputed_probability(settled: Pairs, *, of_strength: bool) -> Floats:
    r"""Return the Bradley-Terry prediction for every pair: the probability of a win, or of being stronger.

    The first is :math:`\sigma(\theta_a - \theta_b)`; the second :math:`\Phi((\theta_a - \theta_b) / s_{ab})` with the
    standard error :math:`s_{ab}` of the difference. Half a win and half a loss of every agent against an average one
    keep strengths finite; agents that are not connected are compared by that alone.

    >>> pairs = Pairs(("ada", "bob"), [0], [1], [[3, 3, 0, 0]])
    >>> imputed_probability(pairs, of_strength=True)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    met = np.flatnonzero(settled.counts[:, :2].sum(axis=1) > 0)
    met = met[np.lexsort((settled.b[met], settled.a[met]))]
    rows = Comparisons(len(settled.agents), settled.a[met], settled.b[met], settled.counts[met, :3])
    fit = fit_pairs(rows, prior=Prior(PRIOR))
    lead = fit.strength[:, None] - fit.strength
    lead[np.abs(lead) <= ACCURACY] = 0.0
    if not of_strength:
        return _adding_to_one(expit(lead))
    V = fit.covariance()
    variance = np.diag(V)[:, None] + np.diag(V) - 2 * V
    return _adding_to_one(ndtr(lead / np.sqrt(np.maximum(variance, 1e-300))))


def pair_probability(wins: Floats, losses: Floats, edges: str) -> Floats:
    r"""Return the probability behind the edge of each compared pair.

    It is the probability of a majority for posterior edges, otherwise of a win.

    >>> pair_probability(np.array([3.0]), np.array([1.0]), "empirical")
    array([0.75])
    """
    if edges != "posterior":
        return wins / (wins + losses)
    # the probability that Beta(wins + 1/2, losses + 1/2) exceeds one half
    return betainc(losses + 0.5, wins + 0.5, 0.5)


def pair_weights(battles: Floats, edges: str) -> Floats:
    """Return the weight of each compared pair.

    For weighted edges it is proportional to the battles with mean one, otherwise one.

    >>> pair_weights(np.array([1.0, 3.0]), "weighted")
    array([0.5, 1.5])
    """
    return battles / battles.mean() if edges == "weighted" and len(battles) else np.ones_like(battles)


def two_way(pairs: Pairs) -> Pairs:
    """Return one cell per pair; raise an error if ties are not settled."""
    if pairs.counts[:, 2:].any():
        raise UsageError("`settled` must hold wins and losses alone; got ties too. Call `pairs.settle()` first.")
    settled = pairs.by()
    return settled.take(settled.counts.sum(axis=1) > 0)


def edge_conventions(compared: Pairs, edges: str, missing: str, meaning: str) -> tuple[Convention, Convention]:
    """Return what edges are, with the number of compared pairs, and what other pairs are, with theirs."""
    pairs, lacking = len(compared), len(compared.agents) * (len(compared.agents) - 1) // 2 - len(compared)
    return (
        Convention("edges", edges, EDGES[edges], float(pairs)),
        Convention("missing_pairs", missing, meaning, float(lacking)),
    )


def _adding_to_one(P: Floats) -> Floats:
    """The upper triangle, with its complement below, so that a pair sums to exactly one."""
    upper = np.triu(P, 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(len(P))


def _off_diagonal(n: int) -> Bools:
    return ~np.eye(n, dtype=bool)


def evidence_edge(posterior: ArrayLike) -> Floats:
    r"""Return by how much the evidence for a majority exceeds an even probability.

    .. math::  D_{ab} = \max \{ 0,\ 2 \Pr(\theta_{ab} > 1/2 \mid w_{ab}, w_{ba}) - 1 \},

    eq. (20) of Soft Tournament Equilibrium. One of the two edges of a pair is always zero, and a pair without
    evidence has none.

    Parameters
    ----------
    posterior : (n, n) float
        Probability that the row has a majority over the column.

    Returns
    -------
    (n, n) float
        In [0, 1], with a zero diagonal.

    Examples
    --------
    >>> evidence_edge([[0.5, 0.9], [0.1, 0.5]])
    array([[0. , 0.8],
           [0. , 0. ]])
    """
    D = np.maximum(0.0, 2.0 * np.asarray(posterior, dtype=np.float64) - 1.0)
    np.fill_diagonal(D, 0.0)
    return D


def probabilistic_tournament(P: ArrayLike, agents: Sequence[str]) -> Floats:
    r"""Return a validated matrix of win probabilities, with one half on its diagonal.

    Definition 3.1 of Soft Tournament Equilibrium: :math:`P_{ab} \in [0, 1]`, :math:`P_{ab} + P_{ba} = 1` (here up to
    1e-9), :math:`P_{aa} = 1/2`, which is set in any case.

    Raises
    ------
    DataError
        For another shape, a value that is no probability, or a pair that does not sum to one, with the names.

    Examples
    --------
    >>> probabilistic_tournament([[0, 0.7], [0.3, 0]], ["ada", "bob"])
    array([[0.5, 0.7],
           [0.3, 0.5]])
    >>> try:
    ...     probabilistic_tournament([[0, 0.7], [0.4, 0]], ["ada", "bob"])
    ... except DataError as error:
    ...     print(str(error)[:90])
    the two probabilities of a pair must add up to 1; got 0.7 for 'ada' over 'bob' and 0.4 for
    """
    matrix = np.array(P, dtype=np.float64)
    n = len(agents)
    if matrix.shape != (n, n):
        raise DataError(f"`P` must have shape ({n}, {n}), one row for each of the {n} agents; got {matrix.shape}.")
    np.fill_diagonal(matrix, 0.5)
    wrong = ~((matrix >= 0) & (matrix <= 1))
    if wrong.any():
        a, b = np.argwhere(wrong)[0]
        raise DataError(
            f"`P` must hold probabilities, from 0 to 1; got {matrix[a, b]:g} for {quoted(agents[a])} over "
            f"{quoted(agents[b])}. For pairs that were not compared give 0.5, or counts as `Pairs` and a policy for missing pairs."
        )
    uneven = np.abs(matrix + matrix.T - 1) > 1e-9
    if uneven.any():
        a, b = np.argwhere(uneven)[0]
        raise DataError(
            f"the two probabilities of a pair must add up to 1; got {matrix[a, b]:g} for {quoted(agents[a])} over "
            f"{quoted(agents[b])} and {matrix[b, a]:g} for {quoted(agents[b])} over {quoted(agents[a])}. "
            "For counts of wins use `Pairs`."
        )
    return matrix
