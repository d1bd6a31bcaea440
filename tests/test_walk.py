"""How far one has to walk: functions and modules that a question passes through, reading the file included."""

import sys
from pathlib import Path

import beatpath as bp

PACKAGE = Path(bp.__file__).parent
MOST_FUNCTIONS = 450
MOST_MODULES = 80


def walked(question):
    """The functions of the package that a question calls, each as its file and name; comprehensions are no functions."""
    seen = set()

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<"):
            seen.add((code.co_filename, code.co_qualname))

    question()  # what is loaded at the first call is not part of the way
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        question()
    finally:
        sys.setprofile(before)
    return seen


def test_resolve_passes_through_few_functions_and_modules(tmp_path):
    path = tmp_path / "battles.csv"
    names = ("ada", "bob", "cyd", "dan")
    battles = [(a, b, k % 7 < 4) for k in range(12) for a in names for b in names if a < b]
    rows = [f"{a},{b},{'model_a' if won else 'model_b'}" for a, b, won in battles]
    path.write_text("\n".join(["model_a,model_b,winner", *rows]) + "\n", encoding="utf-8")
    seen = walked(lambda: bp.resolve(bp.read(path)))
    modules = {file for file, _ in seen}
    assert len(seen) <= MOST_FUNCTIONS, f"{len(seen)} functions"
    assert len(modules) <= MOST_MODULES, f"{len(modules)} modules"
