"""``beatpath check``, ``core``, ``judges``, ``items`` and ``runs``: whether the data support a conclusion, and what they say."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from beatpath._errors import UsageError
from beatpath.cli import options as o
from beatpath.cli.output import show

if TYPE_CHECKING:
    from beatpath.evidence import Evidence


@dataclass(frozen=True)
class CheckOptions:
    """Options of ``beatpath check``."""

    format: o.Format = o.OUTPUT()


def check_verb(evidence: "Evidence", options: CheckOptions) -> None:
    """Check the data before ranking: which agents were compared, how often, how evenly and by which judges.

    Failures and warnings come first, in words, each with what it means for the methods.

        beatpath check --example

        beatpath check battles.csv --map agent_a=left,agent_b=right,outcome=label

        beatpath check logs/*.eval --format json
    """
    from beatpath.checks import check

    show(options.format, check(evidence))


@dataclass(frozen=True)
class CoreOptions(o.ConventionFlags):
    """Options of ``beatpath core``."""

    by: str | None = o.option("--by COLUMN", "A core for every task, category or other context.")
    mix: dict[str, float] = o.option(
        "--mix CONTEXT=WEIGHT,...",
        "With --by: also the core of this mixture of contexts.",
        read=partial(o.numbers_of, option="--mix"),
    )
    witness: str | None = o.option("--witness AGENT", "Say why this agent is in the core, or is not.")
    cluster: o.Clusters = o.CLUSTER()
    edges: Literal["auto", "estimated", "posterior", "empirical", "weighted"] = o.rare(
        "--edges",
        "What soft edges are made of; auto: estimated win rates for battles and counts, else posterior.",
        default="auto",
    )
    missing_pairs: Literal["neutral", "absent", "imputed"] = o.rare(
        "--missing-pairs", "What a pair that was not compared gets where edges are not estimated.", default="neutral"
    )
    tau: float = o.rare("--tau", "Temperature of soft edges.", default=0.05)
    gamma: float = o.rare("--gamma", "Temperature of soft minima and maxima.", default=0.05)
    reach: Literal["max-min", "smooth", "noisy-or"] = o.rare(
        "--reach", "How chains of wins are joined.", default="max-min"
    )
    max_length: int | None = o.rare("--max-length K", "The maximum length of a chain. Default: no limit.")
    field: str = o.rare(
        "--field auto|all", "Leave agents with too little data out (auto), or take all.", default="auto"
    )
    format: o.Format = o.OUTPUT()


# the options that `core` itself takes
SOFT = ("edges", "missing_pairs", "tau", "gamma", "reach", "max_length", "cluster", "field")


def core_verb(evidence: "Evidence", options: CoreOptions) -> None:
    """Find the core, the undominated agents when preferences form cycles, with the probability of each member.

    beatpath core --example

    beatpath core battles.csv --cluster prompt --witness gpt-4

    beatpath core battles.csv --keep category --by category --mix code=2,chat=1
    """
    from beatpath.inference.core.core import core
    from beatpath.inference.core.core_by import core_by
    from beatpath.reports.result_views import core_view

    if options.by is None and options.mix:
        raise UsageError("`--mix` mixes contexts; name their column with `--by`.")
    if options.by is not None and options.witness is not None:
        raise UsageError("`--witness` explains one core; with `--by` there are several. Use `--where` for one context.")
    soft: dict[str, Any] = {name: getattr(options, name) for name in SOFT}
    if options.by is not None:
        cores = core_by(evidence, options.by, mix=options.mix or None, **soft, **options.conventions)
        show(options.format, cores, evidence=evidence)
        return
    result, witness = core(evidence, **soft, **options.conventions), options.witness
    why = None if witness is None else result.witness(witness)
    show(options.format, result, lambda: core_view(result, witness), evidence=evidence, witness=why)


@dataclass(frozen=True)
class JudgesOptions:
    """Options of ``beatpath judges``."""

    family: dict[str, str] = o.option(
        "--family NAME=FAMILY,...",
        "The family, such as the maker, of judges and agents. By default a judge is of the family of the agent of its name.",
        read=partial(o.named_values, option="--family"),
    )
    covariate: tuple[str, ...] = o.option(
        "--covariate COLUMN",
        "A numeric column carried along with --keep, or 'len_a - len_b', that a judge may reward; may be repeated.",
        read=o.each,
    )
    gold: str | None = o.option(
        "--gold JUDGE",
        "The judge whose votes count as right, such as a human, for the correlation of the others' errors.",
    )
    level: float = o.LEVEL()
    seed: int = o.SEED()
    format: o.Format = o.OUTPUT()


def judges_verb(evidence: "Evidence", options: JudgesOptions) -> None:
    """Compare every judge with the others: who answers at random, always the same, favors an agent or decides first place.

    beatpath judges battles.csv --map judge=annotator

    beatpath judges battles.csv --family gpt-4=openai,gpt-4-judge=openai

    beatpath judges battles.csv --keep len_a,len_b --covariate "len_a - len_b" --format json
    """
    from beatpath.inference.judges.judges import judges

    families, covariates, gold = options.family or None, options.covariate, options.gold
    result = judges(
        evidence, families=families, covariates=covariates, gold=gold, level=options.level, seed=options.seed
    )
    show(options.format, result, evidence=evidence)


@dataclass(frozen=True)
class ItemsOptions:
    """Options of ``beatpath items``."""

    top: int = o.option("--top K", "Count the items that do not tell the K best agents apart.", default=5)
    claim: str | None = o.option('--claim "A > B"', "Name the items to run next until this is settled.", default=None)
    batch: int = o.option("--batch K", "With --claim: items to name.", default=1)
    level: float = o.LEVEL()
    seed: int = o.SEED()
    format: o.Format = o.OUTPUT()


def items_verb(evidence: "Evidence", options: ItemsOptions) -> None:
    """Find the items that carry a table of scores: those that nobody solves, that look mis-keyed or repeat another, and how few would do.

    beatpath items scores.csv

    beatpath items logs/*.eval --top 3

    beatpath items scores.csv --format csv > items.csv

    beatpath items scores.csv --claim "new > base" --batch 10
    """
    from beatpath.inference.items.items import items
    from beatpath.inference.items.next_items import next_items

    given = o.given(options)
    if options.claim is None and "batch" in given:
        raise UsageError("`--batch` is the number of items to run next for a claim; name it with `--claim`.")
    if options.claim is not None and "top" in given:
        raise UsageError(
            "`--top` counts items that tell agents apart; leave it or `--claim` out, which names items to run next."
        )
    if options.claim is not None:
        plan = next_items(evidence, options.claim, batch=options.batch, level=options.level, seed=options.seed)
        return show(options.format, plan, evidence=evidence)
    show(options.format, items(evidence, top=options.top, level=options.level, seed=options.seed), evidence=evidence)


@dataclass(frozen=True)
class RunsOptions(o.ConventionFlags):
    """Options of ``beatpath runs``."""

    level: float = o.LEVEL()
    seed: int = o.SEED()
    format: o.Format = o.OUTPUT()


def runs_verb(evidence: "Evidence", options: RunsOptions) -> None:
    """Summarize the runs of a table: interquartile means and other measures, performance profiles, critical differences.

    beatpath runs scores.csv

    beatpath runs atari.csv --zero random --one human

    beatpath runs scores.csv --format json
    """
    from beatpath.analysis.run_findings import summed_up

    summary = summed_up(evidence, options.level, options.seed, options.chosen)
    show(options.format, summary, rows=summary.scores.rows, evidence=evidence)
