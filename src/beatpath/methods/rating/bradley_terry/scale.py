r"""Scales that strengths are told on: log odds, or Elo points.

On both an agent's lead :math:`d` over another says how often it wins: :math:`1 / (1 + e^{-d})` in log odds,
:math:`1 / (1 + 10^{-d / 400})` in Elo points, which are :math:`400 / \ln 10 \approx 173.7` to one unit of log odds.
"""

from math import isfinite, log

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion

UNIT = {"log_odds": 1.0, "elo": 400.0 / log(10.0)}
CENTRE = {"log_odds": 0.0, "elo": 1500.0}


def require_scale(agents: tuple[str, ...], scale: str, anchor: str | None, anchor_rating: float | None) -> None:
    """Refuse a scale, an anchor or a rating of it that cannot be.

    >>> require_scale(("ada", "bob"), "elo", "bop", 1000)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `anchor` must be one of the 2 agents; 'bop' is not. Did you mean 'bob'?
    """
    if scale not in UNIT:
        raise UsageError(
            f"`scale` must be one of {', '.join(UNIT)}; got {quoted(scale)}.{suggestion(str(scale), UNIT)}"
        )
    if anchor is not None and anchor not in agents:
        raise UsageError(
            f"`anchor` must be one of the {len(agents):,} agents; {quoted(anchor)} is not.{suggestion(str(anchor), agents)}"
        )
    if anchor_rating is not None and not (isinstance(anchor_rating, int | float) and isfinite(anchor_rating)):
        raise UsageError(f"`anchor_rating` must be a finite number; got {quoted(anchor_rating)}.")


def on_scale(
    strength: Floats,
    agents: tuple[str, ...],
    *,
    scale: str = "log_odds",
    anchor: str | None = None,
    anchor_rating: float | None = None,
) -> Floats:
    """Return strengths in log odds on a scale on which the anchor, or the mean, is at `anchor_rating`.

    Parameters
    ----------
    strength : (n,) float
        Log odds, up to a constant.
    agents : tuple of str
    scale : {"log_odds", "elo"}
    anchor : str, optional
        The agent to put at `anchor_rating`; by default the mean of all agents is put there.
    anchor_rating : float, optional
        By default 0 in log odds, 1500 in Elo points.

    Examples
    --------
    Odds of ten to one are 400 Elo points.

    >>> import numpy as np
    >>> on_scale(np.log([10.0, 1.0]), ("ada", "bob"), scale="elo", anchor="bob", anchor_rating=1000)
    array([1400., 1000.])
    """
    require_scale(agents, scale, anchor, anchor_rating)
    fixed = float(strength.mean()) if anchor is None else float(strength[agents.index(anchor)])
    return (CENTRE[scale] if anchor_rating is None else anchor_rating) + UNIT[scale] * (strength - fixed)
