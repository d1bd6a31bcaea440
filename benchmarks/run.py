"""Every benchmark: one table, one set of goals and one picture an area, all results in one JSON file.

    python benchmarks/run.py                                  every area, in fifty minutes at most, most of it peers'
    python benchmarks/run.py --area inference --area kemeny   some
    python benchmarks/run.py --quick                          small cases, five minutes at most
    python benchmarks/run.py --peers other/bin/python         peers that live in another environment
    python benchmarks/run.py --docs                           put the results there are into docs/benchmarks.md

Results are stored by area in ``--dir``, so that areas may be run one at a time. Every area has its share of ``--minutes``, and what
one leaves goes to those after it; cells for which no time is left say so. A cell that fails says why in its row, and an area that
fails does not stop the others. Exit status 1 means that answers disagree or an area failed; a goal that is missed is printed and
nothing more.
"""

import argparse
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from measure import NOT_HERE, as_data, from_data, machine, options, versions
from tables import dumped, goals, picture, put_between, table

SHARES = {  # of the time
    "startup": 2,
    "ingest": 8,  # making the largest file takes two minutes of it
    "ratings": 11,
    "voting": 10,
    "kemeny": 3,
    "cores": 4,
    "inference": 4,
    "scale": 7,
    "report": 2,
    "tennis": 3,
    "arena": 2,
}
AREAS = tuple(SHARES)
FILE, PAGE = "results.json", Path("docs/benchmarks.md")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--area", action="append", choices=AREAS, help="only this; may be repeated")
    parser.add_argument("--docs", action="store_true", help="write the results, now or before, into the page")
    options(parser)
    given = parser.parse_args()
    file = given.dir / ("quick.json" if given.quick else FILE)
    results = json.loads(file.read_text()) if file.exists() else {}
    wrong = False
    if not given.docs or given.area:
        areas = given.area or AREAS
        end = time.monotonic() + 60 * (given.minutes or (5 if given.quick else 50))
        silent = []
        for i, area in enumerate(areas):
            share = SHARES[area] / sum(SHARES[one] for one in areas[i:])
            given.until = time.monotonic() + max(0.0, end - time.monotonic()) * share
            try:
                result = measured(area, given)
            except (Exception, SystemExit) as error:  # noqa: BLE001  whatever it is, the other areas go on
                silent.append(f"{area}: {type(error).__name__}: {error}")
                wrong = True
                continue
            if not result["rows"]:
                continue
            results[area] = result
            dumped(results, file)
            print(section(area, results[area]), flush=True)
            wrong |= not all(one["agrees"] for one in result["rows"])
            missing = [one for one in result["rows"] if one["note"] and not one["seconds"] and one["note"] != NOT_HERE]
            silent += [f"{area}, {one['case']}, {one['route']}: {one['note']}" for one in missing]
        if silent:
            print("without an answer:", *silent, sep="\n  ")
        print(f"results: {file}")
    if given.docs:
        into_page(results)
    return int(wrong)


def measured(area: str, given: argparse.Namespace) -> dict[str, Any]:
    """What an area finds, with the machine and the versions it was measured with."""
    made = importlib.import_module(f"{area}.run")
    print(f"{area} ...", file=sys.stderr, flush=True)
    description = machine() | {"date": time.strftime("%Y-%m-%d")}
    rows = made.measured(given)
    data = as_data(rows, made.goals(rows))
    return {"machine": description, "versions": versions(made.PACKAGES, given.peers), **data}


def section(area: str, result: dict[str, Any]) -> str:
    """An area as Markdown: what it ran on, its table, its goals."""
    made = importlib.import_module(f"{area}.run")
    rows, reached = from_data(result)
    where, used = result["machine"], ", ".join(f"{k} {v}" for k, v in result["versions"].items())
    cores = f"{where['cores']} cores, {where['processor']}, {where['memory']}, load {where['load']} before"
    ran = f"{where['date']}; {cores}; Python {where['python']}; {used}."
    parts = [f"### {made.TITLE}", ran, table(rows, wide=getattr(made, "WIDE", False)), goals(reached)]
    return "\n\n".join(part for part in parts if part) + "\n"


def into_page(results: dict[str, Any]) -> None:
    """Put every area between its marks in the page, and its picture beside it."""
    texts = {}
    for area in AREAS:
        if area in results:
            has_picture = picture(from_data(results[area])[0], PAGE.parent / "pictures" / f"bench_{area}.svg")
            shown = f"![Time and memory as the work grows](pictures/bench_{area}.svg)\n" if has_picture else ""
            _, text = section(area, results[area]).split("\n", 1)  # the page has headings of its own
            texts[area] = f"{text}\n{shown}"
    put_between(PAGE, texts)


if __name__ == "__main__":
    sys.exit(main())
