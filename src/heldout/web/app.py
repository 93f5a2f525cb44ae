"""The pages of ``heldout serve``: open files, say what their columns are, look at the report."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from heldout.core.errors import InputError
from heldout.core.shown import visible
from heldout.data import examples
from heldout.datasets.origin import BUNDLED
from heldout.learners.named import MODELS
from heldout.report.page.frame import Frame, Section, opened, resource, template
from heldout.report.page.page import report_frame, tables_html
from heldout.report.table import Column, Table
from heldout.runner.history import past_runs
from heldout.runner.run_rows import shown_time
from heldout.runner.store import Store
from heldout.web.files import ENDINGS, offered, store_uploads
from heldout.web.forms import arguments_of, fields_of, models_of
from heldout.web.guard import Guard
from heldout.web.jobs import Job, messages_in, run_module
from heldout.web.sessions import Sessions, Source, Work

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from heldout.core.options import Option
    from heldout.web.sessions import Session

FORMS = "form-action 'self'; connect-src 'self'; frame-src 'self'"
#: what a report may do beside what its own policy says: it is a page of nobody
ALONE = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"
#: seconds for a preview, and between two looks at a job
PREVIEW, LOOK = 60.0, 0.2
#: previews at a time
GLANCES = 4
#: commands for predictions and for data, and what their buttons say
BUTTONS = {
    "predictions": {"score": "Report", "compare": "Compare the models"},
    "data": {"evaluate": "Evaluate"},
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a browser may ask for."""

    #: bytes of what is uploaded, columns of a table, seconds of a command
    upload: int = 200_000_000
    columns: int = 2000
    seconds: float = 3600.0
    #: commands at a time, browsers at a time, seconds until one that is silent is gone
    jobs: int = 2
    sessions: int = 100
    idle: float = 600.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is started with."""

    #: files and folders that may be opened, and the folder of stored runs
    paths: tuple[Path, ...]
    store: Path
    token: str
    #: what browsers may call the server: ``127.0.0.1:8765``
    hosts: frozenset[str]
    #: what may be said of predictions and of data, each an option of the commands
    predictions: Sequence[Option]
    data: Sequence[Option]
    limits: Limits = Limits()


def make_app(settings: Settings, root: Path) -> ASGIApp:
    """The pages, behind their guard; what is uploaded goes to ``root``."""
    sessions = Sessions(root, idle=settings.limits.idle, most=settings.limits.sessions)
    site = Site(settings, asyncio.Semaphore(settings.limits.jobs), asyncio.Semaphore(GLANCES))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        sweeper = asyncio.create_task(sessions.sweep())
        try:
            yield
        finally:
            sweeper.cancel()
            await sessions.end_all()

    pages = Starlette(
        routes=[
            Route("/", site.home),
            Route("/alive", site.alive),
            Route("/files", site.upload, methods=["POST"]),
            Route("/open", site.open, methods=["POST"]),
            Route("/runs", site.runs, methods=["POST"]),
            Route("/works/{name}", site.work),
            Route("/works/{name}", site.start, methods=["POST"]),
            Route("/jobs/{name}", site.job),
            Route("/jobs/{name}/events", site.events),
            Route("/jobs/{name}/report.html", site.report),
            Route("/jobs/{name}/stop", site.stop, methods=["POST"]),
        ],
        lifespan=lifespan,
        # a browser that has gone meanwhile is no failure
        exception_handlers=dict.fromkeys(
            (HTTPException, InputError, ClientDisconnect, Exception), site.refusal
        ),
    )
    pages.router.redirect_slashes = False
    port = next(iter(settings.hosts)).rpartition(":")[2]
    return Guard(
        pages,
        sessions,
        token=settings.token,
        hosts=settings.hosts,
        cookie=f"heldout-{port}",
        limit=settings.limits.upload,
        policy=f"{site.frame.policy}; frame-ancestors 'none'",
    )


@dataclass(frozen=True)
class Site:
    """The pages; what they know of a reader is in the session of the request."""

    settings: Settings
    #: whoever runs a command, or has a look at a file, waits for one of these
    turn: asyncio.Semaphore
    glance: asyncio.Semaphore

    @property
    def frame(self) -> Frame:
        """The frame of reports, with forms."""
        report = report_frame()
        style = report.style + resource("web.css", __package__)
        return Frame(style, report.script + resource("web.js", __package__), FORMS)

    def page(self, title: str, *sections: Section, code: int = 200, **more: Any) -> HTMLResponse:
        """A page in the frame of all pages."""
        footer = "This page is served by your own machine; nothing is sent elsewhere."
        above = "" if title == HOME else '<p><a href="/">All files and runs</a></p>'
        text = self.frame.text(visible(title), sections, above=above, footer=footer, **more)
        return HTMLResponse(text, code)

    async def refusal(self, request: Request, error: Exception) -> Response:
        """What could not be done, in words."""
        code, why = 500, "heldout serve failed; what it wrote to the terminal says why."
        if isinstance(error, HTTPException):
            code, why = error.status_code, error.detail
        elif isinstance(error, InputError):
            code, why = 400, str(error)
        body = f'<pre role="alert">{_escaped(why)}</pre>'
        return self.page("That did not work", Section("why", "Why", body), code=code)

    # what there is to open

    async def home(self, request: Request) -> Response:
        """Files, examples and stored runs."""
        files = await asyncio.to_thread(offered, self.settings.paths)
        runs = await asyncio.to_thread(self._runs)
        named = {f"example:{name}": "predictions" for name in examples()}
        named |= {name: f"data: {entry.title}" for name, entry in BUNDLED.items()}
        limit = self.settings.limits.upload
        opening = _filled("home.html", limit=limit, files=files, examples=named, endings=ENDINGS)
        folder = str(self.settings.store)
        stored = _filled("runs.html", runs=runs, folder=folder, shown_time=shown_time)
        sections = Section("files", "Open", opening), Section("runs", "Stored runs", stored)
        return self.page(HOME, *sections, lead=[LEAD])

    def _runs(self) -> list[Any]:
        store = Store(self.settings.store)
        runs = past_runs(store) if store.path.is_file() else []
        return [run for run in reversed(runs) if not run.is_inner]

    async def alive(self, request: Request) -> Response:
        """A sign of life, which the guard has noted."""
        return Response(status_code=204)

    async def upload(self, request: Request) -> Response:
        """Files that were sent, as a work; they are in the folder of the session, or nowhere."""
        session: Session = request.state.session
        limits = self.settings.limits
        folder = session.new_folder()
        try:
            async with asyncio.timeout(limits.seconds), request.form(max_files=100) as form:
                uploads = [file for file in form.getlist("files") if not isinstance(file, str)]
                if not uploads:
                    raise InputError("no file was sent; choose one")
                paths = await asyncio.to_thread(store_uploads, uploads, folder)
            if await asyncio.to_thread(session.size) > 2 * limits.upload:
                raise InputError("this browser has uploaded too much; open another one later")
            sources = [Source(path.name, path) for path in paths]
            await self._open(session, sources, folder)
        except TimeoutError:
            shutil.rmtree(folder, ignore_errors=True)
            raise HTTPException(408, "The upload took too long.") from None
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return RedirectResponse(f"/works/{folder.name}", 303)

    async def open(self, request: Request) -> Response:
        """Files of this machine, or examples, as a work."""
        async with request.form() as form:
            names = [name for name in form.getlist("names") if isinstance(name, str)]
        files = await asyncio.to_thread(offered, self.settings.paths)
        shipped = {*BUNDLED, *(f"example:{name}" for name in examples())}
        unknown = [name for name in names if name not in files and name not in shipped]
        if unknown:
            raise HTTPException(404, f"No such file is offered here: {visible(unknown[0])}")
        if not names:
            raise InputError("choose a file")
        session: Session = request.state.session
        folder = session.new_folder()
        sources = [Source(str(files.get(name, name))) for name in names]
        await self._open(session, sources, folder)
        return RedirectResponse(f"/works/{folder.name}", 303)

    async def _open(self, session: Session, sources: Sequence[Source], folder: Path) -> None:
        names = [str(self.settings.limits.columns), *(source.name for source in sources)]
        async with self.glance:
            code = await run_module(
                "heldout.web.preview", names, folder, seconds=PREVIEW, output="preview.json"
            )
        if code != 0:
            what = "it took too long to read" if code is None else messages_in(folder)
            raise InputError(what or "it could not be read")
        tables = json.loads((folder / "preview.json").read_text(encoding="utf-8"))
        session.add_work(folder, Work(tuple(sources), tuple(tables)))

    # what its columns are

    async def work(self, request: Request) -> Response:
        """The first rows, and forms that say what the columns are."""
        work = _of(request, "works")
        table = work.tables[0]
        columns = table["columns"]
        names = [column["name"] for column in columns]

        def form(kind: str, options: Sequence[Option], guesses: Mapping[str, str]) -> str:
            sent = work.sent.get(kind, {})
            return _filled(
                "fields.html",
                id=kind,
                action=request.url.path,
                columns=columns,
                fields=list(fields_of(options, names, guesses, sent)),
                models=MODELS if kind == "data" else (),
                sent=sent,
                buttons=BUTTONS[kind],
            )

        judging = form("predictions", self.settings.predictions, table["guesses"])
        sections = [Section("predictions", "These are predictions: judge them", judging)]
        if len(work.sources) == 1:
            fitting = form("data", self.settings.data, {"target": table["target"]})
            sections.append(Section("data", "This is data: evaluate models on it", fitting))
        if not table["is_predictions"]:
            sections.reverse()
        elif "data" not in work.sent:
            # what the file is not likely to be is there, but not in the way
            folded = (replace(s, body=opened("Show the form", s.body)) for s in sections[1:])
            sections[1:] = folded
        preview = "".join(map(_preview, work.tables)) + _filled("levels.html", columns=columns)
        return self.page(work.title, Section("preview", "First rows", preview), *sections)

    async def start(self, request: Request) -> Response:
        """A command as a form states it."""
        work = _of(request, "works")
        columns = [column["name"] for column in work.tables[0]["columns"]]
        async with request.form() as form:
            command = form.get("command")
            kind = next((kind for kind, of in BUTTONS.items() if command in of), "")
            if not kind or (kind == "data" and len(work.sources) > 1):
                raise HTTPException(400, "There is no such command here.")
            work.sent[kind] = {key: [str(v) for v in form.getlist(key)] for key in form}
            if kind == "predictions":
                options = list(arguments_of(self.settings.predictions, columns, form))
            else:
                options = list(arguments_of(self.settings.data, columns, form))
                options += [f"--models={models_of(form)}", f"--store={self.settings.store}"]
        arguments = [str(command), *options, "--", *(source.name for source in work.sources)]
        return await self._begin(request, arguments, work.title, work.sources)

    async def runs(self, request: Request) -> Response:
        """A report of stored runs, or a comparison of them."""
        async with request.form() as form:
            command = form.get("command")
            numbers = [str(number) for number in form.getlist("runs")]
        if command not in BUTTONS["predictions"] or not all(
            n.isdecimal() and len(n) < 10 for n in numbers
        ):
            raise HTTPException(400, "There is no such command here.")
        if not numbers:
            raise InputError("choose a run")
        arguments = [str(command), "--runs", f"--store={self.settings.store}", "--", *numbers]
        return await self._begin(request, arguments, f"Run {', '.join(numbers)}")

    async def _begin(
        self, request: Request, arguments: Sequence[str], title: str, sources: Sequence[Source] = ()
    ) -> Response:
        session: Session = request.state.session
        folder = session.new_folder()
        for source in sources:
            if source.upload is not None:
                os.link(source.upload, folder / source.name)
        job = Job(arguments, folder, title=title, back=request.url.path if sources else "/")
        await session.add_job(job)
        job.start(self.turn, seconds=self.settings.limits.seconds)
        return RedirectResponse(f"/jobs/{folder.name}", 303)

    # what becomes of it

    async def job(self, request: Request) -> Response:
        """How far a job is, and then its report."""
        job = _of(request, "jobs")
        body = _filled(
            "job.html", job=job, name=job.folder.name, messages=visible(job.messages, keep="\n")
        )
        back = (
            f'<p><a href="{job.back}">Change what the columns are</a></p>'
            if job.back != "/"
            else ""
        )
        return self.page(job.title, Section("report", "Report", back + body))

    async def events(self, request: Request) -> Response:
        """How far a job is, as it changes, until it is over."""
        job = _of(request, "jobs")

        async def changes() -> AsyncIterator[str]:
            last: dict[str, Any] = {}
            while not job.is_over:
                if (status := job.status()) != last:
                    last = status
                    yield f"data: {json.dumps(status)}\n\n"
                await asyncio.sleep(LOOK)
            yield "event: end\ndata: {}\n\n"

        return StreamingResponse(changes(), media_type="text/event-stream")

    async def report(self, request: Request) -> Response:
        """The report itself, which may do nothing but run its own script."""
        path = _of(request, "jobs").report
        if path is None:
            raise HTTPException(404, "There is no such report.")
        policy = f"{report_frame().policy}; {ALONE}"
        headers = {"content-security-policy": policy, "x-frame-options": "SAMEORIGIN"}
        return FileResponse(path, media_type="text/html", headers=headers)

    async def stop(self, request: Request) -> Response:
        """End a job."""
        job = _of(request, "jobs")
        await job.stop()
        return RedirectResponse(f"/jobs/{job.folder.name}", 303)


HOME = "How good are your predictions?"
LEAD = "Open files of predictions to judge and compare models, or data to evaluate models on."


def _of(request: Request, kind: str) -> Any:
    """What the session of the request has of that name; nobody sees what others have."""
    things: Mapping[str, Any] = getattr(request.state.session, kind)
    name = request.path_params["name"]
    if name not in things:
        raise HTTPException(
            404, "There is no such page, or it is gone: files are opened again from the first page."
        )
    return things[name]


def _filled(file: str, **values: Any) -> str:
    return str(template(file, __package__).render(**values))


def _escaped(text: str) -> str:
    from html import escape

    return escape(visible(text, keep="\n"))


def _preview(table: Mapping[str, Any]) -> str:
    columns = tuple(Column(visible(column["name"])) for column in table["columns"])
    rows = tuple(zip(*(column["values"] for column in table["columns"]), strict=True))
    rest = "" if table["rows"] is None else f" ({table['rows']:,} rows)"
    return tables_html((Table(f"{table['name']}{rest}", columns, rows),))
