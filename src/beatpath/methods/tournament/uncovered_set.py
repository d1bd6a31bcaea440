"""The uncovered set: the agents that nobody outclasses."""

import numpy as np

from beatpath._arrays import Bools
from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath.evidence import Margins
from beatpath.methods.graph.relation import beats, contained

COVERINGS = ("mckelvey", "bordes", "gillies", "fishburn")


def uncovered_set(margins: Margins, *, covering: str = "mckelvey") -> Bools:
    """Return the agents that no other agent covers.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair that never met counts as tied.
    covering : {"mckelvey", "bordes", "gillies", "fishburn"}
        What covering means when there are ties; see `covers`. Without ties all four are one.

    Returns
    -------
    (n,) bool
        True for the uncovered.

    Examples
    --------
    Ada, Bob and Cyd run in a circle; Dan beats Cyd alone, and Bob beats both Cyd and Dan.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> uncovered_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True,  True,  True, False])

    Notes
    -----
    Not empty, since covering is transitive and without cycles; within the top cycle. McKelvey's set contains those of
    Bordes and Gillies, and Gillies' contains Fishburn's. Two matrix products.

    References
    ----------
    .. [1] N. R. Miller, "A new solution set for tournaments and majority voting", *American Journal of Political
           Science* 24 (1980), 68-96.
    """
    return uncovered(covers(margins, covering=covering))


def covers(margins: Margins, *, covering: str = "mckelvey") -> Bools:
    r"""Return who covers whom.

    With :math:`D(a)` the agents that *a* beats and :math:`\overline D(a)` those that beat it, *c* covers *a* when

    .. math::
        \text{mckelvey:} \quad & c \succ a,\ D(a) \subseteq D(c),\ \overline D(c) \subseteq \overline D(a) \\
        \text{bordes:}   \quad & c \succ a,\ D(a) \subseteq D(c) \\
        \text{gillies:}  \quad & c \succ a,\ \overline D(c) \subseteq \overline D(a) \\
        \text{fishburn:} \quad & \overline D(c) \subsetneq \overline D(a).

    The names are those of Duggan [1]_; Brandt and Fischer [2]_ call the first three bidirectional, downward and upward
    covering. McKelvey's is the default: *c* beats *a* and does at least as well as *a* against everyone, which is the
    relation that the minimal covering set is defined by when there are ties. Definition 3.5 of STE [3]_ reads,
    word for word, as Bordes' relation.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents.
    covering : {"mckelvey", "bordes", "gillies", "fishburn"}

    Returns
    -------
    (n, n) bool
        Row covers column.

    Examples
    --------
    Ada beats Bob; Cyd ties with Ada and loses to Bob. So Ada does not beat all that Bob beats, and yet nobody beats her.

    >>> m = Margins([[0, 1, 0], [-1, 0, 1], [0, -1, 0]], ("ada", "bob", "cyd"))
    >>> [bool(covers(m, covering=name)[0, 1]) for name in COVERINGS]
    [False, False, True, True]

    References
    ----------
    .. [1] J. Duggan, "Uncovered sets", *Social Choice and Welfare* 41 (2013), 489-535.
    .. [2] F. Brandt, F. Fischer, "Computing the minimal covering set", *Mathematical Social Sciences* 56 (2008),
           254-268.
    .. [3] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328.
    """
    W = beats(margins)
    if covering == "mckelvey":
        return does_at_least_as_well(W, W)
    if covering == "bordes":
        return W & contained(W, W).T
    if covering == "gillies":
        return W & contained(W.T, W.T)
    if covering == "fishburn":
        fewer = contained(W.T, W.T)
        return fewer & ~fewer.T
    raise UsageError(
        f"`covering` must be one of {', '.join(COVERINGS)}; got {quoted(covering)}."
        f"{suggestion(str(covering), COVERINGS)}"
    )


def uncovered(over: Bools) -> Bools:
    """Return the columns over which no row stands.

    >>> uncovered(np.array([[False, True], [False, False]]))
    array([ True, False])
    """
    return np.logical_not(over.any(axis=0))


def does_at_least_as_well(upper: Bools, lower: Bools) -> Bools:
    """Return McKelvey's covering when wins that help the coverer are read from `upper`, and others from `lower`.

    With both the majority relation it is covering itself. With the wins that may be and the wins that are sure, the two
    ways round, it says who may cover whom, and who must, while some pairs have yet to meet.

    >>> W = np.array([[False, True], [False, False]])
    >>> does_at_least_as_well(W, W)
    array([[False,  True],
           [False, False]])
    """
    return upper & contained(lower, upper).T & contained(lower.T, upper.T)
