"""One measurement in a process of its own.

    python benchmarks/cell.py MODULE WORD...

calls ``MODULE.cell(*words)``, for example that of ``ratings.peers``, and prints what it returns as JSON, on the last line. Needs
nothing but Python, so that it runs in the environment of any peer.
"""

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

LONG = 5.0  # seconds beyond which one call is enough, and twice that all calls of a cell
SHORT, MOST = (
    0.5,
    100,
)  # calls go on until they have taken this many seconds or are this many: a few of a millisecond tell little


def timed(
    run: Callable[[], Any], repeats: int, summarize: Callable[[Any], Any] = lambda answer: answer
) -> dict[str, Any]:
    """Call and time: the first call stands alone, and counts with the others only where it took so long that none follow.

    At least `repeats` calls follow, and more where they are short. Returns wall and processor seconds of every call that counts, those of the first, peak memory in MB before and after, and
    the answer in the form in which `summarize` puts it.
    """
    before, seconds, cpu, answer, first = peak(), [], [], None, 0.0
    for i in range(1 + (max(repeats, MOST) if repeats else 0)):
        begin, busy = time.perf_counter(), processor()
        answer = run()
        took, busy = time.perf_counter() - begin, processor() - busy
        first = first if i else took
        long = min(took, busy) > LONG  # beside other work the clock alone would take a short call for a long one
        if i or long or not repeats:
            seconds.append(took)
            cpu.append(busy)
        if long or (seconds and first + sum(seconds) > 2 * LONG) or (i >= repeats and sum(seconds) > SHORT):
            break
    measurement = {"seconds": seconds, "cpu": cpu, "first": first, "before": before, "peak": peak()}
    return measurement | {"answer": summarize(answer)}


def processor() -> float:
    """Processor seconds so far, of all threads and of processes that have ended."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def peak() -> float:
    """The most memory that this process has held so far, in MB."""
    try:
        with open("/proc/self/status") as status:  # resource also counts what the process held that started this one
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024 / 1e6
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    print(json.dumps(importlib.import_module(sys.argv[1]).cell(*sys.argv[2:])))
