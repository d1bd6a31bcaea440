"""Generic tables: any CSV, TSV, JSON, JSON Lines or Parquet file whose columns say, or are told, what they mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from beatpath._errors import UsageError
from beatpath.data.formats.reader import Reader
from beatpath.data.layouts.ballots import read_best_worst, read_orderings, read_places, read_ranks
from beatpath.data.layouts.battles import read_battles
from beatpath.data.layouts.counting import count_pairs
from beatpath.data.layouts.counts import read_pair_counts, read_win_matrix
from beatpath.data.layouts.peek import Peek
from beatpath.data.layouts.roles import Layout, layout_of
from beatpath.data.layouts.scores import read_scores, read_wide_scores
from beatpath.data.layouts.together import one_table
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import Source
from beatpath.data.tables.head import Head
from beatpath.data.tables.open_table import open_parts
from beatpath.evidence import Evidence

READ: Mapping[str, Callable[[Any, Layout, Options, str], Evidence]] = {
    "winner and loser": read_battles,
    "pair counts": read_pair_counts,
    "one-hot winners": read_battles,
    "battles": read_battles,
    "battles by score": read_battles,
    "orderings": read_orderings,
    "best and worst": read_best_worst,
    "places": read_places,
    "places by score": read_places,
    "ranks by column": read_ranks,
    "win matrix": read_win_matrix,
    "scores": read_scores,
    "wide scores": read_wide_scores,
}


def read_layout(table: Any, options: Options, format_name: str) -> Evidence:
    """Read a table of any engine by the layout that the user's mapping and the columns' names show."""
    return read_as(layout_for(table, options), table, options, format_name)


def layout_for(table: Any, options: Options) -> Layout:
    """Return the layout that the user's mapping and the columns' names show."""
    for column in options.keep:
        table.expression(column)
    peek = Peek(table.names, table.is_number, table.mostly_numbers, table.distinct, table.first)
    return replace(layout_of(options.columns, peek, table.has, table.sources[0]), kept=tuple(options.keep))


def read_as(layout: Layout, table: Any, options: Options, format_name: str) -> Evidence:
    """Read a table by its layout: rows as rows, or battles counted where they lie."""
    read = READ[layout.name]
    if options.keep and read in (read_win_matrix, read_wide_scores):
        raise UsageError(
            f"`keep` carries columns along row by row; in {layout.name} every column has its place already."
        )
    if options.to == "pairs" and read not in (read_battles, read_pair_counts):
        raise UsageError(f"only battles are counted into pairs while they are read; these are {layout.name}.")
    if options.to == "pairs" or (options.to is None and table.lazy and read is read_battles):
        read = count_pairs if read is read_battles else read
    return read(table, layout, options, format_name)


def read_table(sources: Sequence[Source], options: Options, name: str = "table") -> Evidence:
    """Read files of rows by the layout their columns show."""
    with open_parts(sources, options) as (con, parts):
        return read_layout(one_table(con, parts, options, layout_for), options, name)


def read_lmarena(sources: Sequence[Source], options: Options) -> Evidence:
    """Read LMArena battles with their clusters."""
    with open_parts(sources, options) as (con, parts):
        table = one_table(con, parts, options, layout_for)
        return read_layout(table, with_sessions(table.names, options), "lmarena")


def with_sessions(names: Sequence[str], options: Options) -> Options:
    """Return the options of LMArena battles: votes of one session, else of one user, are one cluster."""
    sessions = ("evaluation_session_id", "judge", "judge_hash")
    cluster = next((name for name in sessions if name in names), "none")
    return replace(options, columns={"cluster": cluster, **options.columns})


def is_lmarena(names: Sequence[str]) -> bool:
    """Whether columns are those of LMArena battles."""
    return {"model_a", "model_b", "winner"} <= set(names) and bool(_ARENA & set(names))


TABLE_OPTIONS = frozenset({"where", "keep", "to", "by"})
_ARENA = {"conversation_a", "evaluation_session_id", "anony", "tstamp", "judge_hash", "conv_metadata"}

lmarena = Reader(
    "lmarena",
    "LMArena and FastChat battles: model_a, model_b, winner, with sessions or users as clusters",
    lambda head: is_lmarena(head.columns),
    read_lmarena,
    TABLE_OPTIONS,
)


SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet")
PROSE = (
    ".md",
    ".rst",
    ".html",
    ".htm",
    ".tex",
    ".bib",
    ".py",
    ".r",
    ".js",
    ".sh",
    ".yaml",
    ".yml",
    ".toml",
    ".ini",
    ".cfg",
    ".log",
)


def claims_table(head: Head) -> bool:
    """By its ending, so that a damaged table gets its own sentence; any other file by what its beginning shows.

    The commas of prose and code separate no cells.
    """
    if head.source.suffix in SUFFIXES:
        return True
    return head.source.suffix not in PROSE and b"\0" not in head.start[:1024] and len(head.columns) > 1


reader = Reader(
    "table",
    "any table of battles, pair counts, rankings or scores, by its columns",
    claims_table,
    read_table,
    TABLE_OPTIONS,
)
