"""Spectral ratings: rank centrality, PageRank and eigenvector centrality.

Rank centrality is the stationary distribution of a random walk that moves to winners. PageRank adds random restarts.
Eigenvector centrality makes an agent's strength proportional to the strengths of those it beats.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._text import counted, listed
from beatpath._validate import require_number
from beatpath.evidence import Pairs
from beatpath.evidence.pairs import LOSS, WIN
from beatpath.methods.graph.connection import groups_named, require_one_group
from beatpath.methods.numeric.markov import iterated, stationary
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, levels_by_score


def rank_centrality(profile: Profile, *, prior: float = 0.0) -> Outcome:
    r"""Rank agents by rank centrality: the stationary distribution of a random walk from losers to winners.

    From *i* the walk picks one of the opponents of *i* and moves to it with the share of their battles that it won
    [1]_:

    .. math::  P_{ij} = \frac{1}{d_{\max}} \frac{w_{ji}}{w_{ij} + w_{ji}} \quad (i \ne j), \qquad \pi P = \pi,

    with :math:`w_{ij}` the wins of *i* over *j*, for compared pairs, and :math:`d_{\max}` the largest number of
    opponents, which does not change :math:`\pi`. If battles follow the Bradley-Terry model exactly, :math:`\pi` is
    proportional to the strengths.

    Parameters
    ----------
    profile : Profile
        Counts, rankings or win rates; margins do not contain how often the loser won.
    prior : float
        Wins added to both sides of every compared pair. Any positive value lets the walk reach every agent; default
        0.

    Returns
    -------
    Outcome
        The score is :math:`\pi`, which sums to 1. Scores that differ by less than 1e-9 of their mean share a level.
        Details: ``prior``; ``unreached``, the agents with :math:`\pi = 0`.

    Examples
    --------
    Three wins in four are odds of three to one.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> rank_centrality(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))).score
    array([0.75, 0.25])

    Notes
    -----
    The stationary distribution is unique if there is one closed class of agents; agents outside it score zero and are
    tied. If there are several, the evidence does not compare them and the method raises an error, as it does if
    agents are not connected. One linear system for up to 1500 agents, sparse power iteration for more.

    References
    ----------
    .. [1] S. Negahban, S. Oh, D. Shah, "Rank centrality: ranking from pairwise comparisons", *Operations Research* 65 (2017),
           266-287, arXiv:1209.1688.
    """
    rates = csr_array(_won_shares(profile.need_counts("rank_centrality"), prior).T)  # from the loser to the winner
    source, target = rates.nonzero()
    require_one_group(profile.agents, source, target, "rank_centrality")
    distribution = stationary(rates)
    if len(distribution.classes) > 1:
        inside = tuple(profile.agents[i] for i in np.concatenate(distribution.classes))
        group = np.repeat(np.arange(len(distribution.classes)), [len(states) for states in distribution.classes])
        raise DataError(
            "rank_centrality needs one group that no agent outside has beaten; there are "
            f"{len(distribution.classes):,}: {groups_named(inside, group)}. Set `prior` above 0, or rank them apart."
        )
    unreached = sorted(set(profile.agents) - {profile.agents[i] for i in distribution.classes[0]})
    remarks = []
    if unreached:
        remarks.append(
            f"{counted(len(unreached), 'agent')} never beat the group at the top and score zero: {listed(unreached, 3)}"
        )
    if not distribution.converged:
        remarks.append(STOPPED)
    score = distribution.mass
    level = levels_by_score(score * len(score))
    return Outcome(level, score, "; ".join(remarks) or EXACT, {"prior": prior, "unreached": unreached})


# Convergence: total change of a step; limit on steps; status if it is reached.
SETTLED = 1e-15
MOST_STEPS = 100_000
STOPPED = "the walk did not settle to full precision"


def pagerank(profile: Profile, *, damping: float = 0.85) -> Outcome:
    r"""Rank agents by PageRank: a random walk from losers to winners with random restarts.

    From *i* the walk continues with probability *d*, to *j* in proportion to the losses of *i* to it, and with
    probability :math:`1 - d` it restarts at any of the *n* agents [1]_:

    .. math::  \pi_j = \frac{1 - d}{n} + d \sum_i \pi_i \frac{w_{ji}}{\sum_k w_{ki}},

    with :math:`w_{ji}` the wins of *j* over *i*. From an agent that never lost it goes anywhere.

    Parameters
    ----------
    profile : Profile
        Counts, rankings or win rates; margins do not contain how often the loser won.
    damping : float
        *d*, from 0 to below 1; default 0.85.

    Returns
    -------
    Outcome
        The score is :math:`\pi`, which sums to 1. Scores that differ by less than 1e-9 of their mean share a level.
        Details give ``damping``.

    Examples
    --------
    Ada beat Bob, Bob beat Cyd.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> pagerank(profile_of(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[1, 0, 0, 0], [1, 0, 0, 0]]))).score.round(4)
    array([0.4744, 0.3412, 0.1844])

    Notes
    -----
    Each sparse product multiplies the error by *d*, so 0.85 takes about 200. Restarts favor agents with many battles
    and shrink the scores toward equality: an agent that only beat a champion ranks high, whoever else it loses to.

    References
    ----------
    .. [1] S. Brin and L. Page, "The anatomy of a large-scale hypertextual web search engine", *Computer Networks* 30 (1998),
           107-117.
    """
    require_number("damping", damping, "a probability below 1", least=0, below=1)
    counts = profile.need_counts("pagerank")
    won = _won(counts, slice(None), counts.counts[:, WIN], counts.counts[:, LOSS])
    score, settled = surfed(csr_array(won.T), float(damping))
    return Outcome(levels_by_score(score * len(score)), score, EXACT if settled else STOPPED, {"damping": damping})


def surfed(weight: csr_array, damping: float) -> tuple[Floats, bool]:
    """Return the stationary distribution of a walk with restarts over weighted edges, and whether it converged.

    >>> surfed(csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), 0.5)
    (array([0.5, 0.5]), True)
    """
    n = weight.shape[0]
    out = np.asarray(weight.sum(axis=1)).ravel()
    follow = weight.multiply(np.divide(1.0, out, out=np.zeros(n), where=out > 0)[:, None]).T.tocsr()
    ends = out == 0
    return iterated(
        lambda x: damping * (follow @ x + x[ends].sum() / n) + (1 - damping) / n, n, max(SETTLED, n * 1e-17), MOST_STEPS
    )


DENSE = 1500  # most agents for which a dense eigenvector is computed if the iteration is slow
# Iterations before that; convergence threshold; status if it is not reached.
QUICK = 1_000
EIGEN_SETTLED = 1e-14
EIGEN_STOPPED = "the iteration did not settle to full precision"


def eigenvector_centrality(profile: Profile, *, prior: float = 0.0) -> Outcome:
    r"""Rank agents by eigenvector centrality: strengths proportional to the summed strengths of those they beat.

    .. math::  \lambda x_i = \sum_j \frac{w_{ij}}{w_{ij} + w_{ji}} x_j,

    over the opponents *j* of *i*, with :math:`w_{ij}` the wins of *i* over *j* and :math:`\lambda` the largest
    eigenvalue [1]_. Landau used it for chess in 1895, Wei and Kendall for tournaments.

    Parameters
    ----------
    profile : Profile
        Counts, rankings or win rates; margins do not contain how often the loser won.
    prior : float
        Wins added to both sides of every compared pair. Any positive value makes the solution unique and positive;
        default 0.

    Returns
    -------
    Outcome
        The score is *x*, which sums to 1. Scores that differ by less than 1e-9 of their mean share a level. Details:
        ``prior`` and the ``eigenvalue``.

    Examples
    --------
    Three wins in four make one agent stronger by a factor of the square root of three.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> result = eigenvector_centrality(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))).score
    >>> result.round(4), float((result[0] / result[1]) ** 2).__round__(9)
    (array([0.634, 0.366]), 3.0)

    Notes
    -----
    A unique positive solution exists if wins lead from every agent to every other (Perron and Frobenius); otherwise
    the method raises an error that names the groups. Each pair counts by its win rate, however many battles it has.
    But agents with more opponents have more terms, so if not all pairs were compared, the score also measures
    participation.

    References
    ----------
    .. [1] J. P. Keener, "The Perron-Frobenius theorem and the ranking of football teams", *SIAM Review* 35 (1993), 80-93.
    """
    shares = _won_shares(profile.need_counts("eigenvector_centrality"), prior)
    _require_paths_of_wins(profile.agents, shares)
    value, score, settled = perron(shares)
    details = {"prior": prior, "eigenvalue": value}
    return Outcome(levels_by_score(score * len(score)), score, EXACT if settled else EIGEN_STOPPED, details)


def perron(matrix: csr_array) -> tuple[float, Floats, bool]:
    """Return the largest eigenvalue of an irreducible matrix, its positive eigenvector, and whether it converged.

    >>> value, vector, _ = perron(csr_array(np.array([[0.0, 2.0], [0.5, 0.0]])))
    >>> round(value, 9), vector.round(9)
    (1.0, array([0.66666667, 0.33333333]))
    """
    n = matrix.shape[0]
    if n == 1:
        return 0.0, np.ones(1), True
    shift = float(matrix.sum(axis=1).mean())  # so that cycles of even length do not alternate
    steps = QUICK if n <= DENSE else MOST_STEPS
    x, settled = iterated(lambda x: matrix @ x + shift * x, n, EIGEN_SETTLED, steps)
    if settled or n > DENSE:
        return float((matrix @ x).sum()), x, settled
    values, vectors = np.linalg.eig(matrix.toarray())
    best = int(np.argmax(values.real))
    vector = np.abs(vectors[:, best].real)
    return float(values[best].real), vector / vector.sum(), True


def _won_shares(settled: Pairs, prior: float) -> csr_array:
    """Win rate of the row agent in each compared pair, with `prior` wins added to both sides."""
    require_number("prior", prior, "a number of wins, 0 or more", least=0)
    won, lost = settled.counts[:, WIN], settled.counts[:, LOSS]
    met = won + lost > 0
    total = (won + lost + 2 * float(prior))[met]
    return _won(settled, met, (won[met] + prior) / total, (lost[met] + prior) / total)


def _won(settled: Pairs, some: Bools | slice, won: Floats, lost: Floats) -> csr_array:
    """The (n, n) wins of the row agent over the column agent, for a subset of the pairs."""
    a, b = settled.a[some], settled.b[some]
    place = np.concatenate([a, b]), np.concatenate([b, a])
    matrix = csr_array((np.concatenate([won, lost]), place), shape=(len(settled.agents),) * 2)
    matrix.eliminate_zeros()
    return matrix


def _require_paths_of_wins(agents: tuple[str, ...], shares: csr_array) -> None:
    """Raise an error if wins do not connect all agents both ways."""
    winner, loser = shares.nonzero()
    require_one_group(agents, winner, loser, "eigenvector_centrality")
    n_groups, group = connected_components(shares, connection="strong")
    if n_groups > 1:
        raise DataError(
            "eigenvector_centrality needs a path of wins from every agent to every other, else some strengths are zero or "
            f"undetermined; here are {n_groups:,} groups without such paths both ways: {groups_named(agents, group)}. Set "
            "`prior` above 0, or rank them apart."
        )
