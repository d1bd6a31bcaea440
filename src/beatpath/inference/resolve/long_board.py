r"""Boards of more agents than can be compared pair by pair: scores, intervals that hold at once, and what ranks they leave.

Every score has an error of its own; no table of all pairs is made. With :math:`[l_a, u_a]` intervals that hold at once for all
agents (Bonferroni's, by Student's *t*), *a* is certainly above *c* where :math:`l_a > u_c`, so that an agent's rank lies between

.. math::  1 + \#\{c : l_c > u_a\} \quad\text{and}\quad n - \#\{c : u_c < l_a\} .

Beside differences of all pairs at once this costs little: with *n* agents of like errors two intervals part at
:math:`2 z_{1 - \alpha / 2n}` errors, a difference at :math:`\sqrt 2\, z_{1 - \alpha / n^2}`, 9.8 and 9.2 of 34,000 agents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._memory import require_memory
from beatpath._progress import doing
from beatpath._result import SCHEMA_VERSION, Result, Rows, json_number
from beatpath._text import confidence, counted, listed, percent, quoted
from beatpath.evidence import Convention
from beatpath.inference.matrix.rates import rates_of
from beatpath.inference.matrix.sparse import SparseMatrixEstimate, estimate_sparse
from beatpath.inference.matrix.win_matrix import MEAN_WIN_RATE, parts_of, parts_said
from beatpath.inference.ranks.rank_sets_result import STEERED
from beatpath.inference.resolve.claims import Claim, claim_of
from beatpath.inference.scores.mean_scores import TaskMeans, task_means
from beatpath.inference.win_rates.estimate import COMPARED, WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile

if TYPE_CHECKING:
    from beatpath.inference.resolve.claims import ClaimTest

MOST_AGENTS = 100_000  # whose scores get errors
DRAWS = 100  # of the errors of all scores; Student's t allows for how few
BYTES_A_PAIR, BYTES_AN_AGENT = 600, 4000  # that the estimate takes
LEFT_OUT = "circles of wins, whether one scale is fair, and differences of single pairs"


@dataclass(frozen=True, eq=False, repr=False)
class LongBoard(Result):
    """Scores of more agents than can be compared pair by pair, and the ranks that their intervals leave.

    Attributes
    ----------
    agents : tuple of str
    score, stderr, df : (n,) float
        Every score, its standard error and the degrees of freedom of that; NaN for an agent without one.
    part : (n,) int
        The part of every agent, from 0; agents of different parts are not compared.
    battles : (n,) int
        Battles of every agent, or its scores in a table.
    estimand : str
        What a score is.
    level : float
        Confidence with which all intervals hold at once.
    bounds : two floats
        What a score can be at all.
    settings : mapping
    conventions : tuple of Convention
    notes : tuple of str
    """

    agents: tuple[str, ...]
    score: Floats
    stderr: Floats
    df: Floats
    part: Ints
    battles: Ints
    estimand: str
    level: float
    bounds: tuple[float, float]
    settings: Mapping[str, Any]
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_share(self) -> bool:
        """Whether scores are shares from 0 to 1, which people read in per cent."""
        return self.bounds == (0.0, 1.0)

    @cached_property
    def interval(self) -> tuple[Floats, Floats]:
        """The ends of every agent's interval, each of which holds by itself."""
        return self._ends((1 + self.level) / 2)

    @cached_property
    def joint(self) -> tuple[Floats, Floats]:
        """The ends of intervals that all hold at once."""
        known = max(int(np.isfinite(self.stderr).sum()), 1)
        return self._ends(1 - (1 - self.level) / 2 / known)

    def _ends(self, probability: float) -> tuple[Floats, Floats]:
        reach = stdtrit(self.df, probability) * self.stderr
        return np.clip(self.score - reach, *self.bounds), np.clip(self.score + reach, *self.bounds)

    @cached_property
    def ranks(self) -> tuple[Ints, Ints]:
        """The best and the worst rank that every agent may have among those of its part."""
        return ranks_left(*self.joint, self.part)

    @cached_property
    def known(self) -> Bools:
        """Which agents of the largest part are known best: at most 2,000, by the number of their battles; all of fewer."""
        largest = self.part == np.bincount(self.part).argmax()
        if largest.sum() <= COMPARED:
            return largest
        least = np.sort(self.battles[largest])[-COMPARED]
        known = largest & (self.battles >= least)
        if known.sum() > COMPARED:
            known = largest & (self.battles > least)
        return known if known.sum() > 1 else largest

    @cached_property
    def ranks_of_known(self) -> tuple[Ints, Ints]:
        """The best and the worst rank among agents that are known best; 0 for others."""
        found = np.zeros(len(self.agents), dtype=np.int64), np.zeros(len(self.agents), dtype=np.int64)
        low, high = self.joint
        for kept, one in zip(
            found, ranks_left(low[self.known], high[self.known], self.part[self.known] * 0), strict=True
        ):
            kept[self.known] = one
        return found

    @cached_property
    def order(self) -> Ints:
        """Agents as the board lists them: the largest part first, in each the highest score first, then by name."""
        size, first = np.bincount(self.part), np.unique(self.part, return_index=True)[1]
        keys = [
            (-size[part], first[part], -score if np.isfinite(score) else np.inf, name)
            for part, score, name in zip(self.part.tolist(), self.score.tolist(), self.agents, strict=True)
        ]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The agents of every part, largest part first."""
        return parts_of(self.agents, self.part)

    @property
    def pairs(self) -> int:
        """How many pairs of agents share a part."""
        size = np.bincount(self.part)
        return int((size * (size - 1) // 2).sum())

    @property
    def resolved_pairs(self) -> int:
        """How many of them have a certain order."""
        return int((self.ranks[0] - 1).sum())

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the scores are, who may be first, how much is certain, and what was not asked of so many agents."""
        share = self.resolved_pairs / self.pairs if self.pairs else float("nan")
        return (
            f"Scores: {self.estimand}.",
            *parts_said(self.parts),
            *self._who_is_first(),
            f"Intervals that do not meet order {self.resolved_pairs:,} of {counted(self.pairs, 'pair')} ({percent(share)}).",
            f"All intervals hold at once with {confidence(self.level)} confidence, {self._conditions}.",
            f"Not asked of more than {COMPARED:,} agents: {LEFT_OUT}. Choose agents with `only` or rows with `where` to ask.",
        )

    def _who_is_first(self) -> tuple[str, ...]:
        """Who may be first of the largest part, and of those of it that are known best."""
        largest = self.part == np.bincount(self.part).argmax()
        said = [f"Of {counted(int(largest.sum()), 'agent')}, {self._first_among(largest)}."]
        if self.known.sum() < largest.sum():
            most = f"{self.known.sum():,} with the most battles ({int(self.battles[self.known].min()):,} or more)"
            said.append(f"Of the {most}, {self._first_among(self.known)}.")
        return tuple(said)

    def _first_among(self, some: Bools) -> str:
        low, high = self.joint
        may = np.flatnonzero(some & (high >= np.nanmax(low[some])))
        may = may[np.argsort(-self.score[may], kind="stable")]
        if len(may) == 1:
            return f"{quoted(self.agents[may[0]])} is certainly first"
        if len(may) == some.sum():
            return "any may be first"
        return f"the first is one of {len(may):,}: {listed([self.agents[i] for i in may], 8)}"

    @property
    def _conditions(self) -> str:
        unit = " and ".join(f"{name}s" for name in self.settings["cluster"])
        if self.settings["estimand"] == "mean_score":
            return f"if {unit} are independent of each other, and those that might have been asked are like those that were"
        return f"if battles {f'of different {unit} ' if unit else ''}are independent of each other and {STEERED}"

    def test(self, claim: str) -> "ClaimTest":
        """Return whether the data support a claim such as ``"A > B"``, ``"A is first"`` or ``"A is in the top 3"``."""
        from beatpath.inference.resolve.claims import ClaimTest

        said = claim_of(claim, self.agents)
        held = f"({confidence(self.level)}, all agents at once)"
        if said.below is not None:
            supported, why = self._order_of(said.agent, said.below)
        else:
            supported, why = self._place_of(said)
        verdict = f"{quoted(claim)} is {'supported' if supported else 'not supported'}"
        return ClaimTest(said, supported, f"{verdict}: {why} {held}.")

    def _order_of(self, above: str, below: str) -> tuple[bool, str]:
        i, j = self.agents.index(above), self.agents.index(below)
        if self.part[i] != self.part[j]:
            return False, "no chain of battles connects the two"
        low, high = self.joint
        spans = " and ".join(f"that of {quoted(self.agents[k])} {self._span(low[k], high[k])}" for k in (i, j))
        return bool(low[i] > high[j]), f"of their scores {spans}"

    def _place_of(self, claim: Claim) -> tuple[bool, str]:
        i = self.agents.index(claim.agent)
        best, worst, n = int(self.ranks[0][i]), int(self.ranks[1][i]), int((self.part == self.part[i]).sum())
        whole = n == len(self.agents)
        supported = whole and (best == n if claim.last else worst <= (claim.top or 1))
        span = f"its rank is {best:,}" if best == worst else f"its rank may be {best:,} to {worst:,}"
        return bool(supported), f"{span} of {n:,}{'' if whole else ' in its part, and nothing connects the parts'}"

    def _span(self, low: float, high: float) -> str:
        times, unit = (100, " %") if self.is_share else (1, "")
        return f"lies between {times * low:.4g} and {times * high:.4g}{unit}"

    def rows(self) -> Rows:
        """Return one row an agent, as `order` has them."""
        (low, high), (joint_low, joint_high), (best, worst) = self.interval, self.joint, self.ranks
        known_best, known_worst = self.ranks_of_known
        number = {part: k for k, part in enumerate(dict.fromkeys(self.part[self.order].tolist()), 1)}
        return [
            {
                "agent": self.agents[i],
                "part": number[int(self.part[i])],
                "score": json_number(self.score[i]),
                "low": json_number(low[i]),
                "high": json_number(high[i]),
                "joint_low": json_number(joint_low[i]),
                "joint_high": json_number(joint_high[i]),
                "best": int(best[i]),
                "worst": int(worst[i]),
                "best_of_known": int(known_best[i]) or None,
                "worst_of_known": int(known_worst[i]) or None,
                "battles": int(self.battles[i]),
            }
            for i in self.order.tolist()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "long_board",
            "sentences": list(self.sentences),
            "estimand": self.estimand,
            "agents": list(self.rows()),
            "pairs": self.pairs,
            "resolved_pairs": self.resolved_pairs,
            "parts": len(self.parts),
            "settings": dict(self.settings),
            "conventions": [made.to_dict() for made in self.conventions],
            "notes": list(self.notes),
        }


def ranks_left(low: Floats, high: Floats, part: Ints) -> tuple[Ints, Ints]:
    """Return the best and worst ranks that intervals leave, each agent among those of its part; NaN leaves all.

    >>> ranks_left(np.array([0.8, 0.4, 0.1]), np.array([0.9, 0.7, 0.5]), np.zeros(3, dtype=int))
    (array([1, 2, 2]), array([1, 3, 3]))
    """
    best, worst = np.ones(len(part), dtype=np.int64), np.bincount(part)[part]
    order = np.argsort(part, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(part[order])) + 1):
        known = members[np.isfinite(low[members])]
        best[known] += len(known) - np.searchsorted(np.sort(low[known]), high[known], side="right")
        worst[known] -= np.searchsorted(np.sort(high[known]), low[known], side="left")
    return best, worst


def long_board(
    profile: Profile,
    *,
    estimand: str | Mapping[str, float] = "mean_win_rate",
    cluster: str | Sequence[str] | None = "auto",
    level: float = 0.95,
    seed: int = 0,
) -> LongBoard:
    """Score more agents than can be compared pair by pair; `resolve` does so by itself.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> told = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])
    >>> [(row["agent"], row["best"], row["worst"]) for row in long_board(profile_of(told)).rows()]
    [('ada', 1, 1), ('bob', 2, 3), ('cyd', 2, 3)]
    """
    if estimand == "mean_score":
        return _of_means(task_means(profile.evidence, profile.chosen, cluster), profile, level)
    if estimand != "mean_win_rate":
        raise UsageError(
            f"`estimand` must be mean_win_rate or mean_score for more than {COMPARED:,} agents; got {quoted(estimand)}. "
            "`rank` by bradley_terry gives strengths of any number."
        )
    if len(profile.agents) > MOST_AGENTS:
        raise DataError(
            f"scores with errors are worked out for at most {MOST_AGENTS:,} agents; there are {len(profile.agents):,}. Keep "
            "agents with more battles (`min_agent_battles`), or choose some with `only`; `rank` by copeland or elo takes more."
        )
    doing("counting the battles of every pair")
    observed = estimate_of_profile(profile, cluster)
    _require_room(len(observed.agents), len(observed.rate))
    made = estimate_sparse(rates_of(observed))
    stderr, drawn = made.stderr_by_draws(np.random.default_rng(seed), DRAWS)
    return _of_win_rates(observed, made, stderr, drawn, level, seed)


def _of_win_rates(
    observed: WinRateEstimate, made: SparseMatrixEstimate, stderr: Floats, drawn: int, level: float, seed: int
) -> LongBoard:
    n, alone = len(observed.agents), np.isnan(made.score)
    clusters = [one for one in observed.clusterings if one.sign > 0]
    fewest = min((one.n_clusters for one in clusters), default=np.inf)
    total = np.bincount(observed.a, observed.battles, n) + np.bincount(observed.b, observed.battles, n)
    cut = (f"Interrupted: errors rest on {drawn} draws of {DRAWS}, and intervals are the wider.",)
    return LongBoard(
        observed.agents,
        made.score,
        np.where(alone, np.nan, stderr),
        np.full(n, max(min(drawn, fewest - 1), 1.0)),
        made.part,
        total.astype(np.int64),
        MEAN_WIN_RATE,
        level,
        (0.0, 1.0),
        {
            "estimand": "mean_win_rate",
            "cluster": [one.name for one in clusters],
            "level": level,
            "draws": drawn,
            "seed": seed,
        },
        observed.conventions,
        (*observed.notes, *(cut if drawn < DRAWS else ())),
    )


def _of_means(made: TaskMeans, profile: Profile, level: float) -> LongBoard:
    scores = profile.scores
    assert scores is not None
    n = len(scores.agents)
    return LongBoard(
        scores.agents,
        made.score,
        made.stderr,
        made.degrees,
        np.zeros(n, dtype=np.int64),
        np.bincount(scores.agent, minlength=n).astype(np.int64),
        made.estimand,
        level,
        made.bounds,
        {"estimand": "mean_score", "cluster": [made.cluster], "level": level},
        made.conventions,
        made.notes,
    )


def _require_room(n: int, pairs: int) -> None:
    """Raise unless the estimate of so many agents and pairs finds memory."""
    require_memory(
        BYTES_A_PAIR * float(pairs) + BYTES_AN_AGENT * float(n),
        f"scores of {n:,} agents with errors, of whom {counted(pairs, 'pair')} met,",
        "Choose agents with `only` or rows with `where`; `rank` by bradley_terry needs less.",
    )
