"""`write`: save evidence to files that `read` reads back, and report whatever the file format cannot hold.

A canonical table has one row per battle, ranked agent, score or pair, with columns named by their roles. Whatever a
table cannot hold, or a reader would misinterpret by its column names, is reported as a sentence.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._atomic_write import whole_file, write_whole
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, ReadError, UsageError
from beatpath._text import counted, listed, quoted
from beatpath._validate import require_known
from beatpath.data.layouts.battles import FACTOR_ROLES
from beatpath.data.layouts.roles import layout_of
from beatpath.data.layouts.scores import directions_by_flag
from beatpath.data.sources.source import COMPRESSED
from beatpath.data.tables.cells import are_numbers
from beatpath.data.tables.database import connect, literal, writing_errors
from beatpath.data.tables.open_table import identifiers
from beatpath.data.tables.table import table_of_cells
from beatpath.evidence import Ballots, Battles, Evidence, Factor, Margins, Pairs, Scores, WinRates
from beatpath.evidence.battles import POSITIONS

# File extensions that `write` accepts.
TARGETS = (".parquet", ".csv", ".tsv", ".jsonl", ".soc", ".soi", ".toc", ".toi")
PREFLIB = TARGETS[-4:]  # the PrefLib formats: strict or weak orders, complete or incomplete
# The alternative that a note on lost clusters offers.
INSTEAD = "`beatpath convert --to pairs` stores a design effect for every pair instead"
NEEDED = ("agent_a", "agent_b", "agent", "ballot")  # a row without one of these names is no evidence
Columns = dict[str, NDArray[Any]]  # the columns of a table by name


def write(evidence: EvidenceLike, path: str | os.PathLike[str], *, to: str | None = None) -> tuple[str, ...]:
    """Write evidence to a file; the extension selects Parquet, CSV, TSV, JSON Lines or PrefLib.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The evidence to write.
    path : path
        Ends in .parquet, .csv, .tsv or .jsonl for a canonical table (.gz and .zst compress the last three), or in
        .soc, .soi, .toc or .toi for PrefLib.
    to : {"pairs", "ballots"}, optional
        Convert the evidence to this kind first.

    Returns
    -------
    tuple of str
        What the file cannot hold, as sentences; empty if nothing is lost.

    See Also
    --------
    read : Read the file back.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from beatpath import Battles, read
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "games.csv"
    >>> write(Battles.of([("ada", "bob", 1), ("bob", "ada", 0.5)]), path)
    ()
    >>> read(path)
    Battles(2 agents, 2 battles)
    """
    evidence, target = as_evidence(evidence), Path(path)
    kind, compression = ending(target)
    to = "ballots" if kind in PREFLIB and to is None else to
    before = _not_on_ballots(evidence) if to == "ballots" and isinstance(evidence, Battles) else ()
    if to == "pairs" and isinstance(evidence, Ballots | Scores):
        before = (f"which comparisons are correlated; {INSTEAD}",)
    evidence = converted(evidence, to)
    if kind in PREFLIB:
        return (*before, *_write_preflib(evidence, target, kind))
    sheet = sheet_of(evidence)
    if kind in (".csv", ".tsv"):
        sheet.empty_names()
    if kind == ".jsonl" and not len(sheet):
        raise DataError(
            "JSON Lines must have at least one row, or nothing says what they hold; these have none. Write .parquet."
        )
    _write_table(sheet.columns, target, kind, compression)
    return (*before, *sheet.lost)


def _not_on_ballots(battles: Battles) -> tuple[str, ...]:
    """Name what battles lose if each becomes a ballot of two agents."""
    lost = []
    if battles.both_bad is not None and battles.both_bad.any():
        lost.append(f"which of the ties were 'both bad' ({counted(int(battles.both_bad.sum()), 'battle')})")
    columns = {"position": battles.position, "time": battles.time, **battles.covariates}
    names = [name for name, values in columns.items() if values is not None]
    return (*lost, *(f"the column {quoted(name)}" for name in names))


def ending(target: Path) -> tuple[str, str]:
    """Return the target format and the compression that a file name implies."""
    suffixes = [suffix.lower() for suffix in target.suffixes]
    compression = COMPRESSED.get(suffixes[-1], "") if suffixes else ""
    kind = "".join(suffixes[-2:-1] if compression else suffixes[-1:])
    must = f"the name of the output must end in one of {', '.join(TARGETS)}; got {quoted(target.name)}."
    require_known(kind, TARGETS, must)
    if compression and kind not in (".csv", ".tsv", ".jsonl"):
        raise UsageError(f"only .csv, .tsv and .jsonl are compressed by their names; got {quoted(target.name)}.")
    return kind, compression or "none"


def converted(evidence: Evidence, to: str | None) -> Evidence:
    """Convert evidence to another kind by the default conventions, or raise an error if that is impossible."""
    if to is None or evidence.kind == to:
        return evidence
    if to == "pairs" and isinstance(evidence, Battles | Ballots | Scores):
        return evidence.pairs()
    if to == "ballots" and isinstance(evidence, Scores | Battles):
        return evidence.ballots()
    raise UsageError(
        f"`to` must be pairs, or ballots for scores and battles; {evidence.kind} cannot become {quoted(to)}."
    )


def _write_table(table: Columns, target: Path, kind: str, compression: str) -> None:
    """Write columns with DuckDB to a temporary file that then replaces the target."""
    how = {
        ".parquet": "FORMAT parquet, COMPRESSION zstd",
        ".csv": f"FORMAT csv, HEADER true, COMPRESSION {compression}",
        ".tsv": f"FORMAT csv, HEADER true, DELIMITER '\t', COMPRESSION {compression}",
        ".jsonl": f"FORMAT json, COMPRESSION {compression}",
    }[kind]
    with whole_file(target) as path, connect() as con, writing_errors():
        con.register("evidence", {f"c{i}": np.ascontiguousarray(values) for i, values in enumerate(table.values())})
        columns = ", ".join(f"c{i} AS {name}" for i, name in enumerate(identifiers(tuple(table))))
        con.execute(f"COPY (SELECT {columns} FROM evidence) TO {literal(str(path))} ({how}, USE_TMP_FILE false)")


def _write_preflib(evidence: Evidence, target: Path, kind: str) -> tuple[str, ...]:
    from beatpath.data.formats.preflib import TYPES, preflib_text, preflib_type

    if not isinstance(evidence, Ballots):
        raise UsageError(
            f"PrefLib files hold rankings; {evidence.kind} are none. Write a table, or convert scores first."
        )
    narrowest = preflib_type(evidence)
    if (kind[1] == "s" and narrowest[0] == "t") or (kind[3] == "c" and narrowest[2] == "i"):
        raise UsageError(
            f"a {kind} file holds {TYPES[kind[1:]]}; these ballots need {TYPES[narrowest]}. Name the output .{narrowest}."
        )
    text, lost = preflib_text(evidence, title=target.stem, kind=kind[1:])
    write_whole(target, text)
    return tuple(lost)


@dataclass
class CanonicalSheet:
    """The columns of a table to write, the layout that a reader should infer from them, and what is lost."""

    layout: str
    columns: Columns
    lost: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def carry(self, name: str, values: NDArray[Any]) -> str:
        """Add a column under its own name, or a similar one if that is taken, and return the name."""
        free, taken = name.strip() or "column", {known.lower() for known in self.columns}
        while free.lower() in taken:
            free += "_"
        if free != name:
            self.lost.append(f"the name of the column {quoted(name)}: it is called {quoted(free)} now")
        self.columns[free] = values
        return free

    def idle(self, agents: tuple[str, ...], codes: NDArray[Any], what: str) -> None:
        """Report agents that no row mentions, which a table of rows cannot hold."""
        names = [agents[i] for i in np.setdiff1d(np.arange(len(agents)), codes)]
        if names:
            self.lost.append(f"{counted(len(names), 'agent')} without {what}: {listed(names)}")

    def foresee(self) -> None:
        """Report columns that a reader would take for something else."""
        try:
            with connect() as con:
                table = table_of_cells(con, tuple(self.columns), tuple(self.columns.values()), "the table")
                layout = layout_of({}, table)
        except ReadError:
            self.lost.append("what kind of table it is: its columns can be read in two ways, so map them when reading")
            return
        if layout.name != self.layout:
            self.lost.append(f"what kind of table it is: its columns look like {layout.name}, so map them when reading")
            return
        for role, column in layout.guessed.items():
            if column != role:
                self.lost.append(f"that {quoted(column)} is no {role}: read the file with `--map {role}=none`")

    def require_unicode(self) -> None:
        """Raise an error for a name with an unpaired surrogate, which JSON can hold but a file cannot."""
        for column, values in self.columns.items():
            for text in {column, *(set(values.tolist()) - {None} if values.dtype == object else ())}:
                if text.encode(errors="ignore").decode() != text:
                    raise DataError(
                        f"names must be whole Unicode text to be written; {quoted(text)} in {quoted(column)} has half of a "
                        "character. Rename it first."
                    )

    def empty_names(self) -> None:
        """Report empty names, which separated text reads as missing; raise an error if a row needs the name."""
        for column, values in self.columns.items():
            if values.dtype == object and "" in set(values.tolist()):
                if column in NEEDED:
                    raise DataError(
                        f"{quoted(column)} must not hold the empty name in separated text, where it means that there is "
                        "none. Rename it first, or write .parquet or .jsonl."
                    )
                self.lost.append(f"the empty names in {quoted(column)}, which separated text takes for missing ones")


def sheet_of(evidence: Evidence) -> CanonicalSheet:
    """Return the canonical table of evidence, with notes on what it cannot hold."""
    makers: Mapping[type, Callable[[Any], CanonicalSheet]] = {
        Battles: _battle_sheet,
        Ballots: _ballot_sheet,
        Scores: _score_sheet,
        Pairs: _pair_sheet,
        Margins: _matrix_sheet,
        WinRates: _matrix_sheet,
    }
    sheet = makers[type(evidence)](evidence)
    sheet.require_unicode()
    if sheet.layout != "win matrix":
        sheet.foresee()
    return sheet


def _names_by_code(agents: tuple[str, ...], codes: NDArray[Any]) -> NDArray[Any]:
    """Names by code, as an array of strings."""
    return np.array([*agents, None], dtype=object)[codes]


def _factor_texts(factor: Factor) -> NDArray[Any]:
    return _names_by_code(factor.levels, factor.codes)


def _battle_sheet(battles: Battles) -> CanonicalSheet:
    """One row per battle; a position of 0 in every row keeps a reader from taking agent a for the first."""
    n = len(battles)
    columns: Columns = {
        "agent_a": _names_by_code(battles.agents, battles.a),
        "agent_b": _names_by_code(battles.agents, battles.b),
        "outcome": battles.outcome,
        "position": np.zeros(n, dtype=np.int8) if battles.position is None else battles.position,
    }
    plain = {"both_bad": battles.both_bad, "weight": battles.weight, "time": battles.time}
    sheet = CanonicalSheet("battles", columns | {name: values for name, values in plain.items() if values is not None})
    sheet.idle(battles.agents, np.concatenate([battles.a, battles.b]), "a battle")
    for name, factor in battles.factors.items():
        column = sheet.carry(name, _factor_texts(factor))
        if name not in FACTOR_ROLES and are_numbers(np.array(factor.levels, dtype=object)):
            sheet.lost.append(f"that {quoted(column)} holds names: they look like numbers, and are read as such")
    for name, values in battles.covariates.items():
        column = sheet.carry(name, values)
        if n and (np.isnan(values).all() or np.isinf(values).any()):
            sheet.lost.append(f"that {quoted(column)} holds numbers: it has none, or infinite ones")
    return sheet


def _ballot_sheet(ballots: Ballots) -> CanonicalSheet:
    """One row per ranked agent; an agent that no ballot ranks is on the first ballot without a place."""
    ballot = np.repeat(np.arange(len(ballots)), np.diff(ballots.start))
    idle = np.setdiff1d(np.arange(len(ballots.agents)), ballots.agent) if len(ballots) else np.zeros(0, np.int64)
    ballot = np.concatenate([ballot, np.zeros(len(idle), dtype=np.int64)])
    agent = np.concatenate([ballots.agent, idle])
    numbered = Factor.of([f"{i + 1:09d}" for i in range(len(ballots))])
    name = ballots.factors.get("ballot", numbered)
    distinct = not name.n_missing and len(name.levels) == len(ballots)
    rank = np.concatenate([ballots.place + 1.0, np.full(len(idle), np.nan)])
    columns: Columns = {
        "ballot": _factor_texts(name if distinct else numbered)[ballot],
        "agent": _names_by_code(ballots.agents, agent),
        "rank": rank,
    }
    if (ballots.count != 1).any():
        columns["count"] = ballots.count[ballot]
    if ballots.weight is not None:
        columns["weight"] = ballots.weight[ballot]
    sheet = CanonicalSheet("places", columns)
    if not distinct:
        sheet.lost.append("the names of the ballots, which are not distinct: numbers stand in their place")
    for key, factor in ballots.factors.items():
        if key != "ballot":
            sheet.carry(key, _factor_texts(factor)[ballot])
    sheet.idle(ballots.agents, agent, "a ballot")
    empty = len(ballots) - len(np.unique(ballot))
    if empty:
        sheet.lost.append(f"{counted(empty, 'ballot')} that rank nobody")
    return sheet


def _score_sheet(scores: Scores) -> CanonicalSheet:
    """One row per score."""
    sheet = CanonicalSheet("scores", {"agent": _names_by_code(scores.agents, scores.agent), "value": scores.value})
    if scores.stderr is not None:
        sheet.columns["stderr"] = scores.stderr
    sign = scores.sign()
    if (sign < 0).any():
        sheet.columns["higher_is_better"] = sign > 0
        if directions_by_flag(scores.factors, (sign > 0).astype(np.float64)) is None:
            del sheet.columns["higher_is_better"]
            sheet.lost.append("which scores are better when lower: neither the metric nor the task decides it alone")
    for name, factor in scores.factors.items():
        sheet.carry(name, _factor_texts(factor))
    sheet.idle(scores.agents, scores.agent, "a score")
    return sheet


def _pair_sheet(pairs: Pairs) -> CanonicalSheet:
    """One row per pair and combination of keys."""
    columns: Columns = {
        "agent_a": _names_by_code(pairs.agents, pairs.a),
        "agent_b": _names_by_code(pairs.agents, pairs.b),
    }
    columns |= dict(zip(("wins_a", "wins_b", "ties", "both_bad"), pairs.counts.T, strict=True))
    sheet = CanonicalSheet("pair counts", columns | {"battles": pairs.battles})
    for name, factor in pairs.keys.items():
        odd = name == "position" and (factor.n_missing or not set(factor.levels) <= set(POSITIONS))
        sheet.carry(f"{name}_" if odd else name, _factor_texts(factor))
        if odd:
            sheet.lost.append("that `position` says who was first: its names do not")
    sheet.idle(pairs.agents, np.concatenate([pairs.a, pairs.b]), "a battle")
    if pairs.squares is not None:
        total, square = pairs.counts.sum(axis=1), pairs.squares.sum(axis=1)
        effect = np.divide(square, total, out=np.ones(len(total)), where=total > 0)
        sheet.columns["design_effect"] = effect
        if not np.allclose(pairs.squares, pairs.counts * effect[:, None]):
            sheet.lost.append("the squared weights by outcome: a design effect for every pair stands for them")
    if pairs.soft is not None:
        sheet.lost.append("how soft the soft preferences were: they became parts of a win and of a loss")
    return sheet


def _matrix_sheet(matrix: Margins | WinRates) -> CanonicalSheet:
    """A square table with the agents' names as header and first column."""
    columns: Columns = {"agent": np.array(matrix.agents, dtype=object)}
    times = Counter(name.lower() for name in ("agent", *matrix.agents))
    clash = sorted(name for name in matrix.agents if times[name.lower()] > 1)
    if clash:
        raise DataError(f"column names must differ in more than case; {listed(clash)} do not. Rename these agents.")
    return CanonicalSheet("win matrix", columns | {name: matrix.matrix[:, i] for i, name in enumerate(matrix.agents)})
