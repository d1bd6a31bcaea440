"""What the data resolve of agents that are compared pair by pair: ranks, cycles, the one scale, and who is first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Floats
from beatpath._result import Record
from beatpath._sentence import Sentence
from beatpath._text import confidence, counted, listed, percent, quoted
from beatpath.evidence_design.field import hubs_of
from beatpath.inference.cycles.cycles import Cycles
from beatpath.inference.cycles.transitivity import OneScale, one_scale
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.win_matrix import WinMatrix, component_notes
from beatpath.inference.ranks.claims import Claim
from beatpath.inference.ranks.rank_sets import RankSets
from beatpath.inference.resolve.majorities import Majorities
from beatpath.inference.resolve.resolution import AROUND, BOARD, Resolution
from beatpath.inference.resolve.who_is_first import answer, circle_at_the_top, opposed_sentence, who_is_first
from beatpath.inference.scale.projection import Projection
from beatpath.inference.win_rates.estimate import WinRateEstimate


@dataclass(frozen=True, eq=False)
class Panel(Record):
    """The other reading of a few judges, or tasks: of these alone, or of others like them.

    Attributes
    ----------
    levels : mapping of str to int
        The columns with few levels, and how many each has.
    ranks : RankSets
        The board by that reading.
    fixed : bool
        Whether it is of these alone, and the main board of others like them; or the reverse.
    """

    document: ClassVar = ("levels", "fixed", "sentence", "resolved_pairs", "may_be_first")

    levels: Mapping[str, int]
    ranks: RankSets
    fixed: bool

    @property
    def only_these(self) -> str:
        """The reading of these judges or tasks alone, in words: ``these 3 judges``."""
        return " and ".join(f"these {counted(number, name)}" for name, number in self.levels.items())

    @property
    def like_these(self) -> str:
        """The reading of others like them, in words: ``judges like these 3``."""
        return " and ".join(f"{name}s like these {number:,}" for name, number in self.levels.items())

    @property
    def resolved_pairs(self) -> int:
        """Pairs whose order is certain by that reading."""
        return self.ranks.resolved_pairs

    @property
    def may_be_first(self) -> tuple[str, ...]:
        """Agents that may be first by that reading."""
        return self.ranks.top(1)

    @property
    def sentence(self) -> str:
        """What that reading says."""
        start = f"For {self.only_these} only" if self.fixed else f"For {self.like_these}"
        return f"{start}, {_lowered(self.ranks.first_sentence)} {self.ranks.resolved_sentence}"


def _lowered(sentence: str) -> str:
    """A sentence that goes on behind a colon."""
    return sentence if sentence.startswith("'") else sentence[0].lower() + sentence[1:]


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseResolution(Resolution):
    """What the data resolve of agents that are compared pair by pair.

    Attributes
    ----------
    ranks : RankSets
        Scores with intervals, the ranks every agent may have, who is certainly above whom, tie groups.
    pairwise : WinRateEstimate
        The win rate of every pair, with errors.
    matrix : WinMatrix
        The estimated win rate of every pair, met or not.
    majorities : Majorities
        Who beats whom head to head, and which of these wins are resolved.
    first_probability : (n,) float
        The probability of every agent to have the highest true score of its part, true scores taken as Gaussian over agents.
    cycles : Cycles
        Three-cycles, apparent and surviving.
    projection : Projection or None
        Bradley-Terry strengths as a projection of the win rates, and how badly one scale fits.
    no_projection : str
        Why there is none.
    on_one_scale : RankSets or None
        The ranks that strengths on one scale leave open, where scores are something else.
    opposed : tuple of (str, str)
        Agents of whom the scores call the first certainly above the second, and strengths on one scale the reverse.
    kind : str
        Of the evidence: battles, ballots, scores or pairs.
    steered : str
        What says that outcomes steered who met whom; empty where nothing does.
    panel : Panel or None
        The other reading of a few judges or tasks, where outcomes depend on them.
    """

    document: ClassVar[tuple[str, ...]] = (
        *("answer=short_answer", *BOARD, "skipped", "cycles", "bradley_terry", "panel", *AROUND),
    )

    ranks: RankSets
    pairwise: WinRateEstimate
    matrix: WinMatrix
    majorities: Majorities
    first_probability: Floats
    cycles: Cycles
    projection: Projection | None
    no_projection: str
    on_one_scale: RankSets | None
    opposed: tuple[tuple[str, str], ...]
    kind: str
    steered: str = ""
    panel: Panel | None = None

    @property
    def board(self) -> Leaderboard:
        """Scores and the covariance of their errors."""
        return self.ranks.board

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that was chosen."""
        return {**self.ranks.settings, "min_battles": self.cycles.settings["min_battles"], "kind": self.kind}

    @property
    def confidence(self) -> str:
        """The level, and whether it is about a few judges or tasks alone, or others like them."""
        if self.panel is None:
            return confidence(self.level)
        return f"{confidence(self.level)}, for {self.panel.like_these if self.panel.fixed else self.panel.only_these}"

    @property
    def answer(self) -> Sentence:
        """The short answer: one sentence that is fit for a title."""
        return answer(self)

    @property
    def verdict(self) -> tuple[Sentence, ...]:
        """Who may be first by score, whether anyone beats everybody head to head, and why these differ where they do."""
        return who_is_first(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The short answer, the verdict, how much is certain, which cycles survive, and whether one scale is fair."""
        opposed = opposed_sentence(self)
        return (
            self.answer.text,
            *(one.text for one in self.verdict),
            *self.unplaced_note,
            *(() if self.panel is None else (self.panel.sentence,)),
            *self.ranks.sentences[1:],  # the first of them is who may be first
            *((self.steered,) if self.steered else ()),
            *(() if opposed is None else (opposed.text,)),
            *(self.cycles.sentences[:1] if circle_at_the_top(self) else self.cycles.sentences),
            *(() if self._scale_untold_twice else (self.one_scale.sentence,)),
        )

    @property
    def _scale_untold_twice(self) -> bool:
        """Whether a note says already that nothing shows whether one scale fits."""
        return bool(self.matrix.unseen) and self.projection is not None and self.projection.lack_of_fit.p_value is None

    @property
    def unmet(self) -> float:
        """The share of all pairs that never met."""
        n = len(self.agents)
        return 1 - len(self.pairwise.rate) / max(n * (n - 1) / 2, 1)

    @property
    def hubs(self) -> tuple[str, ...]:
        """Agents through which all comparisons go; other pairs never met, and have no head-to-head record."""
        return tuple(self.agents[i] for i in hubs_of(len(self.agents), self.pairwise.a, self.pairwise.b))

    @property
    def one_scale(self) -> OneScale:
        """Whether a single scale is defensible, and the sentence that says why."""
        return one_scale(self.cycles, self.projection, self.no_projection)

    def _besides(self, claim: Claim) -> tuple[str, ...]:
        if claim.below is not None:
            return self._otherwise(claim.agent, claim.below)
        return self._beaten_by(claim.agent) if claim.top == 1 else ()

    @property
    def _cautions(self) -> tuple[str, ...]:
        return (*component_notes(self.matrix.parts), self.ranks.condition, *self.notes)

    def _confidence(self, n_claims: int | None) -> str:
        steered = ", if pairs were not chosen by earlier outcomes" if self.steered else ""
        return f"{super()._confidence(n_claims)}{steered}"

    def _otherwise(self, above: str, below: str) -> tuple[str, ...]:
        """Where another question orders the two the other way: strengths on one scale, or their own battles."""
        i, j = self.agents.index(above), self.agents.index(below)
        sentences = []
        if {(above, below), (below, above)} & set(self.opposed):
            sentences.append("By Bradley-Terry strength the opposite order is certain.")
        if self.majorities.beats[j, i] == self.ranks.certain(above, below) and self.majorities.beats[j, i]:
            sure = "" if self.majorities.resolved[j, i] else ", which is not resolved"
            sentences.append(
                f"Head to head, {quoted(below)} beats {quoted(above)} ({percent(self.majorities.rate[j, i])}){sure}."
            )
        return tuple(sentences)

    def _beaten_by(self, agent: str) -> tuple[str, ...]:
        """Who beats an agent head to head."""
        by = np.flatnonzero(self.majorities.beats[:, self.agents.index(agent)])
        return (f"Head to head it loses to {listed([self.agents[i] for i in by], 3)}.",) if len(by) else ()

    @property
    def skipped(self) -> int:
        """Differences without a usable variance."""
        return self.ranks.skipped

    @property
    def bradley_terry(self) -> dict[str, Any]:
        """One scale as a summary of the win rates: strengths and lack of fit where it has any, and whether it is defensible."""
        fitted = {"lack_of_fit": None} if self.projection is None else self.projection.to_dict()
        return {**fitted, "defensible": self.one_scale.defensible, "sentence": self.one_scale.sentence}
