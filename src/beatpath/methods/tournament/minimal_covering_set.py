"""The minimal covering set: the smallest set that covers everyone who would join it."""

import numpy as np

from beatpath._arrays import Bools, Ints
from beatpath.evidence import Margins
from beatpath.methods.graph.relation import beats, contained
from beatpath.methods.tournament.bipartisan_set import essential


def minimal_covering_set(margins: Margins) -> Bools:
    r"""Return the smallest set in which every outsider, joining alone, would be covered.

    A set *B* is a covering set when each agent :math:`a \notin B` is covered within :math:`B \cup \{a\}`. There is one
    that all others contain [1]_, with ties too when covering is McKelvey's [2]_; see `covers`.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair that never met counts as tied.

    Returns
    -------
    (n,) bool
        True for members.

    Examples
    --------
    Ada beats Dan, Dan Cyd, and Cyd Ada. Bob, who beats Cyd alone, loses to Dan, who beats Cyd too: he is covered.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 0]]
    >>> minimal_covering_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True, False,  True,  True])

    Notes
    -----
    The algorithm of Brandt and Fischer [3]_, in polynomial time: the essential set lies within the answer; as long as
    some agents outside are not covered by it, the essential set of those does too, and joins it. For the relations of
    Bordes and Gillies there is no such algorithm unless P = NP [3]_, so they are not offered.

    References
    ----------
    .. [1] B. Dutta, "Covering sets and a new Condorcet choice correspondence", *Journal of Economic Theory* 44 (1988),
           63-80.
    .. [2] B. Dutta, J.-F. Laslier, "Comparison functions and choice correspondences", *Social Choice and Welfare* 16
           (1999), 513-532.
    .. [3] F. Brandt, F. Fischer, "Computing the minimal covering set", *Mathematical Social Sciences* 56 (2008),
           254-268.
    """
    W = beats(margins)
    inside = essential(W)
    while True:
        left = _uncovered_beside(W, inside)
        if not left.size:
            return inside
        inside[left[essential(W[np.ix_(left, left)])]] = True


def _uncovered_beside(W: Bools, inside: Bools) -> Ints:
    """The agents outside that no member covers when each joins the members alone."""
    member, other = np.flatnonzero(inside), np.flatnonzero(~inside)
    to, back = W[np.ix_(member, other)], W[np.ix_(other, member)]
    among = W[np.ix_(member, member)]
    covered = to & contained(back, among).T & contained(among.T, to.T)
    return other[~covered.any(axis=0)]
