"""Kill writers of arenas, and their PostgreSQL server, at random moments, and count what was lost: ``make kills``."""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from beatpath.arena.arena import Arena
from helpers.killing import AGENTS, ZERO, killed
from helpers.postgres import Server, missing


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--kills", type=int, default=200)
    given.add_argument("--seed", type=int, default=0)
    options = given.parse_args()
    wrong = 0
    for kind in ("sqlite", "postgresql"):
        if kind == "postgresql" and missing():
            print(f"postgresql: skipped, {missing()}")
            continue
        server = Server() if kind == "postgresql" else None
        with tempfile.TemporaryDirectory() as folder:
            address = server.address if server else f"{folder}/arena.db"
            try:
                Arena(address, agents=AGENTS, goal="first").close()
                begin = time.time()
                tally = killed(address, Path(folder), options.kills, server, options.seed)
                print(json.dumps({"storage": kind, **tally, "seconds": round(time.time() - begin)}), flush=True)
                wrong += sum(tally[name] for name in ZERO) + (tally["opened"] != options.kills)
            finally:
                if server:
                    server.stop()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
