"""Seeded battles in Parquet files, written by DuckDB: nothing but the package itself is needed to make them.

Agents are texts of usual length, sampled unevenly (the popular meet often) or evenly; outcomes follow Bradley-Terry, and
some are ties or both bad. Every value is a hash of the row's number, so that the same battles come out in whatever order.
Row groups are as large as PyArrow's.

    python benchmarks/make.py FOLDER BATTLES AGENTS [CLUSTERS]
"""

import sys
from pathlib import Path

GROUP = 1 << 20
TIED = (0.12, 0.18)  # shares of ties and of both bad


def battles(folder: Path, n: int, agents: int, clusters: int = 0) -> Path:
    """Write battles where they are not written yet, and return the path; with clusters, agents meet evenly."""
    path = folder / f"battles_{n}_{agents}_{clusters}.parquet"
    if not path.exists():
        import duckdb

        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        con = duckdb.connect()
        con.execute("SET preserve_insertion_order = false; SET memory_limit = '2GB'; SET enable_progress_bar = false")
        made = _rows(n, agents, clusters)
        con.execute(f"COPY ({made}) TO '{unfinished}' (FORMAT parquet, ROW_GROUP_SIZE {GROUP})")
        unfinished.replace(path)
    return path


def _rows(n: int, agents: int, clusters: int) -> str:
    """The query: numbers first, then names."""
    even = clusters > 0

    def number(salt: int) -> str:
        return f"(hash(i * 8 + {salt}) / 18446744073709551616.0)"

    def agent(salt: int) -> str:
        spread = f"{agents} * {number(salt)}" if even else f"10 * (pow(1 + {agents} / 10.0, {number(salt)}) - 1)"
        return f"least(CAST(floor({spread}) AS INTEGER), {agents - 1})"

    cluster = f"hash(i * 8 + 4) % {clusters}" if clusters else "0"
    numbers = f"""
        SELECT a, CASE WHEN a = b THEN (b + 1) % {agents} ELSE b END AS b, t, u, c
        FROM (SELECT {agent(0)} AS a, {agent(1)} AS b, {number(2)} AS t, {number(3)} AS u,
                     {cluster} AS c
              FROM range({n}) AS rows(i))"""
    return f"""
        SELECT {_name("a")} AS model_a, {_name("b")} AS model_b,
               CASE WHEN t < {TIED[0]} THEN 'tie' WHEN t < {sum(TIED)} THEN 'tie (bothbad)'
                    WHEN u < 1 / (1 + exp(1.5 * (sin(b) - sin(a)))) THEN 'model_a' ELSE 'model_b' END AS winner
               {", 'session-' || c AS cluster" if clusters else ""}
        FROM ({numbers})"""


def _name(code: str) -> str:
    """Names such as ``vendor07-harrier-70b-chat-0123``: distinct, 21 to 33 letters."""
    vendor, number = f"lpad(CAST({code} * 7 % 30 AS VARCHAR), 2, '0')", f"lpad(CAST({code} AS VARCHAR), 4, '0')"
    kind = f"['harrier', 'osprey', 'kite', 'falcon'][1 + {code} % 4]"
    size, end = f"['7b', '70b', '405b'][1 + {code} % 3]", f"['chat', 'instruct', 'base'][1 + {code} % 5 % 3]"
    return f"concat_ws('-', 'vendor' || {vendor}, {kind}, {size}, {end}, {number})"


if __name__ == "__main__":
    print(battles(Path(sys.argv[1]), *map(int, sys.argv[2:])))
