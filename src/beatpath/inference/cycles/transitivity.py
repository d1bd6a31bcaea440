r"""Transitivity: whether one number per agent can represent a matrix of win rates.

Three questions. How many of the complete triples are cycles? Among equal agents it is a quarter. How much of the flow
of the rates :math:`Y_{ab} = 2 \hat\psi_{ab} - 1` is the gradient of a score, and how much is cyclic (see
`hodge_rank`), compared with what noise alone would give? And are cycles significant, or do the rates deviate from the
Bradley-Terry model by more than noise? The last decides: **the Bradley-Terry model is not defensible** when a cycle is
significant among all pairs, or when the lack of fit is significant and its root mean square above 3 percentage points
(`MATERIAL`). **It is defensible** when no cycle is significant and the upper confidence limit of the lack of fit is at
most that. Otherwise the data cannot tell.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError
from beatpath._result import Delegate, Record, Result
from beatpath._text import counted, percent
from beatpath.inference.cycles.cycles import Cycles, cycles
from beatpath.inference.scale.lack_of_fit import additive, moments
from beatpath.inference.scale.projection import Projection, bradley_terry_projection
from beatpath.inference.win_rates.estimate import HasWinRates, WinRateEstimate
from beatpath.inference.win_rates.residuals import residuals
from beatpath.inference.win_rates.win_rates import win_rates_of
from beatpath.methods.rating.hodge_rank import hodge_shares, potential


@dataclass(frozen=True, slots=True)
class OneScale(Record):
    """Whether the Bradley-Terry model is defensible, None where the data cannot tell, and why."""

    defensible: bool | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Flow(Record):
    """Decomposition of the flow of win rates (Hodge).

    Attributes
    ----------
    gradient, cyclic : float
        Share explained by one score per agent, and share that is cyclic.
    curl, harmonic : float or None
        Cyclic share around triples, and around longer cycles only; None where triples are too many.
    noise : float
        The cyclic share expected from noise if the gradient were true.
    """

    gradient: float
    cyclic: float
    curl: float | None
    harmonic: float | None
    noise: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Transitivity(Result):
    """Whether one number per agent can represent the win rates.

    Attributes
    ----------
    cycles : Cycles
        Three-cycles, apparent and significant.
    projection : Projection or None
        The Bradley-Terry fit; None where no strength is finite.
    why : str
        Why there is no projection.
    flow : Flow or None
        None where agents are not all connected, or where no pair has a winner.
    """

    document: ClassVar[tuple[str, ...]] = ("defensible", "cyclic_triads", "flow", "cycles", "projection")

    cycles: Cycles
    projection: Projection | None
    why: str
    flow: Flow | None

    @property
    def cyclic_triads(self) -> float | None:
        """Share of cycles among the triples whose three pairs have enough battles."""
        return self.cycles.observed / self.cycles.triads if self.cycles.triads else None

    @property
    def one_scale(self) -> OneScale:
        """The verdict on the Bradley-Terry model."""
        return one_scale(self.cycles, self.projection, self.why)

    defensible = Delegate[bool | None]("one_scale.defensible", "Whether a Bradley-Terry model is defensible, if known.")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Cycles, the cyclic share of the flow, and the verdict."""
        sentences = list(self.cycles.sentences)
        if self.cyclic_triads is not None:
            of = counted(self.cycles.triads, "complete triple")
            sentences.append(f"{percent(self.cyclic_triads)} of {of} are cycles; equal agents would give 25 %.")
        if self.flow is not None:
            rest = f"{percent(self.flow.cyclic)} is cyclic, and noise alone would give {percent(self.flow.noise)}"
            sentences.append(
                f"One score per agent explains {percent(self.flow.gradient)} of the flow of win rates; {rest}."
            )
        return (*sentences, self.one_scale.sentence)


def one_scale(result: Cycles, projection: Projection | None, why: str = "") -> OneScale:
    """Decide whether the Bradley-Terry model is defensible, from significant cycles and goodness of fit.

    Parameters
    ----------
    result : Cycles
        Three-cycles.
    projection : Projection or None
        The Bradley-Terry fit.
    why : str, default ""
        Why there is no projection.
    """
    if result.significant:
        many = counted(result.significant, "three-cycle")
        stands = "survives" if result.significant == 1 else "survive"
        return OneScale(
            False, f"A Bradley-Terry model is not defensible: {many} {stands} the noise, and the model allows none."
        )
    if projection is None:
        return OneScale(None, f"Whether a Bradley-Terry model is defensible cannot be determined: {why}")
    return OneScale(projection.defensible, projection.lack_of_fit.sentences[0])


def transitivity(
    evidence: EvidenceLike | WinRateEstimate | HasWinRates,
    *,
    level: float = 0.95,
    min_battles: int = 20,
    most: int = 10,
    seed: int = 0,
) -> Transitivity:
    """Test whether one number per agent can represent the win rates.

    Parameters
    ----------
    evidence, level, min_battles, most
        As for `cycles`.
    seed : int, default 0
        As for `bradley_terry_projection`.

    Returns
    -------
    Transitivity

    See Also
    --------
    cycles : Three-cycles alone.
    bradley_terry_projection : Goodness of fit alone.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> won, lost = [700, 300, 0, 0], [300, 700, 0, 0]
    >>> ring = Pairs(("paper", "rock", "scissors"), [0, 0, 1], [1, 2, 2], [won, lost, won])
    >>> result = transitivity(ring)
    >>> result.one_scale.defensible, result.flow.cyclic
    (False, 1.0)
    """
    pairwise = win_rates_of(evidence)
    result = cycles(pairwise, level=level, min_battles=min_battles, most=most)
    try:
        projection, why = bradley_terry_projection(pairwise, level=level, seed=seed), ""
    except DataError as error:
        projection, why = None, str(error)
    return Transitivity(result, projection, why, flow(pairwise))


def flow(pairwise: WinRateEstimate) -> Flow | None:
    """Return how much of the flow of win rates one score per agent explains, and how much is cyclic.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> path = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [1, 3, 0, 0]])
    >>> flow(win_rate_inference(path)).gradient
    1.0
    """
    n = len(pairwise.agents)
    graph = csr_array((np.ones(len(pairwise.a)), (pairwise.a, pairwise.b)), shape=(n, n))
    if connected_components(graph, directed=False)[0] > 1:
        return None
    cells = pairwise.a, pairwise.b, 2 * pairwise.rate - 1, pairwise.weight
    score = potential(n, cells)
    shares = hodge_shares(n, cells, score)
    if shares["gradient"] is None:
        return None
    predicted = (1 + score[pairwise.a] - score[pairwise.b]) / 2
    mean = moments(additive(pairwise, np.ones(len(pairwise.a))), residuals(pairwise, predicted)).mean
    noise = 4 * mean / float(cells[3] @ cells[2] ** 2)
    return Flow(shares["gradient"], 1 - shares["gradient"], shares["curl"], shares["harmonic"], max(noise, 0.0))
