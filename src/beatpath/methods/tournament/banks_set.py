"""The Banks set: the agents at the head of a chain of wins that nobody can head in turn."""

from collections.abc import Iterator

import numpy as np

from beatpath._arrays import Bools
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath.evidence import Margins
from beatpath.methods.graph.relation import beats
from beatpath.methods.tournament.top_cycle import top_cycle
from beatpath.methods.tournament.uncovered_set import uncovered_set


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
        found = _heads_a_maximal_chain(agent, out, into, max_steps)
        if found is None:
            raise DataError(
                f"the Banks set must be decided within {max_steps:,} steps for each agent, which it was not for "
                f"{quoted(margins.agents[top[agent]])} among {len(top):,} agents of the top cycle. Raise `max_steps`, or "
                "use the uncovered set, which contains it."
            )
        inside[top[agent]] = found
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
