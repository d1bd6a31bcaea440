"""The result of `judges`: one entry per judge, agreement, and what accounting for judges changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._result import Record, Rows, TableResult, plot_result
from beatpath._text import counted, joined, listed, percent, quoted
from beatpath.evidence import Evidence, Scores
from beatpath.inference.judges.panel import JudgePanel
from beatpath.inference.judges.turning import LEVEL, Turn
from beatpath.methods.rating.judged import with_judges
from beatpath.methods.result import levels_by_score
from beatpath.stats.agreement import alpha_interval, cohen_interval, fleiss_interval, grade_interval, percent_agreement
from beatpath.stats.codes import apart, joint
from beatpath.stats.intervals import Interval
from beatpath.stats.judges.aware import HeldOut
from beatpath.stats.judges.examined import OWN_FAMILY, POSITION, SHOWN, flagged
from beatpath.stats.verdicts import Verdicts, accuracy_intervals

LEAST = 20  # fewest units that a judge, or two judges together, must have
MOST_JUDGES = 20  # most judges for which every pair is compared


@dataclass(frozen=True, slots=True)
class PairAgreement(Record):
    """Agreement of two judges on the units that both judged.

    Attributes
    ----------
    judges : tuple of two str
        Their names.
    units : int
        Units in common.
    kappa : Interval
        Cohen's kappa.
    """

    judges: tuple[str, str]
    units: int
    kappa: Interval


@dataclass(frozen=True, slots=True)
class Agreement(Record):
    """Inter-rater agreement on units with at least two judges.

    Attributes
    ----------
    units : int
        Units with at least two judges.
    share : float
        Share of pairs of verdicts that agree.
    alpha, fleiss : Interval
        Krippendorff's alpha and Fleiss' kappa, symmetric in the two agents of a pair.
    pairs : tuple of PairAgreement
        Cohen's kappa of every two judges with enough units in common, lowest first; none with too many judges.
    accuracy : mapping of judge to Interval
        Dawid and Skene's probability of giving the true verdict, for judges with enough units.
    grades : Interval or None
        Krippendorff's alpha of the grades themselves, where judges gave grades; the others are of the comparisons that
        these imply.
    """

    units: int
    share: float
    alpha: Interval
    fleiss: Interval
    pairs: tuple[PairAgreement, ...]
    accuracy: dict[str, Interval]
    grades: Interval | None = None


def agreement_of(
    shared: Verdicts | None, names: tuple[str, ...], level: float, evidence: Evidence | None = None
) -> Agreement | None:
    """Return the agreement of judges, or None where too few units have two or more."""
    if shared is None or shared.n_units < LEAST:
        return None
    counts = shared.counts()
    n_votes = np.bincount(shared.judge, minlength=len(names))
    estimate, ends, _ = accuracy_intervals(shared, len(names), level)
    enough = np.flatnonzero(n_votes >= LEAST).tolist()
    return Agreement(
        len(counts),
        percent_agreement(counts),
        alpha_interval(counts, level),
        fleiss_interval(counts, level),
        _pairs(shared, names, enough, level),
        {names[j]: Interval(float(estimate[j]), float(ends[j, 0]), float(ends[j, 1])) for j in enough},
        _grades(evidence, level) if isinstance(evidence, Scores) else None,
    )


def _grades(scores: Scores, level: float) -> Interval:
    """Return the alpha of grades of the same agent on the same task, item and replicate."""
    scores = with_judges(scores)
    keys = (scores.factors[name].codes for name in ("metric", "task", "item", "replicate") if name in scores.factors)
    return grade_interval(joint([scores.agent, *map(apart, keys)])[0], scores.value, level)


def _pairs(shared: Verdicts, names: tuple[str, ...], enough: list[int], level: float) -> tuple[PairAgreement, ...]:
    """Return the agreement of every two judges with enough units in common."""
    if len(enough) > MOST_JUDGES:
        return ()
    value = np.full((len(names), shared.n_units), -1, dtype=np.int64)
    value[shared.judge, shared.unit] = shared.value
    agreements = []
    for i, j in combinations(enough, 2):
        both = (value[i] >= 0) & (value[j] >= 0)
        if both.sum() >= LEAST:
            kappa = cohen_interval(value[i, both], value[j, both], level)
            agreements.append(PairAgreement((names[i], names[j]), int(both.sum()), kappa))
    return tuple(sorted(agreements, key=lambda one: (one.kappa.estimate, one.judges)))


HEADS = {POSITION: "first side", OWN_FAMILY: "own family"}  # columns of a table for what shifts votes


@dataclass(frozen=True, slots=True)
class Judge(Record):
    """One judge.

    Attributes
    ----------
    name : str
        Name of the judge.
    votes, ties : int
        Decided votes, and ties.
    reliability : Interval or None
        Slope of its votes on the consensus of the others: 1 as the others, 0 unrelated, below 0 reversed. None with
        too few votes.
    weight : float
        Information of one of its votes about strengths, from a reliability fitted jointly and shrunk toward the
        others; 0 if unrelated, 1 on average over votes.
    shifts : mapping of str to Interval
        Share of votes, between agents of equal strength, for the side shown first (``position``), the judge's own
        family (``own_family``), or the side with one standard deviation more of a covariate.
    first_without : tuple of str
        Who is first without its votes.
    distance : float or None
        Kendall distance between the orders with and without it.
    dropped, reversed : Turn or None
        Votes that, dropped or reversed, suffice to change the winner; None where not tested.
    alarms : tuple of str
        Significant findings as text, with one family-wise error for all judges.
    """

    name: str
    votes: int
    ties: int
    reliability: Interval | None
    weight: float
    shifts: Mapping[str, Interval] = field(default_factory=dict)
    first_without: tuple[str, ...] = ()
    distance: float | None = None
    dropped: Turn | None = None
    reversed: Turn | None = None
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Judges(TableResult):
    """Every judge compared with the others.

    Attributes
    ----------
    agents : tuple of str
        Best first by strengths with equal judges.
    judges : tuple of Judge
        Those with alarms first, then by number of votes.
    strengths, aware : mapping of agent to float
        Log odds with equal judges, and with a reliability for each.
    spread : float
        Standard deviation of reliability over judges.
    agreement : Agreement or None
        On units with several judges.
    held_out : HeldOut or None
        Whether accounting for judges predicts held-out votes better.
    level : float
        Of intervals; the family-wise error of all alarms is one minus it.
    settings : mapping
        All settings.
    panel : JudgePanel or None
        What judges of the same battles are worth together; None where they share too few.
    """

    plot = plot_result

    agents: tuple[str, ...]
    judges: tuple[Judge, ...]
    strengths: Mapping[str, float]
    aware: Mapping[str, float]
    spread: float
    agreement: Agreement | None
    held_out: HeldOut | None
    level: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    panel: JudgePanel | None = None

    @property
    def examined(self) -> tuple[Judge, ...]:
        """The judges with enough votes for individual tests."""
        return tuple(one for one in self.judges if one.reliability is not None)

    @property
    def alarmed(self) -> tuple[Judge, ...]:
        """The judges with alarms."""
        return tuple(one for one in self.judges if one.alarms)

    @property
    def weights(self) -> dict[str, float]:
        """Weight of a vote of each judge."""
        return {one.name: one.weight for one in self.judges}

    @property
    def first(self) -> tuple[str, ...]:
        """Who is first with equal judges; several if tied."""
        return first_of(tuple(self.strengths), np.array(list(self.strengths.values())))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The results, most important first."""
        panel = "" if self.panel is None else self.panel.sentence
        first = (self._alarms_sentence(), self._verdict(), panel, self._turns(), self._agreement())
        return tuple(filter(None, (*first, self._favoritism(), self._gain_of_weighting())))

    def _alarms_sentence(self) -> str:
        n = len(self.examined)
        few = len(self.judges) - n
        least = self.settings["min_votes"]
        rest = f" {counted(few, 'judge')} gave fewer than {least} votes, too few to examine." if few else ""
        if not n:
            return f"None of {counted(len(self.judges), 'judge')} gave {least} votes or more, so no single judge is examined."
        return flagged({one.name: one.alarms for one in self.alarmed}, n, self.level) + rest

    def _verdict(self) -> str:
        change = [one for one in self.examined if set(one.first_without) != set(self.first)]
        first = f"By Bradley-Terry strength on decided votes{self._allowed_for()}, {_are(self.first)}"
        if not self.examined:
            return f"{first} first with all judges weighted equally."
        if not change:
            return f"{first} first with all judges, whichever one is left out."
        text = joined([f"without {quoted(one.name)}, {_are(one.first_without)}" for one in change], SHOWN)
        return f"{first} first with all judges; {text}."

    def _allowed_for(self) -> str:
        """What the strengths allow for besides, so that they may differ from those of `rank`, which counts ties too."""
        words = {POSITION: "the side shown first", OWN_FAMILY: "a judge's own family"}
        named = [words.get(one, quoted(one)) for one in self.settings.get("allowed_for", ())]
        return f" (allowing for {' and '.join(named)})" if named else ""

    def _turns(self) -> str:
        tested = [(one.reversed.votes, one) for one in self.judges if one.reversed is not None]
        able = [(votes, one) for votes, one in tested if votes is not None]
        if not able:
            none = "No single judge could put another agent first by reversing all of its votes"
            return f"{none} ({len(tested):,} judges with most votes tested)." if tested else ""
        votes, one = min(able, key=lambda entry: (entry[0], entry[1].name))
        assert one.reversed is not None
        return (
            f"First place depends most on {quoted(one.name)}: reversing {votes:,} of its {one.votes:,} votes "
            f"({percent(votes / one.votes)}) puts {quoted(one.reversed.rival)} first."
        )

    def _agreement(self) -> str:
        if self.agreement is None:
            return ""
        agreement = self.agreement
        text = f"Krippendorff's alpha {agreement.alpha}, Fleiss' kappa {agreement.fleiss}."
        if len(agreement.pairs) > 1:
            low = agreement.pairs[0]
            text += f" The lowest agreement of two is that of {listed(low.judges)}: Cohen's kappa {low.kappa}."
        text += "" if agreement.grades is None else f" Krippendorff's alpha of the grades is {agreement.grades}."
        units = f"On {counted(agreement.units, 'comparison')} with two judges or more"
        return f"{units}, {percent(agreement.share)} of the pairs of verdicts agree: {text}"

    def _favoritism(self) -> str:
        shifts = [(one.shifts[OWN_FAMILY], one.name) for one in self.examined if OWN_FAMILY in one.shifts]
        ordered = sorted(shifts, key=lambda entry: (-entry[0].low, entry[1]))
        if not ordered:
            return ""
        text = joined([f"{quoted(name)} {shift.in_percent}" for shift, name in ordered], SHOWN, ", ")
        return f"Share of votes that judges give their own family against an agent of equal strength: {text}."

    def _gain_of_weighting(self) -> str:
        if self.held_out is None:
            return ""
        loss, first = self.held_out, first_of(tuple(self.aware), np.array(list(self.aware.values())))
        how = {"aware": "better", "plain": "worse", "alike": "neither better nor worse"}[loss.verdict]
        who = f"{_are(first)} first with it{' too' if set(first) == set(self.first) else ''}"
        return (
            f"A reliability per judge predicts held-out votes {how} than equal weights (log loss {loss.aware:.4f} against "
            f"{loss.plain:.4f}, difference {loss.gain:.4f} with a standard error of {loss.standard_error:.4f}); {who}."
        )

    def rows(self) -> Rows:
        """Return one row per judge, those with alarms first."""
        names = sorted(
            {name for one in self.judges for name in one.shifts},
            key=lambda name: (name not in HEADS, name != POSITION, name),
        )
        return [_row(one, names, self.agreement) for one in self.judges]


def first_of(agents: tuple[str, ...], strength: Floats) -> tuple[str, ...]:
    """Return the agents with the highest strength, by name.

    >>> first_of(("b", "a", "c"), np.array([1.0, 1.0, 0.0]))
    ('a', 'b')
    """
    return tuple(sorted(agents[i] for i in np.flatnonzero(levels_by_score(strength, LEVEL) == 0)))


def _are(names: tuple[str, ...]) -> str:
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"


def _row(one: Judge, names: list[str], agreement: Agreement | None) -> dict[str, Any]:
    """Return a judge as a row of a table, with rounded numbers."""
    row: dict[str, Any] = {"judge": one.name, "votes": one.votes, "ties": one.ties}
    row["reliability"] = "" if one.reliability is None else str(one.reliability)
    row["weight"] = round(one.weight, 2)
    row |= {HEADS.get(name, name): one.shifts[name].in_percent if name in one.shifts else "" for name in names}
    if agreement is not None:
        row["correct"] = agreement.accuracy[one.name].in_percent if one.name in agreement.accuracy else ""
    row["first without it"] = listed(one.first_without)
    votes = None if one.reversed is None else one.reversed.votes
    row["votes to change first"] = "" if one.reversed is None else "more than all" if votes is None else f"{votes:,}"
    return {**row, "flags": "; ".join(one.alarms)}
