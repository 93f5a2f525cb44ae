"""The audit: every finding, gravest first, and what was and was not checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heldout.auditing.check import SEVERITIES, Finding, Unchecked, all_checks
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heldout.auditing.material import Material
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.tables import Frame


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown):
    """The result of an audit: its findings, and which checks were made.

    Attributes
    ----------
    findings
        The findings, gravest first.
    checked
        The codes of the checks that were made.
    unchecked
        Checks that could not be made, or not of everything, with the reason.
    skipped
        The codes of checks that were not wanted.
    notes
        What was guessed or left out in reading the data.
    left_out
        Columns that are not features, and why: ``name``, ``where`` and ``reason``.

    Examples
    --------
    >>> import heldout
    >>> X, y = [[1.5], [2.5], [3.5], [4.5]], [0, 1, 0, 1]
    >>> [f.code for f in heldout.audit(train=(X, y), test=(X[:2], y[:2])).findings]
    ['K09', 'K01']
    """

    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    unchecked: tuple[Unchecked, ...] = ()
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: tuple[Unaudited, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether there are no findings but notes."""
        return all(finding.severity == "note" for finding in self.findings)

    @property
    def table(self) -> Frame:
        """A row for each finding."""
        from heldout.evaluation.tables import Frame

        names = ("code", "title", "severity", "where", "seen", "rows", "columns", "why", "fix")
        return Frame({n: [_cell(getattr(f, n)) for f in self.findings] for n in names})

    def __bool__(self) -> bool:
        """Whether anything was found."""
        return bool(self.findings)


def _cell(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def known_codes(given: Iterable[str]) -> tuple[str, ...]:
    """The codes of checks as they are written, or an error that names the nearest."""
    given = tuple(given)
    known = [check.code for check in all_checks()] if given else []
    codes = [code.strip().upper() for code in given]
    for code in codes:
        if code not in known:
            hint = did_you_mean(code, known) or f"; they are {known[0]} to {known[-1]}"
            raise InputError(f"no check is called {code!r}{hint}")
    return tuple(codes)


def audited(material: Material, *, skip: Iterable[str] = (), is_beside: bool = False) -> Audit:
    """All checks made on some material, save those that are not wanted.

    ``is_beside``: beside the work of a command, which shows the findings alone; checks of data
    are not even loaded where there are none.
    """
    _refuse_strangers(material)
    skipped = known_codes(skip)
    has_data = any(data is not None for _, data in _tables(material))
    findings: list[Finding] = []
    unchecked: list[Unchecked] = []
    checked: list[str] = []
    for check in all_checks(has_data=has_data or not is_beside):
        if check.code in skipped:
            continue
        seen = check.all_of(material)
        lacks = [lack for lack in seen if isinstance(lack, Unchecked)]
        unchecked += lacks
        findings += [finding for finding in seen if isinstance(finding, Finding)]
        if all(lack.is_partial for lack in lacks):
            checked.append(check.code)
    findings.sort(key=lambda f: (SEVERITIES.index(f.severity), f.code))
    return Audit(
        tuple(findings),
        tuple(checked),
        tuple(unchecked),
        skipped,
        notes_of(material),
        unaudited(material),
    )


def _refuse_strangers(material: Material) -> None:
    """An error where training and test rows have no column in common: nothing could be found."""
    train, test = material.train, material.test
    if train is None or test is None or not train.features or not test.features:
        return
    ours, theirs = ({feature.name for feature in data.features} for data in (train, test))
    if not ours & theirs:
        raise InputError(
            f"training and test rows share no column: {', '.join(sorted(ours)[:5])} against "
            f"{', '.join(sorted(theirs)[:5])}; give both the same names"
        )


@dataclass(frozen=True, slots=True)
class Unaudited:
    """A column that is no feature, of which table, and why."""

    name: str
    where: str
    reason: str


def unaudited(material: Material) -> tuple[Unaudited, ...]:
    """The columns that checks of features do not compare."""
    return tuple(
        Unaudited(column.name, where, column.reason)
        for where, data in _tables(material)
        for column in data.left_out
    )


def notes_of(material: Material) -> tuple[str, ...]:
    """What was guessed or left out in reading, each once."""
    notes = [note for _, data in _tables(material) for note in data.notes]
    notes += [note for p in material.predictions[:1] for note in p.notes]
    return tuple(dict.fromkeys(notes))


def _tables(material: Material) -> Iterator[tuple[str, Dataset]]:
    for where in ("train", "test", "data"):
        if (data := getattr(material, where)) is not None:
            yield where, data
