"""Reproduces: weighted SCO against Kemeny's orders and Condorcet winners on PrefLib's strict orders.

Source     Weighted Soft Condorcet Optimization (WSCO), Table 1, sections 5.1 and 5.2
Data       preflib/ in the folder given by --data: index.csv and the archives it names
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/wsco_preflib/reproduce.py             (12 files to 10 alternatives, 6 above)
           python reproductions/wsco_preflib/reproduce.py --full      (all whose votes hold a few million preferences)
           --limit N small files and half as many large ones, 0 for all; exit 1 on a mismatch
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

import beatpath as bp
from beatpath.methods.kemeny.kemeny import kemeny
from beatpath.methods.metrics import kendall_distance, top_k_overlap
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.sco.sco import wsco
from beatpath.methods.result import Outcome
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from preflib_files import Instance, instances, spread, unpacked
from script import expected_of, mapped, parser_of

SMALL = 10  # alternatives up to which the Kemeny order is compared
MOST = 5_000_000  # preferences that the votes of a file may hold: both solvers list them all
OPTIMA = 1_000  # Kemeny orders among which the nearest is sought
Values = dict[str, list[list[float]]]  # by row of the table: (solvers, schemes), NaN where it cannot be determined


def measured(path: Path, expected: dict[str, Any]) -> Values:
    """Every row of the table for one file, by Algorithm 1 and by default."""
    profile = profile_of(bp.read(path))
    agents, strong = profile.agents, profile.condorcet.strong
    winner = None if strong is None else agents.index(strong)
    small = len(agents) <= SMALL
    if not small and winner is None:
        return {}
    settings = {key: expected[key] for key in ("iterations", "batch", "learning_rate", "temperature")}
    best = kemeny(profile, optima=OPTIMA).details["optima"] if small else []
    rows: Values = {row: [[], []] for row in [*expected["rows"], "KT to the nearest"]}
    for scheme in expected["schemes"]:
        by_descent = wsco(profile, position_weight=scheme, solver="sgd", **settings)
        for solver, outcome in enumerate((by_descent, wsco(profile, position_weight=scheme))):
            for row, value in judged(outcome, best, agents, winner).items():
                rows[row][solver].append(value)
    return rows


def judged(outcome: Outcome, best: list[list[str]], agents: tuple[str, ...], winner: int | None) -> dict[str, float]:
    """The rows of the table for one answer."""
    first = np.nan if winner is None else float(np.flatnonzero(outcome.level == 0).tolist() == [winner])
    values = {"Condorcet winner first, all (%)": 100 * first}
    if best:
        order = outcome.details["order"]
        away = [kendall_distance(level_of(order, agents), level_of(other, agents)) for other in best]
        top = {k: 100 * top_k_overlap(order, best[0], k) if len(agents) >= k else np.nan for k in (1, 3, 5)}
        values |= {
            "KT to Kemeny (mean)": away[0],
            "KT to the nearest": min(away),
            "perfect Kemeny match (%)": 100.0 * (away[0] == 0),
            "top-1 accuracy (%)": top[1],
            "top-3 overlap (%)": top[3],
            "top-5 overlap (%)": top[5],
            "Condorcet winner first, m <= 10 (%)": 100 * first,
        }
    return values


def level_of(order: list[str], agents: tuple[str, ...]) -> np.ndarray:
    """The position of every agent in an order."""
    place = {name: k for k, name in enumerate(order)}
    return np.array([place[name] for name in agents])


def chosen(instances: list[Instance], limit: int) -> list[tuple[Instance, float]]:
    """Small files, and half as many large ones whose votes can be listed; each with how many files it stands for."""
    small = [one for one in instances if one.alternatives <= SMALL]
    large = [one for one in instances if one.alternatives > SMALL and one.voters * one.alternatives**2 / 2 <= MOST]
    few, fewer = spread(small, limit), spread(large, limit and max(limit // 2, 1))
    return [(one, len(small) / len(few)) for one in few] + [(one, len(large) / len(fewer)) for one in fewer]


def main() -> int:
    """Print the lines; 1 when something differs without a reason."""
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="every file that can be listed")
    parser.add_argument("--limit", type=int, help="files to 10 alternatives, and half as many above; 0 for all [12]")
    options = parser.parse_args()
    if not (options.data / "preflib" / "index.csv").is_file():
        print(f"skipped: preflib/index.csv is not in {options.data}; name its folder with --data", file=sys.stderr)
        return 0
    expected = expected_of(__file__)
    limit = options.limit if options.limit is not None else 0 if options.full else 12
    files = chosen(instances(options.data), limit)
    with unpacked(options.data, [one for one, _ in files]) as paths:
        results = mapped(measured, [(paths[one], expected) for one, _ in files], "files", options.processes)
    taken = [(one, weight) for one, (_, weight) in zip(results, files, strict=True) if one]
    return show("WSCO Table 1: PrefLib", lines_of(taken, expected), options.format)


def lines_of(results: list[tuple[Values, float]], expected: dict[str, Any]) -> list[Line]:
    """Every figure of the table; a line for a scheme."""
    lines = []
    for row, printed in expected["rows"].items():
        for s, scheme in enumerate(expected["schemes"]):
            values, weight = column(results, row, s)
            note = f"{len(values)} files"
            if row.startswith("KT"):
                near = column(results, "KT to the nearest", s)[0].mean(axis=0)
                note += f"; to the nearest {near[0]:.3f}, default {near[1]:.3f}"
            lines.append(line(f"{row}, {scheme}", printed[s], values, weight, note))
    return lines


def column(results: list[tuple[Values, float]], row: str, scheme: int) -> tuple[np.ndarray, np.ndarray]:
    """What is known of a figure, (files, solvers), and how many files each stands for."""
    known = [([solver[scheme] for solver in one[row]], weight) for one, weight in results if one[row][0]]
    values, weights = np.array([value for value, _ in known]), np.array([weight for _, weight in known])
    defined = ~np.isnan(values[:, 0])
    return values[defined], weights[defined]


def line(what: str, published: float, values: np.ndarray, weight: np.ndarray, note: str) -> Line:
    """Published beside Algorithm 1's mean and the default's.

    Four standard errors and a twentieth count as alike; PrefLib has other files now, which explains thrice that.
    """
    mean = np.average(values, axis=0, weights=weight)
    percent = "%" in what
    error = values[:, 0].std() * np.sqrt((weight**2).sum()) / weight.sum()
    floor = (5.0 if percent else 0.02) + (100 / len(values) if percent else 0.0)
    digits = 1 if percent else 3
    ours = f"{mean[0]:.{digits}f}; default {mean[1]:.{digits}f}"
    off = abs(mean[0] - published) - 4 * error
    agrees = True if off <= floor else None if off <= 3 * floor else False
    if what.startswith("Condorcet") and what.endswith("uniform") and mean[1] < 100 - 1e-9:
        agrees = False  # at a minimum of the unweighted loss the winner is first
    return Line(what, f"{published:g}", ours, agrees, note if agrees else f"{note}; see README.md")


if __name__ == "__main__":
    sys.exit(main())
