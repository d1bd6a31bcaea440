"""Runs what the pages show: files with a caption exist, commands print what stands below them.

A fenced block ``{code-block} text`` with ``:caption: NAME`` is a file NAME in the page's temporary folder. Python examples run
in that folder. A ``console`` block is a list of commands after ``$`` signs, each followed by its output; three dots
stand for anything.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import tool_files

FILE = re.compile(r"^```\{code-block\} \w+\n:caption: (\S+)\n\n?(.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def lay_out(page, folder):
    """Write the files that a page shows, and for the page of tools those that the tools write."""
    if page.name == "tools.md":
        tool_files.write(folder)
    for name, text in FILE.findall(page.read_text(encoding="utf-8")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def commands(page):
    """Return the commands of a page with the output it shows."""
    return [
        command for block in CONSOLE.findall(page.read_text(encoding="utf-8")) for command in COMMAND.findall(block)
    ]


def answer(command, folder):
    """Run a command in a folder and return all it prints."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "120", "NO_COLOR": "1"}
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, check=False, **both)
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


class Commands(pytest.File):
    """The commands of one page, as one test."""

    def collect(self):
        """Yield the test, where there are commands."""
        if commands(self.path):
            yield Session.from_parent(self, name="commands")


class Session(pytest.Item):
    """All commands of a page, in order, in one folder."""

    def runtest(self):
        """Run them and compare."""
        folder = self.config._tmp_path_factory.mktemp(self.path.stem)
        lay_out(self.path, folder)
        for command, shown in commands(self.path):
            got = answer(command, folder)
            if not doctest.OutputChecker().check_output(shown, got, doctest.ELLIPSIS):
                raise AssertionError(f"{self.path.name}: {command}\nshown:\n{shown}\nprinted:\n{got}")

    def repr_failure(self, excinfo, style=None):
        """Return the difference without a traceback."""
        return str(excinfo.value)

    def reportinfo(self):
        """Return where this test stands."""
        return self.path, 0, f"commands of {self.path.name}"


def pytest_collect_file(file_path, parent):
    """Collect the commands of a page beside its Python examples."""
    if file_path.suffix == ".md" and os.name == "posix":  # the commands are lines of its shell
        return Commands.from_parent(parent, path=file_path)
    return None


@pytest.fixture(autouse=True)
def page_folder(request, tmp_path, monkeypatch):
    """Run the Python examples of a page among its files."""
    if request.node.path.suffix == ".md":
        lay_out(request.node.path, tmp_path)
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
