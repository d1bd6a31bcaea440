"""The pages: the live report, the list of operations, and the few files they are made of."""

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

from beatpath.web.errors import NotHere

SCRIPTS = (
    "live.js",
    "asking.js",
    "columns.js",
    "controls.js",
    "dom.js",
    "state.js",
    "docs.js",
    "arena.js",
    "vote.js",
    "safe.js",
)
STATIC = {
    "style.css": "beatpath.reports.page/style.css",  # what the report wears, the page wears too
    **{name: f"beatpath.web/static/{name}" for name in ("live.css", "arena.css", "vote.css", *SCRIPTS)},
}
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

report = APIRouter(include_in_schema=False)  # the first page of a service that shows files
router = APIRouter(include_in_schema=False)  # what every service has


@report.get("/")
def live() -> Response:
    """The live report."""
    return page("live")


@router.get("/docs")
def docs() -> Response:
    """The operations of the JSON interface."""
    return page("docs")


@router.get("/favicon.ico")
def icon() -> Response:
    """A picture for the tab."""
    return _file("beatpath.web/static/icon.svg")


@router.get("/static/{name}")
def static(name: str) -> Response:
    """One of the files that the pages are made of."""
    if name not in STATIC:
        raise NotHere("there is no such file.")
    return _file(STATIC[name])


def page(name: str) -> Response:
    """Return one of the pages."""
    return _file(f"beatpath.web/static/{name}.html")


def _file(place: str) -> Response:
    return Response(_bytes(place), media_type=KINDS[place.rpartition(".")[2]])


@cache
def _bytes(place: str) -> bytes:
    package, *path = place.split("/")
    return files(package).joinpath(*path).read_bytes()
