"""Paths through points: straight, or smooth and never beyond them."""

from collections.abc import Sequence
from itertools import pairwise

from beatpath.reports.drawing.marks import Point, short


def straight(points: Sequence[Point]) -> str:
    """Return the path of straight lines through points.

    >>> straight([(0.0, 1.0), (2.0, 3.0)])
    'M0,1L2,3'
    """
    return "M" + "L".join(f"{short(x)},{short(y)}" for x, y in points)


def monotone(points: Sequence[Point]) -> str:
    r"""Return the path of cubics through points from left to right that rises and falls only where they do [1]_.

    The slope at a point is :math:`(\operatorname{sign} s_0 + \operatorname{sign} s_1)
    \min(|s_0|, |s_1|, |p| / 2)` with the slopes :math:`s` to its neighbours and :math:`p` that of the parabola through the three.

    >>> monotone([(0.0, 0.0), (3.0, 3.0), (6.0, 3.0)])
    'M0,0C1,1.5,2,3,3,3C4,3,5,3,6,3'

    References
    ----------
    .. [1] M. Steffen, "A simple method for monotonic interpolation in one dimension", *Astronomy and Astrophysics* 239
           (1990), 443-450.
    """
    if len(points) < 3:
        return straight(points)
    inner = [_slope(*three) for three in zip(points, points[1:], points[2:], strict=False)]
    first, last = _end(points[0], points[1], inner[0]), _end(points[-2], points[-1], inner[-1])
    slopes = [first, *inner, last]
    steps = []
    for ((x, y), (u, v)), (s, t) in zip(pairwise(points), pairwise(slopes), strict=True):
        third = (u - x) / 3
        ends = (x + third, y + third * s, u - third, v - third * t, u, v)
        steps.append("C" + ",".join(map(short, ends)))
    return f"M{short(points[0][0])},{short(points[0][1])}{''.join(steps)}"


def _slope(one: Point, two: Point, three: Point) -> float:
    left, right = two[0] - one[0], three[0] - two[0]
    s, t = (two[1] - one[1]) / left, (three[1] - two[1]) / right
    p = (s * right + t * left) / (left + right)
    return (_sign(s) + _sign(t)) * min(abs(s), abs(t), abs(p) / 2)


def _end(one: Point, other: Point, slope: float) -> float:
    """The slope at an end, of the parabola that leaves the neighbour as it does."""
    return (3 * (other[1] - one[1]) / (other[0] - one[0]) - slope) / 2


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
