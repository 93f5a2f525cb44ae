"""What is listed and is no result: runs of a store, splits, plans of a run, power, seconds."""

from __future__ import annotations

from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from heldout.core.wording import plural, values_by_key
from heldout.report.names import features_text
from heldout.report.table import Column, Number, Table, Text, column
from heldout.runner.run_rows import shown_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.comparison.power.noise import Goal
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluation import Evaluation
    from heldout.learners.model import Model
    from heldout.procedures.balance import Balance
    from heldout.procedures.splits import Splits
    from heldout.report.table import Cell, Columns, Document, Role
    from heldout.runner.history import PastRun

#: test parts of splits that a table shows, and classes whose shares it shows
MOST_PARTS, MOST_SHARES = 20, 8
#: classes whose shares a plan shows
MOST_CLASSES = 20

#: characters of a time up to its minutes
MINUTES = len("2026-01-01 12:00")
MAKES = "heldout evaluate makes them"
#: what JSON has of a run and of a model of it, by their own names
OF_RUN = (
    *("data", "source", "data_fingerprint", "procedure", "splits_fingerprint", "splits"),
    *("rows", "seed", "versions", "done", "failed", "total", "state"),
)
OF_MODEL = ("part", "is_older", "fingerprint", "done", "failed")


def runs_document(runs: Sequence[PastRun], folder: str, *, hidden: int = 0) -> Document:
    """All runs, one per line, and how many are not shown."""
    what = plural(hidden, "more run")
    more = [f"{what} of inner folds, races or curves of heldout select; --all lists them"]
    more = more if hidden else []
    if not runs:
        return (Text("; ".join([f"no runs in {folder}", *(more or [MAKES])])),)
    table = Table.of(
        f"Runs in {folder}",
        [
            column("number", "id", role="count"),
            (Column("begun (UTC)"), lambda run: shown_time(run.created)[:MINUTES]),
            column("data", excess="cut"),
            column("procedure", excess="cut"),
            (Column("models", excess="wrap"), _models),
            (Column("folds", "right"), lambda run: f"{run.done:,}/{run.total:,}"),
            *([column("failed", role="count")] if any(run.failed for run in runs) else ()),
            column("state"),
        ],
        runs,
        notes=(*_same(runs), *more),
    )
    return (table,)


def _models(run: PastRun) -> str:
    """The models that were evaluated, by name, and how many settings were tried in a search."""
    if run.purpose == "inner":
        return f"inner: {', '.join(model.name for model in run.judged)}"
    if run.purpose == "select":
        return f"select: {plural(len(run.judged), 'setting')}"
    also = [f"select: {plural(len(run.besides), 'more setting')}"] if run.besides else []
    return "; ".join([", ".join(model.name for model in run.judged), *also])


def _same(runs: Sequence[PastRun]) -> tuple[str, ...]:
    """Notes of sources whose content changed from one run to another."""
    # other columns of the same file make other data, but no other content
    numbers = values_by_key(
        ((run.source, content), str(run.number))
        for run in runs
        if (content := run.facts.get("content"))
    )
    parts = values_by_key((source, ", ".join(own)) for (source, _), own in numbers.items())
    return tuple(
        f"{source} changed: runs {' | '.join(own)} have different content"
        for source, own in parts.items()
        if len(own) > 1
    )


def run_document(run: PastRun) -> Document:
    """One run: what it is of, and how far each model is."""
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    facts = (
        ("begun", f"{shown_time(run.created)} UTC"),
        ("data", f"{run.data}, {run.rows:,} rows ({run.data_fingerprint})"),
        ("source", run.source or "given in Python"),
        ("procedure", f"{run.procedure}, {run.splits:,} splits ({run.splits_fingerprint})"),
        ("seed", str(run.seed)),
        ("versions", versions),
        ("state", run.state),
    )
    about = Table(f"Run {run.number}", (Column(""), Column("", excess="wrap")), facts)
    texts, counts = ("model", "for", "part"), ("done", "failed", "left", "computed")
    columns = (*map(column, texts), *(column(name, role="count") for name in counts))
    return (about, Table.of("Models", columns, run_record(run)["models"]))


def run_record(run: PastRun) -> dict[str, Any]:
    """A run as JSON has it."""
    return {
        "id": run.number,
        "for": run.purpose,
        "begun": run.created,
        **{name: getattr(run, name) for name in OF_RUN},
        "models": [
            {
                "model": model.name,
                "for": model.purpose,
                **{name: getattr(model, name) for name in OF_MODEL},
                "left": run.left(model),
                # by fits or by an exact path; what was tried again counts again
                "computed": model.computed,
            }
            for model in run.models
        ],
    }


def splits_record(dataset: Dataset, splits: Splits, even: Balance) -> dict[str, Any]:
    """All of it as plain data."""
    parts: list[dict[str, Any]] = []
    repeats, folds = even.places[:, 0].tolist(), _folds(splits, even).tolist()
    for index, (repeat, fold) in enumerate(zip(repeats, folds, strict=True)):
        part: dict[str, Any] = {"repeat": repeat, "fold": fold}
        part["train"], part["test"] = int(even.train_sizes[index]), int(even.sizes[index])
        part |= _content(even, index)
        if even.validation is not None:
            part["validation"] = int(even.validation.sizes[index])
            content = _content(even.validation, index).items()
            part |= {f"validation_{name}": value for name, value in content}
        parts.append(part)
    return {
        "call": {
            "command": "split",
            "data": dataset.source or dataset.name,
            "procedure": splits.procedure,
            "seed": splits.seed,
        },
        "procedure": splits.procedure,
        "rows": splits.rows,
        "seed": splits.seed,
        "fingerprint": splits.fingerprint,
        "notes": list(splits.notes),
        "parted_groups": even.parted_groups,
        "parts": parts,
    }


def _content(even: Balance, index: int) -> dict[str, Any]:
    """The rows of each class in a part, or the mean of its target."""
    if even.means is not None:
        return {"mean": float(even.means[index])}
    if even.counts is None:
        return {}
    return {"classes": dict(zip(map(str, even.classes), even.counts[index].tolist(), strict=True))}


def splits_document(dataset: Dataset, splits: Splits, even: Balance, everything: bool) -> Document:
    """The table of test parts, that of validation parts, and what was got."""
    kinds = (("Test", even), ("Validation", even.validation))
    return (
        Text(f"{splits.procedure} of {dataset.name}: {plural(splits.rows, 'row')}, "
             f"{plural(len(splits), 'split')}", "strong"),
        *(_parts(kind, splits, part, everything) for kind, part in kinds if part is not None),
        *(Text(line) for line in _evenness(even)),
        Text(f"fingerprint {splits.fingerprint}", "quiet"),
    )  # fmt: skip


def _parts(kind: str, splits: Splits, even: Balance, everything: bool) -> Table:
    """The table of test parts, or of validation parts."""
    folds = _folds(splits, even)
    columns: list[Any] = [
        _part_column("repeat", even.places[:, 0], "count"),
        (Column("fold", "right", excess="cut"), lambda part: str(folds[part])),
        _part_column("train", even.train_sizes, "count"),
        _part_column(kind.lower(), even.sizes, "count"),
    ]
    title = f"{kind} parts"
    if even.shares is not None and len(even.classes) <= MOST_SHARES:
        title += ", with the share of each class"
        shares = zip(even.classes, even.shares.T, strict=True)
        columns += [_part_column(str(label), share, "percent", even) for label, share in shares]
    if even.means is not None:
        columns.append(_part_column("mean", even.means, "value", even))
    count = len(splits) if everything else min(len(splits), MOST_PARTS)
    notes = (f"... and {len(splits) - count:,} more (--all)",) if count < len(splits) else ()
    return Table.of(title, columns, range(count), notes=notes)


def _part_column(head: str, values: Any, role: Role, rows_of: Balance | None = None) -> Any:
    """A column of numbers of parts; nothing where a part has no rows that it would be of."""

    def cell(part: int) -> Cell:
        is_empty = rows_of is not None and not rows_of.sizes[part]
        return None if is_empty else Number(values[part].item(), role)

    return Column(head, "right", excess="cut"), cell


def _folds(splits: Splits, even: Balance) -> Any:
    """The folds by their own names, where they have any."""
    from heldout.procedures.splits import fold_names
    from heldout.runner.prediction_columns import named

    return named(even.places[:, 1], fold_names(splits))


def _evenness(even: Balance) -> list[str]:
    """How even classes and groups came out."""
    lines = []
    if even.counts is not None:
        lines.append(f"classes: {_off(even)}")
    if even.validation is not None and even.counts is not None:
        lines.append(f"classes of validation parts: {_off(even.validation)}")
    if even.parted_groups is not None:
        said = f"split {even.parted_groups:,} times" if even.parted_groups else "none is split"
        lines.append(f"groups: {said}")
    return lines


def _off(even: Balance) -> str:
    return (
        f"at most {even.largest_deviation:.2f} rows "
        f"({100 * even.largest_share_deviation:.2f} percentage points) from their "
        f"overall share"
    )


def power_document(records: list[dict[str, Any]], goal: Goal) -> Document:
    """What differences or margins can be shown, a line for each pair and measure."""
    has_pairs = "first" in records[0]
    limits = any(r["limit"] for r in records)
    is_known = any(r["achieved"] is not None for r in records)
    sides = "one-sided" if goal.is_one_sided else "two-sided"
    power, level = (f"{100 * share:.10g}%" for share in (goal.power, 1 - goal.level))
    what, shows = ("margin", "shows") if goal.has_margin else ("difference", "detects")
    notes = [
        f"{power} power, {level} {sides} significance, single test (with a correction for several "
        f"tests the detectable {what} is larger)"
    ]
    if is_known:
        notes.append(f"power: the chance that the present design {shows} the wanted {what}")
    if goal.has_margin:
        notes.append(f"{goal.claim} within the margin, of models that are in truth equal")
    if limits:
        notes.append("limit of repeats: no number of repeats on the same rows goes below it")
    several = len(records) > 1
    notes += dict.fromkeys(
        f"{r['measure']}, {r['first']} - {r['second']}: {r['note']}" if several else r["note"]
        for r in records
        if r["note"]
    )
    columns: Columns = [
        column("measure"),
        (Column("pair", excess="cut"), lambda r: f"{r['first']} - {r['second']}")
        if has_pairs
        else None,
        (Column("n", "decimal"), lambda r: _amount(r["n"])),
        (Column("of"), lambda r: _unit(r["n"], r["unit"])),
        (Column("detectable", "decimal"), lambda r: _amount(r["detectable"])),
        (Column("limit of repeats", "decimal"), lambda r: _amount(r["limit"])) if limits else None,
    ]
    wanted: Columns = [
        (Column("wanted", "decimal"), lambda r: _amount(r["wanted"])),
        (Column("power", "decimal"), lambda r: _chance(r["achieved"])) if is_known else None,
        (Column("needs", "decimal"), lambda r: _amount(r["needed"], "count") or "none"),
        (Column("of"), lambda r: _unit(r["needed"], r["needed_unit"])),
    ]
    shown = [*columns, *(wanted if records[0]["wanted"] is not None else ())]
    title = f"Margins of {goal.claim}" if goal.has_margin else "Detectable differences"
    return (Table.of(title, shown, records, notes=tuple(notes)),)


def _amount(value: float | None, role: Role = "value") -> Cell:
    if value is None:
        return None
    return "none" if isinf(value) else Number(float(value), role)


def _chance(value: float | None) -> Cell:
    return None if value is None or isnan(value) else Number(value, "power")


def _unit(count: int | None, unit: str) -> str:
    """The noun of a count: one row, two rows."""
    return unit.removesuffix("s") if count == 1 else unit


def pipelines_record(models: Sequence[Model]) -> dict[str, Any]:
    """What each model does to the data, step by step, fitted inside of each training part."""
    return {
        "pipelines": [
            {"model": model.name, "step": number, "what": step}
            for model in models
            for number, step in enumerate((*model.preparation, _estimator(model)), start=1)
        ]
    }


def pipelines_document(record: Mapping[str, Any]) -> Document:
    """The steps of a record as a table."""
    columns: Columns = [
        (Column("model"), lambda step: step["model"] if step["step"] == 1 else ""),
        column("step", role="count"),
        column("what", excess="wrap"),
    ]
    title = "Pipelines, each step fitted on training rows only"
    return (Table.of(title, columns, record["pipelines"]),)


def _estimator(model: Model) -> str:
    """The estimator at the end of a pipeline, in one line."""
    last = model.estimator
    while hasattr(last, "steps") and last.steps:
        last = last.steps[-1][1]
    return " ".join(repr(last).split())


def plan_record(
    models: Sequence[Model], data: Dataset, splits: Splits, *, exact: bool
) -> dict[str, Any]:
    """The number of fits, and how even the splits are: what would be done."""
    from heldout.procedures.apply import balance_of

    even = balance_of(splits, data)
    return {
        "run": {
            "data": data.source or data.name,
            "rows": len(data),
            "features": data.feature_count,
            "target": data.target,
            "procedure": splits.procedure,
            "seed": splits.seed,
            "splits": len(splits),
            "splits_fingerprint": splits.fingerprint,
        },
        "fits": [_fits(model, data, splits, exact) for model in models],
        "balance": [
            {"what": what, "least": least, "most": most}
            for what, (least, most) in even.ranges(MOST_CLASSES).items()
        ],
        "parted_groups": even.parted_groups,
    }


def plan_document(record: Mapping[str, Any], models: Sequence[Model], data: Dataset) -> Document:
    """The plan of a record as tables."""
    run, fits, parted = record["run"], record["fits"], record["parted_groups"]
    each = f"each of {len(fits):,} models" if len(fits) > 1 else "one model"
    below = "" if parted is None else f"groups with rows on both sides of a split: {parted:,}"
    return (
        Text(
            f"{run['data']}: {plural(run['rows'], 'row')}, {features_text(data, models)}, "
            f"target {run['target']}",
            "strong",
        ),
        Text(
            f"{run['procedure']}, seed {run['seed']}: {plural(run['splits'], 'split')} for {each}; "
            f"splits {run['splits_fingerprint']}"
        ),
        Table.of(
            "What would be fitted",
            [column("model"), column("fits", role="count"), column("how", excess="wrap")],
            fits,
        ),
        Table.of(
            "Balance",
            [column("what", "over the splits"), *map(_range_column, ("least", "most"))],
            record["balance"],
            notes=tuple(filter(None, [below])),
        ),
    )


def _fits(model: Model, dataset: Dataset, splits: Splits, exact: bool) -> dict[str, Any]:
    from heldout.learners.exact.paths import exact_path

    path = exact_path(model, dataset, splits) if exact else "--no-exact"
    if isinstance(path, str):
        return {"model": model.name, "fits": len(splits), "how": f"refitted: {path}"}
    return {"model": model.name, "fits": 1, "how": f"exact, without refitting: {path.name}"}


def _range_column(end: str) -> Any:
    """The column of an end of the range of counts, shares or means."""

    def cell(line: Mapping[str, Any]) -> Cell:
        return Number(line[end], "count" if isinstance(line[end], int) else "value")

    return Column(end, "right"), cell


def timings_table(evaluation: Evaluation) -> Table:
    """Seconds of fitting and predicting in all splits, and of one fit in the mean."""
    rows = []
    for name, outcome in evaluation.outcomes.items():
        fits, fit, predict = outcome.seconds
        way = "refitted" if outcome.path == "refit" else f"exact: {outcome.path}"
        each = Number(fit / fits, "seconds") if fits else "not timed separately"
        seconds = [Number(v, "seconds") if fits else None for v in (fit, predict)]
        rows.append((name, Number(len(outcome.splits), "count"), *seconds, each, way))
    heads = ("splits", "fit", "predict", "one fit")
    numbers = (Column(head, "right") for head in heads)
    columns = (Column("model"), *numbers, Column("how", excess="wrap"))
    note = "measured when the fits were made; fits taken from the store are not repeated"
    return Table("Seconds", columns, tuple(rows), notes=(note,))
