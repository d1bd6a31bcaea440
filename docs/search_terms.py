"""Search terms of the documentation: the page that answers a term of the glossary comes first in the search for it.

The first link of a glossary entry names the page. The entry, and the synonyms that it lists after "Also" or "Textbook name", become main
index entries of that page when the documentation is built; Sphinx ranks these above all other hits.
"""

import re
from functools import cache
from pathlib import Path

GLOSSARY = Path(__file__).with_name("glossary.md")
ENTRY = re.compile(r"^(\S.*)\n: ((?:.+\n)+)", re.MULTILINE)
LINK = re.compile(r"\]\(([\w/]+)\.md(?:#([\w-]+))?\)")
REDIRECT = re.compile(r"^See (?:also )?\*([^*]+)\*")
SYNONYMS = re.compile(r"(?:Also|Textbook names?): (.+?)\.(?:\s|$)", re.DOTALL)
HEADING = re.compile(r"^#+ (.+)\n", re.MULTILINE)


@cache
def targets():
    """Return the page and anchor of every term.

    >>> targets()["confidence interval"]
    ('resolve', None)
    >>> targets()["non-transitive"] == targets()["cycle"]
    True
    """
    entries = dict(ENTRY.findall(GLOSSARY.read_text(encoding="utf-8")))
    return {term: page for name in entries if (page := _page(name, entries)) for term in _terms(name, entries[name])}


def with_index(page, text):
    r"""Return the text of a page with the index entries of its terms below their headings.

    >>> with_index("how_to/ties", "# Ties\n").splitlines()[2].startswith("```{index} ! ")
    True
    """
    by_anchor = {}
    for term, (target, anchor) in targets().items():
        if target == page:
            by_anchor.setdefault(anchor, []).append(f"! {term}")
    first = HEADING.search(text)

    def below(heading):
        terms = by_anchor.pop(None, []) if heading.start() == first.start() else []
        terms += by_anchor.pop(_slug(heading[1]), [])
        return f"{heading[0]}\n```{{index}} {', '.join(terms)}\n```\n" if terms else heading[0]

    return HEADING.sub(below, text) if by_anchor and first else text


def _page(name, entries):
    """The page and anchor of an entry: those of the entry that it redirects to, or of its first link."""
    redirect = REDIRECT.search(entries[name])
    if redirect and redirect[1] in entries:
        return _page(redirect[1], entries)
    link = LINK.search(entries[name])
    return (link[1], link[2]) if link else None


def _terms(name, text):
    """The names of an entry and its synonyms, without markup and parentheses."""
    listed = ", ".join([name, *SYNONYMS.findall(text)])
    plain = re.sub(r"[*`]|\([^)]*\)", "", " ".join(listed.split()))
    return [term.strip() for term in plain.split(", ") if term.strip()]


def _slug(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
