"""Results of measures as tables: one model, several side by side, slices, folds, classes."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from heldout.assess.headline import NESTED, OF_SAMPLES, Chosen, worst_first
from heldout.core.notes import Kind
from heldout.core.specs import brackets_of, name_of
from heldout.report.names import (
    AVERAGE_TITLES,
    arrow,
    bare_title,
    family_title,
    label_text,
    request_of,
    short_title,
    title_of,
)
from heldout.report.remarks import interval_head, is_plain, methods, reason_of, remark_lines
from heldout.report.table import Column, Label, Number, Remarks, Table, estimate_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.report.table import Align, Cell

Standing = dict[tuple[str, str], Chosen]

#: with more rows in a table only what lacks is remarked on
FEW_ROWS = 4
#: from so many models on they are columns, and measures are rows
SEVERAL = 3
#: measures whose values beside the out-of-fold ones are shown where there are several models
FEW_MEASURES = 3
FOLDS = "single folds have no intervals: they have few rows, and their models share training rows"
TRAINED = "training: evaluated on the rows that the model was trained on, so optimistic"
#: results that are beside the out-of-fold ones, and how columns call them
BESIDE = {
    "training": "training (optimistic)",
    "out-of-bag": "out-of-bag",
    ".632": ".632",
    ".632+": ".632+",
    "nested": "nested",
}
#: what values are of, where a column says it in a word
SHORT = {"mean of folds": "mean", OF_SAMPLES: "mean"}
#: what says of how many folds a mean is, and which folds or classes are lacking
OF_FEWER = (Kind.MEAN_OF_FOLDS, Kind.UNDEFINED_PARTS, Kind.CLASSES_OF_PARTS)
#: where the first values stand, right of the measure and its arrow
FIRST_VALUE = 2


def value_and_limits(result: Result | None) -> Cell:
    """A value and, in brackets, its interval; of a model that failed everywhere only that."""
    if result is not None and result.is_failed:
        return "failed"
    return estimate_of(result, "both", fewer=1)


def side_by_side(
    title: str,
    corner: str,
    results: Sequence[Result],
    name_of: Callable[[Result], str],
    *,
    has_counts: bool = False,
    of: Mapping[str, str] | None = None,
    align: Align = "decimal",
) -> Table:
    """A row for each model (or slice, or fold) and a column per measure, in as many tables as fit.

    ``has_counts``: how many rows each slice or fold has stands in the first column; ``of``: what
    the values of a measure are of, where its head has to say it.
    """
    by_name: dict[tuple[str, str], Result] = {(name_of(r), r.measure): r for r in results}
    rows = list(dict.fromkeys(name for name, _ in by_name))
    names = list(dict.fromkeys(name for _, name in by_name))
    kinds = of or {}
    # of models everything is remarked on, however many they are
    is_long = len(rows) > FEW_ROWS and corner != "model"
    remarks = ((row, r.measure, _remarks_of(r, is_long)) for (row, _), r in by_name.items())
    notes = remark_lines(remarks, rows)
    if corner == "fold" and not any(r.low is not None for r in results):
        notes = (*notes, FOLDS)
    counts = {row: Number(r.n, "count") for (row, _), r in by_name.items()}

    def value_by(name: str) -> Any:
        head = Column(short_title(name, kinds.get(name, "")), align)
        return head, lambda row: value_and_limits(by_name.get((row, name)))

    return Table.of(
        title,
        [
            (Column(corner, excess="cut"), str),
            (Column("n", "decimal"), counts.__getitem__) if has_counts else None,
            *map(value_by, names),
        ],
        rows,
        notes=(*notes, *methods(results, brackets=True)),
        fit="turn",
        across="measure",
        prefers_turned=corner == "model" and len(rows) >= SEVERAL,
    )


def _remarks_of(result: Result, is_long: bool = False) -> list[str]:
    """What is to be known of a result; in a long table, why a value or its interval lacks."""
    if result.is_failed:  # which is said once, of all its measures
        return []
    if is_long and result.is_defined:
        return [reason_of(result)]
    return [str(note) for note in result.notes if not is_plain(note)]


def model_table(standing: Standing) -> Table:
    """A row per model, a column per measure; nothing is best."""
    models = list(dict.fromkeys(model for model, _ in standing))
    of = {name: _kind_of(standing, models, name) for _, name in standing}
    title, results = "Measures by model", _results_of(standing)
    how: Any = {"of": of, "align": "left"}
    return side_by_side(title, "model", results, lambda r: label_text(r.model), **how)


def _results_of(standing: Standing) -> list[Result]:
    return [chosen.result for chosen in standing.values()]


def _kind_of(standing: Standing, models: Sequence[str], name: str) -> str:
    """Of what the values of a measure are, where that is not the pooled folds."""
    shown = [standing[m, name] for m in models if (m, name) in standing]
    # a model that has no value has none of any kind
    of = {chosen.of for chosen in shown if not chosen.result.is_not_given} - {"pooled"}
    return of.pop() if len(of) == 1 else ""


def measure_table(
    results: Sequence[Result], standing: Standing, *, families: bool = False
) -> Table:
    """One model: a row per measure, pooled and mean of folds, the interval and what it is of."""
    pooled = {r.measure: r for r in results if not (r.fold or r.repeat or r.class_ or r.slice)}
    means = {r.measure: r for r in results if r.fold == "mean" and not r.class_}
    chosen = {name: c for (_, name), c in standing.items()}
    results_by = {name: c.result for name, c in chosen.items()}
    estimates = {c.of for c in chosen.values()} - {"pooled", "mean of folds", OF_SAMPLES}
    is_of_samples = estimates - {NESTED} or any(c.of == OF_SAMPLES for c in chosen.values())

    def value(head: str, known: Mapping[str, Result]) -> Any:
        return Column(head, "decimal"), lambda name: estimate_of(known.get(name))

    columns: list[Any] = [
        (Column("measure", excess="wrap"), lambda name: Label(title_of(name), bare_title(name))),
        (Column(""), arrow),
    ]
    columns += [
        value(estimate, {name: c.result for name, c in chosen.items() if c.of == estimate})
        for estimate in sorted(estimates)
    ]
    first = OF_SAMPLES if is_of_samples else "pooled" if means else "value"
    columns += [value(first, pooled), value("mean of folds", means)]
    bounds = (
        Column(interval_head(results_by.values())),
        lambda name: estimate_of(results_by[name], "limits"),
    )
    # a reader takes an interval for that of the value to its left
    of = {name: "" if c.result.low is None else c.of for name, c in chosen.items()}
    if {*of.values()} - {"", min(estimates, default="pooled")}:
        columns += [bounds, (Column("of", tone="quiet"), lambda n: SHORT.get(of[n], of[n]))]
    else:
        columns.insert(FIRST_VALUE + 1, bounds)
    fewer = _of_fewer(means.values(), standing)

    def remarks(name: str) -> Cell:
        texts = (*_remarks_of(results_by[name]), *fewer.get(name, ()))
        return Remarks(texts) if texts else None

    columns += [
        (Column("name", tone="quiet", optional=True), str),
        (Column("remark", tone="quiet", excess="wrap", spills=True), remarks),
    ]
    return Table.of(
        "Measures",
        columns,
        chosen,
        section=(lambda name: family_title(request_of(name).measure)) if families else None,
        has_empty=False,
        notes=methods(_results_of(standing)),
    )


def _of_fewer(means: Iterable[Result], standing: Standing) -> dict[str, list[str]]:
    """Of how many folds or classes a mean is that stands beside another value, where not of all."""
    return {
        mean.measure: [str(n) for n in mean.notes if n.kind in OF_FEWER and not is_plain(n)]
        for mean in means
        if (c := standing.get((mean.model, mean.measure))) is not None and c.of != "mean of folds"
    }


def beside_table(results: Sequence[Result], standing: Standing) -> Iterator[Table]:
    """Training error and bootstrap estimates beside the honest value, a row per measure."""
    # a nested estimate has its interval, and so its place in the table above
    there = {r.fold for r in results if not r.is_no_estimate} - {NESTED}
    kinds = [kind for kind in BESIDE if kind in there]
    if not kinds:
        return
    extra = {(r.model, r.measure, r.fold): r for r in results if r.fold in BESIDE and not r.class_}
    honest = {
        (r.model, r.measure): r for r in results if not (r.fold or r.repeat or r.class_ or r.slice)
    }
    several = len({model for model, _ in standing}) > 1
    shown = list(
        dict.fromkeys(name for _, name, kind in extra if kind != "training" or not several)
    )
    shown = shown or list(dict.fromkeys(name for _, name, _ in extra))
    shown = shown[:FEW_MEASURES] if several else shown
    keys = [k for k in standing if k[1] in shown and any((*k, kind) in extra for kind in kinds)]
    means = {key for key, chosen in standing.items() if chosen.of == "mean of folds"}
    is_bootstrap = "out-of-bag" in kinds or any(c.of == OF_SAMPLES for c in standing.values())
    first = OF_SAMPLES if is_bootstrap else "out of fold"

    def beside(kind: str) -> Any:
        return Column(BESIDE[kind], "decimal"), lambda key: _plain(extra.get((*key, kind)))

    def measure(key: tuple[str, str]) -> str:
        return short_title(key[1], _kind_of(standing, [key[0]], key[1]) if key in means else "")

    def value(key: tuple[str, str]) -> Cell:
        return _plain(standing[key].result if key in means else honest.get(key))

    notes = (TRAINED,) if "training" in kinds else ()
    title = f"Training error and {OF_SAMPLES if is_bootstrap else 'out-of-fold values'}"
    title = "Bootstrap estimates" if "out-of-bag" in kinds else title
    columns = [
        (Column("model"), lambda key: label_text(key[0])) if several else None,
        (Column("measure", excess="wrap"), measure),
        (Column(first, "decimal"), value),
        *map(beside, kinds),
    ]
    yield Table.of(title, columns, keys, notes=notes)


def _plain(result: Result | None) -> Cell:
    if result is not None and isnan(result.value):
        return "none" if result.is_no_estimate else Number(result.value)
    return estimate_of(result)


def without_averages(standing: Standing, asked: Sequence[str] = ()) -> Standing:
    """Of averages over classes the macro mean and those asked for, for models side by side."""
    kept = {request_of(name).name for name in asked}
    return {
        k: c
        for k, c in standing.items()
        if request_of(k[1]).average in ("", "macro") or k[1] in kept
    }


#: up to so many classes all are shown
FEW_CLASSES = 20
#: so many are shown where there are more
WORST = 10


def class_table(
    title: str,
    results: Sequence[Result],
    support: Mapping[str, float],
    *,
    notes: Sequence[str] = (),
) -> Table | None:
    """A row per class, a column per measure, then the averages; None without values of classes.

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
    bare = name_of(name).removesuffix(f"_{average}").removeprefix(f"{average}_")
    return bare + brackets_of(name)
