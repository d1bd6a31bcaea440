"""Kin: which agents a judge is itself, or shares a family with."""

from collections.abc import Mapping

import numpy as np

from beatpath._arrays import Bools
from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath.evidence import Battles


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
