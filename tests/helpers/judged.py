"""Votes of judges with a known truth."""

import numpy as np

from beatpath.evidence import Battles
from helpers.worlds import factor


def votes_of(
    rng, *, agents=10, judges=20, each=100, spread=1.0, reliability=None, position=None, ties=0.0, own_family=None
):
    """Logistic votes of judges: slope `reliability`, `position` for the side shown first, `own_family` for the agent of a judge's number."""
    strength = rng.normal(0, spread, agents)
    who = np.repeat(np.arange(judges), each)
    n = len(who)
    a = rng.integers(agents, size=n)
    b = (a + rng.integers(1, agents, size=n)) % agents
    first = rng.choice([-1, 1], n)
    r = np.ones(judges) if reliability is None else np.asarray(reliability)
    beta = np.zeros(judges) if position is None else np.asarray(position)
    own = np.zeros(judges) if own_family is None else np.asarray(own_family)
    eta = r[who] * (strength[a] - strength[b]) + beta[who] * first + own[who] * ((a == who) * 1.0 - (b == who))
    outcome = (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float)
    outcome[rng.random(n) < ties] = 0.5
    return who, a, b, outcome, first


def judged_battles(rng, **world):
    """The same votes as battles; judge and agent of one number share a name."""
    who, a, b, outcome, first = votes_of(rng, **world)
    names = tuple(f"{i:06d}" for i in range(world.get("agents", 10)))
    return Battles(names, a, b, outcome, position=first, factors={"judge": factor(who)})
