r"""pass@k, pass^k, majority@k and best-of-k: what repeated samples of an item say about *k* of them.

With *c* right answers among *n* samples of an item, drawn without replacement, the chances that at least one, that every one, and that most
of *k* samples are right have the unbiased estimates [1]_ [2]_

.. math::  \operatorname{pass@}k = 1 - \binom{n - c}{k} \Big/ \binom{n}{k}, \qquad
           \operatorname{pass}\hat{}\,k = \binom{c}{k} \Big/ \binom{n}{k}, \qquad
           \operatorname{maj@}k = \sum_{j} v_j \binom{c}{j} \binom{n - c}{k - j} \Big/ \binom{n}{k}

with :math:`v_j` 1 where *j* is more than half of *k*, 1/2 where it is half of it, and 0 else. The expected best of *k* graded samples is
:math:`\sum_j x_{(j)} \binom{j - 1}{k - 1} / \binom{n}{k}` over the ordered scores, which is pass@k where scores are 0 and 1.

References
----------
.. [1] M. Chen et al., "Evaluating large language models trained on code", 2021, arXiv:2107.03374.
.. [2] S. Yao et al., "tau-bench: a benchmark for tool-agent-user interaction in real-world domains", 2024, arXiv:2406.12045.
"""

import re
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.special import gammaln

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted
from beatpath._validate import require_choice, require_whole
from beatpath.evidence import Factor, Scores
from beatpath.evidence.arrays import joint_codes
from beatpath.evidence.conventions import Convention

Samples = Literal["any", "all", "majority", "best"]
# How results name each kind of samples, and what it means.
NAMES: dict[Samples, str] = {"any": "pass@", "all": "pass^", "majority": "maj@", "best": "best@"}
MEANINGS = {
    "any": "the chance that at least one of {} is right",
    "all": "the chance that every one of {} is right",
    "majority": "the chance that most of {} are right",
    "best": "the expected score of the best of {}",
}


def pass_at_k(evidence: EvidenceLike, k: int, samples: Samples = "any") -> Scores:
    """Return a table with one score an item: the estimated chance that any, all or most of `k` samples are right, or the best of them.

    Every function and verb takes the result, so that pass@k gets intervals, rank sets, comparisons and reports like any other score.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        Right (1) or wrong (0), several samples an item; any scores for the best.
    k : int
        Samples; every item needs as many.
    samples : {"any", "all", "majority", "best"}
        pass@k, pass^k (always right, "reliability"), majority@k, where half of an even *k* counts half, or the expected best of *k*.

    Examples
    --------
    One of two samples is right: one of them is with a chance of 1/2, and both never are.

    >>> two = Scores(("ada",), [0, 0], [1.0, 0.0], {"item": Factor.of(["q", "q"]), "replicate": Factor.of(["1", "2"])})
    >>> [pass_at_k(two, k, how).value.tolist() for k, how in ((1, "any"), (2, "any"), (2, "all"), (2, "majority"))]
    [[0.5], [1.0], [0.0], [0.5]]
    """
    scores, group, first = grouped_samples(evidence, graded=samples == "best")
    require_whole("k", k)
    require_choice("samples", samples, tuple(NAMES))
    n = np.bincount(group)
    if (few := np.flatnonzero(n < k)).size:
        row = int(first[few[0]])
        item = scores.factors["item"].names()[row] if "item" in scores.factors else None
        where = "" if item is None else f" on {quoted(item)}"
        raise DataError(
            f"every item must have {counted(k, 'sample')} or more; {quoted(scores.agents[scores.agent[row]])} has "
            f"{n[few[0]]:,}{where} ({counted(len(few), 'item')} with too few). Choose a smaller k."
        )
    name = f"{NAMES[samples]}{k}"
    note = Convention("samples", name, f"scores are {MEANINGS[samples].format(counted(k, 'sample'))} of an item")
    if samples == "best":
        value = _best(group, scores.value, n, k)
    else:
        value = chance(n.astype(np.float64), np.bincount(group, scores.value).astype(np.float64), k, samples)
    return replace(
        scores,
        agent=scores.agent[first],
        value=value,
        factors={name: factor.take(first) for name, factor in scores.factors.items() if name != "replicate"},
        stderr=None,
        conventions=(*scores.conventions, note),
    )


def grouped_samples(evidence: EvidenceLike, *, graded: bool = False) -> tuple[Scores, Ints, Ints]:
    """Return scores of repeated samples, the item of every row, counted from 0, and the first row of every item."""
    scores = as_evidence(evidence)
    if not isinstance(scores, Scores):
        raise DataError(f"pass@k is of a table of scores with several samples an item; got {type(scores).__name__}.")
    wrong = scores.value[~np.isin(scores.value, (0.0, 1.0))]
    if wrong.size and not graded:
        raise DataError(
            f"pass@k needs answers that are right (1) or wrong (0); got {wrong[0]:g}. `best@K` takes any scores."
        )
    if scores.higher_is_better and not all(scores.higher_is_better.values()):
        raise UsageError("pass@k counts right answers; here lower is better. Leave `lower` out.")
    others = [factor for name, factor in scores.factors.items() if name != "replicate"]
    code = joint_codes([Factor.coded(scores.agent, scores.agents), *others], len(scores.value))
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    return scores, group.ravel(), first


def pass_at_k_named(scores: Scores, name: str) -> Scores:
    """Return what a name such as ``pass@5``, ``pass^5`` or ``maj@5`` stands for; see `pass_at_k`."""
    match = re.fullmatch(r"(\w+[@^])([1-9]\d{0,4})", name)
    how = {one: samples for samples, one in NAMES.items()}
    if match is None or match[1] not in how:
        raise UsageError(f"`--samples` must be pass@K, pass^K, maj@K or best@K, such as pass@5; got {quoted(name)}.")
    return pass_at_k(scores, int(match[2]), how[match[1]])


def _best(group: Ints, value: Floats, n: Ints, k: int) -> Floats:
    """The mean over all choices of *k* samples of the best of them, for every item."""
    order = np.lexsort((value, group))
    below = np.arange(len(group)) - np.repeat(np.cumsum(n) - n, n)  # samples of the same item that are ordered before
    enough = below >= k - 1
    log = _log_binomial(np.where(enough, below, k - 1.0), k - 1) - _log_binomial(np.repeat(n, n).astype(np.float64), k)
    return np.bincount(group[order], value[order] * np.where(enough, np.exp(log), 0.0)).astype(np.float64)


def chance(n: Floats, c: Floats, k: int, samples: Samples) -> Floats:
    """Return the chance that any, all or most of *k* of *n* samples, *c* of them right, are right."""

    def of_right(j: int) -> Floats:
        """The hypergeometric chance of *j* right answers among *k* samples."""
        possible = (j <= c) & (k - j <= n - c)
        right, wrong = np.where(possible, c, j), np.where(possible, n - c, k - j)
        log = _log_binomial(right, j) + _log_binomial(wrong, k - j) - _log_binomial(n, k)
        return np.where(possible, np.exp(log), 0.0)

    if samples == "any":
        return 1 - of_right(0)
    if samples == "all":
        return of_right(k)
    most = sum((of_right(j) for j in range(k // 2 + 1, k + 1)), np.zeros(len(n)))
    return most + of_right(k // 2) / 2 if k % 2 == 0 else most


def _log_binomial(n: Floats, k: int) -> Floats:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
