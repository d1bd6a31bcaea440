"""Matrices: which cells are shown, which are hatched, and what hovering tells."""

import re

import numpy as np
import pytest

from beatpath.reports.figures import agreement, sampling, svg, win_rate_matrix
from helpers.every_picture import named, world

RATES = [[None, 0.75, np.nan], [0.25, None, 0.5], [np.nan, 0.5, None]]
COUNTS = [[0, 8, 0], [8, 0, 1200], [0, 1200, 0]]


def cells(spec):
    colored = [one for one in spec["layer"] if "color" in one["encoding"]]
    return [cell for one in colored for cell in one["data"]["values"]]


def hovers(spec):
    """What hovering over marks tells."""
    return re.findall("<title>([^<]*)</title>", svg(spec))


def test_a_pair_without_battles_and_the_diagonal_have_no_cell():
    spec = win_rate_matrix(["ada", "bob", "cyd"], RATES, COUNTS)
    assert [(c["row"], c["column"], c["share"]) for c in cells(spec)] == [
        (0, 1, 0.75),
        (1, 0, 0.25),
        (1, 2, 0.5),
        (2, 1, 0.5),
    ]


def test_hovering_over_a_cell_gives_counts_interval_and_a_sentence():
    low, high, resolved = np.full((3, 3), 0.4), np.full((3, 3), 0.9), np.zeros((3, 3), dtype=bool)
    resolved[0, 1] = resolved[1, 0] = True
    spec = win_rate_matrix(
        ["ada", "<b>", "cyd"], RATES, COUNTS, resolved=resolved, low=low, high=high, confidence="90 %"
    )
    tooltips = hovers(spec)
    assert (
        "ada against &lt;b&gt;: won 75.0 % of 8 battles (90 % interval 40.0 % to 90.0 %); certainly ahead" in tooltips
    )
    assert (
        "&lt;b&gt; against ada: won 25.0 % of 8 battles (90 % interval 40.0 % to 90.0 %); certainly behind" in tooltips
    )
    assert (
        "&lt;b&gt; against cyd: won 50.0 % of 1,200 battles (90 % interval 40.0 % to 90.0 %); not resolved" in tooltips
    )


@pytest.mark.parametrize("n", [3, 9, 20])
def test_exactly_the_unresolved_cells_are_hatched_and_pale(n):
    rates, counts, resolved, _, _ = world(n)
    open_ = int((~resolved & (counts > 0)).sum())
    sure = int((resolved & (counts > 0)).sum())
    image = svg(win_rate_matrix(named(n), rates, counts, resolved=resolved))
    pale = re.search(r'<g [^>]*fill-opacity="0.4"[^>]*>(.*?)</g>', image)
    assert image.count("<path ") == (pale[1].count("<rect ") if pale else 0) == open_
    plain = svg(win_rate_matrix(named(n), rates, counts))
    assert plain.count('opacity="0.4"') == plain.count("<path ") == 0
    assert sure + open_ == len(cells(win_rate_matrix(named(n), rates, counts)))


def test_a_small_matrix_holds_its_numbers_and_a_large_one_does_not():
    for n, holds in ((12, True), (13, False)):
        rates, counts, *_ = world(n)
        spec = win_rate_matrix(named(n), rates, counts)
        written = [one["data"]["values"] for one in spec["layer"] if one["mark"]["style"].startswith("figure")]
        assert sum(map(len, written)) == (len(cells(spec)) if holds else 0)


def test_one_half_has_no_color_and_the_two_sides_have_theirs():
    spec = win_rate_matrix(["a", "b", "c"], [[None, 1, 0.5], [0, None, 0.5], [0.5, 0.5, None]])
    low, _, middle, _, high = spec["config"]["range"]["diverging"]
    fills = svg(spec)
    for colour in (low, middle, high):
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        assert f"rgb({red}, {green}, {blue})" in fills


def test_sampling_counts_the_compared_pairs():
    spec = sampling(["ada", "bob", "cyd"], COUNTS, unit="game")
    assert {(c["row"], c["column"]): c["tooltip"] for c in cells(spec)} == {
        (0, 1): "ada and bob: 8 games",
        (1, 0): "bob and ada: 8 games",
        (1, 2): "bob and cyd: 1,200 games",
        (2, 1): "cyd and bob: 1,200 games",
    }
    assert "ada and bob: 8 games" in hovers(spec)


def test_agreement_tells_how_many_pairs_two_methods_order_differently():
    spec = agreement(["borda", "elo"], np.array([[0, 0.25], [0.25, 0]]))
    assert "borda and elo: 25.0 % of pairs ordered differently" in hovers(spec)
    assert [cell["text"] for cell in cells(spec)] == ["25", "25"]
