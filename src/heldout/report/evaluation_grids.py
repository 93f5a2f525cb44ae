"""Results of an evaluation as grids: which value stands for a measure, models side by side."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from heldout.assess.headline import NESTED, OF_SAMPLES, Chosen, chosen_results
from heldout.core.notes import Kind
from heldout.report.document import Column, Grid
from heldout.report.measure_grids import value_text
from heldout.report.names import arrow, bare_title, label_text, request_of, short_title
from heldout.report.remarks import interval_head, interval_text, is_plain, methods
from heldout.report.widths import GAP, few_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heldout.assess.results import Result

__all__ = [
    "BESIDE",
    "Chosen",
    "averages_left_out",
    "beside_grid",
    "chosen_results",
    "detail_grid",
    "model_grids",
]

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
#: measures whose values beside the out-of-fold ones are shown where there are several models
FEW = 3
INDENT = 2
#: where the first values stand, right of the measure and its arrow
FIRST_VALUE = 2
TRAINED = "training: judged on the rows it was trained on, so optimistic"


def model_grids(
    found: dict[tuple[str, str], Chosen],
    *,
    digits: int,
    width: int | None,
) -> Iterator[Grid]:
    """A row a model, a column a measure, as many columns a grid as fit; nothing is best."""
    models = list(dict.fromkeys(model for model, _ in found))
    names = list(dict.fromkeys(name for _, name in found))
    chunks = _chunks(found, models, names, digits=digits, width=width)
    for number, chunk in enumerate(chunks):
        columns = [Column("model", excess="cut")]
        columns += [Column(_head(found, models, name)) for name in chunk]
        rows = [
            (label_text(m), *(_cell(found.get((m, name)), digits) for name in chunk))
            for m in models
        ]
        last = number == len(chunks) - 1
        notes = (*_remarks(found), *methods(_results_of(found), brackets=True)) if last else ()
        title = "Which model?" if not number else ""
        yield Grid(title, tuple(columns), tuple(rows), notes=notes)


def _chunks(
    found: dict[tuple[str, str], Chosen],
    models: Sequence[str],
    names: Sequence[str],
    *,
    digits: int,
    width: int | None,
) -> list[list[str]]:
    """The measures in groups that fit beside each other; heads are wrapped to their cells."""
    if width is None:
        return [list(names)]
    room = width - INDENT - max(len(label_text(m)) for m in models)
    chunks: list[list[str]] = [[]]
    left = room
    for name in names:
        cells = [_cell(found.get((m, name)), digits) for m in models]
        wide = GAP + max(few_lines(_head(found, models, name)), *map(len, cells))
        if wide > left and chunks[-1]:
            chunks.append([])
            left = room
        chunks[-1].append(name)
        left -= wide
    return chunks


def _results_of(found: dict[tuple[str, str], Chosen]) -> list[Result]:
    return [chosen.result for chosen in found.values()]


def _head(found: dict[tuple[str, str], Chosen], models: Sequence[str], name: str) -> str:
    """The measure, and of what its values are where they are not of the pooled folds."""
    shown = [found[m, name] for m in models if (m, name) in found]
    # a model that has no value has none of any kind
    of = {one.of for one in shown if not one.result.is_not_given} - {"pooled"}
    return f"{short_title(name)}, {of.pop()}" if len(of) == 1 else short_title(name)


def _cell(chosen: Chosen | None, digits: int) -> str:
    if chosen is None:
        return ""
    if chosen.result.is_failed:
        return "failed"
    text = value_text(chosen.result, digits)
    limits = interval_text(chosen.result, digits, between=", ", fewer=1)
    return f"{text} [{limits}]" if limits else text


def detail_grid(
    results: Sequence[Result], found: dict[tuple[str, str], Chosen], *, digits: int
) -> Grid:
    """One model: a row a measure, pooled and mean of folds, the interval and what it is of."""
    pooled = {r.measure: r for r in results if not (r.fold or r.repeat or r.class_ or r.slice)}
    means = {r.measure: r for r in results if r.fold == "mean" and not r.class_}
    chosen = {name: one for (_, name), one in found.items()}
    names = list(chosen)
    first = "pooled" if means else "value"
    first = OF_SAMPLES if any(c.of == OF_SAMPLES for c in chosen.values()) else first
    columns = [
        (Column("measure", excess="wrap"), [bare_title(n) for n in names]),
        (Column(""), [arrow(n) for n in names]),
    ]
    estimates = {c.of for c in chosen.values()} - {"pooled", "mean of folds", OF_SAMPLES}
    first = OF_SAMPLES if estimates - {NESTED} else first
    for estimate in sorted(estimates):
        values = [value_text(c.result, digits) if c.of == estimate else "" for c in chosen.values()]
        columns.append((Column(estimate, "decimal"), values))
    cells = [value_text(pooled.get(n), digits) for n in names]
    columns.append((Column(first, "decimal"), cells))
    if means:
        values = [value_text(means.get(n), digits) for n in names]
        columns.append((Column("mean of folds", "decimal"), values))
    limits = [interval_text(c.result, digits) for c in chosen.values()]
    if any(limits):
        bounds = (Column(interval_head(c.result for c in chosen.values())), limits)
        # a reader takes an interval for that of the value to its left
        of = ["" if c.result.low is None else c.of for c in chosen.values()]
        if {*of} - {"", min(estimates, default="pooled")}:
            words = [text.split(" ")[0] for text in of]
            columns += [bounds, (Column("of", tone="quiet"), words)]
        else:
            columns.insert(FIRST_VALUE + 1, bounds)
    return Grid(
        "Measures",
        tuple(column for column, _ in columns),
        tuple(zip(*(cells for _, cells in columns), strict=True)),
        notes=(*_remarks(found, _of_fewer(means.values(), found)), *methods(_results_of(found))),
    )


def _of_fewer(
    means: Iterable[Result], found: dict[tuple[str, str], Chosen]
) -> dict[tuple[str, str], Chosen]:
    """Means beside another value that are not of all folds or classes, with that as their note."""
    fewer = {}
    for mean in means:
        key = mean.model, mean.measure
        notes = tuple(n for n in mean.notes if n.kind in OF_FEWER and not is_plain(n))
        if notes and key in found and found[key].of != "mean of folds":
            fewer[key] = Chosen(replace(mean, notes=notes), "mean of folds")
    return fewer


def _remarks(
    found: dict[tuple[str, str], Chosen], beside: dict[tuple[str, str], Chosen] | None = None
) -> tuple[str, ...]:
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
        of = f" ({', '.join(next(iter(same)))})"
    return f"{', '.join(where)}{of}: {text}"


def beside_grid(
    results: Sequence[Result], found: dict[tuple[str, str], Chosen], *, digits: int
) -> Iterator[Grid]:
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
    shown = shown[:FEW] if several else shown
    keys = [k for k in found if k[1] in shown and any((*k, kind) in extra for kind in kinds)]
    means = {key for key, one in found.items() if one.of == "mean of folds"}
    is_bootstrap = "out-of-bag" in kinds or any(c.of == OF_SAMPLES for c in found.values())
    first = OF_SAMPLES if is_bootstrap else "out of fold"
    columns = [Column("model")] if several else []
    columns += [Column("measure", excess="wrap"), Column(first, "decimal")]
    columns += [Column(BESIDE[kind], "decimal") for kind in kinds]
    rows = [
        (
            *((label_text(key[0]),) if several else ()),
            _head(found, [key[0]], key[1]) if key in means else short_title(key[1]),
            _plain(found[key].result if key in means else honest.get(key), digits),
            *(_plain(extra.get((*key, kind)), digits) for kind in kinds),
        )
        for key in keys
    ]
    notes = [TRAINED] if "training" in kinds else []
    title = f"Beside the {OF_SAMPLES if is_bootstrap else 'out-of-fold values'}"
    title = "Bootstrap estimates" if "out-of-bag" in kinds else title
    yield Grid(title, tuple(columns), tuple(rows), notes=tuple(notes))


def _plain(result: Result | None, digits: int) -> str:
    if result is None:
        return ""
    if isnan(result.value):
        return "none" if result.is_no_estimate else "undefined"
    return value_text(result, digits)


def averages_left_out(
    found: dict[tuple[str, str], Chosen], asked: Sequence[str] = ()
) -> dict[tuple[str, str], Chosen]:
    """Of averages over classes the macro mean and those asked for, for models side by side."""
    kept = {request_of(name).name for name in asked}
    return {
        k: c for k, c in found.items() if request_of(k[1]).average in ("", "macro") or k[1] in kept
    }
