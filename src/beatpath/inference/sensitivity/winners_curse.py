r"""The winner's curse (selection bias): how much of the lead of the best of several variants is luck.

Showing the best of *N* variants of an agent also shows the luckiest. If the variants were equal and the errors of their
scores :math:`\varepsilon \sim N(0, V)`, the best would exceed its true score by

.. math::  \operatorname{E} \max_i \varepsilon_i
           \qquad (= \sigma\, e_N \text{ for independent errors of deviation } \sigma; \; e_5 = 1.163),

and no spread of true scores makes it more. Where true scores differ, less is luck: how much is estimated by simulating
scores around true scores shrunk to the spread they have without errors [1]_: with :math:`P = I - 11^\top / k` and
:math:`P V P = U \operatorname{diag}(\lambda)\, U^\top`,

.. math::  \hat\mu = \bar s + U \operatorname{diag}\!\sqrt{\tau^2 / (\tau^2 + \lambda)}\; U^\top P s, \qquad
           \tau^2 = \max\!\left(0, \tfrac{1}{k - 1} \left(s^\top P s - \operatorname{tr} P V\right)\right).

The interval of the selected variant is simultaneous for all variants (max-t), and so valid for any selection.

References
----------
.. [1] T. A. Louis, "Estimating a population of parameter values using Bayes and empirical Bayes methods", *Journal of the
       American Statistical Association* 79 (1984), 393-398.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Floats
from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError, UsageError
from beatpath._result import Result
from beatpath._text import listed, quoted
from beatpath._validate import generator, require_agents, require_share, require_whole
from beatpath.inference.leaderboard import Leaderboard, variances_of_differences
from beatpath.inference.ranks.critical import draws_quantile
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.scores.scored import HasBoard, board_of
from beatpath.inference.win_rates.estimate import WinRateEstimate

PART = 2_000  # simulations in memory at a time


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WinnersCurse(Result):
    """The best of a family of variants, its lead, and the effect of selecting it.

    Attributes
    ----------
    selected : str
        The best of the family.
    family : tuple of str
        Its members on the board.
    tested : int
        Number of variants tried, shown or not.
    rival : str or None
        The agent it is compared with; None where nobody is outside the family, and `lead` is then the score itself.
    lead : float
        Its score minus the rival's.
    explained : float
        Expected gain from selecting the best of so many equal variants.
    luck : float
        Estimated gain from selection, given how unequal the variants look.
    low, high : float
        Confidence interval of the true lead at `level`, valid for any selection.
    level : float
        Confidence level.
    settings : mapping
        All settings.
    """

    derived: ClassVar = ("corrected", "resolved")

    selected: str
    family: tuple[str, ...]
    tested: int
    rival: str | None
    lead: float
    explained: float
    luck: float
    low: float
    high: float
    level: float
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def corrected(self) -> float:
        """The lead minus the estimated gain from selection."""
        return self.lead - self.luck

    @property
    def resolved(self) -> bool:
        """Whether the interval of the lead excludes zero."""
        return self.rival is not None and not self.low <= 0 <= self.high

    def _finding(self) -> str:
        """The result, as a sentence."""
        of = f"what picking the best of {self.tested:,} equal variants would give"
        span = f"at {100 * self.level:.3g} % it lies between {self.low:.3g} and {self.high:.3g}"
        if self.rival is None:
            return (
                f"{quoted(self.selected)} has the best score of its family, {self.lead:.3g}; about {self.explained:.2g} "
                f"of it is {of}. Corrected for this selection, it is {self.corrected:.3g}; {span}."
            )
        if self.lead <= 0:
            return f"{quoted(self.selected)}, the best of its family, is not ahead of {quoted(self.rival)}."
        end = "so it is ahead even after selection" if self.resolved else "so the order is not resolved"
        lead = f"lead of {self.lead:.3g} of {quoted(self.selected)} over {quoted(self.rival)}"
        text = f"Of the {lead}, about {self.explained:.2g} is {of}."
        if self.explained >= self.lead:
            text = f"The {lead} is no more than {of}, about {self.explained:.2g}."
        return f"{text} Corrected for this selection, the lead is {self.corrected:.3g}; {span}, {end}."


def winners_curse(
    evidence: EvidenceLike | WinRateEstimate | Leaderboard | HasBoard | Mapping[str, float],
    family: Sequence[str],
    *,
    rival: str | None = None,
    tested: int | None = None,
    stderr: float | Mapping[str, float] | None = None,
    level: float = 0.95,
    draws: int = 20_000,
    seed: int = 0,
) -> WinnersCurse:
    """Estimate how much of the lead of the best of several variants comes from selecting it.

    Use it when several checkpoints, prompts or configurations were tried and the best is reported.

    Parameters
    ----------
    evidence : Leaderboard, Battles, Ballots, Scores, Pairs, Resolution, or mapping of agent to score, or what `read` takes
        Evidence is scored with default conventions; `leaderboard` and `resolve` take others. With a mapping, `stderr`
        gives the standard errors, and errors are independent.
    family : sequence of str
        The variants among the agents; one, where the others were never shown.
    rival : str, optional
        The agent to compare with; by default the best of all others, and the interval is then valid whoever that is.
    tested : int, optional
        Number of variants, if more than are shown. Those not shown are assumed to have the mean variance and
        covariance of the others.
    stderr : float or mapping of agent to float, optional
        Standard errors, with a mapping of scores.
    level : float, default 0.95
        Confidence level.
    draws, seed : int
        Number and seed of the simulations.

    Returns
    -------
    WinnersCurse

    Examples
    --------
    Ten variants with a standard error of 0.02, of which the best was shown: it gains 1.54 standard errors by that.

    >>> result = winners_curse({"x-7": 0.61, "y": 0.56}, ["x-7"], tested=10, stderr=0.02)
    >>> round(result.explained, 2)
    0.03
    >>> result.resolved
    False

    Notes
    -----
    A family of one carries no information on how unequal its variants are; they are then assumed equal, which gives
    the largest luck.
    """
    require_share("level", level)
    require_whole("draws", draws)
    rng = generator(seed)
    board = _board_of_scores(evidence, stderr) if isinstance(evidence, Mapping) else board_of(evidence)
    members, others = _family_and_rivals(board, family, rival)
    n_tested = len(members) if tested is None else tested
    require_whole("tested", n_tested)
    if n_tested < len(members):
        raise UsageError(f"`tested` must be no less than the {len(members):,} variants named; got {n_tested:,}.")
    best = min(members, key=lambda i: (-board.score[i], board.agents[i]))
    comparable = np.isfinite(board.variance_of_differences[best])  # those of its component
    others = [j for j in others if comparable[j]]
    against = min(others, key=lambda j: (-board.score[j], board.agents[j]), default=None)
    apart = [board.agents[i] for i in members if not comparable[i]]
    if apart:
        raise DataError(
            f"a chain of battles must lead from every variant to every other; none leads from {quoted(board.agents[best])} to "
            f"{listed(apart)}. Name variants of one component."
        )
    errors = _errors(board.covariance[np.ix_(members, members)], n_tested)
    worth, spread = shrunk_together(board.score[members], errors[: len(members), : len(members)])
    explained, luck = _luck(worth, spread, errors, draws, rng)
    critical = _critical(board, members, others, n_tested, level, draws, rng)
    lead = float(board.score[best] - (0.0 if against is None else board.score[against]))
    variance, df = board.covariance[best, best], board.df[best, best]
    if against is not None:
        variance, df = board.variance_if_equal[best, against], board.df[best, against]
    if not variance > 0:
        raise DataError(
            f"a lead needs a difference of positive variance; that of {quoted(board.agents[best])} and "
            f"{quoted(board.agents[against or 0])} has none. Name another `rival`, or cluster by one column."
        )
    half = float(t_critical(critical, df) * np.sqrt(variance))
    return WinnersCurse(
        board.agents[best],
        tuple(board.agents[i] for i in members),
        n_tested,
        None if against is None else board.agents[against],
        lead,
        explained,
        luck,
        lead - half,
        lead + half,
        level,
        {"draws": draws, "seed": seed, "estimand": board.estimand},
    )


def shrunk_together(score: Floats, errors: Floats) -> tuple[Floats, float]:
    r"""Return true scores shrunk to the spread that they have without errors, and that spread, :math:`\tau`.

    >>> worth, spread = shrunk_together(np.array([1.0, -1.0]), np.eye(2))  # a variance of 2, of which errors explain 1
    >>> worth.round(4), spread
    (array([ 0.7071, -0.7071]), 1.0)
    """
    k = len(score)
    if k < 2:
        return score.copy(), 0.0
    P = np.eye(k) - 1 / k
    spread = max(0.0, float(score @ P @ score - np.trace(P @ errors)) / (k - 1))
    value, vector = np.linalg.eigh(P @ errors @ P)
    keep = np.sqrt(spread / (spread + np.maximum(value, 0.0))) if spread else np.zeros(k)
    return score.mean() + vector @ (keep * (vector.T @ (P @ score))), float(np.sqrt(spread))


def _luck(worth: Floats, spread: float, errors: Floats, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the mean error of the best of equal variants, and of the best with the estimated true scores."""
    root, hidden = _positive_root(errors), len(errors) - len(worth)
    equal = luck = 0.0
    for size in _sizes(draws):
        noise = rng.standard_normal((size, len(errors))) @ root.T
        more = worth.mean() + spread * rng.standard_normal((size, hidden))
        true = np.concatenate([np.broadcast_to(worth, (size, len(worth))), more], axis=1)
        picked = np.argmax(true + noise, axis=1)
        equal += float(noise.max(axis=1).sum())
        luck += float(noise[np.arange(size), picked].sum())
    return equal / draws, luck / draws


def _critical(
    board: Leaderboard,
    members: list[int],
    others: list[int],
    tested: int,
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> float:
    """Return the simultaneous critical value of all variants, each against all rivals."""
    both, k = [*members, *others], len(members)
    V = board.covariance[np.ix_(both, both)]
    hidden = np.tile(V[:k, k:].mean(axis=0), (tested - k, 1))  # those not shown are like the mean of the others
    across = np.vstack([V[:k, k:], hidden])
    root = _positive_root(np.block([[_errors(V[:k, :k], tested), across], [across.T, V[k:, k:]]]))
    gram = root @ root.T
    variance = variances_of_differences(gram)[:tested, tested:] if others else np.diag(gram)[:tested, None]
    scale = np.divide(1.0, np.sqrt(np.maximum(variance, 0.0)), out=np.zeros_like(variance), where=variance > 0)
    maxima = []
    for size in _sizes(draws):
        noise = root @ rng.standard_normal((len(root), size))
        rivals = noise[tested:] if others else np.zeros((1, size))
        gaps = (np.abs(noise[i] - rivals) * scale[i, :, None] for i in range(tested))
        maxima.append(np.max([gap.max(axis=0) for gap in gaps], axis=0))
    return draws_quantile(level, np.concatenate(maxima)).value


def _errors(V: Floats, tested: int) -> Floats:
    """Return the covariance of the errors of all variants; those not shown have the mean variance and covariance."""
    k = len(V)
    variance = float(np.diag(V).mean())
    shared = float((V.sum() - np.trace(V)) / (k * (k - 1))) if k > 1 else 0.0
    full = np.full((tested, tested), shared)
    np.fill_diagonal(full, variance)
    full[:k, :k] = V
    return full


def _positive_root(V: Floats) -> Floats:
    """Return the symmetric root of the positive part of a covariance."""
    value, vector = np.linalg.eigh(V)
    return (vector * np.sqrt(np.maximum(value, 0.0))) @ vector.T


def _sizes(draws: int) -> list[int]:
    return [min(PART, draws - start) for start in range(0, draws, PART)]


def _board_of_scores(scores: Mapping[str, float], stderr: float | Mapping[str, float] | None) -> Leaderboard:
    """Build a board of scores with independent, known errors."""
    if stderr is None:
        raise UsageError("`stderr` must give the standard errors of the scores; got none. A board has its own.")
    agents = tuple(scores)
    each = stderr if isinstance(stderr, Mapping) else dict.fromkeys(agents, stderr)
    unknown = [name for name in agents if name not in each]
    if unknown:
        raise UsageError(f"`stderr` must have an entry for every agent; {quoted(unknown[0])} has none.")
    error = np.array([float(each[name]) for name in agents])
    wrong = error[~(np.isfinite(error) & (error > 0))]
    if wrong.size:
        raise UsageError(f"`stderr` must be finite and above zero; got {wrong[0]:g}.")
    value = np.array([float(scores[name]) for name in agents])
    return Leaderboard(agents, value, np.diag(error**2), np.full((len(agents),) * 2, np.inf), "scores as given")


def _family_and_rivals(board: Leaderboard, family: Sequence[str], rival: str | None) -> tuple[list[int], list[int]]:
    """Return the members of the family and the rivals to compare with, sorted by name, if their scores have errors."""
    named = [*dict.fromkeys([family] if isinstance(family, str) else family)]
    if not named:
        raise UsageError("`family` must name at least one agent; it names none.")
    names = named if rival is None else [*named, rival]
    require_agents(names, board.agents)
    if rival in named:
        raise UsageError(f"`rival` must stand outside the family; {quoted(rival)} belongs to it.")
    variance = np.diag(board.covariance)
    known = np.isfinite(board.score) & np.isfinite(variance) & (np.nan_to_num(variance, nan=-1.0) > 0)
    place = {name: i for i, name in enumerate(board.agents)}
    for name in names:
        if not known[place[name]]:
            raise DataError(
                f"a lead needs scores with standard errors; {quoted(name)} has no score, or no positive variance."
            )
    rest = [name for name in board.agents if name not in named and known[place[name]]] if rival is None else [rival]
    return [place[name] for name in sorted(named)], [place[name] for name in sorted(rest)]
