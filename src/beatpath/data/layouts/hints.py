"""What a table without telling columns may hold, as one option to paste: the sentence of a refusal.

Columns are chosen by the meaning of their names, then by their cells: two columns with the same values are the agents of
a battle, values that repeat beside a number are agents, and of several files with the same rows the names say more.
"""

import contextlib
import json
import math
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from beatpath._text import listed, quoted, shown
from beatpath.data.layouts.labels import goals_of_both, known_meaning, plain_label
from beatpath.data.tables.cells import cell_parts, differing_folders, is_blank, name_part, number_of, recur
from beatpath.data.tables.words import (
    AGENT_WORDS,
    NAMES,
    RIGHT_ANSWERS,
    STEPS,
    TASK_FIRST,
    WORDS,
    are_totals,
    is_measure,
    is_prose,
    metric_column,
    no_score,
    one_statistic,
    own_names,
    paired_scores,
    plain_name,
    side_pairs,
    sides_of,
    tokens,
    without_summaries,
)
from beatpath.evidence.scores import usually_lower

if TYPE_CHECKING:
    from beatpath.data.tables.frames import FrameTable
    from beatpath.data.tables.table import Table

UNNAMED = re.compile(r"column \d+$|Unnamed: \d+$|$")  # columns without a name, as read here and by pandas
_ALIKE = 0.3  # minimum share of values that two columns of agents have in common
_KNOWN = 0.5  # minimum share of labels of an outcome column that are known
_FEW = 8  # most distinct labels of an outcome column
_RUN = re.compile(r"[a-z]*\d+", re.IGNORECASE)  # the part of a file's name that numbers a run
_MOST = 60  # most columns of scores that an option lists
_LONG = 6000  # most signs of an option
_CURVES = {*STEPS, "epoch", "epochs"}  # words in names of columns that number the points of a curve
_GAMES = {*WORDS["games"].split()}  # words in names of columns that number games
_NUMBERED = {"id", "no", "num", "number", "name", "date", "key"}  # words beside them
_WON = {"win", "wins", "won"}  # words in names of columns that say whether a side won
_EDITIONS = {*WORDS["editions"].split()}  # words in names of columns that number contests
_VOTERS = {*WORDS["voters"].split()}  # words in names of columns of those who score agents
_COUNTED = {"num", "n", "number"}  # words that make a number of steps of them, as an episode takes
_SETUPS = {*WORDS["setups"].split()}  # words in names of columns that set agents of one name apart
_APART = 0.9  # least share of rows that are distinct if a column sets agents of one name apart
_MANY_ROWS = 5  # least rows in which both yes and no are no accident
_MANY_LEVELS = 8  # least distinct numbers that two tasks do not put into one order by accident
_YES_NO = {"true", "false"}
_NAME_WORDS = 10  # most words of a name
_COMPARED = 100  # rows in which the numbers of columns are compared
_SECONDS = re.compile(r"(n|u|µ|m)?s(/op)?|(nano|micro|milli)?seconds")  # units of time
_VERSIONED = re.compile(r".+-v\d+")  # environments of Gym
_TIMINGS = ({"user", "system"}, {"ops", "rounds"})  # what hyperfine and pytest-benchmark write beside run times
_TOTALS = (*NAMES["score"], "elo", "rating")  # columns that order agents by all their games
_ITEMS = (*NAMES["item"], *WORDS["items"].split())  # what may head items
_NO_AGENTS = {*WORDS["no_agents"].split()}  # what heads judges, seats or items
_RUNS = {*WORDS["runs"].split()}  # what may head agents
Reading = tuple[str, dict[str, str], str]  # what a table may hold, the roles of its columns, and further options


def unclear(table: "Table | FrameTable") -> str:
    """State that the columns imply no layout, and give the option for the likeliest reading."""
    message = f"the columns of {shown(table.sources[0])} must show what they mean; {listed(table.names, 12)} do not. "
    reading, cells = _pair_in_cell(table), first_cells(table)
    lists = _lists_to_part(table, cells)
    if not reading and (first := _to_do_first(table, cells, [name for name in lists if is_measure(name.rstrip("s"))])):
        return message + (_lists(lists, table) if lists else first)
    guesses = (guess(table) for guess in (_places, _battles, _measures_in_rows, _runs))
    reading = reading or next(filter(None, guesses), None) or _scores(table, cells)
    if reading is None or (lists and max(map(len, cells.values())) == 1):
        pair = next((two for *two, _, stem in side_pairs(table.names) if stem in AGENT_WORDS[:-1]), None)
        missing = f"{listed(pair)} may be agents, but no column says which is better. " if pair else ""
        return message + (_lists(lists, table) if lists else missing + WORDS["unclear"]["mapping"])
    what, roles, where = reading
    measures = roles.get("value", "").split("+") if roles.get("agent") != "columns" else []
    units = [cell for name in _units(cells) for cell in cells[name]]
    timings = units and all(map(_SECONDS.fullmatch, units))
    timings = timings or any(columns <= {*map(plain_name, table.names)} for columns in _TIMINGS)
    lower = shown(",".join(name for name in measures if timings or _is_lower(name)), _LONG)
    where += f" --lower {shlex.quote(lower)}" if lower else ""
    turn = ""
    if len(measures) == 1 and measures[0] and not (lower or _is_score(measures[0])):
        turn = f" If lower {quoted(measures[0])} is better, add `--lower {shlex.quote(shown(measures[0], _LONG))}`."
    readings = _readings(cells, roles) or {f"They may be {what}": roles}
    options = "; ".join(f"{condition}, `--map {mapped(one)}{where}`" for condition, one in readings.items())
    return f"{message}{options[0].upper()}{options[1:]}.{turn} `beatpath formats` lists all layouts."


def mapped(roles: Mapping[str, str]) -> str:
    """Return roles as what follows ``--map``."""
    return shlex.quote(",".join(f"{role}={shown(column, _LONG)}" for role, column in roles.items()))


def offered(agent: str, values: Sequence[str], task: str = "") -> str:
    """Return the option that reads these columns as scores of an agent, with those that are better when lower."""
    plain = f"agent={agent}{f',task={task}' * bool(task)},value={'+'.join(values)}"
    lower = ",".join(name for name in values if _is_lower(name))
    turn = f" --lower {shlex.quote(shown(lower, _LONG))}" if lower else ""
    return f"`--map {shlex.quote(shown(plain, _LONG))}{turn}`"


def _readings(cells: Mapping[str, list[str]], roles: dict[str, str]) -> dict[str, dict[str, str]]:
    """The roles by what must hold for them, where no name says which are agents: rows or columns, this column or that."""
    agent, value = roles.get("agent", ""), roles.get("value", "")
    if "+" in value and agent in cells and heads_nothing(agent):
        turned = {"if the columns are agents": {"agent": "columns", "task": agent, "value": value}}
        rows = {"if the rows are agents": roles}
        return {**turned, **rows} if all(map(_VERSIONED.fullmatch, cells[agent])) else {**rows, **turned}
    if agent == "outer name" and value:
        item = "item" if "task" in roles else "task"
        one = {"if they are what one agent did": {**roles, "agent": "file", item: agent}}
        return {f"if {quoted(agent)} names agents": roles} | one
    if agent.startswith("folder") and roles.get("task", "").startswith("folder"):
        return _turned(roles, agent, roles["task"])
    rivals = [n for n in cells if plain_name(n).removesuffix("_name") in NAMES["agent"] and n != roles.get("metric")]
    rivals = [name for name in rivals if len(cells[name]) == len(cells.get(agent, ())) and name != agent]
    crossed = [name for name in rivals if varies(cells[name], cells[agent]) and varies(cells[agent], cells[name])]
    if not crossed or not value:
        return {}
    a, b = sorted((agent, crossed[0]), key=lambda name: "system" not in tokens(name))  # a system runs models
    return _turned(roles, a, b) | {"if both do": {**roles, "agent": f"{a}+{b}"}}


def _turned(roles: dict[str, str], a: str, b: str) -> dict[str, dict[str, str]]:
    """The roles with either of two columns as that of agents and the other as that of tasks."""
    return {f"if {quoted(x)} names agents": {**roles, "agent": x, "task": y} for x, y in ((a, b), (b, a))}


def heads_nothing(column: str) -> bool:
    """Whether the name of a column does not say that it names agents or tasks.

    >>> heads_nothing("TESTAMI"), heads_nothing("name"), heads_nothing("base_model"), heads_nothing("task")
    (True, True, False, False)
    """
    words, plain = {*tokens(column)} - {"name"}, plain_name(column)
    known = plain in TASK_FIRST or (plain in NAMES["agent"] and plain != "name")
    return not (known or words & {*AGENT_WORDS, *_RUNS, "columns"})


def _lists_to_part(table: "Table | FrameTable", cells: Mapping[str, list[str]]) -> list[str]:
    """Columns of lists that hold more than texts in at least one of them: objects anywhere, otherwise numbers."""
    names = [name for name in table.names if table.kind(name) == "lists" and any(c.strip("[] ") for c in cells[name])]
    firsts = {name: _parsed(next(cell for cell in cells[name] if cell.strip("[] "))) for name in names}
    lists = [n for n, first in firsts.items() if isinstance(first[0], dict) or not (is_prose(n) or no_score(n))]
    return lists if any(not isinstance(firsts[name][0], str | None) for name in lists) else []


def _lists(names: Sequence[str], table: "Table | FrameTable") -> str:
    """What to do with lists in cells: one of the tables of a document, or one row per value."""
    hold = f"{listed(names)} {'holds a list' if len(names) == 1 else 'hold lists'} in every cell; one row must hold one value. "
    if max(len(table.first_texts(name)) for name in names) > 1:
        return f"{hold}Write one row per value first, in pandas: `frame.explode([{shown(', '.join(map(repr, names)), 200)}])`."
    longest = max(names, key=lambda name: len(table.first_texts(name)[0]))
    script = shlex.quote(f"import json, sys; json.dump(json.load(sys.stdin)[{longest!r}], sys.stdout)")
    return f"{hold}Take one of them, such as the longest: `python -c {script} < {shlex.quote(table.sources[0])} > rows.json`."


def _to_do_first(table: "Table | FrameTable", cells: Mapping[str, list[str]], lists: Sequence[str]) -> str:
    """What must be done before a table can be read, empty if nothing is known."""
    if {"chosen", "rejected"} <= {*map(plain_name, table.names)}:
        return str(WORDS["unclear"]["texts"])
    if lists:
        return _lists(lists, table)
    names, *others = table.names
    parts = [re.split("[-_]", cell)[0] for cell in cells.get(names, ())]
    if len(others) == 1 and UNNAMED.match(names) and repeats(parts) and varies(parts) and not repeats(cells[names]):
        file = shlex.quote(shown(table.sources[0], 200))
        return f"If {quoted(parts[0])} in {quoted(cells[names][0])} is the agent, part it from the rest: `sed 's/[-_]/,/' {file} > parts.csv`."
    return ""


def _is_score(name: str) -> bool:
    """Whether a column is called like scores."""
    return is_measure(name) or plain_name(name) in NAMES["value"]


def _units(cells: Mapping[str, list[str]]) -> list[str]:
    return [name for name in cells if {*tokens(name)[-1:]} & {"unit", "units"}]


def _is_lower(name: str) -> bool:
    """Whether lower numbers of a column are better, by its name: ranks, errors, losses, times.

    >>> _is_lower("rank"), _is_lower("val_loss"), _is_lower("accuracy")
    (True, True, False)
    """
    return bool({*tokens(name)} & {*NAMES["rank"], "ranking", "ranks"} or usually_lower(name))


def _pair_in_cell(table: "Table | FrameTable") -> Reading | None:
    """Battles: a column with two names or objects in every cell, and one with the name or number of one of them in most."""
    for both in table.names:
        lists = list(map(_parsed, table.first_texts(both))) if table.kind(both) == "lists" else []
        first = lists[0][0] if lists and isinstance(lists[0][0], dict) else {}
        fields = [name for name in AGENT_WORDS[:-1] if name in first]
        choices = [name for name in table.names if plain_name(name) in NAMES["outcome"]]
        numbers = {*table.first_texts(choices[0])} if choices else set()
        if fields and all(len(some) == 2 for some in lists) and any(numbers == {str(i), str(i + 1)} for i in (0, 1)):
            one, two = sorted(numbers)
            a, b = (f"{both}.{i}.{fields[0]}" for i in (1, 2))
            roles = {"agent_a": a, "agent_b": b, "outcome": choices[0]}
            return "battles with both agents in one cell", roles, f" --labels {one}=a,{two}=b"
        pairs = [set(cell_parts(cell)) for cell in table.first_texts(both)]
        named = set.union(*pairs) if pairs and all(len(pair) == 2 for pair in pairs) else set()
        cells = ((name, set(table.first_texts(name))) for name in table.names if named and name != both)
        chosen = [name for name, some in cells if len(some & named) >= _ALIKE * len(some | named)]
        if len(chosen) == 1:  # two of them are the agents again
            roles = {"agent_a": f"{both}.1", "agent_b": f"{both}.2", "outcome": chosen[0]}
            return "battles with both agents in one cell", roles, ""
    return None


def _parsed(cell: str) -> list[Any]:
    """The list in a cell, with nothing in it if it is none."""
    with contextlib.suppress(ValueError, RecursionError):
        return list(json.loads(cell)) or [None]
    return [None]


def _measures_in_rows(table: "Table | FrameTable") -> Reading | None:
    """Tables of one agent a file with a row of each measure: the row to keep."""
    first, *others = table.names
    labels = table.first_texts(first)
    label = next(filter(is_measure, labels), "")
    kept = [[c for c, own in zip(table.first_texts(name), labels, strict=False) if own == label] for name in others]
    if len(table.sources) < 2 or not label or not others or len({*labels}) * 2 > len(labels):
        return None
    if not all(math.isfinite(number_of(cell)) for cells in kept for cell in cells):
        return None
    agent, *inner = differing_folders(table.sources) or ["file"]
    chosen = [(first, label), *((name, name_part(table.sources[0], name)) for name in inner)]
    roles = {"agent": agent, "value": "+".join(others)}
    return "a table of scores, one column a task", roles, _where(chosen)


def _numbered(names: Iterable[str]) -> Iterator[list[str]]:
    """Columns whose names differ in the first number of each, which counts from 0 or 1."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(re.sub(r"\d+", "#", name, count=1), []).append(name)
    for some in groups.values():
        numbers = [int("".join(re.findall(r"\d+", name)[:1]) or -1) for name in some]
        if len(some) > 1 and numbers[0] in (0, 1) and numbers == [*range(numbers[0], numbers[0] + len(some))]:
            yield some


def _places(table: "Table | FrameTable") -> Reading | None:
    """Ballots: three or more columns of texts whose names differ in a number that counts from 1."""
    texts = [name for name in table.names if not (table.mostly_numbers(name) or UNNAMED.match(name))]
    for some in _numbered(name for name in texts if table.first_texts(name)):
        if len(some) > 2 and "1" in tokens(some[0]) and alike(table, some):
            return "ballots, one column a place", {"places": "+".join(some)}, ""
    return None


def _runs(table: "Table | FrameTable") -> Reading | None:
    """Scores of settings: two or more columns of one measure whose names differ in the number of a run, as scikit-learn writes."""
    params = next((name for name in table.names if plain_name(name) == "params"), None)
    measures = [name for name in table.names if table.mostly_numbers(name) and not no_score(name)]
    runs = next(_numbered(measures), None)
    if params is None or runs is None or repeats(table.first_texts(params)):
        return None
    return "scores of several runs", {"agent": params, "value": "+".join(runs)}, ""


def _battles(table: "Table | FrameTable") -> Reading | None:
    """Battles by score or by label between two columns of agents."""
    numeric = [name for name in table.names if table.mostly_numbers(name)]
    others = ("times", "objects", "lists")
    text = [name for name in table.names if name not in numeric and table.kind(name) not in others]
    sided = {name for pair in side_pairs(text) for name in pair[:2]}
    text = [name for name in text if no_score(name) != "identifiers" or name in sided]
    if any({"winner", "loser"} & {*tokens(name)} and len({*tokens(name)}) > 1 for name in text):
        return None  # several columns for each side, of which none is said to name agents
    ids = [pair[:2] for pair in side_pairs(numeric) if {"id", "ids", "index", "idx"} & set(tokens(pair[0]))]
    agents = alike(table, text) or next((pair for pair in ids if alike(table, pair)), None)
    agents = agents or next((pair[:2] for pair in side_pairs(text) if pair[3] in AGENT_WORDS), None)
    if agents is None:
        return None
    roles = dict(zip(("agent_a", "agent_b"), agents, strict=True))
    cells = first_cells(table)
    plain = {plain_name(name.rpartition(".")[2]): name for name in reversed(cells)}
    if goals := goals_of_both(plain, cells.__getitem__):
        return "battles", {**roles, "outcome": goals}, ""

    def cells_of(names: Iterable[str]) -> set[str]:
        """The distinct first cells of some columns."""
        return {cell for name in names for cell in table.first_texts(name)}

    rest = [name for name in table.names if name not in agents and not no_score(name) and table.kind(name) != "times"]
    labels = [name for name in rest if 2 <= len(set(table.first_texts(name))) <= _FEW]
    labels = [name for name in labels if plain_name(name) not in RIGHT_ANSWERS - {*NAMES["outcome"]}]
    sides, named = [[side] for side in sides_of(*agents) or agents], set(map(plain_label, cells_of(agents)))

    def likelihood(name: str) -> tuple[bool, float]:
        """Whether a column is called like outcomes, and how many of its labels are sides, ties or names of agents."""
        cells, words = cells_of([name]), {*tokens(name)}
        known = sum(bool(known_meaning(c, (sides[0], sides[1]))) or plain_label(c) in named for c in cells)
        signed = {"-1", "1"} <= cells <= {"-1", "0", "1"}
        won = cells == {"0", "1"} and words & _WON and words & {*sides[0]}
        return plain_name(name) in NAMES["outcome"], 1.0 if signed or won else known / len(cells)

    outcome = max(labels, key=likelihood, default="")
    measure = [n for n in numeric if not (no_score(n) or n in agents or _are_words(table.first_texts(n)))]
    pair = paired_scores(measure, sides_of(*agents)) or _of_sides(measure, sides_of(*agents))
    whole = [all(number_of(cell) % 1 == 0 for cell in cells_of([name])) for name in measure]
    scores = pair or (measure if len(measure) == 2 and whole[0] == whole[1] else None)
    if scores and not (outcome and likelihood(outcome)[0] and outcome not in numeric):
        return "battles by score", {**roles, "score_a": scores[0], "score_b": scores[1]}, ""
    is_outcome = bool(outcome) and (likelihood(outcome)[0] or likelihood(outcome)[1] >= _KNOWN)
    return ("battles", {**roles, "outcome": outcome}, "") if is_outcome else None


def _of_sides(names: Sequence[str], sides: Sequence[str]) -> tuple[str, str] | None:
    """The first two columns that differ in the words in which the columns of the two agents do."""
    return next(((a, b) for a in names for b in names if sides and sides_of(a, b) == tuple(sides)), None)


def alike(table: "Table | FrameTable", names: Sequence[str]) -> tuple[str, str] | None:
    """Return the first two columns that have many values in common."""
    cells = {name: set(table.first_texts(name)) for name in names}
    for a, b in combinations(names, 2):
        if table.first_texts(a) == table.first_texts(b) or min(len(cells[a]), len(cells[b])) < 2:
            continue  # one name written twice
        if len(cells[a] & cells[b]) >= _ALIKE * len(cells[a] | cells[b]):
            return a, b
    return None


def first_cells(table: "Table | FrameTable") -> dict[str, list[str]]:
    """Return the first cells of every column; fields of objects are columns of their own, COLUMN.FIELD."""
    columns: dict[str, list[str]] = {}
    for name in table.names:
        cells = table.first_texts(name)
        if table.kind(name) != "objects":
            columns[name] = cells
            continue
        for cell in cells:
            with contextlib.suppress(ValueError, RecursionError):
                for path, value in _leaves(name, json.loads(cell)):
                    columns.setdefault(path, []).append(value if isinstance(value, str) else json.dumps(value))
    return columns


def _leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
    """The fields of an object, and those of the objects inside, by their paths."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield from _leaves(f"{path}.{key}", inner)
    if not isinstance(value, dict | None):
        yield path, value


def _scores(table: "Table | FrameTable", cells: Mapping[str, list[str]]) -> Reading | None:
    """Scores: the columns of agents, values, tasks and items that their names and cells make likeliest."""
    known = {name: [cell for cell in texts if not is_blank(cell)] for name, texts in cells.items()}
    numeric = [n for n, texts in known.items() if sum(math.isfinite(number_of(c)) for c in texts) * 2 > len(texts)]
    values = _values(table, cells, numeric)
    weak = [name for name in numeric if no_score(name) in ("amounts of use", "durations", "counts", "ranks")]
    if sum(no_score(name) == "ranks" for name in weak) > 1:  # a ranking in one row, of agents that several columns name
        return None
    metric = metric_column(table.names) or next((name for name in cells if plain_name(name) in NAMES["metric"]), None)
    texts = [name for name in cells if name not in numeric or _is_agent_id(name)]
    roles = _names(table, cells, [name for name in texts if name != metric])
    agent, inside = roles.get("agent", ""), [name for name in values if name not in table.names]
    items = [name for name in cells if plain_name(_own_name(table, name)) in _ITEMS]
    if len(inside) > 1 and len({name.rpartition(".")[0] for name in inside}) == 1 and (not agent or agent in items):
        tasks = {"task": items[0]} if items else {}
        return "scores, one field an agent", {"agent": "columns", **tasks, "value": "+".join(inside[:_MOST])}, ""
    if not agent and "task" in roles and _units(cells):  # what is timed
        roles["agent"] = agent = roles.pop("task")
    voters = [name for name in cells if _VOTERS & {*tokens(name)} and repeats(cells[name])]
    rated = [name for name in numeric if tokens(name)[-1:] == ("id",) and name not in voters]
    if not agent and voters and len(rated) == 1:
        roles["agent"] = agent = rated[0]
    rewards = len(values) == 1 and {"reward", "return"} & {*tokens(values[0])}  # of episodes of one agent
    if not agent and (items or metric or rewards or "task" in roles) and table.has("file"):
        roles["agent"] = agent = "file"
    roles |= {"metric": metric} if metric else {}
    games = (name for name in cells if _GAMES >= {*tokens(name)} - _NUMBERED and name not in (agent, *values))
    game = next((name for name in games if _GAMES & {*tokens(name)} and repeats(cells[name])), "")
    groups = cells.get(game, ())  # what is the same for all agents, or all of a game, orders none of them
    alike = [*filter(_is_score, values)]  # scores that happen to be the same
    values, weak = ([name for name in some if varies(cells[name], groups)] for some in (values, weak))
    values = values or alike
    runs = [name for name in values if agent == "file" and name not in items[:1]]
    if items and len(runs) > 1 and not (repeats(cells[items[0]]) or any(map(is_measure, own_names(runs)))):
        roles = {"agent": "columns", "task": items[0], "value": "+".join(runs[:_MOST])}
        return "scores, one column an agent", roles, ""
    keys = {*roles.values(), *items[:1], *(name for name in cells if plain_name(name) in NAMES["replicate"])} - {metric}
    rows = [*zip(*map(cells.__getitem__, keys & {*cells}), strict=False)]
    curve = agent not in cells or recur(rows)  # otherwise a row has the steps that it took
    steps, where = _chosen_rows(cells, numeric if curve else (), STEPS if items else _CURVES)  # epochs are replicates
    if steps and not agent and len(values) > 1:
        roles = {"agent": "columns", "task": steps, "value": "+".join(values[:_MOST])}
        return "curves, one column an agent", roles, where
    if not agent or not (values or weak):
        return None
    doubt = "" if values else f", though {quoted(weak[0])} holds {no_score(weak[0])} by its name"
    values = values or weak[:1]
    columns = of_one_kind(cells, without_summaries(values)[:_MOST])[0] if len(values) > 1 else values
    what = "a table of scores, one column a task" + f", the first {_MOST}" * (len(values) > _MOST)
    full = agent_of_rows(cells, agent)
    if len(values) > 2 and full != agent and not {*tokens(roles.get("task", ""))} & TASK_FIRST:
        return what, {"agent": full, "value": "+".join(columns)}, ""
    by_file = agent.startswith(("file", "folder"))  # then items need not come again in the first of the files
    tables = by_file and len(cells[values[0]]) == len(table.sources) and not any(map(is_measure, values))
    if len(values) > 1 and (tables or (agent in cells and not repeats(cells[agent]))):
        return what, {"agent": agent, "value": "+".join(columns)}, ""
    voters = voters if agent in rated else [n for n in voters if "from" in tokens(n)]
    contests = _contests(cells, agent, values[0], voters, game)
    if contests and not _is_lower(values[0]):
        what, ballots, where = contests
        return f"{what}{doubt}", ballots, where
    items = [name for name in items if by_file or (repeats(cells[name]) and varies(cells[name], cells.get(agent, ())))]
    item = next((name for name in items if name not in roles.values()), None)
    roles |= {"item": item} if item else {}
    roles["agent"] = agent_of_rows(cells, agent, roles.values())
    doubt += ", which do not say who beat whom (one row a game would)" if are_totals(table.names) else ""
    return f"scores{doubt}", {**roles, "value": values[0]}, where


def _contests(
    cells: Mapping[str, list[str]], agent: str, value: str, voters: Sequence[str], game: str
) -> Reading | None:
    """Ballots of voters, or places in games, that scores may stand for."""
    if voters:
        voter = next((name for name in voters if not no_score(name)), voters[0])
        editions = [name for name in cells if _EDITIONS & {*tokens(name)} and name not in (agent, value)]
        roles = {"ballot": "+".join([*editions, voter]), "agent": agent, "score": value}
        return f"ballots, one for each {quoted(voter)}", roles, ""
    rows = [*zip(cells.get(game, ()), cells.get(agent, ()), cells[value], strict=False)]
    same = repeats(rows) and not repeats([row[:2] for row in {*rows}])  # one result on several rows
    roles = {"ballot": game, "agent": agent, "score": value}
    return ("places in games, more being better", roles, " --repeats best" * same) if game else None


def _values(table: "Table | FrameTable", cells: Mapping[str, list[str]], numeric: Iterable[str]) -> list[str]:
    """The columns that may hold scores, the likeliest first."""
    values = [
        n for n in numeric if not (no_number_of(n, cells[n]) or _CURVES & set(tokens(n)) or numbers_rows(n, cells[n]))
    ]
    answers = RIGHT_ANSWERS - {"gold"} if any("silver" in tokens(name) for name in cells) else RIGHT_ANSWERS
    values = one_statistic([name for name in values if not {*tokens(name)[-1:]} & answers])

    def unlikelihood(name: str) -> tuple[bool, bool, bool]:
        """Whether a column is not called like scores or losses, whether like losses, and whether its numbers may be numbering."""
        return not (_is_score(name) or _is_lower(name)), _is_lower(name), not any("." in cell for cell in cells[name])

    values.sort(key=unlikelihood)
    return [name for name in values if plain_name(name) in _TOTALS][:1] if are_totals(table.names) else values


def _chosen_rows(cells: Mapping[str, list[str]], numeric: Iterable[str], curves: Collection[str]) -> tuple[str, str]:
    """The column of steps, and the options that choose the rows of the last step and of the commonest unit."""
    most = max(map(len, cells.values()), default=0)
    last = {n: [w for w in tokens(n) if w not in _NUMBERED][-1:] for n in numeric if len(cells[n]) == most}
    steps = [n for n, w in last.items() if {*curves} & {*w} and not _COUNTED & {*tokens(n)} and varies(cells[n])]
    step = min(steps, key=lambda name: len(tokens(name)), default="")  # of several charts, the common one
    chosen = [(step, max(cells[step], key=number_of).strip())] if step else []
    chosen += [(name, max(cells[name], key=cells[name].count)) for name in _units(cells) if varies(cells[name])]
    return step, _where(chosen)


def _where(chosen: Iterable[tuple[str, str]]) -> str:
    """The options that keep the rows with these cells."""
    return "".join(f" --where {shlex.quote(shown(f'{name}={cell}', 200))}" for name, cell in chosen)


def of_one_kind(texts: Mapping[str, list[str]], values: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the columns of scores of one kind, those of another, and the first that put all rows in one order or its reverse.

    Whole numbers beside fractions are counts; 0 and 1 beside decimals are yes and no; one order of many rows is one measure.

    >>> of_one_kind({"rate": ["0.5", "0.25"], "passes": ["10", "5"], "fit": ["0.75", "0.5"]}, ["rate", "passes", "fit"])
    (['rate', 'fit'], ['passes'], [])
    """
    cells = {name: [number_of(cell) for cell in texts[name][:_COMPARED] if not is_blank(cell)] for name in values}
    orders: dict[object, list[str]] = {}
    for name, numbers in cells.items():
        place = {number: at for at, number in enumerate(sorted({*numbers}))}
        places = [place[number] for number in numbers]
        turned = [len(place) - 1 - at for at in places]
        orders.setdefault(tuple(min(places, turned)) if len(place) >= _MANY_LEVELS else name, []).append(name)
    single = [next(filter(is_measure, names), names[0]) for names in orders.values()]
    whole = [name for name in single if not any(x % 1 for x in cells[name])]
    fractions = any(name not in whole and all(0 <= x <= 1 for x in cells[name]) for name in single)
    words = {name: {cell.lower() for cell in texts[name]} for name in whole}
    flags = [n for n in whole if words[n] <= _YES_NO or ({*cells[n]} == {0, 1} and len(cells[n]) >= _MANY_ROWS)]
    odd = flags + [name for name in whole if fractions and max(cells[name], default=0) > 1]
    called = all(_is_score(name) or _is_lower(name) for name in odd)
    odd = [] if called or len(whole) == len(single) else odd
    same = next((names for names in orders.values() if len(names) > 1), [])
    return [name for name in single if name not in odd], odd, same


def no_number_of(name: str, cells: Sequence[str]) -> str:
    """Return what numbers of a column are that measure no agent, by its name; fractions are no counts.

    >>> no_number_of("CLEVR Counts", ["12", "10"]), no_number_of("CLEVR Counts", ["0.25", "0.1"])
    ('counts', '')
    """
    what = no_score(name)
    numbers = [*map(number_of, cells)] if what == "counts" else []
    return "" if any(x % 1 for x in numbers) and all(0 <= x <= 1 for x in numbers) else what


def agent_of_rows(cells: Mapping[str, list[str]], agent: str, keys: Iterable[str] = ()) -> str:
    """Return the column of agents; if rows agree in it and in `keys`, joined with one of configurations that sets them apart."""
    same = [agent, *(key for key in keys if key in cells)]

    def distinct(*more: str) -> float:
        """The share of rows that are distinct in these columns."""
        rows = [*zip(*(cells[name] for name in (*same, *more)), strict=False)]
        return len({*rows}) / max(len(rows), 1)

    if agent not in cells or distinct() == 1:
        return agent
    runs = NAMES["replicate"]
    names = (n for n in cells if {*tokens(n)} & _SETUPS and n not in same and len(cells[n]) == len(cells[agent]))
    setups = (n for n in names if plain_name(n.rpartition(".")[2]) not in runs)
    full = next((name for name in setups if distinct(name) >= _APART), None)
    return f"{agent}+{full}" if full else agent


def numbers_rows(name: str, cells: Sequence[str]) -> bool:
    """Return whether a column without a name counts the rows from 0 or 1, as pandas writes its index, also of rows in another order.

    >>> numbers_rows("column 1", ["0", "1", "2"]), numbers_rows("column 1", ["1", "0"]), numbers_rows("law", ["0", "1"])
    (True, True, False)
    """
    if UNNAMED.match(name) is None:
        return False
    first = [["0", "1", "2"][: len(cells)], ["1", "2", "3"]]
    return list(cells[:3]) in first or {*cells} == {*map(str, range(len(cells)))}


def _is_agent_id(name: str) -> bool:
    """Whether a column identifies agents: ``driverId``, ``team_id``."""
    *words, last = tokens(name) or ("",)
    return last == "id" and len(words) == 1 and words[0] in NAMES["agent"]


def varies(cells: Sequence[str], within: Sequence[str] = ()) -> bool:
    """Return whether the cells of a column differ, if `within` is given somewhere in the rows of one of its cells."""
    pairs = set(zip(cells, within, strict=False)) if within else {(cell, "") for cell in cells}
    return len(pairs) > len({group for _, group in pairs}) or len(cells) < 2


def repeats(cells: Sequence[object]) -> bool:
    """Return whether a cell of a column comes again."""
    return len(set(cells)) < len(cells)


def _are_words(cells: Sequence[str]) -> bool:
    """Whether cells hold sentences or yes and no, and so no names.

    >>> _are_words(["yes", "No"]), _are_words(["a b c d e f g h i j k l m", "n"]), _are_words(["gpt", "no"])
    (True, True, False)
    """
    longest = sum(len(cell.split()) > _NAME_WORDS for cell in cells) * 2 >= len(cells)
    return longest or {cell.lower() for cell in cells} <= {*_YES_NO, "yes", "no"}


def _names(table: "Table | FrameTable", cells: Mapping[str, list[str]], texts: Sequence[str]) -> dict[str, str]:
    """The likeliest columns of agents and of tasks: by their names, then by repeated cells, then the names of files."""

    def likelihood(name: str) -> tuple[int, int, bool, bool]:
        """How much a column is called like agents, like no tasks, and whether its cells repeat."""
        own = _own_name(table, name)
        words = {*tokens(own)}
        usual = NAMES["agent"].index(plain_name(own)) if plain_name(own) in NAMES["agent"] else len(NAMES["agent"])
        by_name = 3 * (plain_name(own) in NAMES["agent"]) or 2 * bool(words & ({*AGENT_WORDS, *_RUNS} - {"item"}))
        identifies = (no_score(own) and not _is_agent_id(own)) or _kind(table, name) == "identifiers"
        points = by_name - 2 * identifies - (name not in table.names)
        return points, -usual, not words & (TASK_FIRST | _NO_AGENTS), repeats(cells[name])

    texts = [n for n in texts if {_kind(table, n), no_score(n)} <= {"", "identifiers"} and not is_prose(n)]
    texts = [name for name in texts if cells[name] and not _are_words(cells[name])]
    plain = {name: plain_name(_own_name(table, name)) for name in texts}
    named = [n for n in texts if plain[n] in NAMES["agent"] or tokens(n)[-2:] == ("model", "name")]
    varied = [name for name in texts if varies(cells[name])]
    agent = max(varied if any(name in named for name in varied) or not named else named, key=likelihood, default="")
    others = [name for name in texts if name != agent and not (no_score(name) and not {*tokens(name)} & TASK_FIRST)]
    others = [n for n in others if likelihood(n)[0] == (-2 if no_score(n) else 0) and plain_name(n) not in _ITEMS]
    if plain_name(agent) in TASK_FIRST:
        agent, others = "", [agent, *others]
    known = len(table.sources) == 1 or (agent and likelihood(agent)[0] > 0)  # otherwise each file is of one agent
    # whether an agent has two tasks
    again = repeats(cells.get(agent, ())) if known else len(table.sources) < max(map(len, cells.values()))
    alone = len(table.sources) > 1 or not varies(cells.get(agent, ()))  # tasks of one agent need not be those of others
    groups_rows = (n for n in others if again and repeats(cells[n]) and (alone or varies(cells[agent], cells[n])))
    task = next((n for n in others if {*tokens(n)} & TASK_FIRST), next(groups_rows, ""))
    roles = {"agent": agent, "task": task}
    if len(table.sources) > 1 and table.has("file"):
        folders = differing_folders(table.sources)
        outer = next(iter(folders), "folder")
        names, groups, stems = (
            {name_part(file, column) for file in table.sources} for column in (outer, f"{outer}.1", "file.1")
        )
        numbered = all(_RUN.fullmatch(name_part(file, "file.2")) for file in table.sources)
        several = numbered and 1 < len(stems) < len(table.sources)
        parts = {"task": "file.1", "replicate": "file.2"} if several else {"task": "file"}
        if len(folders) > 1:
            ends = {re.split(r"[_\-.\s]", name_part(file, folders[1]))[-1] for file in table.sources}
            several = len({name_part(file, "file") for file in table.sources}) > 1
            parts = {"task": folders[1]} | ({"replicate": "file"} if several else {})
            parts = {"task": "file", "replicate": folders[1]} if all(map(_RUN.fullmatch, ends)) else parts
        if known:
            roles = roles if task or not table.in_several_files([agent]) else {**roles, **parts}  # type: ignore[union-attr]
        elif folders:
            seeds = len(folders) == 1 and 1 < len(groups) < len(names)
            runs = {"agent": f"{outer}.1", "replicate": f"{outer}.2"} if seeds else {"agent": outer}
            roles = {**({"task": task} if task else parts), **runs}
        else:
            roles = {**parts, "agent": parts["task"], "task": task}
    return {role: roles[role] for role in ("agent", "task", "replicate") if roles.get(role)}


def _own_name(table: "Table | FrameTable", name: str) -> str:
    """The name of a column, or of a field inside one."""
    return name if name in table.names else name.rpartition(".")[2]


def _kind(table: "Table | FrameTable", name: str) -> str:
    return table.kind(name) if name in table.names else ""
