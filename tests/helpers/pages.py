"""The page of a report as a browser would find it."""

import json
from html.parser import HTMLParser


class Page(HTMLParser):
    """The elements of a page, its scripts and its text, as a browser would find them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.scripts, self.words, self.inside = [], [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self.inside = tag
            if tag == "script":
                self.scripts.append((dict(attributes), ""))

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif self.inside is None:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def ids(self):
        return [a["id"] for _, a in self.elements if "id" in a]

    def data(self, name):
        return next(json.loads(text) for kind, text in self.scripts if kind.get("id") == name)
