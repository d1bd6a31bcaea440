"""Whether the pairs that met connect all agents, at least through others."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from beatpath._errors import DataError
from beatpath._text import listed


def require_one_group(agents: tuple[str, ...], a: NDArray[np.integer], b: NDArray[np.integer], method: str) -> None:
    """Raise, naming the groups, unless every two agents are connected by pairs that met.

    >>> require_one_group(("ada", "bob", "cyd"), np.array([0]), np.array([1]), "elo")
    Traceback (most recent call last):
    ...
    beatpath._errors.DataError: elo compares agents that met, at least through others; these fall into 2 groups that never \
met: {'ada', 'bob'}, {'cyd'}. Rank each group apart, or add battles between them.
    """
    n = len(agents)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(n, n)).tocsr()
    n_groups, group = connected_components(graph, directed=False)
    if n_groups > 1:
        raise DataError(
            f"{method} compares agents that met, at least through others; these fall into {n_groups:,} groups that never "
            f"met: {groups_named(agents, group)}. Rank each group apart, or add battles between them."
        )


def groups_named(agents: tuple[str, ...], group: NDArray[np.integer], most: int = 3) -> str:
    """Return the groups in words, the largest first, a few of them and a few names each.

    >>> groups_named(("ada", "bob", "cyd", "dan"), np.array([1, 0, 1, 2]))
    "{'ada', 'cyd'}, {'bob'}, {'dan'}"
    """
    members: dict[int, list[str]] = {}
    for name, k in zip(agents, group.tolist(), strict=True):
        members.setdefault(k, []).append(name)
    ordered = sorted((sorted(names) for names in members.values()), key=lambda names: (-len(names), names))
    said = [f"{{{listed(names, 4)}}}" for names in ordered[:most]]
    return ", ".join([*said, *([f"{len(ordered) - most:,} more"] if len(ordered) > most else [])])
