"""One adapter a library: 1000 resamples of battles to intervals of Bradley-Terry strengths; and our own inference alone.

An adapter takes battles as codes and how many resamples to draw, and returns a function that draws them. Its answer is returned as
the strengths of every resample in log odds with mean zero, from which the ends of 95 % percentile intervals are taken alike for
all. FastChat's two ways are its algorithms written anew: counts of distinct rows sampled from a multinomial and fitted by L-BFGS-B
(`compute_bootstrap_bt`), and rows sampled with replacement, pivoted and fitted by scikit-learn's logistic regression
(`get_bootstrap_result` with `compute_elo_mle`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from cell import timed
from measure import COUNTS
from numpy.typing import NDArray
from ratings.peers import Array, Columns, as_frame, codes, distinct, fastchat_fit

Resampled = tuple[Callable[[], Any], Callable[[Any], Array]]  # what is timed; its answer as strengths by resample
LEVEL = 0.95


def beatpath(given: Columns, draws: int) -> Resampled:
    from beatpath.inference.bootstrap.bootstrap import bootstrap

    battles = named_battles(given)

    def run() -> Any:
        bootstrapped = bootstrap(battles, "bradley_terry", draws=draws)
        bootstrapped.intervals()
        return bootstrapped

    return run, lambda answer: answer.scores


def evalica(given: Columns, draws: int) -> Resampled:
    import evalica as ev

    _, a, b, outcome = given
    winner = {1.0: ev.Winner.X, 0.0: ev.Winner.Y, 0.5: ev.Winner.Draw}
    xs, ys, winners = a.tolist(), b.tolist(), [winner[s] for s in outcome.tolist()]
    settings = {"n_resamples": draws, "bootstrap_method": "percentile", "random_state": 0}
    return (
        lambda: ev.bootstrap(ev.bradley_terry, xs, ys, winners, **settings).distribution,
        lambda table: np.log(table[sorted(table.columns)].to_numpy()),
    )


def fastchat(given: Columns, draws: int) -> Resampled:
    def run() -> Array:
        n, *columns = given
        rows, times = distinct(*columns)
        samples = np.random.default_rng(0).multinomial(times.sum(), times / times.sum(), draws)
        return np.array([fastchat_fit(n, rows[some > 0], some[some > 0]) for some in samples])

    return run, lambda strengths: strengths


def fastchat_rows(given: Columns, draws: int) -> Resampled:
    frame = as_frame(given)
    rng = np.random.default_rng(0)

    def run() -> Array:
        return np.array([_logistic(frame.sample(frac=1.0, replace=True, random_state=rng)) for _ in range(draws)])

    return run, lambda strengths: strengths


def _logistic(frame: Any) -> Array:
    """Wins by pivot tables, a tie half a win of each, two rows a pair, and logistic regression."""
    import pandas as pd
    from sklearn.linear_model import LogisticRegression

    def table(label: str, a: str = "model_a", b: str = "model_b") -> Any:
        rows = frame[frame["winner"] == label]
        return (
            pd.pivot_table(rows, index=a, columns=b, aggfunc="size", fill_value=0)
            .reindex(names, axis=0)
            .reindex(names, axis=1)
        )

    names = sorted(set(frame["model_a"]) | set(frame["model_b"]))
    tied = table("tie").fillna(0)
    wins = table("model_a").fillna(0) + table("model_b", "model_b", "model_a").fillna(0) + (tied + tied.T) / 2
    i, j = np.nonzero(wins.to_numpy())
    x = np.zeros((2 * len(i), len(names)))
    row, weight = np.arange(len(i)), wins.to_numpy()[i, j]
    x[row, i], x[row, j], x[len(i) + row, i], x[len(i) + row, j] = 1, -1, -1, 1
    y = np.repeat([1.0, 0.0], len(i))
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-6)
    return model.fit(x, y, sample_weight=np.tile(weight, 2)).coef_[0]


ADAPTERS = {f.__name__: f for f in (beatpath, evalica, fastchat, fastchat_rows)}


def intervals(strengths: Array) -> list[list[float]]:
    """Ends of percentile intervals, and the standard error, of strengths with mean zero."""
    centered = strengths - strengths.mean(axis=1, keepdims=True)
    tail = (1 - LEVEL) / 2
    return [*np.quantile(centered, [tail, 1 - tail], axis=0).tolist(), centered.std(axis=0).tolist()]


def named_battles(given: Columns, clusters: NDArray[np.int64] | None = None) -> Any:
    import beatpath as bp

    n, a, b, outcome = given
    factors = (
        {}
        if clusters is None
        else {"cluster": bp.Factor.coded(clusters, [f"{i:06d}" for i in range(clusters.max() + 1)])}
    )
    return bp.Battles(tuple(f"{i:06d}" for i in range(n)), a, b, outcome, factors=factors)


def arena_counts(folder: str) -> Any:
    """The Chatbot Arena's counts where they are, else as many agents, pairs and votes simulated from Bradley-Terry."""
    import beatpath as bp

    file = Path(folder) / COUNTS
    if file.exists():
        return bp.read(file)
    rng, agents, pairs, votes = np.random.default_rng(0), 129, 3460, 1_670_250
    a, b = np.triu_indices(agents, 1)
    near = np.argsort(np.abs(a - b) + rng.random(len(a)))[:pairs]
    strength = np.sort(rng.normal(0, 1, agents))
    number = rng.multinomial(votes, rng.dirichlet(np.full(pairs, 0.5))) + 2
    won = 1 / (1 + np.exp(strength[b[near]] - strength[a[near]]))
    counts = rng.multinomial(number, np.stack([0.65 * won, 0.65 * (1 - won), 0 * won + 0.17, 0 * won + 0.18], axis=1))
    return bp.Pairs(tuple(f"{i:03d}" for i in range(agents)), a[near], b[near], counts)


def ranked(evidence: Any) -> Any:
    from beatpath.inference.ranks.rank_sets import rank_sets
    from beatpath.inference.scores.estimands import leaderboard

    return rank_sets(leaderboard(evidence))


def resolved(evidence: Any) -> Any:
    from beatpath.inference.resolve.resolve import resolve

    return resolve(evidence)


def cell(work: str, *words: str) -> dict[str, Any]:
    """Resamples by a library (``intervals LIBRARY BATTLES AGENTS DRAWS``), or one of our own."""
    if work == "intervals":
        library, battles, agents, draws = words[0], *map(int, words[1:])
        run, intervals_of = ADAPTERS[library](codes(battles, agents), draws)
        return timed(run, 0, lambda answer: intervals(intervals_of(answer)))
    if work == "bootstrap":
        from beatpath.inference.bootstrap.bootstrap import bootstrap

        method, battles, agents, draws = words[0], *map(int, words[1:])
        evidence = named_battles(codes(battles, agents))
        return timed(lambda: bootstrap(evidence, method, draws=draws), 0, lambda answer: answer.answered)
    if work == "clusters":
        battles, agents, clusters = map(int, words)
        evidence = named_battles(codes(battles, agents), np.random.default_rng(1).integers(0, clusters, battles))
        return timed(lambda: ranked(evidence), 0, _first_line)
    evidence = arena_counts(words[0])
    return timed(lambda: {"ranks": ranked, "resolve": resolved}[work](evidence), 1, _first_line)


def _first_line(result: Any) -> str:
    return str(result).splitlines()[0]
