"""`write`: evidence into files that `read` reads back, with the names of whatever a target cannot hold.

The canonical tables are one row a battle, one row an agent on a ballot, one row a score, one row a pair; their column
names are the roles, so that reading them back guesses nothing wrong.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, shown, suggestion
from beatpath.data.table import connect, literal
from beatpath.evidence import Ballots, Battles, Evidence, Factor, Margins, Pairs, Scores, WinRates

Columns = dict[str, NDArray[Any]]
TARGETS = (".parquet", ".csv", ".tsv", ".jsonl", ".soc", ".soi", ".toc", ".toi")
PREFLIB = TARGETS[-4:]
ROLE_FACTORS = ("task", "cluster", "judge")


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
    suffixes = [s for s in target.suffixes if s in (*TARGETS, ".gz", ".zst")]
    compression = {".gz": "gzip", ".zst": "zstd"}.get(suffixes[-1] if suffixes else "", "none")
    kind = next((s for s in reversed(suffixes) if s in TARGETS), None)
    if kind is None:
        near = suggestion(target.suffix, TARGETS)
        raise UsageError(
            f"the name of the output must end in one of {', '.join(TARGETS)}; got {quoted(target.name)}.{near}"
        )
    evidence = converted(evidence, "ballots" if kind in PREFLIB and to is None else to)
    if kind in PREFLIB:
        return _write_preflib(evidence, target, kind)
    table, lost = table_of(evidence)
    _write_table(table, target, kind, compression)
    return lost


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


def table_of(evidence: Evidence) -> tuple[Columns, tuple[str, ...]]:
    """Return the canonical table of evidence and what it cannot hold."""
    makers: Mapping[type, Callable[[Any], tuple[Columns, tuple[str, ...]]]] = {
        Battles: _battle_table,
        Ballots: _ballot_table,
        Scores: _score_table,
        Pairs: _pair_table,
        Margins: _matrix_table,
        WinRates: _matrix_table,
    }
    return makers[type(evidence)](evidence)


def _names(agents: tuple[str, ...], codes: NDArray[Any]) -> NDArray[Any]:
    """Names by code, as an array of texts."""
    return np.array([*agents, None], dtype=object)[codes]


def _text(factor: Factor) -> NDArray[Any]:
    return _names(factor.levels, factor.codes)


def _idle(agents: tuple[str, ...], codes: NDArray[Any], what: str) -> tuple[str, ...]:
    """Name the agents that no row mentions: a table of rows cannot hold them."""
    idle = [name for i, name in enumerate(agents) if i not in set(np.unique(codes).tolist())]
    return (f"{counted(len(idle), 'agent')} without {what}: {listed(idle)}",) if idle else ()


def _battle_table(battles: Battles) -> tuple[Columns, tuple[str, ...]]:
    table: Columns = {
        "agent_a": _names(battles.agents, battles.a),
        "agent_b": _names(battles.agents, battles.b),
        "outcome": battles.outcome,
    }
    plain = {"both_bad": battles.both_bad, "weight": battles.weight, "position": battles.position, "time": battles.time}
    table |= {name: values for name, values in plain.items() if values is not None}
    for name, factor in battles.factors.items():
        table[_free(name, table)] = _text(factor)
    for name, values in battles.covariates.items():
        table[_free(name, table)] = values
    if battles.position is None:
        table["position"] = np.zeros(len(battles), dtype=np.int8)
    return table, _idle(battles.agents, np.concatenate([battles.a, battles.b]), "a battle")


def _free(name: str, table: Columns) -> str:
    """A column name that is not taken yet."""
    while name in table:
        name = f"{name}_"
    return name


def _ballot_table(ballots: Ballots) -> tuple[Columns, tuple[str, ...]]:
    """One row a ranked agent; an agent that no ballot ranks stands on the first ballot without a place."""
    ballot = np.repeat(np.arange(len(ballots)), np.diff(ballots.start))
    idle = np.setdiff1d(np.arange(len(ballots.agents)), ballots.agent)
    if len(idle) and len(ballots):
        ballot = np.concatenate([ballot, np.zeros(len(idle), dtype=np.int64)])
    name = ballots.factors.get("ballot") or Factor.of([f"{i + 1:09d}" for i in range(len(ballots))])
    rank = np.concatenate([ballots.place + 1.0, np.full(len(idle) if len(ballots) else 0, np.nan)])
    agent = np.concatenate([ballots.agent, idle]) if len(ballots) else ballots.agent
    table: Columns = {"ballot": _text(name)[ballot], "agent": _names(ballots.agents, agent), "rank": rank}
    if (ballots.count != 1).any():
        table["count"] = ballots.count[ballot]
    if ballots.weight is not None:
        table["weight"] = ballots.weight[ballot]
    for key, factor in ballots.factors.items():
        if key != "ballot":
            table[key] = _text(factor)[ballot]
    empty = int((np.diff(ballots.start) == 0).sum())
    return table, (f"{counted(empty, 'ballot')} that rank nobody",) if empty else ()


def _score_table(scores: Scores) -> tuple[Columns, tuple[str, ...]]:
    table: Columns = {"agent": _names(scores.agents, scores.agent), "value": scores.value}
    table |= {name: _text(factor) for name, factor in scores.factors.items()}
    if scores.stderr is not None:
        table["stderr"] = scores.stderr
    if scores.higher_is_better:
        table["higher_is_better"] = scores.sign() > 0
    return table, _idle(scores.agents, scores.agent, "a score")


def _pair_table(pairs: Pairs) -> tuple[Columns, tuple[str, ...]]:
    a, b = pairs.a, pairs.b
    counts = pairs.counts
    position = pairs.keys.get("position")
    if position is not None:  # the column order says who was first
        turned = np.array([level == "b first" for level in position.levels] + [False])[position.codes]
        a, b = np.where(turned, b, a), np.where(turned, a, b)
        counts = np.where(turned[:, None], counts[:, [1, 0, 2, 3]], counts)
    table: Columns = {"agent_a": _names(pairs.agents, a), "agent_b": _names(pairs.agents, b)}
    table |= dict(zip(("wins_a", "wins_b", "ties", "both_bad"), counts.T, strict=True))
    table["battles"] = pairs.battles
    table |= {name: _text(factor) for name, factor in pairs.keys.items() if name != "position"}
    lost = _idle(pairs.agents, np.concatenate([pairs.a, pairs.b]), "a battle")
    if pairs.squares is not None:
        lost += ("the squared weights, from which variances of weighted battles are made",)
    if pairs.soft is not None:
        lost += ("how soft the soft preferences were: they became parts of a win and of a loss",)
    others = [name for name in pairs.keys if name not in (*ROLE_FACTORS, "position")]
    return table, lost + ((f"the meaning of the keys {listed(others)}: map them when reading",) if others else ())


def _matrix_table(matrix: Margins | WinRates) -> tuple[Columns, tuple[str, ...]]:
    table: Columns = {"agent": np.array(matrix.agents, dtype=object)}
    return table | {name: matrix.matrix[:, i] for i, name in enumerate(matrix.agents)}, ()


def _write_table(table: Columns, target: Path, kind: str, compression: str) -> None:
    """Write columns through DuckDB into a file beside the target, then put it in place."""
    clash = sorted({n for n in table if [m.lower() for m in table].count(n.lower()) > 1})
    if clash:
        raise DataError(
            f"column names must differ in more than case; {listed(clash)} do not. Rename these agents or keys."
        )
    how = {
        ".parquet": "FORMAT parquet, COMPRESSION zstd",
        ".csv": f"FORMAT csv, HEADER true, COMPRESSION {compression}",
        ".tsv": f"FORMAT csv, HEADER true, DELIMITER '\t', COMPRESSION {compression}",
        ".jsonl": f"FORMAT json, COMPRESSION {compression}",
    }[kind]
    with _in_place(target) as path, connect() as con:
        con.register("evidence", {f"c{i}": np.ascontiguousarray(values) for i, values in enumerate(table.values())})
        columns = ", ".join(f"c{i} AS {_identifier(name)}" for i, name in enumerate(table))
        con.execute(f"COPY (SELECT {columns} FROM evidence) TO {literal(str(path))} ({how})")


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _in_place(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its place when all went well, and vanishes when not."""
    if not target.parent.is_dir():
        raise UsageError(f"the folder of the output must exist; {quoted(target.parent)} does not.")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".beatpath-") as folder:
            path = Path(folder) / target.name
            yield path
            path.replace(target)
    except OSError as error:
        raise UsageError(f"{shown(target)} cannot be written: {error.strerror or error}.") from None


def _write_preflib(evidence: Evidence, target: Path, kind: str) -> tuple[str, ...]:
    from beatpath.data.formats.preflib import preflib_text

    if not isinstance(evidence, Ballots):
        raise UsageError(
            f"PrefLib files hold rankings; {evidence.kind} are none. Write a table, or convert scores first."
        )
    text, lost = preflib_text(evidence, title=target.stem)
    with _in_place(target) as path:
        path.write_text(text, encoding="utf-8")
    return tuple(lost)
