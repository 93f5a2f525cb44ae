"""Results of measures as tables: one model in detail, several side by side, slices, folds."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from heldout.assess.headline import NESTED, OF_SAMPLES, Chosen
from heldout.core.notes import Kind
from heldout.report.names import (
    arrow,
    bare_title,
    family_title,
    label_text,
    request_of,
    short_title,
    title_of,
)
from heldout.report.remarks import interval_head, is_plain, methods, reason_of, remark_lines
from heldout.report.table import Column, Label, Number, Remarks, Table, estimate_of, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.report.table import Cell

Standing = dict[tuple[str, str], Chosen]

#: with more rows in a table only what lacks is remarked on
FEW_ROWS = 4
#: from so many models on they are columns, and measures are rows
SEVERAL = 3
#: measures whose values beside the out-of-fold ones are shown where there are several models
FEW_MEASURES = 3
FOLDS = "single folds have no intervals: their rows are few and their models trained on shared rows"
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
    """A value and, in brackets, its interval."""
    return estimate_of(result, "both", fewer=1)


def _families(names: Sequence[str]) -> dict[int, str]:
    """Where a family of measures begins."""
    known = [request_of(name).measure for name in names]
    return {
        number: family_title(measure)
        for number, measure in enumerate(known)
        if not number or measure.family != known[number - 1].family
    }


def side_by_side(
    title: str,
    corner: str,
    results: Sequence[Result],
    name_of: Callable[[Result], str],
    *,
    has_counts: bool = False,
    of: Mapping[str, str] | None = None,
) -> Table:
    """A row for each model (or slice, or fold) and a column a measure, in as many tables as fit.

    ``has_counts``: how many rows each slice or fold has stands in the first column; ``of``: what
    the values of a measure are of, where its head has to say it.
    """
    by_name: dict[tuple[str, str], Result] = {(name_of(r), r.measure): r for r in results}
    rows = list(dict.fromkeys(name for name, _ in by_name))
    names = list(dict.fromkeys(name for _, name in by_name))
    kinds = of or {}
    heads = [short_title(n, kinds.get(n, "")) for n in names]
    is_long = len(rows) > FEW_ROWS
    told = ((row, r.measure, _remarks_of(r, is_long)) for (row, _), r in by_name.items())
    notes = remark_lines(told, rows)
    if corner == "fold" and not any(r.low is not None for r in results):
        notes = (*notes, FOLDS)
    counts = {row: (Number(r.n, "count"),) for (row, _), r in by_name.items()}
    return Table(
        title,
        (
            Column(corner, excess="cut"),
            *(Column(head, "decimal") for head in (*("n",) * has_counts, *heads)),
        ),
        tuple(
            (
                row,
                *(counts[row] if has_counts else ()),
                *(value_and_limits(by_name.get((row, name))) for name in names),
            )
            for row in rows
        ),
        notes=(*notes, *methods(results, brackets=True)),
        fit="turn",
        across="measure",
        prefers_turned=corner == "model" and len(rows) >= SEVERAL,
    )


def _remarks_of(result: Result, is_long: bool) -> list[str]:
    """What is to be known of a result; in a long table, why a value or its interval lacks."""
    if is_long and result.is_defined:
        return [reason_of(result)]
    return [str(note) for note in result.notes if not is_plain(note)]


def model_table(standing: Standing) -> Table:
    """A row a model, a column a measure; nothing is best."""
    models = list(dict.fromkeys(model for model, _ in standing))
    names = list(dict.fromkeys(name for _, name in standing))
    return Table(
        "Measures by model",
        (Column("model", excess="cut"), *(Column(_head(standing, models, name)) for name in names)),
        tuple((label_text(m), *(_cell(standing.get((m, name))) for name in names)) for m in models),
        notes=(*_remarks(standing), *methods(_results_of(standing), brackets=True)),
        fit="turn",
        across="measure",
        prefers_turned=len(models) >= SEVERAL,
    )


def _remarks(standing: Standing) -> tuple[str, ...]:
    """What is to be known of the values shown."""
    told = (
        (model, name, [str(n) for n in c.result.notes if not is_plain(n)])
        for (model, name), c in standing.items()
        # that a model failed everywhere is said once, of all its measures
        if not c.result.is_failed
    )
    return remark_lines(told, list(dict.fromkeys(model for model, _ in standing)))


def _results_of(standing: Standing) -> list[Result]:
    return [chosen.result for chosen in standing.values()]


def _head(standing: Standing, models: Sequence[str], name: str) -> str:
    """The measure, and of what its values are where they are not of the pooled folds."""
    shown = [standing[m, name] for m in models if (m, name) in standing]
    # a model that has no value has none of any kind
    of = {chosen.of for chosen in shown if not chosen.result.is_not_given} - {"pooled"}
    return short_title(name, of.pop() if len(of) == 1 else "")


def _cell(chosen: Chosen | None) -> Cell:
    if chosen is None:
        return None
    return "failed" if chosen.result.is_failed else value_and_limits(chosen.result)


def measure_table(
    results: Sequence[Result], standing: Standing, *, families: bool = False
) -> Table:
    """One model: a row a measure, pooled and mean of folds, the interval and what it is of."""
    pooled = {r.measure: r for r in results if not (r.fold or r.repeat or r.class_ or r.slice)}
    means = {r.measure: r for r in results if r.fold == "mean" and not r.class_}
    chosen = {name: c for (_, name), c in standing.items()}
    names = list(chosen)
    estimates = {c.of for c in chosen.values()} - {"pooled", "mean of folds", OF_SAMPLES}
    is_of_samples = estimates - {NESTED} or any(c.of == OF_SAMPLES for c in chosen.values())
    columns: list[tuple[Column, Sequence[Cell]]] = [
        (Column("measure", excess="wrap"), [Label(title_of(n), bare_title(n)) for n in names]),
        (Column(""), [arrow(n) for n in names]),
    ]
    for estimate in sorted(estimates):
        cells = [estimate_of(c.result) if c.of == estimate else None for c in chosen.values()]
        columns.append((Column(estimate, "decimal"), cells))
    first = OF_SAMPLES if is_of_samples else "pooled" if means else "value"
    columns.append((Column(first, "decimal"), [estimate_of(pooled.get(n)) for n in names]))
    columns.append((Column("mean of folds", "decimal"), [estimate_of(means.get(n)) for n in names]))
    limits = [estimate_of(c.result, "limits") for c in chosen.values()]
    bounds = (Column(interval_head(c.result for c in chosen.values())), limits)
    # a reader takes an interval for that of the value to its left
    of = ["" if c.result.low is None else c.of for c in chosen.values()]
    if {*of} - {"", min(estimates, default="pooled")}:
        words = [SHORT.get(text, text) for text in of]
        columns += [bounds, (Column("of", tone="quiet"), words)]
    else:
        columns.insert(FIRST_VALUE + 1, bounds)
    fewer = _of_fewer(means.values(), standing)
    remarks = [[str(n) for n in c.result.notes if not is_plain(n)] for c in chosen.values()]
    told = [Remarks((*own, *fewer.get(n, ()))) for n, own in zip(names, remarks, strict=True)]
    columns += [
        (Column("name", tone="quiet", optional=True), names),
        (
            Column("remark", tone="quiet", excess="wrap", spills=True),
            [remark if remark.texts else None for remark in told],
        ),
    ]
    return table_of(
        "Measures",
        columns,
        sections=_families(names) if families else {},
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
    """Training error and bootstrap estimates beside the honest value, a row a measure."""
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
    columns = [Column("model")] if several else []
    columns += [Column("measure", excess="wrap"), Column(first, "decimal")]
    columns += [Column(BESIDE[kind], "decimal") for kind in kinds]
    rows = [
        (
            *((label_text(key[0]),) if several else ()),
            _head(standing, [key[0]], key[1]) if key in means else short_title(key[1]),
            _plain(standing[key].result if key in means else honest.get(key)),
            *(_plain(extra.get((*key, kind))) for kind in kinds),
        )
        for key in keys
    ]
    notes = (TRAINED,) if "training" in kinds else ()
    title = f"Training error and {OF_SAMPLES if is_bootstrap else 'out-of-fold values'}"
    title = "Bootstrap estimates" if "out-of-bag" in kinds else title
    yield Table(title, tuple(columns), tuple(rows), notes=notes)


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
