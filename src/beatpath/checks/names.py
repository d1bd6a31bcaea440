"""Names that look like the same name: apart by blanks, by upper and lower case, or by the form of their Unicode signs."""

import unicodedata
from collections.abc import Sequence

from beatpath._text import counted, quoted
from beatpath.checks.finding import Finding

_SHOWN = 5  # groups


def folded(name: str) -> str:
    """Return a name without case, in one Unicode form, with single blanks and none at its ends.

    >>> folded(" GPT-4  Turbo") == folded("gpt-4 turbo"), folded("cafe\u0301") == folded("caf\u00e9")
    (True, True)
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def similar_names(agents: Sequence[str]) -> list[Finding]:
    """Name the agents whose names differ in blanks, case or Unicode form alone; nothing is said where there are none."""
    alike: dict[str, list[str]] = {}
    for name in agents:
        alike.setdefault(folded(name), []).append(name)
    groups = [sorted(names) for names in alike.values() if len(names) > 1]
    if not groups:
        return []
    said = "; ".join(
        " and ".join(f"{quoted(name)}{_told_apart(name, names)}" for name in names) for names in groups[:_SHOWN]
    )
    more = f"; {len(groups) - _SHOWN:,} more" if len(groups) > _SHOWN else ""
    sentence = f"{counted(len(groups), 'group')} of names differ only in blanks, case or the form of their signs: {said}{more}."
    consequence = "They count as different agents: give them one name in the source if they are the same."
    return [Finding("similar names", "warning", sentence, consequence, {"groups": groups, "count": len(groups)})]


def _told_apart(name: str, names: Sequence[str]) -> str:
    """The code points of a name that looks like another of its group."""
    looks = [unicodedata.normalize("NFC", other).strip() for other in names]
    if looks.count(unicodedata.normalize("NFC", name).strip()) < 2:
        return ""
    if name != name.strip():
        return " (blanks at its ends)"
    form = next((form for form in ("NFC", "NFD") if unicodedata.is_normalized(form, name)), "mixed form")
    return "" if name.isascii() else f" ({form})"
