"""One adapter a library: from votes to an order that contradicts fewest preferences, timed from the votes.

Votes are Mallows': each order has a probability that falls by a factor `spread` with every pair it swaps against a hidden order;
at 1 all orders are alike ("impartial culture"). corankco is GPL: run it in an environment of its own and name that with
``--peers``. It splits votes into parts (ParCons) and solves each exactly by PuLP, which needs no CPLEX.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed

Run = Callable[[], Any]
Votes = list[list[int]]


def votes(agents: int, n: int, spread: float) -> Votes:
    """Orders by repeated insertion: the next agent goes in at place j of i with a probability in proportion to spread^(i - j)."""
    rng = np.random.default_rng(agents * 1000 + n)
    orders = []
    for _ in range(n):
        order: list[int] = []
        for i in range(agents):
            share = spread ** np.arange(i, -1, -1.0)
            order.insert(int(rng.choice(i + 1, p=share / share.sum())), i)
        orders.append(order)
    return orders


def beatpath(given: Votes) -> tuple[Run, Callable[[Any], list[int]]]:
    import beatpath as bp

    agent = np.array(given, dtype=np.int32)
    n_votes, n = agent.shape
    names = tuple(f"{i:05d}" for i in range(n))
    agent, place, start = agent.ravel(), np.tile(np.arange(n, dtype=np.int32), n_votes), np.arange(n_votes + 1) * n
    for column in (agent, place):
        column.setflags(write=False)  # what nobody can write to is taken without a copy

    def order_of(ranking: Any) -> list[int]:
        assert ranking.details["optimal"]
        return [int(name) for name in ranking.details["order"]]

    return lambda: bp.rank(bp.Ballots(names, agent, place, start), "kemeny", time_limit=None), order_of


def pref_voting(given: Votes) -> tuple[Run, Callable[[Any], list[int]]]:
    from pref_voting.other_methods import kemeny_young_rankings
    from pref_voting.profiles import Profile

    return lambda: kemeny_young_rankings(Profile(given)), lambda answer: [int(c) for c in answer[0][0]]


def open_spiel(given: Votes) -> tuple[Run, Callable[[Any], list[int]]]:
    from open_spiel.python.voting import base, kemeny_young

    def run() -> Any:
        profile = base.PreferenceProfile(votes=given, alternatives=sorted(given[0]))
        return kemeny_young.KemenyYoungVoting().run_election(profile)

    return run, lambda answer: [int(c) for c in answer.ranking]


def corankco(given: Votes) -> tuple[Run, Callable[[Any], list[int]]]:
    from corankco.algorithms.exact.exactalgorithmpulp import ExactAlgorithmPulp
    from corankco.algorithms.parcons.parcons import ParCons
    from corankco.dataset import Dataset
    from corankco.scoringscheme import ScoringScheme

    def run() -> Any:
        dataset = Dataset.from_raw_list([[{agent} for agent in vote] for vote in given])
        exact = ParCons(auxiliary_algorithm=ExactAlgorithmPulp(), bound_for_exact=1)  # the auxiliary one for all parts
        return exact.compute_consensus_rankings(dataset, ScoringScheme.get_unifying_scoring_scheme(), True)

    return run, lambda answer: [int(str(e)) for bucket in answer.consensus_rankings[0] for e in bucket]


ADAPTERS = {f.__name__: f for f in (beatpath, pref_voting, open_spiel, corankco)}


def cell(library: str, agents: str, n: str, spread: str, repeats: str) -> dict[str, Any]:
    """Time one library, and tell what its order contradicts."""
    given = votes(int(agents), int(n), float(spread))
    run, order_of = ADAPTERS[library](given)
    return timed(run, int(repeats), lambda answer: contradictions(order_of(answer), given))


def contradictions(order: list[int], given: Votes) -> int:
    """Preferences of all votes that an order puts the other way round."""
    place = np.argsort(order)
    places = place[np.array(given)]
    return sum(int((places[:, i, None] > places[:, i + 1 :]).sum()) for i in range(places.shape[1] - 1))
