r"""Leaderboard scores: the expected result of an agent against a mixture of opponents, with standard errors.

.. math::  S_a(w) = \sum_b w_{ab}\, \psi_{ab}, \qquad \sum_b w_{ab} = 1,

(WRI, section 1). The mixture is a choice, and it matters:

* ``mean_win_rate``: all other agents have equal weight, compared directly or not, by the estimated win rates
  (`win_matrix`);
* a mapping: opponents have the weights given, others none, by the same estimate;
* ``as_sampled``: opponents have the weight of their battles, which is the share of its battles that the agent won;
* ``bradley_terry``: strengths in log odds, the Bradley-Terry projection of all win rates;
* ``mean_score``: for score tables, the mean over tasks in the table's own unit, without comparisons between agents;
* ``iqm``, ``median``, ``optimality_gap``, ``probability_of_improvement``: for score tables with runs; see `runs`.

``auto`` is ``mean_score`` for a table of scores, and ``mean_win_rate`` for everything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from scipy.sparse import csr_array

from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._text import counted, listed, quoted
from beatpath._threads import threads_for
from beatpath._validate import require_known
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence.select import columns_by_role
from beatpath.inference.leaderboard import Array, Leaderboard, connected_parts
from beatpath.inference.matrix.win_matrix import WinMatrix, matrix_of
from beatpath.inference.options import AUTO
from beatpath.inference.runs.run_board import MEASURES, RUN_ESTIMANDS, run_board
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import profile_of

# What a score estimates, by key; printed on boards and in help texts.
ESTIMANDS = {
    "mean_win_rate": "mean win rate against every other agent, compared directly or not",
    "mean_score": "mean score over tasks (or items)",
    "as_sampled": "share of its battles that the agent won, opponents weighted by their number of battles",
    "bradley_terry": "Bradley-Terry strength in log odds, the projection of the win rates",
    **{name: MEASURES[name].format(unit="task") for name in RUN_ESTIMANDS},
}
FEW_BATTLES = 10  # below it, the large-sample interval of a score is not reliable


def leaderboard(
    evidence: EvidenceLike,
    *,
    estimand: str | Mapping[str, float] = AUTO,
    cluster: str | Sequence[str] | None = "auto",
    **conventions: Unpack[ConventionOptions],
) -> Leaderboard:
    """Return the score of every agent, with the covariance of all scores.

    Use it for scores alone; `resolve` adds ranks, cycles and goodness of fit.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The data.
    estimand : str or mapping of agent to float, default "auto"
        What a score estimates: ``auto`` or one of `ESTIMANDS`; see `resolve`.
    cluster, **conventions
        As for `win_rate_inference`.

    Returns
    -------
    Leaderboard

    See Also
    --------
    rank_sets : Confidence sets for the ranks of a leaderboard.
    win_matrix : The win rates behind the scores.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[6, 4, 0, 0], [80, 10, 10, 0], [5, 5, 0, 0]])
    >>> leaderboard(pairs).score.round(1)
    array([0.8, 0.5, 0.3])
    >>> leaderboard(pairs, estimand="as_sampled").score.round(3)
    array([0.827, 0.45 , 0.182])
    """
    evidence, options = as_evidence(evidence), Conventions.of(**conventions)
    options.refuse(("matrix", "pair_weight"), "the scores of a leaderboard")
    chosen, cluster = estimand_for(evidence.kind, estimand), columns_by_role(evidence, cluster)
    if of_runs(chosen, cluster):
        return run_board(evidence, str(chosen), options, cluster)
    if chosen == "mean_score":
        from beatpath.inference.scores.mean_scores import mean_scores

        return mean_scores(evidence, options, cluster)
    profile = profile_of(evidence, options)
    return scores_from(estimate_of_profile(profile, cluster, weighed=chosen != "as_sampled"), chosen)


def estimand_for(kind: str, estimand: str | Mapping[str, float]) -> str | Mapping[str, float]:
    """Return the estimand that ``auto`` means for this kind of evidence; raise for an unknown one.

    >>> estimand_for("scores", "auto"), estimand_for("battles", "auto")
    ('mean_score', 'mean_win_rate')
    """
    if isinstance(estimand, Mapping) or estimand in ESTIMANDS:
        return estimand
    if estimand != AUTO:
        must = f"`estimand` must be one of {', '.join((AUTO, *ESTIMANDS))}, or a mapping of opponents to weights"
        require_known(estimand, (AUTO, *ESTIMANDS), f"{must}; got {quoted(estimand)}.")
    return "mean_score" if kind == "scores" else "mean_win_rate"


def of_runs(estimand: str | Mapping[str, float], cluster: str | Sequence[str] | None) -> bool:
    """Return whether a score is about runs: by its name, or a mean over fixed tasks with random runs.

    >>> of_runs("iqm", "auto"), of_runs("mean_score", "auto"), of_runs("mean_score", "replicate")
    (True, False, True)
    """
    if estimand == "mean_score":
        return "replicate" in ([cluster] if isinstance(cluster, str) else cluster or ())
    return estimand in RUN_ESTIMANDS


def scores_from(
    pairwise: WinRateEstimate,
    estimand: str | Mapping[str, float] = "mean_win_rate",
    *,
    matrix: WinMatrix | None = None,
    hubs: Sequence[int] = (),
) -> Leaderboard:
    """Return the board of win rates under an estimand; `matrix` is reused where known.

    With `hubs`, mean win rates are against these agents alone.
    """
    part = connected_parts(len(pairwise.agents), pairwise.a, pairwise.b)
    with threads_for(len(pairwise.agents)):
        board = _scores_under(pairwise, estimand, matrix, hubs)
    battles = np.zeros(len(part))
    for side in (pairwise.a, pairwise.b):
        battles += np.bincount(side, pairwise.battles, len(part))
    return replace(board, part=part, battles=battles if board.is_share else None)


def _scores_under(
    pairwise: WinRateEstimate,
    estimand: str | Mapping[str, float],
    matrix: WinMatrix | None,
    hubs: Sequence[int],
) -> Leaderboard:
    notes = _few_battles_note(pairwise)
    if estimand == "bradley_terry":
        from beatpath.inference.scale.projection import bradley_terry_projection

        return replace(bradley_terry_projection(pairwise).board, settings=_score_settings(pairwise, estimand))
    if estimand == "as_sampled":
        return _as_sampled(pairwise, notes)
    estimate = matrix or matrix_of(pairwise)
    if isinstance(estimand, Mapping):
        board = estimate.mixture(estimand)
    else:
        board = estimate.against_hubs(hubs) if hubs else estimate.leaderboard()
    return replace(board, notes=(*board.notes, *notes))


def _as_sampled(pairwise: WinRateEstimate, notes: tuple[str, ...]) -> Leaderboard:
    """Return the share of battles won, with the variance of the numbers of battles included."""
    L, score = sampled_map(pairwise)
    covariance = pairwise.covariance(L, _count_derivative(pairwise, score))
    faced = np.isfinite(score)
    covariance[~faced], covariance[:, ~faced] = np.nan, np.nan
    lost = [name for name, yes in zip(pairwise.agents, faced, strict=True) if not yes]
    alone = f"{counted(len(lost), 'agent has', 'agents have')} no battle and no score: {listed(lost, 5)}."
    return Leaderboard(
        pairwise.agents,
        score,
        covariance,
        pairwise.degrees(L),
        ESTIMANDS["as_sampled"],
        _score_settings(pairwise, "as_sampled"),
        pairwise.conventions,
        (*pairwise.notes, *[alone] * bool(lost), *notes),
        (0.0, 1.0),
    )


def _score_settings(pairwise: WinRateEstimate, estimand: str) -> dict[str, Any]:
    return {"estimand": estimand, **pairwise.settings}


def sampled_map(pairwise: WinRateEstimate) -> tuple[csr_array, Array]:
    """Return the (n, p) map from rates to shares of battles won, and the shares; NaN without battles.

    An entry is positive for a pair's first agent and negative for its second.

    >>> one = WinRateEstimate(("x", "y"), np.array([0]), np.array([1]), *map(np.array, ([0.6], [5.0], [5], [0.05], [0.2])))
    >>> L, score = sampled_map(one)
    >>> L.toarray().tolist(), score.round(9).tolist()
    ([[1.0], [-1.0]], [0.6, 0.4])
    """
    a, b, n, weight = pairwise.a, pairwise.b, len(pairwise.agents), pairwise.weight
    total = np.bincount(a, weight, n) + np.bincount(b, weight, n)
    won = np.bincount(a, weight * pairwise.rate, n) + np.bincount(b, weight * (1 - pairwise.rate), n)
    each = np.divide(1.0, total, out=np.zeros(n), where=total > 0)
    full = _at_agents(pairwise, weight * each[a], -weight * each[b])
    full.eliminate_zeros()
    return full, np.where(total > 0, won * each, np.nan)


def _count_derivative(pairwise: WinRateEstimate, score: Array) -> csr_array:
    r"""Return the derivative of a share of wins by a pair's share of battles, :math:`(\psi_p - S_a) N_p / N_a`."""
    a, b, n = pairwise.a, pairwise.b, len(pairwise.agents)
    total = np.bincount(a, pairwise.weight, n) + np.bincount(b, pairwise.weight, n)
    of_a = (pairwise.rate - score[a]) * pairwise.weight / total[a]
    return _at_agents(pairwise, of_a, (1 - pairwise.rate - score[b]) * pairwise.weight / total[b])


def _at_agents(pairwise: WinRateEstimate, of_a: Array, of_b: Array) -> csr_array:
    """Values of both agents of every pair, agents by pairs."""
    place = np.concatenate([pairwise.a, pairwise.b]), np.tile(np.arange(len(pairwise.a)), 2)
    return csr_array((np.concatenate([of_a, of_b]), place), shape=(len(pairwise.agents), len(pairwise.a)))


def _few_battles_note(pairwise: WinRateEstimate) -> tuple[str, ...]:
    """Name the agents with few battles."""
    n = len(pairwise.agents)
    battles = np.bincount(pairwise.a, pairwise.battles, n) + np.bincount(pairwise.b, pairwise.battles, n)
    thin = sorted(name for name, k in zip(pairwise.agents, battles, strict=True) if 0 < k < FEW_BATTLES)
    if not thin:
        return ()
    have = f"{counted(len(thin), 'agent has', 'agents have')} fewer than {FEW_BATTLES} battles"
    return (f"{have}: {listed(thin, 5)}. Their scores rest on few battles and on the Bradley-Terry model.",)
