r"""The built-in example: a simulated arena with known truth, to try every command on and to validate methods.

Thirty agents answer prompts of four tasks, and five judges compare the answers of two agents. With :math:`\eta` the
lead of *a* over *b* on a prompt, the probabilities of the outcomes are (Davidson's model of ties)

.. math::  P(a) : P(\text{tie}) : P(b) = e^{\eta/2} : \nu : e^{-\eta/2}.

The simulation includes:

* **a cycle at the top**: aurora beats basalt, basalt beats cinder, cinder beats aurora, and each beats all others;
* **ties below it**: the agents of a group in `GROUPS` are equally strong on every task;
* **prompts as clusters**: an agent is better or worse on a prompt in all of its battles there;
* **a judge with position bias**: echo prefers the answer shown first, by `BIAS` on the scale of :math:`\eta`;
* **hard prompts**, one in five, on which the judges reject both answers a quarter of the time;
* **tasks** on which groups are somewhat stronger or weaker;
* **unequal sampling**: popular agents battle often; xenon and yarrow leave before willow, velvet and zephyr arrive,
  so these are never compared directly, and the new agents have few battles.
"""

from functools import cache

import numpy as np

from beatpath._arrays import Codes, Floats
from beatpath._validate import generator
from beatpath.evidence import Battles, Factor, Reading, WinRates

# Strength of the agents of each group. The three agents of the first group are equal except for the cycle.
GROUPS: tuple[tuple[float, tuple[str, ...]], ...] = (
    (1.9, ("aurora", "basalt", "cinder")),
    (1.0, ("delta", "ember", "fjord")),
    (0.7, ("garnet",)),
    (0.5, ("harbor", "indigo")),
    (0.2, ("juniper", "kestrel", "lumen", "meadow")),
    (0.0, ("nimbus",)),
    (-0.2, ("onyx", "pebble")),
    (-0.4, ("quartz", "willow")),
    (-0.6, ("river", "saffron", "xenon")),
    (-0.8, ("tundra", "velvet")),
    (-1.0, ("umber", "yarrow", "zephyr")),
    (-1.3, ("alder",)),
    (-1.6, ("birch", "coral")),
    (-2.0, ("dune",)),
)
# The agents of the cycle, and the lead of each over the next, on the scale of eta.
CYCLE = GROUPS[0][1]
CYCLE_LEAD = 0.9
RETIRED, NEW = ("xenon", "yarrow"), ("velvet", "willow", "zephyr")  # agents that leave before the new ones arrive
TASKS = {"chat": 0.35, "code": 0.3, "math": 0.15, "writing": 0.2}  # share of the prompts
JUDGES = {"abacus": 0.25, "echo": 0.2, "lantern": 0.2, "quill": 0.2, "slate": 0.15}  # share of the battles
BIASED_JUDGE, BIAS = "echo", 1.0  # the judge with position bias, and its size on the scale of eta
N_BATTLES, N_PROMPTS, DAYS = 12_000, 600, 120.0  # size of the arena, and its duration
TIE = 0.5  # nu of Davidson's model
PROMPT_SPREAD = 1.0  # standard deviation of the effect of a prompt on an agent
HARD_SHARE, HARD_BOTH_BAD = 0.2, 0.25  # share of hard prompts, and of their battles in which both are bad

# All agents, sorted.
AGENTS = tuple(sorted(name for _, names in GROUPS for name in names))


def example(seed: int = 0) -> Battles:
    """Simulate the built-in arena: about 12,000 battles between 30 agents, ordered by time.

    Use it to try the package without data of your own.

    Parameters
    ----------
    seed : int
        The same seed gives the same battles; default 0.

    Returns
    -------
    Battles
        With ``task``, ``judge`` and ``cluster`` (the prompt).

    See Also
    --------
    truth : The win rates behind the simulation.

    Examples
    --------
    >>> battles = example()
    >>> battles
    Battles(30 agents, 12,000 battles)
    >>> sorted(battles.factors), battles.factor("judge").levels
    (['cluster', 'judge', 'task'], ('abacus', 'echo', 'lantern', 'quill', 'slate'))
    """
    rng = generator(seed)
    extra = rng.choice(N_PROMPTS, N_BATTLES - N_PROMPTS, p=_normalized(rng.gamma(1.0, size=N_PROMPTS)))
    prompt = np.sort(np.concatenate([np.arange(N_PROMPTS), extra]))  # prompts come one after another
    time = np.sort(rng.uniform(0, DAYS, N_BATTLES))
    a, b = _sample_pairs(time, rng)
    task = rng.choice(len(TASKS), N_PROMPTS, p=list(TASKS.values()))[prompt]
    judge = rng.choice(len(JUDGES), N_BATTLES, p=list(JUDGES.values()))
    position = rng.choice([-1, 1], N_BATTLES)

    luck = rng.normal(0, PROMPT_SPREAD, (N_PROMPTS, len(AGENTS)))
    lead = _leads()[task, a, b] + luck[prompt, a] - luck[prompt, b]
    lead += BIAS * position * (judge == list(JUDGES).index(BIASED_JUDGE))
    win, tie = _chances(lead)
    draw = rng.random(N_BATTLES)
    hard = rng.random(N_PROMPTS) < HARD_SHARE
    both_bad = hard[prompt] & (rng.random(N_BATTLES) < HARD_BOTH_BAD)
    return Battles(
        AGENTS,
        a,
        b,
        np.select([both_bad, draw < win, draw < win + tie], [0.5, 1.0, 0.5], 0.0),
        both_bad=both_bad,
        position=position.astype(np.int8),
        time=time,
        factors={
            "task": Factor.coded(task, tuple(TASKS)),
            "cluster": Factor.coded(prompt, [f"prompt {i:03d}" for i in range(1, N_PROMPTS + 1)]),
            "judge": Factor.coded(judge, tuple(JUDGES)),
        },
        reading=Reading((f"the example (seed {seed})",), "example", N_BATTLES, N_BATTLES),
    )


@cache
def truth() -> WinRates:
    r"""Return the true win rates of the example: those of unbiased judges over all prompts, ties and both-bad as half.

    The expectation over the prompt effects, normal with variance :math:`2\sigma^2` for two agents, uses Gauss-Hermite
    quadrature; tasks are weighted by their share of prompts. Win rates of `example` converge to these, except for the
    battles of the biased judge.

    >>> rates = truth()
    >>> a, b, c = (rates.agents.index(name) for name in CYCLE)
    >>> [round(float(rates.matrix[pair]), 2) for pair in [(a, b), (b, c), (c, a)]]
    [0.63, 0.63, 0.63]
    """
    node, weight = np.polynomial.hermite_e.hermegauss(40)
    share = np.array(list(TASKS.values()))
    win, tie = _chances(_leads()[..., None] + np.sqrt(2) * PROMPT_SPREAD * node)
    decided = np.einsum("tabz,t,z->ab", win + tie / 2, share, weight / weight.sum())
    bad = HARD_SHARE * HARD_BOTH_BAD
    upper = np.triu((1 - bad) * decided + bad / 2, 1)
    return WinRates(upper + np.tril(1 - upper.T, -1) + np.eye(len(AGENTS)) / 2, AGENTS)


def _leads() -> Floats:
    """Lead of *a* over *b* on each task, shape (tasks, agents, agents), before prompt effects and bias."""
    strength = {name: value for value, names in GROUPS for name in names}
    group = {name: i for i, (_, names) in enumerate(GROUPS) for name in names}
    base = np.array([strength[name] for name in AGENTS])
    kind = np.array([group[name] for name in AGENTS])
    task = np.arange(len(TASKS))[:, None]
    score = base + np.where(kind > 0, 0.25 * np.sin(1.7 * kind + 2.3 * task), 0.0)  # the cycle is the same in all tasks
    lead = score[:, :, None] - score[:, None, :]
    for winner, loser in zip(CYCLE, CYCLE[1:] + CYCLE[:1], strict=True):
        i, j = AGENTS.index(winner), AGENTS.index(loser)
        lead[:, i, j] += CYCLE_LEAD
        lead[:, j, i] -= CYCLE_LEAD
    return lead


def _chances(lead: Floats) -> tuple[Floats, Floats]:
    """Probabilities that *a* wins and that the battle is a tie, given its lead."""
    win, loss = np.exp(lead / 2), np.exp(-lead / 2)
    return win / (win + loss + TIE), TIE / (win + loss + TIE)


def _sample_pairs(time: Floats, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Sample the two agents of each battle: popular ones often, retired ones before day 40, new ones after day 100."""
    i, j = (index.astype(np.int32) for index in np.triu_indices(len(AGENTS), 1))
    rank = {name: place for place, name in enumerate(name for _, names in GROUPS for name in names)}
    popular = np.array([1 / (4 + rank[name]) for name in AGENTS])
    phase = np.digitize(time, (40.0, 100.0))
    pair = np.zeros(len(time), dtype=np.int64)
    for number, absent in enumerate((NEW, RETIRED + NEW, RETIRED)):
        present = popular * ~np.isin(AGENTS, absent)
        rows = phase == number
        pair[rows] = rng.choice(len(i), int(rows.sum()), p=_normalized(present[i] * present[j]))
    turned = rng.random(len(time)) < 0.5
    return np.where(turned, j[pair], i[pair]), np.where(turned, i[pair], j[pair])


def _normalized(weight: Floats) -> Floats:
    return weight / weight.sum()
