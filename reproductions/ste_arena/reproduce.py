"""Analyses: public battles and logs in the form of STE's Tables 9 to 12, whose own data are not public, and K.4's sweep.

Source     "Soft Tournament Equilibrium", section 6.5 and appendices F.4, I.2, K.4 and M: Tables 9 (agents of one arena), 10 (cores by
           category), 11 (scores by environment from logs) and 12 (episodes by status)
Data       Chatbot Arena (counts of August 2024; battles of 20 agents), LLM debates, SWE-bench Verified by instance, in ../shared/data
           beside this repository or --data
Expected   nothing to compare with: the tables' snapshots were not published
Run        python reproductions/ste_arena/reproduce.py        (a few seconds)
"""

import argparse
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import beatpath as bp
from beatpath.methods.soft_core.operators import reachability, soft_majority_edge
from beatpath.reports.reproduction import Line, show
from beatpath.robustness import core_sensitivity

PAPER = {
    "table 9": "gemini-2.5-pro: TC 0.698, UC 0.915 (another snapshot)",
    "table 11": "dbbench-std, agent_strong: UC 0.920, TC 0.821 (other logs)",
    "table 12": "dbbench-std, agent_strong: 194 completed, 106 not (other logs)",
    "table 10": "coding: 3 of 8 above TC 0.5, 8 above UC 0.5 (another snapshot)",
}
SHOWN = 10


def table_9(evidence: bp.Battles | bp.Pairs, of: str) -> list[Line]:
    """The agents with the largest Top Cycle scores, and what stands beside them."""
    core_result = bp.core(evidence, matrix="raw")
    rows = sorted(core_result.rows(), key=lambda row: -row["top_cycle"])[:SHOWN]
    template = (
        "TC {top_cycle:.3f}, UC {uncovered_set:.3f}, in core {in_core:.3f}, won {win_rate:.3f}, BT {bradley_terry:.3f}"
    )
    return [
        Line(
            f"Table 9, {of}, {i}: {row['agent']}",
            PAPER["table 9"] if i == 1 else "",
            template.format(**row),
            None,
            "other data",
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


def table_11_and_12(path: Path, environments: int = 2) -> list[Line]:
    """Scores of four agents by repository, with both solved and both failed as ties; and how many they solved."""
    content = pq.read_table(path, columns=["agent", "instance", "resolved"]).to_pydict()
    solved = {(a, i): bool(r) for a, i, r in zip(*content.values(), strict=True)}
    repository = {i: i.split("__")[0] for i in content["instance"]}
    total = Counter(a for (a, _), done in solved.items() if done)
    ranked = [agent for agent, _ in total.most_common()]
    four = [ranked[round(k * (len(ranked) - 1) / 3)] for k in range(4)]
    lines = []
    for place, _ in Counter(repository.values()).most_common(environments):
        items = sorted(i for i in repository if repository[i] == place)
        outcomes = [(a, b, (1 + solved[a, i] - solved[b, i]) / 2) for i in items for a, b in combinations(four, 2)]
        tied = sum(outcome == 0.5 for _, _, outcome in outcomes) / len(outcomes)
        core = bp.core(bp.Battles.of(outcomes), edges="empirical", cluster=None)
        for k, agent in enumerate(four):
            ours = f"UC {core.uncovered_set.scores[agent]:.3f}, TC {core.top_cycle.scores[agent]:.3f}"
            lines.append(
                Line(
                    f"Table 11, {place}, {agent}",
                    PAPER["table 11"] if not (lines or k) else "",
                    ours,
                    None,
                    "other data",
                )
            )
        lines.append(Line(f"Table 11, {place}: share of ties", "0.637", f"{tied:.3f}", None, "other data"))
        for k, agent in enumerate(four):
            done = sum(solved[agent, i] for i in items)
            ours = f"{done} resolved, {len(items) - done} not"
            lines.append(
                Line(f"Table 12, {place}, {agent}", PAPER["table 12"] if not k else "", ours, None, "other data")
            )
    return lines


def sweep(path: Path) -> list[Line]:
    """Who is above one half as temperature, path length and pruning change (4.6.2, K.4), and two diagnostics (F.4, I.2)."""
    battles = bp.read(path, where=["judge=human"])
    wins = battles.pairs().wins()
    played = wins + wins.T
    P = np.divide(wins, played, out=np.full_like(wins, 0.5), where=played > 0)
    names = battles.agents

    sweep = core_sensitivity(bp.core(P, agents=names), tau=(0.005, 0.01, 0.02, 0.1, 0.5, 1.0))
    note = "20 agents of Chatbot Arena"
    base = ", ".join(sweep.members) or "nobody"
    lines = [Line("K.4, above one half with tau 0.05, all paths, no pruning", "", base, None, note)]
    for one in sweep.settings:
        flips, small = sorted([*one.joined, *one.left]), one.setting == "tau" and one.value < 0.01
        what = f"K.4, {one.setting} {one.value:g}: who flips"
        agrees = not flips if small else None
        lines.append(Line(what, "insensitive" if small else "", ", ".join(flips) or "nobody", agrees, note))
    edge = soft_majority_edge(P, 0.05)
    chain = edge.T / edge.T.sum(axis=1, keepdims=True)  # from an agent to those that beat it
    share = np.linalg.matrix_power(chain, 1024)[0]
    lines.append(
        Line(
            "F.4, the walk to those that beat an agent is longest at",
            "",
            names[int(share.argmax())],
            None,
            f"share {share.max():.3f}",
        )
    )
    reached = reachability(edge, reach="max-min", max_length=None)
    values, vectors = np.linalg.eig(reached)
    vector = np.abs(vectors[:, values.real.argmax()].real)
    order = [names[i] for i in np.argsort(-vector)[:3]]
    lines.append(Line("I.2, largest in the leading eigenvector of reachability", "", ", ".join(order), None))
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
    battles = args.data / "arena33k_judged" / "battles.parquet"
    lines += table_9(bp.read(arena), "129 agents") if arena.is_file() else []
    lines += table_9(bp.read(battles, where=["judge=human"]), "20 agents") if battles.is_file() else []
    lines += table_10(debates, "judge") if debates.is_file() else []
    logs = args.data / "swebench_verified_bash_only" / "per_instance.parquet"
    lines += table_11_and_12(logs) if logs.is_file() else []
    lines += sweep(battles) if battles.is_file() else []
    if not lines:
        print("skipped: none of the four data sets is there; give their folder with --data.")
        return 0
    return show("STE Tables 9 to 12 and the sweep of K.4, in form", lines, args.format)


if __name__ == "__main__":
    sys.exit(main())
