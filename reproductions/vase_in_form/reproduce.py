"""Analyses: task weights, votes of unequal length and ranks along an ordered context, in the form of VasE's tables.

Source     Voting as Evaluation (VasE), Tables 8, 9 and 18 to 24, Figures 9 and 10, whose data are not public
Data       livebench_tables and f1_results in the folder given by --data
Expected   nothing to compare with, but what the text says of weights: they change the winner
Run        python reproductions/vase_in_form/reproduce.py --data FOLDER
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

import numpy as np
import pyarrow.parquet as pq
from script import checked, parser_of

import beatpath as bp
from beatpath.reports.reproduction import Line, show

RULES = ("approval", "borda", "copeland", "iml", "plurality", "ranked_pairs", "schulze", "stv", "kemeny")
WEIGHTS = {
    "equal": {},
    "5, 3 and 3": {"typos": 5, "story_generation": 3, "plot_unscrambling": 3},
    "6 and 4": {"paraphrase": 6, "simplify": 4},
}
PRINTED = {
    "equal": "HELM: text-davinci-002 is a weak Condorcet winner",
    "5, 3 and 3": "HELM: no Condorcet winner; YaLM first by 7 of 9 rules",
    "6 and 4": "HELM: text-curie-001 is a weak Condorcet winner",
}
SEASONS = (2014, 2015, 2016, 2017, 2018, 2019)
OTHER = "other data"

options = parser_of(__doc__).parse_args()
lines: list[Line] = []


def first_by(scores: bp.Scores, rule: str, weights: dict[str, float]) -> tuple[str, ...]:
    """The winners by a rule, where approval and STV take five agents, as in the paper."""
    settings = {"k": 5} if rule in ("approval", "stv") else {"time_limit": 2.0} if rule == "kemeny" else {}
    return bp.rank(scores, rule, weights=weights or None, **settings).winners


folder = options.data / "livebench_tables"
if folder.exists():
    scores = bp.read(folder / "table_2024_11_25.csv")
    winners = {}
    for name, weights in WEIGHTS.items():
        condorcet = bp.rank(scores, "copeland", weights=weights or None).condorcet
        winners[name] = {rule: first_by(scores, rule, weights) for rule in RULES}
        seen = f"strong {condorcet.strong or 'none'}, weak {', '.join(condorcet.weak) or 'none'}"
        lines.append(Line(f"Tables 18 to 20, weights {name}: Condorcet winners", PRINTED[name], seen, None, OTHER))
        lines += [Line(f"  first by {rule}", "", ", ".join(who), None) for rule, who in winners[name].items()]
    changed = [rule for rule in RULES if any(winners[name][rule] != winners["equal"][rule] for name in WEIGHTS)]
    lines.append(
        checked("Tables 18 to 20: weights change the winner of some rule", "yes", ", ".join(changed), bool(changed))
    )
    tables = [bp.read(folder / name) for name in ("table_2024_11_25.csv", "table_2025_05_30.csv")]
    cells, agents = {}, sorted(set(tables[0].agents) | set(tables[1].agents))
    for table in tables:
        values, tasks = table.table()
        cells |= {(a, t): values[i, j] for i, a in enumerate(table.agents) for j, t in enumerate(tasks)}
    tasks = sorted({task for _, task in cells})
    joined = np.array([[cells.get((agent, task), np.nan) for task in tasks] for agent in agents])
    both = bp.Scores.from_table(joined, agents, tasks)
    share = f"{len(agents)} models, {len(tasks)} tasks, {np.isnan(joined).mean():.0%} of the cells empty"
    lines.append(Line("Tables 22 to 24: votes of unequal length", "37 models, 39 tasks", share, None, OTHER))
    for rule in ("approval", "borda", "copeland", "iml", "plurality", "schulze"):
        lines.append(Line(f"  first by {rule}", "", ", ".join(first_by(both, rule, {})), None))

path = options.data / "f1_results" / "results.parquet"
if path.exists():
    rows = pq.read_table(path, columns=["session", "season", "race", "position", "driver"]).to_pylist()
    rows = [
        row for row in rows if row["session"] == "race" and row["season"] in SEASONS and str(row["position"]).isdigit()
    ]
    seen_in = {season: {row["driver"] for row in rows if row["season"] == season} for season in SEASONS}
    drivers = sorted(set.intersection(*seen_in.values()))
    ranks: dict[str, dict[str, list[int]]] = {
        rule: {name: [] for name in drivers} for rule in ("approval", "copeland", "iml")
    }
    for season in SEASONS:
        races: dict[str, list[tuple[int, str]]] = {}
        for row in rows:
            if row["season"] == season and row["driver"] in drivers:
                races.setdefault(str(row["race"]), []).append((int(row["position"]), row["driver"]))
        votes = bp.Ballots.of([[[name] for _, name in sorted(race)] for race in races.values()], agents=drivers)
        for rule, by_name in ranks.items():
            ranking = bp.rank(votes, rule, **({"k": 3} if rule == "approval" else {}))
            for name, places in by_name.items():
                places.append(ranking.rank(name))
    title = f"Figures 9 and 10, ranks in {SEASONS[0]} to {SEASONS[-1]} among {len(drivers)} drivers"
    for rule, by_name in ranks.items():
        for k, (name, places) in enumerate(sorted(by_name.items(), key=lambda item: np.mean(item[1]))):
            seen = f"{places}; mean {np.mean(places):.2f} (Table 8)"
            lines.append(Line(f"{title}: {rule}, {name}" if not k else f"  {rule}, {name}", "", seen, None, OTHER))
if not lines:
    print(f"skipped: neither LiveBench's tables nor Formula One's results are in {options.data}", file=sys.stderr)
    sys.exit(0)
sys.exit(show("VasE: HELM and adaptive agents, in form", lines, options.format))
