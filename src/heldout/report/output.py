"""Writing a result: to a file whole or not at all, to standard output until the reader leaves."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.core.disk import attempt, cause_of_system, written_whole
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: what stands for standard output in the place of a file
STDOUT = Path("-")
#: signs that a terminal without Unicode can take instead of ours
PLAIN = str.maketrans({"↑": "^", "↓": "v", "→": ">", "─": "-", "…": "~", "·": "*", "×": "x"})


def refuse_unwritable(path: Path) -> None:
    """An error where a file cannot be written, before anything is computed."""
    with attempt(f"write {path}"):
        target = path.resolve()
        is_folder = target.is_dir()
    if is_folder:
        raise InputError(f"cannot write {path}: it is a folder")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError(f"cannot write {path}: permission denied")
    if not target.exists() or target.is_file():
        # rights do not tell all (a file system of the kernel's, a full or read-only disk)
        probe = target.with_name(f".heldout-{os.urandom(16).hex()}")
        with attempt(f"write {path}"):
            probe.touch()
            probe.unlink()


def refuse_own_input(path: Path, sources: Iterable[str]) -> None:
    """An error where the output would replace a file that is read."""
    target = path.resolve()
    for source in sources:
        if Path(source).exists() and Path(source).resolve() == target:
            raise InputError(f"cannot write {path}: it is read as input; name another file")


def write_whole(path: Path, content: str | bytes) -> None:
    """Text or bytes as the whole content of a file; what was there stays if anything fails."""
    write_all({path: content})


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Several files, each whole: where one cannot be written, none is, and what was there stays."""
    with ExitStack() as stack:
        for path, content in contents.items():
            refuse_unwritable(path)
            target = stack.enter_context(written_whole(path))
            target.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def make_folder(path: Path) -> Iterator[Path]:
    """A folder, made where there is none; removed again where what is written there fails."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        with attempt(f"make the folder {path}"):
            path.mkdir(parents=True, exist_ok=True)
        yield path
    except BaseException:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


def write_stdout(text: str, *, is_data: bool = False) -> None:
    """The text on standard output; a reader that has left (``| head``) is no failure.

    Data is always UTF-8; what is read by eye takes the signs the terminal has.
    """
    try:
        if is_data and hasattr(sys.stdout, "buffer"):
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8"))
        else:
            sys.stdout.write(_encodable(text, getattr(sys.stdout, "encoding", None) or "utf-8"))
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        raise InputError(f"cannot write to standard output: {cause_of_system(error)}") from error


def _encodable(text: str, encoding: str) -> str:
    """The text with signs an encoding lacks put in its own."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def silence_stdout() -> None:
    """Standard output into nothing, so that the interpreter's own last flush cannot fail."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # no real stream: a test's, or closed
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
