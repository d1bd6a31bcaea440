"""How far an answer hangs on a few data, a method or a model: removals, leave-one-out, clones, goodness of fit."""

from beatpath.inference.cycles.cycles import cycle_sweep
from beatpath.inference.cycles.transitivity import Transitivity, transitivity
from beatpath.inference.ranking.stability import Stability, stability
from beatpath.inference.removal.smallest_influential_set import InfluentialSet, smallest_influential_set
from beatpath.inference.scale.lack_of_fit import LackOfFit
from beatpath.inference.scale.projection import Projection, bradley_terry_projection
from beatpath.inference.sensitivity.aa_test import AATest, aa_test
from beatpath.inference.sensitivity.calibration import Reliability, held_out_distance, hold_out, predicted_reliability
from beatpath.inference.sensitivity.clones import Clones, clone, with_clone
from beatpath.inference.sensitivity.leave_out import LeaveOneOut, leave_one_out
from beatpath.inference.sensitivity.winners_curse import WinnersCurse, winners_curse

__all__ = [  # noqa: RUF022 (in an order to learn them)
    "stability", "Stability", "leave_one_out", "LeaveOneOut", "smallest_influential_set", "InfluentialSet",
    "clone", "with_clone", "Clones", "winners_curse", "WinnersCurse", "aa_test", "AATest", "hold_out",
    "held_out_distance", "predicted_reliability", "Reliability", "bradley_terry_projection", "Projection",
    "LackOfFit", "transitivity", "Transitivity", "cycle_sweep",
]  # fmt: skip
