"""An analysis: every answer there is to questions asked of one body of evidence."""

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
    """Everything that was found out about one body of evidence.

    Attributes
    ----------
    title : str
        The heading.
    size : str
        How much evidence there is, in words.
    level : float
        Confidence of whatever is called certain.
    answer : Sentence
        The short answer: one sentence that is fit for a title.
    verdict : tuple of Sentence
        Who is best and why answers differ, in three sentences or so, then the evidence.
    board : tuple of Row
        One row an agent, best first.
    pairs : PairTable
        Win rates of all pairs that met.
    check : Check
        Whether the data can carry a conclusion.
    comparison : Comparison or None
        Methods side by side.
    core : Core or None
        Who nobody stands above when preferences run in circles.
    resolution : Resolution or None
        What the data resolve.
    robustness : Robustness
        What would change the answer.
    plan : PlayPlan
        What to play next.
    contexts : tuple of Context
        The same analyses of every task or other context.
    context_name : str
        The column that tells contexts apart.
    witnesses : mapping of agent to sentences
        Why it is in the core or not.
    not_run : mapping of str to str
        Questions without an answer, and why.
    provenance : Provenance
        What somebody needs to make the same report again.
    tiers : Tiers or None
        The tiers that the board shows; nothing where the data do not say who is certainly above whom.
    judges : Judges or None
        Every judge held against the others, where there are two or more.
    mixtures : ContextResolution or None
        Contexts drawn together, and how first place depends on their mixture.
    runs : RunFindings or None
        What the runs of a table say, where some agent has several on a task.
    over_time : OverTime or None
        Strengths of the leading agents as curves, where battles have times.
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
        """The short answer and the verdict, in words."""
        return (self.answer.text, *(sentence.text for sentence in self.verdict))

    def rows(self) -> list[dict[str, Any]]:
        """Return the board, one row an agent, best first; its ranks by method under their keys."""
        return [{**{k: v for k, v in row.to_dict().items() if k != "ranks"}, **row.ranks} for row in self.board]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents in the order of the board."""
        return self.pairs.agents

    @property
    def unit(self) -> str:
        """What a comparison of two agents is called."""
        return "battle" if self.check.kind in ("battles", "pairs") else "comparison"

    @property
    def surviving_cycles(self) -> tuple[tuple[str, ...], ...]:
        """The cycles that stand, each agent beating the next and the last the first."""
        return () if self.resolution is None else tuple(one.agents for one in self.resolution.cycles.surviving)

    @property
    def citations(self) -> tuple[str, ...]:
        """The papers behind the methods used."""
        used = [] if self.comparison is None else [ranking.method for ranking in self.comparison.rankings]
        used += ["core"] if self.core is not None else []
        return citations([*used, *(["resolution"] if self.resolution is not None else [])])
