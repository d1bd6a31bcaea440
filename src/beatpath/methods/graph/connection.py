r"""Existence of finite estimates: paths of wins between all agents, and tie parameters that stay finite.

In the *win graph* an edge runs from *a* to *b* if *a* has beaten *b* or tied with it. Strengths are finite and unique
if and only if it is strongly connected (Ford [1]_; Assumption 1 of Hunter [2]_): however the agents are split in two,
some agent of either side has beaten or tied one of the other.

References
----------
.. [1] L. R. Ford, "Solution of a ranking problem from binary comparisons", *American Mathematical Monthly* 64 (1957), 28-33.
.. [2] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", *Annals of Statistics* 32 (2004), 384-406.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._text import counted, joined, listed
from beatpath.stats.codes import dense, first_rows

Codes = NDArray[np.integer]

SHOWN = 4  # names listed per group
FEW = 6  # breadth-first steps before a search for components: importing scipy's graph module takes 0.06 s
FAR = 0.1  # largest share of the largest group that others may have if it is to count as dominant


def require_one_group(agents: tuple[str, ...], a: Codes, b: Codes, method: str) -> None:
    """Raise an error that names the groups, unless all agents are connected by compared pairs.

    >>> require_one_group(("ada", "bob", "cyd"), np.array([0]), np.array([1]), "elo")
    Traceback (most recent call last):
    ...
    beatpath._errors.DataError: elo needs agents that battles connect; these form 2 components that are not connected: \
{'ada', 'bob'}, {'cyd'}. Rank each component by itself, or add battles between them.
    """
    n_groups, group = unconnected(len(agents), a, b)
    if n_groups > 1:
        raise DataError(
            f"{method} needs agents that battles connect; these form {n_groups:,} components that are not connected: "
            f"{groups_named(agents, group)}. Rank each component by itself, or add battles between them."
        )


def unconnected(n: int, a: Codes, b: Codes) -> tuple[int, NDArray[np.integer]]:
    """Return the number of connected components, and the component of every agent.

    >>> unconnected(3, np.array([0]), np.array([2]))
    (2, array([0, 1, 0], dtype=int32))
    """
    if reaches_all(n, np.concatenate([a, b]), np.concatenate([b, a])):
        return 1, np.zeros(n, dtype=np.int32)
    from scipy.sparse.csgraph import connected_components

    number, group = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)).tocsr(), directed=False)
    return int(number), group


def reaches_all(n: int, here: Codes, there: Codes) -> bool:
    """Return whether a few steps along edges lead from the first agent to all, which is fast to check in dense graphs.

    >>> reaches_all(3, np.array([0, 1]), np.array([1, 2])), reaches_all(3, np.array([1, 2]), np.array([0, 1]))
    (True, False)
    """
    seen, reached = np.zeros(n, dtype=bool), min(n, 1)
    seen[:1] = True
    for _ in range(FEW):
        seen[there[seen[here]]] = True
        before, reached = reached, int(np.count_nonzero(seen))
        if reached in (before, n):
            break
    return reached == n


def groups_named(agents: tuple[str, ...], group: Codes) -> str:
    """Return the groups as text, largest first, with a few names each.

    >>> groups_named(("ada", "bob", "cyd", "dan"), np.array([1, 0, 1, 2]))
    "{'ada', 'cyd'}, {'bob'}, {'dan'}"
    """
    return groups_text(members_of_groups(agents, group))


def groups_text(groups: Sequence[Sequence[str]], most: int = 3) -> str:
    """Return a few groups as text, with a few names each.

    >>> groups_text([["ada", "cyd"], ["bob"]], most=1)
    "{'ada', 'cyd'}, and 1 more"
    """
    return joined([f"{{{listed(names, 4)}}}" if k < most else "" for k, names in enumerate(groups)], most, ", ")


def members_of_groups(agents: tuple[str, ...], group: Codes) -> list[list[str]]:
    """Return the names of each group, largest first.

    >>> members_of_groups(("ada", "bob", "cyd"), np.array([1, 0, 1]))
    [['ada', 'cyd'], ['bob']]
    """
    names = np.array(agents, dtype=object)
    by_name = np.argsort(names, kind="stable")
    label, number = dense(np.asarray(group)[by_name])
    size = np.bincount(label, minlength=number)
    in_turn = np.lexsort((first_rows(label, number), -size))
    order = by_name[np.argsort(np.argsort(in_turn)[label], kind="stable")]
    members, ends = names[order].tolist(), np.cumsum(size[in_turn]).tolist()
    return [members[i:j] for i, j in zip([0, *ends], ends, strict=False)]


def require_connection(agents: tuple[str, ...], a: Codes, b: Codes, wins: Floats, losses: Floats, what: str) -> None:
    """Raise an error if the win graph is not strongly connected, with its groups and remedies.

    Parameters
    ----------
    agents : tuple of str
        Agent names.
    a, b : (m,) int
        The pair of each cell.
    wins, losses : (m,) float
        Wins and losses of *a*, with ties in both; cells of zero connect nobody.
    what : str
        Name of the model, the subject of the sentence.

    Examples
    --------
    >>> require_connection(("ada", "bob", "cyd"), [0, 1], [1, 2], [2, 1], [1, 0], "Bradley-Terry")
    Traceback (most recent call last):
    ...
    beatpath._errors.DataError: Bradley-Terry needs a path of wins or ties from every agent to every other, else strengths \
are infinite; here are 2 groups without such paths both ways: {'ada', 'bob'}, which never lost to the others; {'cyd'}, which \
never won against the others. Give a prior of half a win and half a loss of every agent against an average one (`rank(prior=0.5)`); leave out 'cyd'; or fit one group at a time.
    """
    a, b, wins, losses = np.asarray(a), np.asarray(b), np.asarray(wins), np.asarray(losses)
    if _paths_both_ways(len(agents), a, b, wins > 0, losses > 0):
        return
    from scipy.sparse.csgraph import connected_components

    n_groups, group = connected_components(_win_graph(len(agents), a, b, wins > 0, losses > 0), connection="strong")
    if n_groups <= 1:
        return
    here, there = _win_edges(a, b, wins > 0, losses > 0)
    across = group[here] != group[there]
    won, lost = (np.bincount(group[side[across]], minlength=n_groups) > 0 for side in (here, there))
    size = np.bincount(group)
    first = np.unique(group, return_index=True)[1]
    order = np.lexsort((first, -size))[: SHOWN + 1].tolist()
    names = {k: [agents[i] for i in np.flatnonzero(group == k)] for k in order}
    text = "; ".join(f"{{{listed(names[k], SHOWN)}}}, {_standing(won[k], lost[k])}" for k in order[:SHOWN])
    more = f"; and {counted(n_groups - SHOWN, 'more group')}" if n_groups > SHOWN else ""
    key, others = what.lower().replace("-", "_"), [agents[i] for i in np.flatnonzero(group != order[0])]
    raise DataError(
        f"{what} needs a path of wins or ties from every agent to every other, else strengths are infinite; here are "
        f"{n_groups:,} groups without such paths both ways: {text}{more}. Give a prior of half a win and half a loss of "
        f"every agent against an average one (`rank --set {key}.prior=0.5`); leave out "
        f"{listed(others, SHOWN)}; or fit one group at a time."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Which agents are in the largest strongly connected group of wins, and how the others relate to it.

    Parameters
    ----------
    inside, above, below : (n,) bool
        In the group; with paths of wins to it but none back; with paths from it only. Nothing can be concluded about
        the rest.
    alone : bool
        Whether the group dominates: it has at least three agents, and all others are single or at most a tenth of it.
    """

    inside: Bools
    above: Bools
    below: Bools
    alone: bool

    @property
    def beside(self) -> Bools:
        """Agents that no path of wins connects with the group."""
        return ~(self.inside | self.above | self.below)

    def sentence(self, agents: tuple[str, ...]) -> str:
        """State which agents have no finite rating, and why; empty if all have one."""
        parts = (
            (self.above, "ranked above all with one, having never lost to them"),
            (self.below, "ranked below all with one, having never won against them"),
            (self.beside, "listed last, as no path of wins connects with those that have one"),
        )
        some = [(sorted(agents[i] for i in np.flatnonzero(who)), where) for who, where in parts if who.any()]
        return "; ".join(
            f"{counted(len(names), 'agent has', 'agents have')} no finite rating, {where}: {listed(names, 3)}"
            for names, where in some
        )


def standing(n: int, a: Codes, b: Codes, wins: Floats, losses: Floats) -> Standing:
    """Return how every agent relates to the largest strongly connected group of wins.

    Ada and Bob beat each other, and Cyd never won.

    >>> result = standing(3, np.array([0, 1]), np.array([1, 2]), np.array([2, 1]), np.array([1, 0]))
    >>> result.inside, result.below
    (array([ True,  True, False]), array([False, False,  True]))
    """
    a, b, won, lost = np.asarray(a), np.asarray(b), np.asarray(wins) > 0, np.asarray(losses) > 0
    if _paths_both_ways(n, a, b, won, lost):
        return Standing(np.ones(n, dtype=bool), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool), n >= 3)
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    graph = _win_graph(n, a, b, won, lost)
    group = connected_components(graph, connection="strong")[1]
    inside = group == np.bincount(group).argmax()
    source = int(np.argmax(inside))
    reached, reaching = (
        np.isin(np.arange(n), breadth_first_order(edges, source, return_predecessors=False))
        for edges in (graph, graph.T.tocsr())
    )
    most, second = np.sort(np.append(np.bincount(group), 0))[::-1][:2]
    alone = bool(most >= 3 and (second <= 1 or second <= FAR * most))
    return Standing(inside, reaching & ~inside, reached & ~inside, alone)


def require_finite_ties(agents: tuple[str, ...], a: Codes, b: Codes, counts: Floats, *, prior: float) -> None:
    r"""Raise an error if a tie parameter diverges together with the strengths.

    Let the strengths drift by :math:`u` and the tie parameter by 1/2 on the scale of Davidson's log :math:`\nu`. No
    probability of an observed outcome falls if :math:`u_a - u_b \ge 1` for every win of *a* over *b* and :math:`|u_a
    - u_b| \le 1` for every tie. Such :math:`u` exist unless some cycle of wins and ties has more wins than ties: a
    negative cycle, with -1 for a win and +1 for a tie. A prior bounds the strengths, and then any win suffices.

    >>> try:
    ...     require_finite_ties(("ada", "bob"), [0], [1], [[2, 0, 3]], prior=0)
    ... except DataError as error:
    ...     print(error)  # doctest: +ELLIPSIS
    a tie model needs a cycle with more wins than ties, such as a pair in which both have won, else its tie parameter ...
    """
    counts = np.asarray(counts)
    if prior and counts[:, :2].any():
        return
    if _more_wins_than_ties(len(agents), np.asarray(a), np.asarray(b), counts):
        return
    raise DataError(
        "a tie model needs a cycle with more wins than ties, such as a pair in which both have won, else its tie parameter "
        f"has no finite estimate; these {counted(len(agents), 'agent')} have none. Use `tie_model='half'` or give a `prior`."
    )


def _more_wins_than_ties(n: int, a: Codes, b: Codes, counts: Floats) -> bool:
    """Whether some cycle has more wins than ties; the graph is strongly connected, or there is no prior."""
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

    won, lost, tied = (counts[:, k] > 0 for k in range(3))
    if (won & lost).any() or connected_components(_win_graph(n, a, b, won, lost), connection="strong")[0] < n:
        return True
    if not (won | lost).any():
        return False
    here, there = _win_edges(a, b, won, lost)
    only = tied & ~won & ~lost  # a win and a tie in one pair: one direction counts the win, the other the tie
    back = tied & (won ^ lost)
    ties_from = np.concatenate([a[only], b[only], np.where(won, b, a)[back]])
    ties_to = np.concatenate([b[only], a[only], np.where(won, a, b)[back]])
    length = np.concatenate([-np.ones(len(here)), np.ones(len(ties_from))])
    # as scipy before 1.15 requires
    ends = (np.concatenate(ends).astype(np.int32) for ends in ([here, ties_from], [there, ties_to]))
    graph = coo_array((length, tuple(ends)), shape=(n, n)).tocsr()
    try:
        bellman_ford(graph, indices=int(here[0]))
    except NegativeCycleError:
        return True
    return False


def _win_edges(a: Codes, b: Codes, won: Bools, lost: Bools) -> tuple[Codes, Codes]:
    """An edge from every winner to the loser."""
    return np.concatenate([a[won], b[lost]]), np.concatenate([b[won], a[lost]])


def _paths_both_ways(n: int, a: Codes, b: Codes, won: Bools, lost: Bools) -> bool:
    """Whether a few wins lead from the first agent to all and back: then the graph is strongly connected."""
    if won.all() and lost.all():  # every edge leads both ways
        return reaches_all(n, np.concatenate([a, b]), np.concatenate([b, a]))
    here, there = _win_edges(a, b, won, lost)
    return reaches_all(n, here, there) and reaches_all(n, there, here)


def _win_graph(n: int, a: Codes, b: Codes, won: Bools, lost: Bools) -> coo_array:
    """The graph with an edge from every winner to the loser."""
    here, there = _win_edges(a, b, won, lost)
    return coo_array((np.ones(len(here), dtype=np.int8), (here, there)), shape=(n, n)).tocsr()


def _standing(won: bool, lost: bool) -> str:
    """How a group did against all others, as text."""
    if won and lost:
        return "which won against some others and lost to some"
    if won:
        return "which never lost to the others"
    return "which never won against the others" if lost else "which were never compared with the others"
