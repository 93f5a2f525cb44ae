"""The server behind ``heldout serve``: a socket, a token, and a folder that ends with it."""

from __future__ import annotations

import signal
import socket
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import uvicorn

from heldout.core.errors import InputError
from heldout.web.app import make_app

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.web.app import Settings

#: what a browser on this machine may call it
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
#: connections at a time, those that say nothing included; more are refused
MOST_CONNECTIONS = 1000
#: the exit code of a process that was asked to end
ENDED = 128 + signal.SIGTERM


def serve(
    settings: Settings, *, host: str, port: int, names: Sequence[str], tell: Callable[[str], None]
) -> None:
    """Serve until interrupted; ``tell`` gets the address, with the token."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(
            f"cannot listen on {host}, port {port}: {why}; use another --port"
        ) from None
    number = listening.getsockname()[1]
    called = (*LOOPBACK, f"[{host}]" if ":" in host else host, *names)
    hosts = frozenset(f"{name}:{number}" for name in called)
    with listening, TemporaryDirectory(prefix="heldout-serve-") as folder:
        app = make_app(replace(settings, hosts=hosts), Path(folder).resolve())
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=2,
        )
        shown = "127.0.0.1" if host in ("0.0.0.0", "") else called[3]  # noqa: S104  only compared
        tell(f"http://{shown}:{number}/?token={settings.token}")
        # uvicorn ends in order and then raises the signal again: the folder must go before
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))
        uvicorn.Server(config).run(sockets=[listening])
