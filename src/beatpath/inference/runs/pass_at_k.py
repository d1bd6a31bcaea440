r"""pass@k, pass^k and majority@k: what repeated samples of an item say about *k* of them.

With *c* right answers among *n* samples of an item, drawn without replacement, the chances that at least one, that every one, and that most
of *k* samples are right have the unbiased estimates [1]_ [2]_

.. math::  \operatorname{pass@}k = 1 - \binom{n - c}{k} \Big/ \binom{n}{k}, \qquad
           \operatorname{pass}\hat{}\,k = \binom{c}{k} \Big/ \binom{n}{k}, \qquad
           \operatorname{maj@}k = \sum_{j} v_j \binom{c}{j} \binom{n - c}{k - j} \Big/ \binom{n}{k}

with :math:`v_j` 1 where *j* is more than half of *k*, 1/2 where it is half of it, and 0 else.

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

from beatpath._arrays import Floats
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted
from beatpath._validate import require_choice, require_whole
from beatpath.evidence import Factor, Scores
from beatpath.evidence.arrays import joint_codes
from beatpath.evidence.conventions import Convention

Samples = Literal["any", "all", "majority"]
# How results name each kind of samples, and what it means.
NAMES = {"any": "pass@{}", "all": "pass^{}", "majority": "maj@{}"}
MEANINGS = {"any": "at least one", "all": "every one", "majority": "most"}


def pass_at_k(evidence: EvidenceLike, k: int, samples: Samples = "any") -> Scores:
    """Return a table with one score an item: the estimated chance that any, all or most of `k` samples are right.

    Every function and verb takes the result, so that pass@k gets intervals, rank sets, comparisons and reports like any other score.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        Right (1) or wrong (0), several samples an item.
    k : int
        Samples; every item needs as many.
    samples : {"any", "all", "majority"}
        pass@k, pass^k (always right, "reliability") or majority@k, where half of an even *k* counts half.

    Examples
    --------
    One of two samples is right: one of them is with a chance of 1/2, and both never are.

    >>> two = Scores(("ada",), [0, 0], [1.0, 0.0], {"item": Factor.of(["q", "q"]), "replicate": Factor.of(["1", "2"])})
    >>> [pass_at_k(two, k, how).value.tolist() for k, how in ((1, "any"), (2, "any"), (2, "all"), (2, "majority"))]
    [[0.5], [1.0], [0.0], [0.5]]
    """
    require_whole("k", k)
    require_choice("samples", samples, tuple(NAMES))
    scores = as_evidence(evidence)
    if not isinstance(scores, Scores):
        raise DataError(f"pass@k is of a table of scores with several samples an item; got {type(scores).__name__}.")
    if not np.isin(scores.value, (0.0, 1.0)).all():
        wrong = scores.value[~np.isin(scores.value, (0.0, 1.0))][0]
        raise DataError(f"pass@k needs answers that are right (1) or wrong (0); got {wrong:g}.")
    if scores.higher_is_better and not all(scores.higher_is_better.values()):
        raise UsageError("pass@k counts right answers; here lower is better. Leave `lower` out.")
    names = [name for name in scores.factors if name != "replicate"]
    agent = Factor.coded(scores.agent, scores.agents)
    code = joint_codes([agent, *(scores.factors[name] for name in names)], len(scores.value))
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    n, c = np.bincount(group.ravel()), np.bincount(group.ravel(), scores.value)
    if (few := np.flatnonzero(n < k)).size:
        row = int(first[few[0]])
        item = scores.factors["item"].names()[row] if "item" in scores.factors else None
        where = "" if item is None else f" on {quoted(item)}"
        raise DataError(
            f"every item must have {counted(k, 'sample')} or more; {quoted(scores.agents[scores.agent[row]])} has "
            f"{n[few[0]]:,}{where} ({counted(len(few), 'item')} with too few). Choose a smaller k."
        )
    name = NAMES[samples].format(k)
    note = Convention(
        "samples", name, f"scores are the chance that {MEANINGS[samples]} of {k:,} samples of an item is right"
    )
    return replace(
        scores,
        agent=scores.agent[first],
        value=_chance(n.astype(np.float64), c.astype(np.float64), k, samples),
        factors={name: scores.factors[name].take(first) for name in names},
        stderr=None,
        conventions=(*scores.conventions, note),
    )


def pass_at_k_named(scores: Scores, name: str) -> Scores:
    """Return what a name such as ``pass@5``, ``pass^5`` or ``maj@5`` stands for; see `pass_at_k`."""
    match = re.fullmatch(r"(pass@|pass\^|maj@)([1-9]\d{0,4})", name)
    if match is None:
        raise UsageError(f"`--samples` must be pass@K, pass^K or maj@K, such as pass@5; got {quoted(name)}.")
    how: dict[str, Samples] = {"pass@": "any", "pass^": "all", "maj@": "majority"}
    return pass_at_k(scores, int(match[2]), how[match[1]])


def _chance(n: Floats, c: Floats, k: int, samples: Samples) -> Floats:
    """The chance that any, all or most of *k* of *n* samples, *c* of them right, are right."""

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
    result: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return result
