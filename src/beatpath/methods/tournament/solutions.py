"""Tournament solutions: top cycle, Schwartz, uncovered, Copeland, bipartisan, minimal covering and Banks sets.

The top cycle, and its two readings when there are ties: the sets of Smith and of Schwartz.

The uncovered set: the agents that nobody outclasses.

The Copeland set: the agents that beat the most rivals.

The bipartisan set: the agents that an unbeatable lottery draws from when only the direction of wins counts.

The minimal covering set: the smallest set that covers everyone who would join it.

The Banks set: the agents at the head of a chain of wins that nobody can head in turn.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath._validate import require_choice
from beatpath.evidence.margins import Margins
from beatpath.methods.game.zero_sum import maximal_lottery_equilibrium
from beatpath.methods.graph.relation import beats, contained, dominance_blocks


def top_cycle(margins: Margins) -> Bools:
    r"""Return the smallest non-empty set whose members all beat everyone outside it.

    With ties this is the Smith set [1]_, also called GETCHA [2]_. With :math:`a \succeq b` for :math:`M_{ab} \ge 0`, it
    equals

    .. math::  \{\, a : a \succeq^* b \ \text{for every } b \,\},

    the agents from which chains of wins or ties lead to all others: Definition 3.4 of STE [3]_, which has no ties.

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
    W = beats(margins)
    inside = np.zeros(len(W), dtype=bool)
    inside[dominance_blocks(W.astype(np.float64) - W.T)[0]] = True
    return inside


def schwartz_set(margins: Margins) -> Bools:
    r"""Return the union of the smallest sets that nobody outside beats a member of.

    Called GOCHA by Schwartz [1]_: the agents that reach, by a chain of wins, everyone who reaches them,

    .. math::  \{\, a : b \succ^* a \Rightarrow a \succ^* b \ \text{for every } b \,\}.

    It lies within the Smith set, and equals it when there are no ties: both are then the top cycle.

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
    Ada beats Bob and ties with Cyd, who ties with Bob: the Smith set has all three, the Schwartz set not Bob.

    >>> m = Margins([[0, 1, 0], [-1, 0, 0], [0, 0, 0]], ("ada", "bob", "cyd"))
    >>> top_cycle(m), schwartz_set(m)
    (array([ True,  True,  True]), array([ True, False,  True]))

    Notes
    -----
    The strongly connected components of the wins that no win enters, :math:`O(n^2)`.

    References
    ----------
    .. [1] T. Schwartz, *The Logic of Collective Choice*, Columbia University Press, 1986.
    """
    W = beats(margins)
    n_parts, part = connected_components(csr_array(W), connection="strong")
    _, loser = np.nonzero(W & (part[:, None] != part))
    entered = np.zeros(n_parts, dtype=bool)
    entered[part[loser]] = True
    return ~entered[part]


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
    require_choice("covering", covering, COVERINGS)
    W = beats(margins)
    if covering == "mckelvey":
        return does_at_least_as_well(W, W)
    if covering == "bordes":
        return W & contained(W, W).T
    fewer = contained(W.T, W.T)
    return W & fewer if covering == "gillies" else fewer & ~fewer.T


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


def bipartisan_set(margins: Margins) -> Bools:
    r"""Return the agents with a chance in some maximal lottery of the signs of the margins.

    Two players name an agent each, and the one whose agent beats the other's wins a point. Without ties this game has
    one equilibrium, and the agents it uses are the bipartisan set [1]_. With ties it can have many, and the set is what
    Dutta and Laslier [2]_ call the essential set: every agent that some equilibrium uses,

    .. math::  \bigcup \{\operatorname{supp} p : p \in \Delta,\ p^\top \operatorname{sign}(M) \ge 0\}.

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
    Three agents in a circle share the lottery; Dan, who beats only one of them, has no part in it.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> bipartisan_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True,  True,  True, False])

    Two that tie are both essential, though a lottery may do with either.

    >>> bipartisan_set(Margins([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], ("ada", "bob", "cyd")))
    array([ True,  True, False])

    Notes
    -----
    The equilibrium of maximum entropy has the largest support of all, so one game is solved; see
    `maximal_lottery_equilibrium`. Within the minimal covering set, with ties too [2]_. Probabilities below 1e-9 count
    as zero.

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


def banks_set(margins: Margins, *, max_steps: int = 100_000) -> Bools:
    r"""Return the first agents of all maximal chains.

    A chain is a set of agents of which each beats all that follow it, :math:`c_1 \succ c_2 \succ \dots \succ c_k` with
    :math:`c_i \succ c_j` for all :math:`i < j`; it is maximal when no further agent fits into it. Banks [1]_ showed that
    these are the agents elected by sophisticated voters under some agenda. With ties a chain still consists of wins
    alone, one of the readings studied in [2]_.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair that never met counts as tied.
    max_steps : int
        How many chains to look at, at most, for one agent.

    Returns
    -------
    (n,) bool
        True for members.

    Raises
    ------
    DataError
        When an agent is not decided after `max_steps`: to tell whether an agent is in the Banks set is NP-complete [3]_.

    Examples
    --------
    Ada heads Ada > Bob > Dan, which nobody beats in whole; Dan > Cyd, the longest chain of Dan's, Bob does.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> banks_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True,  True,  True, False])

    Notes
    -----
    An agent is a member exactly if it heads a chain that no agent beats in whole. The search adds to the chain an agent
    that someone still above the chain does not beat, taking up the one above that leaves the fewest choices; an agent
    once tried is not tried again beside. Only agents that nobody covers in Bordes' sense can be members, so only those
    are searched.

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
    """Whether the agent heads a chain that nobody beats in whole; None if that took too many steps.

    Of each chain on the way the search keeps who could join it and who is above it; sets are bits of whole numbers.
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
    """Each row as a whole number, bit j for column j."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(W, axis=1, bitorder="little")]


def _set_bits(bits: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
