"""Runs of a store as tables to read and as objects for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.core.wording import plural
from heldout.report.document import Column, Grid, Text
from heldout.runner.rows import shown_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.report.document import Document
    from heldout.runner.history import PastRun

__all__ = ["run_document", "run_object", "runs_document"]

MAKES = "heldout evaluate makes them"


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
        Column("data", excess="cut"),
        Column("procedure", excess="cut"),
        Column("models", excess="wrap"),
        Column("folds", "right"),
        Column("failed", "right"),
        Column("state"),
    )
    lines, notes = tuple(_line(run) for run in runs), (*_same(runs), *more)
    return (Grid(f"Runs in {folder}", columns, lines, notes=notes),)


def _line(run: PastRun) -> tuple[str, ...]:
    return (
        str(run.number),
        shown_time(run.created),
        run.data,
        run.procedure,
        _models(run),
        f"{run.done:,}/{run.total:,}",
        f"{run.failed:,}",
        run.state,
    )


def _models(run: PastRun) -> str:
    """The models that were evaluated, by name, and how many settings were tried in a search."""
    if run.purpose == "inner":
        return f"inner: {', '.join(one.name for one in run.judged)}"
    if run.purpose == "select":
        return f"select: {plural(len(run.judged), 'setting')}"
    also = [f"select: {plural(len(run.besides), 'more setting')}"] if run.besides else []
    return "; ".join([", ".join(one.name for one in run.judged), *also])


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
    about = Grid(f"Run {run.number}", (Column(""), Column("", excess="wrap")), facts)
    columns = (
        Column("model"),
        Column("for"),
        Column("part"),
        Column("done", "right"),
        Column("failed", "right"),
        Column("left", "right"),
        # by fits or by an exact path; what was tried again counts again
        Column("computed", "right"),
    )
    rows = tuple(
        (
            model.name,
            model.purpose,
            model.part,
            f"{model.done:,}",
            f"{model.failed:,}",
            f"{run.left(model):,}",
            f"{model.computed:,}",
        )
        for model in run.models
    )
    return (about, Grid("Models", columns, rows))


def run_object(run: PastRun) -> dict[str, Any]:
    """A run as JSON has it."""
    return {
        "id": run.number,
        "for": run.purpose,
        "begun": run.created,
        "data": run.data,
        "source": run.source,
        "data_fingerprint": run.data_fingerprint,
        "procedure": run.procedure,
        "splits_fingerprint": run.splits_fingerprint,
        "splits": run.splits,
        "rows": run.rows,
        "seed": run.seed,
        "versions": run.versions,
        "done": run.done,
        "failed": run.failed,
        "total": run.total,
        "state": run.state,
        "models": [
            {
                "model": model.name,
                "for": model.purpose,
                "part": model.part,
                "is_older": model.is_older,
                "fingerprint": model.fingerprint,
                "done": model.done,
                "failed": model.failed,
                "left": run.left(model),
                "computed": model.computed,
            }
            for model in run.models
        ],
    }
