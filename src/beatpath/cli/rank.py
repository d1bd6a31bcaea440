"""``beatpath rank FILE --method schulze --method iml``: methods side by side, with the Condorcet winner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from beatpath._errors import UsageError
from beatpath._progress import INTERRUPTED
from beatpath._text import quoted
from beatpath._typing import TierScheme
from beatpath.cli import options as o
from beatpath.cli.output import show

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.inference.ranking.stability import Stability
    from beatpath.inference.ranks.tiers import Tiers
    from beatpath.methods.result import Ranking

# Methods with options of their own.
STRUCTURED = "bradley_terry_structured"
JUDGED = "bradley_terry_judged"
SECONDS = 2.5  # the default of `beatpath.methods.kemeny`
Settings = dict[str, dict[str, Any]]  # settings by method


def settings_of_methods(texts: Sequence[str] | None) -> Settings:
    """Return ``{"approval": {"k": 3}}`` from ``approval.k=3``; may be repeated.

    >>> settings_of_methods(["approval.k=3"])
    {'approval': {'k': 3}}
    """
    settings: Settings = {}
    for name, value in o.named_values(texts, "--set").items():
        key, dot, setting = name.partition(".")
        if not dot:
            raise UsageError(f"`--set` must read METHOD.NAME=VALUE, such as approval.k=3; got {quoted(name)}.")
        settings.setdefault(key, {})[setting] = o.value_of(value)
    return settings


@dataclass(frozen=True)
class RankOptions(o.ConventionFlags):
    """Options of ``beatpath rank``."""

    method: tuple[str, ...] = o.METHOD(help="A method, or all; may be repeated. Default: all.")
    set_: Settings = o.rare(
        "--set METHOD.NAME=VALUE", "A setting of a method, such as approval.k=3.", read=settings_of_methods
    )
    agent_table: str | None = o.rare(
        "--agent-table FILE",
        "A table with one row per agent (size, license, year) to explain strengths, by bradley_terry_structured.",
    )
    columns: str | None = o.rare("--columns NAMES", "Those of --agent-table to use, commas between. Default: all.")
    stability: bool = o.option(
        "--stability", "Show how often rankings stay the same over draws of the win rates.", default=False
    )
    time_limit: float | None = o.rare(
        "--time-limit SECONDS",
        f"Seconds for methods that search for a proof; they report the remaining gap. [{SECONDS:g}]",
        min=0.0,
    )
    exact: bool = o.rare("--exact", "Let such methods search until they find the proof.", default=False)
    tiers: TierScheme | None = o.option("--tiers", "Also show the tiers that the data resolve, as `resolve` does.")
    judges: Literal["alike", "reliability", "aware"] = o.option(
        "--judges",
        "Weight battles equally, or by the reliability of their judge (reliability); or weight them equally and also "
        "show strengths fitted with a reliability per judge, and what that changes (aware).",
        default="alike",
    )
    field: str = o.rare(
        "--field auto|all", "Leave agents with too little data out (auto), or rank all.", default="auto"
    )
    seed: int = o.SEED()
    format: o.Format = o.OUTPUT()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods to run."""
        named = self.method or ("all" if self.agent_table is None else STRUCTURED,)
        return (*named, JUDGED) if self.judges == "aware" else named


def rank_verb(evidence: "Evidence", options: RankOptions) -> None:
    """Rank agents by one method or by all of them side by side; ties stay ties.

    beatpath rank --example

    beatpath rank battles.csv -m schulze -m iml

    beatpath rank helm.csv --weights toxicity=5,bias=3 --format json

    beatpath rank battles.csv --agent-table models.csv --columns size,license

    beatpath rank battles.csv --map judge=annotator --judges aware
    """
    from beatpath.inference.judges.weighed import weighed
    from beatpath.inference.options import placed_alone
    from beatpath.inference.ranking.compare import compare_methods
    from beatpath.reports.result_views import comparison_rows, comparison_view, tier_lines

    evidence = weighed(evidence, "reliability" if options.judges == "reliability" else "alike")
    settings = _explained_by(options, _within(options, options.set_))
    comparison = compare_methods(
        evidence, options.methods, settings=settings, field=options.field, **options.conventions
    )
    evidence = placed_alone(evidence, options.field)[0]
    stable = _stability(evidence, comparison.methods, options) if options.stability else None
    steps = None if options.tiers is None else _tiers(evidence, options.tiers, options)
    below = [
        *_model_sentences([ranking for one in comparison.by_component for ranking in one.rankings]),
        *([] if stable is None else [stable.sentences]),
        *([] if steps is None else [tier_lines(steps)]),
    ]
    show(
        options.format,
        comparison,
        lambda: comparison_view(comparison, below),
        rows=lambda: _with_tiers(comparison_rows(comparison) if stable is None else stable.rows(), steps),
        evidence=evidence,
        stability=stable,
        tiers=steps,
    )
    if any(INTERRUPTED in one.not_run.values() for one in comparison.by_component):
        raise KeyboardInterrupt


def _within(options: RankOptions, settings: Settings) -> Settings:
    """Settings with the time limit for every method that has one and was not given its own."""
    from beatpath.methods.registry import METHODS

    exact, time_limit = options.exact, options.time_limit
    if exact and time_limit is not None:
        raise UsageError("`--exact` removes the time limit that `--time-limit` sets; use one of the two.")
    if not exact and time_limit is None:
        return settings
    limited = [key for key, method in METHODS.items() if "time_limit" in method.settings]
    limits = {"time_limit": None if exact else time_limit}
    return {**settings, **{key: {**limits, **settings.get(key, {})} for key in limited}}


def _explained_by(options: RankOptions, settings: Settings) -> Settings:
    """Settings with the table of agents for the method that takes one."""
    if options.agent_table is None:
        if options.columns is not None:
            raise UsageError("`--columns` are those of a table of agents; name it with `--agent-table`.")
        return settings
    if STRUCTURED not in options.methods:
        raise UsageError(f"`--agent-table` is for {STRUCTURED}; leave `--method` out, or name it.")
    from beatpath.data.read import read_agents

    options_of_model: dict[str, Any] = {"covariates": read_agents(options.agent_table)}
    options_of_model |= {} if options.columns is None else {"columns": list(o.names_of([options.columns]))}
    return {**settings, STRUCTURED: {**options_of_model, **settings.get(STRUCTURED, {})}}


def _model_sentences(rankings: "Sequence[Ranking]") -> list[tuple[str, ...]]:
    """Sentences on covariates of strengths and on the effect of judges, if they were fitted."""
    from beatpath.methods.rating.bradley_terry.structured import effect_sentences
    from beatpath.methods.rating.judged import judged_sentences

    effects = [effect_sentences(one.details) for one in rankings if one.method == STRUCTURED]
    return effects + [judged_sentences(one.details, one.scores) for one in rankings if one.method == JUDGED]


def _stability(evidence: "Evidence", methods: "Sequence[str]", options: RankOptions) -> "Stability":
    """Stability of the rankings of those methods that compare pairs."""
    from beatpath.inference.ranking.stability import stability
    from beatpath.methods.registry import METHODS

    comparing = [key for key in methods if METHODS[key].compares]
    if not comparing:
        raise UsageError("`--stability` needs a pairwise method; none is requested. Name one with --method.")
    return stability(evidence, comparing, seed=options.seed, **options.conventions)


def _tiers(evidence: "Evidence", scheme: TierScheme, options: RankOptions) -> "Tiers":
    """Tiers of the significant differences."""
    from beatpath.inference.ranks.tiers import tiers
    from beatpath.inference.resolve.resolve import resolve

    return tiers(resolve(evidence, seed=options.seed, **options.conventions), scheme)


def _with_tiers(rows: Sequence[Mapping[str, Any]], steps: "Tiers | None") -> Sequence[Mapping[str, Any]]:
    """Rows with the tier of their agent."""
    if steps is None:
        return rows
    labels = dict(zip(steps.agents, steps.labels, strict=True))
    return [{**row, steps.heading: labels[row["agent"]]} for row in rows]
