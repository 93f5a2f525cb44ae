"""Who may ask and how much: host, origin, token and size are checked before anything is done."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import compare_digest
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from heldout.web.sessions import Sessions

#: what every answer says to the browser, unless it says otherwise itself
HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
#: methods that change nothing
SAFE = ("GET", "HEAD")
WHERE = "Open the address that heldout serve printed, with its token."


def too_large(limit: int) -> HTTPException:
    """The refusal of a body that has more bytes than are taken."""
    what = f"more than the {limit / 1e6:,.0f} MB that this server takes"
    return HTTPException(413, f"The upload has {what}; start it with the path of the file instead.")


@dataclass(frozen=True)
class Guard:
    """Passes on only requests of people who know the token, from pages of this server."""

    app: ASGIApp
    sessions: Sessions
    token: str
    #: what browsers may call this server: ``127.0.0.1:8765``
    hosts: frozenset[str]
    #: the cookie that knows a browser again
    cookie: str
    #: bytes of a request
    limit: int
    policy: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the pages answer it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        send = self._with_headers(send)
        if scope["type"] != "http":  # there are no web sockets
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        answer = self._refusal(request) or self._login(request)
        if answer is None:
            session = self.sessions.get(request.cookies.get(self.cookie, ""))
            if session is not None:
                scope.setdefault("state", {})["session"] = session
                with session.asking():
                    await self.app(scope, self._limited(receive), send)
                return
            answer = PlainTextResponse(WHERE, 401)
        await answer(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        """An answer to a request that comes from elsewhere, or is too large."""
        host = request.headers.get("host", "")
        if host not in self.hosts:
            return PlainTextResponse("This server does not answer to that name.", 421)
        if request.method not in SAFE and request.headers.get("origin") != f"http://{host}":
            return PlainTextResponse("This request does not come from a page of heldout.", 403)
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.limit:
            return PlainTextResponse(str(too_large(self.limit).detail), 413)
        return None

    def _login(self, request: Request) -> Response | None:
        """A session for whoever brings the token."""
        given = request.query_params.get("token")
        if given is None:
            return None
        if not compare_digest(given.encode(), self.token.encode()):
            return PlainTextResponse(f"The token is wrong. {WHERE}", 401)
        # who has a session keeps it
        if self.sessions.get(request.cookies.get(self.cookie, "")) is not None:
            return RedirectResponse("/", 303)
        name = self.sessions.open()
        if name is None:
            return PlainTextResponse("Too many users are connected; try again later.", 503)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, name, httponly=True, samesite="lax")
        return answer

    def _limited(self, receive: Receive) -> Receive:
        """The body, refused as soon as it has more bytes than it may (its length may be untold)."""
        size = 0

        async def limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.limit:
                raise too_large(self.limit)
            return message

        return limited

    def _with_headers(self, send: Send) -> Callable[[Any], Any]:
        """Answers with the headers that keep strangers out."""

        async def send_all(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                all_headers = HEADERS | {"content-security-policy": self.policy}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in all_headers.items()
                        if name.encode() not in own
                    ),
                ]
            await send(message)

        return send_all
