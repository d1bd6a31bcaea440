"""`items`: which items of a score table carry the verdict, which look wrong, and how few would do."""

from typing import Literal

import numpy as np
from scipy.special import comb

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError
from beatpath._progress import doing
from beatpath._text import counted
from beatpath._validate import generator, require_share, require_whole
from beatpath.evidence import Scores
from beatpath.inference.items.items_result import (
    COPY,
    EVERYBODY,
    NOBODY,
    REASONS,
    REVERSED,
    SAME,
    SUSPECT,
    Item,
    ItemAgent,
    Items,
)
from beatpath.inference.items.subset import smallest_subset
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.scores.estimands import leaderboard
from beatpath.stats.intervals import effective_number, holm
from beatpath.stats.item_answers import Answers
from beatpath.stats.rasch import Rasch, fit_rasch, oddness

# Agents that slopes by item need: M. R. Harwell, J. E. Janosky, Applied Psychological Measurement 15 (1991), 279-291.
FEWEST_FOR_SLOPES = 250


def items(evidence: EvidenceLike, *, top: int = 5, level: float = 0.95, seed: int = 0) -> Items:
    """Find the items that tell agents apart, those that look mis-keyed, copies, and a small set that keeps the certain orders.

    Use it on a table of scores, item by item, before trusting or shortening a benchmark.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        One metric. Items are the column ``item``, or tasks where there is none; runs of one item are averaged.
    top : int, default 5
        Number of best agents for whom items are counted that are the same for all.
    level : float, default 0.95
        Confidence level of the certain orders. The chance of any false alarm is at most ``1 - level`` over all items, over all
        copies, and over all agents.
    seed : int, default 0
        Seed of the random halves of agents and random sets of items.

    Returns
    -------
    Items

    Raises
    ------
    DataError
        When the evidence is no table of scores, has several metrics, or fewer than two agents or items.

    See Also
    --------
    resolve : Who is certainly above whom on these items.
    compare : Which items changed between two runs.

    Examples
    --------
    Nobody solves the third item, and the better agents fail the fourth.

    >>> from beatpath import Scores
    >>> table = [[1, 1, 0, 0, 1], [1, 1, 0, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 1, 0]]
    >>> result = items(Scores.from_table(table, ["ada", "bob", "cyd", "dan"], list("vwxyz")))
    >>> [(one.item, one.flag) for one in result.items if one.flag]
    [('x', 'nobody solves it')]
    >>> print(result.sentences[2])
    4 agents are too few to show that better agents score lower on any of 4 tasks.
    """
    scores = as_evidence(evidence)
    require_share("level", level)
    require_whole("top", top, 2)
    rng, per = generator(seed), unit_of(scores)
    assert isinstance(scores, Scores)
    doing("comparing every item with the others")
    table, names = scores.table(per)
    answers = Answers(table * scores.voter_signs(per))
    solved, tried = _counts(scores, answers, per)
    fit = fit_rasch(solved, tried)
    doing("looking for a small set of items")
    board = leaderboard(scores, per=per)
    order = np.argsort(-board.score, kind="stable")[:top]
    copies = answers.copies(fit.ability, 1 - level) if fit.identified else []
    first = {int(item): names[group[0]] for group in copies for item in group[1:]}
    live, p = answers.live, answers.reversed_p()
    adjusted = np.full(len(p), np.nan)
    adjusted[live] = holm(p[live])
    columns = (
        _flags(answers, solved, tried, [j in first for j in range(len(p))], p, adjusted, 1 - level),
        answers.held.sum(axis=0).tolist(),
        np.nanmean(table, axis=0).tolist(),
        (~Answers(answers.value[order]).live).tolist(),
        answers.correlations().tolist(),
        np.where(live, p, np.nan).tolist(),
        adjusted.tolist(),
        (fit.difficulty - fit.ability.mean()).tolist(),
        [first.get(j) for j in range(len(p))],
    )
    rows = [Item(*row) for row in zip(names, *columns, strict=True)]
    sets = comb(answers.held.sum(axis=0), answers.high.sum(axis=0))[live]
    return Items(
        tuple(sorted(rows, key=lambda one: ([*REASONS, ""].index(one.flag), one.p))),
        _agents(scores.agents, table, fit, solved, tried, board.score),
        _effective(table, copies),
        float(min(1.0, live.sum() / sets.max(initial=1.0))),
        _model_sentence(fit, table.shape),
        smallest_subset(answers, rank_sets(board, level=level, seed=seed).above, names, level, rng),
        level,
        {"top": min(top, len(table)), "level": level, "seed": seed, "per": per},
        board.conventions,
    )


def unit_of(scores: object) -> Literal["item", "task"]:
    """Return what an item is here, "item" or "task"; raises an error where there are none to compare."""
    if not isinstance(scores, Scores):
        raise DataError(
            f"items must have scores, agent by item; got {getattr(scores, 'kind', type(scores).__name__)}. `beatpath check` looks at these."
        )
    scores.require_one_metric()
    per: Literal["item", "task"] = "item" if "item" in scores.factors else "task"
    m = len(scores.voters(per).levels)
    if m < 2 or len(scores.agents) < 2:
        raise DataError(
            f"items are compared over two agents and two items or more; there are {counted(len(scores.agents), 'agent')} and "
            f"{counted(m, 'item')}. Name their column: `--map item=COLUMN`."
        )
    return per


def _counts(scores: Scores, answers: Answers, per: str) -> tuple[Floats, Floats]:
    """Return how often every agent solved and tried every item, (n, m); high answers where scores are not right or wrong."""
    if not np.isin(scores.value, (0.0, 1.0)).all():
        return answers.high.astype(np.float64), (answers.held & answers.live).astype(np.float64)
    shape = answers.value.shape
    cell = scores.agent.astype(np.int64) * shape[1] + scores.voters(per).codes
    right = np.where(scores.sign() > 0, scores.value, 1 - scores.value)
    number = (np.bincount(cell, weight, answers.value.size) for weight in (right, np.ones(len(cell))))
    solved, tried = (np.asarray(one, dtype=np.float64).reshape(shape) for one in number)
    return solved, tried


def _flags(
    answers: Answers, solved: Floats, tried: Floats, copy: list[bool], p: Floats, adjusted: Floats, error: float
) -> list[str]:
    """Return why every item is flagged; empty where it is not."""
    total, number = solved.sum(axis=0), tried.sum(axis=0)
    dead = np.where(number == 0, SAME, np.where(total == 0, NOBODY, np.where(total == number, EVERYBODY, SAME)))
    conditions = [~answers.live, adjusted <= error, np.array(copy), p <= error]
    return [str(one) for one in np.select(conditions, [dead, *map(np.array, (REVERSED, COPY, SUSPECT))], default="")]


def _effective(table: Floats, copies: list[Ints]) -> float:
    """Return Kish's number of items with the weights of their standard deviations; copies count as one with their sum."""
    spread = np.nan_to_num(np.nanstd(table, axis=0))
    weights = spread.copy()
    for group in copies:
        weights[group] = 0.0
        weights[group[0]] = spread[group].sum()
    return effective_number(weights)


def _agents(
    agents: tuple[str, ...], table: Floats, fit: Rasch, solved: Floats, tried: Floats, score: Floats
) -> tuple[ItemAgent, ...]:
    """Return what is known of every agent, best first."""
    t, p = oddness(fit, solved, tried)
    columns = np.nanmean(table, axis=1), fit.ability - fit.ability.mean(), t, p, holm(p)
    return tuple(
        ItemAgent(agents[a], *(float(column[a]) for column in columns))
        for a in np.argsort(-score, kind="stable").tolist()
    )


def _model_sentence(fit: Rasch, shape: tuple[int, int]) -> str:
    if not fit.identified:
        return (
            "A Rasch model is not identified, nor is one with slopes by item (2PL): no set of agents and items has wins and losses both ways, so abilities, copies and odd "
            "agents are not estimated."
        )
    (n, m), (agents, number) = fit.within, shape
    rest = "" if (n, m) == shape else "; the others, solved or failed by all, have estimates by shrinkage alone"
    few = f"not identified by fewer than {FEWEST_FOR_SLOPES} agents"
    slopes = few if agents < FEWEST_FOR_SLOPES else "not estimated"
    return f"A Rasch model is identified for {n:,} of {agents:,} agents and {m:,} of {number:,} items{rest}. Slopes by item (2PL) are {slopes}."
