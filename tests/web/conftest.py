"""A server for tests that need no other one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.web.serving import Server, served

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """It takes uploads of up to a megabyte."""
    with served(tmp_path_factory.mktemp("served"), "--max-upload", "1") as running:
        yield running
