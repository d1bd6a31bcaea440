"""Options of `rank_sets`, `resolve` and `report`, checked once when built and passed on as one object.

Python, the command line and the page share them. Each class extends the one before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar, get_args

from beatpath._errors import UsageError
from beatpath._text import listed, quoted
from beatpath._typing import TierScheme
from beatpath._validate import require_choice, require_known, require_whole
from beatpath.evidence import Evidence
from beatpath.evidence.conventions import DEFAULT, Conventions
from beatpath.evidence.select import columns_by_role
from beatpath.evidence_design.field import field_of, placed_evidence

Estimand: TypeAlias = str | Mapping[str, float]
Clusters: TypeAlias = str | Sequence[str] | None
Columns: TypeAlias = str | Sequence[str]

AUTO = "auto"  # let the evidence decide: the estimand, the clusters, or the field of agents
ALL = "all"  # rank every agent, however few battles it has
PROCEDURES = ("step-down", "max-t", "bonferroni")  # corrections for multiple comparisons, the most powerful first


def require_level(level: float) -> None:
    """Raise unless a confidence level lies between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"`level` must lie between 0 and 1; got {level!r}: use 0.95 for a confidence of 95 %.")


def require_field(field: str) -> None:
    """Raise unless the field is "auto" or "all"."""
    if field not in (AUTO, ALL):
        raise UsageError(f"`field` must be {quoted(AUTO)} or {quoted(ALL)}; got {quoted(field)}.")


def placed_alone(evidence: Evidence, field: str = AUTO) -> tuple[Evidence, tuple[str, ...]]:
    """Return the evidence about the agents with enough data, and the names of the others; none with "all"."""
    require_field(field)
    found = field_of(evidence)
    if found.placed.all() or field == ALL:
        return evidence, ()
    few = tuple(name for name, placed in zip(evidence.agents, found.placed.tolist(), strict=True) if not placed)
    return placed_evidence(evidence, found), few


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """Options of rank sets.

    Parameters
    ----------
    level : float, default 0.95
        Confidence level, between 0 and 1.
    simultaneous : bool, default True
        Whether the rank sets of all agents hold simultaneously, or each one separately.
    multiplicity : {"step-down", "max-t", "bonferroni"}
        The correction for multiple comparisons.
    draws, seed : int
        Number of simulations for critical values, and their seed.

    Examples
    --------
    >>> RankOptions(multiplicity="step down")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `multiplicity` must be one of 'step-down', 'max-t', 'bonferroni'; got 'step down'. Did you mean \
'step-down'?
    """

    level: float = 0.95
    simultaneous: bool = True
    multiplicity: str = "step-down"
    draws: int = 20_000
    seed: int = 0

    def __post_init__(self) -> None:
        require_level(self.level)
        must = f"`multiplicity` must be one of {listed(PROCEDURES)}; got {quoted(self.multiplicity)}."
        require_known(self.multiplicity, PROCEDURES, must)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveOptions(RankOptions):
    """Options of `resolve`; see there.

    Parameters
    ----------
    estimand : str or mapping of agent to float
        What a score estimates.
    cluster : str, two of them, None or "auto"
        The columns whose battles are dependent.
    by : str or mapping of context to tasks, optional
        The column that defines contexts.
    mix : mapping of context to float, optional
        Weights of the mixture of contexts.
    covariates : str or sequence of str
        Numeric columns at equal values of which agents are compared.
    min_battles : int, default 20
        Battles that a pair needs to be an edge of a cycle.
    field : {"auto", "all"}
        Whether agents with too few battles are listed apart from the board, or ranked with the others.
    anytime : bool, default False
        Whether statements must hold at every look.
    humans : str or sequence of str, optional
        Judges whose preference the board is about; the others assist them.
    schedule : bool, default True
        Whether to test for adaptive sampling; parts of the evidence are tested with the whole.
    conventions : Conventions
        How evidence becomes comparisons.
    """

    estimand: Estimand = AUTO
    cluster: Clusters = AUTO
    by: str | Mapping[str, Sequence[str]] | None = None
    mix: Mapping[str, float] | None = None
    covariates: Columns = ()
    min_battles: int = 20
    field: str = AUTO
    anytime: bool = False
    humans: Columns = ()
    schedule: bool = True
    conventions: Conventions = DEFAULT

    def __post_init__(self) -> None:
        RankOptions.__post_init__(self)
        if self.min_battles < 1:
            raise UsageError(f"`min_battles` must be at least 1; got {self.min_battles!r}.")
        require_field(self.field)


Options = TypeVar("Options", bound=ResolveOptions)


def with_roles(options: Options, evidence: Evidence) -> Options:
    """Return the options with columns named by their roles, where they are named as in the file."""
    cluster, by = columns_by_role(evidence, options.cluster), columns_by_role(evidence, options.by)
    return replace(options, cluster=cluster, by=by)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions(ResolveOptions):
    """Options of `report`; see there.

    Parameters
    ----------
    title : str, optional
        By default the name of the file.
    methods : sequence of str, optional
        The methods to compare; by default the usual ones.
    tiers : {"top", "letters", "cuts"}
        The column that shows who is separated from whom.
    workers : int, default 1
        Processes that analyze contexts in parallel.
    command : str
        The command to print as the one that made the report.
    """

    title: str | None = None
    methods: Sequence[str] | None = None
    tiers: TierScheme = "top"
    workers: int = 1
    command: str = "bp.report(evidence)"

    def __post_init__(self) -> None:
        ResolveOptions.__post_init__(self)
        require_choice("tiers", self.tiers, get_args(TierScheme))
        require_whole("workers", self.workers)
