"""Measure whether boards of few human votes with many judge calls cover the truth, and what the judge is worth.

Source     a promise of this package: the judge narrows 95 % confidence intervals, and never biases them
Data       simulated here; shared/data/arena33k_judged (Networks-Learning/prediction-powered-ranking) for the part with real votes
Expected   coverage of 0.95; an order called certain that is wrong in at most 5 % of boards
Run        python reproductions/human_votes/reproduce.py                (4 runs a world)
           python reproductions/human_votes/reproduce.py --runs 200     (the tables of the page on judges)
           exit 1 where something is wrong too often
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit
from scipy.stats import binom

import beatpath as bp
from beatpath.inference.judges.assisted import assisted
from beatpath.inference.options import ResolveOptions
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.rank_sets import ranked, score_intervals
from beatpath.inference.scores.estimands import leaderboard
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import mapped, parser_of

OPTIONS = ResolveOptions(humans="human", draws=2_000)
SIZES = (250, 500, 1000, 2000, 4000)
JUDGES = ("gpt-4-0125-preview", "claude-3-opus-20240229", "gpt-3.5-turbo")


@dataclass(frozen=True)
class World:
    """How many human votes and judge calls there are, and how the judge votes."""

    name: str
    judge: str
    votes: int = 250
    calls: int = 2500
    agents: int = 8
    judges: int = 1
    battles: int = 1  # of one prompt, which favours agents of its own


WORLDS = (
    World("useless judge", "random"),
    World("constant judge", "constant"),
    World("judge that favors two agents and the first side", "biased"),
    World("judge of correlation 0.4", "fair"),
    World("perfect judge", "perfect"),
    World("judge of correlation 0.4, 1,000 votes, 1,000 calls", "fair", 1000, 1000),
    World("judge of correlation 0.4, 100 votes", "fair", 100),
    World("perfect judge, 100 votes", "perfect", 100),
    World("judge of correlation 0.4, 5 battles a prompt", "fair", 500, battles=5),
    World("perfect judge, 5 battles a prompt", "perfect", 500, battles=5),
    World("six useless judges", "random", judges=6),
    World("20 agents, judge that favors two", "biased", 500, 5000, 20),
)


def simulated_votes(world: World, seed: int) -> tuple[bp.Battles, np.ndarray]:
    """Draw battles with votes of humans on some and of judges on all, and the true mean win rates."""
    rng = np.random.default_rng([seed, *world.name.encode()])
    n, total = world.agents, world.votes + world.calls
    strength = rng.normal(0, 0.8, n)
    prompt = np.arange(total) // world.battles
    taste = rng.normal(0, 1.0 if world.battles > 1 else 0.0, (prompt.max() + 1, n))
    a = rng.integers(n, size=total)
    b = (a + rng.integers(1, n, size=total)) % n
    lead = strength[a] - strength[b] + taste[prompt, a] - taste[prompt, b]
    quality = rng.logistic(size=total)
    human = (quality < lead).astype(float)
    favored = 2.0 * ((a < 2) * 1.0 - (b < 2)) + 1.5
    votes = [_judged(world.judge, rng, human, lead, favored) for _ in range(world.judges)]
    by_human = np.sort(rng.permutation(total)[: world.votes])
    rows = np.concatenate([by_human, np.tile(np.arange(total), world.judges)])
    outcome = np.concatenate([human[by_human], *votes])
    who = ["human"] * world.votes + [f"judge {k}" for k in range(world.judges) for _ in range(total)]
    unit = {
        "cluster": bp.Factor.of(map(str, prompt[rows])),
        "task": bp.Factor.of(map(str, rows)),
        "judge": bp.Factor.of(who),
    }
    battles = bp.Battles(tuple(f"agent {k}" for k in range(n)), a[rows], b[rows], outcome, factors=unit)
    return battles, _truth(strength, world.battles > 1)


def _truth(strength: np.ndarray, taste: bool) -> np.ndarray:
    """Return the true mean win rate of every agent, averaged over the taste of prompts."""
    lead = strength[:, None] - strength[None, :]
    nodes, weight = np.polynomial.hermite_e.hermegauss(61)
    spread = np.sqrt(2.0) if taste else 0.0
    rate = (expit(lead[..., None] + spread * nodes) * weight / weight.sum()).sum(axis=-1)
    return (rate.sum(axis=1) - 0.5) / (len(strength) - 1)


def _judged(
    kind: str, rng: np.random.Generator, human: np.ndarray, lead: np.ndarray, favored: np.ndarray
) -> np.ndarray:
    """Return the votes of a judge."""
    chance = (rng.random(len(human)) < 0.5).astype(float)
    if kind == "fair":
        return np.where(rng.random(len(human)) < 0.4, human, chance)
    by_kind = {"random": chance, "constant": np.ones(len(human)), "perfect": human}
    return by_kind[kind] if kind in by_kind else (rng.random(len(human)) < expit(lead + favored)).astype(float)


def measured(battles: bp.Battles, truth: np.ndarray, options: ResolveOptions = OPTIONS) -> tuple[float, ...]:
    """Return coverage and mean variance with the judge and without, whether an order called certain is wrong, the worth, and the test."""
    votes = battles.take(np.flatnonzero(np.array(battles.factors["judge"].names()) == "human"))
    plain = leaderboard(votes, estimand="mean_win_rate", cluster="cluster")
    board, worth = assisted(plain, battles, ["cluster"], options)
    result: list[float] = []
    for one in (board, plain):
        low, high = score_intervals(one, bonferroni(0.95, 2))
        above = ranked(one, options).above
        result += [
            float(((low <= truth) & (truth <= high)).mean()),
            float((above & (truth[:, None] <= truth[None, :])).any()),
        ]
        result += [float(np.mean((one.score - truth) ** 2))]
    return (*result, worth.more.estimate, float(worth.p_value < 0.05), float(bool(worth.off)))


def simulated(name: str, seed: int) -> tuple[float, ...]:
    """Measure one draw of a world."""
    return measured(*simulated_votes(next(world for world in WORLDS if world.name == name), seed))


class _Arena:
    """The battles that humans and all judges judged, read once."""

    def __init__(self, folder: Path) -> None:
        battles = bp.read(folder / "arena33k_judged" / "battles.parquet")
        judge, cluster = battles.factors["judge"], battles.factors["cluster"]
        judged = np.isin(cluster.codes, cluster.codes[judge.codes == judge.levels.index(JUDGES[0])])
        self.battles = battles.take(np.flatnonzero(judged))
        codes, levels = self.battles.factors["judge"].codes, self.battles.factors["judge"].levels
        self.rows = {name: np.flatnonzero(codes == levels.index(name)) for name in ("human", *JUDGES)}
        self.truth = leaderboard(self.battles.take(self.rows["human"]), estimand="mean_win_rate").score


ARENA: dict[str, _Arena] = {}


def subsampled(folder: Path, size: int, judges: tuple[str, ...], seed: int) -> tuple[float, ...]:
    """Keep some of the human votes and all votes of some judges; the truth is the board of all human votes."""
    arena = ARENA.setdefault(str(folder), _Arena(folder) if not ARENA else next(iter(ARENA.values())))
    some = np.random.default_rng([seed, size]).choice(arena.rows["human"], size, replace=False)
    rows = np.sort(np.concatenate([some, *(arena.rows[name] for name in judges)]))
    return measured(arena.battles.take(rows), arena.truth)


def line(name: str, cell: np.ndarray) -> Line:
    """Return a line: coverage with and without the judge, wrong orders, squared errors, worth."""
    held, wrong, squared, held_plain, wrong_plain, squared_plain, worth, warned, _ = cell.mean(axis=0)
    runs = len(cell)
    enough = held >= 0.95 - 4 * cell[:, 0].std(ddof=1) / np.sqrt(runs) if runs > 1 else True
    right = bool(enough and binom.sf(round(wrong * runs) - 1, runs, 0.05) >= 1e-3)
    ours = f"{held:.3f}, {wrong:.3f}; alone {held_plain:.3f}, {wrong_plain:.3f}"
    more = (
        f"worth {100 * worth:.1f} %, by squared errors {100 * (squared_plain / squared - 1):.1f} %; warned {warned:.2f}"
    )
    return Line(f"{name}: coverage, boards with a wrong order", "0.95, at most 0.05", ours, right, more)


def main() -> int:
    """Run every world and print the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=4)
    options = parser.parse_args()
    runs = range(options.runs)
    jobs = [(world.name, seed) for world in WORLDS for seed in runs]
    results = np.array(mapped(simulated, jobs, "worlds", options.processes)).reshape(len(WORLDS), len(runs), -1)
    lines = [line(world.name, cell) for world, cell in zip(WORLDS, results, strict=True)]
    if (options.data / "arena33k_judged" / "battles.parquet").exists():
        cells = [(size, JUDGES[:1]) for size in SIZES] + [(1000, JUDGES)]
        work = [(options.data, *cell, seed) for cell in cells for seed in runs]
        results = np.array(mapped(subsampled, work, "arena", options.processes)).reshape(len(cells), len(runs), -1)
        names = [
            f"{size:,} of 13,600 human votes, {len(judges)} judge{'s' * (len(judges) > 1)}" for size, judges in cells
        ]
        lines += [line(name, cell) for name, cell in zip(names, results, strict=True)]
    else:
        print("skipped: arena33k_judged is absent", file=sys.stderr)
    return show(f"Human votes and judges, {options.runs:,} runs a world", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
