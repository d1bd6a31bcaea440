"""`plot`: the picture that belongs to a result, for a notebook or a file."""

from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beatpath._errors import UsageError
from beatpath._text import confidence
from beatpath.inference.contexts.first_by_mixture import FirstByMixture
from beatpath.inference.core.core_result import Core
from beatpath.inference.judges.judges_result import Judges
from beatpath.inference.ranking.compare import Comparison
from beatpath.inference.ranks.rank_sets import RankSets
from beatpath.inference.ranks.tiers import Tiers
from beatpath.inference.resolve.context_resolution import ContextResolution
from beatpath.inference.resolve.resolution import Resolution
from beatpath.inference.runs.performance_profile import PerformanceProfile
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.methods.rating.whole_history.strength_curves import StrengthCurves
from beatpath.reports import figures
from beatpath.reports.figures.common import COLOURED, Spec

if TYPE_CHECKING:
    from os import PathLike

VEGA_LITE = "application/vnd.vegalite.v6+json"


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A Vega-Lite specification that shows itself in a notebook and can be saved as SVG or PNG."""

    spec: Spec

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The specification for front ends that draw it, and a drawing for those that do not."""
        return {VEGA_LITE: self.spec, "image/svg+xml": figures.svg(self.spec)}

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the picture to a file that ends in .svg or .png."""
        target = Path(path)
        if target.suffix not in (".svg", ".png"):
            raise UsageError(f"a picture is saved as .svg or .png; got {target.name!r}.")
        figures.save_picture(self.spec, target)

    def to_dict(self) -> dict[str, Any]:
        """Return the specification."""
        return dict(self.spec)


def plot(result: Any) -> Picture:
    """Draw a result: sets of ranks, bars over those not parted, win rates, first place by mixture, methods side by side, and others.

    Parameters
    ----------
    result : Resolution, ContextResolution, FirstByMixture, RankSets, Tiers, WinRateEstimate, Comparison, PerformanceProfile, StrengthCurves, Judges or Core

    Examples
    --------
    >>> import beatpath as bp
    >>> told = bp.Pairs(("ada", "bob"), [0], [1], [[30, 10, 0, 0]])
    >>> sorted(plot(bp.resolve(told))._repr_mimebundle_())
    ['application/vnd.vegalite.v6+json', 'image/svg+xml']
    """
    return Picture(_spec_of(result))


@singledispatch
def _spec_of(result: Any) -> Spec:
    raise UsageError(
        f"`plot` draws what resolve, rank_sets, tiers, win_rate_inference, compare, performance_profile, strength_curves, judges or core return; got {type(result).__name__}. "
        "`bp.report(...).figures()` has all pictures of a report."
    )


@_spec_of.register
def _(result: Resolution) -> Spec:
    return _spec_of(result.ranks)


@_spec_of.register
def _(result: ContextResolution) -> Spec:
    from beatpath.reports.figures.pictures import mixtures_of

    return mixtures_of(result) or _spec_of(result.ranks)


@_spec_of.register
def _(result: FirstByMixture) -> Spec:
    from beatpath.reports.figures.pictures import mixture_curves

    return mixture_curves(result)


@_spec_of.register
def _(result: RankSets) -> Spec:
    rows = [
        {
            "agent": result.agents[i],
            "rank": int(result.rank[i]),
            "best": int(result.best[i]),
            "worst": int(result.worst[i]),
            "group": int(result.group[i]),
        }
        for i in result.order
    ]
    return figures.rank_intervals(rows, confidence=confidence(result.level))


@_spec_of.register
def _(result: Tiers) -> Spec:
    from beatpath.reports.figures.pictures import cliques_of

    return cliques_of(result)


@_spec_of.register
def _(result: WinRateEstimate) -> Spec:
    counts = result.matrix(result.battles.astype(float))
    return figures.win_rate_matrix(result.agents, result.rates.tolist(), counts.tolist())


@_spec_of.register
def _(result: Comparison) -> Spec:
    order, methods = result.order(), [ranking.method for ranking in result.rankings]
    return figures.bump(order, methods, [[ranking.rank(name) for ranking in result.rankings] for name in order])


@_spec_of.register
def _(result: PerformanceProfile) -> Spec:
    from beatpath.reports.figures.pictures import profiles_of

    return profiles_of(result)


@_spec_of.register
def _(result: Judges) -> Spec:
    from beatpath.reports.figures.pictures import judges_of

    return judges_of(result)


@_spec_of.register
def _(result: StrengthCurves) -> Spec:
    agents = [str(row["agent"]) for row in result.rows()]
    kept = agents[:COLOURED]
    points = [
        [tuple(point[k] for k in ("time", "strength", "low", "high")) for point in result.curve(name)] for name in kept
    ]
    return figures.strength_curves(agents, points, confidence=confidence(result.level))


@_spec_of.register
def _(result: Core) -> Spec:
    inside = set(result.top_cycle.members)
    rows = [{**row, "probability": row["in_core"], "member": row["agent"] in inside} for row in result.rows()]
    return figures.membership(rows, most=15)
