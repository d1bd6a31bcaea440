"""A stand-in for your harness: writes the accepted run and the run of a change, one row an item, into `runs/`."""

import csv
import random
from pathlib import Path

TASKS = {"chat": 0.7, "code": 0.4, "facts": 0.6, "math": 0.5}  # chance of a right answer of the accepted run
RUNS = {"base": (0.0, 1.0), "new": (0.12, 0.4)}  # what a run adds to the chance, and its price beside the accepted one
ITEMS = 40  # of every task


def main() -> None:
    """Write both runs; luck and difficulty of an item are the same in both, so that they can be compared in pairs."""
    for run, (gain, price) in RUNS.items():
        rng, own = random.Random(7), random.Random(run)
        path = Path(__file__).parent / "runs" / f"{run}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["task", "id", "correct", "price"])
            for task, chance in TASKS.items():
                for k in range(ITEMS):
                    luck, slip, length = rng.random(), rng.random(), rng.random()
                    right = luck < chance + gain and not (gain and slip < 0.04)
                    writer.writerow(
                        [
                            task,
                            f"{task}-{k:02d}",
                            int(right),
                            f"{price * (0.01 + 0.02 * length + 0.01 * own.random()):.4f}",
                        ]
                    )


if __name__ == "__main__":
    main()
