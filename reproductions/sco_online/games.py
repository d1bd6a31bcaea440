"""Games of several agents, as streams: a simulated site of Diplomacy's size, and the real sets there are."""

from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from beatpath import Ballots

SPREAD = 0.8  # of skill, in units of a game's noise
LOYALTY = 0.5  # how far skill makes agents play on
LEAGUES = 0.8  # how far agents meet others of their skill, 0 not at all


def diplomacy(agents: int, games: int, seats: int, rng: np.random.Generator) -> Ballots:
    """Simulate a site on which most play once or twice and a few play hundreds of games.

    Every agent has one seat, so that all stand in the data; the other seats go by activity, whose logarithm is normal
    and rises with skill, since who wins stays. Agents meet others of like skill. The order in a game is that of skill
    plus Gumbel noise.
    """
    skill = rng.normal(0.0, SPREAD, agents)
    activity = np.exp(1.6 * rng.normal(size=agents) + LOYALTY * skill / SPREAD)
    more = rng.choice(agents, games * seats - agents, p=activity / activity.sum())
    seat = np.concatenate([np.arange(agents), more])
    league = LEAGUES * skill[seat] / SPREAD + rng.normal(size=len(seat))
    who = _seated(seat[np.argsort(league)].reshape(games, seats), rng)
    order = np.argsort(-(skill[who] + rng.gumbel(size=who.shape)), axis=1)
    return _ballots(np.take_along_axis(who, order, axis=1), agents)


def _seated(table: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Deal seats anew among games that name an agent twice and the game after each, until none does."""
    while True:
        twice = np.flatnonzero((np.diff(np.sort(table, axis=1), axis=1) == 0).any(axis=1))
        if not len(twice):
            return table
        mixed = np.unique(np.concatenate([twice, (twice + rng.integers(1, 20)) % len(table)]))
        table[mixed] = rng.permutation(table[mixed].ravel()).reshape(len(mixed), -1)


def _ballots(orders: NDArray[np.int64], agents: int) -> Ballots:
    """One ballot a game."""
    games, seats = orders.shape
    names = tuple(f"agent {i + 1}" for i in range(agents))
    return Ballots(names, orders.ravel(), np.tile(np.arange(seats), games), np.arange(0, orders.size + 1, seats))


REAL = {
    "Step Game, 3 agents a game": ("step_game/results.parquet", "game_id", "agent", "position", ""),
    "Public Goods, 5 agents a game": ("pgg_bench/results.csv", "game_id", "agent", "final_tokens", ""),
    "Formula One, 20 drivers a race": (
        "f1_results/results.parquet",
        "(season, race)",
        "driver",
        "-try_cast(position AS INTEGER)",
        "WHERE session = 'race' AND try_cast(position AS INTEGER) IS NOT NULL",
    ),
}


def real(data: Path, name: str) -> Ballots | None:
    """One of the real sets, or None where its file is absent; agents with equal results are tied."""
    file, game, agent, score, where = REAL[name]
    if not (data / file).is_file():
        return None
    query = f"SELECT {game} AS game, {agent} AS agent, max({score}) AS score FROM '{data / file}' {where} GROUP BY ALL"
    rows = duckdb.sql(f"SELECT dense_rank() OVER (ORDER BY game), agent, score FROM ({query}) ORDER BY ALL").fetchall()
    names = tuple(sorted({agent for _, agent, _ in rows}))
    code = {name: i for i, name in enumerate(names)}
    game_of, score_of = np.array([row[0] for row in rows]), np.array([row[2] for row in rows], dtype=float)
    who = np.array([code[row[1]] for row in rows])
    order = np.lexsort((who, -score_of, game_of))
    game_of, score_of, who = game_of[order], score_of[order], who[order]
    start = np.flatnonzero(np.concatenate([[True], np.diff(game_of) > 0, [True]]))
    step = np.concatenate([[0], np.cumsum((np.diff(score_of) != 0) | (np.diff(game_of) > 0))])
    place = step - np.repeat(step[start[:-1]], np.diff(start))
    return Ballots(names, who, place, start)
