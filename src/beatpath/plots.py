"""Pictures of results: what `beatpath.plot` returns, and a badge."""

from beatpath._guard import guard
from beatpath.reports.figures.badge import badge
from beatpath.reports.figures.pictures import Picture

__all__ = ["Picture", "badge"]

guard(globals())
