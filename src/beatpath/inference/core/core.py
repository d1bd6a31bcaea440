"""`core`: the undominated agents, the probability that each agent is among them, and which results decide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Bools, Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence, is_readable
from beatpath._errors import DataError, UsageError
from beatpath._memory import require_memory
from beatpath._progress import doing
from beatpath._text import counted, quoted
from beatpath._threads import threads_for
from beatpath._validate import require_few
from beatpath.evidence import Convention, Evidence, Margins, Pairs, WinRates
from beatpath.evidence.arrays import agent_names
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence.select import columns_by_role
from beatpath.evidence.ties import ROUNDING
from beatpath.evidence_design.field import profile_among, unplaced_sentence
from beatpath.inference.core.core_posterior import COMPLETE, CUT, CorePosterior, core_posterior
from beatpath.inference.core.core_result import (
    Core,
    CoreSet,
    side_by_side,
    undetermined_top_cycle,
    undetermined_uncovered_set,
)
from beatpath.inference.core.estimated_edges import (
    DesignEffect,
    effect_of_clusters,
    estimated_edges,
    observed_with_effect,
)
from beatpath.inference.leaderboard import connected_parts
from beatpath.inference.options import AUTO, placed_alone
from beatpath.inference.ranking.rank import takes_estimate
from beatpath.inference.win_rates.estimate import MOST_AGENTS
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import method_named
from beatpath.methods.run import ranking
from beatpath.methods.soft_core.edges import EDGES, Edges, edges_from_array, edges_from_pairs
from beatpath.methods.soft_core.operators import (
    reachability,
    require_reach,
    require_temperature,
    soft_top_cycle,
    soft_uncovered_set,
)
from beatpath.methods.soft_core.sparse import is_sparse, sparse_core
from beatpath.methods.tournament.solutions import top_cycle, uncovered_set

MOST_SPARSE, MOST_TABLE = 40_000, 2_000  # most agents for a core where few pairs were compared, and where most were
MOST_POSTERIOR, MOST_POSTERIOR_PAIRS = 1_500, 200_000  # most agents and compared pairs for the core posterior
# Printed instead of the posterior where there are more agents or pairs than that.
NO_POSTERIOR = (
    f"The core posterior is computed for at most {MOST_POSTERIOR:,} agents and {MOST_POSTERIOR_PAIRS:,} compared pairs; keep fewer "
    "agents for it."
)
# the remedy that errors about too many agents end with
FEWER = "Choose agents with `--only` or keep those with more battles (`--min-agent-battles`)."
# Printed with a sparse core: what it leaves out.
SPARSE = (
    "With so many agents only compared pairs have edges, and the core posterior, the effect of pairs that were not compared and "
    "witnesses are not computed; keep fewer agents for these."
)
# Printed with a sparse core of neutral edges: how scores differ from those of fewer agents.
NOT_NEUTRAL = (
    "A pair that was not compared directly has no edge here. Among fewer agents it has two even edges, which can move scores by one "
    "half; with posterior edges it has none in either case."
)

Cluster = str | Sequence[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreOptions:
    """How edges of a core are built and members scored; see `core`, which has the same names."""

    edges: str = "auto"
    missing_pairs: str = "neutral"
    tau: float = 0.05
    gamma: float = 0.05
    reach: str = "max-min"
    max_length: int | None = None

    def __post_init__(self) -> None:
        require_temperature("tau", self.tau)
        require_temperature("gamma", self.gamma)
        require_reach(self.reach, self.max_length)

    def shown(self, conventions: tuple[Convention, ...]) -> dict[str, Any]:
        """Return the settings that a core reports: kind of edges, temperatures and form of reachability."""
        values = {one.name: one.value for one in conventions}
        return values | {name: getattr(self, name) for name in ("tau", "gamma", "reach", "max_length")}


DEFAULT = CoreOptions()  # the options of `core` by default


def core(
    evidence: EvidenceLike | ArrayLike,
    *,
    agents: Sequence[str] | None = None,
    edges: str = "auto",
    missing_pairs: str = "neutral",
    tau: float = 0.05,
    gamma: float = 0.05,
    reach: str = "max-min",
    max_length: int | None = None,
    cluster: str | Sequence[str] | None = "auto",
    field: str = AUTO,
    **conventions: Unpack[ConventionOptions],
) -> Core:
    """Find the undominated agents: the top cycle (Smith set) and the uncovered set, hard and soft.

    Use it where preferences are intransitive and no single agent beats all others. Where a Condorcet winner exists, it
    is the core. Each connected component has its own core.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, WinRates, or (n, n) array, or what `read` takes
        The data. A plain array holds the probability of the row to beat the column.
    agents : sequence of str, optional
        Names of the rows of a plain array; "agent 1" and so on by default.
    edges : {"auto", "estimated", "posterior", "empirical", "weighted", "given"}
        How soft edges are built. "auto" is "estimated" for battles and pair counts: the probability that an agent is
        above a rival, by the joint estimate of all win rates (`win_matrix`), which also decides majorities. The forms
        of the papers (see `edges_from_pairs`) use majorities of the counts. With ``matrix="raw"``, and for ballots and
        score tables, "auto" is "posterior"; it is "empirical" for win rates and "given" for a plain array.
    missing_pairs : {"neutral", "absent", "imputed"}
        The edges of a pair never compared directly where edges are not estimated; other than "neutral" needs counts.
    tau, gamma : float, default 0.05
        Temperatures of the edges and of soft minima and maxima, above zero; smaller is closer to the hard sets.
        Posterior edges need no `tau`.
    reach : {"max-min", "smooth", "noisy-or"}
        The form of reachability; see `reachability`.
    max_length : int, optional
        Most edges on a path; unlimited by default. The hard top cycle has no such limit.
    cluster : str, two of them, None or "auto"
        The columns whose battles are dependent, as for `win_rate_inference`. The core posterior divides counts by the
        design effect, and allows for errors that all battles of an agent share.
    field : {"auto", "all"}
        Whether agents with too little data, by the rule of `resolve`, are left out and named, or all are included.
    **conventions
        As for `rank`: ties, both_bad, unranked, missing, per, tolerance, weights, matrix.

    Returns
    -------
    Core

    See Also
    --------
    core_by : Cores by context.
    cycles : Significant three-cycles.
    resolve : Ranks and claims.

    Examples
    --------
    Example H.1 of Soft Tournament Equilibrium, whose printed scores use noisy-or reachability.

    >>> P = [[0.5, 0.7, 0.6, 0.9], [0.3, 0.5, 0.8, 0.7], [0.4, 0.2, 0.5, 0.6], [0.1, 0.3, 0.4, 0.5]]
    >>> result = core(P, agents=["A", "B", "C", "D"], reach="noisy-or", max_length=3)
    >>> print(result)
    The core is 'A' alone, which beats every rival.
    >>> [round(score, 3) for score in result.top_cycle.scores.values()]
    [0.994, 0.204, 0.159, 0.044]
    >>> [round(score, 3) for score in result.uncovered_set.scores.values()]
    [0.991, 0.16, 0.123, 0.031]

    Notes
    -----
    The scores cost one max-min pass of :math:`O(n^3)` and a few matrix products. With more than 2,000 agents and at
    most one pair in ten compared, `sparse_core` is used, unless `missing_pairs`, `reach` or `max_length` need all
    pairs: a pair never compared directly then has no edge, and there is no core posterior, no witness and no list of
    pairs to play. The conventions and notes of the result say so.
    """
    options = CoreOptions(
        edges=edges, missing_pairs=missing_pairs, tau=tau, gamma=gamma, reach=reach, max_length=max_length
    )
    if isinstance(evidence, np.ndarray | list | tuple) and not is_readable(evidence):
        array_edges = _edges_from_array(evidence, agents, edges, conventions)
        rate = (array_edges.probability.sum(axis=1) - 0.5) / max(1, len(array_edges.agents) - 1)
        return core_of(array_edges, majority_leads(array_edges, array_edges.present), rate, options)
    if agents is not None:
        raise UsageError("`agents` name the rows of a plain array; evidence brings its own names.")
    chosen = Conventions.of(**conventions)
    evidence, unplaced = placed_alone(as_evidence(evidence), field)  # type: ignore[arg-type, type-var]
    result = core_of_profile(profile_of(evidence, chosen), options, columns_by_role(evidence, cluster))
    return replace(result, notes=(*unplaced_note(evidence, unplaced), *result.notes))


def unplaced_note(evidence: Evidence, unplaced: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence that names the agents with too little data; none where all are placed."""
    follows = f"The core is of the {len(evidence.agents):,} others"
    return (unplaced_sentence(unplaced, follows),) if unplaced else ()


def core_of_profile(profile: Profile, options: CoreOptions = DEFAULT, cluster: Cluster | DesignEffect = "auto") -> Core:
    """Return the core of a profile; `cluster` is that of `core`, or a known design effect."""
    _require_few(profile)
    doing("counting the battles of every pair")
    settled = _settled_counts(profile).unweighted()
    doing("finding the core")
    if not isinstance(profile.source, WinRates):
        part = connected_parts(
            len(profile.agents), *(codes[settled.counts.any(axis=1)] for codes in (settled.a, settled.b))
        )
        if part.any():
            return _by_components(profile, part, options, cluster)
    with threads_for(len(profile.agents)):
        return _core_of_connected(profile, settled, options, cluster)


def _by_components(profile: Profile, part: Ints, options: CoreOptions, cluster: Cluster | DesignEffect) -> Core:
    """Return the cores of all connected components as one result."""
    cores = []
    for members in np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))[:-1]):
        own = profile_among(profile, (profile.agents[i] for i in members))
        chosen = options if len(members) > 1 else replace(options, edges=AUTO)  # a single agent needs no estimate
        cores.append(_core_of_connected(own, _settled_counts(own).unweighted(), chosen, cluster))
    return side_by_side(profile.agents, tuple(cores), profile.conventions)


def _core_of_connected(profile: Profile, settled: Pairs, options: CoreOptions, cluster: Cluster | DesignEffect) -> Core:
    """Return the core of connected agents."""
    if _takes_estimate(profile, settled, options):
        return _on_estimate(profile, settled, options, cluster)
    kind = _edge_kind(profile, options.edges)
    all_paths = (options.reach, options.max_length) == ("max-min", None)
    if options.missing_pairs in ("neutral", "absent") and all_paths and is_sparse(settled):
        return _sparse(profile, settled, kind, options)
    _require_table(len(settled.agents))
    soft_edges = edges_from_pairs(settled, edges=kind, missing=options.missing_pairs)
    if isinstance(profile.source, WinRates):
        return _on_counts(profile, settled, soft_edges, options, None)
    effect = cluster if isinstance(cluster, DesignEffect) else effect_of_clusters(profile, cluster)
    return _on_counts(profile, settled, soft_edges, options, effect)


def _require_few(profile: Profile) -> None:
    """Raise, before counting, for more agents than a core can be computed for quickly."""
    n, ballots = len(profile.agents), profile.ballots
    require_few(n, MOST_SPARSE, "a core is computed for at most {} agents", FEWER)
    if ballots is not None and ballots.is_long:
        _require_table(n)
    if n > MOST_TABLE:
        require_memory(n * n / 6, f"reachability tables of {n:,} agents", FEWER)


def _require_table(n: int) -> None:
    """Raise where an n x n table would be too large for strongest paths."""
    require_few(n, MOST_TABLE, "where most pairs were compared, a core is computed for at most {} agents", FEWER)


def _takes_estimate(profile: Profile, settled: Pairs, options: CoreOptions) -> bool:
    """Return whether the core uses estimated win rates."""
    edges, missing_pairs = options.edges, options.missing_pairs
    able = takes_estimate(profile) and bool(settled.counts.any())
    if edges == "estimated" and not able:
        raise UsageError(
            "`edges` can be 'estimated' for battles and pair counts with some battle, of at most "
            f"{MOST_AGENTS:,} agents, and not with `matrix='raw'`."
        )
    if profile.chosen.matrix == "estimated" and (edges not in ("auto", "estimated") or missing_pairs != "neutral"):
        raise UsageError(
            f"`matrix='estimated'` has a win rate for every pair, so `edges` and `missing_pairs` must be left out; got {quoted(edges)} and {quoted(missing_pairs)}."
        )
    return able and edges in ("auto", "estimated") and missing_pairs == "neutral"


def _on_estimate(profile: Profile, settled: Pairs, options: CoreOptions, cluster: Cluster | DesignEffect) -> Core:
    """Return the core of estimated win rates; errors, design effect and scores use the same clusters."""
    from beatpath.inference.matrix.win_matrix import matrix_of_profile

    observed, effect = observed_with_effect(profile, None if isinstance(cluster, DesignEffect) else cluster)
    effect = cluster if isinstance(cluster, DesignEffect) else effect
    estimate = estimated_edges(matrix_of_profile(profile, observed))
    result = core_of(estimate.edges, estimate.margins, estimate.win_rate, options)
    return _with_counts(replace(result, resolved=estimate.resolved), profile, settled, effect)


def core_of(edges: Edges, margins: Margins, win_rate: Floats, options: CoreOptions) -> Core:
    """Return the core of edges and of the margins behind them; `played` marks margins that rest on evidence."""
    D = edges.strength(options.tau)
    R = reachability(D, reach=options.reach, gamma=options.gamma, max_length=options.max_length)
    assert margins.played is not None
    known = replace(margins, matrix=np.where(margins.played, margins.matrix, 0.0))
    open_ = (undetermined_top_cycle(known), undetermined_uncovered_set(known))
    return Core(
        edges.agents,
        _core_set(edges.agents, top_cycle(margins), soft_top_cycle(R, options.gamma)),
        _core_set(edges.agents, uncovered_set(margins), soft_uncovered_set(D, options.gamma)),
        win_rate=dict(zip(edges.agents, win_rate.tolist(), strict=True)),
        undetermined=tuple(one for one in open_ if one.agents),
        margins=margins,
        settings=options.shown(edges.conventions),
        conventions=edges.conventions,
    )


def majority_leads(edges: Edges, met: Bools) -> Margins:
    """Return margins ``2 p - 1`` with ties at zero.

    >>> majority_leads(edges_from_array([[0.5, 0.7], [0.3, 0.5]], ("ada", "bob")), ~np.eye(2, dtype=bool)).matrix.round(1)
    array([[ 0. ,  0.4],
           [-0.4,  0. ]])
    """
    lead = 2 * edges.probability - 1
    lead[np.abs(lead) <= ROUNDING] = 0.0
    upper = np.triu(lead, 1)
    return Margins(upper - upper.T, edges.agents, met, allowed=ROUNDING)


def _on_counts(
    profile: Profile, settled: Pairs, edges: Edges, options: CoreOptions, effect: DesignEffect | None
) -> Core:
    """Return the core of majorities of counts, as in the papers."""
    met = np.zeros((len(profile.agents),) * 2, dtype=bool)
    battles = settled.counts[:, :2].sum(axis=1)
    met[settled.a[battles > 0], settled.b[battles > 0]] = True
    met |= met.T
    leads = majority_leads(edges, met)
    margins = replace(leads, matrix=np.where(met, profile.margins.matrix, leads.matrix))
    return _with_counts(core_of(edges, margins, share_won(settled), options), profile, settled, effect)


def _with_counts(result: Core, profile: Profile, settled: Pairs, effect: DesignEffect | None) -> Core:
    """Add what counts say to a core: posterior, Bradley-Terry and win rates; nothing without counts."""
    strength, notes = _bradley_terry(profile)
    many = len(settled.agents) > MOST_POSTERIOR or len(settled) > MOST_POSTERIOR_PAIRS
    posterior = None
    if effect is not None and many:
        notes = (*notes, NO_POSTERIOR)
    elif effect is not None:
        posterior = core_posterior(settled, design_effect=effect.value, shared_error=effect.shared)
    return replace(
        result,
        posterior=posterior,
        bradley_terry=strength,
        conventions=(*profile.conventions, *result.conventions),
        notes=(*notes, *_posterior_notes(posterior, effect)),
    )


def _posterior_notes(posterior: CorePosterior | None, effect: DesignEffect | None) -> tuple[str, ...]:
    """Return notes on the design effect, and on where the posterior search was cut short."""
    clusters = () if effect is None or effect.note is None else (effect.note,)
    if posterior is None or posterior.status == COMPLETE:
        return clusters
    start = "In the core posterior" if posterior.status.startswith(CUT) else "Core posterior:"
    return (*clusters, f"{start} {posterior.status}.")


def _sparse(profile: Profile, settled: Pairs, edges: str, options: CoreOptions) -> Core:
    """Return the core where agents are so many that only pairs compared directly have edges."""
    sparse = sparse_core(settled, edges=edges, tau=options.tau, gamma=options.gamma)
    strength, notes = _bradley_terry(profile)
    if edges != "posterior" and options.missing_pairs == "neutral":
        notes = (NOT_NEUTRAL, *notes)
    return Core(
        sparse.agents,
        _core_set(sparse.agents, sparse.top_cycle, sparse.top_cycle_score),
        _core_set(sparse.agents, sparse.uncovered_set, sparse.uncovered_set_score),
        win_rate=dict(zip(sparse.agents, share_won(settled).tolist(), strict=True)),
        bradley_terry=strength,
        settings=options.shown(sparse.conventions),
        conventions=(*profile.conventions, *sparse.conventions),
        notes=(f"{SPARSE} Here {len(settled):,} pairs were compared, with {counted(sparse.n_edges, 'edge')}.", *notes),
    )


def _edges_from_array(P: ArrayLike, agents: Sequence[str] | None, edges: str, conventions: Mapping[str, Any]) -> Edges:
    """Return the edges of a plain array; raise for other input, or for options that need evidence."""
    if edges not in ("auto", "given") or conventions:
        name = quoted(next(iter(conventions))) if conventions else f"edges={quoted(edges)}"
        raise UsageError(
            f"an array of win probabilities is used as it is, so options of evidence must be left out; got {name}. They apply to counts: give `Pairs`."
        )
    try:
        matrix = np.array(P, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"win probabilities must be a square array of numbers; {error}.") from None
    if matrix.ndim != 2 or not len(matrix):
        raise DataError(f"win probabilities must be a square array with one row per agent; got shape {matrix.shape}.")
    names = [f"agent {i}" for i in range(1, len(matrix) + 1)] if agents is None else agents
    return edges_from_array(matrix, agent_names(names))


def _settled_counts(profile: Profile) -> Pairs:
    if profile.settled is None:
        raise DataError(
            "a core with scores needs win probabilities, or counts that give them; margins give neither. Use battles, "
            "pairs, win rates or a matrix of probabilities; `top_cycle` takes margins as they are."
        )
    return profile.settled


def _edge_kind(profile: Profile, edges: str) -> str:
    """Return the kind of edge that "auto" means, or the one named if the evidence allows it."""
    rates = isinstance(profile.source, WinRates)
    if edges == "auto":
        return "empirical" if rates else "posterior"
    if rates and edges in EDGES and edges != "empirical":
        raise UsageError(f"`edges` must be empirical for win rates, which have no counts; got {quoted(edges)}.")
    return edges


def _bradley_terry(profile: Profile) -> tuple[Mapping[str, float] | None, tuple[str, ...]]:
    try:
        fit = ranking(profile, method_named("bradley_terry"), {})
    except DataError as error:
        return None, (f"No Bradley-Terry strengths: {error}",)
    return dict(fit.scores), ()


def share_won(settled: Pairs) -> Floats:
    """Return the share of its battles that each agent won, NaN without any.

    >>> share_won(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))
    array([0.75, 0.25])
    """
    n = len(settled.agents)
    won = np.bincount(settled.a, settled.counts[:, 0], n) + np.bincount(settled.b, settled.counts[:, 1], n)
    lost = np.bincount(settled.a, settled.counts[:, 1], n) + np.bincount(settled.b, settled.counts[:, 0], n)
    return np.divide(won, won + lost, out=np.full(n, np.nan), where=won + lost > 0)


def _core_set(agents: tuple[str, ...], inside: Bools, score: Floats) -> CoreSet:
    members = sorted(name for name, yes in zip(agents, inside, strict=True) if yes)
    return CoreSet(tuple(members), dict(zip(agents, score.tolist(), strict=True)))
