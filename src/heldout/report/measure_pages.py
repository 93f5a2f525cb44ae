"""The registry of measures to read: a list, the explanation of one, and both as data."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from heldout.measures.spec import value_text
from heldout.report.formula import formula_text
from heldout.report.names import ARROWS, family_title
from heldout.report.numbers import number_text
from heldout.report.table import Column, Names, Table, Text, column, entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.measures.registry import Measure, Parameter
    from heldout.report.table import Columns, Document

TASK_WORDS = {"binary": "two classes", "multiclass": "several classes", "regression": "regression"}
TASK_LETTERS = {"binary": "2", "multiclass": "k", "regression": "r"}
DIRECTIONS = {
    "up": "higher is better",
    "down": "lower is better",
    "target": "best at",
    "none": "descriptive: neither direction is better",
}
LEGEND = (
    "↑ higher is better, ↓ lower, → nearer to a value.  "
    "For: 2 two classes, k several, r regression.",
    "heldout measures NAME explains one; heldout measures WORD searches.",
)


def measure_list(measures: Sequence[Measure], *, legend: bool = True) -> Document:
    """A line per measure, by family; as many of its other names as the width has room for."""
    columns: Columns = [
        column("name"),
        (Column("range"), bounds_text),
        (Column("↑↓"), lambda measure: ARROWS[measure.direction]),
        (Column("for"), lambda measure: "".join(TASK_LETTERS[task] for task in measure.tasks)),
        (Column("aliases", tone="quiet", excess="wrap"), lambda measure: Names(measure.aliases)),
    ]
    table = Table.of("", columns, measures, section=family_title)
    count = f"{len(measures)} measure{'s' if len(measures) != 1 else ''}."
    last = (f"{count}  {LEGEND[0]}", *LEGEND[1:]) if legend else (count,)
    return (table, Text("\n".join(last), "quiet"))


def bounds_text(measure: Measure) -> str:
    """The range of the values."""
    low, high = measure.bounds
    left = "(-∞" if low == -inf else f"[{low:g}"
    right = "∞)" if high == inf else f"{high:g}]"
    return f"{left}, {right}"


def explanation(measure: Measure, related: Sequence[str] = ()) -> Document:
    """All that is declared of one measure."""
    direction = DIRECTIONS[measure.direction]
    if measure.direction == "target" and measure.best is not None:
        direction += f" {number_text(measure.best)}"
    known = [
        ("name", measure.name),
        ("other names", ", ".join(measure.aliases) or "none"),
        ("formula", formula_text(measure.formula)),
        ("range", bounds_text(measure)),
        ("direction", direction),
        ("for", ", ".join(TASK_WORDS[task] for task in measure.tasks)),
        ("parameters", ", ".join(map(_parameter, measure.parameters))),
        ("several classes", _over_classes(measure)),
        ("undefined", _undefined(measure)),
        ("needs", _needs(measure)),
        ("reference", measure.reference),
        ("example", f"heldout score FILE --measure {_spec(measure)}"),
        ("see also", ", ".join(related)),
    ]
    table = entries("", ((name, text) for name, text in known if text))
    more = (Text(measure.details, "quiet"),) if measure.details else ()
    return (Text(measure.title, "strong"), Text(measure.summary), *more, table)


def _parameter(p: Parameter) -> str:
    return f"{p.name} (must be given)" if p.is_required else f"{p.name} = {value_text(p.default)}"


def _over_classes(measure: Measure) -> str:
    if "multiclass" not in measure.tasks or not measure.is_per_class:
        return ""
    if not measure.averaged:
        return "a value for each class"
    from heldout.tally.confusion import Binary

    ways = ("macro", "micro", "weighted") if measure.needs == (Binary,) else ("macro", "weighted")
    return f"a value for each class, and {', '.join(f'{measure.name}_{way}' for way in ways)}"


def _undefined(measure: Measure) -> str:
    known = [measure.undefined] if measure.undefined else []
    if measure.is_test:
        known.append("rows come in groups or differ in weight")
    elif measure.by_rows:
        known.append("rows differ in weight")
    return "if " + ", or ".join(known) if known else "never, where there are rows"


def _needs(measure: Measure) -> str:
    needs = ["scores that are probabilities"] if measure.needs_probability else []
    needs += (
        ["a prior (given, from training counts, or from these rows)"] if measure.uses_prior else []
    )
    return ", ".join(needs)


def _spec(measure: Measure) -> str:
    given = [
        f"{p.name}={'NUMBER' if p.is_required else value_text(p.default)}"
        for p in measure.parameters
        if p.name != "matrix"
    ]
    return f'"{measure.name}[{given[0]}]"' if given else measure.name


def measure_object(measure: Measure) -> dict[str, Any]:
    """All that is declared of one measure, as JSON can say it."""
    return {
        "name": measure.name,
        "title": measure.title,
        "summary": measure.summary,
        "details": measure.details,
        "aliases": list(measure.aliases),
        "family": measure.family,
        "direction": measure.direction,
        "best": measure.best,
        "bounds": [float(bound) for bound in measure.bounds],
        "formula": measure.formula,
        "formula_text": formula_text(measure.formula),
        "undefined": measure.undefined,
        "reference": measure.reference,
        "parameters": {p.name: p.default for p in measure.parameters},
        "tasks": list(measure.tasks),
        "headline": list(measure.headline),
        "per_class": measure.is_per_class,
        "needs_probability": measure.needs_probability,
        "uses_prior": measure.uses_prior,
    }
