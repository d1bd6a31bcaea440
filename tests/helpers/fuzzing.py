"""Damaged files by number: case 1234 is the same damage to the same file on every machine.

Run by itself, ``python -m helpers.fuzzing FIRST CASES [--verbs] [FOLDER]`` reads the cases of a range, each under a deadline
and all under a limit of memory, and prints those that end in anything but evidence or an error of ours. With ``--verbs`` what
can be read goes through a verb with random options and through a law, and every eighth case is a damaged saved state or arena. A
folder adds its small files to the seeds.
"""

import bz2
import contextlib
import copy
import faulthandler
import gzip
import io
import json
import math
import random
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import traceback
import unicodedata
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

import beatpath as bp
from beatpath.data.formats import BUILT_IN
from beatpath.data.layouts.roles import LAYOUTS
from helpers.fuzzed_laws import law_fault
from helpers.fuzzed_verbs import verb_fault
from helpers.paths import FORMAT_FILES
from helpers.shapes import S as SHAPES
from helpers.tampering import STATES, tampered_fault

FILES = FORMAT_FILES
DEADLINE, STUCK = 60, 900  # seconds of work a case may take, most take a hundredth of one; seconds in all
MEMORY = 3 << 30  # bytes of address space beyond what the libraries have taken once loaded
SMALL = 40_000  # bytes of a file that may serve as a seed

TABLES = {
    "winner and loser": "winner,loser,weight,task\nada,bob,1,chess\nbob,cyd,2.5,go\ncyd,ada,0,\n",
    "pair counts": "model_a,model_b,wins_a,wins_b,ties,both_bad\nada,bob,3,1,2,0\nbob,ada,1,1,0,1\ncyd,ada,0,4,,\n",
    "one-hot winners": (
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nada,bob,1,0,0\nbob,cyd,0,0,1\ncyd,ada,0,1,0\n"
    ),
    "battles": (
        "model_a,model_b,winner,judge,question_id,language,tstamp,weight\n"
        "ada,bob,model_a,j1,1,en,1682351591.1,1\nbob,ada,tie,j2,2,,2023-04-24,2\n"
        'cyd,"d, ""e""",tie (bothbad),j1,2,fr,,0.5\n'
    ),
    "battles by score": "home_team,away_team,home_score,away_score,neutral,date\nada,bob,3,1,0,2001-02-03\nbob,cyd,2,2,1,\n",
    "orderings": "voter,place_1,place_2,place_3,count\nv,ada,bob,cyd,3\nw,cyd,bob,,1\n",
    "best and worst": "option_a,option_b,option_c,best,worst\nada,bob,cyd,A,C\ncyd,bob,ada,c,a\n",
    "places": "match,player,rank,weight\n1,ada,1,1\n1,bob,2,1\n1,cyd,2,1\n2,cyd,1,3\n2,ada,5,3\n",
    "places by score": "match_id,agent,score,task\n1,ada,9,x\n1,bob,4,x\n1,cyd,4,x\n2,cyd,3,y\n2,ada,-1e3,y\n",
    "ranks by column": "voter,ada,bob,cyd\nv,1,2,3\nw,3,1,2\nx,2,1,3\n",
    "win matrix": "agent,ada,bob,cyd\nada,5,3,0\nbob,1,0,2\ncyd,0,4,0\n",
    "scores": (
        "model,task,item,metric,seed,value,stderr,higher_is_better\n"
        "ada,t,1,acc,0,0.5,0.1,true\nada,t,1,loss,0,2,,false\nbob,t,2,acc,1,1,0.25,true\n"
    ),
    "wide scores": "model,math,code,writing\nada,0.5,0.1,0.7\nbob,,0.2,0.8\ncyd,0.25,0.3,\n",
}
assert TABLES.keys() == LAYOUTS.keys()
PREFLIB = {
    "lunch.toi": (
        "# TITLE: Lunch\n# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 6\n# NUMBER UNIQUE ORDERS: 3\n"
        "# ALTERNATIVE NAME 1: soup\n# ALTERNATIVE NAME 2: rice\n# ALTERNATIVE NAME 3: bread\n3: 1,{2,3}\n2: 3,1\n1: 2\n"
    ),
    "old.soc": "3\n1,soup\n2,rice\n3,bread\n5,5,2\n3,1,2,3\n2,3,1,2\n",
}
PGN = (
    '[Event "Cup"]\n[Date "1999.01.02"]\n[Round "1"]\n[White "Ada"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 {a comment} '
    '1-0\n\n[Event "Cup"]\n[UTCDate "1999.01.03"]\n[UTCTime "12:00:00"]\n[White "Bob \\"B\\" Cyd"]\n[Black "Ada"]\n'
    '[Result "1/2-1/2"]\n\n1. d4 ; line\n1/2-1/2\n'
)
SUFFIXES = [
    "", ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".npz", ".npy", ".soc", ".soi", ".toc", ".toi",
    ".pgn", ".eval", ".csv.gz", ".csv.zst", ".jsonl.gz", ".jsonl.zst", ".pgn.gz", ".soc.zst", ".json.gz", ".bin",
]  # fmt: skip
CELLS = [
    "", " ", "NaN", "nan", "inf", "-inf", "1e999", "-1", "1e308", "-1e308", "9" * 30, "9" * 400, "0x10", "true", "False",
    "null", "None", "\x00", "é", "a" * 5000, '"', "=1+1", "1,5", "٣", "¹", "1_000", " 1 ", "2020-13-45", "5e-324", "0.5",
    "1", "2", "-0", "\u202e", "\x1b[31m", "\ud7ff", "ada", "tie", "both_bad", "columns", "none", "a+b", "\u2028", "a\nb",
    "1e18", "9223372036854775807", "-9223372036854775809", "99999999999", "1e-5",
]  # fmt: skip
JSON_JUNK = [
    None, True, False, -1, 0, 7.5, math.nan, math.inf, 10**400, 2**63, -(2**70), 1e308, "", "x", "\x00", "\ud800", "a" * 5000,
    [], [None], ["x"], [[1]], {}, {"x": None}, {"": {}}, {"resolved": True}, "NaN", "C", "tie",
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """Files by name, which of them to read, and how."""

    files: dict[str, bytes]
    read: str
    options: dict[str, object]
    story: str


def in_folder(path: Path) -> dict[str, bytes]:
    """A fixture with the files beside it, which some formats need."""
    return {p.name: p.read_bytes() for p in sorted(path.parent.iterdir()) if p.is_file()}


# Shapes of tools whose files are read by a table of fields.
TOOLS = ("trec_eval", "verifiers", "evalscope_reviews", "evalscope_report", "hyperfine", "pytest_benchmark", "google_benchmark", "codeforces", "lerobot", "lerobot_tasks", "lcb_site",
    "ultrafeedback", "nectar", "tbench", "braintrust", "evalplus", "helm", "openai_evals", "deepeval", "lighteval", "mqm", "tbench_trials", "bfcl",
    "ifeval", "livecodebench", "mteb", "opencompass_details", "tau_bench", "tau2_bench", "lighteval_details", "summeval", "judgebench", "clickbench")  # fmt: skip


def seeds(folder: Path | None = None) -> list[tuple[str, dict[str, bytes], str]]:
    """Whole files in every format and form: a name, the files, and which of them is to be damaged."""
    if folder is not None:
        paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".md" and p.stat().st_size < SMALL)
        return [(p.name, {p.name: p.read_bytes()}, p.name) for p in paths]
    cases = [(str(p.relative_to(FILES)), in_folder(p), p.name) for p in sorted(FILES.rglob("*")) if p.is_file()]
    plain = {f"{name}{end}": data for name, text in TABLES.items() for end, data in forms(text).items()}
    plain |= {name: text.encode() for name, text in PREFLIB.items()} | {"game.pgn": PGN.encode()}
    plain |= {
        "game.pgn.gz": gzip.compress(PGN.encode(), mtime=0),
        "old.soc.zst": zstandard.compress(PREFLIB["old.soc"].encode()),
    }
    plain |= {"payoff.npz": archive_of(payoff=np.array([[0, 1.0], [-1, 0]]), agents=np.array(["ada", "bob"]))}
    plain |= {"live.db": arena_file()}
    plain |= {"rates.npz": archive_of(np.array([[0.5, 0.75], [0.25, 0.5]])), "payoff.npy": array_file(np.eye(2) * 0)}
    cases += [in_one_folder(name) for name in TOOLS]
    return cases + [
        (name.replace(" ", "_"), {name.replace(" ", "_"): data}, name.replace(" ", "_")) for name, data in plain.items()
    ]


def in_one_folder(tool: str) -> tuple[str, dict[str, bytes], str]:
    """One run of a tool, its files side by side; the largest is to be damaged."""
    files: dict[str, bytes] = {}
    for name, text in SHAPES[tool].items():
        files.setdefault(Path(name).name, text if isinstance(text, bytes) else text.encode())
    return tool, files, max(files, key=lambda name: len(files[name]))


def forms(text: str) -> dict[str, bytes]:
    """One table in all the forms in which a table may come, by the ending of its name."""
    rows = [line.split(",") for line in text.replace('"d, ""e"""', "de").splitlines()]
    records = [dict(zip(rows[0], (cell or None for cell in row), strict=True)) for row in rows[1:]]
    lines = "\n".join(map(json.dumps, records))
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), sink, row_group_size=2)
    return {
        ".csv": text.encode(),
        "_16.csv": text.encode("utf-16"),
        "_bom.csv": b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        ".tsv": text.replace(",", "\t").encode(),
        "_semicolons.txt": text.replace(",", ";").encode(),
        ".json": json.dumps(records, indent=1).encode(),
        ".jsonl": lines.encode(),
        ".csv.gz": gzip.compress(text.encode(), mtime=0),
        ".csv.zst": zstandard.compress(text.encode()),
        ".jsonl.gz": gzip.compress(lines.encode(), mtime=0),
        ".jsonl.zst": zstandard.compress(lines.encode()),
        ".parquet": sink.getvalue(),
    }


def arena_file() -> bytes:
    """Three battles of three agents in the tables of an arena that its reader looks at."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE beatpath_arena (name TEXT, version INTEGER, settings TEXT)")
        db.execute("INSERT INTO beatpath_arena VALUES ('arena', 2, '{\"policy\": \"uniform\"}')")
        db.execute("CREATE TABLE beatpath_agent (id INTEGER PRIMARY KEY, name TEXT, retired REAL)")
        db.executemany("INSERT INTO beatpath_agent (id, name) VALUES (?, ?)", [(1, "ada"), (2, "bob"), (3, "cyd")])
        columns = "id INTEGER PRIMARY KEY, a, b, outcome, both_bad, first, answered, prompt, judge"
        db.execute(f"CREATE TABLE beatpath_battle ({columns})")
        rows = [
            (1, 1, 2, 1.0, 0, 1, 10.0, "p", "j"),
            (2, 2, 3, 0.5, 0, 3, 11.0, "q", "j"),
            (3, 3, 1, 0.0, 0, 1, None, None, None),
        ]
        db.executemany("INSERT INTO beatpath_battle VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        db.commit()
        return db.serialize()


def archive_of(*arrays: np.ndarray, **named: np.ndarray) -> bytes:
    sink = io.BytesIO()
    np.savez(sink, *arrays, **named)
    return sink.getvalue()


def array_file(array: np.ndarray) -> bytes:
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue()


def flip(rng: random.Random, data: bytes) -> bytes:
    """A few bytes changed."""
    spoiled = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8, 40])):
        if spoiled:
            spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
    return bytes(spoiled)


def cut(rng: random.Random, data: bytes) -> bytes:
    """The end, or something in the middle, missing."""
    low, high = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:low] if rng.random() < 0.5 else data[:low] + data[high:]


def insert(rng: random.Random, data: bytes) -> bytes:
    """Something that does not belong there."""
    at = rng.randrange(len(data) + 1)
    odd = [
        b"\x00",
        b"\xff\xfe",
        b"\xc3",
        b'"',
        b"\n",
        b"\r",
        b",",
        b"{",
        b"}",
        b"[" * 2000,
        b"\\",
        b"'",
        b"\xef\xbb\xbf",
    ]
    return (
        data[:at]
        + rng.choice([*odd, rng.randbytes(rng.randrange(1, 50)), b"\xed\xa0\x80", b'"""', b"\t;|"])
        + data[at:]
    )


def repeat(rng: random.Random, data: bytes) -> bytes:
    """A piece twice, or very often."""
    low, high = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:high] + data[low:high] * rng.choice([1, 1, 1, 30]) + data[high:]


def swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def change_numbers(rng: random.Random, data: bytes) -> bytes:
    """Some numbers replaced by what is hardly one."""
    share = rng.choice([0.05, 0.3, 1.0])
    junk = rng.choice(CELLS).encode("utf-8", "surrogatepass")
    return re.sub(rb"-?\d+(?:\.\d+)?", lambda m: junk if rng.random() < share else m[0], data)


def change_cells(rng: random.Random, data: bytes) -> bytes:
    """Some cells of separated text replaced by junk."""
    share, same = rng.choice([0.05, 0.3]), rng.random() < 0.5
    junk = rng.choice(CELLS)

    def put(match: re.Match[bytes]) -> bytes:
        word = junk if same else rng.choice(CELLS)
        return word.encode("utf-8", "surrogatepass") if rng.random() < share else match[0]

    return re.sub(rb"[^,;\t\n]+", put, data)


def change_delimiters(rng: random.Random, data: bytes) -> bytes:
    signs = [b",", b";", b"\t", b"|", b":", b" ", b"\n", b"\r\n", b"\r", b"\x1f"]
    return data.replace(rng.choice(signs[:7]), rng.choice(signs))


def change_json(rng: random.Random, data: bytes) -> bytes:
    """One place of a JSON document, or of one line, replaced, removed, renamed or buried."""
    try:
        whole, lines = json.loads(data), None
    except (ValueError, RecursionError):
        lines = data.split(b"\n")
        at = rng.randrange(len(lines))
        try:
            whole = json.loads(lines[at])
        except (ValueError, RecursionError):
            return change_cells(rng, data)
    for _ in range(rng.choice([1, 1, 3])):
        whole = _spoiled(rng, whole)
    try:
        text = json.dumps(whole).encode("utf-8", "surrogatepass")
    except RecursionError:
        return b"[" * 5000 + data
    if lines is None:
        return text
    lines[at] = text
    return b"\n".join(lines)


def _spoiled(rng: random.Random, value: object) -> object:
    """Walk down at random, then do damage."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    if keys and rng.random() < 0.85:
        key = rng.choice(list(keys))
        value[key] = _spoiled(rng, value[key])  # type: ignore[index]
        return value
    how = rng.randrange(5)
    if how == 0:
        for _ in range(rng.choice([3, 500])):
            value = [value] if rng.random() < 0.5 else {"x": value}
        return value
    if how == 1 and isinstance(value, dict) and value:
        del value[rng.choice(list(value))]
        return value
    if how == 2 and isinstance(value, dict) and value:
        value[rng.choice(CELLS)] = value.pop(rng.choice(list(value)))
        return value
    return copy.deepcopy(rng.choice(JSON_JUNK))


def encode_otherwise(rng: random.Random, data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode(
        rng.choice(["utf-16", "utf-16-be", "utf-32", "utf-7", "cp500", "latin-1"]), "replace"
    )


BYTES: list[Callable[[random.Random, bytes], bytes]] = [flip, cut, insert, repeat]
TEXT = [
    *BYTES, swap_lines, change_numbers, change_numbers, change_cells, change_cells, change_delimiters, change_json,
    change_json, encode_otherwise,
]  # fmt: skip


def damage(rng: random.Random, name: str, data: bytes) -> tuple[bytes, str]:
    """Damage a file from outside, or take it out of its wrapping first."""
    if rng.random() < 0.6:
        if data.startswith(b"\x1f\x8b"):
            inner, story = damage(rng, name, gzip.decompress(data))
            return gzip.compress(inner, mtime=0), f"gzip of {story}"
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            inner, story = damage(rng, name, zstandard.ZstdDecompressor().stream_reader(data).read())
            return zstandard.compress(inner), f"zstd of {story}"
        if data.startswith(b"PK"):
            return _member_damaged(rng, data)
        if data.startswith(b"PAR1"):
            return _columns_damaged(rng, data)
    how = [
        rng.choice(BYTES if data[:4] in (b"PAR1", b"PK\x03\x04") else TEXT) for _ in range(rng.choice([1, 1, 1, 2, 4]))
    ]
    for change in how:
        data = change(rng, data)[: SMALL * 20]
    return data, " ".join(change.__name__ for change in how)


def _member_damaged(rng: random.Random, data: bytes) -> tuple[bytes, str]:
    """A zip archive with one of its members changed, gone, or there twice."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(sink, "w", rng.choice([0, 8, 12, 14])) as new:
        infos = [info for info in old.infolist() if info.compress_type in (0, 8)]
        chosen = rng.randrange(len(infos)) if infos else 0
        story = "nothing"
        for i, info in enumerate(infos):
            content = old.read(info)
            if i == chosen:
                content, story = damage(rng, info.filename, content)
                if rng.random() < 0.1:
                    continue
            odd = [cell for cell in CELLS[3:] if cell[0] != "\x00"]  # which zipfile cuts to no name
            new.writestr(rng.choice(odd) if rng.random() < 0.01 else info.filename, content)
    return sink.getvalue(), f"zip of {story}"


def _columns_damaged(rng: random.Random, data: bytes) -> tuple[bytes, str]:
    """A Parquet file with a column of another type, with nulls, or with other rows."""
    table = pq.read_table(io.BytesIO(data))
    name = rng.choice(table.column_names)
    at, n = table.column_names.index(name), len(table)
    odd = {
        "floats": [rng.choice([0.5, math.nan, math.inf, -1.0, 1e308, None]) for _ in range(n)],
        "integers": [rng.choice([0, 1, -1, 2**62, None]) for _ in range(n)],
        "truths": [rng.choice([True, False, None]) for _ in range(n)],
        "nothing": pa.nulls(n),
        "lists": [[1, 2]] * n,
        "structs": [{"x": "y"}] * n,
        "bytes": [b"\xff\x00"] * n,
        "maps": pa.array([[("k", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        "times": pa.array([10**15] * n, pa.timestamp("us")),
        "dates": pa.array([10**6] * n, pa.date32()),
        "decimals": pa.array([None] * n, pa.decimal128(38, 10)),
        "cells": [rng.choice(CELLS) for _ in range(n)],
        "codes": pa.array([rng.choice(["ada", "tie", None]) for _ in range(n)], pa.string()).dictionary_encode(),
    }
    kind = rng.choice(list(odd))
    table = table.set_column(
        at,
        rng.choice([name, name, "", 'a"b', "x.y"]),
        pa.array(odd[kind]) if isinstance(odd[kind], list) else odd[kind],
    )
    sink = io.BytesIO()
    pq.write_table(table.slice(0, rng.choice([n, n, 0])), sink)
    return sink.getvalue(), f"parquet column of {kind}"


def case(number: int, known: list[tuple[str, dict[str, bytes], str]]) -> Case:
    """Return the case with this number."""
    rng = random.Random(number)
    options: dict[str, object] = {}
    if rng.random() < 0.1:
        options["format"] = rng.choice(list(BUILT_IN))
    if rng.random() < 0.2:
        options |= {"to": "pairs"} | (
            {"by": [rng.choice(["task", "cluster", "judge", "position", "file"])]} if rng.random() < 0.5 else {}
        )
    if rng.random() < 0.3:
        options |= {"self_battles": "drop", "repeats": "best"}
    if rng.random() < 0.1:
        options["where"] = [rng.choice(["weight>0", "task=x", "task!=x", "score<1e3", "judge=j1", "agent=ada"])]
    if rng.random() < 0.05:
        options["encoding"] = rng.choice(
            ["latin-1", "utf-16", "utf-8-sig", "cp500", "nonsense", "utf-7", "base64", "rot13"]
        )
    if rng.random() < 0.05:
        options["delimiter"] = rng.choice([";", "\t", "|", " ", '"', "\n", "", "é", "\x00", "ab", "a"])
    if rng.random() < 0.03:
        options["keep"] = [rng.choice(["weight", "task", "language", "x.y", "", "file"])]
    if rng.random() < 0.08:
        name = "random" + rng.choice(SUFFIXES)
        magic = rng.choice(
            [
                b"",
                b"",
                b"PAR1",
                b"PK\x03\x04",
                b"\x1f\x8b\x08",
                b"\x28\xb5\x2f\xfd",
                b"{",
                b"[",
                b"#",
                b"\x93NUMPY",
                b"BZh",
            ]
        )
        text = rng.random() < 0.4
        body = (
            "".join(rng.choice('abAB019,.;:"\n\t{}[]# é\x00') for _ in range(rng.choice([3, 60, 600]))).encode()
            if text
            else rng.randbytes(rng.choice([0, 1, 7, 100, 5000]))
        )
        body = bz2.compress(body) if magic == b"BZh" else magic + body
        return Case({name: body}, name, options, "random bytes")
    name, files, target = known[rng.randrange(len(known))]
    data, story = damage(rng, target, files[target])
    files = {**files, target: data}
    return Case(files, rng.choice([target, target, ""]), options, f"{name}: {story}")


def fault(case: Case, folder: Path, verbs: int | None = None) -> str | None:
    """Read a case, and put it through a verb of this number; return what is wrong with how that ended, or nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in case.files.items():
        (folder / name).write_bytes(data)
    try:
        evidence = bp.read(folder / case.read if case.read else folder, **case.options)
    except bp.BeatpathError as error:
        message = str(error)
        unsafe = {c for c in message if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
        if unsafe or not message.rstrip().endswith((".", "?", "`.")):
            return f"an error that is no safe sentence: {message[-300:]!r}"
        return None
    except Exception:  # noqa: BLE001  whatever it is, it is the finding
        return traceback.format_exc(limit=-6)
    account = evidence.reading
    str(account), repr(evidence)
    if verbs is not None and (wrong := verb_fault(verbs, folder / case.read if case.read else folder, folder / "out")):
        return wrong
    if verbs is not None and (wrong := law_fault(verbs, evidence)):
        return wrong
    if account.rows_read != account.rows_used + sum(account.dropped.values()):
        return f"an account that does not add up: {account}"
    return None


def main(first: int, n_cases: int, *rest: str) -> int:
    """Read a range of cases and print every fault with its number; the exit status says whether there was any."""
    verbs, folder = "--verbs" in rest, "".join(one for one in rest if one != "--verbs")
    known = seeds(Path(folder) if folder else None)
    warnings.simplefilter("error")
    _limit_memory()
    faults = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch:
        for number in range(first, first + n_cases):
            print(f"case {number}", file=sys.stderr, flush=True)
            faulthandler.dump_traceback_later(STUCK, exit=True)
            _limit_work(DEADLINE)
            if verbs and number % STATES == 0:
                story, wrong = tampered_fault(random.Random(number), damage, Path(scratch) / "state")
            else:
                made = case(number, known)
                story = f"{made.story}; {made.options}"
                wrong = fault(made, Path(scratch) / "case", number if verbs else None)
            _limit_work(0)
            faulthandler.cancel_dump_traceback_later()
            if wrong:
                faults += 1
                print(f"case {number} ({story}) ended in\n{wrong}\n", flush=True)
    return int(faults > 0)


def _limit_work(seconds: int) -> None:
    """End the process with a traceback after so much processor time, which a busy machine does not stretch; 0 lifts it."""
    if not hasattr(signal, "setitimer"):
        return  # there the limit of all seconds holds alone
    faulthandler.register(signal.SIGPROF, chain=True)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory() -> None:
    """Let the process have so much more address space and no more."""
    bp.read(FILES / "promptfoo" / "results.json")  # loads the libraries
    if sys.platform != "linux":
        return  # elsewhere the limit is not enforced, or there is no such file
    import resource

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, resource.RLIM_INFINITY))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
