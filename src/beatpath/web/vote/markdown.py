"""An answer as it is shown: Markdown without HTML, pictures, or links to anything but the web.

Tags of the answer itself are shown as text. Where `markdown-it-py`, on which rich rests, made a tag, the page checks it against a list of
its own before it shows it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST = 50_000  # signs; a longer answer is shown as it was written
WEB = re.compile(r"(https?://|mailto:)[^\s]+", re.IGNORECASE)
UNDER = 3  # headings of an answer stand below those of the page
DEEPEST = 6


@lru_cache(maxsize=2000)
def as_html(text: str) -> str:
    """Return an answer as HTML that holds nothing of its own.

    >>> as_html("**yes** <script>alert(1)</script>")
    '<p><strong>yes</strong> &lt;script&gt;alert(1)&lt;/script&gt;</p>'
    >>> as_html("[a](javascript:alert(1)) ![b](http://x.invalid/y.png)")
    '<p>[a](javascript:alert(1)) [picture: b]</p>'
    """
    if len(text) > LONGEST:
        return f"<pre>{escape(text)}</pre>"
    rendered: str = _MARKDOWN.render(text)
    return rendered.strip()


def _picture(_: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return f"[picture: {escape(tokens[at].content or 'without a name')}]"


def _link(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    address = escape(str(tokens[at].attrGet("href") or ""))
    return f'<a href="{address}" title="{address}" target="_blank" rel="noopener noreferrer nofollow">'


def _plain(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A tag without attributes: what a page's policy would refuse, or a name that an answer chose."""
    return f"<{tokens[at].tag}>"


def _heading(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    closing = "/" if token.nesting < 0 else ""
    return f"<{closing}h{min(DEEPEST, int(token.tag[1:]) + UNDER)}>"


def _fence(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return f"<pre><code>{escape(tokens[at].content)}</code></pre>\n"


class _Web(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Whether an address is of the web."""
        return WEB.fullmatch(url) is not None


def _made() -> MarkdownIt:
    made = _Web("commonmark", {"html": False}).enable(["table", "strikethrough"])
    rules = {"image": _picture, "link_open": _link, "fence": _fence, "ordered_list_open": _list}
    rules |= dict.fromkeys(("th_open", "td_open"), _plain)
    rules |= dict.fromkeys(("heading_open", "heading_close"), _heading)
    for name, rule in rules.items():
        made.add_render_rule(name, rule)
    return made


def _list(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    start = tokens[at].attrGet("start")
    return "<ol>\n" if start is None else f'<ol start="{int(start)}">\n'


_MARKDOWN = _made()
