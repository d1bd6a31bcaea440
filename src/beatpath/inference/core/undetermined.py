r"""What is not known of a core while some pairs have never met, and which pairs to play.

A pair that never met may end either way. An agent is *surely* a member when it is one however those pairs end,
*possibly* when it is one for some way they may end: the necessary and the possible winners of a partial tournament [1]_.
The members that `top_cycle` and `uncovered_set` return, counting such pairs as tied, lie between the two.

References
----------
.. [1] H. Aziz, M. Brill, F. Fischer, P. Harrenstein, J. Lang, H. G. Seedig, "Possible and necessary winners of partial
       tournaments", *Journal of Artificial Intelligence Research* 54 (2015), 493-534.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._text import counted, listed, quoted
from beatpath.evidence import Margins
from beatpath.methods.graph.relation import beats
from beatpath.methods.tournament.solutions import does_at_least_as_well, top_cycle, uncovered


@dataclass(frozen=True, slots=True)
class Undetermined:
    """Whose membership hangs on pairs that never met.

    Attributes
    ----------
    solution : str
        "top cycle" or "uncovered set".
    sure : tuple of str
        Members however those pairs end.
    agents : tuple of str
        Members or not, as those pairs end; empty when everything is known.
    pairs : tuple of (str, str)
        The pairs to play: when they have met, all is known. No other pair can change the answer.
    """

    solution: str
    sure: tuple[str, ...]
    agents: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def sentence(self) -> str:
        """What is not known, and what to play; that all is known, where it is."""
        if not self.agents:
            return f"No pair that never met can change the {self.solution}."
        shown = ", ".join(f"{quoted(a)} and {quoted(b)}" for a, b in self.pairs[:3])
        more = f", and {len(self.pairs) - 3:,} more" if len(self.pairs) > 3 else ""
        return (
            f"Whether {listed(self.agents)} belong{'s' if len(self.agents) == 1 else ''} to the {self.solution} is "
            f"undetermined: it hangs on {counted(len(self.pairs), 'pair')} that never met. Play {shown}{more}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "solution": self.solution,
            "sure": list(self.sure),
            "undetermined": list(self.agents),
            "pairs": [list(pair) for pair in self.pairs],
            "sentence": self.sentence,
        }


def undetermined_top_cycle(margins: Margins) -> Undetermined:
    """Return who is in the top cycle for sure, whose membership is open, and the pairs that decide it.

    An agent is surely a member when chains of wins and ties over pairs that did meet lead from it to all others. It is
    possibly one exactly if it is one with every open pair tied. Between two members of one strongly connected part of
    the pairs that met, a further pair decides nothing.

    Parameters
    ----------
    margins : Margins
        With `played` false where two never met.

    Returns
    -------
    Undetermined

    Examples
    --------
    Two groups that never met: nobody is known to be in the core or out of it.

    >>> wins = [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    >>> agents = ["ada", "bob", "cyd", "dan"]
    >>> M = Margins.from_wins(wins, agents).matrix
    >>> found = undetermined_top_cycle(Margins(M, agents, M != 0))
    >>> found.sure, found.agents
    ((), ('ada', 'bob', 'cyd', 'dan'))
    >>> found.pairs
    (('ada', 'cyd'), ('ada', 'dan'), ('bob', 'cyd'), ('bob', 'dan'))

    Notes
    -----
    :math:`O(n^2)`.
    """
    W, unmet = beats(margins), _unmet(margins)
    steps = ~W.T & ~unmet & ~np.eye(len(W), dtype=bool)
    n_parts, part = connected_components(csr_array(steps), connection="strong")
    _, to = np.nonzero(steps & (part[:, None] != part))
    first = np.setdiff1d(np.arange(n_parts), part[to])
    sure = part == first[0] if len(first) == 1 else np.zeros(len(W), dtype=bool)
    possible = top_cycle(margins)
    deciding = unmet & possible & possible[:, None] & (part[:, None] != part)
    return _undetermined_of("top cycle", margins, sure, possible, deciding)


def undetermined_uncovered_set(margins: Margins) -> Undetermined:
    """Return who is uncovered for sure, for whom it is open, and the pairs that decide it.

    Covering is McKelvey's. An agent is surely uncovered when nobody covers it even if the pairs of the would-be coverer
    end well and its own badly, and possibly when nobody covers it with all of these the other way round.

    Parameters
    ----------
    margins : Margins
        With `played` false where two never met.

    Returns
    -------
    Undetermined
        `pairs` are all open pairs within the possible top cycle when anything is open.

    Examples
    --------
    Ada beats Bob, and both have yet to meet Cyd.

    >>> agents = ("ada", "bob", "cyd")
    >>> met = [[False, True, False], [True, False, False], [False, False, False]]
    >>> found = undetermined_uncovered_set(Margins([[0, 1, 0], [-1, 0, 0], [0, 0, 0]], agents, met))
    >>> print(found.sentence)
    Whether 'ada', 'bob', 'cyd' belong to the uncovered set is undetermined: it hangs on 2 pairs that never met. \
Play 'ada' and 'cyd', 'bob' and 'cyd'.

    Notes
    -----
    Four matrix products.
    """
    W, unmet = beats(margins), _unmet(margins)
    sure = uncovered(does_at_least_as_well(W | unmet, W))
    possible = uncovered(does_at_least_as_well(W, W | unmet))
    inside = top_cycle(margins)
    deciding = unmet & inside & inside[:, None] & (possible & ~sure).any()
    return _undetermined_of("uncovered set", margins, sure, possible, deciding)


def _unmet(margins: Margins) -> NDArray[np.bool_]:
    """The pairs that never met, both ways round."""
    assert margins.played is not None
    met = margins.played | (margins.matrix != 0)
    return ~met & ~np.eye(len(met), dtype=bool)


def _undetermined_of(
    solution: str,
    margins: Margins,
    sure: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    deciding: NDArray[np.bool_],
) -> Undetermined:
    names = margins.agents
    pairs = sorted(tuple(sorted((names[a], names[b]))) for a, b in zip(*np.nonzero(np.triu(deciding)), strict=True))
    certain = sorted(names[a] for a in np.flatnonzero(sure))
    open_ = sorted(names[a] for a in np.flatnonzero(possible & ~sure))
    return Undetermined(solution, tuple(certain), tuple(open_), tuple((a, b) for a, b in pairs))
