"""`analyse`: everything there is to ask of evidence, asked once, and the answers in one place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted
from beatpath._typing import TierScheme
from beatpath._validate import require_whole
from beatpath.analysis.analysis import Analysis
from beatpath.analysis.board_rows import PairTable, Row, agents_by_place, board_rows, pair_table
from beatpath.analysis.over_time import over_time
from beatpath.analysis.provenance import provenance
from beatpath.analysis.questions import (
    DEFAULT,
    Asked,
    Context,
    PlayPlan,
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
from beatpath.design.field import field_of, placed_evidence
from beatpath.evidence import Ballots, Battles, Convention, Evidence
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.bootstrap.workers import results
from beatpath.inference.core.core import core_of_profile
from beatpath.inference.core.core_result import Core
from beatpath.inference.options import ReportOptions, ResolveOptions
from beatpath.inference.ranking.compare import Comparison
from beatpath.inference.ranks.tiers import require_scheme
from beatpath.inference.ranks.tiers import tiers as put_into_tiers
from beatpath.methods.profile import Profile, profile_of, weighted
from beatpath.methods.run import require_evidence

if TYPE_CHECKING:
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution

MOST_AGENTS = 500
WITNESSES = 20  # agents of whom it is said why they are in the core or not


def analyse(
    evidence: Evidence,
    *,
    title: str | None = None,
    methods: Sequence[str] | None = None,
    level: float = 0.95,
    estimand: str | Mapping[str, float] = "auto",
    cluster: str | Sequence[str] | None = "auto",
    contexts: str | None = None,
    covariates: str | Sequence[str] = (),
    tiers: TierScheme = "top",
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[str], None] | None = None,
    command: str = "bp.report(evidence)",
    **conventions: Unpack[ConventionOptions],
) -> Analysis:
    """Ask evidence everything there is to ask, and put the answers into one place.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
    title : str, optional
        By default the name of the file that was read.
    methods : sequence of str, optional
        The methods that stand side by side. By default the usual ones that the evidence allows and its size leaves quick.
    level : float
        Confidence of intervals, sets of ranks, and whatever is called certain.
    estimand, cluster
        What the score is, and whose battles belong together; as for `resolve`.
    contexts : str, optional
        A column: the same questions are asked of each of its levels by itself. By default tasks, where there are a few.
    covariates : str or sequence of str
        Of battles with contexts: numeric columns at equal values of which agents are compared where contexts are drawn together;
        as for `resolve`.
    tiers : {"top", "letters", "cuts"}
        The column that says who is parted from whom; see `tiers`.
    seed : int
        Of everything that is simulated.
    workers : int
        Processes of joblib that look at contexts. The report does not depend on them.
    progress : function of str, optional
        Told what is being done.
    command : str
        What to print as the command that made the report.
    **conventions
        As for `rank`: ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix.

    Returns
    -------
    Analysis
        A question that the data cannot answer stands in `not_run` with the reason.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> told = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[70, 30, 0, 0], [90, 10, 0, 0], [75, 25, 0, 0]])
    >>> made = analyse(told, title="Three agents")
    >>> print(made.answer)
    'ada' is certainly first of 3 agents by mean win rate (95 %).
    >>> [(row.agent, row.best, row.worst) for row in made.board]
    [('ada', 1, 1), ('bob', 2, 2), ('cyd', 3, 3)]
    """
    _require_page(evidence, level)
    require_scheme(tiers)
    require_whole("workers", workers)
    asked = Asked(tell=progress or nobody)
    options = ReportOptions(
        title=title,
        methods=methods,
        level=level,
        estimand=estimand,
        cluster=cluster,
        by=contexts,
        covariates=covariates,
        tiers=tiers,
        seed=seed,
        workers=workers,
        command=command,
        conventions=Conventions.of(**conventions),
    )
    asked.tell("checking the data")
    checked = check(evidence, level=level)
    if isinstance(evidence, Battles | Ballots):  # parts of the evidence need not have every task that is weighed
        chosen = options.conventions
        evidence = weighted(evidence, chosen.weights)
        options = replace(options, conventions=replace(chosen, weights=None))
    everybody, evidence = profile_of(evidence, options.conventions), placed_evidence(evidence, field_of(evidence))
    profile = everybody if evidence is everybody.evidence else profile_of(evidence, options.conventions)
    comparison = compared(profile, methods, asked)
    answered = _answered(profile, comparison, asked, options, everybody)
    robust = robustness_of(profile, answered.board[0].agent, comparison, asked)
    plan = planned(answered.resolution, asked)
    judges = judged(evidence, level, seed, asked)
    asked.tell("summing up runs")
    runs = asked.ask("runs", lambda: run_findings(evidence, level, seed, options.conventions))
    asked.tell("following strengths over time")
    leaders = [row.agent for row in answered.board]
    curves = asked.ask("over time", lambda: over_time(evidence, checked, leaders, level))
    looked, mixtures = _contexts(evidence, options, asked)
    if comparison is None and answered.core is None and answered.resolution is None and asked.interrupted:
        raise KeyboardInterrupt
    return Analysis(
        title or _title(evidence),
        f"{counted(len(evidence.agents), 'agent')}, {size_of(evidence)}",
        level,
        short_answer(answered.board, answered.resolution, comparison, asked.not_run),
        verdict(answered.board, answered.resolution, answered.core, comparison, checked, plan, asked.not_run),
        answered.board,
        answered.pairs,
        checked,
        comparison,
        answered.core,
        answered.resolution,
        robust,
        plan,
        looked,
        contexts or DEFAULT,
        _witnesses(answered.core, answered.board),
        asked.not_run,
        provenance(
            evidence,
            command=command,
            seed=seed,
            settings=_settings_told(options, comparison),
            conventions=_conventions_behind(answered, checked),
        ),
        None if answered.resolution is None else put_into_tiers(answered.resolution, tiers),
        judges,
        mixtures,
        runs,
        curves,
    )


def _require_page(evidence: Evidence, level: float) -> None:
    """Raise unless there is evidence about a number of agents that a page can show, and the level is one."""
    require_evidence(evidence)
    if not 0 < level < 1:
        raise UsageError(f"`level` must lie between 0 and 1; got {level!r}: use 0.95 for a confidence of 95 %.")
    n = len(evidence.agents)
    if not n:
        raise DataError("a report needs agents; the evidence names none.")
    if n > MOST_AGENTS:
        raise DataError(
            f"a report shows every agent and every pair: at most {MOST_AGENTS:,} agents; there are {n:,}. Choose some with "
            "`only` or rows with `where`; `rank` and `resolve` take more."
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Answered:
    """What is asked of evidence as a whole, and of each context."""

    board: tuple[Row, ...]
    pairs: PairTable
    core: Core | None
    resolution: "PairwiseResolution | None"


def _answered(
    profile: Profile,
    comparison: Comparison | None,
    asked: Asked,
    options: ResolveOptions,
    everybody: Profile,
) -> _Answered:
    """Who is above whom, who is in the core, and the board that says it; of everybody, those with too little data apart."""
    asked.tell("finding the core")
    core = asked.ask("core", lambda: core_of_profile(profile, cluster=options.cluster))
    asked.tell("asking what the data resolve")
    resolution = asked.ask("resolution", lambda: resolved(everybody, options))
    ranks = None if resolution is None else resolution.ranks
    order = agents_by_place(profile.agents, ranks, comparison)
    pairs = pair_table(profile, order, resolution, options.level)
    return _Answered(board_rows(order, resolution, core, comparison, pairs.battles_by_agent()), pairs, core, resolution)


def _contexts(
    evidence: Evidence, options: ReportOptions, asked: Asked
) -> "tuple[tuple[Context, ...], ContextResolution | None]":
    """The same questions, asked of every context by itself, and their mixtures, which take longest and are begun first."""
    parts, left_over = contexts_of(evidence, _column(options))
    if options.covariates and len(parts) < 2:
        raise UsageError("`covariates` go with contexts, two or more; name a column that tells them apart (`--by`).")
    if left_over:
        asked.not_run["other contexts"] = left_over
    together = partial(_together, evidence, options) if len(parts) > 1 else None
    questions: list[Callable[[], Any]] = [together] if together else []
    questions += [partial(_context, named, options) for named in parts]
    found = results(_answer, questions, options.workers)
    mixtures: ContextResolution | None = None
    looked: list[Context] = []
    if together is not None:
        asked.tell("drawing contexts together")
        mixtures, why_not = asked.ask("contexts together", lambda: next(found)) or (None, {})
        asked.not_run.update(why_not)
    for name, _ in parts:
        asked.tell(f"looking at {quoted(name)} by itself")
        one = asked.ask(f"{quoted(name)} by itself", lambda: next(found, None))
        looked += [] if one is None else [one]
    return tuple(looked), mixtures


class _Together(NamedTuple):
    """Contexts drawn together, or why they are not."""

    found: "ContextResolution | None"
    not_run: dict[str, str]


def _together(evidence: Evidence, options: ReportOptions) -> _Together:
    asked = Asked()
    return _Together(mixed(evidence, _column(options) or DEFAULT, options, asked), asked.not_run)


def _column(options: ReportOptions) -> str | None:
    """The column of contexts; a report takes no other."""
    return options.by if isinstance(options.by, str) else None


def _answer(question: Callable[[], Any]) -> Any:
    """What a question comes to, whoever asks it."""
    return question()


def _context(named: tuple[str, Evidence], options: ReportOptions) -> Context:
    """What is answered of one context; what was told of the whole may not fit it, and then it has no answer."""
    name, part = named
    asked, profile = (
        Asked((DataError, UsageError)),
        profile_of(placed_evidence(part, field_of(part)), options.conventions),
    )
    found = _answered(profile, None, asked, replace(options, schedule=False), profile)
    said = verdict(found.board, found.resolution, found.core, None, None, PlayPlan(), asked.not_run)
    return Context(name, f"{counted(len(part.agents), 'agent')}, {size_of(part)}", said, found.board)


def _witnesses(core: Core | None, board: tuple[Row, ...]) -> dict[str, tuple[str, ...]]:
    """Why the likeliest members of the core are in it or not: chains of wins, and by how much each is won."""
    if core is None or core.margins is None or len(board) < 2:
        return {}
    likely = sorted((row for row in board if row.core is not None), key=lambda row: -(row.core or 0.0))[:WITNESSES]
    return {row.agent: tuple(one.sentence for one in core.witness(row.agent)) for row in likely}


def _conventions_behind(found: _Answered, checked: Check) -> tuple[Convention, ...]:
    """The conventions that the answers rest on, each once."""
    made = () if found.core is None else found.core.conventions
    made = made if found.resolution is None else (*found.resolution.conventions, *made)
    return tuple({one.name: one for one in reversed(made or checked.conventions)}.values())[::-1]


def _settings_told(options: ReportOptions, comparison: Comparison | None) -> dict[str, Any]:
    keys = [] if comparison is None else [ranking.method for ranking in comparison.rankings]
    chosen = {"level": options.level, "estimand": options.estimand, "cluster": options.cluster, "methods": keys}
    return chosen if options.by is None else {**chosen, "contexts": options.by}


def _title(evidence: Evidence) -> str:
    sources = () if evidence.reading is None else evidence.reading.sources
    if not sources:
        return "Report"
    more = f" and {counted(len(sources) - 1, 'more file')}" if len(sources) > 1 else ""
    return f"Report on {Path(sources[0]).name or sources[0]}{more}"
