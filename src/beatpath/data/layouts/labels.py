"""Outcome labels: the words for a win, a loss, a tie and "both bad".

An unknown label is never taken for a tie: it raises an error that lists all labels and the option that maps them.
"""

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from beatpath._arrays import Ints
from beatpath._errors import UnknownLabel, UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath._validate import require_known
from beatpath.data.tables.cells import number_of
from beatpath.data.tables.words import WORDS

# Codes in place of an outcome: the row is dropped, or both were bad.
DROPPED, BOTH_BAD = -1.0, 2.0
MEANINGS = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": BOTH_BAD, "drop": DROPPED}  # the outcome for agent a by meaning


# The meaning of every word, after `plain_label`.
_WORD = {word: meaning for meaning, words in WORDS["labels"].items() for word in words.split()}
_GUESTS = ("away", "visitor", "guest")  # words for the second side
_MOST_LABELS = 50  # most labels that one option maps
# points of both sides: 2-1, FT 2:1, [2, 1]
GOALS = re.compile(r"(?:ft_?|(\[))?(\d+)_?(?(1),|[-:\u2013])_?(\d+)(?(1)\]|(?:_?(?:ft|aet))?)")
GOALS_NAMES = ("ft", "score", "result", "final_score", "full_time")  # columns that may hold them, the likeliest first
_GRADED = re.compile(r"^\[*([ab])(>+|<+|=+)([ab])\]*$")  # graded verdicts such as A>>B


def plain_label(label: str) -> str:
    """Return a label in lower case, with single underscores for anything between its words.

    >>> plain_label(" Tie (bothbad)"), plain_label("Model A")
    ('tie_bothbad', 'model_a')
    """
    return re.sub(r"[\s()_]+", "_", label.strip().lower()).strip("_")


def goals_of_both(plain: Mapping[str, str], cells: Callable[[str], Sequence[str]]) -> str:
    """Return the column whose cells are the points of both sides, of columns by plain name; empty if none is.

    >>> goals_of_both({"round": "round", "ft": "score.ft"}, {"score.ft": ["[2, 1]"]}.get)
    'score.ft'
    """
    likely = (plain[word] for word in GOALS_NAMES if word in plain)
    return next((n for n in likely if all(GOALS.fullmatch(plain_label(cell)) for cell in cells(n) or [""])), "")


def known_meaning(label: str, sides: tuple[Sequence[str], Sequence[str]]) -> str | None:
    """Return ``a``, ``b``, ``tie`` or ``both_bad``, or ``None`` for an unknown label.

    `sides` holds the words in the names of the two agents' columns, such as ``left`` and ``right``.

    >>> known_meaning("tie (bothbad)", ((), ())), known_meaning("A>>B", ((), ())), known_meaning("pro", (["pro"], ["con"]))
    ('both_bad', 'a', 'a')
    >>> known_meaning("FT 2-1", ((), ())), known_meaning("[0, 0]", ((), ())), known_meaning("2-2 (4-3 p)", ((), ()))
    ('a', 'tie', None)
    """
    word = plain_label(label)
    for meaning, words in zip("ab", sides, strict=True):
        if word in words:
            return meaning
    if word in _WORD:
        return _WORD[word]
    goals = GOALS.fullmatch(word)
    if goals:
        a, b = map(int, goals.groups()[1:])
        return "a" if a > b else "b" if a < b else "tie"
    graded = _GRADED.match(word)
    if graded is None or graded[1] == graded[3]:
        return None
    if graded[2].startswith("="):
        return "tie"
    return graded[1] if graded[2].startswith(">") else graded[3]


def overridden(labels: Sequence[str], overrides: Mapping[str, str]) -> dict[str, str]:
    """Return the meanings that the user gave, after checking that meaning and label exist."""
    for label, meaning in overrides.items():
        must = f"`labels` must map to one of {', '.join(MEANINGS)}; got {quoted(meaning)} for {quoted(label)}."
        require_known(meaning, MEANINGS, must)
        if not _same_labels(label, labels):
            raise UsageError(
                f"`labels` must name labels that occur; {quoted(label)} does not.{suggestion(label, labels)}"
            )
    alike = {same: meaning for label, meaning in overrides.items() for same in _same_labels(label, labels)}
    return alike | {label: meaning for label, meaning in overrides.items() if label in labels}


def _same_labels(label: str, labels: Sequence[str]) -> list[str]:
    """The labels that are this one, or the same number written otherwise.

    >>> _same_labels("0", ["0.0", "1.0", "0"]), _same_labels("a", ["b"])
    (['0.0', '0'], [])
    """
    return [other for other in labels if other == label or number_of(other) == number_of(label)]


def meanings(
    labels: Sequence[str],
    counts: Callable[[], Ints],
    *,
    column: str,
    sides: tuple[Sequence[str], Sequence[str]],
    overrides: Mapping[str, str],
) -> dict[str, float]:
    """Return the outcome for agent a, `DROPPED` or `BOTH_BAD` for every label, or raise `UnknownLabel` with all labels.

    `counts` returns the number of rows of each label.
    """
    chosen = overridden(labels, overrides) if overrides else {}
    rest = [label for label in labels if label not in chosen]
    initial = _initials(rest, sides) if all(len(label.strip()) == 1 for label in rest) else {}
    numbers = _numeric_outcomes(rest, column, sides)
    words = {label: chosen.get(label) or initial.get(label) or known_meaning(label, sides) for label in labels}
    if numbers:
        words |= dict.fromkeys(rest)
    known = {label: MEANINGS[word] for label, word in words.items() if word is not None} | (numbers or {})
    unknown = [label for label in labels if label not in known]
    if unknown:
        raise UnknownLabel(unknown_sentence(column, labels, counts(), unknown, ("a", "b", "tie", "both_bad")))
    return known


def _initials(labels: Sequence[str], sides: tuple[Sequence[str], Sequence[str]]) -> dict[str, str]:
    """Meanings of letters that are clear only together: H, D, A for home and away; W, D (or T), L for the first agent.

    >>> _initials(["H", "D", "A"], (["home"], ["away"])), _initials(["A", "B", "D"], (["home"], ["away"]))
    ({'H': 'a', 'D': 'tie', 'A': 'b'}, {})
    """
    plain = {label: plain_label(label) for label in labels}
    there = set(plain.values())
    home = {"h": "a", "d": "tie", "a": "b", **{word[0]: "b" for word in sides[1] if word in _GUESTS}}
    won = {"w": "a", "l": "b", "d": "tie", "t": "tie"}
    for known, needed in ((home, {"h"} if "home" in sides[0] else {""}), (won, {"w", "l"})):
        if needed <= there <= set(known):
            return {label: known[word] for label, word in plain.items()}
    return {}


def unknown_sentence(
    column: str,
    labels: Sequence[str],
    counts: Ints,
    unknown: Sequence[str],
    choices: Sequence[str],
    what: str = "outcomes that are known",
) -> str:
    """State which labels are unknown, the counts of all labels, and the option that drops or maps them."""
    order = np.argsort(-np.asarray(counts), kind="stable")
    labels_text = ", ".join(f"{quoted(labels[i], 40)} {counts[i]:,}" for i in order[:12])
    more = f" and {len(labels) - 12:,} other labels" if len(labels) > 12 else ""
    are = "is" if len(unknown) == 1 else "are"
    return f"{quoted(column)} must hold {what}; {listed(unknown)} {are} not. Seen: {labels_text}{more}. {how_to_map(unknown, choices)}"


def how_to_map(unknown: Sequence[str], choices: Sequence[str]) -> str:
    r"""Return the option that drops these labels, ready to paste, and what else they may mean.

    >>> how_to_map(["DNF", "did not, start"], ["last"])
    'Leave them out with `--labels \'{"DNF": "drop", "did not, start": "drop"}\'`, or say what each means instead of drop: last.'
    """
    most = [label for label in unknown if label.isprintable()][:_MOST_LABELS]
    plain = not any(set(label) & set(",={}") or label != label.strip() for label in most)
    named = json.dumps(dict.fromkeys(most, "drop"), ensure_ascii=False)
    option = ",".join(f"{label}=drop" for label in most) if plain else named
    rest = f" (and {len(unknown) - len(most):,} more)" if len(unknown) > len(most) else ""
    return (
        f"Leave {'it' if len(unknown) == 1 else 'them'} out with `--labels {shlex.quote(option)}`{rest}, or say what "
        f"{'it' if len(unknown) == 1 else 'each'} means instead of drop: {', '.join(choices)}."
    )


def _numeric_outcomes(
    labels: Sequence[str], column: str, sides: tuple[Sequence[str], Sequence[str]]
) -> dict[str, float] | None:
    """Outcomes for a from numeric labels, or ``None`` if labels are words or the numbers are ambiguous.

    From 0 to 1 they are outcomes; with -1 among -1, 0, 1 they are loss, draw, win; 1 and 2 are sides if the columns
    are so numbered; a preference from 1 to 2 favors the second agent as it grows.
    """
    try:
        values = {label: float(label) for label in labels}
    except ValueError:
        return None
    distinct = set(values.values())
    if not distinct:
        return None
    low, high = min(distinct), max(distinct)
    if 0 <= low <= high <= 1:
        return values
    if distinct <= {-1.0, 0.0, 1.0}:
        return {label: (value + 1) / 2 for label, value in values.items()}
    if distinct <= {1.0, 2.0} and "1" in sides[0] and "2" in sides[1]:
        return {label: 2 - value for label, value in values.items()}
    if plain_label(column) == "preference" and 1 <= low <= high <= 2:
        return {label: 2 - value for label, value in values.items()}
    return None
