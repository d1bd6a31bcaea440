"""Measures: how many of PrefLib's original strict orders have a Kemeny order proven optimal within ten seconds.

Source     PrefLib, https://preflib.github.io/PrefLib-Jekyll/; the .soc and .soi files that are not derived from others
Data       a folder with index.csv and the archives it names, ../shared/data/preflib beside this repository or --data
Expected   no published number; where a component has at most 12 agents, cuts must find what dynamic programming finds
Run        python reproductions/kemeny_preflib/reproduce.py                 (a sample, under a minute)
           python reproductions/kemeny_preflib/reproduce.py --full          (all with at most 100 alternatives)
           exit 1 when the two implementations disagree, an order's cost is not the one reported, or a file cannot be read
"""

import argparse
import csv
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import beatpath as bp
from beatpath.methods.kemeny.kemeny import kemeny, kemeny_value, unit_of_costs
from beatpath.methods.kemeny.orders import by_subsets, components
from beatpath.methods.kemeny.search import by_cuts
from beatpath.methods.profile import Profile, profile_of

CLASSES = (5, 10, 20, 50, 100, 200, 500, 1000, 10_000)
HERE = Path(__file__).parents[2].parent / "shared" / "data"


def chosen_rows(data: Path, fewest: int, most: int, limit: int) -> list[dict[str, str]]:
    """The original .soc and .soi files of the sizes requested; of many, `limit` spread evenly over the sizes."""
    with (data / "index.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["modification"] == "original"
            and row["type"] in ("soc", "soi")
            and fewest <= int(row["n_alternatives"]) <= most
        ]
    rows.sort(key=lambda row: (int(row["n_alternatives"]), row["member"]))
    if not 0 < limit < len(rows):
        return rows
    return [rows[int(k)] for k in np.linspace(0, len(rows) - 1, limit)]


def profiles(data: Path, rows: list[dict[str, str]]) -> Iterator[tuple[str, Profile]]:
    """Read the chosen members of the archives, one pass each."""
    wanted = {row["member"] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        for archive in sorted({row["archive"] for row in rows}):
            with tarfile.open(data / archive, "r:xz") as members:
                for member in members:
                    content = members.extractfile(member) if member.name in wanted else None
                    if content is None:
                        continue
                    path = Path(folder) / Path(member.name).name
                    path.write_bytes(content.read())
                    yield member.name, profile_of(bp.read(path))
                    path.unlink()


def mistakes(profile: Profile, details: dict[str, object]) -> list[str]:
    """What is wrong with an answer, in words."""
    wrong = []
    place = [profile.agents.index(name) for name in details["order"]]  # type: ignore[attr-defined]
    if abs(kemeny_value(profile.wins, place[::-1]) - float(details["objective"])) > 1e-6:  # type: ignore[arg-type]
        wrong.append("the order does not have the objective reported")
    margins = profile.margins.matrix
    unit, tol = unit_of_costs(margins, profile.margins.allowed)
    for part in components(margins):
        if 3 <= len(part) <= 12:
            inner = margins[np.ix_(part, part)]
            subsets, cuts = by_subsets(inner, tol=tol), by_cuts(inner, tol=tol, unit=unit)
            if abs(subsets.cost - cuts.cost) > tol or (cuts.unique is not None and cuts.unique != subsets.unique):
                wrong.append(f"dynamic programming and cuts disagree on a component of {len(part)} agents")
    return wrong


def main() -> int:
    """Print the table; 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE, help="folder of data sets, with preflib/index.csv")
    parser.add_argument("--limit", type=int, default=120, help="how many instances, spread over the sizes; 0 for all")
    parser.add_argument("--min-alternatives", type=int, default=1)
    parser.add_argument("--max-alternatives", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of one instance")
    parser.add_argument("--full", action="store_true", help="all instances with at most 100 alternatives")
    parser.add_argument("--format", default="table", help="only a table here")
    args = parser.parse_args()
    args.data /= "preflib"
    if args.full:
        args.limit, args.max_alternatives = 0, 100
    if not (args.data / "index.csv").is_file():
        print(f"skipped: the PrefLib folder is absent ({args.data.name}/index.csv); give its parent with --data.")
        return 0
    rows = chosen_rows(args.data, args.min_alternatives, args.max_alternatives, args.limit)
    results: list[tuple[int, float, bool]] = []
    wrong: list[str] = []
    for name, profile in profiles(args.data, rows):
        start = time.perf_counter()
        consensus = kemeny(profile, time_limit=args.seconds)
        results.append((len(profile.agents), time.perf_counter() - start, bool(consensus.details["optimal"])))
        wrong += [f"{name}: {words}" for words in mistakes(profile, dict(consensus.details))]
        if not consensus.details["optimal"]:
            print(f"{name} ({len(profile.agents)} alternatives): {consensus.status}", flush=True)
    print_table(results, args.seconds)
    print("\n".join(wrong) or "dynamic programming and cuts agree wherever both were run")
    return 1 if wrong or len(results) != len(rows) else 0


def print_table(results: list[tuple[int, float, bool]], seconds: float) -> None:
    """One line a size class, and one for all."""
    print(f"{'alternatives':>14} {'instances':>9} {f'proven in {seconds:g} s':>14} {'median s':>9} {'longest s':>9}")
    ranges = [(low + 1, high) for low, high in zip((0, *CLASSES), CLASSES, strict=False)]
    for low, high in (*ranges, (1, CLASSES[-1])):
        taken = [(took, proven) for n, took, proven in results if low <= n <= high]
        if taken:
            times = [took for took, _ in taken]
            proven = sum(ok for _, ok in taken)
            label = "all" if (low, high) == (1, CLASSES[-1]) else f"{low} to {high}"
            print(f"{label:>14} {len(taken):>9} {proven:>14} {np.median(times):>9.4f} {max(times):>9.2f}")


if __name__ == "__main__":
    sys.exit(main())
