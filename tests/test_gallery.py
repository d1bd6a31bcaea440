"""The gallery of the documentation: what its reports say is true of the arenas that were simulated."""

import sys

import pytest

from helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import gallery

FIRST = "aspen"


def test_the_leader_is_certainly_first_by_many_battles_and_nobody_is_by_few():
    assert gallery.report("leader").resolution.ranks.certainly_top(1) == (FIRST,)
    assert FIRST in gallery.report("few").resolution.ranks.top(1)
    wide = [row.worst - row.best for row in gallery.report("few").board]
    narrow = [row.worst - row.best for row in gallery.report("leader").board]
    assert sum(wide) > sum(narrow)


def test_of_equal_agents_any_may_be_first():
    assert len(gallery.report("equal").resolution.ranks.top(1)) == 10


def test_the_cycle_survives():
    assert {frozenset(cycle) for cycle in gallery.report("circle").surviving_cycles} == {frozenset(gallery.NAMES[:3])}


def test_no_pair_of_scores_is_certain_the_wrong_way():
    ranks = gallery.report("scores").resolution.ranks
    order = [gallery.NAMES.index(name) for name in ranks.agents]
    wrong = [(i, j) for i in range(8) for j in range(8) if ranks.above[i, j] and order[i] > order[j]]
    assert wrong == []


@pytest.mark.parametrize("name", gallery.ARENAS)
def test_every_arena_has_the_picture_it_is_shown_by(name):
    assert gallery.ARENAS[name].picture in gallery.report(name).figures()


def test_the_page_lists_every_arena_with_its_finding():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for name, arena in gallery.ARENAS.items():
        finding = "".join(gallery.report(name).answer.parts).rstrip(".")
        assert f"| {arena.data.rstrip('.')} | {finding} |" in page
