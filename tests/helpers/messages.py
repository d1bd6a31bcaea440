"""The texts of the source that name options of the command line."""

import ast

from helpers.paths import ROOT

SOURCE = ROOT / "src" / "beatpath"


def texts_with_options(folders):
    """Every text of these folders with an option in backticks; what is filled in reads x."""
    for path in [path for folder in folders for path in sorted((SOURCE / folder).rglob("*.py"))]:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        formed = [node for node in nodes if isinstance(node, ast.JoinedStr)]
        pieces = {id(part) for node in formed for part in node.values}
        plain = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in pieces]
        texts = [str(node.value) for node in plain]
        texts += [
            "".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values) for node in formed
        ]
        yield from (text for text in texts if "`--" in text and not any(sign in text for sign in ("``", "(?P")))
