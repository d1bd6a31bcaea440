"""The benchmark's files: seeded battles of 500 agents, written by PyArrow with its defaults.

Agents are texts of usual length, sampled unevenly (the popular meet often); outcomes follow Bradley-Terry with ties.
Run as ``python make.py FOLDER ROWS PARTS``: writes what is not there yet and prints the paths.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N_AGENTS = 500
LABELS = ("model_a", "model_b", "tie", "tie (bothbad)")
TIED = (0.12, 0.18)  # shares of ties and of both bad
CHUNK = 1 << 20  # rows in hand at a time: PyArrow's own row-group size, so that chunks change nothing in the file


def agents(rng: np.random.Generator) -> list[str]:
    """Names such as ``vendor07-harrier-70b-chat-123``: distinct, 20 to 32 letters."""
    kinds, sizes, ends = ("harrier", "osprey", "kite", "falcon"), ("7b", "70b", "405b"), ("chat", "instruct", "base")
    pick = [rng.integers(0, n, N_AGENTS) for n in (30, len(kinds), len(sizes), len(ends))]
    return [f"vendor{v:02d}-{kinds[k]}-{sizes[s]}-{ends[e]}-{i:03d}" for i, (v, k, s, e) in enumerate(zip(*pick))]  # noqa: B905


def battles(n_rows: int, names: list[str], rng: np.random.Generator) -> pa.Table:
    """One chunk of rows, its columns plain strings."""
    popular = 1 / (10 + np.arange(N_AGENTS))
    share = popular / popular.sum()
    a, b = (rng.choice(N_AGENTS, n_rows, p=share) for _ in range(2))
    while (same := np.flatnonzero(a == b)).size:
        b[same] = rng.choice(N_AGENTS, same.size, p=share)
    strength = np.sin(np.arange(N_AGENTS)) * 1.5
    won = rng.random(n_rows) < 1 / (1 + np.exp(strength[b] - strength[a]))
    draw = rng.random(n_rows)
    label = np.select([draw < TIED[0], draw < sum(TIED), won], [2, 3, 0], 1)
    columns = {"model_a": (a, names), "model_b": (b, names), "winner": (label, LABELS)}
    return pa.table(
        {
            name: pa.DictionaryArray.from_arrays(codes.astype(np.int32), pa.array(words)).cast(pa.string())
            for name, (codes, words) in columns.items()
        }
    )


def write(path: Path, n_rows: int, seed: int) -> None:
    """Write one file chunk by chunk, in place only when it is whole."""
    names = agents(np.random.default_rng(0))
    rng = np.random.default_rng([20_000_000, seed])
    unfinished = path.with_suffix(".part")
    writer = None
    for low in range(0, n_rows, CHUNK):
        table = battles(min(CHUNK, n_rows - low), names, rng)
        writer = writer or pq.ParquetWriter(unfinished, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    unfinished.replace(path)


def main(folder: Path, n_rows: int, parts: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part in range(parts):
        path = folder / f"battles_{n_rows}_{part}.parquet"
        if not path.exists():
            write(path, n_rows, part)
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
