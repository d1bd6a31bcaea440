"""Pictures as Vega-Lite specifications: plain data in, a plain dict out; nothing here computes a statistic."""

from beatpath.reports.drawing.draw import save_picture, svg
from beatpath.reports.figures.badge import badge
from beatpath.reports.figures.bump import bump
from beatpath.reports.figures.cliques import cliques
from beatpath.reports.figures.common import DARK, LIGHT, Palette, Spec, theme, themed
from beatpath.reports.figures.curves import strength_curves
from beatpath.reports.figures.judges import judges
from beatpath.reports.figures.majority_graph import majority_graph
from beatpath.reports.figures.matrices import agreement, sampling, win_rate_matrix
from beatpath.reports.figures.membership import membership
from beatpath.reports.figures.mixtures import first_by_mixture, first_over_mixtures
from beatpath.reports.figures.predicted import predicted
from beatpath.reports.figures.profiles import performance_profiles
from beatpath.reports.figures.rank_intervals import rank_intervals

__all__ = [
    "DARK",
    "LIGHT",
    "Palette",
    "Spec",
    "agreement",
    "badge",
    "bump",
    "cliques",
    "first_by_mixture",
    "first_over_mixtures",
    "judges",
    "majority_graph",
    "membership",
    "performance_profiles",
    "predicted",
    "rank_intervals",
    "sampling",
    "save_picture",
    "strength_curves",
    "svg",
    "theme",
    "themed",
    "win_rate_matrix",
]
