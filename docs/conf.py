"""Configuration of the documentation; tables that would otherwise drift are made from the code itself."""

import inspect
import re
import sys
from pathlib import Path

import beatpath
from beatpath.checks.finding import CheckLimits
from beatpath.data.formats import BUILT_IN, reader_named
from beatpath.data.layouts.roles import LAYOUTS
from beatpath.evidence.conventions import MEANINGS

sys.path.insert(0, str(Path(__file__).parent))
import command_line
import gallery
import search_terms

project = "beatpath"
author = "The beatpath authors"
project_copyright = author
release = version = beatpath.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"beatpath {release}"

napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_typehints = "none"  # shapes and meanings stand in the docstrings
autodoc_member_order = "bysource"

suppress_warnings = ["ref.python"]  # a word of a shape such as `draws` may be an attribute of two classes


def table(head, rows):
    """Return a Markdown table."""
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in cells)


def limits():
    """Return name, value and reason of every limit, the reason from the docstring."""
    text = inspect.getdoc(CheckLimits)
    described = re.findall(r"^(\w+) : \w+\n((?:    .+\n?)+)", text, re.MULTILINE)
    return [(f"`{name}`", f"{getattr(CheckLimits(), name):g}", " ".join(why.split())) for name, why in described]


myst_enable_extensions = ["dollarmath", "deflist", "substitution"]
myst_heading_anchors = 3
myst_substitutions = {
    "conventions": table(
        ("convention", "value", "meaning"),
        [(f"`{name}`", f"`{v}`", why) for name, values in MEANINGS.items() for v, why in values.items()],
    ),
    "formats": table(("name", "what it is"), [(f"`{name}`", reader_named(name).sentence) for name in BUILT_IN]),
    "layouts": table(
        ("layout", "required roles", "optional roles"),
        [
            (name, ", ".join(f"`{r}`" for r in part["required"]), ", ".join(f"`{r}`" for r in part["optional"]))
            for name, part in LAYOUTS.items()
        ],
    ),
    "limits": table(("limit", "value", "why"), limits()),
}


def with_verbs(app, docname, source):
    """Put the reference of the command line and the gallery into their pages, and search terms into all."""
    source[0] = search_terms.with_index(docname, source[0])
    source[0] = source[0].replace(command_line.HERE, command_line.reference())
    if gallery.HERE in source[0]:
        source[0] = source[0].replace(gallery.HERE, gallery.page())


def with_example(app, exception):
    """Put the gallery and a report of the example beside the pages that link them."""
    if exception is None and app.builder.format == "html":
        report = beatpath.report(beatpath.example(), title="The built-in example")
        report.save(Path(app.outdir) / "example_report.html")
        gallery.save(Path(app.outdir) / "gallery")


def with_keys(app, pagename, templatename, context, doctree):
    """Let the keyboard reach code blocks and tables, which scroll where they are wider than the page."""
    body = context.get("body", "").replace("<pre>", '<pre tabindex="0">')
    context["body"] = body.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')


def setup(app):
    """Make what is made from the code."""
    app.connect("html-page-context", with_keys, priority=900)  # after the theme, which wraps tables
    app.connect("source-read", with_verbs)
    app.connect("build-finished", with_example)
