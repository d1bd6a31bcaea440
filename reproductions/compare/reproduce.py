"""Measures: coverage and power of `beatpath compare`, of claims, of cost dominance and of pass@k bands.

Source     simulated worlds with known truth
Data       none
Expected   0.95 covered and 0.05 wrong, within three standard errors of the runs and one point
Run        python reproductions/compare/reproduce.py                 (200 runs a world)
           python reproductions/compare/reproduce.py --full          (2,000 runs a world, 500 of costs and pass@k)
           --runs N, --format json; exit 1 where a world misses without a reason
"""

import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from beatpath.analysis.run_costs import costs_of, trade_offs_of
from beatpath.analysis.run_items import Items, Matched
from beatpath.inference.runs.pass_at_k import chance
from beatpath.inference.runs.pass_curves import _band
from beatpath.reports.reproduction import Line, show
from beatpath.stats import paired
from beatpath.stats.paired import NO_MORE

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import parser_of

Floats = NDArray[np.float64]
GRID = np.random.default_rng(0).normal(size=200_000)  # items of every kind, over which true means are taken
paired.paired_proportions = lru_cache(None)(paired.paired_proportions)  # the same counts come up again and again
LEVELS = (0.95, 0.9)  # of intervals, and of two one-sided tests

# A world draws scores of the base and of the new run (runs, items), clusters or none, whether items are right or wrong, and the true difference.
World = Callable[[np.random.Generator, int, float], tuple[Floats, Floats, NDArray[np.int64] | None, bool, float]]


def right(ease: Floats) -> Floats:
    """Return the chance of a right answer."""
    return 1 / (1 + np.exp(-ease))


def binary(n: int, center: float = 0.5, spread: float = 1.0, *, shared: bool = True) -> World:
    """Items that are right or wrong, the same for both runs where they are `shared`."""

    def draw(rng, runs, shift):
        ease = center + spread * rng.normal(size=(runs, n))
        other = ease if shared else center + spread * rng.normal(size=(runs, n))
        x, y = ((rng.random((runs, n)) < right(some)).astype(float) for some in (ease, other + shift))
        true = np.mean(right(center + spread * GRID + shift) - right(center + spread * GRID))
        return x, y, None, True, float(true)

    return draw


def sampled(n: int, samples: int) -> World:
    """Items that are tried several times."""

    def draw(rng, runs, shift):
        ease = 1.5 * rng.normal(size=(runs, n))
        x, y = (rng.binomial(samples, right(ease + k * shift)) / samples for k in (0, 1))
        return x, y, None, False, float(np.mean(right(1.5 * GRID + shift) - right(1.5 * GRID)))

    return draw


def graded(n: int, noise: Callable[[np.random.Generator, tuple[int, int]], Floats], missing: float = 0.0) -> World:
    """Scores on a scale, with noise of mean zero; some items are missing from each run."""

    def draw(rng, runs, shift):
        level = rng.normal(size=(runs, n))
        x, y = (level + k * shift + noise(rng, (runs, n)) for k in (0, 1))
        x[rng.random((runs, n)) < 1 - (1 - missing) ** 2] = np.nan  # in both runs with the chance that neither lacks it
        return x, y, None, False, shift

    return draw


def clustered(n_clusters: int, size: int) -> World:
    """Questions about documents, whose gain differs from document to document."""

    def draw(rng, runs, shift):
        document = np.repeat(np.arange(n_clusters), size)
        gain = shift + rng.normal(size=(runs, n_clusters))
        x, y = (rng.normal(size=(runs, len(document))) + k * gain[:, document] for k in (0, 1))
        return x, y, document, False, shift

    return draw


def few_change(n: int) -> World:
    """Scores of which the new run raises a fifth, some by much."""

    def draw(rng, runs, shift):
        x, y = rng.normal(size=(runs, 1, n)).repeat(2, axis=1).swapaxes(0, 1) + 0.02 * rng.normal(size=(2, runs, n))
        raised = (rng.random((runs, n)) < 0.2) * rng.exponential(size=(runs, n))
        return x, y + shift * raised, None, False, 0.2 * shift

    return draw


def latencies(n: int) -> World:
    """Times with a long tail, of items and of runs; the new run takes longer by a factor."""

    def draw(rng, runs, shift):
        level = np.exp(0.8 * rng.normal(size=(runs, n)))
        x, y = (level * np.exp(0.5 * rng.normal(size=(runs, n)) + k * shift) for k in (0, 1))
        return x, y, None, False, float(np.exp(0.445) * np.expm1(shift))

    return draw


NOT_SHARED = "none shared"  # runs that are not compared in pairs
WORLDS: dict[str, World] = {
    "20 items, right or wrong": binary(20),
    "60 items, right or wrong": binary(60),
    "300 items, right or wrong": binary(300),
    "100 items, 95 % right": binary(100, center=3.5, spread=0.5),
    "150 items, very unequal": binary(150, spread=4.0),
    f"80 items each, {NOT_SHARED}": binary(80, shared=False),
    "50 items, 4 samples each": sampled(50, 4),
    "12 items, 10 samples each": sampled(12, 10),
    "10 graded items": graded(10, lambda rng, shape: rng.normal(size=shape)),
    "40 graded items, skewed noise": graded(40, lambda rng, shape: rng.exponential(size=shape) - 1),
    "60 graded items, a fifth missing": graded(60, lambda rng, shape: rng.normal(size=shape), missing=0.2),
    "40 graded items, a fifth change": few_change(40),
    "150 graded items, a fifth change": few_change(150),
    "15 latencies": latencies(15),
    "60 latencies": latencies(60),
    "12 documents of 10 questions": clustered(12, 10),
    "40 documents of 5 questions": clustered(40, 5),
}
SHIFT = 0.5  # of the new run where it is better, in the units of ease or of noise


def intervals(sample: tuple, paired: bool) -> Floats:
    """Return the ends of every run's intervals, of 95 % and of 90 %: (runs, 4)."""
    x, y, cluster, is_binary, _ = sample
    ends = []
    for a, b in zip(x, y, strict=True):
        some = np.isfinite(a)
        pair = Matched(
            a[some],
            b[some],
            (some, some) if paired else None,
            None if cluster is None else cluster[some],
            1.0,
            is_binary,
            NO_MORE,
        )
        ends.append([end for level in LEVELS for d in (pair.difference(level),) for end in (d.low, d.high)])
    return np.array(ends)


def compare_line(name: str, runs: int) -> Line:
    """One world: coverage at a difference, false claims at the edge of their margins, power, and false differences without one."""
    rng = np.random.default_rng(sum(map(ord, name)))
    sample = WORLDS[name](rng, runs, SHIFT)
    true = sample[-1]
    paired = NOT_SHARED not in name
    low, high, low90, high90 = intervals(sample, paired).T
    none_low, none_high, none_low90, none_high90 = intervals(WORLDS[name](rng, runs, 0.0), paired).T
    figures = {
        "covers": np.mean((low <= true) & (true <= high)),
        "false difference": np.mean((none_low > 0) | (none_high < 0)),
        "power": np.mean(low > 0),
        "false equivalence": np.mean((-true < low90) & (high90 < true)),
        "power of equivalence": np.mean((-true < none_low90) & (none_high90 < true)),
        "false non-inferiority": np.mean(-high > -true),
        "power of non-inferiority": np.mean(none_low > -true),
    }
    wrong = max(figures["false difference"], figures["false equivalence"] - 0.01, figures["false non-inferiority"])
    return line(name, figures, figures["covers"], wrong, runs)


# Worlds that miss, as documented, and why.
MISSED = dict.fromkeys(("15 latencies", "20 items, very skewed costs"), "so few items do not show how long a tail is")


def line(name: str, figures: dict[str, float], covers: float, wrong: float, runs: int) -> Line:
    """Return a line that agrees where coverage and error are as promised, within the error of the runs and one point."""
    slack = 3 * np.sqrt(0.05 * 0.95 / runs)
    ours = ", ".join(f"{what} {value:.3f}" for what, value in figures.items())
    agrees = bool(covers >= 0.95 - slack - 0.01 and wrong <= 0.05 + slack)
    why = "" if agrees or name not in MISSED else f"; {MISSED[name]}"
    return Line(name, "0.95 covered, 0.05 wrong", ours, agrees or (None if why else False), f"{runs:,} runs{why}")


# Costs: chances of a right answer of three runs, their mean costs, items, spread of costs, items a cluster, samples, share missing.
THREE = ((0.75, 0.7, 0.55), (1.0, 0.3, 2.0))  # the third is worse and dearer than both
CLOSE = ((0.7, 0.7, 0.7), (1.0, 1.0, 1.0))  # all are equal
HALF = ((0.8, 0.6, 0.6), (1.0, 1.0, 0.5))  # the second is worse than the first, and dearer than the third
COSTS: dict[str, tuple] = {
    "20 items": (THREE, 20, 0.5, 1, 1, 0.0),
    "60 items": (THREE, 60, 0.5, 1, 1, 0.0),
    "300 items": (THREE, 300, 0.5, 1, 1, 0.0),
    "60 items, skewed costs": (THREE, 60, 1.2, 1, 1, 0.0),
    "20 items, very skewed costs": (THREE, 20, 1.5, 1, 1, 0.0),
    "20 documents of 10 questions": (THREE, 200, 0.5, 10, 1, 0.0),
    "60 items, 4 samples each": (THREE, 60, 0.5, 1, 4, 0.0),
    "100 items, a fifth missing": (THREE, 100, 0.5, 1, 1, 0.2),
    "60 items, all equal": (CLOSE, 60, 0.5, 1, 1, 0.0),
    "300 items, all equal, skewed costs": (CLOSE, 300, 1.2, 1, 1, 0.0),
    "200 items, dominated in one measure": (HALF, 200, 0.8, 1, 1, 0.0),
}


def cost_line(name: str, runs: int) -> Line:
    """One world of costs: coverage of the ratio, runs called dominated or undominated wrongly, and dominated runs called so."""
    (chances, prices), n, spread, size, samples, missing = COSTS[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    names, k = ("a", "b", "c"), range(3)
    truly = {(i, j): chances[i] > chances[j] and prices[i] < prices[j] for i in k for j in k}  # i dominates j
    covers = false = detected = 0
    keys = [("", str(i)) for i in range(n)]
    cluster = None if size == 1 else np.repeat(np.arange(n // size), size)
    for _ in range(runs):
        items, costs = {}, {}
        ease, length = rng.normal(size=n // size).repeat(size), spread * rng.normal(size=n // size).repeat(size)
        for i in k:
            p = right(ease + np.log(chances[i] / (1 - chances[i])) * 1.3)
            score = rng.binomial(samples, p) / samples
            price = prices[i] * np.exp(length - spread**2 / 2 + 0.3 * rng.normal(size=n) - 0.045)
            some = np.flatnonzero(rng.random(n) >= missing)
            own, number = [keys[q] for q in some], np.full(len(some), samples)
            groups = None if cluster is None else cluster[some]
            for table, value in ((items, score), (costs, price)):
                table[names[i]] = Items(own, value[some], np.full(len(some), np.nan), number, groups, True)
        trade_offs = trade_offs_of(items, costs, 0.95)
        wrong = any(not truly[names.index(by), j] for j, one in enumerate(trade_offs) for by in one.dominated_by)
        wrong |= any(one.undominated and any(truly[i, j] for i in k) for j, one in enumerate(trade_offs))
        false += wrong
        detected += bool(trade_offs[2].dominated_by)
        cost = costs_of({name: costs[name] for name in ("a", "b")}, "price", 0.95)[0]
        covers += cost.low <= prices[1] / prices[0] <= cost.high
    figures = {"covers": covers / runs, "false dominance": false / runs, "power": detected / runs}
    return line(name, figures, figures["covers"], figures["false dominance"], runs)


# pass@k: items, samples, center and spread of ease, items a cluster, most further samples of an item.
CURVES: dict[str, tuple] = {
    "20 items, 5 samples": (20, 5, 0.0, 1.5, 1, 0),
    "60 items, 5 samples": (60, 5, 0.0, 1.5, 1, 0),
    "164 items, 10 samples": (164, 10, 0.0, 1.5, 1, 0),
    "500 items, 4 samples": (500, 4, 0.0, 1.5, 1, 0),
    "60 items, 2 samples": (60, 2, 0.0, 1.5, 1, 0),
    "40 items, hard": (40, 5, -2.5, 1.5, 1, 0),
    "40 items, easy": (40, 5, 2.5, 1.5, 1, 0),
    "60 items, all alike": (60, 5, 0.0, 0.0, 1, 0),
    "60 items, solved or not": (60, 5, 0.0, 8.0, 1, 0),
    "20 documents of 5 questions": (100, 5, 0.0, 1.5, 5, 0),
    "60 items, 5 to 8 samples": (60, 5, 0.0, 1.5, 1, 3),
    "30 items, 3 samples": (30, 3, 0.5, 2.0, 1, 0),
    "80 items, hard, 8 samples": (80, 8, -2.0, 1.0, 1, 0),
    "80 items, easy, 8 samples": (80, 8, 2.0, 1.0, 1, 0),
    "120 items, very easy": (120, 4, 3.0, 1.0, 1, 0),
    "15 documents of 8 questions": (120, 4, 0.0, 2.0, 8, 0),
    "250 items, 6 samples": (250, 6, -1.0, 2.5, 1, 0),
}
# Worlds that came after the rule for the ends of bands was chosen; with --full alone.
FRESH: dict[str, tuple] = {
    "25 items, easy, 4 samples": (25, 4, 2.3, 1.2, 1, 0),
    "25 items, hard, 4 samples": (25, 4, -2.3, 1.2, 1, 0),
    "150 items, very easy, 6 samples": (150, 6, 3.2, 1.5, 1, 0),
    "150 items, very hard, 6 samples": (150, 6, -3.2, 1.5, 1, 0),
    "50 items, easy, 3 to 6 samples": (50, 3, 2.0, 2.0, 1, 3),
    "24 documents of 4 questions, hard": (96, 5, -2.0, 1.5, 4, 0),
    "16 documents of 6 questions, easy": (96, 5, 2.0, 1.0, 6, 0),
}


def pass_line(name: str, runs: int) -> Line:
    """One world of repeated samples: how often all points of both curves lie in the band, and its mean width at the last k."""
    n, samples, center, spread, size, more = (CURVES | FRESH)[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    chances = right(center + spread * GRID)
    ks = range(1, samples + 1)
    true = np.array([*(np.mean(1 - (1 - chances) ** k) for k in ks), *(np.mean(chances**k) for k in ks)])
    covers, single, width = 0, 0, 0.0
    for _ in range(runs):
        p = right(center + spread * rng.normal(size=n // size).repeat(size))
        number = (samples + rng.integers(0, more + 1, size=n)).astype(float)
        solved = rng.binomial(number.astype(int), p).astype(float)
        points = np.stack([chance(number, solved, k, how) for how in ("any", "all") for k in ks], axis=1)
        blocks = np.array([(number // k).sum() for _ in ("any", "all") for k in ks])
        _, low, high = _band(points, np.arange(n) // size, blocks, 0.95, 0)
        held = (low <= true) & (true <= high)
        covers += held.all()
        single += held.mean()
        width += high[samples - 1] - low[samples - 1]
    figures = {"covers": covers / runs, "each point": single / runs, "width": width / runs}
    return line(name, figures, figures["covers"], 0.0, runs)


def main() -> int:
    """Run every world."""
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="2,000 runs a world, 500 of costs and pass@k")
    parser.add_argument("--runs", type=int, help="runs a world")
    options = parser.parse_args()
    runs = options.runs or (2000 if options.full else 200)
    fewer = min(runs, 500) if options.runs is None else runs
    lines = [compare_line(name, runs) for name in WORLDS]
    lines += [cost_line(name, fewer) for name in COSTS]
    lines += [pass_line(name, fewer) for name in (*CURVES, *(FRESH if options.full else ()))]
    return show("Comparisons of runs", lines, options.format)


if __name__ == "__main__":
    raise SystemExit(main())
