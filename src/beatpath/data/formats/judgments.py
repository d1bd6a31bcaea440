"""Judgments of answers: Arena-Hard-Auto, MT-bench and AlpacaEval.

Arena-Hard compares a model with a baseline twice, the second time with the answers swapped. MT-bench, as FastChat's
``llm_judge`` writes it, has pairs judged in both orders, and single grades. AlpacaEval has a judge's preference
between two generators, hard or soft.
"""

import hashlib
from collections.abc import Sequence

from beatpath._errors import ReadError
from beatpath._text import quoted
from beatpath.data.formats.reader import Reader
from beatpath.data.formats.records import Fields, Tally, optional_text
from beatpath.data.sources.source import Options, Source
from beatpath.evidence import Battles, Convention, Scores

STRONG = 3.0  # weight of a `>>` verdict in the official score
# Verdicts of Arena-Hard: the winner, and the weight.
VERDICTS = {
    "A>>B": "a", "A>B": "a", "B<A": "a", "B<<A": "a",
    "B>>A": "b", "B>A": "b", "A<B": "b", "A<<B": "b",
    "A=B": "tie", "B=A": "tie",
}  # fmt: skip
SWAPPED = {"a": "b", "b": "a"}  # outcome labels with the two sides exchanged
# Outcome labels of MT-bench.
WINNERS = {"model_1": "a", "model_2": "b", "tie": "tie", "error": "error"}
GAMES = (("g1_winner", 1), ("g2_winner", -1))  # the second game shows the answers in the other order
ONE_GAME = (("g1_winner", None),)  # a pair of single grades, which has no order
LONGEST = 40  # longest instruction that serves as its own name, in characters


def read_arena_hard(sources: Sequence[Source], options: Options) -> Battles:
    """Read each game as a battle of the model against its baseline.

    The first game shows the baseline as A, the second shows the model as A, and so on alternately. A label of
    ``--labels`` refers to A and B as the judge saw them. A verdict of "much better" has weight three, as in the
    official score.
    """
    tally = Tally("arena-hard", sources, options)
    for record in tally.records():
        _take_games(tally, record)
    affected = sum(row.get("weight") == STRONG for row in tally.rows)
    meaning = "a verdict of much better (>> or <<) weighs three battles, as in the official Arena-Hard score"
    return tally.battles(Convention("strong", f"{STRONG:g}", meaning, float(affected)))


def _take_games(tally: Tally, record: Fields) -> None:
    """Read the games of one prompt."""
    model = record.text("model")
    baseline = record.optional("baseline") or tally.options.columns.get("baseline")
    if baseline is None:
        raise ReadError(
            f"every record must name its `baseline`; {record.place} names none for {quoted(model)}, as files of "
            "Arena-Hard v0.1 do. Say which model it was with `--map baseline=NAME`."
        )
    cluster = record.text("uid" if "uid" in record else "question_id")
    columns = {"cluster": cluster, "task": record.optional("category"), "judge": record.optional("judge")}
    for i, game in enumerate(record.list("games")):
        verdict = None if game is None else Fields.of(game, record.place, "games").get("score")
        if verdict is None:
            tally.drop("the judge gave no verdict")
            continue
        model_first = i % 2 == 1
        meaning = tally.meaning(verdict, VERDICTS)
        if not model_first:
            meaning = SWAPPED.get(meaning or "", meaning)
        weight = STRONG if ">>" in str(verdict) or "<<" in str(verdict) else 1.0
        position = 1 if model_first else -1
        tally.battle(record.place, model, baseline, meaning, position=position, weight=weight, **columns)


def read_mt_bench_pairs(sources: Sequence[Source], options: Options) -> Battles:
    """Read every pair as two battles, one per order, so that position bias can be measured.

    The official table calls two games that disagree a tie; here both games are kept. A pair of two single grades (it
    has ``m1_score``) was never shown in any order, so it is one battle without position.
    """
    tally = Tally("mt-bench-pair", sources, options)
    for record in tally.records():
        a, b = record.text("model_1"), record.text("model_2")
        columns = {
            "cluster": record.text("question_id"),
            "time": record.optional_number("tstamp"),
            **_turn_judge(record),
        }
        for key, position in ONE_GAME if "m1_score" in record else GAMES:
            meaning = tally.meaning(record.get(key), WINNERS)
            if meaning == "error":
                tally.drop("the judge gave no verdict")
            else:
                tally.battle(record.place, a, b, meaning, position=position, **columns)
    return tally.battles()


def read_mt_bench_grades(sources: Sequence[Source], options: Options) -> Scores:
    """Read single grades; the grade -1 marks a judge's answer in which no grade was found."""
    tally = Tally("mt-bench-single", sources, options)
    for record in tally.records():
        agent, item, value = record.text("model"), record.text("question_id"), record.number("score")
        if value == -1:
            tally.drop("the judge gave no grade")
        else:
            tally.use(agent=agent, item=item, value=value, **_turn_judge(record))
    return tally.scores()


def _turn_judge(record: Fields) -> dict[str, str | None]:
    """Turn and judge of a judgment, ``None`` if missing."""
    judge, turn = record.get("judge"), record.optional("turn")
    return {
        "task": None if turn is None else f"turn {turn}",
        "judge": optional_text(judge[0] if isinstance(judge, list) and judge else judge),
    }


def read_alpaca_eval(sources: Sequence[Source], options: Options) -> Battles:
    """Read each annotation as a battle of ``generator_1`` against ``generator_2``.

    A preference ranges from 1 (the first generator) to 2 (the second), so the outcome for the first is 2 minus it;
    1.5 is a tie, and so is the 0 of early files. AlpacaEval shuffles the two answers and does not record the order,
    so there is no position.
    """
    tally = Tally("alpaca-eval", sources, options)
    for record in tally.records():
        a, b = record.text("generator_1"), record.text("generator_2")
        if record.get("preference") is None:
            tally.drop("the judge gave no preference")
            continue
        columns = {"judge": record.optional("annotator"), "task": record.optional("dataset")}
        preference = record.number("preference") or 1.5  # 0 is a tie
        if not 1 <= preference <= 2:
            raise ReadError(
                f"`preference` must lie from 1 to 2, or be 0 for a tie; got {preference:g} in {record.place}. "
                "Correct or remove the record."
            )
        tally.battle(record.place, a, b, 2 - preference, cluster=_short(record.text("instruction")), **columns)
    return tally.battles()


def _short(instruction: str) -> str:
    """A name for an instruction: itself if short, otherwise the first digits of its SHA-256.

    >>> _short("Name three primes."), _short("x" * 100)
    ('Name three primes.', '09ecb6ebc8bc')
    """
    if len(instruction) <= LONGEST:
        return instruction
    return hashlib.sha256(instruction.encode("utf-8", "surrogatepass")).hexdigest()[:12]


arena_hard = Reader(
    "arena-hard",
    "Arena-Hard-Auto judgments (model_judgment/JUDGE/MODEL.jsonl)",
    lambda head: isinstance(head.record["games"], list),
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
