"""Judgments of answers: Arena-Hard-Auto, MT-bench and AlpacaEval.

Arena-Hard judges a model against a baseline twice, the second time with the answers swapped. MT-bench, as FastChat's ``llm_judge`` writes
it, has pairs judged in both orders, and single grades. AlpacaEval has a judge's preference between two generators, hard or soft.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from beatpath._errors import ReadError
from beatpath._text import quoted
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.records import Tally, finite_number, list_of, mapping_of, optional_text, records, text_of
from beatpath.data.sources.source import Options, Source
from beatpath.evidence import Battles, Convention, Scores

STRONG = 3.0  # what the official score counts a verdict of `>>` as
VERDICTS = {
    "A>>B": "a", "A>B": "a", "B<A": "a", "B<<A": "a",
    "B>>A": "b", "B>A": "b", "A<B": "b", "A<<B": "b",
    "A=B": "tie", "B=A": "tie",
}  # fmt: skip
SWAPPED = {"a": "b", "b": "a"}
WINNERS = {"model_1": "a", "model_2": "b", "tie": "tie", "error": "error"}
GAMES = (("g1_winner", 1), ("g2_winner", -1))  # the second game shows the answers the other way round
ONE_GAME = (("g1_winner", None),)
LONGEST = 40  # characters of an instruction that may serve as its own name


def read_arena_hard(sources: Sequence[Source], options: Options) -> Battles:
    """Read each game as a battle of the model against its baseline.

    The first game shows the baseline as A, the second the model, and so on in turn. A label of ``--labels`` speaks of
    A and B as the judge saw them. A verdict of "much better" weighs three, as in the official score.
    """
    tally = Tally("arena-hard", sources, options)
    for source in sources:
        for place, record in records(source, options.encoding):
            _take_games(tally, place, record)
    affected = sum(row.get("weight") == STRONG for row in tally.rows)
    meaning = "a verdict of much better (>> or <<) weighs three battles, as in the official Arena-Hard score"
    return tally.battles(Convention("strong", f"{STRONG:g}", meaning, float(affected)))


def _take_games(tally: Tally, place: str, record: Mapping[str, Any]) -> None:
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


def read_mt_bench_pairs(sources: Sequence[Source], options: Options) -> Battles:
    """Read every pair as two battles, one an order, so that a judge's liking for the first answer can be seen.

    The official table calls two games that disagree a tie; here both games stay. A pair made of two single grades
    (it has ``m1_score``) was never shown in any order: it is one battle without position.
    """
    tally = Tally("mt-bench-pair", sources, options)
    for source in sources:
        for place, record in records(source, options.encoding):
            a, b = text_of(record, "model_1", place), text_of(record, "model_2", place)
            common = {"cluster": text_of(record, "question_id", place), **_turn_judge_time(record, place)}
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
                common = _turn_judge_time(record, place)
                tally.use(agent=agent, item=item, value=value, task=common["task"], judge=common["judge"])
    return tally.scores()


def _turn_judge_time(record: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Turn, judge and time of a judgment, ``None`` where it has none."""
    judge, turn, time = record.get("judge"), optional_text(record.get("turn")), record.get("tstamp")
    return {
        "task": None if turn is None else f"turn {turn}",
        "judge": optional_text(judge[0] if isinstance(judge, list) and judge else judge),
        "time": None if time is None else finite_number(time, place, "tstamp"),
    }


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


def _has_games(head: Head) -> bool:
    return isinstance(head.record["games"], list)


arena_hard = Reader(
    "arena-hard",
    "Arena-Hard-Auto judgments (model_judgment/JUDGE/MODEL.jsonl)",
    _has_games,
    read_arena_hard,
    keys=({"model", "judge", "games", "uid"}, {"model", "judge", "games", "question_id"}),
)
mt_bench_pair = Reader(
    "mt-bench-pair",
    "MT-bench pair judgments (*_pair.jsonl), both orders kept",
    None,
    read_mt_bench_pairs,
    keys=({"model_1", "model_2", "g1_winner", "g2_winner"},),
)
mt_bench_single = Reader(
    "mt-bench-single",
    "MT-bench single grades (*_single.jsonl)",
    None,
    read_mt_bench_grades,
    keys=({"question_id", "model", "judge", "score", "turn"},),
)
alpaca_eval = Reader(
    "alpaca-eval",
    "AlpacaEval annotations (annotations.json)",
    None,
    read_alpaca_eval,
    keys=({"generator_1", "generator_2", "preference", "instruction"},),
)
