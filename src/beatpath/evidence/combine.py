"""Counts of several batches added up: what was counted in parts is what would have been counted at once."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath._text import listed
from beatpath.evidence.conventions import Convention
from beatpath.evidence.factor import Factor
from beatpath.evidence.pairs import Pairs
from beatpath.evidence.reading import Reading

SETTLING = ("ties", "both_bad")  # conventions after which a cell no longer says what it said


def added(parts: Sequence[Pairs]) -> Pairs:
    """Return the counts of all parts together, each split by the same keys; new agents and new names may come with any.

    Examples
    --------
    >>> monday = Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]])
    >>> tuesday = Pairs(("bob", "cyd", "ada"), [0, 0], [1, 2], [[2, 0, 0, 0], [1, 0, 0, 0]])
    >>> both = added([monday, tuesday])
    >>> both.agents, both.counts
    (('ada', 'bob', 'cyd'), array([[3., 2., 0., 0.],
           [2., 0., 0., 0.]]))
    """
    if not parts:
        raise DataError("there must be counts to add up; there are none.")
    names = [tuple(part.keys) for part in parts]
    if len(set(map(frozenset, names))) > 1:
        other = next(one for one in names if set(one) != set(names[0]))
        raise DataError(
            f"counts that are added up must be split by the same keys; got {listed(names[0]) or 'none'} and "
            f"{listed(other) or 'none'}. Add up what they share, `pairs.by(...)`."
        )
    agents = tuple(sorted({name for part in parts for name in part.agents}))
    place = {name: i for i, name in enumerate(agents)}
    codes = [np.array([place[name] for name in part.agents], dtype=np.int32) for part in parts]
    weighted = any(part.squares is not None for part in parts)
    soft = any(part.soft is not None for part in parts)
    return Pairs.from_cells(
        agents,
        np.concatenate([code[part.a] for code, part in zip(codes, parts, strict=True)]),
        np.concatenate([code[part.b] for code, part in zip(codes, parts, strict=True)]),
        np.concatenate([part.counts for part in parts]),
        battles=np.concatenate([part.battles for part in parts]),
        squares=np.concatenate([_squares(part) for part in parts]) if weighted else None,
        soft=np.concatenate([_soft(part) for part in parts]) if soft else None,
        keys={name: _joined_factor([part.keys[name] for part in parts]) for name in names[0]},
        conventions=_common_conventions(parts),
        reading=_joint_reading([part.reading for part in parts if part.reading is not None]),
    )


def _squares(part: Pairs) -> Floats:
    return part.counts if part.squares is None else part.squares


def _soft(part: Pairs) -> Floats:
    return np.zeros(len(part)) if part.soft is None else part.soft


def _joined_factor(factors: Sequence[Factor]) -> Factor:
    """The rows of one factor after those of the other, over the names of all.

    >>> _joined_factor([Factor.of(["x", None]), Factor.of(["a"])]).names()
    ['x', None, 'a']
    """
    levels = sorted({level for factor in factors for level in factor.levels})
    place = {level: i for i, level in enumerate(levels)}
    tables = [np.array([*(place[level] for level in factor.levels), -1], dtype=np.int32) for factor in factors]
    codes = [table[factor.codes] for table, factor in zip(tables, factors, strict=True)]
    return Factor(np.concatenate(codes), tuple(levels))


def _common_conventions(parts: Sequence[Pairs]) -> tuple[Convention, ...]:
    """The conventions of all parts, what they touched added up; ties must be settled in all parts alike."""
    found: dict[str, Convention] = {}
    for part in parts:
        for made in part.conventions:
            known = found.get(made.name)
            if known is not None and known.value != made.value:
                raise DataError(
                    f"counts that are added up must be made by the same conventions; {made.name} is {known.value} in one and "
                    f"{made.value} in another. Count them anew by one convention."
                )
            affected = [one.affected for one in (known, made) if one is not None and one.affected is not None]
            found[made.name] = Convention(made.name, made.value, made.meaning, sum(affected) if affected else None)
    for name in SETTLING:
        if name in found and not all(any(m.name == name for m in part.conventions) for part in parts if len(part)):
            raise DataError(
                f"{name} must be settled in all counts that are added up, or in none; it is settled in some. Add up counts as "
                "they were read."
            )
    return tuple(found.values())


def _joint_reading(readings: Sequence[Reading]) -> Reading | None:
    """One account of all readings."""
    if not readings:
        return None
    first = readings[0]
    formats = list(dict.fromkeys(one.format for one in readings))
    return Reading(
        tuple(dict.fromkeys(source for one in readings for source in one.sources)),
        " and ".join(formats),
        sum(one.rows_read for one in readings),
        sum(one.rows_used for one in readings),
        dict(sum((Counter(one.dropped) for one in readings), Counter())),
        {role: name for role, name in first.guessed.items() if all(one.guessed.get(role) == name for one in readings)},
        {role: name for role, name in first.given.items() if all(one.given.get(role) == name for one in readings)},
        tuple(dict.fromkeys(name for one in readings for name in one.unused)),
        tuple(dict.fromkeys(note for one in readings for note in one.notes)),
    )
