"""Where things lie."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
GOLDEN = TESTS / "golden"
REPRODUCTIONS = ROOT / "reproductions"
FORMAT_FILES = TESTS / "data" / "formats" / "files"
SHARED = ROOT.parent / "shared" / "data"
