"""Reproduces: weighted SCO on simulated contests, with intervals and paired tests; and how it converges on PrefLib.

Source     Weighted Soft Condorcet Optimization (WSCO), appendix A (Tables 2 and 3), sections 5.4 and 6.2.2, Figure 1
Data       simulated; for Figure 1 preflib/ in the folder given by --data
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/wsco_simulation/reproduce.py             (two trials a cell, four elections a side)
           python reproductions/wsco_simulation/reproduce.py --full      (50 trials, 500 elections, as in the paper)
           --trials N, --elections N; exit 1 on a mismatch
"""

import sys
import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from beatpath.methods.metrics import kendall_tau_distance, mean_true_rating_distance, top_k_overlap
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.sco.sco import wsco
from beatpath.methods.result import Outcome
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parent))
import tight_top
from contests import DISTRIBUTIONS, Contests, contests
from convergence import figure_lines
from script import expected_of, half_width, mapped, mean_of, near, parser_of

ROUNDED = 0.005
Cell = NDArray[np.float64]  # (trials, solvers, schemes, measures)


def measures(outcome: Outcome, played: Contests, agents: tuple[str, ...]) -> list[float]:
    """KTD, MTRD, top-1 accuracy, top-3 and top-5 precision, and KTD among the true five best; ties count half."""
    order = [[agents[i] for i in np.flatnonzero(outcome.level == k)] for k in range(outcome.level.max() + 1)]
    truth = played.truth
    five = sorted(truth, key=lambda name: -truth[name])[:5]
    return [
        kendall_tau_distance(order, truth, normalized=False),
        mean_true_rating_distance(order, truth),
        *(top_k_overlap(order, truth, k) for k in (1, 3, 5)),
        kendall_tau_distance(order, truth, among=five, normalized=False),
    ]


def trial(distribution: str, n: int, seed: int, expected: dict[str, Any]) -> list[list[list[float]]]:
    """The measures of each scheme on one tournament, by Algorithm 1 and by default."""
    played = contests(n, distribution, np.random.default_rng([seed, n, DISTRIBUTIONS.index(distribution)]))
    profile = profile_of(played.ballots)
    settings = {key: expected[key] for key in ("iterations", "batch", "learning_rate", "temperature")}
    by_descent = [wsco(profile, position_weight=s, solver="sgd", seed=seed, **settings) for s in expected["schemes"]]
    by_default = [wsco(profile, position_weight=s) for s in expected["schemes"]]
    return [[measures(f, played, profile.agents) for f in outcome] for outcome in (by_descent, by_default)]


def cells(expected: dict[str, Any], trials: int, processes: int) -> dict[str, Cell]:
    """Every trial of every cell."""
    jobs = [
        (key.rsplit(" ", 1)[0], int(key.rsplit(" ", 1)[1]), seed, expected)
        for key in expected["values"]
        for seed in range(trials)
    ]
    results = iter(mapped(trial, jobs, "tournaments", processes))
    return {key: np.array([next(results) for _ in range(trials)]) for key in expected["values"]}


def table_lines(results: dict[str, Cell], expected: dict[str, Any]) -> list[Line]:
    """Tables 2 and 3, published beside Algorithm 1's figures and the default's; a line for a row of a table."""
    lines = []
    for table in (slice(0, 2), slice(2, 6)):
        names = ", ".join(expected["measures"][table])
        for key, cell in results.items():
            for s, scheme in enumerate(expected["schemes"]):
                printed = expected["values"][key][s][table]
                ours, default = cell[:, 0, s, table].T, cell[:, 1, s, table].T
                agrees = all(near(o, *p, expected["trials"], ROUNDED) for o, p in zip(ours, printed, strict=True))
                published = ", ".join(f"{mean:.2f} ± {half:.2f}" for mean, half in printed)
                note = f"default {', '.join(map(mean_of, default))}"
                what = f"{key} contests, {scheme}: {names}"
                lines.append(Line(what, published, ", ".join(map(mean_of, ours)), agrees, note))
    return lines


def p_value(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The p-value of Wilcoxon's signed-rank test, paired by seed; 1 where the two never differ."""
    if not (one != other).any():
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ties and few pairs, which it then treats by the normal approximation
        return float(wilcoxon(one, other).pvalue)


def wilcoxon_lines(results: dict[str, Cell], expected: dict[str, Any]) -> list[Line]:
    """Section 5.4's tests: all pairs of schemes on the four top-k measures, the level divided by six."""
    level = expected["significance"]
    published = {tuple(row) for row in expected["significant"]}
    schemes, names = expected["schemes"], expected["measures"]
    lines, others = [], []
    for key, cell in results.items():
        for (i, one), (j, other) in combinations(enumerate(schemes), 2):
            for k in range(2, len(names)):
                p = p_value(cell[:, 0, i, k], cell[:, 0, j, k])
                if (key, names[k], other, one) in published:
                    gap = cell[:, 0, j, k] - cell[:, 0, i, k]
                    ours = f"p = {p:.4f}, {gap.mean():+.3f} ± {half_width(gap):.3f}"
                    what = f"{key} contests, {names[k]}: {other} against {one}"
                    note = "" if p < level else f"not with {len(cell)} trials of ours; see README.md"
                    lines.append(Line(what, f"p < {level}", ours, True if p < level else None, note))
                elif p < level:
                    others.append((key, names[k], f"{key} {names[k]} {other} against {one} ({p:.4f})"))
    return [*lines, *other_lines(others)]


def other_lines(others: list[tuple[str, str, str]]) -> list[Line]:
    """Further differences below the level: where section 6.2.2 says there are none, and where it is silent."""
    uniform = [words for key, _, words in others if key.startswith("uniform")]
    top = [words for key, name, words in others if not key.startswith("uniform") and name == "T1"]
    silent = [words for _, _, words in others if words not in (*uniform, *top)]
    return [
        Line(
            "uniform contests: below the level", "0 of 96", str(len(uniform)), not uniform or None, "; ".join(uniform)
        ),
        Line("skill-matched, T1: below the level", "0 of 24", str(len(top)), not top or None, "; ".join(top)),
        Line("skill-matched, others: below the level", "not stated", f"{len(silent)} of 64", None, "; ".join(silent)),
    ]


def main() -> int:
    """Print the lines; 1 when something differs without a reason."""
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="50 trials a cell and 500 elections a side")
    parser.add_argument("--trials", type=int, help="tournaments a cell [2; 50 if full]")
    parser.add_argument("--elections", type=int, help="of each size, for Figure 1 [4; 500 if full]")
    parser.add_argument("--tight", type=int, help="tournaments of section 7.3 [as many as --trials]")
    options = parser.parse_args()
    expected = expected_of(__file__)
    trials = options.trials or (expected["trials"] if options.full else 2)
    elections = options.elections or (expected["figure 1"]["elections"] if options.full else 4)
    results = cells(expected, trials, options.processes)
    lines = table_lines(results, expected)
    lines += wilcoxon_lines(results, expected)
    lines += tight_top.lines(expected, options.tight or trials, options.processes)
    if (options.data / "preflib" / "index.csv").is_file():
        lines += figure_lines(options.data, expected, elections, options.processes)
    else:
        print(f"Figure 1 skipped: preflib/index.csv is not in {options.data}; give --data", file=sys.stderr)
    title = f"WSCO Tables 2 and 3, {trials} trials a cell, Wilcoxon's tests, and Figure 1"
    return show(title, lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
