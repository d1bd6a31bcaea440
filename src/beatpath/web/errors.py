"""Errors of the service, each with its HTTP status.

::

    UsageError
    └── Refused                                     400
        ├── Unauthorised    no token, or another    401
        ├── Forbidden       from another site       403
        ├── NotHere         no such file or job     404
        ├── NotYet          the job is not done     409
        ├── Conflict        contradicts a record    409
        ├── TooLarge        over the limit          413
        ├── UnknownKind     no reader claims it     415
        ├── TooOften        over the rate limit     429
        └── Busy            the queue is full       503
"""

import re
from collections.abc import Mapping
from typing import Any

from beatpath._errors import BeatpathError, UsageError
from beatpath._text import quoted

UNREADABLE = 422  # the request is well formed, but the data do not support it


class Refused(UsageError):
    """A request that is not served."""

    status = 400


class Unauthorised(Refused):
    """A request without the token."""

    status = 401


class Forbidden(Refused):
    """A request from a page of another site."""

    status = 403


class NotHere(Refused):
    """A file or job that does not exist, or no longer does."""

    status = 404


class NotYet(Refused):
    """A report that is not ready yet."""

    status = 409


class Conflict(Refused):
    """A request that contradicts what was recorded before."""

    status = 409


class TooLarge(Refused):
    """An upload over the limit."""

    status = 413


class UnknownKind(Refused):
    """An upload that no reader claims."""

    status = 415


class TooOften(Refused):
    """A request over the rate limit."""

    status = 429


class Busy(Refused):
    """A request for which the queue is full."""

    status = 503


def status_of(error: BeatpathError) -> int:
    """Return the HTTP status of a deliberate error.

    >>> from beatpath._errors import DataError
    >>> status_of(NotHere("")), status_of(UsageError("")), status_of(DataError(""))
    (404, 400, 422)
    """
    status: int = getattr(error, "status", 400 if isinstance(error, UsageError) else UNREADABLE)
    return status


def sentence_of(problem: Mapping[str, Any]) -> str:
    """Return pydantic's error about the first wrong field as one of our messages.

    >>> sentence_of({"loc": ("body", "level"), "msg": "Input should be less than 1", "input": 95})
    "`level` must be less than 1; got '95'."
    >>> sentence_of({"loc": ("body", "file"), "msg": "String should have at least 1 character", "input": ""})
    "`file` must have at least 1 character; got ''."
    """
    where = ".".join(str(part) for part in problem["loc"][1:]) or "the request"
    message = str(problem["msg"])
    if message == "Field required":
        return f"`{where}` must be given; it is missing."
    if message == "Extra inputs are not permitted":
        return f"`{where}` must be left out; there is no such field."
    rule = re.sub(r"^(\w+ should |Value error, )", "", message)  # of an input, a string, a list
    return f"`{where}` must {rule}; got {quoted(problem.get('input'))}."
