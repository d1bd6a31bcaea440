"""A badge for a README: who may be first, as a small SVG."""

from html import escape
from typing import TYPE_CHECKING

from beatpath._text import any_of, confidence, counted, quoted, shown
from beatpath._validate import require_kind
from beatpath.reports.figures.common import LIGHT

if TYPE_CHECKING:
    from beatpath.inference.resolve.resolution import Resolution

# Height of the badge, and padding around its text, in pixels.
HEIGHT = 20
PAD = 6
SIGN = 6.6  # mean width of an 11-pixel character in DejaVu Sans; the text is fitted to the result
LONGEST = 30  # longest name, in characters


def badge(resolution: "Resolution") -> str:
    """Return an SVG badge that states who may be first and with what confidence, such as "first: one of 3, 95 %".

    Names are shortened and escaped; the title, which screen readers read, is a sentence.

    Parameters
    ----------
    resolution : Resolution
        The leaderboard, from `resolve`.

    Returns
    -------
    str
        The SVG.

    See Also
    --------
    plot : Figures of a result.

    Examples
    --------
    >>> from beatpath import Pairs, resolve
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])
    >>> print(badge(resolve(pairs)).splitlines()[1])
    <title>first: ada, 95 %. 'ada' is certainly first of 3 agents (95 % confidence).</title>
    """
    from beatpath.inference.resolve.resolution import Resolution

    require_kind("resolution", resolution, "a leaderboard, as `bp.resolve` returns it", Resolution)
    label, sentence = first_text(resolution)
    return _two_boxes("first", label, f"first: {label}. {sentence}")


def first_text(resolution: "Resolution") -> tuple[str, str]:
    """Return who may be first, as a short text and as a sentence."""
    ranks = resolution.ranks
    certain, may, n = ranks.certainly_top(1), ranks.top(1), len(ranks.agents)
    held = "" if ranks.simultaneous else ", each agent by itself"
    sure = f"({confidence(ranks.level)} confidence{held})"
    among = counted(n, "agent")
    if certain:
        who, sentence = shown(certain[0], LONGEST), f"{quoted(certain[0])} is certainly first of {among} {sure}."
    elif len(may) == n:
        who, sentence = any_of(n), f"{any_of(n).capitalize()} agents may be first {sure}."
    else:
        who, sentence = f"one of {len(may):,}", f"{len(may):,} of {among} may be first {sure}."
    return f"{who}, {confidence(ranks.level)}", sentence


def _two_boxes(left: str, right: str, title: str) -> str:
    """Two boxes with a label and its value, with the text fitted to its box in any font."""
    widths = [round(SIGN * len(text)) + 2 * PAD for text in (left, right)]
    total = sum(widths)
    label, named = escape(title), escape(title, quote=False)
    texts = "\n".join(
        f'<text x="{at + width / 2:g}" y="14" textLength="{width - 2 * PAD}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for text, width, at in zip((left, right), widths, (0, widths[0]), strict=True)
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{HEIGHT}" role="img" aria-label="{label}">
<title>{named}</title>
<clipPath id="round"><rect width="{total}" height="{HEIGHT}" rx="3"/></clipPath>
<g clip-path="url(#round)">
<rect width="{widths[0]}" height="{HEIGHT}" fill="{LIGHT.ink}"/>
<rect x="{widths[0]}" width="{widths[1]}" height="{HEIGHT}" fill="{LIGHT.accent}"/>
</g>
<g fill="#ffffff" text-anchor="middle" font-family="Verdana, 'DejaVu Sans', sans-serif" font-size="11">
{texts}
</g>
</svg>
"""
