"""Tournament solutions: top cycle, Schwartz, uncovered, Copeland, bipartisan, minimal covering and Banks sets.

The top cycle is the smallest set whose members beat everyone outside; with ties it has two versions, the Smith and
the Schwartz set. The uncovered set has the agents that nobody covers, the Copeland set those with the most wins, the
bipartisan set the support of the equilibrium of the sign game, the minimal covering set is the smallest that covers
every outsider, and the Banks set has the heads of maximal chains.
"""

from collections.abc import Iterator

import numpy as np

from beatpath._arrays import Bools
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath._validate import require_choice
from beatpath.evidence.margins import Margins
from beatpath.methods.game.zero_sum import maximal_lottery_equilibrium
from beatpath.methods.graph.relation import beats, block_numbers, contained, strong_parts


def top_cycle(margins: Margins) -> Bools:
    r"""Return the top cycle: the smallest nonempty set whose members all beat everyone outside it.

    With ties this is the Smith set [1]_, also called GETCHA [2]_. With :math:`a \succeq b` for :math:`M_{ab} \ge 0`, it
    equals

    .. math::  \{\, a : a \succeq^* b \ \text{for every } b \,\},

    the agents from which chains of wins or ties lead to all others: Definition 3.4 of STE [3]_, which has no ties.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair never compared directly counts as tied.

    Returns
    -------
    (n,) bool
        True for members.

    Examples
    --------
    Rock, paper and scissors form a cycle above a stone that loses to all.

    >>> wins = [[0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]]
    >>> top_cycle(Margins.from_wins(wins, ["rock", "paper", "scissors", "stone"]))
    array([ True,  True,  True, False])

    Notes
    -----
    :math:`O(n^2)`; see `dominance_blocks`.

    References
    ----------
    .. [1] J. H. Smith, "Aggregation of preferences with variable electorate", *Econometrica* 41 (1973), 1027-1041.
    .. [2] T. Schwartz, *The Logic of Collective Choice*, Columbia University Press, 1986.
    .. [3] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328.
    """
    return block_numbers(margins.matrix) == 0


def schwartz_set(margins: Margins) -> Bools:
    r"""Return the Schwartz set: the union of the minimal sets that no outsider beats a member of.

    Also called GOCHA [1]_: the agents that reach, by a chain of wins, everyone who reaches them,

    .. math::  \{\, a : b \succ^* a \Rightarrow a \succ^* b \ \text{for every } b \,\}.

    It is a subset of the Smith set, and equals it without ties: both are then the top cycle.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair never compared directly counts as tied.

    Returns
    -------
    (n,) bool
        True for members.

    Examples
    --------
    Ada beats Bob and ties with Cyd, who ties with Bob: the Smith set has all three, the Schwartz set excludes Bob.

    >>> m = Margins([[0, 1, 0], [-1, 0, 0], [0, 0, 0]], ("ada", "bob", "cyd"))
    >>> top_cycle(m), schwartz_set(m)
    (array([ True,  True,  True]), array([ True, False,  True]))

    Notes
    -----
    The strongly connected components of the wins without an incoming win, :math:`O(n^2)`.

    References
    ----------
    .. [1] T. Schwartz, *The Logic of Collective Choice*, Columbia University Press, 1986.
    """
    W = beats(margins)
    part = strong_parts(W)
    _, loser = np.nonzero(W & (part[:, None] != part))
    return ~np.isin(part, part[loser])


# The covering relations; see `covers`.
COVERINGS = ("mckelvey", "bordes", "gillies", "fishburn")


def uncovered_set(margins: Margins, *, covering: str = "mckelvey") -> Bools:
    """Return the uncovered set: the agents that no other agent covers.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair never compared directly counts as tied.
    covering : {"mckelvey", "bordes", "gillies", "fishburn"}
        The covering relation if there are ties; see `covers`. Without ties all four are the same.

    Returns
    -------
    (n,) bool
        True for the uncovered.

    Examples
    --------
    Ada, Bob and Cyd form a cycle; Dan beats only Cyd, and Bob beats both Cyd and Dan.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> uncovered_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True,  True,  True, False])

    Notes
    -----
    Not empty, since covering is transitive and acyclic; a subset of the top cycle. McKelvey's set contains those of
    Bordes and Gillies, and Gillies' contains Fishburn's. Two matrix products.

    References
    ----------
    .. [1] N. R. Miller, "A new solution set for tournaments and majority voting", *American Journal of Political
           Science* 24 (1980), 68-96.
    """
    return uncovered(covers(margins, covering=covering))


def covers(margins: Margins, *, covering: str = "mckelvey") -> Bools:
    r"""Return the covering relation: who covers whom.

    With :math:`D(a)` the agents that *a* beats and :math:`\overline D(a)` those that beat it, *c* covers *a* if

    .. math::
        \text{mckelvey:} \quad & c \succ a,\ D(a) \subseteq D(c),\ \overline D(c) \subseteq \overline D(a) \\
        \text{bordes:}   \quad & c \succ a,\ D(a) \subseteq D(c) \\
        \text{gillies:}  \quad & c \succ a,\ \overline D(c) \subseteq \overline D(a) \\
        \text{fishburn:} \quad & \overline D(c) \subsetneq \overline D(a).

    The names are those of Duggan [1]_; Brandt and Fischer [2]_ call the first three bidirectional, downward and
    upward covering. McKelvey's is the default: *c* beats *a* and does at least as well as *a* against everyone, which
    is the relation that defines the minimal covering set with ties. Definition 3.5 of STE [3]_ is, literally, Bordes'
    relation.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents.
    covering : {"mckelvey", "bordes", "gillies", "fishburn"}
        The covering relation.

    Returns
    -------
    (n, n) bool
        Whether the row covers the column.

    Examples
    --------
    Ada beats Bob; Cyd ties with Ada and loses to Bob. So Ada does not beat all that Bob beats, but nobody beats her.

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
    require_choice("covering", covering, COVERINGS)
    W = beats(margins)
    if covering == "mckelvey":
        return does_at_least_as_well(W, W)
    if covering == "bordes":
        return W & contained(W, W).T
    fewer = contained(W.T, W.T)
    return W & fewer if covering == "gillies" else fewer & ~fewer.T


def uncovered(over: Bools) -> Bools:
    """Return the columns that no row is over.

    >>> uncovered(np.array([[False, True], [False, False]]))
    array([ True, False])
    """
    return np.logical_not(over.any(axis=0))


def does_at_least_as_well(upper: Bools, lower: Bools) -> Bools:
    """Return McKelvey's covering with wins that help the coverer taken from `upper`, and others from `lower`.

    With both equal to the majority relation, it is covering itself. With possible wins and sure wins, in either
    order, it states who may cover whom, and who must, while some pairs have not been compared.

    >>> W = np.array([[False, True], [False, False]])
    >>> does_at_least_as_well(W, W)
    array([[False,  True],
           [False, False]])
    """
    return upper & contained(lower, upper).T & contained(lower.T, upper.T)


def copeland_set(margins: Margins) -> Bools:
    """Return the Copeland set: the agents with the most pairwise wins, a tie counting half.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair never compared directly counts as tied.

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
    A subset of the uncovered set of McKelvey's relation, also with ties: a coverer loses no more often than the agent
    it covers, wins wherever that one does, and beats it.

    References
    ----------
    .. [1] A. H. Copeland, "A 'reasonable' social welfare function", University of Michigan, 1951.
    """
    W = beats(margins)
    score = W.sum(axis=1) - W.sum(axis=0)  # Copeland's score, doubled and shifted
    return score == score.max()


def bipartisan_set(margins: Margins) -> Bools:
    r"""Return the bipartisan set.

    These are the agents with positive probability in some maximal lottery of the signs of the margins.

    Two players choose an agent each, and the one whose agent beats the other's wins a point. Without ties this game
    has one equilibrium, and its support is the bipartisan set [1]_. With ties it can have many, and the set is what
    Dutta and Laslier [2]_ call the essential set: every agent that some equilibrium uses,

    .. math::  \bigcup \{\operatorname{supp} p : p \in \Delta,\ p^\top \operatorname{sign}(M) \ge 0\}.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair never compared directly counts as tied.

    Returns
    -------
    (n,) bool
        True for members.

    Examples
    --------
    Three agents in a cycle share the lottery; Dan, who beats only one of them, has no part in it.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> bipartisan_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True,  True,  True, False])

    Two that tie are both essential, though a lottery may use either alone.

    >>> bipartisan_set(Margins([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], ("ada", "bob", "cyd")))
    array([ True,  True, False])

    Notes
    -----
    The equilibrium of maximum entropy has the largest support, so one game is solved; see
    `maximal_lottery_equilibrium`. A subset of the minimal covering set, also with ties [2]_. Probabilities below 1e-9
    count as zero.

    References
    ----------
    .. [1] G. Laffond, J.-F. Laslier, M. Le Breton, "The bipartisan set of a tournament game", *Games and Economic
           Behavior* 5 (1993), 182-201.
    .. [2] B. Dutta, J.-F. Laslier, "Comparison functions and choice correspondences", *Social Choice and Welfare* 16
           (1999), 513-532.
    """
    return essential(beats(margins))


def essential(W: Bools) -> Bools:
    """Return the essential set of a relation in which the row beats the column.

    >>> essential(np.array([[False, True], [False, False]]))
    array([ True, False])
    """
    return maximal_lottery_equilibrium(W.astype(np.float64) - W.T).row > 0


def minimal_covering_set(margins: Margins) -> Bools:
    r"""Return the minimal covering set: the smallest set within which every agent outside it would be covered if added.

    A set *B* is a covering set if each agent :math:`a \notin B` is covered within :math:`B \cup \{a\}`. One covering
    set is contained in all others [1]_, also with ties if covering is McKelvey's [2]_; see `covers`.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair never compared directly counts as tied.

    Returns
    -------
    (n,) bool
        True for members.

    Examples
    --------
    Ada beats Dan, Dan beats Cyd, and Cyd beats Ada. Bob beats only Cyd and loses to Dan, who also beats Cyd: Bob is
    covered.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 0]]
    >>> minimal_covering_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True, False,  True,  True])

    Notes
    -----
    The polynomial-time algorithm of Brandt and Fischer [3]_: the essential set is a subset of the answer; as long as
    some agents outside are not covered by it, the essential set of those is too, and is added. For the relations of
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
        # The agents outside that no member covers if each joins the members alone.
        member, other = np.flatnonzero(inside), np.flatnonzero(~inside)
        to, back = W[np.ix_(member, other)], W[np.ix_(other, member)]
        among = W[np.ix_(member, member)]
        covered = to & contained(back, among).T & contained(among.T, to.T)
        left = other[~covered.any(axis=0)]
        if not left.size:
            return inside
        inside[left[essential(W[np.ix_(left, left)])]] = True


def banks_set(margins: Margins, *, max_steps: int = 100_000) -> Bools:
    r"""Return the Banks set: the heads of all maximal chains.

    A chain is a sequence of agents in which each beats all that follow, :math:`c_1 \succ c_2 \succ \dots \succ c_k`
    with :math:`c_i \succ c_j` for all :math:`i < j`; it is maximal if no further agent fits into it. Banks [1]_
    showed that these are the agents elected by sophisticated voters under some agenda. With ties a chain still
    consists of wins only, one of the versions studied in [2]_.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair never compared directly counts as tied.
    max_steps : int
        Maximum number of chains to examine per agent.

    Returns
    -------
    (n,) bool
        True for members.

    Raises
    ------
    DataError
        If an agent is not decided after `max_steps`: membership in the Banks set is NP-complete [3]_.

    Examples
    --------
    Ada heads Ada > Bob > Dan, and no agent beats all of it; Bob beats all of Dan > Cyd, Dan's longest chain.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> banks_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True,  True,  True, False])

    Notes
    -----
    An agent is a member if and only if it heads a chain that no agent beats entirely. The search adds to the chain an
    agent that someone still above the chain does not beat, branching on the one above with the fewest choices; a
    candidate once tried is not tried again among its siblings. Only agents that nobody covers in Bordes' sense can be
    members, so only those are searched.

    References
    ----------
    .. [1] J. S. Banks, "Sophisticated voting outcomes and agenda control", *Social Choice and Welfare* 1 (1985), 295-306.
    .. [2] J. S. Banks, G. A. Bordes, "Voting games, indifference, and consistent sequential choice rules", *Social
           Choice and Welfare* 5 (1988), 31-44.
    .. [3] G. J. Woeginger, "Banks winners in tournaments are difficult to recognize", *Social Choice and Welfare* 20
           (2003), 523-528.
    """
    if max_steps < 1:
        raise UsageError(f"`max_steps` must be at least 1; got {max_steps}.")
    top = np.flatnonzero(top_cycle(margins))
    W = beats(margins)[np.ix_(top, top)]
    out, into = _bits(W), _bits(W.T)
    inside = np.zeros(len(margins.agents), dtype=bool)
    for agent in np.flatnonzero(uncovered_set(margins, covering="bordes")[top]).tolist():
        chain = _heads_a_maximal_chain(agent, out, into, max_steps)
        if chain is None:
            raise DataError(
                f"the Banks set must be decided within {max_steps:,} steps for each agent, which it was not for "
                f"{quoted(margins.agents[top[agent]])} among {len(top):,} agents of the top cycle. Raise `max_steps`, or "
                "use the uncovered set, which contains it."
            )
        inside[top[agent]] = chain
    return inside


def _heads_a_maximal_chain(agent: int, out: list[int], into: list[int], max_steps: int) -> bool | None:
    """Whether the agent heads a chain that nobody beats entirely; None if that took too many steps.

    For each chain the search keeps who could join it and who is above it; sets are bits of integers.
    """
    waiting: list[tuple[tuple[int, ...], int, int]] = [((agent,), out[agent], into[agent])]
    for _ in range(max_steps):
        if not waiting:
            return False
        chain, room, above = waiting.pop()
        if not above:
            return True
        choices = min((room & ~out[d] for d in _set_bits(above)), key=int.bit_count)
        branches = []
        for x in sorted(_set_bits(choices), key=lambda x: ((above & into[x]).bit_count(), x)):
            room &= ~(1 << x)
            branches.append(((*chain, x), room & _beside(x, chain, out, into), above & into[x]))
        waiting += reversed(branches)
    return None


def _beside(x: int, chain: tuple[int, ...], out: list[int], into: list[int]) -> int:
    """The agents that fit into the chain below x, under all that beat x, or above x, over all that x beats."""
    below, over = out[x], into[x]
    for c in chain:
        if out[c] >> x & 1:
            below &= out[c]
        else:
            over &= into[c]
    return below | over


def _bits(W: Bools) -> list[int]:
    """Each row as an integer, with bit j for column j."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(W, axis=1, bitorder="little")]


def _set_bits(bits: int) -> Iterator[int]:
    """The indices of the bits that are set."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
