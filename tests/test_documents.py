"""Documents as they are described: every line can be read, every part is used, every type in the code is known."""

import re

from beatpath._documents import DOCUMENTS, PARTS, VERBS
from beatpath._schema import document_schema
from helpers.paths import ROOT


def test_every_part_is_used_by_some_document():
    used = {part for name in DOCUMENTS for part in document_schema(name).get("$defs", {})}
    assert set(PARTS) <= used


def test_every_verb_prints_documents_that_are_described():
    assert {name for names in VERBS.values() for name in names} <= set(DOCUMENTS)


def test_every_type_that_the_code_writes_is_described():
    written = set()
    for path in (ROOT / "src" / "beatpath").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        written |= set(re.findall(r'"schema_version": \w+,\s+"type": "([^"]+)"', text))
    assert written <= set(DOCUMENTS)
