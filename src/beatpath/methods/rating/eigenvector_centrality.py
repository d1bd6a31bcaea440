"""Eigenvector centrality: an agent is as strong as those it beats."""

from math import isfinite
from numbers import Real

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath.evidence import Pairs
from beatpath.evidence.pairs import LOSS, WIN
from beatpath.methods.graph.connection import groups_named, require_one_group
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome, levels_by_score
from beatpath.methods.status import EXACT

DENSE = 1500  # agents up to which the eigenvector is found at once where steps do not soon settle
QUICK = 1_000
SETTLED = 1e-14
MOST_STEPS = 100_000
STOPPED = "the iteration did not settle to full precision"


def eigenvector_centrality(profile: Profile, *, prior: float = 0.0) -> Outcome:
    r"""Rank agents by strengths that are proportional to the strengths of those they beat, added up.

    .. math::  \lambda x_i = \sum_j \frac{w_{ij}}{w_{ij} + w_{ji}} x_j,

    over the agents *j* that *i* met, with :math:`w_{ij}` the wins of *i* over *j* and :math:`\lambda` the largest that has
    a solution [1]_. Landau used it for chess in 1895, Wei and Kendall for tournaments.

    Parameters
    ----------
    profile : Profile
        Of counts, rankings or win rates; margins do not say how often the loser won.
    prior : float
        Wins to add to both sides of every pair that met. Anything above zero makes the solution unique and positive.

    Returns
    -------
    Outcome
        The score is *x*, which adds up to 1. Scores that differ by less than 1e-9 of their mean share a level. Details:
        ``prior`` and the ``eigenvalue``.

    Examples
    --------
    Three wins in four make one the stronger by the square root of three.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> found = eigenvector_centrality(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))).score
    >>> found.round(4), float((found[0] / found[1]) ** 2).__round__(9)
    (array([0.634, 0.366]), 3.0)

    Notes
    -----
    A positive solution exists, and is the only one, when wins lead from every agent to every other (Perron and Frobenius);
    otherwise the method refuses and names the groups. Each pair counts by its share of wins, however often it met, but agents that met more rivals have
    more to add up: where not all met all, the score is of taking part as well.

    References
    ----------
    .. [1] J. P. Keener, "The Perron-Frobenius theorem and the ranking of football teams", *SIAM Review* 35 (1993), 80-93.
    """
    if profile.settled is None:
        raise DataError(
            "eigenvector_centrality needs wins and losses; margins hold only their difference. Give pair counts."
        )
    if not isinstance(prior, Real) or isinstance(prior, bool) or not (isfinite(prior) and prior >= 0):
        raise UsageError(f"`prior` must be a number of wins, 0 or more; got {quoted(prior)}.")
    shares = _won_shares(profile.settled, float(prior))
    _require_paths_of_wins(profile.agents, shares)
    value, score, settled = perron(shares)
    details = {"prior": prior, "eigenvalue": value}
    return Outcome(levels_by_score(score * len(score)), score, EXACT if settled else STOPPED, details)


def perron(matrix: csr_array) -> tuple[float, Floats, bool]:
    """Return the largest eigenvalue of an irreducible matrix, its positive eigenvector, and whether it was found to full precision.

    >>> value, vector, _ = perron(csr_array(np.array([[0.0, 2.0], [0.5, 0.0]])))
    >>> round(value, 9), vector.round(9)
    (1.0, array([0.66666667, 0.33333333]))
    """
    n = matrix.shape[0]
    if n == 1:
        return 0.0, np.ones(1), True
    x = np.full(n, 1.0 / n)
    shift = float(matrix.sum(axis=1).mean())  # so that rings of even length do not alternate
    for _ in range(QUICK if n <= DENSE else MOST_STEPS):
        new = matrix @ x + shift * x
        total = float(new.sum())
        new /= total
        change, x = float(np.abs(new - x).sum()), new
        if change <= SETTLED:
            return total - shift, x, True
    if n > DENSE:
        return total - shift, x, False
    values, vectors = np.linalg.eig(matrix.toarray())
    best = int(np.argmax(values.real))
    found = np.abs(vectors[:, best].real)
    return float(values[best].real), found / found.sum(), True


def _won_shares(settled: Pairs, prior: float) -> csr_array:
    """The share of a pair's battles that the row's agent won; pairs that never met have none."""
    met = settled.counts[:, WIN] + settled.counts[:, LOSS] > 0
    a, b = settled.a[met], settled.b[met]
    won, lost = settled.counts[met, WIN] + prior, settled.counts[met, LOSS] + prior
    n = len(settled.agents)
    share = np.concatenate([won, lost]) / np.concatenate([won + lost, won + lost])
    found = csr_array((share, (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(n, n))
    found.eliminate_zeros()
    return found


def _require_paths_of_wins(agents: tuple[str, ...], shares: csr_array) -> None:
    """Refuse agents that wins do not connect both ways."""
    winner, loser = shares.nonzero()
    require_one_group(agents, winner, loser, "eigenvector_centrality")
    n_groups, group = connected_components(shares, connection="strong")
    if n_groups > 1:
        raise DataError(
            "eigenvector_centrality needs a path of wins from every agent to every other, else some strengths are zero or "
            f"undetermined; here are {n_groups:,} groups without such paths both ways: {groups_named(agents, group)}. Set "
            "`prior` above 0, or rank them apart."
        )
