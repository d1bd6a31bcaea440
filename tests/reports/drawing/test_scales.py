"""Places, colours, round values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.reports.drawing.scales import color_of, mixed, place_of, ticks
from helpers.vega import png

# d3-array 3.2.4: d3.ticks(low, high, count)
D3 = [
    ((0, 1, 6), [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ((0.5, 1, 6), [0.5, 0.6, 0.7, 0.8, 0.9, 1]),
    ((0, 10, 5), [0, 2, 4, 6, 8, 10]),
    ((-3, 7, 6), [-2, 0, 2, 4, 6]),
    ((0, 1000, 3), [0, 500, 1000]),
]


@pytest.mark.parametrize(("arguments", "expected"), D3)
def test_ticks_are_those_of_d3(arguments, expected):
    assert ticks(*arguments) == pytest.approx(expected)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(1, 12))
def test_ticks_lie_within_their_ends_and_are_about_as_many_as_requested(low, span, count):
    values = ticks(low, low + span, count)
    assert all(low - 1e-6 * span - 1e-9 <= value <= low + span + 1e-6 * span + 1e-9 for value in values)
    assert len(values) <= 2 * count + 2


def test_a_scale_may_be_turned_round_and_leave_room_at_its_ends():
    scale = {"domain": [1, 3], "padding": 10}
    at = place_of({"field": "x", "scale": scale}, 340)
    assert [at({"x": value}) for value in (1, 2, 3)] == [10, 170, 330]
    back = place_of({"field": "x", "scale": {**scale, "reverse": True}}, 340)
    assert [back({"x": value}) for value in (1, 2, 3)] == [330, 170, 10]


def test_a_color_between_two_is_mixed_and_beyond_them_is_the_last():
    channel = {"type": "quantitative", "scale": {"type": "log", "domain": [1, 100], "range": "ramp"}}
    colour = color_of(channel, {"ramp": ["#000000", "#c8c8c8"]})
    assert [colour(value) for value in (0.5, 1, 10, 100, 1e9)] == [f"rgb({k}, {k}, {k})" for k in (0, 0, 100, 200, 200)]


def test_a_page_mixes_its_own_colors_as_we_mix_ours():
    assert mixed("var(--a)", "var(--b)", 0) == "color-mix(in srgb,var(--b) 0%,var(--a))"
    assert mixed("#000000", "#ffffff", 1) == "rgb(255, 255, 255)"


def test_our_specifications_are_read_by_another_renderer():
    from beatpath.reports.figures import svg
    from helpers.every_picture import figure_specs

    for spec in figure_specs(5).values():
        assert png(svg(spec)).startswith(b"\x89PNG")
