"""The classes of results, for annotations and `isinstance`."""

from typing import TYPE_CHECKING

from beatpath.analysis.run_comparison import RunComparison
from beatpath.checks import Check
from beatpath.evidence import Convention, Reading
from beatpath.inference.anytime.anytime_board import AnytimeBoard
from beatpath.inference.bootstrap.bootstrap_result import Bootstrap
from beatpath.inference.core.core_by import Cores
from beatpath.inference.core.core_result import Core
from beatpath.inference.cycles.cycles import Cycles
from beatpath.inference.items.items_result import Items
from beatpath.inference.judges.judges_result import Judges
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.win_matrix import WinMatrix
from beatpath.inference.ranking.compare import Comparison
from beatpath.inference.ranks.claims import ClaimTest
from beatpath.inference.ranks.rank_sets import RankSets
from beatpath.inference.ranks.tiers import Tiers
from beatpath.inference.resolve.anytime_resolution import AnytimeResolution
from beatpath.inference.resolve.context_resolution import ContextResolution
from beatpath.inference.resolve.diff import Diff
from beatpath.inference.resolve.long_board import LongBoard
from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution
from beatpath.inference.resolve.resolution import Resolution
from beatpath.methods.result import Ranking
from beatpath.reports.report import Report

if TYPE_CHECKING:
    from beatpath.arena.standing import Standing

__all__ = ["AnytimeBoard", "AnytimeResolution", "Bootstrap", "Check", "ClaimTest", "Comparison", "ContextResolution",
    "Convention", "Core", "Cores", "Cycles", "Diff", "Items", "Judges", "Leaderboard", "LongBoard",
    "PairwiseResolution", "RankSets", "Ranking", "Reading", "Report", "Resolution", "RunComparison", "Standing", "Tiers", "WinMatrix"]  # fmt: skip


def __getattr__(name: str) -> object:
    """Load the class of arenas when it is first used: it needs the extra ``live``."""
    if name != "Standing":
        raise AttributeError(f"module 'beatpath.results' has no attribute {name!r}")
    from beatpath.arena.standing import Standing

    return Standing
