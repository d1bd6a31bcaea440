"""Are predictions what they say? Battles held out by cluster, foretold from the others, and counted."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted
from beatpath._validate import generator
from beatpath.evidence import Battles
from beatpath.inference.calibration.calibration import Reliability, pairwise_reliability
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry

Array = NDArray[np.float64]
Chances = Callable[[Battles], Array]


def bradley_terry_chances(battles: Battles, *, prior: float = 0.5) -> Array:
    """Return the (n, n) chances that the row beats the column by a Bradley-Terry model, ties as half a win.

    With a little `prior` every agent has a strength, whoever is held out.

    >>> battles = Battles.of([("ada", "bob", 1), ("ada", "bob", 1), ("ada", "bob", 1), ("ada", "bob", 0)])
    >>> bradley_terry_chances(battles, prior=0.0).round(2)
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    strength = bradley_terry(profile_of(battles), prior=prior).score
    return np.asarray(expit(strength[:, None] - strength[None, :]))


def predicted_reliability(
    battles: Battles,
    chances: Chances = bradley_terry_chances,
    *,
    cluster: str | None = "auto",
    folds: int = 5,
    bins: int = 10,
    seed: int = 0,
) -> Reliability:
    """Compare chances of winning with battles that they were not fitted to.

    Clusters are dealt at random into `folds` parts; each part is foretold from all others, so that nothing of a cluster is
    ever on both sides. Every battle is foretold once and seen from both sides.

    Parameters
    ----------
    battles : Battles
    chances : function of Battles to (n, n) float
        What is to be tried: from battles to the chance that the row beats the column. A Bradley-Terry model by default.
    cluster : str, None or "auto"
        The column whose battles stay together; "auto" is ``cluster`` where there is one, None deals battles one by one.
    folds : int
        Two or more.
    bins : int
        Of the reliability diagram.
    seed : int

    Returns
    -------
    Reliability
        Its `error` is the expected calibration error.

    Examples
    --------
    Chances that are always too bold are found out: of what is said to come in 90 %, three quarters come.

    >>> rows = [("ada", "bob", float(i % 4 > 0)) for i in range(400)]
    >>> bold = predicted_reliability(Battles.of(rows), lambda _: np.array([[0.5, 0.9], [0.1, 0.5]]))
    >>> round(bold.error, 2), round(predicted_reliability(Battles.of(rows)).error, 2)
    (0.15, 0.0)
    """
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise UsageError(f"`folds` must be a whole number, 2 or more; got {quoted(folds)}.")
    if not isinstance(battles, Battles):
        raise DataError("foretelling held-out battles needs battles row by row; counts, ballots and scores have none.")
    unit = _units(battles, cluster)
    n_units = int(unit.max(initial=-1)) + 1
    if n_units < folds:
        raise DataError(
            f"`folds` must not be more than what is dealt; got folds={folds} for {counted(n_units, 'cluster')}. Ask for "
            "fewer folds, or name another cluster."
        )
    fold = generator(seed).permutation(np.arange(n_units) % folds)[unit]
    said = np.empty(len(battles))
    for k in range(folds):
        held = fold == k
        said[held] = chances(battles.take(~held))[battles.a[held], battles.b[held]]
    return pairwise_reliability(said, battles.outcome, bins=bins, weight=battles.weight)


def _units(battles: Battles, cluster: str | None) -> NDArray[np.int64]:
    """What is held out together, numbered; a battle whose cluster is unknown is one of its own."""
    if cluster == "auto":
        cluster = "cluster" if "cluster" in battles.factors else None
    alone = np.arange(len(battles))
    if cluster is None:
        return alone
    code = battles.factor(cluster).codes.astype(np.int64)
    return np.unique(np.where(code < 0, code.max(initial=0) + 1 + alone, code), return_inverse=True)[1]
