"""The result of `resolve` with contexts: a board per context with partial pooling, and the board of a mixture."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath._progress import doing
from beatpath._result import Delegate, Record, plain
from beatpath._sentence import OPEN, RESOLVED, Sentence
from beatpath._text import confidence, counted, listed, quoted
from beatpath.evidence import Battles, Evidence, Pairs, Scores
from beatpath.inference.contexts.context_boards import (
    ContextStrengths,
    Gain,
    context_strengths,
    mixture_of,
    mixture_text,
    own_board,
)
from beatpath.inference.contexts.context_data import ContextData, context_counts
from beatpath.inference.contexts.context_means import context_means
from beatpath.inference.contexts.first_by_mixture import (
    FirstByMixture,
    FirstOverMixtures,
    first_by_mixture,
    first_over_mixtures,
    leaders,
)
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.options import AUTO, ResolveOptions
from beatpath.inference.ranks.claims import Claim, Verdict
from beatpath.inference.ranks.rank_sets import RankSets, ranked
from beatpath.inference.ranks.ranks import Ranks
from beatpath.inference.resolve.resolution import AROUND, BOARD, Resolution, ResolutionRow
from beatpath.methods.rating.bradley_terry.design import covariate_names
from beatpath.stats.intervals import Interval

BY = "task"  # contexts are tasks where only `mix` is given
ESTIMATED = (Battles, Pairs, Scores)  # kinds of evidence with estimates by context
FEW = 4  # most names in one sentence
MOST_CONTEXTS = 8  # contexts, those with the most battles, between which changes of first place are computed
# Printed with every board by context: what partial pooling means for the intervals.
POOLED = (
    "Scores in a context are shrunk toward the overall scores: intervals hold on average over agents and contexts, and an agent that "
    "differs in one context only is shrunk too far."
)


class ContextRow(ResolutionRow):
    """One agent on the board of a context.

    Attributes
    ----------
    own : float
        The score from the data of this context alone, without pooling; null without any.
    """

    own: float


@dataclass(frozen=True, slots=True)
class ContextBoard(Record):
    """The board of one context.

    Attributes
    ----------
    estimand : str
        What a score estimates.
    ranks : mapping of agent to ContextRow
        Scores and ranks by agent, best first.
    pairs, resolved_pairs, unique_ranks : int
        Number of pairs of agents, of pairs with a certain order, and of agents with a single possible rank.
    groups : tuple of tuple of str
        The names in each group between cuts, best first.
    """

    estimand: str
    ranks: Mapping[str, ContextRow]
    pairs: int
    resolved_pairs: int
    unique_ranks: int
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class ContextResolution(Resolution):
    """What the data resolve in each context, and in a mixture of contexts; the main board is that of the mixture.

    Attributes
    ----------
    contexts : mapping of str to RankSets
        The board of each context.
    strengths : ContextStrengths
        The hierarchical estimate behind all boards.
    weights : mapping of str to float
        Weights of the mixture, which sum to one.
    own : mapping of str to (n,) float
        Scores from the data of each context alone, without pooling.
    options : ResolveOptions
        The options of `resolve`.
    first : FirstByMixture or None
        How first place changes between two contexts, for mixtures of two.
    over : FirstOverMixtures or None
        How first place depends on the mixture, for three or more contexts.
    """

    document: ClassVar[tuple[str, ...]] = (
        "answer=short_answer",
        *BOARD,
        "by",
        "mix=weights",
        "spread",
        "dispersion",
        "covariates=effects",
        "contexts=boards",
        "first_by_mixture=first",
        "first_over_mixtures=over",
        *AROUND,
    )

    ranks: RankSets
    strengths: ContextStrengths
    weights: Mapping[str, float]
    own: Mapping[str, Floats]
    options: ResolveOptions
    first: FirstByMixture | None = None
    over: FirstOverMixtures | None = None

    @property
    def as_sampled(self) -> bool:
        """Whether contexts have the weight of their battles, because no mixture was requested."""
        return self.options.mix is None

    board = Delegate[Leaderboard]("ranks.board", "Scores of the mixture and their covariance.")

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats about the data and the estimate."""
        return (*self.strengths.data.notes, *self._dispersion_note(), POOLED)

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings of the analysis."""
        return {**self.ranks.settings, "by": self.strengths.data.by, "mix": dict(self.weights)}

    @property
    def answer(self) -> Sentence:
        """Who may be first in the mixture, in one sentence."""
        text = f"By {self.ranks.measure}{self._where(None)}, {_first_text(self.ranks)}"
        return Sentence((text,), RESOLVED if len(leaders(self.ranks)) == 1 else OPEN, "board")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first in the mixture and in each context, how contexts differ, and how first place changes."""
        return (
            self.answer.text,
            self._spread_sentence(),
            *self._effect_sentences(),
            *self._first_by_context(),
            *((self.mixture_sentence,) if self.mixture_sentence else ()),
            f"On every board all rank sets hold with simultaneous {confidence(self.ranks.level)} confidence.",
        )

    @property
    def mixture_sentence(self) -> str:
        """How first place depends on the mixture of contexts; empty where that was not computed."""
        return " ".join(one.sentence for one in (self.first, self.over) if one is not None)

    def _where(self, context: str | None) -> str:
        """Name the board that a claim is about."""
        if context is not None:
            return super()._where(context)
        sampled = f" with contexts weighted by their number of {self.unit}s"
        return sampled if self.as_sampled else f" {mixture_text(self.weights)}"

    @property
    def unit(self) -> str:
        """The unit of the data: battle, or the task or item of a table of scores."""
        levels = self.strengths.data.levels
        return "battle" if levels is None else levels.per

    def _first_by_context(self, most: int = 5) -> list[str]:
        """Summarize who may be first by context, contexts with the same answer together."""
        alike: dict[str, list[str]] = {}
        for name in self.largest(len(self.contexts)):
            alike.setdefault(_first_text(self.contexts[name]), []).append(name)
        texts = [f"In {listed(names, 6)}: {first}" for first, names in list(alike.items())[:most]]
        rest = sum(len(names) for names in list(alike.values())[most:])
        more = counted(rest, "more context has another answer", "more contexts have other answers")
        return [*texts, f"{more}."] if rest else texts

    def largest(self, most: int = 8) -> list[str]:
        """Return contexts by weight in the mixture, then by number of battles; ties by name."""
        return _largest(self.strengths.data, {} if self.as_sampled else self.weights)[:most]

    def _spread_sentence(self) -> str:
        """Compare the spread of an agent over contexts with the spread of agents."""
        fit, levels = self.strengths.fit, self.strengths.data.levels
        times, what, unit = (1.0, "strength", " log odds") if levels is None else (levels.unit, "mean score", "")
        if self.is_share and levels is not None:
            times, unit = 100 * times, " percentage points"
        varies, low, high = (f"{times * value:.2g}" for value in (fit.spread, fit.low, fit.high))
        return (
            f"The standard deviation of an agent's {what} between contexts is {varies}{unit} ({low} to {high}); that of "
            f"{what}s between agents, over all {len(self.contexts):,} contexts, is {times * float(np.std(fit.eta.mean(axis=0))):.2g}."
        )

    def effects(self) -> dict[str, dict[str, float]]:
        """Return the effect of each covariate on the log odds, per unit, with its standard error."""
        data, fit = self.strengths.data, self.strengths.fit
        units = np.ones(0) if data.units is None else data.units
        errors = np.sqrt(np.diag(fit.shift_covariance)) / units
        return {
            name: {"estimate": float(estimate), "standard_error": float(error)}
            for name, estimate, error in zip(data.shifts, fit.shift / units, errors, strict=True)
        }

    def _effect_sentences(self) -> list[str]:
        """State the effect of each covariate."""
        return [
            f"{quoted(name)} adds {one['estimate']:+.2g} log odds per unit (standard error {one['standard_error']:.2g}); scores compare agents at equal values."
            for name, one in self.effects().items()
        ]

    def _dispersion_note(self) -> tuple[str, ...]:
        """State the overdispersion due to clusters, where there is any."""
        data, worth = self.strengths.data, self.strengths.dispersion
        if not data.clusters or worth <= 1.005:
            return ()
        alike = f"Battles of one {' or '.join(data.clusters)} are correlated"
        return (
            f"{alike}: the variance of outcomes is {worth:.2f} times that of independent ones, and standard errors allow for it.",
        )

    def first_between(self, context: str, other: str | None = None) -> FirstByMixture:
        """Return who is first as the mixture moves from `other`, or from equal weights, to `context` alone."""
        return first_by_mixture(self.strengths, context, other, self.options)

    def gain(self, agent: str, context: str, other: str) -> Gain:
        """Return how much higher an agent scores in one context than in another, with a confidence interval."""
        if agent not in self.agents:
            raise UsageError(f"{quoted(agent)} must be one of the agents: {listed(sorted(self.agents), 8)}.")
        return self.strengths.gain(agent, context, other, self.ranks.level)

    def _judged(
        self, claim: Claim, n_claims: int | None, parts: int
    ) -> tuple[Verdict, str, str, tuple[float, float] | None]:
        if claim.context is None or claim.other is None:
            return super()._judged(claim, n_claims, parts)
        gain = self.gain(claim.agent, claim.context, claim.other)
        means = {
            "mean_win_rate": "its mean win rate",
            "bradley_terry": "its strength",
            "mean_score": "its mean score, minus the mean of all agents,",
        }[self.strengths.measure]
        times, unit = (100, " percentage points") if self.is_share else (1, "")
        texts = [f"{times * value:+.3g}" for value in (gain.estimate, gain.low, gain.high)]
        between = f"{means} in {quoted(claim.context)} minus that in {quoted(claim.other)} is"
        return (
            "supported" if gain.low > 0 else "shown to be false" if gain.high < 0 else "not shown",
            f"{between} {texts[0]}{unit} ({texts[1]} to {texts[2]})",
            f"{confidence(self.level)}, this claim by itself",
            (gain.low, gain.high),
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent and board, the mixture first, best first."""
        mixture = [{"context": None, **row, "own": None} for row in super().rows()]
        own = [
            {"context": name, **row}
            for name, ranks in self.contexts.items()
            for row in ranks.board_rows(**self._own(name))
        ]
        return mixture + own

    def _own(self, context: str) -> dict[str, list[Any]]:
        """Return battles of every agent in a context, and scores from these alone."""
        data = self.strengths.data
        battles = data.amount[data.contexts.index(context)].astype(np.int64)
        placed = [True] * len(battles)
        return {"battles": battles.tolist(), "placed": placed, "own": plain(self.own[context])}

    @property
    def boards(self) -> dict[str, ContextBoard]:
        """The board of every context."""
        return {
            name: ContextBoard(
                ranks.estimand,
                ranks.by_agent(**self._own(name)),
                ranks.pairs,
                ranks.resolved_pairs,
                len(ranks.unique_ranks),
                ranks.groups,
            )
            for name, ranks in self.contexts.items()
        }

    by = Delegate[str]("strengths.data.by", "The column that defines contexts.")

    @property
    def spread(self) -> Interval:
        """Standard deviation of an agent's strength over contexts: in log odds, or in the unit of the scores."""
        fit, levels = self.strengths.fit, self.strengths.data.levels
        unit = 1.0 if levels is None else levels.unit
        return Interval(unit * fit.spread, unit * fit.low, unit * fit.high)

    dispersion = Delegate[float]("strengths.dispersion", "Variance of outcomes relative to independent battles.")


def resolve_contexts(evidence: Evidence, by: str, options: ResolveOptions) -> ContextResolution:
    """Resolve by the contexts that a column defines; see `resolve`."""
    measure = _measure(evidence, options)
    data = _data_by_context(evidence, by, options)
    weights = mixture_of(options.mix, data)
    doing("estimating strengths by context")
    strengths = context_strengths(data, measure)
    doing("computing rank sets")
    two = list(weights) if len(weights) == 2 else list(data.contexts) if len(data.contexts) == 2 else None
    over = None
    if len(data.contexts) > 2:
        over = first_over_mixtures(strengths, _largest(data, options.mix or {})[:MOST_CONTEXTS], options)
    return ContextResolution(
        ranked(strengths.board(weights), options),
        data.amount.sum(axis=0).astype(np.int64),
        strengths,
        weights,
        {name: own_board(strengths, name).score for name in data.contexts},
        options,
        None if two is None else first_by_mixture(strengths, two[1], two[0], options),
        over,
        contexts={name: ranked(strengths.board({name: 1.0}), options) for name in data.contexts},
    )


def _measure(evidence: Evidence, options: ResolveOptions) -> str:
    """Return the estimand, or raise if it has no estimate by context."""
    able = ("mean_score",) if isinstance(evidence, Scores) else ("mean_win_rate", "bradley_terry")
    measure = able[0] if options.estimand == AUTO else options.estimand
    if not isinstance(measure, str) or measure not in able:
        raise UsageError(
            f"by context `estimand` must be {'one of ' if len(able) > 1 else ''}{listed(able)}; got {quoted(measure)}. Others are without "
            "contexts."
        )
    return measure


def _data_by_context(evidence: Evidence, by: str, options: ResolveOptions) -> ContextData:
    """Count battles, or average scores, by context."""
    names = covariate_names(options.covariates)
    if isinstance(evidence, Scores):
        if names:
            raise UsageError("`covariates` are columns of battles; scores have none. Leave them out.")
        doing("adding up scores by context")
        return context_means(evidence, by, options.conventions, options.cluster)
    doing("counting battles by context")
    return context_counts(evidence, by, options.conventions, options.cluster, names)


def _largest(data: ContextData, mixed: Mapping[str, float]) -> list[str]:
    """Sort contexts by weight in the mixture, then by number of battles, then by name."""
    total = dict(zip(data.contexts, data.amount.sum(axis=1).tolist(), strict=True))
    return sorted(total, key=lambda name: (-mixed.get(name, 0.0), -total[name], name))


def _first_text(ranks: Ranks) -> str:
    """State who may be first on a board."""
    may = leaders(ranks)
    if len(may) == 1:
        return f"{quoted(may[0])} is certainly first."
    agents = counted(int((ranks.part == 0).sum()), "agent")
    if len(may) <= FEW:
        return f"{len(may):,} of {agents} may be first: {listed(may, FEW)}."
    top = listed(sorted(ranks.agents[i] for i in np.flatnonzero((ranks.rank == 1) & (ranks.part == 0))), FEW)
    return f"{len(may):,} of {agents} may be first; the highest score is that of {top}."
