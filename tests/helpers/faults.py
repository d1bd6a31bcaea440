"""Small faults of a module, one at a time: what a careless hand would do to the code, and no type checker would see.

A fault turns a comparison round, swaps + and -, * and /, min and max, ``and`` and ``or``, or the first two arguments of a call;
takes away a ``not``, a sign, a term of a sum, a factor, an exponent, a floor or a root; or changes a number or a truth value.
"""

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from typing import NamedTuple

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
DROPPED = ("sqrt", "maximum", "minimum", "clip", "abs")  # calls that may be taken away from around their first argument
SYMMETRIC = (
    "maximum",
    "minimum",
    "max",
    "min",
    "isclose",
    "allclose",
    "array_equal",
    "add",
    "multiply",
    "union",
    "isinstance",
)
NOT_ENTERED = (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom, ast.Assert)  # words, and what types see
NO_FAULTS = ("strict", "hermitian", "assume_unique", "check_finite", "copy")  # keywords whose value changes no answer
LARGE, TINY = 1000, 1e-4  # numbers from here on are limits of memory and tolerances, which no answer should depend on

Step = tuple[str, int | None]


class Fault(NamedTuple):
    """One fault: the module, the function it stands in, the line, what it is, and how the source with it is made."""

    module: str
    function: str
    line: int
    text: str
    source: Callable[[], str]

    @property
    def name(self) -> str:
        """A name that stays while the code around it does."""
        return f"{self.module} {self.function}: {self.text}"


def faults(module: str, text: str, *, numbers: bool = True) -> Iterator[Fault]:
    """Yield every fault of a module, those of numbers, and of sums and products with one, only where requested.

    >>> [one.name for one in faults("m.py", "def f(x):\\n    return x + 1\\n")]
    ['m.py f: x + 1 -> x - 1', 'm.py f: x + 1 -> x', 'm.py f: 1 -> 0 in x + 1']
    """
    tree = ast.parse(text)
    seen: dict[tuple[str, str], int] = {}
    for function, path in _places(tree):
        node = _at(tree, path)
        if not numbers and (isinstance(node, ast.Constant) or _of_constants(node)):
            continue
        for faulty in _faults_of(node):
            before, after = ast.unparse(node), ast.unparse(faulty)
            if before == after:  # two equal arguments, swapped
                continue
            context = "" if not isinstance(node, ast.Constant | ast.Name) else f" in {_around(tree, path)}"
            name = f"{before} -> {after}{context}"
            seen[function, name] = seen.get((function, name), 0) + 1
            name += f" ({seen[function, name]})" if seen[function, name] > 1 else ""
            yield Fault(module, function, node.lineno, name, partial(_with_fault, tree, path, faulty))


def _with_fault(tree: ast.Module, path: tuple[Step, ...], faulty: ast.expr) -> str:
    changed = deepcopy(tree)
    _put(changed, path, faulty)
    return ast.unparse(ast.fix_missing_locations(changed))


def _places(
    tree: ast.AST, path: tuple[Step, ...] = (), function: str = "module", whole: bool = False
) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Every expression that may be at fault, by the steps that lead to it, with the outermost function it stands in."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "type_comment", "test") and not _entered(tree, field):
            continue
        for k, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, NOT_ENTERED):
                continue
            if (isinstance(child, ast.keyword) and child.arg in NO_FAULTS) or _kind(tree, field, k):
                continue
            inside, within = function, whole
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not whole:
                inside = child.name if function == "module" else f"{function}.{child.name}"
                within = not isinstance(child, ast.ClassDef)
            here = (*path, (field, k))
            if isinstance(child, ast.expr):
                yield function, here
            yield from _places(child, here, inside, within)


def _entered(node: ast.AST, field: str) -> bool:
    """Whether a field that types and decorators share with code is code here."""
    return field == "test" and "TYPE_CHECKING" not in ast.unparse(getattr(node, field))


def _kind(node: ast.AST, field: str, k: int | None) -> bool:
    """Whether this is where `isinstance` takes the types."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance" and (field, k) == ("args", 1)


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


def _faults_of(node: ast.expr) -> Iterator[ast.expr]:
    """Every fault of one expression itself, not of its parts."""
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            for other in COMPARED[type(op)]:
                yield ast.Compare(node.left, [*node.ops[:k], other(), *node.ops[k + 1 :]], node.comparators)
    elif isinstance(node, ast.BinOp):
        yield from _of_operation(node)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        if not isinstance(node.operand, ast.Constant):
            yield node.operand
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in OPPOSITE:
        yield ast.Name(OPPOSITE[node.id], ast.Load())
    elif isinstance(node, ast.Attribute) and node.attr in OPPOSITE:
        yield ast.Attribute(node.value, OPPOSITE[node.attr], node.ctx)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Constant) and type(node.value) in (bool, int, float) and not _limit(node.value):
        yield ast.Constant(_other(node.value))


def _of_operation(node: ast.BinOp) -> Iterator[ast.expr]:
    if _text(node) or (isinstance(node.right, ast.Constant) and node.right.value is None):  # words, and a type or none
        return
    if type(node.op) in SWAPPED:
        yield ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
    if isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow):
        yield node.left
    if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Div):
        yield node.right  # a correction that stands before what it corrects


def _of_call(node: ast.Call) -> Iterator[ast.expr]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called in DROPPED and node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]
    plain = [isinstance(one, ast.Name | ast.Attribute) for one in node.args[:2]]
    if plain == [True, True] and called not in SYMMETRIC:
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)


def _text(node: ast.BinOp) -> bool:
    """Whether an operation is one of words."""
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in ast.walk(node)
    )


def _of_constants(node: ast.expr) -> bool:
    """Whether an operation has a number, or the name of one, on either side."""
    return isinstance(node, ast.BinOp) and any(
        isinstance(part, ast.Constant) or (isinstance(part, ast.Name) and part.id.isupper())
        for part in (node.left, node.right)
    )


def _limit(value: float) -> bool:
    """Whether a number says only how much is held at a time, or where rounding ends."""
    return value >= LARGE or (isinstance(value, float) and 0 < value < TINY)


def _other(value: float) -> float:
    """Another number: the next whole one, nothing for a share, twice as much for anything else."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return {0: 1, 1: 0}.get(value, value + 1)
    return 0.0 if value in (0.5, 1.0) else 1.0 if value == 0 else 2 * value
