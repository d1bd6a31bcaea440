"""What counting takes on Spark, for each battle: processor seconds, bytes shuffled, and what comes back to the driver.

    python benchmarks/scale/on_spark.py [BATTLES ...]

Files of battles of 1,000 agents in clusters of ten, nearly all of another pair, are read by `bp.read(..., engine="spark")` in a session of
two threads on this machine: once counted by pair alone, once by pair and cluster, which is what cluster-robust errors need.
Processor seconds are those of this process and of the Java machine that it started, after a small file that loads both; bytes
shuffled are those that Spark writes to its log of events.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cell import peak
from make import battles
from scale.workers import measured

AGENTS, SIZES, SMALL = 1000, (1_000_000, 4_000_000), 20_000
WAYS: dict[str, dict[str, Any]] = {"pair": {"by": []}, "pair and cluster": {}}


def shuffled(log: Path) -> int:
    """Bytes that all tasks so far have written for others to read."""
    events = (json.loads(line) for file in log.iterdir() if file.is_file() for line in file.read_text().splitlines())
    ended = (one.get("Task Metrics") or {} for one in events if one["Event"] == "SparkListenerTaskEnd")
    return sum(one.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0) for one in ended)


def main() -> None:
    """Print a table."""
    from pyspark.sql import SparkSession

    import beatpath as bp

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "events"
        log.mkdir()
        made = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        made = made.config("spark.ui.showConsoleProgress", "false").config("spark.driver.memory", "4g")
        settings = {"enabled": "true", "dir": log.as_uri(), "compress": "false", "rolling.enabled": "false"}
        for name, value in settings.items():
            made = made.config(f"spark.eventLog.{name}", value)
        session = made.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")

        def read(n: int, way: str) -> Any:
            return bp.read(battles(Path(folder), n, AGENTS, n // 10), engine="spark", **WAYS[way])

        for way in WAYS:
            read(SMALL, way)
        print("| battles | counted by | wall s | CPU s | bytes shuffled a battle | cells | peak MB of the driver |")
        print("| --: | --- | --: | --: | --: | --: | --: |")
        for n in map(int, sys.argv[1:] or SIZES):
            battles(Path(folder), n, AGENTS, n // 10)
            for way in WAYS:
                before = shuffled(log)
                pairs, wall, busy = measured(lambda _, __, n=n, way=way: read(n, way), 1, 1.0)
                sent = (shuffled(log) - before) / n
                print(
                    f"| {n:,} | {way} | {wall:.1f} | {busy:.1f} | {sent:.0f} | {len(pairs.a):,} | {peak():.0f} |",
                    flush=True,
                )
        session.stop()


if __name__ == "__main__":
    main()
