r"""How to spread more battles over the pairs so that the best agents are certainly the best, with as few as possible.

The best *k* agents are certified when the difference of each of them to each of the others is found. What the battles have to
be, and how the fewest are found, is told in `fewest_for_all`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import UsageError
from beatpath._text import listed, quoted
from beatpath.inference.design.fewest_for_all import FewestForAll
from beatpath.inference.design.more_battles import score_map
from beatpath.inference.design.power import Aim, plain
from beatpath.inference.design.sample_size import about
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import estimable
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.methods.result import SCHEMA_VERSION


@dataclass(frozen=True, slots=True, eq=False)
class SampleSizeForTop:
    """The battles that would make it certain who the best are.

    Attributes
    ----------
    best : tuple of str
        The agents to be certified, highest score first; empty when a tie at the border leaves open who they are.
    battles : float
        All more battles together; 0 when nothing is open, infinite when no number will do.
    pairs : tuple of (str, str, int)
        How many of each pair, most first.
    spread : float
        How many it takes when all pairs grow in proportion to the battles they have.
    note : str
        Why there is no plan, where there is none.
    settings : mapping
    """

    best: tuple[str, ...]
    battles: float
    pairs: tuple[tuple[str, str, int], ...]
    spread: float
    note: str
    settings: Mapping[str, Any]

    @property
    def sentence(self) -> str:
        """What to play to settle the top, in words."""
        what = "first place" if self.settings["best"] == 1 else f"the best {self.settings['best']}"
        if self.note:
            return f"How many battles would settle {what} cannot be told: {self.note}."
        if not self.battles:
            return f"{what.capitalize()} is settled already: {listed(self.best)}."
        if len(self.pairs) == 1:
            a, b, _ = self.pairs[0]
            return f"To settle {what}, about {about(self.battles)} between {quoted(a)} and {quoted(b)} would do."
        shown = ", ".join(f"{quoted(a)} and {quoted(b)} ({k:,})" for a, b, k in self.pairs[:3])
        more = f" and {len(self.pairs) - 3:,} more pairs" if len(self.pairs) > 3 else ""
        return (
            f"To settle {what}, about {about(self.battles)} would do, best spent on {shown}{more}; spread over all pairs as "
            f"at present it takes about {about(self.spread)}."
        )

    def _repr_html_(self) -> str:
        """A paragraph for a notebook, every name escaped."""
        return f'<p class="beatpath-top-plan">{escape(self.sentence)}</p>'

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "top_plan",
            "best": list(self.best),
            "battles": plain(self.battles),
            "pairs": [{"a": a, "b": b, "battles": k} for a, b, k in self.pairs],
            "spread": plain(self.spread),
            "note": self.note,
            "sentence": self.sentence,
            "settings": dict(self.settings),
        }


def sample_size_for_top(
    pairwise: WinRateEstimate,
    board: Leaderboard,
    *,
    best: int = 1,
    level: float = 0.95,
    power: float = 0.8,
    critical: float | None = None,
) -> SampleSizeForTop:
    """Return the fewest battles, and their pairs, that would make the best agents certainly the best.

    Parameters
    ----------
    pairwise : WinRateEstimate
    board : Leaderboard
        Scores made of these win rates, by fixed weights.
    best : int
        How many agents to certify against all others; 1 for first place.
    level, critical : float
        As for `minimum_detectable_effect`. The agents were chosen for their scores: `critical` should be that of simultaneous
        intervals.
    power : float
        Probability that every difference is found, if all truly are what they are now.

    Returns
    -------
    SampleSizeForTop

    Examples
    --------
    >>> from beatpath import Pairs
    >>> from beatpath.inference.scores.estimands import scores_from
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> counts = [[57, 43, 0, 0], [80, 20, 0, 0], [80, 20, 0, 0]]
    >>> rates = win_rate_inference(Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], counts))
    >>> print(sample_size_for_top(rates, scores_from(rates)).sentence)
    To settle first place, about 1,000 more battles would do, best spent on 'ada' and 'bob' (619), 'ada' and 'cyd' (193), \
'bob' and 'cyd' (193); spread over all pairs as at present it takes about 1,300 more battles.

    Notes
    -----
    Where clusters reach over several pairs, or pairs have hardly any battles, the plan does what it says but need not be the
    least.
    """
    aim = Aim(level, power, critical)
    told = {**aim.settings(), "best": best, "estimand": board.settings.get("estimand", "uniform")}
    scored = np.flatnonzero(~np.isnan(board.score))
    if isinstance(best, bool) or not isinstance(best, int | np.integer) or not 1 <= best < max(len(scored), 2):
        raise UsageError(
            f"`best` must be from 1 to {max(len(scored) - 1, 1)}, one less than agents with scores; got {best}."
        )
    L = score_map(pairwise, board)
    order = scored[np.argsort(-board.score[scored], kind="stable")]
    inside, outside = order[:best], order[best:]
    note = _unplannable(board, inside, outside)
    if note:
        return SampleSizeForTop((), np.inf, (), np.inf, note, told)
    search = FewestForAll(pairwise, board, L, np.ix_(inside, outside), aim)
    names = tuple(board.agents[i] for i in inside)
    if search.settled():
        return SampleSizeForTop(names, 0.0, (), 0.0, "", told)
    times = search.times_all()
    extra = search.plan(times)
    pairs = sorted(
        (
            (board.agents[a], board.agents[b], int(k))
            for a, b, k in zip(pairwise.a, pairwise.b, extra, strict=True)
            if k
        ),
        key=lambda pair: (-pair[2], pair[0], pair[1]),
    )
    total = float(np.ceil(round((times - 1) * float(pairwise.battles.sum()), 6)))
    return SampleSizeForTop(names, float(extra.sum()), tuple(pairs), total, "", told)


def _unplannable(board: Leaderboard, inside: NDArray[np.int64], outside: NDArray[np.int64]) -> str:
    """Why no number of battles can be told, or nothing."""
    if not len(outside):
        return "fewer than two agents have a score"
    if not (board.differences[np.ix_(inside, outside)] > 0).all():
        last, next_ = board.agents[inside[-1]], board.agents[outside[0]]
        return f"{quoted(last)} and {quoted(next_)} have the same score, and no battles would separate them if that is true"
    if not estimable(board)[np.ix_(inside, outside)].all():
        return "the variance of some difference is not positive"
    return ""
