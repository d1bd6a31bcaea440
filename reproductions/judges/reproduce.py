"""Measures: false alarms among honest judges, coverage of their intervals and of strengths that know them, and power.

Source     a promise of this package: judges are flagged falsely in at most 5 % of data sets, all judges and questions together
Data       simulated here
Expected   at most 0.05 false alarms; coverage of 0.95; power is reported and not judged
Run        python reproductions/judges/reproduce.py             (10 runs a world)
           python reproductions/judges/reproduce.py --full      (400 runs a world)
           --runs N; exit 1 where something is wrong too often
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from beatpath import Battles, Factor
from beatpath.inference.judges.panel import panel_of
from beatpath.methods.rating.judged import voted
from beatpath.reports.reproduction import Line, show
from beatpath.stats.judges.aware import aware_errors, aware_strengths
from beatpath.stats.judges.consensus import consensus
from beatpath.stats.judges.examined import Examined, examined
from beatpath.stats.judges.votes import counted_votes, with_own_family

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import mapped, parser_of

LEVEL, Z = 0.95, 1.959964
Floats = NDArray[np.float64]
HONEST = {  # agents, judges, votes a judge, spread of strengths
    "20 judges, 100 votes each": (10, 20, 100, 1.0),
    "3 judges, 1,000 votes each": (5, 3, 1000, 1.0),
    "6 judges, 300 votes each, 30 close agents": (30, 6, 300, 0.5),
    "100 judges, 30 votes each": (10, 100, 30, 1.5),
    "20 judges, 30 votes each, 30 agents": (30, 20, 30, 0.8),
    "3 judges, 1,000 votes each, equal agents": (4, 3, 1000, 0.0),
}
PLANTED = (50, 100, 200, 400)
KNOWN: dict[str, tuple[int, int, tuple[float, ...]]] = {  # agents, votes a judge, reliability of every judge
    "20 judges alike, 100 votes each": (10, 100, (1.0,) * 20),
    "20 judges, 100 votes each, 5 at random": (10, 100, (0.0,) * 5 + (1.0,) * 15),
    "20 judges, 100 votes each, half at random": (10, 100, (0.0,) * 10 + (1.5,) * 10),
    "3 judges, 1,000 votes each, 1 at random": (5, 1000, (0.0, 1.0, 1.0)),
    "100 judges, 30 votes each, a third each at 0.3, 1 and 1.7": (10, 30, (0.3, 1.0, 1.7) * 33 + (1.0,)),
    "20 judges, 30 votes each, 30 agents, 5 at random": (30, 30, (0.0,) * 5 + (1.0,) * 15),
    "6 judges, 300 votes each, 30 agents, 1 the wrong way round": (30, 300, (-1.0,) + (1.0,) * 5),
}
PANELS = {  # shared part of the errors of four judges, battles, and what the panel is worth: 4 / (1 + 3 rho)
    "4 independent judges, 300 battles": (0.0, 300, 4.0),
    "4 independent judges, 1,500 battles": (0.0, 1500, 4.0),
    "4 judges with errors of correlation 1/3, 300 battles": (1.0, 300, 2.0),  # of votes; that of the leads is 1/2
    "4 judges with errors of correlation 1/3, 1,500 battles": (1.0, 1500, 2.0),
}
LEAST = 0.85  # coverage of strengths that know the judges, in any world


def votes(
    rng: np.random.Generator,
    agents: int,
    judges: int,
    each: int,
    spread: float,
    r: Floats,
    first: Floats,
    own_family: Floats,
) -> Examined:
    """Draw logistic votes and hold every judge against the others."""
    strength, who = rng.normal(0, spread, agents), np.repeat(np.arange(judges), each)
    a = rng.integers(agents, size=len(who))
    b = (a + rng.integers(1, agents, size=len(who))) % agents
    side = rng.choice([-1.0, 1.0], len(who))
    eta = r[who] * (strength[a] - strength[b]) + first[who] * side + own_family[who] * ((a == who) * 1.0 - (b == who))
    outcome = (rng.random(len(who)) < 1 / (1 + np.exp(-eta))).astype(np.float64)
    counted, _ = counted_votes(who, a, b, outcome, side[:, None], n_agents=agents, n_judges=judges)
    own = with_own_family(counted, np.eye(judges, agents, dtype=bool), 1)
    assert own is not None
    return examined(own, ("position", "own_family"))


def honest(name: str, seed: int) -> tuple[float, float, float]:
    """Whether any judge is flagged, and the shares of intervals of reliability and position that hold the truth."""
    agents, judges, each, spread = HONEST[name]
    rng = np.random.default_rng([seed, *name.encode()])
    examination = votes(rng, agents, judges, each, spread, np.ones(judges), np.zeros(judges), np.zeros(judges))
    held = np.abs(examination.estimate[:, :2] - [1, 0]) <= Z * examination.error[:, :2]
    return float(examination.alarm.any()), *(float(np.nanmean(column)) for column in held.T)


def planted(each: int, seed: int) -> tuple[float, ...]:
    """Whether each planted judge is flagged by the question it was planted for, and whether any other does."""
    r, first, own_family = np.ones(20), np.zeros(20), np.zeros(20)
    r[0], r[1], first[1], first[2], own_family[3] = 0.0, 0.0, 8.0, 1.0, 2.0
    examination = votes(np.random.default_rng([seed, each]), 10, 20, each, 1.0, r, first, own_family)
    return (
        float(examination.alarm[0, 0]),
        float(examination.alarm[1, 1]),
        float(examination.alarm[2, 1]),
        float(examination.alarm[3, 2]),
        float(examination.alarm[4:].any()),
    )


def known(name: str, seed: int) -> tuple[float, float, float, float]:
    """Shares of intervals that hold the truth: strengths with judges known, leads, reliabilities, strengths with judges alike."""
    agents, each, reliability = KNOWN[name]
    r, rng = np.array(reliability), np.random.default_rng([seed, *name.encode()])
    strength, who = rng.normal(0, 1, agents), np.repeat(np.arange(len(r)), each)
    a = rng.integers(agents, size=len(who))
    b = (a + rng.integers(1, agents, size=len(who))) % agents
    side, first = rng.choice([-1.0, 1.0], len(who)), rng.normal(0, 0.3, len(r))
    eta = r[who] * (strength[a] - strength[b]) + first[who] * side
    outcome = (rng.random(len(who)) < 1 / (1 + np.exp(-eta))).astype(np.float64)
    counted, _ = counted_votes(who, a, b, outcome, side[:, None], n_agents=agents, n_judges=len(r))
    plain = consensus(counted)
    fit = aware_strengths(counted, plain)
    errors = aware_errors(counted, fit)
    off, before = (
        (one - one.mean()) - r.mean() * (strength - strength.mean()) for one in (fit.strength, plain.strength)
    )
    i, j = np.triu_indices(agents, 1)
    V, centre = errors.covariance, np.eye(agents) - 1 / agents
    leads = np.sqrt(V[i, i] + V[j, j] - 2 * V[i, j])
    alike = np.sqrt(np.diag(centre @ plain.covariance[:agents, :agents] @ centre))
    return (
        float((np.abs(off) <= Z * errors.strength).mean()),
        float((np.abs(off[i] - off[j]) <= Z * leads).mean()),
        float((np.abs(fit.reliability - r / r.mean()) <= Z * errors.coefficient[:, 0]).mean()),
        float((np.abs(before) <= Z * alike).mean()),
    )


def panel(name: str, seed: int) -> tuple[float, float]:
    """Whether the interval of what a panel of judges of close agents is worth holds the truth, and the estimate."""
    shared, total, worth = PANELS[name]
    rng = np.random.default_rng([seed, *name.encode()])
    strength, judge = np.linspace(0.25, -0.25, 6), np.repeat(np.arange(4), total)
    a = rng.integers(6, size=total)
    b = (a + rng.integers(1, 6, size=total)) % 6
    lead = strength[a] - strength[b] + shared * rng.normal(size=total) + rng.normal(size=(4, total))
    factors = {"judge": Factor.of(map(str, judge)), "task": Factor.of(map(str, np.tile(np.arange(total), 4)))}
    agents = tuple(map(str, range(6)))
    data = voted(
        Battles(agents, np.tile(a, 4), np.tile(b, 4), (lead > 0).astype(float).ravel(), factors=factors), None, (), 0
    )
    estimate = panel_of(data, consensus(data.votes), None, LEVEL)
    assert estimate is not None
    return float(estimate.worth.low <= worth <= estimate.worth.high), estimate.worth.estimate


def panel_lines(runs: int, processes: int) -> list[Line]:
    """Coverage of what panels are worth, world by world."""
    jobs = [(name, seed) for name in PANELS for seed in range(runs)]
    results = np.array(mapped(panel, jobs, "panels", processes)).reshape(len(PANELS), runs, 2).mean(axis=1)
    least = LEVEL - 3.1 * np.sqrt(LEVEL * (1 - LEVEL) / runs)
    return [
        Line(
            f"{name}: coverage of the worth",
            "0.95",
            f"{held:.3f}",
            bool(held >= least),
            f"mean {mean:.2f} of {PANELS[name][2]:g}",
        )
        for name, (held, mean) in zip(PANELS, results, strict=True)
    ]


def known_lines(runs: int, processes: int) -> list[Line]:
    """Coverage of strengths that know the judges, world by world."""
    jobs = [(name, seed) for name in KNOWN for seed in range(runs)]
    results = np.array(mapped(known, jobs, "judges known", processes)).reshape(len(KNOWN), runs, 4).mean(axis=1)
    lines = []
    for name, (strength, lead, reliability, alike) in zip(KNOWN, results, strict=True):
        ours = f"{strength:.3f}, {lead:.3f}, {reliability:.3f}"
        what = f"{name}: coverage of strengths, leads, reliability"
        right = bool(min(strength, lead) >= LEAST)
        lines.append(Line(what, f"0.95, at least {LEAST}", ours, right, f"strengths with judges alike {alike:.3f}"))
    return lines


def honest_lines(runs: int, processes: int) -> list[Line]:
    """False alarms and coverage, world by world."""
    lines = []
    jobs = [(name, seed) for name in HONEST for seed in range(runs)]
    results = np.array(mapped(honest, jobs, "honest worlds", processes)).reshape(len(HONEST), runs, 3)
    for name, cell in zip(HONEST, results, strict=True):
        alarms, slope, side = cell.mean(axis=0)
        right = bool(binom.sf(round(alarms * runs) - 1, runs, 1 - LEVEL) >= 1e-3)
        covered = bool(min(slope, side) >= LEVEL - 3.1 * np.sqrt(LEVEL * (1 - LEVEL) / runs))
        lines.append(Line(f"{name}: false alarms", "at most 0.05", f"{alarms:.3f}", right))
        lines.append(Line("  coverage: reliability, position", "0.95", f"{slope:.3f}, {side:.3f}", covered))
    return lines


def planted_lines(runs: int, processes: int) -> list[Line]:
    """Power, by the number of votes."""
    jobs = [(each, seed) for each in PLANTED for seed in range(runs)]
    results = np.array(mapped(planted, jobs, "planted judges", processes)).reshape(len(PLANTED), runs, 5).mean(axis=1)
    lines = []
    for each, cell in zip(PLANTED, results, strict=True):
        power = ", ".join(f"{share:.2f}" for share in cell[:4])
        what = "random, always first, leaning to first (73 %), favouring itself (88 %)"
        lines.append(
            Line(f"{each} votes: flagged of {what}", "reported", power, True, f"others are flagged in {cell[4]:.2f}")
        )
    return lines


def main() -> int:
    """Run every world and print the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--full", action="store_true", help="400 runs a world")
    options = parser.parse_args()
    runs = 400 if options.full else options.runs
    lines = [
        made
        for part in (honest_lines, planted_lines, known_lines, panel_lines)
        for made in part(runs, options.processes)
    ]
    return show(f"Judges, {runs:,} runs a world", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
