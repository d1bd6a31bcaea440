"""What the service refuses, each with the status it answers with.

::

    UsageError
    └── Refused                                     400
        ├── Unauthorised    no token, or another    401
        ├── Forbidden       asked from elsewhere    403
        ├── NotHere         no such file or job     404
        ├── NotYet          the job is not done     409
        ├── Conflict        said otherwise before   409
        ├── Gone            takes part no longer    410
        ├── TooLarge        more than the limit     413
        ├── UnknownKind     no reader claims it     415
        ├── TooOften        more than there is time 429
        └── Busy            the line is full        503
"""

from collections.abc import Mapping
from typing import Any

from beatpath._errors import BeatpathError, UsageError
from beatpath._text import quoted

UNREADABLE = 422  # the request is well formed; the data will not do


class Refused(UsageError):
    """A request that is not served."""

    status = 400


class Unauthorised(Refused):
    """A request without the token."""

    status = 401


class Forbidden(Refused):
    """A request from a page of somebody else."""

    status = 403


class NotHere(Refused):
    """A file or job that is not, or no longer, here."""

    status = 404


class NotYet(Refused):
    """A report that is not there yet."""

    status = 409


class Conflict(Refused):
    """Something that was said otherwise before."""

    status = 409


class Gone(Refused):
    """Something that takes part no longer."""

    status = 410


class TooLarge(Refused):
    """An upload above the limit."""

    status = 413


class UnknownKind(Refused):
    """An upload that no reader claims."""

    status = 415


class TooOften(Refused):
    """More than there is time for."""

    status = 429


class Busy(Refused):
    """More requests than can wait in line."""

    status = 503


def status_of(error: BeatpathError) -> int:
    """Return the HTTP status of a deliberate error.

    >>> from beatpath._errors import DataError
    >>> status_of(NotHere("")), status_of(UsageError("")), status_of(DataError(""))
    (404, 400, 422)
    """
    if isinstance(error, Refused):
        return error.status
    return 400 if isinstance(error, UsageError) else UNREADABLE


def sentence_of(problem: Mapping[str, Any]) -> str:
    """Return what pydantic says of the first wrong field, in our voice.

    >>> sentence_of({"loc": ("body", "level"), "msg": "Input should be less than 1", "input": 95})
    "`level` must be less than 1; got '95'."
    """
    where = ".".join(str(part) for part in problem["loc"][1:]) or "the request"
    message = str(problem["msg"])
    if message == "Field required":
        return f"`{where}` must be given; it is missing."
    if message == "Extra inputs are not permitted":
        return f"`{where}` must be left out; there is no such field."
    rule = message.removeprefix("Input should ").removeprefix("Value error, ")
    return f"`{where}` must {rule}; got {quoted(problem.get('input'))}."
