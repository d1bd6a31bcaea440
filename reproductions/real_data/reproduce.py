"""Measures: how often one half of a real data set contradicts what `resolve` calls certain on the other half.

Source     the package's own claim: 95 % means 95 %, on real data
Data       every data set of shared/data with independent units to split: prompts, tasks, judges, games; skipped where absent
Expected   at most 5 % of halves with a contradicted order; at least 93 % of scores that agree within their intervals,
           less three standard errors over the splits
Run        python reproductions/real_data/reproduce.py             (6 splits a data set)
           --splits N, --only WORD, --format md; exit 1 where something is contradicted too often

Units are split at random into two halves, each half is resolved with the default options, and both are compared. An order is
*contradicted* if both halves call it certain, one each way. A score *agrees* if the 95 % confidence interval of the difference of the
two scores contains zero (Student's t with the fewer degrees of freedom). Nothing is simulated: no model of the data is assumed, only that units are exchangeable.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student_t

import beatpath as bp
from beatpath.evidence import Battles, Scores
from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import mapped, parser_of

DRAWS = 4_000  # simulations behind every critical value
SPLITS = 6  # splits of a data set unless --splits says otherwise
MOST_CONTRADICTED, LEAST_AGREEING = 0.05, 0.93  # shares of halves and of scores
INVALID = {"invalid": "drop"}  # judgments that GPT-4 did not complete


class DataSet(NamedTuple):
    """A real data set: its file, what splits it (empty: single rows), and what labels mean."""

    path: str
    unit: str
    labels: Mapping[str, str] | None = None


SETS = {
    "AlpacaEval, 58 models": DataSet("alpaca_eval_gpt4turbo/annotations.parquet", "cluster"),
    "Arena 33k, 20 models": DataSet("arena33k_judged/battles.parquet", "cluster"),
    "international football": DataSet("football_international/results.parquet", ""),
    "QLoRA, 8 models": DataSet("qlora_gpt4_vicuna80/battles.csv", "cluster", INVALID),
    "llmfao, crowd": DataSet("llmfao/crowd-comparisons.csv", "judge"),
    "LiveBench 2024": DataSet("livebench_tables/table_2024_11_25.csv", "task"),
    "LiveBench 2025": DataSet("livebench_tables/table_2025_05_30.csv", "task"),
    "SWE-bench, 25 agents": DataSet("swebench_verified_bash_only/per_instance.parquet", "item"),
    "LLM debates": DataSet("llm_debate/judgments.csv", "cluster"),
    "PandaLM, human judges": DataSet("pandalm_human/judgments.csv", "cluster"),
    "NFL": DataSet("nfl/games.parquet", ""),
    "Premier League 2008-13": DataSet("classic_r_datasets/football_premier_league_2008_13.csv", ""),
    "ice hockey, NCAA": DataSet("classic_r_datasets/icehockey_ncaa_2009_10.csv", ""),
}


class Split(NamedTuple):
    """What two halves say: certain orders on average, contradicted ones, agents compared and agreeing."""

    certain: float
    contradicted: int
    compared: int
    agreeing: int


def split(path: Path, data: DataSet, seed: int) -> Split:
    """Resolve two random halves of a data set, and compare them."""
    evidence = bp.read(path, labels=data.labels)
    assert isinstance(evidence, Battles | Scores)
    rng = np.random.default_rng(seed)
    if data.unit:
        factor = evidence.factors[data.unit]
        first = (rng.random(len(factor.levels) + 1) < 0.5)[factor.codes]  # rows without a unit have code -1
    else:
        first = rng.random(len(evidence)) < 0.5
    one, other = (bp.resolve(evidence.take(rows), draws=DRAWS, seed=seed) for rows in (first, ~first))
    assert isinstance(one, PairwiseResolution)
    assert isinstance(other, PairwiseResolution)
    shared = [name for name in one.agents if name in other.agents]
    i, j = ([board.agents.index(name) for name in shared] for board in (one, other))
    above, below = one.above[np.ix_(i, i)], other.above[np.ix_(j, j)]
    certain = (one.resolved_pairs + other.resolved_pairs) / 2
    compared = agreeing = 0
    if one.agents == other.agents and one.estimand == other.estimand:  # otherwise scores mean different things
        variance = np.diag(one.board.covariance) + np.diag(other.board.covariance)
        known = np.isfinite(variance) & (variance > 0)
        compared = int(known.sum())
        few = np.minimum(np.diag(one.board.df), np.diag(other.board.df))
        reach = student_t.ppf(0.975, few) * np.sqrt(variance)
        agreeing = int((abs(one.score - other.score) <= reach)[known].sum())
    return Split(certain, int((above & below.T).sum()), compared, agreeing)


def main() -> int:
    """Split every data set and print what is contradicted."""
    parser = parser_of(__doc__)
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--only", default="", help="data sets whose name holds this word")
    options = parser.parse_args()
    lines: list[Line] = []
    rows = [
        "| data | splits | certain orders in a half | contradicted | scores that agree |",
        "| --- | --: | --: | --: | --: |",
    ]
    for name, data in SETS.items():
        path = options.data / data.path
        if options.only not in name:
            continue
        if not path.exists():
            print(f"{name} skipped: {path.name} is absent", file=sys.stderr)
            continue
        splits = mapped(split, [(path, data, seed) for seed in range(options.splits)], name, options.processes)
        contradicted = float(np.mean([one.contradicted > 0 for one in splits]))
        compared = sum(one.compared for one in splits)
        agreeing = sum(one.agreeing for one in splits) / compared if compared else float("nan")
        certain = np.mean([one.certain for one in splits])
        orders = sum(one.contradicted for one in splits)
        # a few splits cannot show 5 %: one contradicted half is allowed below 20 of them
        honest = contradicted <= max(MOST_CONTRADICTED, 1 / options.splits)
        lines.append(
            Line(
                f"{name}: halves with a contradicted order",
                "0.05",
                f"{contradicted:.3f}",
                honest,
                f"{certain:,.0f} certain orders, {orders} contradicted in all",
            )
        )
        if compared:
            # the scores of one split agree or disagree together (one half has the harder tasks): splits are the units
            shares = np.array([one.agreeing / one.compared for one in splits if one.compared])
            chance = 3 * shares.std(ddof=1) / np.sqrt(len(shares)) if len(shares) > 1 else np.inf
            lines.append(
                Line(
                    "  scores that agree",
                    "0.95",
                    f"{agreeing:.3f}",
                    agreeing >= LEAST_AGREEING - chance,
                    f"{compared:,} compared in {len(shares)} splits",
                )
            )
        shown = f"{agreeing:.3f} of {compared:,}" if compared else "fields differ"
        rows.append(f"| {name} | {options.splits} | {certain:,.0f} | {orders} | {shown} |")
    if options.format == "md":
        print("\n".join(rows))
        return 0
    return show("Real data, one half against the other", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
