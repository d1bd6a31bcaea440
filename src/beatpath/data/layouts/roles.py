"""Roles: which column means what. The user's mapping comes first; the rest is guessed from names and reported.

A layout is one way to write evidence as a table. `layout_of` tries the layouts in order and returns the first whose
required roles are all present.
"""

import math
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from beatpath._errors import ReadError, UsageError
from beatpath._text import listed, quoted, shown, suggestion
from beatpath._validate import require_known
from beatpath.data.layouts.hints import (
    UNNAMED,
    alike,
    heads_nothing,
    mapped,
    no_number_of,
    numbers_rows,
    of_one_kind,
    offered,
    repeats,
    unclear,
    varies,
)
from beatpath.data.layouts.labels import GOALS_NAMES, goals_of_both
from beatpath.data.tables.cells import number_of, recur
from beatpath.data.tables.words import (
    AGENT_WORDS,
    CONTESTS,
    NAMES,
    REPEATED,
    SCORE_WORDS,
    STEPS,
    TASK_FIRST,
    WORDS,
    are_totals,
    is_measure,
    is_prose,
    is_summary,
    metric_column,
    no_score,
    one_statistic,
    paired_scores,
    plain_name,
    side_pairs,
    sides_of,
    tokens,
    without_doubles,
    without_summaries,
)
from beatpath.evidence.scores import usually_lower

if TYPE_CHECKING:
    from beatpath.data.tables.frames import FrameTable
    from beatpath.data.tables.table import Table

_MANY_ROWS = 5  # least rows of which the order is no accident: five agents are in one order of 120
# How a cell begins that is a number, or one with a sign that must be removed first
_DIGITS = re.compile(r"[^\w\[{]*\d")
_WITH_UNIT = re.compile(r"[-+]?[\d.,]+\s*[^\W\d_][^\W_]{0,2}(/\w+)?")  # a number and what it counts: 12.5 us, 3 ns/op

# Required roles of every layout, and optional ones that are guessed too, in the order in which layouts are tried.
LAYOUTS: dict[str, dict[str, list[str]]] = {
    name: {part: roles.split() for part, roles in parts.items()} for name, parts in WORDS["layouts"].items()
}
BATTLES = ("battles", "winner and loser", "one-hot winners", "battles by score")  # layouts with one row per battle
# all roles that a column can be mapped to
ROLES = {role for parts in LAYOUTS.values() for roles in parts.values() for role in roles}
# Roles that may have several columns; in wide scores, values too; where every row has one agent, its names.
_SEVERAL = {"ballot", "places", "options", "matrix", "ranks"}
_NAMES = {"agent", "task", "item", "replicate"}
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
    def mapped(self) -> str:
        """The roles as what follows ``--map``."""
        return mapped({role: columns.replace(_JOINED, SEPARATOR) for role, columns in sorted(self.roles.items())})

    @property
    def rows_are_tasks(self) -> bool:
        """Whether scores have a row for every task and a column for every agent."""
        return self.roles.get("agent") == "columns" and "task" in self.roles

    @property
    def used(self) -> set[str]:
        """Every column that has a role or is kept."""
        return {column for columns in self.roles.values() for column in columns.split(_JOINED)} | set(self.extra)


def _mapped_roles(columns: Mapping[str, str], table: "Table | FrameTable") -> dict[str, str]:
    """Check the user's mapping: roles and columns exist; several columns are joined by '+'."""
    roles: dict[str, str] = {}
    for role, column in columns.items():
        require_known(role, ROLES, f"`--map` must name a role; {quoted(role)} is none of {', '.join(sorted(ROLES))}.")
        parts = re.split(rf"{re.escape(SEPARATOR)}(?!{re.escape(SEPARATOR)}|$)", column)  # a name may end with the sign
        if column in table.names or (table.has(column) and not all(map(table.has, parts))):
            parts = [column]
        unknown = [part for part in parts if part not in ("none", "columns") and not table.has(part)]
        if unknown:
            raise UsageError(
                f"`--map {role}=` must name a column; {quoted(unknown[0])} is none of {listed(table.names, 12)}."
                f"{suggestion(unknown[0], table.names)}"
            )
        roles[role] = _JOINED.join(parts)
    return roles


def layout_of(
    mapped: Mapping[str, str], table: "Table | FrameTable", measures: Sequence[str] = (), kept: Sequence[str] = ()
) -> Layout:
    """Return the first layout whose required roles are mapped or can be guessed.

    `measures` are columns that the user calls scores, whatever their names suggest, and `kept` others to be carried along.
    """
    mapped_roles = _mapped_roles(mapped, table) if mapped else {}
    taken = {column for columns in mapped_roles.values() for column in columns.split(_JOINED)}
    names = [name for name in table.names if name not in taken]
    plain = {"_".join(tokens(name)): name for name in reversed(names)}
    free = _FreeColumns(table, names, mapped_roles, plain, list(side_pairs(names)), measures, kept)
    for name, parts in LAYOUTS.items():
        allowed = {*parts["required"], *parts["optional"]}
        several = _SEVERAL | ({"value"} if name == "wide scores" else set())
        several |= _NAMES if "agent" in parts["required"] else set()
        joined = {role for role, column in mapped_roles.items() if _JOINED in column}
        if not (set(mapped_roles) <= allowed and joined <= several):
            continue
        if mapped_roles.get("agent") == "columns" and name != "wide scores" and not table.has("columns"):
            continue
        assigned = _REQUIRED[name](free)
        assigned |= free.called(*(role for role in parts["optional"] if role not in assigned), but=assigned.values())
        guessed = {role: column for role, column in assigned.items() if role in allowed and role not in mapped_roles}
        if all(mapped_roles.get(role, guessed.get(role, "none")) != "none" for role in parts["required"]):
            roles = {role: column for role, column in {**guessed, **mapped_roles}.items() if column != "none"}
            return Layout(name, roles, {r: c.replace(_JOINED, SEPARATOR) for r, c in guessed.items()}, dict(mapped))
    raise ReadError(unclear(table))


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
    measures: Sequence[str] = ()
    kept: Sequence[str] = ()

    def is_score(self, name: str) -> bool:
        """Whether a column holds numbers that may be scores: no times, identifiers, durations, costs or settings."""
        if name in self.measures or name in self.kept:
            return name in self.measures
        cells = self.table.first_texts(name)
        is_other = no_number_of(name, cells) or numbers_rows(name, cells) or self.table.kind(name) == "times"
        return self.table.mostly_numbers(name) and not is_other

    def may_be(self, role: str, name: str) -> bool:
        """Whether the cells of a column with a usual name of a role fit it."""
        fits = True
        if role in ("value", "score"):
            fits = self.table.number_share(name) > 0 or all(map(_DIGITS.match, self.table.first_texts(name) or [""]))
        elif role == "agent":
            kind = self.table.kind(name)
            fits = kind not in ("lists", "objects", "times") and name != metric_column(self.table.names)
            fits = fits and bool(self.table.first_texts(name))
        elif role == "cluster" and plain_name(name) in REPEATED:
            cells = self.table.first_texts(name)
            fits = len(set(cells)) < len(cells)
        return fits or plain_name(name) == role

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
            if role in self.given:
                continue
            column = next((name for name in near if name not in taken and self.may_be(role, name)), None)
            if column is not None:
                column_of[role] = column
                taken.add(column)
        return column_of

    def is_full(self, name: str) -> bool:
        """Whether a column has at least half as many first cells as the fullest one: an agent is named in most rows."""
        return 2 * len(self.table.first_texts(name)) >= max(len(self.table.first_texts(other)) for other in self.names)

    def has_rival(self, agent: str) -> bool:
        """Whether two columns of texts hold names of the same agents, as where a row is a battle."""
        texts = [name for name in self.names if not self.table.is_number(name)]
        pairs = [(agent, name) for name in texts] + [pair[:2] for pair in self.side_pairs if {*pair[:2]} <= {*texts}]
        return any(alike(self.table, pair) for pair in pairs)

    def has_other_names(self, agent: str) -> bool:
        """Whether the cells of another column of texts are all different too, and may be names."""
        texts = (name for name in self.names if name != agent and not (is_prose(name) or no_score(name)))
        texts = (name for name in texts if not (self.table.mostly_numbers(name) or self.table.kind(name)))
        return any(len(cells) > 1 and not repeats(cells) for cells in map(self.table.first_texts, texts))

    def sets_apart(self, agent: str, used: Collection[str]) -> bool:
        """Whether a column that is not `used` groups the rows of an agent, which may be of different tasks."""
        agents = self.table.first_texts(agent)
        texts = (n for n in self.names if n not in used and not (self.table.mostly_numbers(n) or self.table.kind(n)))
        cells = (self.table.first_texts(n) for n in texts if not is_prose(n) and not no_score(n))
        return any(len(some) == len(agents) and repeats(some) and varies(some, agents) for some in cells)

    def side_pair(self, role: str, stems: Sequence[str]) -> dict[str, str]:
        """Return the pair with the first of these stems as two roles, ``role_a`` and ``role_b``."""
        pair = next((side_pair[:2] for stem in stems for side_pair in self.side_pairs if side_pair[3] == stem), None)
        return {f"{role}_a": pair[0], f"{role}_b": pair[1]} if pair else {}


def _guess_winner_loser(free: _FreeColumns) -> dict[str, str]:
    split = {tokens(name): name for name in reversed(free.names)}
    for better, worse in (("winner", "loser"), ("better", "worse"), ("chosen", "rejected"), ("w", "l")):
        for stem in map(tokens, ("name", "", *AGENT_WORDS[:-1], "id", "team_name", "team_id")):
            winner, loser = (split.get((side, *stem)) or split.get((*stem, side)) for side in (better, worse))
            if (
                winner and loser and (stem or better not in ("chosen", "w")) and free.is_full(winner)
            ):  # no texts, no letters
                return {"winner": winner, "loser": loser}
    return {}


def _guess_pair_counts(free: _FreeColumns) -> dict[str, str]:
    for a, b in (("w_ij", "w_ji"), ("win", "loss"), ("wins", "losses")):
        if a in free.plain and b in free.plain:
            return {**free.agents, "wins_a": free.plain[a], "wins_b": free.plain[b]}
    return free.agents | free.side_pair("wins", ("wins", "win"))


def _guess_battles(free: _FreeColumns) -> dict[str, str]:
    """A pair of agents, and a column of labels or of the points of both sides, such as 2-1."""
    outcome = free.called("outcome")
    if free.side_pair("score", SCORE_WORDS) and any(
        free.table.is_number(name) and not all(-1 <= number_of(c) <= 2 for c in free.table.first_texts(name))
        for name in outcome.values()
    ):
        return free.agents  # a difference of the scores
    likely = free.plain.keys() & GOALS_NAMES and (free.agents or free.given)
    goals = goals_of_both(free.plain, free.table.first_texts) if likely else ""
    return free.agents | ({"outcome": goals} if goals else outcome)


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
    cells = [table.first_texts(name) for name in columns]
    whole, expected = len({len(column) for column in cells}) == 1, list(range(1, len(columns) + 1))
    rows = (sorted(map(number_of, row)) for row in zip(*cells, strict=True))
    return whole and len(cells[0]) > 1 and all(row == expected for row in rows)


def _guess_ranks(free: _FreeColumns) -> dict[str, str]:
    """Numeric columns of which every row holds 1, 2, 3, ... once each: the ranks of the agents in the header."""
    columns = [name for name in free.names if free.table.is_number(name) and not no_score(name)]
    columns = [name for name in columns if plain_name(name) not in NAMES["weight"]]
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
    """A column of agents and one of values; if nothing else distinguishes rows, further numbers are separate tasks.

    The steps of a curve are no scores to be averaged, and files with the same agents and items may be different tasks:
    both are left to the user.
    """
    roles = free.called("agent", "value", *LAYOUTS["scores"]["optional"])
    if plain_name(roles.get("value", "")) not in ("value", "score", "result") and "value" not in free.given:
        roles.pop("metric", None)  # a column of metrics speaks of a column with a general name
    elif metrics := metric_column(free.names):
        roles["metric"] = metrics
    roles |= _users(free, roles)
    apart = {"task", "item", "metric", "replicate"} & {*roles, *free.given}
    explicit = "value" in free.given or tokens(roles.get("value", "")) == ("value",)
    others = [name for name in free.names if name not in roles.values()]
    if "value" not in free.given and {"agent", "value"} <= set(roles):
        if roles["value"] not in free.measures:
            _require_best_first(free, roles["agent"], [roles["value"]])
        keys = [free.given.get(role) or roles.get(role, "none") for role in ("agent", *sorted(apart))]
        keys = [key for joined in keys for key in joined.split(_JOINED)]
        several = len(free.table.sources) > 1 and free.table.has("file")
        shared = several and free.table.in_several_files([key for key in keys if key != "none"])  # type: ignore[union-attr]
        cells = [free.table.first_texts(key) for key in keys if key != "none"]
        curve = not all(cells) or recur([*zip(*cells, strict=False)])  # otherwise a row has the steps that it took
        if (
            shared
            or (curve and any(STEPS & set(tokens(name)) for name in others))
            or (apart <= {"metric"} and free.sets_apart(roles["agent"], roles.values()))
        ):
            return {}
    return {} if not apart and not explicit and any(map(free.is_score, others)) else roles


def _users(free: _FreeColumns, roles: Mapping[str, str]) -> dict[str, str]:
    """Return a column of users who rate agents: as repeats where items are shared, and else as what agents share."""
    known = {**roles, **free.given}
    user = next(
        (free.plain[n] for n in NAMES["judge"] if n in free.plain and free.plain[n] not in known.values()), None
    )
    if user is None or "task" in known or not {"agent", "value"} <= set(known):
        return {}
    agents, items, users = (
        free.table.first_texts(n.split(_JOINED)[0]) for n in (known["agent"], known.get("item", user), user)
    )
    if not repeats(agents) or not repeats(users) or len({*agents}) < 2:
        return {}  # who started each run rates nobody, and first rows of one agent do not show what agents share
    if "item" not in known:
        return {} if "replicate" in known else {"task": user}
    shared = len(items) != len(agents) or len({*items}) < len({*zip(items, agents, strict=True)})
    return {"task": user} if not shared else {} if "replicate" in known else {"replicate": user}


def _require_best_first(free: _FreeColumns, agent: str, values: Sequence[str]) -> None:
    """Raise an error if ranks beside one score, or rows in the order of an average, put the lowest first: lower may be better."""
    rank = free.plain.get("rank") if len(values) == 1 else None
    averages = [name for name in free.names if is_summary(name) and name not in values and free.table.is_number(name)]
    for name in values if rank or not values else averages:
        cells = [number_of(cell) for cell in free.table.first_texts(name)]
        places = [number_of(cell) for cell in free.table.first_texts(rank)] if rank else [*range(len(cells))]
        scores = [cell for _, cell in sorted(zip(places, cells, strict=False))]
        enough = len(places) == len(cells) >= (1 if rank else _MANY_ROWS)
        if enough and scores == sorted(scores) and scores[0] < scores[-1]:
            plain, lower = f"agent={agent},value={SEPARATOR.join(values)}", ",".join(values)
            raise ReadError(
                f"scores must be better when higher, or be named; {quoted(rank or name)} puts the lowest first in {shown(free.table.sources[0])}. If "
                f"lower is better, `--map {shlex.quote(plain)} --lower {shlex.quote(lower)}`, otherwise the same without `--lower`."
            )


def _require_one_kind(free: _FreeColumns, agent: str, values: Sequence[str]) -> None:
    """Raise an error if counts, or yes and no, stand beside fractions, or two columns order all rows alike or in reverse."""
    likely, odd, same = of_one_kind({name: free.table.first_texts(name) for name in values}, values)
    hold = f"{listed(odd)} {'holds' if len(odd) == 1 else 'hold'} whole numbers beside others"
    order = f"{listed(same, 2)} put all rows in the same or the opposite order"
    if odd or same:
        raise ReadError(
            f"the scores of a table must be of one kind and stand once; {' and '.join([hold] * bool(odd) + [order] * bool(same))} in "
            f"{shown(free.table.sources[0])}. If the scores are only these, {offered(agent, likely)}, if all are, {offered(agent, values)}."
        )


def _require_plain_numbers(free: _FreeColumns) -> None:
    """Raise an error if a column of scores holds numbers with units, which would leave it out."""
    for name in filter(is_measure, free.names):
        cells = free.table.first_texts(name)
        if cells and all(map(_WITH_UNIT.fullmatch, cells)):
            raise ReadError(
                f"{quoted(name)} must hold finite numbers; got {quoted(cells[0])} in {shown(free.table.sources[0])}. Write all of them "
                "in one unit, and without it."
            )


def _guess_win_matrix(free: _FreeColumns) -> dict[str, str]:
    """The first column names the rows, and the other columns have the same names."""
    first, *others = free.table.names
    if len(others) < 2 or set(free.table.distinct(first)) != set(others):
        return {}
    return {"agent": first, "matrix": _JOINED.join(others)}


def _guess_wide_scores(free: _FreeColumns) -> dict[str, str]:
    """A column of names and columns of numbers: agents are the rows unless the first column is headed like tasks."""
    table, explicit, agent = free.table, free.given, free.given.get("agent", "")
    heads = [name for name in free.names if plain_name(name) in NAMES["agent"]]
    heads += [n for n in free.names if plain_name(n) in TASK_FIRST and not repeats(table.first_texts(n))]
    if free.names and not (no_score(free.names[0]) or is_measure(free.names[0]) or table.kind(free.names[0])):
        contest = plain_name(free.names[0]) in NAMES["ballot"]
        heads += [name for name in free.names[:1] if name == table.names[0] and not (contest or is_prose(name))]
    mapped = explicit.get("task") if agent == "columns" else agent
    first = mapped or next((n for n in heads if not table.is_number(n) and free.may_be("agent", n)), None)
    if not mapped and any(
        {*tokens(first or "")} & {*sides} and first not in (a, b) for a, b, sides, _ in free.side_pairs
    ):
        return {}  # the other side of a game is missing
    if first is None or (
        "value" not in explicit and (table.repeats(first) or free.has_rival(first) or table.has("outer name"))
    ):
        return {}
    # a numeric column with a stray text is included, so that the stray cell is an error and not a lost column
    values = [name for name in free.names if name != first and free.is_score(name)] if "value" not in explicit else []
    if "value" not in explicit:
        _require_plain_numbers(free)
    values = [] if are_totals(free.names) else without_summaries(one_statistic(values), free.measures)
    bare = plain_name(first) != "name" or len(values) + 1 == len(free.names)  # nothing else describes the rows
    doubt = not mapped and bare and heads_nothing(first)
    if doubt and (free.has_other_names(first) or not any(map(is_measure, values))):
        numbered = all(map(UNNAMED.match, table.names))
        values = values if numbered else []  # neither rows nor columns are called agents or scores
    measures = [name for name in values if not {cell.lower() for cell in table.first_texts(name)} <= {"true", "false"}]
    values = measures if len(measures) > 1 else values  # beside numbers, yes and no are not scores
    if plain_name(first) in TASK_FIRST or agent == "columns":
        values = [name for name in values if name != "cluster"]
        roles = {"value": _JOINED.join(values)} if len(values) > 1 else {}
        numbers = bool(values) and all(math.isfinite(number_of(name)) for name in values)
        metrics = any(is_measure(name) or usually_lower(name) for name in values)
        if agent != "columns" and (numbers or metrics or any(map(is_summary, values))):
            return {}  # a table by rank or by year has no agents in its header; an average and a metric are none
        return {**roles, "agent": "columns", "task": first}
    if not (free.measures or explicit):
        _require_best_first(free, first, values)
    values = values if free.measures else without_doubles(values)
    if not (free.measures or "value" in explicit):
        _require_one_kind(free, "+".join(first.split(_JOINED)), values)
    return {**({"value": _JOINED.join(values)} if len(values) > 1 else {}), "agent": first}


def _guess_places(free: _FreeColumns) -> dict[str, str]:
    """Places in contests, or ranks by judges, tasks or both; a table with scores beside the ranks is one of scores."""
    roles = free.called("ballot", "agent", "rank")
    known = {*roles, *free.given}
    if not {"agent", "rank"} <= known or "ballot" in known or free.called("value", "score", but=roles.values()):
        return roles
    contests = [free.plain[word] for word in CONTESTS if word in free.plain]
    ranked = contests[:1] or _ranked_by(free, [free.given.get(role) or roles[role] for role in ("agent", "rank")])
    if ranked:
        roles["ballot"] = _JOINED.join(ranked)
        judges = [name for name in ranked if plain_name(name) in (*NAMES["voter"], *NAMES["judge"])]
        roles |= {"voter": judges[0]} if judges and len(ranked) > 1 and "voter" not in known else {}
    return roles


def _ranked_by(free: _FreeColumns, both: Sequence[str]) -> list[str]:
    """Return the one or two columns (judges, tasks) within which every agent has one rank, the first being 1."""
    kinds = {word for role in ("voter", "judge", "item", "task", "cluster") for word in NAMES[role]}
    names = [name for name in free.names if name not in both and plain_name(name) in kinds]
    agents, ranks = (free.table.first_texts(name) for name in both)
    for columns in (*([name] for name in names), *map(list, combinations(names, 2))):
        cells = [free.table.first_texts(name) for name in columns]
        if {len(one) for one in (*cells, ranks)} == {len(agents)}:
            units = list(zip(*cells, strict=True))
            alone = len({*zip(units, agents, strict=True)}) == len(agents) > len({*units})
            if alone and all(rank == 1 for rank in _lowest(units, map(number_of, ranks))):
                return columns
    return []


def _lowest(units: Sequence[tuple[str, ...]], values: Iterable[float]) -> list[float]:
    """Return the lowest value of each unit but the last, which may be cut off."""
    of_unit: dict[tuple[str, ...], list[float]] = {}
    for unit, value in zip(units, values, strict=True):
        of_unit.setdefault(unit, []).append(value)
    return [min(one) for unit, one in of_unit.items() if unit != units[-1] or len(of_unit) == 1]


# How to guess the required roles of each layout.
_REQUIRED: dict[str, Callable[[_FreeColumns], dict[str, str]]] = {
    "winner and loser": _guess_winner_loser,
    "pair counts": _guess_pair_counts,
    "one-hot winners": lambda free: free.agents | free.side_pair("winner", ("winner_model", "winner_agent", "winner")),
    "battles": _guess_battles,
    "battles by score": _guess_battles_by_score,
    "orderings": _guess_orderings,
    "best and worst": _guess_best_worst,
    "places": _guess_places,
    "places by score": lambda free: free.called("ballot", "agent", "score"),
    "ranks by column": _guess_ranks,
    "win matrix": _guess_win_matrix,
    "scores": _guess_scores,
    "wide scores": _guess_wide_scores,
}
