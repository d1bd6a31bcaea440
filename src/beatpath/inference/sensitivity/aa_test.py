"""The A/A test: an agent split at random must not differ from itself more often than the level allows."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from scipy.special import bdtrc, ndtri

from beatpath._arrays import Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError
from beatpath._result import Result
from beatpath._text import counted, quoted
from beatpath._validate import generator, require_agents, require_share, require_whole
from beatpath.evidence import Battles
from beatpath.evidence.conventions import ConventionOptions
from beatpath.inference.bootstrap.resampling import battle_units, cluster_column
from beatpath.inference.bootstrap.workers import Progress, results
from beatpath.inference.ranks.differences import estimable, gaussian_equivalent
from beatpath.inference.scores.estimands import leaderboard
from beatpath.inference.sensitivity.clones import free_name

Resolver = Callable[[Battles, str, str], bool]
DOUBT = 0.01  # p-value below which an excess of claims is not attributed to chance


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AATest(Result):
    """How often an agent was found to differ from itself.

    Attributes
    ----------
    agent : str
        Whose battles were split.
    rounds, claimed : int
        Random splits, and those in which a difference was claimed.
    level : float
        The nominal confidence of claims.
    clusters : int
        Clusters of the agent's battles that were split; its battles without clusters.
    settings : mapping
        All settings.
    """

    derived: ClassVar = ("share", "chance", "passed")

    agent: str
    rounds: int
    claimed: int
    level: float
    clusters: int
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Share of splits in which a difference was claimed."""
        return self.claimed / self.rounds

    @property
    def chance(self) -> float:
        """Probability of at least this many claims if each split had at most ``1 - level``."""
        return float(bdtrc(self.claimed - 1, self.rounds, 1 - self.level)) if self.claimed else 1.0

    @property
    def passed(self) -> bool:
        """Whether the number of claims is consistent with the level."""
        return self.chance >= DOUBT

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result, as a sentence."""
        allowed = f"{100 * (1 - self.level):.3g} %"
        text = (
            f"Split in two at random, {quoted(self.agent)} was distinguished from itself in {self.claimed:,} of "
            f"{counted(self.rounds, 'split')} ({100 * self.share:.3g} %)"
        )
        if self.passed:
            return (f"{text}; claims at a level of {100 * self.level:.3g} % may be wrong in {allowed}.",)
        bold = f"more often than the {allowed} that a level of {100 * self.level:.3g} % allows: such claims are overconfident"
        advice = "Correlated battles may have been treated as independent; name their column as `cluster`."
        return (f"{text}, {bold}. {advice}",)


def aa_test(
    evidence: EvidenceLike,
    agent: str | None = None,
    *,
    resolver: Resolver | None = None,
    cluster: str | None = "auto",
    rounds: int = 200,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
    **conventions: Unpack[ConventionOptions],
) -> AATest:
    """Split one agent's battles at random in two, and count how often the halves are found to differ (A/A test).

    Use it to check that standard errors are valid on your data: false positives well above ``1 - level`` mean that
    battles are more dependent than the clusters allow for.

    Parameters
    ----------
    evidence : Battles, or what `read` takes
        The data.
    agent : str, optional
        By default the one with the most battles.
    resolver : function of battles and two names, optional
        Whether a difference between the two agents is claimed. By default their shares of battles won are compared,
        with cluster-robust standard errors: see `false_orders`.
    cluster : str, None or "auto"
        The column whose battles stay together in one half. "auto" takes the column ``cluster`` if there is one.
    rounds : int, default 200
        Random splits.
    level : float, default 0.95
        The confidence of a claim.
    seed : int, default 0
        Seed of the splits.
    progress : function of rounds done and rounds in all, optional
        Called after every round.
    **conventions
        As for `leaderboard`.

    Returns
    -------
    AATest

    Examples
    --------
    >>> rows = [("ada", "bob", float(i % 3 > 0)) for i in range(60)]
    >>> result = aa_test(Battles.of(rows), "ada", rounds=100)
    >>> result.passed, result.clusters
    (True, 60)

    A resolver that treats any observed difference as real fails.

    >>> def shares(evidence, name):
    ...     return evidence.outcome[evidence.a == evidence.agents.index(name)].mean()
    >>> aa_test(Battles.of(rows), "ada", rounds=100, resolver=lambda t, x, y: shares(t, x) != shares(t, y)).passed
    False
    """
    require_whole("rounds", rounds)
    require_share("level", level)
    rng = generator(seed)
    battles, column, units = battles_by_cluster(evidence, cluster, "splitting an agent's battles")
    name = _agent_to_split(battles, agent)
    resolver = resolver or false_orders(cluster=column, level=level, **conventions)
    groups = _clusters_of_agent(battles, name, units)
    claims = results(lambda _: bool(resolver(*split(battles, name, groups, rng))), range(rounds), 1, progress)
    settings = {"cluster": column, "seed": seed, **conventions}
    return AATest(name, rounds, sum(claims), level, int(groups.max()) + 1, settings)


def battles_by_cluster(evidence: EvidenceLike, cluster: str | None, purpose: str) -> tuple[Battles, str | None, Ints]:
    """Return the battles, the column whose battles stay together, and the cluster of each battle; raise without battles."""
    battles = as_evidence(evidence)
    if not isinstance(battles, Battles):
        raise DataError(f"{purpose} needs battles row by row; counts, ballots and scores have none.")
    column = cluster_column(battles, cluster)
    return battles, column, battle_units(battles, column)


def false_orders(
    *, cluster: str | None = "auto", level: float = 0.95, **conventions: Unpack[ConventionOptions]
) -> Resolver:
    """Return a resolver that compares two agents' shares of battles won, with cluster-robust standard errors.

    It claims a difference when the confidence interval excludes zero; none where the variance is not positive.
    """
    critical = float(ndtri((1 + level) / 2))

    def resolver(battles: Battles, first: str, second: str) -> bool:
        two = [battles.agents.index(first), battles.agents.index(second)]
        theirs = battles.take(np.isin(battles.a, two) | np.isin(battles.b, two))
        board = leaderboard(theirs, estimand="as_sampled", cluster=cluster, **conventions)
        here = two[0], two[1]
        if not estimable(board)[here]:
            return False
        t = board.differences[here] / np.sqrt(board.variance_if_equal[here])
        return bool(np.abs(gaussian_equivalent(t, board.df[here])) > critical)

    return resolver


def split(battles: Battles, agent: str, groups: Ints, rng: np.random.Generator) -> tuple[Battles, str, str]:
    """Return the battles with an agent split in two, half of its groups to each, and the two names.

    Parameters
    ----------
    battles : Battles
        The data.
    agent : str
        The agent to split.
    groups : (t,) int
        The group of every battle of the agent, from 0; -1 for the others.
    rng : Generator
        Random numbers.

    Examples
    --------
    >>> battles = Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("bob", "cyd", 1)])
    >>> parts, first, second = split(battles, "ada", np.array([0, 1, -1]), np.random.default_rng(0))
    >>> first, second, sorted(np.bincount(np.append(parts.a, parts.b), minlength=4))
    ('ada (1)', 'ada (2)', [np.int64(1), np.int64(1), np.int64(1), np.int64(3)])
    """
    number = int(groups.max()) + 1
    second_half = np.zeros(number + 1, dtype=bool)
    second_half[rng.permutation(number)[: number // 2]] = True
    moved = second_half[groups] & (groups >= 0)
    x, new = battles.agents.index(agent), len(battles.agents)
    others = [name for name in battles.agents if name != agent]
    first = free_name(f"{agent} (1)", others)
    second = free_name(f"{agent} (2)", others)
    names = tuple(first if name == agent else name for name in battles.agents)
    parts = replace(
        battles,
        agents=(*names, second),
        a=np.where(moved & (battles.a == x), new, battles.a),
        b=np.where(moved & (battles.b == x), new, battles.b),
    )
    return parts, first, second


def _clusters_of_agent(battles: Battles, agent: str, units: Ints) -> Ints:
    """Return the cluster of every battle of the agent, unnamed ones separate; -1 for battles of others."""
    x = battles.agents.index(agent)
    its = np.flatnonzero((battles.a == x) | (battles.b == x))
    distinct, place = np.unique(units[its], return_inverse=True)
    if len(distinct) < 4:
        raise DataError(
            f"two halves need two clusters of battles each, or their standard errors cannot be determined; {quoted(agent)} has "
            f"{counted(len(distinct), 'cluster')}. Choose another agent, or another `cluster`."
        )
    groups = np.full(len(battles), -1, dtype=np.int64)
    groups[its] = place
    return groups


def _agent_to_split(battles: Battles, agent: str | None) -> str:
    """Return the agent requested, or the one with the most battles; ties by name."""
    if agent is None:
        met = np.bincount(np.append(battles.a, battles.b), minlength=len(battles.agents))
        return min(battles.agents, key=lambda name: (-met[battles.agents.index(name)], name))
    require_agents([agent], battles.agents)
    return agent
