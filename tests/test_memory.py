"""Memory that is not there is not requested."""

import numpy as np
import pytest

from beatpath import Ballots, Pairs
from beatpath._errors import DataError, UsageError
from beatpath._memory import _control_group, _reported, allow_memory, memory_there, require_memory, size_of


@pytest.mark.parametrize("text", ["", "GB", "8 apples", "-1GB", "0", "1e9GB"])
def test_a_size_that_is_none_gets_a_sentence(text):
    with pytest.raises(UsageError, match="must be a size above 0, such as 8GB"):
        size_of(text)


def test_what_a_person_allows_is_the_limit(monkeypatch):
    monkeypatch.setenv("BEATPATH_MEMORY", "1MB")
    assert memory_there() <= 1e6
    with pytest.raises(DataError, match=r"tables need about 2 MB of memory; 1 MB are available\. Take less\."):
        require_memory(2e6, "tables", "Take less.")
    allow_memory(None)
    assert memory_there() <= 1e6
    allow_memory("1000GB")
    assert memory_there() > 1e6


def test_the_number_behind_a_name_is_read_from_a_file_of_the_system(tmp_path):
    path = tmp_path / "meminfo"
    path.write_text("MemTotal:       4096 kB\nMemAvailable:   2048 kB\n")
    assert _reported(str(path), "MemAvailable:") == 2048
    assert _reported(str(path), "SwapFree:") is None
    assert _reported(str(tmp_path / "nowhere"), "MemAvailable:") is None


@pytest.mark.parametrize(
    ("folder", "limit", "used", "unlimited"),
    [
        ("", "memory.max", "memory.current", "max"),
        ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "9223372036854771712"),
    ],
)
def test_a_container_leaves_its_limit_less_what_is_taken_other_than_by_file_pages(
    tmp_path, folder, limit, used, unlimited
):
    assert _control_group(tmp_path) is None
    place = tmp_path / folder
    place.mkdir(exist_ok=True)
    (place / limit).write_text("1000\n")
    (place / used).write_text("700\n")
    assert _control_group(tmp_path) == 300
    (place / "memory.stat").write_text("active_file 50\ninactive_file 200\n")
    assert _control_group(tmp_path) == 500
    (place / limit).write_text(f"{unlimited}\n")
    assert _control_group(tmp_path) is None


def test_a_million_agents_are_refused_before_a_table_of_all_pairs_is_made():
    n = 1_000_000
    pairs = Pairs(tuple(map(str, range(n))), np.arange(n - 1), np.arange(1, n), np.ones((n - 1, 4)))
    with pytest.raises(DataError, match="tables of all pairs of 1,000,000 agents need about 32"):
        pairs.margins()


def test_ballots_too_long_to_be_compared_are_refused(monkeypatch):
    monkeypatch.setenv("BEATPATH_MEMORY", "10MB")
    ballots = Ballots.of([[[f"{i}"] for i in range(4000)]])
    with pytest.raises(DataError, match="the pairs of 4,000 agents on 1 ballot need about"):
        ballots.pairs()


def test_what_needs_exactly_the_memory_that_there_is_is_not_refused(monkeypatch):
    monkeypatch.setattr("beatpath._memory.memory_there", lambda: 1e12)
    require_memory(1e12, "tables", "")
    with pytest.raises(DataError, match="tables need about"):
        require_memory(1.1e12, "tables", "Fewer.")
