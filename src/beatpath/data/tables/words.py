"""Words in column names: sides, agents and scores, and which two columns form a pair.

`home` and `visitor`, `HomeTeam` and `AwayTeam`, `FTHG` and `FTAG` are pairs that differ in the side only.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

# Two columns that differ in one of these tokens form a pair: model_a and model_b, home_score and away_score.
SIDES = [
    ("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("home", "away"), ("home", "visitor"),
    ("home", "guest"), ("host", "guest"), ("white", "black"), ("pro", "con"), ("x", "y"), ("i", "j"), ("row", "col"),
    ("visitor", "opponent"), ("v", "o"), ("h", "a"), ("h", "v"), ("agent", "opponent"), ("model", "opponent"),
    ("player", "opponent"), ("team", "opponent"),
]  # fmt: skip
ORDERED = {"a", "1", "left", "first", "home", "white", "pro"}  # sides that usually imply who was shown or moved first
# Words in names of columns of agents, most usual first.
AGENT_WORDS = (
    "agent", "model", "model_name", "system", "player", "team", "name", "competitor", "generator", "policy", "bot", "candidate",
    "method", "algorithm", "driver", "participant", "contestant", "entry", "submission", "pokemon", "school", "field",
    "item", "option", "variety", "assistant", "llm", "",
)  # fmt: skip
# Words in names of columns of scores, most usual first.
SCORE_WORDS = (
    "score", "scores", "goal", "goals", "points", "pts", "runs", "sets", "result", "g", "ftg", "ft_goals", "ft_score",
)  # fmt: skip
# Usual names of the columns of each role, most usual first.
NAMES: dict[str, tuple[str, ...]] = {
    "agent": (
        *(word for word in AGENT_WORDS if word and word not in ("item", "option", "field", "school")), "agent_name",
        "team_name", "player_name", "system_name", "framework", "solver", "experiment", "experiment_name", "run_name",
        "stimulus", "rating_stimulus", "sys",
    ),
    "outcome": (
        "outcome", "winner", "result", "label", "choice", "preference", "verdict", "judgment", "judgement", "vote",
        "decision",
    ),
    "weight": ("weight", "weights"),
    "task": (
        "task", "category", "benchmark", "dataset", "game", "environment", "env", "subject", "domain", "tournament",
        "surface", "app", "board", "suite", "language", "context", "event", "task_name",
    ),
    "cluster": (
        "cluster", "evaluation_session_id", "session_id", "session", "prompt", "prompt_id", "question_id", "topic",
        "instruction_id", "conversation_id", "matchup", "student",
    ),
    "judge": ("judge", "annotator", "judge_hash", "worker", "rater", "evaluator", "user", "user_id", "voter"),
    "time": ("timestamp", "tstamp", "datetime", "date", "created_at", "tourney_date", "time"),
    "position": ("position",),
    "neutral": ("neutral",),
    "ballot": ("ballot", "match", "match_id", "game_id", "race", "race_id", "contest", "episode", "episode_id"),
    "rank": ("rank", "place", "placing", "finish", "position", "finishing_position"),
    "score": ("score", "points", "pts"),
    "voter": ("voter",),
    "count": ("count",),
    "item": (
        "item", "instance", "instance_id", "item_id", "question_id", "doc_id", "sample_id", "problem",
        "problem_id", "prompt", "prompt_id", "question", "task_id", "utterance", "segment", "seg_id", "segid", "sid", "qid", "query_id", "topic_id", "trial_id", "sample",
    ),
    "metric": ("metric", "metric_name", "measure"),
    "replicate": (
        "replicate", "fold", "seed", "epoch", "run", "trial", "repeat", "listener", "listener_id", "rater", "annotator",
        "sample", "attempt",
    ),
    "value": (
        "value", "score", "result", "acc", "accuracy", "resolved", "correct", "success", "reward", "return", "passed",
        "is_correct", "is_resolved", "resolved_pct", "mos", "rating", "rating_score", "score_headline_value",
    ),
    "stderr": ("stderr", "standard_error", "se", "std_err", "score_headline_stderr"),
    "higher_is_better": ("higher_is_better",),
    "both_bad": ("both_bad", "bothbad", "ties_bothbad", "ties_both_bad"),
    "winner_tie": ("winner_tie",),
    "ties": ("ties", "tie", "tied", "draws", "draw", "t_ij"),
    "battles": ("battles",),
    "design_effect": ("design_effect", "deff"),
}  # fmt: skip
CONTESTS = (
    "game",
    "round",
    "heat",
    "event",
    "tournament",
)  # columns that name contests beside places, and tasks beside scores
TASK_FIRST = {*NAMES["task"], "metric", "item", "instance", "problem", "question"}  # headers of a column of tasks
# Words in names of columns where a tool scores every call it traced; then a column `name` or `key` names metrics, not agents.
_TRACED = {"trace", "span", "observation", "explanation"}
STEPS = {"step", "steps", "iteration", "iterations", "timestep", "timesteps", "frame", "frames"}  # columns of a curve
# Words in names of columns that hold what agents were asked or answered, or notes, not their names; a final s apart.
_PROSE = {
    "prompt", "input", "output", "response", "answer", "text", "question", "instruction", "reason", "comment", "note", "error",
    "reference", "expected", "target", "source", "state", "statu", "user", "tag", "url", "path", "gender", "type", "version",
    "param", "info", "mode", "constraint", "label", "explanation", "rationale", "context", "truth",
}  # fmt: skip
# Names of columns that hold the right answer to each item.
RIGHT_ANSWERS = {"label", "labels", "gold", "gold_label", "answer", "target", "truth", "ground_truth", "y_true"}
# Usual names of columns, and words in them.
USUAL = {word for words in NAMES.values() for word in words} | {
    word for side in SIDES for word in side if len(word) > 1
}
# What the numbers of a column are that measure no agent, by the last word of its name.
_NO_SCORES = {
    word: what
    for what, words in {
        "identifiers": "id ids index idx uuid guid hash sha key number",
        "times": "time times timestamp timestamps tstamp date dates datetime utc created updated started ended year",
        "durations": "duration durations runtime walltime latency elapsed seconds milliseconds secs minutes hours",
        "amounts of use": "tokens cost costs price usd memory bytes",
        "settings": "seed seeds fold epoch epochs step steps iteration iterations lr age params parameters length difficulty status",
        "counts": "count counts num n samples examples votes support cases tests outputs responses timeouts games matches played",
        "ranks": "rank ranks pos",
        "spreads": "ci",
    }.items()
    for word in words.split()
}
# What the numbers of a column are that measure no agent, by how its name begins; `N-BEATS` is an agent.
_NO_SCORES_FROM = {
    "counts": re.compile(r"n_|(?i:num[ _]|number[ _]of[ _]|#)"),
    "amounts of use": re.compile(r"(?i:price)"),
}
_SPREADS = {"std", "stdev", "stddev", "stderr", "sd", "variance"}  # what follows a score and says how far it varies
# Endings that are no name of their own: units, and what was made of many numbers.
_UNITS = {
    "s", "ms", "sec", "min", "at", "utc", "gb", "mb", "usd", "m", "b", "on", "mean", "avg", "median", "std", "deviation", "standard",
    "percentile", "90th", "95th", "99th", "p50", "p90", "p95", "p99",
}  # fmt: skip
_SUMMARIES = {"average", "avg", "mean", "overall", "total"}  # what is made of all other columns or rows
_OF_ALL = re.compile("|".join(sorted(_SUMMARIES)), re.IGNORECASE)
_SUMMARIZED = {"macro", "micro", "weighted", "score", "scores", "acc", "accuracy"}  # what may stand beside such a word
# Names of columns that sum up the same runs in several ways, the one to compare by first.
_STATISTICS = ("mean", "average", "avg", "median", "min", "max", "std", "stddev", "stdev", "sd", "q1", "q3", "iqr")
_TALLIES = {
    *"wdl",
    "win",
    "wins",
    "won",
    "loss",
    "losses",
    "lost",
    "draw",
    "draws",
    "drawn",
}  # how games of an agent ended
# Words that may come before a score in a column's name.
_BEFORE_SCORES = {*AGENT_WORDS, "final", "total", "full", "time", "match"} - {""}
# Words that are often written without a separator.
_GLUED = re.compile(
    rf"^(home|away|visitor|guest|host|white|black|left|right)({'|'.join(w for w in (*AGENT_WORDS, *SCORE_WORDS) if len(w) > 1)})$"
)


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
    >>> no_score("acc_stderr"), no_score("StdEpRet"), no_score("std")
    ('spreads', 'spreads', '')
    """
    words = list(tokens(re.sub(r"(?<=\S)\s*\(.*\)\s*$", "", name)))
    spread = "spreads" if len(words) > 1 and {words[0], words[-1]} & _SPREADS else ""
    if "per" in words[1:]:
        words = words[: words.index("per", 1)]
    while len(words) > 1 and words[-1] in _UNITS:
        words.pop()
    if not words or words[-1] in NAMES["value"]:
        return spread or ("spreads" if name.strip() in ("+/-", "±") else "")
    begun = (what for what, form in _NO_SCORES_FROM.items() if form.match(name))
    return _NO_SCORES.get(words[-1].lstrip("0123456789")) or next(begun, spread)


def is_summary(name: str) -> bool:
    """Whether a column or row is made of all others, by its name.

    >>> is_summary("Avg. Score"), is_summary("TOTAL"), is_summary("macro avg"), is_summary("Total War"), is_summary("score")
    (True, True, True, False, False)
    """
    if not _OF_ALL.search(name):  # a million names of items are looked at one by one
        return False
    words = set(tokens(name))
    return bool(words & _SUMMARIES) and words <= _SUMMARIES | _SUMMARIZED


def without_summaries(columns: Sequence[str], named: Sequence[str] = ()) -> list[str]:
    """Return the columns of scores that are `named` or not made of the others; all of them if fewer than two would be left.

    >>> without_summaries(["Average", "law", "maths"]), without_summaries(["Overall Acc", "AST Acc"])
    (['law', 'maths'], ['Overall Acc', 'AST Acc'])
    """
    parts = [name for name in columns if name in named or not is_summary(name)]
    return parts if len(parts) > 1 else list(columns)


def are_totals(columns: Sequence[str]) -> bool:
    """Whether a table has wins and losses of every agent against all others, which do not say who beat whom.

    >>> are_totals(["Team", "W", "D", "L", "Pts"]), are_totals(["model", "wins", "acc"])
    (True, False)
    """
    return len(_TALLIES & set(map(plain_name, columns))) > 1


def one_statistic(columns: Sequence[str]) -> list[str]:
    """Return all columns, or only the mean where three or more sum up the same runs.

    >>> one_statistic(["median", "max", "mean", "user"]), one_statistic(["law", "max", "mean"])
    (['mean'], ['law', 'max', 'mean'])
    """
    plain = {plain_name(name): name for name in columns}
    same = [plain[word] for word in _STATISTICS if word in plain]
    return same[:1] if len(same) > 2 else list(columns)


def is_prose(name: str) -> bool:
    """Whether a column holds what agents were asked or answered, or notes, by the words of its name.

    >>> is_prose("user_input"), is_prose("model_name")
    (True, False)
    """
    return bool(_PROSE & {word.rstrip("s") for word in tokens(name)})


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
