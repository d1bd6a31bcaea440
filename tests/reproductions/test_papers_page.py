"""The page of the papers: its counts add up, and what it names can be run."""

import re
from collections import Counter

from helpers.paths import REPRODUCTIONS, ROOT

PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines() if line.startswith("| ")]
ITEMS = [row for row in ROWS if row[0] not in ("item", "---")]
STATES = ("whole", "explained", "in form", "impossible", "open")


def test_the_counts_of_the_first_sentence_are_those_of_the_tables():
    sentence = re.sub(r"\s+", " ", PAGE)
    numbers = [
        int(x)
        for x in re.search(
            r"Of (\d+) items (\d+) are whole, (\d+) explained, (\d+) reproduced in form, (\d+) impossible, (\d+) open",
            sentence,
        ).groups()
    ]
    counts = Counter(row[1] for row in ITEMS)
    assert numbers == [len(ITEMS), *(counts[state] for state in STATES)]


def test_every_item_says_where_it_is_or_why_it_is_not():
    for item, state, why, where in ITEMS:
        assert where or (state in ("impossible", "open") and why), item
        name = where.strip("`")
        if where and re.fullmatch(r"[a-z_0-9]+", name):
            assert (REPRODUCTIONS / name / "reproduce.py").is_file(), item
        for path in re.findall(r"tests/[\w/.]+", where):
            assert (ROOT / path).exists(), path


def test_every_reproduction_of_a_paper_is_on_the_page():
    named = {row[3].strip("`") for row in ITEMS}
    papers = {
        p.parent.name
        for p in REPRODUCTIONS.glob("*/reproduce.py")
        if p.parent.name.startswith(("vase_", "sco_", "wsco_", "ste_", "wri_"))
    }
    assert papers <= named
