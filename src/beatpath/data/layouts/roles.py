"""Roles: which column means what. What the user maps is taken; the rest is guessed from names and said.

A layout is one way in which people write evidence down as a table. `layout_of` tries them in order and returns the
first whose required roles are all found.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from beatpath._errors import ReadError, UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath.data.layouts.likely import unclear
from beatpath.data.layouts.peek import Peek
from beatpath.data.layouts.words import AGENT_WORDS, score_twins, sides_of, tokens, twins
from beatpath.data.tables.columns import number_of

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
    "ties": ("ties", "tie", "tied", "draws", "draw", "t_ij"),
    "battles": ("battles",),
}  # fmt: skip
_IDENTIFIERS = {"id", "ids", "index", "idx", "uuid", "hash"}  # words of columns whose numbers measure nothing
TASK_FIRST = set(NAMES["task"]) | {"metric", "item", "instance", "problem", "question"}

LAYOUTS: dict[str, dict[str, tuple[str, ...]]] = {
    # layout: required roles, then the optional ones that are guessed too
    "winner and loser": {"required": ("winner", "loser"), "optional": ("weight", "task", "cluster", "judge", "time")},
    "pair counts": {
        "required": ("agent_a", "agent_b", "wins_a", "wins_b"),
        "optional": ("ties", "both_bad", "battles", "task", "cluster", "judge", "position"),
    },
    "one-hot winners": {
        "required": ("agent_a", "agent_b", "winner_a", "winner_b"),
        "optional": ("winner_tie", "weight", "task", "cluster", "judge", "time", "position"),
    },
    "battles": {
        "required": ("agent_a", "agent_b", "outcome"),
        "optional": ("both_bad", "weight", "task", "cluster", "judge", "time", "position", "neutral"),
    },
    "battles by score": {
        "required": ("agent_a", "agent_b", "score_a", "score_b"),
        "optional": ("weight", "task", "cluster", "judge", "time", "position", "neutral"),
    },
    "orderings": {"required": ("places",), "optional": ("ballot", "count", "weight", "task", "voter", "cluster")},
    "best and worst": {"required": ("options", "best", "worst"), "optional": ("ballot", "task", "voter", "weight")},
    "places": {
        "required": ("ballot", "agent", "rank"),
        "optional": ("count", "weight", "task", "voter", "cluster"),
    },
    "places by score": {
        "required": ("ballot", "agent", "score"),
        "optional": ("count", "weight", "task", "voter", "cluster"),
    },
    "ranks by column": {"required": ("ranks",), "optional": ("ballot", "count", "weight", "task", "voter", "cluster")},
    "win matrix": {"required": ("agent", "matrix"), "optional": ()},
    "scores": {
        "required": ("agent", "value"),
        "optional": ("task", "item", "metric", "replicate", "stderr", "higher_is_better"),
    },
    "wide scores": {"required": ("agent", "value"), "optional": ("task",)},
}
ROLES = {role for parts in LAYOUTS.values() for roles in parts.values() for role in roles}
SEVERAL = {
    "ballot",
    "places",
    "options",
    "matrix",
    "ranks",
}  # roles that may take several columns; in wide scores, values too
SEPARATOR = "+"


@dataclass(frozen=True)
class Layout:
    """How a table is to be read: the name of the layout and the column, or columns, of every role."""

    name: str
    roles: Mapping[str, str]
    guessed: Mapping[str, str]
    given: Mapping[str, str]
    kept: tuple[str, ...] = ()

    def __contains__(self, role: str) -> bool:
        return role in self.roles

    def many(self, role: str) -> list[str]:
        """Return the columns of a role that takes several."""
        return self.roles[role].split("\x1f")

    @property
    def used(self) -> set[str]:
        """Every column that has a role or is carried along."""
        return {column for columns in self.roles.values() for column in columns.split("\x1f")} | set(self.kept)


def given_roles(columns: Mapping[str, str], names: Sequence[str], has: Callable[[str], bool]) -> dict[str, str]:
    """Check the user's mapping: roles exist, columns exist; several columns are joined by '+'."""
    roles: dict[str, str] = {}
    for role, column in columns.items():
        if role not in ROLES:
            raise UsageError(
                f"`--map` must name a role; {quoted(role)} is none of {', '.join(sorted(ROLES))}.{suggestion(role, ROLES)}"
            )
        parts = [column] if has(column) or column == "columns" else column.split(SEPARATOR)
        unknown = [part for part in parts if part not in ("none", "columns") and not has(part)]
        if unknown:
            raise UsageError(
                f"`--map {role}=` must name a column; {quoted(unknown[0])} is none of {listed(names, 12)}."
                f"{suggestion(unknown[0], names)}"
            )
        roles[role] = "\x1f".join(parts)
    return roles


def layout_of(columns: Mapping[str, str], peek: Peek, has: Callable[[str], bool], source: str) -> Layout:
    """Return the first layout whose required roles are mapped or can be guessed."""
    given = given_roles(columns, peek.names, has)
    for name, parts in LAYOUTS.items():
        allowed = {*parts["required"], *parts["optional"]}
        several = SEVERAL | ({"value"} if name == "wide scores" else set())
        if not set(given) <= allowed or any("\x1f" in given[role] for role in set(given) - several):
            continue
        if given.get("agent") == "columns" and name != "wide scores" and not has("columns"):
            continue
        guessed = {k: v for k, v in _guess_roles(name, peek, given).items() if k in allowed and k not in given}
        if all(given.get(role, guessed.get(role, "none")) != "none" for role in parts["required"]):
            roles = {role: column for role, column in {**guessed, **given}.items() if column != "none"}
            return Layout(name, roles, {r: c.replace("\x1f", SEPARATOR) for r, c in guessed.items()}, dict(columns))
    raise ReadError(unclear(peek, source))


def _guess_roles(layout: str, peek: Peek, given: Mapping[str, str]) -> dict[str, str]:
    """Guess the roles of one layout; what is already mapped narrows the guess."""
    taken = {column for columns in given.values() for column in columns.split("\x1f")}
    free = [name for name in peek.names if name not in taken]
    found = _REQUIRED[layout](peek, free, given)
    for role in LAYOUTS[layout]["optional"]:
        taken = _columns_taken(found)
        column = _column_by_usual_name(role, [name for name in free if name not in taken])
        if column is not None and role not in found:
            found[role] = column
    return found


def _columns_taken(roles: Mapping[str, str]) -> set[str]:
    return {column for columns in roles.values() for column in columns.split("\x1f")}


def _column_by_usual_name(role: str, names: Sequence[str]) -> str | None:
    """The column that bears one of the role's usual names, the most usual first."""
    plain = {"_".join(tokens(name)): name for name in reversed(names)}
    return next((plain[word] for word in NAMES.get(role, ()) if word in plain), None)


def _guess_agents(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """The two agents' columns: the twins with the likeliest stem; labels that name a side decide between equals."""
    if "agent_a" in given or "agent_b" in given:
        return {}
    likely = [twin for twin in twins(free) if twin[3] in AGENT_WORDS]
    outcome = given.get("outcome") or _column_by_usual_name("outcome", free)
    labels = {"_".join(tokens(value)) for value in peek.values(outcome)} if outcome and len(likely) > 1 else set()
    ranked = []
    for order, (a, b, sides, stem) in enumerate(likely):
        named = bool(labels & {sides[0], sides[1], "_".join(tokens(a)), "_".join(tokens(b))})
        ranked.append((not named, AGENT_WORDS.index(stem), order, a, b))
    return dict(zip(("agent_a", "agent_b"), min(ranked)[3:], strict=True)) if ranked else {}


def _guess_winner_loser(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    split = {tokens(name): name for name in reversed(free)}
    for stem in (("name",), (), *((word,) for word in AGENT_WORDS if word), ("id",)):
        pair = [split.get((side, *stem)) or split.get((*stem, side)) for side in ("winner", "loser")]
        if pair[0] and pair[1]:
            return {"winner": pair[0], "loser": pair[1]}
    return {}


def _twin(free: Sequence[str], stems: Sequence[str]) -> tuple[str, str] | None:
    return next((t[:2] for stem in stems for t in twins(free) if t[3] == stem), None)


def _guess_pair_counts(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    found = _guess_agents(peek, free, given)
    plain = {"_".join(tokens(name)): name for name in reversed(free)}
    for a, b in (("w_ij", "w_ji"), ("win", "loss"), ("wins", "losses")):
        if a in plain and b in plain:
            return {**found, "wins_a": plain[a], "wins_b": plain[b]}
    wins = _twin(free, ("wins", "win"))
    return {**found, "wins_a": wins[0], "wins_b": wins[1]} if wins else found


def _guess_one_hot(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    found = _guess_agents(peek, free, given)
    wins = _twin(free, ("winner_model", "winner_agent", "winner"))
    if wins:
        found |= {"winner_a": wins[0], "winner_b": wins[1]}
        tie = next((name for name in free if tokens(name) == ("winner", "tie")), None)
        found |= {"winner_tie": tie} if tie else {}
    return found


def _guess_battles(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    outcome = _column_by_usual_name("outcome", free)
    return _guess_agents(peek, free, given) | ({"outcome": outcome} if outcome else {})


def _guess_battles_by_score(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    agents = _guess_agents(peek, free, given)
    both = [given.get(role, agents.get(role, "")) for role in ("agent_a", "agent_b")]
    left = [name for name in free if name not in both]
    scores = score_twins(left, sides_of(*both))
    return agents | (dict(zip(("score_a", "score_b"), scores, strict=True)) if scores else {})


def _guess_orderings(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Columns place_1, place_2, ... without a gap."""
    for stem in ("place", "rank", "choice", "pos", "position", "ranking"):
        columns = {int(t[1]): n for n in free if len(t := tokens(n)) == 2 and t[0] == stem and t[1].isdigit()}
        if len(columns) >= 2 and sorted(columns) == list(range(1, len(columns) + 1)):
            places = [columns[i] for i in sorted(columns)]
            if "places" not in given and _are_ranks(peek, places):
                joined = SEPARATOR.join(places)
                raise ReadError(
                    f"{quoted(places[0])} to {quoted(places[-1])} must be read in one way; every row holds the numbers 1 to "
                    f"{len(places)}, which may be who stands at a place, `--map places={joined}`, or the rank of the agent that "
                    f"heads the column, `--map ranks={joined}`."
                )
            return {"places": "\x1f".join(places)}
    return {}


def _are_ranks(peek: Peek, columns: Sequence[str]) -> bool:
    """Whether each of the first rows holds 1, 2, 3, ... once, in any order."""
    cells = [[number_of(cell) for cell in peek.first(name)] for name in columns]
    whole, wanted = len({len(column) for column in cells}) == 1, list(range(1, len(columns) + 1))
    return whole and len(cells[0]) > 1 and all(sorted(row) == wanted for row in zip(*cells, strict=True))


def _guess_ranks(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Columns of numbers of which every row holds 1, 2, 3, ... once, in any order: the ranks of the agents that head them."""
    columns = [name for name in free if peek.is_number(name) and not _IDENTIFIERS & set(tokens(name))]
    columns = [name for name in columns if "_".join(tokens(name)) not in (*NAMES["count"], *NAMES["weight"])]
    return {"ranks": "\x1f".join(columns)} if len(columns) > 2 and _are_ranks(peek, columns) else {}


def _guess_best_worst(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Columns best and worst, and at least three columns that differ in a letter or number."""
    plain = {"_".join(tokens(name)): name for name in reversed(free)}
    if "best" not in plain or "worst" not in plain:
        return {}
    stems: dict[str, dict[str, str]] = {}
    for name in free:
        words = tokens(name)
        if len(words) == 2 and (len(words[1]) == 1):
            stems.setdefault(words[0], {})[words[1]] = name
    options = next((c for c in stems.values() if len(c) >= 3), None)
    if options is None:
        return {}
    return {"options": "\x1f".join(options[k] for k in sorted(options)), "best": plain["best"], "worst": plain["worst"]}


def _guess_by_names(*roles: str) -> Callable[[Peek, Sequence[str], Mapping[str, str]], dict[str, str]]:
    """A guesser that goes by the usual names alone."""

    def guess(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for role in roles:
            column = _column_by_usual_name(role, [name for name in free if name not in found.values()])
            if column is not None and role not in given:
                found[role] = column
        return found

    return guess


def _guess_scores(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """A column of agents and one of values; where nothing else tells rows apart, further numbers are tasks of their own."""
    found = _guess_by_names("agent", "value", *LAYOUTS["scores"]["optional"])(peek, free, given)
    apart = {"task", "item", "metric", "replicate"} & {*found, *given}
    said = "value" in given or tokens(found.get("value", "")) == ("value",)
    others = [name for name in free if name not in found.values()]
    return {} if not apart and not said and any(peek.is_number(name) for name in others) else found


def _guess_win_matrix(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """The first column names the rows, and the other columns bear the same names."""
    first, *others = peek.names
    if len(others) < 2 or set(peek.values(first)) != set(others):
        return {}
    return {"agent": first, "matrix": "\x1f".join(others)}


def _guess_wide_scores(peek: Peek, free: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """A column of names and columns of numbers: agents are the rows unless the first column is headed like tasks."""
    agent = given.get("agent", "")
    heads = [n for n in free if n == peek.names[0] or "_".join(tokens(n)) in (*NAMES["agent"], *TASK_FIRST)]
    told = given.get("task") if agent == "columns" else agent
    first = told or next((n for n in heads if not peek.is_number(n)), None)
    if first is None or ("value" not in given and peek.repeats(first)):
        return {}
    # a column of numbers with a stray text in it is taken too, so that the stray is an error and not a lost column
    others = [name for name in free if name != first and not _IDENTIFIERS & set(tokens(name))]
    values = [name for name in others if peek.mostly_numbers(name)] if "value" not in given else []
    measures = [name for name in values if not {cell.lower() for cell in peek.first(name)} <= {"true", "false"}]
    values = measures if len(measures) > 1 else values  # beside numbers, yes and no are no scores
    found = {"value": "\x1f".join(values)} if len(values) > 1 else {}
    if "_".join(tokens(first)) in TASK_FIRST or agent == "columns":
        if agent != "columns" and values and all(math.isfinite(number_of(name)) for name in values):
            return {}  # what is counted by rank or by year has no agents in its header
        return {**found, "agent": "columns", "task": first}
    return {**found, "agent": first}


_REQUIRED: dict[str, Callable[[Peek, Sequence[str], Mapping[str, str]], dict[str, str]]] = {
    "winner and loser": _guess_winner_loser,
    "pair counts": _guess_pair_counts,
    "one-hot winners": _guess_one_hot,
    "battles": _guess_battles,
    "battles by score": _guess_battles_by_score,
    "orderings": _guess_orderings,
    "best and worst": _guess_best_worst,
    "places": _guess_by_names("ballot", "agent", "rank"),
    "places by score": _guess_by_names("ballot", "agent", "score"),
    "ranks by column": _guess_ranks,
    "win matrix": _guess_win_matrix,
    "scores": _guess_scores,
    "wide scores": _guess_wide_scores,
}
