"""Whole files or none: links, permissions, nodes, interruptions and kills; every node is made here."""

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from beatpath import UsageError
from beatpath._atomic_write import require_writable, whole_file, write_whole

WAYS = ("nameless", "named")


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Files without a name, and systems that have none."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system has no files without a name")
    return request.param


def broken_off(place, error):
    with whole_file(place) as draft:
        draft.write_text("half")
        raise error


@pytest.mark.usefixtures("way")
class TestRegularFiles:
    def test_the_place_holds_the_new_file_and_the_folder_nothing_else(self, tmp_path):
        write_whole(tmp_path / "r.html", "old")
        write_whole(tmp_path / "r.html", "näw")
        assert (tmp_path / "r.html").read_bytes() == "näw".encode()
        assert os.listdir(tmp_path) == ["r.html"]

    def test_until_the_end_the_old_file_stands(self, tmp_path):
        place = tmp_path / "r.html"
        place.write_text("old")
        with whole_file(place) as draft:
            draft.write_text("half")
            assert place.read_text() == "old"
        assert place.read_text() == "half"

    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
    def test_an_interruption_leaves_the_old_file_and_nothing_else(self, tmp_path, error):
        place = tmp_path / "r.html"
        place.write_text("old")
        with pytest.raises(error):
            broken_off(place, error)
        assert place.read_text() == "old"
        assert os.listdir(tmp_path) == ["r.html"]

    def test_a_link_is_followed_and_stays_a_link(self, tmp_path):
        real, link = tmp_path / "real.html", tmp_path / "link.html"
        link.symlink_to(real.name)
        write_whole(link, "new")  # leads nowhere yet
        write_whole(link, "newer")
        assert link.is_symlink()
        assert not real.is_symlink()
        assert real.read_text() == "newer"

    @pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
    def test_permissions_of_an_existing_file_are_preserved(self, tmp_path):
        for mode in (0o600, 0o640, 0o664):
            place = tmp_path / f"{mode:o}"
            place.write_text("old")
            place.chmod(mode)
            write_whole(place, "new")
            assert stat.S_IMODE(place.stat().st_mode) == mode

    @pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
    def test_a_new_file_has_the_permissions_that_any_new_file_has(self, tmp_path):
        (tmp_path / "usual").write_text("")
        write_whole(tmp_path / "ours", "")
        assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode

    def test_all_is_on_the_disk_before_the_old_file_goes(self, tmp_path, monkeypatch):
        done = []
        monkeypatch.setattr(os, "fsync", lambda handle, real=os.fsync: (done.append("on the disk"), real(handle)))
        monkeypatch.setattr(os, "replace", lambda *two, real=os.replace: (done.append("replaced"), real(*two)))
        write_whole(tmp_path / "r.html", "new")
        assert done == ["on the disk", "replaced", "on the disk"]  # the file, then the name of it


KILLED = """
import os, signal, sys
from beatpath._atomic_write import whole_file
with whole_file(sys.argv[1]) as draft:
    draft.write_text("half")
    os.kill(os.getpid(), signal.{})
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without a name")
@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_a_kill_leaves_the_old_file_and_nothing_else(tmp_path, how):
    place = tmp_path / "r.html"
    place.write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED.format(how), str(place)], check=False)
    assert done.returncode == -getattr(signal, how)
    assert place.read_text() == "old"
    assert os.listdir(tmp_path) == ["r.html"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "through the pipe")
    reader.join(timeout=20)
    assert got == ["through the pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.skipif(not hasattr(os, "mknod"), reason="this system has no nodes")
def test_a_device_is_written_into_and_stays_a_device(tmp_path):
    sink = tmp_path / "null"
    try:
        os.mknod(sink, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        sink.write_text("")
    except OSError:
        pytest.skip("making a device needs a privileged user")
    write_whole(sink, "gone")
    assert stat.S_ISCHR(sink.stat().st_mode)


@pytest.mark.posix
def test_a_socket_is_refused_and_stays_a_socket(tmp_path):
    place = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        with pytest.raises(UsageError, match="it is a socket"):
            write_whole(place, "text")
    assert stat.S_ISSOCK(place.stat().st_mode)


def test_a_link_into_a_missing_folder_is_reported(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "r.html")
    with pytest.raises(UsageError, match="folder is missing"):
        write_whole(tmp_path / "link", "text")


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="standard output has no name here")
def test_what_is_open_already_is_written_into_by_its_name():
    code = "from beatpath._atomic_write import write_whole; write_whole('/dev/stdout', 'hello')"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"hello"


@pytest.mark.parametrize(
    ("name", "why"),
    [("nowhere/r.html", "folder of the output must exist"), (".", "it is a folder"), ("a\0b", "no file can have")],
)
def test_an_unwritable_path_is_reported_and_can_be_checked_before(tmp_path, name, why):
    for way in (require_writable, lambda path: write_whole(path, "text")):
        with pytest.raises(UsageError, match=why):
            way(f"{tmp_path}/{name}")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write anything")
def test_a_write_protected_file_is_left_alone(tmp_path):
    place = tmp_path / "r.html"
    place.write_text("old")
    place.chmod(0o444)
    with pytest.raises(UsageError, match="write-protected"):
        write_whole(place, "new")
    assert place.read_text() == "old"
