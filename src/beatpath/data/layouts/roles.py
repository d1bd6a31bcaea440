"""Roles: which column means what. The user's mapping comes first; the rest is guessed from names and reported.

A layout is one way to write evidence as a table. `layout_of` tries the layouts in order and returns the first whose
required roles are all present. If names imply nothing, the error suggests the likeliest readings by the cells: two
columns with the same values are the two agents of a battle, and values that repeat beside a number are agents of a
game or a task.
"""

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from beatpath._errors import ReadError, UsageError
from beatpath._text import listed, quoted, shown, suggestion
from beatpath.data.layouts.words import AGENT_WORDS, paired_scores, side_pairs, sides_of, tokens
from beatpath.data.tables.cells import number_of

if TYPE_CHECKING:
    from beatpath.data.tables.frames import FrameTable
    from beatpath.data.tables.table import Table

# Usual names of the columns of each role, most usual first.
NAMES: dict[str, tuple[str, ...]] = {
    "agent": tuple(word for word in AGENT_WORDS if word and word not in ("item", "option", "field", "school")),
    "outcome": (
        "outcome", "winner", "result", "label", "choice", "preference", "verdict", "judgment", "judgement", "vote",
        "decision",
    ),
    "weight": ("weight", "weights"),
    "task": (
        "task", "category", "benchmark", "dataset", "game", "environment", "env", "subject", "domain", "tournament",
        "surface", "app", "board", "suite", "language", "context", "event",
    ),
    "cluster": (
        "cluster", "evaluation_session_id", "session_id", "session", "prompt", "prompt_id", "question_id", "topic",
        "instruction_id", "conversation_id", "matchup", "student",
    ),
    "judge": ("judge", "annotator", "judge_hash", "worker", "rater", "evaluator", "user", "user_id", "voter"),
    "time": ("time", "timestamp", "tstamp", "date", "datetime", "created_at", "tourney_date"),
    "position": ("position",),
    "neutral": ("neutral",),
    "ballot": ("ballot", "match", "match_id", "game_id", "race", "race_id", "contest", "episode", "episode_id"),
    "rank": ("rank", "place", "placing", "finish", "position", "finishing_position"),
    "score": ("score", "points"),
    "voter": ("voter",),
    "count": ("count",),
    "item": (
        "item", "instance", "instance_id", "item_id", "question_id", "doc_id", "sample_id", "sample", "problem",
        "problem_id", "prompt", "prompt_id", "question",
    ),
    "metric": ("metric", "metric_name", "measure"),
    "replicate": ("replicate", "seed", "epoch", "run", "trial", "repeat"),
    "value": (
        "value", "score", "acc", "accuracy", "resolved", "correct", "success", "reward", "return", "passed",
        "is_correct", "resolved_pct",
    ),
    "stderr": ("stderr", "standard_error", "se", "std_err"),
    "higher_is_better": ("higher_is_better",),
    "both_bad": ("both_bad", "bothbad", "ties_bothbad", "ties_both_bad"),
    "winner_tie": ("winner_tie",),
    "ties": ("ties", "tie", "tied", "draws", "draw", "t_ij"),
    "battles": ("battles",),
    "design_effect": ("design_effect", "deff"),
}  # fmt: skip
_IDENTIFIERS = {"id", "ids", "index", "idx", "uuid", "hash"}  # words in names of columns whose numbers measure nothing
# headers of a first column that lists tasks, not agents
TASK_FIRST = set(NAMES["task"]) | {"metric", "item", "instance", "problem", "question"}
_ALIKE = 0.3  # minimum share of values that two columns of agents have in common
_FEW = 8  # most distinct labels of an outcome column

_ABOUT = ("task", "cluster", "judge")  # factors of battles
# Optional roles of battles and of ballots.
_BATTLE = ("weight", *_ABOUT, "time")
_BALLOT = ("count", "weight", "task", "voter", "cluster")
# Required and optional roles of every layout, in the order in which they are tried.
LAYOUTS: dict[str, dict[str, tuple[str, ...]]] = {
    # layout: required roles, then the optional ones that are guessed too
    "winner and loser": {"required": ("winner", "loser"), "optional": _BATTLE},
    "pair counts": {
        "required": ("agent_a", "agent_b", "wins_a", "wins_b"),
        "optional": ("ties", "both_bad", "battles", "design_effect", *_ABOUT, "position"),
    },
    "one-hot winners": {
        "required": ("agent_a", "agent_b", "winner_a", "winner_b"),
        "optional": ("winner_tie", *_BATTLE, "position"),
    },
    "battles": {
        "required": ("agent_a", "agent_b", "outcome"),
        "optional": ("both_bad", *_BATTLE, "position", "neutral"),
    },
    "battles by score": {
        "required": ("agent_a", "agent_b", "score_a", "score_b"),
        "optional": (*_BATTLE, "position", "neutral"),
    },
    "orderings": {"required": ("places",), "optional": ("ballot", *_BALLOT)},
    "best and worst": {"required": ("options", "best", "worst"), "optional": ("ballot", "task", "voter", "weight")},
    "places": {"required": ("ballot", "agent", "rank"), "optional": _BALLOT},
    "places by score": {"required": ("ballot", "agent", "score"), "optional": _BALLOT},
    "ranks by column": {"required": ("ranks",), "optional": ("ballot", *_BALLOT)},
    "win matrix": {"required": ("agent", "matrix"), "optional": ()},
    "scores": {
        "required": ("agent", "value"),
        "optional": ("task", "item", "metric", "replicate", "stderr", "higher_is_better"),
    },
    "wide scores": {"required": ("agent", "value"), "optional": ("task",)},
}
BATTLES = ("battles", "winner and loser", "one-hot winners", "battles by score")  # layouts with one row per battle
# all roles that a column can be mapped to
ROLES = {role for parts in LAYOUTS.values() for roles in parts.values() for role in roles}
# Roles that may have several columns; in wide scores, values too.
SEVERAL = {"ballot", "places", "options", "matrix", "ranks"}
SEPARATOR = "+"  # joins the columns of a role in `map`
_JOINED = "\x1f"  # joins them internally; no name contains it


@dataclass(frozen=True)
class Layout:
    """How to read a table: the name of the layout, and the column or columns of every role."""

    name: str
    roles: Mapping[str, str]
    guessed: Mapping[str, str]
    given: Mapping[str, str]
    extra: tuple[str, ...] = ()

    def many(self, role: str) -> list[str]:
        """Return the columns of a role that has several."""
        return self.roles[role].split(_JOINED)

    @property
    def used(self) -> set[str]:
        """Every column that has a role or is kept."""
        return {column for columns in self.roles.values() for column in columns.split(_JOINED)} | set(self.extra)


def _mapped_roles(columns: Mapping[str, str], table: "Table | FrameTable") -> dict[str, str]:
    """Check the user's mapping: roles and columns exist; several columns are joined by '+'."""
    roles: dict[str, str] = {}
    for role, column in columns.items():
        if role not in ROLES:
            raise UsageError(
                f"`--map` must name a role; {quoted(role)} is none of {', '.join(sorted(ROLES))}.{suggestion(role, ROLES)}"
            )
        parts = [column] if table.has(column) or column == "columns" else column.split(SEPARATOR)
        unknown = [part for part in parts if part not in ("none", "columns") and not table.has(part)]
        if unknown:
            raise UsageError(
                f"`--map {role}=` must name a column; {quoted(unknown[0])} is none of {listed(table.names, 12)}."
                f"{suggestion(unknown[0], table.names)}"
            )
        roles[role] = _JOINED.join(parts)
    return roles


def layout_of(mapped: Mapping[str, str], table: "Table | FrameTable") -> Layout:
    """Return the first layout whose required roles are mapped or can be guessed."""
    mapped_roles = _mapped_roles(mapped, table) if mapped else {}
    taken = {column for columns in mapped_roles.values() for column in columns.split(_JOINED)}
    names = [name for name in table.names if name not in taken]
    plain = {"_".join(tokens(name)): name for name in reversed(names)}
    free = _FreeColumns(table, names, mapped_roles, plain, list(side_pairs(names)))
    for name, parts in LAYOUTS.items():
        allowed = {*parts["required"], *parts["optional"]}
        several = SEVERAL | ({"value"} if name == "wide scores" else set())
        if not set(mapped_roles) <= allowed or any(
            _JOINED in mapped_roles[role] for role in set(mapped_roles) - several
        ):
            continue
        if mapped_roles.get("agent") == "columns" and name != "wide scores" and not table.has("columns"):
            continue
        assigned = _REQUIRED[name](free)
        assigned |= free.called(*(role for role in parts["optional"] if role not in assigned), but=assigned.values())
        guessed = {role: column for role, column in assigned.items() if role in allowed and role not in mapped_roles}
        if all(mapped_roles.get(role, guessed.get(role, "none")) != "none" for role in parts["required"]):
            roles = {role: column for role, column in {**guessed, **mapped_roles}.items() if column != "none"}
            return Layout(name, roles, {r: c.replace(_JOINED, SEPARATOR) for r, c in guessed.items()}, dict(mapped))
    raise ReadError(_unclear(table))


def plain_name(column: str) -> str:
    """Return the words of a column's name in lower case, joined by underscores.

    >>> plain_name("Home.Team")
    'home_team'
    """
    return "_".join(tokens(column))


@dataclass(frozen=True)
class _FreeColumns:
    """The columns that are not mapped, which guesses use, and the user's mapping, which narrows them.

    `plain` has the columns by plain name, the first of each; `side_pairs` the pairs that differ only in a side word.
    """

    table: "Table | FrameTable"
    names: Sequence[str]
    given: Mapping[str, str]
    plain: Mapping[str, str]
    side_pairs: Sequence[tuple[str, str, tuple[str, str], str]]

    @cached_property
    def agents(self) -> dict[str, str]:
        """The two agents' columns: the pair with the likeliest stem; labels that name a side decide between equals."""
        if "agent_a" in self.given or "agent_b" in self.given:
            return {}
        likely = [side_pair for side_pair in self.side_pairs if side_pair[3] in AGENT_WORDS]
        outcome = self.given.get("outcome") or self.called("outcome").get("outcome")
        labels = set(map(plain_name, self.table.distinct(outcome))) if outcome and len(likely) > 1 else set()
        ranked = []
        for order, (a, b, sides, stem) in enumerate(likely):
            named = bool(labels) and bool(labels & {sides[0], sides[1], plain_name(a), plain_name(b)})
            ranked.append((not named, AGENT_WORDS.index(stem), order, a, b))
        return dict(zip(("agent_a", "agent_b"), min(ranked)[3:], strict=True)) if ranked else {}

    def called(self, *roles: str, but: Iterable[str] = ()) -> dict[str, str]:
        """Return the columns with a usual name of these roles, most usual first, each for one role."""
        column_of: dict[str, str] = {}
        taken = {column for columns in but for column in columns.split(_JOINED)}
        for role in roles:
            near = (self.plain[word] for word in NAMES.get(role, ()) if word in self.plain)
            column = next((name for name in near if name not in taken), None)
            if column is not None and role not in self.given:
                column_of[role] = column
                taken.add(column)
        return column_of

    def side_pair(self, role: str, stems: Sequence[str]) -> dict[str, str]:
        """Return the pair with the first of these stems as two roles, ``role_a`` and ``role_b``."""
        pair = next((side_pair[:2] for stem in stems for side_pair in self.side_pairs if side_pair[3] == stem), None)
        return {f"{role}_a": pair[0], f"{role}_b": pair[1]} if pair else {}


def _guess_winner_loser(free: _FreeColumns) -> dict[str, str]:
    split = {tokens(name): name for name in reversed(free.names)}
    for stem in (("name",), (), *((word,) for word in AGENT_WORDS if word), ("id",)):
        winner, loser = (split.get((side, *stem)) or split.get((*stem, side)) for side in ("winner", "loser"))
        if winner and loser:
            return {"winner": winner, "loser": loser}
    return {}


def _guess_pair_counts(free: _FreeColumns) -> dict[str, str]:
    for a, b in (("w_ij", "w_ji"), ("win", "loss"), ("wins", "losses")):
        if a in free.plain and b in free.plain:
            return {**free.agents, "wins_a": free.plain[a], "wins_b": free.plain[b]}
    return free.agents | free.side_pair("wins", ("wins", "win"))


def _guess_battles_by_score(free: _FreeColumns) -> dict[str, str]:
    both = [free.given.get(role, free.agents.get(role, "")) for role in ("agent_a", "agent_b")]
    scores = paired_scores([name for name in free.names if name not in both], sides_of(*both))
    return free.agents | (dict(zip(("score_a", "score_b"), scores, strict=True)) if scores else {})


def _guess_orderings(free: _FreeColumns) -> dict[str, str]:
    """Columns place_1, place_2, ... without a gap."""
    for stem in ("place", "rank", "choice", "pos", "position", "ranking"):
        columns = {int(t[1]): n for n in free.names if len(t := tokens(n)) == 2 and t[0] == stem and t[1].isdigit()}
        if len(columns) >= 2 and sorted(columns) == list(range(1, len(columns) + 1)):
            places = [columns[i] for i in sorted(columns)]
            if "places" not in free.given and _are_ranks(free.table, places):
                joined = SEPARATOR.join(places)
                raise ReadError(
                    f"{quoted(places[0])} to {quoted(places[-1])} must be read in one way; every row holds the numbers 1 to "
                    f"{len(places)}, which may be who stands at a place, `--map places={joined}`, or the rank of the agent that "
                    f"heads the column, `--map ranks={joined}`."
                )
            return {"places": _JOINED.join(places)}
    return {}


def _are_ranks(table: "Table | FrameTable", columns: Sequence[str]) -> bool:
    """Whether each of the first rows holds 1, 2, 3, ... once each, in any order."""
    cells = [[number_of(cell) for cell in table.first_texts(name)] for name in columns]
    whole, expected = len({len(column) for column in cells}) == 1, list(range(1, len(columns) + 1))
    return whole and len(cells[0]) > 1 and all(sorted(row) == expected for row in zip(*cells, strict=True))


def _guess_ranks(free: _FreeColumns) -> dict[str, str]:
    """Numeric columns of which every row holds 1, 2, 3, ... once each: the ranks of the agents in the header."""
    columns = [name for name in free.names if free.table.is_number(name) and not _IDENTIFIERS & set(tokens(name))]
    columns = [name for name in columns if plain_name(name) not in (*NAMES["count"], *NAMES["weight"])]
    return {"ranks": _JOINED.join(columns)} if len(columns) > 2 and _are_ranks(free.table, columns) else {}


def _guess_best_worst(free: _FreeColumns) -> dict[str, str]:
    """Columns best and worst, and at least three columns that differ in a letter or number."""
    stems: dict[str, dict[str, str]] = {}
    for name in free.names:
        words = tokens(name)
        if len(words) == 2 and (len(words[1]) == 1):
            stems.setdefault(words[0], {})[words[1]] = name
    options = next((c for c in stems.values() if len(c) >= 3), None)
    if options is None or not {"best", "worst"} <= set(free.plain):
        return {}
    joined = _JOINED.join(options[k] for k in sorted(options))
    return {"options": joined, "best": free.plain["best"], "worst": free.plain["worst"]}


def _guess_scores(free: _FreeColumns) -> dict[str, str]:
    """A column of agents and one of values; if nothing else distinguishes rows, further numbers are separate tasks."""
    roles = free.called("agent", "value", *LAYOUTS["scores"]["optional"])
    apart = {"task", "item", "metric", "replicate"} & {*roles, *free.given}
    explicit = "value" in free.given or tokens(roles.get("value", "")) == ("value",)
    others = [name for name in free.names if name not in roles.values()]
    return {} if not apart and not explicit and any(free.table.is_number(name) for name in others) else roles


def _guess_win_matrix(free: _FreeColumns) -> dict[str, str]:
    """The first column names the rows, and the other columns have the same names."""
    first, *others = free.table.names
    if len(others) < 2 or set(free.table.distinct(first)) != set(others):
        return {}
    return {"agent": first, "matrix": _JOINED.join(others)}


def _guess_wide_scores(free: _FreeColumns) -> dict[str, str]:
    """A column of names and columns of numbers: agents are the rows unless the first column is headed like tasks."""
    table, explicit, agent = free.table, free.given, free.given.get("agent", "")
    heads = [n for n in free.names if n == table.names[0] or plain_name(n) in (*NAMES["agent"], *TASK_FIRST)]
    mapped = explicit.get("task") if agent == "columns" else agent
    first = mapped or next((n for n in heads if not table.is_number(n)), None)
    if first is None or ("value" not in explicit and table.repeats(first)):
        return {}
    # a numeric column with a stray text is included, so that the stray cell is an error and not a lost column
    others = [name for name in free.names if name != first and not _IDENTIFIERS & set(tokens(name))]
    values = [name for name in others if table.mostly_numbers(name)] if "value" not in explicit else []
    measures = [name for name in values if not {cell.lower() for cell in table.first_texts(name)} <= {"true", "false"}]
    values = measures if len(measures) > 1 else values  # beside numbers, yes and no are not scores
    roles = {"value": _JOINED.join(values)} if len(values) > 1 else {}
    if plain_name(first) in TASK_FIRST or agent == "columns":
        if agent != "columns" and values and all(math.isfinite(number_of(name)) for name in values):
            return {}  # a table by rank or by year has no agents in its header
        return {**roles, "agent": "columns", "task": first}
    return {**roles, "agent": first}


# How to guess the required roles of each layout.
_REQUIRED: dict[str, Callable[[_FreeColumns], dict[str, str]]] = {
    "winner and loser": _guess_winner_loser,
    "pair counts": _guess_pair_counts,
    "one-hot winners": lambda free: free.agents | free.side_pair("winner", ("winner_model", "winner_agent", "winner")),
    "battles": lambda free: free.agents | free.called("outcome"),
    "battles by score": _guess_battles_by_score,
    "orderings": _guess_orderings,
    "best and worst": _guess_best_worst,
    "places": lambda free: free.called("ballot", "agent", "rank"),
    "places by score": lambda free: free.called("ballot", "agent", "score"),
    "ranks by column": _guess_ranks,
    "win matrix": _guess_win_matrix,
    "scores": _guess_scores,
    "wide scores": _guess_wide_scores,
}


def _unclear(table: "Table | FrameTable") -> str:
    """State that the columns imply no layout, and suggest the two likeliest readings, or else examples."""
    readings = list(likely_readings(table))[:2]
    message = f"the columns of {shown(table.sources[0])} must show what they mean; {listed(table.names, 12)} do not. "
    if not readings:
        return message + (
            "Map them, for example `--map agent_a=COLUMN,agent_b=COLUMN,outcome=COLUMN` for battles, `--map agent=COLUMN,"
            "task=COLUMN,value=COLUMN` for scores, `--map ballot=COLUMN,agent=COLUMN,rank=COLUMN` for games; `beatpath formats` "
            "lists all."
        )
    mapped = [",".join(f"{role}={shown(column, 200)}" for role, column in roles.items()) for _, roles in readings]
    options = [f"{what}, `--map {shlex.quote(option)}`" for (what, _), option in zip(readings, mapped, strict=True)]
    return message + f"They may be {'; or '.join(options)}. `beatpath formats` lists all layouts."


def likely_readings(table: "Table | FrameTable") -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what a table may hold and the roles of its columns, likeliest first."""
    number = [name for name in table.names if table.mostly_numbers(name)]
    text = [name for name in table.names if name not in number]
    measure = [name for name in number if not {"id", "index", "idx", "date", "time", "year"} & set(tokens(name))]
    agents = _alike(table, text) or _alike(table, [name for name in number if name not in measure])
    if agents is not None:
        yield from _likely_battles(table, agents, [name for name in measure if name not in agents])
    names = [name for name in text if table.repeats(name)]

    def numbers_games(name: str) -> bool:
        cells, words = table.first_texts(name), {"id", "game", "match", "race", "round"}
        return bool(words & set(tokens(name))) and len(set(cells)) < len(cells)

    game = next(filter(numbers_games, table.names), None)
    if names and measure:
        agent = next((name for name in names if name != game), names[0])
        values = [name for name in measure if name not in (agent, game)]
        others = [name for name in names if name not in (agent, game)]
        if game is not None and game != agent and values:
            yield "places in games, more being better", {"ballot": game, "agent": agent, "score": values[0]}
        if values:
            yield "scores", {"agent": agent, **({"task": others[0]} if others else {}), "value": values[0]}
    elif text and len(measure) > 1:
        yield "a table of scores, one column a task", {"agent": text[0], "value": "+".join(measure[:8])}


def _likely_battles(
    table: "Table | FrameTable", agents: tuple[str, str], measure: list[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Battles by score and by label between two columns of agents."""
    roles = dict(zip(("agent_a", "agent_b"), agents, strict=True))
    scores = paired_scores(measure, sides_of(*agents)) or (measure[:2] if len(measure) > 1 else None)
    if scores:
        yield "battles by score", {**roles, "score_a": scores[0], "score_b": scores[1]}
    rest = [name for name in table.names if name not in agents and not {"id", "date"} & set(tokens(name))]
    label = next((name for name in rest if 2 <= len(set(table.first_texts(name))) <= _FEW), None)
    if label is not None:
        yield "battles", {**roles, "outcome": label}


def _alike(table: "Table | FrameTable", names: list[str]) -> tuple[str, str] | None:
    """The first two columns that have many values in common."""
    cells = {name: set(table.first_texts(name)) for name in names}
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            if min(len(cells[a]), len(cells[b])) > 1 and len(cells[a] & cells[b]) >= _ALIKE * len(cells[a] | cells[b]):
                return a, b
    return None
