"""Render a report as a page.

It fills in the template, draws the figures, and embeds the data so that none of it can execute.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files
from math import ceil
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from beatpath._schema import dumps
from beatpath._sentence import Name, marked, plain_text
from beatpath._text import counted, listed, percent, quoted, shown
from beatpath.analysis.provenance import definition
from beatpath.methods.registry import METHODS
from beatpath.reports import first_screen, words
from beatpath.reports.figures import DARK, LIGHT, svg, themed
from beatpath.reports.figures.common import MOST, ON_A_PAGE, Spec, css_variables
from beatpath.reports.view import capital
from beatpath.reports.words import board_markdown, verdict_markdown

if TYPE_CHECKING:
    from beatpath.analysis.analysis import Analysis

_SIGNS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}  # characters that could end a script element, as JSON escapes


def json_block(data: Mapping[str, Any]) -> str:
    r"""Return JSON that is safe inside a script element: ASCII only, without angle brackets or ampersands.

    >>> print(json_block({"name": "</script><b>&\u2028"}))
    {"name":"\u003c/script\u003e\u003cb\u003e\u0026\u2028"}
    """
    text = dumps(data, separators=(",", ":"))
    return re.sub("[<>&]", lambda sign: _SIGNS[sign.group()], text)


def script(source: str) -> str:
    r"""Return a script in which nothing can end the script element early.

    >>> print(script('x = "</script>"'))
    x = "<\/script>"
    """
    return re.sub(r"<(?=/script)", r"<\\", source, flags=re.IGNORECASE).replace("<!--", "\\x3c!--")


def fingerprint(source: str) -> str:
    """Return the hash source by which a content security policy allows one inline script.

    >>> fingerprint("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def width_of(svg: str) -> int:
    """Return the width of an SVG figure in pixels.

    >>> width_of('<svg role="img" width="12.5" height="9"></svg>')
    13
    """
    match = re.search(r'<svg [^>]*?\bwidth="([0-9.]+)"', svg)
    return ceil(float(match[1])) if match else 0


WHOLE = 10_000  # longest name in a download, in characters
ON_THE_BOARD = ("rank_intervals",)  # figures that the leaderboard already shows


def page(report: "Analysis", pictures: Mapping[str, Spec]) -> str:
    """Return the whole page with these figures."""
    own, shape, findings = script(_asset("page.js")), words.score_options(report), words.findings(report)
    unplaced = () if report.resolution is None else tuple(one.agent for one in report.resolution.unplaced)
    judges = () if report.judges is None else tuple(one.name for one in report.judges.judges)
    names = (*report.agents, *unplaced, *judges, *(context.name for context in report.contexts))
    beside = {
        "diverging": {"light": LIGHT.diverging, "dark": DARK.diverging},
        "shown": [shown(name, WHOLE) for name in report.agents],
        "copies": {"verdict": verdict_markdown(report), "board": board_markdown(report)},
    }
    return (
        _environment()
        .get_template("template.html.j2")
        .render(
            report=report,
            score=partial(words.score, **shape),
            margin=partial(words.margin, ends=words.interval_ends(report), **shape),
            score_name=words.score_name(report),
            marked=lambda text: marked(text, names),
            places={name: k for k, name in enumerate(report.agents)},
            pictures={
                name: _rendered(spec, findings.get(name)) for name, spec in pictures.items() if name not in ON_THE_BOARD
            },
            claims=first_screen.claims(report),
            description=f"{plain_text(first_screen.subtitle(report))} {report.size}.".strip(),
            icon=b64encode(_asset("icon.svg").encode()).decode(),
            policy=fingerprint(own),
            own=own,
            style=_asset("style.css") + _picture_colors(),
            data=json_block(report.to_dict()),
            beside=json_block(beside),
            n=len(report.board),
            most=MOST,
            circles=[]
            if report.resolution is None
            else [one.in_words(report.unit) for one in report.resolution.cycles.surviving],
        )
    )


def _rendered(spec: Spec, finding: str | None) -> dict[str, Any]:
    """The figure in the colors of the page, the sentence that it shows or its title, and its subtitles as a caption.

    It is drawn without its title, which the page shows as text; the description keeps it.
    """
    title = spec.get("title", {})
    lines = [f"{capital(line)}." for line in title.get("subtitle", ()) if line]
    picture = svg({key: value for key, value in themed(spec, ON_A_PAGE).items() if key != "title"})
    heading = title.get("text", "")
    words = {"title": heading, "finding": finding or heading, "caption": " ".join(lines)}
    return {"svg": picture, "width": width_of(picture), **words}


def _picture_colors() -> str:
    """CSS variables with the colors of figures, for light mode and print, and for dark mode."""
    night = f"@media screen and (prefers-color-scheme: dark) {{ :root {{{css_variables(DARK)}}} }}"
    return f":root {{{css_variables(LIGHT)}}}\n{night}\n"


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(_asset)
    )
    environment.filters |= {"shown": shown, "quoted": quoted, "listed": listed, "percent": percent}
    environment.filters |= {"definition": definition, "spaced": words.spaced, "nb": words.unbroken}
    environment.filters["question"] = lambda method: METHODS[method].question
    environment.tests["name"] = lambda part: isinstance(part, Name)
    environment.globals |= {"say": words, "first": first_screen, "counted": counted}
    return environment


@cache
def _asset(name: str) -> str:
    return files("beatpath.reports").joinpath("page", name).read_text(encoding="utf-8")
