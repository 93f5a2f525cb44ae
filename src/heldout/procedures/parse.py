"""The short text of a procedure, the same on the command line, in Python and in stored runs.

The grammar, where large letters stand for numbers and case does not matter::

    text      = procedure modifier*
    procedure = [Rx] K-fold                          10-fold, 50x10-fold, 5x2-fold
              | [Rx] holdout [A:B or A:B:C]          holdout 70:30, 100x holdout 50:20:30
              | loo                                  leave-one-out
              | leave-P-out                          leave-2-out
              | bootstrap [B] | .632 [B] | .632+ [B] bootstrap 200, .632+ 200
              | groups                               leave-one-group-out
              | time [N] [sliding W] [gap G] [test T]
              | column NAME                          folds of a column of the data
              | file PATH                            splits that were written to a file
    modifier  = stratified [loosely] [by bins N] | unstratified | grouped | ungrouped | seed S

Modifiers may stand before the procedure too (``stratified 10-fold``), but not with ``column``
and ``file``, whose name is all that follows. Many other words are understood: ``10 fold``,
``10-fold cv``, ``10x10``, ``leave-one-out``, ``oob 200``, ``70:30``, ``logo``.
"""

from __future__ import annotations

import re
from itertools import islice, product
from numbers import Integral
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import nearest
from heldout.procedures.bootstrap import Bootstrap
from heldout.procedures.from_splitter import FromSplitter
from heldout.procedures.holdout import Holdout
from heldout.procedures.kfold import KFold
from heldout.procedures.leave_out import LeaveOneGroupOut, LeaveOneOut, LeavePOut
from heldout.procedures.predefined import PredefinedFolds
from heldout.procedures.procedure import Procedure
from heldout.procedures.split_file import FromFile
from heldout.procedures.time_ordered import TimeOrdered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    meant = next(filter(is_read, _corrections(given, text)), "")
    if meant:
        return f"no procedure is called {given!r}; did you mean {meant}?"
    why = _number(text) or _reason(text)
    if why:
        return f"procedure {given!r}: {why}"
    return f"no procedure is called {given!r}; procedures are written {WRITTEN}, ..."


def _corrections(given: str, text: str) -> Iterator[str]:
    """What was given with its unknown words put right, likely ones first."""
    strange = [
        word
        for word in dict.fromkeys(re.findall(r"[a-z][a-z-]+", text))
        if word not in WORDS and word not in OTHER_WORDS
    ]
    strange = [word for word in strange if nearest(word, WORDS)]
    for chosen in islice(product(*(nearest(word, WORDS) for word in strange)), MOST_TRIES):
        corrected = " ".join(given.split())
        for word, instead in zip(strange, chosen, strict=True):
            spelt = word.replace("-", "[-_]")
            corrected = re.sub(
                rf"(?<![a-z]){spelt}(?![a-z])", instead, corrected, flags=re.IGNORECASE
            )
        yield corrected


def _number(text: str) -> str:
    """What is wrong with the number behind a word."""
    for word, least in NUMBERED.items():
        match = re.search(rf"\b{word}\b(?:[ =]?(\S+))?", text)
        if match is None or (match[1] or "").isdigit():
            continue
        if match[1] is None or re.match(r"[a-z]", match[1]):
            return f"{word} needs a number behind it, such as {word} {max(least, 7)}"
        return f"the value after {word} is a whole number from {least}, not {match[1]}"
    match = re.search(r"(?:^| )(-\d[\d.]*)", text)
    return f"{match[1]} is negative, and procedures have whole numbers from 1" if match else ""


def _reason(text: str) -> str:
    if text.isdigit():
        return f"write {text}-fold for as many folds"
    if re.match(r"(\d+ ?x ?)?holdout ", text):
        return "a ratio is written 70:30, or 50:20:30 with validation rows"
    if re.match(r"\d+ ?x ?[a-z.]", text):
        return "only k-fold and holdout can be repeated"
    if re.fullmatch(r"(\d+ ?x ?)?(k-?)?folds?|cv|cross-?validation", text):
        return "the number of folds is missing; write 10-fold"
    if re.fullmatch(r"lpo|leave-p-out", text):
        return "the number of rows that are left out is missing; write leave-2-out"
    return ""


MODIFIERS = (
    ("stratified", re.compile(
        r"\b(?P<no>un|non-|not |no )?stratif(?:ied|y)(?P<loosely> loosely)?"
        r"(?: ?(?:by )?(?:bins(?: (?P<bins>\d+))?|(?P<bins_before>\d+) bins))?(?![\w-])")),
    ("bins", re.compile(r"\b(?:by )?bins (?P<bins>\d+)(?![\w-])")),
    ("grouped", re.compile(r"\b(?P<no>un|non-|not )?grouped(?: by groups?)?(?![\w-])")),
    ("seed", re.compile(r"\b(?:seed|random[_ -]state)[ =]?(?P<seed>\d+)\b")),
)  # fmt: skip


def parse_procedure(given: Any) -> Procedure:
    """Parse a procedure such as ``"10-fold"`` or ``"holdout 70:30"``.

    Parameters
    ----------
    given
        A text; a whole number, the number of folds; a procedure, which is returned unchanged; or
        a splitter of scikit-learn, which is wrapped.

    Examples
    --------
    >>> parse_procedure("50x10-fold")
    KFold(folds=10, repeats=50)
    >>> str(parse_procedure("Stratified 5 fold CV"))
    '5-fold stratified'
    """
    if isinstance(given, Procedure):
        return given
    if isinstance(given, Integral) and not isinstance(given, bool):
        return KFold(int(given))
    if not isinstance(given, str):
        return FromSplitter(given)
    procedure = _procedure_in(given)
    if procedure is None:
        raise InputError(complaint(given, _plain(given), _is_read))
    return procedure


def _plain(given: str) -> str:
    return " ".join(given.replace("_", "-").lower().split())


def _procedure_in(given: str) -> Procedure | None:
    """The procedure of a text; None where it is that of none."""
    named = re.fullmatch(r"\s*(column|file)\s+(\S.*)", given, re.IGNORECASE | re.DOTALL)
    if named:
        name = named[2].strip()
        return PredefinedFolds(name) if named[1].lower() == "column" else FromFile(name)
    text = _plain(given)
    rest, settings = _modifiers(given, text)
    for pattern, kind in HEADS:
        if match := pattern.fullmatch(rest):
            found = {name: value for name, value in match.groupdict().items() if value}
            return kind.read(given, found, settings)
    return None


def _modifiers(given: str, text: str) -> tuple[str, dict[str, Any]]:
    """The text without its modifiers, and what they say."""
    settings: dict[str, Any] = {}
    for name, pattern in MODIFIERS:
        match = pattern.search(text)
        if not match:
            continue
        groups = match.groupdict()
        if name == "stratified":
            settings["stratify"] = not groups["no"] and ("loosely" if groups["loosely"] else True)
        elif name == "grouped":
            settings["grouped"] = not groups["no"]
        elif name == "seed":
            settings["random_state"] = int(groups["seed"])
        if bins := groups.get("bins") or groups.get("bins_before"):
            settings["bins"] = int(bins)
        text = f"{text[: match.start()]} {text[match.end() :]}"
        if again := pattern.search(text):
            raise InputError(_contradiction(given, match[0], again[0]))
    return " ".join(text.split()).strip(" ,"), settings


def _contradiction(given: str, first: str, second: str) -> str:
    both = f"{first} twice" if first == second else f"both {first} and {second}"
    return f"procedure {given!r} says {both}; leave out one of them"


def _is_read(text: str) -> bool:
    try:
        return _procedure_in(text) is not None
    except InputError:
        return False


#: the procedures that are told by a pattern, in small letters and without modifiers
HEADS = tuple(
    (re.compile(pattern), kind)
    for kind in (KFold, Holdout, LeaveOneOut, LeavePOut, LeaveOneGroupOut, Bootstrap, TimeOrdered)
    for pattern in kind.written
)
