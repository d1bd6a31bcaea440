r"""How first place depends on the mixture of three contexts or more.

Mixtures *q* are drawn evenly from all there are, :math:`q \sim \mathrm{Dirichlet}(1, \dots, 1)`. In every one somebody has the highest
score, and some may be first: nobody is certainly above them, by Bonferroni's inequality over all pairs of that board, as on the ways to single
contexts. It needs no simulation, so that a thousand boards take half a second, and says "may be" rather too often than too seldom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._text import counted, listed, percent, quoted
from beatpath.inference.contexts.context_boards import ContextStrengths
from beatpath.inference.contexts.first_by_mixture import FirstByMixture, Ranked, first_by_mixture
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import estimable, z_scores

MIXTURES = 1000
STEPS = 6  # of a way from all alike to one context


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
    boards = (strengths.board(dict(zip(names, q, strict=True))) for q in drawn.tolist())
    open_to = sum(
        (may_be_first(board, level, simultaneous).astype(np.int64) for board in boards), np.zeros(len(agents))
    )
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


def may_be_first(board: Leaderboard, level: float, simultaneous: bool = True) -> NDArray[np.bool_]:
    """Return who of the largest part has nobody certainly above, by Bonferroni's inequality; as `rank_sets` by that method.

    >>> known = np.full((3, 3), np.inf)
    >>> board = Leaderboard(("ada", "bob", "cyd"), np.array([0.8, 0.79, 0.5]), 1e-4 * np.eye(3), known, "mean score")
    >>> may_be_first(board, 0.95).tolist()
    [True, True, False]
    """
    used = estimable(board) & board.together
    families = np.full(len(used), used.sum()) if simultaneous else 2 * used.sum(axis=1)
    critical = np.array([bonferroni(level, int(hypotheses)).value for hypotheses in families])
    beaten = (z_scores(board, used) > critical).any(axis=0)  # the column's agent by the row's
    return np.asarray(~beaten & (board.parts == 0))
