"""An evaluation that runs: who plays next, what came of it, and when to stop; the one room that needs a database library."""

from beatpath._errors import MissingExtra

try:
    import sqlalchemy  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtra("sqlalchemy", "live", "an arena") from None
