"""A PostgreSQL server of one's own: in a temporary folder, reached by a socket in it, gone at the end."""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

NOBODY = ("postgres", "nobody")  # who runs it where we are root, which it refuses


def missing() -> str:
    """Why there can be no server here; empty where there can."""
    if os.name != "posix":
        return "the server is stopped by signals, which this system has not"
    if _binary("initdb") is None:
        return "PostgreSQL is not installed"
    if os.geteuid() == 0 and _user() is None:
        return "PostgreSQL does not run as root, and there is nobody else"
    return ""


class Server:
    """A running server; it can be killed and started again."""

    def __init__(self, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bp-pg-"))
        self.user = _user() if os.geteuid() == 0 else None
        if self.user is not None:
            shutil.chown(self.folder, self.user)
        self.settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), **settings}
        words = ["-D", self.folder / "data", "-U", "beatpath", "-A", "trust", "-E", "UTF8", "--locale=C"]
        self._run("initdb", *words)
        self.start()

    @property
    def address(self) -> str:
        """What an arena is opened with."""
        return f"postgresql://beatpath@/postgres?host={self.folder}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [_binary("postgres"), "-D", self.folder / "data", *options],
                stdout=log, stderr=log, start_new_session=True, user=self.user, cwd="/",
            )  # fmt: skip
        for _ in range(600):
            if self._run("pg_isready", "-h", self.folder, "-q", check=False).returncode == 0:
                return
            if self.process.poll() is not None:  # what was killed has not let go of its memory yet
                return self.start()
            time.sleep(0.05)
        raise TimeoutError((self.folder / "log").read_text())

    def kill(self) -> None:
        """Kill it and all its processes, those too that made process groups of their own and would answer once more."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        others = children.read_text().split() if children.exists() else []
        os.killpg(self.process.pid, signal.SIGKILL)
        for one in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(one), signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Stop it and remove everything."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
        shutil.rmtree(self.folder)

    def _run(self, name, *words, check=True):
        return subprocess.run(
            [_binary(name), *words], check=check, capture_output=True, text=True, user=self.user, cwd="/"
        )


def _binary(name: str) -> str | None:
    places = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)
    return shutil.which(name) or next(iter(places), None)


def _user() -> str | None:
    import pwd

    known = {one.pw_name for one in pwd.getpwall()}
    return next((name for name in NOBODY if name in known), None)
