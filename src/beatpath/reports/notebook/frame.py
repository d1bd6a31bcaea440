"""`to_frame`: a result as a frame of whichever library is there."""

from functools import singledispatch
from typing import Any

from beatpath._errors import UsageError
from beatpath._result import Result, Rows, frame
from beatpath.inference.bootstrap.bootstrap_result import Bootstrap
from beatpath.inference.core.core_by import Cores
from beatpath.inference.core.core_result import Core
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.resolve.resolution import Resolution
from beatpath.methods.compare import Comparison
from beatpath.methods.result import Ranking
from beatpath.reports.terminal.core import core_rows, cores_rows
from beatpath.reports.terminal.ranking import comparison_rows
from beatpath.reports.terminal.resolution import resolution_rows


def to_frame(result: Any, library: str | None = None) -> Any:
    """Return a result as a frame, one row an agent.

    Parameters
    ----------
    result : Ranking, Comparison, Core, Cores, RankSets, Resolution or Bootstrap
    library : {"polars", "pandas", "pyarrow"}, optional
        By default the one that is in use already, else the first that is installed.

    Examples
    --------
    >>> import beatpath as bp
    >>> told = bp.Pairs(("ada", "bob"), [0], [1], [[30, 10, 0, 0]])
    >>> to_frame(bp.rank(told, "copeland"), "pandas").to_dict("records")
    [{'rank': 1, 'agent': 'ada', 'score': 1.0}, {'rank': 2, 'agent': 'bob', 'score': 0.0}]
    """
    return frame(result.rows() if isinstance(result, Result) else _rows(result), library)


@singledispatch
def _rows(result: Any) -> Rows:
    raise UsageError(
        f"`to_frame` takes what rank, compare, core, resolve or bootstrap return; got {type(result).__name__}."
    )


@_rows.register
def _(result: Ranking) -> Rows:
    names = [name for level in result.levels for name in level]
    return [{"rank": result.rank(name), "agent": name, "score": result.scores[name]} for name in names]


_rows.register(Comparison)(comparison_rows)
_rows.register(Core)(core_rows)
_rows.register(Cores)(cores_rows)
_rows.register(Resolution)(resolution_rows)


@_rows.register
def _(result: RankSets) -> Rows:
    return list(result.to_dict()["agents"])


@_rows.register
def _(result: Bootstrap) -> Rows:
    if result.membership:
        sets = {name: frequency.tolist() for name, frequency in result.membership.items()}
        return [{"agent": name, **{key: sets[key][i] for key in sets}} for i, name in enumerate(result.agents)]
    bounds, (best, worst) = result.intervals(), result.ranks
    columns = {
        "score": result.score,
        "low": bounds.low,
        "high": bounds.high,
        "mean_rank": result.mean_rank,
        "best": best,
        "worst": worst,
        "first": result.first,
    }
    return [
        {"agent": name, **{key: values[i].item() for key, values in columns.items()}}
        for i, name in enumerate(result.agents)
    ]
