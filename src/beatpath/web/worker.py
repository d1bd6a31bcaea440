"""A worker: a separate process that runs one task at a time and can be stopped at any moment without harm to others.

The processes exchange lines of JSON, so nothing that a file makes a worker send can execute on the server.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import IO, Any

from beatpath._errors import BeatpathError, DataError, UsageError
from beatpath._schema import dumps

TICK = 0.05  # seconds between checks whether the work is still needed


class Stopped(BeatpathError):
    """Work that is no longer needed."""


class Broken(BeatpathError):
    """Work that ended without an answer or an expected error: too slow, too large, or our bug."""


class Worker:
    """One process, started when first needed, and again after it was stopped.

    Parameters
    ----------
    memory : int
        Memory that the process may use, in bytes.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._said: queue.SimpleQueue[list[Any] | None] = queue.SimpleQueue()

    @property
    def process_id(self) -> int | None:
        """The ID of the running process, if there is one."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process."""
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        # -P: no module is imported from the current folder
        words = [sys.executable, "-P", "-m", __name__, str(self._memory)]
        # workers share the processors, and matrices of a page are small
        alone = {"OPENBLAS_NUM_THREADS": "1", **os.environ}
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=alone)
        self._said = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(self._process.stdout, self._said), daemon=True).start()

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(OSError):
                self._process.__exit__(None, None, None)
        self._process = None

    def call(
        self,
        task: str,
        *arguments: Any,
        seconds: float,
        tell: Callable[[Any], None] = lambda _: None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:
        """Run a task and return its result.

        Parameters
        ----------
        task : str
            A function of `beatpath.web.work`.
        *arguments
            Plain data.
        seconds : float
            Time limit.
        tell : callable
            Called with a description of each step, and with the first parts of the result.
        wanted : callable
            Called now and then; returns whether to continue.

        Raises
        ------
        DataError, UsageError
            Expected errors of the task itself.
        Stopped
            If it was no longer needed.
        Broken
            If it took longer than `seconds`, or the process died or failed unexpectedly.
        """
        self.start()
        self._send([task, arguments])
        end = time.monotonic() + seconds
        while True:
            if not wanted():
                self.stop()
                raise Stopped("cancelled.")
            if time.monotonic() > end:
                self.stop()
                raise Broken(
                    f"this must be done within {seconds:g} seconds; it was not. Use fewer methods, agents or rows."
                )
            with contextlib.suppress(queue.Empty):
                kind, value = self._said.get(timeout=TICK) or self._died()
                if kind == "answer":
                    return value
                if kind == "told":
                    tell(value)
                else:
                    raise {"data": DataError, "usage": UsageError}.get(kind, Broken)(value)

    def _send(self, message: list[Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # if it has died, the next message says so
            _write(self._process.stdin, message)

    def _died(self) -> list[Any]:
        """The message about a process that has ended."""
        assert self._process is not None
        code = self._process.wait()
        self.stop()
        message = f"the worker process must run to the end; it ended with {code}, perhaps for lack of memory."
        return ["broken", f"{message} Use fewer agents or rows."]


def _listen(stream: IO[bytes], messages: "queue.SimpleQueue[list[Any] | None]") -> None:
    """Forward the messages of a process, and None when it has ended."""
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            messages.put(json.loads(line))
    messages.put(None)


def _write(stream: IO[bytes], message: list[Any]) -> None:
    stream.write(dumps(message).encode() + b"\n")
    stream.flush()


def main(memory: int) -> None:
    """Run tasks one after the other, as long as the server is there."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries goes to standard error
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides
    # tasks change the current folder, imports must not
    sys.path[:] = [os.path.abspath(path) for path in sys.path if path]
    _limit(memory)
    BeatpathError.on_command_line = True
    os.environ.setdefault("BEATPATH_MEMORY", str(memory // 2))  # memory for reading; the other half is for the analysis
    requests: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive_tasks, args=(requests,), daemon=True).start()
    from beatpath.web import work

    while True:
        task, arguments = requests.get()
        _write(answers, _outcome(work, task, arguments, lambda text: _write(answers, ["told", text]), memory))


def _outcome(work: Any, task: str, arguments: list[Any], tell: Callable[[Any], None], memory: int) -> list[Any]:
    """Run one task, and return its result or the kind of error."""
    try:
        return ["answer", getattr(work, task)(*arguments, tell=tell)]
    except UsageError as error:
        return ["usage", work.page_words(str(error))]
    except BeatpathError as error:
        return ["data", work.page_words(str(error))]
    except MemoryError:
        message = f"this needs more than the {memory / (1 << 30):.1f} GB that one job may fill. Use fewer rows."
        return ["broken", message]
    except Exception as error:  # noqa: BLE001 (a fault of ours: the server's log has the rest)
        traceback.print_exc()
        message = f"beatpath itself failed here ({type(error).__name__}: {error}). Please report it with the file, if you may."
        return ["broken", message]


def _receive_tasks(requests: "queue.SimpleQueue[list[Any]]") -> None:
    """Receive tasks; when the server ends in any way, end with it."""
    for line in sys.stdin.buffer:
        requests.put(json.loads(line))
    os._exit(0)


def _limit(memory: int) -> None:
    """Limit the memory of this process, if the system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    except (ImportError, OSError, ValueError):
        return


if __name__ == "__main__":
    main(int(sys.argv[1]))
