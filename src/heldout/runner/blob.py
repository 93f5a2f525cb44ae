"""Outcomes as bytes: a header in JSON, the arrays as they are, and a checksum of both."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from heldout.learners.outcome import Outcome
from heldout.runner.short_array import Form, shortened

__all__ = ["Damaged", "packed", "unpacked"]

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


class Damaged(ValueError):
    """Bytes that are not, or no longer, an outcome."""


def packed(outcome: Outcome) -> bytes:
    """An outcome as bytes that any machine reads (little-endian)."""
    arrays = {name: getattr(outcome, name) for name in ARRAYS}
    stored = {name: shortened(array) for name, array in arrays.items() if array is not None}
    header: dict[str, Any] = {
        "arrays": {name: entry for name, (entry, _) in stored.items()},
        "score_kind": outcome.score_kind,
        "path": outcome.path,
        "part": outcome.part,
        "failures": [[int(position), text] for position, text in outcome.failures],
    }
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


def unpacked(blob: bytes) -> Outcome:
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
        failures = tuple((int(position), str(text)) for position, text in read["failures"])
        rest = {name: str(read[name]) for name in ("score_kind", "path", "part")}
        # blobs of before have none
        kinds = tuple(str(kind) for kind in read.get("mixed_kinds", ()))
        told = read.get("warnings", {}).items()
        warnings = tuple((int(position), str(text)) for text, many in told for position in many)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"its header is unreadable ({error})") from error
    lists = {"failures": failures, "warnings": tuple(sorted(warnings)), "mixed_kinds": kinds}
    return shapes, {**rest, **lists}


def _by_text(warnings: tuple[tuple[int, str], ...]) -> dict[str, list[int]]:
    """The positions of each text: thousands of splits may say the same."""
    found: dict[str, list[int]] = {}
    for position, text in warnings:
        found.setdefault(text, []).append(int(position))
    return found
