"""Evidence held out: a split that leaves no agent untried, and how well a ranking foretells what was held out."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted
from beatpath._validate import generator
from beatpath.evidence import Ballots, Battles
from beatpath.evidence.pairs import LOSS, TIE, WIN
from beatpath.methods.metrics import Order, order_levels

Votes = TypeVar("Votes", Ballots, Battles)
MOST = 10_000_000  # votes that are dealt one by one


def hold_out(evidence: Votes, n: int, *, seed: int) -> tuple[Votes, Votes]:
    """Split evidence at random into what to learn from and what to test on.

    SCO, section 4.4: every agent that the test names is named at least once in what remains, and no vote or battle is in
    both. Votes are drawn in a random order and put aside unless one of their agents would be left without any.

    Parameters
    ----------
    evidence : Ballots or Battles
        A ballot cast by several voters counts as so many votes and may end up on both sides.
    n : int
        How many votes or battles to hold out.
    seed : int
        The same seed and the same evidence give the same split.

    Returns
    -------
    train, test : of the kind of `evidence`
        Both know all agents.

    Examples
    --------
    >>> battles = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1), ("w", "x", 0)])
    >>> train, test = hold_out(battles, 1, seed=0)
    >>> len(train), len(test)
    (3, 1)
    """
    if not isinstance(evidence, Ballots | Battles):
        raise UsageError(f"`evidence` must be ballots or battles to be split by vote; got {type(evidence).__name__}.")
    count = evidence.count if isinstance(evidence, Ballots) else np.ones(len(evidence), dtype=np.int64)
    upto = np.cumsum(count)
    votes = int(upto[-1]) if len(upto) else 0
    most = votes - 1 if votes <= MOST else MOST // 10
    if not 1 <= n <= most:
        raise UsageError(f"`n` must be from 1 to {most:,}, less than there are votes; got {quoted(n)}.")
    entries = _agents_of_votes(evidence)
    order = np.searchsorted(upto, _shuffled(votes, n, generator(seed)), side="right").tolist()
    left = [0] * len(evidence.agents)
    for agents, votes_cast in zip(entries, count.tolist(), strict=True):
        for agent in agents:
            left[agent] += votes_cast
    held: list[int] = []
    for i in order:
        if len(held) < n and min((left[agent] for agent in entries[i]), default=2) > 1:
            held.append(i)
            for agent in entries[i]:
                left[agent] -= 1
    if len(held) < n:
        raise DataError(
            f"every agent held out must stay in what is learnt from; with that only {len(held):,} of {n:,} votes could be "
            "held out. Hold out fewer, or leave out agents that stand in a single vote."
        )
    times = np.bincount(held, minlength=len(evidence))
    return _part(evidence, count - times), _part(evidence, times)


def _shuffled(votes: int, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The numbers of all votes in a random order; of very many, of twice as many as are held out, which leaves enough."""
    if votes <= MOST:
        return rng.permutation(votes)
    return rng.choice(votes, size=2 * n, replace=False)


def _agents_of_votes(evidence: Ballots | Battles) -> list[list[int]]:
    """The agents of every vote."""
    if isinstance(evidence, Battles):
        return np.stack([evidence.a, evidence.b], axis=1).tolist()
    agent = evidence.agent.tolist()
    return [agent[low:high] for low, high in zip(evidence.start[:-1], evidence.start[1:], strict=True)]


def _part(evidence: Votes, times: NDArray[np.int64]) -> Votes:
    """The rows that are taken at least once, ballots with so many voters."""
    rows = np.flatnonzero(times)
    if isinstance(evidence, Battles):
        return evidence.take(rows)
    return evidence.take(rows, count=times[rows])


def held_out_distance(order: Order, test: Ballots | Battles, *, normalised: bool = False) -> float:
    r"""Return the mean number of pairs of a vote that a ranking gets wrong, over votes it has not seen.

    SCO, section 4.4, and VasE's error per game: with test votes :math:`g` of weight :math:`w_g`,

    .. math::  \frac{\sum_g w_g K_d(g, R)}{\sum_g w_g},

    :math:`K_d` with ties as in `kendall_tau_distance`: a pair that only the vote or only the ranking ties counts half. "Both
    bad" is a tie, and a soft preference is split. A battle is a vote of one pair.

    Parameters
    ----------
    order : Ranking, sequence of levels or mapping of ratings
        It must rank every agent of the test.
    test : Ballots or Battles
    normalised : bool
        True for the share of compared pairs that are wrong, instead of their number in a vote.

    Examples
    --------
    The pentathlon of VasE, where C > A > B has the least distance, 5 over five votes (SCO, Figure 1).

    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> held_out_distance(["C", "A", "B"], Ballots.of(votes, count=[1, 1, 2, 1]))
    1.0
    """
    place = order_levels(order)
    pairs = test.pairs().settle(ties="keep", both_bad="tie")
    missing = [test.agents[i] for i in np.unique(np.concatenate([pairs.a, pairs.b])) if test.agents[i] not in place]
    if missing:
        raise DataError(
            f"a ranking must hold every agent of the test; {listed(missing)} {'are' if len(missing) > 1 else 'is'} not in it. "
            "`hold_out` keeps every agent in what is learnt from."
        )
    level = np.array([place.get(name, -1) for name in test.agents])
    said = np.sign(level[pairs.b] - level[pairs.a])  # +1 where the first of the pair is ranked higher
    wrong = pairs.counts[:, WIN] @ (1 - said) / 2 + pairs.counts[:, LOSS] @ (1 + said) / 2
    wrong += pairs.counts[:, TIE] @ np.abs(said) / 2
    if isinstance(test, Ballots):
        votes = float(test.total.sum())
    else:
        votes = float(len(test)) if test.weight is None else float(test.weight.sum())
    amount = float(pairs.counts.sum()) if normalised else votes
    if not amount:
        raise DataError("there must be something to test on; the test holds no vote with any weight.")
    return float(wrong / amount)
