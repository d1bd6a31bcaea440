"""Reproduces: what public arenas resolve, the quantities of win-rate inference on the data there are.

Source     Win-rate inference, lesson 0005 (WRI): 0 of 52 agents with a unique rank, mean width of a rank interval 15.5 by
           Bonferroni and 15.2 by max-t, 305 apparent three-cycles among pairs with 20 battles or more, none surviving, the
           strongest reaching z = 1.51 on its weakest edge, and no apparent cycle among pairs with 200 or more
Data       chatbot_arena_20240814_counts (counts, no clusters) and the clustered sets llmfao, qlora_gpt4_vicuna80, llm_debate,
           pandalm_human, lm_council_ei_sample in the folder given by --data
Expected   expected.json, typed in by hand from the source; its data set, an Arena sample of 52 agents with clusters, is not
           among ours, so that its figures stand beside ours as explained, and what is checked are its claims in general
Run        python reproductions/wri_arena/reproduce.py
           exit 1 where what the document says of its arena does not hold of ours
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

import beatpath as bp
from beatpath.evidence import Evidence
from beatpath.inference.cycles.cycles import cycles
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import expected_of, parser_of

ARENA = "Chatbot Arena, counts"
MINIMUMS = (1, 5, 10, 20, 50, 100, 200, 500)


def sets_of(data: Path) -> dict[str, Evidence]:
    """The evidence of every set that is there; prompts and topics are read as clusters."""
    wanted = {
        ARENA: ("chatbot_arena_20240814_counts/pair_counts.csv", {}),
        "Chatbot Arena, 20 agents": ("arena33k_judged/battles.parquet", {"where": ["judge=human"]}),
        "llmfao, crowd": ("llmfao/crowd-comparisons.csv", {}),
        "llmfao, GPT-4": ("llmfao/gpt4-comparisons.csv", {}),
        "QLoRA, Vicuna prompts": ("qlora_gpt4_vicuna80/battles.csv", {"labels": {"invalid": "drop"}}),
        "debates": ("llm_debate/judgments.csv", {}),
        "PandaLM, people": ("pandalm_human/judgments.csv", {}),
        "Council": ("lm_council_ei_sample/judgments.csv", {}),
    }
    return {name: bp.read(data / path, **options) for name, (path, options) in wanted.items() if (data / path).exists()}


def width(board: Leaderboard, method: str) -> tuple[float, int]:
    """The mean width of a rank interval, in ranks from best to worst, and how many agents have a unique one."""
    ranks = rank_sets(board, multiplicity=method)
    return float(np.mean(ranks.worst - ranks.best)), len(ranks.unique_ranks)


def lines_of(name: str, evidence: Evidence, expected: dict[str, float]) -> list[Line]:
    """The document's quantities on one set of data; of the arena also its claims in general."""
    pairwise = win_rate_inference(evidence)
    board = scores_from(pairwise)
    by = {method: width(board, method) for method in ("bonferroni", "max-t", "step-down")}
    cycle_test = cycles(pairwise, min_battles=20)
    ranks = f"{by['max-t'][1]} of {len(evidence.agents)}"
    widths = " / ".join(f"{wide:.1f}" for wide, _ in by.values())
    z = "-" if cycle_test.weakest_edge_z is None else f"{cycle_test.weakest_edge_z:.2f}"
    swept = ", ".join(str(cycles(pairwise, min_battles=least, most=1).observed) for least in MINIMUMS)
    sampled = scores_from(pairwise, "as_sampled")
    mixtures = kendalltau(board.score, sampled.score).statistic
    projection = bp.robustness.bradley_terry_projection(pairwise)
    p_value = projection.lack_of_fit.p_value
    fit = "not tested" if p_value is None else f"p = {p_value:.2g}"
    printed = f"{expected['unique_ranks']} of {expected['agents']}; {expected['width_bonferroni']} / {expected['width_max_t']}"
    published = f"{expected['raw_cycles_20']}, {expected['surviving_cycles']}, {expected['weakest_edge_z']}"
    lines = [
        Line(
            f"{name}: unique ranks; width of a set by Bonferroni / max-t / step-down",
            printed,
            f"{ranks}; {widths}",
            None,
            f"other data: {int(pairwise.battles.sum()):,} battles",
        ),
        Line(
            "  cycles: apparent (20 battles), surviving, weakest z",
            published,
            f"{cycle_test.observed}, {cycle_test.significant}, {z}",
            None,
        ),
        Line(
            "  opponents alike and as sampled: Kendall's tau of the two boards",
            "a choice that matters",
            f"{mixtures:.3f}",
            None,
        ),
        Line("  Bradley-Terry as a projection: goodness of fit", "a projection", fit, None),
        Line(f"  apparent from {', '.join(map(str, MINIMUMS))} battles a pair on", "0 from 200 on", swept, None),
    ]
    if name != ARENA:
        return lines
    narrowed = by["max-t"][0] / by["bonferroni"][0]
    general = "no unique rank; max-t hardly narrows; no cycle survives"
    ours = f"{by['max-t'][1]}; to {narrowed:.1%}; {cycle_test.significant}"
    holds = by["max-t"][1] == 0 and 0.9 < narrowed <= 1 and cycle_test.significant == 0
    return [*lines, Line("  what the document says of its arena holds of this one", general, ours, holds)]


def main() -> int:
    """Print the quantities of every set that is there."""
    options = parser_of(__doc__).parse_args()
    expected = expected_of(__file__)
    sets = sets_of(options.data)
    if not sets:
        print(f"Nothing to do: no data set under {options.data}.", file=sys.stderr)
        return 0
    lines = [line for name, evidence in sets.items() for line in lines_of(name, evidence, expected)]
    return show("Win-rate inference on public arenas", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
