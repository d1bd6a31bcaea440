"""Answers for blind votes: JSON Lines with a prompt, an agent and its answer; and their rendering as safe HTML."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from beatpath._errors import DataError, ReadError
from beatpath._text import counted, quoted, shown
from beatpath.data.formats.records import json_objects
from beatpath.evidence.arrays import agent_names

FIELDS = ("prompt", "agent", "answer")  # fields of a line


@dataclass(frozen=True, slots=True)
class Answers:
    """Every agent's answer to every prompt.

    Parameters
    ----------
    agents, prompts : tuple of str
        In the order in which the file names them first.
    texts : dict
        Answers by prompt and agent.
    category : dict
        Categories by prompt; empty if the file has none.
    """

    agents: tuple[str, ...]
    prompts: tuple[str, ...]
    texts: dict[tuple[str, str], str]
    category: dict[str, str] = field(default_factory=dict)

    @property
    def pool(self) -> list[str] | dict[str, list[str]]:
        """The prompts, by category if there are any."""
        groups: dict[str, list[str]] = {}
        for prompt in self.prompts:
            groups.setdefault(self.category.get(prompt, ""), []).append(prompt)
        return groups if self.category else list(self.prompts)


def read_answers(path: str | os.PathLike[str]) -> Answers:
    """Read answers; every agent must have answered every prompt exactly once.

    Raises
    ------
    ReadError
        With the file and the line, if that is not so.
    """
    name = shown(os.path.basename(os.fspath(path)))
    texts: dict[tuple[str, str], str] = {}
    line_of: dict[tuple[str, str], int] = {}
    category: dict[str, str] = {}
    for number, row in _objects(path, name):
        at = f"{name}, line {number}"
        prompt, agent, answer = (_field(row, one, at) for one in FIELDS)
        if row.get("category") is not None:
            category[prompt] = _field(row, "category", at)
        if (prompt, agent) in texts:
            raise ReadError(
                f"{name}, line {number}: an agent must answer a prompt once; {quoted(agent)} answered {quoted(prompt)} in line "
                f"{line_of[prompt, agent]} already. Leave one out."
            )
        texts[prompt, agent] = answer
        line_of[prompt, agent] = number
    agents = tuple(dict.fromkeys(agent for _, agent in texts))
    prompts = tuple(dict.fromkeys(prompt for prompt, _ in texts))
    if len(agents) < 2:
        raise DataError(
            f"{name} must have answers of at least two agents; it has {counted(len(agents), 'agent')}"
            f"{': ' + quoted(agents[0]) if agents else ''}."
        )
    _require_all(name, agents, prompts, line_of)
    return Answers(agent_names(agents), prompts, texts, category)


def _require_all(
    name: str, agents: tuple[str, ...], prompts: tuple[str, ...], line_of: dict[tuple[str, str], int]
) -> None:
    """Raise an error for a prompt that some agent did not answer."""
    for prompt in prompts:
        missing = [agent for agent in agents if (prompt, agent) not in line_of]
        if missing:
            first = min(line for (one, _), line in line_of.items() if one == prompt)
            others = f" (nor have {counted(len(missing) - 1, 'other')})" if len(missing) > 1 else ""
            raise ReadError(
                f"{name}, line {first}: every agent must have answered every prompt; {quoted(missing[0])} has not answered "
                f"{quoted(prompt)}{others}. Add the answer, or leave the prompt out."
            )


def _objects(path: str | os.PathLike[str], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with open(path, encoding="utf-8-sig") as lines:
            yield from json_objects(lines, name, FIELDS)
    except OSError as error:
        raise ReadError(
            f"answers must be in a file that can be read; {quoted(path)} cannot: {error.strerror}."
        ) from None
    except UnicodeDecodeError:
        raise ReadError(f"{name} must be text in UTF-8; it is not. Save it so.") from None


def _field(row: dict[str, Any], name: str, at: str) -> str:
    if name not in row:
        raise ReadError(f"{at} must have `{name}`; it has {', '.join(map(quoted, row)) or 'nothing'}.")
    text = row[name]
    if not isinstance(text, str) or (name == "agent" and not text.strip()):
        raise ReadError(f"{at}: `{name}` must be text{' with a sign' if name == 'agent' else ''}; got {quoted(text)}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ReadError(f"{at}: `{name}` must be whole characters; half of a pair of surrogates came.") from None
    return text


LONGEST = 50_000  # characters; a longer answer is shown as plain text
WEB = re.compile(r"(https?://|mailto:)[^\s]+", re.IGNORECASE)  # addresses that become links
IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*")  # images that the answer itself holds
# Headings of an answer are shifted down by this, to stay below those of the page, and limited to this level.
UNDER = 3
DEEPEST = 6


@lru_cache(maxsize=2000)
def as_html(text: str) -> str:
    """Return an answer in Markdown as HTML without any HTML of its own.

    >>> as_html("**yes** <script>alert(1)</script>")
    '<p><strong>yes</strong> &lt;script&gt;alert(1)&lt;/script&gt;</p>'
    >>> as_html("[a](javascript:alert(1)) ![b](http://x.invalid/y.png)")
    '<p>[a](javascript:alert(1)) [picture: b]</p>'
    """
    if len(IMAGE.sub("", text)) > LONGEST:
        return f"<pre>{escape(text)}</pre>"
    rendered: str = _MARKDOWN.render(text)
    return rendered.strip()


def _picture(_: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """An image that the answer holds; one at an address is not loaded, since its server would learn who votes."""
    source = str(tokens[at].attrGet("src") or "")
    if IMAGE.fullmatch(source):
        return f'<img src="{source}" alt="{escape(tokens[at].content)}">'
    return f"[picture: {escape(tokens[at].content or 'without a name')}]"


def _link(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    address = escape(str(tokens[at].attrGet("href") or ""))
    if not WEB.fullmatch(address):
        return "<a>"
    return f'<a href="{address}" title="{address}" target="_blank" rel="noopener noreferrer nofollow">'


def _plain(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A tag without attributes, which the page's content policy would refuse or which an answer chose."""
    return f"<{tokens[at].tag}>"


def _heading(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    closing = "/" if token.nesting < 0 else ""
    return f"<{closing}h{min(DEEPEST, int(token.tag[1:]) + UNDER)}>"


def _fence(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return f"<pre><code>{escape(tokens[at].content)}</code></pre>\n"


class _Web(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Whether an address is an http, https or mailto address, or an image."""
        return (WEB.fullmatch(url) or IMAGE.fullmatch(url)) is not None


def _markdown() -> MarkdownIt:
    parser = _Web("commonmark", {"html": False}).enable(["table", "strikethrough"])
    rules = {"image": _picture, "link_open": _link, "fence": _fence, "ordered_list_open": _list}
    rules |= dict.fromkeys(("th_open", "td_open"), _plain)
    rules |= dict.fromkeys(("heading_open", "heading_close"), _heading)
    for name, rule in rules.items():
        parser.add_render_rule(name, rule)
    return parser


def _list(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    start = tokens[at].attrGet("start")
    return "<ol>\n" if start is None else f'<ol start="{int(start)}">\n'


_MARKDOWN = _markdown()  # the configured parser
