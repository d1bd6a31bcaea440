"""How far an answer hangs on a few data, a method or a model: removals, leave-one-out, clones, goodness of fit."""

from beatpath._guard import guard
from beatpath.inference.core.core_sensitivity import CoreSensitivity, core_sensitivity
from beatpath.inference.cycles.transitivity import Transitivity, transitivity
from beatpath.inference.ranking.distinguish import Distinction, distinguish
from beatpath.inference.ranking.stability import Stability, stability
from beatpath.inference.removal.smallest_influential_set import InfluentialSet, smallest_influential_set
from beatpath.inference.scale.lack_of_fit import LackOfFit
from beatpath.inference.scale.projection import Projection, bradley_terry_projection
from beatpath.inference.sensitivity.aa_test import AATest, aa_test
from beatpath.inference.sensitivity.calibration import Reliability, held_out_distance, hold_out, predicted_reliability
from beatpath.inference.sensitivity.clones import Clones, clone
from beatpath.inference.sensitivity.leave_out import LeaveOneOut, leave_one_out
from beatpath.inference.sensitivity.winners_curse import WinnersCurse, winners_curse
from beatpath.methods.rating.sco.ranking_posterior import RankingPosterior, sco_posterior

__all__ = ["AATest", "Clones", "CoreSensitivity", "Distinction", "InfluentialSet", "LackOfFit", "LeaveOneOut", "Projection",
    "RankingPosterior", "Reliability", "Stability", "Transitivity", "WinnersCurse", "aa_test", "bradley_terry_projection", "clone",
    "core_sensitivity", "distinguish", "held_out_distance", "hold_out", "leave_one_out", "predicted_reliability", "sco_posterior",
    "smallest_influential_set", "stability", "transitivity", "winners_curse"]  # fmt: skip

guard(globals())
