"""Pictures as Vega-Lite specifications: plain data in, a plain dict out; nothing here computes a statistic."""

from beatpath.reports.figures.agreement import agreement
from beatpath.reports.figures.bump import bump
from beatpath.reports.figures.common import DARK, LIGHT, Palette, Spec, theme, themed
from beatpath.reports.figures.majority_graph import majority_graph
from beatpath.reports.figures.membership import membership
from beatpath.reports.figures.predicted import predicted
from beatpath.reports.figures.rank_intervals import rank_intervals
from beatpath.reports.figures.sampling import sampling
from beatpath.reports.figures.save import save, svg
from beatpath.reports.figures.win_rates import win_rate_matrix

__all__ = [
    "DARK",
    "LIGHT",
    "Palette",
    "Spec",
    "agreement",
    "bump",
    "majority_graph",
    "membership",
    "predicted",
    "rank_intervals",
    "sampling",
    "save",
    "svg",
    "theme",
    "themed",
    "win_rate_matrix",
]
