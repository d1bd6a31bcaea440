r"""Soft core scores of many resamples at once, on any device.

Random numbers come by place rather than by turn, the same on every device, by SplitMix64 [1]_: the i-th number of a stream is a scrambled :math:`\text{seed} + i \varphi`, so that any part of it can be had without
the rest, in any order and on any processor, to the bit.

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", *OOPSLA* 2014, 453-472.
"""

from beatpath.methods import differentiable  # noqa: F401  # isort: skip  says which extra to install where torch is not there

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION, Result
from beatpath._text import counted, percent, quoted
from beatpath.evidence import Convention, Pairs
from beatpath.inference.core.pair_outcomes import PairOutcomes, pair_outcomes
from beatpath.methods.differentiable.tensors import SINGLE_ONLY, widest_paths
from beatpath.methods.soft_core.operators import require_temperature, soft_top_cycle, soft_uncovered_set

STEP = 0x9E3779B97F4A7C15
SCRAMBLE = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
Scores = NDArray[np.float64]
TOGETHER = 1 << 24  # edges of all resamples that are worked on at a time
SHOWN = 6  # agents that a sentence names
CACHED = 1 << 18  # the same on a processor, whose cache should hold them
DRAWN = "as many battles of each pair as it has, drawn with replacement; pairs that never met stay so"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoreBootstrap(Result):
    """Soft membership scores of resamples.

    Attributes
    ----------
    agents : tuple of str
    top_cycle, uncovered_set : (draws, n) float
        Scores of every resample.
    device : str
        Where they were worked out.
    settings : mapping
    conventions : tuple of Convention
    """

    agents: tuple[str, ...]
    top_cycle: Scores
    uncovered_set: Scores
    device: str
    settings: dict[str, Any]
    conventions: tuple[Convention, ...]

    def membership(self, threshold: float = 0.5) -> dict[str, Scores]:
        """Return how often each agent's score is above a threshold: Table 10 of Soft Tournament Equilibrium takes one half.

        A frequency over resamples is no probability to be in the core.
        """
        return {name: (score > threshold).mean(axis=0) for name, score in self._named()}

    def interval(self, level: float = 0.95) -> dict[str, Scores]:
        """Return the quantiles that leave out as much of the resamples on both sides, shape (2, n)."""
        if not 0 < level < 1:
            raise UsageError(f"`level` must lie between 0 and 1, such as 0.95; got {quoted(level)}.")
        ends = [(1 - level) / 2, (1 + level) / 2]
        return {name: np.quantile(score, ends, axis=0) for name, score in self._named()}

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who scores above one half how often."""
        often = self.membership()["top_cycle"]
        order = [i for i in np.argsort(-often, kind="stable") if often[i] > 0]
        shown = ", ".join(f"{quoted(self.agents[i])} in {percent(float(often[i]))}" for i in order[:SHOWN])
        more = f", and {counted(len(order) - SHOWN, 'more agent')}" if len(order) > SHOWN else ""
        return (
            f"Of {counted(len(self.top_cycle), 'resample')}, the top cycle scores above one half: {shown or 'nobody'}{more}.",
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent: how often its scores are above one half."""
        often = self.membership()
        return [{"agent": name} | {key: float(often[key][i]) for key in often} for i, name in enumerate(self.agents)]

    def to_dict(self) -> dict[str, Any]:
        """Return frequencies, means and 95 % intervals as plain data that JSON can carry."""
        often, ends = self.membership(), self.interval()
        sets = {
            name: {
                agent: {"membership": float(often[name][i]), "mean": float(score[:, i].mean())}
                | {"low": float(ends[name][0, i]), "high": float(ends[name][1, i])}
                for i, agent in enumerate(self.agents)
            }
            for name, score in self._named()
        }
        said: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "type": "core_bootstrap",
            **sets,
            "device": self.device,
        }
        said["sentences"] = list(self.sentences)
        return said | {"settings": self.settings, "conventions": [made.to_dict() for made in self.conventions]}

    def _named(self) -> tuple[tuple[str, Scores], ...]:
        return ("top_cycle", self.top_cycle), ("uncovered_set", self.uncovered_set)


def core_bootstrap(
    pairs: Pairs,
    *,
    draws: int = 1000,
    edges: str = "posterior",
    missing: str = "neutral",
    tau: float = 0.05,
    gamma: float = 0.05,
    seed: int = 0,
    device: str | torch.device | None = None,
    dtype: torch.dtype = torch.float64,
) -> CoreBootstrap:
    r"""Return the soft Top Cycle and Uncovered Set scores of resamples of the battles of each pair.

    Parameters
    ----------
    pairs : Pairs
        Whole numbers of wins, losses and ties, each battle weighing one; a tie counts half.
    draws : int
        How many resamples.
    edges, missing, tau
        As for `edges_from_pairs`; a missing pair is "neutral" or "absent".
    gamma : float
        Temperature of soft minima and maxima, above zero. Reachability is max-min.
    seed : int
    device : str or torch.device, optional
        An accelerator where there is one, by default.
    dtype : torch.dtype
        Of the scores: single precision takes half the time and errs by about 1e-6.

    Returns
    -------
    CoreBootstrap
        The resamples are the same on every device, and so are the scores, up to rounding.

    Examples
    --------
    Ada won 6 of 10 against Bob. It takes 7 for an edge above one half, which resamples reach with a probability of 0.382.

    >>> found = core_bootstrap(Pairs(("ada", "bob"), [0], [1], [[6, 4, 0, 0]]), draws=10_000, device="cpu")
    >>> found.membership()["top_cycle"][0].round(2)
    np.float64(0.38)

    Notes
    -----
    Where battles come in clusters use `bootstrap`, which draws the clusters. A resample takes a random number and a search
    for each pair, :math:`2 n^3` comparisons for the closure and some matrix products for the covers.
    """
    require_temperature("gamma", gamma)
    for name, value, least in (("draws", draws, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise UsageError(f"`{name}` must be a whole number, {least} or more; got {quoted(value)}.")
    table = pair_outcomes(pairs, edges=edges, missing=missing, tau=tau)
    where = torch.device(device if device is not None else "cuda" if torch.cuda.is_available() else "cpu")
    t, u = core_scores(table, int(draws), int(seed), gamma, where, dtype)
    said = Convention("resampling", "battles by pair", DRAWN, float(pairs.counts.sum()))
    settings = {"draws": int(draws), "seed": int(seed), "tau": tau, "gamma": gamma, "dtype": str(dtype).split(".")[-1]}
    return CoreBootstrap(pairs.agents, _on_host(t), _on_host(u), str(where), settings, (*table.conventions, said))


def core_scores(
    table: PairOutcomes, draws: int, seed: int, gamma: float, device: torch.device, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Return the soft Top Cycle and Uncovered Set scores of resamples, of shape (draws, n), on the device; no gradient.

    Strongest paths are found among ranks, in the smallest integers that hold them, and are the same to the bit.
    """
    values = torch.from_numpy(table.values).to(device, dtype)
    both = []
    with torch.no_grad():
        for rank in resampled_ranks(table, draws, seed, device):
            t = soft_top_cycle(values[widest_paths(rank).long()], gamma)
            both.append((t, soft_uncovered_set(values[rank.long()], gamma)))
    return torch.cat([t for t, _ in both]), torch.cat([u for _, u in both])


def resampled_ranks(table: PairOutcomes, draws: int, seed: int, device: torch.device) -> Iterator[Tensor]:
    """Yield the soft edges of resamples by place in the values of the table, some resamples at a time, shape (some, n, n).

    The number that decides pair *i* of resample *k* is the :math:`(k m + i)`-th of the stream of the seed, *m* being the pairs.
    """
    n, m = len(table.agents), len(table.a)
    drawn_on = torch.device("cpu") if device.type in SINGLE_ONLY else device
    upto, forward, backward = (
        torch.from_numpy(part).to(drawn_on) for part in (table.upto, table.forward, table.backward)
    )
    a, b, record, last = (torch.from_numpy(part).to(drawn_on) for part in (table.a, table.b, table.record, table.last))
    start = torch.full((n, n), table.unmet, dtype=forward.dtype, device=drawn_on).fill_diagonal_(0).flatten()
    pair, highest = torch.arange(m, device=drawn_on), last[record]
    size = max(1, (CACHED if device.type == "cpu" else TOGETHER) // (n * n))
    for first in range(0, draws, size):
        some = torch.arange(first, min(draws, first + size), device=drawn_on)
        at = torch.searchsorted(upto, record + uniform(seed, some[:, None] * m + pair), right=True)
        at = torch.minimum(at, highest)  # a number that rounding raised to the next record belongs to this one's last
        rank = start.repeat(len(some), 1)
        rank[:, a * n + b], rank[:, b * n + a] = forward[at], backward[at]
        yield rank.view(-1, n, n).to(device)


def _on_host(scores: Tensor) -> Scores:
    found: Scores = scores.double().cpu().numpy()
    return found


def random_words(seed: int, place: Tensor) -> Tensor:
    """Return the words of 64 bits at some places of the stream, as signed numbers.

    >>> import torch
    >>> [word % 2**64 for word in random_words(1234567, torch.arange(2)).tolist()]
    [6457827717110365317, 3203168211198807973]
    """
    z = (place + 1) * _signed(STEP) + _signed(seed)
    for bits, factor in SCRAMBLE:
        z = (z ^ _shifted(z, bits)) * _signed(factor)
    return z ^ _shifted(z, 31)


def uniform(seed: int, place: Tensor) -> Tensor:
    """Return the numbers from 0 up to but not including 1 at some places of the stream, in double precision.

    >>> import torch
    >>> uniform(1234567, torch.arange(2))
    tensor([0.3501, 0.1736], dtype=torch.float64)
    """
    return _shifted(random_words(seed, place), 11).double() * 2.0**-53


def _shifted(z: Tensor, bits: int) -> Tensor:
    """Bits moved to the right, zeros coming in whatever the sign."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def _signed(word: int) -> int:
    """The same 64 bits as a signed number."""
    word %= 2**64
    return word - 2**64 if word >= 2**63 else word
