"""The Copeland set: the agents that beat the most rivals."""

from beatpath._arrays import Bools
from beatpath.evidence import Margins
from beatpath.methods.graph.relation import beats


def copeland_set(margins: Margins) -> Bools:
    """Return the agents with the most wins head to head, a tie counting half.

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
    Ada and Bob beat two rivals each, Cyd and Dan one.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> copeland_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True,  True, False, False])

    Notes
    -----
    Within the uncovered set of McKelvey's relation, with ties too: a coverer loses no more often than the agent it
    covers, wins wherever that one does, and against it besides.

    References
    ----------
    .. [1] A. H. Copeland, "A 'reasonable' social welfare function", University of Michigan, 1951.
    """
    W = beats(margins)
    score = W.sum(axis=1) - W.sum(axis=0)  # Copeland's score, doubled and moved
    return score == score.max()
