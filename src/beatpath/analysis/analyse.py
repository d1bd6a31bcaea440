"""`analyse`: run every analysis of evidence once, and collect the results."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted
from beatpath.analysis.analysis import Analysis
from beatpath.analysis.board_rows import PairTable, Row, agents_by_place, board_rows, first_rows_of, pair_table
from beatpath.analysis.over_time import over_time
from beatpath.analysis.provenance import provenance
from beatpath.analysis.questions import (
    DEFAULT,
    Context,
    PlayPlan,
    QuestionRunner,
    Robustness,
    compared,
    contexts_of,
    judged,
    mixed,
    nobody,
    planned,
    resolved,
    robustness_of,
    size_of,
)
from beatpath.analysis.run_findings import run_findings
from beatpath.analysis.verdict import short_answer, verdict
from beatpath.checks.check import check
from beatpath.checks.finding import Check
from beatpath.evidence import Ballots, Battles, Convention, Evidence
from beatpath.evidence_design.field import field_of, placed_profile
from beatpath.inference.bootstrap.workers import results
from beatpath.inference.core.core import core_of_profile
from beatpath.inference.core.core_result import Core
from beatpath.inference.options import ReportOptions, ResolveOptions, with_roles
from beatpath.inference.ranking.compare import Comparison
from beatpath.inference.ranks.tiers import tiers as put_into_tiers
from beatpath.methods.profile import Profile, profile_of, weighted

if TYPE_CHECKING:
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution

A = TypeVar("A", bound=Analysis)
MOST_AGENTS = 2000  # most agents with enough data in a report: all of them are compared pair by pair
# agents up to which a page lists every pair, and of how many it does beyond: 125,000 pairs are 7 MB, 20,000 are 1 MB
ALL_PAIRS, SOME_PAIRS = 500, 200
WITNESSES = 20  # agents for which the report explains why they are in the core or not


def analyse(
    evidence: Evidence,
    options: ReportOptions,
    progress: Callable[[str], None] | None = None,
    early: Callable[[A], None] = nobody,
    kind: type[A] = Analysis,  # type: ignore[assignment]
) -> A:
    """Run every analysis of evidence and collect the results; see `beatpath.report`.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        The data to analyze.
    options : ReportOptions
        The options of the report.
    progress : callable, optional
        Called with a description of each step.
    early : callable
        Called once with verdict and board, before the slower analyses: robustness, judges, runs, time and contexts.
    kind : type
        The class of the result.

    Returns
    -------
    Analysis
        A question that the data cannot answer is in `not_run` with the reason.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[70, 30, 0, 0], [90, 10, 0, 0], [75, 25, 0, 0]])
    >>> result = analyse(pairs, ReportOptions(title="Three agents"))
    >>> print(result.answer)
    'ada' is certainly first of 3 agents by mean win rate (95 %).
    >>> [(row.agent, row.best, row.worst) for row in result.board]
    [('ada', 1, 1), ('bob', 2, 2), ('cyd', 3, 3)]
    """
    _require_page(evidence)
    options = with_roles(options, evidence)
    runner = QuestionRunner(tell=progress or nobody)
    runner.tell("checking the data")
    checked = check(evidence, level=options.level)
    evidence, options = _weighted(evidence, options)
    everybody = profile_of(evidence, options.conventions)
    profile = placed_profile(everybody)[0]
    evidence, comparison = profile.evidence, compared(profile, options.methods, runner)
    answers = _answered(everybody, comparison, runner, options)
    plan = planned(answers.resolution, runner)
    methods = [] if comparison is None else list(comparison.methods)
    analysis = kind(
        title=options.title or _title(evidence),
        size=f"{counted(len(evidence.agents), 'agent')}, {size_of(evidence)}",
        level=options.level,
        answer=short_answer(answers.board, answers.resolution, comparison, runner.not_run),
        verdict=verdict(answers.board, answers.resolution, answers.core, comparison, checked, plan, runner.not_run),
        board=answers.board,
        pairs=answers.pairs,
        check=checked,
        comparison=comparison,
        core=answers.core,
        resolution=answers.resolution,
        robustness=Robustness(),
        plan=plan,
        contexts=(),
        context_name=_column(options) or DEFAULT,
        witnesses=_witnesses(answers.core, answers.board),
        not_run=runner.not_run,
        provenance=provenance(evidence, options, methods, _conventions_behind(answers, checked)),
        tiers=None if answers.resolution is None else put_into_tiers(answers.resolution, options.tiers),
    )
    early(analysis)
    robust = robustness_of(profile, first_rows_of(answers.board), comparison, runner)
    judges = judged(everybody.evidence, options.level, options.seed, runner)
    runner.tell("summing up runs")
    runs = runner.ask("runs", lambda: run_findings(evidence, options.level, options.seed, options.conventions))
    runner.tell("estimating strengths over time")
    leaders = [row.agent for row in answers.board]
    curves = runner.ask("over time", lambda: over_time(evidence, checked, leaders, options.level))
    contexts, mixtures = _contexts(evidence, options, runner)
    if comparison is None and answers.core is None and answers.resolution is None and runner.interrupted:
        raise KeyboardInterrupt
    return replace(
        analysis,
        robustness=robust,
        contexts=contexts,
        judges=judges,
        mixtures=mixtures,
        runs=runs,
        over_time=curves,
    )


def _weighted(evidence: Evidence, options: ReportOptions) -> tuple[Evidence, ReportOptions]:
    """Apply the task weights first, since parts of the evidence need not have every weighted task."""
    if not isinstance(evidence, Battles | Ballots):
        return evidence, options
    chosen = options.conventions
    return weighted(evidence, chosen.weights), replace(options, conventions=replace(chosen, weights=None))


def _require_page(evidence: Evidence) -> None:
    """Raise an error unless there is evidence about a number of agents that a page can show."""
    if not evidence.agents:
        raise DataError("a report needs agents; the evidence names none.")
    if len(evidence.agents) > MOST_AGENTS and (n := int(field_of(evidence).placed.sum())) > MOST_AGENTS:
        raise DataError(
            f"a report compares all agents with enough data pair by pair, at most {MOST_AGENTS:,}; there are {n:,}. Choose some with "
            "`--only` or rows with `--where`; `rank` and `resolve` take more."
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Results:
    """The results for the whole evidence, and for each context."""

    board: tuple[Row, ...]
    pairs: PairTable
    core: Core | None
    resolution: "PairwiseResolution | None"


def _answered(
    everybody: Profile, comparison: Comparison | None, runner: QuestionRunner, options: ResolveOptions
) -> _Results:
    """The significant differences, the core, and the leaderboard; agents with too little data are listed apart."""
    profile = placed_profile(everybody)[0]
    runner.tell("finding the core")
    core = runner.ask("core", lambda: core_of_profile(profile, cluster=options.cluster))
    runner.tell("resolving ranks")
    resolution = runner.ask("resolution", lambda: resolved(everybody, options))
    ranks = None if resolution is None else resolution.ranks
    order = agents_by_place(profile.agents, ranks, comparison)
    pairs = pair_table(profile, order, resolution, options.level, SOME_PAIRS if len(order) > ALL_PAIRS else None)
    board = board_rows(order, resolution, core, comparison, pairs.battles_by_agent())
    if len(order) > ALL_PAIRS:
        pairs = pairs.among_first(SOME_PAIRS)
        runner.not_run["other pairs"] = (
            f"the page has the pairs among the first {SOME_PAIRS:,} of {len(order):,} agents. Choose others with `only`."
        )
    return _Results(board, pairs, core, resolution)


def _contexts(
    evidence: Evidence, options: ReportOptions, runner: QuestionRunner
) -> "tuple[tuple[Context, ...], ContextResolution | None]":
    """The same analyses of every context, and the analysis of their mixtures, which is slowest and starts first."""
    parts, left_over = contexts_of(evidence, _column(options))
    if options.covariates and len(parts) < 2:
        raise UsageError("`covariates` go with contexts, two or more; name their column with `--by`.")
    if left_over:
        runner.not_run["other contexts"] = left_over
    together = partial(_joint_contexts, evidence, options) if len(parts) > 1 else None
    questions: list[Callable[[], Any]] = [together] if together else []
    questions += [partial(_context, named, options) for named in parts]
    answers = results(_answer, questions, options.workers)
    mixtures: ContextResolution | None = None
    looked: list[Context] = []
    if together is not None:
        runner.tell("pooling contexts")
        mixtures, why_not = runner.ask("contexts together", lambda: next(answers)) or (None, {})
        runner.not_run.update(why_not)
    for name, _ in parts:
        runner.tell(f"analyzing {quoted(name)}")
        one = runner.ask(f"{quoted(name)} by itself", lambda: next(answers, None))
        looked += [] if one is None else [one]
    return tuple(looked), mixtures


def _joint_contexts(evidence: Evidence, options: ReportOptions) -> "tuple[ContextResolution | None, dict[str, str]]":
    """The joint analysis of contexts, and why there is none."""
    runner = QuestionRunner()
    return mixed(evidence, _column(options) or DEFAULT, options, runner), runner.not_run


def _column(options: ReportOptions) -> str | None:
    """The column of contexts; a report accepts no other."""
    return options.by if isinstance(options.by, str) else None


def _answer(question: Callable[[], Any]) -> Any:
    """Call a question; a module-level function, so that workers can unpickle it."""
    return question()


def _context(named: tuple[str, Evidence], options: ReportOptions) -> Context:
    """The results of one context; options for the whole may not fit it, and then it has no results."""
    (name, part), runner = named, QuestionRunner((DataError, UsageError))
    answers = _answered(profile_of(part, options.conventions), None, runner, replace(options, schedule=False))
    sentences = verdict(answers.board, answers.resolution, answers.core, None, None, PlayPlan(), runner.not_run)
    return Context(name, f"{counted(len(part.agents), 'agent')}, {size_of(part)}", sentences, answers.board)


def _witnesses(core: Core | None, board: tuple[Row, ...]) -> dict[str, tuple[str, ...]]:
    """Why the likeliest members of the core are in it or not: chains of wins with their margins."""
    if core is None or core.margins is None or len(board) < 2:
        return {}
    likely = sorted((row for row in board if row.core is not None), key=lambda row: -(row.core or 0.0))[:WITNESSES]
    return {row.agent: core.reasons(row.agent) for row in likely}


def _conventions_behind(answers: _Results, checked: Check) -> tuple[Convention, ...]:
    """The conventions behind the results, each once."""
    conventions = () if answers.core is None else answers.core.conventions
    conventions = conventions if answers.resolution is None else (*answers.resolution.conventions, *conventions)
    return tuple({one.name: one for one in reversed(conventions or checked.conventions)}.values())[::-1]


def _title(evidence: Evidence) -> str:
    sources = () if evidence.reading is None else evidence.reading.sources
    if not sources:
        return "Report"
    more = f" and {counted(len(sources) - 1, 'more file')}" if len(sources) > 1 else ""
    return f"Report on {Path(sources[0]).name or sources[0]}{more}"
