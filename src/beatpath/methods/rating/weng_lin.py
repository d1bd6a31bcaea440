"""Weng-Lin: Bayesian online ratings in closed form, for a whole file or as battles arrive."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt, tanh
from typing import ClassVar

import numpy as np

from beatpath._arrays import AnyInts, Floats
from beatpath._validate import require_few, require_number
from beatpath.evidence import Ballots, Battles
from beatpath.evidence.conventions import convention
from beatpath.methods.profile import Profile
from beatpath.methods.rating.online_state import OnlineRatings, Schedule, last_time, online_outcome, schedule
from beatpath.methods.result import Outcome

KAPPA = 1e-4  # lowest share of a variance that a battle leaves
MOST = 1_000_000  # limit on games with several agents, about half a minute


@dataclass(frozen=True, slots=True)
class OnlineWengLin(OnlineRatings):
    r"""The state of Weng-Lin ratings (Bradley-Terry, full pairing), which `update` advances with battles or games.

    Parameters
    ----------
    start, deviation : float
        Rating and standard deviation of an agent before its first battle.
    beta : float
        Half the scale of a battle's own randomness, as in TrueSkill: with certain ratings, a gap of
        :math:`\sqrt2\,\beta` means odds of *e* to 1.
    tau : float
        Added, squared, to a variance before each battle of an agent: how fast agents may change.
    ratings, deviations : mapping of agent to float
        Current ratings and standard deviations.
    battles : int
        Number of battles rated; a game with several agents is one.
    time : float, optional
        Time of the last one, if known.

    Examples
    --------
    >>> from beatpath import Battles
    >>> monday = OnlineWengLin().update(Battles.of([("ada", "bob", 1)]))
    >>> {name: (round(monday.ratings[name], 3), round(monday.deviations[name], 3)) for name in ("ada", "bob")}
    {'ada': (27.635, 8.066), 'bob': (22.365, 8.066)}
    >>> round(monday.predict("ada", "bob"), 3)
    0.601
    """

    TYPE: ClassVar = "online_weng_lin"

    start: float = 25.0
    deviation: float = 25 / 3
    beta: float = 25 / 6
    tau: float = 25 / 300
    deviations: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.require_settings("25 is usual.", "deviation", "beta")
        require_number("tau", self.tau, "a number, 0 or more", least=0)

    def update(self, battles: Battles | Ballots, *, ties: str = "half", both_bad: str = "tie") -> "OnlineWengLin":
        """Return the ratings after these battles, or after these games with several agents, one after another.

        Parameters
        ----------
        battles : Battles or Ballots
            Battles later than those rated before, if both have times; or finishing orders, one ballot per game, which
            have no times and are rated in their order, a count of *k* as *k* games in a row. New agents begin at
            `start`.
        ties : {"half", "drop"}
            Whether a tie is half a win or not rated; for games with several agents, one in which all tie.
        both_bad : {"tie", "drop"}
            Whether "both bad" is a tie or not rated.

        Examples
        --------
        >>> from beatpath import Ballots
        >>> after = OnlineWengLin().update(Ballots.of([[["ada"], ["bob"], ["cyd"]]]))
        >>> [round(after.ratings[name], 3) for name in ("ada", "bob", "cyd")]
        [27.869, 25.717, 21.414]
        """
        if isinstance(battles, Ballots):
            convention("ties", ties)
            return self.rate_games(battles, drop_ties=ties == "drop")
        return OnlineRatings.update(self, battles, ties=ties, both_bad=both_bad)

    def rate_games(self, games: Ballots, *, drop_ties: bool = False) -> "OnlineWengLin":
        """Return the ratings after these finishing orders, one after another."""
        number = int(games.count.sum())
        fewer = "Rate them in parts, or rank by plackett_luce, which needs no order."
        require_few(number, MOST, "games of several are rated one after another, at most {} of them", fewer)
        mu = np.array([self.rating(name) for name in games.agents], dtype=np.float64)
        variance = np.array([self.deviations.get(name, self.deviation) ** 2 for name in games.agents], dtype=np.float64)
        weight = np.ones(len(games)) if games.weight is None else games.weight
        for game in range(len(games)):
            here = slice(games.start[game], games.start[game + 1])
            who, place = games.agent[here], games.place[here]
            for _ in range(games.count[game]):
                before = variance[who] + self.tau**2
                mu[who], variance[who] = after_game(
                    mu[who], before, place, self.beta, weight[game], drop_ties=drop_ties
                )
        state = {"ratings": mu.tolist(), "deviations": np.sqrt(variance).tolist()}
        return self.after(games.agents, state, number, self.time)

    def rate(self, battles: Battles, order: Schedule) -> "OnlineWengLin":
        """Return the ratings after these battles, in the given order."""
        last = last_time(self.time, battles, order)
        rows, names = order.rows, battles.agents
        mu = [self.rating(name) for name in names]
        variance = [self.deviations.get(name, self.deviation) ** 2 for name in names]
        group = np.arange(len(rows)) if order.group is None else order.group
        weight = np.ones(len(rows)) if battles.weight is None else battles.weight[rows]
        tidy = np.lexsort((weight, battles.outcome[rows], battles.b[rows], battles.a[rows], group))
        columns = [
            values[tidy].tolist() for values in (battles.a[rows], battles.b[rows], battles.outcome[rows], weight)
        ]
        seen, before_mu, before = [-1] * len(names), list(mu), list(variance)
        for i, j, s, w, now in zip(*columns, group.tolist(), strict=True):
            for agent in (i, j):
                if seen[agent] != now:
                    seen[agent], before_mu[agent] = now, mu[agent]
                    variance[agent] = before[agent] = variance[agent] + self.tau * self.tau
            c = sqrt(before[i] + before[j] + 2 * self.beta * self.beta)
            p = (1 + tanh((before_mu[i] - before_mu[j]) / (2 * c))) / 2
            for agent, sign in ((i, 1.0), (j, -1.0)):
                share = before[agent] / (c * c)
                mu[agent] += sign * w * before[agent] / c * (s - p)
                variance[agent] *= max(1 - sqrt(share) * share * p * (1 - p), KAPPA) ** w
        return self.after(names, {"ratings": mu, "deviations": map(sqrt, variance)}, len(rows), last)

    def predict(self, a: str, b: str) -> float:
        """Return the expected outcome of *a* against *b*, closer to one half if the ratings are uncertain.

        >>> OnlineWengLin().predict("ada", "bob")
        0.5
        """
        gap = self.rating(a) - self.rating(b)
        variance = sum(self.deviations.get(name, self.deviation) ** 2 for name in (a, b))
        return (1 + tanh(gap / (2 * sqrt(variance + 2 * self.beta**2)))) / 2


def after_game(
    mu: Floats, variance: Floats, place: AnyInts, beta: float, weight: float = 1.0, *, drop_ties: bool = False
) -> tuple[Floats, Floats]:
    r"""Return ratings and variances of the agents after one game: Algorithm 4, Plackett-Luce, with one agent per side.

    With :math:`c^2 = \sum_a (\sigma_a^2 + \beta^2)`, :math:`p_{ab} = e^{\mu_a / c} / \sum_{d \text{ not above } b}
    e^{\mu_d / c}` the probability that *a* comes next where *b* did, and :math:`n_b` agents in the place of *b*,

    .. math::  \mu_a \leftarrow \mu_a + \frac{\sigma_a^2}{c} \Bigl(\frac{1}{n_a} - \sum_{b \text{ not below } a} \frac{p_{ab}}{n_b}\Bigr),
               \quad \sigma_a^2 \leftarrow \sigma_a^2 \Bigl(1 - \frac{\sigma_a^3}{c^3} \sum_{b \text{ not below } a}
               \frac{p_{ab} (1 - p_{ab})}{n_b}\Bigr).

    For two agents this is the update of a battle.

    Parameters
    ----------
    mu, variance : (k,) float
        Ratings and variances before the game.
    place : (k,) int
        Finishing places, 0 the best.
    beta, weight : float
        As for `OnlineWengLin`, and the weight of the game.
    drop_ties : bool
        Whether a game in which all tie changes nothing.

    Examples
    --------
    >>> after_game(np.array([25.0, 25.0]), np.full(2, 70.0), np.array([0, 1]), 25 / 6)[0].round(3)
    array([27.648, 22.352])
    """
    if drop_ties and (place == place[:1]).all():
        return mu, variance
    c = float(np.sqrt((variance + beta * beta).sum()))
    odds = np.exp((mu - mu.max(initial=-np.inf)) / c)
    later = place[None, :] >= place[:, None]  # b, d: d is not above b
    p = odds[:, None] / (later @ odds)[None, :]
    alike = (place[:, None] == place).sum(axis=1)
    before = (place[None, :] <= place[:, None]) / alike[None, :]  # a, b: b is not below a
    step = variance / c * (1 / alike - (before * p).sum(axis=1))
    share = (np.sqrt(variance) / c) ** 3 * (before * p * (1 - p)).sum(axis=1)
    return mu + weight * step, variance * np.maximum(1 - share, KAPPA) ** weight


def weng_lin(
    profile: Profile, *, start: float = 25.0, deviation: float = 25 / 3, beta: float = 25 / 6, tau: float = 25 / 300
) -> Outcome:
    r"""Rate agents by Weng-Lin: each has a normal belief about its strength, which every battle updates in closed form.

    Algorithm 1 of [1]_, Bradley-Terry with full pairing, for two sides of one agent:

    .. math::  c^2 = \sigma_a^2 + \sigma_b^2 + 2\beta^2, \quad p = \frac{1}{1 + e^{(\mu_b - \mu_a)/c}}, \quad
               \mu_a \leftarrow \mu_a + \frac{\sigma_a^2}{c}(s - p), \quad
               \sigma_a^2 \leftarrow \sigma_a^2 \left(1 - \frac{\sigma_a^3}{c^3}\, p(1-p)\right).

    Battles at the same time are all rated from the ratings before it: their steps add up, their factors of variance
    multiply. A game with several agents, a finishing order, is rated by Algorithm 4, Plackett-Luce, which is the same
    for two sides; see `after_game`.

    Parameters
    ----------
    profile : Profile
        Battles, or finishing orders, which have no times and are rated in their order.
    start, deviation, beta, tau
        As for `beatpath.online.OnlineWengLin`.

    Returns
    -------
    Outcome
        The score is the rating after the last battle. Details: `deviations`.

    Examples
    --------
    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> weng_lin(profile_of(Battles.of([("ada", "bob", 1)], time=[1]))).score.round(3)
    array([27.635, 22.365])

    References
    ----------
    .. [1] R. C. Weng, C.-J. Lin, "A Bayesian approximation method for online ranking", *Journal of Machine Learning Research*
       12 (2011), 267-300.
    """
    state, order = OnlineWengLin(start, deviation, beta, tau), None
    if profile.battles is not None:
        order = schedule(profile.battles, ties=profile.ties, both_bad=profile.both_bad)
        state = state.rate(profile.battles, order)
    else:
        state = state.rate_games(profile.require_ballots("weng_lin"), drop_ties=profile.ties == "drop")
    return online_outcome(
        profile, state, order, {"deviations": {name: state.deviations[name] for name in profile.agents}}
    )
