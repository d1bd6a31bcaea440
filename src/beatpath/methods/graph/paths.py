r"""Strongest (widest, bottleneck) paths: a path is as strong as its weakest edge.

Only the order of strengths matters, so the algorithms run on their ranks, in the smallest integers that hold them,
and in tiles of rows that fit into the CPU cache.

The Top Cycle score at zero temperature needs no closure of all pairs:

.. math::  t(a) = \min_{b \ne a} R(a, b)

is the largest strength at which *a* still reaches every agent by edges at least that strong. The agents with the
largest such strength, :math:`t^*`, form the only component without an edge into it at that level, and any other agent
reaches all by reaching that component: its score is the strength of its strongest path there. So all scores follow
from :math:`t^*` and one search for strongest paths, in :math:`O(n^2)` steps each; the closure takes :math:`O(n^3)`.

The strongest chain of wins from one agent to each other is the beatpath that proves it reachable.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath._result import Record
from beatpath._text import percent, quoted
from beatpath.evidence.margins import Margins

Codes = NDArray[Any]  # small integers
Matrix = TypeVar("Matrix")  # an array, or a tensor

# 2,000 agents take 1.6 s of processor time compiled, 4.5 s by blocks of numpy, and 7.3 s agent by agent.
BLOCK = 64  # intermediate agents per block
TILE = 65_536  # entries of the rows that are processed together
SMALL = 700  # most agents for which the whole table stays in the cache
COMPILE = 1_500  # agents from which importing numba and compiling, about 1 s, pays off


def widest_paths(strength: Floats) -> Floats:
    r"""Return the strength of the strongest path between all agents.

    .. math::  R(a, b) = \max_{a = c_0, \dots, c_l = b} \ \min_{i < l} S(c_i, c_{i+1}), \quad a \ne b; \qquad R(a, a) = 0

    Parameters
    ----------
    strength : (n, n) float
        Strength of the edge from row to column, nonnegative, 0 for none. The diagonal is ignored.

    Returns
    -------
    (n, n) float
        Entries are entries of `strength`, bit for bit.

    Examples
    --------
    The path from the first to the third through the second is as strong as its weaker half.

    >>> widest_paths(np.array([[0.0, 0.9, 0.1], [0, 0, 0.8], [0, 0, 0]]))
    array([[0. , 0.9, 0.8],
           [0. , 0. , 0.8],
           [0. , 0. , 0. ]])

    Notes
    -----
    One pass of the Floyd-Warshall algorithm in blocks: the rows of a block are closed first, then every other row is
    updated through the block. :math:`O(n^3)` comparisons, :math:`O(n^2)` memory. With numba and many agents, compiled
    code processes the tiles; the result is the same.
    """
    values, path = strength_codes(strength)
    if len(path) <= SMALL:
        for via in range(len(path)):
            np.maximum(path, np.minimum(path[:, via, None], path[via]), out=path)
        return _restored(values, path)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for start in range(0, len(path), BLOCK):
            own = path[start : start + BLOCK].copy()
            for via in range(len(own)):
                np.maximum(own, np.minimum(own[:, start + via, None], own[via]), out=own)
            _absorb_all(pool, path, path[:, start : start + BLOCK].copy(), own)
    return _restored(values, path)


def widest_walks(strength: Floats, length: int) -> Floats:
    r"""Return the strength of the strongest path of at most `length` edges between all agents.

    .. math::  R_K(a, b) = \max_{k \le K} S^{(k)}(a, b), \qquad S^{(k)} = S^{(k-1)} \otimes_{\max\min} S,

    with :math:`(X \otimes_{\max\min} Y)_{ab} = \max_c \min(X_{ac}, Y_{cb})`, eq. (8) of Soft Tournament Equilibrium.

    Parameters
    ----------
    strength : (n, n) float
        Strength of the edge from row to column, nonnegative, 0 for none. The diagonal is ignored.
    length : int
        Maximum number of edges, at least one.

    Examples
    --------
    >>> chain = np.diag([0.9, 0.8, 0.7], k=1)
    >>> widest_walks(chain, 2)[0]
    array([0. , 0.9, 0.8, 0. ])
    >>> widest_walks(chain, 3)[0]
    array([0. , 0.9, 0.8, 0.7])

    Notes
    -----
    By squaring, about :math:`2 \log_2 K` products of :math:`O(n^3)` each; from :math:`K = n - 1` on, `widest_paths`
    gives the same in one pass.
    """
    if length >= len(strength) - 1:
        return widest_paths(strength)
    values, base = strength_codes(strength)
    np.fill_diagonal(base, np.iinfo(base.dtype).max)  # staying costs nothing

    def product(left: Codes, right: Codes) -> Codes:
        out = np.zeros_like(left)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            _absorb_all(pool, out, left, right)
        return out

    return _restored(values, raised(base, length, product))


def raised(base: Matrix, length: int, product: Callable[[Matrix, Matrix], Matrix]) -> Matrix:
    """Return the product of `length` equal factors, by repeated squaring.

    >>> raised(3, 5, lambda x, y: x * y)
    243
    """
    power = base
    for bit in bin(length)[3:]:
        power = product(power, power)
        if bit == "1":
            power = product(power, base)
    return power


def strength_codes(strength: Floats) -> tuple[Floats | None, Codes]:
    """Return the distinct values in ascending order, and the rank of each entry; the diagonal has rank zero.

    Small integers are their own ranks; then the values are None.

    >>> strength_codes(np.array([[0.0, 0.5], [0.25, 0.0]]))[1]
    array([[0, 2],
           [1, 0]], dtype=int16)
    """
    if strength.max(initial=0.0) < np.iinfo(np.int16).max:
        whole = strength.astype(np.int16)
        if (whole == strength).all():
            np.fill_diagonal(whole, 0)
            return None, whole
    values, code = np.unique(np.append(strength, 0.0), return_inverse=True)
    small = np.int16 if len(values) < np.iinfo(np.int16).max else np.int32
    codes: Codes = code[:-1].reshape(strength.shape).astype(small)
    np.fill_diagonal(codes, 0)
    return values, codes


def absorb(tile: Codes, left: Codes, right: Codes) -> None:
    """Raise `tile` to the max-min product of `left` and `right` where that is larger.

    >>> tile = np.zeros((1, 2), dtype=np.int16)
    >>> absorb(tile, np.array([[3, 5]], dtype=np.int16), np.array([[4, 1], [1, 4]], dtype=np.int16))
    >>> tile
    array([[3, 4]], dtype=int16)
    """
    weaker = np.empty_like(tile)
    for via in range(len(right)):
        np.minimum(left[:, via, None], right[via], out=weaker)
        np.maximum(tile, weaker, out=tile)


def absorb_by_entry(tile: Codes, left: Codes, right: Codes) -> None:
    """Like `absorb`, entry by entry, for numba to compile; processes four intermediate agents at a time."""
    whole = len(right) - len(right) % 4
    for i in range(len(tile)):
        for via in range(0, whole, 4):
            a, b, c, d = left[i, via], left[i, via + 1], left[i, via + 2], left[i, via + 3]
            for j in range(tile.shape[1]):
                one = max(min(a, right[via, j]), min(b, right[via + 1, j]))
                two = max(min(c, right[via + 2, j]), min(d, right[via + 3, j]))
                tile[i, j] = max(tile[i, j], max(one, two))
        for via in range(whole, len(right)):
            a = left[i, via]
            for j in range(tile.shape[1]):
                tile[i, j] = max(tile[i, j], min(a, right[via, j]))


@cache
def compiled() -> Callable[[Codes, Codes, Codes], None] | None:
    """Return `absorb_by_entry` compiled by numba, or None if numba is not installed."""
    if find_spec("numba") is None:
        return None
    from numba import njit

    return njit(nogil=True)(absorb_by_entry)


def _absorb_all(pool: ThreadPoolExecutor, out: Codes, left: Codes, right: Codes) -> None:
    """Absorb the product of all rows, in tiles and several threads."""
    n = len(out)
    work = (compiled() if n >= COMPILE or compiled.cache_info().currsize else None) or absorb
    height = max(4, TILE // n)
    tiles = [slice(start, start + height) for start in range(0, n, height)]
    if len(tiles) == 1:
        work(out, left, right)
    else:
        list(pool.map(lambda rows: work(out[rows], left[rows], right), tiles))


def _restored(values: Floats | None, code: Codes) -> Floats:
    np.fill_diagonal(code, 0)
    return code.astype(np.float64) if values is None else values[code]


# Maps two sets of agents to the strongest edge between each of the first and any of the second.
Edges = Callable[[Ints, Ints], Floats]

TOGETHER = 64  # agents whose edges are looked up at a time


def widest_reach(D: ArrayLike) -> Floats:
    r"""Return the strength at which each agent still reaches every other (its Top Cycle score).

    The limit of eq. (11) of Soft Tournament Equilibrium at zero temperature with max-min reachability: the row minima of
    `widest_paths`, bit for bit.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, nonnegative, 0 for none, with a zero diagonal.

    Returns
    -------
    (n,) float
        The scores; 1 for a single agent.

    Examples
    --------
    The first beats the second, the second the third, and the third the first less surely; the fourth loses.

    >>> D = np.array([[0, 0.9, 0.3, 0.9], [0.1, 0, 0.8, 0.9], [0.7, 0.2, 0, 0.9], [0.1, 0.1, 0.1, 0]])
    >>> widest_reach(D)
    array([0.8, 0.7, 0.7, 0.1])

    Notes
    -----
    `D` is not copied. The best agent is searched among remaining candidates: the score of one, set by the agent that
    it reaches least surely, leaves only those that reach that agent more surely. In dense tournaments the agent that
    is hardest to reach decides at once.
    """
    D = np.asarray(D, dtype=np.float64)
    if len(D) == 1:
        return np.ones(1)
    n, into = len(D), D.max(axis=0)
    hardest = np.argsort(into, kind="stable")
    cap = float(into[hardest[1]])  # no score exceeds the strongest edge into another agent
    left, root, best = np.ones(n, dtype=bool), 0, -1.0
    while left.any():
        agent = int(hardest[left[hardest]][0])
        width = paths_to_target(n, agent, _edges_from(D), cap=cap)
        last = int(np.argmin(width))
        if width[last] > best:
            root, best = agent, float(width[last])
        if best >= into[hardest[0]]:  # an upper bound for all other scores
            break
        above = float(np.nextafter(best, np.inf))
        left &= paths_to_target(n, last, _edges_into(D), floor=above, cap=above) > best
        left[agent] = False
    return paths_to_target(n, root, _edges_into(D), cap=best)


def paths_to_target(n: int, target: int, edges: Edges, *, floor: float = 0.0, cap: float = np.inf) -> Floats:
    """Return the strength of the strongest path between every agent and the target, up to `cap`, and 0 below `floor`.

    `edges(rest, some)` is the strongest edge between each of `rest` and any of `some`, in the desired direction.
    Agents join in descending order of strength, all of one strength together, a few at a time.

    >>> chain = np.diag([0.9, 0.4, 0.7], k=1)
    >>> paths_to_target(4, 0, lambda rest, some: chain[np.ix_(some, rest)].max(axis=0), cap=0.8)
    array([0.8, 0.8, 0.4, 0.4])
    """
    strength = np.zeros(n)
    strength[target] = level = cap
    rest = np.delete(np.arange(n), target)
    queue, width = np.array([target]), np.zeros(n - 1)
    while len(rest):
        if len(queue):
            some, queue = queue[:TOGETHER], queue[TOGETHER:]
            np.maximum(width, edges(rest, some), out=width)
        else:
            level = min(level, float(width.max()))
            if level < floor or level == 0:
                break
        joins = width >= level
        if joins.any():
            strength[rest[joins]] = level
            queue = np.append(queue, rest[joins])
            rest, width = rest[~joins], width[~joins]
    return strength


def _edges_from(D: Floats) -> Edges:
    """Edges from `some` to each of `rest`, by whole rows, which are contiguous in memory, unless few are needed."""
    return lambda rest, some: D[some].max(axis=0)[rest] if 4 * len(rest) > len(D) else D[np.ix_(some, rest)].max(axis=0)


def _edges_into(D: Floats) -> Edges:
    """Edges from each of `rest` to `some`."""
    return lambda rest, some: D[np.ix_(rest, some)].max(axis=1)


@dataclass(frozen=True, slots=True)
class Beatpath(Record):
    """A chain of agents in which each beats or ties with the next.

    Attributes
    ----------
    agents : tuple of str
        From the first agent to the last.
    margins : tuple of float
        Margin of each agent over the next; 0 for a tie.
    played : tuple of bool
        False if two agents were never compared directly and count as tied.
    resolved : tuple of bool, optional
        Whether each margin is significantly different from zero, if margins come from estimated win rates (twice the
        rate minus one).
    """

    document: ClassVar = ("agents", "margins", "played", "resolved", "strength")

    agents: tuple[str, ...]
    margins: tuple[float, ...]
    played: tuple[bool, ...]
    resolved: tuple[bool, ...] | None = None

    @property
    def strength(self) -> float:
        """The smallest margin of the chain."""
        return min(self.margins)

    @property
    def sentence(self) -> str:
        """The steps as a sentence.

        >>> print(Beatpath(("ada", "bob", "cyd"), (3.0, 0.0), (True, True)).sentence)
        'ada' beats 'bob' by 3, 'bob' ties with 'cyd'.
        >>> print(Beatpath(("ada", "bob"), (0.1,), (True,), (False,)).sentence)
        'ada' beats 'bob' (55.0 %, not resolved).
        """
        sure: tuple[bool | None, ...] = self.resolved or (None,) * len(self.margins)
        steps = zip(pairwise(self.agents), self.margins, self.played, sure, strict=True)
        return ", ".join(_step(a, b, margin, played, one) for (a, b), margin, played, one in steps) + "."


def path_through(margins: Margins, rows: list[int], resolved: Bools | None = None) -> Beatpath:
    """Return the path through these rows, with its margins and whether they are significant, if known.

    >>> m = Margins([[0, 2], [-2, 0]], ("ada", "bob"))
    >>> path_through(m, [0, 1])
    Beatpath(agents=('ada', 'bob'), margins=(2.0,), played=(True,), resolved=None)
    """
    assert margins.played is not None
    steps = list(pairwise(rows))
    return Beatpath(
        tuple(margins.agents[a] for a in rows),
        tuple(float(margins.matrix[a, b]) for a, b in steps),
        tuple(bool(margins.played[a, b] or margins.matrix[a, b]) for a, b in steps),
        None if resolved is None else tuple(bool(resolved[a, b]) for a, b in steps),
    )


def strongest_paths(margins: Margins, agent: int, resolved: Bools | None = None) -> tuple[Beatpath, ...]:
    r"""Return, for every agent that one agent reaches, a path whose weakest step is as strong as possible.

    .. math::  \max_{a = c_0, \dots, c_l = b} \ \min_{i < l} M_{c_i c_{i+1}}

    over paths of wins and ties, :math:`M \ge 0`. Among the strongest paths it is one with the fewest steps; among
    these the one whose agents come first by name, compared from the end.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents.
    agent : int
        Index of the first agent.
    resolved : (n, n) bool, optional
        Whether the sign of each margin is significant; recorded in the paths.

    Returns
    -------
    tuple of Beatpath
        One for each reachable agent, in the order of the rows.

    Examples
    --------
    The path through Bob is as strong as its weaker half, and stronger than the direct win.

    >>> m = Margins([[0, 4, 1], [-4, 0, 3], [-1, -3, 0]], ("ada", "bob", "cyd"))
    >>> [path.agents for path in strongest_paths(m, 0)]
    [('ada', 'bob'), ('ada', 'bob', 'cyd')]

    Notes
    -----
    :math:`O(n^2)` for the strengths, by Prim's algorithm, and for the paths of each distinct strength.
    """
    width, by_name = _widths(margins, agent), _by_name(margins)
    strengths = np.unique(width[width > -np.inf])
    paths = [path for strength in strengths for path in _as_strong(margins, agent, width, strength, by_name)]
    return tuple(path_through(margins, path, resolved) for path in sorted(paths, key=lambda path: path[-1]))


def weakest_path(margins: Margins, agent: int, resolved: Bools | None = None) -> Beatpath:
    """Return the weakest of the strongest paths of an agent that reaches all: of several the longest, the first by name.

    >>> m = Margins([[0, 4, 1], [-4, 0, 3], [-1, -3, 0]], ("ada", "bob", "cyd"))
    >>> weakest_path(m, 0).agents
    ('ada', 'bob', 'cyd')
    """
    width = _widths(margins, agent)
    paths = _as_strong(margins, agent, width, np.delete(width, agent).min(), _by_name(margins))
    return path_through(margins, min(paths, key=lambda path: (-len(path), [margins.agents[i] for i in path])), resolved)


def reached_from(margins: Margins, agent: int) -> Bools:
    """Return which agents one agent reaches by wins and ties, itself included.

    >>> reached_from(Margins([[0, 4, 0], [-4, 0, 3], [0, -3, 0]], ("ada", "bob", "cyd")), 1)
    array([ True,  True,  True])
    """
    reached = _fewest_steps(margins.matrix >= 0, agent, np.arange(len(margins.agents))) >= 0
    reached[agent] = True
    return reached


def _widths(margins: Margins, agent: int) -> Floats:
    """Strength of the strongest path to every agent; minus infinity if there is none, and for the agent itself."""
    tie = np.nextafter(0, 1)  # an edge, weaker than any win
    step = np.where(margins.matrix >= 0, np.maximum(margins.matrix, tie), 0)
    width = paths_to_target(len(step), agent, _edges_from(step))
    width[agent] = 0
    return np.where(width > tie, width, np.where(width == tie, 0, -np.inf))


def _by_name(margins: Margins) -> Ints:
    """The place of every agent by name."""
    return np.argsort(np.argsort(np.array(margins.agents, dtype=object)))


def _as_strong(margins: Margins, agent: int, width: Floats, strength: float, by_name: Ints) -> list[list[int]]:
    """The paths to the agents whose strongest path has this strength."""
    parent, paths = _fewest_steps(margins.matrix >= strength, agent, by_name), []
    for b in np.flatnonzero(width == strength).tolist():
        path = [b]
        while parent[path[0]] >= 0:
            path.insert(0, int(parent[path[0]]))
        paths.append(path)
    return paths


def _fewest_steps(step: Bools, agent: int, by_name: Ints) -> Ints:
    """Predecessor of each agent on a path with the fewest steps; -1 for the first and the unreachable."""
    parent = np.full(len(step), -1)
    reached = np.arange(len(step)) == agent
    frontier = np.array([agent])
    while frontier.size:
        to = step[frontier]
        new = to.any(axis=0) & ~reached
        parent[new] = frontier[to[:, new].argmax(axis=0)]
        reached |= new
        frontier = np.flatnonzero(new)
        frontier = frontier[np.argsort(by_name[frontier])]
    return parent


def _step(winner: str, loser: str, margin: float, played: bool, resolved: bool | None) -> str:
    if margin > 0:
        return f"{quoted(winner)} beats {quoted(loser)} {win_text(margin, resolved)}"
    tied = f"{quoted(winner)} ties with {quoted(loser)}"
    return tied if played else f"{tied} (not compared directly)"


def win_text(margin: float, resolved: bool | None) -> str:
    """Return the size of a win as text; for an estimated rate, also whether it is significant.

    >>> win_text(3.0, None), win_text(0.5, True), win_text(0.1, False)
    ('by 3', '(75.0 %)', '(55.0 %, not resolved)')
    """
    if resolved is None:
        return f"by {margin:g}"
    return f"({percent((1 + margin) / 2)}{'' if resolved else ', not resolved'})"
