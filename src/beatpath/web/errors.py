"""Errors of the service, each with its HTTP status, and their sentences."""

import re
from collections.abc import Mapping
from typing import Any

from beatpath._errors import BeatpathError, UsageError
from beatpath._text import quoted

UNREADABLE = 422  # the request is well formed, but the data do not support it


class Refused(UsageError):
    """A request that is not served.

    Parameters
    ----------
    status : int
        The HTTP status: 400 the request is wrong, 401 no token or another, 403 a role or site that may not, 404 no such
        file, job or battle, 409 not yet, or contradicts a record, 413 over the limit, 415 no reader claims it, 429 over the rate limit,
        503 the queue is full.
    message : str
        The sentence.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def status_of(error: BeatpathError) -> int:
    """Return the HTTP status of a deliberate error.

    >>> from beatpath._errors import DataError
    >>> status_of(Refused(404, "")), status_of(UsageError("")), status_of(DataError(""))
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
    place = ".".join(str(part) for part in problem["loc"][1:])
    where, message = f"`{place}`" if place else "the request", str(problem["msg"])
    if message == "JSON decode error":
        return f"the request must be JSON; it is not, at character {place}: {problem['ctx']['error']}."
    if isinstance(problem.get("input"), bytes):
        return "the request must be a JSON object with the header `Content-Type: application/json`; it is not."
    if message == "Field required":
        return f"{where} must be given; it is missing."
    if message == "Extra inputs are not permitted":
        return f"{where} must be left out; there is no such field."
    rule = re.sub(r"^(\w+ should |Value error, )", "", message)  # of an input, a string, a list
    rule = rule.replace("a valid dictionary or object to extract fields from", "a JSON object")
    return f"{where} must {rule}; got {quoted(problem.get('input'))}."
