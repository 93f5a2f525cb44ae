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
from dataclasses import fields
from typing import Any

from heldout.core.errors import InputError
from heldout.procedures.bootstrap import Bootstrap
from heldout.procedures.from_file import FromFile
from heldout.procedures.from_splitter import FromSplitter
from heldout.procedures.holdout import Holdout
from heldout.procedures.kfold import KFold
from heldout.procedures.leave_one_group_out import LeaveOneGroupOut
from heldout.procedures.leave_one_out import LeaveOneOut
from heldout.procedures.leave_p_out import LeavePOut
from heldout.procedures.misread import complaint, two_meanings
from heldout.procedures.predefined import PredefinedFolds
from heldout.procedures.procedure import Procedure
from heldout.procedures.time_ordered import TimeOrdered

__all__ = ["parse_procedure"]

#: how messages call the settings that modifiers make
SETTINGS = {
    "stratify": "stratified",
    "bins": "binned",
    "grouped": "grouped",
    "random_state": "given a seed",
}

NUMBERS = {"two": 2, "three": 3}
NUMBER = r"\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?"
RATIO = rf"{NUMBER}(?: ?[:/] ?{NUMBER}){{1,2}}"
TIMES = r"(?:(?P<repeats>\d+) ?(?:x|×|times) ?(?:repeated )?)?"
CV = r"(?: ?(?:cv|cross[- ]?validation))?"

MODIFIERS = (
    ("stratified", re.compile(
        r"\b(?P<no>un|non-|not |no )?stratif(?:ied|y)(?P<loosely> loosely)?"
        r"(?: ?(?:by )?(?:bins(?: (?P<bins>\d+))?|(?P<bins_before>\d+) bins))?(?![\w-])")),
    ("bins", re.compile(r"\b(?:by )?bins (?P<bins>\d+)(?![\w-])")),
    ("grouped", re.compile(r"\b(?P<no>un|non-|not )?grouped(?: by groups?)?(?![\w-])")),
    ("seed", re.compile(r"\b(?:seed|random[_ -]state)[ =]?(?P<seed>\d+)\b")),
)  # fmt: skip


def parse_procedure(given: Any) -> Procedure:
    """The procedure of a text; a procedure is given back, a splitter of scikit-learn taken in.

    A whole number is as many folds.

    Examples
    --------
    >>> parse_procedure("50x10-fold")
    KFold(folds=10, repeats=50)
    >>> str(parse_procedure("Stratified 5 fold CV"))
    '5-fold stratified'
    """
    if isinstance(given, Procedure):
        return given
    if isinstance(given, int) and not isinstance(given, bool):
        return KFold(given)
    if not isinstance(given, str):
        return FromSplitter(given)
    found = _read(given)
    if found is None:
        raise InputError(complaint(given, _plain(given), _is_read))
    return found


def _plain(given: str) -> str:
    return " ".join(given.replace("_", "-").lower().split())


def _read(given: str) -> Procedure | None:
    """The procedure of a text; None where it is that of none."""
    named = re.fullmatch(r"\s*(column|file)\s+(\S.*)", given, re.IGNORECASE | re.DOTALL)
    if named:
        name = named[2].strip()
        return PredefinedFolds(name) if named[1].lower() == "column" else FromFile(name)
    text = _plain(given)
    rest, settings = _modifiers(given, text)
    for pattern, kind in HEADS:
        if match := pattern.fullmatch(rest):
            return _made(given, kind, {k: v for k, v in match.groupdict().items() if v}, settings)
    return None


def _modifiers(given: str, text: str) -> tuple[str, dict[str, Any]]:
    """The text without its modifiers, and what they say."""
    settings: dict[str, Any] = {}
    for name, pattern in MODIFIERS:
        match = pattern.search(text)
        if not match:
            continue
        found = match.groupdict()
        if name == "stratified":
            settings["stratify"] = not found["no"] and ("loosely" if found["loosely"] else True)
        elif name == "grouped":
            settings["grouped"] = not found["no"]
        elif name == "seed":
            settings["random_state"] = int(found["seed"])
        if bins := found.get("bins") or found.get("bins_before"):
            settings["bins"] = int(bins)
        text = f"{text[: match.start()]} {text[match.end() :]}"
        if again := pattern.search(text):
            raise InputError(_contradiction(given, match[0], again[0]))
    return " ".join(text.split()).strip(" ,"), settings


def _contradiction(given: str, first: str, second: str) -> str:
    said = f"{first} twice" if first == second else f"both {first} and {second}"
    return f"procedure {given!r} says {said}; leave out one of them"


def _made(
    given: str, kind: type[Procedure], found: dict[str, str], settings: dict[str, Any]
) -> Procedure:
    """The procedure of a kind, with what was found in its text."""
    if kind in (LeaveOneOut, LeaveOneGroupOut) and settings.get("grouped"):
        kind = LeaveOneGroupOut
        settings = {name: value for name, value in settings.items() if name != "grouped"}
    known = {field.name for field in fields(kind)}
    if refused := [SETTINGS[name] for name in settings if name not in known]:
        raise InputError(f"procedure {given!r} cannot be {' or '.join(refused)}")
    values: dict[str, Any] = {
        name: int(value) for name, value in found.items() if value.isdigit() and name in known
    }
    if "ratio" in found:
        if unclear := two_meanings(given, found["ratio"]):
            raise InputError(unclear)
        values["ratio"] = found["ratio"].replace(" ", "").replace("/", ":")
    if "estimator" in found:
        values["estimator"] = f".{found['estimator']}"
    if found.get("p") in NUMBERS:
        values["p"] = NUMBERS[found["p"]]
    for name, value in re.findall(r"(sliding|gap|test) (\d+)", found.get("lengths", "")):
        if name in values:
            raise InputError(f"procedure {given!r} says {name} twice")
        values[name] = int(value)
    return kind(**values, **settings)


def _is_read(text: str) -> bool:
    try:
        return _read(text) is not None
    except InputError:
        return False


HEADS: tuple[tuple[re.Pattern[str], type[Procedure]], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (rf"{TIMES}(?P<folds>\d+)[- ]?folds?{CV}", KFold),
        (rf"(?P<repeats>\d+) ?[x×] ?(?P<folds>\d+){CV}", KFold),
        (rf"{TIMES}(?:k-?fold|cv|cross-?validation) ?(?P<folds>\d+)", KFold),
        (rf"{TIMES}(?:holdout|hold-out|train[-/]test)(?: (?P<ratio>{RATIO}))?", Holdout),
        (rf"{TIMES}(?P<ratio>{NUMBER}(?::{NUMBER}){{1,2}})(?: holdout)?", Holdout),
        (rf"(?:loo|loocv|leave[- ]one[- ]out){CV}", LeaveOneOut),
        (rf"leave[- ](?P<p>\d+|two|three)[- ]out{CV}", LeavePOut),
        (r"(?:lpo|leave-p-out) (?P<p>\d+)", LeavePOut),
        (r"groups|logo|leave[- ]one[- ](?:group|subject)[- ]out", LeaveOneGroupOut),
        (r"(?:bootstrap|oob|out-of-bag)(?: ?(?P<samples>\d+))?", Bootstrap),
        (r"0?\.(?P<estimator>632\+?)(?: bootstrap)?(?: (?P<samples>\d+))?", Bootstrap),
        (r"bootstrap 0?\.(?P<estimator>632\+?)(?: (?P<samples>\d+))?", Bootstrap),
        (r"time(?: (?P<folds>\d+))?(?: expanding)?(?P<lengths>(?: (?:sliding|gap|test) \d+)*)",
         TimeOrdered),
    )
)  # fmt: skip
