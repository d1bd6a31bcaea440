r"""`win_matrix`: the estimated win rate of every pair, compared directly or not, with its standard error.

All results rest on this one estimate: scores against any mixture of opponents, rank sets, claims, pairwise methods, and
cores. It tends to Bradley-Terry as the lack of fit vanishes, and to the observed rates as battles become many. See
`beatpath.inference.matrix.estimate` for the equations.

Draws of the whole matrix of win rates.

A draw is :math:`\hat\psi` minus a simulated error,

.. math::  \psi^* = \hat\psi + A \varepsilon^* + (A - I_m) d^*_m - I_u d^*_u, \qquad
           \varepsilon^* \sim N(0, \varphi V), \quad d^* \sim N(0, T),

so every linear functional of draws has exactly the cautious covariance of `MatrixEstimate` (one-way clusters or none).
It is the *sampling distribution of the error, centered on the estimate*: a confidence distribution. With known
:math:`\varphi, \tau` and Gaussian errors it would be the posterior of :math:`\psi` under a flat prior of strengths and
:math:`d \sim N(0, \tau^2 s)`; with :math:`\tau_{hi}` it is wider. Deviations of different pairs are independent.

Rates near 0 or 1 (within four standard errors) are drawn from the Beta distribution with the same mean and variance, by
quantiles, so that no rate leaves (0, 1); others are unchanged.

Intervals of single win rates are Wilson's, with an effective number of battles.

An estimate :math:`\hat\psi` with standard error *se* is worth :math:`n = \tilde g / se^2` battles, :math:`\tilde g`
being the variance of one battle *as used for the standard error*: :math:`N v / \varphi_0` for a pair compared
directly, :math:`m (1 - m)` for another. The interval contains all *x* with :math:`(\hat\psi - x)^2 \le z^2\, x (1 - x)
/ n` (Wilson 1927): never outside [0, 1], and not narrow by chance where all battles were won.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaincinv, ndtr, ndtri

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError, spoken
from beatpath._progress import doing
from beatpath._result import Delegate, Rows, TableResult
from beatpath._text import confidence, counted, listed, percent, quoted, suggestion
from beatpath._validate import require_share
from beatpath.evidence import Convention
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence.select import columns_by_role
from beatpath.fit.ties import slopes
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.dispersion import TAU0
from beatpath.inference.matrix.estimate import MatrixEstimate, estimate
from beatpath.inference.matrix.rates import rates_of
from beatpath.inference.win_rates.estimate import MOST_AGENTS, WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile, profile_of
from beatpath.stats.intervals import wilson_ends

NEAR = 4.0  # standard errors from 0 or 1 within which draws are Beta quantiles
NODES = np.linspace(-5.0, 5.0, 41)  # normal scores at which Beta quantiles are tabulated


def draw(fit: MatrixEstimate, rng: np.random.Generator, n_draws: int) -> Floats:
    """Draw (n_draws, n, n) matrices of win rates; NaN across components."""

    def deviations(variance: Floats) -> Floats:
        return np.sqrt(variance)[:, None] * rng.standard_normal((len(variance), n_draws))

    a, b = fit.rates.a, fit.rates.b
    noise, d = fit.noise(rng, n_draws), deviations(fit.deviation)
    strength = fit.C @ (fit._pull.T @ (noise + d))  # (n, draws)
    ua, ub = np.nonzero(np.triu(fit.part[:, None] == fit.part[None, :], 1))
    met = fit.pair(ua, ub)[0] >= 0
    ua, ub = ua[~met], ub[~met]
    own = fit.k[:, None] * noise - (1 - fit.k)[:, None] * d
    own += ((1 - fit.k) * fit.g)[:, None] * (strength[a] - strength[b])
    other = slopes(fit.theta, ua, ub)[1][:, None] * (strength[ua] - strength[ub])
    other -= deviations(fit.deviation_unmet(ua, ub))
    full = np.where(fit.part[:, None] == fit.part[None, :], 0.5, np.nan) * np.ones((n_draws, 1, 1))
    for i, j, error in ((a, b, own), (ua, ub, other)):
        values = clip_inside(fit.psi[i, j][:, None] + error, fit.psi[i, j], fit.psi_stderr[i, j])
        full[:, i, j], full[:, j, i] = values.T, 1 - values.T
    return full


def clip_inside(values: Floats, mean: Floats, stderr: Floats) -> Floats:
    """Return draws (k, draws) of rates, those of rates near 0 or 1 as Beta quantiles of the same probability.

    >>> clip_inside(np.array([[1.1, 0.9]]), np.array([0.95]), np.array([0.1])).round(3)
    array([[1.  , 0.97]])
    """
    near = np.minimum(mean, 1 - mean) < NEAR * stderr
    p, se = mean[near], stderr[near]
    size = np.maximum(p * (1 - p) / np.maximum(se, 1e-9) ** 2 - 1, 0.05)
    table = betaincinv((size * p)[:, None], (size * (1 - p))[:, None], ndtr(NODES))
    result = values.copy()
    result[near] = _interpolated(table, (values[near] - p[:, None]) / se[:, None])
    return np.clip(result, 1e-9, 1 - 1e-9)


def _interpolated(table: Floats, z: Floats) -> Floats:
    """Interpolate linearly at *z* (k, draws) functions tabulated at the nodes (k, nodes)."""
    x = np.clip((z - NODES[0]) / (NODES[1] - NODES[0]), 0, len(NODES) - 1 - 1e-9)
    i = x.astype(np.int64)
    low, high = np.take_along_axis(table, i, axis=1), np.take_along_axis(table, i + 1, axis=1)
    return low + (x - i) * (high - low)


def psi_intervals(fit: MatrixEstimate, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the confidence intervals of all win rates, (n, n) each, each one separate."""
    require_share("level", level)
    z = float(-ndtri((1 - level) / 2))
    R = fit.rates
    grid = np.arange(R.n)
    g = slopes(fit.theta, grid[:, None], grid[None, :])[1]
    N = R.weight
    phi0 = float(N @ (N * fit.v)) / float(N @ fit.g)
    g[R.a, R.b] = g[R.b, R.a] = fit.v * R.weight / phi0
    with np.errstate(divide="ignore"):
        low, high = wilson_ends(fit.psi, np.maximum(g / fit.psi_stderr**2, 1e-3), z)
    np.fill_diagonal(low, 0.5)
    np.fill_diagonal(high, 0.5)
    return low, high


# The estimand's name, as boards print it.
MEAN_WIN_RATE = (
    "mean win rate against every other agent, each pair shrunk toward the Bradley-Terry fit as far as it fits"
)
# The same, for given weights of opponents.
MIXTURE = "mean win rate against opponents that weigh as given, each pair shrunk toward the Bradley-Terry fit as far as it fits"
LIMIT = 0.95  # one-sided confidence of the upper limit of the lack of fit
UNSEEN = 1.5  # multiple of the prior scale from which the upper limit comes from the prior and not from the data


@dataclass(frozen=True, eq=False, repr=False)
class WinMatrix(TableResult):
    """The estimated win rate of every pair.

    Attributes
    ----------
    agents : tuple of str
        Names, in the order of the arrays.
    estimate : MatrixEstimate
        The estimate with its covariance.
    observed : WinRateEstimate
        The observed win rates, with robust standard errors.
    """

    document: ClassVar = (
        *("agents", "rate", "stderr", "own_share", "strength"),
        *("phi", "tau", "tau_high", "parts", "settings", "conventions"),
    )

    agents: tuple[str, ...]
    estimate: MatrixEstimate
    observed: WinRateEstimate

    rate = Delegate[Floats]("estimate.psi", "Win rate of the row against the column, (n, n); NaN without connection.")
    stderr = Delegate[Floats]("estimate.psi_stderr", "Standard errors of the win rates, (n, n).")

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the confidence intervals of all win rates, (n, n) each, each one separate."""
        return psi_intervals(self.estimate, level=level)

    @cached_property
    def own_share(self) -> Floats:
        """Weight of the own rate in every estimate, (n, n): 0 is Bradley-Terry alone, 1 the observed rate."""
        full = np.zeros((len(self.agents),) * 2)
        a, b = self.observed.a, self.observed.b
        full[a, b] = full[b, a] = self.estimate.k
        return full

    strength = Delegate[Floats](
        "estimate.theta", "Bradley-Terry strengths in log odds, of mean zero in every component."
    )
    phi = Delegate[float]("estimate.phi", "Overdispersion: the variance of battles relative to independent ones.")

    @property
    def tau(self) -> float:
        """Typical deviation of an even pair's win rate from the Bradley-Terry prediction."""
        return float(np.sqrt(self.estimate.found.tau2))

    @property
    def tau_high(self) -> float:
        """The largest such deviation that the data admit (95 %, one-sided)."""
        return float(np.sqrt(self.estimate.found.tau2_hi))

    part = Delegate[Ints]("estimate.part", "Connected component of every agent.")

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The agents of each connected component, largest first."""
        return parts_of(self.agents, self.part)

    conventions = Delegate[tuple[Convention, ...]]("observed.conventions", "How evidence became win rates.")
    settings = Delegate[dict[str, Any]]("observed.settings", "All settings of the analysis.")

    def leaderboard(self) -> Leaderboard:
        """Return the mean win rate of every agent against all others of its component."""
        fit = self.estimate
        return self._board(fit.score, fit.covariance, fit.degrees, MEAN_WIN_RATE, "mean_win_rate", fit)

    def mixture(self, weights: Mapping[str, float]) -> Leaderboard:
        """Return the mean win rate of every agent against opponents with the given weights; others have none."""
        opponent = opponent_weights(self.agents, weights)
        n = len(self.agents)
        row, b = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
        use = (row != b) & (opponent[b] > 0) & (self.part[row] == self.part[b])
        row, b = row[use], b[use]
        total = np.bincount(row, opponent[b], n)
        value, covariance = self.estimate.functional(
            np.append(row, n - 1), np.append(row, n - 1), np.append(b, n - 1), np.append(opponent[b] / total[row], 0.0)
        )
        value[total == 0], covariance[total == 0], covariance[:, total == 0] = np.nan, np.nan, np.nan
        return self._board(value, covariance, self.estimate.degrees, MIXTURE, dict(weights), None)

    def against_hubs(self, hubs: Sequence[int]) -> Leaderboard:
        """Return the mean win rate of every agent against the hubs of its component; a single hub scores one half."""
        names, part = [self.agents[i] for i in hubs], self.part[list(hubs)]
        board = self.mixture(dict.fromkeys(names, 1.0))
        score, covariance = board.score.copy(), board.covariance.copy()
        for hub in np.array(hubs)[np.bincount(part)[part] == 1]:
            score[hub], covariance[hub], covariance[:, hub] = 0.5, 0.0, 0.0
        rest = spoken("`--estimand mean_win_rate` estimates win rates against all agents, by a Bradley-Terry model")
        whom = " and ".join(map(quoted, names))
        if np.ptp(part):
            whom = "the hub of its component" if len(set(part.tolist())) == len(part) else "the hubs of its component"
        with_hubs = self.observed.battles @ (np.isin(self.observed.a, hubs) | np.isin(self.observed.b, hubs))
        share = with_hubs / self.observed.battles.sum()
        battles = "Every battle is" if share == 1 else f"{percent(share)} of battles are"
        note = f"{battles} with {listed(names)}: scores are win rates against {'it' if len(names) == 1 else 'them'}; {rest}."
        notes = (note, *self.observed.notes, *self._notes(score))
        df = self.observed.degrees(self._rates_against(hubs))
        label = f"win rate against {whom}"
        return replace(board, score=score, covariance=covariance, df=df, estimand=label, notes=notes)

    def _rates_against(self, hubs: Sequence[int]) -> csr_array:
        """Return the map (n, p) from observed rates to mean rates against some agents."""
        a, b, n = self.observed.a, self.observed.b, len(self.agents)
        hub = np.isin(np.arange(n), hubs)
        first, second = np.flatnonzero(hub[b]), np.flatnonzero(hub[a])
        row = np.concatenate([a[first], b[second]])
        sign = np.concatenate([np.ones(len(first)), -np.ones(len(second))])
        each = 1 / np.bincount(row, minlength=n)[row]
        return csr_array((sign * each, (row, np.concatenate([first, second]))), shape=(n, len(a)))

    def draws(self, rng: np.random.Generator, n_draws: int) -> Floats:
        """Draw matrices from the confidence distribution of the true one, (n_draws, n, n); see `draw`."""
        return draw(self.estimate, rng, n_draws)

    def _board(
        self, score: Floats, covariance: Floats, df: Floats, label: str, estimand: Any, fit: MatrixEstimate | None
    ) -> Leaderboard:
        return Leaderboard(
            self.agents,
            score,
            covariance,
            df,
            label,
            {"estimand": estimand, **self.settings},
            self.conventions,
            (*self.observed.notes, *self._notes(score)),
            (0.0, 1.0),
            fit,
        )

    def _notes(self, score: Floats) -> tuple[str, ...]:
        lost = [name for name, one in zip(self.agents, score, strict=True) if np.isnan(one)]
        number = counted(len(lost), "agent has", "agents have")
        return (*((f"{number} no battle and no score: {listed(lost)}.",) if lost else ()), *self.unseen)

    @property
    def unseen(self) -> tuple[str, ...]:
        """A note where pairs form so few cycles that the prior, and not the data, limits the lack of fit."""
        if len(self.agents) < 3 or self.tau > 0 or self.tau_high < UNSEEN * TAU0:
            return ()
        return (
            (
                "Too few pairs form closed loops to show whether a Bradley-Terry model fits; standard errors allow even pairs to lie up to "
                f"{100 * self.tau_high:.0f} percentage points from it. `estimand` set to bradley_terry assumes that it fits."
            ),
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The amount of data, how far pairs deviate from Bradley-Terry, and the weight of their own rates."""
        n, met = len(self.agents), len(self.observed.rate)
        pairs = n * (n - 1) // 2
        text = (
            f"{met:,} of {counted(pairs, 'pair')} were compared directly; the win rates of all are estimated together."
        )
        more = f", and the variance of battles is {self.phi:.2f} times that of independent ones"
        noise = more if self.phi > 1.005 else ""
        fit = (
            f"Even pairs lie about {100 * self.tau:.1f} percentage points from the Bradley-Terry fit (at most "
            f"{100 * self.tau_high:.1f} with {confidence(LIMIT)} confidence){noise}."
        )
        own = ""
        if met:
            own = f"The median compared pair keeps {percent(float(np.median(self.estimate.k)))} of its own win rate."
        return tuple(one for one in (*component_notes(self.parts), text, fit, own) if one)

    def rows(self) -> Rows:
        """Return one row per pair of connected agents, the agent with the higher rate first."""
        low, high = self.interval()
        met = np.zeros((len(self.agents),) * 2, dtype=bool)
        met[self.observed.a, self.observed.b] = True
        first = np.triu(np.ones_like(met), 1)
        ahead = (self.rate > 0.5) | (first & (self.rate == 0.5))  # each pair once
        return [
            {
                "agent": self.agents[i],
                "rival": self.agents[j],
                "rate": float(self.rate[i, j]),
                "low": float(low[i, j]),
                "high": float(high[i, j]),
                "own_share": float(self.own_share[i, j]),
                "met": bool(met[i, j] or met[j, i]),
            }
            for i, j in np.argwhere(ahead).tolist()
        ]


def win_matrix(
    evidence: EvidenceLike, *, cluster: str | Sequence[str] | None = "auto", **conventions: Unpack[ConventionOptions]
) -> WinMatrix:
    r"""Estimate the win rate of every pair, compared directly or not.

    Each pair's own rate is shrunk toward the Bradley-Terry fit, in proportion to how well the model fits and how few
    battles the pair has. Use `win_rate_inference` for the observed rates alone.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The data.
    cluster : str, two of them, None or "auto"
        The columns whose battles are dependent; as for `resolve`.
    **conventions
        As for `rank`.

    Returns
    -------
    WinMatrix

    See Also
    --------
    win_rate_inference : Observed win rates with robust standard errors.
    leaderboard : Scores from the matrix.

    Notes
    -----
    :math:`\hat\psi_p = m_p + k_p (r_p - m_p)` with the observed rate *r*, the Bradley-Terry prediction *m* and the
    weight *k* of `own_share`.

    Examples
    --------
    Ada and cyd were never compared directly; their results against bob predict the rate.

    >>> from beatpath import Pairs
    >>> result = win_matrix(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[300, 100, 0, 0], [300, 100, 0, 0]]))
    >>> result.rate.round(2)
    array([[0.5 , 0.75, 0.9 ],
           [0.25, 0.5 , 0.75],
           [0.1 , 0.25, 0.5 ]])
    """
    options = Conventions.of(**conventions)
    options.refuse(("matrix", "pair_weight"), "the win rate of a pair")
    evidence = as_evidence(evidence)
    return matrix_of(estimate_of_profile(profile_of(evidence, options), columns_by_role(evidence, cluster)))


def matrix_of(observed: WinRateEstimate) -> WinMatrix:
    """Estimate the matrix from observed win rates."""
    n = len(observed.agents)
    if n > MOST_AGENTS:
        raise DataError(
            f"the win rates of all pairs are estimated for at most {MOST_AGENTS:,} agents; there are {n:,}. Choose some with "
            "`--only`, or ask for strengths with `bp.rank(evidence, 'bradley_terry')`."
        )
    doing(f"estimating the win rates of all pairs of {n:,} agents")
    return WinMatrix(observed.agents, estimate(rates_of(observed)), observed)


def matrix_of_profile(profile: Profile, observed: WinRateEstimate) -> WinMatrix:
    """Estimate the matrix from win rates of a profile, once per profile."""
    if observed not in profile.estimates:
        profile.estimates[observed] = matrix_of(observed)
    return profile.estimates[observed]


def parts_of(agents: Sequence[str], part: Ints) -> tuple[tuple[str, ...], ...]:
    """Return the agents of each component, the largest first.

    >>> parts_of(("x", "y", "z"), np.array([0, 1, 1]))
    (('y', 'z'), ('x',))
    """
    members: dict[int, list[str]] = {}
    for name, code in zip(agents, part.tolist(), strict=True):
        members.setdefault(code, []).append(name)
    return tuple(tuple(names) for names in sorted(members.values(), key=lambda names: (-len(names), names[0])))


def component_notes(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return a note that agents are not all connected; nothing where they are."""
    if len(parts) < 2:
        return ()
    text = "; ".join(listed(part, 3) for part in parts[:3]) + ("; ..." if len(parts) > 3 else "")
    why = "agents of different components are not compared, and scores are win rates within one's own component"
    ask = "Choose one component with `only`."
    return (f"The agents form {len(parts):,} connected components ({text}): {why}. {ask}",)


def opponent_weights(agents: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Return the weight of every opponent in the order of the agents, or raise with an unknown name."""
    place = {name: i for i, name in enumerate(agents)}
    weight = np.zeros(len(agents))
    for name, value in weights.items():
        if name not in place:
            raise UsageError(f"`estimand` weighs {quoted(name)}, which is no agent.{suggestion(name, agents)}")
        if not (np.isfinite(value) and value >= 0):
            raise UsageError(
                f"the weight of {quoted(name)} in `estimand` must be finite and not negative; got {value:g}."
            )
        weight[place[name]] = value
    if not weight.any():
        raise UsageError("`estimand` must give some opponent a weight above zero; all are zero.")
    return weight
