"""A report as a page: the template filled in, the pictures drawn, the data put beside them."""

from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from beatpath._sentence import Name
from beatpath._text import confidence, counted, listed, percent, quoted, shown
from beatpath.analysis.citations import definition
from beatpath.methods.registry import METHODS
from beatpath.reports.figures import DARK, LIGHT, svg, theme
from beatpath.reports.figures.common import MOST, Spec
from beatpath.reports.figures.pictures import pictures
from beatpath.reports.page import words
from beatpath.reports.page.inline import fingerprint, json_block, script, slim, width_of
from beatpath.reports.page.markdown import board_markdown, verdict_markdown
from beatpath.reports.page.vega import vega_script

if TYPE_CHECKING:
    from beatpath.analysis.analysis import Analysis

WHOLE = 10_000  # characters of a name that a download keeps
ON_THE_BOARD = ("rank_intervals",)  # pictures that the board holds already


def page(report: "Analysis") -> str:
    """Return the whole page."""
    specs = {name: spec for name, spec in pictures(report).items() if name not in ON_THE_BOARD}
    vega, own = script(vega_script()), script(_asset("page.js"))
    drawn = {
        "specs": {name: _untitled(spec, "config") for name, spec in specs.items()},
        "themes": {"light": theme(LIGHT), "dark": theme(DARK)},
        "diverging": {"light": LIGHT.diverging, "dark": DARK.diverging},
        "shown": [shown(name, WHOLE) for name in report.agents],
        "copies": {"verdict": verdict_markdown(report), "board": board_markdown(report)},
    }
    said = {name: getattr(words, name)(report) for name in SAID}
    return (
        _environment()
        .get_template("template.html.j2")
        .render(
            report=report,
            **_score_bars(report),
            pictures={name: _drawn_both(spec) for name, spec in specs.items()},
            policy=" ".join((fingerprint(vega), fingerprint(own))),
            vega=vega,
            own=own,
            style=_asset("style.css"),
            data=json_block(report.to_dict()),
            specs=json_block(drawn),
            n=len(report.board),
            most=MOST,
            methods=words.board_methods(report),
            circles=[] if report.resolution is None else [one.sentence for one in report.resolution.cycles.surviving],
            **said,
        )
    )


SAID = (
    "sections",
    "columns",
    "board_note",
    "pairs_note",
    "core_said",
    "methods_said",
    "scale_said",
    "data_said",
    "facts",
)


def fragment(report: "Analysis") -> str:
    """Return verdict and board as a piece of a page."""
    return _environment().get_template("fragment.html.j2").render(report=report, **_score_bars(report))


def _drawn_both(spec: Spec) -> dict[str, str]:
    """The picture, its title, and the lines below it as a caption."""
    title = spec.get("title", {})
    lines = [f"{line[0].upper()}{line[1:]}." for line in title.get("subtitle", ()) if line]
    drawn = slim(svg(_untitled(spec)))
    return {"svg": drawn, "width": width_of(drawn), "title": title.get("text", ""), "caption": " ".join(lines)}


def _untitled(spec: Spec, *also: str) -> Spec:
    """The picture without its title, which the page gives in words; it stays in the description."""
    return {key: value for key, value in spec.items() if key not in ("title", *also)}


def _score_bars(report: "Analysis") -> dict[str, Any]:
    """How the template names and writes scores."""
    return {
        "score": partial(words.score, share=words.scores_are_shares(report)),
        "score_name": words.score_name(report),
    }


@cache
def _environment() -> Environment:
    found = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(_asset)
    )
    found.filters |= {"shown": shown, "quoted": quoted, "listed": listed, "percent": percent}
    found.filters |= {"definition": definition, "spaced": words.spaced, "nb": words.unbroken}
    found.filters["question"] = lambda method: METHODS[method].question
    found.tests["name"] = lambda part: isinstance(part, Name)
    found.globals |= {
        "percent_of": words.percent_of,
        "ranks": words.ranks,
        "tied": words.tied,
        "step": words.step,
        "confidence": confidence,
        "counted": counted,
    }
    return found


@cache
def _asset(name: str) -> str:
    return files("beatpath.reports.page").joinpath(name).read_text(encoding="utf-8")
