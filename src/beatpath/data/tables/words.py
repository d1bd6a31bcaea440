"""Words in column names: sides, agents and scores, and which two columns form a pair.

`home` and `visitor`, `HomeTeam` and `AwayTeam`, `FTHG` and `FTAG` are pairs that differ in the side only.
"""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

# All words below, most usual first where the order matters.
WORDS = json.loads((files("beatpath.data.tables") / "words.json").read_text(encoding="utf-8"))
# Two columns that differ in one of these tokens form a pair: model_a and model_b, home_score and away_score.
SIDES = [tuple(pair.split()) for pair in WORDS["sides"]]
ORDERED = {"a", "1", "left", "first", "home", "white", "pro"}  # sides that usually imply who was shown or moved first
AGENT_WORDS = (*WORDS["agent"].split(), "")  # words in names of columns of agents
SCORE_WORDS = tuple(WORDS["score"].split())  # words in names of columns of the points of a side
# Of the columns of each role
NAMES: dict[str, tuple[str, ...]] = {role: tuple(words.split()) for role, words in WORDS["names"].items()}
NAMES["agent"] = (*(w for w in AGENT_WORDS if w not in ("", "item", "option", "field", "school")), *NAMES["agent"])
REPEATED = tuple(WORDS["repeated"].split())  # columns that define clusters where their values repeat
NAMES["cluster"] += REPEATED
CONTESTS = WORDS["contests"].split()  # columns that name contests beside places, and tasks beside scores
# headers of a column of tasks
TASK_FIRST = {*NAMES["task"], "scenario", "competition", "metric", "item", "instance", "problem", "question"}
# Words in names of columns where a tool scores every call it traced; then a column `name` or `key` names metrics, not agents.
_TRACED = {*WORDS["traced"].split()}
STEPS = {*WORDS["steps"].split()}  # words in names of columns of a curve
# Words in names of columns that hold what agents were asked or answered, or notes, not their names; a final s apart.
_PROSE = {*WORDS["prose"].split()}
_NAMED = {"agent", "model", "system", "llm", "player", "team"}  # words that end the names of columns of agents
_MEASURES = {*WORDS["measures"].split()}  # words in names of columns of scores, beside those of `NAMES`
RIGHT_ANSWERS = {*WORDS["right_answers"].split()}  # names of columns that hold the right answer to each item
# Usual names of columns, and words in them.
USUAL = {word for words in (*NAMES.values(), *SIDES) for word in words if len(word) > 1}
# What the numbers of a column are that measure no agent, by the last word of its name.
_NO_SCORES = {word: what for what, words in WORDS["no_scores"].items() for word in words.split()}
# What the numbers of a column are that measure no agent, by how its name begins or is made up; `N-BEATS` is an agent.
_NO_SCORES_FROM = {what: re.compile(form) for what, form in WORDS["no_scores_from"].items()}
_SPREADS = {*WORDS["spreads"].split()}  # what follows a score and says how far it varies
_UNITS = {*WORDS["units"].split()}  # endings that are no name of their own: units, and what was made of many numbers
_SUMMARIES = {*WORDS["summaries"].split()}  # what is made of all other columns or rows
_PARTS = {*WORDS["parts"].split()}  # what a summary is made of
_SUMMARIZED = {*WORDS["summarized"].split()}  # what may stand beside such a word
_MOST_COMPARED = 10_000  # most names that are compared one by one
_IN_BRACKETS = re.compile(r"(?<=\S)\s*\(.*\)\s*$")  # what follows a name in brackets
_OF_ALL = re.compile("|".join(sorted(_SUMMARIES)), re.IGNORECASE)
# Names of columns that sum up the same runs in several ways, the one to compare by first.
_STATISTICS = tuple(WORDS["statistics"].split())
_TALLIES = {*WORDS["tallies"].split()}  # how games of an agent ended
# Words that may come before a score in a column's name.
_BEFORE_SCORES = {*AGENT_WORDS, "final", "total", "full", "time", "match"} - {""}
# Words that are often written without a separator.
_GLUED = re.compile(
    rf"^(home|away|visitor|guest|host|white|black|left|right)({'|'.join(w for w in (*AGENT_WORDS, *SCORE_WORDS) if len(w) > 1)})$"
)


def for_file(advice: str, name: str) -> str:
    """Return advice with a file's name in place of the words FILE and NAME.

    >>> for_file("`tr a b < FILE > FILENAME`; NAME", "x/NAME 1.csv")
    "`tr a b < 'x/NAME 1.csv' > FILENAME`; 'NAME 1.csv'"
    """
    return re.sub(r"\b(FILE|NAME)\b", lambda m: shlex.quote(name if m[0] == "FILE" else Path(name).name), advice)


@lru_cache(maxsize=1 << 15)
def tokens(name: str) -> tuple[str, ...]:
    """Return the words of a column name.

    >>> tokens("home.team"), tokens("score1"), tokens("First_pokemon"), tokens("AwayTeam"), tokens("homegoals")
    (('home', 'team'), ('score', '1'), ('first', 'pokemon'), ('away', 'team'), ('home', 'goals'))
    """
    humps = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    spaced = re.sub(r"([a-z])(\d)", r"\1_\2", humps.lower())
    parts = [part for part in re.split(r"[^a-z0-9]+", spaced) if part]
    return tuple(word for part in parts for word in _GLUED.sub(r"\1 \2", part).split())


def own_names(columns: Sequence[str]) -> list[str]:
    """Return the words of every column's name that not all have, joined by underscores.

    >>> own_names(["baseline_correct", "NewPrompt_correct"]), own_names(["accuracy", "f1"]), own_names(["x"])
    (['baseline', 'new_prompt'], ['accuracy', 'f_1'], ['x'])
    """
    common = set.intersection(*({*tokens(name)} for name in columns)) if len(columns) > 1 else set()
    return ["_".join(word for word in tokens(name) if word not in common) for name in columns]


def plain_name(column: str) -> str:
    """Return the words of a column's name in lower case, joined by underscores.

    >>> plain_name("Home.Team")
    'home_team'
    """
    return "_".join(tokens(column))


def no_score(name: str) -> str:
    """Return what the numbers of a column are if its name says that they are no scores, otherwise an empty string.

    The last word counts, units, words in brackets and what follows ``per`` apart: BIG-bench's ``date_understanding`` and
    Atari's ``Time Pilot`` are tasks. A number of things that a score counts is a score: ``num_correct``.

    >>> no_score("latency_ms"), no_score("Cost ($ per 1k calls)"), no_score("TeamId"), no_score("date_understanding")
    ('durations', 'amounts of use', 'identifiers', '')
    >>> no_score("n_examples"), no_score("num_correct"), no_score("N-BEATS"), no_score("price_per_1m"), no_score("Rank* (UB)")
    ('counts', '', '', 'amounts of use', 'ranks')
    >>> no_score("acc_stderr"), no_score("StdEpRet"), no_score("std"), no_score("rating_q025"), no_score("lc_standard_error")
    ('spreads', 'spreads', '', 'spreads', 'spreads')
    """
    inside = _IN_BRACKETS.search(name)
    if inside and is_measure(f"x {inside[0]}"):
        return no_score(inside[0].strip(" ()"))
    words = list(tokens(_IN_BRACKETS.sub("", name)))
    varies = len(words) > 1 and ({words[0], words[-1]} & _SPREADS or words[-2:] == ["standard", "error"])
    spread = "spreads" if varies or words == ["stderr"] or _NO_SCORES_FROM["spreads"].match(name) else ""
    if "per" in words[1:]:
        words = words[: words.index("per", 1)]
    while len(words) > 1 and words[-1] in _UNITS:
        words.pop()
    if not words or words[-1] in NAMES["value"]:
        return spread or ("spreads" if name.strip() in ("+/-", "±") else "")
    begun = (what for what, form in _NO_SCORES_FROM.items() if form.match(name))
    return _NO_SCORES.get(words[-1].lstrip("0123456789")) or next(begun, spread)


def is_summary(name: str, among: Sequence[str] = ()) -> bool:
    """Whether a column or row is made of all others, or of some that share the rest of its name, by its name.

    >>> is_summary("Avg. Score"), is_summary("TOTAL"), is_summary("macro avg"), is_summary("Total War"), is_summary("score")
    (True, True, True, False, False)
    >>> is_summary("Average perf. on 38 datasets"), is_summary("Avg. WER"), is_summary("Avg. WER", ["AMI WER", "Avg. WER", "LS WER"])
    (True, False, True)
    """
    if not _OF_ALL.search(name):  # a million names of items are looked at one by one
        return False
    words = tokens(_IN_BRACKETS.sub("", name))
    rest = tuple(word for word in words if word not in _SUMMARIES)
    if len(rest) == len(words) or _SUMMARIZED.issuperset(rest):
        return len(rest) < len(words)
    if words[0] in _SUMMARIES and words[-1] in _PARTS:
        return True
    others = [tokens(other) for other in among if other != name]
    return sum(rest in (other[: len(rest)], other[-len(rest) :]) for other in others) > 1


def without_summaries(columns: Sequence[str], named: Sequence[str] = ()) -> list[str]:
    """Return the columns of scores that are `named` or not made of the others; all of them if fewer than two would be left.

    >>> without_summaries(["Average", "law", "maths"]), without_summaries(["Overall Acc", "AST Acc"])
    (['law', 'maths'], ['Overall Acc', 'AST Acc'])
    >>> without_summaries(["Avg. WER", "AMI WER", "LS WER"]), without_summaries(["ALT_AVG", "ALT_a", "ALT_b", "GLP_c"])
    (['AMI WER', 'LS WER'], ['ALT_a', 'ALT_b', 'GLP_c'])
    """
    if not any(map(_OF_ALL.search, columns)):
        return list(columns)
    among = columns if len(columns) <= _MOST_COMPARED else ()
    parts = [name for name in columns if name in named or not is_summary(name, among)]
    return parts if len(parts) > 1 else list(columns)


def without_doubles(columns: Sequence[str]) -> list[str]:
    """Return the columns of scores without those that repeat others: raw numbers beside scaled ones, a whole beside its parts.

    >>> without_doubles(["BBH Raw", "BBH", "MUSR"]), without_doubles(["score", "score_level1", "score_level2"])
    (['BBH', 'MUSR'], ['score_level1', 'score_level2'])
    """
    words = {name: tokens(name) for name in columns}
    scaled = [name for name in columns if words[name][-1:] != ("raw",) or words[name][:-1] not in words.values()]
    parts = [n for n in scaled if not all(words[o][: len(words[n])] == words[n] for o in scaled)]
    return parts if len(parts) > 1 else scaled


def are_totals(columns: Sequence[str]) -> bool:
    """Whether a table has wins and losses of every agent against all others, which do not say who beat whom.

    >>> are_totals(["Team", "W", "D", "L", "Pts"]), are_totals(["model", "wins", "acc"]), are_totals(["Conf. W", "Conf. L"])
    (True, False, True)
    """
    stems = Counter(tokens(name)[:-1] for name in columns if {*tokens(name)[-1:]} & _TALLIES and not no_score(name))
    return max(stems.values(), default=0) > 1


def one_statistic(columns: Sequence[str]) -> list[str]:
    """Return all columns, or only the mean where three or more sum up the same runs.

    >>> one_statistic(["median", "max", "mean", "user"]), one_statistic(["law", "max", "mean"])
    (['mean'], ['law', 'max', 'mean'])
    """
    plain = {plain_name(name): name for name in columns}
    same = [plain[word] for word in _STATISTICS if word in plain]
    return same[:1] if len(same) > 2 else list(columns)


def is_measure(name: str) -> bool:
    """Whether a column holds scores, by a word of its name.

    >>> is_measure("test_f1"), is_measure("EvalReward"), is_measure("law"), is_measure("mean"), is_measure("mean_ssd_ios")
    (True, True, False, True, False)
    """
    words = {*tokens(name), *re.split(r"[^a-z0-9]+", name.lower())} - {""}
    return bool(words & _MEASURES) and (len(words) == 1 or bool(words & _MEASURES - {"mean"}))


def is_prose(name: str) -> bool:
    """Whether a column holds what agents were asked or answered, or notes, by the words of its name.

    >>> is_prose("user_input"), is_prose("response_model_name"), is_prose("params.model")
    (True, False, False)
    """
    *words, last = tokens(name) or ("",)
    named = words[-1] if last == "name" and words else last
    return named not in _NAMED and bool(_PROSE & {word.rstrip("s") for word in (*words, last)})


def metric_column(names: Sequence[str]) -> str | None:
    """Return the column that names metrics in an export of scores by trace, ``None`` if the columns are not those of one.

    >>> metric_column(["traceId", "name", "value"]), metric_column(["name", "team_id", "score"])
    ('name', None)
    """
    plain = {plain_name(name): name for name in names}
    traced = "run_id" in plain or any(_TRACED & set(tokens(name)) for name in names)
    return plain.get("name") or plain.get("key") if traced and {"value", "score"} & plain.keys() else None


def side_pairs(names: Sequence[str]) -> Iterator[tuple[str, str, tuple[str, str], str]]:
    """Yield ``(column, column, side words, common stem)`` for columns that differ only in one side word.

    >>> list(side_pairs(["model_a", "x", "model_b"]))
    [('model_a', 'model_b', ('a', 'b'), 'model')]
    """
    split = {name: tokens(name) for name in names}
    by_tokens: dict[tuple[str, ...], str] = {}
    for name, words in split.items():
        by_tokens.setdefault(words, name)
    for first, second in SIDES:
        for name, words in split.items():
            for at in [i for i, word in enumerate(words) if word == first]:
                other = by_tokens.get((*words[:at], second, *words[at + 1 :]))
                if other is not None and other != name:
                    yield name, other, (first, second), "_".join(words[:at] + words[at + 1 :])


def paired_scores(names: Sequence[str], sides: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return the two columns that hold the score of each side, those with the plainest name first.

    `sides` are the words in which the columns of the two agents differ; scores may be abbreviated to their first
    letters.

    >>> paired_scores(["home_goals", "away_goals"]), paired_scores(["FTHG", "FTAG", "HS", "AS"], ("home", "away"))
    (('home_goals', 'away_goals'), ('FTHG', 'FTAG'))
    >>> paired_scores(["hgoal", "vgoal"], ("home", "visitor")), paired_scores(["answer_a_id", "answer_b_id"])
    (('hgoal', 'vgoal'), None)
    """
    candidates = []
    for order, (a, b, _, stem) in enumerate(side_pairs(names)):
        *before, last = stem.split("_")
        if stem in SCORE_WORDS:
            candidates.append((SCORE_WORDS.index(stem), order, a, b))
        elif last in SCORE_WORDS and set(before) <= _BEFORE_SCORES:
            candidates.append((len(SCORE_WORDS) + SCORE_WORDS.index(last), order, a, b))
    if not candidates and sides:
        candidates = [(SCORE_WORDS.index(stem), i, a, b) for i, (a, b, stem) in enumerate(_short_scores(names, sides))]
    return min(candidates)[2:] if candidates else None


def _short_scores(names: Sequence[str], sides: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Columns that differ in the first letters of two sides, and are scores without them."""
    first, second = sides[0][0], sides[1][0]
    plain = {"".join(tokens(name)): name for name in reversed(names)}
    for word, name in reversed(plain.items()):
        for at in [i for i, letter in enumerate(word) if letter == first]:
            other, stem = plain.get(word[:at] + second + word[at + 1 :]), word[:at] + word[at + 1 :]
            if other is not None and other != name and stem in SCORE_WORDS:
                yield name, other, stem


def sides_of(a: str, b: str) -> tuple[str, ...]:
    """Return the words in which two column names differ, one each; empty if they differ in more.

    >>> sides_of("HomeTeam", "AwayTeam"), sides_of("home", "visitor"), sides_of("left", "model")
    (('home', 'away'), ('home', 'visitor'), ('left', 'model'))
    """
    mine, theirs = ([w for w in tokens(x) if w not in tokens(y)] for x, y in ((a, b), (b, a)))
    return (mine[0], theirs[0]) if len(mine) == len(theirs) == 1 else ()
