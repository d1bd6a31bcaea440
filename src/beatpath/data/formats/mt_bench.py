"""MT-bench judgments, as FastChat's ``llm_judge`` writes them: pairs judged in both orders, and single grades."""

from collections.abc import Mapping, Sequence
from typing import Any

from beatpath.data.formats.reader import Reader
from beatpath.data.records.records import finite_number, optional_text, records, text_of
from beatpath.data.records.tally import Tally
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import Source
from beatpath.data.tables.head import Head
from beatpath.evidence import Battles, Scores

WINNERS = {"model_1": "a", "model_2": "b", "tie": "tie", "error": "error"}
GAMES = (("g1_winner", 1), ("g2_winner", -1))  # the second game shows the answers the other way round
ONE_GAME = (("g1_winner", None),)


def read_mt_bench_pairs(sources: Sequence[Source], options: Options) -> Battles:
    """Read every pair as two battles, one an order, so that a judge's liking for the first answer can be seen.

    The official table calls two games that disagree a tie; here both games stay. A pair made of two single grades
    (it has ``m1_score``) was never shown in any order: it is one battle without position.
    """
    tally = Tally("mt-bench-pair", sources, options)
    for source in sources:
        for place, record in records(source, options.encoding):
            a, b = text_of(record, "model_1", place), text_of(record, "model_2", place)
            common = {"cluster": text_of(record, "question_id", place), **_common(record, place)}
            for key, position in ONE_GAME if "m1_score" in record else GAMES:
                meaning = tally.meaning(record.get(key), WINNERS)
                if meaning == "error":
                    tally.drop("the judge gave no verdict")
                else:
                    tally.battle(place, a, b, meaning, position=position, **common)
    return tally.battles()


def read_mt_bench_grades(sources: Sequence[Source], options: Options) -> Scores:
    """Read single grades; the grade -1 marks an answer from the judge in which no grade was found."""
    tally = Tally("mt-bench-single", sources, options)
    for source in sources:
        for place, record in records(source, options.encoding):
            agent, item = text_of(record, "model", place), text_of(record, "question_id", place)
            value = finite_number(record.get("score"), place, "score")
            if value == -1:
                tally.drop("the judge gave no grade")
            else:
                common = _common(record, place)
                tally.use(agent=agent, item=item, value=value, task=common["task"], judge=common["judge"])
    return tally.scores()


def _common(record: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Turn, judge and time of a judgment, ``None`` where it has none."""
    judge, turn, time = record.get("judge"), optional_text(record.get("turn")), record.get("tstamp")
    return {
        "task": None if turn is None else f"turn {turn}",
        "judge": optional_text(judge[0] if isinstance(judge, list) and judge else judge),
        "time": None if time is None else finite_number(time, place, "tstamp"),
    }


def claims_mt_bench_pair(head: Head) -> bool:
    """Whether the first record is a judgment of two models in two games."""
    return {"model_1", "model_2", "g1_winner", "g2_winner"} <= set(head.record)


def claims_mt_bench_single(head: Head) -> bool:
    """Whether the first record is a grade of one model."""
    return {"question_id", "model", "judge", "score", "turn"} <= set(head.record)


pair = Reader(
    "mt-bench-pair",
    "MT-bench pair judgments (*_pair.jsonl), both orders kept",
    claims_mt_bench_pair,
    read_mt_bench_pairs,
)
single = Reader(
    "mt-bench-single", "MT-bench single grades (*_single.jsonl)", claims_mt_bench_single, read_mt_bench_grades
)
