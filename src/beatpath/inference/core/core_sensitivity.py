"""Who crosses one half when the temperature, the length of paths or the pruning of the soft core changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError
from beatpath._result import Record, TableResult
from beatpath._text import listed
from beatpath.inference.core.core import core
from beatpath.inference.core.core_result import Core
from beatpath.methods.soft_core.operators import reachability, soft_majority_edge, soft_top_cycle

# What each setting is called in sentences.
NAMES = {"tau": "Temperature", "max_length": "Longest path", "least": "Edges dropped up to"}


@dataclass(frozen=True, slots=True)
class SoftCoreSetting(Record):
    """The soft top cycle at one setting; its text says who joins and who leaves.

    Attributes
    ----------
    setting : {"tau", "max_length", "least"}
        The setting that differs from the default.
    value : float
        Its value.
    members : tuple of str
        Agents whose score is above one half.
    joined, left : tuple of str
        Of them, those that are not by default; and those that are by default only.
    """

    setting: str
    value: float
    members: tuple[str, ...]
    joined: tuple[str, ...]
    left: tuple[str, ...]

    def __str__(self) -> str:
        sides = ((self.joined, "join"), (self.left, "leave"))
        return " and ".join(f"{listed(who)} {verb}{'' if who[1:] else 's'}" for who, verb in sides if who)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoreSensitivity(TableResult):
    """How the soft top cycle depends on its settings.

    Attributes
    ----------
    members : tuple of str
        Agents whose score is above one half at the temperature of the core, with all paths and no pruning.
    tau : float
        That temperature.
    settings : tuple of SoftCoreSetting
        One per value of a setting, others at their defaults.
    """

    members: tuple[str, ...]
    tau: float
    settings: tuple[SoftCoreSetting, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is in the soft core by default, and who crosses one half at which setting."""
        lines = [f"Above one half at temperature {self.tau:g}: {listed(self.members) or 'nobody'}."]
        for key, name in NAMES.items():
            own = [one for one in self.settings if one.setting == key]
            same = [f"{one.value:g}" for one in own if not str(one)]
            parts = [f"nobody crosses one half at {', '.join(same)}"] if same else []
            parts += [f"at {one.value:g} {one}" for one in own if str(one)]
            lines += [f"{name}: {'; '.join(parts)}."] if parts else []
        return tuple(lines)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per setting."""
        return [one.to_dict() for one in self.settings]


def core_sensitivity(
    evidence: EvidenceLike | Core,
    *,
    tau: Sequence[float] = (0.005, 0.01, 0.02, 0.1, 0.2, 0.5),
    max_length: Sequence[int] = (1, 2, 3),
    least: Sequence[float] = (0.1, 0.5, 0.9),
) -> CoreSensitivity:
    """Sweep the settings of the soft top cycle, and report who crosses one half.

    Section 4.6.2 and K.4 of "Soft Tournament Equilibrium". Edges are those of eq. (4), of the win rates of the core.

    Parameters
    ----------
    evidence : Core, or what `core` takes
        Agents must be connected.
    tau : sequence of float
        Temperatures of the edges.
    max_length : sequence of int
        Most edges on a path.
    least : sequence of float
        Edges up to this strength are dropped.

    Raises
    ------
    DataError
        If agents are in several components, or too many for a table of all pairs.

    Examples
    --------
    >>> P = [[0.5, 0.7, 0.6, 0.9], [0.3, 0.5, 0.8, 0.7], [0.4, 0.2, 0.5, 0.6], [0.1, 0.3, 0.4, 0.5]]
    >>> print(core_sensitivity(core(P, agents=["A", "B", "C", "D"])))
    Above one half at temperature 0.05: 'A'.
    Temperature: nobody crosses one half at 0.005, 0.01, 0.02, 0.1, 0.2; at 0.5 'B' joins.
    Longest path: nobody crosses one half at 1, 2, 3.
    Edges dropped up to: nobody crosses one half at 0.1, 0.5, 0.9.
    """
    result = evidence if isinstance(evidence, Core) else core(evidence)
    if result.margins is None or result.parts:
        raise DataError("the sweep needs one component of agents with a table of all pairs; analyze components apart.")
    P, gamma, base = (1 + result.margins.matrix) / 2, result.settings["gamma"], result.settings["tau"]

    def above(tau: float = base, max_length: int | None = None, least: float = 0.0) -> tuple[str, ...]:
        edge = soft_majority_edge(P, tau)
        R = reachability(np.where(edge > least, edge, 0.0), reach="max-min", max_length=max_length)
        return tuple(result.agents[i] for i in np.flatnonzero(soft_top_cycle(R, gamma) > 0.5))

    members, settings = above(), []
    for key, values in (("tau", tau), ("max_length", max_length), ("least", least)):
        for value in values:
            there = above(**{key: value})  # type: ignore[arg-type]
            joined = tuple(name for name in there if name not in members)
            left = tuple(name for name in members if name not in there)
            settings.append(SoftCoreSetting(key, value, there, joined, left))
    return CoreSensitivity(members, base, tuple(settings))
