"""A table of results: the value of each model on each data set, from a long or a wide table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument, worded
from heldout.core.errors import InputError
from heldout.core.nearest import hint_of
from heldout.core.shown import Brief
from heldout.core.wording import repeated
from heldout.tables.checks import complete, numbers
from heldout.tables.read import read_table
from heldout.tables.table import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.tables.column import RawColumn
    from heldout.tables.table import RawTable

NAMED = 10
#: values of one measure seldom differ by such a factor throughout
FACTOR = 10.0
MOST_NAMED = 12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ResultsTable(Brief):
    """A row per data set, a column per model."""

    sets: tuple[str, ...]
    models: tuple[str, ...]
    values: NDArray[np.float64]
    #: what the values are, such as accuracy
    measure: str = "value"
    source: str = ""
    #: which columns were taken as models, where nobody said it, and whether some may be none
    taken: str = ""
    doubt: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed on the way."""
        return tuple(filter(None, (self.taken, self.doubt and f"WARNING: {self.doubt}")))

    def with_first(self, number: int) -> ResultsTable:
        """The same with the model at a place before all others."""
        order = [number, *(i for i in range(len(self.models)) if i != number)]
        models = tuple(self.models[i] for i in order)
        return replace(self, models=models, values=np.ascontiguousarray(self.values[:, order]))


def read_results(
    source: Any,
    *,
    datasets: str,
    models: str | Sequence[str] | None = None,
    value: str | None = None,
) -> ResultsTable:
    """The results in a file or a table of Python.

    Parameters
    ----------
    source
        Whatever ``heldout.read_predictions`` reads.
    datasets
        The column that names the data set.
    models, value
        A long table (a row a result): the columns of the model and of its value. A wide
        table (a column per model): no ``value``, and ``models`` lists the columns (None: all
        columns of numbers but ``datasets``).

    Examples
    --------
    >>> table = {"set": ["s", "s", "t", "t"], "model": ["a", "b", "a", "b"], "acc": [1, 2, 3, 4]}
    >>> read_results(table, datasets="set", models="model", value="acc").values
    array([[1., 2.],
           [3., 4.]])
    """
    table = read_table(source)
    names = _names(table, datasets)
    if value is not None:
        if not isinstance(models, str):
            raise InputError(
                worded("a long table needs the column of models ({models}) beside {value}")
            )
        results = _long(table, names, models, value)
    else:
        results = _wide(table, names, datasets, models)
    if len(results.models) < 2:
        raise InputError(
            f"{table.source} has one model only ({', '.join(results.models) or 'none'}): a "
            "comparison needs two"
        )
    _refuse_missing(results)
    if models is None:
        doubt = _doubt(results.models, results.values)
        results = replace(results, taken=_taken_as_models(results.models), doubt=doubt)
    return results


def refuse_wide_rope(results: ResultsTable, rope: float | None) -> None:
    """An error where no difference of these values could ever matter."""
    values = results.values
    if rope is None or rope < 1 or values.min() < 0 or values.max() > 1:
        return
    raise InputError(
        f"rope {rope:g} is no less than the range of the values, which lie between 0 and 1, so "
        f"that nothing could matter: write {rope / 100:g} for {rope:g} points"
    )


def _long(table: RawTable, sets: list[str], models: str, value: str) -> ResultsTable:
    of_model, values = _names(table, models), _numbers(table, value)
    set_names, model_names = list(dict.fromkeys(sets)), list(dict.fromkeys(of_model))
    rows = {name: i for i, name in enumerate(set_names)}
    columns = {name: i for i, name in enumerate(model_names)}
    cells = np.full((len(set_names), len(model_names)), np.nan)
    seen = np.zeros(cells.shape, bool)
    for position, (name, model) in enumerate(zip(sets, of_model, strict=True)):
        cell = rows[name], columns[model]
        if seen[cell]:
            raise InputError(
                f"{table.place(position)}: model {model!r} has a second value on data set "
                f"{name!r}; give one value each (say, the mean over folds)"
            )
        seen[cell] = True
        cells[cell] = values[position]
    return ResultsTable(tuple(set_names), tuple(model_names), cells, value, table.source)


def _wide(
    table: RawTable, sets: list[str], datasets: str, models: str | Sequence[str] | None
) -> ResultsTable:
    unlisted = ""
    if models is None:
        chosen = [name for name in table.columns if name != datasets]
        unlisted = f"; every column is taken as a model, unless {argument('models', 'A,B,C')}"
    else:
        listed = models.split(",") if isinstance(models, str) else models
        chosen = [name.strip() for name in listed]
        if doubled := repeated(chosen):
            raise InputError(f"{argument('models')} names {doubled[0]!r} more than once")
        if len(chosen) == 1:
            raise InputError(
                f"{argument('models', chosen[0])}: one column alone is that of the models of a "
                f"long table, which needs {argument('value')} too"
            )
    if twice := sorted(repeated(sets)):
        raise InputError(
            f"{table.source}: data set {twice[0]!r} has several rows; a "
            f"wide table has one row per data set, a long one needs "
            f"{argument('models')} and {argument('value')}"
        )
    values = [_numbers(table, name, unlisted) for name in chosen]
    cells = np.column_stack(values) if values else np.zeros((len(sets), 0))
    return ResultsTable(tuple(sets), tuple(chosen), cells, "value", table.source)


def _names(table: RawTable, name: str) -> list[str]:
    """The names in a column, as texts; an error where a row has none."""
    column = _column(table, name)
    complete(Part(table), name, "name")
    return [str(value) for value in column.objects().tolist()]


def _column(table: RawTable, name: str) -> RawColumn:
    if name not in table.columns:
        raise InputError(f"{table.source} has no column {name!r}{hint_of(name, table.columns)}")
    return table.columns[name]


def _numbers(table: RawTable, name: str, remark: str = "") -> NDArray[np.float64]:
    """The numbers of a column, NaN where there are none; an error where texts are no numbers."""
    column, part = _column(table, name), Part(table)
    if column.is_text:
        try:
            return numbers(part, name, "value")
        except InputError as error:
            raise InputError(f"{error}{remark}") from None
    values = column.values.astype(float)
    if column.missing is not None:
        values[column.missing] = np.nan
    fix = "write a finite value, or leave the data set out"
    part.refuse(name, np.isinf(values), "infinite", fix)
    return values


def _refuse_missing(results: ResultsTable) -> None:
    lost = np.argwhere(np.isnan(results.values))
    if len(lost):
        named = ", ".join(
            f"{results.models[column]} on {results.sets[row]}" for row, column in lost[:NAMED]
        )
        raise InputError(
            f"{results.source}: {len(lost)} value{'s are' if len(lost) > 1 else ' is'} missing: "
            f"{named}; leave those data sets out, or evaluate the models on them"
        )


def _taken_as_models(names: Sequence[str]) -> str:
    """A note that names the columns which nobody said are models."""
    some = ", ".join(names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    how = argument("models", "A,B,C")
    return f"columns taken as models: {some}{more} ({how} lists them otherwise)"


def _doubt(names: Sequence[str], values: NDArray[Any]) -> str:
    """A warning on columns whose values lie on another scale than all others; empty: none.

    Examples
    --------
    >>> table = np.array([[0.8, 0.9, 150], [0.7, 0.6, 2000]])
    >>> print(_doubt(["a", "b", "rows"], table))
    is 'rows' (150 to 2000) a model? other columns hold 0.6 to 0.9: if not, say models='a,b'
    """
    counts = [number for number in range(len(names)) if _counts(values, number)]
    rest = [number for number in range(len(names)) if number not in counts]
    far = [number for number in rest if _is_far(values, number, [p for p in rest if p != number])]
    odd = sorted(counts + (far if len(far) < len(rest) else far[:1]))
    kept = [number for number in range(len(names)) if number not in odd]
    if not odd or not kept:
        return ""
    described = [f"{names[p]!r} ({_span(values[:, p])})" for p in odd[:MOST_NAMED]]
    asked = f"is {described[0]} a model" if len(odd) == 1 else f"are {', '.join(described)} models"
    listed = ",".join(names[p] for p in kept) if len(kept) > 1 else "A,B,C"
    say = argument("models", listed)
    return f"{asked}? other columns hold {_span(values[:, kept])}: if not, say {say}"


def _counts(values: NDArray[Any], number: int) -> bool:
    """Whether a column counts something: whole numbers beside, and away from, fractions."""
    own = values[:, number]
    fractions = [column for column in values.T if not _is_whole(column)]
    if not fractions or not _is_whole(own) or own.max() <= 1:
        return False
    return _is_apart(own, np.column_stack(fractions))


def _is_far(values: NDArray[Any], number: int, others: Sequence[int]) -> bool:
    """Whether a column lies apart from all others, and by a factor that no measure has."""
    if not others:
        return False
    own, rest = values[:, number], values[:, list(others)]
    middle, usual = float(np.median(np.abs(own))), np.median(np.abs(rest), axis=0)
    far = (middle > FACTOR * usual) | (FACTOR * middle < usual)
    return bool(far.all()) and _is_apart(own, rest)


def _is_apart(own: NDArray[Any], others: NDArray[Any]) -> bool:
    """Whether the middle half of a column lies outside of the range of every other one."""
    low, high = np.quantile(own, [0.25, 0.75])
    return bool(np.all((low > others.max(axis=0)) | (high < others.min(axis=0))))


def _is_whole(column: NDArray[Any]) -> bool:
    return bool((column == np.rint(column)).all())


def _span(values: NDArray[Any]) -> str:
    return f"{values.min():.6g} to {values.max():.6g}"
