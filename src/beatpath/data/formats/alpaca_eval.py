"""AlpacaEval annotations: a judge's preference between two generators, hard or soft."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from beatpath._errors import ReadError
from beatpath.data.formats.reader import Reader
from beatpath.data.records.records import finite_number, optional_text, records, text_of
from beatpath.data.records.tally import Tally
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import Source
from beatpath.data.tables.head import Head
from beatpath.evidence import Battles

LONGEST = 40  # characters of an instruction that may serve as its own name


def read_alpaca_eval(sources: Sequence[Source], options: Options) -> Battles:
    """Read each annotation as a battle of ``generator_1`` against ``generator_2``.

    A preference lies from 1 (the first generator) to 2 (the second), so that the outcome for the first is 2 minus it;
    1.5 is a tie, and so is the 0 of early files. AlpacaEval shuffles the two answers before the judge sees them and
    does not say how, so there is no position.
    """
    tally = Tally("alpaca-eval", sources, options)
    for source in sources:
        for place, record in records(source, options.encoding):
            a, b = text_of(record, "generator_1", place), text_of(record, "generator_2", place)
            if record.get("preference") is None:
                tally.drop("the judge gave no preference")
                continue
            tally.battle(
                place,
                a,
                b,
                _outcome_of_preference(record, place),
                cluster=_short(text_of(record, "instruction", place)),
                judge=optional_text(record.get("annotator")),
                task=optional_text(record.get("dataset")),
            )
    return tally.battles()


def _outcome_of_preference(record: Mapping[str, Any], place: str) -> float:
    """The outcome for the first generator."""
    preference = finite_number(record.get("preference"), place, "preference")
    if preference == 0:
        return 0.5
    if not 1 <= preference <= 2:
        raise ReadError(
            f"`preference` must lie from 1 to 2, or be 0 for a tie; got {preference:g} in {place}. "
            "Correct or remove the record."
        )
    return 2 - preference


def _short(instruction: str) -> str:
    """A name for an instruction: itself when short, else the first digits of its SHA-256.

    >>> _short("Name three primes."), _short("x" * 100)
    ('Name three primes.', '09ecb6ebc8bc')
    """
    if len(instruction) <= LONGEST:
        return instruction
    return hashlib.sha256(instruction.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def claims_alpaca_eval(head: Head) -> bool:
    """Whether the first record is an annotation: two generators, an instruction and a preference."""
    return {"generator_1", "generator_2", "preference", "instruction"} <= set(head.record)


reader = Reader("alpaca-eval", "AlpacaEval annotations (annotations.json)", claims_alpaca_eval, read_alpaca_eval)
