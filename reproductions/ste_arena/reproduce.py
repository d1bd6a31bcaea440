"""Analyses: public battles in the form of STE's Tables 9 and 10, whose own data are not public.

Source     "Soft Tournament Equilibrium", section 6.5, Tables 9 (agents of one arena) and 10 (cores by category)
Data       Chatbot Arena counts of August 2024 and LLM debates, ../shared/data beside this repository or --data
Expected   nothing to compare with: the tables' snapshots were not published
Run        python reproductions/ste_arena/reproduce.py        (a few seconds)
"""

import argparse
import sys
from pathlib import Path

import beatpath as bp
from beatpath.reports.reproduction import Line, show

PAPER = {
    "table 9": "gemini-2.5-pro: TC 0.698, UC 0.915 (another snapshot)",
    "table 10": "coding: 3 of 8 above TC 0.5, 8 above UC 0.5 (another snapshot)",
}
SHOWN = 10


def table_9(path: Path) -> list[Line]:
    """The agents with the largest Top Cycle scores, and what stands beside them."""
    found = bp.core(bp.read(path), matrix="raw")
    rows = sorted(found.rows(), key=lambda row: -row["top_cycle"])[:SHOWN]
    said = (
        "TC {top_cycle:.3f}, UC {uncovered_set:.3f}, in core {in_core:.3f}, won {win_rate:.3f}, BT {bradley_terry:.3f}"
    )
    return [
        Line(
            f"Table 9, {i}: {row['agent']}", PAPER["table 9"] if i == 1 else "", said.format(**row), None, "other data"
        )
        for i, row in enumerate(rows, 1)
    ]


def table_10(path: Path, by: str) -> list[Line]:
    """Cores by context: sizes above one half, and the first by Top Cycle score."""
    lines = []
    cores = bp.core_by(bp.read(path), by, matrix="raw")
    for i, (name, core) in enumerate(cores.contexts.items()):
        top, uncovered = core.top_cycle.scores, core.uncovered_set.scores
        first = max(top, key=lambda agent: (top[agent], agent))
        ours = (
            f"{len(core.agents)} agents, {cores.comparisons[name]:,.0f} comparisons; "
            f"{sum(s > 0.5 for s in top.values())} above TC 0.5, {sum(s > 0.5 for s in uncovered.values())} above UC 0.5; "
            f"first {first} {top[first]:.3f}; most probable core of {len(core.posterior.most_probable)}"
        )
        lines.append(Line(f"Table 10, {by} {name}", PAPER["table 10"] if not i else "", ours, None, "other data"))
    return lines


def main() -> int:
    """Print the lines of the data that are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2].parent / "shared" / "data")
    parser.add_argument("--format", default="table")
    args = parser.parse_args()
    arena = args.data / "chatbot_arena_20240814_counts" / "pair_counts.csv"
    debates = args.data / "llm_debate" / "judgments.csv"
    lines: list[Line] = []
    lines += table_9(arena) if arena.is_file() else []
    lines += table_10(debates, "judge") if debates.is_file() else []
    if not lines:
        print("skipped: neither the Chatbot Arena counts nor the LLM debates are there; give their folder with --data.")
        return 0
    return show("STE Tables 9 and 10, in form", lines, args.format)


if __name__ == "__main__":
    sys.exit(main())
