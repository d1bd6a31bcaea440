"""`guarded`: public functions and methods answer an argument of the wrong type with a sentence."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import wraps
from inspect import Parameter, Signature, formatannotation, signature, unwrap
from numbers import Integral, Real
from os import PathLike
from types import FunctionType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from beatpath._errors import BeatpathError, UsageError
from beatpath._text import guesses, listed, option_hint, quoted

OWN = ("self", "cls")
WORDS = {
    float: "a number",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    NoneType: "None",
    PathLike: "a path",
}  # of types


def guarded(value: Any, door: str) -> Any:
    """Return a public function or class that answers an argument of the wrong type with a sentence; other values as they are.

    Arguments are looked at only after an error, so a sound call costs nothing.

    >>> import beatpath as bp
    >>> bp.without(bp.example(), 7)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `agents` must be a list of texts; got '7'.
    """
    if isinstance(value, type) and not issubclass(value, BaseException):
        if isinstance(value.__init__, FunctionType):
            value.__init__ = _answering(value.__init__, f"{door.replace('beatpath', 'bp')}.{value.__name__}")  # type: ignore[method-assign]
        guard_methods(value)
    if not isinstance(value, FunctionType):
        return value
    call = _answering(value, f"{door.replace('beatpath', 'bp')}.{value.__name__}")
    call.__module__ = door  # where pickle finds it
    call.__dict__["__signature__"] = _readable(signature(value))
    return call


def guard_methods(kind: type) -> None:
    """Guard the public methods that a class defines, as `guarded` does functions."""
    for name, method in list(vars(kind).items()):
        function = getattr(method, "__func__", method)  # of a class method
        if isinstance(function, FunctionType) and (not name.startswith("_") or name == "__getitem__"):
            answering = _answering(function, f"{kind.__name__}.{name}")
            setattr(kind, name, answering if method is function else type(method)(answering))


def _answering(function: FunctionType, name: str) -> Any:
    """Return a function, called by this name, that answers an argument of the wrong type with a sentence."""
    if hasattr(function, "answers"):
        return function

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except BeatpathError as error:
            # options of other packages are answered where functions take them, not in methods
            plain = isinstance(error, UsageError) and "." not in function.__qualname__
            if plain and (wrong := _wrong_call(function, name, args, options)) is not None:
                raise UsageError(wrong) from None
            raise
        except Exception as error:  # whatever a value of the wrong type raises where it is used first
            if (wrong := _wrong_call(function, name, args, options)) is not None:
                raise UsageError(wrong) from None
            if (wrong := _wrong_argument(function, args, options)) is None:
                raise
            raise UsageError(wrong) from error

    call.__dict__["answers"] = True
    return call


def guard(names: dict[str, Any]) -> None:
    """Guard the public functions of a namespace, and list nothing else in it."""
    names.update({name: guarded(names[name], names["__name__"]) for name in names["__all__"]})
    names["__dir__"] = lambda: names["__all__"]


class _Name(str):
    """An annotation that `help` prints without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _readable(original: Signature) -> Signature:
    """Return a signature whose annotations are short names, for `help` and tab completion.

    >>> import beatpath as bp
    >>> str(signature(bp.without))
    '(evidence: E, agents: Iterable[str]) -> E'
    """
    from beatpath._coerce import EvidenceLike

    def plain(annotation: Any) -> str:
        text = annotation if isinstance(annotation, str) else formatannotation(annotation)
        return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=\w)|~", "", text)

    def short(annotation: Any) -> _Name:
        text = plain(annotation).replace(plain(EvidenceLike), "EvidenceLike")
        if "_SupportsArray" in text:
            from numpy.typing import ArrayLike

            text = text.replace(plain(ArrayLike), "ArrayLike")
        return _Name(re.sub(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]", r"NDArray[\1]", text))

    parameters = [
        one if one.annotation is one.empty else one.replace(annotation=short(one.annotation))
        for one in original.parameters.values()
    ]
    return original.replace(parameters=parameters, return_annotation=short(original.return_annotation))


def _wrong_call(function: FunctionType, name: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> str | None:
    """What is wrong with a call that does not fit the parameters of a function, and how it is called."""
    own = [one for one in signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
    passed_on = [one for one in signature(function).parameters.values() if one.kind is one.VAR_KEYWORD]
    named = [
        name
        for one in passed_on
        for kind in get_args(_resolved(function, one.annotation))
        if is_typeddict(kind)
        for name in kind.__annotations__
    ]
    known = [*(one.name for one in own), *named]
    other = [name for name in options if name not in known]
    if passed_on and not named:  # any option goes, but for those that have another name here
        other = [name for name in other if guesses("options").get(name, ("",))[0] in known]
    # other options may be called so
    positional = {one.name for one in own if passed_on and one.kind is one.POSITIONAL_ONLY}
    try:
        signature(function).bind(*args, **{name: value for name, value in options.items() if name not in positional})
        problem = ""
    except TypeError as error:
        problem = str(error)
    if not other and not problem:
        return None
    plain = [one.replace(annotation=one.empty, default=one.empty) for one in own]
    more = [Parameter(name, Parameter.KEYWORD_ONLY) for name in named]
    call = f"{name}{Signature([*(one for one in plain if one.name not in OWN), *more])}"
    hint = option_hint(other[0], known) if other else ""
    usual = "".join(f" {one}." for one in guesses("calls").get(function.__name__, ()))
    return f"the call must be `{call}`; {f'got {listed(other)}' if other else problem}.{hint}{usual}"


def _wrong_argument(function: FunctionType, args: tuple[Any, ...], options: Mapping[str, Any]) -> str | None:
    """What is wrong with the first argument that is not of its annotated type."""
    parameters = signature(function).parameters
    given = signature(function).bind(*args, **options).arguments
    for name, value in given.items():
        hint = _resolved(function, parameters[name].annotation)
        if name in OWN or parameters[name].kind.name in ("VAR_KEYWORD", "VAR_POSITIONAL"):
            continue
        if not _fits(value, hint):
            plain = isinstance(value, str | bytes | Real | NoneType)
            return f"`{name}` must be {_words(hint)}; got {quoted(value) if plain else type(value).__name__}."
    return None


def _resolved(function: FunctionType, annotation: Any) -> Any:
    """An annotation as a type, ``Any`` if it names what only type checkers load."""
    holder = type("holder", (), {"__annotations__": {"hint": annotation}})
    try:
        return get_type_hints(holder, unwrap(function).__globals__)["hint"]
    except NameError:
        return Any


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is of an annotated type, as far as that can be seen.

    >>> _fits(1, float | None), _fits("x", Literal["y"]), _fits([1, "x"], list[str]), _fits(7, "Later")
    (True, False, False, True)
    >>> from pathlib import Path
    >>> _fits("xy", Iterable[str]), _fits("xy", Iterable[int]), _fits(Path("xy"), PathLike[str])
    (True, False, True)
    """
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if _is_array(hint):
        import numpy as np

        with suppress(TypeError, ValueError, OverflowError):
            return np.asarray(value, dtype=np.float64).ndim > 0
        return False
    if kind in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if kind is Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if kind is float:
        from beatpath._validate import is_number

        return is_number(value)
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    try:
        right = isinstance(value, kind)
    except TypeError:  # no type that can be checked, such as Any
        return True
    if not right or not inner or isinstance(value, bytes) or not isinstance(value, Iterable):
        return right and not isinstance(value, bytes)
    if isinstance(value, str):
        return get_origin(inner[0]) is None and _fits(value, inner[0])
    if getattr(value, "ndim", 1) == 0:  # an array of one number says that it can be iterated
        return False
    parts: Any = value.values() if isinstance(value, Mapping) else () if isinstance(value, Iterator) else value
    return all(_fits(part, inner[1] if isinstance(value, Mapping) and len(inner) > 1 else inner[0]) for part in parts)


def _is_array(hint: Any) -> bool:
    """Whether an annotation is numpy's `ArrayLike`, without loading numpy."""
    return "_SupportsArray" in str(hint) and "None" not in str(hint)


def _words(hint: Any) -> str:
    """A type in words."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if _is_array(hint):
        return "an array of numbers"
    if kind in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_words, inner)))
    if kind is Literal:
        return f"one of {', '.join(map(str, inner))}"
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return f"a mapping of {_words(inner[0])} to {_words(inner[1])}" if inner else "a mapping"
    if isinstance(kind, type) and issubclass(kind, Iterable) and kind is not str and inner:
        return f"a list of {WORDS[inner[0]].removeprefix('a ')}s" if inner[0] in WORDS else "a list"
    return WORDS.get(kind, str(getattr(kind, "__name__", kind)))
