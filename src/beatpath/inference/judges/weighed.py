"""Battles weighted by the reliability of their judges, for any method that takes weights."""

from dataclasses import replace

import numpy as np

from beatpath._errors import DataError
from beatpath._typing import JudgesAs
from beatpath.evidence import Battles, Evidence
from beatpath.evidence.conventions import convention


def weighed(evidence: Evidence, judges: JudgesAs) -> Evidence:
    """Return battles weighted by the reliability of their judges, one on average; see `vote_weights`.

    A battle without a judge has weight one.

    Parameters
    ----------
    evidence : Battles
        With a column ``judge``, for "reliability"; anything for "alike", which changes nothing.
    judges : {"alike", "reliability"}
        Equal weights, or weights by reliability.

    Examples
    --------
    >>> from beatpath import Factor
    >>> rows, judge = [("ada", "bob", 1)] * 60 + [("ada", "bob", 0)] * 20, ["j", "k"] * 30 + ["l"] * 20
    >>> data = weighed(Battles.of(rows, factors={"judge": Factor.of(judge)}), "reliability")
    >>> bool(data.weight[0] > 1 > data.weight[-1] >= 0)
    True
    """
    weighting = convention("judges", judges)
    if judges == "alike":
        return evidence
    if not isinstance(evidence, Battles):
        raise DataError(
            f"judges are weighted battle by battle; {evidence.kind.replace('_', ' ')} hold none. Give battles with a judge column."
        )
    from beatpath.methods.rating.judged import voted
    from beatpath.stats.judges.aware import aware_strengths, vote_weights
    from beatpath.stats.judges.consensus import consensus

    data = voted(evidence)
    r = vote_weights(data.votes, aware_strengths(data.votes, consensus(data.votes)))
    names = data.battles.factors["judge"].levels
    by_name = dict(zip(names, r.tolist(), strict=True))
    factor = evidence.factors["judge"]
    weight = np.append([by_name.get(name, 1.0) for name in factor.levels], 1.0)[factor.codes]
    weight = weight if evidence.weight is None else weight * evidence.weight
    if not weight.any():
        raise DataError(
            "some judge must agree with the others for battles to have a weight; none does. Weight judges equally."
        )
    return replace(
        evidence, weight=weight, conventions=(*evidence.conventions, replace(weighting, affected=float(len(evidence))))
    )
