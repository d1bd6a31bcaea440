"""Ratings that are updated battle by battle, and strengths over time."""

from beatpath._guard import guard
from beatpath.methods.online.ledger import Ledger, load
from beatpath.methods.rating.elo import OnlineElo
from beatpath.methods.rating.glicko2 import OnlineGlicko2
from beatpath.methods.rating.sco.online_sco import OnlineSco
from beatpath.methods.rating.weng_lin import OnlineWengLin
from beatpath.methods.rating.whole_history import StrengthCurves, strength_curves

__all__ = ["Ledger", "OnlineElo", "OnlineGlicko2", "OnlineSco", "OnlineWengLin", "StrengthCurves", "load",
    "strength_curves"]  # fmt: skip

guard(globals())
