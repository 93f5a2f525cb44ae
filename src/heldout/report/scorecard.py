"""A scorecard as a document: what was judged, the confusion matrix, measures, classes, folds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.assess.headline import NESTED, OF_SAMPLES, chosen_results
from heldout.assess.results import COLUMNS, Estimand, Of
from heldout.core.wording import plural, values_by_key
from heldout.measures.profit import profit_cells
from heldout.report.confusion_tables import PLAIN, confusion_record, confusion_table, value_table
from heldout.report.measure_tables import (
    FEW_CLASSES,
    WORST,
    below_classes,
    class_table,
    measure_table,
    model_table,
    side_by_side,
    without_averages,
)
from heldout.report.names import NAMED, is_ordered, label_text, order_text, request_of
from heldout.report.numbers import count_text, number_text
from heldout.report.remarks import notes_block
from heldout.report.table import Table, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.report.confusion_tables import View
    from heldout.report.measure_tables import Standing
    from heldout.report.table import Block, Document
    from heldout.tally.confusion import Confusion


def subject_lines(card: Scorecard, measures: Iterable[str], *, trained: str = "") -> list[Text]:
    """The line that says what was judged, and the quiet one that says what the values are of.

    ``trained``: on how many rows models were trained, where the caller knows it. The prior and
    the order of the classes are named where one of the measures depends on them.
    """
    asked = set(measures)
    parts = [_rows(card)]
    if card.task == "regression":
        parts.append("regression")
    elif len(card.classes) <= NAMED:
        parts.append(f"classes {', '.join(map(label_text, card.classes))}")
    else:
        parts.append(f"{len(card.classes):,} classes")
    if card.positive is not None:
        parts.append(f"positive: {label_text(card.positive)}")
    source = f"{card.source}: " if card.source else ""
    lines = [Text(source + "; ".join(parts), "strong")]
    design = card.predictions[0].design
    how = list(_how(card, asked))
    # a run has said of which splits it is
    parts_of = {} if trained else {"repeat": design.repeat, "fold": design.fold}
    how += [
        f"{plural(len(column.levels), word)} (column {column.name})"
        for word, column in parts_of.items()
        if column is not None
    ]
    splits = card.tallies[0].design
    estimand = Estimand.after(Of.POOLED, folds=splits.folds, repeats=splits.repeats)
    of = "these models" if estimand is Estimand.MODEL and len(card.models) > 1 else estimand.value
    if trained:
        of += f" on {trained}" if estimand is Estimand.METHOD else f", trained on {trained}"
    lines.append(Text("; ".join([f"values describe {of}", *how]), "quiet"))
    return lines


def _rows(card: Scorecard) -> str:
    rows = _rows_text([tallies.rows for tallies in card.tallies])
    if len(card.models) == 1:
        name = card.models[0]
        return f"model {label_text(name)}, {rows}" if name else rows
    return f"{len(card.models)} models, {rows} each"


def _rows_text(sizes: Sequence[float]) -> str:
    """How many rows the models have, from the fewest to the most."""
    counts = " to ".join(count_text(n) for n in sorted({min(sizes), max(sizes)}))
    return f"{counts} {'row' if counts == '1' else 'rows'}"


def _how(card: Scorecard, asked: set[str]) -> Iterator[str]:
    """What else shaped the values."""
    uses_prior = any(request_of(name).measure.uses_prior for name in asked)
    p, tallies = card.predictions[0], card.tallies[0]
    thresholds = {q.threshold for q in card.predictions if q.threshold is not None}
    if len(thresholds) == 1:
        yield f"predicted {label_text(card.positive)} where score >= {thresholds.pop():.9g}"
    # counts that came in are kept as weights, which no reader gave
    if p.weight is not None and not tallies.is_counted and (tallies.row_weights != 1).any():
        yield f"rows weighted (sum of weights {number_text(float(tallies.row_weights.sum()))})"
    if uses_prior and p.task == "regression":
        yield f"training mean: {'as given' if p.train_mean is not None else 'mean of this data'}"
    elif uses_prior:
        kinds = {"given": "as given", "training counts": "from training counts"}
        kind = kinds.get(p.prior.kind if p.prior else "", "frequencies in this data")
        yield f"class prior: {kind}"
    if len(card.classes) > 2 and any(is_ordered(name) for name in asked):
        yield f"ordered measures use {order_text(card.classes)}"
    if p.design.group is not None:
        yield f"{plural(tallies.groups, 'group')} (column {p.design.group.name})"


#: what a class is shown by where there are many of them
CLASS_MEASURES = ("recall", "precision", "f_score")


def scorecard_document(
    card: Scorecard,
    results: Sequence[Result],
    *,
    is_short: bool = True,
    families: bool = False,
    more: Sequence[Block] = (),
    hint: str = "",
    view: View = PLAIN,
    letters_by: str | None = None,
) -> Document:
    """The results of a scorecard.

    Parameters
    ----------
    is_short
        The reader named no measures, so what matters most is enough: the worst of many
        classes, one kind of average for several models.
    families
        Headings between the families of measures.
    more, hint
        What else was asked for, and a last line that says what can be.
    view
        How the confusion matrix is shown.
    letters_by
        Compare several models, by this measure in any case (empty: the one that decides), and
        mark those that cannot be told apart.
    """
    blocks: list[Block] = [*subject_lines(card, {r.measure for r in results})]
    standing = chosen_results(results)
    if len(card.models) > 1:
        table, *others = _several(results, standing, is_short=is_short)
        if letters_by is not None and isinstance(table, Table):
            # comparing takes modules that a short score does without
            from heldout.report.verdict import with_letters

            table = with_letters(table, card, letters_by)
        blocks += [table, *others]
    else:
        blocks += one_model(
            card, results, standing, is_short=is_short, families=families, view=view
        )
        blocks += by_slice(results, standing)
    blocks += [*by_fold(results), *more]
    if hint:
        blocks.append(Text(hint, "hint"))
    return tuple(blocks)


def scorecard_page(card: Scorecard) -> Document:
    """The headline measures and the notes, as a scorecard in Python shows itself."""
    return (*scorecard_document(card, card.results()), *notes_block(card.notes))


def scorecard_record(
    card: Scorecard,
    results: Iterable[Result],
    tables: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    *,
    matrices: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The results of a scorecard with the confusion counts.

    ``tables`` are those of decisions and slices, a list of records each; ``matrices`` the view
    of the counts and of which parts they are given too.
    """
    return {
        "results": [dict(zip(COLUMNS, result.cells(), strict=True)) for result in results],
        "confusion": confusion_record(card, **(matrices or {})),
        **(tables or {}),
    }


def one_model(
    card: Scorecard,
    results: Sequence[Result],
    standing: Standing,
    *,
    is_short: bool = False,
    families: bool = False,
    notes: Sequence[str] = (),
    view: View = PLAIN,
) -> Iterator[Block]:
    """One model in detail: its confusion matrix, measures, classes, of which ``notes`` are said."""
    confusion = card.confusion()
    of_class = [r for r in results if r.of is Of.POOLED and not (r.slice or r.repeat)]
    classes = None
    if confusion is not None:
        repeats = card.predictions[0].design.repeat
        count = 0 if repeats is None else len(repeats.levels)
        yield confusion_table(confusion, card.classes, repeats=count, view=view)
        yield from _values(card, confusion, view)
        actual = confusion.actual.tolist()
        support = {str(c): n for c, n in zip(card.classes, actual, strict=True)}
        if is_short and len(support) > FEW_CLASSES and not any(r.class_ for r in results):
            worst = [card.classes[i] for i in confusion.worst_classes(WORST)]
            of_class += (card[name, c] for c in worst for name in CLASS_MEASURES)
        classes = class_table("Each class vs. rest", of_class, support, notes=notes)
    if classes:
        shown = below_classes(of_class)
        standing = {key: c for key, c in standing.items() if key[1] not in shown}
    if standing:
        yield measure_table(results, standing, families=families)
    if classes:
        yield classes


def by_fold(results: Sequence[Result]) -> Iterator[Table]:
    """Single folds and repeats, where they were asked for."""
    plain = [r for r in results if r.of in (Of.FOLD, Of.REPEAT) and not (r.class_ or r.slice)]
    models = dict.fromkeys(r.model for r in plain)
    for model in models:
        rows = [r for r in plain if r.model == model]
        title = f"By fold: {label_text(model)}" if len(models) > 1 else "By fold"
        yield side_by_side(title, "fold", rows, _fold_name, has_counts=True)


def by_slice(results: Sequence[Result], standing: Standing) -> Iterator[Table]:
    """The slices of each model beside all of its rows, all folds pooled."""
    # a measure that the table above shows another value of says which one this is
    other = {name: c.of for (_, name), c in standing.items() if c.of not in ("pooled", OF_SAMPLES)}
    of = {
        name: "pooled" if kind in ("mean of folds", NESTED) else OF_SAMPLES
        for name, kind in other.items()
    }
    plain = [r for r in results if r.of is Of.POOLED and not (r.repeat or r.class_)]
    models = dict.fromkeys(r.model for r in plain if r.slice)
    for model in models:
        rows = [r for r in plain if r.model == model]
        title = f"By slice: {label_text(model)}" if len(models) > 1 else "By slice"
        how: Any = {"has_counts": True, "of": of}
        yield side_by_side(title, "slice", rows, lambda r: r.slice or "all rows", **how)


def _values(card: Scorecard, confusion: Confusion, view: View) -> Iterator[Block]:
    """What the cells earn and cost, where their values were given."""
    for title, values in (("Profit", card.profit), ("Cost", card.cost)):
        if values is not None:
            cells = profit_cells(confusion, values)
            yield value_table(f"{title} by cell", cells, card.classes, view)


def _several(results: Sequence[Result], standing: Standing, *, is_short: bool) -> Iterator[Block]:
    """Several models side by side: the value that stands for each measure, slices, classes."""
    plain = [r for r in results if not r.class_]
    if is_short:
        standing = without_averages(standing)
        plain = [r for r in plain if request_of(r.measure).average in ("", "macro")]
    yield model_table(standing)
    for part, size in _sizes(plain).items():
        rows = [r for r in plain if r.slice == part and not r.fold]
        yield side_by_side(f"Slice {part} ({size})", "model", rows, _model_name)
    labels = dict.fromkeys(r.class_ for r in results if r.class_)
    if len(labels) > FEW_CLASSES:
        more = (
            f"values of {len(labels):,} classes are not shown: --per-class --format csv gives all"
        )
        yield Text(more, "quiet")
    for label in () if is_short or len(labels) > FEW_CLASSES else labels:
        rows = [r for r in results if r.class_ == label and not r.fold and not r.slice]
        title = f"Class {label_text(label)} vs. rest"
        yield side_by_side(title, "model", rows, _model_name)


def _sizes(results: Sequence[Result]) -> dict[str, str]:
    """How many rows each slice has, in words; models may differ in that."""
    sizes = values_by_key((r.slice, r.n) for r in results if r.slice and not r.fold)
    return {name: _rows_text(ns) for name, ns in sizes.items()}


def _fold_name(result: Result) -> str:
    """Repeat and fold in a word or two."""
    fold = "all folds" if result.of is Of.REPEAT else result.fold
    return f"{result.repeat}, {fold}" if result.repeat else fold


def _model_name(result: Result) -> str:
    return label_text(result.model)
