r"""How first place depends on the mixture of three contexts or more.

Mixtures *q* are drawn evenly from all there are, :math:`q \sim \mathrm{Dirichlet}(1, \dots, 1)`. In every one somebody has the highest
score, and some may be first: nobody is certainly above them, by Bonferroni's inequality over all pairs of that board, as on the ways to single
contexts. It needs no simulation, so that a thousand boards are looked at together, and says "may be" rather too often than too seldom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from beatpath._arrays import Bools, Floats, Ints
from beatpath._text import counted, listed, percent, quoted
from beatpath.inference.contexts.context_boards import ContextStrengths
from beatpath.inference.contexts.first_by_mixture import FirstByMixture, Ranked, first_by_mixture
from beatpath.inference.leaderboard import variances_of_differences
from beatpath.inference.ranks.differences import estimable_differences, gaussian_equivalent

MIXTURES = 1000
STEPS = 6  # of a way from all alike to one context
CELLS = 1 << 15  # differences of mixed boards that are looked at together


@dataclass(frozen=True, slots=True, eq=False)
class FirstOverMixtures:
    """The share of mixtures in which an agent is first, and the ways from all contexts alike to one of them.

    Parameters
    ----------
    mixtures, seed : int
        How many were drawn, and from which seed.
    first, may_be_first : mapping of agent to float
        The share of mixtures in which it has the highest score, and in which it may be first; of agents of whom the latter is ever so,
        most often first.
    ways : tuple of FirstByMixture
    """

    mixtures: int
    seed: int
    first: Mapping[str, float]
    may_be_first: Mapping[str, float]
    ways: tuple[FirstByMixture, ...]

    @property
    def sentence(self) -> str:
        """Who is first in how many mixtures, in words."""
        drawn = f"Of {self.mixtures:,} mixtures drawn evenly from all there are"
        most = [name for name, share in self.first.items() if share > 0][:3]
        said = listed_shares([(name, self.first[name]) for name in most])
        rest = sum(share > 0 for share in self.first.values()) - len(most)
        more = f", and {counted(rest, 'more agent')} in the rest" if rest else ""
        always = [name for name, share in self.may_be_first.items() if share == 1]
        kept = f"{listed(always, 4)} may be first in every one" if always else "nobody may be first in every one"
        return f"{drawn}, the highest score is that of {said}{more}; {kept}."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "mixtures": self.mixtures,
            "seed": self.seed,
            "agents": [
                {"agent": agent, "first": share, "may_be_first": self.may_be_first[agent]}
                for agent, share in self.first.items()
            ],
            "ways": [one.to_dict() for one in self.ways],
        }


def listed_shares(shares: Sequence[tuple[str, float]]) -> str:
    """Return who has which share of the mixtures.

    >>> listed_shares([("ada", 0.75), ("bob", 0.25)])
    "'ada' in 75 % and 'bob' in 25 %"
    """
    parts = [f"{quoted(name)} in {percent(share)}" for name, share in shares]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def first_over_mixtures(
    strengths: ContextStrengths,
    contexts: Sequence[str],
    ranked: Ranked,
    *,
    level: float = 0.95,
    simultaneous: bool = True,
    seed: int = 0,
    mixtures: int = MIXTURES,
) -> FirstOverMixtures:
    """Return in how many mixtures everybody is first, and the ways to some contexts.

    Parameters
    ----------
    strengths : ContextStrengths
    contexts : sequence of str
        To which ways lead.
    ranked : function of Leaderboard
        Which ranks a board leaves open, on the ways to contexts.
    level : float
    simultaneous : bool
        Whether everything about a board holds at once, or what is said of each agent by itself.
    seed, mixtures : int
    """
    names, agents = strengths.data.contexts, strengths.data.agents
    drawn = np.random.default_rng(seed).dirichlet(np.ones(len(names)), mixtures)
    score = np.where(strengths.data.part == 0, drawn @ strengths.score, -np.inf)
    top = score >= score.max(axis=1, keepdims=True) - 1e-12
    first = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    degrees = np.inf if strengths.data.levels is None else strengths.data.levels.degrees
    part, some = strengths.data.part, np.array_split(drawn, -(-mixtures * len(agents) ** 2 // CELLS))
    open_to = np.concatenate(
        [may_be_first(q @ strengths.score, strengths.covariances(q), degrees, part, level, simultaneous) for q in some]
    ).sum(axis=0)
    may = dict(zip(agents, open_to.tolist(), strict=True))
    share = dict(zip(agents, first.tolist(), strict=True))
    order = sorted((name for name in agents if may[name]), key=lambda name: (-share[name], -may[name], name))
    return FirstOverMixtures(
        mixtures,
        seed,
        {name: share[name] for name in order},
        {name: may[name] / mixtures for name in order},
        tuple(first_by_mixture(strengths, context, None, ranked, STEPS) for context in contexts),
    )


def may_be_first(
    score: Floats, covariance: Floats, df: ArrayLike, part: Ints, level: float, simultaneous: bool = True
) -> Bools:
    """Return who of the largest part has nobody certainly above, by Bonferroni's inequality; as `rank_sets` by that method.

    Parameters
    ----------
    score : (m, n) float
        Of many boards.
    covariance : (m, n, n) float
    df : float or (n, n) float
        Degrees of freedom of differences.
    part : (n,) int
        Of every agent; only agents of one part are compared.
    level : float
    simultaneous : bool

    Returns
    -------
    (m, n) bool

    Examples
    --------
    >>> may_be_first(np.array([[0.8, 0.79, 0.5]]), 1e-4 * np.eye(3)[None], np.inf, np.zeros(3, dtype=int), 0.95).tolist()
    [[True, True, False]]
    """
    used = estimable_differences(score, covariance, df) & (part[:, None] == part)
    hypotheses = used.sum(axis=(1, 2))[:, None] if simultaneous else 2 * used.sum(axis=2)
    critical = -ndtri((1 - level) / np.maximum(hypotheses, 1))
    ahead = score[:, :, None] - score[:, None, :]
    used &= ahead > 0
    board, _, below = np.nonzero(used)
    t = ahead[used] / np.sqrt(variances_of_differences(covariance)[used])
    z = gaussian_equivalent(t, np.broadcast_to(df, used.shape)[used])
    beaten = np.zeros(score.shape, dtype=bool)
    beyond = z > np.broadcast_to(critical, score.shape)[board, below]
    beaten[board[beyond], below[beyond]] = True
    return np.asarray(~beaten & (part == 0))
