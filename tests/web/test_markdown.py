"""Answers as they are shown: what the Markdown means, and nothing that acts."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.web.answers import LONGEST, as_html
from helpers.answers import HOSTILE
from helpers.hostile import NAMES

TAGS = {
    "p",
    "br",
    "hr",
    "em",
    "strong",
    "s",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "h4",
    "h5",
    "h6",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "a",
    "img",
}
ATTRIBUTES = {"a": {"href", "title", "target", "rel"}, "ol": {"start"}, "img": {"src", "alt"}}
IMAGE = "data:image/png;base64,iVBORw0KGgo="
SIGNS = st.sampled_from(
    [*"[]()<>!\"'`*_~|#-&;: \n\\/=", "javascript:", "http://x", "<script>", "onload=", "![", "](", "&#106;", IMAGE]
)


class Looked(HTMLParser):
    """The tags of a text, as a browser would take them."""

    def __init__(self, text):
        super().__init__()
        self.wrong, self.links = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if tag not in TAGS or set(names) - ATTRIBUTES.get(tag, set()):
            self.wrong.append((tag, attributes))
        if "href" in names:
            self.links.append(names["href"])
        if names.get("src", IMAGE) != IMAGE:
            self.wrong.append((tag, attributes))

    def handle_comment(self, data):
        self.wrong.append(data)


def require_harmless(text):
    looked = Looked(as_html(text))
    assert looked.wrong == []
    assert all(re.match(r"(https?://|mailto:)", link, re.IGNORECASE) for link in looked.links)


def test_markdown_means_what_it_means_elsewhere():
    assert as_html("**a** _b_ `c` ~~d~~") == "<p><strong>a</strong> <em>b</em> <code>c</code> <s>d</s></p>"
    assert "<td>1</td>" in as_html("|x|\n|-|\n|1|")
    assert as_html("# big") == "<h4>big</h4>"
    assert as_html("3. x").startswith('<ol start="3">')
    assert 'href="https://example.org/?a=1&amp;b=2"' in as_html("[x](https://example.org/?a=1&b=2)")


@pytest.mark.parametrize("text", [*HOSTILE, *(name for name in NAMES if name.isprintable())])
def test_hostile_answers_are_text(text):
    require_harmless(text)


@given(st.lists(SIGNS | st.characters(codec="utf-8"), max_size=40).map("".join))
def test_whatever_is_written_nothing_acts(text):
    require_harmless(text)


def test_what_is_written_as_a_tag_can_be_read():
    assert as_html("use <b> & </b>") == "<p>use &lt;b&gt; &amp; &lt;/b&gt;</p>"


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp"])
def test_an_image_that_the_answer_holds_is_shown_whatever_its_size(kind):
    source = f"data:image/{kind};base64,{'iVBORw0KGgo+' * (LONGEST // 6)}="
    assert as_html(f'so: ![a "b"]({source})') == f'<p>so: <img src="{source}" alt="a &quot;b&quot;"></p>'


@pytest.mark.parametrize(
    "source",
    ["https://x.invalid/y.png", "data:image/svg+xml;base64,PHN2Zz4=", "data:text/html;base64,PGI+", f"{IMAGE}%22x"],
)
def test_no_other_picture_is_loaded_and_no_image_is_a_link(source):
    assert "<img" not in as_html(f"![x]({source})")
    assert "href" not in as_html(f"[x]({IMAGE})")


def test_a_very_long_answer_is_shown_as_it_was_written():
    assert as_html("**<b>" + "x" * LONGEST) == f"<pre>**&lt;b&gt;{'x' * LONGEST}</pre>"
