"""Reproduces: how many steps of descent reach the best order of SCO's example, where Elo fails.

Source     Soft Condorcet Optimization (SCO), appendix D.1, Table 4; the example is eq. (10), section 4.1
Data       inline
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/sco_convergence/reproduce.py [--full]     (exit 1 on a mismatch)
           stochastic descent with 12 seeds in about ten seconds; --full takes 200
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

import beatpath as bp
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry
from beatpath.methods.rating.sco.descent import Settings, steps
from beatpath.methods.rating.sco.losses import votes_of
from beatpath.methods.rating.sco.sco import sco
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import expected_of, mapped, parser_of

NEAR = 0.01  # of the published number of iterations, and three more
SEEDS, MANY = 12, 200


def example(votes: dict[str, int]) -> bp.Ballots:
    """Votes such as "A B C", and how many cast each."""
    return bp.Ballots.of([[[name] for name in vote.split()] for vote in votes], count=list(votes.values()))


def settled_at(ballots: bp.Ballots, order: list[int], rule: Settings, seed: int) -> int:
    """The iteration from which the ratings have this order until the end."""
    middle = np.full(len(order), (rule.low + rule.high) / 2)
    since = rule.iterations + 1
    for t, theta in enumerate(steps(votes_of(ballots), rule, middle, np.random.default_rng(seed)), start=1):
        if (np.diff(theta[order]) < 0).all():
            since = min(since, t)
        else:
            since = rule.iterations + 1
    return since


def of_three(times: list[int], rng: np.random.Generator) -> tuple[float, float]:
    """Where means of three seeds lie, 99 of 100 times."""
    means = rng.choice(times, (10_000, 3)).mean(axis=1)
    low, high = np.quantile(means, [0.005, 0.995])
    return float(low), float(high)


def main() -> int:
    """Print the lines; 1 when something differs without a reason."""
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="200 seeds")
    options = parser.parse_args()
    expected = expected_of(__file__)
    ballots = example(expected["votes"])
    order = [ballots.agents.index(name) for name in expected["optimal"].split()]
    seeds = MANY if options.full else SEEDS
    rules = [
        (Settings(4 * row["gd"], row["learning_rate"], batch, row["temperature"]), row)
        for row in expected["rows"]
        for batch in (None, expected["batch"])
    ]
    jobs = [(ballots, order, rule, seed) for rule, _ in rules for seed in range(1 if rule.batch is None else seeds)]
    times = iter(mapped(settled_at, jobs, "runs of descent", options.processes))
    lines = []
    for rule, row in rules:
        where = f"alpha {rule.learning_rate:g}, tau {rule.temperature:g}"
        if rule.batch is None:
            ours = next(times)
            agrees = abs(ours - row["gd"]) <= NEAR * row["gd"] + 3
            lines.append(Line(f"GD, {where}: iterations", f"{row['gd']}", f"{ours}", agrees))
        else:
            lines.append(stochastic(row, [next(times) for _ in range(seeds)], where))
    lines += [by_default(ballots, order, row) for row in expected["rows"][:3]]
    lines += first(ballots, expected)
    return show("SCO Table 4: iterations to the order C > A > B", lines, options.format)


def stochastic(row: dict[str, Any], times: list[int], where: str) -> Line:
    """A line of stochastic descent, with the range in which means of three seeds lie."""
    low, high = of_three(times, np.random.default_rng(0))
    inside = low <= row["sgd"] <= high
    note = f"means of three of our {len(times)} seeds lie in {low:.0f} to {high:.0f}"
    return Line(
        f"SGD of 2 votes, {where}: iterations",
        f"{row['sgd']:g}",
        f"{np.mean(times):.0f}",
        True if inside else None if "doubt" in row else False,
        note if inside else f"{note}; {row.get('doubt', '')}",
    )


def by_default(ballots: bp.Ballots, order: list[int], row: dict[str, float]) -> Line:
    """How many gradients the default solver takes to a minimum at this temperature."""
    outcome = sco(profile_of(ballots), temperature=row["temperature"])
    reached = (np.diff(outcome.level[order]) > 0).all()
    return Line(
        f"default, tau {row['temperature']:g}: gradients",
        f"{row['gd']} (GD)",
        f"{outcome.details['evaluations']}",
        None if reached else False,
        "to a converged minimum in that order, not only to the order",
    )


def first(ballots: bp.Ballots, expected: dict[str, str]) -> list[Line]:
    """Whom each way of rating puts first, section 4.1."""
    profile = profile_of(ballots)
    outcomes = {
        "elo first": bradley_terry(profile, prior=1e-3),  # A never lost to B: without a prior there is no fit
        "fenchel-young first": sco(profile, loss="fenchel_young"),
        "sigmoidal programming first": sco(profile, solver="exact", temperature=1.0),
    }
    winner = {key: " ".join(profile.agents[i] for i in np.flatnonzero(one.level == 0)) for key, one in outcomes.items()}
    return [Line(key, expected[key], ours, ours == expected[key]) for key, ours in winner.items()]


if __name__ == "__main__":
    sys.exit(main())
