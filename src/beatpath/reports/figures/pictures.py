"""Choose the figures of results and reports, and extract the plain data that each figure needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beatpath._errors import UsageError
from beatpath._text import confidence, shown
from beatpath.analysis.run_comparison import RunComparison
from beatpath.inference.contexts.first_by_mixture import FirstByMixture
from beatpath.inference.core.core_result import Core
from beatpath.inference.judges.judges_result import Judges
from beatpath.inference.ranking.compare import Comparison
from beatpath.inference.ranks.rank_sets import RankSets
from beatpath.inference.ranks.tiers import Tiers
from beatpath.inference.resolve.context_resolution import ContextResolution
from beatpath.inference.resolve.resolution import Resolution
from beatpath.inference.runs.pass_curves import PassCurves
from beatpath.inference.runs.performance_profile import PerformanceProfile
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.methods.rating.whole_history import StrengthCurves
from beatpath.reports import figures
from beatpath.reports.figures.common import COLORED, Spec

if TYPE_CHECKING:
    from os import PathLike

    from beatpath.analysis.analysis import Analysis

IN_BUMP = 30  # agents whose lines can still be followed
IN_PICTURE = 20  # judges drawn
IN_CORE = 15  # agents whose core membership is drawn
MARKED = 5  # agents drawn in color in the comparison of methods
VEGA_LITE = "application/vnd.vegalite.v6+json"  # the media type of a specification


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A figure: a Vega-Lite specification that displays in a notebook and can be saved as SVG or PNG."""

    spec: Spec

    def __repr__(self) -> str:
        return f"<Picture: {shown(self.spec.get('description', ''), 200)}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The specification for front ends that render it, and an SVG for those that do not."""
        return {VEGA_LITE: self.spec, "image/svg+xml": figures.svg(self.spec)}

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the figure to a file with extension .svg or .png."""
        target = Path(path)
        if target.suffix not in (".svg", ".png"):
            raise UsageError(f"a picture is saved as .svg or .png; got {target.name!r}.")
        figures.save_picture(self.spec, target)

    def to_dict(self) -> dict[str, Any]:
        """Return the specification."""
        return dict(self.spec)


def plot(result: Any) -> Picture:
    """Plot a result: rank sets, tiers, win rates, first place by mixture, methods side by side, and others.

    Parameters
    ----------
    result : Resolution, ContextResolution, FirstByMixture, RankSets, Tiers, WinRateEstimate, Comparison,
    PerformanceProfile, StrengthCurves, Judges, Core, PassCurves, or RunComparison with costs
        The result to plot.

    Returns
    -------
    Picture

    See Also
    --------
    report : All figures of a data set in one page.

    Examples
    --------
    >>> import beatpath as bp
    >>> pairs = bp.Pairs(("ada", "bob"), [0], [1], [[30, 10, 0, 0]])
    >>> sorted(plot(bp.resolve(pairs))._repr_mimebundle_())
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
    return mixtures_of(result) or _spec_of(result.ranks)


@_spec_of.register
def _(result: RankSets) -> Spec:
    by_field = {
        name: getattr(result, name).tolist() for name in ("rank", "best", "worst", "group", "part", "may_be_first")
    }
    rows = [{"agent": result.agents[i], **{name: int(by_field[name][i]) for name in by_field}} for i in result.order]
    return figures.rank_intervals(rows, confidence=confidence(result.level))


@_spec_of.register
def _(result: WinRateEstimate) -> Spec:
    counts = result.matrix(result.battles.astype(float))
    return figures.win_rate_matrix(result.agents, result.rates.tolist(), counts.tolist())


@_spec_of.register
def _(result: Comparison) -> Spec:
    order, methods = result.order(), [ranking.method for ranking in result.rankings]
    return figures.bump(order, methods, [[ranking.rank(name) for ranking in result.rankings] for name in order])


@_spec_of.register
def _(result: StrengthCurves) -> Spec:
    return _curves(result, [str(row["agent"]) for row in result.rows()])


@_spec_of.register
def _(result: Core) -> Spec:
    inside = set(result.top_cycle.members)
    rows = [{**row, "probability": row["in_core"], "member": row["agent"] in inside} for row in result.rows()]
    return figures.membership(rows, most=IN_CORE)


@_spec_of.register
def cliques_of(tiers: Tiers) -> Spec:
    """Return bars over agents that are not significantly different, one component below the other."""
    order = sorted(tiers.ranks.order.tolist(), key=lambda i: int(tiers.part[i]))
    place = {i: row for row, i in enumerate(order)}
    bars = [[place[i] for i in some.tolist()] for some in tiers.cliques]
    return figures.cliques([tiers.agents[i] for i in order], bars, confidence=confidence(tiers.ranks.level))


@_spec_of.register
def profiles_of(profile: PerformanceProfile) -> Spec:
    """Return the performance profiles, the agents with the highest mean first."""
    order = sorted(range(len(profile.agents)), key=lambda a: (-float(profile.share[a].mean()), profile.agents[a]))
    grids = (grid[order].tolist() for grid in (profile.share, profile.low, profile.high))
    named = [profile.agents[a] for a in order]
    return figures.performance_profiles(named, profile.tau.tolist(), *grids, confidence=confidence(profile.level))


@_spec_of.register
def _(result: PassCurves) -> Spec:
    curves = {
        f"{shown(agent, 20)} {name}": list(
            zip(*(getattr(result, f"{field}{end}")[a] for end in ("", "_low", "_high")), strict=True)
        )
        for a, agent in enumerate(result.agents)
        for name, field in (("pass@k", "once"), ("pass^k", "always"))
    }
    return figures.pass_curves(curves, confidence=confidence(result.level))


@_spec_of.register
def _(result: RunComparison) -> Spec:
    if not result.trade_offs:
        raise UsageError(
            "`plot` draws runs by quality and cost: name a column with `compare(..., cost=...)`, and one `metric`."
        )
    rows, level = [one.to_dict() for one in result.trade_offs], confidence(result.settings["level"])
    return figures.pareto(rows, cost=shown(result.settings["cost"], 30), confidence=level)


@_spec_of.register
def judges_of(judges: Judges) -> Spec:
    """Return reliability, position bias and votes of every judge, flagged judges first."""
    rows = [
        {
            "judge": one.name,
            "votes": one.votes,
            "reliability": None if (r := one.reliability) is None else (r.estimate, r.low, r.high),
            "position": None if (p := one.shifts.get("position")) is None else (p.estimate, p.low, p.high),
            "alarms": one.alarms,
        }
        for one in judges.judges
    ]
    return figures.judges(rows, confidence=confidence(judges.level), most=IN_PICTURE)


@_spec_of.register
def mixture_curves(mixtures: FirstByMixture) -> Spec:
    """Return the scores of contenders between two contexts, and where each may be first."""
    to = shown(mixtures.context, 30)
    way = f"way from all contexts weighted equally to {to}"
    if mixtures.other is not None:
        way = f"share of {to}, not {shown(mixtures.other, 30)}"
    return figures.first_by_mixture(
        mixtures.contenders,
        mixtures.share,
        mixtures.score.tolist(),
        mixtures.low.tolist(),
        mixtures.high.tolist(),
        mixtures.stretches,
        mixtures.may_be_first,
        way=way,
        in_percent=mixtures.is_share,
        band=mixtures.band_text,
    )


def mixtures_of(resolution: ContextResolution) -> Spec | None:
    """Return how first place depends on the mixture: curves for two contexts, otherwise shares and strips."""
    if resolution.first is not None:
        return mixture_curves(resolution.first)
    if resolution.over is None:
        return None
    rows = [
        {"agent": agent, "first": share, "may_be_first": resolution.over.may_be_first[agent]}
        for agent, share in resolution.over.first.items()
    ]
    ways = [
        {"context": way.context, "highest": way.highest(), "may_be_first": way.may_be_first}
        for way in resolution.over.ways
    ]
    return figures.first_over_mixtures(rows, ways, mixtures=resolution.over.mixtures)


def _curves(curves: StrengthCurves, agents: Sequence[str]) -> Spec:
    """The curves of the first of these agents."""
    points = [
        [(point["time"], point["strength"], point["low"], point["high"]) for point in curves.curve(name)]
        for name in agents[:COLORED]
    ]
    return figures.strength_curves(agents, points, confidence=confidence(curves.level))


def pictures(report: "Analysis") -> dict[str, Spec]:
    """Return the figures that the report's results allow, by name, in the order of the page."""
    rows = [row.to_dict() for row in report.board if row.rank is not None]
    of_pairs, of_methods = _of_pairs(report), _of_methods(report)
    specs = {
        "rank_intervals": figures.rank_intervals(rows, confidence=confidence(report.level)) if rows else None,
        "cliques": None if report.tiers is None else cliques_of(report.tiers),
        "mixtures": None if report.mixtures is None else mixtures_of(report.mixtures),
        "win_rates": of_pairs.get("win_rates"),
        "majorities": of_pairs.get("majorities"),
        "membership": None if report.core is None or len(report.core.agents) < 2 else _spec_of(report.core),
        "bump": of_methods.get("bump"),
        "agreement": of_methods.get("agreement"),
        "predicted": of_pairs.get("predicted"),
        "judges": None if report.judges is None else judges_of(report.judges),
        "over_time": None if (over := report.over_time) is None else _curves(over.curves, over.agents),
        "profiles": None if report.runs is None else profiles_of(report.runs.profile),
        "sampling": of_pairs.get("sampling"),
    }
    return {name: spec for name, spec in specs.items() if spec is not None}


def _of_pairs(report: "Analysis") -> dict[str, Spec | None]:
    """The figures of compared pairs, if there are any."""
    pairs, sure = report.pairs, confidence(report.level)
    if not pairs.a:
        return {}
    rates, counts, resolved, low, high = map(pairs.matrix, ("rate", "battles", "resolved", "low", "high"))
    sides: Any = {"rates": rates, "counts": counts, "resolved": None if resolved is None else resolved == 1}
    core = [row.agent for row in report.board if row.membership in ("inside", "maybe")]
    predictions = pairs.predictions()
    return {
        "win_rates": figures.win_rate_matrix(
            pairs.agents, low=low, high=high, confidence=sure, unit=report.unit, **sides
        ),
        "majorities": figures.majority_graph(pairs.agents, core=core, cycles=report.surviving_cycles, **sides),
        "predicted": figures.predicted(predictions, confidence=sure) if predictions else None,
        "sampling": None if counts is None else figures.sampling(pairs.agents, counts, unit=report.unit),
    }


def _of_methods(report: "Analysis") -> dict[str, Spec]:
    """The figures that compare methods, if there are at least two."""
    comparison = report.comparison
    if comparison is None or len(comparison.rankings) < 2:
        return {}
    methods, order = [ranking.method for ranking in comparison.rankings], comparison.order()
    ranks = {row.agent: [row.ranks[method] for method in methods] for row in report.board}
    moved = [name for name, best, worst in comparison.movers() if worst > best and name in order[:IN_BUMP]]
    return {
        "bump": figures.bump(order, methods, [ranks[name] for name in order], marked=moved[:MARKED], most=IN_BUMP),
        "agreement": figures.agreement(methods, comparison.distances.tolist()),
    }
