"""Curves through points: they pass through them and never beyond."""

import re

from hypothesis import given
from hypothesis import strategies as st

from beatpath.reports.drawing.marks import monotone, straight

HEIGHTS = st.lists(st.integers(0, 400), min_size=2, max_size=9)


def cubics(path):
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
    start, rest = numbers[:2], numbers[2:]
    for k in range(0, len(rest), 6):
        yield start, rest[k : k + 2], rest[k + 2 : k + 4], rest[k + 4 : k + 6]
        start = rest[k + 4 : k + 6]


@given(HEIGHTS)
def test_a_smooth_path_passes_through_its_points_and_stays_between_neighbours(heights):
    points = [(30.0 * k, float(y)) for k, y in enumerate(heights)]
    path = monotone(points)
    if len(points) < 3:
        assert path == straight(points)
        return
    steps = list(cubics(path))
    assert [tuple(start) for start, *_ in steps] + [tuple(steps[-1][3])] == points
    for start, one, other, end in steps:
        for share in (0.1, 0.3, 0.5, 0.7, 0.9):
            weights = ((1 - share) ** 3, 3 * share * (1 - share) ** 2, 3 * share**2 * (1 - share), share**3)
            y = sum(w * point[1] for w, point in zip(weights, (start, one, other, end), strict=True))
            assert min(start[1], end[1]) - 0.02 <= y <= max(start[1], end[1]) + 0.02
