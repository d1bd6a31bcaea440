"""``beatpath schema [VERB]``: what the JSON of a verb holds."""

import sys
from typing import Annotated

import typer

from beatpath.cli.output import print_table


def schema(
    verb: Annotated[
        str | None,
        typer.Argument(
            metavar="[VERB]", show_default=False, help="A verb, or the type of a document; without one, all are listed."
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of what a verb prints with `--format json`, or list the documents there are.

    beatpath schema

    beatpath schema resolve
    """
    from beatpath._schema import dumps, verb_schema

    if verb is None:
        print_table(_all_documents())
        return
    sys.stdout.write(dumps(verb_schema(verb), indent=2) + "\n")


def _all_documents() -> str:
    """Verbs with the documents they print, then all documents with a sentence each."""
    from beatpath._documents import DOCUMENTS, VERBS

    width = max(map(len, DOCUMENTS))
    verbs = [f"{verb:{width}}  {' or '.join(names)}" for verb, names in VERBS.items()]
    documents = [f"{name:{width}}  {text.splitlines()[0]}" for name, text in DOCUMENTS.items()]
    return "\n".join(["Verbs, and the documents they print:", *verbs, "", "Documents:", *documents])
