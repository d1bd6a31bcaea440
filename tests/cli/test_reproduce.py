"""`beatpath reproduce`: published figures beside ours."""

import subprocess
import sys


def beatpath(*arguments, stdin=None, **options):
    return subprocess.run(
        [sys.executable, "-m", "beatpath", *map(str, arguments)],
        check=False,
        input=stdin,
        capture_output=True,
        text=True,
        **options,
    )


def test_reproduce_prints_published_beside_ours():
    done = beatpath("reproduce", "vase_pentathlon")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "published" in done.stdout
    done = beatpath("reproduce", "vasy")
    assert done.returncode == 2
    assert "is none of" in done.stderr
