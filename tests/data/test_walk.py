"""How far one has to walk through the code to see how a small file is read."""

import sys

import beatpath as bp

MOST = 90  # functions of ours, those without a name (generators, comprehensions) not counted


def test_reading_a_small_csv_walks_few_functions(write):
    path = write("left,right,winner\nada,bob,left\nbob,ada,tie\ncyd,ada,right\n", "games.csv")
    bp.read(path)  # so that what is imported or opened once does not count
    walked = set()

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and "beatpath" in code.co_filename and not code.co_name.startswith("<"):
            walked.add((code.co_filename, code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        bp.read(path)
    finally:
        sys.setprofile(before)
    ours = {place for place in walked if "test_walk" not in place[0]}
    assert any(name == "read_battles" for _, name in ours)
    assert len(ours) <= MOST, sorted(ours)
