r"""Pair counts with design effects: as uncertain as the clustered evidence behind them.

Comparisons of one ballot, task, prompt or judge are correlated, and counts by pair no longer show which belong
together. So every pair gets a design effect :math:`d_p`, a factor on the squared weights of its battles, such that
differences of mean win rates have at least the standard errors of the evidence, including Student's quantiles with few
clusters. With a design effect :math:`d_a` per agent, :math:`d_p = \max(d_a, d_b)`, and :math:`d_a` grows until three
quarters of the differences of *a* reach their standard errors. Of LiveBench's 2,080 pairs, the table of scores resolves
956 by win rates, plain counts 1,816, and counts with design effects 652.
"""

from dataclasses import replace

import numpy as np

from beatpath._arrays import Floats
from beatpath._text import listed
from beatpath.evidence import Ballots, Battles, Pairs, Scores
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.cluster_sums import of_differences
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.win_rates.estimate import COMPARED
from beatpath.inference.win_rates.win_rates import win_rate_inference

ROUNDS = 6  # most iterations; three suffice on the tables tried
SETTLED = 1.001  # ratio of variances below which the iteration stops: within 0.1 %
# quantile of an agent's differences to be matched; with 0.5, 217 pairs of the example were resolved instead of 216
MOST = 0.75


def pairs_with_design_effects(evidence: Battles | Ballots | Scores) -> tuple[Pairs, tuple[str, ...]]:
    """Return counts by pair with design effects, and a list of what the counts leave out.

    Use it to publish counts in place of clustered data.

    Parameters
    ----------
    evidence : Battles, Ballots or Scores

    Returns
    -------
    pairs : Pairs
        Counts whose `squares` include the design effect.
    lost : tuple of str
        What counts by pair do not contain, one phrase each.

    Examples
    --------
    >>> scores = Scores.from_table([[3.0, 2.0, 4.0], [1.0, 3.0, 3.0], [2.0, 1.0, 1.0]], list("abc"), list("xyz"))
    >>> pairs, lost = pairs_with_design_effects(scores)
    >>> bool((pairs.squares > pairs.counts)[pairs.counts > 0].all())
    True
    """
    pairs, lost = evidence.pairs(), _left_out(evidence)
    if len(pairs.agents) > COMPARED or not len(pairs):
        return pairs, lost
    pairwise = win_rate_inference(evidence)
    if not pairwise.clusterings:
        return pairs, lost
    target, effect = _cautious_variances(scores_from(pairwise)), np.ones(len(pairs.agents))
    for _ in range(ROUNDS):
        variances = _cautious_variances(scores_from(win_rate_inference(_inflated(pairs, effect), cluster=None)))
        ratio = np.divide(target, variances, out=np.full_like(variances, np.nan), where=variances > 0)
        ratio = np.nan_to_num(np.nanquantile(ratio, MOST, axis=1), nan=1.0)
        if (ratio <= SETTLED).all():
            break
        effect *= np.maximum(ratio, 1.0)
    grown = _inflated(pairs, np.ceil(10 * effect) / 10)
    names = listed([one.name for one in pairwise.clusterings if one.sign > 0])
    typical = float(np.median(np.maximum(effect[pairs.a], effect[pairs.b])))
    belong = f"which comparisons are correlated by {names}: a design effect for every pair, {typical:.1f} in the median, replaces it"
    return grown, (*lost, belong)


def _inflated(pairs: Pairs, effect: Floats) -> Pairs:
    """Multiply squared weights by the larger design effect of the two agents."""
    square = pairs.counts if pairs.squares is None else pairs.squares
    return replace(pairs, squares=square * np.maximum(effect[pairs.a], effect[pairs.b])[:, None])


def _cautious_variances(board: Leaderboard) -> Floats:
    """Return variances of all differences, inflated by the ratio of Student's to Gaussian simultaneous quantiles."""
    n = len(board.agents)
    critical = bonferroni(0.95, n * (n - 1)).value
    times = (t_critical(critical, np.nan_to_num(board.df, nan=np.inf)) / critical) ** 2
    full = np.nan_to_num(of_differences(board.covariance) * times, nan=0.0)
    np.fill_diagonal(full, 0.0)
    return full


def _left_out(evidence: Battles | Ballots | Scores) -> tuple[str, ...]:
    """List the columns and values that counts by pair do not contain."""
    if isinstance(evidence, Scores):
        return ("the scores: the winner on a task is counted, not by how much",)
    if isinstance(evidence, Ballots):
        return ()
    columns = {"position": evidence.position, "time": evidence.time, **evidence.factors, **evidence.covariates}
    names = [name for name, values in columns.items() if values is not None]
    return (f"the columns {listed(names, 8)}",) if names else ()
