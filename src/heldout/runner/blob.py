"""Outcomes as bytes: a header in JSON, the arrays in few bytes, and a checksum of both."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.learners.outcome import Outcome
from heldout.runner.task import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heldout.core.arrays import Array

#: the format's mark, which is older than the name of the package
MARK = b"karat-1\n"
CHECKSUM = 16
#: the header's length takes four bytes; arrays begin at multiples of eight
ALIGNED = 8

ARRAYS = (
    "splits",
    "split_of",
    "rows",
    "predicted",
    "scores",
    "train_counts",
    "train_mean",
    "train_rows",
    "fit_seconds",
    "predict_seconds",
)

#: kinds of numbers that are stored; anything else in a blob is damage
KINDS = "iufb"
#: numbers below which looking for a shorter form costs more than it saves
LONG = 1_000
CONSTANT, COUNT = "constant", "count"


class Damaged(ValueError):
    """Bytes that are not, or no longer, an outcome."""


class Loss(NamedTuple):
    """Splits of a model whose bytes are damaged: the piece's number, its splits, and the error."""

    number: int
    first: int
    size: int
    error: Damaged


def pack(outcome: Outcome) -> bytes:
    """An outcome as bytes that any machine reads (little-endian)."""
    arrays = {name: getattr(outcome, name) for name in ARRAYS}
    stored = {name: shorten(array) for name, array in arrays.items() if array is not None}
    header: dict[str, Any] = {
        "arrays": {name: entry for name, (entry, _) in stored.items()},
        "score_kind": outcome.score_kind,
        "path": outcome.path,
        "part": outcome.part,
        "failures": [[int(position), text] for position, text in outcome.failures],
    }
    if outcome.failures:
        reasons = ((at, text) for at, text in outcome.failures if isinstance(text, Reason))
        header["causes"] = {int(at): [why.cause, why.seconds] for at, why in reasons}
    if outcome.warnings:
        header["warnings"] = _by_text(outcome.warnings)
    if outcome.mixed_kinds:
        header["mixed_kinds"] = [*outcome.mixed_kinds]
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-(len(MARK) + 4 + len(head)) % ALIGNED)
    parts = [MARK, len(head).to_bytes(4, "little"), head]
    for _, array in stored.values():
        data = array.tobytes()
        parts.extend((data, bytes(-len(data) % ALIGNED)))
    body = b"".join(parts)
    return body + blake2b(body, digest_size=CHECKSUM).digest()


def unpack(blob: bytes) -> Outcome:
    """The outcome in some bytes; Damaged when they are not what was written."""
    if len(blob) < len(MARK) + 4 + CHECKSUM or not blob.startswith(MARK):
        raise Damaged("it does not begin as an outcome")
    view = memoryview(blob)
    if blake2b(view[:-CHECKSUM], digest_size=CHECKSUM).digest() != blob[-CHECKSUM:]:
        raise Damaged("its checksum is wrong")
    start = len(MARK) + 4
    end = start + int.from_bytes(blob[len(MARK) : start], "little")
    shapes, rest = _header(bytes(view[start:end]))
    arrays: dict[str, Any] = {}
    for name, form in shapes:
        arrays[name], size = form.read(view, end)
        end += size + -size % ALIGNED
    return Outcome(**arrays, **rest)


@lru_cache(maxsize=64)
def _header(head: bytes) -> tuple[tuple[tuple[str, Form], ...], dict[str, Any]]:
    """What a header says; folds of a run have few different ones."""
    try:
        read = json.loads(head)
        entries = read["arrays"].items()
        shapes = tuple((name, Form.of(*entry)) for name, entry in entries if name in ARRAYS)
        causes = read.get("causes", {})
        failures = tuple(
            (int(at), Reason(text, *causes[str(at)]) if str(at) in causes else str(text))
            for at, text in read["failures"]
        )
        rest = {name: str(read[name]) for name in ("score_kind", "path", "part")}
        # blobs of before have none
        kinds = tuple(str(kind) for kind in read.get("mixed_kinds", ()))
        by_text = read.get("warnings", {}).items()
        warnings = tuple((int(position), str(text)) for text, many in by_text for position in many)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"its header is unreadable ({error})") from error
    lists = {"failures": failures, "warnings": tuple(sorted(warnings)), "mixed_kinds": kinds}
    return shapes, {**rest, **lists}


def _by_text(warnings: tuple[tuple[int, str], ...]) -> dict[str, list[int]]:
    """The positions of each text: thousands of splits may say the same."""
    positions: dict[str, list[int]] = {}
    for position, text in warnings:
        positions.setdefault(text, []).append(int(position))
    return positions


@dataclass(frozen=True, slots=True)
class Form:
    """How an array lies in some bytes."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    #: "constant", "count", or the type of the numbers as they are stored
    short: str | np.dtype[Any]

    @classmethod
    def of(cls, dtype: str, *rest: Any) -> Form:
        """The form that a header's entry names: type, shape and, where there is one, short form."""
        *shape, short = rest if rest and isinstance(rest[-1], str) else (*rest, dtype)
        is_named = short in (CONSTANT, COUNT)
        sizes = tuple(int(size) for size in shape)
        return cls(_number(dtype), sizes, short if is_named else _number(short))

    def read(self, view: memoryview, start: int) -> tuple[Array, int]:
        """The array that begins there, and how many bytes it takes."""
        count = prod(self.shape)
        if isinstance(self.short, str):
            first = np.frombuffer(view, self.dtype, 1, start)
            if self.short == CONSTANT:
                return np.full(self.shape, first[0]), first.nbytes
            return np.arange(first[0], first[0] + count, dtype=self.dtype), first.nbytes
        array = np.frombuffer(view, self.short, count, start)
        whole = array.astype(self.dtype, copy=False)
        return (whole.reshape(self.shape) if len(self.shape) > 1 else whole), array.nbytes


def shorten(array: Array) -> tuple[list[Any], Array]:
    """A header's entry for an array, and the numbers that are to be stored (little-endian).

    Examples
    --------
    >>> shorten(np.arange(5, 2_005))
    (['<i8', 2000, 'count'], array([5]))
    >>> entry, stored = shorten(np.arange(2_000) % 3)
    >>> entry, stored.nbytes
    (['<i8', 2000, '|u1'], 2000)
    """
    if array.dtype.kind not in KINDS:
        raise TypeError(f"an outcome holds {array.dtype}, which is not a number")
    whole = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    entry = [whole.dtype.str, *whole.shape]
    if whole.size < LONG:
        return entry, whole
    flat = whole.reshape(-1)
    # of floats the bytes are compared: NaN equals NaN, and 0 is not -0
    bits = flat.view(f"<u{whole.itemsize}")
    if bits[0] == bits[-1] and bool((bits == bits[0]).all()):
        return [*entry, CONSTANT], flat[:1]
    if whole.dtype.kind not in "iu":
        return entry, whole
    if int(flat[-1]) - int(flat[0]) == whole.size - 1 and bool((np.diff(flat) == 1).all()):
        return [*entry, COUNT], flat[:1]
    least, most = int(flat.min()), int(flat.max())
    narrow = np.result_type(np.min_scalar_type(least), np.min_scalar_type(most))
    if narrow.kind not in "iu" or narrow.itemsize >= whole.itemsize:
        return entry, whole
    stored = whole.astype(narrow.newbyteorder("<"))
    return [*entry, stored.dtype.str], stored


def _number(text: str) -> np.dtype[Any]:
    dtype = np.dtype(text)
    if dtype.kind not in KINDS:
        raise ValueError(f"numbers of type {text}")
    return dtype


def damage_note(path: Path, model: str, lost: Sequence[Loss], *, again: bool) -> str:
    """What is damaged of a model, and, with ``again``, that it is computed once more.

    Examples
    --------
    >>> from pathlib import Path
    >>> from heldout.runner.blob import Damaged, Loss
    >>> lost = [Loss(1, 0, 3, Damaged("cut")), Loss(2, 4, 1, Damaged("cut"))]
    >>> damage_note(Path("runs.sqlite"), "nb", lost, again=True)
    'runs.sqlite: splits 1 to 3, 5 of nb are damaged (cut); they are computed again'
    """
    numbers = sorted({loss.first + 1 + i for loss in lost for i in range(loss.size)})
    is_one = len(numbers) == 1
    what, verb, who = ("split", "is", "it is") if is_one else ("splits", "are", "they are")
    why = ", ".join(dict.fromkeys(str(loss.error) for loss in lost))
    then = f"; {who} computed again" if again else ""
    return f"{path}: {what} {ranges(numbers)} of {model} {verb} damaged ({why}){then}"


def ranges(numbers: Sequence[int]) -> str:
    """Rising numbers in a few words.

    Examples
    --------
    >>> ranges([1, 2, 3, 5, 8, 9])
    '1 to 3, 5, 8, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )
