r"""Everything that resampled battles of a pair can come to: how probable each total is, and the soft edges it gives.

Of a pair that met N times, N battles are drawn with replacement. A win counts one, a tie one half and a loss nothing, so that the
total is one of :math:`0, 1/2, \dots, N`, with the probabilities that are the coefficients of :math:`(p_l + p_t z + p_w z^2)^N`. The
tables are made once, pairs with the same record sharing one; a resample then takes one random number a pair and looks its two
edges up. They are given by rank among all strengths there are, which is all that strongest paths ask for.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath._text import counted
from beatpath._validate import require_choice
from beatpath.evidence import Convention, Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.methods.soft_core.edges import EDGES, MISSING
from beatpath.methods.soft_core.sparse import pair_strengths, pair_weights

Column = NDArray[np.float64]
Codes = NDArray[np.int64]

POLICIES = {name: MISSING[name] for name in ("neutral", "absent")}


@dataclass(frozen=True, slots=True, eq=False)
class PairOutcomes:
    """The totals that pairs can come to, record by record, lowest first.

    Attributes
    ----------
    agents : tuple of str
    a, b : (m,) int
        The pairs that met.
    record : (m,) int
        The number of each pair's record of losses, ties and wins.
    last : (r,) int
        The place of each record's highest total.
    upto : (k,) float
        The number of the record plus the probability of this total or a lower one.
    forward, backward : (k,) int
        The soft edge from *a* to *b* and the one back, if this is the total of *a*, by place in `values`.
    unmet : int
        The soft edges of a pair that never met, by place in `values`.
    values : (v,) float
        All strengths there are, rising; the first is 0.
    conventions : tuple of Convention
    """

    agents: tuple[str, ...]
    a: Codes
    b: Codes
    record: Codes
    last: Codes
    upto: Column
    forward: NDArray[np.integer]
    backward: NDArray[np.integer]
    unmet: int
    values: Column
    conventions: tuple[Convention, ...]


def pair_outcomes(
    pairs: Pairs, *, edges: str = "posterior", missing: str = "neutral", tau: float = 0.05
) -> PairOutcomes:
    """Return the totals of resampled battles, their probabilities and their edges.

    Parameters
    ----------
    pairs : Pairs
        Whole numbers of wins, losses and ties, each battle weighing one; both-bad settled.
    edges : {"posterior", "empirical", "weighted"}
        As for `edges_from_pairs`.
    missing : {"neutral", "absent"}
        What a pair that never met gets.
    tau : float
        Temperature of edges that are not posterior ones, above zero.

    Examples
    --------
    Two battles, one won and one lost, come to 0, 1 or 2 wins with probabilities 1/4, 1/2 and 1/4; halves have none.

    >>> found = pair_outcomes(Pairs(("ada", "bob"), [0], [1], [[1, 1, 0, 0]]))
    >>> found.upto.round(12)
    array([0.25, 0.25, 0.75, 0.75, 1.  ])
    >>> found.values[found.forward].round(3), found.values[found.backward].round(3)
    (array([0.   , 0.   , 0.   , 0.5  , 0.849]), array([0.849, 0.5  , 0.   , 0.   , 0.   ]))
    """
    require_choice("edges", edges, EDGES)
    require_choice("missing", missing, POLICIES)
    counts, a, b = _whole_counts(pairs)
    weight = pair_weights(counts.sum(axis=1), edges)
    counts, first, record = np.unique(counts, axis=0, return_index=True, return_inverse=True)
    battles = counts.sum(axis=1).astype(np.int64)
    last = np.cumsum(2 * battles + 1) - 1
    row = np.repeat(np.arange(len(counts)), 2 * battles + 1)
    won = (np.arange(len(row)) - (last - 2 * battles)[row]) / 2
    made = pair_strengths(won, battles[row] - won, edges=edges, tau=tau, weight=weight[first][row])
    unmet = 0.0 if edges == "posterior" or missing == "absent" else 0.5
    values, place = np.unique(np.concatenate([[0.0, unmet], *made]), return_inverse=True)
    place = place.astype(np.int16 if len(values) <= np.iinfo(np.int16).max else np.int32)
    return PairOutcomes(
        pairs.agents,
        a,
        b,
        record.reshape(-1).astype(np.int64),
        last,
        row + _cumulative(counts, battles, last),
        place[2 : 2 + len(row)],
        place[2 + len(row) :],
        int(place[1]),
        values,
        _outcome_conventions(len(pairs.agents), len(a), edges, missing),
    )


def _outcome_conventions(n: int, met: int, edges: str, missing: str) -> tuple[Convention, ...]:
    return (
        Convention("edges", edges, EDGES[edges], float(met)),
        Convention("missing_pairs", missing, POLICIES[missing], float(n * (n - 1) // 2 - met)),
    )


def _whole_counts(pairs: Pairs) -> tuple[Column, Codes, Codes]:
    """Losses, ties and wins of the pairs that met, and the pairs."""
    if pairs.counts[:, BOTH_BAD].any():
        raise UsageError(
            "`pairs` must say whether battles in which both were bad are ties; got some that do not. Call "
            "`pairs.settle(ties='keep')` first."
        )
    pairs = pairs.by()
    counts = pairs.counts[:, [LOSS, TIE, WIN]]
    if pairs.weighted or pairs.soft is not None or (counts != np.rint(counts)).any():
        raise DataError(
            f"battles are drawn one by one, so each must count one; {counted(len(pairs), 'pair')} came with weights, soft "
            "preferences or parts of battles. Use `bootstrap`, which takes them."
        )
    met = counts.sum(axis=1) > 0
    return counts[met], pairs.a[met].astype(np.int64), pairs.b[met].astype(np.int64)


def _cumulative(counts: Column, battles: Codes, last: Codes) -> Column:
    """The probability of each total or a lower one, for records of as many battles at a time."""
    out = np.ones(int(last[-1]) + 1 if len(last) else 0)
    for number in np.unique(battles).tolist():
        some = np.flatnonzero(battles == number)
        z = np.exp(-2j * np.pi * np.arange(2 * number + 1) / (2 * number + 1))
        share = counts[some] / number
        one = share[:, :1] + share[:, 1:2] * z + share[:, 2:] * z**2
        below = np.cumsum(np.maximum(np.fft.ifft(one**number).real, 0.0), axis=1)
        out[last[some][:, None] + np.arange(-2 * number, 1)] = below / below[:, -1:]
    return out
