r"""Connectivity: which agents the evidence connects, and which pairs were never compared directly.

In the *win graph* an edge runs from *a* to *b* if *a* has beaten *b* or tied with it. Agents in different weakly
connected components cannot be compared, even indirectly. The Bradley-Terry estimate is finite and unique if and only
if the graph is strongly connected (Ford 1957; Hunter 2004, Assumption 1): there is no way to split the agents so that
one side never lost to the other.

A ballot compares every two of its agents, so its edges follow from places, without a list of all pairs: ten thousand
agents have fifty million. This module also reports names that differ only in whitespace, case or Unicode form.
"""

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from beatpath._arrays import AnyInts, Floats, Ints
from beatpath._text import counted, joined, listed, percent, quoted
from beatpath.checks.finding import Finding, failed, judged, passed, warning
from beatpath.evidence import Ballots, Margins, Pairs, WinRates
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.methods.graph.connection import groups_text, members_of_groups
from beatpath.stats.codes import equal_sets

Edges = tuple[AnyInts, AnyInts]  # sources and targets
_BLOCK = 1 << 10  # groups of agents whose opponents are counted at a time
_SHOWN = 5  # groups of similar names that a sentence lists


def win_edges(evidence: Pairs | Margins | WinRates) -> Edges:
    """Return the edges of the win graph, from agents that won or tied to their opponents.

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


def connected(agents: tuple[str, ...], components: Sequence[Sequence[str]]) -> Finding:
    """Report whether every agent can be compared with every other, at least indirectly."""
    if len(components) <= 1:
        return passed(f"The evidence connects all {counted(len(agents), 'agent')}.", {"parts": components})
    form = f"form {len(components):,} connected components: {groups_text(components)}"
    return failed(f"The {counted(len(agents), 'agent')} {form}.", {"parts": components})


def strong_components(agents: tuple[str, ...], edges: Edges) -> list[list[str]]:
    """Return the strongly connected components by name, largest first; the agents are sorted.

    >>> strong_components(("ada", "bob", "cyd"), (np.array([0, 1, 1]), np.array([1, 0, 2])))
    [['ada', 'bob'], ['cyd']]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(agents)
    graph = coo_array((np.ones(len(edges[0])), edges), shape=(n, n)).tocsr()
    return members_of_groups(agents, connected_components(graph, directed=True, connection="strong")[1])


def strongly_connected(agents: tuple[str, ...], edges: Edges) -> Finding:
    """Report whether there is a path of wins and ties from every agent to every other."""
    components = strong_components(agents, edges)
    if len(components) <= 1:
        return passed("A path of wins and ties leads from every agent to every other.", {"parts": components})
    groups = f"{len(components):,} groups: {groups_text(components)}"
    return warning(f"No paths of wins and ties lead both ways between {groups}.", {"parts": components})


def opponents_of(n_agents: int, a: AnyInts, b: AnyInts) -> Ints:
    """Return the number of opponents of each agent, given the compared pairs.

    >>> opponents_of(3, np.array([0, 0]), np.array([1, 2]))
    array([2, 1, 1])
    """
    return np.bincount(a, minlength=n_agents) + np.bincount(b, minlength=n_agents)


def pairs_played(agents: tuple[str, ...], opponents: Ints) -> Finding:
    """Report how many pairs were never compared directly, and who has the fewest opponents."""
    n_pairs = len(agents) * (len(agents) - 1) // 2
    fewest = [agents[i] for i in np.flatnonzero(opponents == opponents.min())]
    never = n_pairs - int(opponents.sum()) // 2
    figures: dict[str, Any] = {"pairs": n_pairs, "never": never, "share": never / n_pairs}
    figures |= {"fewest opponents": int(opponents.min()), "agents with fewest": fewest}
    sentence = (
        f"{never:,} of {counted(n_pairs, 'pair')} ({percent(never / n_pairs)}) were not compared directly. Fewest opponents "
        f"({int(opponents.min()):,}): {listed(fewest)}."
    )
    fine = f"Every pair was compared directly ({counted(n_pairs, 'pair')})."
    return judged(not never, sentence, figures, fine)


def ballot_edges(ballots: Ballots) -> Edges:
    """Return a sparse set of edges that connects the same agents as the win graph.

    Agents that share a place on a ballot form a ring, and an edge leads from each place to the next.

    >>> ballot_edges(Ballots.of([[["ada"], ["bob", "cyd"]]]))
    (array([1, 2, 0]), array([2, 1, 1]))
    """
    agent, ballot, group, _ = _entries(ballots)
    same = np.flatnonzero(np.diff(group) == 0)
    first = np.flatnonzero(np.diff(group, prepend=-1) != 0)
    on = np.flatnonzero(np.diff(ballot[first]) == 0)
    here, there = agent[first[on]], agent[first[on + 1]]
    return (np.concatenate([agent[same], agent[same + 1], here]), np.concatenate([agent[same + 1], agent[same], there]))


def ballot_totals(ballots: Ballots) -> Floats:
    """Return each agent's total weight of wins, losses, ties and both bad, shape (agents, 4).

    >>> ballot_totals(Ballots.of([[["ada"], ["bob", "cyd"]]], count=[2]))
    array([[4., 0., 0., 0.],
           [0., 2., 2., 0.],
           [0., 2., 2., 0.]])
    """
    agent, ballot, group, weight = _entries(ballots)
    totals = np.zeros((len(ballots.agents), 4))
    if not len(agent):
        return totals
    size = np.bincount(group)[group]
    before = np.flatnonzero(np.diff(group, prepend=-1) != 0)[group] - np.searchsorted(ballot, ballot)
    after = np.bincount(ballot)[ballot] - before - size
    for kind, others in ((WIN, after), (LOSS, before), (TIE, size - 1)):
        totals[:, kind] = np.bincount(agent, weight * others, len(ballots.agents))
    return totals


def ballot_opponents(ballots: Ballots) -> Ints:
    """Return the number of other agents that each agent shares a ballot with.

    >>> ballot_opponents(Ballots.of([[["ada"], ["bob"]], [["bob"], ["cyd"]]]))
    array([1, 2, 1])
    """
    from scipy.sparse import csr_array

    agent, ballot, _, _ = _entries(ballots)
    n = len(ballots.agents)
    kind, first = equal_sets(agent, ballot, n)  # agents on the same ballots have the same opponents
    size, table = np.bincount(kind), csr_array((np.ones(len(agent)), (agent, ballot)), shape=(n, len(ballots)))[first]
    blocks = [((table[i : i + _BLOCK] @ table.T) > 0) @ size for i in range(0, len(first), _BLOCK)]
    met = np.concatenate([*blocks, np.zeros(0, dtype=np.int64)])
    return np.maximum(met[kind] - 1, 0).astype(np.int64)


def _entries(ballots: Ballots) -> tuple[Ints, Ints, Ints, Floats]:
    """Agent, ballot, group of shared places (numbered throughout) and weight of every entry with nonzero weight."""
    ballot = np.repeat(np.arange(len(ballots)), np.diff(ballots.start))
    weight = ballots.total[ballot]
    keep = weight > 0
    ballot, agent, place = ballot[keep], ballots.agent[keep].astype(np.int64), ballots.place[keep]
    changed = (np.diff(ballot, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
    return agent, ballot, np.cumsum(changed) - 1, weight[keep]


def folded(name: str) -> str:
    """Return a name in lower case and one Unicode form, with whitespace collapsed and stripped.

    >>> folded(" GPT-4  Turbo") == folded("gpt-4 turbo"), folded("cafe\u0301") == folded("caf\u00e9")
    (True, True)
    """
    return " ".join((name if name.isascii() else unicodedata.normalize("NFKC", name)).casefold().split())


def similar_names(agents: Sequence[str]) -> Finding | None:
    """Report agents whose names differ only in whitespace, case or Unicode form; None if there are none."""
    keys = list(map(folded, agents))
    if len(set(keys)) == len(keys):
        return None
    alike: dict[str, list[str]] = {}
    for key, name in zip(keys, agents, strict=True):
        alike.setdefault(key, []).append(name)
    groups = [sorted(names) for names in alike.values() if len(names) > 1]
    texts = [" and ".join(f"{quoted(name)}{_difference(name, names)}" for name in names) for names in groups]
    what = f"{counted(len(groups), 'group')} of names differ only in whitespace, case or Unicode form"
    return warning(f"{what}: {joined(texts, _SHOWN)}.", {"groups": groups, "count": len(groups)})


def _difference(name: str, names: Sequence[str]) -> str:
    """The code points of a name that looks like another of its group."""
    looks = [unicodedata.normalize("NFC", other).strip() for other in names]
    if looks.count(unicodedata.normalize("NFC", name).strip()) < 2:
        return ""
    if name != name.strip():
        return " (whitespace at an end)"
    form = next((form for form in ("NFC", "NFD") if unicodedata.is_normalized(form, name)), "mixed form")
    return "" if name.isascii() else f" ({form})"
