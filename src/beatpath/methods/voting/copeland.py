"""Copeland's rule: how many rivals an agent beats."""

from beatpath._arrays import Floats, Ints
from beatpath.evidence import Margins, Pairs
from beatpath.evidence.condorcet import won_and_lost
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome, levels_by_score


def copeland(profile: Profile) -> Outcome:
    """Rank agents by the rivals they beat head to head; a tie counts half.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `copeland_scores`.
    """
    score = _points(*profile.won_and_lost)
    return Outcome(levels_by_score(score), score)


def copeland_scores(evidence: Margins | Pairs) -> Floats:
    r"""Return the number of rivals each agent beats, plus half the number it ties with.

    .. math::  |\{b : \delta(a, b) > 0\}| + \tfrac12 |\{b \ne a : \delta(a, b) = 0\}|

    VasE, appendix, "Copeland" [1]_. A pair that never met counts as tied.

    Parameters
    ----------
    evidence : Margins or Pairs
        Of ``n`` agents; the ties of pairs must be settled.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon: C beats both, A beats B.

    >>> copeland_scores(Margins([[0, 3, -1], [-3, 0, -1], [1, 1, 0]], ("A", "B", "C")))
    array([1., 0., 2.])

    Notes
    -----
    One pass over the pairs that met. Condorcet consistent; not independent of clones.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    return _points(*won_and_lost(evidence))


def _points(won: Ints, lost: Ints) -> Floats:
    """One for a rival that is beaten, half for one that is tied."""
    return won + (len(won) - 1 - won - lost) / 2
