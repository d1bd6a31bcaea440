"""Arena-Hard-Auto judgments: a model against a baseline, judged twice, the second time with the answers swapped."""

from collections.abc import Mapping, Sequence
from typing import Any

from beatpath._errors import ReadError
from beatpath._text import quoted
from beatpath.data.formats.reader import Reader
from beatpath.data.records.records import list_of, mapping_of, optional_text, records, text_of
from beatpath.data.records.tally import Tally
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import Source
from beatpath.data.tables.head import Head
from beatpath.evidence import Battles, Convention

STRONG = 3.0  # what the official score counts a verdict of `>>` as
VERDICTS = {
    "A>>B": "a", "A>B": "a", "B<A": "a", "B<<A": "a",
    "B>>A": "b", "B>A": "b", "A<B": "b", "A<<B": "b",
    "A=B": "tie", "B=A": "tie",
}  # fmt: skip
SWAPPED = {"a": "b", "b": "a"}


def read_arena_hard(sources: Sequence[Source], options: Options) -> Battles:
    """Read each game as a battle of the model against its baseline.

    The first game shows the baseline as A, the second the model, and so on in turn. A label of ``--labels`` speaks of
    A and B as the judge saw them. A verdict of "much better" weighs three, as in the official score.
    """
    tally = Tally("arena-hard", sources, options)
    for source in sources:
        for place, record in records(source, options.encoding):
            _record(tally, place, record)
    affected = sum(row.get("weight") == STRONG for row in tally.rows)
    meaning = "a verdict of much better (>> or <<) weighs three battles, as in the official Arena-Hard score"
    return tally.battles(Convention("strong", f"{STRONG:g}", meaning, float(affected)))


def _record(tally: Tally, place: str, record: Mapping[str, Any]) -> None:
    """Take the games of one prompt."""
    model = text_of(record, "model", place)
    baseline = optional_text(record.get("baseline")) or tally.options.columns.get("baseline")
    if baseline is None:
        raise ReadError(
            f"every record must name its `baseline`; {place} names none for {quoted(model)}, as files of "
            "Arena-Hard v0.1 do. Say which model it was with `--map baseline=NAME`."
        )
    columns = {
        "cluster": text_of(record, "uid" if "uid" in record else "question_id", place),
        "task": optional_text(record.get("category")),
        "judge": optional_text(record.get("judge")),
    }
    for i, game in enumerate(list_of(record.get("games"), place, "games")):
        verdict = None if game is None else mapping_of(game, place, "games").get("score")
        if verdict is None:
            tally.drop("the judge gave no verdict")
            continue
        model_first = i % 2 == 1
        meaning = tally.meaning(verdict, VERDICTS)
        if not model_first:
            meaning = SWAPPED.get(meaning or "", meaning)
        weight = STRONG if ">>" in str(verdict) or "<<" in str(verdict) else 1.0
        tally.battle(place, model, baseline, meaning, position=1 if model_first else -1, weight=weight, **columns)


def claims_arena_hard(head: Head) -> bool:
    """Whether the first record is a judgment of a model with its games."""
    games = head.record.get("games")
    return (
        {"model", "judge", "games"} <= set(head.record)
        and bool({"uid", "question_id"} & set(head.record))
        and isinstance(games, list)
    )


reader = Reader(
    "arena-hard", "Arena-Hard-Auto judgments (model_judgment/JUDGE/MODEL.jsonl)", claims_arena_hard, read_arena_hard
)
