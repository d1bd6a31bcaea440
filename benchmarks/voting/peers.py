"""One adapter a library: from a list of votes (orders of agents) to each rule's winners, timed from the votes.

An adapter returns None for a rule that the library lacks.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed


def votes(n_agents: int, n_votes: int) -> list[list[int]]:
    """Seeded votes around a hidden order, noisy enough that no agent beats all others for sure."""
    rng = np.random.default_rng(n_agents * 1_000_003 + n_votes)
    centre = np.arange(n_agents) / n_agents
    return [np.argsort(centre + rng.normal(0, 0.6, n_agents)).tolist() for _ in range(n_votes)]


def beatpath(rule: str, orders: list[list[int]]) -> Callable[[], list[int]] | None:
    import beatpath as bp

    names = [f"{i:05d}" for i in range(len(orders[0]))]
    agent = np.array(orders, dtype=np.int32)
    n_votes, n = agent.shape
    agent, place, start = agent.ravel(), np.tile(np.arange(n, dtype=np.int32), n_votes), np.arange(n_votes + 1) * n
    for column in (agent, place):
        column.setflags(write=False)  # what nobody can write to is taken without a copy
    settings = {"stv": {"k": 1}}.get(rule, {})

    def run() -> list[int]:
        ballots = bp.Ballots(tuple(names), agent, place, start)
        ranking = bp.rank(ballots, rule, **settings)
        run.settled = "too many" not in ranking.status
        return sorted(int(name) for name in ranking.winners)

    return run


def pref_voting(rule: str, orders: list[list[int]]) -> Callable[[], list[int]] | None:
    from pref_voting import voting_methods as vm
    from pref_voting.profiles import Profile

    rules = {
        "plurality": "plurality",
        "borda": "borda",
        "black": "blacks",
        "nanson": "strict_nanson",
        "baldwin": "baldwin_put",
        "coombs": "coombs_put",
        "tideman_alternative": "tideman_alternative_smith_put",
        "bucklin": "bucklin",
        "river": "river_zt",
        "stable_voting": "stable_voting",
        "stv": "instant_runoff",
        "copeland": "copeland",
        "minimax": "minimax",
        "schulze": "beat_path_Floyd_Warshall",
        "ranked_pairs": "ranked_pairs_zt",
        "split_cycle": "split_cycle",
    }
    function = getattr(vm, rules.get(rule, ""), None)
    return None if function is None else lambda: sorted(int(c) for c in function(Profile(orders)))


def open_spiel(rule: str, orders: list[list[int]]) -> Callable[[], list[int]] | None:
    import importlib

    from open_spiel.python.voting import base

    rules = {
        "plurality": ("plurality", "PluralityVoting", {}),
        "borda": ("borda", "BordaVoting", {}),
        "stv": ("stv", "STVVoting", {"num_winners": 1}),
        "copeland": ("copeland", "CopelandVoting", {}),
        "schulze": ("schulze", "SchulzeVoting", {}),
        "ranked_pairs": ("ranked_pairs", "RankedPairsVoting", {}),
        "iml": ("maximal_lotteries", "MaximalLotteriesVoting", {"iterative": True}),
        "maximal_lottery": ("maximal_lotteries", "MaximalLotteriesVoting", {"iterative": False}),
    }
    if rule not in rules:
        return None
    module, name, options = rules[rule]
    method = getattr(importlib.import_module(f"open_spiel.python.voting.{module}"), name)(**options)

    def run() -> list[int]:
        profile = base.PreferenceProfile(votes=orders, alternatives=sorted(orders[0]))
        return [int(method.run_election(profile).ranking[0])]

    return run


ADAPTERS = {"beatpath": beatpath, "pref_voting": pref_voting, "open_spiel": open_spiel}


def cell(library: str, rule: str, agents: str, n_votes: str, repeats: str) -> dict[str, Any] | None:
    """Time one rule, and tell its winners and whether ties left them open."""
    if ADAPTERS[library](rule, votes(2, 1)) is None:
        return None
    run = ADAPTERS[library](rule, votes(int(agents), int(n_votes)))
    assert run is not None
    return timed(run, int(repeats), lambda winners: [winners, getattr(run, "settled", True)])
