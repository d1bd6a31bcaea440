"""A canonical order: renaming agents changes nothing but names."""

import itertools

import numpy as np
import pytest

from beatpath.inference.core import canonical_order as module
from beatpath.inference.core.canonical_order import canonical_order


def renamed(n, a, b, won, lost, rng):
    """Agents, pairs and directions shuffled; the new number of each agent."""
    number, rows, turn = rng.permutation(n), rng.permutation(len(a)), rng.random(len(a)) < 0.5
    a, b, won, lost = number[a][rows], number[b][rows], won[rows], lost[rows]
    return number, (np.where(turn, b, a), np.where(turn, a, b), np.where(turn, lost, won), np.where(turn, won, lost))


def canonical_form(n, a, b, won, lost):
    place = np.argsort(canonical_order(n, a, b, won, lost).order)
    both = [(place[a], place[b], won, lost), (place[b], place[a], lost, won)]
    return sorted(row for one in both for row in zip(*(column.tolist() for column in one), strict=True))


@pytest.mark.parametrize(("n", "played"), list(itertools.product((6, 12), (0, 3, 8, 14))))
def test_a_renamed_graph_has_the_same_canonical_form(n, played):
    rng = np.random.default_rng([n, played])
    a, b = np.triu_indices(n, 1)
    some = rng.permutation(len(a))[:played]
    data = a[some], b[some], rng.integers(0, 2, played).astype(float), np.ones(played)
    _, shuffled = renamed(n, *data, rng)
    assert canonical_form(n, *data) == canonical_form(n, *shuffled)


def test_classes_of_like_agents_are_renamed_with_them():
    rng = np.random.default_rng(1)
    a, b = np.array([0, 2, 4, 5, 6, 7]), np.array([1, 3, 5, 6, 7, 4])
    won, lost = np.array([6.0, 6, 5, 5, 5, 5]), np.array([4.0, 4, 5, 5, 5, 5])
    number, shuffled = renamed(9, a, b, won, lost, rng)
    one, other = canonical_order(9, a, b, won, lost).alike, canonical_order(9, *shuffled).alike
    assert (one == other[number]).all()
    assert len(set(one.tolist())) == 4  # winners, losers, the cycle of four, and the one who never played


def test_a_hexagon_is_distinguished_from_two_triangles():
    hexagon, triangles = (
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)],
        [(6, 7), (7, 8), (8, 6), (9, 10), (10, 11), (11, 9)],
    )
    a, b = np.array(hexagon + triangles).T
    even = np.full(12, 5.0)
    alike = canonical_order(12, a, b, even, even).alike
    assert len(set(alike[:6])) == len(set(alike[6:])) == 1
    assert alike[0] != alike[6]


def test_when_work_runs_out_it_is_not_called_certain(monkeypatch):
    i = np.arange(15)
    six, four = np.full(15, 6.0), np.full(15, 4.0)
    assert canonical_order(15, i, (i + 1) % 15, six, four).certain
    monkeypatch.setattr(module, "WORK", 1.0)
    assert not canonical_order(15, i, (i + 1) % 15, six, four).certain
