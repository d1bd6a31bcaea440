"""Contexts of tasks that a table does not name itself: a list of tasks for every context."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from beatpath._errors import UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath.evidence import Battles, Evidence, Factor, Scores

COLUMN = "context"


def with_contexts(
    evidence: Evidence, tasks_of: Mapping[str, Sequence[str]], name: str = COLUMN
) -> tuple[Evidence, str]:
    """Return the evidence with a column of contexts, and the column's name; tasks that no context lists have none.

    >>> told = Scores.from_table([[1.0, 2.0, 0.0]], ["ada"], ["sql", "rust", "poem"])
    >>> made, column = with_contexts(told, {"code": ["sql", "rust"], "prose": ["poem"]})
    >>> made.factors[column].names()
    ['code', 'code', 'prose']
    """
    if not isinstance(evidence, Scores | Battles) or "task" not in evidence.factors:
        raise UsageError("contexts are given as lists of tasks where battles or scores name their task; these do not.")
    task = evidence.factors["task"]
    found: dict[str, str] = {}
    for context, tasks in tasks_of.items():
        if isinstance(tasks, str) or not all(isinstance(one, str) for one in tasks):
            raise UsageError(f"a context must have a list of names of tasks; {quoted(context)} has {tasks!r}.")
        for one in tasks:
            if one not in task.levels:
                raise UsageError(
                    f"a context must list tasks that there are; {quoted(one)} of {quoted(context)} is none. There are "
                    f"{listed(task.levels, 8)}.{suggestion(one, task.levels)}"
                )
            if found.setdefault(one, str(context)) != context:
                raise UsageError(
                    f"a task must belong to one context; {quoted(one)} is in {quoted(found[one])} and {quoted(context)}."
                )
    names = [None if code < 0 else found.get(task.levels[code]) for code in task.codes.tolist()]
    return replace(evidence, factors={**evidence.factors, name: Factor.of(names)}), name
