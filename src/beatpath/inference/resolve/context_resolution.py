"""What `resolve` hands back when contexts are told apart: boards by context that share strength, and the board of a mixture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._errors import UsageError
from beatpath._progress import doing
from beatpath._result import SCHEMA_VERSION, Result, json_number
from beatpath._text import confidence, counted, listed, quoted
from beatpath.evidence import Battles, Convention, Evidence, Pairs, Scores
from beatpath.evidence.conventions import Conventions
from beatpath.inference.contexts.context_boards import (
    ContextStrengths,
    Gain,
    context_strengths,
    mixture_of,
    mixture_said,
    own_board,
)
from beatpath.inference.contexts.context_data import ContextData, context_counts
from beatpath.inference.contexts.context_means import context_means
from beatpath.inference.contexts.first_by_mixture import (
    FirstByMixture,
    FirstOverMixtures,
    Ranked,
    first_by_mixture,
    first_over_mixtures,
    leaders,
)
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.resolve.claims import Claim, ClaimTest
from beatpath.inference.resolve.context_claims import context_claim_of
from beatpath.methods.rating.bradley_terry.design import covariate_names

BY = "task"
ESTIMATED = (Battles, Pairs, Scores)  # evidence of which there are estimates by context
FEW = 4  # names that a sentence holds
WAYS = 8  # contexts, those with most battles, to which it is followed who is first
DRAWN = (
    "Scores in a context are drawn towards the whole: intervals hold on average over agents and contexts, and an agent that is "
    "unlike itself in one context alone is drawn too far."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContextResolution(Result):
    """What the data resolve in every context and in a mixture of them.

    Attributes
    ----------
    strengths : ContextStrengths
        The estimate behind all boards.
    weights : mapping of str to float
        The mixture, adding up to one.
    ranks : RankSets
        Scores with intervals and sets of ranks, of the mixture.
    contexts : mapping of str to RankSets
        The same of every context.
    own : mapping of str to (n,) float
        The scores that the battles of a context alone would give.
    told : mapping
        Settings of the sets of ranks.
    as_sampled : bool
        Whether contexts weigh as many battles as they have, no mixture being asked for.
    first : FirstByMixture or None
        How first place changes between two contexts, where the mixture is of two.
    over : FirstOverMixtures or None
        How first place depends on the mixture, where there are three contexts or more.
    """

    strengths: ContextStrengths
    weights: Mapping[str, float]
    ranks: RankSets
    contexts: Mapping[str, RankSets]
    own: Mapping[str, Any]
    told: Mapping[str, Any]
    as_sampled: bool
    first: FirstByMixture | None = None
    over: FirstOverMixtures | None = None

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order of the evidence."""
        return self.ranks.agents

    @property
    def board(self) -> Leaderboard:
        """Scores of the mixture and the covariance of their errors."""
        return self.ranks.board

    @property
    def conventions(self) -> tuple[Convention, ...]:
        """What turned the evidence into counts."""
        return self.board.conventions

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know besides."""
        return (*self.strengths.data.notes, *self._worth_said(), DRAWN)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that was chosen."""
        return {**self.ranks.settings, "by": self.strengths.data.by, "mix": dict(self.weights)}

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first in the mixture and in every context, how unlike contexts are, and how first place changes."""
        return (
            f"By {self.board.measure} {self._mixture_said()}: {_first_said(self.ranks)}",
            self._spread_said(),
            *self._effects_said(),
            *self._first_by_context(),
            *(one.sentence for one in (self.first, self.over) if one is not None),
            f"Of every board all sets of ranks hold at once with {confidence(self.ranks.level)} confidence.",
        )

    def _mixture_said(self) -> str:
        return f"with as many {self.unit}s of a context as there are" if self.as_sampled else mixture_said(self.weights)

    @property
    def unit(self) -> str:
        """What there is of a context: battles, or tasks or items of a table of scores."""
        levels = self.strengths.data.levels
        return "battle" if levels is None else levels.per

    def _first_by_context(self, most: int = 5) -> list[str]:
        """Who may be first in which contexts, those with most battles first, contexts with one answer together."""
        alike: dict[str, list[str]] = {}
        for name in self.largest(len(self.contexts)):
            alike.setdefault(_first_said(self.contexts[name]), []).append(name)
        said = [f"In {listed(names, 6)}: {first}" for first, names in list(alike.items())[:most]]
        rest = sum(len(names) for names in list(alike.values())[most:])
        more = counted(rest, "more context has an answer of its own", "more contexts have answers of their own")
        return [*said, f"{more}."] if rest else said

    def largest(self, most: int = 8) -> list[str]:
        """Return the contexts that are mixed, where a mixture was asked for, and those with most battles; of equals by name."""
        return _largest(self.strengths.data, {} if self.as_sampled else self.weights)[:most]

    def _spread_said(self) -> str:
        fit, levels = self.strengths.fit, self.strengths.data.levels
        times, what, unit = (1.0, "strength", " log odds") if levels is None else (levels.unit, "mean score", "")
        if self.board.is_share and levels is not None:
            times, unit = 100 * times, " percentage points"
        varies, low, high = (f"{times * value:.2g}" for value in (fit.spread, fit.low, fit.high))
        return (
            f"From context to context an agent's {what} varies by {varies}{unit} ({low} to {high}); "
            f"agents' {what}s over all {len(self.contexts):,} contexts vary by {times * float(np.std(fit.eta.mean(axis=0))):.2g}."
        )

    def effects(self) -> dict[str, dict[str, float]]:
        """Return what each covariate, in its own unit, adds to the log odds, with its standard error."""
        data, fit = self.strengths.data, self.strengths.fit
        units = np.ones(0) if data.units is None else data.units
        errors = np.sqrt(np.diag(fit.shift_covariance)) / units
        return {
            name: {"estimate": float(estimate), "standard_error": float(error)}
            for name, estimate, error in zip(data.shifts, fit.shift / units, errors, strict=True)
        }

    def _in_unit(self, value: float) -> float:
        levels = self.strengths.data.levels
        return value if levels is None else levels.unit * value

    def _effects_said(self) -> list[str]:
        return [
            f"{quoted(name)} adds {one['estimate']:+.2g} log odds a unit (standard error {one['standard_error']:.2g}); scores are at equal values."
            for name, one in self.effects().items()
        ]

    def _worth_said(self) -> tuple[str, ...]:
        data, worth = self.strengths.data, self.strengths.dispersion
        if not data.clusters or worth <= 1.005:
            return ()
        alike = f"Battles of one {' or '.join(data.clusters)} are alike"
        return (f"{alike}: outcomes vary {worth:.2f} times as much as independent ones, and errors allow for it.",)

    def first_between(self, context: str, other: str | None = None) -> FirstByMixture:
        """Return who is first as the mixture goes from `other` alone, or from all contexts alike, to `context` alone."""
        return first_by_mixture(self.strengths, context, other, _ranked_as(self.told))

    def gain(self, agent: str, context: str, other: str) -> Gain:
        """Return how much higher an agent scores in one context than in another, with its interval."""
        if agent not in self.agents:
            raise UsageError(f"{quoted(agent)} must be one of the agents: {listed(sorted(self.agents), 8)}.")
        return self.strengths.gain(agent, context, other, self.ranks.level)

    def test(self, claim: str) -> ClaimTest:
        """Return whether the data support a claim.

        ``"A > B"``, ``"A is first"``, ``"A is last"`` and ``"A is in the top 3"`` are about the mixture, with ``in X`` behind them
        about a context; ``"A is better at X than at Y"`` compares one agent's scores in two contexts.
        """
        said = context_claim_of(claim, self.agents, tuple(self.contexts))
        if said.other is not None and said.context is not None:
            return self._better(said.claim, said.context, said.other)
        ranks = self.ranks if said.context is None else self.contexts[said.context]
        if said.claim.below is not None:
            gap = ranks.difference(said.claim.agent, said.claim.below)
            supported = ranks.certain(said.claim.agent, said.claim.below)
            why = f"the difference is {self._number(gap.estimate, gap.low, gap.high)}"
        else:
            i = self.agents.index(said.claim.agent)
            best, worst = int(ranks.best[i]), int(ranks.worst[i])
            n = int((ranks.part == ranks.part[i]).sum())
            supported = n == len(self.agents) and (best == n if said.claim.last else worst <= (said.claim.top or 1))
            why = f"its rank is {best}" if best == worst else f"its rank may be {best} to {worst}"
            why = f"{why} of {n:,}"
        where = self._mixture_said() if said.context is None else f"in {quoted(said.context)}"
        kept = "all agents at once" if ranks.simultaneous else "this agent by itself"
        return self._tested(said.claim, supported, f"by {ranks.board.measure} {where}, {why}", kept)

    def _better(self, claim: Claim, context: str, other: str) -> ClaimTest:
        gain = self.gain(claim.agent, context, other)
        means = {
            "mean_win_rate": "its mean win rate",
            "bradley_terry": "its strength",
            "mean_score": "its mean score, less the mean of all agents,",
        }[self.strengths.measure]
        why = f"{means} in {quoted(context)} less that in {quoted(other)} is {self._number(gain.estimate, gain.low, gain.high)}"
        return self._tested(claim, gain.low > 0, why, "this claim by itself")

    def _number(self, estimate: float, low: float, high: float) -> str:
        times, unit = (100, " percentage points") if self.board.is_share else (1, "")
        shown = [f"{times * value:+.3g}" for value in (estimate, low, high)]
        return f"{shown[0]}{unit} ({shown[1]} to {shown[2]})"

    def _tested(self, claim: Claim, supported: bool, why: str, kept: str) -> ClaimTest:
        verdict = "is supported" if supported else "is not supported"
        sentence = f"{quoted(claim.text)} {verdict}: {why} ({confidence(self.ranks.level)}, {kept})."
        return ClaimTest(claim, supported, sentence, self.notes)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent and board, the mixture first, best first; `own` is the score by the context's battles alone."""
        found = _board_rows("mixture", None, self.ranks, None, self.strengths.data.amount.sum(axis=0))
        for k, (name, ranks) in enumerate(self.contexts.items()):
            found += _board_rows("context", name, ranks, self.own[name], self.strengths.data.amount[k])
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        data, fit = self.strengths.data, self.strengths.fit
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "context_resolution",
            "sentences": list(self.sentences),
            "estimand": self.board.estimand,
            "by": data.by,
            "mix": dict(self.weights),
            "spread": {
                name: self._in_unit(value)
                for name, value in (("estimate", fit.spread), ("low", fit.low), ("high", fit.high))
            },
            "dispersion": self.strengths.dispersion,
            "covariates": self.effects(),
            "boards": self.rows(),
            "first_by_mixture": None if self.first is None else self.first.to_dict(),
            "first_over_mixtures": None if self.over is None else self.over.to_dict(),
            "settings": dict(self.settings),
            "conventions": [one.to_dict() for one in self.conventions],
            "notes": list(self.notes),
        }


def resolve_contexts(
    evidence: Evidence,
    by: str,
    mix: Mapping[str, float] | None,
    *,
    estimand: str | Mapping[str, float],
    cluster: str | Sequence[str] | None,
    chosen: Conventions,
    level: float,
    seed: int,
    covariates: str | Sequence[str] = (),
    simultaneous: bool = True,
    method: str = "step-down",
    draws: int = 20_000,
) -> ContextResolution:
    """Say what the data resolve by context; see `resolve`."""
    told: dict[str, Any] = {
        "level": level,
        "simultaneous": simultaneous,
        "method": method,
        "draws": draws,
        "seed": seed,
    }
    able = ("mean_score",) if isinstance(evidence, Scores) else ("mean_win_rate", "bradley_terry")
    measure = able[0] if estimand == "auto" else estimand
    if not isinstance(measure, str) or measure not in able:
        raise UsageError(
            f"by context `estimand` must be {'one of ' if len(able) > 1 else ''}{listed(able)}; got {quoted(measure)}. Others are for "
            "the whole."
        )
    names = covariate_names(covariates)
    if isinstance(evidence, Scores):
        if names:
            raise UsageError("`covariates` are columns of battles; scores have none. Leave them out.")
        doing("adding up scores by context")
        data = context_means(evidence, by, chosen, cluster)
    else:
        doing("counting battles by context")
        data = context_counts(evidence, by, chosen, cluster, names)
    weights = mixture_of(mix, data)
    doing("estimating strengths by context")
    strengths = context_strengths(data, measure)
    doing("finding which ranks are open")
    ranked, quickly = _ranked_as(told), _ranked_as({**told, "method": "bonferroni"})
    contexts = _largest(data, mix or {})[:WAYS]
    two = list(weights) if len(weights) == 2 else list(data.contexts) if len(data.contexts) == 2 else None
    return ContextResolution(
        strengths,
        weights,
        ranked(strengths.board(weights)),
        {name: ranked(strengths.board({name: 1.0})) for name in data.contexts},
        {name: own_board(strengths, name).score for name in data.contexts},
        told,
        mix is None,
        None if two is None else first_by_mixture(strengths, two[1], two[0], ranked),
        None
        if len(data.contexts) < 3
        else first_over_mixtures(strengths, contexts, quickly, level=level, simultaneous=simultaneous, seed=seed),
    )


def _ranked_as(told: Mapping[str, Any]) -> Ranked:
    def ranked(board: Leaderboard) -> RankSets:
        return rank_sets(board, **told)

    return ranked


def _largest(data: ContextData, mixed: Mapping[str, float]) -> list[str]:
    """The contexts, those that weigh most in a mixture first, then those with most battles; of equals by name."""
    total = dict(zip(data.contexts, data.amount.sum(axis=1).tolist(), strict=True))
    return sorted(total, key=lambda name: (-mixed.get(name, 0.0), -total[name], name))


def _first_said(ranks: RankSets) -> str:
    may = leaders(ranks)
    if len(may) == 1:
        return f"{quoted(may[0])} is certainly first."
    agents = counted(int((ranks.part == 0).sum()), "agent")
    if len(may) <= FEW:
        return f"{len(may):,} of {agents} may be first: {listed(may, FEW)}."
    top = listed(sorted(ranks.agents[i] for i in np.flatnonzero((ranks.rank == 1) & (ranks.part == 0))), FEW)
    return f"{len(may):,} of {agents} may be first; the highest score is that of {top}."


def _board_rows(kind: str, name: str | None, ranks: RankSets, own: Any, battles: Any) -> list[dict[str, Any]]:
    """The rows of one board, best first."""
    by_name = ranks.columns("score", "low", "high", "best", "worst")
    place = {agent: i for i, agent in enumerate(ranks.agents)}
    return [
        {
            "board": kind,
            "context": name,
            "agent": agent,
            **by_name[agent],
            "own": None if own is None else json_number(own[place[agent]]),
            "battles": int(battles[place[agent]]),
        }
        for agent in (ranks.agents[i] for i in ranks.order)
    ]
