"""``heldout serve``: a local page to open, judge and compare files and runs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import click

from heldout.cli.groups import COLUMNS, STORE
from heldout.cli.options import SectionedCommand, flags_of, options
from heldout.core.errors import InputError, MissingExtra
from heldout.core.options import declare
from heldout.evaluation.running import Splitting
from heldout.predictions.options import DataOptions, Roles

EPILOG = """\b
Examples:
  heldout serve
  heldout serve predictions/ patients.parquet --open
  heldout serve --port 8000 --max-upload 1000"""

#: what the page needs beside the base install, as it is imported and as it is installed
PACKAGES = {"starlette": "starlette", "uvicorn": "uvicorn", "python_multipart": "python-multipart"}


@click.command(cls=SectionedCommand, epilog=EPILOG, short_help="Serve a local page in the browser.")
@click.argument("paths", nargs=-1, metavar="[FILE|FOLDER]...", type=click.Path(path_type=Path))
@options(
    "Server",
    declare("--host ADDRESS", "Address to listen on [127.0.0.1].", default="127.0.0.1"),
    declare("--port N", "Port; 0 takes a free one [8765].", default=8765),
    declare("--name NAME", "Another host name by which browsers may reach the server.", many=True),
    declare("--open", "Open the page in the browser."),
    STORE,
)
@options(
    "Limits",
    declare("--max-upload MB", "Megabytes of an upload [200].", default=200),
    declare("--max-columns N", "Columns of a table [2000].", default=2000),
    declare("--max-seconds N", "Seconds of a command [3600].", default=3600),
    declare("--max-jobs N", "Commands at a time; others wait [2].", default=2),
    declare(
        "--max-idle N",
        "Seconds after a page is closed until its files are deleted [600].",
        default=600,
    ),
)
def command(paths: tuple[Path, ...], **given: Any) -> int:
    """Serve a local page: open files of predictions or data, and look at the report.

    The page is for people who do not type commands. Its address has a random token, and is
    reached from this machine only. Each FILE, and the files in each FOLDER, can be opened where
    they are; other files are uploaded, and removed when the page is closed. The page knows the
    named models only and imports no code. Options marked * may be given more than once.
    """
    missing = [package for name, package in PACKAGES.items() if find_spec(name) is None]
    if missing:
        raise MissingExtra(" and ".join(missing), "heldout serve", "web")
    from heldout.runner.store import chosen_store
    from heldout.web.app import Limits, Settings
    from heldout.web.server import serve

    for path in paths:
        if not path.exists():
            raise InputError(f"no such file or folder: {path}")
    for name in ("max_upload", "max_columns", "max_seconds", "max_jobs", "max_idle"):
        if given[name] < 1:
            raise InputError(f"--{name.replace('_', '-')} {given[name]}: give at least 1")
    store = chosen_store(given["store"])
    assert store is not None
    settings = Settings(
        paths=paths,
        store=store.folder.resolve(),
        token=token_urlsafe(24),
        hosts=frozenset(),
        predictions=flags_of(Roles, *SHOWN),
        data=(*flags_of(Splitting, "procedure", "seed"), *flags_of(DataOptions)),
        limits=Limits(
            upload=given["max_upload"] * 1_000_000,
            columns=given["max_columns"],
            seconds=given["max_seconds"],
            jobs=given["max_jobs"],
            idle=given["max_idle"],
        ),
    )

    def tell(address: str) -> None:
        click.echo(f"heldout serves {address}\nCtrl-C ends it.")
        if given["open"]:
            import webbrowser

            webbrowser.open(address)

    serve(settings, host=given["host"], port=given["port"], names=given["name"], tell=tell)
    return 0


#: what score and compare both know of predictions
SHOWN = (*COLUMNS, "id", "by", "positive", "labels", "threshold", "task")
