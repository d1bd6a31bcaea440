"""The result of `resolve` with all pairs compared: ranks, cycles, Bradley-Terry fit, and who is first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath._result import Delegate, Record
from beatpath._sentence import Sentence
from beatpath._text import confidence, counted, listed, percent, quoted
from beatpath._threads import threads_for
from beatpath.evidence_design.field import hubs_of
from beatpath.inference.cycles.cycles import Cycles
from beatpath.inference.cycles.transitivity import OneScale, one_scale
from beatpath.inference.judges.worth import JudgeWorth
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.win_matrix import WinMatrix, component_notes
from beatpath.inference.ranks.claims import Claim
from beatpath.inference.ranks.rank_sets import RankSets, ranked
from beatpath.inference.resolve.majorities import Majorities
from beatpath.inference.resolve.resolution import AROUND, BOARD, Resolution
from beatpath.inference.resolve.who_is_first import answer, cycle_at_the_top, opposed_sentence, who_is_first
from beatpath.inference.scale.projection import Projection, bradley_terry_projection
from beatpath.inference.win_rates.estimate import WinRateEstimate

# most agents for which scores are also compared with Bradley-Terry strengths; the n x n table stays small
OPPOSED_AGENTS = 300


@dataclass(frozen=True, eq=False)
class Panel(Record):
    """The alternative inference for few judges or tasks: fixed (these alone), or random (others like them).

    Attributes
    ----------
    levels : mapping of str to int
        The columns with few levels, and how many each has; clusters by the name of their column in the file.
    ranks : RankSets
        The board under the alternative.
    fixed : bool
        Whether the alternative takes these judges or tasks as fixed while the main board generalizes to others; or vice
        versa.
    """

    document: ClassVar = ("levels", "fixed", "sentence", "resolved_pairs", "may_be_first")

    levels: Mapping[str, int]
    ranks: RankSets
    fixed: bool

    @property
    def only_these(self) -> str:
        """The fixed reading, as a phrase: ``these 3 judges``."""
        return " and ".join(f"these {counted(number, name)}" for name, number in self.levels.items())

    @property
    def like_these(self) -> str:
        """The random reading, as a phrase: ``judges like these 3``."""
        return " and ".join(f"{name}s like these {number:,}" for name, number in self.levels.items())

    resolved_pairs = Delegate[int]("ranks.resolved_pairs", "Pairs with a certain order under the alternative.")

    @property
    def may_be_first(self) -> tuple[str, ...]:
        """Agents that may be first under the alternative."""
        return self.ranks.top(1)

    @property
    def short(self) -> str:
        """The same in one line: how many may be first, and how many pairs are certain."""
        ranks = self.ranks
        start = f"For {self.only_these} only" if self.fixed else f"For other {self.like_these}"
        may = f"{len(self.may_be_first):,} of {len(ranks.agents):,} agents may be first"
        who = "".join(f"{quoted(name)} is certainly first" for name in ranks.certainly_top(1)) or may
        return f"{start}, {who} and {ranks.resolved_pairs:,} of {counted(ranks.pairs, 'pair is', 'pairs are')} certain."

    @property
    def sentence(self) -> str:
        """What the alternative concludes."""
        start = f"For {self.only_these} only" if self.fixed else f"For other {self.like_these}"
        return f"{start}, {_lowered(self.ranks.first_sentence)} {self.ranks.resolved_sentence}"


def _lowered(sentence: str) -> str:
    """Lowercase the start of a sentence that follows a colon."""
    return sentence if sentence.startswith("'") else sentence[0].lower() + sentence[1:]


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseResolution(Resolution):
    """What the data resolve about agents that are compared pair by pair.

    Attributes
    ----------
    ranks : RankSets
        Scores with confidence intervals, rank sets, who is certainly above whom, tie groups.
    pairwise : WinRateEstimate
        The observed win rate of every pair, with standard errors.
    matrix : WinMatrix
        The estimated win rate of every pair, compared directly or not.
    majorities : Majorities
        Who beats whom head to head, and which of these wins are significant.
    first_probability : (n,) float
        Posterior probability of each agent to have the highest true score of its component.
    cycles : Cycles
        Three-cycles, apparent and significant.
    kind : str
        Kind of evidence: battles, ballots, scores or pairs.
    adaptive_sampling : str
        The warning that outcomes influenced which pairs were compared (adaptive sampling); empty without one.
    panel : Panel or None
        The alternative inference for few judges or tasks, where outcomes depend on them.
    worth : JudgeWorth or None
        What judges add, where the board is about human votes.
    """

    document: ClassVar[tuple[str, ...]] = (
        *("answer=short_answer", *BOARD, "skipped", "cycles", "bradley_terry", "panel", "worth", *AROUND),
    )

    ranks: RankSets
    pairwise: WinRateEstimate
    matrix: WinMatrix
    majorities: Majorities
    first_probability: Floats
    cycles: Cycles
    kind: str
    adaptive_sampling: str = ""
    panel: Panel | None = None
    worth: JudgeWorth | None = None

    unit = Delegate[str](
        "pairwise.unit", "What `battles` counts: battle, ballot, or the task or item of a table of scores."
    )
    board = Delegate[Leaderboard]("ranks.board", "Scores and their covariance.")

    @cached_property
    def _fit(self) -> tuple[Projection | None, str]:
        """The Bradley-Terry projection, or why there is none."""
        with threads_for(len(self.agents)):
            try:
                return bradley_terry_projection(self.pairwise, level=self.level, seed=self.ranks.options.seed), ""
            except DataError as error:
                return None, str(error)

    @property
    def projection(self) -> Projection | None:
        """Bradley-Terry strengths as a projection of the win rates, with goodness of fit; None where no strength is finite."""
        return self._fit[0]

    @cached_property
    def on_one_scale(self) -> RankSets | None:
        """The rank sets of Bradley-Terry strengths, where scores are something else and agents are few enough."""
        own = self.board.settings.get("estimand") == "bradley_terry"
        if own or len(self.agents) > OPPOSED_AGENTS or self.projection is None:
            return None
        return ranked(self.projection.board, replace(self.ranks.options, multiplicity="bonferroni"))

    @property
    def opposed(self) -> tuple[tuple[str, str], ...]:
        """Pairs that the scores put in one certain order and Bradley-Terry strengths in the other."""
        if self.on_one_scale is None:
            return ()
        both = np.argwhere(self.ranks.above & self.on_one_scale.above.T).tolist()
        return tuple((self.agents[i], self.agents[j]) for i, j in both)

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings of the analysis."""
        return {**self.ranks.settings, "min_battles": self.cycles.settings["min_battles"], "kind": self.kind}

    @property
    def confidence(self) -> str:
        """The level, whose preference it is about, and whether it is for a few judges or tasks alone, or for others like them."""
        if self.worth is not None:
            return f"{confidence(self.level)}, preference of {listed(self.worth.humans, 3)}"
        if self.panel is None:
            return confidence(self.level)
        return f"{confidence(self.level)}, for {self.panel.like_these if self.panel.fixed else self.panel.only_these}"

    @property
    def answer(self) -> Sentence:
        """The answer in one sentence, fit for a title."""
        return answer(self)

    @property
    def verdict(self) -> tuple[Sentence, ...]:
        """Who may be first by score, whether anyone beats everybody head to head, and why the two differ."""
        return who_is_first(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer, the verdict, how much is certain, significant cycles, and whether Bradley-Terry fits."""
        opposed = opposed_sentence(self)
        return (
            self.answer.text,
            *(one.text for one in self.verdict),
            *self.unplaced_note,
            *(() if self.panel is None else (self.panel.sentence,)),
            *(() if self.worth is None else self.worth.sentences),
            *self.ranks.sentences[1:],  # the first of them is who may be first
            *((self.adaptive_sampling,) if self.adaptive_sampling else ()),
            *(() if opposed is None else (opposed.text,)),
            *(self.cycles.sentences[:1] if cycle_at_the_top(self) else self.cycles.sentences),
            *(() if self._fit_note_given else (self.one_scale.sentence,)),
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What limits the conclusions, in short."""
        limits = super().warnings if self.panel is None else (self.panel.short,)
        if self.worth is not None:
            limits += (self.worth.condition,)
        if self.adaptive_sampling:
            limits += (
                f"{self.adaptive_sampling.partition(':')[0]}: what is called certain assumes that they were not.",
            )
        if self.settings.get("cluster") == ["run"]:
            limits += ("Results are for other runs on these tasks; this says nothing about other tasks.",)
        return limits

    @property
    def _fit_note_given(self) -> bool:
        """Whether a note already states that the data cannot test the Bradley-Terry model."""
        return bool(self.matrix.unseen) and self.projection is not None and self.projection.lack_of_fit.p_value is None

    @property
    def hubs(self) -> tuple[str, ...]:
        """Agents that take part in nearly all comparisons; other pairs have hardly a head-to-head record."""
        met = self.pairwise
        return tuple(self.agents[i] for i in hubs_of(len(self.agents), met.a, met.b, met.battles))

    @property
    def one_scale(self) -> OneScale:
        """Whether the Bradley-Terry model is defensible, and why."""
        return one_scale(self.cycles, *self._fit)

    def _besides(self, claim: Claim) -> tuple[str, ...]:
        if claim.below is not None:
            return () if claim.has_margin else self._opposite_orders(claim.agent, claim.below)
        return self._beaten_by(claim.agent) if claim.top == 1 else ()

    @property
    def _cautions(self) -> tuple[str, ...]:
        return (*component_notes(self.matrix.parts), self.ranks.condition, *self.notes)

    def _confidence(self, n_claims: int | None) -> str:
        adaptive = ", if pairs were not chosen by earlier outcomes" if self.adaptive_sampling else ""
        return f"{super()._confidence(n_claims)}{adaptive}"

    def _opposite_orders(self, above: str, below: str) -> tuple[str, ...]:
        """State where Bradley-Terry strengths, or the pair's own battles, order two agents the other way."""
        i, j = self.agents.index(above), self.agents.index(below)
        sentences = []
        if {(above, below), (below, above)} & set(self.opposed):
            sentences.append("By Bradley-Terry strength the opposite order is certain.")
        if self.majorities.beats[j, i] == self.ranks.certain(above, below) and self.majorities.beats[j, i]:
            sure = "" if self.majorities.resolved[j, i] else ", which is not resolved"
            record = dict(self.majorities.contradicted(below)).get(above)
            sure += f"; in direct battles its record is {record}" if record else ""
            sentences.append(
                f"Head to head, {quoted(below)} beats {quoted(above)} ({percent(self.majorities.rate[j, i])}){sure}."
            )
        return tuple(sentences)

    def _beaten_by(self, agent: str) -> tuple[str, ...]:
        """State who beats an agent head to head."""
        by = np.flatnonzero(self.majorities.beats[:, self.agents.index(agent)])
        return (f"Head to head it loses to {listed([self.agents[i] for i in by], 3)}.",) if len(by) else ()

    skipped = Delegate[int]("ranks.skipped", "Number of differences without a usable variance.")

    @property
    def bradley_terry(self) -> dict[str, Any]:
        """The Bradley-Terry summary of the win rates: strengths, goodness of fit, and whether it is defensible."""
        fitted = {"lack_of_fit": None} if self.projection is None else self.projection.to_dict()
        return {**fitted, "defensible": self.one_scale.defensible, "sentence": self.one_scale.sentence}
