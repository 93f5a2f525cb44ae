"""A chart as a file: PNG, SVG or PDF, the same bytes for the same chart."""

from __future__ import annotations

import io
import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.report.output import refuse_unwritable
from karat.report.plots.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "checked_path", "picture", "save"]

#: what a file may end in; metadata that would tell the time or the version is left out
FORMATS: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def checked_path(path: str | os.PathLike[str]) -> Path:
    """Where a chart goes, or an error before anything is computed."""
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise InputError(f"cannot draw {target}: its name must end in one of {known}")
    refuse_unwritable(target)
    return target


def picture(figure: Figure, kind: str) -> bytes:
    """The chart in one of the formats, as bytes."""
    made = io.BytesIO()
    with styled():
        figure.savefig(made, format=kind, metadata=FORMATS[kind])
    return made.getvalue()


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """The chart as a file of the kind that its name ends in; what was there stays on failure."""
    target = checked_path(path)
    content = picture(figure, target.suffix.lower().removeprefix("."))
    try:
        if target.exists() and not target.is_file():  # a pipe or device is written into
            target.write_bytes(content)
        else:
            _replace(target.resolve(), content)
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror or error}") from error
    return target


def _replace(target: Path, content: bytes) -> None:
    """A file beside the target is written first, then takes its place and its permissions."""
    with NamedTemporaryFile(dir=target.parent, prefix=".karat-", delete=False) as file:
        made = Path(file.name)
        file.write(content)
    try:
        made.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_mask())
        made.replace(target)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def _mask() -> int:
    """The permissions that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
