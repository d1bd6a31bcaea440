"""`rank`: one method on any evidence."""

from collections.abc import Mapping
from typing import Any

from beatpath._typing import BothBad, JudgesAs, Matrix, Missing, PairWeight, Per, Ties, Unranked
from beatpath.evidence import Evidence
from beatpath.evidence.conventions import Conventions
from beatpath.inference.judges.weighed import weighed
from beatpath.inference.ranking.estimated import Basis
from beatpath.methods.profile import profile_of
from beatpath.methods.registry import method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import require_kind


def rank(
    evidence: Evidence,
    method: str,
    *,
    ties: Ties = "half",
    both_bad: BothBad = "tie",
    pair_weight: PairWeight = "count",
    unranked: Unranked = "ignore",
    missing: Missing = "unranked",
    per: Per = "auto",
    tolerance: float = 0.0,
    weights: Mapping[str, float] | None = None,
    matrix: Matrix = "auto",
    judges: JudgesAs = "alike",
    **settings: Any,
) -> Ranking:
    """Rank agents by one method; ties come back as ties.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        What was read or built.
    method : str
        A key that ``beatpath methods`` lists.
    ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix
        By which evidence becomes a profile; see `Conventions`. With battles and pair counts, rules that compare pairs take the
        estimated win rate of every pair; ``matrix="raw"`` takes the counts, as papers do.
    judges : {"alike", "reliability"}
        What a battle weighs: the same whoever judged it, or as much as its judge is reliable; see `judges`.
    **settings
        What the method itself takes, such as ``k`` for `approval` and `stv`.

    Examples
    --------
    >>> from beatpath import Ballots, Pairs
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> rank(Ballots.of(votes, count=[1, 1, 2, 1]), "copeland")
    copeland: C > A > B

    Bob lost to Ada more often than Cyd did, as they met more often; at two to one he is the better all the same.

    >>> told = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[400, 200, 0, 0], [16, 4, 0, 0], [11, 9, 0, 0]])
    >>> rank(told, "minimax"), rank(told, "minimax", matrix="raw")
    (minimax: ada > bob > cyd, minimax: ada > cyd > bob)
    """
    chosen = method_named(method)
    require_kind(evidence, chosen)
    conventions = Conventions(ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix)
    return Basis(profile_of(weighed(evidence, judges), conventions)).rank(chosen, settings)
