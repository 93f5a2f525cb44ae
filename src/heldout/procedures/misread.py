"""What is wrong with a text that is no procedure, and the text that was likely meant."""

from __future__ import annotations

import re
from itertools import islice, product
from typing import TYPE_CHECKING

from heldout.core.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["complaint", "two_meanings"]

#: words of procedures that a misspelt one may stand for
WORDS = (
    "fold", "holdout", "loo", "leave-one-out", "leave-p-out", "leave-one-group-out", "bootstrap",
    "groups", "time", "column", "file", "stratified", "unstratified", "grouped", "ungrouped",
    "sliding", "gap", "seed", "cross-validation", "out-of-bag", "loosely",
)  # fmt: skip
#: further words that are understood, for which no other is to be offered
OTHER_WORDS = {
    "bins", "by", "cv", "expanding", "folds", "hold-out", "k-fold", "kfold", "logo", "loocv", "lpo",
    "no", "not", "oob", "out", "repeated", "test", "times", "train-test", "two", "three",
}  # fmt: skip
#: words that a number follows, and the least that it may be
NUMBERED = {"seed": 0, "gap": 0, "sliding": 1, "test": 1, "bins": 2}
WRITTEN = "10-fold, 5x2-fold, holdout 70:30, loo, bootstrap 200, .632+ 200, groups, time 5"
#: tries at putting several misspelt words right
MOST_TRIES = 30


def complaint(given: str, text: str, is_read: Callable[[str], bool]) -> str:
    """What to say of a text (as ``given``, and in small letters) that is no procedure.

    Only what ``is_read`` can read is offered.
    """
    meant = next(filter(is_read, _corrected(given, text)), "")
    if meant:
        return f"no procedure is called {given!r}; did you mean {meant}?"
    why = _number(text) or _reason(text)
    if why:
        return f"procedure {given!r}: {why}"
    return f"no procedure is called {given!r}; procedures are written {WRITTEN}, ..."


def _corrected(given: str, text: str) -> Iterator[str]:
    """What was given with its unknown words put right, likely ones first."""
    strange = [
        word
        for word in dict.fromkeys(re.findall(r"[a-z][a-z-]+", text))
        if word not in WORDS and word not in OTHER_WORDS
    ]
    strange = [word for word in strange if nearest(word, WORDS)]
    for chosen in islice(product(*(nearest(word, WORDS) for word in strange)), MOST_TRIES):
        made = " ".join(given.split())
        for word, instead in zip(strange, chosen, strict=True):
            spelt = word.replace("-", "[-_]")
            made = re.sub(rf"(?<![a-z]){spelt}(?![a-z])", instead, made, flags=re.IGNORECASE)
        yield made


def _number(text: str) -> str:
    """What is wrong with the number behind a word."""
    for word, least in NUMBERED.items():
        found = re.search(rf"\b{word}\b(?:[ =]?(\S+))?", text)
        if found is None or (found[1] or "").isdigit():
            continue
        if found[1] is None or re.match(r"[a-z]", found[1]):
            return f"{word} needs a number behind it, such as {word} {max(least, 7)}"
        return f"what stands behind {word} is a whole number from {least}, not {found[1]}"
    found = re.search(r"(?:^| )(-\d[\d.]*)", text)
    return f"{found[1]} is negative, and procedures have whole numbers from 1" if found else ""


def _reason(text: str) -> str:
    if re.match(r"(\d+ ?x ?)?holdout ", text):
        return "a ratio is written 70:30, or 50:20:30 with validation rows"
    if re.match(r"\d+ ?x ?[a-z.]", text):
        return "only k-fold and holdout can be repeated"
    if re.fullmatch(r"(\d+ ?x ?)?(k-?)?folds?|cv|cross-?validation", text):
        return "the number of folds is missing; write 10-fold"
    if re.fullmatch(r"lpo|leave-p-out", text):
        return "the number of rows that are left out is missing; write leave-2-out"
    return ""


def two_meanings(given: str, ratio: str) -> str:
    """What to say of a ratio with a slash that is rather a share, such as 2/3; else nothing.

    Examples
    --------
    >>> two_meanings("holdout 2/3", "2/3")
    "procedure 'holdout 2/3': is 2/3 a share or a ratio? To train on that share of the rows, \
write holdout 2:1; for the ratio, holdout 2:3"
    >>> two_meanings("holdout 70/30", "70/30"), two_meanings("holdout 30/70", "30/70")
    ('', '')
    """
    parts = ratio.replace(" ", "").split("/")
    if len(parts) != 2 or ":" in ratio:
        return ""
    first, second = map(float, parts)
    # parts that add up to 1 or 100 are what they look like
    if first >= second or first <= 0 or round(first + second, 9) in (1, 100):
        return ""
    share = f"{parts[0]}:{second - first:g}"
    return (
        f"procedure {given!r}: is {'/'.join(parts)} a share or a ratio? To train on that share of "
        f"the rows, write holdout {share}; for the ratio, holdout {':'.join(parts)}"
    )
