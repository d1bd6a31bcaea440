"""The verdict: two to five sentences that come first, each saying whether the data settle it and where its evidence stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from beatpath._text import confidence, counted, percent, quoted
from beatpath.analysis.board_rows import Row
from beatpath.checks.finding import Check
from beatpath.inference.core.core_result import Core
from beatpath.inference.ranking.compare import Comparison

if TYPE_CHECKING:
    from beatpath.analysis.questions import PlayPlan
    from beatpath.inference.resolve.resolution import Resolution

RESOLVED, OPEN, UNKNOWN = "resolved", "not resolved", "unknown"
MOST_NAMES = 4
MOST_SENTENCES = 5
EVEN = 0.5  # probability from which the most probable core is worth a word


class Name(str):
    """The name of an agent inside a sentence, so that a page can set it apart."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the verdict.

    Parameters
    ----------
    parts : tuple of str
        Text and names in turn; joined they are the sentence.
    mark : {"resolved", "not resolved", "unknown"}
        Whether the data settle what it is about.
    evidence : str
        The section of the report that its numbers stand in.

    >>> print(Sentence((Name("ada"), " is certainly first."), RESOLVED, "board"))
    'ada' is certainly first.
    """

    parts: tuple[str, ...]
    mark: str
    evidence: str

    @property
    def text(self) -> str:
        """The sentence as plain text, names in quotation marks."""
        return "".join(quoted(part) if isinstance(part, Name) else part for part in self.parts)

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as plain data."""
        return {"sentence": self.text, "mark": self.mark, "evidence": self.evidence}


def named(names: Sequence[str], most: int = MOST_NAMES) -> tuple[str, ...]:
    """Return the parts of a list of names.

    >>> "".join(named(["a", "b", "c"])), "".join(named(["a", "b", "c"], most=2))
    ('a, b and c', 'a, b and 1 more')
    """
    shown = [Name(name) for name in names[:most]]
    if len(names) > most:
        return (*_with_commas(shown, ", ", ", "), f" and {len(names) - most:,} more")
    return _with_commas(shown, ", ", " and ")


def _with_commas(names: Sequence[str], comma: str, last: str) -> tuple[str, ...]:
    parts: list[str] = []
    for k, name in enumerate(names):
        parts += [] if k == 0 else [last if k == len(names) - 1 else comma]
        parts.append(name)
    return tuple(parts)


def verdict(
    board: Sequence[Row],
    resolution: "Resolution | None",
    core: Core | None,
    comparison: Comparison | None,
    check: Check | None,
    plan: "PlayPlan",
    not_run: Mapping[str, str],
) -> tuple[Sentence, ...]:
    """Return the sentences: who is best, how much is resolved, what runs in circles, what methods say, what to do."""
    if len(board) < 2:
        who: tuple[str, ...] = (Name(board[0].agent), " is the only agent.") if board else ("There is no agent.",)
        return (Sentence(who, UNKNOWN, "data"),)
    failed = () if check is None else check.having("failed")
    circle = None if resolution is None else _circle(board, resolution, core)
    second = None if resolution is None or check is None else _second_opinion(resolution)
    said = [
        circle or _who_is_first(board, resolution, core, comparison, not_run),
        second,
        None if resolution is None else _pairs_resolved(resolution),
        None if resolution is None or circle is not None else _cycles(resolution),
        None if comparison is None else _methods_agree(comparison),
        _failed_checks([finding.name for finding in failed]) if failed else None,
        None if circle is not None or second is not None else _plan_said(plan),
    ]
    return tuple(sentence for sentence in said if sentence is not None)[:MOST_SENTENCES]


def _circle(board: Sequence[Row], resolution: "Resolution", core: Core | None) -> Sentence | None:
    """The members of the core beat each other in a circle that survives the noise."""
    inside = {row.agent for row in board if row.membership != "outside"} if core is not None else set()
    for circle in resolution.cycles.surviving:
        if set(circle.agents) <= inside:
            steps: list[str] = []
            for edge in circle.edges:
                steps += [
                    "; " if steps else "",
                    Name(edge.winner),
                    " beats ",
                    Name(edge.loser),
                    f" ({percent(edge.rate)})",
                ]
            chance = ""
            if (
                core is not None
                and core.posterior is not None
                and set(core.posterior.most_probable) == set(circle.agents)
            ):
                chance = f" That these and no others are the core has a probability of {core.posterior.chance}."
            level = confidence(resolution.ranks.level)
            parts = (
                "No single agent is best: ",
                *steps,
                f". All three hold at once ({level}), so that one list cannot say it.{chance}",
            )
            return Sentence(tuple(part for part in parts if part), RESOLVED, "core")
    return None


def _who_is_first(
    board: Sequence[Row],
    resolution: "Resolution | None",
    core: Core | None,
    comparison: Comparison | None,
    not_run: Mapping[str, str],
) -> Sentence:
    """Who is first, or may be."""
    winner = None if comparison is None else comparison.condorcet.strong
    if resolution is None:
        why = f"How sure one may be cannot be said: {not_run.get('resolution', 'there are no counts.')}"
        if winner is None:
            return Sentence(("No agent beats all others head to head. " if comparison else "", why), UNKNOWN, "data")
        return Sentence((Name(winner), " beats every other agent head to head. ", why), UNKNOWN, "methods")
    ranks, others = resolution.ranks, len(board) - 1
    level = confidence(ranks.level)
    certain, may = ranks.certainly_top(1), ranks.top(1)
    if certain:
        at_once = ", all compared at once" if ranks.simultaneous and others > 1 else ""
        over = f"that of each of {others:,} others" if others > 1 else "that of the only other agent"
        too = (
            f", and it beats {'every one of them' if others > 1 else 'it'} head to head" if winner == certain[0] else ""
        )
        said = f" is certainly first: its score is above {over}{at_once} ({level}){too}."
        return Sentence((Name(certain[0]), said), RESOLVED, "board")
    if len(may) == len(board):
        return Sentence(
            (f"First place is not resolved: any of the {len(may):,} agents may be first ({level}).",), OPEN, "board"
        )
    said = f"First place is not resolved: {counted(len(may), 'agent')} of {len(board):,} may be first ({level}): "
    return Sentence((said, *named(may), f".{_core_said(core)}"), OPEN, "board")


def _second_opinion(resolution: "Resolution") -> Sentence | None:
    """Where strengths on one scale would call the opposite of the scores certain."""
    if not resolution.opposed:
        return None
    (one, other), more = resolution.opposed[0], len(resolution.opposed) - 1
    rest = f", and so of {counted(more, 'more pair')}" if more else ""
    said = f" by these scores, and certainly below by Bradley-Terry strengths{rest}."
    return Sentence((Name(one), " is certainly above ", Name(other), said), OPEN, "scale")


def _core_said(core: Core | None) -> str:
    if core is None or core.posterior is None or core.posterior.most_probable_probability < EVEN:
        return ""
    if len(core.posterior.most_probable) > MOST_NAMES:
        return ""
    who = "".join(quoted(part) if isinstance(part, Name) else part for part in named(core.posterior.most_probable))
    return f" The most probable core is {who} ({core.posterior.chance})."


def _pairs_resolved(resolution: "Resolution") -> Sentence:
    """How many pairs and ranks are settled, and the longest stretch that is not."""
    ranks, n = resolution.ranks, len(resolution.agents)
    unique = len(ranks.unique_ranks)
    has = "has" if unique == 1 else "have"
    said = f"The data resolve {ranks.resolved_pairs:,} of {counted(ranks.pairs, 'pair')}. {unique:,} of {n:,} agents {has} a unique rank"
    longest = max(ranks.runs, key=len, default=())
    if len(longest) > 2:
        rank = [int(ranks.rank[i]) for i in longest]
        said += f"; within ranks {min(rank)} to {max(rank)} nobody is certainly above anybody"
    return Sentence((f"{said}.",), RESOLVED if ranks.resolved_pairs == ranks.pairs else OPEN, "board")


def _cycles(resolution: "Resolution") -> Sentence:
    """Whether circles are real, and what that means for a single ranking."""
    apparent, real = resolution.cycles.observed, resolution.cycles.significant
    if not resolution.cycles.triads:
        return Sentence((resolution.cycles.sentences[0],), UNKNOWN, "core")
    seen = counted(apparent, "apparent three-cycle")
    if real:
        survive = "survives" if real == 1 else "survive"
        return Sentence((f"{real:,} of {seen} {survive} the noise: no single ranking says all.",), RESOLVED, "core")
    none = "none of which survives the noise" if apparent > 1 else "which does not survive the noise"
    said = f"{seen}, {none}" if apparent else "No three agents beat each other in a circle"
    fair = resolution.one_scale.defensible
    ends = {
        True: (": a single ranking is defensible", RESOLVED),
        False: (", but strengths on one scale do not fit: read the pairs, not one list", OPEN),
        None: ("; whether one scale is fair cannot be told", UNKNOWN),
    }
    end, mark = ends[fair]
    return Sentence((f"{said}{end}.",), mark, "scale" if fair is False else "core")


def _methods_agree(comparison: Comparison) -> Sentence | None:
    """How far the methods agree on the top, and about whom they differ most."""
    k = len(comparison.rankings)
    if k < 2:
        return None
    agreed, first = agreed_top(comparison), comparison.agreed()
    parts: tuple[str, ...] = (f"The {k} methods ",)
    if agreed > 1:
        parts += (f"agree on who the top {agreed} are", "" if first else ", though not on who is first")
    elif agreed:
        parts += ("agree that ", Name(first[0]), " is first")
    elif first:
        parts += ("all put ", *named(first), " first, some of them beside others")
    else:
        parts += ("do not agree on who is first",)
    moved = [one for one in comparison.movers() if one[2] > one[1]]
    if not moved:
        return Sentence(("The methods give every agent the same rank.",), RESOLVED, "methods")
    name, best, worst = moved[0]
    by = {ranking.method: ranking.rank(name) for ranking in comparison.rankings}
    high, low = (next(key for key, rank in by.items() if rank == end) for end in (best, worst))
    differ = f" (rank {best} by {_method_said(high)}, {worst} by {_method_said(low)})."
    return Sentence((*parts, ", and differ most about ", Name(name), differ), RESOLVED if first else OPEN, "methods")


def agreed_top(comparison: Comparison) -> int:
    """Return the largest number of first agents, below half of all, that every method names as a set; 0 where none."""
    tops = []
    for ranking in comparison.rankings:
        seen: frozenset[str] = frozenset()
        mine = []
        for level in ranking.levels:
            seen |= set(level)
            mine.append(seen)
        tops.append(set(mine))
    common = [len(top) for top in set.intersection(*tops) if len(top) <= max(1, len(comparison.agents) // 2)]
    return max(common, default=0)


def _method_said(method: str) -> str:
    return method.replace("_", " ")


def _failed_checks(names: Sequence[str]) -> Sentence:
    checks = ", ".join(names)
    return Sentence((f"Read the checks first: {counted(len(names), 'failed', 'failed')} ({checks}).",), OPEN, "trust")


def _plan_said(plan: "PlayPlan") -> Sentence | None:
    """What would part the leaders, where they are not parted and a number of battles that can be played would do it."""
    from beatpath.inference.design.aim import about

    if plan.number is None or plan.leaders is None:
        return None
    first, second = (Name(name) for name in plan.leaders.agents)
    alone = plan.leaders.direct is not None and plan.leaders.direct.number == plan.number
    how = " between them would do." if alone else ", spread over their opponents as at present, would do."
    return Sentence(("To part ", first, " from ", second, f", about {about(plan.number)}{how}"), OPEN, "change")
