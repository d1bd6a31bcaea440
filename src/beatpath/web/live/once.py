"""What was answered to a request that names itself, so that the same request, sent again, has the same answer."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from beatpath._text import quoted
from beatpath.web.errors import Conflict


class Once:
    """Answers by the name that their requests gave themselves.

    Parameters
    ----------
    most : int
        Answers that are kept; the one longest unused makes room.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[str, tuple[Any, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, name: str | None, asked: Any, do: Callable[[], Any]) -> Any:
        """Return what was answered to this name before, else what is done now; a request without a name is always new.

        >>> once = Once(10)
        >>> once.answer("x", 1, lambda: "first"), once.answer("x", 1, lambda: "second"), once.answer(None, 1, lambda: "third")
        ('first', 'first', 'third')
        """
        if name is None:
            return do()
        with self._lock:
            if name not in self._known:
                self._known[name] = (asked, do())
                if len(self._known) > self._most:
                    self._known.popitem(last=False)
            before, found = self._known[name]
            if before != asked:
                raise Conflict(
                    f"`Idempotency-Key` must be new for another request; {quoted(name)} was used, and asked for {quoted(before)}, "
                    f"not {quoted(asked)}."
                )
            self._known.move_to_end(name)
            return found
