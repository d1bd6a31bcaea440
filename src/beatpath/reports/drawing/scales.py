"""Map values to positions, colors and sizes, as the channels of a specification define."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

# A channel or guide, and a row of data.
Spec = Mapping[str, Any]
Row = Mapping[str, Any]
PERCENT = "format(100 * datum.value, '.0f') + ' %'"  # the only expression that a label may use


def place_of(channel: Spec, extent: float, *, down: bool = False) -> Callable[[Row], float]:
    """Return a function from a row to its position, in pixels from the left or, if `down`, from the top.

    >>> place_of({"field": "x", "scale": {"domain": [0, 4]}}, 100, down=True)({"x": 1})
    75.0
    """
    if "value" in channel:
        fixed = float(extent if channel["value"] in ("width", "height") else channel["value"])
        return lambda row: fixed
    field, scale = channel["field"], channel["scale"]
    if scale is None:
        return lambda row: float(row[field])
    (low, high), room = scale["domain"], scale.get("padding", 0)
    turned = bool(scale.get("reverse")) != down
    step = (extent - 2 * room) / (high - low)
    if turned:
        return lambda row: extent - room - (row[field] - low) * step
    return lambda row: room + (row[field] - low) * step


def color_of(channel: Spec, ranges: Mapping[str, Sequence[str]]) -> Callable[[Any], str]:
    """Return a function from a value to its color: one of a few by name, or interpolated.

    >>> gray = color_of({"type": "quantitative", "scale": {"domain": [0, 1], "range": "g"}}, {"g": ["#000000", "#646464"]})
    >>> gray(0.5)
    'rgb(50, 50, 50)'
    """
    scale = channel["scale"]
    stops, domain = ranges[scale["range"]], list(scale["domain"])
    if channel["type"] != "quantitative":
        return lambda value: stops[domain.index(value) % len(stops)]
    measured: Callable[[float], float] = log10 if scale.get("type") == "log" else float
    at = [measured(value) for value in domain]

    def color(value: float) -> str:
        x = min(max(measured(value), at[0]), at[-1])
        k = min(bisect_right(at, x), len(at) - 1) - 1
        return mixed(stops[k], stops[k + 1], (x - at[k]) / (at[k + 1] - at[k]))

    return color


def mixed(one: str, other: str, share: float) -> str:
    """Return a color between two, `share` of the way to the other; CSS variables are mixed by the browser.

    >>> mixed("var(--ink)", "var(--paper)", 0.25)
    'color-mix(in srgb,var(--paper) 25%,var(--ink))'
    """
    if not one.startswith("#"):
        return f"color-mix(in srgb,{other} {100 * share:.3g}%,{one})"
    parts = [[int(color[k : k + 2], 16) for k in (1, 3, 5)] for color in (one, other)]
    return f"rgb({', '.join(f'{int(x + share * (y - x) + 0.5)}' for x, y in zip(*parts, strict=True))})"


def ticks(low: float, high: float, count: int) -> list[float]:
    """Return about `count` round values from low to high, spaced by 1, 2 or 5 times a power of ten.

    >>> ticks(0, 1, 6), ticks(3, 41, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [10.0, 20.0, 30.0, 40.0])
    """
    step = tick_step(low, high, count)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def rounded(low: float, high: float, count: int) -> list[float]:
    """Return the ends of a scale, on the ticks around two values.

    >>> rounded(0.42, 0.79, 5), rounded(2.0, 2.0, 5)
    ([0.4, 0.8], [1.0, 3.0])
    """
    if not low < high:
        return [low - 1, low + 1]
    step = tick_step(low, high, count)
    return [round(floor(low / step + 1e-9) * step, 12), round(ceil(high / step - 1e-9) * step, 12)]


def tick_step(low: float, high: float, count: int) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that gives about `count` intervals."""
    rough = (high - low) / count
    power = 10.0 ** floor(log10(rough))
    limits = ((10, 50**0.5), (5, 10**0.5), (2, 2**0.5), (1, 0))
    return power * next(times for times, most in limits if rough / power >= most)


def label_of(guide: Spec, value: float) -> str:
    """Return a value as an axis or a legend writes it.

    >>> label_of({"labelExpr": PERCENT}, 0.5), label_of({"format": ","}, 1000), label_of({"format": "d"}, 3.0), label_of({}, 0.25)
    ('50 %', '1,000', '3', '0.25')
    """
    if "labelExpr" in guide:
        return f"{100 * value:.0f} %"
    form = guide.get("format", ",g")
    return format(int(value) if form == "d" else value, form)
