r"""Agents that no look at the results, or at the results of those they met, can tell apart."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints
from beatpath.methods.rating.sco.sco_loss import Cells

Colours = NDArray[np.uint64]

_DIGITS = 11


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Classes of indistinct agents, and the margins between them.

    Attributes
    ----------
    label : (n,) int
        The class of every agent.
    count : int
        How many classes there are.
    a, b : (k,) int
        Pairs of classes with a < b whose margin is not zero.
    margin : (k,) float
        The sum of the margins between their members; the largest between two agents is one.
    """

    label: Ints
    count: int
    a: Ints
    b: Ints
    margin: Floats


def classes_of(cells: Cells) -> Classes:
    """Gather indistinct agents, and add up the margins between their classes; an even pair is as one that never met.

    >>> wins = np.array([[0, 2, 0, 2], [0, 0, 2, 2], [2, 0, 0, 2], [0, 0, 0, 0]])
    >>> found = classes_of(Cells.from_wins(wins))
    >>> found.label, found.a, found.b, found.margin
    (array([0, 0, 0, 1]), array([0]), array([1]), array([3.]))
    """
    value = _relative_margins(cells.margin)
    uneven = value != 0
    a, b, value = cells.a[uneven], cells.b[uneven], value[uneven]
    label = indistinct(cells.n_agents, a, b, value)
    count = int(label.max(initial=-1)) + 1
    low, high = np.minimum(label[a], label[b]), np.maximum(label[a], label[b])
    value = np.where(label[a] < label[b], value, -value)
    if count < cells.n_agents:
        keep = low != high
        pair, place = np.unique(low[keep] * count + high[keep], return_inverse=True)
        value = np.round(np.bincount(place, value[keep], len(pair)), _DIGITS - 1)
        low, high = pair // count, pair % count
    met = value != 0
    return Classes(label, count, low[met], high[met], value[met])


def indistinct(n_agents: int, a: Ints, b: Ints, margin: Floats) -> Ints:
    r"""Return a class for every agent: those of one class have the same margins against each class, one by one.

    Colour refinement: all agents begin with one colour; then, again and again, an agent's colour becomes its old one
    together with the multiset of (colour, margin) of those it met, until no colour splits. Agents that a symmetry of
    the data exchanges keep one colour, so a rule that treats a colour as one agent treats names alike.

    Parameters
    ----------
    n_agents : int
    a, b : (k,) int
        Pairs that met.
    margin : (k,) float
        Of a over b. Sizes that agree to eleven digits of the largest are the same.

    Returns
    -------
    (n_agents,) int
        Classes 0, 1, 2, ...; by falling mean margin, then by rivals beaten, and where these agree in an order that
        depends on the margins alone, not on names or on the order of the rows.

    Examples
    --------
    A circle of three, each of whom beats a fourth.

    >>> indistinct(4, np.array([0, 1, 0, 0, 1, 2]), np.array([1, 2, 2, 3, 3, 3]), np.array([1.0, 1, -1, 1, 1, 1]))
    array([0, 0, 0, 1])

    Notes
    -----
    Multisets are told apart by sums of 64-bit hashes, in which no order of summation can show; two different ones agree
    by accident once in about :math:`10^{19}` pairs. :math:`O(k)` a round.
    """
    value = _relative_margins(margin)
    codes = np.unique(np.concatenate((value, -value)), return_inverse=True)[1].astype(np.uint64)
    forth, back = _hashed(codes[: len(value)]), _hashed(codes[len(value) :])
    colour = np.zeros(n_agents, dtype=np.uint64)
    count = 1
    while True:
        seen = _summed(a, _hashed(colour[b] ^ forth), n_agents) + _summed(b, _hashed(colour[a] ^ back), n_agents)
        refined = _hashed(_hashed(colour) + seen)
        found = len(np.unique(refined))
        if found == count:
            break
        colour, count = refined, found
    return _numbered_classes(colour, n_agents, a, b, value)


def _relative_margins(margin: Floats) -> Floats:
    """Margins over the largest, to so many digits that the order of summation does not show."""
    return np.round(margin / (float(np.abs(margin).max(initial=0.0)) or 1.0), _DIGITS) + 0.0


def _hashed(x: Colours) -> Colours:
    """A hash of 64-bit numbers: the finaliser of splitmix64."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _summed(place: Ints, values: Colours, n: int) -> Colours:
    """Sums by place modulo 2^64; halves of 32 bits add up exactly as floats."""
    low = np.bincount(place, (values & np.uint64(0xFFFFFFFF)).astype(np.float64), n).astype(np.uint64)
    high = np.bincount(place, (values >> np.uint64(32)).astype(np.float64), n).astype(np.uint64)
    return low + (high << np.uint64(32))


def _numbered_classes(colour: Colours, n: int, a: Ints, b: Ints, value: Floats) -> Ints:
    """Classes numbered by mean margin, rivals beaten, and last by hash."""
    whole = np.rint(value * 10**_DIGITS)
    total = np.bincount(a, whole, n) - np.bincount(b, whole, n)
    beaten = np.bincount(a, np.sign(value), n) - np.bincount(b, np.sign(value), n)
    _, one, label = np.unique(colour, return_index=True, return_inverse=True)
    order = np.lexsort((colour[one], -beaten[one], -np.round(total[one] / 10**_DIGITS, 9)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[label]
