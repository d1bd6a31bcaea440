"""Views of results that are more than sentences and one table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from beatpath._result import Result, TableResult
from beatpath._text import counted, listed, quoted, shown
from beatpath._typing import TierScheme
from beatpath.reports.view import Column, Table, View, capital, figure, plain_table, score_text, span

if TYPE_CHECKING:
    from beatpath.analysis.run_comparison import Compared, RunComparison
    from beatpath.analysis.run_findings import RunFindings
    from beatpath.checks.finding import Check
    from beatpath.inference.core.core_by import Cores
    from beatpath.inference.core.core_result import Core
    from beatpath.inference.judges.judges_result import Judges
    from beatpath.inference.ranking.compare import Comparison
    from beatpath.inference.ranks.claims import ClaimTest
    from beatpath.inference.ranks.tiers import Tiers
    from beatpath.inference.resolve.diff import Diff
    from beatpath.inference.resolve.resolution import Resolution

# A row of a result; the column of agents; the hint for rows that a terminal leaves out.
Row = Mapping[str, Any]
# The column of names, and the note below a table that is cut.
AGENT = Column("agent", itemgetter("agent"), left=True)
ALL_IN_CSV = "--format csv shows all"


def view_of(result: Result) -> View:
    """Return the view of a result: its own, or its sentences and rows."""
    own = VIEWS.get(result.document_type())
    if own is not None:
        return own(result)
    rows = result.rows() if isinstance(result, TableResult) else ()
    return View(facts=result.sentences, tables=[plain_table(rows)] if rows else [])


# Terminal styles by the status of a finding.
STATUS_STYLES = {
    "failed": ("bold red", ""),
    "warning": ("yellow", ""),
    "passed": ("green", ""),
    "not run": ("dim", "dim"),
}


def check_view(check: "Check") -> View:
    """Return the account of the read, the design, and the findings, failures and warnings first."""
    columns = [
        Column("status", lambda one: one.status, left=True),
        Column("finding", lambda one: one.name, left=True, style="bold"),
        Column("what", lambda one: one.text, left=True, folds=True),
    ]
    table = Table(columns, check.findings, header=False, styles=STATUS_STYLES)
    read = [] if check.reading is None else [str(check.reading)]
    return View(check.title, [*read, *(() if check.design is None else check.design.sentences)], [table])


LONG_ROWS = 40  # rows shown of a leaderboard with too many agents for pairwise comparisons
CONTEXTS = 5  # contexts shown next to the leaderboard of their mixture


def board_view(resolution: "Resolution", claims: Sequence["ClaimTest"] = (), scheme: TierScheme = "top") -> View:
    """Return claims, verdict and leaderboard, tiers first; with contexts, also the scores in each."""
    from beatpath.inference.ranks.tiers import tiers
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.long_board import LongBoard

    rows = [row for row in resolution.rows() if row.get("context") is None]
    facts = [*(one.sentence for one in claims), *resolution.sentences, *resolution.notes]
    unit = resolution.unit if isinstance(resolution, ContextResolution) else "battle"
    columns = _board_columns(rows, resolution.is_share, unit)
    if isinstance(resolution, LongBoard):
        note = (
            f"Ranks are those that simultaneous intervals allow. --format csv or json lists all {len(rows):,} agents."
        )
        return View(facts=facts, tables=[Table(columns, rows[:LONG_ROWS])], notes=[note])
    steps = tiers(resolution, scheme)
    labels = dict(zip(resolution.agents, steps.labels, strict=True))
    tier = Column(steps.heading, lambda row: labels.get(row["agent"]) or "-", left=True)
    notes = [f"Score: {resolution.ranks.estimand}.", " ".join(steps.sentences)]
    board = Table([tier, *columns], rows)
    if not isinstance(resolution, ContextResolution):
        return View(facts=facts, tables=[board], notes=notes)
    names = resolution.largest(CONTEXTS)
    return View(
        facts=facts,
        tables=[board, _by_context(resolution, rows, names)],
        notes=[*notes, _contexts_note(resolution, names)],
    )


def _board_columns(rows: Sequence[Row], is_share: bool, unit: str) -> list[Column]:
    """Columns of a leaderboard: rank set, agent, score with its confidence interval, and further counts."""
    sign = " %" if is_share else ""

    def interval(row: Row) -> str:
        ends = [score_text(row[end], is_share) for end in ("low", "high")]
        return "-" if row["score"] is None or row["low"] is None else f"{' to '.join(ends)}{sign}"

    return [
        Column("ranks", lambda row: "-" if row["best"] is None else span(row["best"], row["worst"]), left=True),
        AGENT,
        Column("score", lambda row: "-" if row["score"] is None else f"{score_text(row['score'], is_share)}{sign}"),
        Column("interval", interval),
        *(_counts(name.replace("_", " "), name) for name in ("beats", "loses_to") if name in rows[0]),
        _counts(f"{unit}s", "battles"),
    ]


def _counts(label: str, name: str) -> Column:
    return Column(label, lambda row: figure(row[name], 3))


def _by_context(resolution: "Resolution", rows: Sequence[Row], names: Sequence[str]) -> Table:
    """Scores of every agent in each context, in the order of the leaderboard."""
    by = {(row["context"], row["agent"]): row for row in resolution.rows()}
    columns = [Column(shown(name, 24), partial(_score_in_context, by, name, resolution.is_share)) for name in names]
    return Table([AGENT, *columns], rows)


def _score_in_context(by: Mapping[tuple[str, str], Row], context: str, share: bool, agent: Row) -> str:
    """A score and its confidence interval in few digits."""
    row = by[context, agent["agent"]]
    values = (row[name] for name in ("score", "low", "high"))
    texts = ["-" if value is None else f"{100 * value:.0f}" if share else f"{value:.1f}" for value in values]
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


def _contexts_note(resolution: "Resolution", names: Sequence[str]) -> str:
    unit = " in percent" if resolution.is_share else ""
    rest = len(resolution.contexts) - len(names)
    which = f"{len(names)} of {len(resolution.contexts)} contexts" if rest else "every context"
    listing = "--format csv or json lists all, with the scores from each context's own data."
    return f"Below, scores{unit} in {which}, with intervals; {listing}"


# Columns of the core and the keys of their rows.
CORE_COLUMNS = {
    "top_cycle": "soft Top Cycle score",
    "uncovered_set": "soft Uncovered Set score",
    "in_core": "probability of being in the Top Cycle",
    "win_rate": "",
    "unresolved": "rivals against whom its win rate is not resolved (95 %, each by itself)",
    "bradley_terry": "log-strength",
}


def core_view(core: "Core", witness: str | None = None) -> View:
    """Return members, open cases, notes, the requested witness, and scores with their definitions."""
    why = [] if witness is None else [one.sentence for one in core.witness(witness)]
    meanings = CORE_COLUMNS | {"win_rate": core.win_rate_is}
    if core.resolved is None:
        del meanings["unresolved"]
    # a share of comparisons is not a win rate against everybody, so it is not labeled as one
    labels = {name: name.replace("_", " ") for name in meanings} | ({"win_rate": "share won"} if core.share_won else {})
    columns = [AGENT, *(_counts(label, name) for name, label in labels.items())]
    note = "; ".join(f"{labels[name]}: {what}" for name, what in meanings.items() if what)
    table = Table(columns, core.rows())
    return View(facts=[*core.sentences, *core.notes, *why], tables=[table], notes=[f"{capital(note)}."])


def cores_view(cores: "Cores") -> View:
    """Return the cores of all contexts side by side: STE Table 10."""
    every = {**cores.contexts, **({} if cores.mixture is None else {"all, mixed": cores.mixture})}
    met = {name: f"{number:,.6g}" for name, number in cores.comparisons.items()}
    columns = [
        Column(cores.by, itemgetter(0), left=True),
        Column("comparisons", lambda one: met[one[0]] if one[1] is not cores.mixture else "-"),
        Column("agents", lambda one: figure(len(one[1].agents))),
        Column("most probable core", lambda one: _likely(one[1])[0], left=True, folds=True),
        Column("chance", lambda one: _likely(one[1])[1]),
        Column("top cycle", lambda one: _members(one[1], one[1].top_cycle.members), left=True, folds=True),
    ]
    notes = [f"{quoted(name)}: {note}" for name, core in every.items() for note in core.notes]
    return View(facts=[*cores.notes, *notes], tables=[Table(columns, list(every.items()))])


def _likely(core: "Core") -> tuple[str, str]:
    """The most probable core, and its probability."""
    posterior = core.posterior
    return ("-", "-") if posterior is None else (_members(core, posterior.most_probable), posterior.chance)


def _members(core: "Core", names: Sequence[str]) -> str:
    """The members, or a phrase if they are all agents."""
    return "no agent singled out" if len(names) == len(core.agents) > 1 else listed(names, 3)


# Terminal styles by kind of change.
CHANGE_STYLES = {"rose": ("green", ""), "fell": ("red", ""), "entered": ("cyan", ""), "left": ("yellow", "")}
# Titles of the lists of changed pairs, by attribute.
CHANGED_PAIRS = {
    "reversed": "is now certainly above, and was certainly below",
    "lost": "was certainly above, and is no longer",
    "gained": "is certainly above, and was not",
}
PAIRS = 20  # pairs listed per kind


def diff_view(diff: "Diff") -> View:
    """Return what changed: agents that moved, entered or left, and pairs whose certain order changed."""

    def before_and_after(text: Callable[[Row, str], str]) -> Callable[[Row], str]:
        return lambda row: f"{text(row, 'old')} > {text(row, 'new')}"

    columns = [
        Column("change", itemgetter("change"), left=True),
        Column("agent", itemgetter("agent"), left=True, folds=True),
        Column("tier", before_and_after(lambda row, when: f"{row[f'{when}_tier'] or '-'}"), left=True),
        Column("ranks", before_and_after(lambda row, when: span(row[f"{when}_best"], row[f"{when}_worst"])), left=True),
        Column(
            "ranks of both",
            before_and_after(lambda row, when: span(row[f"{when}_best_of_both"], row[f"{when}_worst_of_both"])),
            left=True,
        ),
    ]
    moved = [row for row in diff.rows() if row["change"] != "open"]
    tables = [Table(columns, moved, styles=CHANGE_STYLES)] if moved else []
    return View(facts=diff.sentences, tables=tables, lists=list(_changed_pairs(diff)))


def run_comparison_view(result: "RunComparison", most: int | None = 5) -> View:
    """Return the answer with its counts, a row for each task where there are several, and the items that changed most."""
    facts = [x for c in result.comparisons for x in (c.headline, f"  {c.details}", c.power)]
    several = [result.answer] if len(result.comparisons) > 1 else []
    tables = [_task_table(c) for c in result.comparisons if c.by_task]
    tables += [_changed_table(c, most) for c in result.comparisons if c.changed]
    claims = [one.sentence for one in result.claims]
    return View(facts=[*claims, *several, *facts, *result.cost_sentences], tables=tables, notes=result.notes)


def _task_table(one: "Compared") -> Table:
    unit = " (points)" if one.is_share else ""
    columns = [
        Column("task", itemgetter("task"), left=True, folds=True),
        _counts("items", "items"),
        Column(f"difference{unit}", lambda row: one.amount(row["difference"])),
        Column("interval", lambda row: f"{one.amount(row['low'])} to {one.amount(row['high'])}"),
        Column("p (Holm)", lambda row: f"{row['p_value']:.2g}"),
        _counts("better", "better"),
        _counts("worse", "worse"),
    ]
    title = f"{one.run} against {one.base} by task{f', {one.metric}' if one.metric else ''}"
    return Table(columns, one.by_task, title=title, names="task")


def _changed_table(one: "Compared", most: int | None) -> Table:
    better, worse = ([c for c in one.changed if c.gain * sign > 0][:most] for sign in (1, -1))
    columns = [
        Column("task", lambda c: c.task, left=True, folds=True),
        Column("item", lambda c: c.item, left=True, folds=True),
        Column(one.base, lambda c: figure(c.base)),
        Column(one.run, lambda c: figure(c.new)),
    ]
    n_listed = len(better) + len(worse)
    title = f"Changed{f', {one.metric}' if one.metric else ''}: {n_listed:,} of {len(one.changed):,}"
    return Table(
        columns if any(c.task for c in one.changed) else columns[1:], [*better, *worse], title=title, names="item"
    )


def _changed_pairs(diff: "Diff") -> Iterator[tuple[str, list[str]]]:
    for name, what in CHANGED_PAIRS.items():
        pairs = getattr(diff, name)
        more = [f"and {len(pairs) - PAIRS:,} more"] if len(pairs) > PAIRS else []
        if pairs:
            lines = [f"{shown(above)} > {shown(below)}" for above, below in pairs[:PAIRS]]
            yield f"{name.capitalize()}: the first {what}", lines + more


# columns that the sentences already cover, dropped first if space is short
IN_SENTENCES = ("first without it", "flags")


def judges_view(judges: "Judges") -> View:
    """Return the sentences, then one row per judge, flagged judges first."""
    rows = [dict(sorted(row.items(), key=lambda cell: cell[0] in IN_SENTENCES)) for row in judges.rows()]
    left = len(judges.judges) - len(rows)
    notes = [f"{counted(left, 'more judge')}."] if left else []
    return View(facts=judges.sentences, tables=[plain_table(rows, digits=2, rest=ALL_IN_CSV)], notes=notes)


def runs_view(findings: "RunFindings") -> View:
    """Return the sentences, then one row per agent, best interquartile mean first."""
    return View(facts=findings.sentences, tables=[plain_table(findings.rows(), rest=ALL_IN_CSV)])


def comparison_view(comparison: "Comparison", below: Sequence[Sequence[str]] = ()) -> View:
    """Return the verdict, ranks side by side, distances between methods, and the lists in `below`."""
    lists = [("", lines) for lines in below]
    if len(comparison.rankings) == 1:
        return View(facts=comparison.sentences, tables=[_ranking_table(comparison)], lists=lists)
    unable = [key for key, why in comparison.not_run.items() if why.startswith("takes ")]
    notes = [f"Not run on this kind of evidence: {', '.join(unable)}."] if unable else []
    return View(
        facts=comparison.sentences, tables=[_rank_table(comparison), _distances(comparison)], notes=notes, lists=lists
    )


def _ranking_table(comparison: "Comparison") -> Table:
    ranking = comparison.rankings[0]
    columns = [
        Column("rank", lambda agent: f"{ranking.rank(agent)}"),
        Column("agent", str, left=True),
        Column("score", lambda agent: f"{ranking.scores[agent] + 0.0:.6g}".replace("nan", "-")),
    ]
    return Table(columns, [agent for level in ranking.levels for agent in level], title=ranking.method)


def _rank_table(comparison: "Comparison") -> Table:
    columns = [AGENT, *(_counts(one.method, one.method) for one in comparison.rankings)]
    rest = "-m METHOD shows one, --format csv all"
    return Table(columns, comparison.rows(), title="rank by method", noun="method", gap=1, rest=rest)


def _distances(comparison: "Comparison") -> Table:
    """Distances of every method from the others: mean, smallest and largest, and to which method."""
    keys = [ranking.method for ranking in comparison.rankings]
    far = {
        key: {other: float(comparison.distances[i, j]) for j, other in enumerate(keys) if j != i}
        for i, key in enumerate(keys)
    }
    columns = [
        Column("method", str, left=True),
        Column("mean", lambda key: f"{sum(far[key].values()) / len(far[key]):.2f}"),
        Column("least", lambda key: _at_distance(far[key], min(far[key].values())), left=True, folds=True),
        Column("most", lambda key: _at_distance(far[key], max(far[key].values())), left=True, folds=True),
    ]
    return Table(columns, keys, title="Kendall distance to the other methods (0 the same, 1 reversed)")


def _at_distance(far: Mapping[str, float], distance: float) -> str:
    """A distance and a method at that distance, with the number of further ones.

    >>> _at_distance({"iml": 0.001, "elo": 0.3, "sco": 0.0}, 0.0)
    '0.00 iml +1'
    """
    text = f"{distance:.2f}"
    there = [key for key, value in far.items() if f"{value:.2f}" == text]
    return f"{text} {there[0]}" + (f" +{len(there) - 1}" if len(there) > 1 else "")


def comparison_rows(comparison: "Comparison") -> list[dict[str, Any]]:
    """Return one row per method and agent: rank, level and score."""
    return [
        {"method": r.method, "agent": agent, "rank": r.rank(agent), "level": k + 1, "score": r.scores[agent]}
        for r in comparison.rankings
        for k, level in enumerate(r.levels)
        for agent in level
    ]


NAMED = 40  # agents named per tier


def tier_lines(tiers: "Tiers") -> list[str]:
    r"""Return the sentences, and one line per tier, letter or group; letters by their sign, components by their number.

    >>> from beatpath import Pairs, resolve, tiers
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])
    >>> print("\n".join(tier_lines(tiers(resolve(pairs)))[-2:]))
    tier 1: ada
    tier 2: bob, cyd
    """
    from beatpath.inference.ranks.grouping import letter

    labels = dict(zip(tiers.agents, tiers.labels, strict=True))
    lines = list(tiers.sentences)
    for k, group in enumerate(tiers.groups):
        own = f"letter {letter(k)}" if tiers.scheme == "letters" else f"{tiers.heading} {labels[group[0]]}"
        more = f" and {len(group) - NAMED:,} more" if len(group) > NAMED else ""
        lines.append(f"{own}: {', '.join(shown(name) for name in group[:NAMED])}{more}")
    return lines


VIEWS: dict[str, Callable[[Any], View]] = {  # by the type of their documents
    "check": check_view,
    "resolution": board_view,
    "core": core_view,
    "cores": cores_view,
    "diff": diff_view,
    "run_comparison": run_comparison_view,
    "judges": judges_view,
    "runs": runs_view,
    "comparison": comparison_view,
}
