"""The gallery: reports of simulated arenas whose truth is known. `python docs/gallery.py FOLDER` makes them."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import numpy as np

import beatpath as bp
from beatpath.reports.figures import save_picture
from beatpath.reports.report import Report

HERE = "<!-- the gallery -->"
NAMES = ("aspen", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper", "katsura", "larch")


@dataclass(frozen=True)
class Arena:
    """Evidence that was simulated, what is true of it, and the picture that shows it best."""

    data: str
    truth: str
    picture: str
    simulate: Callable[[], bp.Battles | bp.Pairs | bp.Scores]


def battles(chance, each, seed):
    """Return counts of battles, so many a pair, `chance[i, j]` being that *i* beats *j*."""
    n, rng = len(chance), np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    won = rng.binomial(each, chance[a, b])
    return bp.Pairs(NAMES[:n], a, b, np.column_stack([won, each - won, 0 * won, 0 * won]))


def ladder(strengths):
    """Return the chances that strengths on one scale give."""
    s = np.asarray(strengths, dtype=float)
    return 1 / (1 + np.exp(s[None, :] - s[:, None]))


def cycle():
    """Return chances under which the first three beat one another 65 to 35 in a cycle, and the rest 75 to 25."""
    chance = ladder([0.0] * 10)
    chance[:3, 3:], chance[3:, :3] = 0.75, 0.25
    for i, j in ((0, 1), (1, 2), (2, 0)):
        chance[i, j], chance[j, i] = 0.65, 0.35
    return chance


def issues(seed=4):
    """Return which of 500 issues each of eight agents resolves; issues differ more than agents do."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0.8, 2.0, 500)
    solved = rng.random((8, 500)) < 1 / (1 + np.exp(-(np.linspace(0.6, -0.6, 8)[:, None] + ease)))
    return bp.Scores.from_table(solved.astype(float), NAMES[:8], [f"issue-{k:03d}" for k in range(500)])


def games(seed=5):
    """Return scores of five agents in 26 games with five seeds, as shares of a person's score; a few games dominate the mean."""
    rng = np.random.default_rng(seed)
    level = np.log([0.55, 0.5, 0.42, 0.3, 0.2])[:, None, None]
    table = np.exp(
        level + rng.normal(0, 1.2, (1, 1, 26)) + rng.normal(0, 0.5, (5, 1, 26)) + rng.normal(0, 0.35, (5, 5, 26))
    )
    return bp.Scores.from_table(table, NAMES[:5], [f"game-{k:02d}" for k in range(1, 27)])


def votes(seed=6):
    """Return 8,000 votes on 40 models whose strengths are a bell curve; recent models meet far more often than old ones."""
    rng, n = np.random.default_rng(seed), 40
    strength, popular = np.sort(rng.normal(0, 0.6, n))[::-1], rng.dirichlet(np.full(n, 0.7))
    chance = ladder(strength)
    rows = []
    for prompt in range(4000):
        i, j = rng.choice(n, 2, replace=False, p=(popular + 0.2 / n) / 1.2)
        rows += [
            (f"model-{i + 1:02d}", f"model-{j + 1:02d}", float(rng.random() < chance[i, j]), prompt) for _ in range(2)
        ]
    cluster = bp.Factor.of([f"prompt {prompt}" for *_, prompt in rows])
    return bp.Battles.of([row[:3] for row in rows], factors={"cluster": cluster})


LEVELS = np.linspace(1.0, -1.0, 12)
ARENAS = {
    "votes": Arena(
        "After a public arena of chat models: 40 models, 8,000 votes on 4,000 prompts, popular models in most of them.",
        "Strengths are a bell curve; neighbors differ by one or two votes in a hundred.",
        "rank_intervals",
        votes,
    ),
    "scores": Arena(
        "After SWE-bench Verified: eight agents, 500 issues, each resolved or not.",
        "Neighbors differ by two or three points; issues differ much more than agents do.",
        "rank_intervals",
        issues,
    ),
    "runs": Arena(
        "After Atari 100k: five agents, 26 games, five seeds, scores as shares of a person's.",
        "Typical scores fall from 0.55 to 0.2, and a few games have scores ten times the others'.",
        "profiles",
        games,
    ),
    "circle": Arena(
        "After matchups of game agents: ten agents, 200 battles a pair.",
        "Three agents beat one another in a cycle, 65 to 35, and the seven others, 75 to 25.",
        "majorities",
        lambda: battles(cycle(), 200, 3),
    ),
    "equal": Arena(
        "Ten copies of one agent, 100 battles a pair.",
        "All are equal: every order is luck.",
        "win_rates",
        lambda: battles(ladder([0.0] * 10), 100, 2),
    ),
    "few": Arena(
        "A pilot of twelve agents: 5 battles a pair.",
        "One agent is well above the others, which are evenly spaced.",
        "rank_intervals",
        lambda: battles(ladder([1.5, *LEVELS[1:]]), 5, 1),
    ),
    "leader": Arena(
        "The same twelve agents, 150 battles a pair.",
        "As in the pilot.",
        "rank_intervals",
        lambda: battles(ladder([1.5, *LEVELS[1:]]), 150, 1),
    ),
    "example": Arena(
        "The built-in example: thirty agents, 12,000 battles on 600 prompts of four tasks, five judges.",
        "A cycle of three at the top, groups of equals below, and a judge who prefers what is shown first.",
        "win_rates",
        bp.example,
    ),
}


@cache
def report(name: str) -> Report:
    """Return the report of one of the arenas."""
    return bp.report(ARENAS[name].simulate(), title=ARENAS[name].data, command=f"python docs/gallery.py  # {name}")


def page() -> str:
    """Return the gallery as Markdown: each arena under its finding, with the data, the truth, and a picture that leads to the report."""
    return "\n".join(_section(name, arena) for name, arena in ARENAS.items())


def _section(name: str, arena: Arena) -> str:
    finding = "".join(report(name).answer.parts).rstrip(".")
    return (
        f"## {finding}\n\n{arena.data} *What is true:* {arena.truth}\n\n"
        f'```{{raw}} html\n<p><a href="gallery/{name}.html"><img src="gallery/{name}.svg" loading="lazy" '
        f'style="max-width: 100%; max-height: 30rem" alt="{escape(finding)}"></a></p>\n```\n\n'
        f'<a href="gallery/{name}.html">The whole report</a>\n'
    )


def save(folder: Path) -> None:
    """Write every report, and its picture, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, arena in ARENAS.items():
        report(name).save(folder / f"{name}.html")
        save_picture(report(name).figures()[arena.picture], folder / f"{name}.svg")


if __name__ == "__main__":
    save(Path(sys.argv[1]))
