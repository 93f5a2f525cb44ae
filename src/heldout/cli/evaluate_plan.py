"""What a run would do: pipelines, fits and exact paths, how even the parts are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.report.document import Column, Grid, Text
from heldout.report.numbers import count_text, number_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits
    from heldout.report.document import Document

__all__ = ["show_plan"]

#: classes whose shares are shown
MOST_CLASSES = 20


def show_plan(
    given: Mapping[str, Any],
    models: Sequence[Model],
    form: str,
    planned: tuple[Dataset, Splits] | None = None,
) -> int:
    """What each model does to the data and, where ``planned``, what would be fitted.

    In the format and the place that were asked for; gives the exit code.
    """
    from heldout.cli.output import drawn, write_text

    if form == "csv":
        raise InputError(
            "--dry-run and --show-pipeline are no table of results: "
            "take --format table, markdown, latex or json"
        )
    plans: list[Pipelines | Plan] = []
    if given["show_pipeline"]:
        plans.append(Pipelines.of(models))
    if planned is not None:
        plans.append(Plan.of(models, *planned, exact=not given["no_exact"]))
    if form == "json":
        from heldout.report.json_text import json_text

        text = json_text({name: value for plan in plans for name, value in plan.record().items()})
    else:
        document = [block for plan in plans for block in plan.document()]
        text = drawn(tuple(document), form, given["output"])
    write_text(text, form, given["output"])
    return 0


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
        return (Grid(title, columns, tuple(rows)),)


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

    @classmethod
    def of(cls, models: Sequence[Model], dataset: Dataset, splits: Splits, *, exact: bool) -> Plan:
        """What would be done."""
        from heldout.procedures.apply import balance_of

        made = balance_of(splits, dataset)
        found: list[tuple[str, Any]]
        found = [("training rows", made.train_sizes), ("test rows", made.sizes)]
        if made.shares is not None:
            for index, label in enumerate(dataset.classes[:MOST_CLASSES]):
                found.append((f"share of {label} tested", made.shares[:, index]))
        elif made.means is not None:
            found.append(("mean of the target tested", made.means))
        balance = tuple((name, v.min().item(), v.max().item()) for name, v in found)
        fits = tuple(_fits(model, dataset, splits, exact) for model in models)
        return cls(dataset, splits, fits, balance, made.parted_groups)

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
            f"{plural(data.feature_count, 'feature')}, target {data.target}"
        )
        each = f"each of {len(self.fits):,} models" if len(self.fits) > 1 else "one model"
        count = f"{plural(len(splits), 'split')} for {each}"
        about = f"{splits.procedure}, seed {splits.seed}: {count}; splits {splits.fingerprint}"
        columns = (Column("model"), Column("fits", "right"), Column("how", excess="wrap"))
        rows = tuple((name, f"{fits:,}", how) for name, fits, how in self.fits)
        fitted = Grid("What would be fitted", columns, rows)
        return (Text(head, "strong"), Text(about), fitted, self._balance())

    def _balance(self) -> Grid:
        rows = tuple((what, _number(least), _number(most)) for what, least, most in self.balance)
        notes = []
        if self.parted_groups is not None:
            notes.append(f"groups with rows on both sides of a split: {self.parted_groups:,}")
        columns = (Column("over the splits"), Column("least", "right"), Column("most", "right"))
        return Grid("Balance", columns, rows, notes=tuple(notes))


def _fits(model: Model, dataset: Dataset, splits: Splits, exact: bool) -> tuple[str, int, str]:
    from heldout.learners.exact.paths import exact_path

    path = exact_path(model, dataset, splits) if exact else "--no-exact"
    if isinstance(path, str):
        return model.name, len(splits), f"refitted: {path}"
    return model.name, 1, f"exact, without refitting: {path.name}"


def _number(value: float) -> str:
    return count_text(value) if isinstance(value, int) else number_text(value)
