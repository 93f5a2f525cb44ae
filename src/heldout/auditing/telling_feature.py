"""K05: a column that alone gives the target away, as it stands or by a part of its texts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.check import Seen, Unseen, check, features, too_large
from heldout.datasets.dataset import Feature
from heldout.datasets.features import feature_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.auditing.material import Material
    from heldout.auditing.telling_classes import ClassTarget
    from heldout.auditing.telling_values import NumberTarget
    from heldout.core.arrays import Array, Integers
    from heldout.datasets.dataset import Dataset, LeftOut


def _needs(material: Material) -> str:
    data = material.trained
    if data is not None and any(left.column is not None for left in data.left_out):
        return ""
    return features(material)


@check(
    "K05",
    "a single column predicts the target",
    "warning",
    why=(
        "A column that predicts the target on its own is often a copy of the target, or was filled "
        "in afterwards; it will not be known when the model is used."
    ),
    fix="Find out when the column is filled in; leave it out ({ignore}) if that is afterwards.",
    needs=_needs,
)
def telling_feature(material: Material) -> Iterator[Seen | Unseen]:
    """Columns from which the target follows without any other, in all rows or in some."""
    data = material.trained
    assert data is not None
    if large := too_large(material, is_all=True):
        yield large
        return
    if data.task == "regression":
        from heldout.auditing.telling_values import NumberTarget

        numbers = NumberTarget.of(data)
        yield from _seen_in_features(data, numbers)
        yield from _seen_beside_features(data, numbers)
    else:
        from heldout.auditing.telling_classes import ClassTarget

        classes = ClassTarget.of(data)
        whole = list(_seen_in_features(data, classes))
        yield from whole
        yield from _seen_in_parts(data, classes, {name for seen in whole for name in seen.columns})
        yield from _seen_beside_features(data, classes)


def _seen_in_features(data: Dataset, target: ClassTarget | NumberTarget) -> Iterator[Seen]:
    for feature in data.features:
        if verdict := target.verdict_on(feature):
            yield Seen(verdict[0], columns=(feature.name,), severity=verdict[1])


def _seen_in_parts(data: Dataset, classes: ClassTarget, named: set[str]) -> Iterator[Seen]:
    """Columns that tell a class each, or of some rows, where they were not named before."""
    if (
        not named
        and len(data.classes) > 2
        and (verdict_and_names := classes.verdict_on_indicators(data.features))
    ):
        (text, severity), names = verdict_and_names
        named = set(names)
        yield Seen(text, columns=names, severity=severity)
    for feature in data.features:
        if feature.name not in named and (verdict := classes.verdict_on_part(feature)):
            yield Seen(verdict[0], columns=(feature.name,), severity=verdict[1])


def _seen_beside_features(data: Dataset, target: ClassTarget | NumberTarget) -> Iterator[Seen]:
    """Columns that are taken to name rows, which nobody said; and parts of texts."""
    for left, column in _whole_columns(data):
        if column.kind in TEXTS:
            continue
        feature = feature_of(column)
        if (verdict := target.verdict_on(feature)) is None:
            continue
        text, severity = verdict
        if len(data) > 1 and bool((np.diff(feature.values) == 1).all()):
            # it says no more than the order of the rows in a file, which is worth a note
            text += "; it counts the rows, which are sorted by the target"
            severity = "note"
        text += f" (not used as a feature: {left.reason})"
        yield Seen(text, columns=(feature.name,), severity=severity)
    for texts in _texts(data):
        if len(texts.rows) < FEWEST:
            continue
        parts = _text_parts(texts.texts, texts.name)
        verdict = target.at(texts.rows).verdict_on_texts(parts, MOST_PARTS)
        if verdict is not None:
            text, severity = verdict
            sampled = f", a sample of {len(data):,}" if len(texts.rows) < len(data) else ""
            reason = f" (not used as a feature: {texts.reason})" if texts.reason else ""
            yield Seen(f"{text}{sampled}{reason}", columns=(texts.name,), severity=severity)


def _whole_columns(data: Dataset) -> Iterator[tuple[LeftOut, Any]]:
    """The columns that are no features by a guess, with their values."""
    for left in data.left_out:
        if left.column is not None and len(left.column) == len(data):
            yield left, left.column


#: kinds of columns whose values are texts
TEXTS = ("text", "category")
#: levels beyond which a nominal column is looked at as a text too, and rows a level at most
MANY_LEVELS, A_LEVEL = 20, 5
#: texts that are taken apart; of more rows, so many are looked at
MOST_TEXTS = 20_000
#: fewer texts prove nothing
FEWEST = 30


@dataclass(frozen=True, slots=True, eq=False)
class _TextColumn:
    """Texts of some rows of a column, of which parts may say more than the whole."""

    name: str
    texts: Sequence[str]
    rows: Integers
    #: why it is no feature; empty: it is one
    reason: str


def _texts(data: Dataset) -> Iterator[_TextColumn]:
    for left, column in _whole_columns(data):
        if column.kind not in TEXTS:
            continue
        known = np.arange(len(data))
        if column.missing is not None:
            known = known[~column.missing]
        rows = _some(known)
        values = column.values[rows]
        if column.kind == "category":
            values = np.array([column.levels[code] for code in values.tolist()], object)
        yield _TextColumn(left.name, [str(v) for v in values.tolist()], rows, left.reason)
    for feature in data.features:
        if feature.levels is None or len(feature.levels) <= MANY_LEVELS:
            continue
        used = np.unique(feature.values)
        if len(used) * A_LEVEL <= len(data):
            continue
        rows = _some(np.flatnonzero(feature.values >= 0))
        names = [str(feature.levels[code]) for code in feature.values[rows].tolist()]
        yield _TextColumn(feature.name, names, rows, "")


def _some(rows: Array) -> Array:
    if len(rows) <= MOST_TEXTS:
        return rows
    return np.sort(np.random.default_rng(0).permutation(rows)[:MOST_TEXTS])


#: a word, or a number
TOKEN = re.compile(r"[^\W\d_]+|\d+")
DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
#: words and numbers from either end, and characters
TOKENS, CHARACTERS = 4, 3
#: words that many texts have: how many of them, and in which share of the texts at least
WORDS, SOME = 50, 0.02
#: rows a level from which on levels are looked at
REPEATED = 5
#: more digits are no exact float
DIGITS = 15
#: so many parts are looked at, at most
MOST_PARTS = 4 * TOKENS + 2 * CHARACTERS + WORDS + 3


def _text_parts(texts: Sequence[str], column: str) -> Iterator[tuple[str, Feature]]:
    """What each part is called, and the part as a feature; parts that are alike are left out."""
    low = [text.lower() for text in texts]
    tokens = [TOKEN.findall(text) for text in low]
    for index, order in enumerate(("first", "second", "third", "fourth")):
        from_end = f"{order}-to-last" if index else "last"
        for where, position in ((order, index), (from_end, -index - 1)):
            texts_there = [_at(words, position) for words in tokens]
            yield from _as_levels(f"the {where} word of {column!r}", texts_there)
            yield from _as_numbers(f"the {where} number of {column!r}", texts_there)
    for where, position in (("first", 0), ("last", -1)):
        numbers = [_at(DECIMAL.findall(text), position) for text in low]
        if any("." in text for text in numbers):
            yield from _as_numbers(f"the {where} number of {column!r}", numbers)
    for many in range(1, CHARACTERS + 1):
        what = f"character of {column!r}" if many == 1 else f"{many} characters of {column!r}"
        yield from _as_levels(f"the first {what}", [text[:many] for text in low])
        yield from _as_levels(f"the last {what}", [text[-many:] for text in low])
    yield from _as_numbers(f"the length of {column!r}", [str(len(text)) for text in low])
    counts = Counter(word for words in tokens for word in set(words))
    for word, count in counts.most_common(WORDS):
        if SOME * len(low) <= count < len(low):
            has = np.array([word in words for words in tokens]).astype(np.int32)
            yield f"whether {column!r} contains {word!r}", Feature("", has, ("no", "yes"))


def _at(words: list[str], index: int) -> str:
    return words[index] if -len(words) <= index < len(words) else ""


def _as_levels(part: str, texts: list[str]) -> Iterator[tuple[str, Feature]]:
    levels, codes = np.unique(np.array(texts), return_inverse=True)
    if 1 < len(levels) <= len(texts) / REPEATED:
        yield part, Feature("", codes.astype(np.int32), tuple(levels.tolist()))


def _as_numbers(part: str, texts: list[str]) -> Iterator[tuple[str, Feature]]:
    if all(text and len(text) <= DIGITS for text in texts) and all(
        DECIMAL.fullmatch(text) for text in texts
    ):
        yield part, Feature("", np.array([float(text) for text in texts]))
