"""What is listed and is no result: runs of a store, splits, plans of a run, power, seconds."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.wording import plural
from heldout.report.names import features_text
from heldout.report.table import Column, Number, Table, Text
from heldout.runner.rows import shown_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluation import Evaluation
    from heldout.learners.model import Model
    from heldout.procedures.balance import Balance
    from heldout.procedures.splits import Splits
    from heldout.report.table import Cell, Document
    from heldout.runner.history import PastRun

__all__ = [
    "Pipelines",
    "Plan",
    "power_document",
    "run_document",
    "run_record",
    "runs_document",
    "splits_document",
    "splits_record",
    "timings_table",
]

#: test parts of splits that a table shows, and classes whose shares it shows
MOST_PARTS, MOST_SHARES = 20, 8
#: classes whose shares a plan shows
MOST_CLASSES = 20

MAKES = "heldout evaluate makes them"
#: what JSON has of a run and of a model of it, by their own names
OF_RUN = (
    *("data", "source", "data_fingerprint", "procedure", "splits_fingerprint", "splits"),
    *("rows", "seed", "versions", "done", "failed", "total", "state"),
)
OF_MODEL = ("part", "is_older", "fingerprint", "done", "failed")


def runs_document(runs: Sequence[PastRun], folder: str, *, hidden: int = 0) -> Document:
    """All runs, one a line, and how many are not shown."""
    what = plural(hidden, "more run")
    more = [f"{what} of inner folds, races or curves of heldout select; --all lists them"]
    more = more if hidden else []
    if not runs:
        return (Text("; ".join([f"no runs in {folder}", *(more or [MAKES])])),)
    columns = (
        Column("id", "right"),
        Column("begun (UTC)"),
        *(Column(head, excess="cut") for head in ("data", "procedure")),
        Column("models", excess="wrap"),
        *(Column(head, "right") for head in ("folds", "failed")),
        Column("state"),
    )
    lines = tuple(
        (
            str(run.number),
            shown_time(run.created),
            run.data,
            run.procedure,
            _models(run),
            f"{run.done:,}/{run.total:,}",
            Number(run.failed, "count"),
            run.state,
        )
        for run in runs
    )
    return (Table(f"Runs in {folder}", columns, lines, notes=(*_same(runs), *more)),)


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
    contents: dict[str, dict[str, list[str]]] = {}
    for run in runs:
        # other columns of the same file make other data, but no other content
        if content := run.facts.get("content"):
            seen = contents.setdefault(run.source, {})
            seen.setdefault(content, []).append(str(run.number))
    return tuple(
        f"{source} changed: runs {' | '.join(', '.join(ids) for ids in seen.values())} "
        "are of different content"
        for source, seen in contents.items()
        if len(seen) > 1
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
    rows = tuple(
        (*(record[head] for head in texts), *(Number(record[head], "count") for head in counts))
        for record in run_record(run)["models"]
    )
    columns = (*map(Column, texts), *(Column(head, "right") for head in counts))
    return (about, Table("Models", columns, rows))


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
            told = _content(even.validation, index).items()
            part |= {f"validation_{name}": value for name, value in told}
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
    heads = ["repeat", "fold", "train", kind.lower()]
    shares = even.shares
    has_classes = shares is not None and len(even.classes) <= MOST_SHARES
    heads += [str(label) for label in even.classes] if has_classes else []
    heads += ["mean"] if even.means is not None else []
    rows, folds = [], _folds(splits, even)
    count = len(splits) if everything else min(len(splits), MOST_PARTS)
    for index in range(count):
        sizes = (even.train_sizes[index], even.sizes[index])
        cells: list[Cell] = [Number(even.places[index, 0], "count"), str(folds[index])]
        cells += [Number(size, "count") for size in sizes]
        is_empty = not even.sizes[index]
        if has_classes and shares is not None:
            cells += [None if is_empty else Number(share, "percent") for share in shares[index]]
        if even.means is not None:
            cells.append(None if is_empty else Number(float(even.means[index])))
        rows.append(tuple(cells))
    notes = [f"... and {len(splits) - count:,} more (--all)"] if count < len(splits) else []
    title = f"{kind} parts" + ", with the share of each class" * has_classes
    columns = tuple(Column(head, "right", excess="cut") for head in heads)
    return Table(title, columns, tuple(rows), notes=tuple(notes))


def _folds(splits: Splits, even: Balance) -> Any:
    """The folds by their own names, where they have any."""
    from heldout.procedures.splits import fold_names
    from heldout.runner.layout import named

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
        f"({100 * even.largest_share_deviation:.2f} percentage points) off their share"
    )


def power_document(records: list[dict[str, Any]], given: Mapping[str, Any]) -> Document:
    """What differences can be shown, a line for each pair and measure."""
    has_pairs = "first" in records[0]
    limits = any(r["limit"] for r in records)
    wants = given["difference"] is not None
    is_known = any(r["achieved"] is not None for r in records)
    columns = [Column("measure")]
    columns += [Column("pair", excess="cut")] if has_pairs else []
    columns += [Column("n", "decimal"), Column("of"), Column("detectable", "decimal")]
    columns += [Column("limit of repeats", "decimal")] if limits else []
    if wants:
        columns += [Column("wanted", "decimal")]
        columns += [Column("power", "decimal")] if is_known else []
        columns += [Column("needs", "decimal"), Column("of")]
    rows = []
    for r in records:
        cells: list[Cell] = [r["measure"]]
        cells += [f"{r['first']} - {r['second']}"] if has_pairs else []
        cells += [_amount(r["n"]), _unit(r["n"], r["unit"]), _amount(r["detectable"])]
        cells += [_amount(r["limit"])] if limits else []
        if wants:
            needs = "none" if r["needed"] is None else Number(r["needed"], "count")
            cells += [_amount(r["wanted"])]
            cells += [_chance(r["achieved"])] if is_known else []
            cells += [needs, _unit(r["needed"], r["needed_unit"])]
        rows.append(tuple(cells))
    sides = "one-sided" if given["one_sided"] else "two-sided"
    power, level = (f"{100 * share:.10g}%" for share in (given["power"], 1 - given["level"]))
    notes = [
        f"{power} power, {level} {sides} significance, single test (with a correction for several "
        "tests the detectable difference is larger)"
    ]
    if is_known:
        notes.append("power: the chance that the present design detects the wanted difference")
    if limits:
        notes.append("limit of repeats: no number of repeats on the same rows goes below it")
    several = len(records) > 1
    notes += dict.fromkeys(
        f"{r['measure']}, {r['first']} - {r['second']}: {r['note']}" if several else r["note"]
        for r in records
        if r["note"]
    )
    return (Table("Detectable differences", tuple(columns), tuple(rows), notes=tuple(notes)),)


def _amount(value: float | None) -> Cell:
    if value is None:
        return None
    return "none" if isinf(value) else Number(float(value))


def _chance(value: float | None) -> Cell:
    """The achieved power."""
    return None if value is None or isnan(value) else Number(value, "power")


def _unit(count: int | None, unit: str) -> str:
    """The noun of a count: one row, two rows."""
    return unit.removesuffix("s") if count == 1 else unit


@dataclass(frozen=True, slots=True)
class Pipelines:
    """What each model does to the data, step by step, fitted inside of each training part."""

    steps: tuple[tuple[str, int, str], ...]

    @classmethod
    def of(cls, models: Sequence[Model]) -> Pipelines:
        """The steps of some models."""
        return cls(
            tuple(
                (model.name, number, step)
                for model in models
                for number, step in enumerate((*model.preparation, _estimator(model)), start=1)
            )
        )

    def record(self) -> dict[str, Any]:
        """The steps as plain data."""
        return {"pipelines": [{"model": m, "step": n, "what": what} for m, n, what in self.steps]}

    def document(self) -> Document:
        """The steps as a table."""
        rows = [(name if n == 1 else "", str(n), what) for name, n, what in self.steps]
        title = "Pipelines, each step fitted on training rows only"
        columns = (Column("model"), Column("step", "right"), Column("what", excess="wrap"))
        return (Table(title, columns, tuple(rows)),)


def _estimator(model: Model) -> str:
    """The estimator at the end of a pipeline, in one line."""
    last = model.estimator
    while hasattr(last, "steps") and last.steps:
        last = last.steps[-1][1]
    return " ".join(repr(last).split())


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of fits, and how even the splits are."""

    dataset: Dataset
    splits: Splits
    #: model, number of fits, how
    fits: tuple[tuple[str, int, str], ...]
    #: what is counted or averaged over the splits, its least and its most
    balance: tuple[tuple[str, float, float], ...]
    parted_groups: int | None
    models: tuple[Model, ...] = ()

    @classmethod
    def of(cls, models: Sequence[Model], dataset: Dataset, splits: Splits, *, exact: bool) -> Plan:
        """What would be done."""
        from heldout.procedures.apply import balance_of

        even = balance_of(splits, dataset)
        columns: list[tuple[str, Any]]
        columns = [("training rows", even.train_sizes), ("test rows", even.sizes)]
        if even.shares is not None:
            for index, label in enumerate(dataset.classes[:MOST_CLASSES]):
                columns.append((f"share of {label} tested", even.shares[:, index]))
        elif even.means is not None:
            columns.append(("mean of the target tested", even.means))
        balance = tuple((name, v.min().item(), v.max().item()) for name, v in columns)
        fits = tuple(_fits(model, dataset, splits, exact) for model in models)
        return cls(dataset, splits, fits, balance, even.parted_groups, tuple(models))

    def record(self) -> dict[str, Any]:
        """The plan as plain data."""
        data, splits = self.dataset, self.splits
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
            "fits": [{"model": name, "fits": count, "how": how} for name, count, how in self.fits],
            "balance": [{"what": what, "least": a, "most": b} for what, a, b in self.balance],
            "parted_groups": self.parted_groups,
        }

    def document(self) -> Document:
        """The plan as tables."""
        data, splits = self.dataset, self.splits
        head = (
            f"{data.source or data.name}: {plural(len(data), 'row')}, "
            f"{features_text(data, self.models)}, target {data.target}"
        )
        each = f"each of {len(self.fits):,} models" if len(self.fits) > 1 else "one model"
        count = f"{plural(len(splits), 'split')} for {each}"
        about = f"{splits.procedure}, seed {splits.seed}: {count}; splits {splits.fingerprint}"
        columns = (Column("model"), Column("fits", "right"), Column("how", excess="wrap"))
        rows = tuple((name, Number(fits, "count"), how) for name, fits, how in self.fits)
        fitted = Table("What would be fitted", columns, rows)
        return (Text(head, "strong"), Text(about), fitted, self._balance())

    def _balance(self) -> Table:
        rows = tuple((what, _number(least), _number(most)) for what, least, most in self.balance)
        notes = []
        if self.parted_groups is not None:
            notes.append(f"groups with rows on both sides of a split: {self.parted_groups:,}")
        columns = (Column("over the splits"), Column("least", "right"), Column("most", "right"))
        return Table("Balance", columns, rows, notes=tuple(notes))


def _fits(model: Model, dataset: Dataset, splits: Splits, exact: bool) -> tuple[str, int, str]:
    from heldout.learners.exact.paths import exact_path

    path = exact_path(model, dataset, splits) if exact else "--no-exact"
    if isinstance(path, str):
        return model.name, len(splits), f"refitted: {path}"
    return model.name, 1, f"exact, without refitting: {path.name}"


def _number(value: float) -> Number:
    return Number(value, "count" if isinstance(value, int) else "value")


def timings_table(evaluation: Evaluation) -> Table:
    """Seconds of fitting and predicting in all splits, and of one fit in the mean."""
    rows = []
    for name, outcome in evaluation.outcomes.items():
        fits, fit = _sum(outcome.fit_seconds)
        _, predict = _sum(outcome.predict_seconds)
        way = "refitted" if outcome.path == "refit" else f"exact: {outcome.path}"
        each = Number(fit / fits, "seconds") if fits else "not timed apart"
        seconds = [Number(v, "seconds") if fits else None for v in (fit, predict)]
        rows.append((name, Number(len(outcome.splits), "count"), *seconds, each, way))
    heads = ("splits", "fit", "predict", "one fit")
    numbers = (Column(head, "right") for head in heads)
    columns = (Column("model"), *numbers, Column("how", excess="wrap"))
    note = "as measured when the fits were made; those taken from the store are not made again"
    return Table("Seconds", columns, tuple(rows), notes=(note,))


def _sum(values: Any) -> tuple[int, float]:
    known = np.asarray([] if values is None else values, dtype=float)
    known = known[~np.isnan(known)]
    return len(known), float(known.sum())
