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

    title: str
    truth: str
    picture: str
    made: Callable[[], bp.Battles | bp.Pairs | bp.Scores]


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


def circle():
    """Return chances under which the first three beat one another 65 to 35 in a circle, and the rest 75 to 25."""
    chance = ladder([0.0] * 10)
    chance[:3, 3:], chance[3:, :3] = 0.75, 0.25
    for i, j in ((0, 1), (1, 2), (2, 0)):
        chance[i, j], chance[j, i] = 0.65, 0.35
    return chance


def scores(seed=4):
    """Return which of 400 tasks each of eight agents solves; tasks differ more than agents do."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 1.5, 400)
    solved = rng.random((8, 400)) < 1 / (1 + np.exp(-(np.linspace(0.9, -0.9, 8)[:, None] + ease)))
    return bp.Scores.from_table(solved.astype(float), NAMES[:8], [f"task-{k:03d}" for k in range(400)])


LEVELS = np.linspace(1.0, -1.0, 12)
ARENAS = {
    "leader": Arena(
        "A leader",
        "One agent stands well above eleven others, which are evenly spaced; 150 battles a pair.",
        "rank_intervals",
        lambda: battles(ladder([2.0, *LEVELS[1:]]), 150, 1),
    ),
    "few": Arena(
        "The same, by few battles",
        "The same agents, 8 battles a pair.",
        "rank_intervals",
        lambda: battles(ladder([2.0, *LEVELS[1:]]), 8, 1),
    ),
    "equal": Arena(
        "Nobody is better",
        "Ten equal agents, 100 battles a pair: every order there is, is luck.",
        "win_rates",
        lambda: battles(ladder([0.0] * 10), 100, 2),
    ),
    "circle": Arena(
        "A circle at the top",
        "Three agents beat one another in a circle, 65 to 35, and seven equal ones below them; 200 battles a pair.",
        "majorities",
        lambda: battles(circle(), 200, 3),
    ),
    "scores": Arena(
        "A table of scores",
        "Eight agents solve 400 tasks or do not; tasks differ more than agents do.",
        "rank_intervals",
        scores,
    ),
    "example": Arena(
        "The built-in example",
        "Thirty agents, 12,000 battles: a circle at the top, judges with a taste, prompts that repeat.",
        "win_rates",
        bp.example,
    ),
}


@cache
def report(name: str) -> Report:
    """Return the report of one of the arenas."""
    return bp.report(ARENAS[name].made(), title=ARENAS[name].title, command=f"python docs/gallery.py  # {name}")


def page() -> str:
    """Return the gallery as Markdown: of each arena the truth, what the report says first, and a picture that leads to it."""
    return "\n".join(_shown(name, arena) for name, arena in ARENAS.items())


def _shown(name: str, arena: Arena) -> str:
    said = report(name).verdict[0].text
    return (
        f"## {arena.title}\n\n*What is true:* {arena.truth}\n\n*What the report says first:* {said}\n\n"
        f'```{{raw}} html\n<p><a href="gallery/{name}.html"><img src="gallery/{name}.svg" loading="lazy" '
        f'style="max-width: 100%; max-height: 30rem" alt="{escape(arena.title)}: a picture of the report"></a></p>\n```\n\n'
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
