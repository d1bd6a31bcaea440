"""Figures as Vega-Lite specifications: plain data in, a plain dict out; nothing here computes a statistic."""

from beatpath.reports.drawing.draw import save_picture as save_picture
from beatpath.reports.drawing.draw import svg as svg
from beatpath.reports.figures.badge import badge as badge
from beatpath.reports.figures.common import DARK as DARK
from beatpath.reports.figures.common import LIGHT as LIGHT
from beatpath.reports.figures.common import Palette as Palette
from beatpath.reports.figures.common import Spec as Spec
from beatpath.reports.figures.common import theme as theme
from beatpath.reports.figures.common import themed as themed
from beatpath.reports.figures.lines import bump as bump
from beatpath.reports.figures.lines import first_by_mixture as first_by_mixture
from beatpath.reports.figures.lines import first_over_mixtures as first_over_mixtures
from beatpath.reports.figures.lines import pass_curves as pass_curves
from beatpath.reports.figures.lines import performance_profiles as performance_profiles
from beatpath.reports.figures.lines import strength_curves as strength_curves
from beatpath.reports.figures.majority_graph import majority_graph as majority_graph
from beatpath.reports.figures.matrices import agreement as agreement
from beatpath.reports.figures.matrices import sampling as sampling
from beatpath.reports.figures.matrices import win_rate_matrix as win_rate_matrix
from beatpath.reports.figures.pareto import pareto as pareto
from beatpath.reports.figures.predicted import predicted as predicted
from beatpath.reports.figures.rows import cliques as cliques
from beatpath.reports.figures.rows import judges as judges
from beatpath.reports.figures.rows import membership as membership
from beatpath.reports.figures.rows import rank_intervals as rank_intervals
