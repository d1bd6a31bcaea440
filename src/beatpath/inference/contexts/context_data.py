"""What strengths by context need of evidence: what was seen in every context, and whom and what it is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.inference.contexts.deviations import Cells, Seen

if TYPE_CHECKING:
    from beatpath.evidence import Convention

MOST_STRENGTHS = 4000  # contexts times agents, whose covariance is held whole


@dataclass(frozen=True, slots=True, eq=False)
class ContextData:
    """Battles by context and pair, or mean scores by context.

    Parameters
    ----------
    agents : tuple of str
    by : str
        The column that tells contexts apart.
    contexts : tuple of str
    seen : Seen
        The battles as `Cells`, or the scores as `Means`.
    amount : (C, n) int
        Battles, or scores, of every agent in every context.
    weight : (C,) float
        What contexts weigh by default: their battles, or their tasks.
    part : (n,) int
        The part of every agent; nothing of any context connects two parts.
    undecided : float
        The total of :math:`s (1 - s)` over outcomes *s* of battles: a quarter a tie.
    clustered : tuple of (Cells, codes)
        The same battles by cluster, once for every column of clusters.
    clusters : tuple of str
        These columns.
    shifts : tuple of str
        Covariates of battles, in the order of the last columns.
    units : (p,) float
        By which covariates were divided.
    levels : Levels, optional
        What turns strengths into mean scores.
    conventions : tuple of Convention
    notes : tuple of str
    """

    agents: tuple[str, ...]
    by: str
    contexts: tuple[str, ...]
    seen: Seen
    amount: Ints
    weight: Floats
    part: Ints
    undecided: float = 0.0
    clustered: tuple[tuple[Cells, Ints], ...] = ()
    clusters: tuple[str, ...] = ()
    shifts: tuple[str, ...] = ()
    units: Floats | None = None
    levels: "Levels | None" = None
    conventions: "tuple[Convention, ...]" = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """What turns strengths into mean scores: how hard contexts are, and the unit.

    Parameters
    ----------
    unit : float
        Of scores in a unit of strength.
    mean : (C,) float
        The mean over tasks of the mean over the agents that have a score there.
    share : (C, n) float
        How much each agent weighs in it.
    variance : (C,) float
        Of the mean, as other tasks of the context might have been harder.
    degrees : float
        Of freedom of the errors.
    bounds : two floats
    per : str
        What scores are means over: task or item.
    """

    unit: float
    mean: Floats
    share: Floats
    variance: Floats
    degrees: float
    bounds: tuple[float, float]
    per: str


def require_contexts(contexts: Sequence[str], by: str, n: int, what: str = "battles") -> None:
    """Raise unless there are two contexts or more, and not more than can be held."""
    if not contexts:
        raise DataError(f"strengths by context need {what} with a name in {quoted(by)}; there are none.")
    if len(contexts) == 1:
        raise DataError(
            f"strengths by context need two contexts or more; {quoted(by)} names one, {quoted(contexts[0])}. `resolve` without "
            "contexts tells all there is."
        )
    if len(contexts) * n > MOST_STRENGTHS:
        raise UsageError(
            f"strengths by context are worked out for at most {MOST_STRENGTHS:,} contexts times agents; "
            f"{counted(len(contexts), 'context')} of {counted(n, 'agent')} are more. Choose agents with `only`, or a coarser column."
        )


def require_known(names: Sequence[str], contexts: Sequence[str], by: str) -> None:
    """Raise unless every name is that of a context."""
    for name in names:
        if name not in contexts:
            raise UsageError(
                f"a context must be one that {quoted(by)} names; {quoted(name)} is none. It has {listed(contexts, 8)}."
                f"{suggestion(str(name), contexts)}"
            )
