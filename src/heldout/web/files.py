"""The files that may be opened: uploads under names that mean nothing to a system, given paths."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.core.shown import visible
from heldout.tables.files import COMPRESSIONS, FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from starlette.datastructures import UploadFile

#: what a file may be by its name, and how it may be packed
ENDINGS = (*FORMATS, ".arff")
#: files that are listed of the given folders
MOST_FILES = 500
#: characters of the name of a file
LONGEST = 100


def offered(paths: Iterable[Path]) -> dict[str, Path]:
    """The given files, and those in the given folders, by the names that the page calls them.

    What is asked for is looked up here, so that no name leads anywhere else; a link that leads
    out of its folder is left out.
    """
    files: dict[str, Path] = {}
    for path in paths:
        root = path.resolve()
        if root.is_file():
            files[str(path)] = root
            continue
        for folder, _, names in os.walk(root):
            for name in sorted(names):
                target = (Path(folder) / name).resolve()
                if _ending(name) and target.is_relative_to(root) and target.is_file():
                    files[str(path / target.relative_to(root))] = target
                if len(files) >= MOST_FILES:
                    return files
    return files


def store_uploads(uploads: Sequence[UploadFile], folder: Path) -> list[Path]:
    """The uploads as files in a folder, each under a name of letters, digits and dashes."""
    paths: list[Path] = []
    for upload in uploads:
        given = (upload.filename or "").replace("\\", "/").rpartition("/")[2]
        ending = _ending(given)
        if not ending:
            raise InputError(
                f"{visible(given)[:LONGEST] or 'a file without a name'} is no table that heldout "
                f"reads: {', '.join(ENDINGS)}, also with {' or '.join(COMPRESSIONS)}"
            )
        stem = given[: len(given) - len(ending)][:LONGEST].encode(errors="replace").decode()
        stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in stem).strip("-_") or "file"
        path = folder / f"{stem}{ending}"
        number = 1
        while path in paths:
            number += 1
            path = folder / f"{stem}_{number}{ending}"
        with path.open("xb") as copy:
            shutil.copyfileobj(upload.file, copy, 1 << 20)
        paths.append(path)
    return paths


def _ending(name: str) -> str:
    """The ending that says how a file is read; empty where it says nothing that is known.

    Examples
    --------
    >>> _ending("a.b.CSV.gz"), _ending("a.py"), _ending(".csv")
    ('.csv.gz', '', '.csv')
    """
    rest, dot, last = name.lower().rpartition(".")
    packing = ""
    if dot + last in COMPRESSIONS:
        packing = dot + last
        _, dot, last = rest.rpartition(".")
    return dot + last + packing if dot + last in ENDINGS else ""
