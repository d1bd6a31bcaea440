"""The command line as a user meets it."""

import subprocess
import sys

BATTLES = "left,right,winner\nada,bob,left\nbob,cyd,tie\nada,cyd,right\ncyd,bob,left\n"


def beatpath(*arguments, stdin=None, **options):
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "beatpath", *map(str, arguments)],
        check=False,
        input=stdin,
        capture_output=True,
        text=True,
        **options,
    )
