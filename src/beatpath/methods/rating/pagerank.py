"""PageRank: where a surfer ends who follows losses to whoever won, and now and then starts anew."""

from numbers import Real

import numpy as np
from scipy.sparse import csr_array

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath.evidence import Pairs
from beatpath.evidence.pairs import LOSS, WIN
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome, levels_by_score
from beatpath.methods.status import EXACT

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
    if profile.settled is None:
        raise DataError("pagerank needs wins and losses; margins hold only their difference. Give pair counts.")
    if not isinstance(damping, Real) or isinstance(damping, bool) or not 0 <= damping < 1:
        raise UsageError(f"`damping` must be a probability below 1; got {quoted(damping)}.")
    score, settled = surfed(losses(profile.settled), float(damping))
    return Outcome(levels_by_score(score * len(score)), score, EXACT if settled else STOPPED, {"damping": damping})


def losses(settled: Pairs) -> csr_array:
    """Return the (n, n) wins of the column's agent over the row's: where a loss leads."""
    won, lost = settled.counts[:, WIN], settled.counts[:, LOSS]
    row, column = np.concatenate([settled.a, settled.b]), np.concatenate([settled.b, settled.a])
    n = len(settled.agents)
    found = csr_array((np.concatenate([lost, won]), (row, column)), shape=(n, n))
    found.eliminate_zeros()
    return found


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
