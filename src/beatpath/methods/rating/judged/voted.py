"""Evidence as votes of judges: battles as they are, scores as the comparisons that each judge's scores make.

Kin: which agents a judge is itself, or shares a family with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.evidence import Battles, Evidence, Factor, Scores
from beatpath.methods.rating.bradley_terry.design import covariate_names, shifts
from beatpath.stats.codes import apart, joint
from beatpath.stats.judges.aware import FOLDS
from beatpath.stats.judges.examined import KIN, POSITION
from beatpath.stats.judges.votes import Parts, Votes, counted_votes, in_parts, with_kin
from beatpath.stats.verdicts import Verdicts, shared_verdicts


def kin_of(battles: Battles, families: Mapping[str, str] | str | None) -> Bools:
    """Return which agents are kin of which judges, (judges, agents).

    Parameters
    ----------
    battles : Battles
        With a column ``judge``.
    families : mapping of name to family, or name of a column, optional
        By default a judge is kin of the agent that bears its name. A mapping gives judges and agents a family, such as their
        maker; whoever it does not name is a family of its own. A column names the agent that the judge of each battle is.

    Examples
    --------
    >>> from beatpath import Factor
    >>> battles = Battles.of([("gpt", "claude", 1)], factors={"judge": Factor.of(["gpt-judge"])})
    >>> kin_of(battles, {"gpt-judge": "openai", "gpt": "openai"})
    array([[False,  True]])
    """
    judges, agents = battles.factors["judge"].levels, battles.agents
    if isinstance(families, str):
        own = _named_by(battles, families)
    else:
        told = dict(families or {})
        unknown = [name for name in told if name not in set(judges) | set(agents)]
        if unknown:
            near = suggestion(unknown[0], [*judges, *agents])
            raise UsageError(
                f"`families` must name judges or agents; {quoted(unknown[0])} is neither.{near} "
                f"Judges are {listed(judges)}; agents are {listed(agents)}."
            )
        wrong = [name for name, family in told.items() if not isinstance(family, str)]
        if wrong:
            raise UsageError(f"`families` must map names to names; that of {quoted(wrong[0])} is {told[wrong[0]]!r}.")
        own = [told.get(name, name) for name in judges]
        agents = tuple(told.get(name, name) for name in agents)
    code = {name: k for k, name in enumerate(sorted({*own, *agents}))}
    one, other = (np.array([code[name] for name in names], dtype=np.int64) for names in (own, agents))
    return np.asarray(one[:, None] == other[None, :])


def _named_by(battles: Battles, column: str) -> list[str]:
    """The agent that each judge is, from a column; a judge of which it says nothing is nobody's kin."""
    factor, judge = battles.factor(column), battles.factors["judge"]
    unknown = [name for name in factor.levels if name not in set(battles.agents)]
    if unknown and len(unknown) == len(factor.levels):
        raise DataError(
            f"column {quoted(column)} must name the agents that judges are; {listed(unknown, 3)} are none of "
            f"{listed(battles.agents)}. Give `families` as a mapping from names to families instead."
        )
    own: dict[int, str] = {}
    both = (judge.codes >= 0) & (factor.codes >= 0)
    for j, k in np.unique(np.column_stack([judge.codes[both], factor.codes[both]]), axis=0).tolist():
        if j in own:
            raise DataError(
                f"column {quoted(column)} must say the same in all battles of a judge; of {quoted(judge.levels[j])} it says "
                f"{quoted(own[j])} and {quoted(factor.levels[k])}."
            )
        own[j] = factor.levels[k]
    return [own.get(j, "") for j in range(len(judge.levels))]


MOST_AGENTS = 2000
MOST_PAIRS = 20_000_000  # comparisons that scores may make
UNITS = ("cluster", "task")


@dataclass(frozen=True, slots=True, eq=False)
class Voted:
    """The votes and everything that belongs to them.

    Parameters
    ----------
    battles : Battles
        Those with a judge.
    votes : Votes
    columns : tuple of str
        Names of the columns of `votes.x`: position, kin, covariates.
    clusters, folds : Parts
        The decided votes by cell and cluster (none without a column for it), and by fold.
    verdicts : Verdicts or None
        On units that several judges judged, where a column tells units apart.
    """

    battles: Battles
    votes: Votes
    columns: tuple[str, ...]
    clusters: Parts | None
    folds: Parts
    verdicts: Verdicts | None


def voted(
    evidence: Evidence, families: Mapping[str, str] | str | None, covariates: str | Sequence[str], seed: int
) -> Voted:
    """Return the votes of judges, or say what is missing."""
    names = covariate_names(covariates)
    battles = _judged(evidence)
    judge = battles.factors["judge"]
    kin = kin_of(battles, families)
    x = _shift_columns(battles, names)
    keys = [battles.factors[name].codes for name in UNITS if name in battles.factors]
    together = None if not keys else joint([apart(key) for key in keys])[0]
    a, b, outcome = battles.a, battles.b, battles.outcome
    votes, cell = counted_votes(judge.codes, a, b, outcome, x, n_agents=len(battles.agents), n_judges=len(judge.levels))
    clusters = None if together is None else in_parts(cell, together, a, b, outcome)
    folds = in_parts(cell, _fold_of_rows(together, len(battles), seed), a, b, outcome)
    if not votes.n.any():
        raise DataError(
            "judges need votes for one agent or the other; every battle of these is a tie. Nothing can be told."
        )
    has = [POSITION] if _knows_order(battles) else []
    with_own = with_kin(votes, kin, len(has))
    if with_own is not None:
        votes = with_own
        has.append(KIN)
    found = shared_verdicts(judge.codes, battles.a, battles.b, battles.outcome, keys) if keys else None
    return Voted(battles, votes, (*has, *names), clusters, folds, found)


def _judged(evidence: Evidence) -> Battles:
    """The battles with a judge, of two judges or more."""
    if not isinstance(evidence, Battles | Scores):
        raise DataError(
            f"judges need battles or scores, one row each, with a column for the judge; {evidence.kind.replace('_', ' ')} "
            "do not say who judged."
        )
    if "judge" not in evidence.factors:
        has = ", ".join(evidence.factors) or "no column besides"
        how = "`--map judge=COLUMN`" if isinstance(evidence, Battles) else "`--keep judge`, the column having that name"
        raise DataError(f"judges need a column that names them; these {evidence.kind} have {has}. Name one with {how}.")
    battles = evidence if isinstance(evidence, Battles) else battles_of_scores(evidence)
    kept = battles.factors["judge"].codes >= 0
    if battles.weight is not None:
        kept &= battles.weight > 0
    battles = battles if kept.all() else battles.take(np.flatnonzero(kept))
    levels = battles.factors["judge"].levels
    if len(levels) < 2:
        only = f"all votes are those of {quoted(levels[0])}" if levels else "no battle names its judge"
        raise DataError(f"judges are held against each other, so there must be two or more; {only}.")
    if len(battles.agents) > MOST_AGENTS:
        raise DataError(
            f"judges are held against strengths of at most {MOST_AGENTS:,} agents; there are {len(battles.agents):,}. Choose "
            "some with `only`, or those with more battles with `often_met`."
        )
    return battles


def battles_of_scores(scores: Scores) -> Battles:
    """Return the battles that scores make: every two agents that the same judge scored on the same task and item.

    >>> scores = Scores(("ada", "bob"), [0, 1], [3.0, 5.0], {"judge": Factor.of(["j", "j"]), "task": Factor.of(["t", "t"])})
    >>> battles_of_scores(scores).outcome
    array([0.])
    """
    keys = [scores.factors[name].codes for name in ("metric", "task", "item", "replicate") if name in scores.factors]
    judge = scores.factors["judge"].codes
    unit = joint([apart(key) for key in keys])[0] if keys else np.arange(len(scores), dtype=np.int64)
    group, n_groups = joint([judge, unit])
    order = np.lexsort((scores.agent, group))
    group, agent, value = group[order], scores.agent[order], (scores.sign() * scores.value)[order]
    size = np.bincount(group, minlength=n_groups)
    total = int((size * (size - 1) // 2).sum())
    if total > MOST_PAIRS:
        raise DataError(
            f"judges' scores make {counted(total, 'comparison')}, and at most {MOST_PAIRS:,} are looked at. Choose tasks with "
            "`where` or agents with `only`."
        )
    near = [(np.flatnonzero(group[d:] == group[:-d]), d) for d in range(1, int(size.max(initial=1)))]
    first = np.concatenate([at for at, _ in near] or [np.zeros(0, dtype=np.int64)])
    second = np.concatenate([at + d for at, d in near] or [np.zeros(0, dtype=np.int64)])
    apart_ = agent[first] != agent[second]
    first, second = first[apart_], second[apart_]
    outcome = (np.sign(value[first] - value[second]) + 1) / 2
    width = len(str(int(unit.max(initial=0))))
    clusters, at = np.unique(unit[order][first], return_inverse=True)
    factors = {
        "judge": Factor.coded(judge[order][first], scores.factors["judge"].levels),
        "cluster": Factor.coded(at, [f"{one:0{width}d}" for one in clusters.tolist()]),
    }
    return Battles(scores.agents, agent[first], agent[second], outcome, factors=factors, reading=scores.reading)


def _knows_order(battles: Battles) -> bool:
    return battles.position is not None and bool(battles.position.any())


def _shift_columns(battles: Battles, covariates: tuple[str, ...]) -> Floats:
    """Position, then covariates in units of their root mean square."""
    position = _knows_order(battles)
    if not position and not covariates:
        return np.zeros((len(battles), 0))
    x = shifts(battles, position, covariates)
    unit = np.sqrt((x**2).mean(axis=0))
    unit[:1] = 1.0 if position else unit[:1]
    return np.asarray(x / np.where(unit > 0, unit, 1.0))


def _fold_of_rows(cluster: Ints | None, n: int, seed: int) -> Ints:
    """A fold for every row; rows of one cluster share it."""
    rng = np.random.default_rng(seed)
    code = np.arange(n) if cluster is None else cluster
    n_codes = int(code.max(initial=-1)) + 1
    return np.asarray((rng.permutation(n_codes) % FOLDS)[code])


def require_level(level: float) -> None:
    """Refuse a confidence that is none."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise UsageError(f"`level` must lie from 0.5 to below 1; got {level!r}: use 0.95 for a confidence of 95 %.")
