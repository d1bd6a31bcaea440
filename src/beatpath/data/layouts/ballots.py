"""Read tables of rankings as `Ballots`: places, scores in a game, orderings, best and worst choices."""

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import ReadError, UnknownLabel, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.layouts.labels import unknown_sentence
from beatpath.data.layouts.role_table import NO_AGENT, RoleRows, RoleTable, sifted
from beatpath.data.layouts.roles import Layout
from beatpath.data.sources.source import Options
from beatpath.data.tables.cells import number_of
from beatpath.data.tables.words import tokens
from beatpath.evidence import Ballots, Factor
from beatpath.evidence.arrays import refuse

# What a label in a column of places may mean.
PLACES = ("last", "drop")
# What records of ballots write where no choice counts
_NOBODY = {"undervote", "overvote", "skipped", "blank", "exhausted"}
ROLES = ("task", "voter", "cluster")  # columns that ballots keep as factors


def read_places(source: RoleTable) -> Ballots:
    """Read one row per agent and ballot: by place (1 is best), or by score (higher is better by default)."""
    layout, options = source.layout, source.options
    by = layout.roles.get("rank") or layout.roles["score"]
    with source.rows() as rows:
        agent = rows.factor("agent")
        ballot = rows.factor("ballot")
        value, last, excluded, unranked = _places_of_labels(rows.rows.factors([by])[0], by, options)
        _require_ranks(value, ballot, layout, by)
        lower = "rank" in layout.roles or bool({by, "score"} & set(options.lower))
        value = np.where(last, np.inf, value if lower else -value)
        reasons = {NO_AGENT: agent.codes < 0, "no ballot": ballot.codes < 0, "label left out": excluded}
        again = _again(ballot, agent, value, ~np.any([*reasons.values(), unranked], axis=0))
        refuse(
            again & (options.repeats == "error"),
            lambda row, such: (
                f"a ballot must name an agent at most once; {quoted(ballot.levels[ballot.codes[row]])} names "
                f"{quoted(agent.levels[agent.codes[row]])} again in {rows.place(row)} ({such}). Keep the best place with "
                "`--repeats best`, or map more columns to `ballot` (joined by '+') if they make it unique."
            ),
            ReadError,
        )
        reasons["agent again on its ballot"] = again
        used, dropped = sifted(reasons.items(), np.ones(len(agent), dtype=np.int64))
        present = used & ~unranked
        stood, voted = agent.take(used), ballot.take(used)
        code = {name: i for i, name in enumerate(stood.levels)}
        head = np.flatnonzero(used)[np.unique(voted.codes, return_index=True)[1]]
        entry = np.flatnonzero(present)[np.argsort(voted.codes[present[used]], kind="stable")]
        return Ballots(
            stood.levels,
            agent.each(lambda name: code.get(name, -1), -1)[entry],
            np.unique(value[entry], return_inverse=True)[1].astype(np.int32),
            _starts(voted.codes[present[used]], len(voted.levels)),
            count=rows.counts("count", head, whole=True),  # type: ignore[arg-type]
            weight=rows.numbers("weight")[head] if "weight" in layout.roles else None,
            factors=rows.carried(ROLES, head)
            | {"ballot": Factor(np.arange(len(voted.levels), dtype=np.int32), voted.levels)},
            reading=source.account(len(agent), int(used.sum()), dropped),
        )


def _starts(ballot: Codes | Ints, n_ballots: int) -> Ints:
    """Offset of each ballot in the flat entries, given the ballot of every entry."""
    return np.concatenate([[0], np.cumsum(np.bincount(ballot, minlength=n_ballots))])


def _require_ranks(value: Floats, ballot: Factor, layout: Layout, column: str) -> None:
    """Raise an error if a position, which may be a rank or a step count, exceeds the size of the largest ballot."""
    known = (ballot.codes >= 0) & ~np.isnan(value)
    most = int(np.bincount(ballot.codes[known], minlength=1).max(initial=0))
    if "rank" in layout.guessed and "position" in tokens(column) and known.any() and value[known].max() > most:
        roles = ",".join(f"{role}={layout.guessed[role]}" for role in ("ballot", "agent") if role in layout.guessed)
        raise ReadError(
            f"{quoted(column)} must hold ranks, 1 being best, to be read by its name; it goes up to {value[known].max():g} where "
            f"no ballot has more than {counted(most, 'agent')}. Say whether less is better, `--map {roles},rank={shown(column)}`, "
            f"or more, `--map {roles},score={shown(column)}`."
        )


def _again(ballot: Factor, agent: Factor, value: Floats, present: Bools) -> Bools:
    """Flag rows whose agent has an earlier or better row on the same ballot."""
    rows = np.flatnonzero(present)
    code = ballot.codes[rows].astype(np.int64) * len(agent.levels) + agent.codes[rows]
    order = np.lexsort((value[rows], code))
    again = np.zeros(len(agent), dtype=bool)
    again[rows[order[1:]]] = np.diff(code[order]) == 0
    return again


def _places_of_labels(label: Factor, column: str, options: Options) -> tuple[Floats, Bools, Bools, Bools]:
    """Places as numbers; which labels mean last, which rows are dropped, and which agents are unranked."""
    words = [level for level in label.levels if np.isnan(_number(level))]
    for name, meaning in options.labels.items():
        if meaning not in PLACES or name not in words:
            raise UsageError(
                f"`labels` must map labels that occur ({listed(words)}) to one of {', '.join(PLACES)}; "
                f"got {quoted(name)}={quoted(meaning)}."
            )
    unknown = [word for word in words if word not in options.labels]
    if unknown:
        counts = np.bincount(label.codes + 1, minlength=len(label.levels) + 1)[1:]
        odd = [label.levels.index(word) for word in words]
        raise UnknownLabel(
            unknown_sentence(
                column, words, counts[odd], unknown, ["last (tied behind the others)"], "places as numbers"
            )
        )

    last = label.each(lambda x: options.labels.get(x) == "last", False)
    dropped = label.each(lambda x: options.labels.get(x) == "drop", False)
    return label.each(_number, np.nan), last, dropped, label.codes < 0


def _number(text: str) -> float:
    value = number_of(text)
    return value if np.isfinite(value) else np.nan


def read_orderings(source: RoleTable) -> Ballots:
    """Read one row per ballot with columns for the first, second, ... place, empty after the last."""
    with source.rows() as rows:
        placed = rows.rows.factors(source.layout.many("places"))
        if nobody := [level for level in placed[0].levels if level.strip().lower() in _NOBODY]:
            raise ReadError(
                f"a place must name an agent or be empty; {listed(nobody)} stand for nobody. Leave these cells empty: "
                f"`sed -E 's/{'|'.join(nobody)}//g' {shlex.quote(source.table.sources[0])} > ballots.csv`."
            )
        codes = np.stack([factor.codes for factor in placed], axis=1)
        ballot, place = np.nonzero(codes >= 0)
        return _one_row_ballots(source, rows, placed[0].levels, ballot, codes[ballot, place], place)


def read_ranks(source: RoleTable) -> Ballots:
    """Read one row per ballot and one column per agent, with the agent's rank (1 is best), empty if unranked."""
    columns = source.layout.many("ranks")
    with source.rows() as rows:
        rank = rows.rows.number_table(columns)
        ballot, at = np.nonzero(~np.isnan(rank))
        agents = tuple(sorted(columns))
        code = np.array([agents.index(name) for name in columns])
        place = np.unique(rank[ballot, at], return_inverse=True)[1]
        return _one_row_ballots(source, rows, agents, ballot, code[at], place)


def read_best_worst(source: RoleTable) -> Ballots:
    """Read one row per choice among options: the best first, the worst last, the others tied between them."""
    columns = source.layout.many("options")
    with source.rows() as rows:
        shown_agents = rows.rows.factors(columns)
        levels, codes = shown_agents[0].levels, np.stack([factor.codes for factor in shown_agents], axis=1)
        place = np.ones(codes.shape, dtype=np.int64)
        for role, value in (("best", 0), ("worst", 2)):
            place[np.arange(len(codes)), _chosen_option(rows, role, columns, levels, codes)] = value
        ballot, at = np.nonzero(codes >= 0)
        return _one_row_ballots(source, rows, levels, ballot, codes[ballot, at], place[ballot, at])


def _chosen_option(rows: RoleRows, role: str, columns: Sequence[str], levels: Sequence[str], codes: Codes) -> Ints:
    """The option that each row chose: by letter or number, by the column's name, or by the agent's name."""
    label = rows.factor(role)
    by_word = {word: i for i, c in enumerate(columns) for word in (c.lower(), c.lower()[-1:], "abcdefghij"[i : i + 1])}
    option = label.each(lambda level: by_word.get(level.strip().lower(), -1), -1)
    agent = label.each(lambda x: levels.index(x) if x in levels else -2, -2)
    by_name = (codes == agent[:, None]).argmax(axis=1)
    named = (codes == agent[:, None]).any(axis=1)
    refuse(
        (option < 0) & ~named,
        lambda first, such: (
            f"{quoted(rows.layout.roles[role])} must name one of the options of its row; it does not in "
            f"{rows.place(first)} ({such}). Correct these rows or leave them out."
        ),
        ReadError,
    )
    return np.where(named, by_name, option)


def _one_row_ballots(
    source: RoleTable, rows: RoleRows, levels: tuple[str, ...], ballot: Ints, agent: Codes, place: NDArray[Any]
) -> Ballots:
    """Ballots from rows that each hold a whole ballot."""
    code = np.sort(ballot * len(levels) + agent)
    again = code[1:][np.diff(code) == 0]
    if again.size:
        raise ReadError(
            f"a ballot must name an agent at most once; {quoted(levels[again[0] % len(levels)])} stands twice in "
            f"{rows.place(int(again[0] // len(levels)))}. Correct this row or leave it out."
        )
    return Ballots(
        levels,
        agent,
        place,
        _starts(ballot, rows.rows.n_rows),
        count=rows.counts("count", whole=True),  # type: ignore[arg-type]
        weight=rows.numbers("weight") if "weight" in source.layout.roles else None,
        factors=rows.carried(("ballot", *ROLES), slice(None)),
        reading=source.account(rows.rows.n_rows, rows.rows.n_rows, {}),
    )
