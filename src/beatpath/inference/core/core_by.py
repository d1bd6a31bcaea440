"""`core_by`: cores by task, category or environment, and of a mixture of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._result import TableResult
from beatpath._text import counted, listed, quoted
from beatpath._typing import Matrix
from beatpath._validate import mixture_shares, require_contexts
from beatpath.evidence import Battles, Convention, Evidence, Margins, Pairs, Scores, WinRates
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence.pairs import win_matrix
from beatpath.evidence.select import columns_by_role, present_agents, renumbered
from beatpath.inference.core.core import CoreOptions, core_of, core_of_profile, majority_leads, unplaced_note
from beatpath.inference.core.core_result import Core
from beatpath.inference.core.estimated_edges import DesignEffect, effect_of_clusters
from beatpath.inference.options import AUTO, placed_alone
from beatpath.methods.profile import profile_of, weighted
from beatpath.methods.soft_core.edges import MISSING, Edges

# the convention of a mixture, as results state it
MIXED = "win probabilities of the contexts, mixed; a pair is mixed over the contexts in which it was compared"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cores(TableResult):
    """The core of each context, and of a mixture where one was requested.

    Attributes
    ----------
    by : str
        The column that defines contexts.
    contexts : mapping of str to Core
        Sorted by name; each has only the agents that occur in it.
    comparisons : mapping of str to float
        Number of comparisons in each context, by weight.
    mixture : Core or None
        Of the mixed win probabilities, over the agents that occur in the contexts mixed.
    weights : mapping of str to float
        Weights of the mixture, which sum to one; empty without one.
    notes : tuple of str
        Caveats.
    """

    by: str
    contexts: Mapping[str, Core]
    comparisons: Mapping[str, float]
    mixture: Core | None = None
    weights: Mapping[str, float] | None = None
    notes: tuple[str, ...] = ()

    def __getitem__(self, context: str) -> Core:
        """Return the core of one context, or raise with the known contexts."""
        require_contexts([context], self.contexts, self.by)
        return self.contexts[context]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The core of each context, and of the mixture, as sentences."""
        sentences = [f"{quoted(name)}: {' '.join(result.sentences)}" for name, result in self.contexts.items()]
        return tuple(
            sentences if self.mixture is None else [*sentences, f"mixture: {' '.join(self.mixture.sentences)}"]
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per context and agent."""
        cores = [("own", name, core) for name, core in self.contexts.items()]
        cores += [] if self.mixture is None else [("mixture", "all, mixed", self.mixture)]
        return [{self.by: name, "context": kind, **row} for kind, name, core in cores for row in core.rows()]


def core_by(
    evidence: EvidenceLike,
    by: str,
    *,
    mix: Mapping[str, float] | None = None,
    edges: str = "auto",
    missing_pairs: str = "neutral",
    tau: float = 0.05,
    gamma: float = 0.05,
    reach: str = "max-min",
    max_length: int | None = None,
    cluster: str | Sequence[str] | None = "auto",
    field: str = AUTO,
    **conventions: Unpack[ConventionOptions],
) -> Cores:
    r"""Find the core of each context, and of a mixture of contexts.

    With :math:`P_x` the empirical win probabilities in context *x* and :math:`Q` the mixture, those of the mixture are

    .. math::  P_{ab} = \sum_x Q(x) P_x(a \succ b),

    Definition 3.1 of Soft Tournament Equilibrium, summed over the contexts in which *a* and *b* were compared.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The data.
    by : str
        A column of the evidence, or a key of pairs.
    mix : mapping of context to float, optional
        Nonnegative weights; only ratios matter. Contexts not named have none.
    edges, missing_pairs, tau, gamma, reach, max_length, cluster, field, **conventions
        As for `core`; whether an agent has enough data is decided over all contexts. The mixture always uses empirical
        edges.

    Returns
    -------
    Cores

    See Also
    --------
    core : One core for all data.

    Examples
    --------
    >>> from beatpath import Battles, Factor
    >>> rows = [("ada", "bob", 1), ("ada", "bob", 0), ("ada", "bob", 1), ("ada", "bob", 0)]
    >>> battles = Battles.of(rows, factors={"task": Factor.of(["code", "math", "code", "math"])})
    >>> cores = core_by(battles, "task", mix={"code": 1, "math": 3})
    >>> cores["code"].top_cycle.members, cores["math"].top_cycle.members
    (('ada',), ('bob',))
    >>> print(cores.mixture)
    The core is 'bob' alone, which beats every rival.
    """
    options = CoreOptions(
        edges=edges, missing_pairs=missing_pairs, tau=tau, gamma=gamma, reach=reach, max_length=max_length
    )
    chosen = Conventions.of(**conventions)
    evidence, unplaced = placed_alone(as_evidence(evidence), field)
    cluster, by = columns_by_role(evidence, cluster), columns_by_role(evidence, by)
    every, nameless = _split(evidence, by, chosen)
    split = {name: pairs for name, pairs in every.items() if len(pairs)}
    if not split:
        raise DataError(f"a core by {quoted(by)} needs comparisons with a name in that column; there are none.")
    weights = None if mix is None else mixture_shares(mix, split, by)
    settling = Conventions(chosen.ties, chosen.both_bad, chosen.pair_weight, matrix=_matrix_in(evidence, chosen))
    cores = {
        name: core_of_profile(
            profile_of(renumbered(pairs, present_agents(pairs)), settling),
            options,
            _effect_in(evidence, by, name, cluster, chosen),
        )
        for name, pairs in split.items()
    }
    counts = {x: split[x].settle(ties=chosen.ties, both_bad=chosen.both_bad) for x in weights or ()}
    return Cores(
        by,
        cores,
        {name: float(pairs.counts.sum()) for name, pairs in split.items()},
        None if weights is None else _mixed_core(counts, weights, options),
        weights,
        unplaced_note(evidence, unplaced) + _context_notes(by, nameless, sorted(set(every) - set(split))),
    )


def _matrix_in(evidence: Evidence, chosen: Conventions) -> Matrix:
    """Return the matrix convention of a context: raw for ballots and score tables, whose pairs are votes."""
    return chosen.matrix if chosen.matrix != "auto" or isinstance(evidence, Battles | Pairs) else "raw"


def _effect_in(
    evidence: Evidence, by: str, context: str, cluster: str | Sequence[str] | None, chosen: Conventions
) -> DesignEffect:
    """Return the design effect of the battles of one context, where clusters are known."""
    if not isinstance(evidence, Battles | Pairs) or cluster is None:
        return DesignEffect()
    weighed = weighted(evidence, chosen.weights) if isinstance(evidence, Battles) else evidence
    assert isinstance(weighed, Battles | Pairs)
    factor = weighed.factors[by] if isinstance(weighed, Battles) else weighed.keys[by]
    rows = np.flatnonzero(factor.codes == factor.levels.index(context))
    return effect_of_clusters(profile_of(weighed.take(rows), replace(chosen, weights=None)), cluster)


def _context_notes(by: str, nameless: int, empty: list[str]) -> tuple[str, ...]:
    rows = f"{counted(nameless, 'row')} without a name in {quoted(by)} left out." if nameless else ""
    contexts = f"No two agents are compared in {listed(empty)}: left out." if empty else ""
    return tuple(note for note in (rows, contexts) if note)


def _split(evidence: Evidence, by: str, chosen: Conventions) -> tuple[dict[str, Pairs], int]:
    """Return the pair counts of each context, sorted by name, and the number of rows or cells without one."""
    if isinstance(evidence, Margins | WinRates):
        raise UsageError(f"`by` needs rows or counts that name a context; {evidence.kind} name none.")
    if isinstance(evidence, Scores):
        factor = evidence.factor(by)
        parts = {x: evidence.take(factor.codes == k) for k, x in enumerate(factor.levels)}
        profiles = {x: profile_of(part, chosen) for x, part in parts.items()}
        return {x: profile.pairs for x, profile in profiles.items() if profile.pairs is not None}, factor.n_missing
    source = profile_of(evidence, chosen).source
    assert not isinstance(source, Margins | WinRates)
    cells = source.by(by) if isinstance(source, Pairs) else source.pairs([by])
    key = cells.keys[by]
    by_level = {x: cells.take(key.codes == k) for k, x in enumerate(key.levels)}
    return by_level, int(cells.battles[key.codes < 0].sum())


def _mixed_core(split: Mapping[str, Pairs], weights: Mapping[str, float], options: CoreOptions) -> Core:
    """Return the core of the mixed win probabilities."""
    agents = next(iter(split.values())).agents
    won, mass = np.zeros((len(agents),) * 2), np.zeros((len(agents),) * 2)
    for name, settled in split.items():
        wins = win_matrix(settled)
        battles = wins + wins.T
        won += weights[name] * np.divide(wins, battles, out=np.zeros_like(wins), where=battles > 0)
        mass += weights[name] * (battles > 0)
    present = np.flatnonzero((mass > 0).any(axis=1))
    if not present.size:
        raise DataError(f"a mixture needs comparisons that settle; {listed(weights)} have none. Count ties as half.")
    won, mass = won[np.ix_(present, present)], mass[np.ix_(present, present)]
    upper = np.triu(np.divide(won, mass, out=np.full_like(won, 0.5), where=mass > 0), 1)
    P = upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(len(present))
    rate = (P * (mass > 0)).sum(axis=1) / (mass > 0).sum(axis=1)
    conventions = (Convention("edges", "mixed", MIXED), Convention("missing_pairs", "neutral", MISSING["neutral"]))
    edges = Edges(P, tuple(agents[i] for i in present), ~np.eye(len(present), dtype=bool), None, conventions)
    return core_of(edges, majority_leads(edges, mass > 0), rate, options)
