"""From the options of ``heldout audit`` to what it looks at: tables, splits, predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.prediction_input import read_files
from heldout.cli.texts import all_words, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.auditing.material import Material
    from heldout.datasets.dataset import Dataset
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Splits

__all__ = ["material_from", "refuse_usage"]


def refuse_usage(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Options that do not go together, before anything is read."""
    tables = [name for name in ("data", "train", "test", "predictions") if given[name]]
    if not tables:
        raise click.UsageError(
            "give --train and --test, or DATA with --procedure or --splits, or --predictions; "
            "--list shows the checks",
            ctx,
        )
    if (given["train"] is None) != (given["test"] is None) and not given["predictions"]:
        missing = "--test" if given["test"] is None else "--train"
        raise click.UsageError(f"{missing} is missing: rows are compared between the two", ctx)
    if given["data"] is not None and (given["train"] or given["test"]):
        raise click.UsageError(
            "DATA is one data set that a procedure or splits part, and --train and --test are two "
            "tables: give one or the other",
            ctx,
        )
    if given["procedure"] is not None and given["splits"] is not None:
        raise click.UsageError("--splits FILE and --procedure are one too many: give one", ctx)
    if (given["procedure"] or given["splits"]) and given["data"] is None:
        raise click.UsageError("--procedure and --splits are of DATA: name the data", ctx)


def material_from(given: Mapping[str, Any], notes: list[str]) -> Material:
    """All that is given, read; what was guessed on the way is noted."""
    from heldout.auditing.material import Material
    from heldout.auditing.public import checked_material

    whole = None if given["data"] is None else _dataset(given["data"], given, notes)
    splits = None
    if whole is not None and (given["procedure"] or given["splits"]):
        from heldout.auditing.public import splits_with_shared

        text = f"file {given['splits']}" if given["splits"] else given["procedure"]
        splits = splits_with_shared(text, whole, seed=given["seed"])
        # that time is mixed is a finding here
        notes += [note for note in splits.notes if "later rows" not in note]
    predictions = _predictions(given, notes)
    return checked_material(
        Material(
            train=None if given["train"] is None else _dataset(given["train"], given, notes),
            test=None if given["test"] is None else _dataset(given["test"], given, notes),
            data=whole,
            splits=splits,
            predictions=predictions,
            **_looks(whole, splits, predictions),
        )
    )


def _looks(
    whole: Dataset | None, splits: Splits | None, predictions: tuple[Predictions, ...]
) -> dict[str, Any]:
    """How many models a run store in its usual place has seen judged on these rows."""
    from heldout.runner.looks import looks_at_data, looks_at_rows
    from heldout.runner.store import chosen_store

    if predictions:
        return {"looks": looks_at_rows(chosen_store(), predictions, record=False)}
    if whole is None:
        return {}
    here = "" if splits is None else splits.fingerprint
    found = looks_at_data(chosen_store(), whole.fingerprint, here)
    return {} if found is None else {"looks": found[0], "looks_elsewhere": found[1]}


def _dataset(source: str, given: Mapping[str, Any], notes: list[str]) -> Dataset:
    from heldout.auditing.public import read_either

    roles = ("target", "positive", "task", "group", "time", "weight", "id")
    made = read_either(
        source,
        **{name: given[name] for name in roles},
        fold=_column_of(given["procedure"]),
        labels=words(given["labels"]),
        ignore=all_words(given["ignore"]),
        drop_missing_target=given["drop_missing_target"],
    )
    notes += made.notes
    return made


def _column_of(procedure: str | None) -> str | None:
    if procedure is None:
        return None
    from heldout.procedures.parse import parse_procedure

    return getattr(parse_procedure(procedure), "column", None)


def _predictions(given: Mapping[str, Any], notes: list[str]) -> tuple[Predictions, ...]:
    """The predictions; columns of the design are those of the data where there are any."""
    if not given["predictions"]:
        return ()
    has_data = any(given[name] for name in ("data", "train", "test"))
    stated = {**given, "group": None, "weight": None} if has_data else given
    made = read_files(given["predictions"], stated, pool=given["pool"])
    notes += [note for p in made[:1] for note in p.notes]
    return made
