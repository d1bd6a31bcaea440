"""The verdict of a report: the short answer, a paragraph that reconciles first place and core, then the evidence.

`beatpath.inference.resolve.who_is_first` states who is first and `beatpath.inference.ranking.compare` what methods
say; this module combines them with core, checks and plan.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from beatpath._sentence import MOST_NAMES, OPEN, RESOLVED, UNKNOWN, Name, Sentence, named
from beatpath._text import counted
from beatpath.analysis.board_rows import Row
from beatpath.checks.finding import Check
from beatpath.inference.core.core_result import Core
from beatpath.inference.ranking.compare import Comparison

if TYPE_CHECKING:
    from beatpath.analysis.questions import PlayPlan
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution


def short_answer(
    board: Sequence[Row],
    resolution: "PairwiseResolution | None",
    comparison: Comparison | None,
    not_run: Mapping[str, str],
) -> Sentence:
    """Return one sentence that can serve as a title."""
    if len(board) < 2:
        who: tuple[str, ...] = (Name(board[0].agent), " is the only agent.") if board else ("There is no agent.",)
        return Sentence(who, UNKNOWN, "data")
    if resolution is not None:
        return resolution.answer
    return _without_counts(not_run) if comparison is None else comparison.answer


def verdict(
    board: Sequence[Row],
    resolution: "PairwiseResolution | None",
    core: Core | None,
    comparison: Comparison | None,
    check: Check | None,
    plan: "PlayPlan",
    not_run: Mapping[str, str],
) -> tuple[Sentence, ...]:
    """Return the verdict: who is best and why answers differ; how much is resolved, what methods say, what to do."""
    from beatpath.inference.resolve.who_is_first import cycle_at_the_top, opposed_sentence

    if len(board) < 2:
        return (short_answer(board, resolution, comparison, not_run),)
    failed = () if check is None else check.having("failed")
    names = ", ".join(finding.name for finding in failed)
    sentences: list[Sentence | None] = []
    if resolution is None:
        sentences += [_without_counts(not_run), None if comparison is None else comparison.head_to_head]
    else:  # who may be first by score, who beats everybody in direct comparison, the core, and the design
        panel = () if resolution.panel is None else (resolution.panel.sentence,)
        sentences += [
            *resolution.verdict,
            None if len(resolution.matrix.parts) > 1 else _core_sentence(resolution, core),
            *(Sentence((text,), OPEN, "trust") for text in (*resolution.unplaced_note, *panel)),
            None if check is None else opposed_sentence(resolution),
            _pairs_resolved(resolution),
            None if cycle_at_the_top(resolution) is not None else _cycles(resolution),
        ]
    sentences += [
        None if comparison is None else _methods_sentence(comparison),
        Sentence((f"Read the checks first: {len(failed):,} failed ({names}).",), OPEN, "trust") if failed else None,
        None if resolution is not None and resolution.ranks.certainly_top(1) else _plan_sentence(plan),
    ]
    return tuple(sentence for sentence in sentences if sentence is not None)


def _without_counts(not_run: Mapping[str, str]) -> Sentence:
    why = not_run.get("resolution", "there are no counts.")
    return Sentence((f"The uncertainty cannot be determined: {why}",), UNKNOWN, "data")


def _core_sentence(resolution: "PairwiseResolution", core: Core | None) -> Sentence | None:
    """The most probable core compared with those that may be first: the same agents, or why it differs."""
    if core is None or core.posterior is None:
        return None
    posterior, may = core.posterior, set(resolution.ranks.top(1))
    who, is_likely = posterior.most_probable, posterior.likely
    core_is = "the core, the fewest agents that together beat all others head to head"
    if not is_likely:
        alone = (Name(who[0]), " alone") if len(who) == 1 else (counted(len(who), "agent"),)
        return Sentence(("No core is likely: the most probable, ", *alone, f", has {posterior.chance}."), OPEN, "core")
    if len(who) > MOST_NAMES:
        many = (
            f"The most probable core ({posterior.chance}) has {counted(len(who), 'agent')}: that many may form a cycle."
        )
        return Sentence((many,), OPEN, "core")
    mark = RESOLVED if posterior.most_probable_probability >= resolution.ranks.level else OPEN
    if set(who) == may and len(may) > 1:
        return Sentence((*named(who), f" are also most probably {core_is} ({posterior.chance})."), mark, "core")
    verb = " alone is" if len(who) == 1 else " are"
    why = (
        ""
        if set(who) == may or resolution.majorities.winner in who
        else ": the core counts who beats whom, not by how much"
    )
    return Sentence((*named(who), f"{verb} most probably {core_is} ({posterior.chance}){why}."), mark, "core")


def _pairs_resolved(resolution: "PairwiseResolution") -> Sentence:
    """How many pairs and ranks are resolved, and the longest run of ranks that is not."""
    ranks, n = resolution.ranks, len(resolution.agents)
    unique = len(ranks.unique_ranks)
    shared = any(ranks.worst[ranks.index(name)] > 1 for name in ranks.certainly_top(1))
    stricter = ", which is stricter than the test of first place" if shared else ""
    text = (
        f"The order of {ranks.resolved_pairs:,} of {counted(ranks.pairs, 'pair')} is certain ({resolution.confidence}), and "
        f"{unique:,} of {n:,} agents {'has' if unique == 1 else 'have'} a unique rank"
        f"{f' with all pairs compared simultaneously{stricter}' if ranks.simultaneous else ''}"
    )
    longest = max(ranks.unresolved_runs, key=len, default=())
    if len(longest) > 2:
        rank = [int(ranks.rank[i]) for i in longest]
        text += f"; within ranks {min(rank)} to {max(rank)} no agent is certainly above another"
    return Sentence((f"{text}.",), RESOLVED if ranks.resolved_pairs == ranks.pairs else OPEN, "board")


def _cycles(resolution: "PairwiseResolution") -> Sentence:
    """Whether cycles are significant, and what that means for a single ranking."""
    apparent, real = resolution.cycles.observed, resolution.cycles.significant
    if not resolution.cycles.triads:
        return Sentence((resolution.cycles.sentences[0],), UNKNOWN, "core")
    count = counted(apparent, "apparent three-cycle")
    if real:
        survive = "survives" if real == 1 else "survive"
        return Sentence(
            (f"{real:,} of {count} {survive} the noise: no single ranking shows all certain wins.",), RESOLVED, "core"
        )
    none = "none of which survives the noise" if apparent > 1 else "which does not survive the noise"
    text = f"{count}, {none}" if apparent else "No three agents form a cycle"
    fair = resolution.one_scale.defensible
    if fair is False and resolution.majorities.is_order:
        order = "head to head all agents stand in one order, but a Bradley-Terry model misstates how often they win"
        return Sentence((f"{text}: {order}.",), OPEN, "scale")
    ends = {
        True: (": a single ranking is defensible", RESOLVED),
        False: (", but a Bradley-Terry model does not fit: read the pairs, not one list", OPEN),
        None: ("; whether a Bradley-Terry model fits cannot be determined", UNKNOWN),
    }
    end, mark = ends[fair]
    return Sentence((f"{text}{end}.",), mark, "scale" if fair is False else "core")


def _methods_sentence(comparison: Comparison) -> Sentence | None:
    """How many methods put whom first, and which agents the methods that order all agents disagree on."""
    if len(comparison.rankings) < 2 or comparison.parts:
        return None
    moves = comparison.moves(1)
    return Sentence(
        (*comparison.answer.parts, *(() if moves is None else (" ", *moves.parts))),
        comparison.answer.mark,
        "methods",
    )


def _plan_sentence(plan: "PlayPlan") -> Sentence | None:
    """What would separate the leaders, if they are not separated and a feasible number of battles would do it."""
    from beatpath.inference.design.power import about

    if plan.number is None or plan.leaders is None:
        return None
    first, second = plan.leaders.agents
    alone = plan.leaders.direct is not None and plan.leaders.direct.number == plan.number
    how = " between them." if alone else ", spread over their opponents as now."
    return Sentence(
        (
            "Separating ",
            Name(first),
            " from ",
            *named(plan.alike or (second,), last="or"),
            f" takes about {about(plan.number)}{plan.beyond}{how}",
        ),
        OPEN,
        "change",
    )
