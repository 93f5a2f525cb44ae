"""How the work of a run reaches a worker: once, as files that are mapped, or as bytes."""

from __future__ import annotations

import os
import pickle
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from heldout.core.errors import InputError
from heldout.runner.task import Work, error_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.learners.model import Model
    from heldout.learners.outcome import Part

#: room that shared memory must have to spare, as joblib asks for it
SPARE = 2_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Parcel:
    """A reference to work that is small enough to go with every task."""

    token: str
    #: what is predicted in each split
    parts: tuple[Part, ...]
    folder: str = ""
    content: NDArray[np.uint8] | None = None


@contextmanager
def send_work(work: Work) -> Iterator[Parcel]:
    """The work as files that all workers of this machine map into their memory."""
    with TemporaryDirectory(dir=_folder_of_files(), ignore_cleanup_errors=True) as folder:
        yield _as_files(work, Path(folder))


def _as_files(work: Work, folder: Path) -> Parcel:
    import joblib

    _prepare(work)
    data = (work.dataset, work.splits, work.seed, work.parts)
    try:
        joblib.dump(data, folder / "data")
    except (pickle.PicklingError, AttributeError, TypeError):
        # frames of classes that are defined in a session, not in a module
        (folder / "data").write_bytes(_pickled(data))
    (folder / "models").write_bytes(_pickled_models(work))
    return Parcel(uuid4().hex, work.parts, folder=str(folder))


def as_bytes(work: Work) -> Parcel:
    """The work as bytes, for workers that share no disk with this machine."""
    _prepare(work)
    _pickled_models(work)
    return Parcel(uuid4().hex, work.parts, content=np.frombuffer(_pickled(work), dtype=np.uint8))


def can_be_sent(model: Model) -> bool:
    """Whether a model can go to another process."""
    return _why_held_back(model) is None


def _why_held_back(model: Model) -> Exception | None:
    try:
        _pickled(model)
    except Exception as error:  # what holds it back may say so in any way
        return error
    return None


def open_parcel(parcel: Parcel) -> Work:
    """The work behind a parcel."""
    try:
        return _open(parcel)
    except Exception as error:
        raise InputError(
            f"a worker could not load the models or the data ({error_line(error)}); "
            "their packages must be installed where it runs"
        ) from error


def _open(parcel: Parcel) -> Work:
    # What is unpickled here was pickled by the process that started this worker.
    if parcel.content is not None:
        work: Work = pickle.loads(parcel.content.data)  # noqa: S301
        return work
    import joblib

    folder = Path(parcel.folder)
    models = pickle.loads((folder / "models").read_bytes())  # noqa: S301
    dataset, splits, seed, parts = joblib.load(folder / "data", mmap_mode="r")
    return Work(dataset, models, splits, seed, parts)


def _prepare(work: Work) -> None:
    """Make what the data set derives lazily, so that no worker has to."""
    from heldout.learners.fit import inputs

    for model in work.models:
        inputs(model, work.dataset)


def _pickled_models(work: Work) -> bytes:
    """The models as bytes; one that cannot be sent is named."""
    for model in work.models:
        if (error := _why_held_back(model)) is not None:
            raise InputError(
                f"{model.name}: it cannot be sent to another process ({error_line(error)}); "
                "use one job, or the backend threading"
            ) from error
    return _pickled(work.models)


def _pickled(thing: Any) -> bytes:
    try:
        import cloudpickle
    except ModuleNotFoundError:  # joblib before 1.6 carries its own
        from joblib.externals import cloudpickle

    data: bytes = cloudpickle.dumps(thing)
    return data


def _folder_of_files() -> str | None:
    """Where the files of a run go: where joblib would put them; None is the usual place."""
    if folder := os.environ.get("JOBLIB_TEMP_FOLDER"):
        return folder
    shared = Path("/dev/shm")  # noqa: S108  a folder of its own is made there
    try:
        state = os.statvfs(shared)
    except (AttributeError, OSError):  # Windows, macOS
        return None
    is_fit = os.access(shared, os.W_OK) and state.f_bavail * state.f_frsize > SPARE
    return str(shared) if is_fit else None
