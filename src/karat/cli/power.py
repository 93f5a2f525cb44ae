"""``karat power``: the least difference a design can show, and what a wanted one needs."""

from __future__ import annotations

from math import inf, isinf
from typing import Any

import click

from karat.cli import data_options as data
from karat.cli import output_options as shown
from karat.cli import prediction_options as files
from karat.cli.options import SectionedCommand, flag, options
from karat.cli.output import call_of, drawn, format_of, write_text

__all__ = ["command"]

EPILOG = """\b
Examples:
  karat power example:models --positive spam --measure accuracy --difference 0.02
  karat power --rows 300 --discordance 0.15
  karat power --difference 0.02 --discordance 0.15
  karat power --difference 0.03 --auc 0.8 --prevalence 0.3 --correlation 0.5
  karat power --rows 1000 --spread 0.4
  karat power --folds 10 --repeats 10 --spread 0.03 --difference 0.02"""


@click.command(cls=SectionedCommand, epilog=EPILOG, short_help="What differences can be shown.")
@click.argument("files", nargs=-1)
@options(
    "From predictions (as karat compare reads them)",
    files.TRUTH,
    files.PREDICTED,
    files.SCORE,
    files.MODEL,
    data.ID,
    files.FOLD,
    files.REPEAT,
    files.GROUP,
    data.POSITIVE,
    shown.MEASURES,
)
@options(
    "From numbers",
    flag("--rows", type=float, metavar="N", help="Rows that both models judge."),
    flag(
        "--discordance",
        type=float,
        metavar="P",
        help="Accuracy: share of rows on which just one model is right.",
    ),
    flag("--auc", type=float, metavar="A", help="AUC of the poorer model."),
    flag("--prevalence", type=float, metavar="P", help="AUC: share of positives."),
    flag(
        "--correlation",
        type=float,
        default=0.5,
        metavar="R",
        help="AUC: of the two areas' errors [0.5].",
    ),
    flag(
        "--spread",
        type=float,
        metavar="S",
        help="Standard deviation of the differences of rows (or of folds, with --folds).",
    ),
    flag("--folds", type=int, metavar="K", help="Of a repeated cross-validation."),
    flag("--repeats", type=int, metavar="R", help="Of a cross-validation [1]."),
)
@options(
    "What is asked",
    flag("--difference", type=float, metavar="D", help="The difference to be shown."),
    flag("--power", type=float, default=0.8, metavar="P", help="Chance to show it [0.8]."),
    shown.LEVEL.but(help="Of the test [0.95]."),
    flag("--one-sided", is_flag=True, help="The direction is known beforehand."),
)
@options("Output", shown.FORMAT, shown.OUTPUT, shown.QUIET)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """The least difference that a design can show, and how many rows or repeats one needs.

    From FILES of predictions (their own noise), or from numbers. Options marked * may be given
    more than once.
    """
    form = format_of(given, given["files"])
    if given["difference"] is not None and not given["difference"] > 0:
        raise click.UsageError(f"--difference is a size above 0, not {given['difference']}", ctx)
    records = _from_files(ctx) if given["files"] else [_from_numbers(ctx)]
    if form == "csv":
        from karat.report.csv_text import records_csv

        text = records_csv(records)
    elif form == "json":
        from karat.report.json_text import json_text, plain

        rows = [{name: plain(value) for name, value in row.items()} for row in records]
        text = json_text({"call": call_of(ctx, "power"), "results": rows})
    else:
        text = drawn(_document(records, given), form, given["output"])
    write_text(text, form, given["output"])
    return 0


def _from_files(ctx: click.Context) -> list[dict[str, Any]]:
    from karat.cli.compare_input import predictions_of
    from karat.cli.screen import gathered, note
    from karat.comparison.compare import compare_predictions
    from karat.comparison.options import CompareOptions
    from karat.comparison.seen_power import seen_power

    given = ctx.params
    for name in ("rows", "discordance", "auc", "prevalence", "spread", "folds", "repeats"):
        if given[name] is not None:
            raise click.UsageError(f"--{name} is for numbers, not beside files", ctx)
    notes: list[str] = []
    predictions = predictions_of(given, notes)
    comparison = compare_predictions(
        predictions, given["measures"] or None, CompareOptions(level=given["level"])
    )
    if not given["quiet"]:
        for line in gathered(notes):
            note(line)
    found = seen_power(
        comparison, given["difference"], power=given["power"], one_sided=given["one_sided"]
    )
    return [{name: getattr(row, name) for name in row.__dataclass_fields__} for row in found]


def _from_numbers(ctx: click.Context) -> dict[str, Any]:
    given = ctx.params
    kind = _kind(ctx)
    how = {
        "level": given["level"],
        "power": given["power"],
        "one_sided": given["one_sided"],
    }
    made = {"accuracy": _of_shares, "auc": _of_areas, "mean": _of_means, "folds": _of_folds}
    return made[kind](ctx, how)


def _kind(ctx: click.Context) -> str:
    given = ctx.params
    said = [
        kind
        for kind, name in (("accuracy", "discordance"), ("auc", "auc"), ("mean", "spread"))
        if given[name] is not None
    ]
    if len(said) != 1:
        raise click.UsageError(
            "give files, or one of --discordance (accuracy), --auc (with --prevalence) and "
            "--spread (mean losses; folds with --folds)",
            ctx,
        )
    if given["folds"] is not None:
        if said != ["mean"]:
            raise click.UsageError("--folds goes with --spread, that of the folds", ctx)
        return "folds"
    if given["rows"] is None and given["difference"] is None:
        raise click.UsageError("give --rows, --difference or both", ctx)
    return said[0]


def _record(measure: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
    made = {
        "measure": measure,
        "n": given["rows"],
        "unit": "rows",
        "detectable": None,
        "limit": 0.0,
        "wanted": given["difference"],
        "needed": None,
        "needed_unit": "rows",
        "note": "",
    }
    return {**made, **more}


def _of_shares(ctx: click.Context, how: dict[str, Any]) -> dict[str, Any]:
    from karat.comparison.power import paired_share_detectable, paired_share_rows

    given, more = ctx.params, {}
    if given["rows"] is not None:
        more["detectable"] = paired_share_detectable(given["rows"], given["discordance"], **how)
    if given["difference"] is not None:
        more["needed"] = paired_share_rows(given["difference"], given["discordance"], **how)
    return _record("accuracy (paired)", given, **more)


def _of_areas(ctx: click.Context, how: dict[str, Any]) -> dict[str, Any]:
    from karat.comparison.power import area_detectable, area_rows

    given, more = ctx.params, {}
    if given["prevalence"] is None:
        raise click.UsageError("--auc needs --prevalence, the share of positives", ctx)
    known = (given["auc"], given["prevalence"])
    how = {**how, "correlation": given["correlation"]}
    if given["rows"] is not None:
        more["detectable"] = area_detectable(given["rows"], *known, **how)
    if given["difference"] is not None:
        more["needed"] = area_rows(given["difference"], *known, **how)
    return _record("auc (paired)", given, **more)


def _of_means(ctx: click.Context, how: dict[str, Any]) -> dict[str, Any]:
    from karat.comparison.power import mean_detectable, mean_rows

    given, more = ctx.params, {}
    if given["rows"] is not None:
        more["detectable"] = mean_detectable(given["rows"], given["spread"], **how)
    if given["difference"] is not None:
        more["needed"] = mean_rows(given["difference"], given["spread"], **how)
    return _record("mean loss (paired)", given, **more)


def _of_folds(ctx: click.Context, how: dict[str, Any]) -> dict[str, Any]:
    from karat.comparison.split_power import repeats_needed, splits_detectable

    given = ctx.params
    folds, spread = given["folds"], given["spread"]
    repeats = 1 if given["repeats"] is None else given["repeats"]
    limit = splits_detectable(inf, folds, spread, **how)
    more: dict[str, Any] = {
        "n": repeats * folds,
        "unit": "splits",
        "detectable": splits_detectable(repeats, folds, spread, **how),
        "limit": limit,
        "needed_unit": "repeats",
    }
    if given["difference"] is not None:
        more["needed"] = repeats_needed(given["difference"], folds, spread, **how)
        if more["needed"] is None:
            more["note"] = (
                f"no number of repeats shows {given['difference']:g}: these rows show "
                f"{limit:.3g} at best"
            )
    return _record("mean over folds", given, **more)


def _document(records: list[dict[str, Any]], given: dict[str, Any]) -> Any:
    from karat.report.document import Column, Grid
    from karat.report.numbers import number_text

    def shown(value: Any) -> str:
        if value is None:
            return ""
        return "none" if isinf(value) else number_text(float(value), digits=4)

    has_pairs = "first" in records[0]
    columns = [Column("measure")]
    columns += [Column("pair", excess="cut")] if has_pairs else []
    columns += [Column("n", "decimal"), Column("of"), Column("can show", "decimal")]
    limits = any(r["limit"] for r in records)
    columns += [Column("limit of repeats", "decimal")] if limits else []
    wants = given["difference"] is not None
    columns += (
        [Column("wanted", "decimal"), Column("needs", "decimal"), Column("of")] if wants else []
    )
    rows = []
    for r in records:
        cells = [r["measure"]]
        cells += [f"{r['first']} - {r['second']}"] if has_pairs else []
        cells += [shown(r["n"]), r["unit"], shown(r["detectable"])]
        cells += [shown(r["limit"])] if limits else []
        if wants:
            needs = "none" if r["needed"] is None else f"{r['needed']:,}"
            cells += [shown(r["wanted"]), needs, r["needed_unit"]]
        rows.append(tuple(cells))
    sides = "one-sided" if given["one_sided"] else "two-sided"
    notes = [f"with a chance of {given['power']:g} at level {given['level']:g}, {sides}"]
    if limits:
        notes.append("limit of repeats: what no number of repeats on the same rows goes below")
    notes += dict.fromkeys(r["note"] for r in records if r["note"])
    return (Grid("Differences that can be shown", tuple(columns), tuple(rows), notes=tuple(notes)),)
