"""Words in column names: sides, agents and scores, and which two columns form a pair.

`home` and `visitor`, `HomeTeam` and `AwayTeam`, `FTHG` and `FTAG` are pairs that differ in the side only.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

# Two columns that differ in one of these tokens form a pair: model_a and model_b, home_score and away_score.
SIDES = [
    (first, second)
    for first, _, second in (
        pair.partition(":")
        for pair in [
            "a:b",
            "1:2",
            "left:right",
            "first:second",
            "home:away",
            "home:visitor",
            "home:guest",
            "host:guest",
            "white:black",
            "pro:con",
            "x:y",
            "i:j",
            "row:col",
            "visitor:opponent",
            "v:o",
            "h:a",
            "h:v",
            "agent:opponent",
            "model:opponent",
            "player:opponent",
            "team:opponent",
        ]
    )
]
ORDERED = {"a", "1", "left", "first", "home", "white", "pro"}  # sides that usually imply who was shown or moved first
# Words in names of columns of agents, most usual first.
AGENT_WORDS = (
    "agent", "model", "system", "player", "team", "name", "competitor", "generator", "policy", "bot", "candidate",
    "method", "algorithm", "driver", "participant", "contestant", "entry", "submission", "pokemon", "school", "field",
    "item", "option", "variety", "assistant", "llm", "model_name", "",
)  # fmt: skip
# Words in names of columns of scores, most usual first.
SCORE_WORDS = (
    "score", "scores", "goal", "goals", "points", "pts", "runs", "sets", "result", "g", "ftg", "ft_goals", "ft_score",
)  # fmt: skip
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
