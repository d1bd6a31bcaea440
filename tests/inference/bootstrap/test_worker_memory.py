"""Memory of Dask's workers: trimming is off where only Dask set it."""

import os
import subprocess
import sys

import pytest

from beatpath.inference.bootstrap.workers import MAPPED, TRIM, TRIM_OF_DASK

FAULTS = """
import resource, sys
from beatpath.inference.bootstrap.workers import keep_memory
if sys.argv[1] == "keep":
    keep_memory()
begun = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(100):
    bytearray(1 << 20)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - begun)
"""


def faults(what, trim):
    environment = {**os.environ, TRIM: trim}
    completed = subprocess.run(
        [sys.executable, "-c", FAULTS, what], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return int(completed.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have another malloc")
def test_memory_trimming_is_off_where_dask_sets_it_and_nowhere_else():
    pages = 100 * (1 << 20) // os.sysconf("SC_PAGE_SIZE")
    assert faults("leave", TRIM_OF_DASK) >= pages, "a hundred arrays of 1 MB are mapped anew"
    assert faults("keep", TRIM_OF_DASK) < pages / 10
    assert faults("keep", "65537") >= pages, "a value of the user's own is left alone"
    assert MAPPED > 1 << 20
