"""Edges from the estimated matrix of win rates: who is above whom in every pair, met or not, and whether that is resolved."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from beatpath._arrays import Bools, Floats
from beatpath.evidence import Convention, Margins
from beatpath.evidence.conventions import convention
from beatpath.inference.matrix.win_matrix import WinMatrix
from beatpath.inference.ranking.estimated import DIGITS, resolved_signs
from beatpath.methods.soft_core.edges import ESTIMATED, Edges

FILLED = "a pair that never met has the win rate that the estimate expects of it, with its error"


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedEdges:
    """What the estimate says of every pair.

    Attributes
    ----------
    edges : Edges
        The probability that an agent wins more than half of its battles against a rival.
    margins : Margins
        Twice the win rate, less one; pairs that no chain of battles connects count as tied and not met.
    resolved : (n, n) bool
        Whether the 95 % interval of the pair's win rate, by itself, leaves one half out.
    win_rate : (n,) float
        The mean against every other agent of one's part; NaN for one that met nobody.
    """

    edges: Edges
    margins: Margins
    resolved: Bools
    win_rate: Floats


def estimated_edges(found: WinMatrix) -> EstimatedEdges:
    """Return the edges of an estimated matrix.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> from beatpath.inference.matrix.win_matrix import win_matrix
    >>> told = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[300, 100, 0, 0], [300, 100, 0, 0], [205, 195, 0, 0]])
    >>> made = estimated_edges(win_matrix(told))
    >>> made.margins.matrix[0].round(1), made.resolved[0], bool(made.resolved[1, 2])
    (array([0. , 0.5, 0.5]), array([False,  True,  True]), False)
    """
    n = len(found.agents)
    apart = np.isnan(found.rate)
    off = ~np.eye(n, dtype=bool)
    above = np.triu(np.where(apart, 0.5, found.rate).round(DIGITS), 1)
    lead = 2 * above - np.triu(np.ones((n, n)), 1)
    z = np.divide(lead / 2, found.stderr, out=40 * np.sign(lead), where=~apart & (found.stderr > 0))
    sure = np.triu(ndtr(z), 1)
    resolved = resolved_signs(found) & off
    met = off & ~apart
    pairs = int(met.sum()) // 2
    said = (
        Convention("edges", "estimated", ESTIMATED, float(pairs)),
        Convention("missing_pairs", "estimated", FILLED, float(pairs - len(found.observed.rate))),
        convention("matrix", "estimated"),
    )
    full = sure + np.tril(1 - sure.T, -1) + 0.5 * np.eye(n)
    return EstimatedEdges(
        Edges(full, found.agents, met, None, said),
        Margins(lead - lead.T, found.agents, met),
        resolved,
        found.estimate.score,
    )
