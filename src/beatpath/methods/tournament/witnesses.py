"""Witnesses: why an agent is in a core or not, as chains of wins, coverers and answers, with sentences."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._result import Record
from beatpath._text import counted, listed, quoted
from beatpath._validate import require_known
from beatpath.evidence import Margins
from beatpath.methods.graph.paths import Beatpath, path_through, reached_from, strongest_paths, weakest_path, win_text
from beatpath.methods.graph.relation import beats, chosen_names


@dataclass(frozen=True, slots=True)
class Witness(Record):
    """Why an agent is in a set or not.

    Attributes
    ----------
    agent : str
        The agent.
    member : bool
        Whether the agent is in the set.
    """

    derived: ClassVar = ("sentence",)

    agent: str
    member: bool


@dataclass(frozen=True, slots=True)
class InTopCycle(Witness):
    """A member of the top cycle, and its strongest path to each rival.

    Attributes
    ----------
    agent : str
        The agent.
    paths : tuple of Beatpath
        Strongest chains of wins to all others.
    member : bool
        Whether the agent is in the set.
    """

    paths: tuple[Beatpath, ...]

    @property
    def sentence(self) -> str:
        """That it reaches all rivals, and the path with the weakest step."""
        if not self.paths:
            return f"{quoted(self.agent)} is the only agent."
        weakest = min(self.paths, key=lambda path: (path.strength, -len(path.agents), path.agents))
        return _reaches_all(len(self.paths), weakest)


@dataclass(frozen=True, slots=True)
class OutOfTopCycle(Witness):
    """An agent outside the top cycle, and the agents it cannot reach.

    Attributes
    ----------
    agent : str
        The agent.
    unreached : tuple of str
        Agents that no chain of wins or ties leads to.
    member : bool
        Whether the agent is in the set.
    """

    unreached: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Which agents it cannot reach."""
        return (
            f"{quoted(self.agent)} is outside the top cycle: no chain of wins or ties leads from it to "
            f"{listed(self.unreached)}."
        )


@dataclass(frozen=True, slots=True)
class Covered(Witness):
    """A covered agent and one that covers it.

    Attributes
    ----------
    agent, coverer : str
        The two agents.
    margin : float
        Margin of the coverer over the agent.
    beaten : tuple of str
        All agents that the agent beats; the coverer beats them too.
    losses : tuple of str
        All agents that the coverer loses to; the agent loses to them too.
    resolved : bool or None
        Whether the sign of `margin` is significant, if margins are estimates.
    member : bool
        Whether the agent is in the set.
    """

    coverer: str
    margin: float
    beaten: tuple[str, ...]
    losses: tuple[str, ...]
    resolved: bool | None = None

    @property
    def sentence(self) -> str:
        """The comparison of the two agents."""
        agent, coverer = quoted(self.agent), quoted(self.coverer)
        return (
            f"{coverer} covers {agent}: it beats {agent} {win_text(self.margin, self.resolved)}; "
            f"{_all_of(self.beaten, f'{agent} beats', f'{coverer} beats', 'too')}; and "
            f"{_all_of(self.losses, f'{coverer} loses to', f'{agent} loses to', 'as well')}."
        )


@dataclass(frozen=True, slots=True)
class Uncovered(Witness):
    """An uncovered agent, and for each rival that beats it two steps that prove that the rival does not cover it.

    Attributes
    ----------
    agent : str
        The agent.
    answers : tuple of Beatpath
        The two steps for each rival that beats it.
    member : bool
        Whether the agent is in the set.
    """

    answers: tuple[Beatpath, ...]

    @property
    def sentence(self) -> str:
        """How it answers the agents that beat it, with the weakest answer."""
        name = quoted(self.agent)
        if not self.answers:
            return f"{name} is uncovered: no agent beats it."
        weakest = min(self.answers, key=lambda path: (path.strength, path.agents))
        return (
            f"{name} is uncovered: it answers {counted(len(self.answers), 'agent')} that "
            f"beat{'s' if len(self.answers) == 1 else ''} it. {quoted(weakest.agents[-1])} does not cover it: "
            f"{weakest.sentence}"
        )


def top_cycle_witness(margins: Margins, agent: str, resolved: Bools | None = None) -> InTopCycle | OutOfTopCycle:
    """Return why an agent is in the top cycle, or why it is not.

    Parameters
    ----------
    margins : Margins
        A pair never compared directly counts as tied, and a path that uses one says so.
    agent : str
        Name of the agent.
    resolved : (n, n) bool, optional
        Whether the sign of each margin is significant; steps that are not say so.

    Returns
    -------
    InTopCycle or OutOfTopCycle
        With the strongest path to every rival, or the agents that it cannot reach.

    Examples
    --------
    >>> wins = [[0, 0, 2, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]]
    >>> m = Margins.from_wins(wins, ["rock", "paper", "scissors", "stone"])
    >>> print(top_cycle_witness(m, "rock").sentence)
    'rock' is in the top cycle: chains of wins or ties lead from it to all 3 rivals. The weakest, to 'paper': 'rock' \
beats 'scissors' by 2, 'scissors' beats 'paper' by 1.
    >>> print(top_cycle_witness(m, "stone").sentence)
    'stone' is outside the top cycle: no chain of wins or ties leads from it to 'paper', 'rock', 'scissors'.

    Notes
    -----
    See `strongest_paths`.
    """
    a = _row(margins, agent)
    unreached = tuple(chosen_names(~reached_from(margins, a), margins.agents))
    if unreached:
        return OutOfTopCycle(agent, False, unreached)
    return InTopCycle(agent, True, strongest_paths(margins, a, resolved))


def top_cycle_sentence(margins: Margins, agent: str, resolved: Bools | None = None) -> str:
    """Return the sentence of `top_cycle_witness`, which names one of all its paths.

    >>> wins = [[0, 0, 2, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]]
    >>> print(top_cycle_sentence(Margins.from_wins(wins, ["rock", "paper", "scissors", "stone"]), "rock"))
    'rock' is in the top cycle: chains of wins or ties lead from it to all 3 rivals. The weakest, to 'paper': 'rock' \
beats 'scissors' by 2, 'scissors' beats 'paper' by 1.
    """
    a, rivals = _row(margins, agent), len(margins.agents) - 1
    if rivals and reached_from(margins, a).all():
        return _reaches_all(rivals, weakest_path(margins, a, resolved))
    return top_cycle_witness(margins, agent, resolved).sentence


def _reaches_all(rivals: int, weakest: Beatpath) -> str:
    """That an agent reaches all rivals, and its path with the weakest step."""
    return (
        f"{quoted(weakest.agents[0])} is in the top cycle: chains of wins or ties lead from it to "
        f"{'its only rival' if rivals == 1 else f'all {rivals:,} rivals'}. The weakest, to "
        f"{quoted(weakest.agents[-1])}: {weakest.sentence}"
    )


def uncovered_witness(margins: Margins, agent: str, resolved: Bools | None = None) -> Covered | Uncovered:
    """Return who covers an agent, or why nobody does.

    Covering is McKelvey's; see `covers`. Without ties *c*, which beats *a*, fails to cover it if and only if *a*
    beats some *b* that beats *c*; with ties, a tie may replace one of these two wins. Among several *b* the witness
    is the one whose smaller margin is largest, then the larger one, then the first by name. Among several coverers it
    is an uncovered one with the largest margin, the first by name.

    Parameters
    ----------
    margins : Margins
        A pair never compared directly counts as tied, and steps that use one say so.
    agent : str
        Name of the agent.
    resolved : (n, n) bool, optional
        Whether the sign of each margin is significant; steps that are not say so.

    Returns
    -------
    Covered or Uncovered

    Examples
    --------
    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> m = Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"])
    >>> print(uncovered_witness(m, "ada").sentence)
    'ada' is uncovered: it answers 1 agent that beats it. 'cyd' does not cover it: 'ada' beats 'bob' by 1, 'bob' beats \
'cyd' by 1.
    >>> print(uncovered_witness(m, "dan").sentence)
    'bob' covers 'dan': it beats 'dan' by 1; 'dan' beats 'cyd', and 'bob' beats them too; and 'bob' loses to 'ada', and \
'dan' loses to them as well.
    """
    a = _row(margins, agent)
    net, over = margins.matrix, _coverers(margins, a)
    for coverer in sorted(over, key=lambda c: (-net[c, a], margins.agents[c])):
        if not _coverers(margins, coverer):
            return _covered(margins, a, coverer, resolved)
    paths = ([a, _answer(margins.agents, net, a, c), c] for c in np.flatnonzero(net[:, a] > 0).tolist())
    return Uncovered(agent, True, tuple(path_through(margins, path, resolved) for path in paths))


def _coverers(margins: Margins, a: int) -> list[int]:
    """The agents that cover one; see `covers`."""
    W = beats(margins)
    over = W[:, a] & W[:, W[a]].all(axis=1) & ~W[~W[:, a]].any(axis=0)
    return np.flatnonzero(over).tolist()


def _covered(margins: Margins, agent: int, coverer: int, resolved: Bools | None) -> Covered:
    W = beats(margins)
    return Covered(
        margins.agents[agent],
        False,
        margins.agents[coverer],
        float(margins.matrix[coverer, agent]),
        tuple(chosen_names(W[agent], margins.agents)),
        tuple(chosen_names(W[:, coverer], margins.agents)),
        None if resolved is None else bool(resolved[coverer, agent]),
    )


def _answer(agents: tuple[str, ...], net: Floats, a: int, c: int) -> int:
    """The agent that *a* does not lose to and that does not lose to *c*, with the strongest steps."""
    weaker, stronger = np.minimum(net[a], net[:, c]), np.maximum(net[a], net[:, c])
    best = np.flatnonzero(weaker == weaker.max())
    return int(min(best.tolist(), key=lambda b: (-stronger[b], agents[b])))


def _all_of(names: tuple[str, ...], first: str, second: str, also: str) -> str:
    return f"{first} {listed(names)}, and {second} them {also}" if names else f"{first} no agent"


def _row(margins: Margins, agent: str) -> int:
    must = f"`agent` must be one of the {len(margins.agents):,} agents; got {quoted(agent)}."
    require_known(agent, margins.agents, must)
    return margins.agents.index(agent)
