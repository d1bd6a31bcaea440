"""What to cite: every method has its papers, each named once."""

import pytest

from beatpath.analysis.citations import PAPERS, citations, definition
from beatpath.methods.registry import METHODS


@pytest.mark.parametrize("key", METHODS)
def test_every_method_has_a_paper_and_a_definition(key):
    assert PAPERS[key]
    assert definition(key)


def test_a_paper_that_two_methods_share_is_cited_once():
    found = citations(["borda", "copeland", "borda"])
    assert len(found) == len(set(found))
    assert set(found) == set(PAPERS["borda"]) | set(PAPERS["copeland"])


@pytest.mark.parametrize("papers", PAPERS.values(), ids=PAPERS)
def test_a_citation_has_a_year(papers):
    assert all(any(str(year) in paper for year in range(1700, 2030)) for paper in papers)
