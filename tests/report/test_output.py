"""A file is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from heldout.core.errors import InputError
from heldout.report.output import refuse_unwritable, write_stdout, write_whole

needs_posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")


def test_file_is_new_or_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    for text in ("first ü\n", "second\r\n"):
        write_whole(path, text)
        assert path.read_bytes() == text.encode()
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old", encoding="utf-8")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError, match=r"cannot write .*out\.txt: the disk is full"):
        write_whole(path, "new")
    monkeypatch.undo()
    monkeypatch.setattr(Path, "chmod", fail)
    with pytest.raises(InputError, match="the disk is full"):
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "out.txt", "new")
    assert list(tmp_path.iterdir()) == []


@needs_posix
def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "real.txt", tmp_path / "link.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text(encoding="utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o640


@needs_posix
def test_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    usual = tmp_path / "usual.txt"
    usual.write_text("", encoding="utf-8")
    write_whole(tmp_path / "out.txt", "")
    assert (tmp_path / "out.txt").stat().st_mode == usual.stat().st_mode


@needs_posix
def test_device_is_written_into_and_not_replaced() -> None:
    write_whole(Path(os.devnull), "gone")
    assert Path(os.devnull).is_char_device()


def test_folder_and_missing_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder"):
        refuse_unwritable(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        refuse_unwritable(tmp_path / "no" / "out.txt")
    refuse_unwritable(tmp_path / "out.txt")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_protected_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="permission denied"):
        refuse_unwritable(tmp_path / "out.txt")
    tmp_path.chmod(0o700)


def test_data_is_utf_8_whatever_the_terminal(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_stdout("ü ↑\n", is_data=True)
    assert capfdbinary.readouterr().out == "ü ↑\n".encode()
