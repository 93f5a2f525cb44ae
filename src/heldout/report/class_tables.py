"""Measures of each class as a table, and the order of the classes in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.assess.headline import worst_first
from heldout.report.measure_tables import value_and_limits
from heldout.report.names import AVERAGE_TITLES, bare_title, label_text, request_of, short_title
from heldout.report.remarks import methods, reason_of, remark_lines
from heldout.report.table import Column, Number, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result

#: up to so many classes all are shown
FEW_CLASSES = 20
#: so many are shown where there are more
WORST = 10

Pooled = dict[tuple[str, str], "Result"]


def class_table(
    title: str,
    results: Sequence[Result],
    support: Mapping[str, float],
    *,
    notes: Sequence[str] = (),
) -> Table | None:
    """A row a class, a column a measure, then the averages; None without values of classes.

    ``support`` has the rows of each class, in the order of the classes; classes without
    results are not shown, and a note says how many they are. ``notes`` are said of all.
    """
    of_class = {(r.class_, r.measure): r for r in results if r.class_ and not r.fold}
    if not of_class:
        return None
    names = tuple(dict.fromkeys(name for _, name in of_class))
    given = dict.fromkeys(label for label, _ in of_class)
    shown = [label for label in support if label in given]
    if len(support) > FEW_CLASSES:
        judge = _judge(names)
        values = {label: r.value for (label, name), r in of_class.items() if name == judge}
        measure = request_of(judge).measure
        shown = worst_first(shown, values, support, measure)[:WORST]
    lines = [
        (label_text(label), support[label], [of_class.get((label, name)) for name in names])
        for label in shown
    ]
    whole = sum(support.values())
    lines += [(words, whole, line) for words, line in _averages(results, names)]
    hidden = len(support) - len(shown)
    cells = [
        (row, name, result)
        for row, _, line in lines
        for name, result in zip(names, line, strict=True)
        if result is not None
    ]
    lacking = ((row, name, [reason_of(result)]) for row, name, result in cells)
    return Table(
        title,
        (
            Column("class", excess="cut"),
            *(Column(head, "decimal") for head in ("rows", *map(short_title, names))),
        ),
        tuple((row, Number(n, "rows"), *map(value_and_limits, line)) for row, n, line in lines),
        {len(shown): ""} if len(lines) > len(shown) else {},
        notes=(
            *((_on_hidden(hidden, names),) if hidden and len(shown) == WORST else ()),
            *remark_lines(lacking, [row for row, _, _ in lines]),
            *methods([result for _, _, result in cells], brackets=True),
            *notes,
        ),
        fit="turn",
        across="measure",
    )


def below_classes(results: Sequence[Result]) -> frozenset[str]:
    """The averages that stand below the classes they are of, so that they stand nowhere else."""
    names = {r.measure for r in results if r.class_ and not r.fold}
    return frozenset(
        r.measure
        for r in results
        if request_of(r.measure).average and _without_average(r.measure) in names
    )


def _on_hidden(hidden: int, names: Sequence[str]) -> str:
    return (
        f"the {WORST} worst classes by {bare_title(_judge(names))}; {hidden:,} others are not "
        "shown (--per-class --format csv gives all)"
    )


def _judge(names: Sequence[str]) -> str:
    """The measure that says which classes are worst."""
    return next((n for n in names if request_of(n).measure.name == "f_score"), names[0])


def _averages(
    results: Sequence[Result], names: Sequence[str]
) -> Iterator[tuple[str, list[Result | None]]]:
    """A row for each kind of average that any of the measures has."""
    averages = {
        (request_of(r.measure).average, _without_average(r.measure)): r
        for r in results
        if not r.class_ and not r.fold
    }
    for average, words in AVERAGE_TITLES.items():
        line = [averages.get((average, name)) for name in names]
        if any(line):
            yield words, line


def _without_average(name: str) -> str:
    """The name of the measure that an average's name is made of."""
    average = request_of(name).average
    bare, bracket, rest = name.partition("[")
    return bare.removesuffix(f"_{average}").removeprefix(f"{average}_") + bracket + rest


#: so many classes are named one by one
NAMED = 8


def is_ordered(name: str) -> bool:
    """Whether the order of the classes changes a measure.

    Examples
    --------
    >>> is_ordered("rps"), is_ordered("cohen_kappa[weights=linear]"), is_ordered("cohen_kappa")
    (True, True, False)
    """
    return request_of(name).is_ordered


def order_text(classes: Sequence[Any]) -> str:
    """The classes from the first to the last.

    Examples
    --------
    >>> order_text(["hi", "lo", "mid"])
    'hi < lo < mid'
    """
    names = [label_text(label) for label in classes]
    if len(names) > NAMED:
        names = [*names[: NAMED - 2], "...", names[-1]]
    return " < ".join(names)


def order_note(classes: Sequence[Any], measures: Iterable[str]) -> str:
    """What to say where nobody stated the order of texts, and measures depend on it.

    Numbers have an order; of two classes each is as far from the other either way.
    """
    if len(classes) < 3 or not all(isinstance(label, str) for label in classes):
        return ""
    ordered = [name for name in dict.fromkeys(measures) if is_ordered(name)]
    if not ordered or list(classes) != sorted(classes):
        return ""
    verb = "takes" if len(ordered) == 1 else "take"
    return (
        f"order of the classes: {order_text(classes)}, as the alphabet has it (--labels states "
        f"another); {', '.join(ordered)} {verb} distances from it"
    )
