"""Online SCO: one step per result, only for its agents, in a state that can be saved and resumed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import ClassVar

from beatpath._errors import DataError, ReadError
from beatpath._saved import HUGE
from beatpath._text import quoted
from beatpath._validate import require_kind, require_number, require_whole
from beatpath.evidence import Ballots, Battles
from beatpath.methods.rating.online_state import TINY, OnlineState, schedule
from beatpath.methods.rating.sco.descent import require_box


@dataclass(frozen=True, slots=True)
class OnlineSco(OnlineState):
    r"""The state of online SCO ratings, which `update` advances with results; SCO appendix D.4.

    A result is a vote: groups of agents, best first; agents of one group are tied. It is a batch of one for Algorithm
    1,

    .. math::  \theta \leftarrow \text{Proj}(\theta - \alpha \nabla_\theta \tilde L(\{v\})),

    and only the ratings of its agents change. A new agent starts in the middle of the bounds.

    Parameters
    ----------
    learning_rate, temperature : float
        Positive. The paper's figure 6 is best at :math:`\alpha = 0.5` of those tried, :math:`\tau = 1`.
    low, high : float
        Bounds of the ratings.
    ratings : mapping of agent to float
        Current ratings.
    results : int
        Number of results so far.

    Examples
    --------
    At equal ratings the slope of the sigmoid is a quarter.

    >>> OnlineSco(learning_rate=0.4).update([["ada"], ["bob"]]).ratings
    {'ada': 50.1, 'bob': 49.9}

    Notes
    -----
    :math:`O(k^2)` for a result of *k* agents. An update copies the ratings once and leaves this object unchanged, so
    pass many results together.
    """

    TYPE: ClassVar = "online_sco"

    learning_rate: float = 0.5
    temperature: float = 1.0
    low: float = 0.0
    high: float = 100.0
    ratings: Mapping[str, float] = field(default_factory=dict)
    results: int = 0

    def __post_init__(self) -> None:
        require_box(self.low, self.high)
        for name in ("temperature", "learning_rate"):
            require_number(name, getattr(self, name), f"a number, {TINY:g} or more", least=TINY, below=HUGE)
        require_whole("results", self.results, 0)

    def update(self, results: Battles | Ballots | Iterable[Sequence[str]]) -> "OnlineSco":
        """Return the ratings after these results, one step each.

        Parameters
        ----------
        results : Battles, Ballots or groups of names
            Battles are processed in the order of time, ballots in their order; groups of agent names, best first, are
            one result.

        Raises
        ------
        DataError
            If a name occurs twice, or a battle has a weight other than one.
        """
        ratings, n = dict(self.ratings), 0
        for groups in _results_in_order(results):
            self._step(ratings, groups)
            n += 1
        return replace(self, ratings=ratings, results=self.results + n)

    def _step(self, ratings: dict[str, float], groups: Sequence[Sequence[str]]) -> None:
        """Move the ratings of the agents in one result."""
        middle = (self.low + self.high) / 2
        theta = [[ratings.get(name, middle) for name in group] for group in groups]
        moved = [list(group) for group in theta]
        step = self.learning_rate / self.temperature
        for i, above in enumerate(theta):
            for j in range(i + 1, len(theta)):
                for x, winner in enumerate(above):
                    for y, loser in enumerate(theta[j]):
                        tail = exp(-abs(winner - loser) / self.temperature)
                        push = step * tail / (1 + tail) ** 2  # the derivative of the logistic function
                        moved[i][x] += push
                        moved[j][y] -= push
        for group, values in zip(groups, moved, strict=True):
            ratings |= {n: min(max(v, self.low), self.high) for n, v in zip(group, values, strict=True)}

    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Return the agents, best first; those with equal ratings share a level.

        >>> OnlineSco().update([["ada"], ["bob", "cyd"]]).levels()
        (('ada',), ('bob', 'cyd'))
        """
        at: dict[float, list[str]] = {}
        for name, rating in self.ratings.items():
            at.setdefault(round(rating, 9), []).append(name)
        return tuple(tuple(sorted(at[rating])) for rating in sorted(at, reverse=True))

    def require_sound(self) -> None:
        """Raise an error unless all ratings are within the bounds."""
        outside = next((name for name, rating in self.ratings.items() if not self.low <= rating <= self.high), None)
        if outside is not None:
            raise ReadError(f"saved ratings must lie in the saved box; that of {quoted(outside)} does not.")


def _results_in_order(results: Battles | Ballots | Iterable[Sequence[str]]) -> Iterable[Sequence[Sequence[str]]]:
    """The results one by one, in order."""
    if isinstance(results, Battles):
        if results.weight is not None and (results.weight != 1).any():
            raise DataError(
                "online SCO takes one step a battle, whatever its weight; these have weights other than one."
            )
        return results.take(schedule(results).rows).ballots()
    if isinstance(results, Ballots):
        return (groups for groups, n in zip(results, results.count.tolist(), strict=True) for _ in range(n))
    return [_groups_of_names(results)]


def _groups_of_names(result: Iterable[Sequence[str]]) -> list[list[str]]:
    """The groups of a result, with every name once."""
    require_kind("results", result, "battles, ballots, or groups of names, such as [['ada'], ['bob']]", list, tuple)
    for group in result:
        require_kind("results", group, "groups that are lists of names, such as [['ada'], ['bob']]", list, tuple)
    groups = [[str(name) for name in group] for group in result]
    names = [name for group in groups for name in group]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"a result must name an agent at most once; it names {quoted(twice)} twice.")
    return groups
