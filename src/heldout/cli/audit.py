"""``heldout audit``: checks for data leakage and misuse of test data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import Answer, asked_of, call_of, finish
from heldout.cli.groups import POOL, SCORES, Output, output_help
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.core.options import declare
from heldout.evaluation.running import Splitting
from heldout.predictions.options import DataOptions, Roles
from heldout.report.formats import FORMATS, endings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.auditing.material import Material
    from heldout.cli.command import Asked
    from heldout.datasets.dataset import Dataset
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Splits

#: findings are sentences, which no table of a paper holds
WRITTEN = tuple(name for name in FORMATS if name != "latex")

EPILOG = """\b
Examples:
  heldout audit --train train.csv --test test.csv --target y --group patient
  heldout audit data.csv --target y --procedure 10-fold --group patient
  heldout audit data.csv --target y --splits splits.csv
  heldout audit --predictions preds.csv --truth y --score p --positive yes
  heldout audit --train train.csv --id id --target y \\
      --predictions preds.csv --strict
  heldout audit --explain K05

With --strict the exit code is 3 if there are errors or warnings; notes, and checks that were not
possible, do not count."""


@click.command(
    cls=SectionedCommand,
    epilog=EPILOG,
    short_help="Check for data leakage and misuse of test data.",
)
@click.argument("data", required=False)
@options(
    "Input",
    declare("--train FILE", "Training rows."),
    declare("--test FILE", "Test rows."),
    *flags_of(
        Splitting,
        procedure="How DATA is split: 10-fold, holdout 70:30, ...",
        splits="Read the splits of DATA from a file written by heldout split.",
        seed="Random seed of the splits [0].",
    ),
    declare("--predictions FILE", "Predictions, one model per file.", many=True),
)
@options(
    "Columns of the data (--id also of the predictions)",
    *flags_of(DataOptions, "target", "positive", "labels"),
    flag_of(Roles, "group"),
    *flags_of(DataOptions, "time", "id"),
    flag_of(Roles, "weight"),
    *flags_of(DataOptions, "ignore", "task", "drop_missing_target"),
)
@options(
    "Columns of the predictions (recognised by common names if not given)",
    *flags_of(Roles, *SCORES, "fold", "repeat", "model", "threshold"),
    POOL,
)
@options(
    "Checks",
    declare("--skip CODE", "Skip a check.", many=True),
    declare("--strict", "Exit with code 3 if there are errors or warnings."),
    declare("--list", "List all checks.", name="listed"),
    declare("--explain CODE", "Explain a check: what it looks for, why, and how to fix it."),
)
@options(
    "Output",
    flag_of(Output, "form", choices=WRITTEN),
    flag_of(Output, "output", output_help(endings_of(WRITTEN))),
    *flags_of(Output, "report", "quiet"),
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Check for data leakage and misuse of test data.

    Give training and test rows as two tables, or DATA with a procedure or a file of splits;
    predictions may be given alone or with them. Every check that is possible is made; checks
    that are not possible are listed with the reason. Options marked * may be given more than
    once.
    """
    from heldout.auditing.audit import audited, known_codes
    from heldout.cli.screen import say
    from heldout.core.specs import all_words
    from heldout.report.audit_text import audit_document, audit_record, audit_rows, page_document

    sources = _sources(given)
    asked = asked_of(given, sources, endings=endings_of(WRITTEN))
    if given["listed"] or given["explain"] is not None:
        return _show_checks(given, asked)
    _refuse_usage(given)
    skipped = known_codes(all_words(given["skip"]))
    notes: list[str] = []
    material = _material(given, notes)
    audit = audited(material, skip=skipped)
    say(given, dict.fromkeys(notes))
    subject = ", ".join("standard input" if name == "-" else name for name in sources)
    code = finish(
        given,
        asked,
        Answer(
            document=lambda: audit_document(audit, subject=subject),
            record=lambda: {"call": call_of(ctx), **audit_record(audit)},
            rows=lambda: audit_rows(audit),
            page=lambda: page_document(audit, subject=subject),
        ),
    )
    return code or (3 if given["strict"] and not audit.is_clean else 0)


def _sources(given: Mapping[str, Any]) -> list[str]:
    names = [given[name] for name in ("data", "train", "test", "splits")]
    return [name for name in (*names, *given["predictions"]) if name]


def _show_checks(given: Mapping[str, Any], asked: Asked) -> int:
    """All checks, or what one of them looks for."""
    from heldout.auditing.audit import known_codes
    from heldout.auditing.check import all_checks
    from heldout.report.audit_text import check_document, checks_document
    from heldout.report.table import Rows

    checks = all_checks()
    if given["explain"] is not None:
        (code,) = known_codes([given["explain"]])
        checks = tuple(check for check in checks if check.code == code)
    names = ("code", "title", "severity", "why")
    records = [
        {**{name: getattr(check, name) for name in names}, "fix": check.remedy} for check in checks
    ]
    return finish(
        given,
        asked,
        Answer(
            document=lambda: (
                check_document(checks[0]) if given["explain"] else checks_document(checks)
            ),
            record=lambda: {"checks": records},
            rows=lambda: Rows.of(records),
        ),
    )


def _refuse_usage(given: Mapping[str, Any]) -> None:
    """Options that do not go together, before anything is read."""
    from heldout.cli.inputs import refuse, refuse_beside_splits

    refuse(
        not any(given[name] for name in ("data", "train", "test", "predictions")),
        "give --train and --test, or DATA with --procedure or --splits, or --predictions; "
        "--list shows the checks",
    )
    missing = "--test" if given["test"] is None else "--train"
    refuse(
        (given["train"] is None) != (given["test"] is None) and not given["predictions"],
        f"{missing} is missing: training and test rows are compared",
    )
    refuse(
        given["data"] is not None and (given["train"] or given["test"]),
        "DATA is one data set to be split, and --train and --test are two "
        "tables: give one or the other",
    )
    refuse_beside_splits(given, "procedure")
    refuse(
        (given["procedure"] or given["splits"]) and given["data"] is None,
        "--procedure and --splits describe DATA, which is missing",
    )


def _material(given: Mapping[str, Any], notes: list[str]) -> Material:
    """All that is given, read; what was guessed on the way is noted."""
    from heldout.auditing.material import Material
    from heldout.auditing.public import checked_material

    whole = None if given["data"] is None else _dataset(given["data"], given, notes)
    splits = None
    if whole is not None and (given["procedure"] or given["splits"]):
        from heldout.auditing.public import splits_with_shared
        from heldout.core.notes import Topic, without

        text = f"file {given['splits']}" if given["splits"] else given["procedure"]
        splits = splits_with_shared(text, whole, seed=given["seed"])
        # that time is mixed is a finding here
        notes += without(splits.notes, Topic.MIXED_TIME)
    predictions = _predictions(given, notes)
    return checked_material(
        Material(
            train=None if given["train"] is None else _dataset(given["train"], given, notes),
            test=None if given["test"] is None else _dataset(given["test"], given, notes),
            data=whole,
            splits=splits,
            predictions=predictions,
            **_looks_of(whole, splits, predictions),
        )
    )


def _looks_of(
    whole: Dataset | None, splits: Splits | None, predictions: tuple[Predictions, ...]
) -> dict[str, Any]:
    """How many models a run store in its usual place has seen judged on these rows."""
    from heldout.runner.earlier_looks import looks_at_data, looks_at_rows
    from heldout.runner.store import chosen_store

    if predictions:
        return {"looks": looks_at_rows(chosen_store(), predictions, record=False)}
    if whole is None:
        return {}
    here = "" if splits is None else splits.fingerprint
    looks = looks_at_data(chosen_store(), whole.fingerprint, here)
    return {} if looks is None else {"looks": looks[0], "looks_elsewhere": looks[1]}


def _dataset(source: str, given: Mapping[str, Any], notes: list[str]) -> Dataset:
    from heldout.auditing.public import read_either
    from heldout.cli.inputs import data_roles
    from heldout.core.options import values_of

    dataset = read_either(source, **values_of(data_roles(given)))
    notes += dataset.notes
    return dataset


def _predictions(given: Mapping[str, Any], notes: list[str]) -> tuple[Predictions, ...]:
    """The predictions; columns of the design are those of the data where there are any."""
    from heldout.cli.inputs import read_files

    if not given["predictions"]:
        return ()
    has_data = any(given[name] for name in ("data", "train", "test"))
    stated = {**given, "group": None, "weight": None} if has_data else given
    predictions = read_files(given["predictions"], stated, pool=given["pool"])
    notes += [note for p in predictions[:1] for note in p.notes]
    return predictions
