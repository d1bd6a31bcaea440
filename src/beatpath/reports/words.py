"""The text of a report: the meanings of its columns, the lead of each section, formatted numbers, and Markdown."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from beatpath._sentence import Name, Sentence
from beatpath._text import confidence, counted, listed, percent, quoted, shown
from beatpath._typing import TierScheme
from beatpath.analysis.board_rows import Row
from beatpath.inference.core.core_sensitivity import core_sensitivity
from beatpath.reports.result_views import (
    FIRST_NOTE,
    LITTLE,
    LITTLE_NOTE,
    are_skewed,
    half_width,
    score_digits,
    unplaced_count,
    with_little_data,
)
from beatpath.reports.view import Column, Table, capital, markdown_table, span, typeset
from beatpath.reports.view import escaped as markdown

if TYPE_CHECKING:
    from beatpath.analysis.analysis import Analysis
    from beatpath.inference.ranking.compare import Comparison

# headings of scores other than win rates
NAMES = {
    "mean_score": "mean score",
    "bradley_terry": "strength",
    "iqm": "interquartile mean",
    "median": "median score",
    "optimality_gap": "negative gap",
}
SWEPT = 200  # agents up to which a report sweeps the settings of the soft core: under a second
WORST = 5  # pairs listed that the Bradley-Terry model fits worst
# Sections of the page: anchors and titles.
SECTIONS = {
    "verdict": "Verdict",
    "board": "The board",
    "why": "Why",
    "trust": "Can you trust this?",
    "contexts": "Contexts",
    "pairs": "Head to head",
    "core": "Core and cycles",
    "methods": "Methods side by side",
    "scale": "Does a Bradley-Terry model fit?",
    "judges": "The judges",
    "time": "Over time",
    "runs": "The runs",
    "change": "What would change it",
    "data": "Data",
    "provenance": "Methods and provenance",
}


def sections(report: "Analysis") -> list[tuple[str, str]]:
    """Return the anchors and titles of the sections that the report has."""
    optional = {"judges": report.judges, "time": report.over_time, "runs": report.runs}
    there = {"contexts": bool(report.contexts)} | {anchor: section is not None for anchor, section in optional.items()}
    titles = SECTIONS | ({"contexts": f"By {spaced(report.context_name)}"} if report.contexts else {})
    return [(anchor, name) for anchor, name in titles.items() if there.get(anchor, True)]


def spaced(key: str) -> str:
    """Return a key as words.

    >>> spaced("ranked_pairs")
    'ranked pairs'
    """
    return shown(key).replace("_", " ")


def ranks(row: Row) -> str:
    r"""Return the rank set of an agent, as a range.

    >>> ascii(ranks(Row("ada", 2, 1, 3, *[None] * 10, {})))
    "'1\\u20133'"
    """
    if row.best is None:
        return "" if row.rank is None else f"{row.rank}"
    return span(row.best, row.worst, "\u2013")


def score(value: float | None, *, share: bool, bare: bool = False, digits: int = 1) -> str:
    """Return a score with so many decimals, as a percentage with one if it is a share.

    The end of an interval beyond the range of a share is clipped to it.

    >>> score(0.6214, share=True), score(-0.1, share=True, bare=True), score(6.6, share=False), score(None, share=True)
    ('62.1 %', '0.0', '6.6', '')
    """
    if value is None:
        return ""
    if not share:
        return f"{value:,.{digits}f}"
    value = min(max(value, 0.0), 1.0)
    return f"{100 * value:.1f}" if bare else f"{100 * value:.1f} %"


def scores_are_shares(report: "Analysis") -> bool:
    """Whether the scores of the leaderboard are shares, shown as percentages."""
    return report.resolution is None or report.resolution.is_share


def score_name(report: "Analysis") -> str:
    """Return the heading of the score."""
    estimand = None if report.resolution is None else report.resolution.settings["estimand"]
    solved = estimand == "mean_score" and scores_are_shares(report)
    return "solved" if solved else NAMES.get(str(estimand), "win rate")


def columns(report: "Analysis") -> list[tuple[str, str]]:
    """Return the meaning of every column of the leaderboard after the tier, which `tiers_note` explains."""
    level, estimand, held = confidence(report.level), "share of its battles that the agent won, a tie as half", True
    if report.resolution is not None:
        estimand, held = report.resolution.board.estimand, report.resolution.ranks.simultaneous
    family = "simultaneous over all agents" if held else "each by itself"
    return [
        (score_name(report), f"{estimand}; after it the {level} confidence interval of this score by itself"),
        ("bar", "the ranks that the data allow; tick: the rank by score alone; dark: the agent may be first"),
        ("ranks", f"the same as numbers: the rank set at {level} confidence, {family}"),
        (f"{report.unit}s", f"number of {report.unit}s of the agent"),
    ]


# rows of a leaderboard on paper, so that a report fits two pages; a few more are printed, not left out
PRINTED, SPARE = (24, 6)
TOP = 14  # rows of a leaderboard shown at first: with the tiles they fill one screen of a laptop


def more_rows(rows: Sequence[Row], top: int = TOP) -> str:
    """Return how many rows follow the first, and their tiers; empty without any.

    >>> more_rows([Row("ada", *[None] * 13, {})] * 3, 2)
    '1 more agent'
    """
    rest = rows[top:]
    tiers = sorted({row.tier for row in rest if row.tier})
    of = f", tier{'s' * (len(tiers) > 1)} {span(tiers[0], tiers[-1], ' to ')}" if tiers else ""
    return f"{counted(len(rest), 'more agent')}{of}" if rest else ""


def margin(row: Row, *, share: bool, ends: bool, digits: int = 1) -> str:
    """Return the confidence interval of a score: half of its width, or its ends where halves differ much on the board.

    >>> ada = Row("ada", 1, 1, 1, 0.5, 0.1, 0.6, *[None] * 7, {})
    >>> margin(ada, share=True, ends=False), margin(ada, share=True, ends=True)
    ('\u00b1 40.0', '(10.0 to 60.0)')
    """
    half = half_width(row.low, row.score, row.high)
    if half is None:
        return ""
    if ends:
        low, high = (score(end, share=share, bare=True, digits=digits) for end in (row.low, row.high))
        return f"({low} to {high})"
    return f"\u00b1 {100 * half:.1f}" if share else f"\u00b1 {half:,.{digits}f}"


def score_options(report: "Analysis") -> dict[str, Any]:
    """Return whether the scores of the leaderboard are shares, and with how many decimals they are shown."""
    share, halves = scores_are_shares(report), [half_width(row.low, row.score, row.high) for row in report.board]
    return {"share": share, "digits": score_digits([half for half in halves if half is not None], share=share)}


def interval_ends(report: "Analysis") -> bool:
    """Return whether the leaderboard shows the ends of confidence intervals, because many are skewed."""
    return are_skewed((row.low, row.score, row.high) for row in report.board)


def board_note(report: "Analysis") -> str:
    """State where rank sets are wider than the test of first place, how many agents have none, or that there are none."""
    if report.resolution is None:
        return "The data do not show the uncertainty of these places."
    wider = any(row.best == 1 and not row.may_be_first for row in report.board)
    unplaced = f"{capital(unplaced_count(report.resolution))}."
    return " ".join([FIRST_NOTE] * wider + [unplaced] * bool(report.resolution.unplaced))


def tiers_note(report: "Analysis") -> str:
    """Explain the tiers, and the mark of agents with little data."""
    sentences = [] if report.tiers is None else list(report.tiers.sentences)
    few = little_data(report) & {row.agent for row in report.board}
    return " ".join(sentences + [f"{LITTLE_NOTE}."] * bool(few))


def little_data(report: "Analysis") -> set[str]:
    """Return the agents with little data, which the leaderboard lists last, without a tier."""
    if report.resolution is None or report.tiers is None or report.tiers.scheme != "top":
        return set()
    return with_little_data(report.resolution)


def board_order(report: "Analysis") -> list[Row]:
    """Return the rows of the leaderboard, agents with little data last."""
    little = little_data(report)
    return sorted(report.board, key=lambda row: row.agent in little)


def findings(report: "Analysis") -> dict[str, str]:
    """Return what each figure shows, in a sentence that serves as its title."""
    core, comparison, resolution = report.core, report.comparison, report.resolution
    played = [one.sentence for one in report.check.findings if one.name == "balance"]
    circles = [] if resolution is None else [one.in_words(report.unit) for one in resolution.cycles.surviving]
    counts = [] if resolution is None else [resolution.cycles.sentences[0]]
    sets = 0 if report.tiers is None else sum(len(some) > 1 for some in report.tiers.cliques)
    inseparable = (
        f"{counted(sets, 'set')} of agents cannot be separated." if sets else "Every two agents are separated."
    )
    titles = {
        "win_rates": pairs_note(report),
        "majorities": (circles or counts or [""])[0],
        "membership": "" if core is None else core.sentences[0],
        "bump": "" if comparison is None else comparison.answer.text,
        "agreement": "" if comparison is None or not comparison.rankings else _largest_distance(comparison),
        "predicted": scale_sentences(report)[0],
        "cliques": "" if report.tiers is None else inseparable,
        "mixtures": "" if report.mixtures is None else report.mixtures.mixture_sentence,
        "judges": "" if report.judges is None else report.judges.sentences[0],
        "over_time": "" if report.over_time is None else report.over_time.sentences[0],
        "profiles": "" if report.runs is None else report.runs.sentences[0],
        "sampling": played[0] if played else "",
    }
    return {name: title for name, title in titles.items() if title}


def _largest_distance(comparison: "Comparison") -> str:
    """The two methods that differ most."""
    distances, methods = comparison.distances, [ranking.method for ranking in comparison.rankings]
    i, j = divmod(int(distances.argmax()), len(methods))
    if not distances[i, j]:
        return "All methods agree on every pair."
    return f"Most different are {methods[i]} and {methods[j]}, which order {percent(float(distances[i, j]))} of pairs differently."


def pairs_note(report: "Analysis") -> str:
    """Return how many pairs were compared, and how many of them their own counts decide."""
    every = len(report.agents) * (len(report.agents) - 1) // 2
    of = f"{report.pairs.compared:,} of {counted(every, 'pair was', 'pairs were')} compared directly"
    if report.pairs.resolved is None:
        return f"{of}."
    return f"{of}; their own counts decide {report.pairs.n_resolved:,} of them ({confidence(report.level)}, tested one by one)."


def core_sentences(report: "Analysis") -> list[str]:
    """Return the sentences on core and cycles, less the one that is the title of the picture."""
    sentences = [] if report.core is None else [*report.core.sentences, *report.core.notes]
    if report.core is None:
        sentences = [f"No core: {report.not_run.get('core', 'nothing to compare.')}"]
    cycles = None if report.resolution is None else report.resolution.cycles
    return sentences if cycles is None or not cycles.surviving else [*sentences, cycles.sentences[0]]


def sensitivity_sentences(report: "Analysis") -> tuple[str, ...]:
    """Return who crosses one half at other settings of the soft core; none for several components or many agents."""
    core = report.core
    if core is None or core.margins is None or core.parts or not 1 < len(core.agents) <= SWEPT:
        return ()
    return core_sensitivity(core).sentences


def scale_sentences(report: "Analysis") -> list[str]:
    """Return the sentences on the goodness of fit of the Bradley-Terry model."""
    if report.resolution is None:
        return [f"This cannot be determined: {report.not_run.get('resolution', 'there are no counts.')}"]
    projection = report.resolution.projection
    worst = [] if projection is None else [one.in_words(report.unit) for one in projection.worst(WORST)]
    return [report.resolution.one_scale.sentence, *worst]


def data_sentences(report: "Analysis") -> list[str]:
    """Return the sentences on the data."""
    reading = report.check.reading
    sentences = [f"{capital(report.size)}."]
    sentences += [] if reading is None else [f"{capital(str(reading))}."]
    sentences += [] if report.resolution is None else list(report.resolution.notes)
    counted_up = (one for one in report.check.findings if one.name in ("outcomes", "dependence", "judges"))
    return sentences + [one.text for one in counted_up if one.status != "not run"]


def method_sentences(report: "Analysis") -> list[str]:
    """Return the sentences on methods side by side; why some were not run is listed with the data."""
    if report.comparison is None:
        return ["No method has an answer on this evidence."]
    return [one for one in report.comparison.sentences if one not in report.comparison.not_run_sentences]


def facts(report: "Analysis") -> list[tuple[str, str]]:
    """Return the provenance of the report."""
    provenance = report.provenance
    hashes = [f"{shown(name)}: sha256 {value}" for name, value in provenance.sources.items()]
    libraries = ", ".join(f"{name} {number}" for name, number in provenance.libraries.items())
    settings_text = "; ".join(f"{spaced(name)}: {_setting_text(value)}" for name, value in provenance.settings.items())
    return [
        ("command", shown(provenance.command, 2000)),
        *(("input", line) for line in hashes[:20]),
        *([("input", f"{len(hashes) - 20:,} more files, in the JSON")] if len(hashes) > 20 else []),
        ("version", f"beatpath {provenance.version}; {libraries}"),
        ("seed", f"{provenance.seed}"),
        ("settings", settings_text),
    ]


def _setting_text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{quoted(name)} {weight}" for name, weight in value.items())
    return listed(value, 30).replace("'", "") if isinstance(value, list | tuple) else shown(value)


def unbroken(text: str) -> Markup:
    """Return text as HTML; see `typeset`."""
    return Markup(typeset(str(escape(text))))


def percent_of(part: float, whole: int) -> str:
    """Return a length on a common scale, in percent.

    >>> percent_of(1, 3)
    '33.33%'
    """
    return f"{100 * part / max(whole, 1):.2f}%"


def tier_label(row: Row, scheme: TierScheme, several: bool, little: Collection[str] = ()) -> str:
    """Return the tier, letters or group of an agent, with its component if there are several; a mark for little data."""
    own = LITTLE if row.agent in little else row.tier_label(scheme)
    return f"{own} (component {row.part})" if own and several and scheme != "letters" else own


MOST = 40  # rows of the leaderboard in Markdown


def report_markdown(report: "Analysis") -> str:
    """Return verdict, failed checks and warnings, leaderboard, and provenance as Markdown."""
    lines = [f"## {markdown(shown(report.title, 200))}", "", f"{report.size}.", ""]
    lines += verdict_markdown(report).splitlines()
    troubles = [f for f in report.check.findings if f.status in ("failed", "warning")]
    if troubles:
        lines += ["", "### Can you trust this?", ""]
        lines += [f"- **{f.status}**, {markdown(f.name)}: {markdown(f.text)}" for f in troubles]
    lines += [
        "",
        "### Leaderboard",
        "",
        board_markdown(report, MOST),
        "",
        markdown(f"{board_note(report)} {tiers_note(report)}".strip()),
        "",
    ]
    lines += ["<details><summary>Where this comes from</summary>", ""]
    lines += [f"- {term}: {markdown(meaning)}" for term, meaning in facts(report)]
    return "\n".join([*lines, "", "</details>"]) + "\n"


def verdict_markdown(report: "Analysis") -> str:
    """Return the short answer, then the sentences of the verdict, one per line."""
    return f"**{markdown(report.answer.text)}**\n\n" + "\n".join(
        f"- {_sentence_markdown(sentence)} *({sentence.mark})*" for sentence in report.verdict
    )


def board_markdown(report: "Analysis", most: int | None = None) -> str:
    """Return the leaderboard as a table, or its first rows and how many follow."""
    lines, left = markdown_table(board_table(report), most), 0 if most is None else len(report.board) - most
    return "\n".join([*lines, "", f"{left:,} more agents in the full report."] if left > 0 else lines)


def _sentence_markdown(sentence: Sentence) -> str:
    return "".join(
        f"**{markdown(shown(part))}**" if isinstance(part, Name) else markdown(part) for part in sentence.parts
    )


def board_table(report: "Analysis") -> Table:
    """Return the leaderboard as a table for Markdown and notebooks."""
    shape, steps, little = score_options(report), report.tiers, little_data(report)
    ends, several = interval_ends(report), len({row.part for row in report.board}) > 1
    tier = []
    if steps is not None:
        tier = [Column(steps.heading, lambda row: tier_label(row, steps.scheme, several, little), left=True)]
    columns = [
        *tier,
        Column("agent", lambda row: shown(row.agent), left=True),
        Column(
            score_name(report), lambda row: f"{score(row.score, **shape)} {margin(row, ends=ends, **shape)}".rstrip()
        ),
        Column(
            "ranks",
            ranks,
            bar=lambda row: None if row.best is None else (row.best, row.rank, row.worst),
            strong=lambda row: row.may_be_first,
        ),
        Column("core", lambda row: row.membership, left=True),
        Column(f"{report.unit}s", lambda row: "" if row.battles is None else f"{row.battles:,}"),
    ]
    return Table(columns, board_order(report))
