"""Connected components, pairs never played, one-sided agents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.checks import check
from beatpath.checks.connection import strong_components, win_edges
from beatpath.evidence import Ballots, Battles, Margins, Pairs, WinRates
from beatpath.evidence_design.design import design
from beatpath.methods.graph.connection import members_of_groups, unconnected


def closure(n, edges):
    """Warshall's closure: who reaches whom."""
    reach = np.eye(n, dtype=bool)
    reach[edges] = True
    for via in range(n):
        reach |= reach[:, [via]] & reach[[via], :]
    return reach


@given(n=st.integers(1, 7), data=st.data())
def test_components_agree_with_the_closure_of_the_win_graph(n, data):
    edge = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = tuple(np.array(data.draw(st.lists(edge, max_size=12)), dtype=int).reshape(-1, 2).T)
    agents = tuple(f"agent{i}" for i in range(n))
    both = tuple(np.concatenate([edges, edges[::-1]], axis=1))
    one_way, either = closure(n, edges), closure(n, both)
    weak = members_of_groups(agents, unconnected(n, *edges)[1])
    for components, same in ((strong_components(agents, edges), one_way & one_way.T), (weak, either)):
        expected = {tuple(a for a, there in zip(agents, row, strict=True) if there) for row in same}
        assert {tuple(part) for part in components} == expected
        assert [len(part) for part in components] == sorted(map(len, components), reverse=True)


def test_a_tie_leads_both_ways_and_a_win_one_way():
    pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[1, 0, 0, 0], [0, 0, 0, 1]])
    assert set(zip(*map(np.ndarray.tolist, win_edges(pairs)), strict=True)) == {(0, 1), (1, 2), (2, 1)}


def test_unconnected_agents_fail_by_name():
    finding = check(Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("cyd", "dan", 0.5)]))["connected"]
    assert finding.status == "failed"
    assert finding.figures["parts"] == [["ada", "bob"], ["cyd", "dan"]]
    assert "{'ada', 'bob'}, {'cyd', 'dan'}" in finding.sentence


@pytest.mark.parametrize(
    "evidence",
    [
        Battles.of([("ada", "bob", 1), ("cyd", "dan", 1), ("ada", "cyd", 1)], weight=[1.0, 1.0, 0.0]),
        Pairs(("ada", "bob", "cyd", "dan"), [0, 0, 2], [1, 2, 3], [[1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]),
        Ballots.of([[["ada"], ["bob"]], [["cyd"], ["dan"]], [["bob"], ["cyd"]]], count=[1, 1, 0]),
    ],
    ids=["battles", "pairs", "ballots"],
)
def test_what_weighs_nothing_connects_nobody(evidence):
    assert design(evidence).components == (("ada", "bob"), ("cyd", "dan"))
    assert check(evidence)["connected"].figures["parts"] == [["ada", "bob"], ["cyd", "dan"]]


def test_a_champion_breaks_strong_connection_and_is_named_as_one_sided():
    report = check(Battles.of([("top", "x", 1), ("top", "y", 1), ("x", "y", 1), ("y", "x", 1)]))
    assert report["connected"].status == "passed"
    assert report["strongly connected"].status == "warning"
    assert report["strongly connected"].figures["parts"] == [["x", "y"], ["top"]]
    assert report["one-sided agents"].figures == {"always won": ["top"], "always lost": []}


def test_a_tie_is_neither_a_win_nor_a_loss():
    report = check(Battles.of([("ada", "bob", 1), ("ada", "bob", 0.5)]))
    assert report["one-sided agents"].status == "passed"
    assert report["strongly connected"].status == "passed"


def test_pairs_never_played_are_counted_with_the_loneliest_agents():
    finding = check(Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("bob", "dan", 0), ("cyd", "dan", 1)]))[
        "pairs played"
    ]
    figures = finding.figures
    assert (figures["pairs"], figures["never"], figures["share"]) == (6, 2, 0.333333333333)
    assert (figures["fewest opponents"], figures["agents with fewest"]) == (1, ["ada"])


def test_a_battle_of_no_weight_connects_nobody():
    report = check(Battles.of([("ada", "bob", 1), ("bob", "cyd", 1)], weight=[1, 0]))
    assert report["connected"].figures["parts"] == [["ada", "bob"], ["cyd"]]
    assert report["pairs played"].figures["never"] == 2


def test_matrices_are_checked_for_connection_only():
    rates = check(WinRates([[0.5, np.nan, 1], [np.nan, 0.5, np.nan], [0, np.nan, 0.5]], ["cyd", "bob", "ada"]))
    assert rates["connected"].figures["parts"] == [["ada", "cyd"], ["bob"]]
    assert rates["strongly connected"].figures["parts"] == [["ada"], ["bob"], ["cyd"]]
    margins = check(Margins([[0, 1], [-1, 0]], ["ada", "bob"]))
    assert (margins["connected"].status, margins["strongly connected"].status) == ("passed", "not run")
    assert margins["balance"].status == "not run"
