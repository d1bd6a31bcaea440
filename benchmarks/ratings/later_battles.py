"""How well ratings tell later battles: tennis and football, half a year at a time, by log loss.

Every 180 days each rating has seen all battles before, and nothing else, and predicts those that come. Its setting is the one with
the least log loss in the five years before the test; the test is the five years after.

    python benchmarks/ratings/later_battles.py DATA [tennis | football]

`DATA` is a folder with `tennis_atp/main_tour.parquet` (J. Sackmann's ATP matches) and `football_international/results.parquet`
(M. Juerisoo's results of national teams).
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import duckdb
import numpy as np

import beatpath as bp
from beatpath.methods.rating.whole_history import log_loss

BLOCK, YEARS = 180, 5
YEAR = 365.25
TENNIS = """
    select winner_name, loser_name, 1.0, date_diff('day', date '1970-01-01', strptime(tourney_date::varchar, '%Y%m%d')::date)
    from '{}/tennis_atp/main_tour.parquet'
    where not regexp_matches(coalesce(score, ''), 'W/O') and winner_name <> loser_name and tourney_date >= 19900101
"""
FOOTBALL = """
    select home_team, away_team, 0.5 + 0.5 * sign(home_score - away_score), date_diff('day', date '1970-01-01', date::date)
    from '{}/football_international/results.parquet' where home_score is not null
"""
RATINGS: dict[str, list[tuple[str, Callable[..., Any]]]] = {
    "Bradley-Terry, nobody changes": [("", partial(bp.online.strength_curves, drift=1e-4))],
    "Elo": [(f"k={k}", partial(bp.online.OnlineElo, k)) for k in (8, 16, 24, 32, 48, 64)],
    "Glicko-2": [
        (f"volatility={v:g}, period=30", partial(bp.online.OnlineGlicko2, volatility=v, period=30.0))
        for v in (0.03, 0.06, 0.12)
    ],
    "Weng-Lin": [(f"tau={tau:g}", partial(bp.online.OnlineWengLin, tau=tau)) for tau in (0.08, 0.2, 0.4, 0.8)],
    "whole history": [
        (f"drift={y:g} a year", partial(bp.online.strength_curves, drift=y / np.sqrt(YEAR))) for y in (0.2, 0.4, 0.8)
    ],
}


def battles_of(query: str, data: Path) -> bp.Battles:
    """Battles in the order of time, in days."""
    rows = duckdb.sql(query.format(data)).fetchall()
    battles = bp.Battles.of([row[:3] for row in rows], time=[float(row[3]) for row in rows])
    return battles.take(np.argsort(battles.time, kind="stable"))


def predictions(
    make: Callable[..., Any], battles: bp.Battles, first: int, last: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """What a rating expects of each block from one to another, and what came."""
    block = battles.time // BLOCK
    online = None if make.func is bp.online.strength_curves else make().update(battles.take(block < first))
    for now in range(first, last):
        rows = np.flatnonzero(block == now)
        state = make(battles.take(block < now)) if online is None else online
        names = battles.agents
        sides = zip(battles.a[rows], battles.b[rows], strict=True)
        yield np.array([state.predict(names[i], names[j]) for i, j in sides]), battles.outcome[rows]
        online = online and online.update(battles.take(rows))


def loss(make: Callable[..., Any], battles: bp.Battles, first: int, last: int) -> tuple[float, int]:
    """Mean log loss over blocks, and how many battles they hold."""
    p, s = (np.concatenate(parts) for parts in zip(*predictions(make, battles, first, last), strict=True))
    return log_loss(p, s), len(p)


def main(data: Path, *chosen: str) -> None:
    for name, query in (("tennis", TENNIS), ("football", FOOTBALL)):
        if chosen and name not in chosen:
            continue
        battles = battles_of(query, data)
        end = int(battles.time.max() // BLOCK)
        span = round(YEARS * YEAR / BLOCK)
        print(f"\n{name}: {battles}\n| rating | setting | log loss | processor s |\n| --- | --- | --: | --: |")
        for rating, settings in RATINGS.items():
            tuned = (
                [loss(make, battles, end - 2 * span, end - span)[0] for _, make in settings] if settings[1:] else [0.0]
            )
            setting, make = settings[int(np.argmin(tuned))]
            begun = process_time()
            value, n = loss(make, battles, end - span, end)
            print(f"| {rating} | {setting} | {value:.4f} | {process_time() - begun:.1f} |", flush=True)
        print(f"{n:,} battles in the test")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
