"""`write`: evidence into files that `read` reads back, with the names of whatever a target cannot hold."""

import os
from pathlib import Path

import numpy as np

from beatpath._atomic_write import whole_file, write_whole
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted, suggestion
from beatpath.data.layouts.canonical import Columns, sheet_of
from beatpath.data.sources.source import COMPRESSED
from beatpath.data.tables.database import connect, literal, writing_errors
from beatpath.evidence import Ballots, Battles, Evidence, Scores

TARGETS = (".parquet", ".csv", ".tsv", ".jsonl", ".soc", ".soi", ".toc", ".toi")
PREFLIB = TARGETS[-4:]


def write(evidence: Evidence, path: str | os.PathLike[str], *, to: str | None = None) -> tuple[str, ...]:
    """Write evidence to a file; its ending says how: Parquet, CSV, TSV, JSON Lines or PrefLib.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs
        What to write.
    path : path
        Ends in .parquet, .csv, .tsv or .jsonl for a canonical table (.gz and .zst compress the last three), or in
        .soc, .soi, .toc or .toi for PrefLib.
    to : "pairs" or "ballots", optional
        Convert to this kind first.

    Returns
    -------
    tuple of str
        What the target could not hold, in sentences; empty when nothing was lost.
    """
    target = Path(path)
    kind, compression = ending(target)
    to = "ballots" if kind in PREFLIB and to is None else to
    before = _not_on_ballots(evidence) if to == "ballots" and isinstance(evidence, Battles) else ()
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
    """Name what battles lose when each becomes a ballot of two."""
    lost = []
    if battles.both_bad is not None and battles.both_bad.any():
        lost.append(f"which of the ties were 'both bad' ({counted(int(battles.both_bad.sum()), 'battle')})")
    columns = {"position": battles.position, "time": battles.time, **battles.covariates}
    names = [name for name, values in columns.items() if values is not None]
    return (*lost, *(f"the column {quoted(name)}" for name in names))


def ending(target: Path) -> tuple[str, str]:
    """Return what the name of the output asks for: one of the targets, and how it is compressed."""
    suffixes = [suffix.lower() for suffix in target.suffixes]
    compression = COMPRESSED.get(suffixes[-1], "") if suffixes else ""
    kind = "".join(suffixes[-2:-1] if compression else suffixes[-1:])
    if kind not in TARGETS:
        raise UsageError(
            f"the name of the output must end in one of {', '.join(TARGETS)}; got {quoted(target.name)}."
            f"{suggestion(kind, TARGETS)}"
        )
    if compression and kind not in (".csv", ".tsv", ".jsonl"):
        raise UsageError(f"only .csv, .tsv and .jsonl are compressed by their names; got {quoted(target.name)}.")
    return kind, compression or "none"


def converted(evidence: Evidence, to: str | None) -> Evidence:
    """Turn evidence into another kind by the default conventions, or raise where that cannot be."""
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
    """Write columns through DuckDB into a draft that takes the place of the target."""
    how = {
        ".parquet": "FORMAT parquet, COMPRESSION zstd",
        ".csv": f"FORMAT csv, HEADER true, COMPRESSION {compression}",
        ".tsv": f"FORMAT csv, HEADER true, DELIMITER '\t', COMPRESSION {compression}",
        ".jsonl": f"FORMAT json, COMPRESSION {compression}",
    }[kind]
    with whole_file(target) as path, connect() as con, writing_errors():
        con.register("evidence", {f"c{i}": np.ascontiguousarray(values) for i, values in enumerate(table.values())})
        columns = ", ".join(f"c{i} AS {_identifier(name)}" for i, name in enumerate(table))
        con.execute(f"COPY (SELECT {columns} FROM evidence) TO {literal(str(path))} ({how}, USE_TMP_FILE false)")


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _write_preflib(evidence: Evidence, target: Path, kind: str) -> tuple[str, ...]:
    from beatpath.data.formats.preflib import preflib_text, preflib_type
    from beatpath.data.formats.preflib_header import TYPES

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
