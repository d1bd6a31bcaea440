"""Text for people: names printed safely, numbers with honest precision, suggestions for misspelled names.

Agent names are untrusted. Reading keeps them unchanged; everything printed passes through `shown`.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path

_UNSAFE = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}  # controls, bidi and zero-width marks, surrogates, line separators


def shown(name: object, width: int = 60) -> str:
    r"""Return a name as one safe printable line, shortened in the middle to `width` characters.

    Control characters, terminal escapes, right-to-left marks and lone surrogates become backslash escapes; a long
    name keeps both ends.

    >>> shown("a\x1b[31mred\nb")
    'a\\x1b[31mred\\nb'
    >>> shown("x" * 100, width=11)
    'xxxxx…xxxxx'
    """
    text = str(name)
    if len(text) > width:
        head = (width - 1) // 2
        text = f"{text[: width - 1 - head]}…{text[len(text) - head :]}"
    if text.isascii() and text.isprintable():
        return text
    return "".join(c.encode("unicode_escape").decode() if unicodedata.category(c) in _UNSAFE else c for c in text)


def quoted(name: object, width: int = 60) -> str:
    """Return the safe form of a name in quotation marks.

    >>> quoted("gpt-4")
    "'gpt-4'"
    """
    return f"'{shown(name, width)}'"


def listed(names: Iterable[object], most: int = 5) -> str:
    """Return a quoted list that stops after `most` names and counts the rest.

    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    items = list(names)
    text = ", ".join(quoted(name) for name in items[:most])
    return text if len(items) <= most else f"{text} and {len(items) - most:,} more"


def joined(texts: Iterable[str], most: int, mark: str = "; ") -> str:
    """Return texts in a row that stops after `most` of them and counts the rest.

    >>> joined(["a", "b", "c"], most=2)
    'a; b; and 1 more'
    """
    items = list(texts)
    return mark.join([*items[:most], *([f"and {len(items) - most:,} more"] if len(items) > most else [])])


@cache
def guesses(kind: str) -> dict[str, tuple[str, ...]]:
    """Return what other packages call options, attributes, names or commands, and what stands for each here, best first.

    >>> guesses("options")["random_state"]
    ('seed',)
    """
    rows = json.loads(Path(__file__).with_name("guesses.json").read_text(encoding="utf-8"))[kind]
    names = {name for guessed in rows.values() for name in guessed.split()}
    return {name: tuple(instead for instead, guessed in rows.items() if name in guessed.split()) for name in names}


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` if a known name is similar, otherwise an empty string.

    >>> suggestion("wniner", ["winner", "model_a"])
    " Did you mean 'winner'?"
    >>> suggestion("zzz", ["winner"]) + suggestion("winner", ["winner"])
    ''
    """
    text = str(name)
    names = [one for one in known if one != text]
    meant = [one for one in guesses("options").get(text, ()) if one in names]
    near = meant or get_close_matches(text, names, n=1, cutoff=0.65)
    return f" Did you mean {quoted(near[0])}?" if near else ""


def option_hint(name: str, known: Iterable[str]) -> str:
    """Return what to write instead of an option that a function lacks: one of its own, or where there is such an option.

    >>> option_hint("confidence", ["level", "seed"])
    " Did you mean 'level'?"
    >>> option_hint("confidence", ["ties"])
    ' `level` is an option of `bp.resolve` and `bp.bootstrap`: a method by itself has no intervals.'
    """
    names, meant = list(known), guesses("options").get(name, (name,))[0]
    elsewhere = guesses("elsewhere").get(meant, ())
    if elsewhere and meant not in names:
        return f" {elsewhere[0]}."
    return suggestion(name, names) + (" It is 1 - alpha." if name == "alpha" and "level" in names else "")


def missing_attribute(thing: object, name: str) -> AttributeError:
    """Return the error of an attribute that is not there, with what to ask for instead where that is known."""
    known = [one for one in (*dir(type(thing)), *getattr(type(thing), "__dataclass_fields__", ())) if one[0] != "_"]
    near = "" if name.startswith("_") else suggestion(name, known)
    # A hint that begins with an attribute is for classes that have it; the others name functions.
    hints = [
        one for one in guesses("attributes").get(name, ()) if one[0] != "`" or re.split(r"\W", one)[1] in ("bp", *known)
    ]
    more = f": {hints[0]}." if hints else f".{near}"
    return AttributeError(f"{type(thing).__name__!r} has no attribute {name!r}{more}", name=name, obj=thing)


def counted(number: float, noun: str, plural: str = "") -> str:
    """Return a count with its noun in singular or plural.

    >>> counted(1, "battle"), counted(1200, "battle"), counted(2.5, "battle")
    ('1 battle', '1,200 battles', '2.5 battles')
    """
    value = f"{int(number):,}" if float(number).is_integer() else f"{number:,.4g}"
    return f"{value} {noun}" if number == 1 else f"{value} {plural or noun + 's'}"


def rounded(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, written out.

    >>> rounded(2149.6), rounded(57.0), rounded(0.01234), rounded(112.3, 2)
    ('2,150', '57', '0.0123', '110')
    """
    return f"{float(f'{value:.{digits}g}'):,.12g}"


def any_of(number: int) -> str:
    """Return "any of" a number, or "either" of two.

    >>> any_of(3), any_of(2)
    ('any of 3', 'either of the two')
    """
    return "either of the two" if number == 2 else f"any of {number:,}"


def all_of(number: int) -> str:
    """Return "all" of a number, or "both" of two.

    >>> all_of(3), all_of(2)
    ('all 3', 'both')
    """
    return "both" if number == 2 else f"all {number:,}"


def confidence(level: float) -> str:
    """Return a confidence level as a percentage.

    >>> confidence(0.95), confidence(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.6g} %"


def percent(share: float, *ends: float) -> str:
    """Return a share as a percentage with one decimal, and with the ends of its interval if they are given.

    >>> percent(0.5), percent(0.0512, 0.03, 0.0777)
    ('50.0 %', '5.1 % (3.0 to 7.8)')
    """
    interval = f" ({' to '.join(f'{100 * end:.1f}' for end in ends)})" if ends else ""
    return f"{100 * share:.1f} %{interval}"
