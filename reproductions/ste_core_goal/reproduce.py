"""Simulates: arenas that stop when the core is settled, in worlds whose core is known.

Source     "Soft Tournament Equilibrium", Appendix L: active comparisons that select the pairs most informative for the core
Data       simulated: the planted cores of ../ste_tables, and agents that are all equal
Expected   nothing was published; at most 5 % of the runs may ever settle on a wrong core
Run        python reproductions/ste_core_goal/reproduce.py             (two runs a world)
           python reproductions/ste_core_goal/reproduce.py --full      (40 runs a world)
           exit 1 where wrong cores are more than chance allows
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import binom

from beatpath.arena.standing import Goal
from beatpath.inference.anytime.anytime_core import likely_core
from beatpath.reports.reproduction import Line, show

FOLDER = Path(__file__).parents[1]
sys.path[:0] = [str(FOLDER / "common"), str(FOLDER / "ste_tables")]
from planted import FIXED, SPREAD, Strengths, planted
from running import policy_schedule, running
from script import parser_of

EQUAL = Strengths((0.5, 0.5), (0.5, 0.5), (0.5, 0.5))
NEAR = Strengths((0.52, 0.52), (0.52, 0.52), (0.52, 0.52))
# by name: agents, size of the core, strengths, most battles
WORLDS = {
    "10 agents, core of 1": (10, 1, FIXED, 40_000),
    "10 agents, core of 3": (10, 3, FIXED, 40_000),
    "10 agents, core of 5": (10, 5, FIXED, 40_000),
    "10 agents, core of 5, win rates vary": (10, 5, SPREAD, 40_000),
    "20 agents, core of 3": (20, 3, FIXED, 40_000),
    "6 agents, core of 3, every win rate 0.52": (6, 3, NEAR, 10_000),
    "6 equal agents": (6, 6, EQUAL, 10_000),
}


def settled(world: str, policy: str, seed: int) -> tuple[int, bool] | None:
    """The battles until the core was settled, and whether it is the true one; None if it was not settled."""
    n, k, strengths, most = WORLDS[world]
    rng = np.random.default_rng([7, seed, list(WORLDS).index(world)])
    P, core = planted(n, k, strengths, rng)
    goal = Goal.of("core", n)
    for look in running(P, policy_schedule(policy, goal, n), rng, most):
        if not goal.open_pairs(look.board).any():
            return look.played, strengths is not EQUAL and bool((likely_core(look.board) == core).all())
    return None


def line(world: str, runs: int) -> Line:
    """One world by both policies."""
    texts, wrong = [], 0
    for policy in ("adaptive", "uniform"):
        ends = [settled(world, policy, seed) for seed in range(runs)]
        took = sorted(end[0] if end else WORLDS[world][3] for end in ends)
        wrong += sum(end is not None and not end[1] for end in ends)
        texts.append(f"{policy} {int(np.median(took)):,} ({sum(end is not None for end in ends)} of {runs} settled)")
    agrees = wrong <= binom.ppf(0.999, 2 * runs, 0.05)
    return Line(f"{world}: battles until settled (median)", "", "; ".join(texts), agrees, f"{wrong} wrong")


def main() -> int:
    """Print the lines."""
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="40 runs a world")
    parser.add_argument("--runs", type=int)
    options = parser.parse_args()
    runs = options.runs or (40 if options.full else 2)
    return show("STE Appendix L: the core as the goal of an arena", [line(w, runs) for w in WORLDS], options.format)


if __name__ == "__main__":
    sys.exit(main())
