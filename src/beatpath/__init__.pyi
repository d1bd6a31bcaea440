"""The public names: type checkers read them here, and `beatpath` itself where each of them is loaded from."""

# ruff: noqa: I001 (in an order to learn them)

# Read evidence, and look at it
from beatpath.data.read import read as read
from beatpath.data.read import read_agents as read_agents
from beatpath.data.example import example as example
from beatpath.checks import check as check
from beatpath.evidence_design.design import design as design
from beatpath.data.write import write as write
from beatpath.evidence.select import only as only
from beatpath.evidence.select import without as without

# Ask it
from beatpath.inference.ranking.rank import rank as rank
from beatpath.methods.method_list import methods as methods
from beatpath.inference.ranking.compare import compare_methods as compare_methods
from beatpath.inference.resolve.resolve import resolve as resolve
from beatpath.inference.scores.estimands import leaderboard as leaderboard
from beatpath.inference.ranks.rank_sets import rank_sets as rank_sets
from beatpath.inference.ranks.tiers import tiers as tiers
from beatpath.inference.core.core import core as core
from beatpath.inference.core.core_by import core_by as core_by
from beatpath.inference.cycles.cycles import cycles as cycles
from beatpath.inference.matrix.win_matrix import win_matrix as win_matrix
from beatpath.inference.bootstrap.bootstrap import bootstrap as bootstrap
from beatpath.inference.judges.judges import judges as judges
from beatpath.inference.items.items import items as items
from beatpath.analysis.compare_runs import compare as compare
from beatpath.analysis.claim import claim as claim
from beatpath.inference.resolve.diff import diff as diff

# Show it
from beatpath.reports.report import report as report
from beatpath.reports.figures.pictures import plot as plot

# What evidence is
from beatpath.evidence import Battles as Battles
from beatpath.evidence import Ballots as Ballots
from beatpath.evidence import Scores as Scores
from beatpath.evidence import Pairs as Pairs
from beatpath.evidence import Margins as Margins
from beatpath.evidence import WinRates as WinRates
from beatpath.evidence import Factor as Factor
from beatpath.evidence import Conventions as Conventions

# A live arena
from beatpath.arena.arena import Arena as Arena

# Errors
from beatpath._errors import BeatpathError as BeatpathError
from beatpath._errors import DataError as DataError
from beatpath._errors import MissingExtra as MissingExtra
from beatpath._errors import ReadError as ReadError
from beatpath._errors import UnknownLabel as UnknownLabel
from beatpath._errors import UsageError as UsageError

# The rest, by topic
from beatpath import planning as planning
from beatpath import robustness as robustness
from beatpath import metrics as metrics
from beatpath import games as games
from beatpath import online as online
from beatpath import learning as learning
from beatpath import plots as plots
from beatpath import results as results
from beatpath import testing as testing

from beatpath._version import __version__ as __version__

__all__: list[str]  # noqa: PYI035 (all of these)

_MODULES: dict[str, str]
