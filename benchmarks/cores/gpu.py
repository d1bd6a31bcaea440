"""How fast the operators on tensors are on whatever device torch has, beside what the device can do at most.

    PYTHONPATH=src python benchmarks/cores/gpu.py                      the accelerator, or the processor where there is none
    PYTHONPATH=src python benchmarks/cores/gpu.py --device cpu --sizes 200 500

Needs numpy, scipy, torch and the sources, nothing else. Answers come first: at 200 agents they must be those of the operators on
arrays, reachability to the bit and soft covers to 1e-7 (1e-4 in single precision), and the scores of resamples those of the
operators on arrays for the same resamples, or the exit status is 1 and nothing is timed.

Beside every time stands what the algorithm needs: minima and maxima, exponentials, multiplications and additions of matrix products
in doubles, bytes read and written; and the time that the slowest of these would take at the rate the device was measured to
have for it, as a share of the time taken ("roof"), with its name. It says how much is left to gain by doing the same steps
better, not by other steps; above 100 % part of the bytes came from a cache. On a device without Triton, where closures and
exponentials go step by step through memory, the roof is that of the bytes moved.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from beatpath.evidence import Pairs
from beatpath.inference.core.core_bootstrap import core_bootstrap, core_scores, pair_outcomes, resampled_ranks
from beatpath.methods.differentiable.gpu import BLOCK, on_gpu, products_on_gpu, sums_on_gpu
from beatpath.methods.differentiable.tensors import MANY, SINGLE_ONLY, hollow, widest_paths
from beatpath.methods.graph.paths import widest_paths as array_closure
from beatpath.methods.soft_core.operators import (
    FEW,
    expansion,
    log_sum_exp_products,
    noisy_or_product,
    reachability,
    smooth_product,
    soft_cover,
    soft_majority_edge,
    soft_top_cycle,
    soft_uncovered_set,
)

TAU = GAMMA = 0.05
ERROR = 1e-8 / (3 * GAMMA)  # as soft covers ask of their sums
TERMS = len(expansion(GAMMA, ERROR) or ())
BOOTSTRAPS = ((30, 10_000), (100, 2000), (300, 200), (1000, 20))  # agents, resamples
BATTLES = 20  # of every pair
DIVISION = 9.0  # multiplications of doubles that a reciprocal takes at least: two Newton steps and a correction
PRECISION = {"float32": torch.float32, "float64": torch.float64}
Needs = dict[str, float]  # operations, or bytes, by what carries them out
Work = tuple[str, Callable[[], object], Needs]


def probabilities(n: int) -> np.ndarray:
    """Seeded win probabilities of any kind."""
    upper = np.triu(np.random.default_rng(n).random((n, n)), 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n)


def answers_agree(device: torch.device, dtype: torch.dtype) -> bool:
    D = soft_majority_edge(torch.from_numpy(probabilities(200)).to(device, dtype), TAU)
    array = D.cpu().double().numpy()
    same = np.array_equal(reachability(D).cpu().double().numpy(), array_closure(array))
    far = float(np.abs(soft_cover(D, GAMMA).cpu().double().numpy() - soft_cover(array, GAMMA)).max())
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
    resampled = core_bootstrap(pairs, draws=draws, gamma=GAMMA, device=device, dtype=dtype)
    there = torch.cat(list(resampled_ranks(table, draws, 0, device))).cpu()
    same = torch.equal(there, torch.cat(list(resampled_ranks(table, draws, 0, torch.device("cpu")))))
    arrays = table.values[there.numpy()]
    t = np.stack([soft_top_cycle(array_closure(D), GAMMA) for D in arrays])
    u = np.stack([soft_uncovered_set(D, GAMMA) for D in arrays])
    far = max(float(np.abs(t - resampled.top_cycle).max()), float(np.abs(u - resampled.uncovered_set).max()))
    limit = 1e-7 if dtype == torch.float64 else 1e-4
    if not (same and far <= limit):
        print(f"{dtype}: resamples the same: {same}; scores differ by {far:g}, allowed {limit:g}", file=sys.stderr)
    return same and far <= limit


def finished(device: torch.device) -> None:
    """Wait until the device has done its work."""
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


def roofs(device: torch.device) -> Needs:
    """What the device does in a second: products in doubles where it has them, bytes copied, comparisons, exponentials."""
    dtype = torch.float32 if device.type in SINGLE_ONLY else torch.float64
    n, size = (1000, 1 << 26) if device.type == "cpu" else (8000, 1 << 30)
    X = torch.rand(n, n, dtype=dtype, device=device)
    out = torch.empty_like(X)
    long, other = (
        torch.zeros(size, dtype=torch.uint8, device=device),
        torch.ones(size, dtype=torch.uint8, device=device),
    )
    rates = {
        "products": 2 * n**3 / seconds(lambda: torch.mm(X, X, out=out), device, 5)[0],
        "bytes": 2 * size / seconds(lambda: other.copy_(long), device, 5)[0],
    }
    return rates | (register_roofs(device) if on_gpu(X) else {})


def register_roofs(device: torch.device) -> Needs:
    """Minima and maxima, exponentials and multiplications a second of kernels that touch no memory until they end."""
    from register_kernels import compare, exponentiate, multiply

    programs, steps, size = 132 * 64, 2000, 1024
    single = torch.zeros(programs * size, device=device)

    def rate(kernel: Any, per_step: int, out: torch.Tensor) -> float:
        run = lambda: kernel[(programs,)](out, steps, SIZE=size, num_warps=4)
        return per_step * programs * steps * size / seconds(run, device, 5)[0]

    return {
        "comparisons": rate(compare, 16, single),
        "exponentials": rate(exponentiate, 8, single),
        "multiplications": rate(multiply, 16, single),
        "multiplications of doubles": rate(multiply, 16, single.double()),
    }


def merged(*needs: Needs) -> Needs:
    return {name: sum(one.get(name, 0.0) for one in needs) for need in needs for name in need}


def closure_needs(n: int, matrices: int, item: int, fast: bool) -> Needs:
    """By blocks of 64 every entry is read and written n / 64 times; step by step n times, with the minima besides."""
    cells = float(matrices) * n**2
    return {"comparisons": 2 * n * cells, "bytes": (2 * n / BLOCK * 4 if fast else 4 * n * item) * cells}


def works(n: int, device: torch.device, dtype: torch.dtype) -> Iterator[Work]:
    """The operators, with what they need for n agents."""
    P = torch.from_numpy(probabilities(n)).to(device, dtype)
    D = soft_majority_edge(P, TAU)
    missing, item, fast = hollow(1 - D), D.element_size(), on_gpu(D)
    closure = closure_needs(n, 1, item, fast)
    stepwise = {"exponentials": 1.0 * n**3, "bytes": 7.0 * n**3 * item}  # product, scaling, shift, exp, sum, one by one
    expanded = {"products": 2.0 * TERMS * n**3, "bytes": 14.0 * TERMS * n**2 * 8}  # three factors, product, sum a term
    in_kernel = {"exponentials": 1.0 * n**3}
    yield "widest paths", lambda: widest_paths(D), closure
    if sums_on_gpu(D, GAMMA) and n > MANY:
        taken = in_kernel
    elif n <= FEW or device.type in SINGLE_ONLY:
        taken = stepwise
    else:
        taken = expanded
    yield "cover sums", lambda: log_sum_exp_products(D, missing, GAMMA, error=ERROR), taken
    yield "soft cover", lambda: soft_cover(D, GAMMA), taken
    if n <= 4096:
        some = torch.rand_like(D)
        recip = {"exponentials": 1.0 * n**3} if sums_on_gpu(D, GAMMA) else {"bytes": 9.0 * n**3 * item}
        if products_on_gpu(D) and not sums_on_gpu(D, GAMMA):
            recip = {"multiplications of doubles": DIVISION * n**3}
        units = "multiplications" if sums_on_gpu(D, GAMMA) else "multiplications of doubles"
        chances = {units: 2.0 * n**3} if products_on_gpu(D) else {"bytes": 5.0 * n**3 * item}
        yield "smooth product", lambda: smooth_product(D, some, GAMMA), recip
        yield "noisy-or product", lambda: noisy_or_product(D, some), chances
    both = merged(closure, taken)
    yield "both soft scores", lambda: scores(P), both
    # what a gradient adds: two products, or all exponentials twice, for one; a sort for the closure
    yield "both, with gradient", lambda: gradient(P), merged(both, taken, taken)


def bootstrap_works(n: int, draws: int, device: torch.device, dtype: torch.dtype) -> Iterator[Work]:
    """Drawing edges, and drawing with both scores, from the tables of what battles can come to."""
    table, item = pair_outcomes(battles(n)), torch.empty((), dtype=dtype).element_size()
    code, pairs, cells = table.forward.itemsize, draws * n * (n - 1) / 2, draws * n**2
    # 20 steps in words of 64 bits, a search of the table, two looks-up and two writes of ranks; all ranks set to none first
    traffic = {"bytes": pairs * (20 * 16 + 24 + 2 * (8 + 2 * code)) + 2 * code * cells}
    ranks = list(resampled_ranks(table, draws, 0, device))
    closure = closure_needs(n, draws, code, on_gpu(ranks[0]))
    looked_up = {"bytes": 2 * cells * (code + 16 + item)}  # ranks to words to strengths, before and after the closure
    if on_gpu(ranks[0]) and dtype == torch.float32 and n > MANY:
        cover = {"exponentials": 1.0 * n * cells}
    elif device.type in SINGLE_ONLY or n <= FEW:
        cover = {"bytes": 7.0 * n * cells * item}
    else:
        cover = {"products": 2.0 * TERMS * n * cells, "bytes": 14.0 * TERMS * cells * 8}
    yield f"{draws} resamples, edges", lambda: [0 for _ in resampled_ranks(table, draws, 0, device)], traffic
    yield f"{draws} resamples, closures", lambda: [0 * len(widest_paths(rank)) for rank in ranks], closure
    ranks.clear()
    run = lambda: [both.cpu() for both in core_scores(table, draws, 0, GAMMA, device, dtype)]
    yield f"{draws} resamples, scores", run, merged(traffic, closure, looked_up, cover)


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
    sizes_here = [30, 100] if given.device.type == "cpu" else [n for n, _ in BOOTSTRAPS]
    resamples = [one for one in BOOTSTRAPS if one[0] in (sizes_here if given.agents is None else given.agents)]
    name = torch.cuda.get_device_name(given.device) if given.device.type == "cuda" else given.device.type
    print(f"torch {torch.__version__}, {name}, {torch.get_num_threads()} threads")
    if not all(
        answers_agree(given.device, PRECISION[p]) and bootstraps_agree(given.device, PRECISION[p])
        for p in given.precision
    ):
        return 1
    print("answers agree with the operators on arrays")
    roof = roofs(given.device)
    print("a second: " + ", ".join(f"{rate / 1e9:,.0f} G {name}" for name, rate in roof.items()))
    rows = []
    for precision in given.precision:
        print(f"\n{precision}\n")
        print("| work | agents | seconds | limit | at most | roof | peak MB |")
        print("| --- | --: | --: | --- | --: | --: | --: |")
        dtype = PRECISION[precision]
        jobs = [(n, works(n, given.device, dtype)) for n in sizes]
        jobs += [(n, bootstrap_works(n, draws, given.device, dtype)) for n, draws in resamples]
        for n, some in jobs:
            for work, run, needs in some:
                took = statistics.median(seconds(run, given.device, given.repeats))
                least = {name: needs[name] / roof[name] for name in needs if name in roof and needs[name]}
                limit = max(least, key=lambda name: least[name], default="")
                share, peak = least.get(limit, 0.0) / took, peak_memory(given.device, run)
                print(
                    f"| {work} | {n} | {took:.5f} | {limit} | {least.get(limit, 0.0):.5f} | {share:.0%} | "
                    f"{'' if peak is None else f'{peak:,.0f}'} |",
                    flush=True,
                )
                rows.append(
                    {"work": work, "precision": precision, "agents": n, "seconds": took, "needs": needs}
                    | {"limit": limit, "roof": share, "peak_mb": peak, "rates": roof}
                )
    given.dir.mkdir(parents=True, exist_ok=True)
    (given.dir / "gpu.json").write_text(
        json.dumps({"device": name, "torch": torch.__version__, "rows": rows}, indent=1)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
