"""`sco_posterior`: probabilities of rankings under SCO's loss (SCO, appendix D.3)."""

from collections import Counter
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath._result import TableResult
from beatpath._text import counted, percent, quoted
from beatpath._validate import generator, require_number, require_whole
from beatpath.evidence import Ballots, Battles, Pairs

CHAINS = 50  # independent chains, moved together
SETTLING = 200  # sweeps before the first sample: with 20 agents the chains agree after about 50
THIN = 5  # sweeps from one sample of a chain to the next


class RankingRow(TypedDict):
    """A ranking and its probability.

    Attributes
    ----------
    ranking : str
        Agents, best first.
    probability : float
        Share of the samples.
    """

    ranking: str
    probability: float


@dataclass(frozen=True, slots=True, repr=False)
class RankingPosterior(TableResult):
    """Probabilities of rankings of all agents.

    Attributes
    ----------
    rankings : list of RankingRow
        The rankings that were sampled, the most probable first.
    samples : int
        Number of samples.
    close_pair : tuple of str
        The two agents whose order is the least certain.
    close_probability : float
        The probability that the first of them is above the second, at least a half.
    """

    rankings: list[RankingRow]
    samples: int
    close_pair: tuple[str, str]
    close_probability: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """The most probable ranking, and the pair whose order is the least certain."""
        first, (a, b) = self.rankings[0], self.close_pair
        many = counted(len(self.rankings), "ranking")
        return (
            f"The most probable of {many} has probability {percent(first['probability'])}: {first['ranking']}.",
            f"The least certain order: {quoted(a)} above {quoted(b)} with probability {percent(self.close_probability)}.",
        )

    def rows(self) -> list[RankingRow]:
        """Return one row per ranking."""
        return self.rankings


def sco_posterior(
    evidence: Ballots | Battles | Pairs,
    *,
    samples: int = 2_000,
    temperature: float = 1.0,
    low: float = 0.0,
    high: float = 100.0,
    seed: int = 0,
) -> RankingPosterior:
    r"""Return probabilities of rankings, with SCO's sigmoid loss as minus a log-likelihood.

    The ratings have density proportional to :math:`\exp(-\tilde L(\theta))` on their box, so each contradicted preference
    makes a ranking less probable by about a factor *e*: as the temperature falls, Mallows' model with a uniform prior.
    Appendix D.3 of SCO samples it by stochastic descent with a constant step (Mandt et al. 2016). That step is derived for a
    quadratic minimum, and is many times too large where the sigmoids are flat, so here Metropolis chains sample the density
    itself: one rating at a time moves to a point near it, or anywhere.

    Parameters
    ----------
    evidence : Ballots, Battles or Pairs
        Preferences.
    samples : int
        Number of samples, rounded up to a multiple of 50, the number of chains; default 2,000.
    temperature, low, high : float
        Temperature of the loss, and bounds of the ratings.
    seed : int
        Seed of the chains; default 0.

    Returns
    -------
    RankingPosterior

    Raises
    ------
    DataError
        If there are fewer than two agents.

    See Also
    --------
    rank_sets : Ranks that the data allow at a confidence level; this posterior is not calibrated.

    Examples
    --------
    >>> posterior = sco_posterior(Ballots.of(["abc", "acb", "bac"], count=[5, 4, 1]))
    >>> posterior.rankings[0]["ranking"], posterior.close_pair
    ('a > b > c', ('b', 'c'))

    References
    ----------
    M. Lanctot et al., "Soft Condorcet Optimization for Ranking of General Agents", AAMAS 2025, appendix D.3.

    S. Mandt, M. Hoffman, D. Blei, "A Variational Analysis of Stochastic Gradient Algorithms", ICML 2016.
    """
    require_whole("samples", samples, least=1)
    require_number("low", low, "a finite number")
    require_number("high", high, f"a finite number above `low`, {low:g}", above=low)
    require_number("temperature", temperature, "a temperature above 0", above=0)
    pairs = evidence if isinstance(evidence, Pairs) else evidence.pairs()
    names, margins = pairs.agents, pairs.margins().matrix
    if len(names) < 2:
        raise DataError(f"a posterior over rankings needs two agents; there is {counted(len(names), 'agent')}.")
    drawn = _sampled_ratings(margins, samples, temperature, low, high, generator(seed))
    orders = Counter(tuple(order) for order in np.argsort(-drawn, axis=1).tolist())
    above = (drawn[:, :, None] > drawn[:, None, :]).mean(axis=0)
    decided = np.where((above >= 0.5) & ~np.eye(len(names), dtype=bool), above, np.inf)
    a, b = np.unravel_index(int(decided.argmin()), decided.shape)
    rows: list[RankingRow] = [
        {"ranking": " > ".join(names[i] for i in order), "probability": times / len(drawn)}
        for order, times in orders.most_common()
    ]
    return RankingPosterior(rows, len(drawn), (names[a], names[b]), float(above[a, b]))


def _sampled_ratings(
    margins: Floats, samples: int, temperature: float, low: float, high: float, rng: np.random.Generator
) -> Floats:
    r"""Ratings from Metropolis chains; the loss is :math:`\sum_{a<b} M_{ab} \sigma(\theta_b - \theta_a)` up to a constant."""
    n = len(margins)
    theta, kept = rng.uniform(low, high, (CHAINS, n)), []
    for sweep in range(SETTLING + THIN * -(-samples // CHAINS)):
        for i in rng.permutation(n):
            anywhere = rng.uniform(low, high, CHAINS)
            near = theta[:, i] + rng.normal(0.0, 3 * temperature, CHAINS)
            new = np.where(rng.random(CHAINS) < 0.5, anywhere, near)
            before, after = (expit((theta - at[:, None]) / temperature) for at in (theta[:, i], new))
            gain = (before - after) @ margins[i]
            accepted = (np.log(rng.random(CHAINS)) < gain) & (new >= low) & (new <= high)
            theta[accepted, i] = new[accepted]
        if sweep >= SETTLING and (sweep - SETTLING) % THIN == 0:
            kept.append(theta.copy())
    return np.concatenate(kept)
