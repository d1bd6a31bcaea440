r"""Soft core scores of many resamples in parallel, on any device.

A pair with N battles gets N battles drawn with replacement. A win counts one, a tie one half and a loss nothing, so
the total is one of :math:`0, 1/2, \dots, N`, with the coefficients of :math:`(p_l + p_t z + p_w z^2)^N` as
probabilities. These tables are built once and shared by pairs with the same record; a resample then takes one random
number per pair and looks up its two edges. Edges are ranks among all strengths, which suffices for strongest paths.

Random numbers are counter-based, the same on every device, by SplitMix64 [1]_: the i-th number of a stream is a
scrambled :math:`\text{seed} + i \varphi`, so any part of it can be computed alone, in any order and on any processor,
bit for bit.

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", *OOPSLA* 2014, 453-472.
"""

from beatpath.methods import differentiable  # noqa: F401  # isort: skip  names the extra to install where torch is missing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from beatpath._arrays import AnyInts, Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._result import Record, TableResult, rows_of
from beatpath._text import counted, percent, quoted
from beatpath._validate import require_choice, require_share, require_whole
from beatpath.evidence import Ballots, Battles, Convention, Pairs, Scores
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.methods.differentiable.tensors import SINGLE_ONLY, widest_paths
from beatpath.methods.soft_core.edges import EDGES, MISSING, edge_conventions, pair_weights
from beatpath.methods.soft_core.operators import require_temperature, soft_top_cycle, soft_uncovered_set
from beatpath.methods.soft_core.sparse import pair_strengths

POLICIES = {name: MISSING[name] for name in ("neutral", "absent")}  # treatments of missing pairs that resamples support


@dataclass(frozen=True, slots=True, eq=False)
class PairOutcomes:
    """The possible totals of resampled pairs by record, lowest first.

    Attributes
    ----------
    agents : tuple of str
        Names.
    a, b : (m,) int
        The pairs compared directly.
    record : (m,) int
        Index of each pair's record of losses, ties and wins.
    last : (r,) int
        Position of each record's highest total.
    upto : (k,) float
        Index of the record plus the probability of this total or a lower one.
    forward, backward : (k,) int
        The soft edges from *a* to *b* and back for this total of *a*, as positions in `values`.
    unmet : int
        The soft edges of a pair never compared directly, as a position in `values`.
    values : (v,) float
        All strengths, ascending; the first is 0.
    conventions : tuple of Convention
        How battles were resampled and counted.
    """

    agents: tuple[str, ...]
    a: Ints
    b: Ints
    record: Ints
    last: Ints
    upto: Floats
    forward: AnyInts
    backward: AnyInts
    unmet: int
    values: Floats
    conventions: tuple[Convention, ...]


def pair_outcomes(
    pairs: Pairs, *, edges: str = "posterior", missing: str = "neutral", tau: float = 0.05
) -> PairOutcomes:
    """Return the totals of resampled battles, their probabilities and their edges.

    Parameters
    ----------
    pairs : Pairs
        Integer numbers of wins, losses and ties, each battle of weight one; both-bad settled.
    edges : {"posterior", "empirical", "weighted"}
        As for `edges_from_pairs`.
    missing : {"neutral", "absent"}
        The edges of a pair never compared directly.
    tau : float, default 0.05
        Temperature of edges other than posterior ones, above zero.

    Examples
    --------
    Two battles, one won and one lost, give 0, 1 or 2 wins with probabilities 1/4, 1/2 and 1/4; halves have none.

    >>> result = pair_outcomes(Pairs(("ada", "bob"), [0], [1], [[1, 1, 0, 0]]))
    >>> result.upto.round(12)
    array([0.25, 0.25, 0.75, 0.75, 1.  ])
    >>> result.values[result.forward].round(3), result.values[result.backward].round(3)
    (array([0.   , 0.   , 0.   , 0.5  , 0.849]), array([0.849, 0.5  , 0.   , 0.   , 0.   ]))
    """
    require_choice("edges", edges, EDGES)
    require_choice("missing_pairs", missing, POLICIES)
    compared = _whole_counts(pairs)
    counts = compared.counts[:, [LOSS, TIE, WIN]]
    weight = pair_weights(counts.sum(axis=1), edges)
    counts, first, record = np.unique(counts, axis=0, return_index=True, return_inverse=True)
    battles = counts.sum(axis=1).astype(np.int64)
    last = np.cumsum(2 * battles + 1) - 1
    row = np.repeat(np.arange(len(counts)), 2 * battles + 1)
    won = (np.arange(len(row)) - (last - 2 * battles)[row]) / 2
    strengths = pair_strengths(won, battles[row] - won, edges=edges, tau=tau, weight=weight[first][row])
    unmet = 0.0 if edges == "posterior" or missing == "absent" else 0.5
    values, place = np.unique(np.concatenate([[0.0, unmet], *strengths]), return_inverse=True)
    place = place.astype(np.int16 if len(values) <= np.iinfo(np.int16).max else np.int32)
    return PairOutcomes(
        pairs.agents,
        compared.a.astype(np.int64),
        compared.b.astype(np.int64),
        record.reshape(-1).astype(np.int64),
        last,
        row + _cumulative(counts, battles, last),
        place[2 : 2 + len(row)],
        place[2 + len(row) :],
        int(place[1]),
        values,
        edge_conventions(compared, edges, missing, POLICIES[missing]),
    )


def _whole_counts(pairs: Pairs) -> Pairs:
    """Return the pairs compared directly; raise an error unless they hold single battles."""
    if pairs.counts[:, BOTH_BAD].any():
        raise UsageError(
            "`pairs` must say whether battles in which both were bad are ties; got some that do not. Call "
            "`pairs.settle(ties='keep')` first."
        )
    pairs = pairs.by()
    if pairs.weighted or pairs.soft is not None or (pairs.counts != np.rint(pairs.counts)).any():
        raise DataError(
            f"battles are drawn one by one, so each must count one; {counted(len(pairs), 'pair')} came with weights, soft "
            "preferences or parts of battles. Use `bootstrap`, which takes them."
        )
    return pairs.take(pairs.counts.sum(axis=1) > 0)


def _cumulative(counts: Floats, battles: Ints, last: Ints) -> Floats:
    """Return cumulative probabilities of totals, for records with equally many battles together."""
    out = np.ones(int(last[-1]) + 1 if len(last) else 0)
    for number in np.unique(battles).tolist():
        some = np.flatnonzero(battles == number)
        z = np.exp(-2j * np.pi * np.arange(2 * number + 1) / (2 * number + 1))
        share = counts[some] / number
        one = share[:, :1] + share[:, 1:2] * z + share[:, 2:] * z**2
        below = np.cumsum(np.maximum(np.fft.ifft(one**number).real, 0.0), axis=1)
        out[last[some][:, None] + np.arange(-2 * number, 1)] = below / below[:, -1:]
    return out


STEP = 0x9E3779B97F4A7C15  # increment of SplitMix64: 2^64 over the golden ratio, odd
SCRAMBLE = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))  # shifts and factors of SplitMix64
TOGETHER = 1 << 24  # edges of all resamples processed at a time on an accelerator
SHOWN = 6  # most agents named in a sentence
CACHED = 1 << 18  # the same on a CPU, few enough for its cache
# what a resample is, as a convention of the result
RESAMPLED = "as many battles of each pair as it has, drawn with replacement; pairs without battles stay without"


@dataclass(frozen=True, slots=True)
class CoreDraws(Record):
    """Scores of one agent over the resamples.

    Attributes
    ----------
    membership : float
        Share of resamples with a score above one half.
    mean : float
        The mean score.
    low, high : float
        The 95 % bootstrap interval of the score.
    """

    membership: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoreBootstrap(TableResult):
    """Soft membership scores of resamples.

    Attributes
    ----------
    agents : tuple of str
        Names.
    top_cycle, uncovered_set : (draws, n) float
        Scores of every resample.
    device : str
        Where they were computed.
    settings : mapping
        All settings.
    conventions : tuple of Convention
        How battles were resampled and counted.
    """

    hidden: ClassVar = ("top_cycle", "uncovered_set")
    derived: ClassVar = ("membership_scores",)

    agents: tuple[str, ...]
    top_cycle: Floats
    uncovered_set: Floats
    device: str
    settings: dict[str, Any]
    conventions: tuple[Convention, ...]

    def membership(self, threshold: float = 0.5) -> dict[str, Floats]:
        """Return the share of resamples in which each score exceeds a threshold.

        Table 10 of Soft Tournament Equilibrium uses one half. A frequency over resamples is not the probability to be
        in the core.
        """
        return {name: (score > threshold).mean(axis=0) for name, score in self._named()}

    def interval(self, level: float = 0.95) -> dict[str, Floats]:
        """Return the equal-tailed quantiles of the resamples, shape (2, n)."""
        require_share("level", level)
        ends = [(1 - level) / 2, (1 + level) / 2]
        return {name: np.quantile(score, ends, axis=0) for name, score in self._named()}

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who scores above one half, and in how many resamples."""
        often = self.membership()["top_cycle"]
        order = [i for i in np.argsort(-often, kind="stable") if often[i] > 0]
        text = ", ".join(f"{quoted(self.agents[i])} in {percent(float(often[i]))}" for i in order[:SHOWN])
        more = f", and {counted(len(order) - SHOWN, 'more agent')}" if len(order) > SHOWN else ""
        return (
            f"Of {counted(len(self.top_cycle), 'resample')}, the top cycle score is above one half for: {text or 'no agent'}{more}.",
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent: how often its scores exceed one half."""
        return rows_of(agent=self.agents, **self.membership())

    @property
    def membership_scores(self) -> dict[str, dict[str, CoreDraws]]:
        """Every agent over the resamples, by set and name, with 95 % intervals."""
        often, ends = self.membership(), self.interval()
        return {
            name: {
                agent: CoreDraws(float(often[name][i]), float(score[:, i].mean()), *ends[name][:, i].tolist())
                for i, agent in enumerate(self.agents)
            }
            for name, score in self._named()
        }

    def _named(self) -> tuple[tuple[str, Floats], ...]:
        return ("top_cycle", self.top_cycle), ("uncovered_set", self.uncovered_set)


def core_bootstrap(
    evidence: EvidenceLike,
    *,
    draws: int = 1000,
    edges: str = "posterior",
    missing_pairs: str = "neutral",
    tau: float = 0.05,
    gamma: float = 0.05,
    seed: int = 0,
    device: str | torch.device | None = None,
    dtype: torch.dtype = torch.float64,
) -> CoreBootstrap:
    """Bootstrap the soft top cycle and uncovered set scores by resampling the battles of each pair.

    Battles must be independent; for clustered battles use `bootstrap`, which resamples clusters.

    Parameters
    ----------
    evidence : Pairs, or what `read` takes
        Integer numbers of wins, losses and ties, each battle of weight one; a tie counts half.
    draws : int, default 1000
        Number of resamples.
    edges, missing, tau
        As for `edges_from_pairs`; a missing pair is "neutral" or "absent".
    gamma : float, default 0.05
        Temperature of soft minima and maxima, above zero. Reachability is max-min.
    seed : int, default 0
        Seed of the resamples.
    device : str or torch.device, optional
        By default an accelerator where there is one.
    dtype : torch.dtype
        Precision of the scores: single takes half the time, with an error of about 1e-6.

    Returns
    -------
    CoreBootstrap
        The resamples are the same on every device, and so are the scores, up to rounding.

    See Also
    --------
    core : The core with its posterior probabilities.
    bootstrap : Any method on resampled evidence, with clusters.

    Examples
    --------
    Ada won 6 of 10 against bob. An edge above one half takes 7, which resamples reach with probability 0.382.

    >>> result = core_bootstrap(Pairs(("ada", "bob"), [0], [1], [[6, 4, 0, 0]]), draws=10_000, device="cpu")
    >>> result.membership()["top_cycle"][0].round(2)
    np.float64(0.38)

    Notes
    -----
    A resample takes a random number and a search for each pair, :math:`2 n^3` comparisons for the closure and some
    matrix products for the covers.
    """
    require_temperature("gamma", gamma)
    require_whole("draws", draws)
    require_whole("seed", seed, 0)
    pairs = as_evidence(evidence)
    if isinstance(pairs, Battles | Ballots | Scores):
        pairs = pairs.pairs().settle(ties="keep")
    if not isinstance(pairs, Pairs):
        raise DataError(f"resampling needs battles or counts; {pairs.kind.replace('_', ' ')} hold none.")
    table = pair_outcomes(pairs, edges=edges, missing=missing_pairs, tau=tau)
    where = torch.device(device if device is not None else "cuda" if torch.cuda.is_available() else "cpu")
    t, u = core_scores(table, int(draws), int(seed), gamma, where, dtype)
    resampling = Convention("resampling", "battles by pair", RESAMPLED, float(pairs.counts.sum()))
    settings = {"draws": int(draws), "seed": int(seed), "tau": tau, "gamma": gamma, "dtype": str(dtype).split(".")[-1]}
    top, uncovered = (one.double().cpu().numpy() for one in (t, u))
    return CoreBootstrap(pairs.agents, top, uncovered, str(where), settings, (*table.conventions, resampling))


def core_scores(
    table: PairOutcomes, draws: int, seed: int, gamma: float, device: torch.device, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Return the soft top cycle and uncovered set scores of resamples, (draws, n), on the device; without gradient.

    Strongest paths are computed on ranks, in the smallest sufficient integer type, and are exact.
    """
    values = torch.from_numpy(table.values).to(device, dtype)
    both = []
    with torch.no_grad():
        for rank in resampled_ranks(table, draws, seed, device):
            t = soft_top_cycle(values[widest_paths(rank).long()], gamma)
            both.append((t, soft_uncovered_set(values[rank.long()], gamma)))
    return torch.cat([t for t, _ in both]), torch.cat([u for _, u in both])


def resampled_ranks(table: PairOutcomes, draws: int, seed: int, device: torch.device) -> Iterator[Tensor]:
    """Yield the soft edges of resamples as positions in the values of the table, in blocks of shape (some, n, n).

    Pair *i* of resample *k* uses the :math:`(k m + i)`-th number of the seed's stream, *m* being the number of pairs.
    """
    n, m = len(table.agents), len(table.a)
    sampler = torch.device("cpu") if device.type in SINGLE_ONLY else device
    upto, forward, backward = (
        torch.from_numpy(part).to(sampler) for part in (table.upto, table.forward, table.backward)
    )
    a, b, record, last = (torch.from_numpy(part).to(sampler) for part in (table.a, table.b, table.record, table.last))
    start = torch.full((n, n), table.unmet, dtype=forward.dtype, device=sampler).fill_diagonal_(0).flatten()
    pair, highest = torch.arange(m, device=sampler), last[record]
    size = max(1, (CACHED if device.type == "cpu" else TOGETHER) // (n * n))
    for first in range(0, draws, size):
        some = torch.arange(first, min(draws, first + size), device=sampler)
        at = torch.searchsorted(upto, record + uniform(seed, some[:, None] * m + pair), right=True)
        at = torch.minimum(at, highest)  # rounding may reach the next record; clamp to the last of this one
        rank = start.repeat(len(some), 1)
        rank[:, a * n + b], rank[:, b * n + a] = forward[at], backward[at]
        yield rank.view(-1, n, n).to(device)


def random_words(seed: int, place: Tensor) -> Tensor:
    """Return 64-bit words at some positions of the stream, as signed integers.

    >>> import torch
    >>> [word % 2**64 for word in random_words(1234567, torch.arange(2)).tolist()]
    [6457827717110365317, 3203168211198807973]
    """
    z = (place + 1) * _signed(STEP) + _signed(seed)
    for bits, factor in SCRAMBLE:
        z = (z ^ _shifted(z, bits)) * _signed(factor)
    return z ^ _shifted(z, 31)


def uniform(seed: int, place: Tensor) -> Tensor:
    """Return uniform numbers in [0, 1) at some positions of the stream, in double precision.

    >>> import torch
    >>> uniform(1234567, torch.arange(2))
    tensor([0.3501, 0.1736], dtype=torch.float64)
    """
    return _shifted(random_words(seed, place), 11).double() * 2.0**-53


def _shifted(z: Tensor, bits: int) -> Tensor:
    """Shift bits to the right, filling with zeros regardless of the sign."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def _signed(word: int) -> int:
    """Reinterpret 64 bits as a signed integer."""
    word %= 2**64
    return word - 2**64 if word >= 2**63 else word
