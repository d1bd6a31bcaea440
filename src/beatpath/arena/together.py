"""Writes of many threads in one transaction: a disk that takes milliseconds to be sure takes as many at once as wait for it."""

from collections.abc import Callable, Sequence
from threading import Condition
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class _Request(Generic[Asked, Answer]):
    """What one thread wants, and what came of it."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.answer: Answer | None = None
        self.error: Exception | None = None
        self.over = False

    def settle(self, answer: Answer | Exception) -> None:
        """Note what came of it."""
        if isinstance(answer, Exception):
            self.error = answer
        else:
            self.answer = answer
        self.over = True


class Together(Generic[Asked, Answer]):
    """Hand what several threads ask for to one function at once.

    Parameters
    ----------
    write : function of a list
        Does all of it in one transaction, and returns an answer, or an error to be raised, for each in the same order. What it
        raises itself is raised for all.

    Examples
    --------
    >>> double = Together(lambda asked: [2 * one for one in asked])
    >>> double(21)
    42
    """

    def __init__(self, write: Callable[[Sequence[Asked]], Sequence[Answer | Exception]]) -> None:
        self._write = write
        self._waiting: list[_Request[Asked, Answer]] = []
        self._busy = False
        self._turn = Condition()

    def __call__(self, asked: Asked) -> Answer:
        """Wait for the transaction that holds this, or carry it out for all who wait."""
        own = _Request[Asked, Answer](asked)
        with self._turn:
            self._waiting.append(own)
            while self._busy and not own.over:
                self._turn.wait()
            self._busy = self._busy or not own.over
        if not own.over:
            self._carry_out(own)
        if own.error is not None:
            raise own.error
        return own.answer  # type: ignore[return-value]

    def _carry_out(self, own: _Request[Asked, Answer]) -> None:
        with self._turn:
            requests, self._waiting = self._waiting, []
        try:
            for request, answer in zip(requests, self._write([one.asked for one in requests]), strict=True):
                request.settle(answer)
        except Exception as error:  # noqa: BLE001 (raised in every thread that waits)
            for request in requests:
                request.settle(error)
        finally:
            with self._turn:  # if this thread was stopped, the others go on without it
                self._waiting = [one for one in requests if not one.over and one is not own] + self._waiting
                self._busy = False
                self._turn.notify_all()
