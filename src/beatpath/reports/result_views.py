"""Views of results that are more than sentences and one table."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, isfinite, isnan, log10
from operator import attrgetter, itemgetter
from shlex import quote
from statistics import median
from typing import TYPE_CHECKING, Any

from beatpath._result import Result, TableResult
from beatpath._sentence import OPEN, Sentence, named
from beatpath._text import counted, listed, quoted, shown
from beatpath._typing import TierScheme
from beatpath.reports.view import Column, Table, View, capital, figure, plain_table, span, strip

if TYPE_CHECKING:
    from beatpath.analysis.run_comparison import Compared, RunComparison
    from beatpath.analysis.run_findings import RunFindings
    from beatpath.checks.finding import Check, Finding
    from beatpath.inference.core.core_by import Cores
    from beatpath.inference.core.core_result import Core
    from beatpath.inference.items.items_result import Items
    from beatpath.inference.judges.judges_result import Judges
    from beatpath.inference.ranking.compare import Comparison
    from beatpath.inference.ranks.claims import ClaimTest
    from beatpath.inference.ranks.tiers import Tiers
    from beatpath.inference.resolve.diff import Diff
    from beatpath.inference.resolve.resolution import Resolution
    from beatpath.methods.result import Ranking

# A row of a result; the column of agents; the hint for rows that a terminal leaves out.
Row = Mapping[str, Any]
AGENT = Column("agent", itemgetter("agent"), left=True)
ALL_IN_CSV = "--format csv shows all"
FACTS = 4  # sentences shown after the headline; the others are details


def view_of(result: Result) -> View:
    """Return the view of a result: its own, or its sentences and rows."""
    own, agents = VIEWS.get(result.document_type(), _plain_view), getattr(result, "agents", ())
    view = own(result)
    return replace(view, names=(*view.names, *agents)) if isinstance(agents, tuple) else view


def _plain_view(result: Result) -> View:
    """The sentences and rows of a result."""
    rows = result.rows() if isinstance(result, TableResult) else ()
    names = dict.fromkeys(cell for row in rows for cell in row.values() if isinstance(cell, str) and cell)
    return View(facts=result.sentences, tables=[plain_table(rows)] if rows else [], names=tuple(names))


def brief_view(sentences: Sequence[str], tables: Sequence[Table] = (), facts: int = FACTS, **more: Any) -> View:
    """Return a view with the first sentence as headline, some as facts, and the others as details."""
    rest = list(dict.fromkeys(sentences[1:]))
    return extended(View("".join(sentences[:1]), rest[:facts], tables, **more), rest[facts:])


def extended(view: View, facts: Sequence[str], tables: Sequence[Table] = (), notes: Sequence[str] = ()) -> View:
    """Return a view with further details."""
    if not (facts or tables or notes):
        return view
    old = view.made_details()
    details = View(facts=[*old.facts, *facts], tables=[*old.tables, *tables], notes=[*old.notes, *notes])
    return replace(view, details=details)


# Terminal styles by the status of a finding.
STATUS_STYLES = {
    "failed": ("bold red", ""),
    "warning": ("yellow", ""),
    "passed": ("green", ""),
    "not run": ("dim", "dim"),
}


# A first sentence: it ends in a period before a capital, but not in one inside a quoted name, such as 'A vs. B'.
FIRST_SENTENCE = re.compile(r"(?:(?<![^\s(])'.*?'(?!\w)|[^.]|\.(?! [A-Z]))*\.?", re.DOTALL)


def check_view(check: "Check") -> View:
    """Return the account of the read, failures and warnings; all findings in full and the design are details."""
    bad = [one for one in check.findings if one.status in ("failed", "warning")]
    names = {status: [one.name for one in check.having(status)] for status in ("passed", "not run")}
    read = [] if check.reading is None else [str(check.reading)]
    notes = [f"{capital(status)}: {', '.join(some)}." for status, some in names.items() if some]
    view = View(check.title, read, [_findings(bad, _in_short)] if bad else [], notes)
    whole = [one for one in check.findings if one not in bad or one.text != _in_short(one)]
    design = () if check.design is None else check.design.sentences
    return extended(view, design, [_findings(whole, attrgetter("text"))])


def _findings(findings: Sequence["Finding"], text: Callable[["Finding"], str]) -> Table:
    columns = [
        Column("status", attrgetter("status"), left=True),
        Column("finding", attrgetter("name"), left=True, style="bold"),
        Column("what", text, left=True, folds=True),
    ]
    return Table(columns, findings, header=False, styles=STATUS_STYLES)


def _in_short(finding: "Finding") -> str:
    """A failure in full; of a warning the first sentence, and what it means."""
    if finding.status == "failed":
        return finding.text
    return f"{FIRST_SENTENCE.findall(finding.sentence)[0]} {finding.consequence}".strip()


LONG_ROWS = 40  # rows shown of a leaderboard with too many agents for pairwise comparisons
CONTEXTS = 5  # contexts shown next to the leaderboard of their mixture
WIDE = 2.0  # times the median margin, with at most half the median of battles: such an agent is listed last
LITTLE = "?"  # instead of the tier of an agent with little data
LITTLE_NOTE = (
    "A ? marks agents listed last, with at most half the median amount of data and over twice the median margin"
)
TROUBLES = (("failed", "failed check"), ("warning", "warning"))  # statuses, and how many of each is counted
FIRST_NOTE = "First place has its own test. The ranks hold for all agents at once, so they are wider."


def board_view(
    resolution: "Resolution",
    claims: Sequence["ClaimTest"] = (),
    scheme: TierScheme = "top",
    check: "Check | None" = None,
) -> View:
    """Return claims, answer and leaderboard, tiers first; with contexts, also the scores in each."""
    from beatpath.inference.ranks.tiers import tiers
    from beatpath.inference.resolve.long_board import LongBoard
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution

    rows = [row for row in resolution.rows() if row.get("context") is None]
    lines: list[str | Sentence] = [*(one.sentence for one in claims), resolution.answer]
    headline, *facts = lines
    worth = resolution.worth if isinstance(resolution, PairwiseResolution) else None
    facts += [_board_facts(resolution), *(() if worth is None else (worth.sentence,))]
    facts += [f"! {warning}" for warning in resolution.warnings]
    if check is not None:
        counts = (counted(len(found), noun) for status, noun in TROUBLES if (found := check.having(status)))
        facts += [f"! {troubles} about the data: {_check_command(check)}"] if (troubles := " and ".join(counts)) else []
    about = [f"Score: {resolution.ranks.estimand}."]

    def details() -> View:  # which takes seconds for hundreds of agents
        why = [text for text in (*resolution.sentences, *resolution.notes) if text != resolution.answer.text]
        return View(facts=why, notes=about)

    columns = _board_columns(resolution, rows)
    if isinstance(resolution, LongBoard):
        n_placed = sum(row["best"] is not None for row in rows)
        all_agents = f"--format csv or json lists all {len(rows):,} agents; {n_placed:,} have enough data to be placed."
        about += ["Ranks are those that simultaneous intervals allow."]
        tables = [Table(columns, rows[:LONG_ROWS])]
        return View(headline, facts, tables, [all_agents], details=details, names=resolution.agents)
    steps = tiers(resolution, scheme)
    labels = dict(zip(resolution.agents, steps.labels, strict=True))
    little = with_little_data(resolution) if scheme == "top" else set()
    rows = sorted(rows, key=lambda row: row["agent"] in little)
    tier = Column(
        steps.heading,
        lambda row: LITTLE if row["agent"] in little or not row["placed"] else labels.get(row["agent"]) or "-",
        left=True,
    )
    tables = [Table([tier, *columns], rows, styles={LITTLE: ("dim", "dim")}, once=scheme == "top")]
    about += [" ".join(steps.sentences), *([f"{LITTLE_NOTE}, or with too little data to be placed."] if little else [])]
    if (resolution.ranks.may_be_first != (resolution.ranks.best == 1)).any():
        facts.append(FIRST_NOTE)
    notes: list[str] = []
    if resolution.contexts:
        from beatpath.inference.resolve.context_resolution import ContextResolution

        assert isinstance(resolution, ContextResolution)
        names = resolution.largest(CONTEXTS)
        tables, notes = [*tables, _by_context(resolution, rows, names)], [*notes, _contexts_note(resolution, names)]
    return View(headline, facts, tables, notes, details=details, names=resolution.agents)


def _check_command(check: "Check") -> str:
    """Return the command that shows the checks of one file, or of the example."""
    if check.reading is None or len(check.reading.sources) != 1:
        return "beatpath check"
    return f"beatpath check {'--example' if check.reading.format == 'example' else quote(*check.reading.sources)}"


def _board_facts(resolution: "Resolution") -> str:
    """How many agents may be first, how many pairs are certain, and how many cycles survive, in one line."""
    ranks, cycles, n = resolution.ranks, getattr(resolution, "cycles", None), len(resolution.agents)
    first = int(ranks.may_be_first.sum())
    is_new = first > 1 and not ranks.part.any() and "may be first" not in resolution.answer.text
    facts = [f"{first:,} of {n:,} may be first"] if is_new else []
    facts.append(f"{resolution.resolved_pairs:,} of {counted(resolution.pairs, 'pair')} certain")
    if cycles is not None and cycles.triads:
        verb = "survives" if 1 in (cycles.significant, cycles.observed) else "survive"
        many = f"{cycles.significant:,} of {counted(cycles.observed, 'cycle')} {verb}"
        facts.append(many if cycles.observed else "no cycles")
    return " · ".join([*facts, *([unplaced_count(resolution)] if resolution.unplaced else [])])


def unplaced_count(resolution: "Resolution") -> str:
    """State how many agents have too little data to be placed."""
    return f"{counted(len(resolution.unplaced), 'more agent has', 'more agents have')} too little data to be placed"


def with_little_data(resolution: "Resolution") -> set[str]:
    """Return the agents that are not placed, or have a wide margin, few battles and no chance to be first."""
    rows = [row for row in resolution.rows() if row.get("context") is None]
    first, margin = set(resolution.ranks.top(1)), median(_margin(row) or 0.0 for row in rows)
    few = median(row["battles"] for row in rows) / WIDE

    def wide(row: Row) -> bool:
        return row["battles"] <= few and (_margin(row) or 0.0) > WIDE * margin and row["agent"] not in first

    return {row["agent"] for row in rows if not row["placed"] or wide(row)}


def _margin(row: Row) -> float | None:
    return half_width(row["low"], row["score"], row["high"])


def half_width(low: float | None, score: float | None, high: float | None) -> float | None:
    """Return half the width of a confidence interval; the longer half where it is not symmetric."""
    return None if low is None or score is None or high is None else max(score - low, high - score)


SKEWED = 1.5  # times the other half of an interval: a margin with one number would reach far beyond one end


def are_skewed(intervals: Iterable[tuple[float | None, float | None, float | None]]) -> bool:
    """Return whether a tenth of the intervals (low, score, high) or more reach much farther to one side.

    >>> are_skewed([(1.0, 2.0, 3.0)] * 9 + [(1.0, 2.0, 6.0)]), are_skewed([(1.0, 2.0, 3.1)])
    (True, False)
    """
    known = [
        (score - low, high - score)
        for low, score, high in intervals
        if low is not None and score is not None and high is not None
    ]
    return bool(known) and 10 * sum(max(sides) > SKEWED * min(sides) for sides in known) >= len(known)


def score_digits(margins: Collection[float], *, share: bool) -> int:
    """Return the decimals with which the scores of a leaderboard are shown: one of a share, else two digits of the usual margin.

    >>> [score_digits(margins, share=False) for margins in ([3.1], [0.012, 0.02], [120.0], [0.0], [])]
    [1, 3, 0, 2, 1]
    >>> score_digits([0.02], share=True)
    1
    """
    usual = median(margins) if margins else 1.0
    return 1 if share or 1 <= usual < 100 else min(6, max(0, 2 - ceil(log10(usual or 1))))


def _board_columns(resolution: "Resolution", rows: Sequence[Row]) -> list[Column]:
    """Columns of a leaderboard: agent, score with its margin, ranks with a bar, and further counts."""
    times, sign = (100, " %") if resolution.is_share else (1, "")
    margins = {row["agent"]: margin for row in rows if (margin := _margin(row)) is not None}
    digits = score_digits(margins.values(), share=resolution.is_share)
    interval = itemgetter("low", "score", "high")
    ends = are_skewed(interval(row) for row in rows if row["placed"])
    width = max((len(f"{times * margin:,.{digits}f}") for margin in margins.values()), default=0)
    rank = dict(zip(resolution.agents, resolution.ranks.rank.tolist(), strict=True))
    first = set(resolution.ranks.top(1))

    def score(row: Row) -> str:
        if row["score"] is None:
            return "-"
        low, middle, high, half = (
            "" if x is None else f"{times * x:,.{digits}f}"
            for x in (row["low"], row["score"], row["high"], margins.get(row["agent"]))
        )
        skewed = ends or (not row["placed"] and are_skewed([interval(row)]))
        margin = f" ({low} to {high})" if skewed else f" ± {half:>{width}}"
        return f"{middle}{margin if half else ''}{sign}"

    def bar(row: Row) -> tuple[int, int, int] | None:
        return None if row["best"] is None else (row["best"], rank[row["agent"]], row["worst"])

    return [
        AGENT,
        Column("score", score),
        Column(
            "ranks",
            lambda row: span(row["best"], row["worst"]),
            left=True,
            bar=bar,
            strong=lambda row: row["agent"] in first,
        ),
        *(_counts(name.replace("_", " "), name) for name in ("beats", "loses_to") if name in rows[0]),
        _counts(f"{resolution.unit}s", "battles"),
    ]


def _counts(label: str, name: str) -> Column:
    return Column(label, lambda row: figure(row[name], 3))


def _percent(label: str, name: str) -> Column:
    return Column(label, lambda row: "-" if row[name] is None or isnan(row[name]) else f"{100 * row[name]:.1f} %")


def _by_context(resolution: "Resolution", rows: Sequence[Row], names: Sequence[str]) -> Table:
    """Scores of every agent in each context, in the order of the leaderboard."""
    by = {(row["context"], row["agent"]): row for row in resolution.rows()}
    figures = "{:.0f}" if resolution.is_share else "{:.1f}"

    def score(context: str, agent: Row) -> str:
        values = [by[context, agent["agent"]][name] for name in ("score", "low", "high")]
        times = 100 if resolution.is_share else 1
        return "{} ({} to {})".format(*("-" if x is None else figures.format(times * x) for x in values))

    return Table([AGENT, *(Column(shown(name, 24), partial(score, name)) for name in names)], rows)


def _contexts_note(resolution: "Resolution", names: Sequence[str]) -> str:
    unit = " in percent" if resolution.is_share else ""
    rest = len(resolution.contexts) - len(names)
    which = f"{len(names)} of {len(resolution.contexts)} contexts" if rest else "every context"
    listing = "CSV and JSON have all, and the scores from each context's own data."
    return f"By context: scores{unit} in {which}, with intervals; {listing}"


# Columns of the core and the keys of their rows; those that are shown in percent.
CORE_COLUMNS = {
    "in_core": "probability of being in the top cycle",
    "win_rate": "",
    "top_cycle": "smooth membership in the top cycle, 0 to 1",
    "uncovered_set": "smooth membership in the uncovered set, 0 to 1",
    "unresolved": "rivals against whom its win rate is not resolved (95 %, tested one by one)",
    "bradley_terry": "log-strength",
}
SHARES = ("in_core", "win_rate")


def core_view(core: "Core", witness: str | None = None) -> View:
    """Return members, open cases, notes, the requested witness, and scores with their definitions."""
    why = () if witness is None else core.reasons(witness)
    meanings = CORE_COLUMNS | {"win_rate": core.win_rate_is.removeprefix("mean win rate ")}
    if core.resolved is None:
        del meanings["unresolved"]
    # a share of comparisons is not a win rate against everybody, so it is not labeled as one
    labels = {name: name.replace("_", " ") for name in meanings} | {"bradley_terry": "bradley_terry"}
    labels |= {name: f"soft {name.replace('_', ' ')}" for name in ("top_cycle", "uncovered_set")}
    labels["win_rate"] = "share won" if core.share_won else "mean win rate"
    columns = [AGENT, *((_percent if name in SHARES else _counts)(label, name) for name, label in labels.items())]
    note = "; ".join(f"{labels[name]}: {what}" for name, what in meanings.items() if what)
    sentences = [*core.sentences[:1], *why, *core.sentences[1:], *core.notes]
    view = brief_view(sentences, [Table(columns, core.rows())], names=core.agents)
    return extended(view, (), notes=[f"{capital(note)}."])


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
PAIRS = 20  # pairs listed per kind
ARROW = " → "  # from the old board to the new one


def diff_view(diff: "Diff") -> View:
    """Return what changed: agents that moved, entered or left, and pairs whose certain order changed."""

    def ranks(of: str, row: Row) -> str:
        spans = [span(row[f"{when}_best{of}"], row[f"{when}_worst{of}"]) for when in ("old", "new")]
        return ARROW.join(text for text in spans if text != "-")

    columns = [
        Column("change", itemgetter("change"), left=True),
        Column("agent", itemgetter("agent"), left=True, folds=True),
        Column(
            "tier", lambda row: ARROW.join(str(row[when]) for when in ("old_tier", "new_tier") if row[when]), left=True
        ),
        Column("ranks", partial(ranks, ""), left=True),
        Column("ranks of both", partial(ranks, "_of_both"), left=True),
    ]
    moved = [row for row in diff.rows() if row["change"] != "open"]
    columns = columns if any(map(columns[-1].text, moved)) else columns[:-1]
    tables = [Table(columns, moved, styles=CHANGE_STYLES)] if moved else []
    turned = ("Reversed: the first is now certainly above, and was certainly below", _pair_lines(diff.reversed))
    view = brief_view(diff.sentences, tables, len(diff.claims) + FACTS, lists=[turned] if diff.reversed else [])
    view = replace(view, names=tuple(row["agent"] for row in diff.rows()))
    others = {
        "Lost: the first was certainly above, and is no longer": diff.lost,
        "Gained: the first is certainly above, and was not": diff.gained,
    }
    return extended(view, [f"{title}: {'; '.join(_pair_lines(pairs))}." for title, pairs in others.items() if pairs])


def run_comparison_view(result: "RunComparison", most: int | None = 5) -> View:
    """Return the answer with its counts, a row for every comparison and task, and the items that changed most."""
    facts = [x for c in result.comparisons for x in (c.headline, f"  {c.details}", c.power)]
    several = len(result.comparisons) > 1
    tables = [_difference_table(result), *(_changed_table(c, most) for c in result.comparisons if c.changed)]
    claims = [one.sentence for one in sorted(result.claims, key=bool)]
    headline, *rest = [*claims, *([result.answer] if several else facts), *result.cost_sentences]
    details = View(facts=facts) if several else None
    return View(headline, rest, tables, result.notes, details=details, names=result.runs)


def _difference_table(result: "RunComparison") -> Table:
    """Every comparison over all items, then by task; with pictures of the intervals where all are on one scale."""
    compared = result.comparisons
    pairs: list[tuple[Compared, Any]] = [(c, row) for c in compared for row in (c.row(), *c.by_task)]
    names = {"run": len(result.runs) > 2, "metric": any(c.metric for c in compared), "task": len(pairs) > len(compared)}
    labels = [name for name, is_shown in names.items() if is_shown] or ["run"]
    are_shares = all(c.is_share for c in compared)
    ends = [0.0, *(end for _, row in pairs for end in (row["low"], row["high"]) if isfinite(end))]
    start, end, times, unit = min(ends), max(ends), *((100, " (points)") if are_shares else (1, ""))
    is_drawn = start < end and (are_shares or not names["metric"])
    ends_text = (f"{x:+.1f}" if are_shares else f"{x:+.3g}" for x in (times * start, times * end))
    picture = "..".join(ends_text) if is_drawn else ""
    rows = [
        {
            ", ".join(labels): ", ".join(row[name] or "all" for name in labels),
            "items": row["items"],
            "base": c.amount(row["base_score"], signed=False),
            "new": c.amount(row["new_score"], signed=False),
            f"difference{unit}": c.amount(row["difference"]),
            "interval": c.interval(row["low"], row["high"]),
            "p": f"{row['p_value']:.2g}",
            "better": row["better"],
            "worse": row["worse"],
            picture: strip(row["low"], row["difference"], row["high"], start, end),
        }
        for c, row in pairs
    ]
    table = plain_table(rows, title="By task, p-values of tasks corrected by Holm's method" if names["task"] else "")
    *columns, last = table.columns
    return replace(table, columns=[*columns, replace(last, strip=True)] if picture else columns)


def _changed_table(one: "Compared", most: int | None) -> Table:
    better, worse = ([c for c in one.changed if c.gain * sign > 0][:most] for sign in (1, -1))
    where = [name for name in ("task", "item") if any(getattr(c, name) for c in one.changed)]
    columns = [
        *(Column(name, attrgetter(name), left=True, folds=True) for name in where),
        Column(one.base, lambda c: figure(c.base)),
        Column(one.run, lambda c: figure(c.new)),
    ]
    n_listed = len(better) + len(worse)
    title = f"Items that changed{f', {one.metric}' if one.metric else ''}: {n_listed:,} of {len(one.changed):,}"
    return Table(columns, [*better, *worse], title=title, names=where[-1] if where else one.base)


def _pair_lines(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Pairs as lines, the first ones and the number of others."""
    more = [f"and {len(pairs) - PAIRS:,} more"] if len(pairs) > PAIRS else []
    return [f"{shown(above)} > {shown(below)}" for above, below in pairs[:PAIRS]] + more


# columns that the sentences already cover, dropped first if space is short
IN_SENTENCES = ("first without it", "flags")


def judges_view(judges: "Judges") -> View:
    """Return the sentences, then one row per judge, flagged judges first."""
    rows = [dict(sorted(row.items(), key=lambda cell: cell[0] in IN_SENTENCES)) for row in judges.rows()]
    same = [name for name in IN_SENTENCES if len({row[name] for row in rows}) == 1]  # such as no flags
    rows = [{name: cell for name, cell in row.items() if name not in same} for row in rows]
    names = tuple(one.name for one in judges.judges)
    return brief_view(judges.sentences, [plain_table(rows, digits=2, rest=ALL_IN_CSV)], 2, names=names)


ITEM_COLUMNS = ("item", "flag", "mean", "correlation", "p", "difficulty")  # of the table of flagged items


def items_view(items: "Items") -> View:
    """Return the findings, then the flagged items; the model and the conditions are details."""
    rows = [{name: getattr(one, name) for name in ITEM_COLUMNS} for one in items.items if one.flag]
    tables = [plain_table(rows, digits=2, rest=ALL_IN_CSV)] if rows else []
    # all but the headline, the model and the conditions
    return brief_view(items.sentences, tables, len(items.sentences) - 3)


def runs_view(findings: "RunFindings") -> View:
    """Return the sentences, then one row per agent, best interquartile mean first."""
    return brief_view(findings.sentences, [plain_table(findings.rows(), rest=ALL_IN_CSV)], names=findings.scores.agents)


# Methods that most people know, shown first.
KNOWN = ("bradley_terry", "elo", "borda", "copeland")


def comparison_view(comparison: "Comparison", below: Sequence[Sequence[str]] = ()) -> View:
    """Return the verdict, ranks side by side, distances between methods, and the lists in `below`."""
    lists = [("", lines) for lines in below]
    if comparison.components:
        return _components_view(comparison, lists)
    if len(comparison.rankings) == 1:
        return brief_view(comparison.sentences, [_ranking_table(comparison.rankings[0])], lists=lists)
    unable = [key for key, why in comparison.not_run.items() if why.startswith("takes ")]
    notes = [f"Not run on this kind of evidence: {', '.join(unable)}."] if unable else []
    most, names = 2 + len(comparison.field_note), comparison.agents
    view = brief_view(comparison.sentences, [_rank_table(comparison)], most, lists=lists, names=names)
    return extended(view, (), [_distances(comparison)], notes)


def _components_view(comparison: "Comparison", lists: list[tuple[str, Sequence[str]]]) -> View:
    """Return who is first in each component, and a table of each; what else they say are details."""
    titles = [one.component_title(k) for k, one in enumerate(comparison.components, start=1)]
    tables = [
        replace(_ranking_table(one.rankings[0]) if len(one.rankings) == 1 else _rank_table(one), title=f"Component {k}")
        for k, one in enumerate(comparison.components, start=1)
    ]
    first = [
        " ".join((f"{title}: {one.short_answer}", *one.field_note))
        for title, one in zip(titles, comparison.components, strict=True)
    ]
    view = View(comparison.short_answer, first, tables, lists=lists, names=comparison.agents)
    return extended(view, comparison.sentences[1:])


def ranking_view(ranking: "Ranking") -> View:
    """Return who is first by a method, and the ranking as a table."""
    first, verb = ranking.winners, "is first" if len(ranking.winners) == 1 else "are tied for first"
    headline = Sentence((*named(first), f" {verb} by {ranking.method}."), OPEN, "methods")
    return View(headline, [ranking.caveat] if ranking.caveat else [], [_ranking_table(ranking)])


def _ranking_table(ranking: "Ranking") -> Table:
    finite = [score for score in ranking.scores.values() if isfinite(score)]
    most = 1 if any(abs(score) >= 100 for score in finite) else 3
    digits = max((len(f"{score:.{most}f}".rstrip("0").partition(".")[2]) for score in finite), default=0)
    columns = [
        Column("rank", lambda agent: f"{ranking.rank(agent)}"),
        Column("agent", str, left=True),
        Column("score", lambda agent: f"{ranking.scores[agent] + 0.0:,.{digits}f}".replace("nan", "-")),
    ]
    return Table(columns, [agent for level in ranking.levels for agent in level])


def _rank_table(comparison: "Comparison") -> Table:
    keys = sorted((one.method for one in comparison.rankings), key=lambda key: (*KNOWN, key).index(key))
    columns = [AGENT, *(_counts(key, key) for key in keys)]
    rest = "-m METHOD shows one, --format csv all"
    return Table(columns, comparison.rows(), noun="method", gap=1, rest=rest)


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
    """Return one row per method and agent: rank, level and score; within its component where there are several."""
    if comparison.components:
        numbered = enumerate(comparison.components, start=1)
        return [{"component": k, **row} for k, one in numbered for row in comparison_rows(one)]
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
    >>> print("\n".join(tier_lines(tiers(resolve(pairs)))[-3:]))
    tier 1: ada
    tier 2: bob
    tier 3: cyd
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
    "items": items_view,
    "runs": runs_view,
    "comparison": comparison_view,
    "ranking": ranking_view,
}
