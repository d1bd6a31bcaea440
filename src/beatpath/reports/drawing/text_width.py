"""How wide a line of text is, by the widths of the signs of Helvetica, Arial and Liberation Sans."""

from unicodedata import category, east_asian_width

_BY_WIDTH = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    556: "#$0123456789?L_abdeghnopqu",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "…",
    1015: "@",
}
_WIDTH = {sign: width for width, signs in _BY_WIDTH.items() for sign in signs}


def text_width(text: str, size: float) -> float:
    """Return the width of a line in pixels, `size` being that of the font.

    >>> text_width("ada", 10), text_width("模型", 10)
    (16.68, 20.0)
    """
    return sum(map(_sign, text)) * size / 1000


def _sign(sign: str) -> int:
    """Of a sign that the fonts may lack: nothing for a mark on a letter, a square for those of East Asia, else much."""
    known = _WIDTH.get(sign)
    if known is not None:
        return known
    if category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 1000 if east_asian_width(sign) in "WF" else 650


def fitted(text: str, size: float, limit: float) -> str:
    """Return a line that is no wider than a limit, cut at its end where it must be.

    >>> fitted("WWWWWW", 10, 40), fitted("ada", 10, 40)
    ('WWW…', 'ada')
    """
    if text_width(text, size) <= limit:
        return text
    kept = len(text)
    while kept and text_width(text[:kept], size) + size > limit:
        kept -= 1
    return f"{text[:kept]}…"
