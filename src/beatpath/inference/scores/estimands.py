r"""Leaderboard scores: what an agent scores against a mixture of opponents, and how sure that is.

.. math::  S_a(w) = \sum_b w_{ab}\, \psi_{ab}, \qquad \sum_b w_{ab} = 1,

(WRI, section 1). The mixture is a choice, and it matters:

* ``uniform``: every opponent that the agent met weighs alike, a Borda-like score free of who was matched with whom;
* ``as_sampled``: opponents weigh as often as they were met, the share of its battles that the agent won;
* a mapping: opponents weigh as the user says, opponents not named nothing;
* ``bradley_terry``: strengths in log odds, the projection of all win rates on one scale;
* ``mean_score``: for score tables, the mean over tasks, no comparison of agents at all.

Pairs never played may be filled by what one scale predicts for them: with Bradley-Terry strengths :math:`\theta` an unobserved pair gets :math:`\sigma(\theta_a - \theta_b)`. Such a rate moves with
every battle that moved the strengths: :math:`d\theta / d\psi_p = A^{-1} (e_a - e_b) N_p`, *A* being the information of the fit,
so its error is carried along with those of the rates that were seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._errors import UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.evidence import Evidence
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.leaderboard import Array, Leaderboard
from beatpath.inference.scale.additive import additive
from beatpath.inference.scale.projection import Projection, bradley_terry_projection
from beatpath.inference.scores.mean_scores import mean_scores
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.residuals import restricted
from beatpath.inference.win_rates.win_rates import win_rate_inference

ESTIMANDS = {
    "uniform": "mean win rate against the opponents met, each weighing alike",
    "as_sampled": "share of its battles that the agent won, opponents weighing as often as they were met",
    "bradley_terry": "Bradley-Terry strength in log odds, the projection of the win rates on one scale",
    "mean_score": "mean score over tasks (or items)",
}
MIXTURE = "mean win rate against the opponents met, weighing as given"
FEW_BATTLES = 10  # an agent with fewer has a score that no large-sample interval fits


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    r"""Pairs that never met, with predicted rates.

    Parameters
    ----------
    a, b : (q,) int
        The pairs, ``a < b``.
    rate : (q,) float
        Predicted share of *a*.
    slope : (q,) float
        What a unit of strength does to it, :math:`\sigma (1 - \sigma)`.
    moved : (n, p) float
        :math:`d\theta / d\psi_p`.
    mixed : (n, p) float
        What a pair's share of battles in a cluster does to the strengths, zero where one scale fits.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    rate: Array
    slope: Array
    moved: Array
    mixed: Array


def leaderboard(
    evidence: Evidence,
    *,
    estimand: str | Mapping[str, float] = "uniform",
    cluster: str | Sequence[str] | None = "auto",
    unobserved: str = "exclude",
    **conventions: Unpack[ConventionOptions],
) -> Leaderboard:
    """Return every agent's score against a mixture of opponents, with the covariance of all scores.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs
    estimand : {"uniform", "as_sampled", "bradley_terry", "mean_score"} or mapping of agent to float
        What the score is; see the module.
    unobserved : {"exclude", "bradley_terry"}
        Whether a pair that never met is left out of a score, or filled by what Bradley-Terry strengths predict.
    cluster, **conventions
        As for `win_rate_inference`.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> told = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[6, 4, 0, 0], [80, 10, 10, 0], [5, 5, 0, 0]])
    >>> leaderboard(told).score.round(3)
    array([0.725, 0.45 , 0.325])
    >>> leaderboard(told, estimand="as_sampled").score.round(3)
    array([0.827, 0.45 , 0.182])
    """
    require_estimand(estimand, unobserved)
    if estimand == "mean_score":
        return mean_scores(evidence, Conventions.of(**conventions))
    return scores_from(win_rate_inference(evidence, cluster=cluster, **conventions), estimand, unobserved=unobserved)


def scores_from(
    pairwise: WinRateEstimate,
    estimand: str | Mapping[str, float] = "uniform",
    *,
    unobserved: str = "exclude",
    projection: Projection | None = None,
) -> Leaderboard:
    """Return the board that a matrix of win rates gives under an estimand; `projection` is theirs, where it is known."""
    require_estimand(estimand, unobserved)
    if projection is None and "bradley_terry" in (estimand, unobserved):
        projection = bradley_terry_projection(pairwise)
    if projection is not None and estimand == "bradley_terry":
        return replace(projection.board, settings=_score_settings(pairwise, estimand, unobserved))
    more = filled(projection) if projection is not None and unobserved != "exclude" else None
    L, score = mixture_map(pairwise, estimand, more)
    M = _counts_that_might_differ(pairwise, score) if estimand == "as_sampled" else None
    if more is not None:
        through = _through_strengths(pairwise, estimand, more)
        L, M = L + csr_array(through @ more.moved), csr_array(through @ more.mixed)
    covariance = pairwise.covariance(L, M)
    faced = np.isfinite(score)
    covariance[~faced], covariance[:, ~faced] = np.nan, np.nan
    return Leaderboard(
        pairwise.agents,
        score,
        covariance,
        pairwise.degrees(L),
        ESTIMANDS[estimand] if isinstance(estimand, str) else MIXTURE,
        _score_settings(pairwise, estimand, unobserved),
        pairwise.conventions,
        (*pairwise.notes, *_score_notes(pairwise, faced, more)),
        (0.0, 1.0),
    )


def require_estimand(estimand: str | Mapping[str, float], unobserved: str) -> None:
    """Raise unless the estimand is one, and pairs that never met have a part in it where they are to be filled."""
    if isinstance(estimand, str) and estimand not in ESTIMANDS:
        raise UsageError(
            f"`estimand` must be one of {', '.join(ESTIMANDS)}, or a mapping of opponents to weights; got "
            f"{quoted(estimand)}.{suggestion(estimand, ESTIMANDS)}"
        )
    if unobserved not in ("exclude", "bradley_terry"):
        raise UsageError(f"`unobserved` must be exclude or bradley_terry; got {quoted(unobserved)}.")
    if unobserved != "exclude" and estimand in ("as_sampled", "bradley_terry", "mean_score"):
        raise UsageError(
            f"`unobserved` fills pairs that never met, which have no part in `estimand={estimand!r}`. Use `uniform` or a mixture."
        )


def _score_settings(pairwise: WinRateEstimate, estimand: str | Mapping[str, float], unobserved: str) -> dict[str, Any]:
    clusters = [one.name for one in pairwise.clusterings if one.sign > 0]
    return {
        "estimand": estimand if isinstance(estimand, str) else dict(estimand),
        "cluster": clusters,
        "unobserved": unobserved,
    }


def mixture_map(
    pairwise: WinRateEstimate, estimand: str | Mapping[str, float], more: Filled | None = None
) -> tuple[csr_array, Array]:
    """Return the (n, p) map from rates to scores, and the scores; NaN for an agent that met nobody of the mixture.

    An entry is positive for a pair's first agent and negative for its second.

    >>> one = WinRateEstimate(("x", "y"), np.array([0]), np.array([1]), *map(np.array, ([0.6], [5.0], [5], [0.05], [0.2])))
    >>> L, score = mixture_map(one, "uniform")
    >>> L.toarray().tolist(), score.tolist()
    ([[1.0], [-1.0]], [0.6, 0.4])
    """
    a, b, n, p = pairwise.a, pairwise.b, len(pairwise.agents), len(pairwise.rate)
    of_a, of_b = _pair_weights(pairwise, estimand, a, b)
    total = np.bincount(a, of_a, n) + np.bincount(b, of_b, n)
    won = np.bincount(a, of_a * pairwise.rate, n) + np.bincount(b, of_b * (1 - pairwise.rate), n)
    if more is not None:
        add_a, add_b = _pair_weights(pairwise, estimand, more.a, more.b)
        total = total + np.bincount(more.a, add_a, n) + np.bincount(more.b, add_b, n)
        won = won + np.bincount(more.a, add_a * more.rate, n) + np.bincount(more.b, add_b * (1 - more.rate), n)
    each = np.divide(1.0, total, out=np.zeros(n), where=total > 0)
    data = np.concatenate([of_a * each[a], -of_b * each[b]])
    full = csr_array((data, (np.concatenate([a, b]), np.tile(np.arange(p), 2))), shape=(n, p))
    full.eliminate_zeros()
    return full, np.where(total > 0, won * each, np.nan)


def _pair_weights(
    pairwise: WinRateEstimate, estimand: str | Mapping[str, float], a: NDArray[np.integer], b: NDArray[np.integer]
) -> tuple[Array, Array]:
    """What pairs weigh in the score of their first agent, and of their second."""
    if isinstance(estimand, Mapping):
        opponent = _opponents(pairwise.agents, estimand)
        return opponent[b], opponent[a]
    same = pairwise.weight if estimand == "as_sampled" else np.ones(len(a))
    return same, same


def _through_strengths(pairwise: WinRateEstimate, estimand: str | Mapping[str, float], more: Filled) -> csr_array:
    """What strengths do to scores through the pairs that were filled, (n, n)."""
    n = len(pairwise.agents)
    met_a, met_b = _pair_weights(pairwise, estimand, pairwise.a, pairwise.b)
    of_a, of_b = _pair_weights(pairwise, estimand, more.a, more.b)
    total = np.bincount(pairwise.a, met_a, n) + np.bincount(pairwise.b, met_b, n)
    total = total + np.bincount(more.a, of_a, n) + np.bincount(more.b, of_b, n)
    up, down = of_a * more.slope / total[more.a], of_b * more.slope / total[more.b]
    rows = np.concatenate([more.a, more.a, more.b, more.b])
    columns = np.concatenate([more.a, more.b, more.b, more.a])
    return csr_array((np.concatenate([up, -up, down, -down]), (rows, columns)), shape=(n, n))


def _opponents(agents: tuple[str, ...], mixture: Mapping[str, float]) -> Array:
    """The weight of every opponent, in the order of the agents."""
    place = {name: i for i, name in enumerate(agents)}
    weight = np.zeros(len(agents))
    for name, value in mixture.items():
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


def _counts_that_might_differ(pairwise: WinRateEstimate, score: Array) -> csr_array:
    r"""What a pair's share of battles does to a share of wins, :math:`(\psi_p - S_a) N_p / N_a`."""
    a, b, n, p = pairwise.a, pairwise.b, len(pairwise.agents), len(pairwise.rate)
    total = np.bincount(a, pairwise.weight, n) + np.bincount(b, pairwise.weight, n)
    data = np.concatenate(
        [
            (pairwise.rate - score[a]) * pairwise.weight / total[a],
            (1 - pairwise.rate - score[b]) * pairwise.weight / total[b],
        ]
    )
    return csr_array((data, (np.concatenate([a, b]), np.tile(np.arange(p), 2))), shape=(n, p))


def _score_notes(pairwise: WinRateEstimate, faced: NDArray[np.bool_], more: Filled | None) -> list[str]:
    """What a reader must know of the scores: agents without one, pairs never played, agents with few battles."""
    names, n = pairwise.agents, len(pairwise.agents)
    notes = []
    if not faced.all():
        lost = [name for name, yes in zip(names, faced, strict=True) if not yes]
        notes.append(f"{counted(len(lost), 'agent')} met nobody of the mixture and has no score: {listed(lost, 5)}.")
    possible = n * (n - 1) // 2
    never = f"{possible - len(pairwise.rate):,} of {possible:,} pairs never met"
    if more is not None and len(more.rate):
        notes.append(f"{never}; {len(more.rate):,} of these are filled by what Bradley-Terry strengths predict.")
    elif len(pairwise.rate) < possible:
        notes.append(
            f"{never}; a score is over the opponents met, and agents that met different opponents are compared as if these "
            "were alike. `unobserved=bradley_terry` fills such pairs."
        )
    battles = np.bincount(pairwise.a, pairwise.battles, n) + np.bincount(pairwise.b, pairwise.battles, n)
    thin = sorted(name for name, k in zip(names, battles, strict=True) if 0 < k < FEW_BATTLES)
    if thin:
        notes.append(
            f"{counted(len(thin), 'agent')} with fewer than {FEW_BATTLES} battles: {listed(thin, 5)}. Too few for "
            "large-sample intervals; Student's t with few degrees of freedom widens them."
        )
    return notes


def filled(found: Projection) -> Filled:
    """Return predictions for all pairs that never met among agents that have finite strengths.

    Examples
    --------
    Odds of three and three make odds of nine.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> told = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[15, 5, 0, 0], [15, 5, 0, 0]])
    >>> float(filled(bradley_terry_projection(win_rate_inference(told))).rate[0].round(9))
    0.9
    """
    pairwise, strength = found.pairwise, found.board.score
    n = len(pairwise.agents)
    known = np.isfinite(strength)
    open_ = np.triu(np.outer(known, known), 1)
    open_[pairwise.a, pairwise.b] = False
    a, b = np.nonzero(open_)
    rate = 1 / (1 + np.exp(strength[b] - strength[a]))
    inside, kept = restricted(pairwise, known)
    predicted = found.predicted[kept]
    fit = additive(inside, predicted * (1 - predicted))
    own = fit.inverse @ csr_array(fit.incidence.T.multiply(inside.weight[None, :])).toarray()
    moved = np.zeros((n, len(pairwise.rate)))
    moved[np.ix_(known, kept)] = own
    mixed = np.zeros_like(moved)
    mixed[:, kept] = moved[:, kept] * (inside.rate - predicted)
    return Filled(a, b, rate, rate * (1 - rate), moved, mixed)
