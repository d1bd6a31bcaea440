"""Tiers as lines: what they mean, then who is in each."""

from beatpath._text import shown
from beatpath.inference.ranks.grouping import letter
from beatpath.inference.ranks.tiers import Tiers

NAMED = 40  # agents of one tier


def tier_lines(found: Tiers) -> list[str]:
    r"""Return the sentences, and one line a tier, letter or group; letters with their sign, parts with their number.

    >>> from beatpath import Pairs, resolve, tiers
    >>> told = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])
    >>> print("\n".join(tier_lines(tiers(resolve(told)))[-2:]))
    tier 1: ada
    tier 2: bob, cyd
    """
    labels = dict(zip(found.agents, found.labels, strict=True))
    lines = list(found.sentences)
    for k, group in enumerate(found.groups):
        own = f"letter {letter(k)}" if found.scheme == "letters" else f"{found.heading} {labels[group[0]]}"
        more = f" and {len(group) - NAMED:,} more" if len(group) > NAMED else ""
        lines.append(f"{own}: {', '.join(shown(name) for name in group[:NAMED])}{more}")
    return lines
