"""Results of measures as tables: one model in detail, several side by side, slices, folds."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from heldout.assess.headline import NESTED, OF_SAMPLES, Chosen
from heldout.core.notes import Kind, note_text
from heldout.report.layout import few
from heldout.report.names import (
    arrow,
    bare_title,
    family_title,
    label_text,
    request_of,
    short_title,
    title_of,
)
from heldout.report.remarks import absences, interval_head, is_plain, methods
from heldout.report.table import Column, Label, Note, Number, Table, estimate_of, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.report.table import Cell

__all__ = [
    "BESIDE",
    "Standing",
    "beside_table",
    "detail_table",
    "model_table",
    "side_by_side",
    "split_table",
    "value_and_limits",
    "without_averages",
]

Standing = dict[tuple[str, str], Chosen]

#: with more rows in a table only undefined values are remarked on, and so many times
FEW_ROWS = 4
MOST_REMARKS = 12
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
#: what says of how many folds a mean is, and which folds or classes are lacking
OF_FEWER = (Kind.MEAN_OF_FOLDS, Kind.UNDEFINED_PARTS, Kind.CLASSES_OF_PARTS)
#: where the first values stand, right of the measure and its arrow
FIRST_VALUE = 2


def value_and_limits(result: Result | None) -> Cell:
    """A value and, in brackets, its interval."""
    return estimate_of(result, "both", fewer=1)


def detail_table(heading: str, results: Sequence[Result], *, families: bool) -> Table:
    """One model: a row a measure, with the mean of the folds beside the pooled value."""
    pooled = {r.measure: r for r in results if not r.fold}
    means = {r.measure: r for r in results if r.fold == "mean"}
    names = list(dict.fromkeys((*pooled, *means)))
    columns: list[tuple[Column, Sequence[Cell]]] = [
        (Column("measure", excess="wrap"), [Label(title_of(n), bare_title(n)) for n in names]),
        (Column(""), [arrow(name) for name in names]),
        (
            Column("pooled" if means else "value", "decimal"),
            [estimate_of(pooled.get(n)) for n in names],
        ),
        (
            Column(interval_head(pooled.values())),
            [estimate_of(pooled.get(n), "limits") for n in names],
        ),
        (Column("mean of folds", "decimal"), [estimate_of(means.get(n)) for n in names]),
        (Column("name", tone="quiet", optional=True), names),
        (
            Column("remark", tone="quiet", excess="wrap", spills=True),
            [remark(pooled.get(name), means.get(name)) or None for name in names],
        ),
    ]
    return table_of(
        heading,
        columns,
        sections=_families(names) if families else {},
        notes=(*methods(pooled.values()), *_of_means(means.values())),
    )


def _of_means(means: Iterable[Result]) -> Iterator[Note]:
    """The intervals of means of folds, which have no column."""
    known = [r for r in means if r.low is not None]
    parts = [p for r in known for p in (f"; {bare_title(r.measure)} ", estimate_of(r, "limits"))]
    if parts:
        head = f"{interval_head(known)} of the mean of folds"
        yield Note((f"{head}: {bare_title(known[0].measure)} ", *parts[1:]))
        yield from methods(known)[1:]


def remark(pooled: Result | None, mean: Result | None) -> str:
    """What is to be known of a measure's values: of the pooled one, then of the folds."""
    notes = [] if pooled is None else [_remarks_of(pooled)]
    # a mean over all folds needs no remark: the head of the column says what it is
    is_lacking = mean is not None and mean.has(Kind.UNDEFINED_PARTS, Kind.UNDEFINED)
    if mean is not None and is_lacking and not (pooled and isnan(pooled.value)):
        notes.append(str(mean.notes[0]))
    return "; ".join(filter(None, notes))


def _remarks_of(result: Result) -> str:
    """The notes of a result without what every value of repeated runs would repeat."""
    return note_text(
        n for n in result.notes if not (n.kind is Kind.MEAN_OF_REPEATS and is_plain(n))
    )


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
    remarked = [(row, r) for (row, _), r in by_name.items() if r.note and r.fold != "mean"]
    lacking: tuple[str, ...] = ()
    if len(rows) > FEW_ROWS:
        lacking = absences((row, r.measure, r) for row, r in remarked if r.is_defined)
        remarked = [(row, r) for row, r in remarked if not r.is_defined]
    notes = (*_remark_lines(remarked), *lacking, *_lacking_means(by_name))
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


def _remark_lines(remarked: Iterable[tuple[str, Result]]) -> tuple[str, ...]:
    """One line a remark, naming the measures and rows it belongs to."""
    where: dict[tuple[str, str], list[str]] = {}
    for row, result in remarked:
        if note := _remarks_of(result):
            where.setdefault((bare_title(result.measure), note), []).append(row)
    about: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (title, note), rows in where.items():
        about.setdefault((note, tuple(rows)), []).append(title)
    lines = [f"{few(titles)} ({few(rows)}): {note}" for (note, rows), titles in about.items()]
    more = len(lines) - MOST_REMARKS
    hidden = [f"{more} more remarks are not shown: --format csv gives all"] if more > 0 else []
    return (*lines[:MOST_REMARKS], *hidden)


def _lacking_means(by_name: dict[tuple[str, str], Result]) -> tuple[str, ...]:
    """Why a mean of folds has no interval where those beside it have one."""
    means = {key: r for key, r in by_name.items() if r.fold == "mean" and r.is_defined}
    bounded = {r.measure for r in means.values() if r.low is not None}
    return absences((row, r.measure, r) for (row, _), r in means.items() if r.measure in bounded)


def model_table(found: Standing) -> Table:
    """A row a model, a column a measure; nothing is best."""
    models = list(dict.fromkeys(model for model, _ in found))
    names = list(dict.fromkeys(name for _, name in found))
    return Table(
        "Measures by model",
        (Column("model", excess="cut"), *(Column(_head(found, models, name)) for name in names)),
        tuple((label_text(m), *(_cell(found.get((m, name))) for name in names)) for m in models),
        notes=(*_remarks(found), *methods(_results_of(found), brackets=True)),
        fit="turn",
        across="measure",
        prefers_turned=len(models) >= SEVERAL,
    )


def _results_of(found: Standing) -> list[Result]:
    return [chosen.result for chosen in found.values()]


def _head(found: Standing, models: Sequence[str], name: str) -> str:
    """The measure, and of what its values are where they are not of the pooled folds."""
    shown = [found[m, name] for m in models if (m, name) in found]
    # a model that has no value has none of any kind
    of = {chosen.of for chosen in shown if not chosen.result.is_not_given} - {"pooled"}
    return short_title(name, of.pop() if len(of) == 1 else "")


def _cell(chosen: Chosen | None) -> Cell:
    if chosen is None:
        return None
    return "failed" if chosen.result.is_failed else value_and_limits(chosen.result)


def split_table(results: Sequence[Result], found: Standing) -> Table:
    """One model: a row a measure, pooled and mean of folds, the interval and what it is of."""
    pooled = {r.measure: r for r in results if not (r.fold or r.repeat or r.class_ or r.slice)}
    means = {r.measure: r for r in results if r.fold == "mean" and not r.class_}
    chosen = {name: c for (_, name), c in found.items()}
    names = list(chosen)
    first = "pooled" if means else "value"
    first = OF_SAMPLES if any(c.of == OF_SAMPLES for c in chosen.values()) else first
    columns: list[tuple[Column, Sequence[Cell]]] = [
        (Column("measure", excess="wrap"), [bare_title(n) for n in names]),
        (Column(""), [arrow(n) for n in names]),
    ]
    estimates = {c.of for c in chosen.values()} - {"pooled", "mean of folds", OF_SAMPLES}
    first = OF_SAMPLES if estimates - {NESTED} else first
    for estimate in sorted(estimates):
        cells = [estimate_of(c.result) if c.of == estimate else None for c in chosen.values()]
        columns.append((Column(estimate, "decimal"), cells))
    columns.append((Column(first, "decimal"), [estimate_of(pooled.get(n)) for n in names]))
    columns.append((Column("mean of folds", "decimal"), [estimate_of(means.get(n)) for n in names]))
    limits = [estimate_of(c.result, "limits") for c in chosen.values()]
    bounds = (Column(interval_head(c.result for c in chosen.values())), limits)
    # a reader takes an interval for that of the value to its left
    of = ["" if c.result.low is None else c.of for c in chosen.values()]
    if {*of} - {"", min(estimates, default="pooled")}:
        words = [text.split(" ")[0] for text in of]
        columns += [bounds, (Column("of", tone="quiet"), words)]
    else:
        columns.insert(FIRST_VALUE + 1, bounds)
    notes = (*_remarks(found, _of_fewer(means.values(), found)), *methods(_results_of(found)))
    return table_of("Measures", columns, notes=notes)


def _of_fewer(means: Iterable[Result], found: Standing) -> Standing:
    """Means beside another value that are not of all folds or classes, with that as their note."""
    fewer = {}
    for mean in means:
        key = mean.model, mean.measure
        notes = tuple(n for n in mean.notes if n.kind in OF_FEWER and not is_plain(n))
        if notes and key in found and found[key].of != "mean of folds":
            fewer[key] = Chosen(replace(mean, notes=notes), "mean of folds")
    return fewer


def _remarks(found: Standing, beside: Standing | None = None) -> tuple[str, ...]:
    """What is to be known of the values shown, one line a remark, naming what it is about."""
    models = dict.fromkeys(model for model, _ in found)
    about: dict[str, dict[str, list[str]]] = {}
    for (model, name), chosen in (*found.items(), *(beside or {}).items()):
        # that a model failed everywhere is said once, of all its measures
        if chosen.result.is_failed:
            continue
        for note in chosen.result.notes:
            if not is_plain(note):
                about.setdefault(str(note), {}).setdefault(bare_title(name), []).append(model)
    return tuple(_line(text, where, len(models)) for text, where in about.items())


def _line(text: str, where: dict[str, list[str]], count: int) -> str:
    same = {tuple(models) for models in where.values()}
    of = ""
    if count > 1 and len(same) == 1 and len(next(iter(same))) < count:
        of = f" ({few(next(iter(same)))})"
    return f"{few(list(where))}{of}: {text}"


def beside_table(results: Sequence[Result], found: Standing) -> Iterator[Table]:
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
    several = len({model for model, _ in found}) > 1
    shown = list(
        dict.fromkeys(name for _, name, kind in extra if kind != "training" or not several)
    )
    shown = shown or list(dict.fromkeys(name for _, name, _ in extra))
    shown = shown[:FEW_MEASURES] if several else shown
    keys = [k for k in found if k[1] in shown and any((*k, kind) in extra for kind in kinds)]
    means = {key for key, chosen in found.items() if chosen.of == "mean of folds"}
    is_bootstrap = "out-of-bag" in kinds or any(c.of == OF_SAMPLES for c in found.values())
    first = OF_SAMPLES if is_bootstrap else "out of fold"
    columns = [Column("model")] if several else []
    columns += [Column("measure", excess="wrap"), Column(first, "decimal")]
    columns += [Column(BESIDE[kind], "decimal") for kind in kinds]
    rows = [
        (
            *((label_text(key[0]),) if several else ()),
            _head(found, [key[0]], key[1]) if key in means else short_title(key[1]),
            _plain(found[key].result if key in means else honest.get(key)),
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
        return "none" if result.is_no_estimate else "undefined"
    return estimate_of(result)


def without_averages(found: Standing, asked: Sequence[str] = ()) -> Standing:
    """Of averages over classes the macro mean and those asked for, for models side by side."""
    kept = {request_of(name).name for name in asked}
    return {
        k: c for k, c in found.items() if request_of(k[1]).average in ("", "macro") or k[1] in kept
    }
