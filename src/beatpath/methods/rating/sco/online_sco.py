"""SCO as results come in: one step a result, only for the agents in it, in a state that can be saved and resumed."""

import json
from collections.abc import Iterable, Sequence
from math import exp
from os import PathLike
from pathlib import Path
from typing import Any

from beatpath._atomic_write import write_whole
from beatpath._errors import DataError, ReadError, UsageError
from beatpath._schema import dumps
from beatpath._text import quoted
from beatpath.methods.rating.sco.sco_settings import require_box, require_positive

FORMAT, VERSION = "beatpath online sco", 1


class OnlineSco:
    r"""Ratings that follow results one at a time, SCO appendix D.4.

    A result is a vote: groups of agents, best first; agents of one group are tied. It is a batch of one for Algorithm 1,

    .. math::  \theta \leftarrow \text{Proj}(\theta - \alpha \nabla_\theta \tilde L(\{v\})),

    and only the ratings of agents in the result change. Who appears for the first time starts in the middle of the box.

    Parameters
    ----------
    learning_rate, temperature : float
        Positive. The paper's figure 6 is best at :math:`\alpha = 0.5` of those tried, :math:`\tau = 1`.
    low, high : float
        The box.

    Examples
    --------
    At equal ratings the sigmoid's slope is a quarter.

    >>> online = OnlineSco(learning_rate=0.4)
    >>> online.update([["ada"], ["bob"]])
    >>> online.ratings
    {'ada': 50.1, 'bob': 49.9}

    Notes
    -----
    :math:`O(k^2)` for a result of *k* agents, however many agents there are.
    """

    def __init__(
        self, *, learning_rate: float = 0.5, temperature: float = 1.0, low: float = 0.0, high: float = 100.0
    ) -> None:
        require_box(low, high)
        require_positive("temperature", temperature)
        require_positive("learning_rate", learning_rate)
        self.learning_rate, self.temperature, self.low, self.high = learning_rate, temperature, low, high
        self.ratings: dict[str, float] = {}
        self.results = 0

    def update(self, result: Iterable[Sequence[str]]) -> None:
        """Take one step for a result: groups of agent names, best first.

        Raises
        ------
        DataError
            When a name comes twice, or a group is a string rather than a list of names. Nothing is changed then.
        """
        groups = _groups(result)
        middle = (self.low + self.high) / 2
        theta = [[self.ratings.get(name, middle) for name in group] for group in groups]
        moved = [list(group) for group in theta]
        step = self.learning_rate / self.temperature
        for i, above in enumerate(theta):
            for j in range(i + 1, len(theta)):
                for x, winner in enumerate(above):
                    for y, loser in enumerate(theta[j]):
                        push = step * _slope((winner - loser) / self.temperature)
                        moved[i][x] += push
                        moved[j][y] -= push
        for group, values in zip(groups, moved, strict=True):
            self.ratings |= {n: min(max(v, self.low), self.high) for n, v in zip(group, values, strict=True)}
        self.results += 1

    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Return the agents, best first; those with equal ratings share a level.

        >>> online = OnlineSco()
        >>> online.update([["ada"], ["bob", "cyd"]])
        >>> online.levels()
        (('ada',), ('bob', 'cyd'))
        """
        at: dict[float, list[str]] = {}
        for name, rating in self.ratings.items():
            at.setdefault(round(rating, 9), []).append(name)
        return tuple(tuple(sorted(at[rating])) for rating in sorted(at, reverse=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the whole state as plain data that JSON can carry."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "learning_rate": self.learning_rate,
            "temperature": self.temperature,
            "low": self.low,
            "high": self.high,
            "results": self.results,
            "ratings": self.ratings,
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a JSON file, whole or not at all."""
        write_whole(path, dumps(self.to_dict()))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "OnlineSco":
        """Resume from a file that `save` wrote; further updates give what they would have given without the stop."""
        try:
            return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise ReadError(f"{quoted(path)} must be a JSON file that `save` wrote: {error}.") from error

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> "OnlineSco":
        """Resume from what `to_dict` gave."""
        known = isinstance(state, dict) and state.get("format") == FORMAT and state.get("version") == VERSION
        if not known:
            found = state.get("version") if isinstance(state, dict) else type(state).__name__
            raise ReadError(
                f"a saved state must have the format {quoted(FORMAT)} and version {VERSION}; got {found!r}. "
                "Write it with `save`."
            )
        try:
            online = cls(**{key: float(state[key]) for key in ("learning_rate", "temperature", "low", "high")})
            online.results = int(state["results"])
            online.ratings = {str(name): float(rating) for name, rating in state["ratings"].items()}
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ReadError(f"a saved state must hold settings, results and ratings: {error!r} is amiss.") from error
        outside = next((n for n, r in online.ratings.items() if not online.low <= r <= online.high), None)
        if outside is not None:
            raise ReadError(f"saved ratings must lie in the saved box; that of {quoted(outside)} does not.")
        return online


def _slope(x: float) -> float:
    """The derivative of the logistic function."""
    tail = exp(-abs(x))
    return tail / (1 + tail) ** 2


def _groups(result: Iterable[Sequence[str]]) -> list[list[str]]:
    """The groups of a result, every name once."""
    if isinstance(result, str):
        raise UsageError("a result must be groups of names, best first, such as [['ada'], ['bob']]; got a string.")
    groups = []
    for group in result:
        if isinstance(group, str):
            raise UsageError(f"a group must be a list of names, such as [{quoted(group)}]; got a string.")
        groups.append([str(name) for name in group])
    names = [name for group in groups for name in group]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"a result must name an agent at most once; it names {quoted(twice)} twice.")
    return groups
