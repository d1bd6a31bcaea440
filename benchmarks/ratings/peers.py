"""One adapter a library: from battles to Bradley-Terry strengths, in natural log odds with mean zero.

A case is ``codes BATTLES AGENTS`` (integers in memory, ties a fifth), ``counts BATTLES AGENTS`` (the same, counted before:
the matrix of wins), ``parquet FILE`` (names and labels in a file) or ``sparse AGENTS PAIRS`` (few battles a pair). Every library starts from what it takes best: codes become lists, tuples or a frame
outside the clock. An adapter returns None for a case that is not the library's.

FastChat's fit is its algorithm written anew: distinct (a, b, outcome) rows with their counts, and L-BFGS-B on the mean
log-loss with SciPy's defaults and at most 100 iterations.
"""

import resource
from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed
from numpy.typing import NDArray

Array = NDArray[np.float64]
Columns = tuple[int, NDArray[np.int32], NDArray[np.int32], Array]
Run = Callable[[], Array]
MOST_MEMORY = 12 << 30


def codes(battles: int, agents: int) -> Columns:
    """Seeded battles of agents that meet unevenly, a fifth of them tied."""
    rng = np.random.default_rng(battles + agents)
    strength = rng.normal(0, 1, agents)
    share = 1 / (10 + np.arange(agents))
    a, b = (rng.choice(agents, battles, p=share / share.sum()).astype(np.int32) for _ in range(2))
    b = np.where(a == b, (b + 1) % agents, b).astype(np.int32)
    won = rng.random(battles) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return agents, a, b, np.where(rng.random(battles) < 0.2, 0.5, won)


def sparse(agents: int, pairs: int) -> Columns:
    """A ring in which neighbours have won both ways, so that the estimate exists, and random pairs, a battle each."""
    rng = np.random.default_rng(agents + pairs)
    strength = rng.normal(0, 0.7, agents)
    ring = np.arange(agents)
    a = rng.integers(0, agents, pairs - agents)
    b = (a + rng.integers(2, agents - 1, pairs - agents)) % agents
    won = rng.random(len(a)) < 1 / (1 + np.exp(strength[b] - strength[a]))
    first = np.concatenate([ring, ring, a]).astype(np.int32)
    second = np.concatenate([(ring + 1) % agents, (ring + 1) % agents, b]).astype(np.int32)
    return agents, first, second, np.concatenate([np.ones(agents), np.zeros(agents), won])


def counts(n: int, a: NDArray, b: NDArray, outcome: Array) -> Array:
    """The dense table of wins, ties half."""
    place = a.astype(np.int64) * n + b
    wins = np.bincount(place, outcome, n * n).reshape(n, n)
    return wins + np.bincount(place, 1 - outcome, n * n).reshape(n, n).T


def beatpath(case: str, given: Columns | str) -> Run:
    import beatpath as bp

    if isinstance(given, str):
        return lambda: named(bp.rank(bp.read(given, to="pairs"), "bradley_terry").scores)
    n, a, b, outcome = given
    names = tuple(f"{i:06d}" for i in range(n))
    if case == "counts":
        columns = pair_columns(counts(n, a, b, outcome))
        return lambda: named(bp.rank(bp.Pairs(names, *columns), "bradley_terry").scores)
    for column in (a, b, outcome):
        column.setflags(write=False)  # what nobody can write to is taken without a copy
    return lambda: named(bp.rank(bp.Battles(names, a, b, outcome), "bradley_terry").scores)


def pair_columns(wins: Array) -> tuple[NDArray[np.int32], NDArray[np.int32], Array]:
    """The matrix of wins as columns: one row a pair, its wins, losses, ties and both bad."""
    a, b = (side.astype(np.int32) for side in np.triu_indices(len(wins), 1))
    table = np.zeros((len(a), 4))
    table[:, 0], table[:, 1] = wins[a, b], wins[b, a]
    for column in (a, b, table):
        column.setflags(write=False)  # what nobody can write to is taken without a copy
    return a, b, table


def evalica(case: str, given: Columns | str) -> Run:
    import evalica as ev

    if isinstance(given, str):

        def from_file() -> Array:
            frame = read_frame(given)
            known = {"model_a": ev.Winner.X, "model_b": ev.Winner.Y}
            winner = [known.get(label, ev.Winner.Draw) for label in frame["winner"]]
            fit = ev.bradley_terry(frame["model_a"].tolist(), frame["model_b"].tolist(), winner)
            return named(np.log(fit.scores).to_dict())

        return from_file
    _, a, b, outcome = given
    winner = {1.0: ev.Winner.X, 0.0: ev.Winner.Y, 0.5: ev.Winner.Draw}
    xs, ys, winners = a.tolist(), b.tolist(), [winner[s] for s in outcome.tolist()]
    return lambda: named(np.log(ev.bradley_terry(xs, ys, winners).scores).to_dict())


def choix(case: str, given: Columns | str) -> Run | None:
    import choix as cx

    if case not in ("codes", "counts") or isinstance(given, str):
        return None  # a dense table of all pairs, which it needs, is not made for it from files or for many agents
    if case == "counts":
        wins = counts(*given)
        return lambda: centered(cx.ilsr_pairwise_dense(wins, max_iter=1000))
    return lambda: centered(cx.ilsr_pairwise_dense(counts(*given), max_iter=1000))


def arena_rank(case: str, given: Columns | str) -> Run:
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    def fit(frame: object) -> Array:
        data = PairDataset.from_pandas(frame)
        model = BradleyTerry(n_competitors=len(data.competitors))
        model.fit(data)
        return centered(np.asarray(model.params["ratings"]))

    if isinstance(given, str):
        return lambda: fit(read_frame(given))
    frame = as_frame(given)
    return lambda: fit(frame)


def scikit_learn(case: str, given: Columns | str) -> Run:
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    def fit(n: int, a: NDArray, b: NDArray, outcome: Array, weight: Array) -> Array:
        row = np.arange(len(a))
        entry = np.concatenate([np.ones(len(a)), -np.ones(len(a))])
        x = csr_array((entry, (np.concatenate([row, row]), np.concatenate([a, b]))), shape=(len(a), n))
        model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-6, max_iter=1000)
        return centered(model.fit(x, outcome, sample_weight=weight).coef_[0])

    def pivot(n: int, a: NDArray, b: NDArray, outcome: Array) -> Array:
        """Each compared pair as a win and a loss with their weights."""
        place = a.astype(np.int64) * n + b
        cell, at = np.unique(place, return_inverse=True)
        won, lost = np.bincount(at, outcome), np.bincount(at, 1 - outcome)
        a, b = np.tile(cell // n, 2), np.tile(cell % n, 2)
        weight = np.concatenate([won, lost])
        keep = weight > 0
        y = np.repeat([1.0, 0.0], len(cell))
        return fit(n, a[keep], b[keep], y[keep], weight[keep])

    return lambda: pivot(*(read_codes(given) if isinstance(given, str) else given))


def fastchat(case: str, given: Columns | str) -> Run:
    def fit(n: int, a: NDArray, b: NDArray, outcome: Array) -> Array:
        rows, times = distinct(a, b, outcome)
        return fastchat_fit(n, rows, times)

    return lambda: fit(*(read_codes(given) if isinstance(given, str) else given))


def distinct(a: NDArray, b: NDArray, outcome: Array) -> tuple[NDArray, NDArray]:
    """Distinct rows (a, b, twice the outcome), and how often each stands."""
    return np.unique(np.column_stack([a, b, 2 * outcome]).astype(np.int64), axis=0, return_counts=True)


def fastchat_fit(n: int, rows: NDArray, times: NDArray) -> Array:
    from scipy.optimize import minimize
    from scipy.special import expit

    i, j, y, w = rows[:, 0], rows[:, 1], rows[:, 2] / 2, times / times.sum()

    def loss(theta: Array) -> tuple[float, Array]:
        p = expit(theta[i] - theta[j])
        with np.errstate(divide="ignore", invalid="ignore"):
            value = -float(w @ (np.nan_to_num(y * np.log(p)) + np.nan_to_num((1 - y) * np.log(1 - p))))
        slope = w * (p - y)
        return value, np.bincount(i, slope, n) - np.bincount(j, slope, n)

    return centered(minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x)


def duckdb(case: str, given: Columns | str) -> Run | None:
    """No strengths: the bare GROUP BY, to see what counting alone costs."""
    import duckdb as db

    if not isinstance(given, str):
        return None
    query = f"SELECT model_a, model_b, winner, count(*) FROM read_parquet('{given}') GROUP BY ALL"
    return lambda: np.zeros(len(db.sql(query).fetchall()) * 0)


LIBRARIES = {f.__name__: f for f in (beatpath, evalica, choix, arena_rank, scikit_learn, fastchat, duckdb)}


def centered(strength: Array) -> Array:
    return np.asarray(strength, dtype=np.float64) - np.mean(strength)


def named(strength: dict) -> Array:
    """Strengths in the order of the names."""
    return centered(np.array([strength[name] for name in sorted(strength)]))


def read_frame(path: str) -> object:
    import pandas as pd

    return pd.read_parquet(path)


def read_codes(path: str) -> Columns:
    """The file by pandas, as codes in the order of the names."""
    import pandas as pd

    frame = pd.read_parquet(path)
    code, names = pd.factorize(pd.concat([frame["model_a"], frame["model_b"]]), sort=True)
    outcome = frame["winner"].map({"model_a": 1.0, "model_b": 0.0}).fillna(0.5).to_numpy()
    return len(names), code[: len(frame)], code[len(frame) :], outcome


def as_frame(given: Columns) -> object:
    import pandas as pd

    n, a, b, outcome = given
    names = np.array([f"{i:06d}" for i in range(n)])
    label = np.select([outcome == 1, outcome == 0], ["model_a", "model_b"], "tie")
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": label})


def cell(library: str, case: str, repeats: str, *size: str) -> dict[str, Any] | None:
    """Time one library on one case, within a limit of memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    if case == "counts" and library not in ("beatpath", "choix"):
        return None  # the others start from battles
    given: Columns | str = size[0] if case == "parquet" else (sparse if case == "sparse" else codes)(*map(int, size))
    run = LIBRARIES[library](case, given)
    return None if run is None else timed(run, int(repeats), lambda strength: strength.tolist())
