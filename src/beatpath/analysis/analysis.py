"""The `Analysis` class: all results about one body of evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from beatpath._result import TableResult
from beatpath.analysis.provenance import citations
from beatpath.checks.finding import Check

if TYPE_CHECKING:
    from beatpath._sentence import Sentence
    from beatpath.analysis.board_rows import PairTable, Row
    from beatpath.analysis.over_time import OverTime
    from beatpath.analysis.provenance import Provenance
    from beatpath.analysis.questions import Context, PlayPlan, Robustness
    from beatpath.analysis.run_findings import RunFindings
    from beatpath.inference.core.core_result import Core
    from beatpath.inference.judges.judges_result import Judges
    from beatpath.inference.ranking.compare import Comparison
    from beatpath.inference.ranks.tiers import Tiers
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Analysis(TableResult):
    """All results about one body of evidence.

    Attributes
    ----------
    title : str
        The heading.
    size : str
        How much evidence there is, as text.
    level : float
        Confidence level of everything that is called certain.
    answer : Sentence
        The short answer: one sentence that can serve as a title.
    verdict : tuple of Sentence
        Who is best and why answers differ, in about three sentences, then the evidence.
    board : tuple of Row
        One row per agent, best first.
    pairs : PairTable
        Win rates of all pairs that were compared directly.
    check : Check
        Whether the data support a conclusion.
    comparison : Comparison or None
        Methods side by side.
    core : Core or None
        The undominated agents if preferences are intransitive.
    resolution : Resolution or None
        The statistically significant differences.
    robustness : Robustness
        What would change the answer.
    plan : PlayPlan
        What to play next.
    contexts : tuple of Context
        The same analyses of every task or other context.
    context_name : str
        The column of contexts.
    witnesses : mapping of agent to sentences
        Why it is in the core or not.
    not_run : mapping of str to str
        Questions without an answer, and why.
    provenance : Provenance
        What is needed to reproduce the report.
    tiers : Tiers or None
        The tiers of the board; None if there are no pairwise confidence statements.
    judges : Judges or None
        Every judge compared with the others, if there are at least two.
    mixtures : ContextResolution or None
        Joint analysis of the contexts, and how first place depends on their mixture.
    runs : RunFindings or None
        The analysis of repeated runs, if some agent has several on a task.
    over_time : OverTime or None
        Strengths of the leading agents over time, if battles have times.
    """

    document_name: ClassVar[str] = "report"
    hidden: ClassVar[tuple[str, ...]] = ("context_name",)
    derived: ClassVar[tuple[str, ...]] = ("citations",)

    title: str
    size: str
    level: float
    answer: "Sentence"
    verdict: "tuple[Sentence, ...]"
    board: "tuple[Row, ...]"
    pairs: "PairTable"
    check: Check
    comparison: "Comparison | None"
    core: "Core | None"
    resolution: "PairwiseResolution | None"
    robustness: "Robustness"
    plan: "PlayPlan"
    contexts: "tuple[Context, ...]"
    context_name: str
    witnesses: Mapping[str, tuple[str, ...]]
    not_run: Mapping[str, str]
    provenance: "Provenance"
    tiers: "Tiers | None"
    judges: "Judges | None" = None
    mixtures: "ContextResolution | None" = None
    runs: "RunFindings | None" = None
    over_time: "OverTime | None" = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The short answer and the verdict."""
        return (self.answer.text, *(sentence.text for sentence in self.verdict))

    def rows(self) -> list[dict[str, Any]]:
        """Return the board, one row per agent, best first, with its ranks by method."""
        return [{**{k: v for k, v in row.to_dict().items() if k != "ranks"}, **row.ranks} for row in self.board]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents in the order of the board."""
        return tuple(row.agent for row in self.board)

    @property
    def unit(self) -> str:
        """What `battles` of a row counts: battles, ballots, or the tasks or items of a table of scores."""
        return "comparison" if self.resolution is None else self.resolution.unit

    @property
    def surviving_cycles(self) -> tuple[tuple[str, ...], ...]:
        """The statistically significant cycles; each agent beats the next, and the last the first."""
        return () if self.resolution is None else tuple(one.agents for one in self.resolution.cycles.surviving)

    @property
    def citations(self) -> tuple[str, ...]:
        """The papers behind the methods used."""
        used = [] if self.comparison is None else list(self.comparison.methods)
        used += ["core"] if self.core is not None else []
        return citations([*used, *(["resolution"] if self.resolution is not None else [])])
