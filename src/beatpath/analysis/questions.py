r"""The questions of a report: functions that run one analysis each, and the reasons why one has no answer.

Every function takes evidence and returns a result of another package; none computes anything itself. A question that
the data cannot answer is not an error in a report but a sentence. Contexts repeat the analyses for every task,
category or judge.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._progress import INTERRUPTED, partly
from beatpath._result import Record
from beatpath._text import counted, listed
from beatpath.evidence import Ballots, Battles, Evidence, Margins, Pairs, Scores, WinRates
from beatpath.evidence.select import columns_of, only, present_agents
from beatpath.inference.contexts.context_data import require_column
from beatpath.inference.options import ResolveOptions
from beatpath.inference.ranking.compare import Comparison, compare_components
from beatpath.inference.ranking.rank import components_of
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import METHODS, method_named
from beatpath.methods.run import ranking

if TYPE_CHECKING:
    from beatpath._sentence import Sentence
    from beatpath.analysis.board_rows import Row
    from beatpath.inference.design.sample_size import SampleSize
    from beatpath.inference.judges.judges_result import Judges
    from beatpath.inference.removal.smallest_influential_set import InfluentialSet
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution
    from beatpath.inference.sensitivity.clones import Clones
    from beatpath.inference.sensitivity.leave_out import LeaveOneOut


T = TypeVar("T")

# Methods that a report compares by default.
USUAL = (
    "borda",
    "copeland",
    "schulze",
    "ranked_pairs",
    "split_cycle",
    "kemeny",
    "iml",
    "bradley_terry",
    "plackett_luce",
    "elo",
    "sco",
)
SLOW = {"kemeny": 40}  # most agents for which a slow method runs by default
FEW_LEVELS = 40  # most levels of a column that are left out in turn
LEFT_OUT = ("task", "judge")  # columns whose levels are left out in turn
COPIED = ("borda", "copeland", "schulze", "bradley_terry")  # methods tested with a clone of the leader
REACH = 1_000_000  # battles that somebody might still play


def nobody(_: object) -> None:
    """Ignore a progress report."""


@dataclass(slots=True)
class QuestionRunner:
    """Runs questions, and records those without an answer with the reason.

    `unanswered` lists the exceptions that mean there is no answer. If a partial result is wanted, an interrupt ends
    the current question and all that follow.
    """

    unanswered: tuple[type[Exception], ...] = (DataError,)
    not_run: dict[str, str] = field(default_factory=dict)
    tell: Callable[[str], None] = nobody

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted."""
        return INTERRUPTED in self.not_run.values()

    def ask(self, name: str, question: Callable[[], T]) -> T | None:
        """Return the answer, or None if the data have none, and record the reason.

        >>> result = QuestionRunner()
        >>> def question():
        ...     raise DataError("there must be battles; there are none.")
        >>> result.ask("cycles", question), result.not_run
        (None, {'cycles': 'there must be battles; there are none.'})
        """
        if self.interrupted:
            self.not_run[name] = INTERRUPTED
            return None
        try:
            return question()
        except self.unanswered as error:
            self.not_run[name] = str(error)
        except KeyboardInterrupt:
            if not partly():
                raise
            self.not_run[name] = INTERRUPTED
        return None


def usual_methods(evidence: Evidence) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the methods that a report shows by default, and why others of the usual ones are left out.

    >>> from beatpath import Pairs
    >>> usual_methods(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))[0]
    ('copeland', 'schulze', 'ranked_pairs', 'split_cycle', 'kemeny', 'iml', 'bradley_terry', 'sco')
    """
    able = [key for key in USUAL if evidence.kind in METHODS[key].takes]
    n = len(evidence.agents)
    slow = {
        key: f"with more than {SLOW[key]} agents it may take minutes; name it to run it."
        for key in able
        if n > SLOW.get(key, n)
    }
    return tuple(key for key in able if key not in slow), slow


def compared(profile: Profile, methods: Sequence[str] | None, runner: QuestionRunner) -> Comparison | None:
    """Return the rankings of the methods that have one on this evidence."""
    runner.tell("ranking by several methods")
    evidence = profile.evidence
    keys, slow = usual_methods(evidence) if methods is None else (tuple(method_named(key).key for key in methods), {})
    runner.not_run |= slow
    able = [key for key in keys if evidence.kind in method_named(key).takes]
    for key in set(keys) - set(able):
        raise UsageError(f"{key} takes {', '.join(sorted(METHODS[key].takes))}; {evidence.kind} are neither.")
    comparison = runner.ask("methods", lambda: compare_components(profile, able, without_answer="tell"))
    components = () if comparison is None else comparison.by_component
    for one in reversed(components):  # the largest has the last word
        runner.not_run |= one.not_run
    return comparison


def resolved(profile: Profile, options: ResolveOptions) -> "PairwiseResolution":
    """Return the resolution: significant differences and rank sets."""
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution
    from beatpath.inference.resolve.resolve import resolve_profile

    if isinstance(profile.source, Margins | WinRates):
        kind = profile.source.kind.replace("_", " ")
        raise DataError(
            f"uncertainty needs counts of battles; {kind} hold none. Give battles, ballots, scores or pairs."
        )
    resolution = resolve_profile(profile, options)
    assert isinstance(resolution, PairwiseResolution)  # a page has fewer agents than the limit for pairwise comparisons
    return resolution


@dataclass(frozen=True, slots=True, eq=False)
class Robustness(Record):
    """What would change who is first.

    Attributes
    ----------
    removals : InfluentialSet or None
        The smallest set of battles whose removal changes who is first.
    left_out : tuple of LeaveOneOut
        Tasks and judges left out in turn.
    clones : Clones or None
        The effect of a clone of the leader; None where several are first alike.
    component : tuple of str
        Where agents form several connected components: those of the leader's, which all this is about.
    """

    document: ClassVar[tuple[str, ...]] = ("sentences", "removals", "left_out", "clones", "component")

    removals: "InfluentialSet | None" = None
    left_out: tuple["LeaveOneOut", ...] = ()
    clones: "Clones | None" = None
    component: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings as sentences."""
        answers = (self.removals, *self.left_out, self.clones)
        every = tuple(sentence for one in answers if one is not None for sentence in one.sentences)
        about = f"In the component of {listed(self.component, 3)}:"
        return (about, *every) if self.component and every else every


def robustness_of(
    profile: Profile, leaders: tuple[str, ...], comparison: Comparison | None, runner: QuestionRunner
) -> Robustness:
    """Return what would change who is first, including a clone of the leader if there is one alone."""
    from beatpath.inference.removal.smallest_influential_set import smallest_influential_set
    from beatpath.inference.sensitivity.clones import clone
    from beatpath.inference.sensitivity.leave_out import left_out_of

    runner.tell("testing what would change the answer")
    component: tuple[str, ...] = ()
    if comparison is not None and comparison.components:
        component = next(one for one in components_of(profile) if leaders[0] in one)
        comparison = next((one for one in comparison.components if leaders[0] in one.agents), None)
        profile = profile_of(only(profile.evidence, component), profile.chosen)
    evidence, options = profile.evidence, dict(replace(profile.chosen, matrix="raw").options())
    answered = [] if comparison is None else [ranking.method for ranking in comparison.rankings]
    method = "bradley_terry" if "bradley_terry" in answered else "copeland"
    by_count = replace(profile.chosen, pair_weight="count")  # only where every battle is one vote can one be removed

    def removable() -> Profile:
        return profile if by_count == profile.chosen else profile_of(evidence, by_count)

    removals = runner.ask("fewest removals", lambda: smallest_influential_set(removable(), method))
    columns, copeland = columns_of(evidence), partial(ranking, profile, method_named("copeland"), {})
    findings = [
        runner.ask(f"without one {by}", lambda by=by: left_out_of(copeland(), evidence, by, options))  # type: ignore[misc]
        for by in LEFT_OUT
        if by in columns and 1 < len(columns[by].levels) <= FEW_LEVELS
    ]
    able = [key for key in COPIED if key in answered]
    if able and len(leaders) > 1:
        runner.not_run["a copy of the leader"] = (
            f"{listed(leaders, 3)} are first alike; copy one of them with `bp.robustness.clone`."
        )
        able = []
    copied = runner.ask("a copy of the leader", lambda: clone(profile, leaders[0], able)) if able else None
    return Robustness(removals, tuple(one for one in findings if one is not None), copied, component)


def mixed(evidence: Evidence, by: str, options: ResolveOptions, runner: QuestionRunner) -> "ContextResolution | None":
    """Return the joint analysis of contexts, and how first place depends on their mixture, if there is an estimate.

    If covariates were requested, a missing estimate is an error, since the report must not silently ignore them.
    """
    from beatpath.inference.resolve.context_resolution import ESTIMATED, resolve_contexts

    if not isinstance(evidence, ESTIMATED):
        return None
    inner = QuestionRunner((DataError,) if options.covariates else (DataError, UsageError), runner.not_run)
    return inner.ask("contexts together", lambda: resolve_contexts(evidence, by, options))


def judged(evidence: Evidence, level: float, seed: int, runner: QuestionRunner) -> "Judges | None":
    """Return the comparison of every judge with the others, if there are at least two."""
    from beatpath.inference.judges.judges import judges

    columns = columns_of(evidence)
    if "judge" not in columns or len(columns["judge"].levels) < 2 or evidence.kind not in ("battles", "scores"):
        return None
    runner.tell("comparing judges")
    return runner.ask("judges", lambda: judges(evidence, level=level, seed=seed))


@dataclass(frozen=True, slots=True, eq=False)
class PlayPlan(Record):
    """What to play next.

    Attributes
    ----------
    leaders : SampleSize or None
        Number of battles that would separate the two agents with the highest scores.
    alike : tuple of str
        Where several agents are second alike, all of them; the plan is for the one whose difference is least precise.
    beyond : str
        What these battles must be with, where the board generalizes beyond few judges or tasks: " with other judges".
    """

    document: ClassVar[tuple[str, ...]] = ("sentences", "leaders")

    leaders: "SampleSize | None" = None
    beyond: str = ""
    alike: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The plan as sentences."""
        if self.leaders is None:
            return ()
        which = "first" if self.leaders.agents[0] in self.alike else "second"
        alike = f"{listed(self.alike, 3)} are {which} alike; of their differences this is the least precise."
        beyond = f"These are battles{self.beyond}: more with the same ones do not separate them."
        remarks = (alike if self.alike else "", beyond if self.beyond and not self.leaders.certain else "")
        return (*self.leaders.sentences, *filter(None, remarks))

    @property
    def number(self) -> float | None:
        """Number of battles that would separate the leaders, if they are not separated yet and it is feasible."""
        if self.leaders is None or self.leaders.certain or self.leaders.spread is None:
            return None
        best = min(
            self.leaders.spread.number, float("inf") if self.leaders.direct is None else self.leaders.direct.number
        )
        return best if best <= REACH else None


def planned(resolution: "PairwiseResolution | None", runner: QuestionRunner) -> PlayPlan:
    """Return how many battles would separate the two leaders."""
    from beatpath.inference.design.sample_size import sample_size
    from beatpath.inference.scores.scored import scored_of

    if resolution is None or len(resolution.ranks.order) < 2 or resolution.kind not in ("battles", "pairs"):
        return PlayPlan()
    ranks, order = resolution.ranks, resolution.ranks.order.tolist()
    place = [*zip(*(one.tolist() for one in (ranks.part, ranks.rank, ranks.best, ranks.worst)), strict=True)]
    firsts, seconds = ([k for k in order if place[k] == place[one]] for one in order[:2])
    alike = tuple(ranks.agents[k] for k in seconds) if len({*firsts, *seconds}) > 2 else ()
    try:
        variance = np.nan_to_num(scored_of(resolution)[1].variance_of_differences).round(12)
        first, second = max(((k, m) for k in firsts for m in seconds if k != m), key=lambda pair: variance[pair])
        names = ranks.agents[first], ranks.agents[second]
        needed = runner.ask("plan", lambda: sample_size(resolution, *names, level=resolution.level))
    except UsageError as error:  # an estimand under which more battles change what the score is
        runner.not_run["plan"] = str(error)
        return PlayPlan()
    panel = resolution.panel
    others = () if panel is None or not panel.fixed else tuple(f"{name}s" for name in panel.levels)
    return PlayPlan(needed, f" with other {' and '.join(others)}" if others else "", alike)


MOST = 12  # most contexts that a report shows
DEFAULT = "task"  # the column of contexts by default
Rows: TypeAlias = Battles | Ballots | Scores | Pairs  # evidence with rows


@dataclass(frozen=True, slots=True)
class Context(Record):
    """The same analyses of one task or other context.

    Attributes
    ----------
    name : str
        Name of the context.
    size : str
        How much evidence it has.
    verdict : tuple of Sentence
        Its verdict.
    board : tuple of Row
        Its board.
    """

    name: str
    size: str
    verdict: "tuple[Sentence, ...]"
    board: "tuple[Row, ...]"


def contexts_of(evidence: Evidence, by: str | None) -> tuple[list[tuple[str, Evidence]], str]:
    """Return the evidence of every context, largest first, and a sentence on what was left out.

    Parameters
    ----------
    evidence : Evidence
        The whole evidence.
    by : str or None
        A column that must exist; by default tasks, if battles or pair counts have a few of them.
    """
    if isinstance(evidence, Margins | WinRates):
        if by is None:
            return [], ""
        raise UsageError(f"contexts need rows or counts that name one; {evidence.kind.replace('_', ' ')} name none.")
    columns = columns_of(evidence)
    if by is None:
        levels = columns[DEFAULT].levels if DEFAULT in columns and isinstance(evidence, Battles | Pairs) else ()
        return ([], "") if not 1 < len(levels) <= MOST else (_evidence_by_level(evidence, DEFAULT), "")
    require_column(columns, by)
    parts = _evidence_by_level(evidence, by)
    left = len(parts) - MOST
    return parts[:MOST], f"{counted(left, 'more context has', 'more contexts have')} less evidence." if left > 0 else ""


def size_of(evidence: Evidence) -> str:
    """State how much evidence there is.

    >>> size_of(Battles.of([("ada", "bob", 1)]))
    '1 battle'
    >>> size_of(Scores.from_table([[0.9, 0.2], [0.7, 0.1]], ["ada", "bob"], ["math", "code"]))
    '2 tasks'
    """
    if isinstance(evidence, Margins | WinRates):
        return evidence.kind.replace("_", " ")
    if isinstance(evidence, Scores) and (by := [name for name in ("task", "item") if name in evidence.factors]):
        codes = np.stack([evidence.factors[name].codes for name in by])
        return counted(np.unique(codes, axis=1).shape[1], by[-1])
    return counted(_amount(evidence), "battle" if isinstance(evidence, Pairs) else evidence.kind.removesuffix("s"))


def _evidence_by_level(evidence: Rows, by: str) -> list[tuple[str, Evidence]]:
    """The evidence of every level of a column, most rows first, with only the agents that occur there."""
    parts = sorted(_rows_by_level(evidence, by), key=lambda one: (-_amount(one[1]), one[0]))
    return [(name, only(part, [part.agents[i] for i in present_agents(part)])) for name, part in parts if len(part)]


def _amount(evidence: Rows) -> int:
    if isinstance(evidence, Pairs):
        return int(evidence.battles.sum())
    return int(evidence.count.sum()) if isinstance(evidence, Ballots) else len(evidence)


def _rows_by_level(evidence: Rows, by: str) -> Iterator[tuple[str, Rows]]:
    if isinstance(evidence, Pairs):
        cells = evidence.by(by)
        for k, name in enumerate(cells.keys[by].levels):
            yield name, replace(cells.take(cells.keys[by].codes == k), keys={})
        return
    factor = evidence.factors[by]
    for k, name in enumerate(factor.levels):
        yield name, evidence.take(factor.codes == k)
