"""How fast the operators on tensors are on whatever device torch has, beside what the device can do at most.

    PYTHONPATH=src python benchmarks/cores/gpu.py                      the accelerator, or the processor where there is none
    PYTHONPATH=src python benchmarks/cores/gpu.py --device cpu --sizes 200 500

Needs numpy, scipy, torch and the sources, nothing else. Answers come first: at 200 agents they must be those of the operators on
arrays, reachability to the bit and soft covers to 1e-7 (1e-4 in single precision), and the scores of resamples those of the
operators on arrays for the same resamples, or the exit status is 1 and nothing is timed.

Beside every time stand the operations of the algorithm and the bytes that its steps read and write, as they are carried out
one by one, each with the rate achieved. Two roofs are measured first: the operations a second of a large matrix product in
doubles, which the expansion of covers takes in either precision, and the bytes a second of a copy. "roof" is the time that the
slower of the two would need, as a share of the time taken: it says how much is left to gain by doing the same steps better, not
by other steps; above 100 % part of the bytes came from a cache.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch

from beatpath.evidence import Pairs
from beatpath.inference.core.core_bootstrap import core_bootstrap, core_scores, resampled_ranks
from beatpath.inference.core.pair_outcomes import pair_outcomes
from beatpath.methods.differentiable.cover import soft_cover, soft_uncovered_set
from beatpath.methods.differentiable.exp_products import (
    SINGLE_ONLY,
    by_exponentials,
    expansion,
    log_sum_exp_products,
)
from beatpath.methods.differentiable.operators import hollow, soft_majority_edge, soft_top_cycle
from beatpath.methods.differentiable.reach import reachability
from beatpath.methods.differentiable.strongest_path import widest_paths
from beatpath.methods.graph.widest_paths import widest_paths as array_closure
from beatpath.methods.soft_core.exp_products import FEW
from beatpath.methods.soft_core.soft_cover import soft_cover as array_cover
from beatpath.methods.soft_core.soft_cover import soft_uncovered_set as array_uncovered_set
from beatpath.methods.soft_core.soft_top_cycle import soft_top_cycle as array_top_cycle

TAU = GAMMA = 0.05
ERROR = 1e-8 / (3 * GAMMA)  # as soft covers ask of their sums
TERMS = len(expansion(GAMMA, ERROR) or ())
BOOTSTRAPS = ((30, 10_000), (100, 2000), (300, 200), (1000, 20))  # agents, resamples
BATTLES = 20  # of every pair
PRECISION = {"float32": torch.float32, "float64": torch.float64}
Work = tuple[str, Callable[[], object], float, float]  # name, what to do, operations, bytes


def probabilities(n: int) -> np.ndarray:
    """Seeded win probabilities of any kind."""
    upper = np.triu(np.random.default_rng(n).random((n, n)), 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n)


def answers_agree(device: torch.device, dtype: torch.dtype) -> bool:
    D = soft_majority_edge(torch.from_numpy(probabilities(200)).to(device, dtype), TAU)
    array = D.cpu().double().numpy()
    same = np.array_equal(reachability(D).cpu().double().numpy(), array_closure(array))
    far = float(np.abs(soft_cover(D, GAMMA).cpu().double().numpy() - array_cover(array, GAMMA)).max())
    limit = 1e-7 if dtype == torch.float64 else 1e-4
    if not (same and far <= limit):
        print(f"{dtype}: reachability the same: {same}; covers differ by {far:g}, allowed {limit:g}", file=sys.stderr)
    return same and far <= limit


def battles(n: int) -> Pairs:
    """As many battles of every pair, won at random with seeded probabilities."""
    a, b = np.triu_indices(n, 1)
    won = np.random.default_rng(n).binomial(BATTLES, probabilities(n)[a, b])
    none = np.zeros_like(won)
    names = tuple(f"agent {i}" for i in range(n))
    return Pairs(names, a, b, np.stack([won, BATTLES - won, none, none], axis=1))


def bootstraps_agree(device: torch.device, dtype: torch.dtype) -> bool:
    """Scores of resamples beside the operators on arrays, and the resamples beside those of the processor."""
    pairs, draws = battles(40), 30
    table = pair_outcomes(pairs)
    found = core_bootstrap(pairs, draws=draws, gamma=GAMMA, device=device, dtype=dtype)
    there = torch.cat(list(resampled_ranks(table, draws, 0, device))).cpu()
    same = torch.equal(there, torch.cat(list(resampled_ranks(table, draws, 0, torch.device("cpu")))))
    arrays = table.values[there.numpy()]
    t = np.stack([array_top_cycle(array_closure(D), GAMMA) for D in arrays])
    u = np.stack([array_uncovered_set(D, GAMMA) for D in arrays])
    far = max(float(np.abs(t - found.top_cycle).max()), float(np.abs(u - found.uncovered_set).max()))
    limit = 1e-7 if dtype == torch.float64 else 1e-4
    if not (same and far <= limit):
        print(f"{dtype}: resamples the same: {same}; scores differ by {far:g}, allowed {limit:g}", file=sys.stderr)
    return same and far <= limit


def finished(device: torch.device) -> None:
    """Wait until the device has done what it was asked."""
    if device.type != "cpu":
        getattr(torch, device.type).synchronize()


def seconds(work: Callable[[], object], device: torch.device, repeats: int) -> list[float]:
    took = []
    for _ in range(repeats + 1):
        finished(device)
        begin = time.perf_counter()
        work()
        finished(device)
        took.append(time.perf_counter() - begin)
    return sorted(took[1:])


def roofs(device: torch.device) -> tuple[float, float]:
    """Operations a second of a matrix product, in double precision where there is one, and bytes a second of a copy."""
    dtype = torch.float32 if device.type in SINGLE_ONLY else torch.float64
    n, size = (1000, 1 << 26) if device.type == "cpu" else (8000, 1 << 30)
    X = torch.rand(n, n, dtype=dtype, device=device)
    out = torch.empty_like(X)
    product = 2 * n**3 / seconds(lambda: torch.mm(X, X, out=out), device, 5)[0]
    long, other = (
        torch.zeros(size, dtype=torch.uint8, device=device),
        torch.ones(size, dtype=torch.uint8, device=device),
    )
    return product, 2 * size / seconds(lambda: other.copy_(long), device, 5)[0]


def works(n: int, device: torch.device, dtype: torch.dtype) -> Iterator[Work]:
    """The operators, with operations and bytes for n agents."""
    P = torch.from_numpy(probabilities(n)).to(device, dtype)
    D = soft_majority_edge(P, TAU)
    missing, item = hollow(1 - D), D.element_size()
    closure = 2.0 * n**3, 4.0 * n**3 * item  # min, max; write min, read both, write max
    exponentials = 5.0 * n**3, 7.0 * n**3 * item  # product, scaling, shift, exp, sum; the same, one by one
    expanded = 2.0 * TERMS * n**3, 14.0 * TERMS * n**2 * 8  # products; three factors, product and sum a term, doubles
    yield "widest paths", lambda: widest_paths(D), *closure
    yield "cover sums, exponentials", lambda: by_exponentials(D, missing, GAMMA), *exponentials
    taken = exponentials if n <= FEW or device.type in SINGLE_ONLY else expanded
    if taken is expanded:
        yield "cover sums, expansion", lambda: log_sum_exp_products(D, missing, GAMMA, error=ERROR), *expanded
    yield "soft cover", lambda: soft_cover(D, GAMMA), taken[0], taken[1]
    both = closure[0] + taken[0], closure[1] + taken[1]
    yield "both soft scores", lambda: scores(P), *both
    # what a gradient adds: two products for one, or all exponentials again and their products; a sort for the closure
    again = (2 * taken[0], 2 * taken[1]) if taken is expanded else (2.4 * taken[0], 2 * taken[1])
    yield "both, with gradient", lambda: gradient(P), both[0] + again[0], both[1] + again[1]


def bootstrap_works(n: int, draws: int, device: torch.device, dtype: torch.dtype) -> Iterator[Work]:
    """Drawing edges, and drawing with both scores, from the tables of what battles can come to."""
    table, item = pair_outcomes(battles(n)), torch.empty((), dtype=dtype).element_size()
    code, pairs, cells = table.forward.itemsize, draws * n * (n - 1) / 2, draws * n**2
    # 20 steps in words of 64 bits, a search of the table, two looks-up and two writes of ranks; all ranks set to none first
    drawn = 20 * pairs, pairs * (20 * 16 + 24 + 2 * (8 + 2 * code)) + 2 * code * cells
    closure = 2.0 * n * cells, 4.0 * n * cells * code  # min, max; write min, read both, write max
    looked_up = 0.0, 2 * cells * (code + 16 + item)  # ranks to words to strengths, before and after the closure
    if device.type in SINGLE_ONLY:
        cover = 5.0 * n * cells, 7.0 * n * cells * item
    else:
        cover = 2.0 * TERMS * n * cells, 14.0 * TERMS * cells * 8
    whole = [sum(part) for part in zip(drawn, closure, looked_up, cover, strict=True)]
    yield f"{draws} resamples, edges", lambda: [0 for _ in resampled_ranks(table, draws, 0, device)], *drawn
    ranks = list(resampled_ranks(table, draws, 0, device))
    yield f"{draws} resamples, closures", lambda: [0 * len(widest_paths(rank)) for rank in ranks], *closure
    ranks.clear()
    run = lambda: [both.cpu() for both in core_scores(table, draws, 0, GAMMA, device, dtype)]
    yield f"{draws} resamples, scores", run, whole[0], whole[1]


def scores(P: torch.Tensor) -> torch.Tensor:
    D = soft_majority_edge(P, TAU)
    return soft_top_cycle(reachability(D), GAMMA) + soft_uncovered_set(D, GAMMA)


def gradient(P: torch.Tensor) -> torch.Tensor:
    P = P.clone().requires_grad_()
    return torch.autograd.grad(scores(P).sum(), P)[0]


def peak_memory(device: torch.device, work: Callable[[], object]) -> float | None:
    """The most MB that the device held for the work beyond what it held before; None where it cannot say."""
    if device.type != "cuda":
        return None
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    work()
    return (torch.cuda.max_memory_allocated(device) - before) / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    fastest = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--device", type=torch.device, default=fastest)
    parser.add_argument("--sizes", type=int, nargs="*", help="agents; 300 1000 2000 4000, and 200 500 on a processor")
    parser.add_argument(
        "--agents", type=int, nargs="*", help="of bootstraps; 30 100 300 1000, and 30 100 on a processor"
    )
    parser.add_argument("--precision", choices=PRECISION, nargs="*", default=list(PRECISION), help="both by default")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--dir", type=Path, default=Path("build/bench"))
    given = parser.parse_args()
    sizes = (
        given.sizes
        if given.sizes is not None
        else ([200, 500] if given.device.type == "cpu" else [300, 1000, 2000, 4000])
    )
    asked_for = [30, 100] if given.device.type == "cpu" else [n for n, _ in BOOTSTRAPS]
    resamples = [one for one in BOOTSTRAPS if one[0] in (asked_for if given.agents is None else given.agents)]
    name = torch.cuda.get_device_name(given.device) if given.device.type == "cuda" else given.device.type
    print(f"torch {torch.__version__}, {name}, {torch.get_num_threads()} threads")
    if not all(
        answers_agree(given.device, PRECISION[p]) and bootstraps_agree(given.device, PRECISION[p])
        for p in given.precision
    ):
        return 1
    print("answers agree with the operators on arrays")
    product, copy = roofs(given.device)
    print(f"roofs: matrix product {product / 1e9:,.0f} Gop/s, copy {copy / 1e9:,.1f} GB/s")
    rows = []
    for precision in given.precision:
        print(f"\n{precision}\n")
        print("| work | agents | seconds | Gop | Gop/s | GB | GB/s | roof | peak MB |")
        print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |")
        dtype = PRECISION[precision]
        asked = [(n, works(n, given.device, dtype)) for n in sizes]
        asked += [(n, bootstrap_works(n, draws, given.device, dtype)) for n, draws in resamples]
        for n, some in asked:
            for work, run, operations, moved in some:
                took = statistics.median(seconds(run, given.device, given.repeats))
                share, peak = max(operations / product, moved / copy) / took, peak_memory(given.device, run)
                print(
                    f"| {work} | {n} | {took:.5f} | {operations / 1e9:,.2f} | {operations / 1e9 / took:,.1f} | "
                    f"{moved / 1e9:,.2f} | {moved / 1e9 / took:,.1f} | {share:.0%} | {'' if peak is None else f'{peak:,.0f}'} |",
                    flush=True,
                )
                rows.append(
                    {"work": work, "precision": precision, "agents": n, "seconds": took, "operations": operations}
                    | {"bytes": moved, "roof": share, "peak_mb": peak, "product_roof": product, "copy_roof": copy}
                )
    given.dir.mkdir(parents=True, exist_ok=True)
    (given.dir / "gpu.json").write_text(
        json.dumps({"device": name, "torch": torch.__version__, "rows": rows}, indent=1)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
