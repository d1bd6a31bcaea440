"""The reference of the command line, read off the commands themselves whenever the documentation is built."""

import inspect
import re
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo

from beatpath.cli.main import app
from beatpath.cli.options import CONVENTIONS, READING, ConventionFlags, ReadOptions, parameters

HERE = "<!-- verbs -->"  # what the reference stands in for on its page
SHARED = {READING: parameters(ReadOptions), CONVENTIONS: parameters(ConventionFlags)}


def reference():
    """Return all verbs and their options as Markdown.

    >>> "### `beatpath resolve`" in reference() and "`--claim CLAIM`" in reference()
    True
    """
    parts = [_verb(command.name or command.callback.__name__, command.callback) for command in app.registered_commands]
    for group in app.registered_groups:
        parts.append(f"### `beatpath {group.typer_instance.info.name}`\n\n{group.typer_instance.info.help}")
        within = group.typer_instance.registered_commands
        parts += [_verb(f"{group.typer_instance.info.name} {command.name}", command.callback) for command in within]
    for panel, options in SHARED.items():
        shared = [(one.annotation, one.default) for one in options.values()]
        rows = [_row(*pair) for pair in shared if _info(pair[0]).rich_help_panel == panel]
        parts.append(f"### {panel}\n\n{_table(rows)}")
    return "\n\n".join(parts)


def _verb(verb, function):
    """One verb: what it does, how it is called, examples, arguments and options."""
    hints = get_type_hints(function, include_extras=True)
    there = {name: (hints[name], p.default) for name, p in inspect.signature(function).parameters.items()}
    text, examples = _text_and_examples(function)
    name = f"beatpath {verb}"
    arguments = [kind for kind, _ in there.values() if isinstance(_info(kind), ArgumentInfo)]
    places = " ".join(f"[{_info(kind).metavar}]" if _optional(kind) else _info(kind).metavar for kind in arguments)
    call = " ".join(filter(None, [name, places, "[OPTIONS]"]))
    own = [_row(*pair) for pair in there.values() if _info(pair[0]).rich_help_panel not in SHARED]
    lines = [f"### `{name}`", text, "```sh\n" + "\n".join([call, *examples]) + "\n```", _table(own)]
    return "\n\n".join(filter(None, [*lines, _takes_too(there)]))


def _text_and_examples(function):
    """The text of a docstring, and its examples."""
    paragraphs = [" ".join(part.split()) for part in inspect.getdoc(function).split("\n\n")]
    examples = [part for part in paragraphs if part.startswith("beatpath ")]
    return "\n\n".join(part for part in paragraphs if part not in examples), examples


def _takes_too(there):
    """A line on the options that a verb shares with others, and those whose default is its own."""
    panels = [panel for panel, options in SHARED.items() if set(options) & set(there) - {"files", "example", "seed"}]
    if not panels:
        return ""
    links = " and ".join(f"[{panel}](#{panel.lower()})" for panel in panels)
    usual = {name: one.default for name, one in (SHARED[READING] | SHARED[CONVENTIONS]).items()}
    changed = [
        f"`{_flags(kind)}` is `{default}` here"
        for name, (kind, default) in there.items()
        if default != usual.get(name, default)
    ]
    return f"Takes the options under {links} too{'; ' + ', '.join(changed) if changed else ''}."


def _row(kind, default):
    """One argument or option: how it is written, its default, what it means."""
    info = _info(kind)
    choices = [str(one) for part in _parts(kind) if get_origin(part) is Literal for one in get_args(part)]
    meaning = re.sub(r"(?<![\w`-])--[a-z-]+", r"`\g<0>`", info.help or "")
    if choices:
        meaning += f" One of {', '.join(f'`{one}`' for one in choices)}."
    if any(get_origin(part) is list for part in _parts(kind)) and "repeat" not in meaning.lower():
        meaning += " May be repeated."
    if getattr(info, "envvar", None):
        meaning += f" Also by the variable `{info.envvar}`."
    written = info.metavar if isinstance(info, ArgumentInfo) else f"{_flags(kind)}{_value(kind)}"
    return f"`{written}`", _shown(kind, default), meaning


def _shown(kind, default):
    """A default, if there is one to show; of two switches the one that holds."""
    if isinstance(default, bool):
        sides = _flags(kind).split("/")
        return f"`{sides[not default]}`" if len(sides) == 2 else ""
    return "" if default is None or default is inspect.Parameter.empty else f"`{default}`"


def _flags(kind):
    """How an option is written; typer keeps the first way where it looks for a default."""
    info = _info(kind)
    return ", ".join(way for way in (info.default, *info.param_decls) if isinstance(way, str))


def _value(kind):
    """What follows an option: its metavar, a number, or nothing for a switch."""
    if _info(kind).metavar:
        return f" {_info(kind).metavar}"
    names = {int: " NUMBER", float: " NUMBER", str: " TEXT"}
    literal = " NAME" if any(get_origin(part) is Literal for part in _parts(kind)) else ""
    return literal or next((names[part] for part in _parts(kind) if part in names), "")


def _parts(kind):
    """The types that an option may have, taken apart."""
    plain = get_args(kind)[0]
    return (plain, *get_args(plain)) if get_origin(plain) not in (Literal, list) else (plain,)


def _optional(kind):
    return type(None) in get_args(get_args(kind)[0])


def _info(kind: Any):
    """What typer knows of an option."""
    assert get_origin(kind) is Annotated, kind
    return get_args(kind)[1]


def _table(rows):
    cells = [("option", "default", "meaning"), ("---", "---", "---"), *rows]
    return "\n".join("| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in row) + " |" for row in cells)
