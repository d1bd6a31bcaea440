r"""Which agents the evidence connects, and which pairs never met.

In the *win graph* an edge runs from *a* to *b* when *a* has beaten *b* or tied with it. Agents in different weakly
connected parts never met, even through others: no comparison of them has any evidence. The Bradley-Terry estimate is
finite and unique exactly when the graph is strongly connected (Ford 1957; Hunter 2004, Assumption 1): there is no way
to split the agents so that one side never lost to the other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Ints
from beatpath._text import counted, listed, percent
from beatpath.checks.finding import Finding, not_run
from beatpath.evidence import Margins, Pairs, WinRates
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN

Edges = tuple[NDArray[np.integer], NDArray[np.integer]]


def win_edges(evidence: Pairs | Margins | WinRates) -> Edges:
    """Return the edges of the win graph, from the agents that won or tied to those they met.

    >>> win_edges(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[1, 0, 0, 0], [0, 0, 1, 0]]))
    (array([0, 1, 2]), array([1, 2, 1]))
    """
    if isinstance(evidence, Pairs):
        tied = evidence.counts[:, TIE] + evidence.counts[:, BOTH_BAD] > 0
        won, lost = (tied | (evidence.counts[:, side] > 0) for side in (WIN, LOSS))
        a, b = evidence.a.astype(np.int64), evidence.b.astype(np.int64)
        return np.concatenate([a[won], b[lost]]), np.concatenate([b[won], a[lost]])
    off = ~np.eye(len(evidence.agents), dtype=bool)
    if isinstance(evidence, Margins):
        assert evidence.played is not None
        a, b = np.nonzero(off & evidence.played & (evidence.matrix >= 0))
    else:
        a, b = np.nonzero(off & (np.nan_to_num(evidence.matrix) > 0))
    return a, b


def parts(agents: tuple[str, ...], edges: Edges, *, strong: bool) -> list[list[str]]:
    """Return the weakly or strongly connected parts by name, the largest first.

    >>> parts(("ada", "bob", "cyd"), (np.array([0]), np.array([1])), strong=False)
    [['ada', 'bob'], ['cyd']]
    >>> parts(("ada", "bob", "cyd"), (np.array([0]), np.array([1])), strong=True)
    [['ada'], ['bob'], ['cyd']]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(agents)
    if not n:
        return []
    graph = coo_array((np.ones(len(edges[0])), edges), shape=(n, n)).tocsr()
    label = connected_components(graph, directed=True, connection="strong" if strong else "weak")[1]
    groups: dict[int, list[str]] = {}
    for name, part in zip(agents, label.tolist(), strict=True):
        groups.setdefault(part, []).append(name)
    return sorted((sorted(group) for group in groups.values()), key=lambda group: (-len(group), group))


def connected(agents: tuple[str, ...], edges: Edges) -> Finding:
    """Say whether every agent can be compared with every other, at least through others."""
    found = parts(agents, edges, strong=False)
    figures = {"parts": found}
    if len(found) <= 1:
        sentence = f"The evidence connects all {counted(len(agents), 'agent')}."
        return Finding("connected", "passed", sentence, "", figures)
    sentence = (
        f"The {counted(len(agents), 'agent')} fall into {len(found):,} parts that never met: {_parts_in_words(found)}."
    )
    consequence = (
        "No method can compare agents of different parts: rank each part apart, or collect battles between them."
    )
    return Finding("connected", "failed", sentence, consequence, figures)


def strongly_connected(agents: tuple[str, ...], edges: Edges) -> Finding:
    """Say whether there is a path of wins and ties from every agent to every other."""
    found = parts(agents, edges, strong=True)
    figures = {"parts": found}
    if len(found) <= 1:
        sentence = "From every agent to every other there is a path of wins and ties."
        return Finding("strongly connected", "passed", sentence, "", figures)
    sentence = f"No paths of wins and ties lead both ways between {len(found):,} parts: {_parts_in_words(found)}."
    consequence = "Bradley-Terry has no finite estimate unless a prior is given; voting rules and win rates still work."
    return Finding("strongly connected", "warning", sentence, consequence, figures)


def margins_one_way() -> Finding:
    """Why margins cannot answer whether the win graph is strongly connected."""
    return not_run("strongly connected", "A margin does not say whether the loser of a pair ever won.")


def opponents_of(n_agents: int, a: NDArray[np.integer], b: NDArray[np.integer]) -> Ints:
    """Return how many others each agent met, given the pairs that met.

    >>> opponents_of(3, np.array([0, 0]), np.array([1, 2]))
    array([2, 1, 1])
    """
    return np.bincount(a, minlength=n_agents) + np.bincount(b, minlength=n_agents)


def pairs_played(agents: tuple[str, ...], opponents: Ints) -> Finding:
    """Say how many pairs have never met, and who has the fewest opponents."""
    n_pairs = len(agents) * (len(agents) - 1) // 2
    if not n_pairs:
        return not_run("pairs played", "Fewer than two agents form no pair.")
    fewest = [agents[i] for i in np.flatnonzero(opponents == opponents.min())]
    never = n_pairs - int(opponents.sum()) // 2
    figures: dict[str, Any] = {"pairs": n_pairs, "never": never, "share": never / n_pairs}
    figures |= {"fewest opponents": int(opponents.min()), "agents with fewest": fewest}
    if not never:
        return Finding("pairs played", "passed", f"Every pair met: {counted(n_pairs, 'pair')}.", "", figures)
    sentence = (
        f"{never:,} of {counted(n_pairs, 'pair')} ({percent(never / n_pairs)}) never met; fewest opponents "
        f"({int(opponents.min()):,}): {listed(fewest)}."
    )
    consequence = "Their win rates are read off one scale as far as it fits, and not off battles; with `matrix` set to raw they are undecided."
    return Finding("pairs played", "warning", sentence, consequence, figures)


def _parts_in_words(found: list[list[str]], most: int = 3) -> str:
    """The parts in words, a few of them, a few names each."""
    said = [f"{{{listed(part, 4)}}}" for part in found[:most]]
    more = [f"{len(found) - most:,} more"] if len(found) > most else []
    return ", ".join([*said, *more])
