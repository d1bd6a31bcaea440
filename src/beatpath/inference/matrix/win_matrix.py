r"""`win_matrix`: the win rate of every pair, met or not, with its error.

Every question is asked of this one estimate: scores against any mixture of opponents, sets of ranks, claims, rules that
compare pairs, and cores. It tends to Bradley-Terry as the lack of fit vanishes, and to the observed rates as battles abound.
See `beatpath.inference.matrix.estimate` for the equations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._progress import doing
from beatpath._result import SCHEMA_VERSION, Result, Rows
from beatpath._text import confidence, counted, listed, percent, quoted, suggestion
from beatpath.evidence import Convention, Evidence
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.dispersion import TAU0
from beatpath.inference.matrix.draws import draw
from beatpath.inference.matrix.estimate import MatrixEstimate, estimate
from beatpath.inference.matrix.intervals import psi_intervals
from beatpath.inference.matrix.rates import rates_of
from beatpath.inference.win_rates.estimate import MOST_AGENTS, WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile, profile_of

MEAN_WIN_RATE = "mean win rate against every other agent, each pair drawn towards one scale as far as it fits"
MIXTURE = "mean win rate against opponents that weigh as given, each pair drawn towards one scale as far as it fits"
LIMIT = 0.95  # one-sided, of how large the lack of fit may be
UNSEEN = 1.5  # times what is expected of the lack of fit; a limit that large is not from the data


@dataclass(frozen=True, eq=False, repr=False)
class WinMatrix(Result):
    """The estimated win rate of every pair.

    Attributes
    ----------
    agents : tuple of str
    estimate : MatrixEstimate
        The numbers behind it all.
    observed : WinRateEstimate
        The win rates of the pairs that met, with robust errors.
    """

    agents: tuple[str, ...]
    estimate: MatrixEstimate
    observed: WinRateEstimate

    @property
    def rate(self) -> Floats:
        """Win rates, (n, n): of the row against the column, 1/2 on the diagonal, NaN where no chain of battles connects."""
        return self.estimate.psi

    @property
    def stderr(self) -> Floats:
        """Standard errors of the win rates, (n, n)."""
        return self.estimate.psi_stderr

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of all win rates, (n, n) each; each holds by itself."""
        return psi_intervals(self.estimate, level=level)

    @cached_property
    def kept(self) -> Floats:
        """How much of its own rate every pair keeps, (n, n): 0 is the scale alone, as for pairs that never met; 1 the rate."""
        full = np.zeros((len(self.agents),) * 2)
        a, b = self.observed.a, self.observed.b
        full[a, b] = full[b, a] = self.estimate.k
        return full

    @property
    def strength(self) -> Floats:
        """Strengths on the scale, in log odds, of mean zero in every part."""
        return self.estimate.theta

    @property
    def phi(self) -> float:
        """How many times as much battles vary as they would if independent."""
        return self.estimate.phi

    @property
    def tau(self) -> float:
        """How far the win rate of an even pair typically lies from what the scale says."""
        return float(np.sqrt(self.estimate.found.tau2))

    @property
    def tau_high(self) -> float:
        """The largest such distance that the data admit (95 %, one-sided)."""
        return float(np.sqrt(self.estimate.found.tau2_hi))

    @property
    def part(self) -> Ints:
        """The part of every agent: those that a chain of battles connects."""
        return self.estimate.part

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The agents of every part, largest part first."""
        return parts_of(self.agents, self.part)

    @property
    def conventions(self) -> tuple[Convention, ...]:
        """What turned the evidence into win rates."""
        return self.observed.conventions

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen."""
        return self.observed.settings

    def leaderboard(self) -> Leaderboard:
        """Return every agent's mean win rate against every other agent of its part."""
        made = self.estimate
        return self._board(made.score, made.covariance, made.degrees, MEAN_WIN_RATE, "mean_win_rate", made)

    def mixture(self, weights: Mapping[str, float]) -> Leaderboard:
        """Return every agent's mean win rate against opponents that weigh as given; those not named weigh nothing."""
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

    def draws(self, rng: np.random.Generator, n_draws: int) -> Floats:
        """Return matrices that the true one may be, (n_draws, n, n); see `beatpath.inference.matrix.draws`."""
        return draw(self.estimate, rng, n_draws)

    def _board(
        self, score: Floats, covariance: Floats, df: Floats, said: str, estimand: Any, made: MatrixEstimate | None
    ) -> Leaderboard:
        return Leaderboard(
            self.agents,
            score,
            covariance,
            df,
            said,
            {"estimand": estimand, **self.settings},
            self.conventions,
            (*self.observed.notes, *self._notes(score)),
            (0.0, 1.0),
            made,
        )

    def _notes(self, score: Floats) -> tuple[str, ...]:
        lost = [name for name, one in zip(self.agents, score, strict=True) if np.isnan(one)]
        alone = (f"{counted(len(lost), 'agent')} met nobody and has no score: {listed(lost)}.",) if lost else ()
        return (*alone, *self.unseen)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Say where pairs form so few circles that what is expected, and not the data, limits the lack of fit."""
        if len(self.agents) < 3 or self.tau > 0 or self.tau_high < UNSEEN * TAU0:
            return ()
        return (
            (
                "Too few pairs form circles to show whether one scale fits; errors allow for even pairs that lie up to "
                f"{100 * self.tau_high:.0f} percentage points from it. `estimand` set to bradley_terry takes the scale for granted."
            ),
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """How much was seen, how far pairs lie from one scale, and how much of its own a pair keeps."""
        n, met = len(self.agents), len(self.observed.rate)
        pairs = n * (n - 1) // 2
        seen = f"{met:,} of {counted(pairs, 'pair')} met; the win rates of all are estimated together."
        noise = f", and battles vary {self.phi:.2f} times as much as independent ones would" if self.phi > 1.005 else ""
        fit = (
            f"Even pairs lie about {100 * self.tau:.1f} percentage points from what one scale says (at most "
            f"{100 * self.tau_high:.1f} with {confidence(LIMIT)} confidence){noise}."
        )
        own = (
            f"The median pair that met keeps {percent(float(np.median(self.estimate.k)))} of its own rate."
            if met
            else ""
        )
        return tuple(one for one in (*self._parts_said, seen, fit, own) if one)

    @property
    def _parts_said(self) -> tuple[str, ...]:
        return parts_said(self.parts)

    def rows(self) -> Rows:
        """Return one row a pair that a chain of battles connects, the agent with the higher rate first."""
        low, high = self.interval()
        met = np.zeros((len(self.agents),) * 2, dtype=bool)
        met[self.observed.a, self.observed.b] = True
        return [
            {
                "agent": self.agents[i],
                "rival": self.agents[j],
                "rate": float(self.rate[i, j]),
                "low": float(low[i, j]),
                "high": float(high[i, j]),
                "kept": float(self.kept[i, j]),
                "met": bool(met[i, j] or met[j, i]),
            }
            for i, j in np.argwhere(_row_ahead(self.rate)).tolist()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "win_matrix",
            "sentences": list(self.sentences),
            "agents": list(self.agents),
            "rate": _plain_matrix(self.rate),
            "standard_error": _plain_matrix(self.stderr),
            "kept": _plain_matrix(self.kept),
            "strength": dict(zip(self.agents, self.strength.tolist(), strict=True)),
            "phi": self.phi,
            "tau": self.tau,
            "tau_high": self.tau_high,
            "parts": [list(part) for part in self.parts],
            "settings": self.settings,
            "conventions": [made.to_dict() for made in self.conventions],
        }


def win_matrix(
    evidence: Evidence, *, cluster: str | Sequence[str] | None = "auto", **conventions: Unpack[ConventionOptions]
) -> WinMatrix:
    """Estimate the win rate of every pair, met or not: its own rate drawn towards one scale by as much as the scale fits.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs
    cluster : str, two of them, None or "auto"
        Whose battles belong together; as for `resolve`.
    **conventions
        As for `rank`.

    Returns
    -------
    WinMatrix

    Examples
    --------
    Ada and Cyd never met; what both did against Bob tells.

    >>> from beatpath import Pairs
    >>> found = win_matrix(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[300, 100, 0, 0], [300, 100, 0, 0]]))
    >>> found.rate.round(2)
    array([[0.5 , 0.75, 0.9 ],
           [0.25, 0.5 , 0.75],
           [0.1 , 0.25, 0.5 ]])
    """
    return matrix_of(estimate_of_profile(profile_of(evidence, Conventions.of(**conventions)), cluster))


def matrix_of(observed: WinRateEstimate) -> WinMatrix:
    """Return the matrix that the win rates of the pairs that met lead to."""
    n = len(observed.agents)
    if n > MOST_AGENTS:
        raise DataError(
            f"the win rates of all pairs are estimated for at most {MOST_AGENTS:,} agents; there are {n:,}. Choose some with "
            "`only`, or ask for strengths with `bp.rank(evidence, 'bradley_terry')`."
        )
    doing(f"estimating the win rates of all pairs of {n:,} agents")
    return WinMatrix(observed.agents, estimate(rates_of(observed)), observed)


def matrix_of_profile(profile: Profile, observed: WinRateEstimate) -> WinMatrix:
    """Return the matrix that win rates of a profile lead to; it is estimated once for all who ask."""
    if observed not in profile.estimates:
        profile.estimates[observed] = matrix_of(observed)
    found: WinMatrix = profile.estimates[observed]
    return found


def parts_of(agents: Sequence[str], part: Ints) -> tuple[tuple[str, ...], ...]:
    """Return the agents of every part, the largest part first.

    >>> parts_of(("x", "y", "z"), np.array([0, 1, 1]))
    (('y', 'z'), ('x',))
    """
    found: dict[int, list[str]] = {}
    for name, code in zip(agents, part.tolist(), strict=True):
        found.setdefault(code, []).append(name)
    return tuple(tuple(names) for names in sorted(found.values(), key=lambda names: (-len(names), names[0])))


def parts_said(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Say that agents fall into parts that nothing connects; nothing where there is one part."""
    if len(parts) < 2:
        return ()
    shown = "; ".join(listed(part, 3) for part in parts[:3]) + ("; ..." if len(parts) > 3 else "")
    why = "agents of different parts are not compared, and a score is the mean win rate against the others of one's own part"
    ask = "Ask of one part by itself with `only`."
    return (f"The agents fall into {len(parts):,} parts that no chain of battles connects ({shown}): {why}. {ask}",)


def opponent_weights(agents: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Return the weight of every opponent in the order of the agents, or raise with the name that is none."""
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


def _row_ahead(rate: Floats) -> Bools:
    """Each pair once: where the row is ahead, and of even pairs the first."""
    first = np.triu(np.ones_like(rate, dtype=bool), 1)
    return (rate > 0.5) | (first & (rate == 0.5))


def _plain_matrix(values: Floats) -> list[list[float | None]]:
    return [[None if np.isnan(x) else round(float(x), 6) for x in row] for row in values]
