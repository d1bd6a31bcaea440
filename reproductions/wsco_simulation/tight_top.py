"""WSCO's section 7.3: contests in which the best agents are hard to tell apart, and weights in the temperature."""

from typing import Any

import numpy as np
from contests import contests
from script import half_width, mapped, mean_of

from beatpath.methods.metrics import kendall_tau_distance, top_k_overlap, weighted_tau
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.sco.losses import votes_of
from beatpath.methods.rating.sco.sco import position_weights, wsco
from beatpath.reports.reproduction import Line

TOP, GAP, CLEAR = 5, 1.0, 15.0  # agents of nearly the same skill, how far each is below the last, and above the sixth
CONTESTS = (50, 200)
WAYS = ("default", "Algorithm 1", "weights in the temperature")
MEASURES = ("top-1 accuracy", "pairs wrong of the true five", "weighted tau", "footrule")
STEPS, RATE = 2_000, 1.0  # of full descent with weights in the temperature


def tight(rng: np.random.Generator) -> np.ndarray:
    """Twenty skills as in section 5.3, the five best moved together."""
    skill = np.sort(rng.normal(100.0, 30.0, 20))[::-1].copy()
    skill[:TOP] = skill[TOP] + CLEAR + GAP * np.arange(TOP)[::-1]
    return skill[rng.permutation(20)]


def in_temperature(ballots: Any, scheme: str) -> np.ndarray:
    """Ratings by full descent on the sigmoid loss, each preference at the temperature one over its weight."""
    votes = votes_of(ballots)
    weights = position_weights(scheme, int(np.diff(ballots.start).max()))
    worth = weights[votes.above_winner] + weights[votes.above_loser]
    theta = np.full(votes.n_agents, 50.0)
    for _ in range(STEPS):
        s = 1 / (1 + np.exp(worth * (theta[votes.winner] - theta[votes.loser])))
        step = worth * s * (1 - s) * len(theta) / len(worth)
        theta += RATE * (np.bincount(votes.winner, step, len(theta)) - np.bincount(votes.loser, step, len(theta)))
    return theta


def trial(n: int, seed: int, expected: dict[str, Any]) -> list[list[list[float]]]:
    """The measures of each way and scheme on one tournament."""
    rng = np.random.default_rng([73, seed, n])
    played = contests(n, "uniform", rng, tight(rng))
    profile, truth = profile_of(played.ballots), played.truth
    place = {name: i for i, name in enumerate(sorted(truth, key=lambda name: -truth[name]))}
    five = list(place)[:TOP]
    descent = {key: expected[key] for key in ("iterations", "batch", "learning_rate", "temperature")}

    def measured(rating: np.ndarray) -> list[float]:
        order = dict(zip(profile.agents, rating.tolist(), strict=True))
        ranked = sorted(order, key=lambda name: -order[name])
        return [
            top_k_overlap(order, truth, 1),
            kendall_tau_distance(order, truth, among=five, normalized=False),
            weighted_tau(order, truth),
            float(sum(abs(i - place[name]) for i, name in enumerate(ranked))),
        ]

    return [
        [measured(wsco(profile, position_weight=s).score) for s in expected["schemes"]],
        [measured(wsco(profile, position_weight=s, solver="sgd", seed=seed, **descent).score) for s in expected["schemes"]],
        [measured(in_temperature(played.ballots, s)) for s in expected["schemes"]],
    ]  # fmt: skip


def lines(expected: dict[str, Any], trials: int, processes: int) -> list[Line]:
    """Every scheme beside uniform weights; nothing was published."""
    rows = []
    for n in CONTESTS:
        jobs = [(n, seed, expected) for seed in range(trials)]
        cell = np.array(mapped(trial, jobs, f"tight top, {n} contests", processes))
        for w, way in enumerate(WAYS):
            for s, scheme in enumerate(expected["schemes"]):
                ours = ", ".join(f"{name} {mean_of(cell[:, w, s, k])}" for k, name in enumerate(MEASURES))
                gap = cell[:, w, s] - cell[:, w, 0]
                apart = [
                    f"{name} {gap[:, k].mean():+.2f} ± {half_width(gap[:, k]):.2f}"
                    for k, name in enumerate(MEASURES)
                    if trials > 2 and abs(gap[:, k].mean()) > half_width(gap[:, k]) > 0
                ]
                note = f"against uniform weights: {', '.join(apart) or 'no difference'}" if s else ""
                rows.append(Line(f"7.3, tight top, {n} contests, {way}, {scheme}", "", ours, None, note))
    return rows
