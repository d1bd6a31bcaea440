"""One adapter a route: from win probabilities to reachability and soft scores, timed from the probabilities.

Routes: ``beatpath``; ``numpy`` (the sort that zero temperature is measured against); ``torch`` (every
triple of agents at once and a product a length, as Appendix J of Soft Tournament Equilibrium vectorises reachability; for the
cover exponentials and a sum, which take a third of the time of the log-sum-exp there).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed

TAU = GAMMA = 0.05
Run = Callable[[], np.ndarray]


def probabilities(shape: str, n: int) -> np.ndarray:
    """Seeded win probabilities: any (`uniform`), or those of a strength each, with some noise (`ladder`)."""
    rng = np.random.default_rng(n)
    if shape == "uniform":
        P = rng.random((n, n))
    else:
        theta = rng.normal(0, 2, n)
        P = np.subtract.outer(theta, theta)
        np.negative(P, out=P)
        np.exp(P, out=P)
        P += 1
        np.reciprocal(P, out=P)
        P += rng.normal(0, 0.05, n)
        np.clip(P, 0, 1, out=P)
    for a in range(n):
        P[a + 1 :, a] = 1 - P[a, a + 1 :]
    np.fill_diagonal(P, 0.5)
    return P


def beatpath(work: str, P: np.ndarray) -> Run | None:
    from beatpath.methods.graph.paths import widest_reach
    from beatpath.methods.soft_core.operators import (
        reachability,
        soft_majority_edge,
        soft_top_cycle,
        soft_uncovered_set,
    )

    D = soft_majority_edge(P, TAU)
    if work == "sharp":
        return lambda: widest_reach(D)
    if work == "reach":
        return lambda: reachability(D)
    if work == "cover":
        return lambda: soft_uncovered_set(D, GAMMA)
    return lambda: np.stack([soft_top_cycle(reachability(D), GAMMA), soft_uncovered_set(D, GAMMA)])


def numpy(work: str, P: np.ndarray) -> Run | None:
    return (lambda: np.sort(P, axis=None)[[0, -1]]) if work == "sharp" else None


def torch(work: str, P: np.ndarray) -> Run | None:
    import torch

    n = len(P)
    own = torch.eye(n, dtype=torch.bool)
    D = torch.sigmoid((torch.from_numpy(P) - 0.5) / TAU).masked_fill(own, 0.0)
    rows = max(1, 40_000_000 // n**2)  # of a triple at a time, so that 1000 agents fit into memory

    def reach() -> torch.Tensor:
        longest = Q = D
        for _ in range(n - 2):
            Q = torch.cat([torch.minimum(q.unsqueeze(-1), D.unsqueeze(0)).amax(1) for q in Q.split(rows)])
            longest = torch.maximum(longest, Q)
        return longest.masked_fill(own, 0.0)

    def uncovered() -> torch.Tensor:
        missing = (1 - D).masked_fill(own, 0.0)
        sums = [(D.unsqueeze(0) * (m / GAMMA).unsqueeze(1)).exp_().sum(2) for m in missing.split(rows)]  # c, a, b
        violation = GAMMA * torch.log((torch.cat(sums) - 2) / (n - 2))  # less the terms of a and c themselves
        cover = (D * (1 - violation)).masked_fill(own, -torch.inf)
        return 1 - GAMMA * (torch.logsumexp(cover / GAMMA, dim=0) - np.log(n - 1))

    def core() -> torch.Tensor:
        R = reach().masked_fill(own, torch.inf)
        return torch.stack([-GAMMA * (torch.logsumexp(-R / GAMMA, dim=1) - np.log(n - 1)), uncovered()])

    answers = {
        "sharp": lambda: reach().masked_fill(own, torch.inf).amin(1),
        "reach": reach,
        "cover": uncovered,
        "core": core,
    }
    return lambda: answers[work]().numpy()


ROUTES = {"beatpath": beatpath, "numpy": numpy, "torch": torch}


def cell(route: str, work: str, shape: str, n: str, repeats: str, file: str) -> dict[str, Any] | None:
    """Time one kind of work, after one of 50 agents that imports everything; the answer goes to a file (.npy)."""
    first = ROUTES[route](work, probabilities(shape, 50))
    if first is None:
        return None
    first()
    run = ROUTES[route](work, probabilities(shape, int(n)))
    assert run is not None
    return timed(run, int(repeats), lambda answer: np.save(file, answer))
