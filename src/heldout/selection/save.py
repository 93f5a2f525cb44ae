"""A fitted model in a file that executes no code when it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError, MissingExtra
from heldout.core.whole_file import written_whole

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["refuse_model_path", "save_model", "skops_io"]


def refuse_model_path(path: Path) -> None:
    """An error before anything is fitted: of the ending, the package, or the folder."""
    if path.suffix != ".skops":
        raise InputError(
            f"cannot save a model as {path}: its name must end in .skops (a pickle runs code "
            "when it is read, and heldout writes none)"
        )
    skops_io()
    if not path.resolve().parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.resolve().parent}")


def save_model(estimator: Any, path: Path) -> None:
    """The estimator as a ``.skops`` file; what was there stays on failure."""
    refuse_model_path(path)
    content = skops_io().dumps(estimator)
    with written_whole(path) as made:
        made.write_bytes(content)


def skops_io(purpose: str = "saving a model") -> Any:
    """What writes and reads models, or an error that says how it is installed."""
    try:
        import skops.io
    except ImportError:
        raise MissingExtra("skops", purpose, "models") from None
    return skops.io
