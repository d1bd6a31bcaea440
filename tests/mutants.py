"""Whether the tests notice: small faults put into the numerical rooms one at a time, each tried against its own tests.

Run      make mutants            (20 minutes and more on two cores; no part of the test run)
         python tests/mutants.py --number 20 --only ranks/critical.py

A fault turns a comparison round, swaps + and -, * and /, min and max, ``and`` and ``or``, takes away a ``not`` or a term of a
sum, or changes a number. So many faults are drawn from all there are by a fixed seed. Each is written into a copy of the
tree, where the test file that mirrors the module and the doctests of the module are run: a test that fails, or that takes
longer than the limit, has noticed. A fault that changes no answer cannot be noticed; `EQUIVALENT` and `SPEED` list these by name with
the reason, and they are not drawn. The exit status is 1 when more than 5 % survive.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import partial
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TESTS = Path("src/beatpath/inference"), Path("tests/inference")
ROOMS = ("win_rates", "scale", "scores", "ranks", "cycles", "resolve")
LIMIT = 300  # seconds a fault may take
ALLOWED = 0.05  # share that may survive

ALSO = {  # tests beside the mirrored ones that a module is held by
    "scale/additive.py": ("scale/test_lack_of_fit.py",),
}
EQUIVALENT = {  # faults that change no answer, and why
    "win_rates/runs.py compared_runs: scores.value * scores.sign() -> scores.value / scores.sign()": "a sign is 1 or -1",
    "cycles/triads.py cycles_through: 1 -> 0 in axis=1": "a cycle passes through its first agent as often as its last",
    "win_rates/win_rates.py done: 2 -> 3 in 2 ** 31": "how wide an index is stored",
    "win_rates/win_rates.py done: 31 -> 32 in 2 ** 31": "how wide an index is stored",
    "win_rates/win_rates.py done: 2 ** 31 -> 2": "how wide an index is stored",
    "win_rates/win_rates.py _only_battle_of_cluster: 1 -> 0 in minlength=1": "only an empty part has fewer counts, and no row",
}
SPEED = {  # functions and constants in which some faults choose only how an answer is found, by the words that stand there
    "win_rates/estimate.py gram": ("FULL", "X.shape", "np.diff"),
    "scale/lack_of_fit.py _gram": ("0.05", "4000000"),
    "cycles/triads.py cycles_through": ("DENSE", "n_agents ** 3"),
    "win_rates/estimate.py _blocks": ("CELLS", "columns"),
    "win_rates/estimate.py module": ("8388608", "<<", "50"),
    "win_rates/cluster_cells.py module": ("<<",),
    "cycles/triads.py module": ("75",),
    "ranks/simulation.py module": ("512",),
    "scale/additive.py module": ("4000000",),
    "scale/lack_of_fit.py module": ("1500", "128"),
}

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.GtE, ast.LtE),
    ast.LtE: (ast.Gt, ast.Lt),
    ast.Gt: (ast.LtE, ast.GtE),
    ast.GtE: (ast.Lt, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
OPPOSITE = {
    **dict(pair for a, b in (("min", "max"), ("minimum", "maximum"), ("any", "all")) for pair in ((a, b), (b, a))),
    "argmin": "argmax",
    "argmax": "argmin",
    "ceil": "floor",
    "floor": "ceil",
}
NOT_ENTERED = (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom, ast.Assert)  # words, and what types see


Step = tuple[str, int | None]


class Mutant(NamedTuple):
    """One fault: the module, its name, and how the source with it is made."""

    module: str
    name: str
    source: Callable[[], str]


def mutants(module: str, text: str) -> Iterator[Mutant]:
    """Yield every fault of a module, with a name that stays while the code around it does.

    >>> [one.name for one in mutants("m.py", "def f(x):\\n    return x + 1\\n")]
    ['m.py f: x + 1 -> x - 1', 'm.py f: x + 1 -> x', 'm.py f: 1 -> 0 in x + 1']
    """
    tree = ast.parse(text)
    seen: dict[str, int] = {}
    for function, path in _places(tree):
        node = _at(tree, path)
        for faulty in _faults(node):
            before, after = ast.unparse(node), ast.unparse(faulty)
            context = "" if not isinstance(node, ast.Constant | ast.Name) else f" in {_around(tree, path)}"
            name = f"{module} {function}: {before} -> {after}{context}"
            seen[name] = seen.get(name, 0) + 1
            name += f" ({seen[name]})" if seen[name] > 1 else ""
            yield Mutant(module, name, partial(_with_fault, tree, path, faulty))


def _with_fault(tree: ast.Module, path: tuple[Step, ...], faulty: ast.expr) -> str:
    changed = deepcopy(tree)
    _put(changed, path, faulty)
    return ast.unparse(ast.fix_missing_locations(changed))


def _places(
    tree: ast.AST, path: tuple[Step, ...] = (), function: str = "module"
) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Every expression that may be at fault, by the steps that lead to it, with the function it stands in."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "type_comment", "test") and not _entered(tree, field):
            continue
        for k, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, NOT_ENTERED):
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue
            inside = f"{child.name}" if isinstance(child, ast.FunctionDef | ast.ClassDef) else function
            here = (*path, (field, k))
            if isinstance(child, ast.expr):
                yield function, here
            yield from _places(child, here, inside)


def _entered(node: ast.AST, field: str) -> bool:
    """Whether a field that types and decorators share with code is code here."""
    return field == "test" and "TYPE_CHECKING" not in ast.unparse(getattr(node, field))


def _at(tree: ast.AST, path: tuple[Step, ...]) -> ast.expr:
    node = tree
    for field, k in path:
        node = getattr(node, field) if k is None else getattr(node, field)[k]
    return node


def _put(tree: ast.AST, path: tuple[Step, ...], new: ast.expr) -> None:
    *way, (field, k) = path
    parent = _at(tree, tuple(way))
    if k is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[k] = new


def _around(tree: ast.AST, path: tuple[Step, ...]) -> str:
    """What a number or a name stands in, on one line."""
    return ast.unparse(_at(tree, path[:-1])).split("\n")[0][:80]


def _faults(node: ast.expr) -> Iterator[ast.expr]:
    """Every fault of one expression itself, not of its parts."""
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            for other in COMPARED[type(op)]:
                yield ast.Compare(node.left, [*node.ops[:k], other(), *node.ops[k + 1 :]], node.comparators)
    elif isinstance(node, ast.BinOp):
        if type(node.op) in SWAPPED and not _text(node):
            yield ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
        if isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow) and not _text(node):
            yield node.left
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        if not isinstance(node.operand, ast.Constant):
            yield node.operand
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in OPPOSITE:
        yield ast.Name(OPPOSITE[node.id], ast.Load())
    elif isinstance(node, ast.Attribute) and node.attr in OPPOSITE:
        yield ast.Attribute(node.value, OPPOSITE[node.attr], node.ctx)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(
            {0: 1, 1: 0}.get(node.value, node.value + 1) if type(node.value) is int else _other(node.value)
        )


def _text(node: ast.BinOp) -> bool:
    """Whether an operation is one of words."""
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in ast.walk(node)
    )


def _other(value: float) -> float:
    """Another number: nothing for a share, twice as much for anything else."""
    return 0.0 if value in (0.5, 1.0) else 1.0 if value == 0 else 2 * value


def drawn(number: int, seed: int, only: str | None) -> list[Mutant]:
    """Return the faults to try: so many of all that are not known to change nothing."""
    everywhere: list[Mutant] = []
    for room in ROOMS:
        for path in sorted((ROOT / SOURCE / room).glob("[!_]*.py")):
            module = path.relative_to(ROOT / SOURCE).as_posix()
            if only is None or only == module:
                everywhere += [
                    one for one in mutants(module, path.read_text(encoding="utf-8")) if one.name not in EQUIVALENT
                ]
    return random.Random(seed).sample(everywhere, min(number, len(everywhere)))


def changes_nothing(name: str) -> bool:
    """Return whether a fault is known to change no answer."""
    where, fault = name.split(": ", 1)
    return name in EQUIVALENT or any(words in fault for words in SPEED.get(where, ()))


def held_by(module: str) -> list[str]:
    """Return what a module is held by: its mirrored tests and its doctests."""
    room, file = module.split("/")
    mirrored = [TESTS / room / f"test_{file}", *(TESTS / one for one in ALSO.get(module, ()))]
    return [str(SOURCE / module), *(str(path) for path in mirrored)]


def noticed(tree: Path, mutant: Mutant) -> bool | None:
    """Put the fault into a copy of the tree and return whether a test fails; None where it ran out of time."""
    path = tree / SOURCE / mutant.module
    whole = path.read_text(encoding="utf-8")
    path.write_text(mutant.source(), encoding="utf-8")
    try:
        return _fails(tree, held_by(mutant.module))
    except subprocess.TimeoutExpired:
        return None
    finally:
        path.write_text(whole, encoding="utf-8")


def _fails(tree: Path, tests: list[str]) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    settings = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1", "CI": "1"}
    done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode > 2:
        raise RuntimeError(f"pytest could not be run on {tests}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode != 0


def _copy(to: Path) -> Path:
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", to)
    return to


def main() -> int:
    """Try the faults, print those that survive, and say how many they are."""
    parser = argparse.ArgumentParser(
        description="Put faults into the numerical rooms and see whether their tests notice."
    )
    parser.add_argument("--number", type=int, default=120, help="faults to try [120]")
    parser.add_argument("--seed", type=int, default=0, help="of the draw [0]")
    parser.add_argument("--jobs", type=int, default=2, help="faults tried at a time [2]")
    parser.add_argument("--only", help="one module, as ranks/critical.py")
    asked = parser.parse_args()
    todo = drawn(asked.number, asked.seed, asked.only)
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for k in range(asked.jobs):
            trees.put(_copy(Path(folder) / str(k)))

        def tried(mutant: Mutant) -> bool | None:
            tree = trees.get()
            try:
                found = noticed(tree, mutant)
            finally:
                trees.put(tree)
            words = {True: "noticed", False: "SURVIVED", None: "out of time"}
            print(f"{words[found]:12}{mutant.name}", flush=True)
            return found

        with ThreadPoolExecutor(asked.jobs) as pool:
            found = list(pool.map(tried, todo))
    survived = found.count(False)
    print(
        f"{survived} of {len(todo)} faults survived ({survived / max(len(todo), 1):.1%}); {found.count(None)} ran out of time."
    )
    return int(survived > ALLOWED * len(todo))


if __name__ == "__main__":
    sys.exit(main())
