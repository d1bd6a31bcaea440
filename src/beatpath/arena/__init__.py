"""Live evaluations: which battle to play next, its outcome, and when to stop; needs a database library."""

from beatpath._errors import MissingExtra

try:
    import sqlalchemy  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtra("sqlalchemy", "live", "an arena") from None
