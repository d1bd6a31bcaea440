r"""Voters of an arena: how far they agree, who looks careless, what the board is without them, and what it would take to forge first place.

A voter looks careless who chose one side far more often than a coin and than the others did, who took under two seconds
for half of the votes, or who agrees with the others no more than a coin does, where those others agree among themselves.
The error of all these tests together is 5 %, for voters whose shares differ by the sampling error and by `SPREAD`.

Forged votes: with limits on nothing but their number, somebody votes for a rival of the first agent and against that agent
wherever either is shown, and skips all other pairs. Of :math:`M` honest votes on these pairs and :math:`k` forged ones, a
share :math:`f = k / (M + k)` of every pair is forged, and the difference :math:`d` of the two scores becomes
:math:`(1 - f) d - f`. It is gone at :math:`k = M d`; it is no longer certain, with a bound of :math:`r`, at
:math:`k = M (d - r) / (1 + r)`.
"""

import math
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar, TypedDict

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._result import Record, TableResult
from beatpath._text import counted, listed, percent, quoted
from beatpath.arena.stages import places
from beatpath.evidence import Battles
from beatpath.inference.anytime.anytime_board import AnytimeBoard
from beatpath.inference.anytime.stage import predictions
from beatpath.stats.agreement import alpha_interval, percent_agreement
from beatpath.stats.intervals import Interval
from beatpath.stats.verdicts import shared_verdicts

# Decided votes below which nobody is called careless; pairs of answers below which agreement is not computed
LEAST = 10
FASTEST = 2.0  # median seconds per vote below which nobody has read two answers
TOGETHER = 1e-4  # seconds between votes up to which one call reported both, so that neither has a time of its own
ERROR = 0.05  # of all tests together
SPREAD = 100  # careful voters differ in taste: their shares spread like those of so many votes, by 5 points
KNOWN = 1e6  # the same for a share that is known exactly
REASONS = ("one side", f"under {FASTEST:g} seconds a vote", "agrees no more than a coin")
MOST = 5  # careless voters that a sentence names


class VoterRow(TypedDict):
    """One voter, or judge, of an arena.

    Attributes
    ----------
    voter : str
        Who voted.
    votes : int
        How many votes.
    first_side : float or None
        Share of decided votes for the answer shown first.
    seconds : float or None
        Median time before a vote; None if one call reported it together with the next.
    agreement : float or None
        Share of decided votes for the agent that the others favor.
    expected : float or None
        That share for a voter like the others.
    careless : str
        What looks careless; empty if nothing does.
    """

    voter: str
    votes: int
    first_side: float | None
    seconds: float | None
    agreement: float | None
    expected: float | None
    careless: str


@dataclass(frozen=True, slots=True)
class VoterAgreement(Record):
    """Agreement of voters who compared the same two agents on the same prompt.

    Parameters
    ----------
    units : int
        Pairs of answers with at least two voters.
    share : float
        Share of pairs of votes that agree.
    alpha : Interval
        Krippendorff's alpha: 1 if all agree, 0 as by chance.
    """

    units: int
    share: float
    alpha: Interval

    @property
    def sentence(self) -> str:
        """State the agreement."""
        alpha = f"{self.alpha.estimate:.2f} ({self.alpha.low:.2f} to {self.alpha.high:.2f})"
        number = counted(self.units, "pair")
        return f"On {number} of answers with two voters or more, {percent(self.share)} of pairs of votes agree; alpha is {alpha}."


@dataclass(frozen=True, slots=True)
class ForgedVotes(Record):
    """What it would take to change first place by forged votes.

    Parameters
    ----------
    leader, rival : str
        The first agent, and the one that is cheapest to put in its place.
    votes : int
        Forged votes that put the rival first.
    to_unsettle : int
        Forged votes after which the leader is no longer certainly first; 0 if it is not.
    accounts : int or None
        Voters that it takes for the first of these, if the votes of each are limited.
    """

    leader: str
    rival: str
    votes: int
    to_unsettle: int
    accounts: int | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Voters(TableResult):
    """Voters of an arena, the board without those who look careless, and the price of first place.

    Parameters
    ----------
    voters : tuple of VoterRow
        The voters, those with most votes first.
    board, without : AnytimeBoard
        The board, and the board without votes that look careless.
    price : ForgedVotes
        What it would take to change first place.
    agreement : VoterAgreement or None
        How far voters agree; None if too few of them saw the same answers.
    """

    document_name: ClassVar[str] = "arena_voters"
    document: ClassVar[tuple[str, ...]] = ("voters=rows", "careless", "lost", "gained", "price", "agreement")

    voters: tuple[VoterRow, ...]
    board: AnytimeBoard
    without: AnytimeBoard
    price: ForgedVotes
    agreement: VoterAgreement | None = None

    @property
    def careless(self) -> list[str]:
        """Voters who look careless."""
        return [row["voter"] for row in self.voters if row["careless"]]

    @property
    def lost(self) -> list[tuple[str, str]]:
        """Pairs of agents whose order is certain, and is not without careless votes."""
        return sorted(set(self.board.above_pairs) - set(self.without.above_pairs))

    @property
    def gained(self) -> list[tuple[str, str]]:
        """Pairs of agents whose order is certain without careless votes alone."""
        return sorted(set(self.without.above_pairs) - set(self.board.above_pairs))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who looks careless, what changes without them, and the price of first place."""
        flagged, price = [row for row in self.voters if row["careless"]], self.price
        all_votes, votes = (sum(row["votes"] for row in rows) for rows in (self.voters, flagged))
        reasons = [f"{quoted(row['voter'], 40)} ({row['careless']})" for row in flagged]
        who = f"{', '.join(reasons[:MOST])}{' and others' if len(reasons) > MOST else ''}"
        by = "" if price.accounts is None else f" from {counted(price.accounts, 'account')}"
        crowd = counted(len(self.voters), "voter")
        opening = f"No voter looks careless: {crowd}, {counted(all_votes, 'vote')}."
        if flagged:
            opening = f"{len(flagged)} of {crowd} look{'s' * (len(flagged) == 1)} careless, with {votes:,} of {all_votes:,} votes: {who}."
        elif not self.voters:
            opening = "No battle was judged by one named voter, so nothing can be said about voters."
        orders, more = counted(int(self.board.above.sum()), "certain order"), len(self.gained)
        lost = f"{len(self.lost)} of {orders} are not certain, and {more} more are"
        if not self.board.above.any():
            lost = f"{counted(more, 'order')} would be certain, instead of none"
        changes = f"Without them {lost}; {listed(self.without.may_be_first)} may be first."
        would = f"{counted(price.to_unsettle, 'vote')} would make first place uncertain."
        then = would if price.to_unsettle else "first place is uncertain now."
        above = f"would put {quoted(price.rival)} above {quoted(price.leader)}"
        forging = f"About {counted(price.votes, 'forged vote')}{by} {above}; {then}"
        agreed = () if self.agreement is None else (self.agreement.sentence,)
        return (opening, *((changes,) if flagged else ()), *agreed, *((forging,) if self.board.battles else ()))

    def rows(self) -> list[VoterRow]:
        """Return one row per voter."""
        return list(self.voters)


def voter_rows(battles: Battles) -> tuple[VoterRow, ...]:
    """Return the voters of battles, those with most votes first, and what looks careless about each."""
    judge, n = battles.factors.get("judge"), len(battles.agents)
    if judge is None or battles.time is None:
        return ()
    outcome = np.where(battles.a < battles.b, battles.outcome, 1 - battles.outcome)
    pair = places(tuple(range(n)), np.minimum(battles.a, battles.b), np.maximum(battles.a, battles.b))
    for_first = np.where(battles.position == 1, battles.outcome, 1 - battles.outcome) > 0.5
    decided = (battles.outcome != 0.5) & (battles.position != 0)
    rows: list[Any] = []
    alpha = ERROR / (2 * len(judge.levels))
    for code, name in enumerate(judge.levels):
        own, others = judge.codes == code, judge.codes != code
        used, rest = own & decided, others & decided
        pauses = np.diff(np.sort(battles.time[own]), append=np.inf)
        alone = pauses[:-1][(pauses[:-1] > TOGETHER) & (pauses[1:] > TOGETHER)]
        seconds = float(np.median(alone)) if len(alone) else None
        first_side = agreement = expected = None
        careless = ""
        if used.sum() >= LEAST:
            agreed = _with_the_others(pair, outcome, others, n)
            first_side, agreement = float(for_first[used].mean()), float(agreed[used].mean())
            weight = rest.sum() + 2
            usual, expected = ((hits[rest].sum() + 1) / weight for hits in (for_first, agreed))
            beyond = np.maximum(_tails(for_first[used], 0.5, SPREAD), _tails(for_first[used], usual, weight))
            one_sided = beyond.min() < alpha / 2
            fast = seconds is not None and seconds < FASTEST
            agree, others_agree = (_tails(agreed[one], 0.5, KNOWN)[1] <= ERROR for one in (used, rest))
            like_a_coin = others_agree and not agree and _tails(agreed[used], expected, weight)[0] < alpha
            careless = ", ".join(compress(REASONS, (one_sided, fast, like_a_coin)))
        cells = (name, int(own.sum()), first_side, seconds, agreement, expected, careless)
        rows.append(dict(zip(VoterRow.__annotations__, cells, strict=True)))
    return tuple(sorted(rows, key=lambda row: -row["votes"]))


def _with_the_others(pair: Ints, outcome: Floats, others: Bools, n_agents: int) -> Bools:
    """Whether each outcome is for the agent that the others favor, by every second battle, of which it is none."""
    agreed = np.zeros(len(pair), dtype=bool)
    a, b = np.triu_indices(n_agents, 1)
    half = np.arange(len(pair)) % 2 == 0
    for own in (half, ~half):
        known = others & ~own
        played = np.bincount(pair[known], minlength=len(a)).astype(float)
        won = np.bincount(pair[known], outcome[known], len(a)).astype(float)
        favored = predictions(a, b, played, won, n_agents) > 0.5
        agreed[own] = (outcome[own] > 0.5) == favored[pair[own]]
    return agreed


def voter_agreement(battles: Battles, level: float) -> VoterAgreement | None:
    """Return how far voters agree on the same prompt and agents; None if fewer than `LEAST` pairs of answers have two voters."""
    judge, prompt = battles.factors.get("judge"), battles.factors.get("cluster")
    if judge is None or prompt is None:
        return None
    verdicts = shared_verdicts(judge.codes, battles.a, battles.b, battles.outcome, [prompt.codes])
    if verdicts.n_units < LEAST:
        return None
    counts = verdicts.counts()
    return VoterAgreement(len(counts), percent_agreement(counts), alpha_interval(counts, level))


def _tails(hits: Bools, share: float, weight: float) -> Floats:
    """Probabilities of as few hits, and of as many, for a careful voter, if the share rests on so many votes of others."""
    from scipy.stats import betabinom

    size = weight if weight == KNOWN else min(weight, SPREAD)
    chance = betabinom(len(hits), share * size, (1 - share) * size)
    return np.array([chance.cdf(hits.sum()), chance.sf(hits.sum() - 1)])


def price_of_first(board: AnytimeBoard, per_person: int | None) -> ForgedVotes:
    """Return what it would take to change first place by forged votes; see the module."""
    above = board.above
    leader = int(np.lexsort((board.score, above.sum(axis=1) == len(above) - 1))[-1])  # the first, if that is certain
    played = board.wins + board.wins.T
    shown = played[leader].sum() + played.sum(axis=0) - played[leader]  # votes on pairs with either
    apart = np.maximum(board.difference[leader], 0.0)
    by_goal = board.radius_at(board.share * (board.reserved or 1.0) * (1 - board.level))
    radius = np.where(above & (board.difference <= board.radius), by_goal, board.radius)[leader]
    votes = np.floor(shown * apart) + 1
    loose = np.maximum(np.ceil(shown * np.maximum(apart - radius, 0.0) / (1 + radius)), above[leader])
    votes[leader] = loose[leader] = np.inf
    rival, most = int(np.argmin(votes)), int(votes.min())
    accounts = None if per_person is None else math.ceil(most / per_person)
    return ForgedVotes(board.agents[leader], board.agents[rival], most, int(np.nan_to_num(loose.min())), accounts)
