"""What counting takes on Spark, for each battle: processor seconds, bytes shuffled, and what comes back to the driver.

    python benchmarks/scale/on_spark.py [BATTLES ...] [--cluster 10] [--agents 1000] [--master "local-cluster[2,1,4096]"] [--kill]

Files of battles of 1,000 agents in clusters of ten, nearly all of another pair, are read by `bp.read(..., engine="spark")` in a session of
two threads on this machine, or of two worker processes: once counted by pair alone, once by pair and cluster, which is what cluster-robust
errors need. `resolve` then answers from the counts of Spark and from those of one process, DuckDB's, and the two answers are compared to
the last digit; with ``--kill`` one worker process is killed while it counts by pair and cluster.
Processor seconds are those of this process and of the Java machine that it started, after a small file that loads both; bytes
shuffled are those that Spark writes to its log of events.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cell import peak
from make import battles
from scale.workers import killed, measured, named

SIZES, SMALL = (1_000_000, 4_000_000), 20_000
WAYS: dict[str, dict[str, Any]] = {"pair": {"by": []}, "pair and cluster": {}}


def shuffled(log: Path) -> int:
    """Bytes that all tasks so far have written for others to read."""
    events = (json.loads(line) for file in log.iterdir() if file.is_file() for line in file.read_text().splitlines())
    ended = (one.get("Task Metrics") or {} for one in events if one["Event"] == "SparkListenerTaskEnd")
    return sum(one.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0) for one in ended)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description="Count battles on Spark and in one process.")
    parser.add_argument("battles", type=int, nargs="*", default=SIZES)
    parser.add_argument("--cluster", type=int, default=10, help="battles of a cluster, on average")
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--master", default="local[2]", help="of the session")
    parser.add_argument("--kill", action="store_true", help="kill one worker while it counts")
    options = parser.parse_args()
    from pyspark.sql import SparkSession

    import beatpath as bp

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "events"
        log.mkdir()
        made = SparkSession.builder.master(options.master).config("spark.ui.enabled", "false")
        made = (
            made.config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.memory", "4g")
            .config("spark.executor.memory", "3g")
            .config("spark.driver.maxResultSize", "0")
        )
        settings = {"enabled": "true", "dir": log.as_uri(), "compress": "false", "rolling.enabled": "false"}
        for name, value in settings.items():
            made = made.config(f"spark.eventLog.{name}", value)
        session = made.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")

        def read(n: int, way: str, engine: Any = "spark") -> Any:
            return bp.read(battles(Path(folder), n, options.agents, n // options.cluster), engine=engine, **WAYS[way])

        def answer(pairs: Any) -> dict[str, Any]:
            return {k: v for k, v in bp.resolve(pairs).to_dict().items() if k not in ("reading", "conventions")}

        for way in WAYS:
            read(SMALL, way)
        print(
            "| battles | counted | by | wall s | CPU s | bytes shuffled a battle | cells | peak MB of the driver | answer |"
        )
        print("| --: | --- | --- | --: | --: | --: | --: | --: | --- |")
        answers = dict[tuple[int, str], dict[str, Any]]()

        def counted(n: int, way: str, engine: Any) -> None:
            before = shuffled(log)
            pairs, cost = measured(lambda *_: read(n, way, engine), 1, 1.0)
            sent, cells, top = (shuffled(log) - before) / n, len(pairs.a), peak()
            found = answer(pairs)
            same = "" if engine == "spark" else "the same" if answers[n, way] == found else "ANOTHER"
            answers[n, way] = found
            figures = f"{cost.wall:.1f} | {cost.busy:.1f} | {sent:.0f} | {cells:,} | {top:.0f} | {same}"
            print(f"| {n:,} | {engine} | {way} | {figures} |", flush=True)

        for n in options.battles:
            battles(Path(folder), n, options.agents, n // options.cluster)
            for way in WAYS:
                counted(n, way, "spark")
            if options.kill:
                again, dead = killed(
                    lambda *_, n=n, way=way: read(n, way), 1.0, lambda: named("CoarseGrainedExecutorBackend")
                )
                same = "the same" if answer(again) == answers[n, way] else "ANOTHER"
                print(f"| {n:,} | spark, {dead} worker killed | {way} | | | | | | {same} |", flush=True)
                del again
        session.stop()  # the workers give their memory back before one process counts the same
        for n in options.battles:
            for way in WAYS:
                counted(n, way, "duckdb")


if __name__ == "__main__":
    main()
