"""Memory of Dask's workers: kept where Dask alone gave it away."""

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
    told = {**os.environ, TRIM: trim}
    found = subprocess.run(
        [sys.executable, "-c", FAULTS, what], env=told, capture_output=True, text=True, timeout=60, check=True
    )
    return int(found.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have another malloc")
def test_memory_is_kept_where_dask_gives_it_away_and_nowhere_else():
    pages = 100 * (1 << 20) // os.sysconf("SC_PAGE_SIZE")
    assert faults("leave", TRIM_OF_DASK) >= pages, "a hundred arrays of 1 MB are mapped anew"
    assert faults("keep", TRIM_OF_DASK) < pages / 10
    assert faults("keep", "65537") >= pages, "a value of the user's own is left alone"
    assert MAPPED > 1 << 20
