"""What to cite: every method has its papers, each named once."""

import pytest

from beatpath.analysis.provenance import citations, definition, papers
from beatpath.methods.registry import METHODS


@pytest.mark.parametrize("key", METHODS)
def test_every_method_has_a_paper_and_a_definition(key):
    assert papers()[key]
    assert definition(key)


def test_a_paper_that_two_methods_share_is_cited_once():
    cited = citations(["borda", "copeland", "borda"])
    assert len(cited) == len(set(cited))
    assert set(cited) == set(papers()["borda"]) | set(papers()["copeland"])


@pytest.mark.parametrize("papers", papers().values(), ids=papers())
def test_a_citation_has_a_year(papers):
    assert all(any(str(year) in paper for year in range(1700, 2030)) for paper in papers)
