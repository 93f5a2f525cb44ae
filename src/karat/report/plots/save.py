"""A chart as a file: PNG, SVG or PDF, the same bytes for the same chart."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.report.output import refuse_unwritable, write_whole
from karat.report.plots.style import styled

if TYPE_CHECKING:
    import os

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
    write_whole(target, content)
    return target
