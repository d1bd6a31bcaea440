"""How long it takes before anything happens: imports inside a fresh process, and whole processes of the command line.

Imports are timed inside the process and take turns; commands are timed from outside.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence

from measure import NOT_HERE, Goal, Row, python_with, ratio, row, whole

TITLE = "Start-up"
PACKAGES = ("beatpath", "numpy", "evalica", "choix", "pref-voting", "arena-rank")
IMPORT = "importing"
IMPORTS = {
    "beatpath": ("beatpath", "import beatpath"),
    "numpy": ("numpy", "import numpy"),
    "choix": ("choix", "import choix"),
    "evalica": ("evalica", "import evalica"),
    "pref_voting": ("pref_voting", "import pref_voting.voting_methods"),
    "arena_rank": ("arena_rank", "import arena_rank.models.bradley_terry"),
}
USES = {"read": "import beatpath; beatpath.read", "rank": "import beatpath; beatpath.rank"}
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "beatpath --help": ["-m", "beatpath", "--help"],
    "beatpath methods": ["-m", "beatpath", "methods"],
    "beatpath rank --example": ["-m", "beatpath", "rank", "--example"],
}
TIMER = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"


def measured(given: argparse.Namespace) -> list[Row]:
    """Take turns, so that what else the machine does falls on all alike."""
    took: dict[tuple[str, str], list[float]] = {}
    for _ in range(3 if given.quick else 5 * given.repeats):
        for name, (needs, code) in IMPORTS.items():
            python = python_with(needs, (sys.executable, *given.peers))
            times = took.setdefault((IMPORT, name), [])
            if python:
                times.append(_inside(python, code))
        for name, code in USES.items():
            took.setdefault((f"importing, then `{name}`", "beatpath"), []).append(_inside(sys.executable, code))
    rows = [
        Row(case, name, tuple(times)) if times else row(case, name, NOT_HERE) for (case, name), times in took.items()
    ]
    return rows + [
        row(f"`{name}`, the whole process", name.split()[0], whole(given, *words)) for name, words in COMMANDS.items()
    ]


def _inside(python: str, code: str) -> float:
    done = subprocess.run([python, "-c", TIMER.format(code)], check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.split()[-1])


def goals(rows: Sequence[Row]) -> list[Goal]:
    """No slower to import than numpy alone, or little."""
    times = ratio(rows, IMPORT, "numpy")
    return [Goal("import beatpath over import numpy", 1 / times, 1.3, at_least=False)] if times else []
