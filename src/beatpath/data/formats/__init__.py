"""The file formats that beatpath reads, one per module, in the order in which they are tried."""

import json
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files

from beatpath._text import quoted
from beatpath._validate import require_known
from beatpath.data.formats.reader import Reader

# Where tools keep what is needed, by tool; one function reads them all.
HARNESSES = json.loads((files("beatpath.data.formats") / "harnesses.json").read_text(encoding="utf-8"))
# Modules and readers of the built-in formats; the first that claims a file reads it.
BUILT_IN = {
    "arena": "arena_file:reader",
    "preflib": "preflib:reader",
    "pgn": "pgn:reader",
    "payoff": "payoff:reader",
    "inspect": "inspect_log:reader",
    "lm-eval": "lm_eval:reader",
    "promptfoo": "promptfoo:reader",
    "every-eval-ever": "every_eval_ever:reader",
    "swe-bench": "swe_bench:reader",
    "mqm": "harness:mqm",
    "trec-eval": "harness:trec",
    "lighteval-details": "harness:details",
    **{name: f"harness:readers:{name}" for name in HARNESSES},
    "arena-hard": "judgments:arena_hard",
    "mt-bench-pair": "judgments:mt_bench_pair",
    "mt-bench-single": "judgments:mt_bench_single",
    "alpaca-eval": "judgments:alpaca_eval",
    "lmarena": "tables:lmarena",
    "table": "tables:reader",
}


def readers() -> Iterator[Reader]:
    """Yield every reader.

    Those registered by other packages as ``beatpath.readers`` come first, then ours, with generic tables last.
    """
    for entry in entry_points(group="beatpath.readers"):
        yield entry.load()
    for place in BUILT_IN.values():
        module, attribute, *key = place.split(":")
        found = getattr(import_module(f"{__name__}.{module}"), attribute)
        yield found[key[0]] if key else found


def reader_named(name: str) -> Reader:
    """Return the reader with this name, or raise an error that lists the names."""
    known = {reader.name: reader for reader in readers()}
    require_known(name, known, f"`--format-in` must name a format; {quoted(name)} is none of {', '.join(known)}.")
    return known[name]
