"""Ratings by random walks and eigenvectors: rank centrality, PageRank, eigenvector centrality.

Rank centrality: where a walk that moves on to whoever wins spends its time.

PageRank: where a surfer ends who follows losses to whoever won, and now and then starts anew.

Eigenvector centrality: an agent is as strong as those it beats.
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
from beatpath.methods.numeric.markov import stationary
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, levels_by_score


def rank_centrality(profile: Profile, *, prior: float = 0.0) -> Outcome:
    r"""Rank agents by the time a random walk spends at them, when it moves from agent to agent as battles were won.

    From *i* the walk picks one of the agents *i* met and moves to it with the share of their battles that it won [1]_:

    .. math::  P_{ij} = \frac{1}{d_{\max}} \frac{w_{ji}}{w_{ij} + w_{ji}} \quad (i \ne j), \qquad \pi P = \pi,

    with :math:`w_{ij}` the wins of *i* over *j*, for pairs that met, and :math:`d_{\max}` the most opponents of an agent,
    which does not change :math:`\pi`. If battles follow Bradley and Terry's model exactly, :math:`\pi` is proportional to
    their strengths.

    Parameters
    ----------
    profile : Profile
        Of counts, rankings or win rates; margins do not say how often the loser won.
    prior : float
        Wins to add to both sides of every pair that met. Anything above zero makes the walk reach everyone.

    Returns
    -------
    Outcome
        The score is :math:`\pi`, which adds up to 1. Scores that differ by less than 1e-9 of their mean share a level.
        Details: ``prior``; ``unreached``, the agents at which the walk spends no time at all.

    Examples
    --------
    Three wins in four are odds of three to one.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> rank_centrality(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))).score
    array([0.75, 0.25])

    Notes
    -----
    The stationary distribution is unique when there is one group of agents that, between them, beat and are beaten and that
    nobody outside has won against; agents outside that group then score zero and are tied. When there are several such
    groups the evidence does not compare them and the method refuses, as it does when groups never met. One linear system
    for up to 1500 agents, sparse power iteration for more.

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


SETTLED = 1e-15  # change of a step, in total, at which the walk has settled
MOST_STEPS = 100_000
STOPPED = "the walk did not settle to full precision"


def pagerank(profile: Profile, *, damping: float = 0.85) -> Outcome:
    r"""Rank agents by the time a walk spends at them that moves from loser to winner, and sometimes anywhere.

    From *i* the walk goes on with probability *d*, to *j* as often as *i* lost to it, and with probability :math:`1 - d` it
    starts anew at any of the *n* agents [1]_:

    .. math::  \pi_j = \frac{1 - d}{n} + d \sum_i \pi_i \frac{w_{ji}}{\sum_k w_{ki}},

    with :math:`w_{ji}` the wins of *j* over *i*. From an agent that never lost it goes anywhere.

    Parameters
    ----------
    profile : Profile
        Of counts, rankings or win rates; margins do not say how often the loser won.
    damping : float
        *d*, from 0 up to but without 1.

    Returns
    -------
    Outcome
        The score is :math:`\pi`, which adds up to 1. Scores that differ by less than 1e-9 of their mean share a level. Details
        give ``damping``.

    Examples
    --------
    Ada beat Bob, Bob beat Cyd.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> pagerank(profile_of(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[1, 0, 0, 0], [1, 0, 0, 0]]))).score.round(4)
    array([0.4744, 0.3412, 0.1844])

    Notes
    -----
    Sparse products; each divides the error by *d*, so that 0.85 takes about 200. The restarts favour agents that play much, and shrink what is far
    from everywhere towards equal shares: an agent that only ever beat a champion stands high, whoever else it loses to.

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
    """Return the time spent in each state of a walk that follows weights from row to column, and whether it settled.

    >>> surfed(csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), 0.5)
    (array([0.5, 0.5]), True)
    """
    n = weight.shape[0]
    out = np.asarray(weight.sum(axis=1)).ravel()
    follow = weight.multiply(np.divide(1.0, out, out=np.zeros(n), where=out > 0)[:, None]).T.tocsr()
    ends = out == 0
    x = np.full(n, 1.0 / n)
    for _ in range(MOST_STEPS):
        new = damping * (follow @ x + x[ends].sum() / n) + (1 - damping) / n
        new /= new.sum()
        change, x = float(np.abs(new - x).sum()), new
        if change <= max(SETTLED, n * 1e-17):
            return x, True
    return x, False


DENSE = 1500  # agents up to which the eigenvector is found at once where steps do not soon settle
QUICK = 1_000
EIGEN_SETTLED = 1e-14
EIGEN_STOPPED = "the iteration did not settle to full precision"


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
    >>> result = eigenvector_centrality(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))).score
    >>> result.round(4), float((result[0] / result[1]) ** 2).__round__(9)
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
    shares = _won_shares(profile.need_counts("eigenvector_centrality"), prior)
    _require_paths_of_wins(profile.agents, shares)
    value, score, settled = perron(shares)
    details = {"prior": prior, "eigenvalue": value}
    return Outcome(levels_by_score(score * len(score)), score, EXACT if settled else EIGEN_STOPPED, details)


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
        if change <= EIGEN_SETTLED:
            return total - shift, x, True
    if n > DENSE:
        return total - shift, x, False
    values, vectors = np.linalg.eig(matrix.toarray())
    best = int(np.argmax(values.real))
    vector = np.abs(vectors[:, best].real)
    return float(values[best].real), vector / vector.sum(), True


def _won_shares(settled: Pairs, prior: float) -> csr_array:
    """The share of a pair's battles that the row's agent won, so many wins added to both; pairs that never met have none."""
    require_number("prior", prior, "a number of wins, 0 or more", least=0)
    won, lost = settled.counts[:, WIN], settled.counts[:, LOSS]
    met = won + lost > 0
    total = (won + lost + 2 * float(prior))[met]
    return _won(settled, met, (won[met] + prior) / total, (lost[met] + prior) / total)


def _won(settled: Pairs, some: Bools | slice, won: Floats, lost: Floats) -> csr_array:
    """The (n, n) wins of the row's agent over the column's, from those of some pairs."""
    a, b = settled.a[some], settled.b[some]
    place = np.concatenate([a, b]), np.concatenate([b, a])
    matrix = csr_array((np.concatenate([won, lost]), place), shape=(len(settled.agents),) * 2)
    matrix.eliminate_zeros()
    return matrix


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
